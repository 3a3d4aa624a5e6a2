// SPDX-License-Identifier: GPL-2.0-only
#include "look/xetile_fdinfo.h"

#include <linux/bitops.h>
#include <linux/dma-resv.h>
#include <linux/idr.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_print.h>

#include "exec/xetile_sched_usage.h"
#include "ioctl/xetile_file.h"
#include "mem/xetile_account.h"
#include "mem/xetile_bo.h"
#include "mem/xetile_moves.h"
#include "xetile_device.h"

/**
 * DOC: what an opened card uses
 *
 * The lines of /proc/PID/fdinfo: memory by region, engine time by class and tile. The DRM core asks
 * in process context. The file's table of handles is locked for some buffers at a time.
 *
 * Where the card's device is called xe, regions and classes of engines have the names and the order
 * that tools know from a device of that name.
 */

/* Regions: the tiles' HBM, then system memory. */
#define NUM_REGIONS	(XETILE_MAX_TILES + 1)
#define SYSTEM		XETILE_ACCOUNT_SYSTEM
/* Buffers that are looked at each time the file's table is locked */
#define BATCH		64
/* Statistics that are printed of each region, besides the shared bytes */
#define TOLD		(DRM_GEM_OBJECT_RESIDENT | DRM_GEM_OBJECT_ACTIVE | DRM_GEM_OBJECT_PURGEABLE)

/** struct names - what regions and classes of engines are called */
struct names {
	/** @nowhere: the region of buffers without pages, which come first; NULL: there is none */
	const char *nowhere;
	/** @hbm: of a tile's HBM, with the tile's number behind it */
	const char *hbm;
	/** @system: of system memory */
	const char *system;
	/** @system_first: it stands before the tiles' HBM */
	bool system_first;
	/** @compute: of compute engines */
	const char *compute;
	/** @copy: of copy engines */
	const char *copy;
	/** @total: each class has the ticks that passed, by the standard key */
	bool total;
};

static const struct names names_own = {
	.hbm = "hbm", .system = "system", .compute = "compute", .copy = "copy",
};

static const struct names names_xe = {
	.nowhere = "system", .system = "gtt", .system_first = true, .hbm = "vram",
	.compute = "ccs", .copy = "bcs", .total = true,
};

static void account(struct drm_memory_stats *stats, u64 bytes, bool shared, bool active)
{
	if (shared)
		stats->shared += bytes;
	else
		stats->private += bytes;
	stats->resident += bytes;
	if (active)
		stats->active += bytes;
}

static void account_bo(struct drm_memory_stats *stats, struct drm_gem_object *gem)
{
	u64 bytes[NUM_REGIONS] = {};
	bool shared = drm_gem_object_is_shared_for_memory_stats(gem);
	bool active = !dma_resv_test_signaled(gem->resv, DMA_RESV_USAGE_BOOKKEEP);
	struct xetile_bo *bo = gem_to_xetile_bo(gem);
	unsigned int i;

	xetile_bo_usage(bo, bytes, &bytes[SYSTEM]);
	for (i = 0; i < NUM_REGIONS; i++)
		account(&stats[i], bytes[i], shared, active);
	/* System memory is not taken in this way. */
	for (i = 0; !active && i < XETILE_MAX_TILES; i++)
		stats[i].purgeable += READ_ONCE(bo->purgeable) ? bytes[i] :
							       READ_ONCE(bo->copy_bytes[i]);
}

/*
 * Account some of the buffers from @handle on: there may be very many, and nothing else runs on
 * this processor while the table is locked. Returns whether there may be more.
 */
static bool account_some(struct drm_memory_stats *stats, struct drm_file *file, int *handle)
{
	struct drm_gem_object *gem;
	unsigned int n;

	spin_lock(&file->table_lock);
	for (n = 0; n < BATCH; n++, ++*handle) {
		gem = idr_get_next(&file->object_idr, handle);
		if (!gem)
			break;
		account_bo(stats, gem);
	}
	spin_unlock(&file->table_lock);
	return n == BATCH;
}

static unsigned int count_copy(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	unsigned int i, n = 0;

	xetile_for_each_tile(tile, xt)
		for (i = 0; i < tile->num_engines; i++)
			if (tile->engines[i].class == XETILE_ENGINE_COPY &&
			    !tile->engines[i].kernel_only)
				n++;
	return n;
}

/* Time of a tile's compute engines, weighted by their parts of the tile */
static u64 tile_compute(const struct xetile_tile *tile, const struct xetile_sched_ticks *ticks)
{
	unsigned int num = hweight8(tile->fuse.cslice_mask), s;
	u64 sum = 0;

	for (s = 0; s < XETILE_MAX_CSLICES; s++)
		sum += ticks->cslice[tile->id][s];
	return num ? div_u64(sum, num) : 0;
}

/*
 * A tile's time and its slices'. The keys are the driver's own, because tools take each key of the
 * standard form for another class of engines.
 */
static void show_tile(struct drm_printer *p, const struct xetile_tile *tile,
		      const struct xetile_sched_ticks *ticks)
{
	unsigned long slices = tile->fuse.cslice_mask;
	unsigned int s;

	drm_printf(p, "xetile-cycles-tile%u-compute:\t%llu\n", tile->id,
		   tile_compute(tile, ticks));
	for_each_set_bit(s, &slices, XETILE_MAX_CSLICES)
		drm_printf(p, "xetile-cycles-tile%u-cslice%u:\t%llu\n", tile->id, s,
			   ticks->cslice[tile->id][s]);
	drm_printf(p, "xetile-cycles-tile%u-copy:\t%llu\n", tile->id, ticks->copy[tile->id]);
}

