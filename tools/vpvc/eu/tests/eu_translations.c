// SPDX-License-Identifier: MIT
/*
 * Tests the end of the address space, that a worker uses no invalidated translation, and that
 * a fault is the one that the access met.
 */
#include <errno.h>
#include <string.h>

#include "eu/tests/machine.h"
#include "tests/test.h"

#define R(n)	((n) * EU_REG_BYTES)
#define ADDRESS	8u	/* registers of a message */
#define DATA	40u
#define RESULT	60u
#define TOP	(UINT64_MAX - 4095)	/* the last page */

/* Operations, and sizes of data */
#define LOAD	0u
#define STORE	4u
#define ADD	12u
#define STATUS	27u
#define D32	2u
#define D64	3u

struct shot {
	const char *name;
	unsigned int op, size, lanes;
	bool block;		/* eight elements of one address */
};

struct memory {
	uint8_t *machine;	/* the machine's memory, with the code */
	uint8_t page[3][4096];
	unsigned int shown;	/* the page that is mapped at @va */
	uint64_t va;
};

static const char * const handlers[] = { "general", "any" };

static int translate(void *ctx, uint64_t va, bool write, struct eu_span *span)
{
	struct memory *m = ctx;

	if (va - m->va >= 4096 && va - MACHINE_BASE >= MACHINE_SIZE)
		return -EFAULT;
	span->va = va & ~4095ull;
	span->host = span->va == m->va ? m->page[m->shown] :
		     m->machine + (span->va - MACHINE_BASE);
	span->size = 4096;
	span->writable = write;
	return 0;
}

static void put(uint64_t w[2], unsigned int hi, unsigned int lo, uint64_t v)
{
	w[lo / 64] |= (v & ((1ull << (hi - lo + 1)) - 1)) << lo % 64;
}

/* Decodes a message to the flat address space with addresses of 64 bits. */
static struct eu_op *decode(struct bench *b, const struct shot *s)
{
	uint32_t desc = s->op | 3u << 7 | s->size << 9 | (s->block ? 4u << 12 | 1u << 15 : 0);
	uint64_t w[2] = { 0 };

	put(w, 6, 0, 0x31);
	put(w, 20, 18, (unsigned int)__builtin_ctz(s->lanes));
	put(w, 95, 92, 15);
	put(w, 66, 66, 1);
	put(w, 79, 72, ADDRESS);
	if (s->op == STORE || s->op == ADD) {
		put(w, 98, 98, 1);
		put(w, 111, 104, DATA);
		put(w, 103, 99, 4);
	}
	if (s->op != STORE) {
		put(w, 50, 50, 1);
		put(w, 63, 56, RESULT);
	}
	put(w, 123, 122, desc >> 30);
	put(w, 71, 67, desc >> 25);
	put(w, 55, 51, desc >> 20);
	put(w, 121, 113, desc >> 11);
	put(w, 91, 81, desc);
	return bench_decode(b, w);
}

/* Executes the message; the elements of the lanes lie side by side from @va on. */
static bool shoot(struct bench *b, struct eu_op *op, const struct shot *s, uint64_t va)
{
	for (unsigned int l = 0; l < s->lanes; l++) {
		uint64_t at = va + l * (s->size == D64 ? 8 : 4);

		memcpy(b->a->regs + R(ADDRESS) + 8 * l, &at, sizeof(at));
	}
	return bench_execute(b, op, UINT32_MAX);
}

static void start(struct bench *b, struct memory *m, uint64_t va)
{
	memset(m, 0, sizeof(*m));
	m->machine = b->m.memory;
	m->va = va;
	b->m.view.ctx = m;
	b->m.view.translate = translate;
}

/* An access that begins in the last page and ends behind the address space faults at 0. */
static void beyond_the_top(struct bench *b)
{
	static const struct shot beyond[] = {
		{ "load", LOAD, D64, 1, false }, { "load", LOAD, D32, 16, false },
		{ "load block", LOAD, D32, 1, true }, { "load status", STATUS, D64, 1, false },
		{ "store", STORE, D64, 1, false }, { "store", STORE, D32, 16, false },
		{ "store block", STORE, D32, 1, true },
	}, inside[] = {
		{ "load", LOAD, D32, 1, false }, { "add", ADD, D32, 1, false },
	};
	static struct memory m;
	static const uint8_t none[4096];
	uint32_t last = 77;

	start(b, &m, TOP);
	for (unsigned int i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++) {
		const struct shot *s = &beyond[i];
		struct eu_op *op = decode(b, s);

		/* A first access puts the page into the worker's table. */
		if (!s->block && s->lanes == 1)
			CHECK(shoot(b, op, s, TOP));
		memset(b->a->regs + R(DATA), 0xff, 4 * EU_REG_BYTES);
		if (shoot(b, op, s, UINT64_MAX - 3) || b->run.stop.reason != EU_FAULT ||
		    b->run.stop.va)
			test_fail(__FILE__, __LINE__, "%s: no fault at 0", s->name);
		CHECK(!memcmp(m.page[1], none, sizeof(none)));
	}
	memcpy(m.page[0] + 4092, &last, sizeof(last));
	for (unsigned int i = 0; i < 2; i++) {
		eu_put32(b->a, R(DATA), 1);
		CHECK(shoot(b, decode(b, &inside[i]), &inside[i], UINT64_MAX - 3));
		CHECK_EQ(eu_get32(b->a, R(RESULT)), 77);
	}
	memcpy(&last, m.page[0] + 4092, sizeof(last));
	CHECK_EQ(last, 78);
}

