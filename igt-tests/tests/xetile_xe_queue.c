// SPDX-License-Identifier: MIT
/*
 * Exec queues of xe_drm.h: which engines they get, their properties, their ban, and bad input in
 * every field. Gaps of the map of runtimes: M8, M10, M12, T1, T4.
 *
 * suite: igt 1-tile 4-tiles
 */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_xe_exec.h"

IGT_TEST_DESCRIPTION("Exec queues by the calls of the xe driver");

#define XE_COPY		DRM_XE_ENGINE_CLASS_COPY
#define XE_COMPUTE	DRM_XE_ENGINE_CLASS_COMPUTE
#define XE_BIND		DRM_XE_ENGINE_CLASS_VM_BIND
/* As xe_drm.h of newer kernels has it */
#define LOW_LATENCY_HINT	1u

#define MI_LOAD_REGISTER_IMM	(0x22u << 23 | 1 | 1u << 19)	/* by the engine's base */
#define REG_WPARID		0x21cu

static struct xetile_card card = { .fd = -1 };

/* Mask of the copy engines of a tile that the card lists */
static uint32_t copies(uint32_t tile)
{
	struct drm_xetile_query_engine engines[64];
	uint32_t n = xetile_query(card.fd, DRM_XETILE_QUERY_ENGINES, XETILE_ARRAY(engines, 64));
	uint32_t mask = 0;

	for (uint32_t i = 0; i < n; i++)
		if (engines[i].tile == tile && engines[i].engine_class == COPY)
			mask |= 1u << engines[i].instance;
	igt_assert(mask);
	return mask;
}

static void set_mode(unsigned int mode)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", mode);
	igt_require_f(card.tiles[0].ccs_modes & (1u << mode), "no mode %u\n", mode);
	xetile_set_ccs_mode(card.fd, text);
}

/* --- placements ----------------------------------------------------------- */

static uint64_t store_batch(struct ctx *c, uint32_t value)
{
	struct xetile_batch b;

	batch_begin(&b, &c->batch, 15 * SZ_4K);
	batch_store(&b, c->gate.addr + SZ_4K, value, false);
	batch_end(&b);
	return batch_addr(&b);
}

/* M10: each set of copy engines: a batch runs, on an engine of the set. */
static void test_masks(uint32_t tile)
{
	uint32_t all = copies(tile), value = 0;
	struct ctx c;

	ctx_init(&c, card.fd);
	for (uint32_t mask = 1; mask <= all; mask++) {
		uint32_t q;

		if (mask & ~all)
			continue;
		q = xe_queue(c.fd, c.vm, tile, XE_COPY, mask);
		igt_assert_eq_u32(xe_instance(c.fd, q), 0xffff);
		xe_run(c.fd, q, store_batch(&c, ++value));
		igt_assert_eq_u32(c.gate.map[SZ_4K / 4], value);
		igt_assert_f(mask & (1u << xe_instance(c.fd, q)), "mask %x: engine %u\n", mask,
			     xe_instance(c.fd, q));
		xe_queue_destroy(c.fd, q);
	}
	ctx_fini(&c);
}

/*
 * As many queues as there are engines in a set, each with a batch that runs until the test ends
 * it: all run at the same time, each on its own engine of the set. One more has to share, and has
 * its turn.
 */
static void spread(uint32_t tile, uint32_t class, uint32_t mask)
{
	unsigned int num = __builtin_popcount(mask), n = 0;
	struct xe_held held[16];
	uint32_t used = 0, i;
	struct ctx c;

	ctx_init(&c, card.fd);
	for (n = 0; n < num; n++)
		xe_held_start(&held[n], &c, xe_queue(c.fd, c.vm, tile, class, mask), n);
	for (n = 0; n < num; n++) {
		xetile_assert_soon(xe_held_runs(&held[n]));
		xetile_assert_soon((i = xe_instance(c.fd, held[n].queue)) != 0xffff);
		igt_assert_eq(used & (1u << i), 0);
		used |= 1u << i;
	}
	if (class == XE_COPY)
		igt_assert_eq_u32(used, mask);
	xe_held_start(&held[num], &c, xe_queue(c.fd, c.vm, tile, class, mask), num);
	xetile_assert_soon(xe_held_runs(&held[num]));
	for (n = 0; n <= num; n++) {
		xe_held_end(&held[n]);
		xe_queue_destroy(c.fd, held[n].queue);
	}
	ctx_fini(&c);
}

