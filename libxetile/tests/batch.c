// SPDX-License-Identifier: MIT
/*
 * Batches: the tests decode a batch field by field, and walk over its commands by the
 * commands' own length fields.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <pvc_bits.h>
#include <pvc_blt_commands.h>
#include <pvc_gfx_commands.h>
#include <pvc_mi_commands.h>

#include "batch.h"
#include "card.h"
#include "dispatch.h"
#include "indirect.h"
#include "kernel.h"
#include "memory.h"
#include "module.h"
#include "test.h"
#include "util.h"
#include "xetile.h"
#include "zebin.h"

static const struct drm_xetile_query_device props = {
	.eus_per_dss = 8, .threads_per_eu = 8, .max_slm = 128 << 10, .num_tiles = 2,
};

static struct xt_payload payloads[] = {
	{ .type = XT_ARG_GLOBAL_OFFSET, .offset = 0, .size = 12, .arg = -1 },
	{ .type = XT_ARG_LOCAL_SIZE, .offset = 12, .size = 12, .arg = -1 },
	{ .type = XT_ARG_GROUP_COUNT, .offset = 24, .size = 12, .arg = -1 },
	{ .type = XT_ARG_GLOBAL_SIZE, .offset = 36, .size = 12, .arg = -1 },
	{ .type = XT_ARG_WORK_DIM, .offset = 48, .size = 4, .arg = -1 },
	{ .type = XT_ARG_POINTER, .offset = 56, .size = 8, .arg = 0 },
	{ .type = XT_ARG_VALUE, .offset = 64, .size = 4, .arg = 1 },
	{ .type = XT_ARG_VALUE, .offset = 72, .size = 1, .arg = 1, .source = 4 },
	{ .type = XT_ARG_SLM, .offset = 80, .size = 8, .arg = 2, .slm_align = 64 },
	{ .type = XT_ARG_SLM, .offset = 88, .size = 8, .arg = 3, .slm_align = 16 },
};

static struct xt_kernel_desc desc = {
	.name = "k", .simd = 32, .grf_count = 128, .slm_size = 100, .barriers = 1,
	.skip_offset = 256, .cross_size = 96, .has_local_ids = true,
	.num_payloads = ARRAY_SIZE(payloads), .num_args = 4, .payloads = payloads,
	.text_size = 1024, .image_offset = 512,
};

static uint8_t value[5] = { 1, 2, 3, 4, 5 };
static struct xetile_module module;
static struct xt_arg args[4] = {
	{ .kind = XETILE_ARG_POINTER, .set = true, .address = 0x123456789abcull },
	{ .kind = XETILE_ARG_VALUE, .set = true, .size = 5, .value = value },
	{ .kind = XETILE_ARG_LOCAL, .set = true, .local_size = 10, .slm_align = 64 },
	{ .kind = XETILE_ARG_LOCAL, .set = true, .local_size = 300, .slm_align = 16 },
};
static struct xetile_kernel kernel = { .module = &module, .desc = &desc, .args = args };

/* Returns the length of a command, which its header has. */
static unsigned int command_length(uint32_t dw)
{
	switch (PVC_FIELD_GET(PVC_CMD_TYPE, dw)) {
	case PVC_CMD_TYPE_MI:
		return (dw >> 23 & 0x3f) < 0x10 ? 1 : (dw & 0x3f) + 2;
	case PVC_CMD_TYPE_GFX:
		return (dw >> 27 & 3) == 1 ? 1 : (dw & 0xff) + 2;
	default:
		return (dw & 0xff) + 2;
	}
}

/* Returns the n-th command with this opcode; only the bits of @mask are compared. */
static const uint32_t *find(const uint32_t *dw, unsigned int num, uint32_t opcode,
			    uint32_t mask)
{
	unsigned int i;

	for (i = 0; i < num; i += command_length(dw[i])) {
		if ((dw[i] & mask) == (opcode & mask))
			return &dw[i];
	}
	return NULL;
}

static const struct xt_batch_place place = {
	.base = 0x7000010000ull, .indirect = XT_BATCH_BYTES, .image = 0x7000400000ull,
	.scratch = { 0x7100000000ull, 0x7200000000ull }, .private_base = 0x7300000000ull,
	.fence = 0x7400000000ull,
};

