/* SPDX-License-Identifier: MIT */
/* Single instructions on a thread whose registers the test can see. */
#ifndef EU_TEST_BENCH_H
#define EU_TEST_BENCH_H

#include "eu/state/eu_state.h"
#include "eu/tests/machine.h"

/* Everything eu_program.c needs to prepare an instruction outside of a run */
struct bench {
	struct machine m;
	struct eu_run_state run;
	struct eu_worker *w;
	struct eu_thread *a, *b;
};

bool bench_init(struct bench *b);
void bench_fini(struct bench *b);

/*
 * Put an instruction of 16 bytes where the threads' code begins, and decode it.
 * NULL: it has no effect and would be passed over.
 */
struct eu_op *bench_decode(struct bench *b, const void *code);

/* Execute it on thread a, with lanes @em on; false when that stopped the thread. */
bool bench_execute(struct bench *b, struct eu_op *op, uint32_t em);

#endif
