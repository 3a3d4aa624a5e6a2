// SPDX-License-Identifier: MIT
/*
 * Colors of memory: what a description asks of the driver, where the pages of a buffer lie then,
 * and another color by the driver.
 */
#include "coloring.h"

#include <drm/xetile_drm.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "card.h"
#include "context.h"
#include "device.h"
#include "error.h"
#include "ioctl.h"
#include "memory.h"
#include "policy.h"
#include "util.h"

_Static_assert(sizeof(struct drm_xetile_color_run) == sizeof(struct xetile_color_run),
	       "the driver's runs are those of its rules");

/* Returns whether the rules can color so many pages so. */
static bool find_coloring(const struct xetile_context *context,
			  const struct drm_xetile_bo_range *range, uint64_t pages,
			  struct xetile_coloring *color)
{
	uint64_t granule = range->granule / XETILE_COLOR_PAGE;

	*color = (struct xetile_coloring) {
		.policy = range->color,
		.tile_mask = range->tile_mask,
		.num_runs = range->runs.count,
		.runs = (const void *)(uintptr_t)range->runs.data,
	};
	/* No chunk is longer than the range. */
	if (range->color == DRM_XETILE_COLOR_CHUNK)
		color->granule = !granule ? 1 : granule < pages ? granule : pages;
	return !xetile_color_check(color, pages, (1u << context->card->props.num_tiles) - 1);
}

/*
 * Note where a range of a buffer lies that the driver accepted. A color whose places the rules do
 * not tell counts as the machine's memory, which is as far from all engines.
 */
static int paint(struct xt_layout *layout, const struct xetile_context *context,
		 const struct drm_xetile_bo_range *range)
{
	uint64_t pages = range->size / XETILE_COLOR_PAGE;
	struct xetile_coloring color;

	if (!find_coloring(context, range, pages, &color))
		return 0;
	return xt_layout_paint(layout, range->offset / XETILE_COLOR_PAGE, pages, &color);
}

int xt_color_paint(struct xetile_mem *mem, const struct drm_xetile_bo_range *range)
{
	struct drm_xetile_bo_range whole = *range;

	/* Copies are as near to all their tiles. */
	if (range->color == DRM_XETILE_COLOR_REPLICATE)
		return 0;
	whole.size = xt_align(mem->size, XETILE_COLOR_PAGE);
	return paint(&mem->layout, mem->context, &whole);
}

/* The tiles of the color TILE, one of which may be left to the driver */
static int tile_mask(const struct xetile_mem_desc *desc, uint32_t mask, uint32_t *out)
{
	if (desc->flags & XETILE_MEM_LEAST_OCCUPIED) {
		*out = mask;
		return 0;
	}
	if (desc->tile >= XETILE_MAX_TILES)
		return xt_error(-EINVAL, "there is no tile %u", desc->tile);
	*out = 1u << desc->tile;
	return 0;
}

int xt_color_fill(struct drm_xetile_bo_range *out, const struct xetile_context *context,
		  uint32_t mask, const struct xetile_mem_desc *desc)
{
	const struct xetile_policy *policy = xt_policy(desc->color);
	struct drm_xetile_color_run *map;
	uint32_t i;
	int err;

	if (!policy)
		return xt_error(-EINVAL, "unknown color %d", (int)desc->color);
	if (desc->granule && !policy->needs_granule)
		return xt_error(-EINVAL, "color %s takes no granule", policy->name);
	if (desc->num_runs && !policy->needs_runs)
		return xt_error(-EINVAL, "color %s takes no runs", policy->name);
	if (policy->needs_runs && (!desc->num_runs || !desc->runs))
		return xt_error(-EINVAL, "color %s needs runs", policy->name);
	out->color = xt_policy_number(desc->color);
	out->granule = desc->granule;
	out->tile_mask = mask;
	if (desc->color == XETILE_COLOR_DEFAULT && context->card->default_granule &&
	    !(desc->flags & XETILE_MEM_LEAST_OCCUPIED)) {
		out->color = DRM_XETILE_COLOR_CHUNK;
		out->granule = context->card->default_granule;
	}
	if (desc->color == XETILE_COLOR_TILE) {
		err = tile_mask(desc, mask, &out->tile_mask);
		if (err)
			return err;
	}
	if (!desc->num_runs)
		return 0;

	map = calloc(desc->num_runs, sizeof(*map));
	if (!map)
		return xt_error(-ENOMEM, "out of memory");
	for (i = 0; i < desc->num_runs; i++) {
		map[i].tile = desc->runs[i].tile;
		map[i].pages = desc->runs[i].pages;
		if (map[i].tile < 32)
			mask |= 1u << map[i].tile;
	}
	out->runs = (struct drm_xetile_array)DRM_XETILE_ARRAY(map, desc->num_runs);
	/* A map may name any tile of the card; weights are for the device's tiles. */
	if (out->color == DRM_XETILE_COLOR_MAP)
		out->tile_mask = mask & ((1u << context->card->props.num_tiles) - 1);
	return 0;
}