/* Whether the batch ends here, with a fence that has an address, behind all that it waits for */
static bool ends_with_fence(const uint32_t *p, uint64_t address)
{
	CHECK(p[0] == PVC_STATE_SYSTEM_MEM_FENCE_ADDRESS, "%#x", p[0]);
	CHECK(((uint64_t)p[2] << 32 | p[1]) == address);
	CHECK(p[3] == (PVC_MI_MEM_FENCE | PVC_MI_MEM_FENCE_RELEASE), "%#x", p[3]);
	CHECK(p[4] == PVC_MI_BATCH_BUFFER_END, "%#x", p[4]);
	return true;
}

static bool launch(const struct xetile_launch_desc *l, unsigned int tiles,
		   struct xt_dispatch *d, uint32_t *dw, unsigned int *num)
{
	CHECK(!xt_dispatch_plan(&kernel, &props, 64, tiles, l, d), "%s", xetile_last_error());
	memset(dw, 0xa5, 2 * XT_BATCH_BYTES);
	*num = xt_batch_end(dw, xt_batch_launch(dw, &desc, d, &place));
	CHECK(*num * 4 <= XT_BATCH_BYTES && *num % 2 == 0);
	return true;
}

static uint32_t dw[2 * XT_BATCH_BYTES / 4];

static bool check_walker(void)
{
	const struct xetile_launch_desc l = { .groups = { 5, 6, 42 }, .local = { 32, 2, 3 } };
	struct xt_dispatch d;
	const uint32_t *w;
	unsigned int num;

	if (!launch(&l, 2, &d, dw, &num))
		return false;
	w = find(dw, num, PVC_COMPUTE_WALKER, PVC_GFX_OPCODE_MASK);
	CHECK(w);
	CHECK(command_length(w[0]) == PVC_COMPUTE_WALKER_DWORDS);
	CHECK(w[0] & PVC_COMPUTE_WALKER0_PARTITION);
	CHECK(!(w[0] & (PVC_COMPUTE_WALKER0_PREDICATE | PVC_COMPUTE_WALKER0_INDIRECT |
			PVC_COMPUTE_WALKER0_SYSTOLIC)));
	CHECK((w[2] & 0x1ffff) == 96);
	CHECK(w[2] >> 30 == PVC_COMPUTE_WALKER_PARTITION_Z);
	CHECK(w[3] == XT_BATCH_BYTES);
	CHECK(w[4] >> 30 == 2 && (w[4] >> 17 & 3) == 2);
	CHECK((w[4] >> 29 & 1) == 1 && (w[4] >> 26 & 7) == 7 && !(w[4] >> 25 & 1));
	CHECK((w[4] >> 22 & 7) == 0);
	CHECK(w[5] == ~0u);
	CHECK(w[6] == (31 | 1 << 10 | 2 << 20));
	CHECK(w[7] == 5 && w[8] == 6 && w[9] == 42);
	CHECK(!w[10] && !w[11] && !w[12] && !w[13]);
	CHECK(w[14] == 21);
	CHECK(w[18] == 512 + 256);
	/* Threads are not interrupted, because there is no system routine to send them to. */
	CHECK(w[20] == (1u << 19 | 1u << 20));
	CHECK((w[23] & 0x3ff) == 6);
	CHECK((w[23] >> 16 & 0x1f) == PVC_SLM_1K, "%u", w[23] >> 16 & 0x1f);
	CHECK((w[23] >> 28 & 7) == 1);
	return true;
}

static bool check_one_tile(void)
{
	const struct xetile_launch_desc l = { .groups = { 5 }, .local = { 33 } };
	struct xt_dispatch d;
	const uint32_t *w;
	unsigned int num;

	if (!launch(&l, 1, &d, dw, &num))
		return false;
	w = find(dw, num, PVC_COMPUTE_WALKER, PVC_GFX_OPCODE_MASK);
	CHECK(w && !(w[0] & PVC_COMPUTE_WALKER0_PARTITION) && !(w[2] >> 30) && !w[14]);
	/* 33 is no power of two: software ids, entry at the start, one item in thread 1. */
	CHECK(w[18] == 512 && !(w[4] >> 26 & 0xf));
	CHECK(w[5] == 1 && (w[23] & 0x3ff) == 2);
	CHECK((w[2] & 0x1ffff) == 96 + 2 * 192);
	return true;
}

