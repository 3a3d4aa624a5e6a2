// SPDX-License-Identifier: MIT
/* The calls of the xe driver, by its packaged header. */
#include <stdlib.h>

#include <drm/xe_drm.h>

#include "ops.h"

#define XE(fd, NAME, arg) do_ioctl(fd, DRM_IOCTL_XE_##NAME, arg, #NAME)
/* The entry for cached memory in the table of attributes that xe programs on this card */
#define PAT_INDEX	3

static unsigned int num_tiles;
static uint32_t vram_mask;
static struct drm_xe_engine_class_instance engines[4], copy_engine;

/* Returns the answer of a query; the caller frees the answer. */
static void *query(int fd, unsigned int item)
{
	struct drm_xe_device_query arg = { .query = item };
	void *data;

	XE(fd, DEVICE_QUERY, &arg);
	data = calloc(1, arg.size);
	if (!data)
		fail("out of memory");
	arg.data = (uintptr_t)data;
	XE(fd, DEVICE_QUERY, &arg);
	return data;
}

static void init(int fd, unsigned int tiles)
{
	struct drm_xe_query_mem_regions *mem = query(fd, DRM_XE_DEVICE_QUERY_MEM_REGIONS);
	struct drm_xe_query_engines *list = query(fd, DRM_XE_DEVICE_QUERY_ENGINES);
	struct drm_xe_query_gt_list *gts = query(fd, DRM_XE_DEVICE_QUERY_GT_LIST);

	/* The memory that is near to the engines of tile 0 */
	for (unsigned int i = 0; i < mem->num_mem_regions; i++) {
		const struct drm_xe_mem_region *region = &mem->mem_regions[i];

		if (region->mem_class == DRM_XE_MEM_REGION_CLASS_VRAM &&
		    gts->gt_list[0].near_mem_regions & (1ull << region->instance))
			vram_mask = 1u << region->instance;
	}
	for (unsigned int i = list->num_engines; i--;) {
		const struct drm_xe_engine_class_instance *e = &list->engines[i].instance;

		if (e->engine_class == DRM_XE_ENGINE_CLASS_COMPUTE && e->gt_id < 4)
			engines[e->gt_id] = *e;
		if (e->engine_class == DRM_XE_ENGINE_CLASS_COPY && !e->gt_id)
			copy_engine = *e;
	}
	for (unsigned int t = 0; t < tiles; t++)
		if (engines[t].engine_class != DRM_XE_ENGINE_CLASS_COMPUTE)
			fail("xe: no compute engine on tile %u", t);
	if (!vram_mask)
		fail("xe: no memory on tile 0");
	num_tiles = tiles;
	free(mem);
	free(list);
	free(gts);
}

static uint32_t bo_create_private(int fd, uint32_t vm, uint64_t size)
{
	struct drm_xe_gem_create arg = {
		.size = size, .placement = vram_mask, .vm_id = vm,
		.flags = DRM_XE_GEM_CREATE_FLAG_NEEDS_VISIBLE_VRAM,
		.cpu_caching = DRM_XE_GEM_CPU_CACHING_WC,
	};

	XE(fd, GEM_CREATE, &arg);
	return arg.handle;
}

static uint32_t bo_create(int fd, uint64_t size)
{
	return bo_create_private(fd, 0, size);
}

static uint64_t bo_mmap_offset(int fd, uint32_t bo)
{
	struct drm_xe_gem_mmap_offset arg = { .handle = bo };

	XE(fd, GEM_MMAP_OFFSET, &arg);
	return arg.offset;
}

static uint32_t vm_create(int fd)
{
	struct drm_xe_vm_create arg = { 0 };

	XE(fd, VM_CREATE, &arg);
	return arg.vm_id;
}

static void vm_destroy(int fd, uint32_t vm)
{
	struct drm_xe_vm_destroy arg = { .vm_id = vm };

	XE(fd, VM_DESTROY, &arg);
}

static void vm_bind(int fd, struct drm_xe_vm_bind *arg, uint32_t syncobj)
{
	struct drm_xe_sync sync = {
		.type = DRM_XE_SYNC_TYPE_SYNCOBJ, .flags = DRM_XE_SYNC_FLAG_SIGNAL,
		.handle = syncobj,
	};

	arg->num_binds = 1;
	arg->bind.pat_index = PAT_INDEX;
	arg->syncs = (uintptr_t)&sync;
	arg->num_syncs = 1;
	XE(fd, VM_BIND, arg);
}

static void bind(int fd, uint32_t vm, uint32_t bo, uint64_t addr, uint64_t size, uint32_t syncobj)
{
	struct drm_xe_vm_bind arg = {
		.vm_id = vm,
		.bind = {
			.op = DRM_XE_VM_BIND_OP_MAP, .obj = bo, .addr = addr, .range = size,
		},
	};

	vm_bind(fd, &arg, syncobj);
}

