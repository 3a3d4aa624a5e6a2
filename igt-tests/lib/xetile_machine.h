/* SPDX-License-Identifier: MIT */
/*
 * The machine's sleep, and what must outlast it: memory of the card's, jobs, binds.
 */
#ifndef XETILE_MACHINE_H
#define XETILE_MACHINE_H

#include "xetile_job.h"

/* Where the first of the big buffers, or what a binder binds, is mapped */
#define BIG_ADDR	0x8000000000ull

/* A text to a file, which is asserted to be there: 0 or -errno */
int machine_write(const char *path, const char *text);
/* Whether the file's first line holds @word */
bool machine_has_word(const char *path, const char *word);
/* MiB of memory that can be had */
uint64_t machine_available(void);

/*
 * A sleep that is over after a step of it, and so many seconds, which a processor counts by a
 * loop, without a look at anything else. It is the first one, as each has its own idea of a
 * second.  0 or -errno.
 */
int machine_sleep_to(const char *step, unsigned int seconds);
/*
 * All of it but the last step, at which the processors would stop: devices have lost their
 * power, or may have.
 */
int machine_sleep(unsigned int seconds);
/*
 * What to ask for to sleep about so many seconds: on an emulated processor a second of the
 * loop is what it happens to be, and depends on what else the machine does.
 */
unsigned int machine_asked_seconds(unsigned int seconds);

/* A buffer that is mapped both ways, with a word of its own in each page */
struct big {
	uint32_t handle;
	uint64_t size;
	uint32_t *map;
};

/* Of job @j; @n: which one it is, and how it is colored */
void big_init(const struct xetile_card *card, struct big *b, struct job *j, unsigned int n,
	      uint64_t size);
void big_check(const struct xetile_card *card, struct big *b, unsigned int n);
bool big_in_hbm(const struct xetile_card *card, const struct big *b);

/* The fence of a batch behind the one that runs, and behind @after, if there is one */
uint32_t start_behind(struct job *j, uint32_t after);

/* A bind that waits for a fence, and a batch that waits for the bind and uses it */
struct binder {
	struct job j;
	uint32_t bo, bound, stored;
	volatile uint32_t *map;
};

void binder_init(struct binder *b, int fd, uint32_t after);
/* When the fence has signalled */
void binder_end(struct binder *b);

#endif