static bool check_partition_types(void)
{
	static const struct { uint32_t g[3], type, share; } rows[] = {
		{ { 32, 512, 512 }, 3, 256 }, { { 32, 512, 21 }, 3, 11 },
		{ { 32, 512, 19 }, 2, 256 }, { { 32, 19, 19 }, 1, 16 }, { { 1, 1, 1 }, 1, 1 },
	};
	unsigned int i, num;
	struct xt_dispatch d;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct xetile_launch_desc l = { .local = { 16, 1, 1 } };
		const uint32_t *w;

		memcpy(l.groups, rows[i].g, sizeof(l.groups));
		if (!launch(&l, 2, &d, dw, &num))
			return false;
		w = find(dw, num, PVC_COMPUTE_WALKER, PVC_GFX_OPCODE_MASK);
		CHECK(w && w[2] >> 30 == rows[i].type && w[14] == rows[i].share, "row %u", i);
	}
	return true;
}

static bool check_state(void)
{
	const struct xetile_launch_desc l = { .groups = { 5 }, .local = { 32 } };
	const uint32_t *p, *last;
	struct xt_dispatch d;
	unsigned int num;

	if (!launch(&l, 2, &d, dw, &num))
		return false;
	p = find(dw, num, PVC_PIPELINE_SELECT, PVC_GFX_OPCODE_MASK);
	CHECK(p && *p == 0x69048302);
	p = find(dw, num, PVC_STATE_COMPUTE_MODE, PVC_GFX_OPCODE_MASK);
	CHECK(p && p[1] == 0xe0186010, "%x", p[1]);
	p = find(dw, num, PVC_CFE_STATE, PVC_GFX_OPCODE_MASK);
	CHECK(p && p[1] == 0 && p[3] >> 16 == 64 * 8 * 8 && (p[3] & 0xffff) == 0x8800);
	p = find(dw, num, PVC_STATE_BASE_ADDRESS, PVC_GFX_OPCODE_MASK);
	CHECK(p && (p[1] & ~0xfffu) == 0x00010000 && p[2] == 0x70 && (p[1] & 1));
	CHECK((p[10] & ~0xfffu) == 0x00400000 && p[11] == 0x70 && (p[10] & 1));
	CHECK((p[1] >> 5 & 0x3f) == 2);
	CHECK(p[12] == 0xfffff001 && p[15] == 0xfffff001);
	last = find(dw, num, PVC_MI_BATCH_BUFFER_END, PVC_MI_OPCODE_MASK);
	CHECK(last && last >= dw + num - 2);
	return true;
}

/*
 * Before the walker the caches may hold older arguments, state and code; behind it the data ports
 * may hold what it has written. The virtual card has none of these caches. Intel's runtime sends
 * these bits for the same reasons.
 */
static bool check_flushes(void)
{
	const uint32_t ports = PVC_PIPE_CONTROL0_HDC_FLUSH | PVC_PIPE_CONTROL0_UNTYPED_FLUSH;
	const uint32_t caches = PVC_PIPE_CONTROL1_STATE_INVALIDATE |
				PVC_PIPE_CONTROL1_CONST_INVALIDATE |
				PVC_PIPE_CONTROL1_INSTR_INVALIDATE;
	const struct xetile_launch_desc l = { .groups = { 5 }, .local = { 32 } };
	const uint32_t *walker, *p;
	struct xt_dispatch d;
	unsigned int num;

	if (!launch(&l, 2, &d, dw, &num))
		return false;
	p = find(dw, num, PVC_PIPE_CONTROL, PVC_GFX_OPCODE_MASK);
	walker = find(dw, num, PVC_COMPUTE_WALKER, PVC_GFX_OPCODE_MASK);
	CHECK(p == dw && walker > p);
	CHECK((p[0] & ports) == ports, "%#x", p[0]);
	CHECK((p[1] & caches) == caches && p[1] & PVC_PIPE_CONTROL1_CS_STALL, "%#x", p[1]);
	p = walker + command_length(*walker);
	CHECK((p[0] & PVC_GFX_OPCODE_MASK) == (PVC_PIPE_CONTROL & PVC_GFX_OPCODE_MASK));
	CHECK((p[0] & ports) == ports && p[1] & PVC_PIPE_CONTROL1_CS_STALL, "%#x %#x", p[0], p[1]);
	if (!ends_with_fence(p + command_length(p[0]), place.fence))
		return false;
	return true;
}

