// SPDX-License-Identifier: MIT
/*
 * Clients whose jobs and binds wait for another driver's fence for as long as they like, each a
 * process of an ordinary user, beside well-behaved clients whose jobs must end right. The waiting
 * jobs and binds end with the client, or with the card.
 *
 * suite: hostile
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_beside.h"
#include "xetile_lab.h"
#include "xetile_vgem.h"

IGT_TEST_DESCRIPTION("Clients that wait for another driver's fences");

#define FOREIGN_ADDR	0x8000000000ull

static struct vgem vgem;	/* opened by root */

/* Fences, as files, of the jobs and binds that wait for another driver's fence */
struct waiting {
	int bound;	/* of a bind without a queue, */
	int queued;	/* of a bind of a bind queue, */
	int done;	/* and of a job */
};

/* Submits two binds and a job that wait for a fence of vgem. */
static void hold_foreign(struct hostile *h, struct waiting *w)
{
	struct drm_xetile_queue_create queue = {
		.vm_id = h->job.vm, .engine_class = DRM_XETILE_ENGINE_BIND,
	};
	struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_MAP, .addr = FOREIGN_ADDR, .range = SZ_64K,
		.handle = xetile_bo(h->fd, SZ_64K, DRM_XETILE_PLACE_HBM),
	};
	struct drm_xetile_sync syncs[2] = {
		{ .handle = xetile_syncobj(h->fd) }, { .flags = DRM_XETILE_SYNC_SIGNAL },
	};

	struct drm_xetile_vm_bind args = {
		.binds = DRM_XETILE_ARRAY(&bind, 1), .vm_id = h->job.vm,
		.syncs = DRM_XETILE_ARRAY(syncs, 2),
	};

	vgem_fence(&vgem, h->fd, syncs[0].handle);
	syncs[1].handle = xetile_syncobj(h->fd);
	igt_assert_eq(xetile_ioctl(h->fd, DRM_IOCTL_XETILE_VM_BIND, &args), 0);
	w->bound = xetile_fence_file(h->fd, syncs[1].handle);

	/* Far away, so that this bind waits for nothing but the fence */
	igt_assert_eq(__xetile_queue_create(h->fd, &queue), 0);
	args.queue_id = queue.queue_id;
	bind.addr += SZ_1G;
	syncs[1].handle = xetile_syncobj(h->fd);
	igt_assert_eq(xetile_ioctl(h->fd, DRM_IOCTL_XETILE_VM_BIND, &args), 0);
	w->queued = xetile_fence_file(h->fd, syncs[1].handle);

	syncs[1].handle = xetile_syncobj(h->fd);
	igt_assert_eq(__xetile_exec(h->fd, h->job.queue, h->job.batch.addr, syncs, 2), 0);
	w->done = xetile_fence_file(h->fd, syncs[1].handle);
}

/* The job and the binds end when the client closes its file. */
static void attack_by_closing(struct hostile *h)
{
	struct waiting w;

	hold_foreign(h, &w);
	hostile_begin(h);
	hostile_hold(h);
	munmap(h->job.batch.map, h->job.batch.size);
	munmap(h->job.data.map, h->job.data.size);
	close(h->fd);
	igt_assert_eq(xetile_file_end(w.bound), -ECANCELED);
	igt_assert_eq(xetile_file_end(w.queued), -ECANCELED);
	igt_assert_eq(xetile_file_end(w.done), -ECANCELED);
	/* The fence has neither signalled nor expired. */
	igt_assert_eq(vgem_signal(&vgem), 0);
}

/* The job and the binds end with the card, although the fence has not signalled. */
static void attack_by_staying(struct hostile *h)
{
	struct drm_xetile_vm_create vm = { 0 };
	struct waiting w;

	hold_foreign(h, &w);
	hostile_begin(h);
	hostile_hold(h);
	igt_assert_eq(xetile_file_end(w.bound), -ENODEV);
	igt_assert_eq(xetile_file_end(w.queued), -ENODEV);
	igt_assert_eq(xetile_file_end(w.done), -ECANCELED);
	igt_assert_eq(__xetile_exec(h->fd, h->job.queue, h->job.batch.addr, NULL, 0), -ENODEV);
	igt_assert_eq(xetile_ioctl(h->fd, DRM_IOCTL_XETILE_VM_CREATE, &vm), -ENODEV);
	igt_assert_eq(vgem_signal(&vgem), 0);
}

static void test_foreign_close(void)
{
	vgem_init(&vgem);
	beside(attack_by_closing, JOB_COMPUTE_TILE);
	vgem_fini(&vgem);
}

/*
 * Starts a job of a well-behaved client that runs when the card goes. Returns its fence as a file,
 * which outlives the card.
 */
static int start_to_lose(struct job *j)
{
	int file;

	igt_assert_eq(job_start_held(j), 0);
	igt_assert_eq(drmSyncobjExportSyncFile(j->fd, j->syncobj, &file), 0);
	return file;
}

static void check_lost(struct job *j, int file)
{
	igt_assert_eq(xetile_file_end(file), -ECANCELED);
	igt_assert_eq(__xetile_exec(j->fd, j->queue, j->batch.addr, NULL, 0), -ENODEV);
	munmap(j->batch.map, j->batch.size);
	munmap(j->data.map, j->data.size);
	close(j->fd);
}

static void forget_device(const char *address)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/remove", address);
	igt_assert_eq(xetile_write_file(path, "1"), 0);
}

/*
 * The card goes. Waiting for the foreign fence must not delay that, and the well-behaved clients
 * must get their errors at once.
 */
static void test_foreign_gone(bool unplug)
{
	int files[JOB_KINDS];
	char address[64];
	struct beside b;

	vgem_init(&vgem);
	xetile_bound_card(address, sizeof(address));
	beside_start(&b, attack_by_staying, JOB_COMPUTE_TILE);
	for (enum job_kind k = 0; k < JOB_KINDS; k++)
		files[k] = start_to_lose(&b.well[k]);
	if (unplug) {
		/*
		 * The card answers nothing any more. The kernel is told now, sooner than by the
		 * slot.
		 */
		lab_inject("unplug");
		forget_device(address);
	} else {
		igt_assert_eq(xetile_write_driver("unbind", address), 0);
	}
	for (enum job_kind k = 0; k < JOB_KINDS; k++)
		check_lost(&b.well[k], files[k]);
	beside_let_go(&b);
	igt_waitchildren();
	close(b.ready);
	beside_fini();
	if (unplug) {
		lab_plug(false);
		lab_plug(true);
	} else {
		igt_assert_eq(xetile_write_driver("bind", address), 0);
	}
	xetile_assert_soon(!xetile_open_path(address, sizeof(address)));
	beside_init();
	job_check_usable(beside_card());
	vgem_fini(&vgem);
}

igt_main
{
	igt_fixture
		beside_init();

	igt_describe("Jobs and binds that wait for a foreign fence must end with the client: "
		     "ECANCELED");
	igt_subtest("close")
		test_foreign_close();
	igt_describe("Jobs and binds that wait for a foreign fence must end with the card: ENODEV");
	igt_subtest("unbind")
		test_foreign_gone(false);
	igt_subtest("unplug")
		test_foreign_gone(true);

	igt_fixture
		beside_fini();
}
