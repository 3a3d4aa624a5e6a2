// SPDX-License-Identifier: MIT
/*
 * The xe driver's calls by clients that mean harm: numbers in pages that nobody provides, objects
 * of one interface in calls of the other, threads that take away what another thread's call uses,
 * and memory of a process that ends. Requirement: who does so harms himself alone.
 *
 * suite: hostile
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/userfaultfd.h>
#include <xf86drm.h>

#include "xetile_binds.h"
#include "xetile_files.h"
#include "xetile_job.h"
#include "xetile_module.h"
#include "xetile_user_memory.h"
#include "xetile_xe.h"
#include "xetile_xe_exec.h"

IGT_TEST_DESCRIPTION("Hostile clients of the xe driver's calls harm nobody else");

#define XE_COPY		DRM_XE_ENGINE_CLASS_COPY
#define XE_COMPUTE	DRM_XE_ENGINE_CLASS_COMPUTE
#define SIGNALLED	0x1234567890abcdefull

/* Users of the hostile client and of the other one */
#define BAD_USER	10001
#define GOOD_USER	10002

static struct xetile_card card = { .fd = -1 };
static mode_t node_mode;

/* Opens the card, and lets every user open it until close_card(). */
static void open_card(void)
{
	struct stat st;

	xetile_open_card(&card);
	igt_assert_eq(fstat(card.fd, &st), 0);
	node_mode = st.st_mode & 07777;
	igt_assert_eq(fchmod(card.fd, 0666), 0);
}

static void close_card(void)
{
	fchmod(card.fd, node_mode);
	close(card.fd);
	card.fd = -1;
}

/* --- numbers in pages that nobody provides -------------------------------- */

static void become(uid_t user)
{
	igt_assert_eq(setresuid(user, user, user), 0);
}

/* More than a queue of works has workers at once, and binds of an address space */
#define NUMBERS		1152u
#define NUMBERS_OF_VM	64u

/* A process that has a pipe to say that it is ready, and one that it ends by */
struct side {
	pid_t pid;
	int ready[2], stop[2];
};

static void side_start(struct side *s, void (*act)(struct side *s, uint32_t arg), uint32_t arg)
{
	char byte;

	igt_assert_eq(pipe(s->ready), 0);
	igt_assert_eq(pipe(s->stop), 0);
	s->pid = fork();
	igt_assert_lte(0, s->pid);
	if (!s->pid) {
		act(s, arg);
		_exit(0);
	}
	close(s->ready[1]);
	close(s->stop[0]);
	igt_assert_f(read(s->ready[0], &byte, 1) == 1, "the process has failed\n");
}

static void side_is_ready(struct side *s)
{
	igt_assert_eq(write(s->ready[1], "", 1), 1);
}

/* Returns whether the process has ended well within @ms. */
static bool side_ends(struct side *s, unsigned int ms)
{
	uint64_t until = xetile_now_ms() + ms;
	int status = 0;

	while (waitpid(s->pid, &status, WNOHANG) != s->pid) {
		if (xetile_now_ms() > until)
			return false;
		usleep(10000);
	}
	return !status;
}

static void side_fini(struct side *s)
{
	close(s->ready[0]);
	close(s->stop[1]);
}

/* A file whose binds wait for a fence */
struct late {
	int fd;
	uint32_t fence, vm, queue;
};

static void late_vm(struct late *l)
{
	l->vm = xe_vm(l->fd, 0);
	l->queue = xetile_bind_queue(l->fd, l->vm);
}

static void late_init(struct late *l, uint32_t fence)
{
	int file;

	l->fd = xetile_reopen(card.fd);
	igt_assert_eq(drmSyncobjHandleToFD(card.fd, fence, &file), 0);
	igt_assert_eq(drmSyncobjFDToHandle(l->fd, file, &l->fence), 0);
	close(file);
	late_vm(l);
}

/* Starts bind @i, which is to write to @word. Returns 0 or -errno. */
static int try_late(const struct late *l, unsigned int i, const uint64_t *word)
{
	struct drm_xe_sync syncs[2] = {
		{ .type = DRM_XE_SYNC_TYPE_SYNCOBJ, .handle = l->fence },
		{
			.type = DRM_XE_SYNC_TYPE_USER_FENCE, .flags = DRM_XE_SYNC_FLAG_SIGNAL,
			.addr = to_user(word), .timeline_value = SIGNALLED,
		},
	};
	struct drm_xe_vm_bind args = {
		.vm_id = l->vm, .exec_queue_id = l->queue, .num_binds = 1,
		.num_syncs = 2, .syncs = to_user(syncs), .bind = {
			.op = DRM_XE_VM_BIND_OP_MAP, .flags = DRM_XE_VM_BIND_FLAG_NULL,
			.addr = DATA_ADDR + i * SZ_64K, .range = SZ_64K,
		},
	};

	return xetile_ioctl(l->fd, DRM_IOCTL_XE_VM_BIND, &args);
}