TEST(eu_no_access_beyond_the_address_space)
{
	struct bench b;

	REQUIRE(bench_init(&b));
	b.a->worker = b.w;
	b.a->limit = UINT64_MAX;
	for (unsigned int i = 0; i < 2; i++) {
		CHECK(!eu_use_handlers(handlers[i]));
		beyond_the_top(&b);
	}
	eu_use_handlers("avx2");
	eu_use_handlers("avx512");
	bench_fini(&b);
}

/* After an invalidation each access of a running thread uses the page that is mapped now. */
static void after_invalidation(struct bench *b, const struct shot *s)
{
	static struct memory m;
	atomic_uint generation = 5;
	struct eu_op *op;

	start(b, &m, MACHINE_BASE + MACHINE_SIZE);
	b->m.view.generation = &generation;
	op = decode(b, s);
	for (uint32_t round = 0; round < 3; round++) {
		uint32_t sum;

		memset(m.page, 0, sizeof(m.page));
		eu_put32(b->a, R(DATA), 7);
		for (uint32_t i = 0; i < 3; i++)
			memcpy(m.page[i], &(uint32_t){ 100 + i }, 4);
		m.shown = round;
		atomic_fetch_add(&generation, 1);
		if (!shoot(b, op, s, m.va)) {
			test_fail(__FILE__, __LINE__, "%s stops: %s", s->name,
				  b->run.stop.text);
			break;
		}
		memcpy(&sum, m.page[round], sizeof(sum));
		if (s->op == LOAD ? eu_get32(b->a, R(RESULT)) != 100 + round :
		    sum != (s->op == ADD ? 107 + round : 7))
			test_fail(__FILE__, __LINE__, "%s uses a former page", s->name);
	}
	b->m.view.generation = NULL;
}

TEST(eu_invalidation_reaches_running_threads)
{
	static const struct shot shots[] = {
		{ "load", LOAD, D32, 1, false }, { "load", LOAD, D32, 16, false },
		{ "load block", LOAD, D32, 1, true }, { "store", STORE, D32, 1, false },
		{ "store", STORE, D32, 16, false }, { "store block", STORE, D32, 1, true },
		{ "add", ADD, D32, 1, false },
	};
	struct bench b;

	REQUIRE(bench_init(&b));
	b.a->worker = b.w;
	b.a->limit = UINT64_MAX;
	for (unsigned int i = 0; i < 2; i++) {
		CHECK(!eu_use_handlers(handlers[i]));
		for (unsigned int n = 0; n < sizeof(shots) / sizeof(shots[0]); n++)
			after_invalidation(&b, &shots[n]);
	}
	eu_use_handlers("avx2");
	eu_use_handlers("avx512");
	bench_fini(&b);
}

/* ---- a page that is missing for one translation only ---- */

#define CAUSE	0x304u

struct late {
	struct memory m;
	unsigned int asked;	/* translations of the page */
};

static int translate_late(void *ctx, uint64_t va, bool write, struct eu_span *span)
{
	struct late *l = ctx;

	if (va - l->m.va < 4096 && !l->asked++) {
		span->cause = CAUSE;
		return -EFAULT;
	}
	return translate(&l->m, va, write, span);
}

/* The thread stops, although the page is there when it is looked at again. */
static void meets_fault(struct bench *b, const struct shot *s)
{
	static struct late l;
	struct eu_op *op;

	l.asked = 0;
	start(b, &l.m, MACHINE_BASE + MACHINE_SIZE);
	b->m.view.ctx = &l;
	b->m.view.translate = translate_late;
	op = decode(b, s);
	memset(&b->run.stop, 0, sizeof(b->run.stop));
	if (shoot(b, op, s, l.m.va) || b->run.stop.reason != EU_FAULT)
		test_fail(__FILE__, __LINE__, "%s misses the fault", s->name);
	CHECK_EQ(l.asked, 1);
	CHECK_EQ(b->run.stop.va, l.m.va);
	CHECK_EQ(b->run.stop.cause, CAUSE);
	CHECK_EQ(b->run.stop.write, s->op != LOAD);
	/* Another thread finds the page. */
	CHECK(shoot(b, op, s, l.m.va));
	CHECK_EQ(l.asked, 2);
}

TEST(eu_fault_is_that_of_the_access)
{
	static const struct shot shots[] = {
		{ "load", LOAD, D32, 1, false }, { "load", LOAD, D32, 16, false },
		{ "load block", LOAD, D32, 1, true }, { "store", STORE, D32, 1, false },
		{ "store", STORE, D64, 16, false }, { "store block", STORE, D32, 1, true },
		{ "add", ADD, D32, 1, false },
	};
	struct bench b;

	REQUIRE(bench_init(&b));
	b.a->worker = b.w;
	b.a->limit = UINT64_MAX;
	for (unsigned int i = 0; i < 2; i++) {
		CHECK(!eu_use_handlers(handlers[i]));
		for (unsigned int n = 0; n < sizeof(shots) / sizeof(shots[0]); n++)
			meets_fault(&b, &shots[n]);
	}
	eu_use_handlers("avx2");
	eu_use_handlers("avx512");
	bench_fini(&b);
}
