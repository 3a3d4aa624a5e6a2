// SPDX-License-Identifier: MIT
/*
 * Waits: a call waits only for its own objects, the end of a wait wakes it, and a reset waits only
 * for the engines that it has asked to leave.
 *
 * suite: hostile
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <xf86drm.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_vgem.h"

IGT_TEST_DESCRIPTION("Calls wait only for their own objects, and are woken");

static int job_fence(const struct job *j)
{
	int file;

	igt_assert_eq(drmSyncobjExportSyncFile(j->fd, j->syncobj, &file), 0);
	return file;
}

static void let_go(struct job *j)
{
	((volatile uint32_t *)j->data.map)[64] = 1;
}

/* --- room in a queue ---------------------------------------------------------- */

#define BACKLOG		4096

/* Submits calls without a batch until there is no room, and one more. */
static void fill_queue(const struct job *j)
{
	struct drm_xetile_exec args = { .queue_id = j->queue };
	int err = 0;

	for (int i = 0; i < BACKLOG && !err; i++)
		err = xetile_ioctl(j->fd, DRM_IOCTL_XETILE_EXEC, &args);
	_exit(-err);
}

/*
 * Jobs that move from the waiting line to the engine make room before any of them is done; the
 * first one runs for long.
 */
static void test_room(int fd)
{
	struct drm_xetile_sync syncs[2] = { { 0 }, { .flags = DRM_XETILE_SYNC_SIGNAL } };
	struct job j, gate;
	struct xetile_batch b;
	int status;
	pid_t pid;

	job_init(&j, fd, JOB_COPY_TILE, 0);
	job_init_at(&gate, j.fd, JOB_COMPUTE_TILE, 0);
	igt_assert_eq(job_start_held(&gate), 0);
	syncs[0].handle = gate.syncobj;
	syncs[1].handle = j.syncobj = xetile_syncobj(j.fd);
	batch_begin(&b, &j.batch, 0);
	batch_wait(&b, j.data.addr + 256, 1);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(j.fd, j.queue, batch_addr(&b), syncs, 2), 0);
	pid = fork();
	igt_assert_lte(0, pid);
	if (!pid)
		fill_queue(&j);
	xetile_assert_soon(xetile_sleeps_in(pid, "xetile_sched_queue_wait_room"));
	let_go(&gate);
	igt_assert_eq(job_end(&gate), 1);
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFEXITED(status));
	igt_assert_eq(WEXITSTATUS(status), 0);
	igt_assert_eq(xetile_fence_status(j.fd, j.syncobj), 0);
	let_go(&j);
	igt_assert_eq(__xetile_wait(j.fd, j.syncobj, 60000), 0);
	igt_assert_eq(xetile_fence_status(j.fd, j.syncobj), 1);
	xetile_syncobj_destroy(j.fd, j.syncobj);
	job_fini(&gate);
	job_fini(&j);
}

/* --- binds --------------------------------------------------------------------- */

static bool is_in_system(int fd, uint32_t bo)
{
	struct drm_xetile_color_run run = { 0 };

	igt_assert_eq_u32(xetile_bo_runs(fd, bo, &run, 1), 1);
	return run.tile == DRM_XETILE_MEM_SYSTEM;
}

/*
 * A private BO was evicted, and a job of its VM that does not use the BO is running. The BO can be
 * mapped where it is, and the first job that uses it has it in HBM.
 */
static void test_bind(int fd)
{
	struct drm_xetile_bo_create args = {
		.size = SZ_2M, .placement = DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM,
		.color = DRM_XETILE_COLOR_TILE, .tile_mask = 1,
	};
	struct job j;

	job_init(&j, fd, JOB_COPY_TILE, 0);
	args.vm_id = j.vm;
	igt_assert_eq(__xetile_bo_create(j.fd, &args), 0);
	xetile_evict_all(fd);
	igt_assert(is_in_system(j.fd, args.handle));
	igt_assert_eq(job_start_held(&j), 0);
	xetile_vm_map(j.fd, j.vm, args.handle, 0, 2 * JOB_DATA_ADDR, SZ_2M);
	igt_assert_eq(xetile_fence_status(j.fd, j.syncobj), 0);
	igt_assert(is_in_system(j.fd, args.handle));
	let_go(&j);
	igt_assert_eq(job_end(&j), 1);
	igt_assert_eq(job_run(&j), 1);
	igt_assert(!is_in_system(j.fd, args.handle));
	job_fini(&j);
}

