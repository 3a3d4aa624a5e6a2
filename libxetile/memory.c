// SPDX-License-Identifier: MIT
/*
 * Memory: a buffer has one handle, one color, and the same GPU address on every tile.
 */
#include "memory.h"

#include <drm/xetile_drm.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "card.h"
#include "coloring.h"
#include "context.h"
#include "debug.h"
#include "device.h"
#include "error.h"
#include "ioctl.h"
#include "policy.h"
#include "util.h"
#include "va.h"

/* The program's own memory may share color pages with its other memory. */
static uint64_t span(const struct xetile_mem *mem)
{
	if (!mem->handle)
		return mem->size;
	return xt_align(mem->size, XETILE_COLOR_PAGE);
}

uint64_t xt_mem_align(uint64_t size)
{
	if (size >= 1ull << 30)
		return 1ull << 30;
	if (size >= 2ull << 20)
		return 2ull << 20;
	return XETILE_COLOR_PAGE;
}

int xt_mem_bind(struct xetile_mem *mem)
{
	struct drm_xetile_bind bind = {
		.addr = mem->addr,
		.range = mem->size,
		.op = mem->handle ? DRM_XETILE_BIND_MAP : DRM_XETILE_BIND_MAP_USER,
		.offset = mem->handle ? 0 : (uintptr_t)mem->map,
		.handle = mem->handle,
	};
	struct drm_xetile_bind both[2] = { bind, bind };
	struct drm_xetile_vm_bind arg = {
		.binds = DRM_XETILE_ARRAY(both, mem->copies ? 2 : 1),
		.vm_id = mem->context->vm_id,
	};

	both[1].addr = xt_mem_written_at(mem);
	if (mem->copies || mem->readonly)
		both[0].flags = DRM_XETILE_BIND_READONLY;
	return xt_ioctl(mem->context->fd, DRM_IOCTL_XETILE_VM_BIND, &arg);
}

int xt_mem_unbind(struct xetile_mem *mem)
{
	struct drm_xetile_bind bind = {
		.addr = mem->addr,
		.range = mem->size,
		.op = DRM_XETILE_BIND_UNMAP,
	};
	struct drm_xetile_bind both[2] = { bind, bind };
	struct drm_xetile_vm_bind arg = {
		.binds = DRM_XETILE_ARRAY(both, mem->copies ? 2 : 1),
		.vm_id = mem->context->vm_id,
	};

	both[1].addr = xt_mem_written_at(mem);
	return xt_ioctl(mem->context->fd, DRM_IOCTL_XETILE_VM_BIND, &arg);
}

/* The CPU sees all copies. */
static uint64_t map_size(const struct xetile_mem *mem)
{
	return mem->size * (mem->copies ? __builtin_popcount(mem->copies) : 1);
}

void xt_mem_link(struct xetile_mem *mem)
{
	mem->link = &mem->context->mems[mem->handle % XT_MEM_LISTS];
	mem->next = *mem->link;
	if (mem->next)
		mem->next->link = &mem->next;
	*mem->link = mem;
}

void xt_mem_unlink(struct xetile_mem *mem)
{
	*mem->link = mem->next;
	if (mem->next)
		mem->next->link = mem->link;
}

struct xetile_mem *xt_mem_find(struct xetile_context *context, uint32_t handle)
{
	struct xetile_mem *mem = context->mems[handle % XT_MEM_LISTS];

	while (mem && mem->handle != handle)
		mem = mem->next;
	return mem;
}

/*
 * An import that comes meanwhile must not find the handle, which may be another buffer's next. The
 * program closes its own.
 */
static void close_handle(struct xetile_mem *mem)
{
	struct drm_gem_close arg = { .handle = mem->handle };

	pthread_mutex_lock(&mem->context->lock);
	xt_mem_unlink(mem);
	if (!mem->borrowed)
		xt_ioctl(mem->context->fd, DRM_IOCTL_GEM_CLOSE, &arg);
	pthread_mutex_unlock(&mem->context->lock);
}

/* Find address space for both mappings, or for the one; with the lock of the context held. */
static int find_addresses(struct xetile_mem *mem)
{
	struct xt_va *va = &mem->context->va;
	uint64_t align = xt_mem_align(mem->span);
	int err;

	if (mem->addr)
		err = xt_va_take(va, mem->addr, mem->span);
	else
		err = xt_va_alloc(va, mem->span, align, &mem->addr);
	if (err || !mem->copies)
		return err;
	err = xt_va_alloc(va, mem->span, align, &mem->written);
	if (err)
		xt_va_free(va, mem->addr, mem->span);
	return err;
}

