// SPDX-License-Identifier: MIT
/* The calls of the xe driver, which the card answers, too: a record selects one of them. */
#include <string.h>

#include <drm/xe_drm.h>

#include "calls.h"

#define FEW	4

static __thread struct drm_xe_sync syncs[FEW];
static __thread struct drm_xe_vm_bind_op ops[FEW];

static unsigned int fill_syncs(struct world *w, struct bytes *b)
{
	unsigned int n = take(b) % FEW;

	memset(syncs, 0, sizeof(syncs));
	for (unsigned int i = 0; i < n; i++) {
		syncs[i].type = pick_of(b, 3);
		syncs[i].flags = pick_of(b, 2);
		if (syncs[i].type == DRM_XE_SYNC_TYPE_USER_FENCE) {
			/* In memory of the process, and in that of the GPU */
			syncs[i].addr = take(b) & 1 ? BATCHES + 0x8000 + take(b) * 8 :
					(uintptr_t)w->arena + take(b) % NUM_SLOTS * SLOT_SIZE;
		} else {
			syncs[i].handle = pick_id(b, w->sync);
		}
		syncs[i].timeline_value = take(b);
	}
	return n;
}

static int do_query(struct world *w, struct bytes *b)
{
	uint64_t data[256];
	struct drm_xe_device_query args = { .query = pick_of(b, 11) };
	uint8_t v = take(b);

	args.size = v < 100 ? 0 : v & 3;
	args.data = pick_pointer(b, data);
	if (v >= 100 && v < 220 && !call(w->fd, DRM_IOCTL_XE_DEVICE_QUERY, &args) &&
	    args.size > sizeof(data))
		args.size = 0;
	spoil(b, &args, sizeof(args));
	/* A longer answer would overwrite other memory of the fuzzer. */
	if (args.size > sizeof(data))
		args.size = sizeof(data);
	return call(w->fd, DRM_IOCTL_XE_DEVICE_QUERY, &args);
}

static int do_gem_create(struct world *w, struct bytes *b)
{
	uint8_t slot = take(b) % NUM_SLOTS;
	struct drm_xe_gem_create args = {
		.size = pick_size(b), .placement = 1 + pick_of(b, 7),
		.cpu_caching = 1 + pick_of(b, 2), .flags = pick_of(b, 8),
		.vm_id = take(b) < 192 ? 0 : pick_id(b, w->vm),
	};
	int ret;

	/* The guest's memory must not run out. */
	if (args.placement & 1 && args.size > 64 << 20 && args.size < 1ull << 40)
		args.size = 64 << 20;
	spoil(b, &args, sizeof(args));
	ret = call(w->fd, DRM_IOCTL_XE_GEM_CREATE, &args);
	if (!ret)
		w->bo[slot] = args.handle;
	return ret;
}

static int do_mmap_offset(struct world *w, struct bytes *b)
{
	uint8_t slot = take(b) % NUM_SLOTS;
	struct drm_xe_gem_mmap_offset args = {
		.handle = pick_id(b, w->bo), .flags = pick_zero(b),
	};
	int ret;

	spoil(b, &args, sizeof(args));
	ret = call(w->fd, DRM_IOCTL_XE_GEM_MMAP_OFFSET, &args);
	if (!ret)
		w->map_offset[slot] = args.offset;
	return ret;
}

static int do_vm_create(struct world *w, struct bytes *b)
{
	uint8_t slot = take(b) % NUM_SLOTS;
	struct drm_xe_vm_create args = { .flags = pick_of(b, 4) };
	int ret;

	spoil(b, &args, sizeof(args));
	ret = call(w->fd, DRM_IOCTL_XE_VM_CREATE, &args);
	if (!ret)
		w->vm[slot] = args.vm_id;
	return ret;
}

static int do_vm_destroy(struct world *w, struct bytes *b)
{
	struct drm_xe_vm_destroy args = { .vm_id = pick_id(b, w->vm) };

	spoil(b, &args, sizeof(args));
	return call(w->fd, DRM_IOCTL_XE_VM_DESTROY, &args);
}

static void pick_op(struct world *w, struct bytes *b, struct drm_xe_vm_bind_op *op)
{
	*op = (struct drm_xe_vm_bind_op) {
		.op = pick_of(b, 5), .pat_index = take(b) < 192 ? 3 : pick_of(b, 8),
	};
	op->flags = take(b) < 160 ? 0 : pick_of(b, 32);
	if (op->op == DRM_XE_VM_BIND_OP_MAP || op->op == DRM_XE_VM_BIND_OP_UNMAP_ALL)
		op->obj = op->flags & DRM_XE_VM_BIND_FLAG_NULL ? 0 : pick_id(b, w->bo);
	if (op->op == DRM_XE_VM_BIND_OP_UNMAP_ALL)
		return;
	op->addr = pick_addr(b);
	op->range = pick_size(b);
	if (op->op == DRM_XE_VM_BIND_OP_MAP_USERPTR)
		op->userptr = (uintptr_t)w->arena + take(b) % NUM_SLOTS * SLOT_SIZE;
	else if (op->op == DRM_XE_VM_BIND_OP_PREFETCH)
		op->prefetch_mem_region_instance = pick_of(b, 3);
}

