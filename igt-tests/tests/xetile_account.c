// SPDX-License-Identifier: MIT
/* What one client has of what all share: it is counted, and it ends somewhere. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_igt.h"
#include "xetile_memcg.h"
#include "xetile_job.h"

IGT_TEST_DESCRIPTION("What a client uses is counted as its own, and has an end");

#define FILE_MAX_QUEUES	1024u
#define FILE_MAX_JOBS	16384u

/* --- what waits ---------------------------------------------------------------- */

/* A job of another file, which is held; what waits for it can be anybody's. */
struct dam {
	struct job job;
};

static void dam_init(struct dam *d, int fd)
{
	/* As long as a slow machine may take to fill what waits behind it */
	job_init_at(&d->job, xetile_reopen(fd), JOB_COPY_TILE, 600000);
	d->job.own_fd = true;
	igt_assert_eq(job_start_held(&d->job), 0);
}

/* The fence in a syncobj of another file */
static uint32_t dam_fence(const struct dam *d, int fd)
{
	uint32_t handle;
	int file;

	igt_assert_eq(drmSyncobjHandleToFD(d->job.fd, d->job.syncobj, &file), 0);
	igt_assert_eq(drmSyncobjFDToHandle(fd, file, &handle), 0);
	close(file);
	return handle;
}

static void dam_open(struct dam *d)
{
	d->job.data.map[64] = 1;
	igt_assert_eq(job_end(&d->job), 1);
}

static void dam_fini(struct dam *d)
{
	job_fini(&d->job);
}

/* Others' jobs end well, though the engines are never all idle. */
static void check_others(int fd)
{
	for (enum job_kind kind = 0; kind < JOB_KINDS; kind++) {
		struct job j;

		job_init_at(&j, xetile_reopen(fd), kind, 0);
		j.own_fd = true;
		igt_assert_eq(job_start(&j), 0);
		igt_assert_eq(job_end(&j), 1);
		job_fini(&j);
	}
}

static uint32_t copy_queue(int fd, uint32_t vm)
{
	return xetile_queue(fd, vm, DRM_XETILE_ENGINE_COPY, DRM_XETILE_TARGET_TILE, 0, 0);
}

static int try_queue(int fd, uint32_t vm, uint32_t *id)
{
	struct drm_xetile_queue_create args = {
		.vm_id = vm, .engine_class = DRM_XETILE_ENGINE_COPY,
		.target = DRM_XETILE_TARGET_TILE,
	};
	int err = __xetile_queue_create(fd, &args);

	*id = args.queue_id;
	return err;
}

/* A batch that is none, but waits */
static int wait_on(int fd, uint32_t queue, uint32_t fence)
{
	struct drm_xetile_sync sync = { .handle = fence };
	struct drm_xetile_exec args = {
		.queue_id = queue, .syncs = XETILE_ARRAY(&sync, 1),
	};

	return xetile_ioctl(fd, DRM_IOCTL_XETILE_EXEC, &args);
}

/* A queue that was given up lives until its jobs are done, and counts until then. */
static void test_queues(const struct xetile_card *card)
{
	int fd = xetile_reopen(card->fd);
	uint32_t vm = xetile_vm(fd), fence, queue;
	struct dam dam;

	dam_init(&dam, card->fd);
	fence = dam_fence(&dam, fd);
	for (unsigned int i = 0; i < FILE_MAX_QUEUES; i++) {
		igt_assert_eq(try_queue(fd, vm, &queue), 0);
		igt_assert_eq(wait_on(fd, queue, fence), 0);
		xetile_queue_destroy(fd, queue);
	}
	igt_assert_eq(try_queue(fd, vm, &queue), -EDQUOT);
	/* Others have theirs. */
	check_others(card->fd);

	dam_open(&dam);
	xetile_assert_soon(!try_queue(fd, vm, &queue));
	dam_fini(&dam);
	close(fd);
}

#define QUEUES		5
#define BINDS		64u

/* Batches and binds that wait count together, on all queues and in all address spaces. */
static void test_jobs(const struct xetile_card *card)
{
	struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_MAP_NULL, .addr = SZ_1G, .range = SZ_64K,
	};
	int fd = xetile_reopen(card->fd), other = xetile_reopen(card->fd);
	uint32_t vm = xetile_vm(fd), queues[QUEUES];
	struct drm_xetile_sync in = { 0 };
	uint32_t fence;
	struct dam dam;

	dam_init(&dam, card->fd);
	in.handle = fence = dam_fence(&dam, fd);
	for (unsigned int i = 0; i < QUEUES; i++)
		queues[i] = copy_queue(fd, vm);
	for (unsigned int i = 0; i < FILE_MAX_JOBS - BINDS; i++)
		igt_assert_eq(wait_on(fd, queues[i % QUEUES], in.handle), 0);
	for (unsigned int i = 0; i < BINDS; i++)
		igt_assert_eq(__xetile_vm_bind(fd, vm, &bind, 1, &in, 1), 0);
	igt_assert_eq(__xetile_vm_bind(fd, vm, &bind, 1, &in, 1), -EDQUOT);
	igt_assert_eq(wait_on(fd, queues[0], in.handle), -EDQUOT);

	/* Others have theirs. */
	check_others(card->fd);
	vm = xetile_vm(other);
	in.handle = dam_fence(&dam, other);
	igt_assert_eq(__xetile_vm_bind(other, vm, &bind, 1, &in, 1), 0);
	igt_assert_eq(wait_on(other, copy_queue(other, vm), in.handle), 0);

	dam_open(&dam);
	xetile_assert_soon(!wait_on(fd, queues[0], fence));
	dam_fini(&dam);
	close(other);
	close(fd);
}

/* --- users ----------------------------------------------------------------------- */

#define LIMIT		40u
#define USER		65534
#define OTHER_USER	65533

static void become(uid_t uid)
{
	igt_assert_eq(setgroups(0, NULL), 0);
	igt_assert_eq(setgid(uid), 0);
	igt_assert_eq(setuid(uid), 0);
}

