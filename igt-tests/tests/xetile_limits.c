// SPDX-License-Identifier: MIT
/*
 * Limits of one client: a file's queues and jobs, a user's contexts, address spaces, fences and page
 * tables; and a card that has no ids left.
 * Statements: W21.
 *
 * suite: once
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_job.h"
#include "xetile_privilege.h"

IGT_TEST_DESCRIPTION("Limits of what a client may have");

#define FILE_MAX_QUEUES	1024u
#define FILE_MAX_JOBS	16384u

/* Asserts that jobs of another file end well, although engines stay busy. */
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

/* Submits a call without a batch that waits for a fence. */
static int wait_on(int fd, uint32_t queue, uint32_t fence)
{
	struct drm_xetile_sync sync = { .handle = fence };
	struct drm_xetile_exec args = {
		.queue_id = queue, .syncs = XETILE_ARRAY(&sync, 1),
	};

	return xetile_ioctl(fd, DRM_IOCTL_XETILE_EXEC, &args);
}

/*
 * A queue that was destroyed lives until its jobs are done, and counts towards the limit until
 * then.
 */
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
	/* Other files are not limited by that. */
	check_others(card->fd);

	dam_open(&dam);
	xetile_assert_soon(!try_queue(fd, vm, &queue));
	dam_fini(&dam);
	close(fd);
}

#define QUEUES		5
#define BINDS		64u

/* Waiting batches and binds count together, over all queues and VMs of a file. */
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
		queues[i] = xetile_copy_queue(fd, vm);
	for (unsigned int i = 0; i < FILE_MAX_JOBS - BINDS; i++)
		igt_assert_eq(wait_on(fd, queues[i % QUEUES], in.handle), 0);
	for (unsigned int i = 0; i < BINDS; i++)
		igt_assert_eq(__xetile_vm_bind(fd, vm, &bind, 1, &in, 1), 0);
	igt_assert_eq(__xetile_vm_bind(fd, vm, &bind, 1, &in, 1), -EDQUOT);
	igt_assert_eq(wait_on(fd, queues[0], in.handle), -EDQUOT);

	/* Other files are not limited by that. */
	check_others(card->fd);
	vm = xetile_vm(other);
	in.handle = dam_fence(&dam, other);
	igt_assert_eq(__xetile_vm_bind(other, vm, &bind, 1, &in, 1), 0);
	igt_assert_eq(wait_on(other, xetile_copy_queue(other, vm), in.handle), 0);

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

/*
 * Opens the card again and again, and creates queues until the user's limit. Returns their number.
 */
static unsigned int take_all(const struct xetile_card *card)
{
	unsigned int n = 0;
	uint32_t queue;
	int err;

	for (;;) {
		int fd = privilege_open_render(card->fd);
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

	/* Every user may open the card until the end of the test. */
	igt_assert(path && !stat(path, &node) && !chmod(path, 0666));
	was = xetile_set_parameter("user_contexts", LIMIT);
	igt_assert_eq(pipe(taken), 0);
	igt_assert_eq(pipe(go), 0);
	igt_fork(greedy, 1) {
		close(go[1]);
		privilege_become(USER);
		igt_assert_eq_u32(take_all(card), LIMIT);
		igt_assert_eq(write(taken[1], "", 1), 1);
		/* until the other users have been checked */
		igt_assert_eq(read(go[0], &c, 1), 0);
	}
	close(taken[1]);
	igt_assert_f(read(taken[0], &c, 1) == 1, "the greedy user did not reach its limit\n");
	igt_fork(other, 1) {
		int fd;

		privilege_become(OTHER_USER);
		fd = privilege_open_render(card->fd);
		igt_assert_eq(try_queue(fd, xetile_vm(fd), &queue), 0);
	}
	/* Root has no limit. */
	root = xetile_reopen(card->fd);
	vm = xetile_vm(root);
	for (unsigned int i = 0; i < LIMIT + 1; i++)
		igt_assert_eq(try_queue(root, vm, &queue), 0);
	close(root);
	close(go[1]);
	igt_waitchildren();
	close(go[0]);
	close(taken[0]);

	/* All contexts come back. */
	igt_fork(again, 1) {
		int fd;

		privilege_become(USER);
		fd = privilege_open_render(card->fd);
		xetile_assert_soon(!try_queue(fd, xetile_vm(fd), &queue));
	}
	igt_waitchildren();
	xetile_set_parameter("user_contexts", was);
	chmod(path, node.st_mode & 07777);
	free(path);
}

/* --- a user's address spaces -------------------------------------------------------- */

static int try_vm(int fd, uint32_t *id)
{
	struct drm_xetile_vm_create args = { 0 };
	int err = xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_CREATE, &args);

	*id = args.vm_id;
	return err;
}