/* --- resets -------------------------------------------------------------------- */

/*
 * A file is closed while its job is on an engine that does not let go. Another engine, of another
 * reset domain, is reset meanwhile. The reset must not wait for the killed queue, and must not
 * shorten that queue's time.
 */
static void test_killed(int fd)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct job killed, hang;
	int fences[2], status;
	struct xetile_batch b;
	uint64_t reset;

	job_init(&killed, fd, JOB_COPY_TILE, 0);
	job_init(&hang, fd, JOB_COMPUTE_TILE, 200);
	lab_inject("slow engine=%s us=60000000", killed.engine);
	reset = lab_injected();
	igt_assert_eq(job_start(&killed), 0);
	xetile_assert_soon(lab_injected() != reset);
	fences[0] = job_fence(&killed);
	/* This batch also does not leave its engine until the reset. */
	sync.handle = hang.syncobj = xetile_syncobj(hang.fd);
	batch_begin(&b, &hang.batch, 0);
	batch_spin(&b);
	igt_assert_eq(__xetile_exec(hang.fd, hang.queue, batch_addr(&b), &sync, 1), 0);
	fences[1] = job_fence(&hang);
	munmap(killed.batch.map, killed.batch.size);
	munmap(killed.data.map, killed.data.size);
	close(killed.fd);
	reset = xetile_signalled_ns(fences[1], &status);
	igt_assert_eq(status, -ETIME);
	/* The killed queue is stopped after its 640 ms. */
	igt_assert_lte_u64(reset + 100000000, xetile_signalled_ns(fences[0], &status));
	igt_assert_eq(status, -ECANCELED);
	lab_heal();
	xetile_syncobj_destroy(hang.fd, hang.syncobj);
	job_renew_queue(&hang);
	igt_assert_eq(job_run(&hang), 1);
	job_fini(&hang);
}

/* Sets the time to leave of both classes of engines. */
static void set_leave_times(int fd, const char *us)
{
	igt_assert_eq(xetile_sysfs_write(fd, 0, "engines/ccs/preempt_timeout_us", us), 0);
	igt_assert_eq(xetile_sysfs_write(fd, 0, "engines/bcs/preempt_timeout_us", us), 0);
}

static void start_stuck(struct job *j)
{
	uint64_t before = lab_injected();

	lab_inject("slow engine=%s us=60000000", j->engine);
	igt_assert_eq(job_start(j), 0);
	xetile_assert_soon(lab_injected() != before);
}

static void drop_file(struct job *j)
{
	munmap(j->batch.map, j->batch.size);
	munmap(j->data.map, j->data.size);
	close(j->fd);
}

/*
 * Starts a process that is the last to close the file of @j, and that waits for the file's engine.
 * The process closes the file of @other at once.
 */
static pid_t start_close(struct job *j, struct job *other)
{
	int go[2];
	pid_t pid;
	char byte;

	igt_assert_eq(pipe(go), 0);
	pid = fork();
	igt_assert_lte(0, pid);
	if (!pid) {
		close(go[1]);
		if (other)
			drop_file(other);
		if (read(go[0], &byte, 1))
			_exit(1);
		drop_file(j);
		_exit(0);
	}
	close(go[0]);
	drop_file(j);
	close(go[1]);
	xetile_assert_soon(xetile_sleeps_in(pid, "xetile_sched_wait_idle"));
	return pid;
}

/*
 * Two processes close files whose jobs are stuck on their engines. The second process is killed and
 * ends, while the first one still waits. The files' memory comes back later.
 */
