// SPDX-License-Identifier: MIT
#include "xetile_job.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/sync_file.h>
#include <xf86drm.h>

static const struct {
	const char *name;
	uint32_t class, target;
} kinds[JOB_KINDS] = {
	[JOB_COMPUTE_TILE] = { "compute-tile", COMPUTE, TILE },
	[JOB_COPY_TILE] = { "copy-tile", COPY, TILE },
	[JOB_COMPUTE_ROOT] = { "compute-root", COMPUTE, ROOT },
};

const char *job_kind_name(enum job_kind kind)
{
	return kinds[kind].name;
}

void job_new_queue(struct job *j)
{
	struct drm_xetile_queue_create args = {
		.vm_id = j->vm, .engine_class = kinds[j->kind].class,
		.target = kinds[j->kind].target, .timeout_ms = j->limit_ms,
	};

	igt_assert_eq(__xetile_queue_create(j->fd, &args), 0);
	j->queue = args.queue_id;
}

void job_renew_queue(struct job *j)
{
	xetile_queue_destroy(j->fd, j->queue);
	job_new_queue(j);
}

enum how { ENDS, HELD, ENDLESS };

static int start(struct job *j, enum how how)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;
	int err;

	sync.handle = j->syncobj = xetile_syncobj(j->fd);
	batch_begin(&b, &j->batch, 0);
	if (how == HELD)
		batch_wait(&b, j->data.addr + 256, 1);
	if (how == ENDLESS)
		batch_hang(&b);
	batch_store(&b, j->data.addr, ++j->number, false);
	batch_end(&b);
	err = __xetile_exec(j->fd, j->queue, batch_addr(&b), &sync, 1);
	if (err) {
		xetile_syncobj_destroy(j->fd, j->syncobj);
		j->number--;
	}
	return err;
}

int job_start(struct job *j)
{
	return start(j, ENDS);
}

int job_start_held(struct job *j)
{
	return start(j, HELD);
}

int job_start_endless(struct job *j)
{
	return start(j, ENDLESS);
}

int job_end(struct job *j)
{
	int status;

	igt_assert_eq(__xetile_wait(j->fd, j->syncobj, 60000), 0);
	status = xetile_fence_status(j->fd, j->syncobj);
	xetile_syncobj_destroy(j->fd, j->syncobj);
	/* A job whose fence reports success must have stored its number. */
	if (status == 1)
		igt_assert_eq_u32(*(volatile uint32_t *)j->data.map, j->number);
	return status;
}

int job_run(struct job *j)
{
	int status;

	igt_assert_eq(job_start(j), 0);
	status = job_end(j);
	xetile_wait_engines_free(j->fd);
	return status;
}

int job_run_at(struct job *j, uint32_t offset)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	int status;

	sync.handle = xetile_syncobj(j->fd);
	igt_assert_eq(__xetile_exec(j->fd, j->queue, j->batch.addr + offset, &sync, 1), 0);
	igt_assert_eq(__xetile_wait(j->fd, sync.handle, 60000), 0);
	status = xetile_fence_status(j->fd, sync.handle);
	xetile_syncobj_destroy(j->fd, sync.handle);
	return status;
}

bool job_is_banned(const struct job *j)
{
	struct drm_xetile_queue_info info;

	xetile_queue_info(j->fd, j->queue, &info);
	return info.flags & DRM_XETILE_QUEUE_BANNED;
}

void job_check_ban(const struct job *j, const struct drm_xetile_queue_ban *ban)
{
	struct drm_xetile_queue_info info;
	bool on_member = false;

	xetile_queue_info(j->fd, j->queue, &info);
	igt_assert_eq_u32(info.ban.reason, ban->reason);
	igt_assert_eq(!!(info.flags & DRM_XETILE_QUEUE_BANNED), !!ban->reason);
	igt_assert_eq_u64(info.ban.fault_addr, ban->fault_addr);
	igt_assert_eq_u32(info.ban.fault_access, ban->fault_access);
	if (!ban->reason)
		return;
	igt_assert_eq_u32(info.ban.engine_class, kinds[j->kind].class);
	for (uint32_t m = 0; m < info.num_members; m++)
		on_member |= info.members[m].tile == info.ban.tile &&
			     info.members[m].instance == info.ban.instance;
	igt_assert_f(on_member, "banned on tile %u, instance %u, where it has no member\n",
		     info.ban.tile, info.ban.instance);
}

void job_check_banned(struct job *j)
{
	igt_assert(job_is_banned(j));
	igt_assert_eq(job_start(j), -ECANCELED);
	job_renew_queue(j);
	igt_assert_eq(job_run(j), 1);
}

void job_check_unharmed(struct job *j)
{
	struct drm_xetile_queue_info info;

	xetile_queue_info(j->fd, j->queue, &info);
	igt_assert_eq(info.flags & DRM_XETILE_QUEUE_BANNED, 0);
	igt_assert_eq(info.resets, 0);
	igt_assert_eq(job_run(j), 1);
}

void job_check_own(struct job *j, int status, const struct drm_xetile_queue_ban *ban)
{
	job_check_ban(j, ban);
	if (status != 1) {
		igt_assert_eq(job_start(j), -ECANCELED);
		job_renew_queue(j);
	}
	igt_assert_eq(job_start(j), 0);
	igt_assert_eq(job_end(j), 1);
}

