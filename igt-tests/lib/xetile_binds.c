// SPDX-License-Identifier: MIT
#include "xetile_binds.h"

#include <errno.h>
#include <sys/mman.h>

#define HELD_MS		300000u

/* @limit_ms: engine time of a job in milliseconds, 0 for the default */
static void binds_init_limit(struct binds *s, int fd, uint32_t engine_class, uint32_t limit_ms)
{
	struct drm_xetile_queue_create queue = {
		.engine_class = engine_class, .target = DRM_XETILE_TARGET_TILE,
		.timeout_ms = limit_ms,
	};

	s->fd = fd;
	s->vm = queue.vm_id = xetile_vm(fd);
	igt_assert_eq(__xetile_queue_create(fd, &queue), 0);
	s->queue = queue.queue_id;
	for (int i = 0; i < 2; i++)
		s->bind[i] = xetile_bind_queue(fd, s->vm);
	xetile_buf_init(&s->ctl, fd, s->vm, BATCH_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
}

void binds_init(struct binds *s, int fd, uint32_t engine_class)
{
	binds_init_limit(s, fd, engine_class, 0);
}

void binds_fini(struct binds *s)
{
	xetile_buf_fini(&s->ctl);
	for (int i = 0; i < 2; i++)
		xetile_queue_destroy(s->fd, s->bind[i]);
	xetile_queue_destroy(s->fd, s->queue);
	xetile_vm_destroy(s->fd, s->vm);
}

void gate_init(struct gate *g, int fd)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;

	/* On a slow machine the gate is closed for longer than the default limit. */
	binds_init_limit(&g->s, fd, DRM_XETILE_ENGINE_COPY, HELD_MS);
	batch_begin(&b, &g->s.ctl, 0);
	batch_wait(&b, g->s.ctl.addr + SZ_4K, 1);
	batch_end(&b);
	g->fence = sync.handle = xetile_syncobj(fd);
	igt_assert_eq(__xetile_exec(fd, g->s.queue, batch_addr(&b), &sync, 1), 0);
}

void gate_open(struct gate *g)
{
	g->s.ctl.map[SZ_4K / 4] = 1;
	igt_assert_eq(__xetile_wait(g->s.fd, g->fence, 20000), 0);
	igt_assert_eq(xetile_fence_status(g->s.fd, g->fence), 1);
}

void gate_fini(struct gate *g)
{
	xetile_syncobj_destroy(g->s.fd, g->fence);
	binds_fini(&g->s);
}

int binds_try(struct binds *s, uint32_t queue, const struct drm_xetile_bind *bind,
	      uint32_t in, uint32_t out)
{
	struct drm_xetile_sync syncs[2];
	struct drm_xetile_vm_bind args = {
		.binds = DRM_XETILE_ARRAY(bind, !!bind), .vm_id = s->vm, .queue_id = queue,
		.syncs = DRM_XETILE_ARRAY(syncs, 0),
	};

	if (in)
		syncs[args.syncs.count++] = (struct drm_xetile_sync) { .handle = in };
	if (out)
		syncs[args.syncs.count++] = (struct drm_xetile_sync) {
			.handle = out, .flags = DRM_XETILE_SYNC_SIGNAL,
		};
	return xetile_ioctl(s->fd, DRM_IOCTL_XETILE_VM_BIND, &args);
}

void binds_map(struct binds *s, uint32_t queue, uint64_t addr, uint32_t bo, uint32_t in,
	       uint32_t out)
{
	const struct drm_xetile_bind bind = { .addr = addr, .range = SZ_64K, .handle = bo };

	igt_assert_eq(binds_try(s, queue, &bind, in, out), 0);
}

void binds_unmap(struct binds *s, uint32_t queue, uint64_t addr, uint64_t range, uint32_t in,
		 uint32_t out)
{
	const struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_UNMAP, .addr = addr, .range = range,
	};

	igt_assert_eq(binds_try(s, queue, &bind, in, out), 0);
}

uint32_t binds_store_after(struct binds *s, uint64_t addr, uint32_t value, uint32_t in)
{
	struct drm_xetile_sync syncs[2] = {
		{ .handle = xetile_syncobj(s->fd), .flags = DRM_XETILE_SYNC_SIGNAL },
		{ .handle = in },
	};
	struct xetile_batch b;

	batch_begin(&b, &s->ctl, 0);
	batch_store(&b, addr, value, false);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(s->fd, s->queue, batch_addr(&b), syncs, in ? 2 : 1), 0);
	return syncs[0].handle;
}

int binds_ended(struct binds *s, uint32_t fence)
{
	int status;

	igt_assert_eq(__xetile_wait(s->fd, fence, 20000), 0);
	status = xetile_fence_status(s->fd, fence);
	xetile_syncobj_destroy(s->fd, fence);
	return status;
}

int binds_store(struct binds *s, uint64_t addr, uint32_t value)
{
	return binds_ended(s, binds_store_after(s, addr, value, 0));
}

static struct data data_of(int fd, uint32_t bo)
{
	return (struct data) { .bo = bo, .map = xetile_bo_map(fd, bo, SZ_64K) };
}

struct data data_new(int fd)
{
	return data_of(fd, xetile_bo(fd, SZ_64K, DRM_XETILE_PLACE_HBM));
}

struct data data_private(struct binds *s)
{
	struct drm_xetile_bo_create args = {
		.size = SZ_64K, .placement = DRM_XETILE_PLACE_HBM, .vm_id = s->vm,
	};

	igt_assert_eq(__xetile_bo_create(s->fd, &args), 0);
	return data_of(s->fd, args.handle);
}

void data_fini(int fd, struct data *d)
{
	munmap((void *)d->map, SZ_64K);
	if (d->bo)
		xetile_bo_close(fd, d->bo);
}
