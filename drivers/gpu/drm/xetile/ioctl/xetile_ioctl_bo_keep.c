// SPDX-License-Identifier: GPL-2.0-only
#include "ioctl/xetile_ioctl.h"

#include <linux/err.h>
#include <linux/eventfd.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/xetile_drm.h>

#include "ioctl/xetile_file.h"
#include "mem/xetile_bo.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_pin.h"
#include "mem/xetile_purge.h"
#include "xetile_device.h"

/**
 * DOC: calls on what a buffer object may lose
 *
 * Checks, and translation of uAPI structs, for DRM_XETILE_BO_PIN and DRM_XETILE_BO_PURGE. The DRM
 * core calls them in process context, without a lock.
 */

/* @event: the pin takes the reference on success. */
static int pin_object(struct xetile_device *xt, struct drm_file *file, struct xetile_bo *bo,
		      struct eventfd_ctx *event)
{
	struct xetile_file *xf = file->driver_priv;
	int err, idx;

	if (!bo->args.owner || bo->parts)
		return -EOPNOTSUPP;
	if (!(bo->args.placement & XETILE_PLACE_HBM))
		return -EINVAL;
	if (!xetile_hbm_can_hold(xt, bo->args.size))
		return -ENOSPC;
	if (!xetile_device_enter(xt, &idx))
		return -ENODEV;
	err = xetile_pin(bo, xf->account, event);
	xetile_device_exit(xt, idx);
	return err;
}

static int unpin_object(struct xetile_bo *bo)
{
	if (!bo->args.owner || bo->parts)
		return -EOPNOTSUPP;
	return xetile_unpin(bo);
}

/**
 * xetile_ioctl_bo_pin() - DRM_IOCTL_XETILE_BO_PIN
 * @drm: card
 * @data: struct drm_xetile_bo_pin
 * @file: caller
 *
 * Context: process; may sleep.
 *
 * Return: 0 or what the uAPI header says.
 */
int xetile_ioctl_bo_pin(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_xetile_bo_pin *args = data;
	bool end = args->flags & DRM_XETILE_PIN_END;
	struct eventfd_ctx *event = NULL;
	struct drm_gem_object *gem;
	int err;

	if (args->flags & ~DRM_XETILE_PIN_END || args->pad || args->event_fd < -1 ||
	    (end && args->event_fd != -1))
		return -EINVAL;
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	if (args->event_fd >= 0)
		event = eventfd_ctx_fdget(args->event_fd);
	if (IS_ERR(event)) {
		err = -EINVAL;
		goto out;
	}
	err = end ? unpin_object(gem_to_xetile_bo(gem)) :
		    pin_object(to_xetile_device(drm), file, gem_to_xetile_bo(gem), event);
	if (err && event)
		eventfd_ctx_put(event);
out:
	drm_gem_object_put(gem);
	return err;
}

static int purge_object(struct xetile_device *xt, struct xetile_bo *bo, bool allow, bool *retained)
{
	int err, idx;

	if (!bo->args.owner || bo->parts)
		return -EOPNOTSUPP;
	if (!(bo->args.placement & XETILE_PLACE_HBM))
		return -EINVAL;
	if (allow)
		return xetile_purge_allow(bo, retained);
	if (!xetile_device_enter(xt, &idx))
		return -ENODEV;
	err = xetile_purge_forbid(bo, retained);
	xetile_device_exit(xt, idx);
	return err;
}

/**
 * xetile_ioctl_bo_purge() - DRM_IOCTL_XETILE_BO_PURGE
 * @drm: card
 * @data: struct drm_xetile_bo_purge
 * @file: caller
 *
 * Context: process; may sleep.
 *
 * Return: 0 or what the uAPI header says.
 */
int xetile_ioctl_bo_purge(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_xetile_bo_purge *args = data;
	struct drm_gem_object *gem;
	bool retained;
	int err;

	if (args->flags & ~DRM_XETILE_PURGE_ALLOW || args->pad)
		return -EINVAL;
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	err = purge_object(to_xetile_device(drm), gem_to_xetile_bo(gem),
			   args->flags & DRM_XETILE_PURGE_ALLOW, &retained);
	if (!err)
		args->retained = retained;
	drm_gem_object_put(gem);
	return err;
}
