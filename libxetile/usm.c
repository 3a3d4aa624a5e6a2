// SPDX-License-Identifier: MIT
/*
 * Unified shared memory: allocations with one address for the CPU and the GPU, by kind. Small ones
 * are taken from slabs.
 */
#include "usm.h"

#include <drm/xetile_drm.h>
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>

#include "block.h"
#include "card.h"
#include "context.h"
#include "device.h"
#include "error.h"
#include "ioctl.h"
#include "memory.h"
#include "slab.h"
#include "util.h"
#include "xetile.h"

_Static_assert((int)XETILE_USM_ADVICE_COLOR == DRM_XETILE_ADVICE_DEFAULT &&
	       (int)XETILE_USM_ADVICE_TILE == DRM_XETILE_ADVICE_TILE &&
	       (int)XETILE_USM_ADVICE_HOST == DRM_XETILE_ADVICE_SYSTEM &&
	       (int)XETILE_USM_ADVICE_READ == DRM_XETILE_ADVICE_READ_MOSTLY, "numbers of the driver");

struct allocation {
	struct xetile_usm_info info;
	uint64_t start, end;
	struct xt_slab *slab;		/* NULL: the buffer is its own */
};

void xt_usm_init(struct xt_usm *usm)
{
	pthread_mutex_init(&usm->lock, NULL);
	xt_slabs_init(&usm->slabs);
}

void xt_usm_fini(struct xt_usm *usm)
{
	xt_slabs_fini(&usm->slabs);
	pthread_mutex_destroy(&usm->lock);
}

/* Allocations do not overlap, so those that meet are the same. */
static int compare(const void *one, const void *other)
{
	const struct allocation *a = one, *b = other;

	if (a->end <= b->start)
		return -1;
	return a->start >= b->end;
}

/* The allocation that has an address, or NULL; with the lock held */
static struct allocation *find(struct xt_usm *usm, const void *ptr)
{
	const struct allocation key = {
		.start = (uintptr_t)ptr, .end = (uintptr_t)ptr + 1,
	};
	struct allocation **node = tfind(&key, &usm->index, compare);

	return node ? *node : NULL;
}

static int fill_desc(const struct xetile_context *context, const struct xetile_usm_desc *desc,
		     struct xt_block_desc *block)
{
	*block = (struct xt_block_desc) { .mem = desc->mem, .align = desc->align };
	if (desc->align & (desc->align - 1))
		return xt_error(-EINVAL, "an alignment of %" PRIu64 " is no power of two",
				desc->align);
	if (desc->mem.flags & XETILE_MEM_SYSTEM)
		return xt_error(-EINVAL, "the kind of the allocation says where it lies");
	switch (desc->kind) {
	case XETILE_USM_DEVICE:
		return 0;
	case XETILE_USM_HOST:
		if (desc->mem.color != XETILE_COLOR_DEFAULT || desc->mem.flags)
			return xt_error(-EINVAL, "host memory has no color and no flags");
		break;
	case XETILE_USM_SHARED:
		if (desc->mem.color == XETILE_COLOR_REPLICATE)
			return xt_error(-EINVAL, "the CPU has one copy of shared memory");
		block->cpu = true;
		block->migrates = context->card->props.caps & DRM_XETILE_CAP_MIGRATE;
		if (block->migrates)
			return 0;
		block->mem = (struct xetile_mem_desc) { .size = desc->mem.size };
		break;
	default:
		return xt_error(-EINVAL, "unknown kind of memory %d", (int)desc->kind);
	}
	block->mem.flags |= XETILE_MEM_SYSTEM;
	block->cpu = true;
	return 0;
}

static int allocate(struct xetile_context *context, struct xetile_device *device,
		    const struct xt_block_desc *desc, struct allocation *allocation)
{
	int err = xt_slab_alloc(&context->usm.slabs, context, device, desc, &allocation->slab,
				&allocation->info.mem);

	if (err || allocation->slab)
		return err;
	return xt_block_create(context, device, desc, &allocation->info.mem);
}