static void test_close_killed(int fd)
{
	struct job first, second;
	pid_t waits, killed;
	uint64_t before;
	int status;

	xetile_wait_hbm_free(fd);
	before = xetile_hbm_used(fd);
	/* Longer than close() waits, and the same for both classes */
	set_leave_times(fd, "10000000");
	job_init(&first, fd, JOB_COPY_TILE, 0);
	job_init(&second, fd, JOB_COMPUTE_TILE, 0);
	start_stuck(&first);
	start_stuck(&second);
	waits = start_close(&first, &second);
	killed = start_close(&second, NULL);
	igt_assert_eq(kill(killed, SIGKILL), 0);
	igt_assert_eq(waitpid(killed, &status, 0), killed);
	igt_assert(WIFSIGNALED(status));
	igt_assert(xetile_sleeps_in(waits, "xetile_sched_wait_idle"));
	igt_assert_eq(waitpid(waits, &status, 0), waits);
	igt_assert_eq(status, 0);
	lab_heal();
	set_leave_times(fd, "640000");
	xetile_wait_engines_free(fd);
	igt_assert(xetile_hbm_comes_back(fd, before));
	job_check_usable(fd);
}

/* --- turns --------------------------------------------------------------------- */

static uint32_t hbm_of_tile(int fd, uint64_t size)
{
	return xetile_bo_color(fd, size, DRM_XETILE_COLOR_TILE, 1, 0);
}

/* Makes a sync file the fence of a BO's last writer. */
static void add_fence(int fd, uint32_t bo, int fence)
{
	struct dma_buf_import_sync_file import = { .flags = DMA_BUF_SYNC_WRITE, .fd = fence };
	int buf;

	igt_assert_eq(drmPrimeHandleToFD(fd, bo, DRM_CLOEXEC | DRM_RDWR, &buf), 0);
	igt_assert_eq(xetile_ioctl(buf, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &import), 0);
	close(buf);
	close(fence);
}

/*
 * A call has the turn to make room, gets the room, and then waits for another buffer of its own
 * that is in use for long. A client whose buffers were held back for the call must wait no longer
 * than the turn.
 */
static void test_turn(int fd)
{
	struct job gate, taker, other;
	struct xetile_card card;
	uint32_t big, small, most;
	uint64_t total;
	int status;
	pid_t pid;

	xetile_open_card(&card);
	total = card.tiles[0].hbm_total;
	job_init(&gate, fd, JOB_COMPUTE_TILE, 60000);
	job_init(&taker, fd, JOB_COPY_TILE, 0);
	job_init(&other, fd, JOB_COPY_TILE, 60000);
	big = hbm_of_tile(taker.fd, total / 25 / SZ_64K * SZ_64K);
	small = hbm_of_tile(taker.fd, SZ_64K);
	xetile_vm_map(taker.fd, taker.vm, big, 0, 2 * JOB_DATA_ADDR, total / 25 / SZ_64K * SZ_64K);
	xetile_vm_map(taker.fd, taker.vm, small, 0, 3 * JOB_DATA_ADDR, SZ_64K);
	xetile_evict_all(fd);
	igt_assert(is_in_system(taker.fd, big) && is_in_system(taker.fd, small));
	igt_assert_eq(job_start_held(&gate), 0);
	add_fence(taker.fd, small, job_fence(&gate));

	most = hbm_of_tile(other.fd, total / 100 * 97 / SZ_64K * SZ_64K);
	xetile_vm_map(other.fd, other.vm, most, 0, 2 * JOB_DATA_ADDR,
		      total / 100 * 97 / SZ_64K * SZ_64K);
	igt_assert_eq(job_start_held(&other), 0);
	pid = fork();
	igt_assert_lte(0, pid);
	if (!pid)
		_exit(-job_start(&taker));
	xetile_assert_soon(xetile_sleeps_in(pid, "xetile_room_again"));
	let_go(&other);
	igt_assert_eq(job_end(&other), 1);
	xetile_assert_soon(!is_in_system(taker.fd, big));
	/* The buffer of this job was held back. The job must have it before the gate opens. */
	igt_assert_eq(job_start(&other), 0);
	igt_assert_eq(job_end(&other), 1);
	igt_assert_eq(xetile_fence_status(gate.fd, gate.syncobj), 0);
	let_go(&gate);
	igt_assert_eq(job_end(&gate), 1);
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert_eq(status, 0);
	job_fini(&other);
	job_fini(&taker);
	job_fini(&gate);
	close(card.fd);
}