/* As the user who calls this; any file of the card will do. */
static int open_render(const struct xetile_card *card)
{
	char *path = drmGetRenderDeviceNameFromFd(card->fd);
	int fd;

	igt_assert(path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	igt_assert_f(fd >= 0, "%s: %m\n", path);
	free(path);
	return fd;
}

/* Opens the card again and again, and takes what it gets: so many contexts. */
static unsigned int take_all(const struct xetile_card *card)
{
	unsigned int n = 0;
	uint32_t queue;
	int err;

	for (;;) {
		int fd = open_render(card);
		uint32_t vm = xetile_vm(fd);

		for (unsigned int i = 0; i < LIMIT / 2 - 1; i++) {
			err = try_queue(fd, vm, &queue);
			if (err) {
				igt_assert_eq(err, -EDQUOT);
				return n;
			}
			igt_assert_lte(++n, LIMIT);
		}
	}
}

static void test_user(const struct xetile_card *card)
{
	char *path = drmGetRenderDeviceNameFromFd(card->fd);
	unsigned int was;
	struct stat node;
	int taken[2], go[2], root;
	uint32_t queue, vm;
	char c;

	/* Whoever may use the card at all, for a moment. */
	igt_assert(path && !stat(path, &node) && !chmod(path, 0666));
	was = xetile_set_parameter("user_contexts", LIMIT);
	igt_assert_eq(pipe(taken), 0);
	igt_assert_eq(pipe(go), 0);
	igt_fork(greedy, 1) {
		close(go[1]);
		become(USER);
		igt_assert_eq_u32(take_all(card), LIMIT);
		igt_assert_eq(write(taken[1], "", 1), 1);
		/* until the others have seen it */
		igt_assert_eq(read(go[0], &c, 1), 0);
	}
	close(taken[1]);
	igt_assert_f(read(taken[0], &c, 1) == 1, "it did not get what it may have\n");
	igt_fork(other, 1) {
		int fd;

		become(OTHER_USER);
		fd = open_render(card);
		igt_assert_eq(try_queue(fd, xetile_vm(fd), &queue), 0);
	}
	/* Whom no limit is set for */
	root = xetile_reopen(card->fd);
	vm = xetile_vm(root);
	for (unsigned int i = 0; i < LIMIT + 1; i++)
		igt_assert_eq(try_queue(root, vm, &queue), 0);
	close(root);
	close(go[1]);
	igt_waitchildren();
	close(go[0]);
	close(taken[0]);

	/* All of it comes back. */
	igt_fork(again, 1) {
		int fd;

		become(USER);
		fd = open_render(card);
		xetile_assert_soon(!try_queue(fd, xetile_vm(fd), &queue));
	}
	igt_waitchildren();
	xetile_set_parameter("user_contexts", was);
	chmod(path, node.st_mode & 07777);
	free(path);
}

static uint64_t fdinfo_bytes(int fd, const char *key)
{
	char path[64], line[256], unit[8] = "";
	unsigned long long n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	igt_assert(f);
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, strlen(key)) || line[strlen(key)] != ':')
			continue;
		igt_assert_lte(1, sscanf(line + strlen(key) + 1, "%llu %7s", &n, unit));
		fclose(f);
		return n << (!strcmp(unit, "KiB") ? 10 : !strcmp(unit, "MiB") ? 20 : 0);
	}
	fclose(f);
	igt_assert_f(false, "fdinfo has no key %s\n", key);
}

/* --- a user's address spaces -------------------------------------------------------- */

static int try_vm(int fd, uint32_t *id)
{
	struct drm_xetile_vm_create args = { 0 };
	int err = xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_CREATE, &args);

	*id = args.vm_id;
	return err;
}

/* As many as a user may have, in two files; one that was destroyed goes with its last job. */
static void fill_vms(const struct xetile_card *card, int held, int taken, int go)
{
	int fd = open_render(card);
	uint32_t vm, queue, fence;
	char c;

	igt_assert_eq(try_vm(fd, &vm), 0);
	igt_assert_eq(drmSyncobjFDToHandle(fd, held, &fence), 0);
	igt_assert_eq(try_queue(fd, vm, &queue), 0);
	igt_assert_eq(wait_on(fd, queue, fence), 0);
	xetile_queue_destroy(fd, queue);
	xetile_vm_destroy(fd, vm);
	for (unsigned int i = 1; i < LIMIT; i++) {
		if (i == LIMIT / 2)
			fd = open_render(card);
		igt_assert_eq(try_vm(fd, &vm), 0);
	}
	igt_assert_eq(try_vm(fd, &vm), -EDQUOT);
	igt_assert_eq(write(taken, "", 1), 1);
	/* The others have seen it, and the job is done. */
	igt_assert_eq(read(go, &c, 1), 0);
	xetile_assert_soon(!try_vm(fd, &vm));
	igt_assert_eq(try_vm(fd, &vm), -EDQUOT);
}

/* A bind in a VM of its own that waits for a fence. */
static int try_bind_behind(int fd, uint32_t fence)
{
	struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_MAP_NULL, .addr = SZ_1G, .range = SZ_64K,
	};
	struct drm_xetile_sync in = { .handle = fence };
	uint32_t vm = xetile_vm(fd);
	int err = __xetile_vm_bind(fd, vm, &bind, 1, &in, 1);

	if (err)
		xetile_vm_destroy(fd, vm);
	return err;
}

static int try_fence(int fd, int held)
{
	uint32_t fence;
	int err;

	igt_assert_eq(drmSyncobjFDToHandle(fd, held, &fence), 0);
	err = try_bind_behind(fd, fence);
	drmSyncobjDestroy(fd, fence);
	return err;
}