/*
 * Takes as many VMs as a user may have, in two files. A VM that was destroyed counts until its last
 * job is done.
 */
static void fill_vms(const struct xetile_card *card, int held, int taken, int go)
{
	int fd = privilege_open_render(card->fd);
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
			fd = privilege_open_render(card->fd);
		igt_assert_eq(try_vm(fd, &vm), 0);
	}
	igt_assert_eq(try_vm(fd, &vm), -EDQUOT);
	igt_assert_eq(write(taken, "", 1), 1);
	/* The other users have been checked, and the job is done. */
	igt_assert_eq(read(go, &c, 1), 0);
	xetile_assert_soon(!try_vm(fd, &vm));
	igt_assert_eq(try_vm(fd, &vm), -EDQUOT);
}

/* Submits a bind, in a VM of its own, that waits for a fence. */
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

/*
 * Binds of two files wait for as many fences as the user's binds may. A bind without a pending
 * fence is not limited.
 */
static void fill_fences(const struct xetile_card *card, int held, int taken, int go)
{
	int fd = privilege_open_render(card->fd), first = fd;
	uint32_t done = xetile_syncobj(fd);
	char c;

	for (unsigned int i = 0; i < LIMIT; i++) {
		if (i == LIMIT / 2)
			fd = privilege_open_render(card->fd);
		igt_assert_eq(try_fence(fd, held), 0);
	}
	igt_assert_eq(try_fence(fd, held), -EDQUOT);
	igt_assert_eq(try_fence(first, held), -EDQUOT);
	igt_assert_eq(drmSyncobjSignal(first, &done, 1), 0);
	igt_assert_eq(try_bind_behind(first, done), 0);
	/* Another file of the user gets the fences of a file that was closed. */
	close(first);
	for (unsigned int i = 0; i < LIMIT / 2; i++)
		xetile_assert_soon(!try_fence(fd, held));
	igt_assert_eq(try_fence(fd, held), -EDQUOT);
	igt_assert_eq(write(taken, "", 1), 1);
	/* until the other users have been checked */
	igt_assert_eq(read(go, &c, 1), 0);
}

static int try_one_vm(int fd, int held)
{
	uint32_t vm;

	return try_vm(fd, &vm);
}

/* A limit for all files of a user together */
struct user_limit {
	const char *parameter;
	/* takes LIMIT objects, writes to @taken, and goes on when @go is closed */
	void (*fill)(const struct xetile_card *card, int held, int taken, int go);
	/* takes one more object */
	int (*try)(int fd, int held);
};

static const struct user_limit limit_vms = { "user_vms", fill_vms, try_one_vm };
static const struct user_limit limit_fences = { "user_fences", fill_fences, try_fence };

/* Changes that must be undone also when the test has failed */
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
		privilege_become(USER);
		limit->fill(card, held, taken[1], go[0]);
	}
	close(taken[1]);
	igt_assert_f(read(taken[0], &c, 1) == 1, "the greedy user did not reach its limit\n");
	igt_fork(other, 1) {
		privilege_become(OTHER_USER);
		igt_assert_eq(limit->try(privilege_open_render(card->fd), held), 0);
	}
	/* Root has no limit. */
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