static int do_vm_bind(struct world *w, struct bytes *b)
{
	struct drm_xe_vm_bind args = { .vm_id = pick_id(b, w->vm) };
	uint8_t v = take(b);
	unsigned int n = v % FEW;

	for (unsigned int i = 0; i < n; i++)
		pick_op(w, b, &ops[i]);
	args.num_binds = n;
	if (n == 1)
		args.bind = ops[0];
	else if (n)
		args.vector_of_binds = pick_pointer(b, ops);
	if (v >= 192)
		args.exec_queue_id = pick_id(b, w->queue);
	args.num_syncs = fill_syncs(w, b);
	args.syncs = args.num_syncs ? pick_pointer(b, syncs) : 0;
	spoil(b, v & 64 ? (void *)&args : (void *)syncs, v & 64 ? sizeof(args) : sizeof(syncs[0]));
	return call(w->fd, DRM_IOCTL_XE_VM_BIND, &args);
}

static int do_queue_create(struct world *w, struct bytes *b)
{
	/* Copy, compute, and the class of binds */
	static const uint16_t classes[] = { 1, 4, 5 };
	struct drm_xe_engine_class_instance places[FEW];
	uint8_t slot = take(b) % NUM_SLOTS, v = take(b);
	struct drm_xe_ext_set_property property = {
		.base.name = pick_of(b, 1), .property = pick_of(b, 3), .value = take(b),
	};
	struct drm_xe_exec_queue_create args = {
		.vm_id = pick_id(b, w->vm), .width = 1 + pick_zero(b),
		.num_placements = 1 + v % FEW,
	};
	int ret;

	memset(places, 0, sizeof(places));
	for (unsigned int i = 0; i < FEW; i++) {
		places[i].engine_class = classes[(v >> 2) % ARRAY_SIZE(classes)];
		places[i].engine_instance = i;
		places[i].gt_id = v >> 7;
	}
	args.instances = pick_pointer(b, places);
	if (v & 64)
		args.extensions = pick_pointer(b, &property);
	spoil(b, &args, sizeof(args));
	ret = call(w->fd, DRM_IOCTL_XE_EXEC_QUEUE_CREATE, &args);
	if (!ret)
		w->queue[slot] = args.exec_queue_id;
	return ret;
}

static int do_queue_destroy(struct world *w, struct bytes *b)
{
	struct drm_xe_exec_queue_destroy args = { .exec_queue_id = pick_id(b, w->queue) };

	spoil(b, &args, sizeof(args));
	return call(w->fd, DRM_IOCTL_XE_EXEC_QUEUE_DESTROY, &args);
}

static int do_queue_property(struct world *w, struct bytes *b)
{
	struct drm_xe_exec_queue_get_property args = {
		.exec_queue_id = pick_id(b, w->queue), .property = pick_zero(b),
	};

	spoil(b, &args, sizeof(args));
	return call(w->fd, DRM_IOCTL_XE_EXEC_QUEUE_GET_PROPERTY, &args);
}

static int do_exec(struct world *w, struct bytes *b)
{
	struct drm_xe_exec args = { .exec_queue_id = pick_id(b, w->queue) };
	uint8_t v = take(b);

	args.num_batch_buffer = v < 216 ? 1 : v < 248 ? 0 : 2;
	args.address = v & 1 ? pick_addr(b) : BATCHES + (take(b) & 15) * 0x100;
	args.num_syncs = fill_syncs(w, b);
	args.syncs = args.num_syncs ? pick_pointer(b, syncs) : 0;
	spoil(b, &args, sizeof(args));
	return call(w->fd, DRM_IOCTL_XE_EXEC, &args);
}

static int do_wait(struct world *w, struct bytes *b)
{
	struct drm_xe_wait_user_fence args = {
		.addr = (uintptr_t)w->arena + take(b) % NUM_SLOTS * SLOT_SIZE,
		.op = pick_of(b, 6), .flags = pick_of(b, 2), .value = take(b),
		.mask = take(b) < 128 ? -1ull : take32(b), .timeout = take(b) * 100000ll,
		.exec_queue_id = take(b) < 128 ? 0 : pick_id(b, w->queue),
	};

	spoil(b, &args, sizeof(args));
	/* An input ends. */
	if (args.timeout < 0 || args.timeout > 100000000)
		args.timeout = 0;
	return call(w->fd, DRM_IOCTL_XE_WAIT_USER_FENCE, &args);
}

int do_xe(struct world *w, struct bytes *b)
{
	static int (*const calls[])(struct world *w, struct bytes *b) = {
		do_query, do_gem_create, do_gem_create, do_mmap_offset, do_vm_create, do_vm_destroy,
		do_vm_bind, do_vm_bind, do_vm_bind, do_vm_bind, do_queue_create, do_queue_create,
		do_queue_destroy, do_queue_property, do_exec, do_exec, do_wait,
	};

	return calls[take(b) % ARRAY_SIZE(calls)](w, b);
}
