// SPDX-License-Identifier: MIT
/*
 * Buffers that stay in HBM, and buffers whose contents may be dropped. The driver refuses all work
 * of a context that maps a buffer without contents: so one that may be purged is not mapped.
 */
#include "xetile.h"

#include <drm/xetile_drm.h>
#include <errno.h>

#include "card.h"
#include "context.h"
#include "error.h"
#include "ioctl.h"
#include "memory.h"

/* What pins and purges ask of a buffer; the driver asks for more. @cap: DRM_XETILE_CAP_* */
static int check(const struct xetile_mem *mem, uint64_t cap)
{
	if (mem->pool)
		return xt_error(-EINVAL, "an object of a pool has no HBM of its own");
	if (!mem->handle)
		return xt_error(-EINVAL, "memory of the program is in no HBM");
	if (!(mem->context->card->props.caps & cap))
		return xt_error(-EOPNOTSUPP, "the driver cannot %s memory",
				cap == DRM_XETILE_CAP_PIN ? "pin" : "purge");
	return 0;
}

static int pin(struct xetile_mem *mem, uint32_t flags, int event_fd)
{
	struct drm_xetile_bo_pin arg = {
		.handle = mem->handle, .flags = flags, .event_fd = event_fd,
	};
	int err = check(mem, DRM_XETILE_CAP_PIN);

	if (err)
		return err;
	err = xt_ioctl(mem->context->fd, DRM_IOCTL_XETILE_BO_PIN, &arg);
	return err ? xt_error(err, "cannot pin memory: %s", xt_driver_error(err)) : 0;
}

int xetile_mem_pin(struct xetile_mem *mem, int event_fd)
{
	return pin(mem, 0, event_fd);
}

int xetile_mem_unpin(struct xetile_mem *mem)
{
	return pin(mem, DRM_XETILE_PIN_END, -1);
}

/* Returns 1: the buffer has its contents; 0: they were dropped; or a negative errno. */
static int purge(struct xetile_mem *mem, uint32_t flags)
{
	struct drm_xetile_bo_purge arg = { .handle = mem->handle, .flags = flags };
	int err = xt_ioctl(mem->context->fd, DRM_IOCTL_XETILE_BO_PURGE, &arg);

	return err ? err : (int)arg.retained;
}

int xetile_mem_allow_purge(struct xetile_mem *mem)
{
	int err = check(mem, DRM_XETILE_CAP_PURGE);

	if (err || mem->purgeable)
		return err;
	if (mem->borrowed)
		return xt_error(-EINVAL, "the owner of a handle says whether its contents may go");
	err = xt_mem_unbind(mem);
	if (err)
		return xt_error(err, "cannot unmap memory: %s", xt_driver_error(err));
	mem->purgeable = true;
	err = purge(mem, DRM_XETILE_PURGE_ALLOW);
	if (err >= 0)
		return 0;
	/* If it cannot be mapped again, it is as if it could be purged, until that is forbidden. */
	if (!xt_mem_bind(mem))
		mem->purgeable = false;
	return xt_error(err, "cannot purge memory: %s", xt_driver_error(err));
}

int xetile_mem_forbid_purge(struct xetile_mem *mem)
{
	int ret = check(mem, DRM_XETILE_CAP_PURGE);

	if (ret)
		return ret;
	if (!mem->purgeable)
		return 1;
	ret = purge(mem, 0);
	if (!ret)
		mem->purged = true;
	if (ret >= 0)
		ret = xt_mem_bind(mem);
	if (ret)
		return xt_error(ret, "cannot take memory into use again: %s", xt_driver_error(ret));
	ret = !mem->purged;
	mem->purgeable = false;
	mem->purged = false;
	return ret;
}