/* --- a card's ids --------------------------------------------------------------------- */

/* Loads a module, from the driver module's folder, that takes all ids of the card. */
static int load_numbers(void)
{
	const char *module = getenv("XETILE_MODULE");
	char path[PATH_MAX], card[80];
	int fd, err;

	igt_require_f(module && strrchr(module, '/'), "XETILE_MODULE does not name the module\n");
	snprintf(path, sizeof(path), "%.*s/xetile_numbers.ko",
		 (int)(strrchr(module, '/') - module), module);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	igt_require_f(fd >= 0, "no %s, because the kernel has no KUnit\n", path);
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

/* Without free ids a call must fail; an id that was given back must go to the next call, once. */
static void test_numbers(const struct xetile_card *card)
{
	int fd = xetile_reopen(card->fd), other = xetile_reopen(card->fd);
	uint32_t vm = xetile_vm(fd), gone = xetile_vm(fd), next = xetile_vm(other);
	uint32_t queue = xetile_copy_queue(fd, vm), id;
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
	/* A failed queue for all tiles must give back the one id that it got. */
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
 * Maps lone pages until the limit for page tables. Returns their number. Asserts that a call that
 * fails gives back all tables that it took.
 */
static unsigned int bind_all(int fd, uint32_t vm)
{
	uint64_t before, part = PINNED_MIB << 20;
	unsigned int n = 0;

	for (unsigned int step = AT_ONCE; step; step = step == 1 ? 0 : 1) {
		int err;

		do {
			before = xetile_fdinfo_bytes(fd, "drm-total-hbm0");
			err = bind_lone(fd, vm, n, step);
			n += err ? 0 : step;
		} while (!err);
		igt_assert_eq(err, -EDQUOT);
		igt_assert_eq_u64(xetile_fdinfo_bytes(fd, "drm-total-hbm0"), before);
		igt_assert_lte_u64(before, part);
	}
	/* Each lone page needs two tables. */
	igt_assert_lte_u64(part, before + SZ_4K);
	return n;
}

/* Asserts that the user cannot create an object that needs a table or a context, in any file. */
static void check_none_left(const struct xetile_card *card, int fd, uint32_t vm)
{
	uint32_t queue;
	int err;

	igt_assert_eq(try_queue(fd, vm, &queue), -EDQUOT);
	fd = privilege_open_render(card->fd);
	/* At most one table may be left. */
	err = try_vm(fd, &vm);
	if (!err)
		err = try_vm(fd, &vm);
	igt_assert_eq(err, -EDQUOT);
	close(fd);
}

/* Takes all memory that buffers can have; they cannot take what is kept for page tables. */
static void fill_hbm(const struct xetile_card *card, int fd)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];

	xetile_query_tiles(fd, tiles);
	for (unsigned int t = 0; t < card->device.num_tiles; t++)
		xetile_bo_color(fd, (tiles[t].hbm_total - tiles[t].hbm_used) / SZ_2M * SZ_2M - SZ_2M,
				DRM_XETILE_COLOR_TILE, 1u << t, 0);
}

/*
 * Maps lone pages until HBM has no room for another table. Asserts that a call that fails gives
 * back what it took. The test checks meanwhile that other users have room.
 */
