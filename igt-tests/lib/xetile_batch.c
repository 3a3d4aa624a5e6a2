// SPDX-License-Identifier: MIT
/* Queues, fences and small batches */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <linux/sync_file.h>
#include <xf86drm.h>

#include "xetile_igt.h"

unsigned int xetile_set_parameter(const char *name, unsigned int n)
{
	unsigned int was;
	char path[80];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/xetile/parameters/%s", name);
	file = fopen(path, "r+e");
	igt_assert_f(file, "%s: %m\n", path);
	igt_assert_eq(fscanf(file, "%u", &was), 1);
	rewind(file);
	fprintf(file, "%u\n", n);
	igt_assert_eq(fclose(file), 0);
	return was;
}

int __xetile_queue_create(int fd, struct drm_xetile_queue_create *args)
{
	return xetile_ioctl(fd, DRM_IOCTL_XETILE_QUEUE_CREATE, args);
}

uint32_t xetile_queue(int fd, uint32_t vm, uint32_t engine_class, uint32_t target, uint32_t tile,
		      uint32_t cslice)
{
	struct drm_xetile_queue_create args = {
		.vm_id = vm, .engine_class = engine_class, .target = target, .tile = tile,
		.cslice = cslice,
	};

	igt_assert_eq(__xetile_queue_create(fd, &args), 0);
	igt_assert_neq(args.queue_id, 0);
	return args.queue_id;
}

uint32_t xetile_copy_queue(int fd, uint32_t vm)
{
	return xetile_queue(fd, vm, DRM_XETILE_ENGINE_COPY, DRM_XETILE_TARGET_TILE, 0, 0);
}

uint32_t xetile_bind_queue(int fd, uint32_t vm)
{
	return xetile_queue(fd, vm, DRM_XETILE_ENGINE_BIND, DRM_XETILE_TARGET_ROOT, 0, 0);
}

int __xetile_queue_destroy(int fd, uint32_t queue)
{
	struct drm_xetile_queue_destroy args = { .queue_id = queue };

	return xetile_ioctl(fd, DRM_IOCTL_XETILE_QUEUE_DESTROY, &args);
}

void xetile_queue_destroy(int fd, uint32_t queue)
{
	igt_assert_eq(__xetile_queue_destroy(fd, queue), 0);
}

void xetile_queue_info(int fd, uint32_t queue, struct drm_xetile_queue_info *info)
{
	memset(info, 0, sizeof(*info));
	info->queue_id = queue;
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_QUEUE_INFO, info), 0);
}

int __xetile_exec(int fd, uint32_t queue, uint64_t batch, const struct drm_xetile_sync *syncs,
		  uint32_t num_syncs)
{
	struct drm_xetile_exec args = {
		.queue_id = queue, .batch = batch, .num_batches = 1,
		.syncs = DRM_XETILE_ARRAY(syncs, num_syncs),
	};

	return xetile_ioctl(fd, DRM_IOCTL_XETILE_EXEC, &args);
}

uint32_t xetile_syncobj(int fd)
{
	uint32_t handle;

	igt_assert_eq(drmSyncobjCreate(fd, 0, &handle), 0);
	return handle;
}

void xetile_syncobj_destroy(int fd, uint32_t handle)
{
	igt_assert_eq(drmSyncobjDestroy(fd, handle), 0);
}

int __xetile_wait(int fd, uint32_t syncobj, int64_t timeout_ms)
{
	struct timespec now;
	int64_t until;

	clock_gettime(CLOCK_MONOTONIC, &now);
	until = now.tv_sec * 1000000000ll + now.tv_nsec + timeout_ms * 1000000ll;
	if (drmSyncobjWait(fd, &syncobj, 1, until, 0, NULL))
		return -errno;
	return 0;
}

bool xetile_is_done(int fd, uint32_t syncobj)
{
	int ret = __xetile_wait(fd, syncobj, 0);

	igt_assert(!ret || ret == -ETIME);
	return !ret;
}

