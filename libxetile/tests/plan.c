// SPDX-License-Identifier: MIT
/*
 * The planner against references. The references are written from the rules' statements, not
 * from plan.c: they count in whole numbers where plan.c divides floats.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "test.h"
#include "util.h"
#include "xetile.h"

/* --- references ---------------------------------------------------------------- */

/* More than 5 % of the groups are left over: 20 * rest > groups. */
static bool uneven(uint32_t groups, unsigned int tiles)
{
	uint32_t rest = groups;

	while (rest >= tiles)
		rest -= tiles;
	return 20 * rest > groups;
}

/* The largest dimension; of equal ones the first */
static unsigned int ref_largest(const uint32_t g[3])
{
	if (g[0] >= g[1] && g[0] >= g[2])
		return 0;
	return g[1] >= g[2] ? 1 : 2;
}

static unsigned int ref_default(const uint32_t g[3], unsigned int tiles)
{
	if (g[2] != 1 && !uneven(g[2], tiles))
		return 2;
	/* With up to four tiles the part is never exactly 5 % (C3), so < and <= agree. */
	if (g[1] != 1 && !uneven(g[1], tiles))
		return 1;
	if (g[0] / tiles * tiles == g[0])
		return 0;
	return ref_largest(g);
}

/* Dimension a has a smaller part left over than b, compared as fractions of whole numbers. */
static bool better(uint32_t a, uint32_t b, unsigned int tiles)
{
	return (uint64_t)(a % tiles) * b < (uint64_t)(b % tiles) * a;
}

static unsigned int ref_published(const uint32_t g[3], unsigned int tiles)
{
	unsigned int dims[3], n = 0, i, best;

	for (i = 3; i-- > 0;) {
		if (n || g[i] > 1 || !i)
			dims[n++] = i;
	}
	best = dims[0];
	for (i = 1; i < n; i++) {
		if (!uneven(g[best], tiles))
			return best;
		if (better(g[dims[i]], g[best], tiles))
			best = dims[i];
	}
	return best;
}

/* --- the partition ---------------------------------------------------------------- */

static bool check_shapes(unsigned int tiles, enum xetile_plan_rule rule)
{
	struct xetile_plan plan;
	uint32_t g[3];

	for (g[2] = 1; g[2] <= 64; g[2]++) {
		for (g[1] = 1; g[1] <= 64; g[1]++) {
			for (g[0] = 1; g[0] <= 64; g[0]++) {
				unsigned int dim = rule == XETILE_PLAN_DEFAULT ?
					ref_default(g, tiles) : ref_published(g, tiles);

				CHECK(!xetile_plan_partition(g, tiles, rule, &plan));
				CHECK(plan.dim == dim, "%u,%u,%u on %u: %u, not %u", g[0], g[1],
				      g[2], tiles, plan.dim, dim);
				CHECK(plan.groups == g[dim] && plan.parts == tiles);
			}
		}
	}
	return true;
}

/* Counts groups: each group runs once, in order, and the last tiles have the rest. */
static bool check_parts(void)
{
	struct xetile_plan plan;
	uint32_t n, first, count, next, group, owner;
	unsigned int tiles, t;

	for (tiles = 1; tiles <= 4; tiles++) {
		for (n = 1; n <= 300; n++) {
			uint32_t g[3] = { n, 1, 1 };

			CHECK(!xetile_plan_partition(g, tiles, XETILE_PLAN_DEFAULT, &plan));
			CHECK(plan.dim == 0);
			for (t = 0, next = 0; t < tiles; t++) {
				xetile_plan_part(&plan, t, &first, &count);
				CHECK(!count || first == next);
				next += count;
				/* The hardware computes the same part from the walker's fields. */
				for (group = 0, owner = 0; group < n; group++)
					owner += group / plan.share == t;
				CHECK(owner == count, "%u groups, tile %u", n, t);
			}
			CHECK(next == n);
		}
	}
	xetile_plan_part(&plan, 17, &first, &count);
	CHECK(!count);
	return true;
}

