// SPDX-License-Identifier: GPL-2.0-only
#include "ioctl/xetile_ioctl.h"

#include <linux/bitops.h>
#include <linux/capability.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include <drm/drm_device.h>
#include <drm/xetile_drm.h>

#include "regs/pvc_gt_regs.h"

#include "exec/xetile_ccs.h"
#include "exec/xetile_cslice_map.h"
#include "exec/xetile_queue.h"
#include "mem/xetile_bind_op.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_user.h"
#include "mem/xetile_va.h"
#include "xetile_device.h"
#include "xetile_info.h"

/**
 * DOC: the call that describes the card
 *
 * Answers to DRM_XETILE_QUERY. The DRM core calls it in process context, without a lock: most of
 * the answers are constant while the card is bound; the HBM in use and the mode of a tile's compute
 * engines may be old when they arrive.
 */

/* Relative, as those of NUMA nodes: own HBM, a sibling's HBM over the link, PCIe */
#define DISTANCE_LOCAL		10
#define DISTANCE_SIBLING	20
#define DISTANCE_SYSTEM		40

/** struct answer - the answer to a query: kvmalloc()ed elements */
struct answer {
	void *data;
	u32 num;
};

static bool answer_alloc(struct answer *answer, size_t num, size_t elem)
{
	answer->num = num;
	answer->data = kvcalloc(num, elem, GFP_KERNEL_ACCOUNT);
	return answer->data;
}

/* The longest timeout that a queue of the caller may ask for on all engines */
static u32 max_timeout_ms(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	u32 most = xetile_times_job_longest();

	if (capable(CAP_SYS_NICE))
		return most;
	xetile_for_each_tile(tile, xt) {
		most = min(most, xetile_times_read(&tile->times.compute, XETILE_TIME_JOB,
						   XETILE_TIME_MAX));
		most = min(most, xetile_times_read(&tile->times.copy, XETILE_TIME_JOB,
						   XETILE_TIME_MAX));
	}
	return most;
}

static int query_device(struct xetile_device *xt, struct answer *answer)
{
	struct pci_dev *pdev = to_pci_dev(xt->drm.dev);
	struct drm_xetile_query_device *info;
	struct xetile_tile *tile;

	if (!answer_alloc(answer, 1, sizeof(*info)))
		return -ENOMEM;
	info = answer->data;

	info->caps = DRM_XETILE_CAP_GANG | DRM_XETILE_CAP_NON_UNIFORM_GROUPS |
		     DRM_XETILE_CAP_SHARE | DRM_XETILE_CAP_RECOLOR | DRM_XETILE_CAP_REPLICATE |
		     DRM_XETILE_CAP_MIGRATE | DRM_XETILE_CAP_ADVISE | DRM_XETILE_CAP_PIN |
		     DRM_XETILE_CAP_PURGE | DRM_XETILE_CAP_CCS_MODE | DRM_XETILE_CAP_BORROW |
		     DRM_XETILE_CAP_REPLAY;
	if (XETILE_HAS_USER)
		info->caps |= DRM_XETILE_CAP_USER;
	if (IS_ENABLED(CONFIG_DRM_XETILE_XE))
		info->caps |= DRM_XETILE_CAP_XE;
	xetile_for_each_tile(tile, xt)
		if (hweight8(tile->fuse.cslice_mask) > 1)
			info->caps |= DRM_XETILE_CAP_CSLICE;
	info->va_size = XETILE_VA_END;
	info->timestamp_hz = xt->timestamp_hz;
	info->max_timeout_ms = max_timeout_ms(xt);
	info->device_id = pdev->device;
	info->revision = pdev->revision;
	info->num_tiles = xt->num_tiles;
	info->color_page = DRM_XETILE_COLOR_PAGE;
	info->bind_align = XETILE_BIND_ALIGN;
	info->bind_align_system = XETILE_BIND_ALIGN_SYSTEM;
	/* Harvested parts may differ from tile to tile: promise the least of all. */
	info->eus_per_dss = U32_MAX;
	xetile_for_each_tile(tile, xt)
		info->eus_per_dss = min_t(u32, info->eus_per_dss, tile->fuse.eus_per_dss);
	info->threads_per_eu = xt->info->threads_per_eu;
	info->max_slm = xt->info->max_slm;
	return 0;
}

static unsigned int num_copy_engines(struct xetile_tile *tile)
{
	unsigned int i, n = 0;

	for (i = 0; i < tile->num_engines; i++)
		if (tile->engines[i].class == XETILE_ENGINE_COPY && !tile->engines[i].kernel_only)
			n++;
	return n;
}

static int query_tiles(struct xetile_device *xt, struct answer *answer)
{
	struct drm_xetile_query_tile *info;
	struct xetile_tile *tile;

	if (!answer_alloc(answer, xt->num_tiles, sizeof(*info)))
		return -ENOMEM;
	info = answer->data;

	xetile_for_each_tile(tile, xt) {
		info->hbm_total = xetile_hbm_capacity(tile);
		info->hbm_used = xetile_hbm_occupied(tile);
		info->hbm_visible = xetile_hbm_reachable(tile);
		info->dss_mask = tile->fuse.dss_mask;
		info->tile = tile->id;
		info->num_dss = hweight64(tile->fuse.dss_mask);
		info->cslice_mask = tile->fuse.cslice_mask;
		info->num_cslices = hweight8(tile->fuse.cslice_mask);
		info->ccs_mode = xetile_ccs_mode(tile);
		info->ccs_modes = xetile_ccs_modes(tile);
		info->num_copy_engines = num_copy_engines(tile);
		info->l3_banks = tile->fuse.l3_banks;
		info->moved_access = atomic64_read(&tile->moved[XETILE_MOVED_ACCESS]);
		info->moved_evict = atomic64_read(&tile->moved[XETILE_MOVED_EVICT]);
		info->moved_return = atomic64_read(&tile->moved[XETILE_MOVED_RETURN]);
		info++;
	}
	return 0;
}