/* Binds in two files wait for as many fences as a user's may; those that do not wait go on. */
static void fill_fences(const struct xetile_card *card, int held, int taken, int go)
{
	int fd = open_render(card), first = fd;
	uint32_t done = xetile_syncobj(fd);
	char c;

	for (unsigned int i = 0; i < LIMIT; i++) {
		if (i == LIMIT / 2)
			fd = open_render(card);
		igt_assert_eq(try_fence(fd, held), 0);
	}
	igt_assert_eq(try_fence(fd, held), -EDQUOT);
	igt_assert_eq(try_fence(first, held), -EDQUOT);
	igt_assert_eq(drmSyncobjSignal(first, &done, 1), 0);
	igt_assert_eq(try_bind_behind(first, done), 0);
	/* What a file gave up another one has. */
	close(first);
	for (unsigned int i = 0; i < LIMIT / 2; i++)
		xetile_assert_soon(!try_fence(fd, held));
	igt_assert_eq(try_fence(fd, held), -EDQUOT);
	igt_assert_eq(write(taken, "", 1), 1);
	/* until the others have seen it */
	igt_assert_eq(read(go, &c, 1), 0);
}

static int try_one_vm(int fd, int held)
{
	uint32_t vm;

	return try_vm(fd, &vm);
}

/* What all files of a user have together */
struct user_limit {
	const char *parameter;
	/* takes LIMIT, says so, and goes on when it is told */
	void (*fill)(const struct xetile_card *card, int held, int taken, int go);
	/* one of it */
	int (*try)(int fd, int held);
};

static const struct user_limit limit_vms = { "user_vms", fill_vms, try_one_vm };
static const struct user_limit limit_fences = { "user_fences", fill_fences, try_fence };

/* What a test that failed has left */
static struct {
	const char *parameter;
	unsigned int was;
	char *path;
	mode_t mode;
} limited;

static void limit_end(void)
{
	if (!limited.path)
		return;
	xetile_set_parameter(limited.parameter, limited.was);
	chmod(limited.path, limited.mode);
	free(limited.path);
	limited.path = NULL;
}

static void test_user_limit(const struct xetile_card *card, const struct user_limit *limit)
{
	char *path = drmGetRenderDeviceNameFromFd(card->fd);
	int taken[2], go[2], held, root;
	struct stat node;
	struct dam dam;
	char c;

	igt_assert(path && !stat(path, &node) && !chmod(path, 0666));
	limited.parameter = limit->parameter;
	limited.was = xetile_set_parameter(limit->parameter, LIMIT);
	limited.mode = node.st_mode & 07777;
	limited.path = path;
	dam_init(&dam, card->fd);
	igt_assert_eq(drmSyncobjHandleToFD(dam.job.fd, dam.job.syncobj, &held), 0);
	igt_assert_eq(pipe(taken), 0);
	igt_assert_eq(pipe(go), 0);
	igt_fork(greedy, 1) {
		close(go[1]);
		become(USER);
		limit->fill(card, held, taken[1], go[0]);
	}
	close(taken[1]);
	igt_assert_f(read(taken[0], &c, 1) == 1, "it did not get what it may have\n");
	igt_fork(other, 1) {
		become(OTHER_USER);
		igt_assert_eq(limit->try(open_render(card), held), 0);
	}
	/* Whom no limit is set for */
	root = xetile_reopen(card->fd);
	for (unsigned int i = 0; i < LIMIT + 1; i++)
		igt_assert_eq(limit->try(root, held), 0);
	close(root);
	dam_open(&dam);
	close(go[1]);
	igt_waitchildren();
	close(go[0]);
	close(taken[0]);
	close(held);
	dam_fini(&dam);
	limit_end();
}

/* --- a card's numbers --------------------------------------------------------------- */

/* The module beside the driver's that takes all numbers there are */
static int load_numbers(void)
{
	const char *module = getenv("XETILE_MODULE");
	char path[PATH_MAX], card[80];
	int fd, err;

	igt_require_f(module && strrchr(module, '/'), "XETILE_MODULE does not name the module\n");
	snprintf(path, sizeof(path), "%.*s/xetile_numbers.ko",
		 (int)(strrchr(module, '/') - module), module);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	igt_require_f(fd >= 0, "there is no %s: a kernel without KUnit\n", path);
	memcpy(card, "card=", 5);
	xetile_bound_card(card + 5, sizeof(card) - 5);
	err = syscall(SYS_finit_module, fd, card, 0) ? -errno : 0;
	close(fd);
	return err;
}

static int try_compute(int fd, uint32_t vm, uint32_t target, uint32_t *id)
{
	struct drm_xetile_queue_create args = {
		.vm_id = vm, .engine_class = DRM_XETILE_ENGINE_COMPUTE, .target = target,
	};
	int err = __xetile_queue_create(fd, &args);

	*id = args.queue_id;
	return err;
}

/* Nobody gets what is not there, the next one what somebody gave up, and no more than that. */
static void test_numbers(const struct xetile_card *card)
{
	int fd = xetile_reopen(card->fd), other = xetile_reopen(card->fd);
	uint32_t vm = xetile_vm(fd), gone = xetile_vm(fd), next = xetile_vm(other);
	uint32_t queue = copy_queue(fd, vm), id;
	int err;

	err = load_numbers();
	igt_assert_eq(err, 0);
	igt_assert_eq(try_vm(other, &id), -ENOBUFS);
	xetile_vm_destroy(fd, gone);
	xetile_assert_soon(!try_vm(other, &id));
	igt_assert_eq(try_vm(fd, &gone), -ENOBUFS);

	igt_assert_eq(try_queue(other, next, &id), -ENOBUFS);
	xetile_queue_destroy(fd, queue);
	xetile_assert_soon(!try_queue(other, next, &queue));
	igt_assert_eq(try_queue(fd, vm, &id), -ENOBUFS);
	xetile_queue_destroy(other, queue);
	/* A queue on all tiles, which gets one number, gives it back. */
	if (card->device.num_tiles > 1)
		igt_assert_eq(try_compute(fd, vm, DRM_XETILE_TARGET_ROOT, &id), -ENOBUFS);
	xetile_assert_soon(!try_queue(fd, vm, &queue));
	igt_assert_eq(try_queue(other, next, &id), -ENOBUFS);

	igt_assert_eq(syscall(SYS_delete_module, "xetile_numbers", O_NONBLOCK), 0);
	igt_assert_eq(try_vm(fd, &id), 0);
	igt_assert_eq(try_compute(fd, id, DRM_XETILE_TARGET_ROOT, &queue), 0);
	close(other);
	close(fd);
	check_others(card->fd);
}

