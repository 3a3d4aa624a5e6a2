// SPDX-License-Identifier: MIT
/*
 * What a process gets that uses the calls of xe, and so cannot ask for colors and slices itself.
 */
#include "xetile.h"

#include <drm/xetile_drm.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "card.h"
#include "device.h"
#include "error.h"
#include "ioctl.h"

static const uint32_t colors[] = {
	[XETILE_COLOR_EVEN] = DRM_XETILE_COLOR_EVEN,
	[XETILE_COLOR_CHUNK] = DRM_XETILE_COLOR_CHUNK,
	[XETILE_COLOR_FOLLOW] = DRM_XETILE_COLOR_FOLLOW,
};

static int fill_color(const struct xetile_process_desc *desc, struct drm_xetile_process *args)
{
	const struct xetile_mem_desc *color = desc->color;

	if (!color && !(desc->flags & XETILE_PROCESS_SPILL)) {
		if (desc->min_size)
			return xt_error(-EINVAL, "a smallest size without a color");
		return 0;
	}
	args->flags |= DRM_XETILE_PROCESS_COLOR;
	args->min_size = desc->min_size;
	if (!color) {
		args->color = DRM_XETILE_COLOR_TILE;
		return 0;
	}
	if (desc->flags & XETILE_PROCESS_SPILL)
		return xt_error(-EINVAL, "a color, and buffers that spill");
	if (color->flags || (color->color != XETILE_COLOR_EVEN && color->color != XETILE_COLOR_CHUNK &&
			     color->color != XETILE_COLOR_FOLLOW))
		return xt_error(-EINVAL, "the color of a whole program is even, follow or chunk");
	args->color = colors[color->color];
	args->granule = color->granule;
	return 0;
}

static int fill_cslice(const struct xetile_process_desc *desc, struct drm_xetile_process *args)
{
	if (!(desc->flags & XETILE_PROCESS_CSLICE))
		return desc->cslice ? xt_error(-EINVAL, "a slice without its flag") : 0;
	if (desc->cslice >= XETILE_MAX_CSLICES)
		return xt_error(-EINVAL, "no tile has a slice %u", desc->cslice);
	args->flags |= DRM_XETILE_PROCESS_CSLICE;
	args->cslice = desc->cslice;
	return 0;
}

/* Whether runtimes find a card, by the name of its device */
static bool is_called_xe(int fd)
{
	char name[16] = "";
	struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };

	return !xt_ioctl(fd, DRM_IOCTL_VERSION, &version) && !strcmp(name, "xe");
}

/* The file stays open when the process runs another program. */
static int set_on(const struct xt_card *card, struct drm_xetile_process *args)
{
	int err, fd = xt_card_open(card);

	if (fd < 0)
		return fd;
	err = xt_ioctl(fd, DRM_IOCTL_XETILE_PROCESS, args);
	if (err)
		xt_error(err, "card %u (%s) does not color programs: %s", card->number, card->pci,
			 xt_driver_error(err));
	else if (fcntl(fd, F_SETFD, 0))
		err = xt_error(-errno, "cannot keep a file open: %s", strerror(errno));
	if (!err)
		return fd;
	close(fd);
	return err;
}

int xetile_process_set(struct xetile_device *device, const struct xetile_process_desc *desc,
		       int *fd)
{
	struct drm_xetile_process args = { 0 };
	int ret;

	if (desc->flags & ~(XETILE_PROCESS_SPILL | XETILE_PROCESS_CSLICE))
		return xt_error(-EINVAL, "unknown flags %#x of a process", desc->flags);
	if (!(device->card->props.caps & DRM_XETILE_CAP_XE))
		return xt_error(-EOPNOTSUPP, "the driver has no calls of xe");
	ret = fill_color(desc, &args);
	if (!ret)
		ret = fill_cslice(desc, &args);
	if (!ret)
		ret = set_on(device->card, &args);
	if (ret < 0)
		return ret;
	*fd = ret;
	return !is_called_xe(ret);
}
