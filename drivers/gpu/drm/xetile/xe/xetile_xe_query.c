// SPDX-License-Identifier: GPL-2.0-only
#include "xe/xetile_xe.h"

#include <linux/bits.h>
#include <linux/capability.h>
#include <linux/nospec.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_device.h>
#include <drm/xe_drm.h>

#include "exec/xetile_ccs.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_sysmem.h"
#include "xe/xetile_xe_answers.h"
#include "xe/xetile_xe_cycles.h"
#include "xetile_device.h"
#include "xetile_info.h"

/**
 * DOC: the call by which runtimes of xe describe the card
 *
 * Answers to DRM_XE_DEVICE_QUERY. A caller first asks for the size of an answer, and then for the
 * answer. The facts of the card are collected here, and pure functions make the answers of them.
 * The DRM core calls it in process context, without a lock: most of the facts are constant while
 * the card is bound; the memory in use and the mode of a tile's compute engines may be old when
 * they arrive, and the mode may change between both calls, which gives the second one EINVAL.
 *
 * There is no firmware that has a version, no unit for the performance of the execution units, and
 * no protected content. A caller is told so where it expects that: in the answer, not in its size.
 */

/* Of what 6.12 does not know: a word for the state, and a mask */
#define PXP_STATUS_BYTES	(2 * sizeof(u32))

static_assert(XETILE_XE_TILES == XETILE_MAX_TILES && XETILE_XE_ENGINES == XETILE_MAX_ENGINES);
static_assert(sizeof(struct drm_xe_query_engines) +
	      XETILE_MAX_TILES * XETILE_MAX_ENGINES * sizeof(struct drm_xe_engine) <=
	      XETILE_XE_ANSWER);
static_assert(sizeof(struct drm_xe_query_mem_regions) +
	      (1 + XETILE_MAX_TILES) * sizeof(struct drm_xe_mem_region) <= XETILE_XE_ANSWER);

/** struct answer - a query that is being answered */
struct answer {
	/** @facts: what the answer is made of */
	struct xetile_xe_facts facts;
	/** @data: the answer */
	u64 data[XETILE_XE_ANSWER / sizeof(u64)];
};

static void tile_facts(struct xetile_tile *tile, struct xetile_xe_tile *facts)
{
	struct xetile_engine *engine;

	facts->dss_mask = tile->fuse.dss_mask;
	facts->l3_mask = tile->fuse.l3_mask;
	facts->eu_mask = tile->fuse.eu_mask;
	facts->num_ccs = xetile_ccs_mode(tile);
	for (engine = tile->engines; engine < tile->engines + tile->num_engines; engine++)
		if (engine->class == XETILE_ENGINE_COPY && !engine->kernel_only)
			facts->bcs_mask |= BIT(engine->instance);
	facts->hbm_total = xetile_hbm_capacity(tile);
	facts->hbm_used = xetile_hbm_occupied(tile);
	facts->hbm_visible = xetile_hbm_reachable(tile);
}

static void card_facts(struct xetile_device *xt, struct xetile_xe_facts *facts)
{
	struct pci_dev *pdev = to_pci_dev(xt->drm.dev);
	unsigned int t;

	facts->device_id = pdev->device;
	facts->revision = pdev->revision;
	facts->ip_release = xt->info->ip_release;
	facts->timestamp_hz = xt->timestamp_hz;
	facts->threads_per_eu = xt->info->threads_per_eu;
	facts->max_slm = xt->info->max_slm;
	facts->max_priority = capable(CAP_SYS_NICE) ? 2 : 1;
	facts->sees_used = perfmon_capable();
	facts->system_total = xetile_sysmem_capacity(xt);
	facts->system_used = xetile_sysmem_pages(xt) << PAGE_SHIFT;
	facts->num_tiles = xt->num_tiles;
	for (t = 0; t < xt->num_tiles; t++)
		tile_facts(&xt->tiles[t], &facts->tiles[t]);
}

