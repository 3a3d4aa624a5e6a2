// SPDX-License-Identifier: MIT
/*
 * All objects together, on a driver that runs in this process (fake.c): the tests check the
 * calls that reach the driver, and that no object is left behind when a call fails.
 */
#include <drm/xetile_drm.h>
#include <elf.h>
#include <errno.h>
#include <linux/sync_file.h>
#include <stdio.h>

#include <pvc_bits.h>
#include <pvc_gfx_commands.h>
#include <pvc_mi_commands.h>

#include "batch.h"
#include "error.h"
#include "fake.h"
#include "kernel.h"
#include "memory.h"
#include "module.h"
#include "platform.h"
#include "queue.h"
#include "test.h"
#include "util.h"
#include "xetile.h"

/* --- from the platform to an event ---------------------------------------------------- */

struct stack {
	struct xetile_platform *platform;
	struct xetile_device *device;
	struct xetile_context *context;
	struct xetile_module *module;
	struct xetile_kernel *kernel;
	struct xetile_queue *queue, *copy;
	struct xetile_mem *mem[3];
	struct xetile_event *event;
};

static void stack_close(struct stack *s)
{
	unsigned int i;

	xetile_event_destroy(s->event);
	for (i = 0; i < 3; i++)
		xetile_mem_free(s->mem[i]);
	xetile_queue_destroy(s->queue);
	xetile_queue_destroy(s->copy);
	xetile_kernel_destroy(s->kernel);
	xetile_module_unload(s->module);
	xetile_context_destroy(s->context);
	xetile_platform_close(s->platform);
	memset(s, 0, sizeof(*s));
}

/* Open all objects, launch once and copy once. Returns the first error. */
static int stack_run(struct stack *s, const char *selector)
{
	const struct xetile_launch_desc launch = { .groups = { 64 }, .local = { 256 } };
	const struct xetile_queue_desc copy = { .engine_class = XETILE_COPY };
	const struct xetile_mem_desc desc = { .size = 10 * XETILE_COLOR_PAGE };
	struct xetile_event *first = NULL;
	const float scale = 3;
	char path[512];
	int err, i;

	snprintf(path, sizeof(path), "%s/kernels/kernels.bin", test_top());
	err = fake_platform(1, NULL, &s->platform);
	if (!err)
		err = xetile_platform_select(s->platform, selector, &s->device);
	if (!err)
		err = xetile_context_create(s->device, &s->context);
	if (!err)
		err = xetile_module_load_file(s->context, path, &s->module);
	if (!err)
		err = xetile_kernel_create(s->module, "triad", &s->kernel);
	if (!err)
		err = xetile_queue_create(s->context, s->device, NULL, &s->queue);
	if (!err)
		err = xetile_queue_create(s->context, s->device, &copy, &s->copy);
	for (i = 0; !err && i < 3; i++) {
		err = xetile_mem_alloc(s->context, s->device, &desc, &s->mem[i]);
		if (!err)
			err = xetile_kernel_set_mem(s->kernel, i, s->mem[i], 0);
	}
	if (!err)
		err = xetile_kernel_set_value(s->kernel, 3, &scale, sizeof(scale));
	if (!err)
		err = xetile_copy(s->copy, s->mem[0], 0, s->mem[1], 0, 100, 0, NULL, &first);
	if (!err)
		err = xetile_launch(s->queue, s->kernel, &launch, 1, &first, &s->event);
	if (!err)
		err = xetile_event_wait(s->event, 1000);
	xetile_event_destroy(first);
	return err;
}

static const uint32_t *find_walker(uint64_t batch)
{
	const uint32_t *dw = fake_at(batch);
	unsigned int i;

	for (i = 0; dw && i < 1024 && dw[i] != PVC_MI_BATCH_BUFFER_END; i++) {
		if (dw[i] >> 16 == PVC_COMPUTE_WALKER >> 16)
			return &dw[i];
	}
	return NULL;
}

/* Returns the address of a batch's machine code, from the base address and the descriptor. */
static const void *kernel_start(uint64_t batch)
{
	const uint32_t *dw = fake_at(batch), *walker = find_walker(batch);
	unsigned int i;

	for (i = 0; dw && walker && dw + i < walker; i++) {
		if (dw[i] == PVC_STATE_BASE_ADDRESS)
			return fake_at(((uint64_t)dw[i + 11] << 32 | (dw[i + 10] & ~0xfffu)) +
				       walker[18]);
	}
	return NULL;
}

static bool check_launch(void)
{
	const uint8_t *code[2];
	const uint32_t *w;
	struct stack s = { 0 };
	unsigned int t;

	fake_start(2, 1);
	CHECK(!stack_run(&s, "0"), "%s", xetile_last_error());
	CHECK(fake.execs == 2 && fake.last.exec.num_batches == 2);
	CHECK(fake.last_queue.engine_class == DRM_XETILE_ENGINE_COPY);
	/* the slot's fence, the event, and the copy that the launch waits for */
	CHECK(fake.last.exec.syncs.count == 3);
	CHECK(fake.last.syncs[0].flags == DRM_XETILE_SYNC_SIGNAL &&
	      fake.last.syncs[1].flags == DRM_XETILE_SYNC_SIGNAL && !fake.last.syncs[2].flags);
	CHECK(fake.last.batches[0] != fake.last.batches[1]);
	for (t = 0; t < 2; t++) {
		uint8_t *arg;
		uint64_t addr;

		w = find_walker(fake.last.batches[t]);
		CHECK(w && (w[0] & PVC_COMPUTE_WALKER0_PARTITION));
		CHECK(w[2] >> 30 == PVC_COMPUTE_WALKER_PARTITION_X && w[14] == 32 && w[7] == 64);
		code[t] = kernel_start(fake.last.batches[t]);
		CHECK(code[t]);
		/* the pointers are at 32, 40, 48 and s at 56, as .ze_info says */
		arg = fake_at(fake.last.batches[t] + w[3]);
		CHECK(arg);
		memcpy(&addr, arg + 40, 8);
		CHECK(addr == xetile_mem_address(s.mem[1]));
		CHECK(!memcmp(arg + 56, &(float){ 3 }, 4));
	}
	/* each tile has its own copy of the same code */
	CHECK(code[0] != code[1] && !memcmp(code[0], code[1], 256));
	stack_close(&s);
	CHECK(!fake_leaks(), "%u left behind", fake_leaks());
	return true;
}