void job_init_at(struct job *j, int fd, enum job_kind kind, uint32_t limit_ms)
{
	struct drm_xetile_queue_info info;
	const struct drm_xetile_queue_member *m;

	memset(j, 0, sizeof(*j));
	j->kind = kind;
	j->limit_ms = limit_ms;
	j->fd = fd;
	j->vm = xetile_vm(j->fd);
	xetile_buf_init(&j->batch, j->fd, j->vm, JOB_BATCH_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	xetile_buf_init(&j->data, j->fd, j->vm, JOB_DATA_ADDR, SZ_64K, DRM_XETILE_PLACE_HBM);
	job_new_queue(j);
	/* The first job binds the queue to its engine. */
	igt_assert_eq(job_start(j), 0);
	igt_assert_eq(job_end(j), 1);
	xetile_queue_info(j->fd, j->queue, &info);
	m = &info.members[info.num_members - 1];
	snprintf(j->engine, sizeof(j->engine), "tile%u.%s%u", m->tile,
		 kinds[kind].class == COPY ? "bcs" : "ccs", m->instance);
}

void job_init(struct job *j, int fd, enum job_kind kind, uint32_t limit_ms)
{
	job_init_at(j, xetile_reopen(fd), kind, limit_ms);
	j->own_fd = true;
	xetile_wait_engines_free(j->fd);
}

void job_init_on_cslice(struct job *j, int fd, unsigned int v, uint32_t limit_ms)
{
	struct drm_xetile_queue_create args = {
		.engine_class = COMPUTE, .target = DRM_XETILE_TARGET_CSLICE, .cslice = v,
		.timeout_ms = limit_ms,
	};
	struct drm_xetile_queue_info info;

	job_init(j, fd, JOB_COMPUTE_TILE, limit_ms);
	xetile_queue_destroy(j->fd, j->queue);
	args.vm_id = j->vm;
	igt_assert_eq(__xetile_queue_create(j->fd, &args), 0);
	j->queue = args.queue_id;
	igt_assert_eq(job_run(j), 1);
	xetile_queue_info(j->fd, j->queue, &info);
	snprintf(j->engine, sizeof(j->engine), "tile0.ccs%u", info.members[0].instance);
}

void job_fini(struct job *j)
{
	xetile_queue_destroy(j->fd, j->queue);
	xetile_buf_fini(&j->batch);
	xetile_buf_fini(&j->data);
	xetile_vm_destroy(j->fd, j->vm);
	if (j->own_fd)
		close(j->fd);
}

bool xetile_sleeps_in(pid_t pid, const char *function)
{
	char path[64], line[256];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stack", pid);
	f = fopen(path, "re");
	/* A process that has ended does not sleep. */
	igt_assert_f(f || errno == ENOENT || errno == ESRCH, "%s: %m\n", path);
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f))
		found = strstr(line, function);
	fclose(f);
	return found;
}

bool xetile_waits_for_fence(pid_t pid)
{
	char path[64], where[128] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/wchan", pid);
	file = fopen(path, "re");
	igt_assert(file);
	igt_assert_lte(0, (int)fread(where, 1, sizeof(where) - 1, file));
	fclose(file);
	return !strncmp(where, "dma_fence", 9);
}

void crowd_init(struct crowd *c, int fd, enum job_kind kind)
{
	int err;

	job_init(&c->job, fd, kind, 3600000);
	igt_assert_eq(job_start_endless(&c->job), 0);
	igt_assert_eq(drmSyncobjExportSyncFile(c->job.fd, c->job.syncobj, &c->fence), 0);
	c->waiter = fork();
	igt_assert_lte(0, c->waiter);
	if (!c->waiter) {
		do
			err = __xetile_exec(c->job.fd, c->job.queue, JOB_BATCH_ADDR, NULL, 0);
		while (!err);
		_exit(-err);
	}
	xetile_assert_soon(xetile_sleeps_in(c->waiter, "xetile_sched_queue_wait_room"));
}

int crowd_end(struct crowd *c, int *status)
{
	struct sync_file_info info = { 0 };
	struct pollfd fence = { .fd = c->fence, .events = POLLIN };
	int exited;

	xetile_assert_soon(waitpid(c->waiter, &exited, WNOHANG) == c->waiter);
	igt_assert(WIFEXITED(exited));
	igt_assert_eq(poll(&fence, 1, 60000), 1);
	igt_assert_eq(xetile_ioctl(c->fence, SYNC_IOC_FILE_INFO, &info), 0);
	*status = info.status;
	close(c->fence);
	munmap(c->job.batch.map, c->job.batch.size);
	munmap(c->job.data.map, c->job.data.size);
	close(c->job.fd);
	return WEXITSTATUS(exited);
}

void dam_init(struct dam *d, int fd)
{
	/* A slow machine may need that long to queue everything that waits for the dam. */
	job_init_at(&d->job, xetile_reopen(fd), JOB_COPY_TILE, 600000);
	d->job.own_fd = true;
	igt_assert_eq(job_start_held(&d->job), 0);
}

uint32_t dam_fence(const struct dam *d, int fd)
{
	uint32_t handle;
	int file;

	igt_assert_eq(drmSyncobjHandleToFD(d->job.fd, d->job.syncobj, &file), 0);
	igt_assert_eq(drmSyncobjFDToHandle(fd, file, &handle), 0);
	close(file);
	return handle;
}

void dam_open(struct dam *d)
{
	d->job.data.map[64] = 1;
	igt_assert_eq(job_end(&d->job), 1);
}

void dam_fini(struct dam *d)
{
	job_fini(&d->job);
}

void job_check_usable(int fd)
{
	for (enum job_kind kind = 0; kind < JOB_KINDS; kind++) {
		struct job j;

		job_init(&j, fd, kind, 0);
		igt_assert_eq(job_run(&j), 1);
		job_fini(&j);
	}
}
