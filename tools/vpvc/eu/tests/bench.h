/* SPDX-License-Identifier: MIT */
/* Single instructions on a thread whose registers the test can see. */
#ifndef EU_TEST_BENCH_H
#define EU_TEST_BENCH_H

#include "eu/eu_core.h"
#include "machine.h"

/* Everything eu_program.c needs to prepare an instruction outside of a run */
struct bench {
	struct machine m;
	struct eu_run_state run;
	struct eu_worker *w;
	struct eu_thread *a, *b;
};

bool bench_init(struct bench *b);
void bench_fini(struct bench *b);

/* Forget the code that was prepared, before other code takes its place. */
void bench_forget(struct bench *b);

#endif