static bool check_modes(void)
{
	const struct xetile_launch_desc l = { .groups = { 5 }, .local = { 16 } };
	struct xt_kernel_desc saved = desc;
	const uint32_t *p;
	struct xt_dispatch d;
	unsigned int num;
	bool ok;

	desc.simd = 16;
	desc.grf_count = 256;
	desc.has_dpas = true;
	ok = launch(&l, 2, &d, dw, &num);
	desc = saved;
	if (!ok)
		return false;
	p = find(dw, num, PVC_PIPELINE_SELECT, PVC_GFX_OPCODE_MASK);
	CHECK(*p == 0x69048382);
	p = find(dw, num, PVC_STATE_COMPUTE_MODE, PVC_GFX_OPCODE_MASK);
	CHECK(p[1] == 0xe018e010);
	p = find(dw, num, PVC_CFE_STATE, PVC_GFX_OPCODE_MASK);
	CHECK(p[3] >> 16 == 64 * 8 * 4);
	p = find(dw, num, PVC_COMPUTE_WALKER, PVC_GFX_OPCODE_MASK);
	CHECK((p[0] & PVC_COMPUTE_WALKER0_SYSTOLIC) && p[4] >> 30 == 1 && (p[4] >> 17 & 3) == 1);
	return true;
}

static uint64_t u64_at(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint32_t u32_at(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static bool check_cross_thread(void)
{
	const struct xetile_launch_desc l = {
		.groups = { 5, 6, 0 }, .local = { 24, 8, 0 }, .offset = { 1, 2, 3 },
	};
	struct xt_dispatch d;
	uint8_t data[96 + 64 * 192];
	unsigned int num, item;

	if (!launch(&l, 2, &d, dw, &num))
		return false;
	CHECK(d.indirect_size == 96 + 6 * 192 && !d.hw_local_ids);
	xt_indirect_write(data, &kernel, &d, &place);
	CHECK(u32_at(data) == 1 && u32_at(data + 4) == 2 && u32_at(data + 8) == 3);
	CHECK(u32_at(data + 12) == 24 && u32_at(data + 16) == 8 && u32_at(data + 20) == 1);
	CHECK(u32_at(data + 24) == 5 && u32_at(data + 28) == 6 && u32_at(data + 32) == 1);
	CHECK(u32_at(data + 36) == 120 && u32_at(data + 40) == 48 && u32_at(data + 44) == 1);
	CHECK(u32_at(data + 48) == 2);
	CHECK(u64_at(data + 56) == 0x123456789abcull);
	CHECK(u32_at(data + 64) == 0x04030201 && data[72] == 5 && data[73] == 0);
	/* declared 100, argument 2 at 128 takes 10, argument 3 at 144 takes 300 */
	CHECK(u64_at(data + 80) == 128 && u64_at(data + 88) == 144 && d.slm_total == 444);
	for (item = 0; item < 24 * 8; item++) {
		const uint8_t *row = data + 96 + item / 32 * 192 + item % 32 * 2;

		CHECK(row[0] == item % 24 && row[64] == item / 24 && row[128] == 0, "%u", item);
	}
	return true;
}

/* CFE_STATE names the surface states, and these name the memory, which has a slice per thread. */
static bool check_scratch(void)
{
	const struct xetile_launch_desc l = { .groups = { 1 }, .local = { 32 } };
	const struct xt_kernel_desc saved = desc;
	uint32_t states[2 * PVC_SURFACE_STATE_DWORDS];
	struct xt_dispatch d;
	const uint32_t *p;
	unsigned int num;
	bool ok;

	if (!launch(&l, 1, &d, dw, &num))
		return false;
	p = find(dw, num, PVC_CFE_STATE, PVC_GFX_OPCODE_MASK);
	CHECK(!p[1]);
	xt_batch_states(states, &desc, &d, &place);
	for (num = 0; num < ARRAY_SIZE(states); num++)
		CHECK(!states[num], "%u", num);

	desc.scratch[0] = 65536;
	desc.scratch[1] = 1025;
	ok = launch(&l, 1, &d, dw, &num);
	xt_batch_states(states, &desc, &d, &place);
	desc = saved;
	if (!ok)
		return false;
	CHECK(num * 4 <= XT_BATCH_STATES);
	p = find(dw, num, PVC_CFE_STATE, PVC_GFX_OPCODE_MASK);
	CHECK((p[1] >> 10) * 64 == XT_BATCH_STATES);
	/* Behind the commands of more walkers */
	d.more = XT_BATCH_BYTES;
	desc.scratch[0] = 65536;
	xt_batch_launch(dw, &desc, &d, &place);
	desc = saved;
	p = find(dw, num, PVC_CFE_STATE, PVC_GFX_OPCODE_MASK);
	CHECK((p[1] >> 10) * 64 == XT_BATCH_BYTES + XT_BATCH_STATES);
	p = find(dw, num, PVC_STATE_BASE_ADDRESS, PVC_GFX_OPCODE_MASK);
	CHECK((p[PVC_SBA_SURFACE_DW] & ~0xfffu) == (uint32_t)place.base &&
	      p[PVC_SBA_SURFACE_DW + 1] == place.base >> 32);
	for (num = 0, p = states; num < 2; num++, p += PVC_SURFACE_STATE_DWORDS) {
		uint32_t slices = PVC_FIELD_GET(PVC_SURFACE2_WIDTH, p[2]) |
				  PVC_FIELD_GET(PVC_SURFACE2_HEIGHT, p[2]) << 7 |
				  PVC_FIELD_GET(PVC_SURFACE3_DEPTH, p[3]) << 21;

		CHECK(PVC_FIELD_GET(PVC_SURFACE0_TYPE, p[0]) == PVC_SURFACE_SCRATCH);
		CHECK(slices == 64 * 8 * 16 - 1, "%u", slices);
		CHECK(PVC_FIELD_GET(PVC_SURFACE3_PITCH, p[3]) == (num ? 2048 : 65536) - 1);
		CHECK(p[8] == (uint32_t)place.scratch[num] && p[9] == place.scratch[num] >> 32);
	}
	return true;
}

/* Implicit arguments come first; with implicit arguments local ids are always in memory. */
static bool check_implicit(void)
{
	const struct xetile_launch_desc l = {
		.groups = { 5, 6, 7 }, .local = { 16, 2, 1 }, .offset = { 1, 2, 3 },
	};
	static struct xt_payload more[] = {
		{ .type = XT_ARG_PRIVATE_BASE, .offset = 0, .size = 8, .arg = -1 },
		{ .type = XT_ARG_IMPLICIT, .offset = 8, .size = 8, .arg = -1 },
		{ .type = XT_ARG_PRINTF, .offset = 16, .size = 8, .arg = -1 },
	};
	const struct xt_kernel_desc saved = desc;
	struct xetile_mem mem = { .addr = 0x7400000000ull };
	struct xt_dispatch d;
	uint8_t data[192 + 32 + 192];
	uint32_t version;

	for (version = 0; version < 2; version++) {
		uint32_t size = version ? 192 : 128;
		int err;

		desc.num_payloads = ARRAY_SIZE(more);
		desc.payloads = more;
		desc.cross_size = 32;
		desc.needs_implicit = desc.has_printf = true;
		module.zebin.implicit_version = version;
		err = xt_dispatch_plan(&kernel, &props, 64, 1, &l, &d);
		kernel.printf = &mem;
		if (err == -EINVAL && strstr(xetile_last_error(), "printf"))
			err = xt_dispatch_plan(&kernel, &props, 64, 1, &l, &d);
		else
			err = 1;
		if (!err)
			xt_indirect_write(data, &kernel, &d, &place);
		kernel.printf = NULL;
		module.zebin.implicit_version = 0;
		desc = saved;
		CHECK(!err, "%d %s", err, xetile_last_error());
		CHECK(d.implicit_size == size && d.indirect_size == size + 32 + 192);
		CHECK(!d.hw_local_ids);
		CHECK(data[0] == (version ? 140 : 112) && data[1] == version && data[2] == 3 &&
		      data[3] == 32);
		CHECK(u32_at(data + 4) == 16 && u32_at(data + 8) == 2 && u32_at(data + 12) == 1);
		CHECK(u64_at(data + 16) == 80 && u64_at(data + 24) == 12 && u64_at(data + 32) == 7);
		CHECK(u64_at(data + 40) == mem.addr);
		CHECK(u64_at(data + 48) == 1 && u64_at(data + 56) == 2 && u64_at(data + 64) == 3);
		CHECK(u64_at(data + 72) == place.base + XT_BATCH_BYTES + size + 32);
		CHECK(u32_at(data + 80) == 5 && u32_at(data + 84) == 6 && u32_at(data + 88) == 7);
		CHECK(!version || u32_at(data + 128) == 16);
		CHECK(u64_at(data + size) == place.private_base);
		CHECK(u64_at(data + size + 8) == place.base + XT_BATCH_BYTES);
		CHECK(u64_at(data + size + 16) == mem.addr);
		CHECK(data[size + 32 + 2] == 1 && data[size + 32 + 64 + 32] == 1);
	}
	return true;
}

/* The hardware makes local ids only when x and y are powers of two. */
static bool check_local_id_choice(void)
{
	struct xt_dispatch d;
	uint32_t x, y, z;

	for (x = 1; x <= 40; x++)
		for (y = 1; y <= 20; y++)
			for (z = 1; z <= 5; z++) {
				struct xetile_launch_desc l = {
					.groups = { 1, 1, 1 }, .local = { x, y, z },
				};
				bool pow2 = (x == 1 || x == 2 || x == 4 || x == 8 || x == 16 ||
					     x == 32) && (y == 1 || y == 2 || y == 4 || y == 8 ||
							  y == 16);
				int err = xt_dispatch_plan(&kernel, &props, 64, 1, &l, &d);

				if (x * y * z > 1024) {
					CHECK(err == -EINVAL);
					continue;
				}
				CHECK(!err && d.hw_local_ids == pow2, "%u,%u,%u", x, y, z);
				CHECK(d.threads == (x * y * z + 31) / 32);
			}
	return true;
}

static bool refused(struct xetile_launch_desc l, const char *word)
{
	struct xt_dispatch d;

	CHECK(xt_dispatch_plan(&kernel, &props, 64, 2, &l, &d) == -EINVAL);
	CHECK_TEXT(word);
	return true;
}

static bool check_bad_launches(void)
{
	struct xt_kernel_desc saved = desc;
	bool ok = true;

	ok &= refused((struct xetile_launch_desc){ .groups = { 0, 1, 1 }, .local = { 1 } }, "no work-groups");
	ok &= refused((struct xetile_launch_desc){ .groups = { 1 }, .local = { 0 } }, "no work-groups");
	ok &= refused((struct xetile_launch_desc){ .groups = { 1 }, .local = { 1025 } }, "local size");
	ok &= refused((struct xetile_launch_desc){ .groups = { 1 }, .local = { 1024, 1024, 1024 } },
		      "too large");
	ok &= refused((struct xetile_launch_desc){ .groups = { 1u << 31 }, .local = { 16 } }, "32 bits");
	ok &= refused((struct xetile_launch_desc){ .groups = { ~0u }, .local = { 1 }, .offset = { 1 } },
		      "32 bits");
	args[0].set = false;
	ok &= refused((struct xetile_launch_desc){ .groups = { 1 }, .local = { 1 } },
		      "argument 0 is not set");
	args[0].set = true;
	args[3].local_size = 128 << 10;
	ok &= refused((struct xetile_launch_desc){ .groups = { 1 }, .local = { 1 } }, "local memory");
	args[3].local_size = ~0u;
	ok &= refused((struct xetile_launch_desc){ .groups = { 1 }, .local = { 1 } }, "local memory");
	args[3].local_size = 300;
	desc.required_local[0] = 64;
	desc.required_local[1] = desc.required_local[2] = 1;
	ok &= refused((struct xetile_launch_desc){ .groups = { 1 }, .local = { 32 } }, "demands");
	desc = saved;
	return ok;
}

/* --- copies -------------------------------------------------------------------------- */

/*
 * The bytes that a batch of copies or fills writes must be [0, size), in order. Where the driver
 * maps an address for it (@nowhere), the dummy blit must follow, else nothing but a flush.
 */
static bool walk_pieces(const uint32_t *p, unsigned int num, bool copy, uint64_t size,
			bool nowhere)
{
	uint64_t at = 0, dst = 0x100000000ull, src = 0x900000000ull, bytes;
	unsigned int i;

	for (i = 0; i < num && PVC_FIELD_GET(PVC_CMD_TYPE, p[i]) == PVC_CMD_TYPE_BLT && at < size;
	     i += command_length(p[i])) {
		const uint32_t *c = p + i;
		bool matrix = PVC_FIELD_GET(PVC_MEM_TYPE, c[0]) == PVC_MEM_TYPE_MATRIX;

		CHECK((c[0] & PVC_BLT_OPCODE_MASK) ==
		      ((copy ? PVC_MEM_COPY : PVC_MEM_SET) & PVC_BLT_OPCODE_MASK));
		bytes = (c[1] & PVC_MEM_DIM) + 1;
		if (matrix) {
			CHECK(c[3] == c[1] && (!copy || c[4] == c[1]));
			bytes *= (c[2] & PVC_MEM_DIM) + 1;
		}
		if (copy) {
			CHECK(((uint64_t)c[6] << 32 | c[5]) == src + at);
			CHECK(((uint64_t)c[8] << 32 | c[7]) == dst + at);
			CHECK(c[9] == (2 << 25 | 2));
		} else {
			CHECK(((uint64_t)c[5] << 32 | c[4]) == dst + at);
			CHECK(c[6] == (0x5au << 24 | 2));
		}
		at += bytes;
	}
	CHECK(at == size, "%llu of %llu bytes", (unsigned long long)at, (unsigned long long)size);
	if (nowhere) {
		/* Wa_16018031267: 36 rows of 4 KiB to nowhere, before the flush */
		CHECK(PVC_FIELD_GET(PVC_CMD_TYPE, p[i]) == PVC_CMD_TYPE_BLT &&
		      (p[i] & PVC_BLT_OPCODE_MASK) == (PVC_MEM_SET & PVC_BLT_OPCODE_MASK));
		CHECK(p[i + 1] == 4095 && p[i + 2] == 35 && p[i + 3] == 0);
		CHECK(((uint64_t)p[i + 5] << 32 | p[i + 4]) == DRM_XETILE_VA_NOWHERE);
		i += command_length(p[i]);
	}
	CHECK((p[i] & PVC_MI_OPCODE_MASK) == (PVC_MI_FLUSH_DW & PVC_MI_OPCODE_MASK));
	i += (p[i] & PVC_MI_FLUSH_DW_LEN) + 2;
	CHECK(num - i <= 6 && num % 2 == 0);
	return ends_with_fence(p + i, place.fence);
}

static bool check_copies(bool nowhere)
{
	static const uint64_t sizes[] = {
		1, 2, 0x3fff, 0x4000, 0x4001, 0x7fff, 0x10000, 0x123456, (1ull << 28) - 1,
		1ull << 28, (1ull << 28) + 1, (1ull << 30) + 12345, 5ull << 32,
	};
	const struct xt_batch_end end = { .fence = place.fence, .nowhere = nowhere };
	unsigned int i, num;
	uint32_t *buf;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		uint64_t room = xt_batch_copy_bytes(sizes[i]);

		buf = malloc(room);
		CHECK(buf);
		num = xt_batch_copy(buf, 0x100000000ull, 0x900000000ull, sizes[i], &end);
		CHECK(num * 4ull <= room);
		if (!walk_pieces(buf, num, true, sizes[i], nowhere))
			return false;
		num = xt_batch_fill(buf, 0x100000000ull, sizes[i], 0x5a, &end);
		CHECK(num * 4ull <= room);
		if (!walk_pieces(buf, num, false, sizes[i], nowhere))
			return false;
		free(buf);
	}
	return true;
}

int main(void)
{
	test_run("batch: scratch memory", check_scratch());
	test_run("batch: implicit arguments, private and printf memory", check_implicit());
	test_run("S12 S16: walker of a partitioned launch", check_walker());
	test_run("S31 S53: walker on one tile is not partitioned", check_one_tile());
	test_run("S19-S23 S30: partition type and size in the walker", check_partition_types());
	test_run("state before the walker", check_state());
	test_run("flushes and invalidations around the walker", check_flushes());
	test_run("large register files and systolic mode", check_modes());
	test_run("cross-thread data and local ids", check_cross_thread());
	test_run("the hardware makes local ids only when it can", check_local_id_choice());
	test_run("bad launches are refused", check_bad_launches());
	test_run("S113: copies and fills cover every byte once", check_copies(true));
	test_run("S113: copies and fills, on a driver without an address for the blit",
		 check_copies(false));
	return test_end();
}