static void test_spread(uint32_t tile)
{
	uint32_t all = copies(tile);

	spread(tile, XE_COPY, all);
	spread(tile, XE_COPY, all & 0xaa ?: all);
	spread(tile, XE_COPY, all & ~1u ?: all);
	spread(tile, XE_COPY, 1);
}

/* A queue with a choice does not take the engine of one without. */
static void test_choice(uint32_t tile)
{
	uint32_t all = copies(tile), second = 31 - __builtin_clz(all);
	struct xe_held alone, choice;
	struct ctx c;

	igt_require(all != 1);
	ctx_init(&c, card.fd);
	xe_held_start(&alone, &c, xe_queue(c.fd, c.vm, tile, XE_COPY, 1), 0);
	xetile_assert_soon(xe_held_runs(&alone));
	xe_held_start(&choice, &c, xe_queue(c.fd, c.vm, tile, XE_COPY, 1 | 1u << second), 1);
	xetile_assert_soon(xe_held_runs(&choice));
	igt_assert_eq_u32(xe_instance(c.fd, alone.queue), 0);
	igt_assert_eq_u32(xe_instance(c.fd, choice.queue), second);
	xe_held_end(&alone);
	/* The next batch finds the other engine the less busy one. */
	xe_queue_destroy(c.fd, alone.queue);
	alone.queue = xe_queue(c.fd, c.vm, tile, XE_COPY, 1 | 1u << second);
	xe_held_start(&alone, &c, alone.queue, 0);
	xetile_assert_soon(xe_held_runs(&alone));
	igt_assert_eq_u32(xe_instance(c.fd, alone.queue), 0);
	xe_held_end(&alone);
	xe_held_end(&choice);
	xe_queue_destroy(c.fd, alone.queue);
	xe_queue_destroy(c.fd, choice.queue);
	ctx_fini(&c);
}

/* Compute engines are virtual slices: by number one each, by a set any that is free. */
static void test_slices(unsigned int mode)
{
	uint32_t all = (1u << mode) - 1, used = 0, i, q;
	struct xe_held held[4];
	struct ctx c;

	set_mode(mode);
	ctx_init(&c, card.fd);
	for (unsigned int v = 0; v < mode; v++)
		xe_held_start(&held[v], &c, xe_queue(c.fd, c.vm, 0, XE_COMPUTE, 1u << v), v);
	for (unsigned int v = 0; v < mode; v++) {
		xetile_assert_soon(xe_held_runs(&held[v]));
		i = xe_instance(c.fd, held[v].queue);
		igt_assert_eq(used & (1u << i), 0);
		used |= 1u << i;
	}
	for (unsigned int v = 0; v < mode; v++) {
		xe_held_end(&held[v]);
		xe_queue_destroy(c.fd, held[v].queue);
	}
	spread(0, XE_COMPUTE, all);
	/* A slice of the process that has work is left to it. */
	xe_held_start(&held[0], &c, xe_queue(c.fd, c.vm, 0, XE_COMPUTE, 1), 0);
	xetile_assert_soon(xe_held_runs(&held[0]));
	q = xe_queue(c.fd, c.vm, 0, XE_COMPUTE, all);
	xe_run(c.fd, q, store_batch(&c, 7));
	if (mode > 1)
		igt_assert_neq(xe_instance(c.fd, q), xe_instance(c.fd, held[0].queue));
	xe_held_end(&held[0]);
	xe_queue_destroy(c.fd, held[0].queue);
	xe_queue_destroy(c.fd, q);
	/* The mode has no more. */
	igt_assert_eq(__xe_queue(c.fd, c.vm, 0, XE_COMPUTE, 1u << mode, NULL, &q), -EINVAL);
	igt_assert_eq(__xe_queue(c.fd, c.vm, 0, XE_COMPUTE, all | 1u << mode, NULL, &q), -EINVAL);
	ctx_fini(&c);
	xetile_set_ccs_mode(card.fd, "1");
}

