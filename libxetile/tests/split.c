// SPDX-License-Identifier: MIT
/*
 * Splits that follow a color, compared with a list that has a tile for each group; and the walkers
 * of launches, of which each group must have one, on its tile.
 */
#include <drm/xetile_drm.h>
#include <errno.h>
#include <stdlib.h>

#include <pvc_bits.h>
#include <pvc_gfx_commands.h>
#include <pvc_mi_commands.h>

#include "fake.h"
#include "layout.h"
#include "memory.h"
#include "split.h"
#include "stack.h"
#include "test.h"
#include "util.h"
#include "xetile.h"

#define GROUPS	3000
#define PAGES	80

static uint32_t seed = 1;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/* --- the rule ------------------------------------------------------------------------------ */

/* Some pages have a color, of which parts were painted over. @list: the tile of each page */
static bool paint(struct xt_layout *layout, uint32_t list[PAGES])
{
	unsigned int n = random_below(5), i, page;

	for (i = 0; i < PAGES; i++)
		list[i] = XT_MEMORY_SYSTEM;
	while (n--) {
		struct xetile_coloring color = { .tile_mask = 1 + random_below(15) };
		uint64_t begin = random_below(PAGES), pages = 1 + random_below(PAGES - begin), run;
		struct xetile_color_iter it;
		uint32_t tile;

		color.policy = random_below(2) ? XETILE_POLICY_EVEN : XETILE_POLICY_CHUNK;
		if (color.policy == XETILE_POLICY_CHUNK)
			color.granule = 1 + random_below(4);
		CHECK(!xt_layout_paint(layout, begin, pages, &color));
		page = begin;
		xetile_color_begin(&it, &color, pages);
		while (xetile_color_next(&it, &tile, &run)) {
			while (run--)
				list[page++] = tile;
		}
	}
	return true;
}

/* What the header says, group by group */
static void deal(const struct xetile_follow *f, uint32_t groups, const uint32_t list[PAGES],
		 uint32_t *tiles)
{
	uint32_t g, before = XT_MEMORY_SYSTEM, i;
	uint64_t middle;

	for (g = 0; g < groups; g++) {
		middle = f->offset + g * f->bytes + f->bytes / 2;
		tiles[g] = middle < f->mem->size ? list[middle / XETILE_COLOR_PAGE] :
			XT_MEMORY_SYSTEM;
		if (tiles[g] == XT_MEMORY_SYSTEM)
			tiles[g] = before;
		else if (before == XT_MEMORY_SYSTEM)
			for (i = 0; i < g; i++)
				tiles[i] = tiles[g];
		before = tiles[g];
	}
}

static bool check_one(const struct xetile_follow *f, uint32_t num, const uint32_t list[PAGES])
{
	static struct xt_split split;
	static uint32_t want[GROUPS];
	uint32_t groups[3] = { 1, 1, 1 }, walkers[XETILE_MAX_TILES] = { 0 }, at, i, t;
	unsigned int all = 0;

	deal(f, num, list, want);
	groups[f->dim] = num;
	CHECK(!xt_split_plan(f, groups, 15, &split), "%s", xetile_last_error());
	CHECK(split.num || want[0] == XT_MEMORY_SYSTEM);
	CHECK(!split.num || (!split.ranges[0].first && split.ranges[split.num].first == num));
	for (i = 0; i < split.num; i++) {
		const struct xt_split_range *r = &split.ranges[i];

		CHECK(r->first < r[1].first);
		CHECK(!i || r->tile != r[-1].tile);
		for (at = r->first; at < r[1].first; at++)
			CHECK(r->tile == want[at], "group %u: tile %u", at, r->tile);
		for (at = r->first; at < r[1].first; at = xt_split_piece(at, r[1].first)) {
			CHECK(!at || xt_split_piece(at, r[1].first) <= 2 * at);
			walkers[r->tile]++;
		}
	}
	for (t = 0; t < XETILE_MAX_TILES; t++) {
		CHECK(!split.num || walkers[t] <= split.walkers);
		all += walkers[t];
	}
	CHECK(all <= split.num + 32, "%u walkers of %u ranges", all, split.num);
	return true;
}

static bool check_rule(void)
{
	unsigned int round;

	for (round = 0; round < 4000; round++) {
		struct xetile_mem mem = { .size = PAGES * XETILE_COLOR_PAGE };
		struct xetile_follow f = { .mem = &mem, .dim = random_below(3) };
		uint32_t list[PAGES], groups;
		uint64_t left;
		bool ok;

		mem.size -= random_below(2) * random_below(XETILE_COLOR_PAGE);
		f.offset = random_below(4) ? 0 : random_below(mem.size);
		left = mem.size - f.offset;
		groups = 1 + random_below(left < GROUPS ? left : GROUPS);
		f.bytes = 1 + random_below(groups > 1 ? (left - 1) / (groups - 1) : 4 * left);
		ok = paint(&mem.layout, list) && check_one(&f, groups, list);
		xt_layout_fini(&mem.layout);
		CHECK(ok, "round %u: %u groups of %lu bytes from %lu", round, groups,
		      (unsigned long)f.bytes, (unsigned long)f.offset);
	}
	return true;
}

