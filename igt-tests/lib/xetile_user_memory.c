// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xetile_user_memory.h"

int try_user(int fd, uint32_t vm, uint64_t addr, const void *ptr, uint64_t size, uint32_t flags)
{
	struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_MAP_USER, .flags = flags, .addr = addr, .range = size,
		.offset = to_user(ptr),
	};

	return __xetile_vm_bind(fd, vm, &bind, 1, NULL, 0);
}

void map_user(struct place *s, uint64_t addr, const void *ptr, uint64_t size, uint32_t flags)
{
	igt_assert_eq(try_user(s->fd, s->vm, addr, ptr, size, flags), 0);
}

uint32_t *anon(uint64_t size)
{
	uint32_t *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	igt_assert(p != MAP_FAILED);
	return p;
}

int make_file(uint64_t size)
{
	int file = memfd_create("pages", MFD_CLOEXEC);

	igt_assert_lte(0, file);
	igt_assert_eq(ftruncate(file, size), 0);
	return file;
}

volatile uint32_t *map_file(int file, void *at, uint64_t offset, uint64_t size)
{
	uint32_t *p = mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0),
			   file, offset);

	igt_assert(p != MAP_FAILED);
	return p;
}

int try_store(struct place *s, uint64_t addr, uint32_t value, uint32_t *done)
{
	struct drm_xetile_sync sync = {
		.flags = DRM_XETILE_SYNC_SIGNAL, .handle = xetile_syncobj(s->fd),
	};
	struct xetile_batch b;
	int ret;

	batch_begin(&b, &s->ctl, 0x2000);
	batch_store(&b, addr, value, false);
	batch_end(&b);
	ret = __xetile_exec(s->fd, s->queue, batch_addr(&b), &sync, 1);
	if (!ret && done)
		*done = sync.handle;
	else
		xetile_syncobj_destroy(s->fd, sync.handle);
	return ret;
}

void check_fault(struct place *s)
{
	igt_assert_eq(try_store(s, AT, 0xbad, NULL), -EFAULT);
}

uint32_t user_queue(struct place *s, uint32_t timeout_ms)
{
	struct drm_xetile_queue_create queue = {
		.target = DRM_XETILE_TARGET_TILE, .vm_id = s->vm, .timeout_ms = timeout_ms,
	};

	igt_assert_eq(__xetile_queue_create(s->fd, &queue), 0);
	return queue.queue_id;
}

uint32_t store_after(struct place *s, uint32_t queue, uint32_t in, uint32_t done)
{
	struct drm_xetile_sync syncs[] = {
		{ .handle = in }, { .handle = done, .flags = DRM_XETILE_SYNC_SIGNAL },
	};
	struct xetile_batch b;

	batch_begin(&b, &s->ctl, 0x4000);
	batch_store(&b, AT, 0x111, false);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(s->fd, queue, batch_addr(&b), syncs, 2), 0);
	return done;
}

struct held hold_store(struct place *s, uint64_t addr, uint32_t value, uint32_t timeout_ms)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct held h = { .s = s };
	struct xetile_batch b;

	h.queue = user_queue(s, timeout_ms);
	h.done = sync.handle = xetile_syncobj(s->fd);
	s->ctl.map[GO] = 0;
	batch_begin(&b, &s->ctl, 0x4000);
	batch_store(&b, s->ctl.addr + GO * 4 + 64, 1, false);
	batch_wait(&b, s->ctl.addr + GO * 4, 1);
	batch_store(&b, addr, value, false);
	batch_end(&b);
	s->ctl.map[GO + 16] = 0;
	igt_assert_eq(__xetile_exec(s->fd, h.queue, batch_addr(&b), &sync, 1), 0);
	xetile_assert_soon(((volatile uint32_t *)s->ctl.map)[GO + 16]);
	return h;
}

int held_end(struct held *h)
{
	int status;

	igt_assert_eq(__xetile_wait(h->s->fd, h->done, 60000), 0);
	status = xetile_fence_status(h->s->fd, h->done);
	xetile_syncobj_destroy(h->s->fd, h->done);
	xetile_queue_destroy(h->s->fd, h->queue);
	return status;
}

void require_user(const struct xetile_card *card)
{
	igt_require_f(card->device.caps & DRM_XETILE_CAP_USER,
		      "the kernel is built without CONFIG_HMM_MIRROR\n");
}
