/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_IOCTL_COLOR_H__
#define __XETILE_IOCTL_COLOR_H__

#include <linux/types.h>

struct drm_xetile_array;
struct xetile_coloring;
struct xetile_device;

/** struct xetile_ioctl_color - a color as a call describes it, for a buffer or a range of one */
struct xetile_ioctl_color {
	/** @runs: array of struct drm_xetile_color_run, of the caller's memory */
	const struct drm_xetile_array *runs;
	/** @granule: bytes in a row on one tile, 0: as the color wants */
	u64 granule;
	/** @color: one of enum drm_xetile_color */
	u32 color;
	/** @tile_mask: tiles, 0: all */
	u32 tile_mask;
};

int xetile_ioctl_color_check(const struct xetile_ioctl_color *args);
int xetile_ioctl_color_read(struct xetile_device *xt, const struct xetile_ioctl_color *args,
			    u64 pages, struct xetile_coloring *color);

#endif