static void free_addresses(struct xetile_mem *mem)
{
	struct xetile_context *context = mem->context;

	pthread_mutex_lock(&context->lock);
	xt_va_free(&context->va, mem->addr, mem->span);
	if (mem->copies)
		xt_va_free(&context->va, mem->written, mem->span);
	pthread_mutex_unlock(&context->lock);
}

int xt_mem_place(struct xetile_mem *mem)
{
	struct xetile_context *context = mem->context;
	int err;

	mem->span = span(mem);
	pthread_mutex_lock(&context->lock);
	err = find_addresses(mem);
	pthread_mutex_unlock(&context->lock);
	if (err)
		return err;
	err = xt_mem_bind(mem);
	if (!err)
		return 0;
	free_addresses(mem);
	return xt_error(err, "cannot map %" PRIu64 " bytes for the GPU: %s", mem->size,
			xt_driver_error(err));
}

static void mem_release(struct xetile_mem *mem)
{
	xt_layout_fini(&mem->layout);
	free(mem);
}

/* The driver may have chosen the tiles, and tells them. */
static int read_tiles(const struct xetile_mem *mem, struct drm_xetile_bo_range *range)
{
	struct drm_xetile_bo_info info = { .handle = mem->handle };
	int err = xt_ioctl(mem->context->fd, DRM_IOCTL_XETILE_BO_INFO, &info);

	if (err)
		return xt_error(err, "cannot read the color: %s", xt_driver_error(err));
	range->tile_mask = info.tile_mask;
	return 0;
}

static int mem_create(struct xetile_context *context, struct drm_xetile_bo_create *create,
		      uint64_t addr, struct xetile_mem **out)
{
	struct drm_xetile_bo_range range = {
		.granule = create->granule, .runs = create->runs, .color = create->color,
		.tile_mask = create->tile_mask,
	};
	struct xetile_mem *mem = calloc(1, sizeof(*mem));
	uint64_t wanted = create->size;
	int err;

	if (!mem)
		return xt_error(-ENOMEM, "out of memory");
	/* A bind takes whole units. The driver refuses a size that the rounding would overflow. */
	if (wanted <= UINT64_MAX - context->card->props.bind_align)
		create->size = xt_align(wanted, context->card->props.bind_align);
	err = xt_ioctl(context->fd, DRM_IOCTL_XETILE_BO_CREATE, create);
	if (err) {
		xt_error(err, "cannot allocate %" PRIu64 " bytes: %s", wanted, xt_driver_error(err));
		goto err_free;
	}
	mem->context = context;
	mem->handle = create->handle;
	mem->size = create->size;
	mem->addr = addr;
	if (create->color == DRM_XETILE_COLOR_REPLICATE)
		mem->copies = create->tile_mask;
	pthread_mutex_lock(&context->lock);
	xt_mem_link(mem);
	pthread_mutex_unlock(&context->lock);
	if (mem->size < wanted) {
		err = xt_error(-EIO, "the driver gave %" PRIu64 " bytes instead of %" PRIu64,
			       mem->size, wanted);
		goto err_close;
	}
	if (create->flags & DRM_XETILE_BO_LEAST_OCCUPIED)
		err = read_tiles(mem, &range);
	if (!err && create->placement & DRM_XETILE_PLACE_HBM)
		err = xt_color_paint(mem, &range);
	if (!err)
		err = xt_mem_place(mem);
	if (err)
		goto err_close;
	*out = mem;
	return 0;

err_close:
	close_handle(mem);
err_free:
	mem_release(mem);
	return err;
}

int xetile_mem_alloc(struct xetile_context *context, struct xetile_device *device,
		     const struct xetile_mem_desc *desc, struct xetile_mem **out)
{
	const struct xt_mem_at anywhere = { 0 };

	return xt_mem_alloc_at(context, device, desc, &anywhere, out);
}

int xt_mem_alloc_at(struct xetile_context *context, struct xetile_device *device,
		    const struct xetile_mem_desc *desc, const struct xt_mem_at *at,
		    struct xetile_mem **out)
{
	const uint32_t flags = XETILE_MEM_SYSTEM | XETILE_MEM_SPILL | XETILE_MEM_STRICT |
			       XETILE_MEM_LEAST_OCCUPIED | XETILE_MEM_PRIVATE;
	struct drm_xetile_bo_create create = { .size = desc->size };
	struct drm_xetile_bo_range color = { 0 };
	int err;

