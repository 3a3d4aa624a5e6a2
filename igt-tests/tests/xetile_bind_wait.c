// SPDX-License-Identifier: MIT
/*
 * Binds that wait for fences of the driver or of another driver: their order, and files and VMs
 * that are given up meanwhile.
 *
 * suite: igt soak-alone
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_place.h"
#include "xetile_vgem.h"

IGT_TEST_DESCRIPTION("Binds that wait for fences");

/* Binds wait for their fences, in order; jobs that are submitted after them wait, too. */
static void test_async(const struct xetile_card *card)
{
	struct drm_xetile_sync syncs[2] = { 0 }, out = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct place holder, p;
	struct drm_xetile_bind bind;
	uint32_t a, b, *map_a, *map_b;
	struct xetile_batch batch;

	place_init(&holder, card->fd);
	place_init(&p, card->fd);
	a = xetile_bo(p.fd, PAGE, DRM_XETILE_PLACE_HBM);
	b = xetile_bo(p.fd, PAGE, DRM_XETILE_PLACE_HBM);
	map_a = xetile_bo_map(p.fd, a, PAGE);
	map_b = xetile_bo_map(p.fd, b, PAGE);
	xetile_vm_map(p.fd, p.vm, a, 0, DATA_ADDR, PAGE);

	/* The job needs another queue, because the held batch is on the first one. */
	xetile_queue_destroy(p.fd, p.queue);
	p.queue = xetile_queue(p.fd, p.vm, DRM_XETILE_ENGINE_COPY, DRM_XETILE_TARGET_TILE, 0, 0);
	place_hold(&holder);
	syncs[0].handle = holder.held;
	syncs[1].handle = xetile_syncobj(p.fd);
	syncs[1].flags = DRM_XETILE_SYNC_SIGNAL;
	bind = (struct drm_xetile_bind) {
		.addr = DATA_ADDR, .range = PAGE, .handle = b, .op = DRM_XETILE_BIND_MAP,
	};
	igt_assert_eq(__xetile_vm_bind(p.fd, p.vm, &bind, 1, syncs, 2), 0);
	igt_assert_eq(__xetile_wait(p.fd, syncs[1].handle, 50), -ETIME);

	/* This bind has no fence to wait for, but follows the bind before. */
	bind.addr += SZ_2M;
	xetile_vm_map(p.fd, p.vm, a, 0, DATA_ADDR + SZ_2M, PAGE);

	batch_begin(&batch, &p.ctl, 0x2000);
	batch_store(&batch, DATA_ADDR, 0x111, false);
	batch_store(&batch, DATA_ADDR + SZ_2M, 0x222, false);
	batch_end(&batch);
	out.handle = xetile_syncobj(p.fd);
	igt_assert_eq(__xetile_exec(p.fd, p.queue, batch_addr(&batch), &out, 1), 0);
	igt_assert_eq(__xetile_wait(p.fd, out.handle, 50), -ETIME);
	igt_assert_eq_u32(map_a[0], 0);

	place_let_go(&holder);
	igt_assert_eq(__xetile_wait(p.fd, syncs[1].handle, 20000), 0);
	igt_assert_eq(__xetile_wait(p.fd, out.handle, 20000), 0);
	igt_assert_eq_u32(map_b[0], 0x111);
	igt_assert_eq_u32(map_a[0], 0x222);

	xetile_syncobj_destroy(p.fd, out.handle);
	xetile_syncobj_destroy(p.fd, syncs[1].handle);
	munmap(map_a, PAGE);
	munmap(map_b, PAGE);
	xetile_bo_close(p.fd, a);
	xetile_bo_close(p.fd, b);
	place_fini(&p);
	place_fini(&holder);
}

/* A file is closed while its binds wait, and a job behind them. */
static void test_close_waiting(const struct xetile_card *card)
{
	struct place holder;
	int file;

	place_init(&holder, card->fd);
	place_hold(&holder);
	igt_assert_eq(drmSyncobjExportSyncFile(card->fd, holder.held, &file), 0);
	igt_fork(child, 1) {
		int fd = xetile_reopen(card->fd);
		struct drm_xetile_sync in = { 0 };
		struct drm_xetile_bind bind = { .addr = DATA_ADDR, .range = PAGE };
		struct xetile_batch batch;
		struct place p;

		place_init(&p, fd);
		in.handle = xetile_syncobj(fd);
		igt_assert_eq(drmSyncobjImportSyncFile(fd, in.handle, file), 0);
		bind.handle = xetile_bo(fd, PAGE, DRM_XETILE_PLACE_HBM);
		for (int i = 0; i < 20; i++, bind.addr += SZ_1G)
			igt_assert_eq(__xetile_vm_bind(fd, p.vm, &bind, 1, &in, 1), 0);
		batch_begin(&batch, &p.ctl, 0x2000);
		batch_store(&batch, DATA_ADDR, 1, false);
		batch_end(&batch);
		igt_assert_eq(__xetile_exec(fd, p.queue, batch_addr(&batch), NULL, 0), 0);
	}
	igt_waitchildren();
	close(file);
	place_let_go(&holder);
	place_store(&holder, holder.ctl.addr + 0x8000, 3);
	igt_assert_eq_u32(holder.ctl.map[0x8000 / 4], 3);
	place_fini(&holder);
}