static bool dim_is(uint32_t z, uint32_t y, uint32_t x, char dim)
{
	const uint32_t g[3] = { x, y, z };
	enum xetile_plan_rule rule;
	struct xetile_plan plan;

	for (rule = XETILE_PLAN_DEFAULT; rule <= XETILE_PLAN_PUBLISHED; rule++) {
		CHECK(!xetile_plan_partition(g, 2, rule, &plan));
		CHECK("xyz"[plan.dim] == dim, "%u,%u,%u: %c, not %c", z, y, x,
		      "xyz"[plan.dim], dim);
	}
	return true;
}

/* A row of the published table: a SYCL range with the slowest element first */
static bool row_is(uint64_t z, uint64_t y, uint64_t x, uint64_t lz, uint64_t ly, uint64_t lx,
		   char dim)
{
	uint64_t global[3] = { z, y, x }, local[3] = { lz, ly, lx };
	uint32_t g[3], l[3];

	CHECK(!xetile_plan_sycl(3, global, local, g, l));
	CHECK(l[0] == lx && l[1] == ly && l[2] == lz);
	return dim_is(g[2], g[1], g[0], dim);
}

/* Read the golden file into @differ: the choices of both rules, 0 where they agree. */
static unsigned int read_golden(unsigned int tiles, uint8_t differ[41][41][41])
{
	char path[512], line[256], *p, *end;
	unsigned int t, z, y, x, shapes = 0;
	char a, b;
	FILE *file;
	int used;

	snprintf(path, sizeof(path), "%s/tests/plan-differences.golden", test_top());
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		if (*line == '#' ||
		    sscanf(line, "%u %u %u %c %c%n", &t, &z, &y, &a, &b, &used) != 5 ||
		    t != tiles || z > 40 || y > 40)
			continue;
		for (p = line + used; (x = strtoul(p, &end, 10)) && x <= 40; p = end) {
			differ[z][y][x] = (a - 'x') << 4 | (b - 'x') | 0x80;
			shapes++;
		}
	}
	if (file)
		fclose(file);
	return shapes;
}

static bool check_golden(unsigned int tiles, unsigned int shapes)
{
	static uint8_t differ[41][41][41];
	struct xetile_plan a, b;
	uint32_t g[3];

	memset(differ, 0, sizeof(differ));
	CHECK(read_golden(tiles, differ) == shapes);
	for (g[2] = 1; g[2] <= 40; g[2]++)
		for (g[1] = 1; g[1] <= 40; g[1]++)
			for (g[0] = 1; g[0] <= 40; g[0]++) {
				uint8_t row = differ[g[2]][g[1]][g[0]], now;

				CHECK(!xetile_plan_partition(g, tiles, XETILE_PLAN_DEFAULT, &a));
				CHECK(!xetile_plan_partition(g, tiles, XETILE_PLAN_PUBLISHED, &b));
				now = a.dim == b.dim ? 0 : a.dim << 4 | b.dim | 0x80;
				CHECK(now == row, "%u,%u,%u", g[2], g[1], g[0]);
			}
	return true;
}

static bool check_openmp(void)
{
	const uint64_t loops[] = { 21, 30, 512, 7, 3 };
	struct xetile_plan plan;
	uint32_t g[3];

	/* One loop becomes x. */
	CHECK(!xetile_plan_openmp(1, loops + 2, 16, g));
	CHECK(g[0] == 32 && g[1] == 1 && g[2] == 1);
	/* S14: the outermost of three is z, the innermost is cut by the group. */
	CHECK(!xetile_plan_openmp(3, loops, 16, g));
	CHECK(g[0] == 32 && g[1] == 30 && g[2] == 21);
	CHECK(!xetile_plan_partition(g, 2, XETILE_PLAN_DEFAULT, &plan) && plan.dim == 2);
	/* S26: the group size has no effect on z and y. */
	CHECK(!xetile_plan_openmp(3, loops, 512, g));
	CHECK(g[0] == 1 && g[1] == 30 && g[2] == 21);
	CHECK(!xetile_plan_partition(g, 2, XETILE_PLAN_DEFAULT, &plan) && plan.dim == 2);
	/* S27: four loops and more become one. */
	CHECK(!xetile_plan_openmp(4, loops, 16, g));
	CHECK(g[0] == 21 * 30 * 512 * 7 / 16 && g[1] == 1 && g[2] == 1);
	CHECK(!xetile_plan_openmp(5, loops, 16, g));
	CHECK(g[0] == 21 * 30 * 512 * 7 * 3 / 16 && g[1] == 1 && g[2] == 1);
	CHECK(!xetile_plan_partition(g, 2, XETILE_PLAN_DEFAULT, &plan) && plan.dim == 0);
	return true;
}

