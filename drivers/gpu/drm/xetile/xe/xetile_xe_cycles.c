// SPDX-License-Identifier: GPL-2.0-only
#include "xe/xetile_xe_cycles.h"

#include <linux/bits.h>
#include <linux/irqflags.h>
#include <linux/nospec.h>
#include <linux/sched/clock.h>
#include <linux/time.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include <drm/xe_drm.h>

#include "regs/pvc_engine_regs.h"

#include "exec/xetile_ccs.h"
#include "xetile_device.h"

/**
 * DOC: the time of an engine
 *
 * Answers the query by which runtimes relate the timestamps of the card to a clock of the machine:
 * both are read at the same time, with the time that the reading took. The DRM core calls it in
 * process context, without a lock. The caller's memory is read and written outside of
 * xetile_device_enter().
 */

/* The register has so many bits, and then begins again at 0. */
#define CYCLES_WIDTH	36
/* Reads of the upper half, until it is the same before and after the lower one */
#define READS		3

static u64 clock_read(clockid_t id)
{
	switch (id) {
	case CLOCK_MONOTONIC:
		return ktime_get_ns();
	case CLOCK_MONOTONIC_RAW:
		return ktime_get_raw_ns();
	case CLOCK_REALTIME:
		return ktime_get_real_ns();
	case CLOCK_BOOTTIME:
		return ktime_get_boottime_ns();
	default:
		return ktime_get_clocktai_ns();
	}
}

static bool clock_ok(clockid_t id)
{
	return id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_RAW || id == CLOCK_REALTIME ||
	       id == CLOCK_BOOTTIME || id == CLOCK_TAI;
}

/* The n-th compute engine in the tile's mode: all of a tile's have one time. */
static struct xetile_engine *compute_find(struct xetile_tile *tile, unsigned int n)
{
	if (n >= xetile_ccs_mode(tile))
		return NULL;
	/* The mode's engines are the first ones that the tile has. */
	return &tile->engines[array_index_nospec(n, XETILE_MAX_CSLICES)];
}

static struct xetile_engine *copy_find(struct xetile_tile *tile, unsigned int instance)
{
	struct xetile_engine *engine = xetile_engine_find(tile, XETILE_ENGINE_COPY, instance);

	return engine && !engine->kernel_only ? engine : NULL;
}

static struct xetile_engine *engine_find(struct xetile_device *xt,
					 const struct drm_xe_engine_class_instance *eci)
{
	struct xetile_tile *tile;

	if (eci->pad || eci->gt_id >= xt->num_tiles)
		return NULL;
	tile = &xt->tiles[array_index_nospec(eci->gt_id, xt->num_tiles)];
	switch (eci->engine_class) {
	case DRM_XE_ENGINE_CLASS_COMPUTE:
		return compute_find(tile, eci->engine_instance);
	case DRM_XE_ENGINE_CLASS_COPY:
		return copy_find(tile, eci->engine_instance);
	default:
		return NULL;
	}
}

static void cycles_read(struct xetile_engine *engine, struct drm_xe_query_engine_cycles *cycles)
{
	u32 lower, upper, before;
	unsigned int reads = 0;
	u64 began;

	upper = xetile_engine_read(engine, PVC_RING_TIMESTAMP_UDW(engine->base));
	do {
		unsigned long flags;

		before = upper;
		/* An interrupt in between would make the caller believe in a slow bus. */
		local_irq_save(flags);
		began = local_clock();
		cycles->cpu_timestamp = clock_read(cycles->clockid);
		lower = xetile_engine_read(engine, PVC_RING_TIMESTAMP(engine->base));
		cycles->cpu_delta = local_clock() - began;
		local_irq_restore(flags);
		upper = xetile_engine_read(engine, PVC_RING_TIMESTAMP_UDW(engine->base));
	} while (upper != before && ++reads < READS);

	cycles->engine_cycles = ((u64)upper << 32 | lower) & GENMASK_ULL(CYCLES_WIDTH - 1, 0);
	cycles->width = CYCLES_WIDTH;
}

/**
 * xetile_xe_query_cycles() - read the time of an engine, and a clock
 * @xt: the card
 * @query: the query; its size is 0, or that of struct drm_xe_query_engine_cycles
 *
 * Only the fields of the struct that are an answer are written.
 *
 * Context: process; reads and writes the caller's memory.
 * Return: 0; -EINVAL for another size, an unknown clock, an engine that queues cannot use; -EFAULT;
 * -ENODEV when the card is gone.
 */
int xetile_xe_query_cycles(struct xetile_device *xt, struct drm_xe_device_query *query)
{
	struct drm_xe_query_engine_cycles __user *to = u64_to_user_ptr(query->data);
	struct drm_xe_query_engine_cycles cycles;
	struct xetile_engine *engine;
	int idx;

	if (!query->size) {
		query->size = sizeof(cycles);
		return 0;
	}
	if (query->size != sizeof(cycles))
		return -EINVAL;
	if (copy_from_user(&cycles, to, sizeof(cycles)))
		return -EFAULT;
	if (!clock_ok(cycles.clockid))
		return -EINVAL;

	if (!xetile_device_enter(xt, &idx))
		return -ENODEV;
	engine = engine_find(xt, &cycles.eci);
	if (engine)
		cycles_read(engine, &cycles);
	xetile_device_exit(xt, idx);
	if (!engine)
		return -EINVAL;

	if (put_user(cycles.width, &to->width) ||
	    put_user(cycles.engine_cycles, &to->engine_cycles) ||
	    put_user(cycles.cpu_timestamp, &to->cpu_timestamp) ||
	    put_user(cycles.cpu_delta, &to->cpu_delta))
		return -EFAULT;
	return 0;
}