/* Starts binds that are to write @num words, one in each page from @words on. */
static void bind_late(struct late *l, uint64_t *words, unsigned int num)
{
	for (unsigned int i = 0; i < num; i++) {
		if (i % NUMBERS_OF_VM == NUMBERS_OF_VM - 1)
			late_vm(l);
		igt_assert_eq(try_late(l, i, words + i * SZ_4K / sizeof(*words)), 0);
	}
}

/* Pages of numbers that leave, and that nobody brings back while the process lives */
struct pages {
	uint64_t *words;
	uint64_t size;
	int faults;		/* userfaultfd, for which an ordinary user has no right */
};

static void pages_init(struct pages *p, unsigned int num)
{
	struct uffdio_api api = { .api = UFFD_API };

	p->size = num * SZ_4K;
	p->words = (uint64_t *)anon(p->size);
	/* A kernel without huge pages does not know the advice. */
	igt_assert(!madvise(p->words, p->size, MADV_NOHUGEPAGE) || errno == EINVAL);
	p->faults = syscall(SYS_userfaultfd, O_CLOEXEC);
	igt_assert_f(p->faults >= 0, "userfaultfd: %m\n");
	igt_assert_eq(ioctl(p->faults, UFFDIO_API, &api), 0);
}

static void pages_leave(struct pages *p)
{
	struct uffdio_register memory = {
		.mode = UFFDIO_REGISTER_MODE_MISSING,
		.range = { .start = to_user(p->words), .len = p->size },
	};

	igt_assert_eq(ioctl(p->faults, UFFDIO_REGISTER, &memory), 0);
	igt_assert_eq(madvise(p->words, p->size, MADV_DONTNEED), 0);
}

static void withhold(struct side *s, uint32_t fence)
{
	struct pages pages;
	struct late late;
	char byte;

	pages_init(&pages, NUMBERS);
	become(BAD_USER);
	late_init(&late, fence);
	bind_late(&late, pages.words, NUMBERS);
	pages_leave(&pages);
	side_is_ready(s);
	close(s->stop[1]);
	igt_assert_eq(read(s->stop[0], &byte, 1), 0);
}

/* The page of a number leaves, as it may at any time. The process ends when it has the number. */
static void want_as(struct side *s, uint32_t fence, uid_t user)
{
	volatile uint64_t *word = (uint64_t *)anon(SZ_4K);
	struct late late;

	become(user);
	late_init(&late, fence);
	igt_assert_eq(try_late(&late, 0, (uint64_t *)word), 0);
	igt_assert_eq(madvise((void *)word, SZ_4K, MADV_DONTNEED), 0);
	side_is_ready(s);
	/* A look brings a page that cannot be written as it is. */
	while (*word != SIGNALLED)
		usleep(1000);
}

static void want(struct side *s, uint32_t fence)
{
	want_as(s, fence, GOOD_USER);
}

static void want_beside(struct side *s, uint32_t fence)
{
	want_as(s, fence, BAD_USER);
}

/* Returns whether the process gets its number. */
static bool side_gets(struct side *s)
{
	bool gets = side_ends(s, 20000);

	if (!gets) {
		kill(s->pid, SIGKILL);
		waitpid(s->pid, NULL, 0);
	}
	side_fini(s);
	return gets;
}

static void test_withheld(void)
{
	struct side bad, good, beside;
	struct dam first, second;
	bool others, own;

	dam_init(&first, card.fd);
	dam_init(&second, card.fd);
	side_start(&bad, withhold, dam_fence(&first, card.fd));
	side_start(&good, want, dam_fence(&second, card.fd));
	side_start(&beside, want_beside, dam_fence(&second, card.fd));
	dam_open(&first);
	sleep(2);
	dam_open(&second);
	others = side_gets(&good);
	own = side_gets(&beside);
	side_fini(&bad);
	/* Its files close when the last number is given up. */
	igt_assert(side_ends(&bad, 60000));
	igt_assert_f(others, "one who withholds pages keeps numbers from other users\n");
	igt_assert_f(own, "a process that withholds pages keeps numbers from its user's others\n");
	dam_fini(&first);
	dam_fini(&second);
}

/* A number counts as so many fences, and its bind waits for a few */
#define COUNTS_AS	8u
#define DEPS		4u
#define FEW_NUMBERS	16u

static uint32_t hoard_second;	/* syncobj of another fence */