/* --- removal ------------------------------------------------------------------- */

/* Returns the fence of a bind that waits for another driver's fence. */
static int foreign_fence(int fd, struct vgem *vgem)
{
	struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_UNMAP, .addr = SZ_1G, .range = SZ_64K,
	};
	struct drm_xetile_sync syncs[2] = { { 0 }, { .flags = DRM_XETILE_SYNC_SIGNAL } };
	int file;

	syncs[0].handle = xetile_syncobj(fd);
	syncs[1].handle = xetile_syncobj(fd);
	vgem_fence(vgem, fd, syncs[0].handle);
	igt_assert_eq(__xetile_vm_bind(fd, xetile_vm(fd), &bind, 1, syncs, 2), 0);
	igt_assert_eq(drmSyncobjExportSyncFile(fd, syncs[1].handle, &file), 0);
	return file;
}

/*
 * A call waits for a buffer that a bind uses, and the bind waits for another driver's fence. When
 * the card goes, the bind must end and with it the call, without waiting for that fence.
 */
static void test_removal(int fd)
{
	struct job taker;
	struct vgem vgem;
	char address[64];
	uint32_t bo;
	int status;
	pid_t pid;

	vgem_init(&vgem);
	xetile_bound_card(address, sizeof(address));
	job_init(&taker, fd, JOB_COPY_TILE, 0);
	bo = hbm_of_tile(taker.fd, SZ_64K);
	xetile_vm_map(taker.fd, taker.vm, bo, 0, 2 * JOB_DATA_ADDR, SZ_64K);
	xetile_evict_all(fd);
	igt_assert(is_in_system(taker.fd, bo));
	fd = xetile_reopen(fd);
	add_fence(taker.fd, bo, foreign_fence(fd, &vgem));
	pid = fork();
	igt_assert_lte(0, pid);
	if (!pid)
		_exit(-__xetile_exec(taker.fd, taker.queue, taker.batch.addr, NULL, 0));
	xetile_assert_soon(xetile_sleeps_in(pid, "xetile_room_again"));
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFEXITED(status));
	igt_assert_eq(WEXITSTATUS(status), ENODEV);
	/* The fence has neither signalled nor expired. */
	igt_assert_eq(vgem_signal(&vgem), 0);
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	munmap(taker.batch.map, taker.batch.size);
	munmap(taker.data.map, taker.data.size);
	close(taker.fd);
	close(fd);
	vgem_fini(&vgem);
}

/* --- a gang that is lost in part ----------------------------------------------- */

#define FLAGS		512		/* in the data: a flag for each tile, 8 bytes apart */
#define HOG_BATCH	(2 * SZ_4K)

static void set_modes(int fd, const char *mode)
{
	struct xetile_card card;

	xetile_open_card(&card);
	igt_require_f(card.device.num_tiles > 1, "a gang needs two tiles\n");
	for (unsigned int t = 0; t < 2; t++) {
		igt_require_f(card.tiles[t].ccs_modes & 1u << 2, "tile %u has one engine only\n", t);
		/* Queues that were closed a moment ago may still hold the mode. */
		xetile_assert_soon(!xetile_sysfs_write(fd, t, "ccs_mode", mode));
	}
	close(card.fd);
}

static void member_name(const struct job *j, unsigned int m, char *name, size_t size)
{
	struct drm_xetile_queue_info info;

	xetile_queue_info(j->fd, j->queue, &info);
	snprintf(name, size, "tile%u.ccs%u", info.members[m].tile, info.members[m].instance);
}