/* --- launches ------------------------------------------------------------------------------ */

/* A buffer of that color is the kernel's. */
static bool colored_open(struct stack *s, unsigned int tiles, const char *color, uint64_t size)
{
	struct xetile_mem_desc desc = { 0 };

	if (!stack_open(s, tiles, 0))
		return false;
	CHECK(!xetile_color_parse(color, &desc), "%s", xetile_last_error());
	desc.size = size;
	CHECK(!xetile_mem_alloc(s->context, s->device, &desc, &s->mem), "%s", xetile_last_error());
	xetile_color_free(&desc);
	CHECK(!xetile_kernel_set_mem(s->kernel, 0, s->mem, 0));
	return true;
}

static unsigned int command_length(uint32_t dw)
{
	if (PVC_FIELD_GET(PVC_CMD_TYPE, dw) == PVC_CMD_TYPE_MI)
		return (dw >> 23 & 0x3f) < 0x10 ? 1 : (dw & 0x3f) + 2;
	return (dw >> 27 & 3) == 1 ? 1 : (dw & 0xff) + 2;
}

/* The groups of a walker, as the hardware divides them */
static bool count_groups(const uint32_t *w, uint32_t number, uint32_t dim, uint8_t *runs)
{
	uint32_t type = PVC_FIELD_GET(PVC_COMPUTE_WALKER2_PARTITION_TYPE, w[2]), size, i;
	uint64_t first = 0, end = w[PVC_COMPUTE_WALKER_GROUPS_DW(dim)];

	if (!(w[0] & PVC_COMPUTE_WALKER0_PARTITION))
		number = w[PVC_COMPUTE_WALKER_PARTITION_ID_DW];
	size = w[PVC_COMPUTE_WALKER_PARTITION_SIZE_DW];
	CHECK(number < 16);
	for (i = 0; i < 3; i++)
		CHECK(!w[PVC_COMPUTE_WALKER_START_DW(i)]);
	CHECK(!type || (type == dim + 1 && size));
	if (type) {
		first = (uint64_t)number * size;
		end = first + size < end ? first + size : end;
	}
	CHECK(first < end && end <= GROUPS);
	for (; first < end; first++)
		runs[first]++;
	return true;
}

/* Each group has one walker of one tile, that of the middle of its bytes. */
static bool check_walkers(unsigned int tiles, const char *color, uint64_t bytes, uint32_t num,
			  uint32_t dim)
{
	static uint8_t runs[XETILE_MAX_TILES][GROUPS];
	struct xetile_launch_desc launch = { .groups = { 2, 3, 2 }, .local = { 32 } };
	uint32_t groups[3], list[PAGES], g, t, i, n = 0;
	static uint32_t want[GROUPS];
	struct xt_layout_walk walk;
	uint64_t end;
	struct stack s;

	if (!colored_open(&s, tiles, color, PAGES * XETILE_COLOR_PAGE))
		return false;
	memset(runs, 0, sizeof(runs));
	launch.groups[dim] = num;
	memcpy(groups, launch.groups, sizeof(groups));
	launch.follow = (struct xetile_follow) { .mem = s.mem, .bytes = bytes, .dim = dim };
	walk = (struct xt_layout_walk) { .layout = &s.mem->layout };
	while (xt_layout_next(&walk, &t, &end)) {
		while (n < end)
			list[n++] = t;
	}
	CHECK(n == PAGES);
	deal(&launch.follow, num, list, want);
	CHECK(!xetile_launch(s.queue, s.kernel, &launch, 0, NULL, NULL), "%s", xetile_last_error());
	for (t = 0; t < tiles; t++) {
		const uint32_t *dw = fake_at(fake.last.batches[t]);

		for (; *dw != PVC_MI_BATCH_BUFFER_END; dw += command_length(*dw)) {
			if (*dw >> 16 != PVC_COMPUTE_WALKER >> 16)
				continue;
			for (i = 0; i < 3; i++)
				CHECK(i == dim || dw[PVC_COMPUTE_WALKER_GROUPS_DW(i)] == groups[i]);
			/* The arguments are where all walkers look for them. */
			CHECK(*(uint32_t *)fake_at(fake.last.batches[t] + dw[3] + 40) == 1);
			if (!count_groups(dw, t, dim, runs[t]))
				return false;
		}
		for (g = 0; g < num; g++)
			CHECK(runs[t][g] == (want[g] == t), "%s: group %u, tile %u: %u", color, g,
			      t, runs[t][g]);
	}
	return stack_close(&s);
}

