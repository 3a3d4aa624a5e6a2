// SPDX-License-Identifier: MIT
/* The calls of the xetile driver. */
#include <string.h>
#include <sys/ioctl.h>

#include <drm/xetile_drm.h>

#include "ops.h"

#define XETILE(fd, NAME, arg) do_ioctl(fd, DRM_IOCTL_XETILE_##NAME, arg, #NAME)

static unsigned int num_tiles;

static uint32_t bo_create(int fd, uint64_t size)
{
	struct drm_xetile_bo_create arg = {
		.size = size, .placement = DRM_XETILE_PLACE_HBM,
		.color = DRM_XETILE_COLOR_TILE, .tile_mask = 1,
	};

	XETILE(fd, BO_CREATE, &arg);
	return arg.handle;
}

static uint32_t bo_create_private(int fd, uint32_t vm, uint64_t size)
{
	struct drm_xetile_bo_create arg = {
		.size = size, .placement = DRM_XETILE_PLACE_HBM, .vm_id = vm,
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

static void bind_user(int fd, uint32_t vm, void *memory, uint64_t addr, uint64_t size,
		      uint32_t syncobj)
{
	struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_MAP_USER, .offset = (uintptr_t)memory,
		.addr = addr, .range = size,
	};

	vm_bind(fd, vm, &bind, syncobj);
}

static struct drm_xetile_bind pieces[MAX_PIECES];

static void pieces_prepare(uint32_t bo, uint64_t addr, uint64_t size)
{
	for (unsigned int i = 0; i < MAX_PIECES; i++)
		pieces[i] = (struct drm_xetile_bind) {
			.op = bo ? DRM_XETILE_BIND_MAP : DRM_XETILE_BIND_MAP_NULL, .handle = bo,
			.addr = addr + i * size, .range = size,
		};
}

static void pieces_bind(int fd, uint32_t vm, unsigned int first, unsigned int num)
{
	struct drm_xetile_vm_bind arg = {
		.vm_id = vm, .binds = DRM_XETILE_ARRAY(&pieces[first], num),
	};

	XETILE(fd, VM_BIND, &arg);
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

static uint32_t copy_queue_create(int fd, uint32_t vm)
{
	struct drm_xetile_queue_create arg = {
		.vm_id = vm, .engine_class = DRM_XETILE_ENGINE_COPY,
		.target = DRM_XETILE_TARGET_TILE,
	};

	XETILE(fd, QUEUE_CREATE, &arg);
	return arg.queue_id;
}

static uint32_t first_queue_create(int fd, uint32_t vm)
{
	struct drm_xetile_query_device device;
	struct drm_xetile_query query = {
		.item = DRM_XETILE_QUERY_DEVICE, .answer = DRM_XETILE_ARRAY(&device, 1),
	};
	struct drm_xetile_queue_create arg = {
		.vm_id = vm, .engine_class = DRM_XETILE_ENGINE_COMPUTE,
		.target = DRM_XETILE_TARGET_TILE, .priority = DRM_XETILE_PRIORITY_HIGH,
	};

	memset(&device, 0, sizeof(device));
	XETILE(fd, QUERY, &query);
	arg.timeout_ms = device.max_timeout_ms;
	XETILE(fd, QUEUE_CREATE, &arg);
	return arg.queue_id;
}

static void queue_info(int fd, uint32_t queue)
{
	struct drm_xetile_queue_info arg = { .queue_id = queue };

	XETILE(fd, QUEUE_INFO, &arg);
}

static uint32_t bo_create_pieces(int fd, uint64_t size, uint64_t granule)
{
	struct drm_xetile_bo_create arg = {
		.size = size, .placement = DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM,
		.color = DRM_XETILE_COLOR_CHUNK, .granule = granule,
	};

	XETILE(fd, BO_CREATE, &arg);
	return arg.handle;
}

static uint32_t bo_create_even(int fd, uint64_t size)
{
	struct drm_xetile_bo_create arg = { .size = size, .placement = DRM_XETILE_PLACE_HBM };

	XETILE(fd, BO_CREATE, &arg);
	return arg.handle;
}

static void recolor(int fd, uint32_t bo, uint64_t size, unsigned int runs, unsigned int first,
		    uint32_t syncobj)
{
	struct drm_xetile_sync sync = { .handle = syncobj, .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_color_run map[MAX_RUNS];
	struct drm_xetile_bo_range range = {
		.size = size, .color = DRM_XETILE_COLOR_MAP,
		.runs = DRM_XETILE_ARRAY(map, runs),
	};
	struct drm_xetile_bo_recolor arg = {
		.ranges = DRM_XETILE_ARRAY(&range, 1), .syncs = DRM_XETILE_ARRAY(&sync, 1),
		.handle = bo,
	};

	for (unsigned int i = 0; i < runs; i++)
		map[i] = (struct drm_xetile_color_run) {
			.tile = (first + i) % 2,
			.pages = (uint32_t)(size / runs / DRM_XETILE_COLOR_PAGE),
		};
	XETILE(fd, BO_RECOLOR, &arg);
}

static uint32_t bo_create_strict(int fd, uint64_t size)
{
	struct drm_xetile_bo_create arg = {
		.size = size, .placement = DRM_XETILE_PLACE_HBM,
		.color = DRM_XETILE_COLOR_TILE, .tile_mask = 1, .flags = DRM_XETILE_BO_STRICT,
	};

	XETILE(fd, BO_CREATE, &arg);
	return arg.handle;
}

static void query_tiles(int fd, struct drm_xetile_query_tile *tiles)
{
	struct drm_xetile_query arg = {
		.item = DRM_XETILE_QUERY_TILES, .answer = DRM_XETILE_ARRAY(tiles, num_tiles),
	};

	memset(tiles, 0, num_tiles * sizeof(*tiles));
	XETILE(fd, QUERY, &arg);
}

static uint64_t hbm_free(int fd)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];

	query_tiles(fd, tiles);
	return tiles[0].hbm_total - tiles[0].hbm_used;
}

static uint64_t hbm_used(int fd)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];
	uint64_t used = 0;

	query_tiles(fd, tiles);
	for (unsigned int t = 0; t < num_tiles; t++)
		used += tiles[t].hbm_used;
	return used;
}