void xetile_wait_done(int fd, uint32_t syncobj)
{
	igt_assert_eq(__xetile_wait(fd, syncobj, 20000), 0);
	igt_assert_eq(xetile_fence_status(fd, syncobj), 1);
}

int xetile_fence_status(int fd, uint32_t syncobj)
{
	struct sync_file_info info = { 0 };
	int file;

	igt_assert_eq(drmSyncobjExportSyncFile(fd, syncobj, &file), 0);
	igt_assert_eq(xetile_ioctl(file, SYNC_IOC_FILE_INFO, &info), 0);
	close(file);
	return info.status;
}

int xetile_fence_file(int fd, uint32_t syncobj)
{
	int file;

	igt_assert_eq(drmSyncobjExportSyncFile(fd, syncobj, &file), 0);
	return file;
}

int xetile_file_end(int file)
{
	struct sync_file_info info = { 0 };
	struct pollfd fence = { .fd = file, .events = POLLIN };

	igt_assert_eq(poll(&fence, 1, 60000), 1);
	igt_assert_eq(xetile_ioctl(file, SYNC_IOC_FILE_INFO, &info), 0);
	close(file);
	return info.status;
}

uint64_t xetile_signalled_ns(int file, int *status)
{
	struct sync_fence_info fence = { 0 };
	struct sync_file_info info = { .num_fences = 1, .sync_fence_info = to_user(&fence) };
	struct pollfd pfd = { .fd = file, .events = POLLIN };

	igt_assert_eq(poll(&pfd, 1, 60000), 1);
	igt_assert_eq(xetile_ioctl(file, SYNC_IOC_FILE_INFO, &info), 0);
	igt_assert_eq_u32(info.num_fences, 1);
	close(file);
	*status = fence.status;
	return fence.timestamp_ns;
}

void xetile_run(int fd, uint32_t queue, uint64_t batch)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };

	sync.handle = xetile_syncobj(fd);
	igt_assert_eq(__xetile_exec(fd, queue, batch, &sync, 1), 0);
	igt_assert_eq(__xetile_wait(fd, sync.handle, 20000), 0);
	igt_assert_eq(xetile_fence_status(fd, sync.handle), 1);
	xetile_syncobj_destroy(fd, sync.handle);
}

void xetile_buf_init(struct xetile_buf *buf, int fd, uint32_t vm, uint64_t addr, uint64_t size,
		     uint32_t placement)
{
	*buf = (struct xetile_buf) { .fd = fd, .vm = vm, .addr = addr, .size = size };
	buf->handle = xetile_bo(fd, size, placement);
	buf->map = xetile_bo_map(fd, buf->handle, size);
	xetile_vm_map(fd, vm, buf->handle, 0, addr, size);
}

void xetile_buf_fini(struct xetile_buf *buf)
{
	xetile_vm_unmap(buf->fd, buf->vm, buf->addr, buf->size);
	munmap(buf->map, buf->size);
	xetile_bo_close(buf->fd, buf->handle);
}