	if (device->card != context->card)
		return xt_error(-EINVAL, "the device is of another card than the context");
	if (!desc->size)
		return xt_error(-EINVAL, "a buffer of no bytes");
	if (desc->flags & ~flags)
		return xt_error(-EINVAL, "unknown flags 0x%x", desc->flags & ~flags);

	if (desc->flags & XETILE_MEM_SYSTEM) {
		if (desc->color != XETILE_COLOR_DEFAULT || desc->flags & ~XETILE_MEM_SYSTEM)
			return xt_error(-EINVAL, "system memory has no color");
		create.placement = DRM_XETILE_PLACE_SYSTEM;
		return mem_create(context, &create, at->addr, out);
	}

	create.placement = DRM_XETILE_PLACE_HBM;
	if (at->migrates)
		create.flags |= DRM_XETILE_BO_MIGRATE;
	if (at->migrates || desc->flags & XETILE_MEM_PRIVATE)
		create.vm_id = context->vm_id;
	if (desc->flags & XETILE_MEM_SPILL || at->migrates)
		create.placement |= DRM_XETILE_PLACE_SYSTEM;
	if (desc->flags & XETILE_MEM_STRICT)
		create.flags |= DRM_XETILE_BO_STRICT;
	if (desc->flags & XETILE_MEM_LEAST_OCCUPIED) {
		if (context->minor < 6)
			return xt_error(-EOPNOTSUPP, "the driver cannot choose a tile");
		create.flags |= DRM_XETILE_BO_LEAST_OCCUPIED;
	}
	err = xt_color_fill(&color, context, xt_device_work_mask(device), desc);
	if (!err)
		err = xt_color_fits(&color, desc->size);
	if (err) {
		xt_color_free(&color);
		return err;
	}
	create.color = color.color;
	create.granule = color.granule;
	create.tile_mask = color.tile_mask;
	create.runs = color.runs;
	err = mem_create(context, &create, at->addr, out);
	xt_color_free(&color);
	if (!err)
		xt_debug("%" PRIu64 " bytes at 0x%" PRIx64 ", color %s, tiles 0x%x", desc->size,
			 (*out)->addr, xt_policy(desc->color)->name, create.tile_mask);
	return err;
}

int xt_mem_alloc_parts(struct xetile_context *context, uint32_t mask,
		       uint64_t part_size, struct xetile_mem **out)
{
	struct drm_xetile_bo_create create = {
		.size = part_size * __builtin_popcount(mask),
		.placement = DRM_XETILE_PLACE_HBM,
		.color = DRM_XETILE_COLOR_EVEN,
		.tile_mask = mask,
	};

	return mem_create(context, &create, 0, out);
}

void xt_mem_abandon(struct xetile_mem *mem)
{
	if (!mem)
		return;
	if (mem->handle) {
		if (mem->map)
			munmap(mem->map, map_size(mem));
		close_handle(mem);
	}
	mem_release(mem);
}

static void object_free(struct xetile_mem *object)
{
	struct xetile_pool *pool = object->pool;

	/* When this fails, the range is lost until the pool is destroyed. */
	pthread_mutex_lock(&pool->lock);
	xt_va_free(&pool->ranges, object->offset, object->size);
	pthread_mutex_unlock(&pool->lock);
	mem_release(object);
}

void xetile_mem_free(struct xetile_mem *mem)
{
	if (!mem)
		return;
	if (mem->pool) {
		object_free(mem);
		return;
	}
	/* When the unbind fails, the address may still be mapped and stays allocated. */
	if (!mem->bound && (mem->purgeable || !xt_mem_unbind(mem)))
		free_addresses(mem);
	xt_mem_abandon(mem);
}

static int object_map(struct xetile_mem *object, void **out)
{
	struct xetile_pool *pool = object->pool;
	void *map;
	int err;

	pthread_mutex_lock(&pool->lock);
	err = xetile_mem_map(pool->mem, &map);
	pthread_mutex_unlock(&pool->lock);
	if (!err)
		*out = (uint8_t *)map + object->offset;
	return err;
}

int xt_mem_map_offset(const struct xetile_mem *mem, uint64_t *offset)
{
	struct drm_xetile_bo_mmap arg = { .handle = mem->handle };
	int err = xt_ioctl(mem->context->fd, DRM_IOCTL_XETILE_BO_MMAP, &arg);

	*offset = arg.offset;
	return err ? xt_error(err, "cannot map memory: %s", xt_driver_error(err)) : 0;
}