/* --- T1: the partition registers are the batches' own --------------------- */

static uint64_t partition_batch(struct ctx *c, bool set, uint32_t value)
{
	struct xetile_batch b;

	batch_begin(&b, &c->batch, 14 * SZ_4K);
	if (set) {
		batch_emit(&b, MI_LOAD_REGISTER_IMM);
		batch_emit(&b, REG_WPARID);
		batch_emit(&b, value);
	}
	batch_store_reg(&b, REG_WPARID, c->gate.addr + SZ_4K);
	batch_end(&b);
	return batch_addr(&b);
}

/*
 * A number that one batch sets holds in later batches, although the engine has had other contexts
 * meanwhile, and restores this one. A queue of the driver's own interface begins with its own.
 */
static void test_partition(uint32_t class)
{
	uint32_t q, other, native;
	struct ctx c;

	ctx_init(&c, card.fd);
	q = xe_queue(c.fd, c.vm, 0, class, 1);
	other = xe_queue(c.fd, c.vm, 0, class, 1);
	native = xetile_queue(c.fd, c.vm, class == XE_COPY ? COPY : COMPUTE, TILE, 0, 0);
	xe_run(c.fd, q, partition_batch(&c, true, 5));
	igt_assert_eq_u32(c.gate.map[SZ_4K / 4], 5);
	for (unsigned int i = 0; i < 8; i++) {
		xe_run(c.fd, other, partition_batch(&c, true, 9));
		xetile_run(c.fd, native, partition_batch(&c, false, 0));
		igt_assert_eq_u32(c.gate.map[SZ_4K / 4], 0);
		xe_run(c.fd, q, partition_batch(&c, false, 0));
		igt_assert_eq_u32(c.gate.map[SZ_4K / 4], 5);
	}
	xetile_queue_destroy(c.fd, native);
	xe_queue_destroy(c.fd, other);
	xe_queue_destroy(c.fd, q);
	ctx_fini(&c);
}

/* Likewise in the midst of a batch, which another queue interrupts: the restore leaves it alone. */
static void test_partition_restore(uint32_t class)
{
	struct xetile_batch b;
	uint32_t q, other, fence = xetile_syncobj(card.fd);
	struct ctx c;

	ctx_init(&c, card.fd);
	q = xe_queue(c.fd, c.vm, 0, class, 1);
	other = xe_queue(c.fd, c.vm, 0, class, 1);
	batch_begin(&b, &c.batch, 0);
	batch_emit(&b, MI_LOAD_REGISTER_IMM);
	batch_emit(&b, REG_WPARID);
	batch_emit(&b, 5);
	batch_store(&b, c.gate.addr + 8, 1, false);
	batch_wait(&b, c.gate.addr, 1);
	batch_store_reg(&b, REG_WPARID, c.gate.addr + 16);
	batch_end(&b);
	igt_assert_eq(__xe_exec_batch(c.fd, q, batch_addr(&b), fence), 0);
	xetile_assert_soon(*(volatile uint32_t *)&c.gate.map[2]);
	xe_run(c.fd, other, store_batch(&c, 1));
	*(volatile uint32_t *)c.gate.map = 1;
	xetile_wait_done(c.fd, fence);
	igt_assert_eq_u32(c.gate.map[4], 5);
	xetile_syncobj_destroy(c.fd, fence);
	xe_queue_destroy(c.fd, other);
	xe_queue_destroy(c.fd, q);
	ctx_fini(&c);
}

/* --- properties ----------------------------------------------------------- */