/* Each tile's part of the batch names its own scratch memory, which has room for all threads. */
static bool check_scratch(void)
{
	const struct xetile_launch_desc launch = { .groups = { 8 }, .local = { 64 } };
	const struct xetile_mem_desc desc = { .size = 512 * 4 };
	const uint32_t n = 5;
	struct stack s = { 0 };
	uint64_t base[2];
	char path[512];
	unsigned int t;

	fake_start(2, 1);
	snprintf(path, sizeof(path), "%s/tests/data/data_26_27.bin", test_top());
	CHECK(!fake_platform(1, NULL, &s.platform));
	CHECK(!xetile_platform_select(s.platform, "0", &s.device));
	CHECK(!xetile_context_create(s.device, &s.context));
	CHECK(!xetile_module_load_file(s.context, path, &s.module), "%s", xetile_last_error());
	CHECK(!xetile_kernel_create(s.module, "shuffle_own", &s.kernel), "%s",
	      xetile_last_error());
	CHECK(s.kernel->desc->scratch[0] >= 1200);
	CHECK(!xetile_queue_create(s.context, s.device, NULL, &s.queue));
	CHECK(!xetile_mem_alloc(s.context, s.device, &desc, &s.mem[0]));
	CHECK(!xetile_kernel_set_mem(s.kernel, 0, s.mem[0], 0));
	CHECK(!xetile_kernel_set_mem(s.kernel, 1, s.mem[0], 0));
	CHECK(!xetile_kernel_set_value(s.kernel, 2, &n, sizeof(n)));
	CHECK(!xetile_launch(s.queue, s.kernel, &launch, 0, NULL, NULL), "%s",
	      xetile_last_error());
	for (t = 0; t < 2; t++) {
		const uint32_t *state = fake_at(fake.last.batches[t] + XT_BATCH_STATES);
		uint64_t pitch, slices;

		CHECK(state &&
		      PVC_FIELD_GET(PVC_SURFACE0_TYPE, state[0]) == PVC_SURFACE_SCRATCH);
		pitch = PVC_FIELD_GET(PVC_SURFACE3_PITCH, state[3]) + 1;
		slices = (PVC_FIELD_GET(PVC_SURFACE2_WIDTH, state[2]) |
			  PVC_FIELD_GET(PVC_SURFACE2_HEIGHT, state[2]) << 7) + 1;
		CHECK(pitch >= s.kernel->desc->scratch[0] && slices >= 4096);
		base[t] = state[8] | (uint64_t)state[9] << 32;
		CHECK(fake_at(base[t]) && fake_at(base[t] + pitch * slices - 1));
	}
	CHECK(base[0] + s.queue->thread_mem[XT_THREAD_SCRATCH0].part_size == base[1]);
	stack_close(&s);
	CHECK(!fake_leaks(), "%u left behind", fake_leaks());
	return true;
}

/* S136 S138: a module that needs non-uniform groups loads only on a card that has them. */
static bool check_groups(const char *name)
{
	struct stack s = { 0 };
	char path[512];

	fake_start(1, 1);
	snprintf(path, sizeof(path), "%s/tests/data/%s", test_top(), name);
	CHECK(!fake_platform(1, NULL, &s.platform));
	CHECK(!xetile_platform_select(s.platform, "0", &s.device));
	CHECK(!xetile_context_create(s.device, &s.context));
	CHECK(xetile_module_load_file(s.context, path, &s.module) == -EOPNOTSUPP);
	CHECK_TEXT("non-uniform groups");
	stack_close(&s);

	fake.caps |= DRM_XETILE_CAP_NON_UNIFORM_GROUPS;
	CHECK(!fake_platform(1, NULL, &s.platform));
	CHECK(!xetile_platform_select(s.platform, "0", &s.device));
	CHECK(!xetile_context_create(s.device, &s.context));
	CHECK(!xetile_module_load_file(s.context, path, &s.module), "%s", xetile_last_error());
	CHECK(xetile_module_num_kernels(s.module) == 1);
	CHECK(!strcmp(xetile_module_kernel_name(s.module, 0), "lead"));
	stack_close(&s);
	CHECK(!fake_leaks(), "%u left behind", fake_leaks());
	return true;
}

static bool check_one_tile(void)
{
	struct stack s = { 0 };
	const uint32_t *w;

	fake_start(2, 4);
	CHECK(!stack_run(&s, "0.1"), "%s", xetile_last_error());
	CHECK(fake.last.exec.num_batches == 1);
	w = find_walker(fake.last.batches[0]);
	CHECK(w && !(w[0] & PVC_COMPUTE_WALKER0_PARTITION));
	stack_close(&s);
	CHECK(!stack_run(&s, "0.1.3"), "%s", xetile_last_error());
	stack_close(&s);
	CHECK(!fake_leaks());
	return true;
}