/* --- a user's page tables ---------------------------------------------------------- */

#define PINNED_MIB	8u
#define AT_ONCE		50u

static int bind_lone(int fd, uint32_t vm, uint64_t first, unsigned int n)
{
	struct drm_xetile_bind binds[AT_ONCE];

	for (unsigned int i = 0; i < n; i++)
		binds[i] = (struct drm_xetile_bind) {
			.op = DRM_XETILE_BIND_MAP_NULL, .range = SZ_64K,
			.addr = (first + i + 1) * SZ_1G,
		};
	return __xetile_vm_bind(fd, vm, binds, n, NULL, 0);
}

/*
 * Lone pages until there are no tables for another one; how many.  A call that fails gives
 * back what it took.
 */
static unsigned int bind_all(int fd, uint32_t vm)
{
	uint64_t before, part = PINNED_MIB << 20;
	unsigned int n = 0;

	for (unsigned int step = AT_ONCE; step; step = step == 1 ? 0 : 1) {
		int err;

		do {
			before = fdinfo_bytes(fd, "drm-total-hbm0");
			err = bind_lone(fd, vm, n, step);
			n += err ? 0 : step;
		} while (!err);
		igt_assert_eq(err, -EDQUOT);
		igt_assert_eq_u64(fdinfo_bytes(fd, "drm-total-hbm0"), before);
		igt_assert_lte_u64(before, part);
	}
	/* There are two for each. */
	igt_assert_lte_u64(part, before + SZ_4K);
	return n;
}

/* Nothing that needs a table or a context is left, in whatever file. */
static void check_none_left(const struct xetile_card *card, int fd, uint32_t vm)
{
	uint32_t queue;
	int err;

	igt_assert_eq(try_queue(fd, vm, &queue), -EDQUOT);
	fd = open_render(card);
	/* At most one table may be left. */
	err = try_vm(fd, &vm);
	if (!err)
		err = try_vm(fd, &vm);
	igt_assert_eq(err, -EDQUOT);
	close(fd);
}

/*
 * Tables until HBM has no room for another one; all of it is given back, too.  Others with
 * little have room.
 */
static void run_out(const struct xetile_card *card, int taken, int go)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];
	int fd = open_render(card), err;
	uint32_t vm = xetile_vm(fd);
	uint64_t before;
	char c;

	/* Buffers leave free what is kept for page tables. */
	xetile_query_tiles(fd, tiles);
	for (unsigned int t = 0; t < card->device.num_tiles; t++)
		xetile_bo_color(fd, (tiles[t].hbm_total - tiles[t].hbm_used) / SZ_2M * SZ_2M - SZ_2M,
				DRM_XETILE_COLOR_TILE, 1u << t, 0);
	for (unsigned int n = 0; ; n += AT_ONCE) {
		before = fdinfo_bytes(fd, "drm-total-hbm0");
		err = bind_lone(fd, vm, n, AT_ONCE);
		if (err)
			break;
	}
	igt_assert_eq(err, -ENOSPC);
	igt_assert_eq_u64(fdinfo_bytes(fd, "drm-total-hbm0"), before);
	igt_assert_eq(write(taken, "", 1), 1);
	igt_assert_eq(read(go, &c, 1), 1);
	xetile_vm_destroy(fd, vm);
	close(fd);
}

static void fill_user(const struct xetile_card *card, int taken, int go)
{
	uint32_t vm, queue;
	unsigned int n;
	char c;
	int fd;

	run_out(card, taken, go);
	igt_assert_eq(write(taken, "", 1), 1);
	/* There is a limit now. */
	igt_assert_eq(read(go, &c, 1), 1);
	fd = open_render(card);
	vm = xetile_vm(fd);
	n = bind_all(fd, vm);
	check_none_left(card, fd, vm);
	/* What it has goes on, and what it gives up it gets again, to the last table. */
	xetile_vm_unmap(fd, vm, SZ_1G, SZ_64K);
	xetile_vm_destroy(fd, vm);
	xetile_assert_soon(!fdinfo_bytes(fd, "drm-total-hbm0"));
	vm = xetile_vm(fd);
	igt_assert_eq(try_queue(fd, vm, &queue), 0);
	xetile_queue_destroy(fd, queue);
	xetile_assert_soon(fdinfo_bytes(fd, "drm-total-hbm0") == SZ_4K);
	igt_assert_eq_u32(bind_all(fd, vm), n);
	igt_assert_eq(write(taken, "", 1), 1);
	/* until the others have seen it */
	igt_assert_eq(read(go, &c, 1), 0);
}

/* Another user has tables, and a context. */
static void check_other(const struct xetile_card *card)
{
	pid_t pid = fork();
	int status;

	igt_assert_lte(0, pid);
	if (!pid) {
		uint32_t vm, queue;
		int fd, err;

		become(OTHER_USER);
		fd = open_render(card);
		err = try_vm(fd, &vm) ?: bind_lone(fd, vm, 0, AT_ONCE) ?: try_queue(fd, vm, &queue);
		_exit(-err);
	}
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert_f(WIFEXITED(status), "it was killed\n");
	igt_assert_eq(-WEXITSTATUS(status), 0);
}