/*
 * Starts an endless batch on both tiles. On the first @stuck members the engine is so slow that the
 * batch cannot leave it.
 */
static void start_gang(struct job *j, unsigned int stuck)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	volatile uint32_t *flags = j->data.map + FLAGS / 4;
	struct xetile_batch b;

	flags[0] = flags[2] = 0;
	sync.handle = j->syncobj = xetile_syncobj(j->fd);
	batch_begin(&b, &j->batch, 0);
	batch_store(&b, j->data.addr + FLAGS, 1, true);
	batch_hang(&b);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(j->fd, j->queue, batch_addr(&b), &sync, 1), 0);
	xetile_assert_soon(flags[0] && flags[2]);
	for (unsigned int m = 0; m < stuck; m++) {
		uint64_t before = lab_injected();
		char engine[32];

		member_name(j, m, engine, sizeof(engine));
		lab_inject("slow engine=%s us=60000000", engine);
		xetile_assert_soon(lab_injected() != before);
	}
}

/*
 * Starts a batch that hangs on another compute engine of tile 0, which is reset together with the
 * gang's. Returns its queue.
 */
static uint32_t start_hog(struct job *j)
{
	struct drm_xetile_queue_create args = {
		.vm_id = j->vm, .engine_class = COMPUTE, .target = DRM_XETILE_TARGET_CSLICE,
		.cslice = 1, .timeout_ms = 100,
	};
	struct xetile_batch b;

	igt_assert_eq(__xetile_queue_create(j->fd, &args), 0);
	batch_begin(&b, &j->batch, HOG_BATCH);
	batch_hang(&b);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(j->fd, args.queue_id, batch_addr(&b), NULL, 0), 0);
	return args.queue_id;
}

#define IDLE_FILES	2
#define FILE_QUEUES	1000

/* Creates many queues, which take a while to ban, and which are banned before later ones. */
static void add_queues(int fd, int *files)
{
	for (int i = 0; i < IDLE_FILES; i++) {
		uint32_t vm;

		files[i] = xetile_reopen(fd);
		vm = xetile_vm(files[i]);
		for (int n = 0; n < FILE_QUEUES; n++)
			xetile_queue(files[i], vm, COPY, TILE, 1, 0);
	}
}

/*
 * The card goes while a reset waits for the two parts of a gang to leave. That wait must end. The
 * job must not count as ended when one part is stopped and the other is not. The reset goes on
 * while the card's queues are being banned, the gang's as the last.
 */
static void test_gang_gone(int fd)
{
	int fence, status, log, files[IDLE_FILES];
	struct job gang;
	char address[64];

	set_modes(fd, "2");
	add_queues(fd, files);
	job_init(&gang, fd, JOB_COMPUTE_ROOT, 0);
	xetile_bound_card(address, sizeof(address));
	start_gang(&gang, 2);
	fence = job_fence(&gang);
	log = lab_log_open();
	start_hog(&gang);
	/*
	 * The log says so before the driver asks the neighbours to leave, which have 640 ms then.
	 */
	lab_log_close(log, "did not end in time");
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	xetile_signalled_ns(fence, &status);
	igt_assert_eq(status, -ECANCELED);
	lab_heal();
	for (int i = 0; i < IDLE_FILES; i++)
		close(files[i]);
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	munmap(gang.batch.map, gang.batch.size);
	munmap(gang.data.map, gang.data.size);
	close(gang.fd);
}

#define MOVED_ADDR	0x8000000000ull

/*
 * In a process of its own: holds the engine of tile 1 that has the fewest queues, the first of
 * equals, until the pipe @stop ends, at the latest with the test.
 */
