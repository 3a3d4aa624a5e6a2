/* SPDX-License-Identifier: MIT */
/*
 * Colors of memory, between a program's description and the driver. memory.c, share.c, pool.c and
 * slab.c call these functions. Those that can fail return a negative errno with an error text.
 */
#ifndef _XETILE_COLORING_H_
#define _XETILE_COLORING_H_

#include <stdbool.h>
#include <stdint.h>

#include "xetile.h"

struct drm_xetile_bo_range;

/*
 * Translate a color of a buffer on the tiles of @mask, all but offset and size. On success the
 * caller frees it with xt_color_free().
 */
int xt_color_fill(struct drm_xetile_bo_range *out, const struct xetile_context *context,
		  uint32_t mask, const struct xetile_mem_desc *desc);
/* The same for a range of a buffer, whose offset and size count */
int xt_color_fill_range(struct drm_xetile_bo_range *out, const struct xetile_mem *mem,
			const struct xetile_device *device, const struct xetile_mem_range *range);
/*
 * Whether the runs of a color are those of a buffer of @size bytes; the driver refuses others without
 * a word. Returns 0 or -EINVAL.
 */
int xt_color_fits(const struct drm_xetile_bo_range *range, uint64_t size);
void xt_color_free(struct drm_xetile_bo_range *color);
/*
 * Note the color of a whole buffer, whose size is known; the offset and size of @range do not
 * count. Returns 0 or -ENOMEM.
 */
int xt_color_paint(struct xetile_mem *mem, const struct drm_xetile_bo_range *range);
/* Note the color of an object that lies so already. */
int xt_color_note(struct xetile_mem *mem, const struct xetile_device *device,
		  const struct xetile_mem_desc *desc);
/*
 * Find where the pages of a buffer of @pages would lie. Returns the number of runs, or 0 when there
 * are more than @max or the rules do not tell.
 */
int xt_color_runs(const struct xetile_context *context, const struct xetile_device *device,
		  const struct xetile_mem_desc *desc, uint64_t pages, struct xetile_run *runs,
		  unsigned int max);
bool xt_can_recolor(const struct xetile_context *context);
/* What every recolor asks of its arguments but for the ranges */
int xt_recolor_check(const struct xetile_mem *mem, const struct xetile_device *device,
		     unsigned int num);
/* As xetile_mem_recolor(), but for copies: the driver answers -EOPNOTSUPP for them. */
int xt_recolor(struct xetile_mem *mem, const struct xetile_device *device,
	       const struct xetile_mem_range *ranges, unsigned int num);

#endif