static void release(struct xetile_context *context, struct allocation *allocation)
{
	if (allocation->slab)
		xt_slab_free(&context->usm.slabs, allocation->slab, allocation->info.mem);
	else
		xt_block_destroy(allocation->info.mem);
	free(allocation);
}

int xetile_usm_alloc(struct xetile_context *context, struct xetile_device *device,
		     const struct xetile_usm_desc *desc, void **out)
{
	struct xt_usm *usm = &context->usm;
	struct allocation *allocation;
	struct xt_block_desc block;
	const void *node;
	int err;

	if (device->card != context->card)
		return xt_error(-EINVAL, "the device is of another card than the context");
	err = fill_desc(context, desc, &block);
	if (err)
		return err;
	allocation = calloc(1, sizeof(*allocation));
	if (!allocation)
		return xt_error(-ENOMEM, "out of memory");
	err = allocate(context, device, &block, allocation);
	if (err) {
		free(allocation);
		return err;
	}
	allocation->start = allocation->info.mem->addr;
	allocation->end = allocation->start + allocation->info.mem->size;
	allocation->info.kind = desc->kind;
	allocation->info.migrates = block.migrates;
	allocation->info.base = (void *)(uintptr_t)allocation->start;
	allocation->info.size = allocation->info.mem->size;
	allocation->info.device = device;
	pthread_mutex_lock(&usm->lock);
	node = tsearch(allocation, &usm->index, compare);
	pthread_mutex_unlock(&usm->lock);
	if (!node) {
		release(context, allocation);
		return xt_error(-ENOMEM, "out of memory");
	}
	*out = allocation->info.base;
	return 0;
}

int xetile_usm_free(struct xetile_context *context, void *ptr)
{
	struct xt_usm *usm = &context->usm;
	struct allocation *allocation;

	if (!ptr)
		return 0;
	pthread_mutex_lock(&usm->lock);
	allocation = find(usm, ptr);
	if (allocation && allocation->info.base != ptr)
		allocation = NULL;
	if (allocation)
		tdelete(allocation, &usm->index, compare);
	pthread_mutex_unlock(&usm->lock);
	if (!allocation)
		return xt_error(-EINVAL, "no allocation begins at %p", ptr);
	release(context, allocation);
	return 0;
}

int (xetile_usm_get_info)(struct xetile_context *context, const void *ptr,
			  struct xetile_usm_info *info, size_t size)
{
	struct xt_usm *usm = &context->usm;
	const struct allocation *allocation;

	pthread_mutex_lock(&usm->lock);
	allocation = find(usm, ptr);
	if (allocation)
		xt_answer(info, size, &allocation->info, sizeof(allocation->info));
	pthread_mutex_unlock(&usm->lock);
	return allocation ? 0 : xt_error(-ENOENT, "no allocation of the context has %p", ptr);
}

int xetile_usm_advise(struct xetile_context *context, const void *ptr, uint64_t size,
		      enum xetile_usm_advice advice, uint32_t tile)
{
	struct drm_xetile_bo_advice range = { .size = size, .advice = advice, .tile = tile };
	struct drm_xetile_bo_advise arg = { .ranges = DRM_XETILE_ARRAY(&range, 1) };
	struct xetile_usm_info info;
	int err;

	err = xetile_usm_get_info(context, ptr, &info);
	if (err)
		return err;
	if (!(context->card->props.caps & DRM_XETILE_CAP_ADVISE))
		return xt_error(-EOPNOTSUPP, "the driver takes no advice about memory");
	if (!info.migrates || info.mem->pool)
		return xt_error(-EOPNOTSUPP, "the memory does not move, or shares a slab");
	range.offset = (uintptr_t)ptr - (uintptr_t)info.base;
	arg.handle = info.mem->handle;
	err = xt_ioctl(context->fd, DRM_IOCTL_XETILE_BO_ADVISE, &arg);
	return err ? xt_error(err, "cannot advise about memory: %s", xt_driver_error(err)) : 0;
}
