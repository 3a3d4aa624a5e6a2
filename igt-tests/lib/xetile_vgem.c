// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "xetile_vgem.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <drm/vgem_drm.h>
#include <linux/dma-buf.h>
#include <xf86drm.h>

static int vgem_open(void)
{
	for (int minor = 0; minor < 64; minor++) {
		drmVersionPtr version;
		char path[64];
		bool found;
		int fd;

		snprintf(path, sizeof(path), "/dev/dri/card%d", minor);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		version = drmGetVersion(fd);
		found = version && !strcmp(version->name, "vgem");
		drmFreeVersion(version);
		if (found)
			return fd;
		close(fd);
	}
	return -1;
}

void vgem_init(struct vgem *v)
{
	struct drm_mode_create_dumb dumb = { .width = 64, .height = 64, .bpp = 32 };

	v->fd = vgem_open();
	if (v->fd < 0 && !system("modprobe vgem"))
		v->fd = vgem_open();
	igt_require_f(v->fd >= 0, "the kernel has no vgem, and the test needs its fences\n");

	igt_assert_eq(xetile_ioctl(v->fd, DRM_IOCTL_MODE_CREATE_DUMB, &dumb), 0);
	v->handle = dumb.handle;
	igt_assert_eq(drmPrimeHandleToFD(v->fd, v->handle, DRM_CLOEXEC | DRM_RDWR, &v->buf), 0);
}

void vgem_fini(struct vgem *v)
{
	close(v->buf);
	close(v->fd);
}

void vgem_fence(struct vgem *v, int fd, uint32_t syncobj)
{
	struct drm_vgem_fence_attach attach = {
		.handle = v->handle, .flags = VGEM_FENCE_WRITE,
	};
	struct dma_buf_export_sync_file sync = { .flags = DMA_BUF_SYNC_RW };

	igt_assert_eq(xetile_ioctl(v->fd, DRM_IOCTL_VGEM_FENCE_ATTACH, &attach), 0);
	v->fence = attach.out_fence;
	igt_assert_eq(xetile_ioctl(v->buf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &sync), 0);
	igt_assert_eq(drmSyncobjImportSyncFile(fd, syncobj, sync.fd), 0);
	close(sync.fd);
}

int vgem_signal(const struct vgem *v)
{
	struct drm_vgem_fence_signal signal = { .fence = v->fence };

	return xetile_ioctl(v->fd, DRM_IOCTL_VGEM_FENCE_SIGNAL, &signal);
}