/* Numbers that cannot be written are still counted when their binds are made. */
static void hoard(struct side *s, uint32_t fence)
{
	static uint64_t word;
	struct pages pages;
	struct late late;
	unsigned int i;
	int err = 0;
	char byte;

	pages_init(&pages, FEW_NUMBERS);
	become(BAD_USER);
	late_init(&late, fence);
	bind_late(&late, pages.words, FEW_NUMBERS);
	pages_leave(&pages);
	side_is_ready(s);
	/* The first dam is open now. */
	close(s->stop[1]);
	igt_assert_eq(read(s->stop[0], &byte, 1), 1);
	igt_assert_eq(drmSyncobjWait(late.fd, &late.fence, 1, INT64_MAX, 0, NULL), 0);
	late_init(&late, hoard_second);
	for (i = 0; i < FEW_NUMBERS && !err; i++)
		err = try_late(&late, i, &word);
	igt_assert_eq(err, -ENOMEM);
	igt_debug("%u numbers more\n", i - 1);
}

static struct dam module_dam;

/* Numbers wait for their pages, and nothing else is left of any file. */
static void leave_behind(struct side *s, uint32_t fence)
{
	struct job *job = &module_dam.job;
	struct pages pages;
	struct late late;
	char byte;

	pages_init(&pages, 4);
	become(BAD_USER);
	late_init(&late, fence);
	bind_late(&late, pages.words, 4);
	pages_leave(&pages);
	side_is_ready(s);
	close(s->stop[1]);
	munmap(job->batch.map, job->batch.size);
	munmap(job->data.map, job->data.size);
	for (int fd = 3; fd < 1024; fd++)
		if (fd != pages.faults && fd != s->stop[0] && fd != s->ready[1])
			close(fd);
	side_is_ready(s);
	igt_assert_eq(read(s->stop[0], &byte, 1), 0);
}

/* One who removes the module hears that it is in use, at once, and can do it later. */
static void test_module(void)
{
	struct side s;
	pid_t child;
	int status = -1;
	char byte;

	dam_init(&module_dam, card.fd);
	side_start(&s, leave_behind, dam_fence(&module_dam, card.fd));
	igt_assert_eq(read(s.ready[0], &byte, 1), 1);
	dam_open(&module_dam);
	dam_fini(&module_dam);
	close_card();
	sleep(1);
	child = fork();
	igt_assert_lte(0, child);
	if (!child) {
		side_fini(&s);
		_exit(syscall(SYS_delete_module, "xetile", O_NONBLOCK) ? errno : 0);
	}
	for (unsigned int i = 0; i < 100 && waitpid(child, &status, WNOHANG) != child; i++)
		usleep(100000);
	side_fini(&s);
	igt_assert(side_ends(&s, 20000));
	if (status == -1)
		waitpid(child, NULL, 0);
	else
		xetile_module_unload();
	igt_assert_eq(xetile_module_load(""), 0);
	open_card();
	igt_assert_f(status != -1, "one who withholds a page keeps the module for ever\n");
	igt_assert(WIFEXITED(status) && WEXITSTATUS(status) == EWOULDBLOCK);
}

static void test_hoard(void)
{
	unsigned int limit = xetile_set_parameter("user_fences", FEW_NUMBERS * (COUNTS_AS + DEPS));
	struct dam first, second;
	struct side s;
	bool right;

	dam_init(&first, card.fd);
	dam_init(&second, card.fd);
	hoard_second = dam_fence(&second, card.fd);
	side_start(&s, hoard, dam_fence(&first, card.fd));
	dam_open(&first);
	sleep(1);
	igt_assert_eq(write(s.stop[1], "", 1), 1);
	right = side_gets(&s);
	xetile_set_parameter("user_fences", limit);
	dam_open(&second);
	dam_fini(&first);
	dam_fini(&second);
	igt_assert(right);
}

/* --- objects of one interface in calls of the other ------------------------ */

/* An address space for work that does not end, with a batch that waits for word 0 of @ctl */
struct endless {
	int fd;
	uint32_t vm, queue;
	struct xetile_buf ctl;
	unsigned int rounds;
};

static void endless_begin(struct endless *e)
{
	struct xetile_batch b;

	e->ctl.map[0] = 0;
	e->rounds++;
	batch_begin(&b, &e->ctl, SZ_4K);
	batch_wait(&b, e->ctl.addr, 1);
	batch_store(&b, e->ctl.addr + 8, e->rounds, false);
	batch_end(&b);
	igt_assert_eq(__xe_exec_batch(e->fd, e->queue, batch_addr(&b), 0), 0);
}

/* Asserts that the batch goes on where it was. */
static void endless_end(struct endless *e)
{
	e->ctl.map[0] = 1;
	xetile_assert_soon(((volatile uint32_t *)e->ctl.map)[2] == e->rounds);
}