static void unbind(int fd, uint32_t vm, uint64_t addr, uint64_t size, uint32_t syncobj)
{
	struct drm_xe_vm_bind arg = {
		.vm_id = vm,
		.bind = { .op = DRM_XE_VM_BIND_OP_UNMAP, .addr = addr, .range = size },
	};

	vm_bind(fd, &arg, syncobj);
}

static void bind_user(int fd, uint32_t vm, void *memory, uint64_t addr, uint64_t size,
		      uint32_t syncobj)
{
	struct drm_xe_vm_bind arg = {
		.vm_id = vm,
		.bind = {
			.op = DRM_XE_VM_BIND_OP_MAP_USERPTR, .userptr = (uintptr_t)memory,
			.addr = addr, .range = size,
		},
	};

	vm_bind(fd, &arg, syncobj);
}

static uint32_t queue_create(int fd, uint32_t vm, unsigned int tile)
{
	struct drm_xe_exec_queue_create arg = {
		.vm_id = vm, .width = 1, .num_placements = 1,
		.instances = (uintptr_t)&engines[tile],
	};

	XE(fd, EXEC_QUEUE_CREATE, &arg);
	return arg.exec_queue_id;
}

static void queue_destroy(int fd, uint32_t queue)
{
	struct drm_xe_exec_queue_destroy arg = { .exec_queue_id = queue };

	XE(fd, EXEC_QUEUE_DESTROY, &arg);
}

static void exec(int fd, uint32_t queue, uint64_t batch, uint32_t syncobj)
{
	struct drm_xe_sync sync = {
		.type = DRM_XE_SYNC_TYPE_SYNCOBJ, .flags = DRM_XE_SYNC_FLAG_SIGNAL,
		.handle = syncobj,
	};
	struct drm_xe_exec arg = {
		.exec_queue_id = queue, .address = batch, .num_batch_buffer = 1,
		.syncs = (uintptr_t)&sync, .num_syncs = 1,
	};

	XE(fd, EXEC, &arg);
}

static uint32_t copy_queue_create(int fd, uint32_t vm)
{
	struct drm_xe_exec_queue_create arg = {
		.vm_id = vm, .width = 1, .num_placements = 1,
		.instances = (uintptr_t)&copy_engine,
	};

	XE(fd, EXEC_QUEUE_CREATE, &arg);
	return arg.exec_queue_id;
}

/* Without firmware nothing limits the time of the queue's jobs. */
static uint32_t first_queue_create(int fd, uint32_t vm)
{
	struct drm_xe_ext_set_property first = {
		.base.name = DRM_XE_EXEC_QUEUE_EXTENSION_SET_PROPERTY,
		.property = DRM_XE_EXEC_QUEUE_SET_PROPERTY_PRIORITY,
		.value = 2,	/* high */
	};
	struct drm_xe_exec_queue_create arg = {
		.vm_id = vm, .width = 1, .num_placements = 1,
		.instances = (uintptr_t)&engines[0], .extensions = (uintptr_t)&first,
	};

	XE(fd, EXEC_QUEUE_CREATE, &arg);
	return arg.exec_queue_id;
}

static void queue_info(int fd, uint32_t queue)
{
	struct drm_xe_exec_queue_get_property arg = {
		.exec_queue_id = queue, .property = DRM_XE_EXEC_QUEUE_GET_PROPERTY_BAN,
	};

	XE(fd, EXEC_QUEUE_GET_PROPERTY, &arg);
}

/* Count the used bytes of all tiles, and the free bytes of tile 0. */
static void count_vram(int fd, uint64_t *used, uint64_t *left)
{
	struct drm_xe_query_mem_regions *mem = query(fd, DRM_XE_DEVICE_QUERY_MEM_REGIONS);

	*used = *left = 0;
	for (unsigned int i = 0; i < mem->num_mem_regions; i++) {
		if (mem->mem_regions[i].mem_class != DRM_XE_MEM_REGION_CLASS_VRAM)
			continue;
		*used += mem->mem_regions[i].used;
		if (vram_mask & 1u << mem->mem_regions[i].instance)
			*left += mem->mem_regions[i].total_size - mem->mem_regions[i].used;
	}
	free(mem);
}

static uint64_t hbm_used(int fd)
{
	uint64_t used, left;

	count_vram(fd, &used, &left);
	return used;
}

static uint64_t hbm_free(int fd)
{
	uint64_t used, left;

	count_vram(fd, &used, &left);
	return left;
}

const struct ops xe_ops = {
	.name = "xe",
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
	.bo_create_strict = bo_create,
	.hbm_free = hbm_free,
	.hbm_used = hbm_used,
};