/* Checks the target that a queue on a device asks the driver for. */
static bool target_is(const struct xt_env *env, unsigned int tiles, unsigned int mode,
		      const char *selector, enum xetile_queue_class class, uint32_t target,
		      uint32_t tile, uint32_t cslice)
{
	const struct xetile_queue_desc desc = { .engine_class = class };
	struct stack s = { 0 };

	fake_start(tiles, mode);
	CHECK(!fake_platform(1, env, &s.platform));
	CHECK(!xetile_platform_select(s.platform, selector, &s.device));
	CHECK(!xetile_context_create(s.device, &s.context));
	CHECK(!xetile_queue_create(s.context, s.device, &desc, &s.queue), "%s", xetile_last_error());
	CHECK(fake.last_queue.target == target && fake.last_queue.tile == tile &&
	      fake.last_queue.cslice == cslice, "target %u tile %u cslice %u",
	      fake.last_queue.target, fake.last_queue.tile, fake.last_queue.cslice);
	stack_close(&s);
	return true;
}

static bool check_targets(void)
{
	const struct xt_env off = { .scaling = "0" }, one = { .affinity = "0.1" };
	const struct xt_env slice = { .affinity = "0.1.1" }, some = { .affinity = "0.0,0.1" };
	struct stack s = { 0 };

	if (!target_is(NULL, 2, 1, "0", XETILE_COMPUTE, DRM_XETILE_TARGET_ROOT, 0, 0) ||
	    !target_is(NULL, 1, 1, "0", XETILE_COMPUTE, DRM_XETILE_TARGET_TILE, 0, 0) ||
	    !target_is(NULL, 2, 1, "0.1", XETILE_COMPUTE, DRM_XETILE_TARGET_TILE, 1, 0) ||
	    !target_is(NULL, 2, 4, "0.1.3", XETILE_COMPUTE, DRM_XETILE_TARGET_CSLICE, 1, 3) ||
	    !target_is(NULL, 2, 4, "0.1.3", XETILE_COPY, DRM_XETILE_TARGET_TILE, 1, 0) ||
	    !target_is(NULL, 2, 1, "0", XETILE_COPY, DRM_XETILE_TARGET_TILE, 0, 0) ||
	    !target_is(&off, 2, 1, "0", XETILE_COMPUTE, DRM_XETILE_TARGET_TILE, 0, 0) ||
	    !target_is(&one, 2, 1, "0", XETILE_COMPUTE, DRM_XETILE_TARGET_TILE, 1, 0) ||
	    !target_is(&slice, 2, 2, "0", XETILE_COMPUTE, DRM_XETILE_TARGET_CSLICE, 1, 1) ||
	    !target_is(&slice, 2, 2, "0.1", XETILE_COMPUTE, DRM_XETILE_TARGET_CSLICE, 1, 1))
		return false;
	fake_start(4, 1);
	CHECK(!fake_platform(1, &some, &s.platform));
	CHECK(!xetile_platform_select(s.platform, "0", &s.device));
	CHECK(!xetile_context_create(s.device, &s.context));
	CHECK(xetile_queue_create(s.context, s.device, NULL, &s.queue) == -EOPNOTSUPP);
	stack_close(&s);
	return true;
}

static bool check_colors(void)
{
	static const struct {
		const char *text;
		uint32_t color, mask;
		uint64_t granule;
		uint32_t runs;
	} rows[] = {
		{ "even", DRM_XETILE_COLOR_EVEN, 3, 0, 0 },
		{ "tile:1", DRM_XETILE_COLOR_TILE, 2, 0, 0 },
		{ "chunk:128k", DRM_XETILE_COLOR_CHUNK, 3, 131072, 0 },
		{ "follow", DRM_XETILE_COLOR_FOLLOW, 3, 0, 0 },
		{ "weighted:3,1", DRM_XETILE_COLOR_WEIGHTED, 3, 0, 2 },
		{ "map:1*4,0*6", DRM_XETILE_COLOR_MAP, 3, 0, 2 },
	};
	struct stack s = { 0 };
	struct xetile_run runs[8];
	unsigned int i;

	fake_start(2, 1);
	CHECK(!fake_platform(1, NULL, &s.platform));
	CHECK(!xetile_platform_select(s.platform, "0", &s.device));
	CHECK(!xetile_context_create(s.device, &s.context));
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct xetile_mem_desc desc = { .size = 10 * XETILE_COLOR_PAGE };
		/* The first BO is the context's. */
		const struct drm_xetile_bo_create *c = &fake.bos[2].create;

		CHECK(!xetile_color_parse(rows[i].text, &desc));
		CHECK(!xetile_mem_alloc(s.context, s.device, &desc, &s.mem[0]), "%s",
		      xetile_last_error());
		CHECK(c->color == rows[i].color && c->tile_mask == rows[i].mask &&
		      c->granule == rows[i].granule && c->runs.count == rows[i].runs, "%s",
		      rows[i].text);
		CHECK(c->placement == DRM_XETILE_PLACE_HBM && !c->flags);
		if (i == 5)
			CHECK(fake.bos[2].runs[0].tile == 1 && fake.bos[2].runs[1].pages == 6);
		if (i == 2)
			CHECK(xetile_mem_color(s.mem[0], runs, 8) == 5 && runs[4].pages == 2);
		xetile_color_free(&desc);
		xetile_mem_free(s.mem[0]);
		s.mem[0] = NULL;
	}
	stack_close(&s);
	CHECK(!fake_leaks());
	return true;
}