static void endless_init(struct endless *e)
{
	int fd = xetile_reopen(card.fd);

	*e = (struct endless) { .fd = fd, .vm = xe_vm(fd, DRM_XE_VM_CREATE_FLAG_LR_MODE) };
	e->queue = xe_queue(fd, e->vm, 0, XE_COMPUTE, 1);
	xetile_buf_init(&e->ctl, fd, e->vm, BATCH_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	endless_begin(e);
}

static void endless_fini(struct endless *e)
{
	endless_end(e);
	xe_queue_destroy(e->fd, e->queue);
	munmap(e->ctl.map, SZ_64K);
	close(e->fd);
}

/* Queues of the own interface in such an address space: each kind runs, and tells nobody. */
static void test_own_queues(void)
{
	static const struct {
		uint32_t class, target;
	} kinds[] = { { COMPUTE, TILE }, { COMPUTE, ROOT }, { COPY, TILE }, { COPY, ROOT },
		      { COMPUTE, DRM_XETILE_TARGET_CSLICE } };
	struct endless e;

	endless_init(&e);
	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++) {
		uint32_t queue = xetile_queue(e.fd, e.vm, kinds[i].class, kinds[i].target, 0, 0);
		struct drm_xetile_sync sync = {
			.handle = xetile_syncobj(e.fd), .flags = DRM_XETILE_SYNC_SIGNAL,
		};
		struct xetile_batch b;

		batch_begin(&b, &e.ctl, 2 * SZ_4K);
		batch_store(&b, e.ctl.addr + 16, 100 + i, false);
		batch_end(&b);
		igt_assert_eq(__xetile_exec(e.fd, queue, batch_addr(&b), &sync, 1), -EOPNOTSUPP);
		igt_assert_eq(__xetile_exec(e.fd, queue, batch_addr(&b), NULL, 0), 0);
		xetile_assert_soon(((volatile uint32_t *)e.ctl.map)[4] == 100 + i);
		xetile_queue_destroy(e.fd, queue);
		xetile_syncobj_destroy(e.fd, sync.handle);
	}
	endless_fini(&e);
}

/* Whatever the own interface does with a buffer that runs, the work goes on. */
static void test_own_buffers(void)
{
	struct drm_xetile_bo_create create = {
		.size = SZ_2M, .placement = DRM_XETILE_PLACE_HBM, .color = DRM_XETILE_COLOR_TILE,
		.tile_mask = 1,
	}, moves = {
		.size = SZ_2M, .placement = DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM,
		.flags = DRM_XETILE_BO_MIGRATE,
	};
	struct drm_xetile_bo_range range = {
		.size = SZ_2M, .color = DRM_XETILE_COLOR_CHUNK,
	};
	struct drm_xetile_bo_recolor recolor = { .ranges = XETILE_ARRAY(&range, 1) };
	struct drm_xetile_bo_pin pin = { .event_fd = -1 };
	struct drm_xetile_bo_purge purge = { };
	struct endless e;
	uint32_t *map;

	endless_init(&e);
	create.vm_id = moves.vm_id = e.vm;
	igt_assert_eq(__xetile_bo_create(e.fd, &create), 0);
	igt_assert_eq(__xetile_bo_create(e.fd, &moves), 0);
	xe_map(e.fd, e.vm, create.handle, DATA_ADDR, SZ_2M);
	xetile_vm_map(e.fd, e.vm, moves.handle, 0, DATA_ADDR + SZ_1G, SZ_2M);
	endless_end(&e);

	endless_begin(&e);
	recolor.handle = pin.handle = purge.handle = create.handle;
	igt_assert_eq(xetile_ioctl(e.fd, DRM_IOCTL_XETILE_BO_RECOLOR, &recolor), 0);
	igt_assert_eq(xetile_ioctl(e.fd, DRM_IOCTL_XETILE_BO_PIN, &pin), 0);
	pin.flags = DRM_XETILE_PIN_END;
	igt_assert_eq(xetile_ioctl(e.fd, DRM_IOCTL_XETILE_BO_PIN, &pin), 0);
	purge.flags = DRM_XETILE_PURGE_ALLOW;
	igt_assert_eq(xetile_ioctl(e.fd, DRM_IOCTL_XETILE_BO_PURGE, &purge), 0);
	purge.flags = 0;
	igt_assert_eq(xetile_ioctl(e.fd, DRM_IOCTL_XETILE_BO_PURGE, &purge), 0);
	endless_end(&e);

	/* The CPU takes the parts of the other one, and gives them back. */
	endless_begin(&e);
	map = xetile_bo_map(e.fd, moves.handle, SZ_2M);
	for (unsigned int i = 0; i < SZ_2M / 4; i += SZ_64K / 4)
		map[i] = i;
	endless_end(&e);
	munmap(map, SZ_2M);

	/* A buffer that may go: the address space ends, or goes on, and nobody else is harmed. */
	endless_begin(&e);
	purge.flags = DRM_XETILE_PURGE_ALLOW;
	igt_assert_eq(xetile_ioctl(e.fd, DRM_IOCTL_XETILE_BO_PURGE, &purge), 0);
	xetile_evict_all(card.fd);
	xe_queue_destroy(e.fd, e.queue);
	munmap(e.ctl.map, SZ_64K);
	close(e.fd);
	job_check_usable(card.fd);
}