static void run_out(const struct xetile_card *card, int taken, int go)
{
	int fd = privilege_open_render(card->fd), err;
	uint32_t vm = xetile_vm(fd);
	uint64_t before;
	char c;

	fill_hbm(card, fd);
	for (unsigned int n = 0; ; n += AT_ONCE) {
		before = xetile_fdinfo_bytes(fd, "drm-total-hbm0");
		err = bind_lone(fd, vm, n, AT_ONCE);
		if (err)
			break;
	}
	igt_assert_eq(err, -ENOSPC);
	igt_assert_eq_u64(xetile_fdinfo_bytes(fd, "drm-total-hbm0"), before);
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
	/* The test has set a limit now. */
	igt_assert_eq(read(go, &c, 1), 1);
	fd = privilege_open_render(card->fd);
	vm = xetile_vm(fd);
	n = bind_all(fd, vm);
	check_none_left(card, fd, vm);
	/* Existing objects still work. The user can give up all tables, and gets as many again. */
	xetile_vm_unmap(fd, vm, SZ_1G, SZ_64K);
	xetile_vm_destroy(fd, vm);
	xetile_assert_soon(!xetile_fdinfo_bytes(fd, "drm-total-hbm0"));
	vm = xetile_vm(fd);
	igt_assert_eq(try_queue(fd, vm, &queue), 0);
	xetile_queue_destroy(fd, queue);
	xetile_assert_soon(xetile_fdinfo_bytes(fd, "drm-total-hbm0") == SZ_4K);
	igt_assert_eq_u32(bind_all(fd, vm), n);
	igt_assert_eq(write(taken, "", 1), 1);
	/* until the other users have been checked */
	igt_assert_eq(read(go, &c, 1), 0);
}

/* Asserts that another user gets tables and a context. */
static void check_other(const struct xetile_card *card)
{
	pid_t pid = fork();
	int status;

	igt_assert_lte(0, pid);
	if (!pid) {
		uint32_t vm, queue;
		int fd, err;

		privilege_become(OTHER_USER);
		fd = privilege_open_render(card->fd);
		err = try_vm(fd, &vm) ?: bind_lone(fd, vm, 0, AT_ONCE) ?:
		      try_queue(fd, vm, &queue) ?:
		      try_compute(fd, vm, DRM_XETILE_TARGET_TILE, &queue);
		_exit(-err);
	}
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert_f(WIFEXITED(status), "the other user's process was killed\n");
	igt_assert_eq(-WEXITSTATUS(status), 0);
}

/*
 * Has as many page tables as HBM has room for, gives most of them up so that no piece that would
 * fit a context comes free, and takes the contexts that it gets then.
 */
static void scatter(const struct xetile_card *card, int taken, int go)
{
	struct drm_xetile_bind unmap = { .op = DRM_XETILE_BIND_UNMAP, .range = 7ull * SZ_1G };
	int fd = privilege_open_render(card->fd), err;
	uint32_t vm = xetile_vm(fd), queue;
	unsigned int n = 0, step;
	char c;

	fill_hbm(card, fd);
	for (step = AT_ONCE; step; step = step == 1 ? 0 : 1)
		while (!(err = bind_lone(fd, vm, n, step)))
			n += step;
	igt_assert_eq(err, -ENOSPC);
	/* Two tables a page: each 64 KiB keep two of sixteen. */
	for (unsigned int i = 1; i < n; i += 8) {
		unmap.addr = (i + 1) * SZ_1G;
		igt_assert_eq(__xetile_vm_bind(fd, vm, &unmap, 1, NULL, 0), 0);
	}
	for (n = 0; !(err = try_compute(fd, vm, DRM_XETILE_TARGET_TILE, &queue)); n++)
		igt_assert_lt(n, 1000);
	igt_assert_eq(err, -ENOSPC);
	igt_info("%u contexts for who left small pieces only\n", n);
	igt_assert_eq(write(taken, "", 1), 1);
	/* until another user has been checked */
	igt_assert_eq(read(go, &c, 1), 0);
}

/* A user who takes memory until told to stop, and what its process and the test tell each other */
struct greedy {
	char *path;
	mode_t mode;
	unsigned int was;
	int taken[2], go[2];
};