/* The color of a new buffer by what its owner and the environment say */
static bool default_is(const struct xt_env *env, const char *selector, const char *text,
		       uint32_t color, uint64_t granule, uint32_t mask)
{
	struct xetile_mem_desc desc = { .size = 10 * XETILE_COLOR_PAGE };
	const struct drm_xetile_bo_create *c = &fake.bos[2].create;
	struct stack s = { 0 };

	fake_start(2, 1);
	CHECK(!fake_platform(1, env, &s.platform), "%s", xetile_last_error());
	CHECK(!xetile_platform_select(s.platform, selector, &s.device));
	CHECK(!xetile_context_create(s.device, &s.context));
	/* The library's own parts follow the tiles, whatever the environment says. */
	CHECK(fake.bos[1].create.color == DRM_XETILE_COLOR_EVEN);
	CHECK(!text || !xetile_color_parse(text, &desc));
	CHECK(!xetile_mem_alloc(s.context, s.device, &desc, &s.mem[0]), "%s",
	      xetile_last_error());
	CHECK(c->color == color && c->granule == granule && c->tile_mask == mask,
	      "color %u, granule %llu, mask %u", c->color, (unsigned long long)c->granule,
	      c->tile_mask);
	stack_close(&s);
	CHECK(!fake_leaks());
	return true;
}

static bool check_default_color(void)
{
	const struct xt_env even = { .storage_policy = "0", .storage_granularity = "128" };
	const struct xt_env chunk = { .storage_policy = "1" };
	const struct xt_env deal = { .storage_policy = "2", .storage_granularity = "128" };

	return default_is(&even, "0", NULL, DRM_XETILE_COLOR_EVEN, 0, 3) &&
	       default_is(&chunk, "0", NULL, DRM_XETILE_COLOR_CHUNK, 65536, 3) &&
	       default_is(&deal, "0", NULL, DRM_XETILE_COLOR_CHUNK, 131072, 3) &&
	       default_is(&deal, "0.1", NULL, DRM_XETILE_COLOR_CHUNK, 131072, 2) &&
	       default_is(&deal, "0", "even", DRM_XETILE_COLOR_EVEN, 0, 3) &&
	       default_is(&deal, "0", "chunk:64k", DRM_XETILE_COLOR_CHUNK, 65536, 3);
}

static bool check_bad_memory(void)
{
	static const struct xetile_run run = { 0, 1 };
	static const struct xetile_mem_desc bad[] = {
		{ .size = 0 },
		{ .size = 1, .flags = 8 },
		{ .size = 1, .color = XETILE_COLOR_REPLICATE + 1 },
		{ .size = 1, .color = 99 },
		{ .size = 1, .granule = 65536 },
		{ .size = 1, .color = XETILE_COLOR_TILE, .tile = 4 },
		{ .size = 1, .color = XETILE_COLOR_MAP },
		{ .size = 1, .num_runs = 1, .runs = &run },
		{ .size = 1, .flags = XETILE_MEM_SYSTEM, .color = XETILE_COLOR_EVEN },
		{ .size = 1, .flags = XETILE_MEM_SYSTEM | XETILE_MEM_STRICT },
	};
	struct xetile_mem_desc huge = { .size = UINT64_MAX };
	struct stack s = { 0 };
	unsigned int i;

	fake_start(2, 1);
	CHECK(!fake_platform(1, NULL, &s.platform));
	CHECK(!xetile_platform_select(s.platform, "0", &s.device));
	CHECK(!xetile_context_create(s.device, &s.context));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK(xetile_mem_alloc(s.context, s.device, &bad[i], &s.mem[0]) == -EINVAL, "%u", i);
	CHECK(xetile_mem_alloc(s.context, s.device, &huge, &s.mem[0]) == -ENOSPC);
	stack_close(&s);
	CHECK(!fake_leaks());
	return true;
}