/* A buffer of 4 KiB, which the own interface cannot make, in all of its calls */
static void test_small_buffer(void)
{
	int fd = xetile_reopen(card.fd);
	uint32_t bo = xe_bo(fd, SZ_4K, 1), vm = xe_vm(fd, 0);
	struct drm_xetile_color_run runs[4];
	struct drm_xetile_bo_range range = { .size = SZ_64K };
	struct drm_xetile_bo_recolor recolor = {
		.handle = bo, .ranges = XETILE_ARRAY(&range, 1),
	};
	struct drm_xetile_bo_advice advice = { .size = SZ_4K };
	struct drm_xetile_bo_advise advise = {
		.handle = bo, .ranges = XETILE_ARRAY(&advice, 1),
	};
	struct drm_xetile_bo_pin pin = { .handle = bo, .event_fd = -1 };
	struct drm_xetile_bo_purge purge = { .handle = bo, .flags = DRM_XETILE_PURGE_ALLOW };
	struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_MAP, .handle = bo, .addr = DATA_ADDR, .range = SZ_64K,
	};
	int dmabuf;

	igt_assert(xetile_bo_runs(fd, bo, runs, 4) <= 1);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_RECOLOR, &recolor), -EINVAL);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_ADVISE, &advise), -EOPNOTSUPP);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_PIN, &pin), -EOPNOTSUPP);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_PURGE, &purge), -EOPNOTSUPP);
	igt_assert_eq(__xetile_vm_bind(fd, vm, &bind, 1, NULL, 0), -EINVAL);
	bind.range = SZ_4K;
	igt_assert_eq(__xetile_vm_bind(fd, vm, &bind, 1, NULL, 0), 0);
	igt_assert_eq(drmPrimeHandleToFD(fd, bo, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	igt_assert(mmap(NULL, SZ_64K, PROT_READ, MAP_SHARED, dmabuf, 0) == MAP_FAILED);
	close(dmabuf);
	close(fd);
}

/* A queue of several tiles has more than one end, and these calls have but one number for it. */
static void test_root_queue(void)
{
	struct ctx c;
	struct drm_xe_sync sync = {
		.type = DRM_XE_SYNC_TYPE_USER_FENCE, .flags = DRM_XE_SYNC_FLAG_SIGNAL,
		.addr = GATE_ADDR, .timeline_value = SIGNALLED,
	};
	struct drm_xe_exec exec = { .num_batch_buffer = 1, .num_syncs = 1, .syncs = to_user(&sync) };
	struct xetile_batch b;

	igt_require(card.device.num_tiles > 1);
	ctx_init(&c, card.fd);
	exec.exec_queue_id = xetile_queue(card.fd, c.vm, COMPUTE, ROOT, 0, 0);
	batch_begin(&b, &c.batch, 0);
	batch_end(&b);
	exec.address = batch_addr(&b);
	igt_assert_eq(xetile_ioctl(card.fd, DRM_IOCTL_XE_EXEC, &exec), -EINVAL);
	exec.num_batch_buffer = 0;
	igt_assert_eq(xetile_ioctl(card.fd, DRM_IOCTL_XE_EXEC, &exec), -EINVAL);
	xetile_run(card.fd, exec.exec_queue_id, batch_addr(&b));
	xetile_queue_destroy(card.fd, exec.exec_queue_id);
	ctx_fini(&c);
}

/* --- memory of a process that ends ----------------------------------------- */

/* The child maps its own memory in the parent's address space, as a file that was sent allows. */
static void lend(struct side *s, uint32_t vm)
{
	struct drm_xe_vm_bind_op op = {
		.op = DRM_XE_VM_BIND_OP_MAP_USERPTR, .userptr = to_user(anon(SZ_2M)),
		.addr = DATA_ADDR, .range = SZ_2M, .pat_index = XE_PAT_WB,
	};
	char byte;

	igt_assert_eq(__xe_bind(card.fd, vm, &op, NULL), 0);
	side_is_ready(s);
	close(s->stop[1]);
	igt_assert_eq(read(s->stop[0], &byte, 1), 0);
}

static void test_lender(bool killed)
{
	int old = card.fd;
	struct endless e;
	struct side s;

	endless_init(&e);
	card.fd = e.fd;
	side_start(&s, lend, e.vm);
	card.fd = old;
	endless_end(&e);
	endless_begin(&e);
	if (killed)
		kill(s.pid, SIGKILL);
	side_fini(&s);
	side_ends(&s, 20000);
	/* The work cannot go on: its owner hears of it, and may begin anew. */
	xetile_assert_soon(__xe_queue_is_banned(e.fd, e.queue) == 1);
	xe_queue_destroy(e.fd, e.queue);
	munmap(e.ctl.map, SZ_64K);
	close(e.fd);
	endless_init(&e);
	endless_fini(&e);
}

/* --- threads that take things away ----------------------------------------- */

#define THREADS		6u
#define CHURN_S		15

/* A file that threads use, of which one closes it and opens another one */
struct churn {
	int fd;
	uint64_t words[64];
	uint64_t until;
	unsigned int calls;
};

static uint32_t some(unsigned int *seed, unsigned int n)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 8) % n;
}