static bool check_bad_input(void)
{
	const uint64_t huge[] = { UINT64_MAX, 2 }, zero[] = { 0 };
	const uint64_t global[] = { 10 }, local[] = { 3 };
	const uint32_t none[3] = { 4, 0, 1 }, some[3] = { 4, 4, 4 };
	struct xetile_plan plan;
	uint32_t g[3], l[3];

	CHECK(xetile_plan_partition(none, 2, XETILE_PLAN_DEFAULT, &plan) == -EINVAL);
	CHECK(xetile_plan_partition(some, 0, XETILE_PLAN_DEFAULT, &plan) == -EINVAL);
	CHECK(xetile_plan_partition(some, 5, XETILE_PLAN_DEFAULT, &plan) == -EINVAL);
	CHECK(xetile_plan_partition(some, 2, 2, &plan) == -EINVAL);
	CHECK_TEXT("rule");
	CHECK(xetile_plan_openmp(0, zero, 1, g) == -EINVAL);
	CHECK(xetile_plan_openmp(1, zero, 1, g) == -EINVAL);
	CHECK(xetile_plan_openmp(1, huge, 0, g) == -EINVAL);
	CHECK(xetile_plan_openmp(1, huge, 1, g) == -ERANGE);
	CHECK(xetile_plan_openmp(2, huge, 1, g) == -ERANGE);
	CHECK(xetile_plan_sycl(0, global, local, g, l) == -EINVAL);
	CHECK(xetile_plan_sycl(4, global, local, g, l) == -EINVAL);
	CHECK(xetile_plan_sycl(1, global, local, g, l) == -EINVAL);
	return true;
}

/* --- color ---------------------------------------------------------------------------- */

static bool pages_are(enum xetile_color color, uint64_t size, uint32_t mask, uint64_t granule,
		      const char *expected)
{
	char got[256] = "";
	struct xetile_run runs[32];
	int i, num = xetile_plan_color(color, size, mask, granule, runs, 32);

	CHECK(num >= 0, "%s", xetile_last_error());
	for (i = 0; i < num && i < 32; i++)
		sprintf(got + strlen(got), "%s%u:%u", i ? " " : "", runs[i].tile, runs[i].pages);
	CHECK(!strcmp(got, expected), "'%s', not '%s'", got, expected);
	return true;
}

#define PAGES(n)	((uint64_t)(n) * XETILE_COLOR_PAGE)

static bool check_even(void)
{
	return pages_are(XETILE_COLOR_EVEN, PAGES(3), 3, 0, "0:2 1:1") &&
	       pages_are(XETILE_COLOR_EVEN, PAGES(18), 0xf, 0, "0:5 1:5 2:4 3:4") &&
	       pages_are(XETILE_COLOR_EVEN, PAGES(3), 0xf, 0, "0:1 1:1 2:1") &&
	       pages_are(XETILE_COLOR_EVEN, PAGES(1), 3, 0, "0:1") &&
	       pages_are(XETILE_COLOR_EVEN, 1, 3, 0, "0:1") &&
	       pages_are(XETILE_COLOR_EVEN, PAGES(2) + 1, 3, 0, "0:2 1:1") &&
	       pages_are(XETILE_COLOR_EVEN, PAGES(4), 0xa, 0, "1:2 3:2");
}

static bool check_others(void)
{
	return pages_are(XETILE_COLOR_FOLLOW, PAGES(18), 0xf, 0, "0:5 1:5 2:5 3:3") &&
	       pages_are(XETILE_COLOR_FOLLOW, PAGES(5), 0xf, 0, "0:2 1:2 2:1") &&
	       pages_are(XETILE_COLOR_TILE, PAGES(7), 2, 0, "1:7") &&
	       pages_are(XETILE_COLOR_REPLICATE, PAGES(3), 3, 0, "0:3 1:3") &&
	       pages_are(XETILE_COLOR_REPLICATE, 1, 0xa, 0, "1:1 3:1") &&
	       pages_are(XETILE_COLOR_CHUNK, PAGES(5), 3, 0, "0:1 1:1 0:1 1:1 0:1") &&
	       pages_are(XETILE_COLOR_CHUNK, PAGES(5), 3, PAGES(2), "0:2 1:2 0:1") &&
	       pages_are(XETILE_COLOR_CHUNK, PAGES(5), 4, PAGES(2), "2:5") &&
	       pages_are(XETILE_COLOR_CHUNK, PAGES(5), 3, PAGES(1ull << 32), "0:5");
}

