// SPDX-License-Identifier: MIT
/*
 * Whole kernels by each set of handlers: memory and all counters must be those of the general
 * path. Barriers, and instructions that one handler runs together, are tested best this way.
 */
#include <string.h>

#include "eu/fast/eu_fast.h"
#include "eu/tests/kernels.h"
#include "eu/tests/machine.h"
#include "tests/test.h"

#define GROUPS	6u
#define ITEMS	256u		/* of a group */
#define WORDS	(GROUPS * ITEMS * 4)

/* Each has an output and an input. */
static const struct kernel *const kernels[] = {
	&diverge_16, &diverge_32, &reduce_16, &reduce_32, &scan_16, &scan_32,
};

struct outcome {
	uint32_t words[WORDS];
	struct eu_counters counters;
};

/* Runs the kernel twice with one cache: the second run finds all instructions prepared. */
static void run(const struct kernel *kernel, struct outcome *o)
{
	static const unsigned int groups[3] = {GROUPS, 1, 1}, local[3] = {ITEMS, 1, 1};
	uint64_t args[2], seed = 3;
	struct machine m;

	machine_init(&m);
	m.cache = eu_cache_create();
	for (int i = 0; i < 2; i++)
		args[i] = machine_alloc(&m, WORDS * 4);
	for (unsigned int i = 0; i < WORDS; i++)
		((uint32_t *)machine_at(&m, args[1]))[i] = test_random(&seed) % 1000;
	for (int round = 0; round < 2; round++)
		if (machine_run(&m, kernel, groups, local, args))
			test_fail(__FILE__, __LINE__, "%s_%u: %s", kernel->name, kernel->simd,
				  m.stop.text);
	memcpy(o->words, machine_at(&m, args[0]), sizeof(o->words));
	o->counters = m.counters;
	eu_cache_free(m.cache);
	machine_fini(&m);
}

static void compare(const struct kernel *kernel)
{
	static struct outcome want, got;

	eu_use_handlers("general");
	run(kernel, &want);
	for (unsigned int i = 0; i < eu_fast_levels; i++) {
		if (eu_use_handlers(eu_fast_level[i].name))
			continue;
		run(kernel, &got);
		if (memcmp(got.words, want.words, sizeof(want.words)))
			test_fail(__FILE__, __LINE__, "%s_%u: other results with %s", kernel->name,
				  kernel->simd, eu_fast_level[i].name);
		if (memcmp(&got.counters, &want.counters, sizeof(want.counters)))
			test_fail(__FILE__, __LINE__, "%s_%u: other counters with %s",
				  kernel->name, kernel->simd, eu_fast_level[i].name);
	}
}

TEST(eu_kernels_run_alike_by_all_handlers)
{
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		compare(kernels[i]);
}