/*
 * Submits a bind of a buffer in @vm that waits for a fence of vgem. Returns the syncobj of the
 * bind's own fence.
 */
static uint32_t bind_foreign(struct vgem *vgem, int fd, uint32_t vm, uint32_t bo, uint64_t size)
{
	struct drm_xetile_bind bind = { .addr = DATA_ADDR, .range = size, .handle = bo };
	struct drm_xetile_sync syncs[2] = { 0 };

	syncs[0].handle = xetile_syncobj(fd);
	syncs[1].handle = xetile_syncobj(fd);
	syncs[1].flags = DRM_XETILE_SYNC_SIGNAL;
	vgem_fence(vgem, fd, syncs[0].handle);
	igt_assert_eq(__xetile_vm_bind(fd, vm, &bind, 1, syncs, 2), 0);
	igt_assert_eq(xetile_fence_status(fd, syncs[1].handle), 0);
	return syncs[1].handle;
}

/* A file is closed while its bind, and a job behind it, wait for a fence that may never signal. */
static void test_close_foreign(const struct xetile_card *card)
{
	uint64_t used, size = 32 * SZ_2M;
	struct xetile_batch batch;
	struct vgem vgem;
	struct place p;
	int fd;

	vgem_init(&vgem);
	/* The first file leaves memory that later files use again; that is no leak. */
	fd = xetile_reopen(card->fd);
	place_init(&p, fd);
	munmap(p.ctl.map, p.ctl.size);
	close(fd);
	used = xetile_hbm_used(card->fd);

	fd = xetile_reopen(card->fd);
	place_init(&p, fd);
	bind_foreign(&vgem, fd, p.vm, strict_on(fd, size, 0), size);
	batch_begin(&batch, &p.ctl, 0);
	batch_store(&batch, DATA_ADDR, 1, false);
	batch_end(&batch);
	igt_assert_eq(__xetile_exec(fd, p.queue, batch_addr(&batch), NULL, 0), 0);
	munmap(p.ctl.map, p.ctl.size);
	close(fd);
	xetile_assert_soon(xetile_hbm_used(card->fd) <= used);
	/* The fence had neither signalled nor expired. */
	igt_assert_eq(vgem_signal(&vgem), 0);
	vgem_fini(&vgem);
}

/*
 * A VM is destroyed while a bind waits. A queue of the VM keeps the bind, because jobs may come;
 * without a queue the bind is cancelled.
 */
static void test_destroy_foreign(const struct xetile_card *card)
{
	uint32_t bo, vm, queue, done;
	int fd = card->fd;
	struct vgem vgem;

	vgem_init(&vgem);
	bo = xetile_bo(fd, PAGE, DRM_XETILE_PLACE_HBM);
	vm = xetile_vm(fd);
	queue = xetile_queue(fd, vm, DRM_XETILE_ENGINE_COPY, DRM_XETILE_TARGET_TILE, 0, 0);
	done = bind_foreign(&vgem, fd, vm, bo, PAGE);
	xetile_vm_destroy(fd, vm);
	igt_assert_eq(__xetile_wait(fd, done, 50), -ETIME);
	xetile_queue_destroy(fd, queue);
	igt_assert_eq(__xetile_wait(fd, done, 20000), 0);
	igt_assert_eq(xetile_fence_status(fd, done), -ECANCELED);
	igt_assert_eq(vgem_signal(&vgem), 0);
	xetile_syncobj_destroy(fd, done);

	/* without a queue */
	vm = xetile_vm(fd);
	done = bind_foreign(&vgem, fd, vm, bo, PAGE);
	xetile_vm_destroy(fd, vm);
	igt_assert_eq(__xetile_wait(fd, done, 20000), 0);
	igt_assert_eq(xetile_fence_status(fd, done), -ECANCELED);
	igt_assert_eq(vgem_signal(&vgem), 0);
	xetile_syncobj_destroy(fd, done);
	xetile_bo_close(fd, bo);
	vgem_fini(&vgem);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	igt_describe("Binds that wait for fences must keep their order, and later jobs must wait "
		     "for them");
	igt_subtest("async")
		test_async(&card);
	igt_describe("A file with waiting binds and jobs must close, and leak nothing");
	igt_subtest("close-waiting")
		test_close_waiting(&card);
	igt_describe("close() must cancel a bind that waits for another driver's fence");
	igt_subtest("close-foreign")
		test_close_foreign(&card);
	igt_describe("A destroyed VM's bind that waits for another driver's fence must live only "
		     "with a queue");
	igt_subtest("destroy-foreign")
		test_destroy_foreign(&card);

	igt_fixture
		close(card.fd);
}