/* FOLLOW puts page i of n on the tile that runs group i of n. */
static bool check_follow(void)
{
	struct xetile_run runs[4];
	struct xetile_plan plan;
	uint32_t n, first, count;
	unsigned int tiles, t;
	int num;

	for (tiles = 1; tiles <= 4; tiles++) {
		for (n = 1; n <= 200; n++) {
			uint32_t g[3] = { n, 1, 1 };

			CHECK(!xetile_plan_partition(g, tiles, XETILE_PLAN_DEFAULT, &plan));
			num = xetile_plan_color(XETILE_COLOR_FOLLOW, PAGES(n),
						(1u << tiles) - 1, 0, runs, 4);
			for (t = 0; t < tiles; t++) {
				xetile_plan_part(&plan, t, &first, &count);
				if (!count)
					continue;
				CHECK((int)t < num && runs[t].tile == t && runs[t].pages == count);
			}
		}
	}
	return true;
}

static bool check_bad_color(void)
{
	struct xetile_run runs[2];

	CHECK(xetile_plan_color(XETILE_COLOR_EVEN, 0, 3, 0, runs, 2) == -EINVAL);
	CHECK(xetile_plan_color(XETILE_COLOR_EVEN, 1, 0, 0, runs, 2) == -EINVAL);
	CHECK(xetile_plan_color(XETILE_COLOR_EVEN, 1, 0x10, 0, runs, 2) == -EINVAL);
	CHECK(xetile_plan_color(XETILE_COLOR_EVEN, 1, 3, PAGES(1), runs, 2) == -EINVAL);
	CHECK(xetile_plan_color(XETILE_COLOR_TILE, 1, 3, 0, runs, 2) == -EINVAL);
	CHECK(xetile_plan_color(XETILE_COLOR_CHUNK, 1, 3, 4096, runs, 2) == -EINVAL);
	CHECK(xetile_plan_color(XETILE_COLOR_MAP, 1, 3, 0, runs, 2) == -EINVAL);
	CHECK(xetile_plan_color((enum xetile_color)99, 1, 3, 0, runs, 2) == -EINVAL);
	CHECK(xetile_plan_color(XETILE_COLOR_EVEN, UINT64_MAX, 3, 0, runs, 2) == -EINVAL);
	/* Runs for which there is no room are counted and not written. */
	CHECK(xetile_plan_color(XETILE_COLOR_CHUNK, PAGES(100), 3, 0, runs, 2) == 100);
	CHECK(xetile_plan_color(XETILE_COLOR_CHUNK, PAGES(100), 3, 0, NULL, 0) == 100);
	return true;
}

/* --- colors as text ----------------------------------------------------------------- */

static bool check_color_text(void)
{
	static const char * const bad[] = {
		"", "odd", "even:1", "tile", "tile:", "tile:4", "tile:-1", "tile:x", "chunk:",
		"chunk:0", "chunk:65537", "chunk:1", "chunk:64q", "map:", "map:*", "map:0*",
		"map:0*0", "map:9*1", "map:0*1,x", "map:0*1*2", "map:/nowhere/at/all", "weighted:",
		"weighted:0", "weighted:1,a", "evenly", "eve",
	};
	struct xetile_mem_desc d = { .size = 5 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		CHECK(xetile_color_parse(bad[i], &d) < 0, "'%s'", bad[i]);
		CHECK(!d.color && !d.runs && d.size == 5);
	}
	CHECK(!xetile_color_parse("even", &d) && d.color == XETILE_COLOR_EVEN && d.size == 5);
	CHECK(!xetile_color_parse("tile:1", &d) && d.color == XETILE_COLOR_TILE && d.tile == 1);
	CHECK(!xetile_color_parse("chunk:64k", &d) && d.granule == 65536);
	CHECK(!xetile_color_parse("chunk:2m", &d) && d.granule == 2 << 20);
	CHECK(!xetile_color_parse("map:0*3,1*5", &d) && d.color == XETILE_COLOR_MAP &&
	      d.num_runs == 2 && d.runs[1].tile == 1 && d.runs[1].pages == 5 && !d.granule);
	xetile_color_free(&d);
	CHECK(!xetile_color_parse("weighted:3,1", &d) && d.num_runs == 2 &&
	      d.runs[0].pages == 3 && d.runs[1].tile == 1);
	xetile_color_free(&d);
	return true;
}