void ctx_init(struct ctx *c, int fd)
{
	c->fd = fd;
	c->vm = xetile_vm(fd);
	xetile_buf_init(&c->batch, fd, c->vm, BATCH_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	xetile_buf_init(&c->gate, fd, c->vm, GATE_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
}

void ctx_fini(struct ctx *c)
{
	xetile_buf_fini(&c->batch);
	xetile_buf_fini(&c->gate);
	xetile_vm_destroy(c->fd, c->vm);
}

/* Command headers of the PVC command streamers, with the length in the low bits */
#define MI_SEMAPHORE_WAIT_POLL_EQ	(0x1cu << 23 | 1u << 15 | 4u << 12 | 3)
#define MI_ARB_CHECK			(0x05u << 23)
#define MI_ARB_OFF			(0x08u << 23)
#define MI_BATCH_BUFFER_END		(0x0au << 23)
#define MI_STORE_DATA_IMM		(0x20u << 23 | 2)
#define   SDI_WPARID_OFFSET		(1u << 11)
#define MI_STORE_REGISTER_MEM		(0x24u << 23 | 2)
#define   SRM_ADD_CS_OFFSET		(1u << 19)
#define MI_ATOMIC_INC_DW		(0x2fu << 23 | 0x05u << 8 | 1)
#define MI_BATCH_BUFFER_START		(0x31u << 23 | 1u << 8 | 1)
#define MEM_COPY_LINEAR			(2u << 29 | 0x5au << 22 | 8)
#define MOCS_UC				(1u << 1)

void batch_begin(struct xetile_batch *b, struct xetile_buf *buf, uint32_t offset)
{
	igt_assert_eq(offset % 8, 0);
	*b = (struct xetile_batch) { .buf = buf, .start = offset / 4 };
}

uint64_t batch_addr(const struct xetile_batch *b)
{
	return b->buf->addr + b->start * 4ull;
}

void batch_emit(struct xetile_batch *b, uint32_t dword)
{
	igt_assert((b->start + b->len + 1) * 4ull <= b->buf->size);
	b->buf->map[b->start + b->len++] = dword;
}

static void emit_addr(struct xetile_batch *b, uint64_t addr)
{
	batch_emit(b, addr);
	batch_emit(b, addr >> 32);
}

void batch_end(struct xetile_batch *b)
{
	batch_emit(b, MI_BATCH_BUFFER_END);
	__sync_synchronize();
}

void batch_store(struct xetile_batch *b, uint64_t addr, uint32_t value, bool per_tile)
{
	batch_emit(b, MI_STORE_DATA_IMM | (per_tile ? SDI_WPARID_OFFSET : 0));
	emit_addr(b, addr);
	batch_emit(b, value);
}

void batch_wait(struct xetile_batch *b, uint64_t addr, uint32_t value)
{
	batch_emit(b, MI_SEMAPHORE_WAIT_POLL_EQ);
	batch_emit(b, value);
	emit_addr(b, addr);
	batch_emit(b, 0);
}

void batch_atomic_inc(struct xetile_batch *b, uint64_t addr)
{
	batch_emit(b, MI_ATOMIC_INC_DW);
	emit_addr(b, addr);
}

void batch_store_reg(struct xetile_batch *b, uint32_t offset, uint64_t addr)
{
	batch_emit(b, MI_STORE_REGISTER_MEM | SRM_ADD_CS_OFFSET);
	batch_emit(b, offset);
	emit_addr(b, addr);
}

void batch_jump(struct xetile_batch *b, uint64_t addr)
{
	batch_emit(b, MI_BATCH_BUFFER_START);
	emit_addr(b, addr);
	__sync_synchronize();
}

void batch_yield(struct xetile_batch *b)
{
	batch_emit(b, MI_ARB_CHECK);
}

void batch_hang(struct xetile_batch *b)
{
	uint64_t loop = batch_addr(b) + b->len * 4ull;

	batch_yield(b);
	batch_jump(b, loop);
}

void batch_spin(struct xetile_batch *b)
{
	batch_jump(b, batch_addr(b) + b->len * 4ull);
}

void batch_keep_engine(struct xetile_batch *b)
{
	batch_emit(b, MI_ARB_OFF);
}

void batch_mem_copy(struct xetile_batch *b, uint64_t dst, uint64_t src, uint32_t size)
{
	igt_assert(size && size <= 256 * 1024);
	batch_emit(b, MEM_COPY_LINEAR);
	batch_emit(b, size - 1);
	batch_emit(b, 0);
	batch_emit(b, 0);
	batch_emit(b, 0);
	emit_addr(b, src);
	emit_addr(b, dst);
	batch_emit(b, MOCS_UC << 25 | MOCS_UC);
}