int xt_mem_map_at(struct xetile_mem *mem, void *at, uint64_t offset)
{
	void *map;

	map = mmap(at, map_size(mem), PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0),
		   mem->context->fd, offset);
	if (map == MAP_FAILED)
		return xt_error(-errno, "cannot map memory: %m");
	mem->map = map;
	return 0;
}

int xetile_mem_map(struct xetile_mem *mem, void **out)
{
	uint64_t offset;
	int err;

	if (mem->pool)
		return object_map(mem, out);
	if (!mem->map) {
		err = xt_mem_map_offset(mem, &offset);
		if (!err)
			err = xt_mem_map_at(mem, NULL, offset);
		if (err)
			return err;
	}
	*out = mem->map;
	return 0;
}

uint64_t xetile_mem_address(const struct xetile_mem *mem)
{
	return mem->addr;
}

uint32_t xetile_mem_handle(const struct xetile_mem *mem, uint64_t *offset)
{
	if (offset)
		*offset = mem->offset;
	return mem->handle;
}

uint64_t xetile_mem_size(const struct xetile_mem *mem)
{
	return mem->size;
}

/* Returns the number of runs of the driver's buffer, which may exceed @max, or an error. */
static int read_runs(const struct xetile_mem *mem, struct drm_xetile_color_run *runs,
		     unsigned int max)
{
	struct drm_xetile_bo_info info = { .handle = mem->handle };
	int err;

	if (max)
		info.runs = (struct drm_xetile_array)DRM_XETILE_ARRAY(runs, max);
	err = xt_ioctl(mem->context->fd, DRM_IOCTL_XETILE_BO_INFO, &info);
	if (!err && info.runs.count > INT32_MAX)
		err = -EIO;
	if (err)
		return xt_error(err, "cannot read the color: %s", xt_driver_error(err));
	return info.runs.count;
}

/*
 * Cut the runs of an object out of those of its pool. Small objects share a page of the color, so
 * an object begins or ends within a page.
 */
static int cut_runs(const struct xetile_mem *object, const struct drm_xetile_color_run *all,
		    int num, struct xetile_run *runs, unsigned int max)
{
	uint64_t first = object->offset / XETILE_COLOR_PAGE, at = 0, begin, end;
	uint64_t last = xt_align(object->offset + object->size, XETILE_COLOR_PAGE) /
			XETILE_COLOR_PAGE;
	unsigned int found = 0;
	int i;

	for (i = 0; i < num && at < last; i++) {
		begin = at > first ? at : first;
		at += all[i].pages;
		end = at < last ? at : last;
		if (begin >= end)
			continue;
		if (found < max)
			runs[found] = (struct xetile_run) { all[i].tile, end - begin };
		found++;
	}
	return found;
}

static int object_color(const struct xetile_mem *object, struct xetile_run *runs, unsigned int max)
{
	struct drm_xetile_color_run *all;
	int room, num;
	bool again;

	/* Other objects may be recolored between two questions. */
	do {
		room = read_runs(object, NULL, 0);
		if (room < 0)
			return room;
		all = calloc(room + 1, sizeof(*all));
		if (!all)
			return xt_error(-ENOMEM, "out of memory");
		num = read_runs(object, all, room + 1);
		again = num > room + 1;
		if (num >= 0 && !again)
			num = cut_runs(object, all, num, runs, max);
		free(all);
	} while (again);
	return num;
}

int xetile_mem_color(struct xetile_mem *mem, struct xetile_run *runs, unsigned int max)
{
	struct drm_xetile_color_run *answer = NULL;
	unsigned int i;
	int num;

	if (mem->pool)
		return object_color(mem, runs, max);
	if (!mem->handle) {
		if (max)
			*runs = (struct xetile_run) {
				XETILE_TILE_SYSTEM,
				xt_align(mem->size, XETILE_COLOR_PAGE) / XETILE_COLOR_PAGE,
			};
		return 1;
	}
	if (max) {
		answer = calloc(max, sizeof(*answer));
		if (!answer)
			return xt_error(-ENOMEM, "out of memory");
	}
	num = read_runs(mem, answer, max);
	for (i = 0; num >= 0 && i < max && i < (unsigned int)num; i++) {
		runs[i].tile = answer[i].tile;
		runs[i].pages = answer[i].pages;
	}
	free(answer);
	return num;
}