static bool check_sizes(void)
{
	static const char * const bad[] = {
		"", "k", "1kk", "1 k", " 1", "-1", "0x10", "18446744073709551616",
		"18014398509481984k", "17179869184g", "1.5m",
	};
	uint64_t v;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK(xetile_size_parse(bad[i], &v) == -EINVAL, "'%s'", bad[i]);
	CHECK(!xetile_size_parse("18446744073709551615", &v) && v == UINT64_MAX);
	CHECK(!xetile_size_parse("17179869183g", &v) && v == 17179869183ull << 30);
	CHECK(!xetile_size_parse("0", &v) && !v);
	return true;
}

int main(void)
{
	test_run("S11 S12 S17 C2: every shape up to 64 cubed, 1 tile, default rule",
		 check_shapes(1, XETILE_PLAN_DEFAULT));
	test_run("S11 S12 S17 C2: every shape up to 64 cubed, 2 tiles, default rule",
		 check_shapes(2, XETILE_PLAN_DEFAULT));
	test_run("S11 S12 S17 C2: every shape up to 64 cubed, 4 tiles, default rule",
		 check_shapes(4, XETILE_PLAN_DEFAULT));
	test_run("S17 C2: every shape up to 64 cubed, 1 tile, published rule",
		 check_shapes(1, XETILE_PLAN_PUBLISHED));
	test_run("S17 C2: every shape up to 64 cubed, 2 tiles, published rule",
		 check_shapes(2, XETILE_PLAN_PUBLISHED));
	test_run("S17 C2: every shape up to 64 cubed, 4 tiles, published rule",
		 check_shapes(4, XETILE_PLAN_PUBLISHED));
	test_run("S13 S16 S28 S30: parts cover every group once", check_parts());
	test_run("S19 S15: 512,512,512 -> z", row_is(512, 512, 512, 1, 1, 16, 'z'));
	test_run("S20 C3: 21,512,512 -> z", row_is(21, 512, 512, 1, 1, 16, 'z'));
	test_run("S21 S18 C1 C3: 19,512,512 -> y", row_is(19, 512, 512, 1, 1, 16, 'y'));
	test_run("S22: 18,512,512 -> z", row_is(18, 512, 512, 1, 1, 16, 'z'));
	test_run("S23: 19,19,512 -> x", row_is(19, 19, 512, 1, 1, 16, 'x'));
	test_run("S24: 38,512,512 by 2,1,8 -> y", row_is(38, 512, 512, 2, 1, 8, 'y'));
	test_run("S25: 38,512,512 by 1,1,16 -> z", row_is(38, 512, 512, 1, 1, 16, 'z'));
	test_run("S30: one work-group -> x, tile 0", dim_is(1, 1, 1, 'x'));
	test_run("C2: the 144 shapes of 1..40 cubed for which the rules differ, 2 tiles",
		 check_golden(2, 144));
	test_run("C2: the 6405 shapes of 1..40 cubed for which the rules differ, 4 tiles",
		 check_golden(4, 6405));
	test_run("S14 S26 S27: OpenMP loop nests", check_openmp());
	test_run("planner refuses bad input", check_bad_input());
	test_run("S4 S7 S8 C4 C7 C8: EVEN", check_even());
	test_run("C5 S41: FOLLOW, TILE, CHUNK", check_others());
	test_run("C5: FOLLOW puts pages where groups run", check_follow());
	test_run("color refuses bad input", check_bad_color());
	test_run("S5: colors as text", check_color_text());
	test_run("sizes as text", check_sizes());
	return test_end();
}