static int with_property(uint32_t class, uint32_t property, uint64_t value)
{
	struct drm_xe_ext_set_property ext = {
		.base.name = DRM_XE_EXEC_QUEUE_EXTENSION_SET_PROPERTY,
		.property = property, .value = value,
	};
	uint32_t vm = xetile_vm(card.fd), q;
	int err = __xe_queue(card.fd, vm, 0, class, 1, &ext, &q);

	if (!err)
		xe_queue_destroy(card.fd, q);
	xetile_vm_destroy(card.fd, vm);
	return err;
}

static void check_priorities(uint32_t class, int high)
{
	const uint32_t priority = DRM_XE_EXEC_QUEUE_SET_PROPERTY_PRIORITY;

	igt_assert_eq(with_property(class, priority, 0), 0);
	igt_assert_eq(with_property(class, priority, 1), 0);
	igt_assert_eq(with_property(class, priority, 2), high);
	igt_assert_eq(with_property(class, priority, 3), -EINVAL);
	igt_assert_eq(with_property(class, priority, 1ull << 32), -EINVAL);
	igt_assert_eq(with_property(class, priority, ~0ull), -EINVAL);
}

static void test_priority(void)
{
	static const uint32_t all[] = { XE_COPY, XE_COMPUTE };

	for (unsigned int i = 0; i < ARRAY_SIZE(all); i++)
		check_priorities(all[i], 0);
	igt_fork(child, 1) {
		igt_assert_eq(setuid(65534), 0);
		for (unsigned int i = 0; i < ARRAY_SIZE(all); i++)
			check_priorities(all[i], -EPERM);
	}
	igt_waitchildren();
}

/* A batch of a low priority that keeps its engine is interrupted by one of a normal priority. */
static void test_priority_order(void)
{
	struct drm_xe_ext_set_property low = {
		.base.name = DRM_XE_EXEC_QUEUE_EXTENSION_SET_PROPERTY,
		.property = DRM_XE_EXEC_QUEUE_SET_PROPERTY_PRIORITY,
	};
	struct xe_held background, first;
	uint32_t q, fence = xetile_syncobj(card.fd);
	struct ctx c;

	ctx_init(&c, card.fd);
	igt_assert_eq(__xe_queue(c.fd, c.vm, 0, XE_COPY, 1, &low, &q), 0);
	xe_held_start(&background, &c, q, 0);
	xetile_assert_soon(xe_held_runs(&background));
	xe_held_start(&first, &c, xe_queue(c.fd, c.vm, 0, XE_COPY, 1), 1);
	xetile_assert_soon(xe_held_runs(&first));
	/* As long as the normal one runs, a second one of a low priority waits. */
	igt_assert_eq(__xe_queue(c.fd, c.vm, 0, XE_COPY, 1, &low, &q), 0);
	c.gate.map[SZ_4K / 4] = 0;
	igt_assert_eq(__xe_exec_batch(c.fd, q, store_batch(&c, 1), fence), 0);
	xe_held_end(&first);
	xetile_wait_done(c.fd, fence);
	xe_held_end(&background);
	xe_queue_destroy(c.fd, first.queue);
	xe_queue_destroy(c.fd, background.queue);
	xe_queue_destroy(c.fd, q);
	xetile_syncobj_destroy(c.fd, fence);
	ctx_fini(&c);
}

static void test_timeslice(void)
{
	const uint32_t slice = DRM_XE_EXEC_QUEUE_SET_PROPERTY_TIMESLICE;
	unsigned int least, most;

	least = xetile_sysfs_uint(card.fd, 0, "engines/ccs/timeslice_duration_min");
	most = xetile_sysfs_uint(card.fd, 0, "engines/ccs/timeslice_duration_max");
	igt_assert_eq(with_property(XE_COMPUTE, slice, least), 0);
	igt_assert_eq(with_property(XE_COMPUTE, slice, most), 0);
	igt_assert_eq(with_property(XE_COMPUTE, slice, least - 1), -EINVAL);
	igt_assert_eq(with_property(XE_COMPUTE, slice, most + 1), -EINVAL);
	igt_assert_eq(with_property(XE_COMPUTE, slice, 0), -EINVAL);
	igt_assert_eq(with_property(XE_COMPUTE, slice, (1ull << 32) + least), -EINVAL);
	igt_assert_eq(with_property(XE_BIND, slice, 0), -EINVAL);
}