static void churn_bind(struct churn *c, unsigned int *seed)
{
	struct drm_xe_sync sync = {
		.type = DRM_XE_SYNC_TYPE_USER_FENCE, .flags = DRM_XE_SYNC_FLAG_SIGNAL,
		.addr = to_user(c->words + some(seed, 64)), .timeline_value = some(seed, 4),
	};
	struct drm_xe_vm_bind_op ops[3] = { };
	struct drm_xe_vm_bind args = {
		.vm_id = 1 + some(seed, 3), .num_binds = 3, .vector_of_binds = to_user(ops),
		.exec_queue_id = some(seed, 4) ? 0 : 1 + some(seed, 6),
		.num_syncs = some(seed, 2), .syncs = to_user(&sync),
	};

	for (unsigned int i = 0; i < 3; i++) {
		ops[i].op = some(seed, 5);
		ops[i].pat_index = XE_PAT_WB;
		ops[i].addr = DATA_ADDR + some(seed, 4) * SZ_64K;
		ops[i].range = SZ_64K * (1 + some(seed, 2));
		if (ops[i].op == DRM_XE_VM_BIND_OP_MAP)
			ops[i].obj = 1 + some(seed, 4);
		if (ops[i].op == DRM_XE_VM_BIND_OP_MAP_USERPTR)
			ops[i].userptr = to_user(&args) & ~(SZ_64K - 1);
		if (ops[i].op == DRM_XE_VM_BIND_OP_UNMAP_ALL) {
			ops[i].obj = 1 + some(seed, 4);
			ops[i].addr = ops[i].range = 0;
		}
	}
	ioctl(c->fd, DRM_IOCTL_XE_VM_BIND, &args);
}

static void churn_make(struct churn *c, unsigned int *seed)
{
	struct drm_xe_engine_class_instance place = { .engine_class = some(seed, 2) ? 4 : 1 };
	struct drm_xe_vm_create vm = { .flags = some(seed, 2) ? DRM_XE_VM_CREATE_FLAG_LR_MODE :
				       DRM_XE_VM_CREATE_FLAG_SCRATCH_PAGE };
	struct drm_xe_exec_queue_create queue = {
		.vm_id = 1 + some(seed, 3), .width = 1, .num_placements = 1,
		.instances = to_user(&place),
	};
	struct drm_xe_gem_create bo = {
		.size = 2 * SZ_64K, .placement = 1 + some(seed, 3),
		.cpu_caching = DRM_XE_GEM_CPU_CACHING_WC, .vm_id = some(seed, 2) * queue.vm_id,
	};

	if (some(seed, 4) == 0)
		place.engine_class = DRM_XE_ENGINE_CLASS_VM_BIND;
	switch (some(seed, 3)) {
	case 0:
		ioctl(c->fd, DRM_IOCTL_XE_VM_CREATE, &vm);
		break;
	case 1:
		ioctl(c->fd, DRM_IOCTL_XE_EXEC_QUEUE_CREATE, &queue);
		break;
	default:
		ioctl(c->fd, DRM_IOCTL_XE_GEM_CREATE, &bo);
	}
}