int xt_color_fits(const struct drm_xetile_bo_range *range, uint64_t size)
{
	const struct drm_xetile_color_run *runs = (const void *)(uintptr_t)range->runs.data;
	uint64_t pages = size / XETILE_COLOR_PAGE + (size % XETILE_COLOR_PAGE != 0), sum = 0;
	unsigned int i, tiles = __builtin_popcount(range->tile_mask);

	if (range->color == DRM_XETILE_COLOR_WEIGHTED && range->runs.count != tiles)
		return xt_error(-EINVAL, "color weighted: %u weights, for %u tile%s", range->runs.count,
				tiles, tiles == 1 ? "" : "s");
	if (range->color != DRM_XETILE_COLOR_MAP)
		return 0;
	for (i = 0; i < range->runs.count; i++) {
		sum += runs[i].pages;
		if (runs[i].tile >= 32 || !(range->tile_mask & 1u << runs[i].tile))
			return xt_error(-EINVAL, "color map: there is no tile %u", runs[i].tile);
	}
	return sum == pages ? 0 : xt_error(-EINVAL, "color map: it has %" PRIu64
					   " pages of 64 KiB, the buffer %" PRIu64, sum, pages);
}

void xt_color_free(struct drm_xetile_bo_range *color)
{
	free((void *)(uintptr_t)color->runs.data);
}

int xt_color_note(struct xetile_mem *mem, const struct xetile_device *device,
		  const struct xetile_mem_desc *desc)
{
	struct drm_xetile_bo_range range = { 0 };
	int err = xt_color_fill(&range, mem->context, xt_device_work_mask(device), desc);

	if (err)
		return err;
	err = xt_color_paint(mem, &range);
	xt_color_free(&range);
	return err;
}

int xt_color_runs(const struct xetile_context *context, const struct xetile_device *device,
		const struct xetile_mem_desc *desc, uint64_t pages, struct xetile_run *runs,
		unsigned int max)
{
	struct drm_xetile_bo_range range = { 0 };
	struct xetile_coloring color;
	unsigned int num = 0;
	int err;

	err = xt_color_fill(&range, context, xt_device_work_mask(device), desc);
	if (err)
		return err;
	if (find_coloring(context, &range, pages, &color))
		num = xt_policy_runs(&color, pages, runs, max);
	xt_color_free(&range);
	return num > max ? 0 : num;
}

static int recolor(struct xetile_mem *mem, struct drm_xetile_bo_range *ranges, unsigned int num)
{
	struct drm_xetile_bo_recolor arg = {
		.ranges = DRM_XETILE_ARRAY(ranges, num), .handle = mem->handle,
	};
	struct xt_layout layout;
	unsigned int i;
	int err;

	/* The new layout is made first: nothing may fail behind the driver's recolor. */
	err = xt_layout_copy(&layout, &mem->layout);
	for (i = 0; i < num && !err; i++)
		err = paint(&layout, mem->context, &ranges[i]);
	for (i = 0; i < num; i++)
		ranges[i].offset += mem->offset;
	if (!err) {
		err = xt_ioctl(mem->context->fd, DRM_IOCTL_XETILE_BO_RECOLOR, &arg);
		if (err)
			xt_error(err, "cannot recolor memory: %s", xt_driver_error(err));
	}
	if (err) {
		xt_layout_fini(&layout);
		return err;
	}
	xt_layout_fini(&mem->layout);
	mem->layout = layout;
	return 0;
}

int xt_color_fill_range(struct drm_xetile_bo_range *out, const struct xetile_mem *mem,
			const struct xetile_device *device, const struct xetile_mem_range *range)
{
	if (range->desc.flags)
		return xt_error(-EINVAL, "a recolor takes no flags");
	if (range->offset >= mem->size || range->desc.size > mem->size - range->offset)
		return xt_error(-EINVAL, "a range of %" PRIu64 " bytes at %" PRIu64
				" is not within %" PRIu64 " bytes", range->desc.size,
				range->offset, mem->size);
	out->offset = range->offset;
	out->size = range->desc.size ? range->desc.size : mem->size - range->offset;
	return xt_color_fill(out, mem->context, xt_device_work_mask(device), &range->desc);
}

bool xt_can_recolor(const struct xetile_context *context)
{
	return context->card->props.caps & DRM_XETILE_CAP_RECOLOR;
}

int xt_recolor_check(const struct xetile_mem *mem, const struct xetile_device *device,
		     unsigned int num)
{
	if (device->card != mem->context->card)
		return xt_error(-EINVAL, "the device is of another card than the memory");
	if (!mem->handle)
		return xt_error(-EINVAL, "the program's own memory has no color");
	if (!xt_can_recolor(mem->context))
		return xt_error(-EOPNOTSUPP, "the driver cannot recolor memory");
	if (!num || num > DRM_XETILE_MAX_ARRAY)
		return xt_error(-EINVAL, "a recolor of %u ranges", num);
	return 0;
}

int xt_recolor(struct xetile_mem *mem, const struct xetile_device *device,
	       const struct xetile_mem_range *ranges, unsigned int num)
{
	struct drm_xetile_bo_range *array;
	unsigned int i;
	int err;

	err = xt_recolor_check(mem, device, num);
	if (err)
		return err;
	array = calloc(num, sizeof(*array));
	if (!array)
		return xt_error(-ENOMEM, "out of memory");
	for (i = 0; i < num && !err; i++)
		err = xt_color_fill_range(&array[i], mem, device, &ranges[i]);
	if (!err)
		err = recolor(mem, array, num);
	for (i = 0; i < num; i++)
		xt_color_free(&array[i]);
	free(array);
	return err;
}