static void test_tables(const struct xetile_card *card)
{
	char *path = drmGetRenderDeviceNameFromFd(card->fd);
	uint64_t used = xetile_hbm_used(card->fd), clients = xetile_hbm_of_clients(card->fd);
	unsigned int was;
	struct stat node;
	int taken[2], go[2], root;
	uint32_t vm;
	char c;

	igt_assert(path && !stat(path, &node) && !chmod(path, 0666));
	was = xetile_set_parameter("user_pinned", UINT_MAX);
	igt_assert_eq(pipe(taken), 0);
	igt_assert_eq(pipe(go), 0);
	igt_fork(greedy, 1) {
		close(go[1]);
		become(USER);
		fill_user(card, taken[1], go[0]);
	}
	close(taken[1]);
	igt_assert_f(read(taken[0], &c, 1) == 1, "it did not get all there is\n");
	check_other(card);
	igt_assert_eq(write(go[1], "", 1), 1);
	igt_assert_f(read(taken[0], &c, 1) == 1, "it did not give it back\n");
	xetile_wait_hbm_of_clients(card->fd, clients);
	igt_assert(xetile_hbm_comes_back(card->fd, used));
	xetile_set_parameter("user_pinned", PINNED_MIB);
	igt_assert_eq(write(go[1], "", 1), 1);
	igt_assert_f(read(taken[0], &c, 1) == 1, "it did not get what it may have\n");
	check_other(card);
	/* Whom no limit is set for */
	root = xetile_reopen(card->fd);
	vm = xetile_vm(root);
	for (unsigned int i = 0; i < PINNED_MIB << 20 >> 12; i += AT_ONCE)
		igt_assert_eq(bind_lone(root, vm, i, AT_ONCE), 0);
	close(root);
	close(go[1]);
	igt_waitchildren();
	close(go[0]);
	close(taken[0]);
	xetile_wait_hbm_of_clients(card->fd, clients);
	igt_assert(xetile_hbm_comes_back(card->fd, used));
	xetile_set_parameter("user_pinned", was);
	chmod(path, node.st_mode & 07777);
	free(path);
}

/* --- memory ---------------------------------------------------------------------- */

#define LONE	64u

