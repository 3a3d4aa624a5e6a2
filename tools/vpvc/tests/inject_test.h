/* SPDX-License-Identifier: MIT */
/* Helpers that the tests of injected faults share. */
#ifndef VPVC_INJECT_TEST_H
#define VPVC_INJECT_TEST_H

#include "card/inject_command.h"
#include "tests/cs_test.h"

#define inject(c, text)	CHECK_EQ(inject_command(c, text, why, sizeof(why)), 0)

static char why[512];

/* Store @val in data word @i of the context. */
static inline void store_dw(struct ctx *x, unsigned int i, uint32_t val)
{
	BATCH(x, PVC_MI_STORE_DATA_IMM, ADDR(VA(i)), val);
}

struct fixture {
	struct bench b;
	struct engine *e;
	struct ctx x;
};

static inline void start(struct fixture *f, unsigned int tiles)
{
	bench_init(&f->b, tiles);
	f->e = bench_engine(&f->b, 0, PVC_CLASS_BCS, 1);
	ctx_init(&f->b, &f->x, f->e, 7);
}

#endif