/* Ranges and their colors reach the driver; those that are wrong do not. */
static bool check_recolor(void)
{
	static const struct xetile_run runs[] = { { 1, 2 }, { 0, 1 } };
	const struct xetile_mem_range good[] = {
		{ 131072, { .size = 196608, .color = XETILE_COLOR_MAP, .num_runs = 2, .runs = runs } },
		{ 0, { .size = 65536, .color = XETILE_COLOR_TILE, .tile = 1 } },
		{ 327680, { .color = XETILE_COLOR_CHUNK, .granule = 131072 } },
	};
	const struct xetile_mem_range bad[] = {
		{ 655360, { .size = 65536 } },
		{ 65536, { .size = 655360 } },
		{ 65536, { .size = UINT64_MAX } },
		{ 0, { .flags = XETILE_MEM_STRICT } },
		{ 0, { .color = 99 } },
		{ 0, { .color = XETILE_COLOR_TILE, .tile = 4 } },
		{ 0, { .granule = 65536 } },
	};
	const struct drm_xetile_bo_range *r = fake.last_ranges;
	struct xetile_mem_desc desc = { .size = 10 * XETILE_COLOR_PAGE };
	struct stack s = { 0 };
	unsigned int i;

	fake_start(2, 1);
	CHECK(!fake_platform(1, NULL, &s.platform));
	CHECK(!xetile_platform_select(s.platform, "0", &s.device));
	CHECK(!xetile_context_create(s.device, &s.context));
	CHECK(!xetile_mem_alloc(s.context, s.device, &desc, &s.mem[0]));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK(xetile_mem_recolor(s.mem[0], s.device, &bad[i], 1) == -EINVAL, "%u", i);
	CHECK(xetile_mem_recolor(s.mem[0], s.device, good, 0) == -EINVAL);
	CHECK(!fake.last_recolor.handle);

	CHECK(!xetile_mem_recolor(s.mem[0], s.device, good, 3), "%s", xetile_last_error());
	CHECK(fake.last_recolor.handle == s.mem[0]->handle &&
	      fake.last_recolor.ranges.count == 3 && !fake.last_recolor.syncs.count);
	CHECK(r[0].offset == 131072 && r[0].size == 196608 && r[0].tile_mask == 3 &&
	      r[0].color == DRM_XETILE_COLOR_MAP && r[0].runs.count == 2);
	CHECK(fake.last_runs[0].tile == 1 && fake.last_runs[0].pages == 2);
	CHECK(!r[1].offset && r[1].color == DRM_XETILE_COLOR_TILE && r[1].tile_mask == 2 &&
	      !r[1].runs.count);
	CHECK(r[2].size == 327680 && r[2].granule == 131072 && r[2].tile_mask == 3);

	fake.fail_request = DRM_IOCTL_XETILE_BO_RECOLOR;
	fake.fail_errno = -ENOSPC;
	CHECK(xetile_mem_recolor(s.mem[0], s.device, good, 3) == -ENOSPC);
	CHECK_TEXT("cannot recolor memory");
	fake.fail_request = 0;
	stack_close(&s);

	fake.caps = DRM_XETILE_CAP_GANG;
	CHECK(!fake_platform(1, NULL, &s.platform));
	CHECK(!xetile_platform_select(s.platform, "0", &s.device));
	CHECK(!xetile_context_create(s.device, &s.context));
	CHECK(!xetile_mem_alloc(s.context, s.device, &desc, &s.mem[0]));
	CHECK(xetile_mem_recolor(s.mem[0], s.device, good, 3) == -EOPNOTSUPP);
	stack_close(&s);
	CHECK(!fake_leaks());
	return true;
}

/* Every ioctl fails once with every errno: the call returns the errno and leaves no object. */
static bool check_failures(void)
{
	static const unsigned long requests[] = {
		DRM_IOCTL_VERSION, DRM_IOCTL_XETILE_QUERY,
		DRM_IOCTL_XETILE_BO_CREATE, DRM_IOCTL_XETILE_BO_MMAP,
		DRM_IOCTL_XETILE_VM_CREATE, DRM_IOCTL_XETILE_VM_BIND,
		DRM_IOCTL_XETILE_QUEUE_CREATE, DRM_IOCTL_XETILE_EXEC,
		DRM_IOCTL_SYNCOBJ_CREATE, DRM_IOCTL_SYNCOBJ_WAIT,
		DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, SYNC_IOC_FILE_INFO,
	};
	static const int errors[] = { -ENOSPC, -ENODEV, -EIO, -ENOMEM };
	unsigned int i, e;

	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		for (e = 0; e < ARRAY_SIZE(errors); e++) {
			struct stack s = { 0 };
			int err;

			fake_start(2, 1);
			fake.fail_request = requests[i];
			fake.fail_errno = errors[e];
			xt_error(0, "%s", "");
			err = stack_run(&s, "0");
			CHECK(err == errors[e], "request 0x%lx: %d, not %d", requests[i], err,
			      errors[e]);
			CHECK(*xetile_last_error());
			fake.fail_request = 0;
			stack_close(&s);
			CHECK(!fake_leaks(), "request 0x%lx: %u left behind", requests[i],
			      fake_leaks());
		}
	}
	return true;
}

static bool check_fence_errors(void)
{
	struct stack s = { 0 };

	fake_start(2, 1);
	fake.fence_error = -ETIME;
	CHECK(stack_run(&s, "0") == -ETIME);
	CHECK_TEXT("stopped");
	stack_close(&s);
	fake_start(2, 1);
	fake.hold = true;
	CHECK(stack_run(&s, "0") == -ETIMEDOUT);
	CHECK(xetile_event_status(s.event) == -EINPROGRESS);
	stack_close(&s);
	CHECK(!fake_leaks());
	return true;
}

/* Slots are used again: a thousand launches take no more memory than a few. */
static bool check_reuse(void)
{
	const struct xetile_launch_desc launch = { .groups = { 1 }, .local = { 32 } };
	struct stack s = { 0 };
	unsigned int i, bos = 0;
	uint64_t offset;

	fake_start(2, 1);
	CHECK(!stack_run(&s, "0"));
	offset = fake.next_offset;
	for (i = 0; i < 1000; i++)
		CHECK(!xetile_launch(s.queue, s.kernel, &launch, 0, NULL, NULL));
	CHECK(fake.next_offset == offset);
	/* Each unfinished launch has a slot of its own, up to a bound. */
	fake.hold = true;
	for (i = 0; i < 10; i++)
		CHECK(!xetile_launch(s.queue, s.kernel, &launch, 0, NULL, NULL));
	for (i = 0; i < FAKE_MAX; i++)
		bos += fake.bos[i].used;
	CHECK(bos >= 10 + 4 && bos < 20, "%u", bos);
	stack_close(&s);
	CHECK(!fake_leaks());
	return true;
}

/* Returns the machine code of a kernel that is loaded on a tile. */
static const uint8_t *loaded_text(const struct xetile_module *m, unsigned int kernel,
				  unsigned int tile)
{
	return fake_at(m->image->addr + tile * m->image_size +
		       m->zebin.kernels[kernel].image_offset);
}

