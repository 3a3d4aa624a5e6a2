// SPDX-License-Identifier: MIT
/*
 * The door to the kernel: every ioctl of the library, of the driver and of DRM's syncobjs, goes
 * through xt_ioctl(). Tests replace the door.
 */
#include "ioctl.h"

#include <drm/xetile_drm.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sync_file.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "error.h"

static int real_ioctl(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) < 0 ? -errno : 0;
}

static int real_open(const char *node)
{
	int fd = open(node, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

struct xt_door xt_door = { real_ioctl, real_open };

int xt_ioctl(int fd, unsigned long request, void *arg)
{
	int err;

	do {
		err = xt_door.ioctl(fd, request, arg);
	} while (err == -EINTR);
	return err;
}

int xt_syncobj_create(int fd, uint32_t *handle)
{
	struct drm_syncobj_create arg = { 0 };
	int err = xt_ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, &arg);

	if (err)
		return xt_error(err, "cannot create a fence: %s", strerror(-err));
	*handle = arg.handle;
	return 0;
}

void xt_syncobj_destroy(int fd, uint32_t handle)
{
	struct drm_syncobj_destroy arg = { .handle = handle };

	xt_ioctl(fd, DRM_IOCTL_SYNCOBJ_DESTROY, &arg);
}

/* The kernel takes the time at which a wait ends, so that a restart does not prolong the wait. */
static int64_t deadline_ns(int timeout_ms)
{
	struct timespec now;

	if (timeout_ms < 0)
		return INT64_MAX;
	if (!timeout_ms)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec + timeout_ms * 1000000ll;
}

int xt_syncobj_wait(int fd, const uint32_t *handles, unsigned int num, int timeout_ms)
{
	struct drm_syncobj_wait arg = {
		.handles = (uintptr_t)handles,
		.timeout_nsec = deadline_ns(timeout_ms),
		.count_handles = num,
		.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL,
	};
	int err = xt_ioctl(fd, DRM_IOCTL_SYNCOBJ_WAIT, &arg);

	/* DRM returns ETIME when the wait ran out; in the library ETIME means a stopped batch. */
	return err == -ETIME ? -ETIMEDOUT : err;
}

/* A syncobj does not tell the error of its fence; a sync file made of the syncobj does. */
int xt_syncobj_status(int fd, uint32_t handle)
{
	struct drm_syncobj_handle export = {
		.handle = handle,
		.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE,
		.fd = -1,
	};
	struct sync_file_info info = { 0 };
	int err;

	err = xt_ioctl(fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &export);
	if (err)
		return err;
	err = xt_ioctl(export.fd, SYNC_IOC_FILE_INFO, &info);
	close(export.fd);
	if (err)
		return err;
	if (info.status < 0)
		return info.status;
	return info.status ? 0 : -EINPROGRESS;
}
