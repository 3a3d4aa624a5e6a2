/* SPDX-License-Identifier: MIT */
/*
 * The sleep of the machine, and what must survive it: memory of the card, jobs, binds.
 */
#ifndef XETILE_MACHINE_H
#define XETILE_MACHINE_H

#include "xetile_job.h"

/* The GPU address of the first big buffer, or of the buffer that a binder binds */
#define BIG_ADDR	0x8000000000ull

/* Returns whether the file's first line holds @word. */
bool machine_has_word(const char *path, const char *word);
/* Returns the available memory of the machine, in MiB. */
uint64_t machine_available(void);
/*
 * Keeps the processors' lists of freed pages short, or as the kernel likes. These pages are not
 * available to the kernel's count, and are tens of MiB, because the kernel lets these lists grow.
 */
void machine_keep_few_pages(bool few);

/*
 * Sends the machine to sleep in @state ("freeze", "mem", or "disk": hibernation); the kernel's
 * pm_test ends the sleep after @step and @seconds. "freeze" has no steps after "platform". The
 * kernel counts these seconds by a busy loop of one processor. That is the first processor here,
 * because the loop's second has another length on each of them. Returns 0 or -errno.
 */
int machine_sleep_to(const char *state, const char *step, unsigned int seconds);
/*
 * machine_sleep_to() up to the step before the processors stop: by then devices may have lost
 * their power. If the environment names a state in XETILE_SLEEP ("mem", or "disk:" and a word
 * for /sys/power/disk), the machine falls asleep in earnest, for as long as its host lets it sleep.
 * Returns 0 or -errno.
 */
int machine_sleep(unsigned int seconds);
/*
 * Returns the seconds to ask machine_sleep() for so that the sleep takes about @seconds. On an
 * emulated processor the loop's second has no fixed length, because that depends on the load of
 * the host.
 */
unsigned int machine_asked_seconds(unsigned int seconds);

/* A buffer in HBM, mapped for the CPU and the GPU, with a different word in each page */
struct big {
	uint32_t handle;
	uint64_t size;
	uint32_t *map;
};

/*
 * Creates buffer number @n, whose color depends on @n, of @size bytes in the file of @j; writes
 * its words, and maps it at BIG_ADDR + @n GiB in the VM of @j.
 */
void big_init(const struct xetile_card *card, struct big *b, struct job *j, unsigned int n,
	      uint64_t size);
/* Asserts that the words of @b are unchanged; frees @b. */
void big_check(const struct xetile_card *card, struct big *b, unsigned int n);
/* Returns whether the first pages of @b are in HBM. */
bool big_in_hbm(const struct xetile_card *card, const struct big *b);

/*
 * Submits a batch to the queue of @j that waits for the syncobj @after, unless that is 0.
 * Returns the syncobj of its fence.
 */
uint32_t start_behind(struct job *j, uint32_t after);

/* A bind that waits for a fence, and a batch that waits for the bind and uses its mapping */
struct binder {
	struct job j;
	uint32_t bo, bound, stored;
	volatile uint32_t *map;
};

/* Submits both on the file @fd; the bind waits for the syncobj @after. */
void binder_init(struct binder *b, int fd, uint32_t after);
/*
 * To be called when @after has signalled. Asserts that the bind and the batch each end within a
 * minute and without an error, and that the batch has stored its word; frees @b.
 */
void binder_end(struct binder *b);

#endif