static bool holds_u32(const uint8_t *text, uint64_t size, uint32_t value)
{
	uint64_t i;

	for (i = 0; i + 4 <= size; i += 4) {
		if (!memcmp(text + i, &value, 4))
			return true;
	}
	return false;
}

/* The machine code has the addresses of constants and of globals, and memory has their values. */
static bool check_data(const char *file)
{
	static const uint32_t table[] = { 3, 1, 4, 1, 5, 9, 2, 6 };
	const uint32_t pair[2] = { 7, 8 }, vec[4] = { 1, 2, 3 };
	const uint8_t byte = 9;
	struct stack s = { 0 };
	const struct xetile_module *m;
	const uint32_t *global;
	const uint8_t *text;
	char path[512];
	unsigned int t;

	fake_start(2, 1);
	CHECK(!stack_run(&s, "0"));
	xetile_kernel_destroy(s.kernel);
	s.kernel = NULL;
	xetile_module_unload(s.module);
	s.module = NULL;
	snprintf(path, sizeof(path), "%s/tests/data/%s", test_top(), file);
	CHECK(!xetile_module_load_file(s.context, path, &s.module), "%s", xetile_last_error());
	m = s.module;
	CHECK(m->zebin.num_kernels == 3 && !strcmp(m->zebin.kernels[0].name, "consts"));
	CHECK(m->data[0] && m->data[1]);
	CHECK(!memcmp(fake_at(m->data[0]->addr), table, sizeof(table)));
	global = fake_at(m->data[1]->addr);
	CHECK(global[0] == 41 && !global[1] && !global[64]);
	/* Each tile's copy of relocated code has the addresses. */
	for (t = 0; t < 2; t++) {
		text = loaded_text(m, 0, t);
		if (strstr(file, "22_43"))
			CHECK(holds_u32(text, m->zebin.kernels[0].text_size, m->data[0]->addr) &&
			      holds_u32(text, m->zebin.kernels[0].text_size, m->data[1]->addr));
	}
	CHECK(!xetile_kernel_create(s.module, "odd_args", &s.kernel));
	CHECK(!xetile_kernel_set_mem(s.kernel, 0, s.mem[0], 0));
	CHECK(!xetile_kernel_set_value(s.kernel, 1, pair, sizeof(pair)), "%s", xetile_last_error());
	CHECK(!xetile_kernel_set_value(s.kernel, 2, &byte, sizeof(byte)), "%s", xetile_last_error());
	CHECK(xetile_kernel_set_value(s.kernel, 2, pair, 4) == -EINVAL);
	CHECK(xetile_kernel_set_value(s.kernel, 1, pair, 4) == -EINVAL);
	CHECK(!xetile_kernel_set_value(s.kernel, 3, vec, sizeof(vec)), "%s", xetile_last_error());
	CHECK(!xetile_launch(s.queue, s.kernel,
			     &(struct xetile_launch_desc){ .groups = { 2 }, .local = { 16 } },
			     0, NULL, NULL));
	stack_close(&s);
	CHECK(!fake_leaks());
	return true;
}

/* The tables of a file need not be aligned. */
typedef Elf64_Shdr file_section __attribute__((aligned(1)));
typedef Elf64_Sym file_symbol __attribute__((aligned(1)));

/*
 * Give the symbol op_add of a file a name of @len characters, in a string table that is copied to
 * the file's end.
 */
static int load_renamed(struct xetile_context *context, const char *path, size_t len,
			struct xetile_module **out)
{
	FILE *in = fopen(path, "rb");
	static uint8_t file[1 << 16] __attribute__((aligned(8)));
	size_t size = in ? fread(file, 1, sizeof(file) / 2, in) : 0;
	Elf64_Ehdr *head = (void *)file;
	file_section *sections = (void *)(file + head->e_shoff), *table, *names;
	file_symbol *sym;
	unsigned int i;

	if (in)
		fclose(in);
	for (table = sections; size && table->sh_type != SHT_SYMTAB;)
		table++;
	if (!size)
		return -EIO;
	names = &sections[table->sh_link];
	sym = (void *)(file + table->sh_offset);
	memcpy(file + size, file + names->sh_offset, names->sh_size);
	for (i = 0; i < table->sh_size / sizeof(*sym); i++) {
		if (!strcmp((char *)file + names->sh_offset + sym[i].st_name, "op_add"))
			sym[i].st_name = names->sh_size;
	}
	names->sh_offset = size;
	memset(file + size + names->sh_size, 'a', len);
	file[size + names->sh_size + len] = 0;
	names->sh_size += len + 1;
	return xetile_module_load(context, file, size + names->sh_size, out);
}

/* A name that is too long is no other function's, and not the one of its first characters. */
static bool check_long_name(void)
{
	struct stack s = { 0 };
	uint64_t address;
	char path[512], name[64];

	memset(name, 'a', 63);
	name[63] = 0;
	fake_start(2, 1);
	snprintf(path, sizeof(path), "%s/tests/data/pointers_22_43.bin", test_top());
	CHECK(!fake_platform(1, NULL, &s.platform));
	CHECK(!xetile_platform_select(s.platform, "0", &s.device));
	CHECK(!xetile_context_create(s.device, &s.context));
	CHECK(!load_renamed(s.context, path, 63, &s.module), "%s", xetile_last_error());
	CHECK(!xetile_module_function_address(s.module, name, &address));
	xetile_module_unload(s.module);
	CHECK(!load_renamed(s.context, path, 64, &s.module), "%s", xetile_last_error());
	CHECK(xetile_module_function_address(s.module, name, &address) == -ENOENT);
	stack_close(&s);
	CHECK(!fake_leaks());
	return true;
}