static bool check_launches(void)
{
	static const char * const colors[] = {
		"even", "follow", "chunk:64k", "chunk:128k", "tile:1", "weighted:3,1",
		"map:1*1,0*3,1*30,0*46",
	};
	unsigned int i, dim;

	for (i = 0; i < ARRAY_SIZE(colors); i++) {
		for (dim = 0; dim < 3; dim++) {
			const uint64_t size = PAGES * XETILE_COLOR_PAGE;

			if (!check_walkers(2, colors[i], size / GROUPS, GROUPS, dim) ||
			    !check_walkers(2, colors[i], size / 77, 77, dim) ||
			    !check_walkers(2, colors[i], 1, 1, dim) ||
			    !check_walkers(2, colors[i], XETILE_COLOR_PAGE, PAGES, dim))
				return false;
			/* Those colors name two tiles. */
			if (i < 5 && !check_walkers(4, colors[i], size / GROUPS, GROUPS, dim))
				return false;
		}
	}
	return true;
}

/* There is nothing to follow: the split is that of a launch that follows nothing. */
static bool check_static(unsigned int tiles, const char *color, uint32_t flags)
{
	struct xetile_launch_desc launch = { .groups = { 10 }, .local = { 32 } };
	struct xetile_mem_desc desc = { .size = 10 << 16, .flags = flags };
	struct xetile_mem *mem;
	const uint32_t *dw;
	struct stack s;

	if (!colored_open(&s, tiles, "even", 1 << 16))
		return false;
	if (color)
		CHECK(!xetile_color_parse(color, &desc));
	desc.size = 10 << 16;
	CHECK(!xetile_mem_alloc(s.context, s.device, &desc, &mem), "%s", xetile_last_error());
	launch.follow = (struct xetile_follow) { .mem = mem, .bytes = 1 << 16 };
	CHECK(!xetile_launch(s.queue, s.kernel, &launch, 0, NULL, NULL), "%s", xetile_last_error());
	for (dw = fake_at(fake.last.batches[0]); *dw >> 16 != PVC_COMPUTE_WALKER >> 16;)
		dw += command_length(*dw);
	CHECK(!(dw[0] & PVC_COMPUTE_WALKER0_PARTITION) == (tiles == 1));
	CHECK(dw[PVC_COMPUTE_WALKER_GROUPS_DW(0)] == 10);
	CHECK(tiles == 1 || dw[PVC_COMPUTE_WALKER_PARTITION_SIZE_DW] == 5);
	xetile_mem_free(mem);
	return stack_close(&s);
}

static bool is_refused(struct stack *s, struct xetile_follow follow, uint32_t groups, int err,
		       const char *word)
{
	struct xetile_launch_desc launch = { .groups = { groups }, .local = { 32 } };
	unsigned int execs = fake.execs;

	launch.follow = follow;
	CHECK(xetile_launch(s->queue, s->kernel, &launch, 0, NULL, NULL) == err);
	CHECK_TEXT(word);
	CHECK(fake.execs == execs);
	return true;
}

static bool check_refused(void)
{
	const uint64_t size = 2100ull << 16;
	struct xetile_context *other;
	struct xetile_launch_desc launch = { .local = { 32 } };
	struct xetile_mem_desc desc = { .size = 1 << 16 };
	struct xetile_mem *mem;
	struct stack s;
	bool ok;

	if (!colored_open(&s, 2, "chunk:64k", size))
		return false;
	CHECK(!xetile_context_create(s.device, &other));
	CHECK(!xetile_mem_alloc(other, s.device, &desc, &mem));
	ok = is_refused(&s, (struct xetile_follow){ mem, 0, 1, 0 }, 1, -EINVAL, "context") &&
	     is_refused(&s, (struct xetile_follow){ s.mem, 0, 1, 3 }, 1, -EINVAL, "dimension 3") &&
	     is_refused(&s, (struct xetile_follow){ s.mem, 0, 0, 0 }, 1, -EINVAL, "no bytes") &&
	     is_refused(&s, (struct xetile_follow){ s.mem, size, 1, 0 }, 1, -EINVAL, "offset") &&
	     is_refused(&s, (struct xetile_follow){ s.mem, 0, size / 2, 0 }, 3, -EINVAL,
			"group 2 begins behind") &&
	     is_refused(&s, (struct xetile_follow){ s.mem, 16, -1ull, 0 }, 2, -EINVAL,
			"group 1 begins behind") &&
	     is_refused(&s, (struct xetile_follow){ s.mem, 0, 1 << 16, 0 }, 1025, -E2BIG, "1024");
	launch.groups[0] = 1024;
	launch.follow = (struct xetile_follow){ s.mem, 0, 1 << 16, 0 };
	CHECK(!xetile_launch(s.queue, s.kernel, &launch, 0, NULL, NULL), "%s", xetile_last_error());
	xetile_mem_free(mem);
	xetile_context_destroy(other);
	return ok && stack_close(&s);
}

int main(void)
{
	test_run("a group is where the middle of its bytes is", check_rule());
	test_run("each group runs once, on its tile, whatever the color", check_launches());
	test_run("without anything to follow the split is static",
		 check_static(2, NULL, XETILE_MEM_SYSTEM) && check_static(2, "replicate", 0) &&
		 check_static(1, "even", 0));
	test_run("splits that make no sense are refused", check_refused());
	return test_end();
}
