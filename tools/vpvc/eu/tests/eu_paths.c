// SPDX-License-Identifier: MIT
/*
 * Whole kernels by each set of handlers, with and without those for two instructions: memory,
 * the registers of all threads and all counters must be those of the general path. Barriers,
 * and instructions that one handler runs together, are tested best this way.
 */
#include <string.h>

#include "eu/fast/eu_fast.h"
#include "eu/fast/eu_fast_flow.h"
#include "eu/state/eu_worker.h"
#include "eu/tests/kernels.h"
#include "eu/tests/machine.h"
#include "tests/test.h"

#define BUFFER	(192u << 10)	/* bytes of each of the three buffers */

enum fill { ZEROS, BELOW_1000, CORNERS, FLOATS };

/* A kernel for 16 and 32 lanes; its arguments are buffers, and @scalar behind the last one. */
static const struct job {
	const struct kernel *kernel[2];
	unsigned int groups[3], local[3];
	unsigned int buffers;
	enum fill fill;
	uint32_t scalar;
} jobs[] = {
	{ { &atoms_16, &atoms_32 }, {6, 1, 1}, {200, 1, 1}, 2, CORNERS, 0 },
	{ { &diverge_16, &diverge_32 }, {6, 1, 1}, {200, 1, 1}, 2, BELOW_1000, 0 },
	{ { &doubles_16, &doubles_32 }, {6, 1, 1}, {200, 1, 1}, 3, FLOATS, 0 },
	{ { &floats_16, &floats_32 }, {6, 1, 1}, {200, 1, 1}, 3, FLOATS, 0 },
	{ { &ids_16, &ids_32 }, {3, 2, 4}, {5, 4, 3}, 1, ZEROS, 0 },
	{ { &ints_16, &ints_32 }, {6, 1, 1}, {200, 1, 1}, 3, CORNERS, 0 },
	{ { &longs_16, &longs_32 }, {6, 1, 1}, {200, 1, 1}, 3, CORNERS, 0 },
	{ { &matmul_16, &matmul_32 }, {2, 2, 1}, {16, 16, 1}, 3, FLOATS, 32 },
	{ { &nbody_16, &nbody_32 }, {2, 1, 1}, {40, 1, 1}, 2, FLOATS, 80 },
	/* The threads of the next two lose their turn: groups of relay wait for each other. */
	{ { &private_array_16, &private_array_32 }, {2, 1, 1}, {40, 1, 1}, 2, CORNERS, 1500 },
	{ { &relay_16, &relay_32 }, {4, 1, 1}, {64, 1, 1}, 1, ZEROS, 0 },
	{ { &reduce_16, &reduce_32 }, {6, 1, 1}, {256, 1, 1}, 2, CORNERS, 0 },
	{ { &scan_16, &scan_32 }, {6, 1, 1}, {256, 1, 1}, 2, CORNERS, 0 },
	{ { &triad_16, &triad_32 }, {6, 1, 1}, {200, 1, 1}, 3, FLOATS, 0x3fd9999a },
};

/* One run, and what it leaves: the machine's memory and the threads of its only worker */
struct outcome {
	struct machine m;
	int ret;
};

