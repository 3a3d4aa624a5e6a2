/* SPDX-License-Identifier: MIT */
/*
 * The two halves of the fuzzer: the meaning of an input's bytes (calls.c, with bytes.c and
 * world.c), and the choice of the inputs to try (fuzz.c).
 *
 * An input is a row of records of RECORD bytes, and each record is a call: the first byte selects
 * the call, the other bytes select the arguments. Therefore a record can be dropped, doubled or
 * copied to another input and keeps its meaning, and the same input makes the same calls wherever
 * the input runs.
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
 * The objects that calls name. Some of them exist when an input begins; none of them exists after
 * its end. Threads share the struct without a lock, as the threads of a faulty program would.
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
	uint8_t *arena;		/* NUM_SLOTS areas of SLOT_SIZE for mappings */
	volatile uint32_t *batches;	/* the first BO, mapped for the CPU */
};

void calls_init(const char *card);
/* Begin and end of a world: world_end() frees every object of the world. */
void world_begin(struct world *w);
void world_end(struct world *w);
/* Makes the calls of @in. With @tell prints each call with its answer. Returns their number. */
unsigned int calls_run(struct world *w, const struct input *in, bool tell);
/* Returns the bytes of HBM in use over all tiles, as the driver counts them. */
uint64_t calls_hbm_used(void);
/*
 * Writes the settings that differ from those at calls_init() back, and returns the path of one
 * of these, or NULL when all are as they were.
 */
const char *calls_restore_settings(void);
unsigned int calls_kinds(void);

#endif