static void hold_engine(int fd, int ready, int stop)
{
	struct xetile_batch b;
	struct xetile_buf buf;
	uint32_t vm, queue;
	char byte;

	fd = xetile_reopen(fd);
	vm = xetile_vm(fd);
	xetile_buf_init(&buf, fd, vm, JOB_BATCH_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	batch_begin(&b, &buf, 0);
	batch_store(&b, JOB_BATCH_ADDR + SZ_4K, 1, false);
	batch_wait(&b, JOB_BATCH_ADDR + SZ_4K, 2);
	batch_end(&b);
	queue = xetile_queue(fd, vm, COMPUTE, TILE, 1, 0);
	igt_assert_eq(__xetile_exec(fd, queue, batch_addr(&b), NULL, 0), 0);
	xetile_assert_soon(((volatile uint32_t *)buf.map)[SZ_4K / 4]);
	igt_assert_eq(write(ready, "", 1), 1);
	_exit(read(stop, &byte, 1));
}

/*
 * One part of a gang is lost, and the other part begins anew as well, on another engine. That
 * engine holds translations from before a change, which the part has already seen on its previous
 * engine.
 */
static void test_gang_moves(int fd)
{
	uint32_t bos[2], other, hog, *maps[2], seen;
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_queue_info info;
	struct xetile_batch b, store;
	struct job gang;
	int ready[2], stop[2], status;
	pid_t pid;
	char byte;

	set_modes(fd, "2");
	job_init(&gang, fd, JOB_COMPUTE_ROOT, 0);
	for (int i = 0; i < 2; i++) {
		bos[i] = xetile_bo(gang.fd, SZ_64K, DRM_XETILE_PLACE_HBM);
		maps[i] = xetile_bo_map(gang.fd, bos[i], SZ_64K);
	}
	batch_begin(&store, &gang.batch, SZ_4K);
	batch_store(&store, MOVED_ADDR, 1, true);
	batch_end(&store);

	/* The other engine of tile 1 uses the first buffer. */
	xetile_vm_map(gang.fd, gang.vm, bos[0], 0, MOVED_ADDR, SZ_64K);
	other = xetile_queue(gang.fd, gang.vm, COMPUTE, DRM_XETILE_TARGET_CSLICE, 1, 1);
	xetile_run(gang.fd, other, batch_addr(&store));
	xetile_queue_info(gang.fd, other, &info);
	seen = info.members[0].instance;
	igt_assert_eq_u32(*(volatile uint32_t *)maps[0], 1);
	*maps[0] = 0;

	xetile_vm_map(gang.fd, gang.vm, bos[1], 0, MOVED_ADDR, SZ_64K);
	start_gang(&gang, 1);
	hog = start_hog(&gang);
	igt_assert_eq(__xetile_wait(gang.fd, gang.syncobj, 60000), 0);
	igt_assert_eq(xetile_fence_status(gang.fd, gang.syncobj), -EAGAIN);
	lab_heal();
	xetile_queue_destroy(gang.fd, hog);

	igt_assert_eq(pipe(ready), 0);
	igt_assert_eq(pipe(stop), 0);
	pid = fork();
	igt_assert_lte(0, pid);
	if (!pid) {
		close(stop[1]);
		hold_engine(fd, ready[1], stop[0]);
	}
	close(ready[1]);
	close(stop[0]);
	igt_assert_eq(read(ready[0], &byte, 1), 1);
	xetile_queue_destroy(gang.fd, other);
	sync.handle = xetile_syncobj(gang.fd);
	batch_begin(&b, &gang.batch, 3 * SZ_4K);
	batch_store(&b, MOVED_ADDR, 2, true);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(gang.fd, gang.queue, batch_addr(&b), &sync, 1), 0);
	igt_assert_eq(__xetile_wait(gang.fd, sync.handle, 60000), 0);
	igt_assert_eq(xetile_fence_status(gang.fd, sync.handle), 1);
	xetile_queue_info(gang.fd, gang.queue, &info);
	igt_assert_eq_u32(info.members[1].instance, seen);
	/* Both parts have stored into the second buffer. */
	igt_assert_eq_u32(((volatile uint32_t *)maps[0])[2], 0);
	igt_assert_eq_u32(((volatile uint32_t *)maps[1])[0], 2);
	igt_assert_eq_u32(((volatile uint32_t *)maps[1])[2], 2);

	close(stop[1]);
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert_eq(status, 0);
	close(ready[0]);
	for (int i = 0; i < 2; i++)
		munmap(maps[i], SZ_64K);
	job_fini(&gang);
	set_modes(fd, "1");
}