/* A chain of properties: all count, and a chain that is too long, or has no end, is refused. */
static void test_chain(void)
{
	struct drm_xe_ext_set_property ext[17];
	uint32_t vm = xetile_vm(card.fd), q;

	for (unsigned int i = 0; i < ARRAY_SIZE(ext); i++)
		ext[i] = (struct drm_xe_ext_set_property) {
			.base.next_extension = i + 1 < ARRAY_SIZE(ext) ? to_user(&ext[i + 1]) : 0,
			.base.name = DRM_XE_EXEC_QUEUE_EXTENSION_SET_PROPERTY,
			.property = DRM_XE_EXEC_QUEUE_SET_PROPERTY_PRIORITY, .value = 1,
		};
	igt_assert_eq(__xe_queue(card.fd, vm, 0, XE_COPY, 1, &ext[0], &q), -E2BIG);
	igt_assert_eq(__xe_queue(card.fd, vm, 0, XE_COPY, 1, &ext[1], &q), 0);
	xe_queue_destroy(card.fd, q);
	ext[16].value = 3;
	igt_assert_eq(__xe_queue(card.fd, vm, 0, XE_COPY, 1, &ext[1], &q), -EINVAL);
	ext[16].base.next_extension = to_user(&ext[16]);
	ext[16].value = 1;
	igt_assert_eq(__xe_queue(card.fd, vm, 0, XE_COPY, 1, &ext[16], &q), -E2BIG);
	ext[16].base.next_extension = BAD_POINTER;
	igt_assert_eq(__xe_queue(card.fd, vm, 0, XE_COPY, 1, &ext[16], &q), -EFAULT);
	xetile_vm_destroy(card.fd, vm);
}

/* --- bad input ------------------------------------------------------------ */

static void test_bad_create(void)
{
	struct drm_xe_engine_class_instance places[32] = { { .engine_class = XE_COPY } };
	struct drm_xe_ext_set_property ext = {
		.base.name = DRM_XE_EXEC_QUEUE_EXTENSION_SET_PROPERTY,
		.property = DRM_XE_EXEC_QUEUE_SET_PROPERTY_PRIORITY, .value = 1,
	};
	const struct drm_xe_exec_queue_create good = {
		.width = 1, .num_placements = 1, .vm_id = xetile_vm(card.fd),
		.instances = to_user(places), .extensions = to_user(&ext),
	};
	struct drm_xe_exec_queue_create args = good;
	uint32_t hidden = 31 - __builtin_clz(copies(0)) + 1;

#define REFUSED(err, field, value) do {						\
		args = good;							\
		args.field = (value);						\
		igt_assert_eq(__xe_queue_create(card.fd, &args), -(err));	\
	} while (0)