static uint32_t word(enum fill fill, uint64_t *seed)
{
	static const uint32_t corners[] = {
		0, 1, 0xffffffff, 2, 7, 31, 33, 255, 0xffff8000, 0xffff, 0x10000, 0x7fffffff,
		0x80000000, 0x80000001, 0x12345678,
	};
	uint64_t r = test_random(seed);
	float f = (float)(int32_t)r / 65536;
	uint32_t bits;

	switch (fill) {
	case ZEROS:
		return 0;
	case BELOW_1000:
		return (uint32_t)r % 1000;
	case CORNERS:
		return r >> 63 ? corners[(r >> 32) % (sizeof(corners) / 4)] : (uint32_t)r;
	case FLOATS:
		break;
	}
	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

/* Runs the kernel twice with one cache: the second run finds all instructions prepared. */
static void run(const struct job *job, int wide, struct outcome *o)
{
	uint64_t args[4] = { 0 }, seed = 3;

	machine_init(&o->m);
	o->m.cache = eu_cache_create();
	for (unsigned int i = 0; i < job->buffers; i++) {
		uint32_t *p;

		args[i] = machine_alloc(&o->m, BUFFER);
		p = machine_at(&o->m, args[i]);
		for (unsigned int k = 0; i && k < BUFFER / 4; k++)
			p[k] = word(job->fill, &seed);
	}
	args[job->buffers] = job->scalar;
	o->ret = 0;
	for (int round = 0; round < 2 && !o->ret; round++)
		o->ret = machine_run(&o->m, job->kernel[wide], job->groups, job->local, args);
}

static void end(struct outcome *o)
{
	eu_cache_free(o->m.cache);
	machine_fini(&o->m);
}

static bool same_thread(const struct eu_thread *a, const struct eu_thread *b)
{
	return !memcmp(a->regs, b->regs, sizeof(a->regs)) && a->wide_valid == b->wide_valid &&
	       (!a->wide_valid || !memcmp(a->wide, b->wide, sizeof(a->wide))) &&
	       a->em == b->em && a->num_waits == b->num_waits && a->broken == b->broken &&
	       a->notified == b->notified && a->instructions == b->instructions;
}

static bool same_threads(const struct machine *a, const struct machine *b)
{
	const struct eu_worker *v = a->cache->workers[0], *w = b->cache->workers[0];

	if (v->allocated != w->allocated)
		return false;
	for (unsigned int i = 0; i < v->allocated; i++)
		if (!same_thread(v->all_threads[i], w->all_threads[i]))
			return false;
	return true;
}

/* Notes the pairs of @table that were executed, one bit for each. */
static uint64_t pairs_used(const struct machine *m, const struct eu_fast_table *table)
{
	uint64_t used = 0;

	for (unsigned int b = 0; b < EU_CODE_BUCKETS; b++)
		for (struct eu_code_page *p = m->cache->workers[0]->code[b]; p; p = p->next)
			for (unsigned int i = 0; i < EU_CODE_PAGE / 8; i++)
				for (unsigned int k = 0; p->ops[i] && k < table->num_pairs; k++)
					if (p->ops[i]->exec[0] == table->pairs[k].both)
						used |= 1ull << k;
	return used;
}

static uint64_t compare(const struct job *job, int wide, const struct outcome *want,
			const struct eu_fast_level *level, bool pairs)
{
	const struct kernel *kernel = job->kernel[wide];
	const char *what = NULL;
	struct outcome got;
	uint64_t used;

	eu_use_handlers(level->name);
	eu_fast_use_pairs(pairs);
	run(job, wide, &got);
	eu_fast_use_pairs(true);
	used = pairs_used(&got.m, level->table);
	if (got.ret != want->ret)
		what = "end";
	else if (memcmp(got.m.memory, want->m.memory, MACHINE_SIZE))
		what = "memory";
	else if (!same_threads(&got.m, &want->m))
		what = "registers";
	else if (memcmp(&got.m.counters, &want->m.counters, sizeof(got.m.counters)))
		what = "counters";
	if (what)
		test_fail(__FILE__, __LINE__, "%s_%u: other %s with %s%s", kernel->name,
			  kernel->simd, what, level->name, pairs ? "" : ", no pairs");
	end(&got);
	return used;
}

/* Returns the pairs that the kernels use. */
static uint64_t compare_all(const struct eu_fast_level *level)
{
	struct outcome want;
	uint64_t used = 0;

	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++)
		for (int wide = 0; wide < 2; wide++) {
			const struct kernel *kernel = jobs[i].kernel[wide];

			eu_use_handlers("general");
			run(&jobs[i], wide, &want);
			if (want.ret)
				test_fail(__FILE__, __LINE__, "%s_%u: %s", kernel->name,
					  kernel->simd, want.m.stop.text);
			used |= compare(&jobs[i], wide, &want, level, true);
			CHECK(!compare(&jobs[i], wide, &want, level, false));
			end(&want);
		}
	return used;
}

/* The kernels have all pairs but for some comparisons with a goto. */
static void check_used(const struct eu_fast_level *level, uint64_t used)
{
	unsigned int gotos = 0;

	for (unsigned int k = 0; k < level->table->num_pairs; k++)
		if (level->table->pairs[k].second == eu_fast_goto)
			gotos += used >> k & 1;
		else if (!(used >> k & 1))
			test_fail(__FILE__, __LINE__, "no kernel uses pair %u of %s", k,
				  level->name);
	CHECK(gotos > 4);
}

TEST(eu_kernels_run_alike_by_all_handlers)
{
	for (unsigned int i = 0; i < eu_fast_levels; i++)
		if (eu_fast_level[i].supported())
			check_used(&eu_fast_level[i], compare_all(&eu_fast_level[i]));
}