/* Contexts and page tables are memory of the file's own. */
static void test_fdinfo(const struct xetile_card *card)
{
	int fd = xetile_reopen(card->fd);
	uint32_t vm, queue, bo = xetile_bo(fd, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	uint64_t roots, tables, context;

	igt_assert_eq_u64(fdinfo_bytes(fd, "drm-total-hbm0"), 0);
	igt_assert_eq_u64(fdinfo_bytes(fd, "drm-total-system"), SZ_64K);

	vm = xetile_vm(fd);
	roots = fdinfo_bytes(fd, "drm-resident-hbm0");
	igt_assert_eq_u64(roots, SZ_4K);
	if (card->device.num_tiles > 1)
		igt_assert_eq_u64(fdinfo_bytes(fd, "drm-total-hbm1"), SZ_4K);

	/* Each needs a table of its own on each tile. */
	for (uint64_t i = 1; i <= LONE; i++)
		xetile_vm_map(fd, vm, bo, 0, i << 30, SZ_64K);
	tables = fdinfo_bytes(fd, "drm-resident-hbm0") - roots;
	igt_assert_lte_u64(LONE * SZ_4K, tables);
	if (card->device.num_tiles > 1)
		igt_assert_eq_u64(fdinfo_bytes(fd, "drm-total-hbm1"), roots + tables);

	queue = copy_queue(fd, vm);
	context = fdinfo_bytes(fd, "drm-total-hbm0") - roots - tables;
	/* its ring and its registers */
	igt_assert_lte_u64(SZ_64K / 2, context);
	igt_assert_eq_u64(fdinfo_bytes(fd, "drm-total-system"), SZ_64K + SZ_4K);
	/* It is nobody else's. */
	igt_assert_eq_u64(fdinfo_bytes(fd, "drm-shared-hbm0"), 0);

	xetile_queue_destroy(fd, queue);
	xetile_assert_soon(fdinfo_bytes(fd, "drm-total-hbm0") == roots + tables);
	xetile_assert_soon(fdinfo_bytes(fd, "drm-total-system") == SZ_64K);
	xetile_vm_destroy(fd, vm);
	xetile_assert_soon(!fdinfo_bytes(fd, "drm-total-hbm0"));
	xetile_bo_close(fd, bo);
	igt_assert_eq_u64(fdinfo_bytes(fd, "drm-total-system"), 0);
	close(fd);
}

/* --- control groups --------------------------------------------------------------- */

#define GROUPS		"/tmp/xetile-groups"
#define GROUP		GROUPS "/client"
#define GROUP_MAX	(32ull << 20)
#define PIECE		(4ull << 20)

static bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

/* A group that counts what @controller counts, with the limit @max in @file */
static void group_begin(const char *controller, const char *file, const char *max)
{
	char path[96], text[32];

	mkdir(GROUPS, 0700);
	igt_require_f(!mount("none", GROUPS, "cgroup2", 0, NULL), "no control groups\n");
	mkdir(GROUP, 0700);
	snprintf(text, sizeof(text), "+%s", controller);
	snprintf(path, sizeof(path), GROUP "/%s", file);
	igt_require_f(write_file(GROUPS "/cgroup.subtree_control", text) &&
		      !access(path, W_OK), "the kernel has no control group for %s\n",
		      controller);
	igt_assert(write_file(path, max));
}

static void group_end(void)
{
	if (!access(GROUP, F_OK))
		xetile_assert_soon(!rmdir(GROUP));
	if (!access(GROUPS "/cgroup.procs", F_OK))
		igt_assert(!umount(GROUPS));
	rmdir(GROUPS);
}

/* How many pieces a member of the group gets, and how the next one fails */
static unsigned int take_pieces(const struct xetile_card *card, uint32_t placement, int *err)
{
	struct drm_xetile_bo_create args;
	unsigned int n = 0;
	int fd;

	igt_assert(write_file(GROUP "/cgroup.procs", "0"));
	fd = xetile_reopen(card->fd);
	do {
		args = (struct drm_xetile_bo_create) {
			.size = PIECE, .placement = placement,
		};
		*err = __xetile_bo_create(fd, &args);
	} while (!*err && ++n < 2 * GROUP_MAX / PIECE);
	close(fd);
	return n;
}

/* Pages of BOs are at the expense of who makes them, up to the limit of its group. */
static void test_memory_group(const struct xetile_card *card)
{
	char max[24];

	snprintf(max, sizeof(max), "%llu", GROUP_MAX);
	group_begin("memory", "memory.max", max);
	igt_fork(child, 1) {
		unsigned int n;
		int err;

		n = take_pieces(card, DRM_XETILE_PLACE_SYSTEM, &err);
		igt_assert_eq(err, -ENOMEM);
		igt_assert_lte(1, n);
		igt_assert_lte(n, GROUP_MAX / PIECE);
	}
	igt_waitchildren();
	/* Others are not hurt. */
	for (unsigned int i = 0; i < 2 * GROUP_MAX / PIECE; i++) {
		uint32_t bo = xetile_bo(card->fd, PIECE, DRM_XETILE_PLACE_SYSTEM);

		xetile_bo_close(card->fd, bo);
	}
}

#define HELD		(3 * GROUP_MAX)
#define WORDS		0x600d0000u

/* More HBM than its group may have of memory, until @stop ends; then it looks for it. */
static void hold_hbm(const struct xetile_card *card, int ready, int stop)
{
	int fd;
	uint32_t *maps[HELD / PIECE];
	char c;

	igt_assert(write_file(GROUP "/cgroup.procs", "0"));
	fd = xetile_reopen(card->fd);
	for (unsigned int i = 0; i < HELD / PIECE; i++) {
		maps[i] = xetile_bo_map(fd, xetile_bo_color(fd, PIECE, DRM_XETILE_COLOR_TILE, 1, 0),
					PIECE);
		maps[i][PIECE / 4 - 1] = WORDS + i;
	}
	igt_assert_eq(write(ready, "", 1), 1);
	igt_assert_eq(read(stop, &c, 1), 0);
	for (unsigned int i = 0; i < HELD / PIECE; i++)
		igt_assert_eq_u32(maps[i][PIECE / 4 - 1], WORDS + i);
}

/* Who cannot pay for the system memory it is evicted to does not keep the HBM. */
static void test_evicted_group(const struct xetile_card *card)
{
	struct drm_xetile_bo_create args = {
		.size = (card->tiles[0].hbm_total - HELD / 2) / SZ_2M * SZ_2M,
		.placement = DRM_XETILE_PLACE_HBM, .flags = DRM_XETILE_BO_STRICT,
		.color = DRM_XETILE_COLOR_TILE, .tile_mask = 1,
	};
	int ready[2], stop[2];
	char max[24], c;

	snprintf(max, sizeof(max), "%llu", GROUP_MAX);
	group_begin("memory", "memory.max", max);
	igt_assert_eq(pipe(ready), 0);
	igt_assert_eq(pipe(stop), 0);
	igt_fork(child, 1) {
		close(stop[1]);
		hold_hbm(card, ready[1], stop[0]);
	}
	close(ready[1]);
	igt_assert_eq(read(ready[0], &c, 1), 1);
	igt_assert_eq(__xetile_bo_create(card->fd, &args), 0);
	xetile_bo_close(card->fd, args.handle);
	close(stop[1]);
	igt_waitchildren();
	close(stop[0]);
	close(ready[0]);
}

/* What a file of @group says of a tile's HBM, which has the name in @region after it */
static unsigned long long dmem_value(const char *path, unsigned int tile, char *region)
{
	unsigned long long value = 0;
	char line[256], name[16];
	bool found = false;
	FILE *file = fopen(path, "re");

	igt_assert_f(file, "%s: %m\n", path);
	snprintf(name, sizeof(name), "/hbm%u ", tile);
	while (!found && fgets(line, sizeof(line), file))
		found = strstr(line, name) && sscanf(line, "%127s %llu", region, &value) == 2;
	fclose(file);
	igt_assert_f(found, "%s: no region is called hbm%u\n", path, tile);
	return value;
}

static unsigned long long dmem_current(unsigned int tile)
{
	char region[128];

	return dmem_value(GROUP "/dmem.current", tile, region);
}

#define PIECES		(GROUP_MAX / PIECE)

/* A buffer on tiles of @tile_mask, in equal parts, as far as there is a group to pay for it */
static int take_piece(int fd, uint64_t size, uint32_t tile_mask, uint32_t placement,
		      uint32_t *bo)
{
	struct drm_xetile_bo_create args = {
		.size = size, .placement = placement, .flags = DRM_XETILE_BO_STRICT,
		.color = DRM_XETILE_COLOR_EVEN, .tile_mask = tile_mask,
	};
	int err = __xetile_bo_create(fd, &args);

	*bo = args.handle;
	return err;
}

/* Each tile up to the group's limit there, which is no matter of the other tiles */
static void fill_group(int fd, unsigned int num_tiles, uint32_t bos[][PIECES])
{
	uint32_t bo;

	for (unsigned int t = 0; t < num_tiles; t++) {
		for (unsigned int i = 0; i < PIECES; i++) {
			igt_assert_eq(take_piece(fd, PIECE, 1u << t, DRM_XETILE_PLACE_HBM,
						 &bos[t][i]), 0);
			igt_assert_eq_u64(dmem_current(t), (i + 1) * PIECE);
		}
		igt_assert_eq(take_piece(fd, PIECE, 1u << t, DRM_XETILE_PLACE_HBM, &bo), -ENOSPC);
		igt_assert_eq_u64(dmem_current(t), GROUP_MAX);
		if (t + 1 < num_tiles)
			igt_assert_eq_u64(dmem_current(t + 1), 0);
	}
}

/* What finds its share paid for on one tile only has nothing there either. */
static void share_group(int fd, unsigned int num_tiles, uint32_t bos[][PIECES])
{
	uint32_t all = (1u << num_tiles) - 1, shared;

	for (unsigned int t = 0; t < num_tiles; t++) {
		igt_assert_eq(take_piece(fd, num_tiles * PIECE, all, DRM_XETILE_PLACE_HBM, &shared),
			      -ENOSPC);
		for (unsigned int other = 0; other < t; other++)
			igt_assert_eq_u64(dmem_current(other), GROUP_MAX - PIECE);
		xetile_bo_close(fd, bos[t][0]);
		xetile_assert_soon(dmem_current(t) == GROUP_MAX - PIECE);
	}
	igt_assert_eq(take_piece(fd, num_tiles * PIECE, all, DRM_XETILE_PLACE_HBM, &shared), 0);
	for (unsigned int t = 0; t < num_tiles; t++)
		igt_assert_eq_u64(dmem_current(t), GROUP_MAX);
}

/* A member of the group; says so when it has all that it may, and again when it has ended */
static void use_group(const struct xetile_card *card, int ready, int go)
{
	unsigned int num_tiles = card->device.num_tiles;
	uint32_t bos[DRM_XETILE_MAX_TILES][PIECES], vm, bo;
	struct drm_xetile_color_run run;
	char c;
	int fd;

	igt_assert(write_file(GROUP "/cgroup.procs", "0"));
	fd = xetile_reopen(card->fd);
	fill_group(fd, num_tiles, bos);
	share_group(fd, num_tiles, bos);
	/* Where it may it goes to system memory. */
	igt_assert_eq(take_piece(fd, PIECE, 1, DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM,
				 &bo), 0);
	igt_assert_eq(xetile_bo_runs(fd, bo, &run, 1), 1);
	igt_assert_eq_u32(run.tile, DRM_XETILE_MEM_SYSTEM);
	igt_assert_eq(write(ready, "", 1), 1);

	/* What was evicted is not paid for, and who has it back pays again. */
	igt_assert_eq(read(go, &c, 1), 1);
	for (unsigned int t = 0; t < num_tiles; t++)
		xetile_assert_soon(!dmem_current(t));
	vm = xetile_vm(fd);
	xetile_vm_map(fd, vm, bos[0][1], 0, SZ_1G, PIECE);
	igt_assert_eq_u64(dmem_current(0), PIECE);
	close(fd);
}

/* HBM is, too, where the kernel has a group for it: by tile, and nobody else is hurt. */
static void test_hbm_group(const struct xetile_card *card)
{
	uint32_t other = xetile_bo(card->fd, 2 * GROUP_MAX, DRM_XETILE_PLACE_HBM);
	struct drm_xetile_color_run run;
	int ready[2], go[2];
	char c;

	group_begin("dmem", "dmem.max", "");
	for (unsigned int t = 0; t < card->device.num_tiles; t++) {
		char region[128], max[192];

		igt_assert_eq_u64(dmem_value(GROUPS "/dmem.capacity", t, region),
				  card->tiles[t].hbm_total);
		snprintf(max, sizeof(max), "%s %llu", region, GROUP_MAX);
		igt_assert(write_file(GROUP "/dmem.max", max));
	}
	igt_assert_eq(pipe(ready), 0);
	igt_assert_eq(pipe(go), 0);
	igt_fork(child, 1) {
		close(go[1]);
		use_group(card, ready[1], go[0]);
	}
	close(ready[1]);
	igt_assert_eq(read(ready[0], &c, 1), 1);
	/* Nothing was evicted for those who may not have more. */
	igt_assert_lte(1, xetile_bo_runs(card->fd, other, &run, 1));
	igt_assert_eq_u32(run.tile, 0);
	xetile_evict_all(card->fd);
	igt_assert_eq(write(go[1], "", 1), 1);
	igt_waitchildren();
	for (unsigned int t = 0; t < card->device.num_tiles; t++)
		xetile_assert_soon(!dmem_current(t));
	close(go[0]);
	close(go[1]);
	close(ready[0]);
	xetile_bo_close(card->fd, other);
	xetile_bo_close(card->fd, xetile_bo(card->fd, 2 * GROUP_MAX, DRM_XETILE_PLACE_HBM));
}

/* --- the shrinker ---------------------------------------------------------------- */

#define ZRAM		"/sys/block/zram0/"
#define SWAP_BYTES	(128u << 20)
#define BUFS		16u
#define BUF_BYTES	(SZ_64K * 4)

/* A disk in memory, as swap: what mkswap would write is one page. */
static void swap_begin(void)
{
	struct {
		char boot[1024];
		uint32_t version, last_page, bad_pages, rest[765];
	} header = { .version = 1, .last_page = SWAP_BYTES / SZ_4K - 1 };
	char text[32];
	int fd;

	_Static_assert(sizeof(header) == 4096, "a page");
	memcpy((char *)&header + 4086, "SWAPSPACE2", 10);
	snprintf(text, sizeof(text), "%u", SWAP_BYTES);
	igt_require_f(!system("modprobe zram") && write_file(ZRAM "disksize", text),
		      "there is no zram to swap to\n");
	fd = open("/dev/zram0", O_WRONLY | O_CLOEXEC);
	igt_assert(fd >= 0);
	igt_assert_eq(write(fd, &header, sizeof(header)), sizeof(header));
	close(fd);
	igt_assert_f(!swapon("/dev/zram0", 0), "swapon: %m\n");
}

static void swap_end(void)
{
	igt_assert_f(!swapoff("/dev/zram0"), "swapoff: %m\n");
	xetile_assert_soon(write_file(ZRAM "reset", "1"));
}

static uint32_t pattern(unsigned int buf, unsigned int i)
{
	return (buf + 1) * 0x01000193u + i * 0x9e3779b1u;
}

static bool is_pattern(const uint32_t *map, unsigned int buf)
{
	for (unsigned int i = 0; i < BUF_BYTES / 4; i++)
		if (map[i] != pattern(buf, i))
			return false;
	return true;
}

/* Pages that idle buffers gave back since @before */
static bool shrinks(const struct xetile_card *card, uint64_t before, uint64_t pages)
{
	igt_assert(write_file("/proc/sys/vm/drop_caches", "2"));
	return xetile_debugfs_sum(card->fd, "sysmem", "swapped") >= before + pages;
}

static void test_shrink(const struct xetile_card *card)
{
	int fd = xetile_reopen(card->fd);
	uint32_t vm = xetile_vm(fd), queue;
	struct xetile_buf bufs[BUFS], batch, copy;
	struct xetile_batch b;
	uint64_t before;
	struct dam busy;

	swap_begin();
	dam_init(&busy, card->fd);
	queue = copy_queue(fd, vm);
	xetile_buf_init(&batch, fd, vm, SZ_1G, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	xetile_buf_init(&copy, fd, vm, 2 * SZ_1G, BUF_BYTES, DRM_XETILE_PLACE_HBM);
	for (unsigned int n = 0; n < BUFS; n++) {
		xetile_buf_init(&bufs[n], fd, vm, (3 + n) * SZ_1G, BUF_BYTES,
				DRM_XETILE_PLACE_SYSTEM);
		for (unsigned int i = 0; i < BUF_BYTES / 4; i++)
			bufs[n].map[i] = pattern(n, i);
	}

	before = xetile_debugfs_sum(card->fd, "sysmem", "swapped");
	xetile_assert_soon(shrinks(card, before, BUFS * BUF_BYTES / SZ_4K));
	/* What a job uses stays. */
	igt_assert_lte_u64(SZ_64K / SZ_4K, xetile_debugfs_sum(card->fd, "sysmem", "pages"));

	/* All of it is there for the engines, the batch as well; each is touched by one. */
	for (unsigned int n = 0; n < BUFS / 2; n++) {
		batch_begin(&b, &batch, 0);
		batch_mem_copy(&b, copy.addr, bufs[n].addr, BUF_BYTES);
		batch_end(&b);
		xetile_run(fd, queue, batch_addr(&b));
		igt_assert_f(is_pattern(copy.map, n), "buffer %u, by the engine\n", n);
	}
	/* And for the processor. */
	xetile_assert_soon(shrinks(card, before, BUFS * BUF_BYTES / SZ_4K * 3 / 2));
	for (unsigned int n = 0; n < BUFS; n++)
		igt_assert_f(is_pattern(bufs[n].map, n), "buffer %u, by the processor\n", n);

	dam_open(&busy);
	dam_fini(&busy);
	close(fd);
	for (unsigned int n = 0; n < BUFS; n++)
		munmap(bufs[n].map, BUF_BYTES);
	munmap(batch.map, SZ_64K);
	munmap(copy.map, BUF_BYTES);
	swap_end();
}

/* Who has a buffer made pays for the copy, whoever's call needs its memory. */
static void test_shrink_group(const struct xetile_card *card)
{
	uint64_t before = xetile_debugfs_sum(card->fd, "sysmem", "swapped");
	int ready[2], stop[2];
	char c;

	swap_begin();
	memcg_init();
	igt_assert_eq(pipe(ready), 0);
	igt_assert_eq(pipe(stop), 0);
	igt_fork(child, 1) {
		int fd;

		close(stop[1]);
		memcg_enter();
		fd = xetile_reopen(card->fd);
		for (unsigned int n = 0; n < BUFS; n++)
			xetile_bo(fd, BUF_BYTES, DRM_XETILE_PLACE_SYSTEM);
		igt_assert_eq(write(ready[1], "", 1), 1);
		igt_assert_eq(read(stop[0], &c, 1), 0);
	}
	close(ready[1]);
	igt_assert_eq(read(ready[0], &c, 1), 1);
	xetile_assert_soon(shrinks(card, before, BUFS * BUF_BYTES / SZ_4K));
	igt_assert_lte_u64(BUFS * BUF_BYTES, memcg_bytes("stat", "shmem"));
	close(stop[1]);
	igt_waitchildren();
	close(stop[0]);
	close(ready[0]);
	memcg_fini();
	swap_end();
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	igt_describe("Queues that were destroyed count until their jobs are done");
	igt_subtest("queues")
		test_queues(&card);
	igt_describe("A file has so many batches and binds that wait, and others go on");
	igt_subtest("jobs")
		test_jobs(&card);
	igt_describe("A user has so many contexts, in however many files");
	igt_subtest("user")
		test_user(&card);
	igt_describe("A user has so many address spaces, in however many files");
	igt_subtest("vms")
		test_user_limit(&card, &limit_vms);
	igt_fixture
		limit_end();
	igt_describe("Binds of a user wait for so many fences, in however many files");
	igt_subtest("fences")
		test_user_limit(&card, &limit_fences);
	igt_fixture
		limit_end();
	igt_describe("A card that has no numbers left says so, and gives those it gets back");
	igt_subtest("numbers")
		test_numbers(&card);
	igt_fixture {
		/* of a test that failed */
		syscall(SYS_delete_module, "xetile_numbers", O_NONBLOCK);
	}
	igt_describe("A user has so much HBM for page tables and contexts, and others have theirs");
	igt_subtest("tables")
		test_tables(&card);
	igt_describe("fdinfo counts contexts and page tables");
	igt_subtest("fdinfo")
		test_fdinfo(&card);
	igt_describe("Idle buffers give their pages back, and have them when they are wanted");
	igt_subtest("shrink")
		test_shrink(&card);
	igt_describe("What buffers give back is copied at the expense of who made them");
	igt_subtest("shrink-group")
		test_shrink_group(&card);

	igt_describe("System memory of BOs is charged to the group of who makes them");
	igt_subtest("memory-group")
		test_memory_group(&card);
	igt_fixture
		group_end();
	igt_describe("HBM is given up, whatever the group that has it can pay");
	igt_subtest("evicted-group")
		test_evicted_group(&card);
	igt_fixture
		group_end();
	igt_describe("HBM of BOs is charged by tile, and has a limit for each");
	igt_subtest("hbm-group")
		test_hbm_group(&card);
	igt_fixture
		group_end();

	igt_fixture
		close(card.fd);
}
