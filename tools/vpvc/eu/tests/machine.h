/* SPDX-License-Identifier: MIT */
/* A small machine for the tests' kernels: it has flat memory and starts walkers. */
#ifndef EU_TEST_MACHINE_H
#define EU_TEST_MACHINE_H

#include "eu/eu.h"
#include "eu/state/eu_state.h"

struct kernel_arg {
	const char *type;
	unsigned int offset, size;
	int index;
};

struct kernel {
	const char *name;
	const uint8_t *code;
	size_t code_size;
	unsigned int simd, grf, slm, skip, scratch;
	unsigned int inline_data;
	struct kernel_arg args[16];
};

#define MACHINE_BASE	0x800000000000ull
#define MACHINE_SIZE	(8u << 20)
#define MACHINE_CODE	0x10000u
#define MACHINE_ARGS	0x20000u
#define MACHINE_STATE	0x30000u	/* surface states */
#define MACHINE_HEAP	0x40000u

/*
 * Virtual addresses start at MACHINE_BASE, in pages of 4 KiB. The place of a
 * page is its number modulo 3.
 */
struct machine {
	uint8_t *memory;
	size_t used;
	bool read_only;			/* no page may be written */
	struct eu_walker walker;
	struct eu_memory view;
	struct eu_counters counters;
	struct eu_stop stop;
	unsigned int host_threads, walk_order, code_generation;
	unsigned int surfaces;		/* offset of the surface states */
	const atomic_bool *cancel;
	struct eu_cache *cache;		/* may be NULL */
};

void machine_init(struct machine *m);
void machine_fini(struct machine *m);

/* Allocates zeroed memory and returns its virtual address. */
uint64_t machine_alloc(struct machine *m, size_t size);
void *machine_at(struct machine *m, uint64_t va);

/*
 * Runs @kernel with @groups groups of @local items. @args has the value of each parameter of
 * the kernel: the address of a pointer, the bits of a scalar.
 */
int machine_run(struct machine *m, const struct kernel *kernel,
		const unsigned int groups[3], const unsigned int local[3],
		const uint64_t *args);

/* ---- single instructions, on a thread whose registers the test can see ---- */

/* The state that eu_program.c needs to decode an instruction outside of a run */
struct bench {
	struct machine m;
	struct eu_run_state run;
	struct eu_worker *w;
	struct eu_thread *a, *b;
};

bool bench_init(struct bench *b);
void bench_fini(struct bench *b);

/*
 * Puts an instruction of 16 bytes at the begin of the threads' code, and decodes it. Returns
 * NULL when the instruction has no effect, because a run would skip it.
 */
struct eu_op *bench_decode(struct bench *b, const void *code);

/* Executes @op on thread a with the lanes @em. Returns false when @op stopped the thread. */
bool bench_execute(struct bench *b, struct eu_op *op, uint32_t em);

/* Returns the next number of a repeatable random sequence. */
uint64_t test_random(uint64_t *state);

#endif