/* The pointer to a function is where its code is, from the base of instructions, on each tile. */
static bool check_pointers(void)
{
	struct stack s = { 0 };
	const struct xetile_module *m;
	uint64_t add, multiply, none = 7;
	const uint8_t *loaded;
	char path[512], name[70];
	unsigned int t;

	fake_start(2, 1);
	CHECK(!stack_run(&s, "0"));
	CHECK(xetile_module_function_address(s.module, "op_add", &none) == -ENOENT);
	xetile_kernel_destroy(s.kernel);
	s.kernel = NULL;
	xetile_module_unload(s.module);
	s.module = NULL;
	snprintf(path, sizeof(path), "%s/tests/data/pointers_22_43.bin", test_top());
	CHECK(!xetile_module_load_file(s.context, path, &s.module), "%s", xetile_last_error());
	m = s.module;
	CHECK(!xetile_module_function_address(m, "op_add", &add), "%s", xetile_last_error());
	CHECK(!xetile_module_function_address(m, "op_multiply", &multiply));
	/* The file says where they are in their section: at 0x30 and 0x100. */
	CHECK(multiply - add == 0x100 - 0x30 && add - 0x30 == m->zebin.functions.image_offset);
	for (t = 0; t < 2; t++) {
		loaded = fake_at(m->image->addr + t * m->image_size + add);
		CHECK(!memcmp(loaded, m->zebin.functions.text + 0x30, 0x100 - 0x30));
	}
	/* Kernels and what is not exported are no functions to call. */
	CHECK(xetile_module_function_address(m, "apply", &none) == -ENOENT);
	CHECK_TEXT("no function apply");
	CHECK(xetile_module_function_address(m, "_entry", &none) == -ENOENT);
	CHECK(xetile_module_function_address(m, "Intel_Symbol_Table_Void_Program", &none) ==
	      -ENOENT);
	memset(name, 'a', sizeof(name));
	name[64] = 0;
	CHECK(xetile_module_function_address(m, name, &none) == -ENAMETOOLONG);
	CHECK(none == 7);
	stack_close(&s);
	CHECK(!fake_leaks());
	return true;
}

static bool check_misuse(void)
{
	const struct xetile_launch_desc launch = { .groups = { 1 }, .local = { 32 } };
	struct stack s = { 0 };
	struct xetile_kernel *kernel;
	uint64_t wrong = 0;
	size_t size;

	fake_start(2, 1);
	CHECK(!stack_run(&s, "0"));
	CHECK(xetile_kernel_create(s.module, "nothing", &kernel) == -ENOENT);
	CHECK(xetile_kernel_set_value(s.kernel, 3, &wrong, sizeof(wrong)) == -EINVAL);
	CHECK_TEXT("takes 4 bytes");
	CHECK(xetile_kernel_set_value(s.kernel, 0, &wrong, 8) == -EINVAL);
	CHECK_TEXT("takes memory");
	CHECK(xetile_kernel_set_mem(s.kernel, 3, s.mem[0], 0) == -EINVAL);
	CHECK(xetile_kernel_set_mem(s.kernel, 4, s.mem[0], 0) == -EINVAL);
	CHECK(xetile_kernel_set_mem(s.kernel, 0, s.mem[0], 10 * XETILE_COLOR_PAGE) == -EINVAL);
	CHECK(xetile_kernel_set_local(s.kernel, 0, 16) == -EINVAL);
	CHECK(xetile_kernel_arg(s.kernel, 3, &size) == XETILE_ARG_VALUE && size == 4);
	CHECK(xetile_kernel_arg(s.kernel, 4, &size) == -EINVAL);
	CHECK(xetile_launch(s.copy, s.kernel, &launch, 0, NULL, NULL) == -EINVAL);
	CHECK(xetile_copy(s.queue, s.mem[0], 0, s.mem[1], 0, 1, 0, NULL, NULL) == -EINVAL);
	CHECK(xetile_copy(s.copy, s.mem[0], 0, s.mem[1], 0, 0, 0, NULL, NULL) == -EINVAL);
	CHECK(xetile_copy(s.copy, s.mem[0], 1, s.mem[1], 0, 10 * XETILE_COLOR_PAGE, 0, NULL,
			  NULL) == -EINVAL);
	CHECK(xetile_copy(s.copy, s.mem[0], UINT64_MAX, s.mem[1], 0, 2, 0, NULL, NULL) == -EINVAL);
	CHECK(xetile_copy(s.copy, s.mem[0], 0, s.mem[0], 5, 10, 0, NULL, NULL) == -EINVAL);
	CHECK_TEXT("overlap");
	CHECK(!xetile_copy(s.copy, s.mem[0], 0, s.mem[0], 10, 10, 0, NULL, NULL));
	CHECK(!xetile_fill(s.copy, s.mem[0], 5, 100, 7, 0, NULL, NULL));
	stack_close(&s);
	CHECK(!fake_leaks());
	return true;
}

/* Whether the batch of the last submission, which ends before the end of its slot, uses @addr */
static bool last_uses(uint64_t addr)
{
	const uint32_t *dw = fake_at(fake.last.batches[0]);
	unsigned int i;

	for (i = 0; dw && i < 1024 && dw[i] != PVC_MI_BATCH_BUFFER_END; i++) {
		if (((uint64_t)dw[i + 1] << 32 | dw[i]) == addr)
			return true;
	}
	return false;
}

