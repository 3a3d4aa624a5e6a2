// SPDX-License-Identifier: MIT
/* xetile's own interface */
#include <string.h>

#include <drm/xetile_drm.h>

#include "ops.h"

#define XETILE(fd, NAME, arg) do_ioctl(fd, DRM_IOCTL_XETILE_##NAME, arg, #NAME)

static unsigned int num_tiles;

static void init(int fd, unsigned int tiles)
{
	(void)fd;
	num_tiles = tiles;
}

static uint32_t bo_create(int fd, uint64_t size)
{
	struct drm_xetile_bo_create arg = {
		.size = size, .placement = DRM_XETILE_PLACE_HBM,
		.color = DRM_XETILE_COLOR_TILE, .tile_mask = 1,
	};

	XETILE(fd, BO_CREATE, &arg);
	return arg.handle;
}

static uint64_t bo_mmap_offset(int fd, uint32_t bo)
{
	struct drm_xetile_bo_mmap arg = { .handle = bo };

	XETILE(fd, BO_MMAP, &arg);
	return arg.offset;
}

static uint32_t vm_create(int fd)
{
	struct drm_xetile_vm_create arg = { 0 };

	XETILE(fd, VM_CREATE, &arg);
	return arg.vm_id;
}

static void vm_destroy(int fd, uint32_t vm)
{
	struct drm_xetile_vm_destroy arg = { .vm_id = vm };

	XETILE(fd, VM_DESTROY, &arg);
}

static void vm_bind(int fd, uint32_t vm, struct drm_xetile_bind *bind, uint32_t syncobj)
{
	struct drm_xetile_sync sync = { .handle = syncobj, .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_vm_bind arg = {
		.vm_id = vm, .binds = DRM_XETILE_ARRAY(bind, 1),
		.syncs = DRM_XETILE_ARRAY(&sync, 1),
	};

	XETILE(fd, VM_BIND, &arg);
}

static void bind(int fd, uint32_t vm, uint32_t bo, uint64_t addr, uint64_t size, uint32_t syncobj)
{
	struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_MAP, .handle = bo, .addr = addr, .range = size,
	};

	vm_bind(fd, vm, &bind, syncobj);
}

static void unbind(int fd, uint32_t vm, uint64_t addr, uint64_t size, uint32_t syncobj)
{
	struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_UNMAP, .addr = addr, .range = size,
	};

	vm_bind(fd, vm, &bind, syncobj);
}

static uint32_t queue_create(int fd, uint32_t vm, unsigned int tile)
{
	struct drm_xetile_queue_create arg = {
		.vm_id = vm, .engine_class = DRM_XETILE_ENGINE_COMPUTE,
		.target = tile == ALL_TILES ? DRM_XETILE_TARGET_ROOT : DRM_XETILE_TARGET_TILE,
		.tile = tile == ALL_TILES ? 0 : tile,
	};

	XETILE(fd, QUEUE_CREATE, &arg);
	return arg.queue_id;
}

static void queue_destroy(int fd, uint32_t queue)
{
	struct drm_xetile_queue_destroy arg = { .queue_id = queue };

	XETILE(fd, QUEUE_DESTROY, &arg);
}

static void exec(int fd, uint32_t queue, uint64_t batch, uint32_t syncobj)
{
	struct drm_xetile_sync sync = { .handle = syncobj, .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_exec arg = {
		.queue_id = queue, .batch = batch, .num_batches = 1,
		.syncs = DRM_XETILE_ARRAY(&sync, 1),
	};

	XETILE(fd, EXEC, &arg);
}

static uint64_t hbm_used(int fd)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];
	struct drm_xetile_query arg = {
		.item = DRM_XETILE_QUERY_TILES, .answer = DRM_XETILE_ARRAY(tiles, num_tiles),
	};
	uint64_t used = 0;

	memset(tiles, 0, sizeof(tiles));
	XETILE(fd, QUERY, &arg);
	for (unsigned int t = 0; t < num_tiles; t++)
		used += tiles[t].hbm_used;
	return used;
}

const struct ops xetile_ops = {
	.name = "xetile",
	.gang = true,
	.init = init,
	.bo_create = bo_create,
	.bo_mmap_offset = bo_mmap_offset,
	.vm_create = vm_create,
	.vm_destroy = vm_destroy,
	.bind = bind,
	.unbind = unbind,
	.queue_create = queue_create,
	.queue_destroy = queue_destroy,
	.exec = exec,
	.hbm_used = hbm_used,
};
