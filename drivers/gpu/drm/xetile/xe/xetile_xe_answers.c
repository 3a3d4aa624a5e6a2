// SPDX-License-Identifier: GPL-2.0-only
#include "xe/xetile_xe_answers.h"

#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/sizes.h>

#include <drm/xe_drm.h>

/**
 * DOC: answers to queries of the xe driver
 *
 * What a runtime of xe reads when it opens a card, made from facts alone. A tile has one GT with
 * its number, and one memory region: instance 0 is system memory, instance 1 + t the HBM of tile t.
 * Runtimes use the instances as bits of masks, and expect one region near each GT.
 *
 * The answers are structs of xe_drm.h, and the caller gives zeros to fill in.
 */

/* The graphics IP of this part (Xe-HPC) */
#define IP_MAJOR	12
/* Of the PCI revision the bits that number the steppings of the compute tile */
#define IP_REVISION	GENMASK(2, 0)

#define MIN_PAGE_SYSTEM	SZ_4K
#define MIN_PAGE_HBM	SZ_64K
/* Canonical addresses have so many bits that differ. */
#define VA_BITS		57

static struct drm_xe_engine *engine_put(struct drm_xe_engine *engine, u16 class,
					unsigned int instance, unsigned int gt)
{
	engine->instance.engine_class = class;
	engine->instance.engine_instance = instance;
	engine->instance.gt_id = gt;
	return engine + 1;
}

/**
 * xetile_xe_engines() - which engines queues can use
 * @facts: facts of the card
 * @answer: struct drm_xe_query_engines; %XETILE_XE_ANSWER bytes of zeros
 *
 * A compute engine is a number of a process's own, as in the native interface: the number of a
 * virtual slice. A copy engine has the number that the hardware gives it.
 *
 * Context: any.
 * Return: bytes of the answer.
 */
size_t xetile_xe_engines(const struct xetile_xe_facts *facts, void *answer)
{
	struct drm_xe_query_engines *list = answer;
	struct drm_xe_engine *engine = list->engines;
	unsigned int t, i;

	for (t = 0; t < facts->num_tiles; t++) {
		const struct xetile_xe_tile *tile = &facts->tiles[t];

		for (i = 0; i < tile->num_ccs; i++)
			engine = engine_put(engine, DRM_XE_ENGINE_CLASS_COMPUTE, i, t);
		for (i = 0; tile->bcs_mask >> i; i++)
			if (tile->bcs_mask & BIT(i))
				engine = engine_put(engine, DRM_XE_ENGINE_CLASS_COPY, i, t);
	}
	list->num_engines = engine - list->engines;
	return (char *)engine - (char *)answer;
}

/**
 * xetile_xe_mem_regions() - which memories BOs can be in
 * @facts: facts of the card
 * @answer: struct drm_xe_query_mem_regions; %XETILE_XE_ANSWER bytes of zeros
 *
 * The HBM in use that the CPU reaches is an upper bound, because the allocator does not count it.
 *
 * Context: any.
 * Return: bytes of the answer.
 */
size_t xetile_xe_mem_regions(const struct xetile_xe_facts *facts, void *answer)
{
	struct drm_xe_query_mem_regions *list = answer;
	struct drm_xe_mem_region *region = list->mem_regions;
	unsigned int t;

	region->mem_class = DRM_XE_MEM_REGION_CLASS_SYSMEM;
	region->min_page_size = MIN_PAGE_SYSTEM;
	region->total_size = facts->system_total;
	if (facts->sees_used)
		region->used = facts->system_used;

	for (t = 0; t < facts->num_tiles; t++) {
		const struct xetile_xe_tile *tile = &facts->tiles[t];

		region++;
		region->mem_class = DRM_XE_MEM_REGION_CLASS_VRAM;
		region->instance = 1 + t;
		region->min_page_size = MIN_PAGE_HBM;
		region->total_size = tile->hbm_total;
		region->cpu_visible_size = tile->hbm_visible;
		if (!facts->sees_used)
			continue;
		region->used = tile->hbm_used;
		region->cpu_visible_used = min(tile->hbm_used, tile->hbm_visible);
	}
	list->num_mem_regions = 1 + facts->num_tiles;
	return (char *)(region + 1) - (char *)answer;
}

/**
 * xetile_xe_config() - what the card is
 * @facts: facts of the card
 * @answer: struct drm_xe_query_config; %XETILE_XE_ANSWER bytes of zeros
 *
 * Context: any.
 * Return: bytes of the answer.
 */
size_t xetile_xe_config(const struct xetile_xe_facts *facts, void *answer)
{
	struct drm_xe_query_config *config = answer;

	config->num_params = DRM_XE_QUERY_CONFIG_MAX_EXEC_QUEUE_PRIORITY + 1;
	config->info[DRM_XE_QUERY_CONFIG_REV_AND_DEVICE_ID] =
		facts->device_id | (u32)facts->revision << 16;
	config->info[DRM_XE_QUERY_CONFIG_FLAGS] = DRM_XE_QUERY_CONFIG_FLAG_HAS_VRAM;
	config->info[DRM_XE_QUERY_CONFIG_MIN_ALIGNMENT] = MIN_PAGE_HBM;
	config->info[DRM_XE_QUERY_CONFIG_VA_BITS] = VA_BITS;
	config->info[DRM_XE_QUERY_CONFIG_MAX_EXEC_QUEUE_PRIORITY] = facts->max_priority;
	return (char *)&config->info[config->num_params] - (char *)answer;
}

/**
 * xetile_xe_gt_list() - which GTs there are
 * @facts: facts of the card
 * @answer: struct drm_xe_query_gt_list; %XETILE_XE_ANSWER bytes of zeros
 *
 * The part has no register with its IP version, and runtimes choose their compiler by it.
 *
 * Context: any.
 * Return: bytes of the answer.
 */
size_t xetile_xe_gt_list(const struct xetile_xe_facts *facts, void *answer)
{
	struct drm_xe_query_gt_list *list = answer;
	u64 regions = GENMASK_ULL(facts->num_tiles, 0);
	unsigned int t;

	for (t = 0; t < facts->num_tiles; t++) {
		struct drm_xe_gt *gt = &list->gt_list[t];

		gt->type = DRM_XE_QUERY_GT_TYPE_MAIN;
		gt->tile_id = t;
		gt->gt_id = t;
		gt->reference_clock = facts->timestamp_hz;
		gt->near_mem_regions = BIT_ULL(1 + t);
		gt->far_mem_regions = regions & ~gt->near_mem_regions;
		gt->ip_ver_major = IP_MAJOR;
		gt->ip_ver_minor = facts->ip_release;
		gt->ip_ver_rev = facts->revision & IP_REVISION;
	}
	list->num_gt = facts->num_tiles;
	return (char *)&list->gt_list[list->num_gt] - (char *)answer;
}

/**
 * xetile_xe_oa_units() - which units count the work of the execution units
 * @facts: facts of the card
 * @answer: struct drm_xe_query_oa_units; %XETILE_XE_ANSWER bytes of zeros
 *
 * None that the driver gives to anybody.
 *
 * Context: any.
 * Return: bytes of the answer.
 */
size_t xetile_xe_oa_units(const struct xetile_xe_facts *facts, void *answer)
{
	return sizeof(struct drm_xe_query_oa_units);
}