/* A driver may declare BOs that are private to a VM, but refuse them. */
static bool can_private(int fd)
{
	struct drm_xetile_bo_create arg = {
		.size = 1 << 16, .placement = DRM_XETILE_PLACE_HBM, .vm_id = vm_create(fd),
	};

	return !ioctl(fd, DRM_IOCTL_XETILE_BO_CREATE, &arg);
}

static void init(int fd, unsigned int tiles)
{
	num_tiles = tiles;
	if (!can_private(fd))
		xetile_ops.bo_create_private = NULL;
}

struct ops xetile_ops = {
	.name = "xetile",
	.gang = true,
	.bans = true,
	.init = init,
	.bo_create = bo_create,
	.bo_mmap_offset = bo_mmap_offset,
	.vm_create = vm_create,
	.vm_destroy = vm_destroy,
	.bind = bind,
	.unbind = unbind,
	.bind_user = bind_user,
	.queue_create = queue_create,
	.queue_destroy = queue_destroy,
	.exec = exec,
	.copy_queue_create = copy_queue_create,
	.first_queue_create = first_queue_create,
	.queue_info = queue_info,
	.bo_create_private = bo_create_private,
	.bo_create_pieces = bo_create_pieces,
	.bo_create_strict = bo_create_strict,
	.hbm_free = hbm_free,
	.hbm_used = hbm_used,
	.pieces_prepare = pieces_prepare,
	.pieces_bind = pieces_bind,
	.bo_create_even = bo_create_even,
	.recolor = recolor,
};