static void churn_take(struct churn *c, unsigned int *seed)
{
	struct drm_xe_vm_destroy vm = { .vm_id = 1 + some(seed, 3) };
	struct drm_xe_exec_queue_destroy queue = { .exec_queue_id = 1 + some(seed, 6) };
	struct drm_gem_close bo = { .handle = 1 + some(seed, 4) };

	switch (some(seed, 3)) {
	case 0:
		ioctl(c->fd, DRM_IOCTL_XE_VM_DESTROY, &vm);
		break;
	case 1:
		ioctl(c->fd, DRM_IOCTL_XE_EXEC_QUEUE_DESTROY, &queue);
		break;
	default:
		ioctl(c->fd, DRM_IOCTL_GEM_CLOSE, &bo);
	}
}

static void churn_wait(struct churn *c, unsigned int *seed)
{
	struct drm_xe_wait_user_fence args = {
		.addr = to_user(c->words + some(seed, 64)), .op = some(seed, 6),
		.value = some(seed, 4), .mask = ~0ull, .timeout = 1000000 * some(seed, 20),
		.exec_queue_id = some(seed, 8),
	};
	struct drm_xe_exec_queue_get_property get = { .exec_queue_id = 1 + some(seed, 6) };

	ioctl(c->fd, DRM_IOCTL_XE_WAIT_USER_FENCE, &args);
	ioctl(c->fd, DRM_IOCTL_XE_EXEC_QUEUE_GET_PROPERTY, &get);
}

static void churn_exec(struct churn *c, unsigned int *seed)
{
	struct drm_xe_exec args = {
		.exec_queue_id = 1 + some(seed, 6), .num_batch_buffer = some(seed, 8) == 0,
		.address = DATA_ADDR,
	};
	struct drm_xe_gem_mmap_offset offset = { .handle = 1 + some(seed, 4) };
	void *map;

	ioctl(c->fd, DRM_IOCTL_XE_EXEC, &args);
	if (ioctl(c->fd, DRM_IOCTL_XE_GEM_MMAP_OFFSET, &offset))
		return;
	map = mmap(NULL, SZ_64K, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, offset.offset);
	if (map == MAP_FAILED)
		return;
	/* MI_BATCH_BUFFER_END */
	*(volatile uint32_t *)map = 0x05000000;
	munmap(map, SZ_64K);
}

/* Another file takes the place of the one that calls are made on, if there is a card. */
static void churn_reopen(struct churn *c, unsigned int *seed)
{
	char path[64];
	int fd = -1;

	usleep(some(seed, 300000));
	if (!xetile_open_path(path, sizeof(path)))
		fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	dup2(fd, c->fd);
	close(fd);
}

struct churn_thread {
	struct churn *c;
	unsigned int seed;
	pthread_t thread;
};