#define REFUSED_PART(err, part, bad, value) do {				\
		__typeof__(part) was_ = (part);					\
		(bad) = (value);						\
		args = good;							\
		igt_assert_eq(__xe_queue_create(card.fd, &args), -(err));	\
		(part) = was_;							\
	} while (0)

	igt_assert_eq(__xe_queue_create(card.fd, &args), 0);
	xe_queue_destroy(card.fd, args.exec_queue_id);
	REFUSED(EINVAL, flags, LOW_LATENCY_HINT);
	REFUSED(EINVAL, flags, ~0u);
	REFUSED(EINVAL, reserved[0], 1);
	REFUSED(EINVAL, reserved[1], 1);
	REFUSED(EINVAL, width, 0);
	REFUSED(EINVAL, width, 2);
	REFUSED(EINVAL, width, 0xffff);
	REFUSED(EINVAL, num_placements, 0);
	REFUSED(EINVAL, num_placements, 28);
	REFUSED(EINVAL, num_placements, 0xffff);
	REFUSED(ENOENT, vm_id, 0);
	REFUSED(ENOENT, vm_id, BAD_ID);
	REFUSED(EFAULT, instances, BAD_POINTER);
	REFUSED(EFAULT, instances, ~0ull);
	REFUSED(EFAULT, extensions, BAD_POINTER);
	REFUSED(EFAULT, extensions, ~0ull);

	REFUSED_PART(EINVAL, ext.base.name, ext.base.name, 1);
	REFUSED_PART(EINVAL, ext.base.pad, ext.base.pad, 1);
	REFUSED_PART(EINVAL, ext.pad, ext.pad, 1);
	REFUSED_PART(EINVAL, ext.reserved[0], ext.reserved[0], 1);
	REFUSED_PART(EINVAL, ext.reserved[1], ext.reserved[1], 1);
	for (uint32_t property = 2; property < 16; property++)
		REFUSED_PART(EINVAL, ext.property, ext.property, property);
	REFUSED_PART(EINVAL, ext.property, ext.property, ~0u);

	REFUSED_PART(EINVAL, places[0].pad, places[0].pad, 1);
	REFUSED_PART(EINVAL, places[0].gt_id, places[0].gt_id, card.device.num_tiles);
	REFUSED_PART(EINVAL, places[0].gt_id, places[0].gt_id, 0xffff);
	REFUSED_PART(EINVAL, places[0].engine_class, places[0].engine_class,
		     DRM_XE_ENGINE_CLASS_RENDER);
	REFUSED_PART(EINVAL, places[0].engine_class, places[0].engine_class,
		     DRM_XE_ENGINE_CLASS_VIDEO_DECODE);
	REFUSED_PART(EINVAL, places[0].engine_class, places[0].engine_class, 6);
	REFUSED_PART(EINVAL, places[0].engine_class, places[0].engine_class, 0xffff);
	/* The kernel's own copy engine, and those that the card does not have */
	REFUSED_PART(EINVAL, places[0].engine_instance, places[0].engine_instance, hidden);
	REFUSED_PART(EINVAL, places[0].engine_instance, places[0].engine_instance, 31);
	REFUSED_PART(EINVAL, places[0].engine_instance, places[0].engine_instance, 32);
	REFUSED_PART(EINVAL, places[0].engine_instance, places[0].engine_instance, 0xffff);

	/* Of two classes, of two tiles, and the same twice, which is the same once */
	places[1] = (struct drm_xe_engine_class_instance) { .engine_class = XE_COMPUTE };
	REFUSED(EINVAL, num_placements, 2);
	places[1] = (struct drm_xe_engine_class_instance) { .engine_class = XE_COPY, .gt_id = 1 };
	REFUSED(EINVAL, num_placements, 2);
	places[1] = places[0];
	args = good;
	args.num_placements = 2;
	igt_assert_eq(__xe_queue_create(card.fd, &args), 0);
	xe_queue_destroy(card.fd, args.exec_queue_id);
	xetile_vm_destroy(card.fd, good.vm_id);
}

static void test_bad_destroy(void)
{
	struct drm_xe_exec_queue_destroy args = { 0 };
	uint32_t vm = xetile_vm(card.fd), q = xe_queue(card.fd, vm, 0, XE_COPY, 1);

	args.exec_queue_id = q;
	args.pad = 1;
	igt_assert_eq(xetile_ioctl(card.fd, DRM_IOCTL_XE_EXEC_QUEUE_DESTROY, &args), -EINVAL);
	args.pad = 0;
	args.reserved[0] = 1;
	igt_assert_eq(xetile_ioctl(card.fd, DRM_IOCTL_XE_EXEC_QUEUE_DESTROY, &args), -EINVAL);
	args.reserved[0] = 0;
	args.reserved[1] = 1;
	igt_assert_eq(xetile_ioctl(card.fd, DRM_IOCTL_XE_EXEC_QUEUE_DESTROY, &args), -EINVAL);
	igt_assert_eq(__xe_queue_destroy(card.fd, 0), -ENOENT);
	igt_assert_eq(__xe_queue_destroy(card.fd, BAD_ID), -ENOENT);
	xe_queue_destroy(card.fd, q);
	igt_assert_eq(__xe_queue_destroy(card.fd, q), -ENOENT);
	xetile_vm_destroy(card.fd, vm);
}

