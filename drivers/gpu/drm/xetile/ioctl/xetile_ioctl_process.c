// SPDX-License-Identifier: GPL-2.0-only
#include "ioctl/xetile_ioctl.h"

#include <linux/err.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>

#include <drm/drm_file.h>
#include <drm/xetile_drm.h>

#include "exec/xetile_client.h"
#include "ioctl/xetile_file.h"
#include "xetile_device.h"

/**
 * DOC: the call about a process
 *
 * Checks, and translation of the uAPI's struct, for DRM_XETILE_PROCESS. The DRM core calls it in
 * process context, without a lock. It needs no card.
 */

static_assert(sizeof(struct drm_xetile_process) == 32);

/* The colors that fit any buffer, of which the program knows only one tile and a size */
static bool is_general(u32 color)
{
	return color == DRM_XETILE_COLOR_EVEN || color == DRM_XETILE_COLOR_TILE ||
	       color == DRM_XETILE_COLOR_CHUNK || color == DRM_XETILE_COLOR_FOLLOW;
}

static int parse_color(struct xetile_device *xt, const struct drm_xetile_process *args,
		       struct xetile_client_wish *wish)
{
	u32 present = GENMASK(xt->num_tiles - 1, 0);

	if (!(args->flags & DRM_XETILE_PROCESS_COLOR))
		return args->min_size || args->granule || args->color || args->tile_mask ?
		       -EINVAL : 0;
	if (!is_general(args->color) || args->tile_mask & ~present)
		return -EINVAL;
	if (args->color == DRM_XETILE_COLOR_TILE && args->tile_mask)
		return -EINVAL;
	if (args->granule && (args->color != DRM_XETILE_COLOR_CHUNK ||
			      !IS_ALIGNED(args->granule, DRM_XETILE_COLOR_PAGE) ||
			      args->granule / DRM_XETILE_COLOR_PAGE > U32_MAX))
		return -EINVAL;
	wish->colors = true;
	wish->min_size = args->min_size;
	wish->color.policy = args->color;
	wish->color.tile_mask = args->tile_mask ?: present;
	if (args->color == DRM_XETILE_COLOR_CHUNK)
		wish->color.granule = args->granule / DRM_XETILE_COLOR_PAGE ?: 1;
	return 0;
}

static int parse_cslice(const struct drm_xetile_process *args, struct xetile_client_wish *wish)
{
	if (args->flags & DRM_XETILE_PROCESS_CSLICE)
		wish->cslice = args->cslice;
	else if (args->cslice)
		return -EINVAL;
	return args->cslice < DRM_XETILE_MAX_CSLICES ? 0 : -EINVAL;
}

/*
 * The client of the caller, whom the file keeps. As in xetile_ioctl_queue_create(), the caller may
 * not be the process that opened the file.
 */
static struct xetile_client *file_client(struct xetile_file *xf)
{
	struct xetile_client *client = xetile_client_get(xf->xt, task_tgid(current));
	struct xetile_client *other;

	if (IS_ERR(client))
		return client;
	/* Another thread may be doing the same. */
	other = cmpxchg(&xf->client, NULL, client);
	if (!other)
		return client;
	xetile_client_put(client);
	return other == client ? client : ERR_PTR(-EINVAL);
}

/**
 * xetile_ioctl_process() - DRM_IOCTL_XETILE_PROCESS
 * @drm: the card
 * @data: struct drm_xetile_process
 * @file: caller's file
 *
 * Context: process; may sleep.
 *
 * Return: 0 or -errno, see the uAPI.
 */
int xetile_ioctl_process(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct drm_xetile_process *args = data;
	struct xetile_file *xf = file->driver_priv;
	struct xetile_client_wish wish = { };
	struct xetile_client *client;
	int err;

	if (!IS_ENABLED(CONFIG_DRM_XETILE_XE))
		return -EOPNOTSUPP;
	if (args->flags & ~(DRM_XETILE_PROCESS_COLOR | DRM_XETILE_PROCESS_CSLICE))
		return -EINVAL;
	err = parse_color(xf->xt, args, &wish) ?: parse_cslice(args, &wish);
	if (err)
		return err;
	client = file_client(xf);
	if (IS_ERR(client))
		return PTR_ERR(client);
	return xetile_client_set_wish(client, &wish);
}