/* @total: the ticks that passed, or 0: not told by class */
static void show_class(struct drm_printer *p, const struct xetile_device *xt, const char *class,
		       u64 ticks, u64 total, unsigned int capacity)
{
	drm_printf(p, "drm-engine-%s:\t%llu ns\n", class,
		   xetile_sched_usage_ns(xt, ticks));
	drm_printf(p, "drm-engine-capacity-%s:\t%u\n", class, capacity);
	drm_printf(p, "drm-cycles-%s:\t%llu\n", class, ticks);
	if (total)
		drm_printf(p, "drm-total-cycles-%s:\t%llu\n", class, total);
}

/*
 * All ticks that pass are by the CPU's clock: the card's own begins anew after each sleep, and a
 * card that sleeps would have to wake up for it. The key is the driver's own, because with a
 * standard one tools list all clients, those included that have never used an engine; but tools
 * that know a device called xe look for nothing else.
 */
static void show_engines(struct drm_printer *p, struct xetile_device *xt, struct xetile_file *xf,
			 const struct names *names)
{
	u64 now = mul_u64_u32_div(ktime_get_ns(), xt->timestamp_hz, NSEC_PER_SEC);
	u64 compute = 0, copy = 0;
	struct xetile_sched_ticks ticks;
	unsigned int num_compute = 0;
	struct xetile_tile *tile;

	xetile_sched_usage_read(xt, xf->usage, &ticks);
	xetile_for_each_tile(tile, xt) {
		num_compute += tile->fuse.cslice_mask != 0;
		compute += tile_compute(tile, &ticks);
		copy += ticks.copy[tile->id];
	}
	show_class(p, xt, names->compute, compute, names->total ? now : 0, num_compute);
	show_class(p, xt, names->copy, copy, names->total ? now : 0, count_copy(xt));
	drm_printf(p, "xetile-total-cycles:\t%llu\n", now);
	xetile_for_each_tile(tile, xt)
		show_tile(p, tile, &ticks);
}

static void show_moves(struct drm_printer *p, struct xetile_moves *moves)
{
	static const char *const names[XETILE_NUM_MOVES] = {
		[XETILE_MOVED_ACCESS] = "access",
		[XETILE_MOVED_EVICT] = "evict",
		[XETILE_MOVED_RETURN] = "return",
	};
	unsigned int i;

	for (i = 0; i < XETILE_NUM_MOVES; i++)
		drm_printf(p, "xetile-moved-%s:\t%llu KiB\n", names[i],
			   (u64)atomic64_read(&moves->bytes[i]) / SZ_1K);
}

static void show_memory(struct drm_printer *p, struct xetile_device *xt,
			const struct drm_memory_stats *stats, const struct names *names)
{
	static const struct drm_memory_stats nothing;
	struct xetile_tile *tile;
	char region[8];

	if (names->nowhere)
		drm_print_memory_stats(p, &nothing, TOLD, names->nowhere);
	if (names->system_first)
		drm_print_memory_stats(p, &stats[SYSTEM], TOLD, names->system);
	xetile_for_each_tile(tile, xt) {
		snprintf(region, sizeof(region), "%s%u", names->hbm, tile->id);
		drm_print_memory_stats(p, &stats[tile->id], TOLD, region);
	}
	if (!names->system_first)
		drm_print_memory_stats(p, &stats[SYSTEM], TOLD, names->system);
}

/**
 * xetile_fdinfo_show() - print the resources that an opened card uses
 * @p: where to print
 * @file: the DRM file
 *
 * Memory by region: hbm0.. are the tiles' banks (of a device called xe vram0.., and gtt is system
 * memory). Bytes are counted where they
 * lie now, so a BO whose pages are spread over tiles counts with each share. The contexts
 * of the file's queues and its page tables count as memory of its own. Purgeable is what HBM is
 * taken of first, without a copy.
 *
 * Engines by class: the time that the file's queues used, in ns and in ticks of the card's clock,
 * the ticks that passed, and the number of engines. A tile's compute engines count as one, which
 * each of them is a part of, so that no file uses more than there is, in whatever modes the tiles
 * are. Then the ticks of each tile, and of each compute slice.
 *
 * Bytes of the file's BOs that moved between HBM and system memory, by cause.
 *
 * Context: process.
 */
void xetile_fdinfo_show(struct drm_printer *p, struct drm_file *file)
{
	struct xetile_device *xt = to_xetile_device(file->minor->dev);
	struct xetile_file *xf = file->driver_priv;
	/* The administrator may have chosen another name for later cards. */
	bool xe = !strcmp(xt->drm.driver->name, "xe");
	const struct names *names = xe ? &names_xe : &names_own;
	struct drm_memory_stats stats[NUM_REGIONS] = {};
	unsigned int i;
	int handle = 0;

	while (account_some(stats, file, &handle))
		cond_resched();
	for (i = 0; i < NUM_REGIONS; i++)
		account(&stats[i], xetile_account_pinned(xf->account, i), false, false);

	show_memory(p, xt, stats, names);
	show_engines(p, xt, xf, names);
	show_moves(p, xf->moves);
}