static void test_bad_property(void)
{
	struct drm_xe_exec_queue_get_property args = { 0 };
	uint32_t vm = xetile_vm(card.fd), q = xe_queue(card.fd, vm, 0, XE_COPY, 1);
	const unsigned long call = DRM_IOCTL_XE_EXEC_QUEUE_GET_PROPERTY;

	args.exec_queue_id = q;
	args.value = ~0ull;
	igt_assert_eq(xetile_ioctl(card.fd, call, &args), 0);
	igt_assert_eq_u64(args.value, 0);
	args.property = 1;
	igt_assert_eq(xetile_ioctl(card.fd, call, &args), -EINVAL);
	args.property = ~0u;
	igt_assert_eq(xetile_ioctl(card.fd, call, &args), -EINVAL);
	args.property = 0;
	args.extensions = 1;
	igt_assert_eq(xetile_ioctl(card.fd, call, &args), -EINVAL);
	args.extensions = 0;
	args.reserved[0] = 1;
	igt_assert_eq(xetile_ioctl(card.fd, call, &args), -EINVAL);
	args.reserved[0] = 0;
	args.reserved[1] = 1;
	igt_assert_eq(xetile_ioctl(card.fd, call, &args), -EINVAL);
	igt_assert_eq(__xe_queue_is_banned(card.fd, BAD_ID), -ENOENT);
	igt_assert_eq(__xe_queue_is_banned(card.fd, 0), -ENOENT);
	xe_queue_destroy(card.fd, q);
	igt_assert_eq(__xe_queue_is_banned(card.fd, q), -ENOENT);
	xetile_vm_destroy(card.fd, vm);
}

/* --- bind queues ---------------------------------------------------------- */

/* M8: their ids are among those of all queues. They have no engine, and cannot be banned. */
static void test_bind_queue(void)
{
	struct drm_xe_engine_class_instance place = { .engine_class = XE_BIND };
	struct drm_xe_exec_queue_create args = {
		.width = 1, .num_placements = 1, .instances = to_user(&place),
	};
	struct ctx c;
	uint32_t q;

	ctx_init(&c, card.fd);
	q = xe_queue(c.fd, c.vm, 0, XE_COPY, 1);
	args.vm_id = c.vm;
	igt_assert_eq(__xe_queue_create(c.fd, &args), 0);
	igt_assert_neq(args.exec_queue_id, q);
	igt_assert_eq(__xe_queue_is_banned(c.fd, args.exec_queue_id), 0);
	igt_assert_eq(__xe_exec_batch(c.fd, args.exec_queue_id, c.batch.addr, 0), -EINVAL);
	xe_queue_destroy(c.fd, args.exec_queue_id);
	igt_assert_eq(__xe_queue_destroy(c.fd, args.exec_queue_id), -ENOENT);

	check_priorities(XE_BIND, 0);
	args.vm_id = BAD_ID;
	igt_assert_eq(__xe_queue_create(c.fd, &args), -ENOENT);
	args.vm_id = c.vm;
	place.engine_instance = 1;
	igt_assert_eq(__xe_queue_create(c.fd, &args), -EINVAL);
	place.engine_instance = 0;
	place.pad = 1;
	igt_assert_eq(__xe_queue_create(c.fd, &args), -EINVAL);
	place.pad = 0;
	place.gt_id = card.device.num_tiles;
	igt_assert_eq(__xe_queue_create(c.fd, &args), -EINVAL);
	xe_queue_destroy(c.fd, q);
	ctx_fini(&c);
}

/* --- ban ------------------------------------------------------------------ */