/* --- a call that would take for ever ------------------------------------------- */

#define HUGE_ADDR	(1ull << 55)
#define SOME_TABLES	(4ull << 20)
#define MANY_TABLES	(64ull << 20)

/* Starts a process whose bind needs more page tables than HBM holds; returns when some exist. */
static pid_t start_huge_bind(int fd, uint64_t before)
{
	struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_MAP_NULL, .addr = HUGE_ADDR, .range = HUGE_ADDR,
	};
	pid_t pid = fork();

	igt_assert_lte(0, pid);
	if (!pid) {
		fd = xetile_reopen(fd);
		_exit(-__xetile_vm_bind(fd, xetile_vm(fd), &bind, 1, NULL, 0));
	}
	xetile_assert_soon(xetile_hbm_used(fd) >= before + SOME_TABLES);
	return pid;
}

/* A killed process must not make all of the tables. */
static void test_huge_bind(int fd)
{
	uint64_t before = xetile_hbm_used(fd);
	pid_t pid = start_huge_bind(fd, before);
	int status;

	igt_assert_eq(kill(pid, SIGKILL), 0);
	while (!waitpid(pid, &status, WNOHANG))
		igt_assert_lte_u64(xetile_hbm_used(fd), before + MANY_TABLES);
	igt_assert(WIFSIGNALED(status));
	igt_assert(xetile_hbm_comes_back(fd, before));
}

/* The card's removal, which waits for the call, must not wait for all of the tables. */
static void test_huge_bind_gone(int fd)
{
	pid_t pid = start_huge_bind(fd, xetile_hbm_used(fd));
	char address[64];
	int status;

	xetile_bound_card(address, sizeof(address));
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFEXITED(status));
	igt_assert_eq(WEXITSTATUS(status), ENODEV);
	igt_assert_eq(xetile_write_driver("bind", address), 0);
}

igt_main
{
	int fd = -1;

	igt_fixture
		fd = lab_open();
	igt_describe("A queue must have room when one of its jobs begins, not only when one ends");
	igt_subtest("room")
		test_room(fd);
	igt_describe("A private BO in system memory must be mapped while a job of its VM runs");
	igt_subtest("bind")
		test_bind(fd);
	igt_describe("A call that waits for its own buffer with the turn must not delay other "
		     "clients");
	igt_subtest("turn")
		test_turn(fd);
	igt_describe("A reset must not wait for another engine's killed queue, nor shorten that "
		     "queue's time");
	igt_subtest("killed")
		test_killed(fd);
	igt_describe("A process killed while it closes a file must not wait for the file's jobs");
	igt_subtest("close-killed")
		test_close_killed(fd);
	igt_describe("A part of a gang must use current translations when it begins anew on "
		     "another engine");
	igt_subtest("gang-moves")
		test_gang_moves(fd);
	igt_describe("Unbind while a reset waits for a gang must end the gang's job once, with "
		     "ECANCELED");
	igt_subtest("gang-gone") {
		test_gang_gone(fd);
		close(fd);
		fd = xetile_open();
	}
	igt_describe("Unbind must end a call that waits for a bind that waits for a foreign fence");
	igt_subtest("removal") {
		test_removal(fd);
		close(fd);
		fd = xetile_open();
	}
	igt_describe("A bind of 2^55 bytes to no memory must end when its process is killed");
	igt_subtest("huge-bind")
		test_huge_bind(fd);
	igt_describe("A bind of 2^55 bytes to no memory must end with ENODEV when the card is "
		     "unbound");
	igt_subtest("huge-bind-gone") {
		test_huge_bind_gone(fd);
		close(fd);
		fd = xetile_open();
	}
	igt_fixture {
		lab_heal();
		job_check_usable(fd);
		close(fd);
	}
}
