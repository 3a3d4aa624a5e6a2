// SPDX-License-Identifier: MIT
/* Exec queues, and batches, by the calls of xe_drm.h */
#include "xetile_xe_exec.h"

const struct drm_xe_engine_class_instance *xe_places(uint32_t tile, uint32_t class,
						     uint32_t instances, uint16_t *num)
{
	static struct drm_xe_engine_class_instance places[32];

	*num = 0;
	for (unsigned int i = 0; i < 32; i++)
		if (instances & (1u << i))
			places[(*num)++] = (struct drm_xe_engine_class_instance) {
				.engine_class = class, .engine_instance = i, .gt_id = tile,
			};
	return places;
}

int __xe_queue_create(int fd, struct drm_xe_exec_queue_create *args)
{
	return xetile_ioctl(fd, DRM_IOCTL_XE_EXEC_QUEUE_CREATE, args);
}

int __xe_queue(int fd, uint32_t vm, uint32_t tile, uint32_t class, uint32_t instances,
	       const struct drm_xe_ext_set_property *extension, uint32_t *queue)
{
	struct drm_xe_exec_queue_create args = {
		.extensions = to_user(extension), .width = 1, .vm_id = vm,
	};
	int err;

	args.instances = to_user(xe_places(tile, class, instances, &args.num_placements));
	err = __xe_queue_create(fd, &args);
	*queue = err ? 0 : args.exec_queue_id;
	return err;
}

uint32_t xe_queue(int fd, uint32_t vm, uint32_t tile, uint32_t class, uint32_t instances)
{
	uint32_t queue;

	igt_assert_eq(__xe_queue(fd, vm, tile, class, instances, NULL, &queue), 0);
	igt_assert_neq(queue, 0);
	return queue;
}

int __xe_queue_destroy(int fd, uint32_t queue)
{
	struct drm_xe_exec_queue_destroy args = { .exec_queue_id = queue };

	return xetile_ioctl(fd, DRM_IOCTL_XE_EXEC_QUEUE_DESTROY, &args);
}

void xe_queue_destroy(int fd, uint32_t queue)
{
	igt_assert_eq(__xe_queue_destroy(fd, queue), 0);
}

int __xe_queue_is_banned(int fd, uint32_t queue)
{
	struct drm_xe_exec_queue_get_property args = {
		.exec_queue_id = queue, .property = DRM_XE_EXEC_QUEUE_GET_PROPERTY_BAN,
		.value = 0xbad,
	};
	int err = xetile_ioctl(fd, DRM_IOCTL_XE_EXEC_QUEUE_GET_PROPERTY, &args);

	return err ?: (int)args.value;
}

int __xe_exec_batch(int fd, uint32_t queue, uint64_t batch, uint32_t syncobj)
{
	struct drm_xe_sync sync = {
		.type = DRM_XE_SYNC_TYPE_SYNCOBJ, .flags = DRM_XE_SYNC_FLAG_SIGNAL,
		.handle = syncobj,
	};
	struct drm_xe_exec args = {
		.exec_queue_id = queue, .address = batch, .num_batch_buffer = 1,
		.syncs = to_user(&sync), .num_syncs = !!syncobj,
	};

	return xetile_ioctl(fd, DRM_IOCTL_XE_EXEC, &args);
}

void xe_run(int fd, uint32_t queue, uint64_t batch)
{
	uint32_t syncobj = xetile_syncobj(fd);

	igt_assert_eq(__xe_exec_batch(fd, queue, batch, syncobj), 0);
	xetile_wait_done(fd, syncobj);
	xetile_syncobj_destroy(fd, syncobj);
}

uint32_t xe_instance(int fd, uint32_t queue)
{
	struct drm_xetile_queue_info info;

	xetile_queue_info(fd, queue, &info);
	igt_assert_eq_u32(info.num_members, 1);
	return info.members[0].instance;
}

void xe_held_start(struct xe_held *h, struct ctx *c, uint32_t queue, unsigned int slot)
{
	struct xetile_batch b;

	igt_assert_lt(slot, 16);
	*h = (struct xe_held) {
		.fd = c->fd, .queue = queue, .syncobj = xetile_syncobj(c->fd),
		.addr = c->gate.addr + slot * 64, .words = c->gate.map + slot * 16,
	};
	h->words[0] = 0;
	h->words[1] = 0;
	batch_begin(&b, &c->batch, slot * SZ_4K);
	batch_store(&b, h->addr + 4, 1, false);
	batch_wait(&b, h->addr, 1);
	batch_end(&b);
	igt_assert_eq(__xe_exec_batch(h->fd, queue, batch_addr(&b), h->syncobj), 0);
}

bool xe_held_runs(const struct xe_held *h)
{
	return h->words[1];
}

void xe_held_end(struct xe_held *h)
{
	h->words[0] = 1;
	xetile_wait_done(h->fd, h->syncobj);
	xetile_syncobj_destroy(h->fd, h->syncobj);
}
