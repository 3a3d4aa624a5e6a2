/* SPDX-License-Identifier: MIT */
/*
 * The two halves of the fuzzer: what the bytes of an input mean (calls.c, with bytes.c and
 * world.c), and which inputs are tried (fuzz.c).
 *
 * An input is a row of records of RECORD bytes, each of them one call: the first
 * byte says which, the others which arguments. So a record can be dropped, doubled
 * or carried over to another input and means the same there, and the same input makes
 * the same calls wherever it is run.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD		32
#define MAX_RECORDS	24
#define INPUT_SIZE	(RECORD * MAX_RECORDS)

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

struct input {
	uint32_t size;	/* a multiple of RECORD */
	uint8_t bytes[INPUT_SIZE];
};

/*
 * What calls name: some of it is there when an input begins, and all of it is gone
 * when it has ended. Threads share it without a lock, as those of a program with a
 * bug would.
 */
#define NUM_SLOTS	8
#define SLOT_SIZE	(4ull << 20)

struct world {
	int fd;
	int other;		/* the same card, opened a second time */
	volatile uint32_t bo[NUM_SLOTS];
	volatile uint32_t vm[NUM_SLOTS];
	volatile uint32_t queue[NUM_SLOTS];
	volatile uint32_t sync[NUM_SLOTS];
	volatile int file[NUM_SLOTS];
	volatile uint64_t map_offset[NUM_SLOTS];
	uint8_t *arena;		/* NUM_SLOTS places of SLOT_SIZE for mappings */
	volatile uint32_t *batches;	/* the first BO, mapped */
};

void calls_init(const char *card);
/* Begin and end of a world; nothing in it outlives the end. */
void world_begin(struct world *w);
void world_end(struct world *w);
/* Makes the calls of @in; with @tell each is printed with its answer. Their number. */
unsigned int calls_run(struct world *w, const struct input *in, bool tell);
/* HBM in use over all tiles, by the driver's own account. */
uint64_t calls_hbm_used(void);
unsigned int calls_kinds(void);

#endif