/* Returns when the user has taken what it gets. */
static void greedy_begin(struct greedy *g, const struct xetile_card *card,
			 void (*act)(const struct xetile_card *card, int taken, int go))
{
	struct stat node;
	char c;

	g->path = drmGetRenderDeviceNameFromFd(card->fd);
	igt_assert(g->path && !stat(g->path, &node) && !chmod(g->path, 0666));
	g->mode = node.st_mode & 07777;
	g->was = xetile_set_parameter("user_pinned", UINT_MAX);
	igt_assert_eq(pipe(g->taken), 0);
	igt_assert_eq(pipe(g->go), 0);
	igt_fork(greedy, 1) {
		close(g->go[1]);
		privilege_become(USER);
		act(card, g->taken[1], g->go[0]);
	}
	close(g->taken[1]);
	igt_assert_f(read(g->taken[0], &c, 1) == 1, "the greedy user did not fill the HBM\n");
}

/* @clients: bytes of HBM that all clients had before */
static void greedy_end(struct greedy *g, const struct xetile_card *card, uint64_t clients)
{
	close(g->go[1]);
	igt_waitchildren();
	close(g->go[0]);
	close(g->taken[0]);
	xetile_wait_hbm_of_clients(card->fd, clients);
	xetile_set_parameter("user_pinned", g->was);
	chmod(g->path, g->mode);
	free(g->path);
}

static void test_pieces(const struct xetile_card *card)
{
	uint64_t clients = xetile_hbm_of_clients(card->fd);
	struct greedy g;

	greedy_begin(&g, card, scatter);
	check_other(card);
	greedy_end(&g, card, clients);
}

static void test_tables(const struct xetile_card *card)
{
	uint64_t used = xetile_hbm_used(card->fd), clients = xetile_hbm_of_clients(card->fd);
	struct greedy g;
	uint32_t vm;
	int root;
	char c;

	greedy_begin(&g, card, fill_user);
	check_other(card);
	igt_assert_eq(write(g.go[1], "", 1), 1);
	igt_assert_f(read(g.taken[0], &c, 1) == 1, "the greedy user did not free its tables\n");
	xetile_wait_hbm_of_clients(card->fd, clients);
	igt_assert(xetile_hbm_comes_back(card->fd, used));
	xetile_set_parameter("user_pinned", PINNED_MIB);
	igt_assert_eq(write(g.go[1], "", 1), 1);
	igt_assert_f(read(g.taken[0], &c, 1) == 1, "the greedy user did not reach its limit\n");
	check_other(card);
	/* Root has no limit. */
	root = xetile_reopen(card->fd);
	vm = xetile_vm(root);
	for (unsigned int i = 0; i < PINNED_MIB << 20 >> 12; i += AT_ONCE)
		igt_assert_eq(bind_lone(root, vm, i, AT_ONCE), 0);
	close(root);
	greedy_end(&g, card, clients);
	igt_assert(xetile_hbm_comes_back(card->fd, used));
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	igt_describe("Destroyed queues must count towards the limit until their jobs are done");
	igt_subtest("queues")
		test_queues(&card);
	igt_describe("Waiting batches and binds of a file must be limited, without effect on "
		     "other files");
	igt_subtest("jobs")
		test_jobs(&card);
	igt_describe("A user's contexts must be limited, over all files");
	igt_subtest("user")
		test_user(&card);
	igt_describe("A user's address spaces must be limited, over all files");
	igt_subtest("vms")
		test_user_limit(&card, &limit_vms);
	igt_fixture
		limit_end();
	igt_describe("The fences that a user's binds wait for must be limited, over all files");
	igt_subtest("fences")
		test_user_limit(&card, &limit_fences);
	igt_fixture
		limit_end();
	igt_describe("A card without free ids must say ENOBUFS, and give out ids that came back");
	igt_subtest("numbers")
		test_numbers(&card);
	igt_fixture {
		/* left by a test that failed */
		syscall(SYS_delete_module, "xetile_numbers", O_NONBLOCK);
	}
	igt_describe("A user's HBM for page tables and contexts must be limited, without effect "
		     "on other users");
	igt_subtest("tables")
		test_tables(&card);
	igt_describe("A user who keeps few page tables all over the HBM must not keep other users "
		     "from having a context");
	igt_subtest("pieces")
		test_pieces(&card);

	igt_fixture
		close(card.fd);
}