static unsigned int num_eus(const struct xetile_tile *tile, unsigned int cslices)
{
	unsigned int i, dss = 0;

	for (i = 0; i < XETILE_MAX_CSLICES; i++)
		if (cslices & BIT(i))
			dss += hweight16(tile->fuse.dss_mask >> (i * PVC_DSS_PER_CSLICE));
	return dss * tile->fuse.eus_per_dss;
}

/* The slices that an engine has in the tile's own mode, whichever it is in at the moment */
static unsigned int engine_cslices(const struct xetile_engine *engine)
{
	struct xetile_tile *tile = engine->tile;

	if (engine->class != XETILE_ENGINE_COMPUTE)
		return 0;
	return xetile_cslice_owned(tile->fuse.cslice_mask, xetile_ccs_mode(tile),
				   engine->instance);
}

/* Fills @info if queues can use the engine in the tile's own mode */
static bool describe_engine(struct xetile_engine *engine, struct drm_xetile_query_engine *info)
{
	bool compute = engine->class == XETILE_ENGINE_COMPUTE;
	unsigned int cslices = engine_cslices(engine);

	if (engine->kernel_only || (compute && !cslices))
		return false;
	info->tile = engine->tile->id;
	info->engine_class = compute ? DRM_XETILE_ENGINE_COMPUTE : DRM_XETILE_ENGINE_COPY;
	info->instance = engine->instance;
	info->cslice_mask = cslices;
	info->num_eus = num_eus(engine->tile, cslices);
	return true;
}

static int query_engines(struct xetile_device *xt, struct answer *answer)
{
	struct drm_xetile_query_engine *info;
	struct xetile_tile *tile;
	unsigned int i, n = 0;

	if (!answer_alloc(answer, xt->num_tiles * XETILE_MAX_ENGINES, sizeof(*info)))
		return -ENOMEM;
	info = answer->data;

	xetile_for_each_tile(tile, xt)
		for (i = 0; i < tile->num_engines; i++)
			if (describe_engine(&tile->engines[i], &info[n]))
				n++;
	answer->num = n;
	return 0;
}

static int query_distances(struct xetile_device *xt, struct answer *answer)
{
	struct drm_xetile_query_distance *info;
	struct xetile_tile *tile, *other;

	if (!answer_alloc(answer, xt->num_tiles * (xt->num_tiles + 1), sizeof(*info)))
		return -ENOMEM;
	info = answer->data;

	xetile_for_each_tile(tile, xt) {
		xetile_for_each_tile(other, xt) {
			info->tile = tile->id;
			info->memory = other->id;
			info->distance = other == tile ? DISTANCE_LOCAL : DISTANCE_SIBLING;
			info->hop = other == tile ? DRM_XETILE_HOP_NONE : DRM_XETILE_HOP_TILE;
			info++;
		}
		info->tile = tile->id;
		info->memory = DRM_XETILE_MEM_SYSTEM;
		info->distance = DISTANCE_SYSTEM;
		info->hop = DRM_XETILE_HOP_BUS;
		info++;
	}
	return 0;
}

/* The first size of each element is part of the uAPI. */
static const struct {
	int (*ask)(struct xetile_device *xt, struct answer *answer);
	size_t elem;
	size_t first;
} queries[] = {
	[DRM_XETILE_QUERY_DEVICE] = {
		query_device, sizeof(struct drm_xetile_query_device), 64 },
	[DRM_XETILE_QUERY_TILES] = {
		query_tiles, sizeof(struct drm_xetile_query_tile), 64 },
	[DRM_XETILE_QUERY_ENGINES] = {
		query_engines, sizeof(struct drm_xetile_query_engine), 16 },
	[DRM_XETILE_QUERY_DISTANCES] = {
		query_distances, sizeof(struct drm_xetile_query_distance), 8 },
};

/**
 * xetile_ioctl_query() - describe the card
 * @drm: the card
 * @data: struct drm_xetile_query
 * @file: caller's file
 *
 * Context: process.
 * Return: 0; -EINVAL for an unknown item or a stride that is too long or too short; -EFAULT;
 * -ENOMEM; -ENODEV when the card is gone.
 */
int xetile_ioctl_query(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct xetile_device *xt = to_xetile_device(drm);
	struct drm_xetile_query *args = data;
	struct answer answer = {};
	unsigned int item;
	int err, idx;

	if (args->item >= ARRAY_SIZE(queries))
		return -EINVAL;
	item = array_index_nospec(args->item, ARRAY_SIZE(queries));
	if (!xetile_device_enter(xt, &idx))
		return -ENODEV;
	/* The engines' registers tell which compute slices an engine has. */
	err = queries[item].ask(xt, &answer);
	xetile_device_exit(xt, idx);
	if (err)
		return err;
	err = xetile_ioctl_answer_put(&args->answer, answer.data, answer.num,
				      queries[item].elem, queries[item].first);
	if (!err)
		args->elem_size = queries[item].elem;
	kvfree(answer.data);
	return err;
}
