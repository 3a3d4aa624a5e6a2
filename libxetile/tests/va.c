// SPDX-License-Identifier: MIT
/*
 * Compares the address space allocator with a map of the used pages.
 */
#include <errno.h>
#include <stdlib.h>

#include "test.h"
#include "va.h"
#include "xetile.h"

#define PAGE	XETILE_COLOR_PAGE
#define SPACE	256		/* pages */

static uint32_t random_state = 12345;

static uint32_t next_random(void)
{
	random_state = random_state * 1664525 + 1013904223;
	return random_state >> 8;
}

static bool check_random(void)
{
	struct { uint64_t addr, size; } live[SPACE];
	bool used[SPACE] = { false };
	unsigned int num = 0, step, i;
	struct xt_va va;
	uint64_t p;

	CHECK(!xt_va_init(&va, 16 * PAGE, (16 + SPACE) * PAGE));
	for (step = 0; step < 20000; step++) {
		if (num && (next_random() % 2 || num == SPACE)) {
			i = next_random() % num;
			CHECK(!xt_va_free(&va, live[i].addr, live[i].size));
			for (p = 0; p < live[i].size / PAGE; p++)
				used[live[i].addr / PAGE - 16 + p] = false;
			live[i] = live[--num];
			continue;
		}
		uint64_t size = (1 + next_random() % 12) * PAGE;
		uint64_t align = PAGE << next_random() % 4, addr, run = 0, at;
		int err = xt_va_alloc(&va, size, align, &addr);

		if (err) {
			CHECK(err == -ENOSPC);
			/* The allocation failed: there must be no aligned run of free pages. */
			for (at = 0; at < SPACE; at++) {
				if ((16 + at) * PAGE % align)
					continue;
				for (run = 0; at + run < SPACE && run < size / PAGE && !used[at + run];)
					run++;
				CHECK(run < size / PAGE, "room at %llu", (unsigned long long)at);
			}
			continue;
		}
		CHECK(addr % align == 0 && addr >= 16 * PAGE && addr + size <= (16 + SPACE) * PAGE);
		for (p = 0; p < size / PAGE; p++) {
			CHECK(!used[addr / PAGE - 16 + p]);
			used[addr / PAGE - 16 + p] = true;
		}
		live[num].addr = addr;
		live[num++].size = size;
	}
	while (num--)
		CHECK(!xt_va_free(&va, live[num].addr, live[num].size));
	/* All pages are free: there is one hole again. */
	CHECK(!xt_va_alloc(&va, (uint64_t)SPACE * PAGE, PAGE, &p) && p == 16 * PAGE);
	xt_va_fini(&va);
	return true;
}

/* Given ranges are taken where all of them is free, and others are found above the lowest. */
static bool check_take(void)
{
	bool used[SPACE] = { false };
	uint64_t addr, size, p;
	unsigned int step;
	struct xt_va va;
	bool free;
	int err;

	CHECK(!xt_va_init(&va, 16 * PAGE, (16 + SPACE) * PAGE));
	va.low = (16 + SPACE / 2) * PAGE;
	for (step = 0; step < 20000; step++) {
		addr = next_random() % (SPACE + 32);
		size = 1 + next_random() % 12;
		for (p = addr, free = true; p < addr + size; p++)
			free &= p >= 16 && p < 16 + SPACE && !used[p - 16];
		err = xt_va_take(&va, addr * PAGE, size * PAGE);
		CHECK(err == (free ? 0 : -EEXIST), "step %u: %d", step, err);
		for (p = addr; p < addr + size && free; p++)
			used[p - 16] = true;
		if (step % 4 == 3 && !xt_va_alloc(&va, PAGE, PAGE, &addr)) {
			CHECK(addr >= va.low && !used[addr / PAGE - 16]);
			used[addr / PAGE - 16] = true;
		}
		p = next_random() % SPACE;
		if (used[p]) {
			CHECK(!xt_va_free(&va, (16 + p) * PAGE, PAGE));
			used[p] = false;
		}
	}
	CHECK(xt_va_take(&va, 16 * PAGE, UINT64_MAX) == -EEXIST);
	CHECK_TEXT("beyond the last");
	xt_va_fini(&va);
	return true;
}

static bool check_edges(void)
{
	struct xt_va va;
	uint64_t addr;

	CHECK(xt_va_init(&va, 5, 5) == -EINVAL);
	CHECK(!xt_va_init(&va, UINT64_MAX - 10 * PAGE, UINT64_MAX));
	CHECK(xt_va_alloc(&va, UINT64_MAX, PAGE, &addr) == -ENOSPC);
	CHECK(xt_va_alloc(&va, PAGE, 1ull << 63, &addr) == -ENOSPC);
	CHECK(!xt_va_alloc(&va, PAGE, PAGE, &addr));
	xt_va_fini(&va);
	return true;
}

int main(void)
{
	test_run("addresses never overlap, are aligned and come back", check_random());
	test_run("given addresses are taken once", check_take());
	test_run("addresses at the edges", check_edges());
	return test_end();
}