static void *churn_thread(void *arg)
{
	static void (* const acts[])(struct churn *c, unsigned int *seed) = {
		churn_bind, churn_make, churn_take, churn_wait, churn_exec, churn_bind, churn_make,
	};
	struct churn_thread *t = arg;
	bool opens = t->seed % THREADS == 0;

	while (xetile_now_ms() < t->c->until) {
		if (opens)
			churn_reopen(t->c, &t->seed);
		else
			acts[some(&t->seed, ARRAY_SIZE(acts))](t->c, &t->seed);
		__atomic_fetch_add(&t->c->calls, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* The process may end by a signal of a mapping that is gone. */
static void churn(unsigned int seed, unsigned int seconds)
{
	struct churn c = { .fd = xetile_reopen(card.fd),
			   .until = xetile_now_ms() + seconds * 1000 };
	struct churn_thread t[THREADS];

	for (unsigned int i = 0; i < THREADS; i++) {
		t[i] = (struct churn_thread) { .c = &c, .seed = seed * THREADS + i };
		igt_assert_eq(pthread_create(&t[i].thread, NULL, churn_thread, &t[i]), 0);
	}
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(t[i].thread, NULL);
	igt_info("seed %u: %u calls\n", seed, c.calls);
	_exit(0);
}

#define STUCK_AT	SZ_1G
#define STUCK_WORD	(SZ_64K / 8)
/* As the driver: how long a queue that is ended may take to leave its engine */
#define KILL_MS		640u

/* Starts a batch that does not leave its copy engine, on a file of its own, which is returned. */
static int stuck_file(unsigned int engine)
{
	int fd = xetile_reopen(card.fd);
	uint32_t vm = xetile_vm(fd);
	struct xetile_batch b;
	struct xetile_buf buf;
	volatile uint32_t *word;

	xetile_buf_init(&buf, fd, vm, STUCK_AT, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	word = (uint32_t *)buf.map + STUCK_WORD;
	batch_begin(&b, &buf, 0);
	batch_keep_engine(&b);
	batch_store(&b, STUCK_AT + 4 * STUCK_WORD, 1, false);
	batch_wait(&b, STUCK_AT + 4 * STUCK_WORD, 2);
	batch_end(&b);
	igt_assert_eq(__xe_exec_batch(fd, xe_queue(fd, vm, 0, XE_COPY, 1u << engine), STUCK_AT, 0),
		      0);
	for (unsigned int i = 0; i < 30000 && !*word; i++)
		usleep(1000);
	igt_assert_eq_u32(*word, 1);
	/* The mapping would keep the file. */
	munmap(buf.map, SZ_64K);
	return fd;
}

/* Files that lie in a socket which nobody has end in a thread that ends everybody's such files. */
static void test_collected(void)
{
	enum { FILES = 4 };
	int pair[2], other[2], fds[FILES];
	struct pollfd end;
	uint64_t begun;

	igt_assert_eq(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair), 0);
	igt_assert_eq(pipe2(other, O_CLOEXEC), 0);
	for (unsigned int i = 0; i < FILES; i++)
		fds[i] = stuck_file(i);
	/* The thread ends the last file first. */
	files_send(pair[0], 0, other[1]);
	for (unsigned int i = 0; i < FILES; i++)
		files_send(pair[0], 0, fds[i]);
	files_send(pair[0], 0, pair[1]);
	close(other[1]);
	for (unsigned int i = 0; i < FILES; i++)
		close(fds[i]);
	begun = xetile_now_ms();
	close(pair[1]);
	close(pair[0]);
	end = (struct pollfd) { .fd = other[0] };
	igt_assert_eq(poll(&end, 1, 60000), 1);
	igt_assert_lt(xetile_now_ms() - begun, FILES * KILL_MS);
	close(other[0]);
	job_check_usable(card.fd);
}

static void test_churn(void)
{
	uint64_t used = xetile_hbm_of_clients(card.fd);
	pid_t child[2];
	int status;

	for (unsigned int i = 0; i < 2; i++) {
		child[i] = fork();
		igt_assert_lte(0, child[i]);
		if (!child[i]) {
			/* Its faults count against itself. */
			become(BAD_USER + i);
			churn(1 + i, CHURN_S);
		}
	}
	for (unsigned int i = 0; i < 2; i++) {
		igt_assert_eq(waitpid(child[i], &status, 0), child[i]);
		igt_assert_f(!status || (WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS),
			     "status %#x\n", status);
	}
	job_check_usable(card.fd);
	xetile_wait_hbm_of_clients(card.fd, used);
}

/* The card goes and comes back under such calls, which then meet two cards. */
static void test_churn_unbind(void)
{
	char address[32];
	pid_t child;
	int status;

	xetile_bound_card(address, sizeof(address));
	child = fork();
	igt_assert_lte(0, child);
	if (!child)
		churn(3, CHURN_S);
	close_card();
	for (unsigned int i = 0; i < 4; i++) {
		usleep(2000000 + i * 300000);
		xetile_rebind(address);
	}
	igt_assert_eq(waitpid(child, &status, 0), child);
	igt_assert_f(!status || (WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS),
		     "status %#x\n", status);
	open_card();
	job_check_usable(card.fd);
}

igt_main
{
	igt_fixture {
		igt_require_f(!geteuid(), "only root can become other users\n");
		open_card();
	}

	igt_describe("Numbers without pages must tell those who remove the module that it is in use");
	igt_subtest("module")
		test_module();
	igt_describe("Numbers in pages that a client withholds must not keep others' back (M6)");
	igt_subtest("withheld-numbers")
		test_withheld();
	igt_describe("Numbers that are never written must be limited by user (M6)");
	igt_subtest("hoarded-numbers")
		test_hoard();
	igt_describe("Own queues in an address space for work without an end must run (M1)");
	igt_subtest("own-queues")
		test_own_queues();
	igt_describe("Own calls on buffers that such work uses must not end it (M1)");
	igt_subtest("own-buffers")
		test_own_buffers();
	igt_describe("Own calls on a buffer of 4 KiB must be answered (G1)");
	igt_subtest("small-buffer")
		test_small_buffer();
	igt_describe("A queue of several tiles must be refused: its end is not one number (M5)");
	igt_subtest("root-queue")
		test_root_queue();
	igt_describe("Work without an end must end when memory that it uses goes with its process");
	igt_subtest("lender-exits")
		test_lender(false);
	igt_subtest("lender-killed")
		test_lender(true);
	igt_describe("Files that nobody closes must not hold up others' such files");
	igt_subtest("collected")
		test_collected();
	igt_describe("Threads that take away what others' calls use, and the file, must harm none");
	igt_subtest("churn")
		test_churn();
	igt_describe("The same while the card goes and comes back");
	igt_subtest("churn-unbind")
		test_churn_unbind();


	igt_fixture
		close_card();
}