/* The queries that facts answer */
static size_t (* const answers[])(const struct xetile_xe_facts *facts, void *answer) = {
	[DRM_XE_DEVICE_QUERY_ENGINES] = xetile_xe_engines,
	[DRM_XE_DEVICE_QUERY_MEM_REGIONS] = xetile_xe_mem_regions,
	[DRM_XE_DEVICE_QUERY_CONFIG] = xetile_xe_config,
	[DRM_XE_DEVICE_QUERY_GT_LIST] = xetile_xe_gt_list,
	[DRM_XE_DEVICE_QUERY_HWCONFIG] = xetile_xe_hwconfig,
	[DRM_XE_DEVICE_QUERY_GT_TOPOLOGY] = xetile_xe_topology,
	[DRM_XE_DEVICE_QUERY_OA_UNITS] = xetile_xe_oa_units,
};

static int query_facts(struct xetile_device *xt, struct drm_xe_device_query *query)
{
	unsigned int which = array_index_nospec(query->query, ARRAY_SIZE(answers));
	struct answer *answer;
	size_t size;
	int idx, err = 0;

	answer = kzalloc_obj(*answer, GFP_KERNEL_ACCOUNT);
	if (!answer)
		return -ENOMEM;
	if (!xetile_device_enter(xt, &idx)) {
		kfree(answer);
		return -ENODEV;
	}
	card_facts(xt, &answer->facts);
	xetile_device_exit(xt, idx);

	size = answers[which](&answer->facts, answer->data);
	if (!query->size)
		query->size = size;
	else if (query->size != size)
		err = -EINVAL;
	else if (copy_to_user(u64_to_user_ptr(query->data), answer->data, size))
		err = -EFAULT;
	kfree(answer);
	return err;
}

/* What the card does not have: the answer has a size, and that is all. */
static int query_absent(struct drm_xe_device_query *query, size_t size)
{
	if (query->size)
		return query->size == size ? -ENODEV : -EINVAL;
	query->size = size;
	return 0;
}

static int query_firmware(struct drm_xe_device_query *query)
{
	struct drm_xe_query_uc_fw_version version;
	int err = query_absent(query, sizeof(version));

	if (err != -ENODEV)
		return err;
	if (copy_from_user(&version, u64_to_user_ptr(query->data), sizeof(version)))
		return -EFAULT;
	if (version.pad || version.pad2 || version.reserved)
		return -EINVAL;
	return version.uc_type <= XE_QUERY_UC_TYPE_HUC ? -ENODEV : -EINVAL;
}

/**
 * xetile_xe_device_query() - describe the card
 * @drm: the card
 * @data: struct drm_xe_device_query
 * @file: caller's file
 *
 * Context: process.
 * Return: 0; -EINVAL for an unknown query, a size that is neither 0 nor that of the answer, an
 * extension, a reserved field that is set; -EFAULT; -ENOMEM; -ENODEV when the card is gone, or for
 * a firmware or a unit that it does not have.
 */
int xetile_xe_device_query(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct xetile_device *xt = to_xetile_device(drm);
	struct drm_xe_device_query *query = data;

	if (query->extensions || query->reserved[0] || query->reserved[1])
		return -EINVAL;
	switch (query->query) {
	case DRM_XE_DEVICE_QUERY_ENGINE_CYCLES:
		return xetile_xe_query_cycles(xt, query);
	case DRM_XE_DEVICE_QUERY_UC_FW_VERSION:
		return query_firmware(query);
	case DRM_XE_DEVICE_QUERY_PXP_STATUS:
		return query_absent(query, PXP_STATUS_BYTES);
	case DRM_XE_DEVICE_QUERY_EU_STALL:
		return -ENODEV;
	default:
		return query->query < ARRAY_SIZE(answers) ? query_facts(xt, query) : -EINVAL;
	}
}