/* The address of the fence at the end of a batch; 0: it has none. */
static uint64_t fence_of(uint64_t batch)
{
	const uint32_t *dw = fake_at(batch);
	unsigned int i;

	for (i = 0; dw && i < 1024 && dw[i] != PVC_MI_BATCH_BUFFER_END; i++) {
		if (dw[i] == PVC_STATE_SYSTEM_MEM_FENCE_ADDRESS)
			return (uint64_t)dw[i + 2] << 32 | dw[i + 1];
	}
	return 0;
}

/*
 * Fences have memory that no buffer shares, on the tile that they are for, until the context is
 * destroyed.
 */
static bool check_fences(void)
{
	struct stack s = { 0 };
	uint64_t root[2], copy;
	unsigned int t, i;

	fake_start(2, 1);
	CHECK(!stack_run(&s, "0"));
	for (t = 0; t < 2; t++) {
		root[t] = fence_of(fake.last.batches[t]);
		CHECK(root[t] && root[t] % 4096 == 0 && fake_at(root[t]) &&
		      fake_at(root[t] + 4095));
		for (i = 0; i < 3; i++)
			CHECK(root[t] + 4096 <= s.mem[i]->addr ||
			      root[t] >= s.mem[i]->addr + s.mem[i]->size);
	}
	CHECK(root[1] == root[0] + XETILE_COLOR_PAGE);
	CHECK(!xetile_fill(s.copy, s.mem[0], 0, 100, 7, 0, NULL, NULL));
	copy = fence_of(fake.last.batches[0]);
	CHECK(copy == root[0]);
	stack_close(&s);
	CHECK(!fake_leaks());
	CHECK(!fake_at(root[0]));
	return true;
}

/* A driver whose interface is older maps no DRM_XETILE_VA_NOWHERE; another major is no driver. */
static bool check_versions(void)
{
	struct stack s = { 0 };
	int minor;

	for (minor = 0; minor <= DRM_XETILE_VERSION_MINOR + 1; minor++) {
		fake_start(2, 1);
		fake.minor = minor;
		CHECK(!stack_run(&s, "0"), "%s", xetile_last_error());
		CHECK(!xetile_copy(s.copy, s.mem[0], 0, s.mem[1], 0, 100, 0, NULL, NULL));
		CHECK(last_uses(s.mem[0]->addr) && last_uses(s.mem[1]->addr));
		CHECK(last_uses(DRM_XETILE_VA_NOWHERE) == (minor >= 1), "copy, version 1.%d", minor);
		CHECK(!xetile_fill(s.copy, s.mem[0], 0, 100, 7, 0, NULL, NULL));
		CHECK(last_uses(s.mem[0]->addr));
		CHECK(last_uses(DRM_XETILE_VA_NOWHERE) == (minor >= 1), "fill, version 1.%d", minor);
		stack_close(&s);
	}
	fake_start(2, 1);
	fake.major = DRM_XETILE_VERSION_MAJOR + 1;
	CHECK(stack_run(&s, "0") == -EPROTO);
	CHECK_TEXT("interface has version 2, not 1");
	stack_close(&s);
	CHECK(!fake_leaks());
	return true;
}

/* A device called xe is the driver's if it answers the query; xe's own is let go as it is. */
static bool check_names(void)
{
	static const char * const strange[] = { "x", "xet", "xetil", "xetile2", "i915", "" };
	struct xetile_context *context;
	struct stack s = { 0 };
	unsigned int i;

	fake_start(2, 1);
	fake.name = "xe";
	CHECK(!stack_run(&s, "0"), "%s", xetile_last_error());
	for (i = 0; i < ARRAY_SIZE(strange); i++) {
		fake.name = strange[i];
		CHECK(xetile_context_create(s.device, &context) == -EPROTO, "%s", strange[i]);
		CHECK_TEXT("not to xetile");
	}
	fake.name = "xe";
	fake.fail_request = DRM_IOCTL_XETILE_QUERY;
	fake.fail_errno = -EINVAL;
	CHECK(xetile_context_create(s.device, &context) == -EPROTO);
	CHECK_TEXT("belongs to driver 'xe', not to xetile");
	fake.fail_request = 0;
	stack_close(&s);
	CHECK(!fake_leaks());
	return true;
}

int main(void)
{
	test_run("S12 S38: a launch on the root reaches both tiles", check_launch());
	test_run("S31 S39: a launch on a tile or cslice is not partitioned", check_one_tile());
	test_run("S43 S46 S54 S55 S89: targets of queues", check_targets());
	test_run("S40 S41 S5: colors reach the driver", check_colors());
	test_run("S56 S57 C12: the environment's color is the default", check_default_color());
	test_run("bad descriptions of memory are refused", check_bad_memory());
	test_run("ranges of memory and their colors reach the driver", check_recolor());
	test_run("every ioctl may fail: no object is left behind", check_failures());
	test_run("an event returns the error of its fence", check_fence_errors());
	test_run("slots of a queue are used again", check_reuse());
	test_run("fences have memory of their own", check_fences());
	test_run("a driver's version says what batches may use", check_versions());
	test_run("a device called xe is used if it is the driver's", check_names());
	test_run("data of a module, ocloc 22.43", check_data("data_22_43.bin"));
	test_run("data of a module, ocloc 26.27", check_data("data_26_27.bin"));
	test_run("pointers to functions of a module", check_pointers() && check_long_name());
	test_run("scratch memory of a launch", check_scratch());
	test_run("S136 S138: groups need the capability, ocloc 22.43",
		 check_groups("groups_22_43.bin"));
	test_run("S136 S138: groups need the capability, ocloc 26.27",
		 check_groups("groups_26_27.bin"));
	test_run("misuse is refused", check_misuse());
	return test_end();
}