/* M12: a queue whose batch takes too long is banned, its fence says so, and others go on. */
static void test_ban(uint32_t class)
{
	uint32_t q, other, fence = xetile_syncobj(card.fd), late = xetile_syncobj(card.fd);
	struct xetile_batch b;
	struct ctx c;

	ctx_init(&c, card.fd);
	q = xe_queue(c.fd, c.vm, 0, class, 1);
	other = xe_queue(c.fd, c.vm, 0, class, 1);
	xe_run(c.fd, q, store_batch(&c, 1));
	igt_assert_eq(__xe_queue_is_banned(c.fd, q), 0);
	batch_begin(&b, &c.batch, 0);
	batch_hang(&b);
	igt_assert_eq(__xe_exec_batch(c.fd, q, batch_addr(&b), fence), 0);
	igt_assert_eq(__xe_exec_batch(c.fd, q, store_batch(&c, 2), late), 0);
	igt_assert_eq(__xetile_wait(c.fd, late, 60000), 0);
	igt_assert_lt(xetile_fence_status(c.fd, fence), 0);
	igt_assert_lt(xetile_fence_status(c.fd, late), 0);
	igt_assert_eq(__xe_queue_is_banned(c.fd, q), 1);
	igt_assert_eq(__xe_exec_batch(c.fd, q, store_batch(&c, 3), 0), -ECANCELED);
	igt_assert_eq_u32(c.gate.map[SZ_4K / 4], 1);
	igt_assert_eq(__xe_queue_is_banned(c.fd, other), 0);
	xe_run(c.fd, other, store_batch(&c, 4));
	xe_queue_destroy(c.fd, q);
	xe_queue_destroy(c.fd, other);
	xetile_syncobj_destroy(c.fd, fence);
	xetile_syncobj_destroy(c.fd, late);
	ctx_fini(&c);
}

/* The limit of a file */
#define FILE_MAX_QUEUES	1024u

/* Who has all queues that a file may have hears what runtimes know: that memory is short. */
static void test_limit(void)
{
	struct drm_xe_engine_class_instance place = {
		.engine_class = DRM_XE_ENGINE_CLASS_VM_BIND,
	};
	int fd = xetile_reopen(card.fd);
	struct drm_xe_exec_queue_create args = {
		.vm_id = xetile_vm(fd), .width = 1, .num_placements = 1,
		.instances = to_user(&place),
	};
	uint32_t queue;

	for (unsigned int i = 0; i < FILE_MAX_QUEUES; i++)
		igt_assert_eq(__xe_queue_create(fd, &args), 0);
	queue = args.exec_queue_id;
	igt_assert_eq(__xe_queue_create(fd, &args), -ENOMEM);
	place.engine_class = XE_COPY;
	igt_assert_eq(__xe_queue_create(fd, &args), -ENOMEM);
	xe_queue_destroy(fd, queue);
	igt_assert_eq(__xe_queue_create(fd, &args), 0);
	close(fd);
}

igt_main {
	igt_fixture {
		xetile_open_card(&card);
	}

	igt_subtest("masks")
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			test_masks(t);
	igt_subtest("spread")
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			test_spread(t);
	igt_subtest("choice")
		test_choice(card.device.num_tiles - 1);
	for (unsigned int mode = 1; mode <= 4; mode *= 2)
		igt_subtest_f("slices-%u", mode)
			test_slices(mode);
	igt_subtest("partition-compute")
		test_partition(XE_COMPUTE);
	igt_subtest("partition-copy")
		test_partition(XE_COPY);
	igt_subtest("partition-restore-compute")
		test_partition_restore(XE_COMPUTE);
	igt_subtest("partition-restore-copy")
		test_partition_restore(XE_COPY);
	igt_subtest("priority")
		test_priority();
	igt_subtest("priority-order")
		test_priority_order();
	igt_subtest("timeslice")
		test_timeslice();
	igt_subtest("chain")
		test_chain();
	igt_subtest("bad-create")
		test_bad_create();
	igt_subtest("bad-destroy")
		test_bad_destroy();
	igt_subtest("bad-property")
		test_bad_property();
	igt_subtest("bind-queue")
		test_bind_queue();
	igt_subtest("limit")
		test_limit();
	igt_subtest("ban-compute")
		test_ban(XE_COMPUTE);
	igt_subtest("ban-copy")
		test_ban(XE_COPY);

	igt_fixture {
		close(card.fd);
	}
}
