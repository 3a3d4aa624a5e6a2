// SPDX-License-Identifier: MIT
/*
 * The card is pulled out and put back: with nothing open, under open files and
 * mappings, under load. What is open answers ENODEV, all fences signal, and the
 * card that comes back is as new.
 * Statements: S108.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_lab.h"

IGT_TEST_DESCRIPTION("Surprise removal and re-plug");

#define BATCH_ADDR	0x10000000ull
#define DATA_ADDR	0x4000000000ull

#define COMPUTE		DRM_XETILE_ENGINE_COMPUTE
#define COPY		DRM_XETILE_ENGINE_COPY
#define ROOT		DRM_XETILE_TARGET_ROOT
#define TILE		DRM_XETILE_TARGET_TILE

struct user {
	int fd;
	uint32_t vm, queue, count;
	struct xetile_buf batch, data;
};

static void user_init(struct user *u, uint32_t class, uint32_t target)
{
	memset(u, 0, sizeof(*u));
	u->fd = xetile_open();
	u->vm = xetile_vm(u->fd);
	xetile_buf_init(&u->batch, u->fd, u->vm, BATCH_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	xetile_buf_init(&u->data, u->fd, u->vm, DATA_ADDR, SZ_2M, DRM_XETILE_PLACE_HBM);
	u->queue = xetile_queue(u->fd, u->vm, class, target, 0, 0);
}

/* Batches that wait for @hold are not done before they are let go. */
static int user_exec(struct user *u, uint32_t syncobj, bool hold)
{
	struct drm_xetile_sync sync = { .handle = syncobj, .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;

	batch_begin(&b, &u->batch, hold ? 4096 : 0);
	if (hold)
		batch_wait(&b, u->batch.addr + 8192, 1);
	batch_store(&b, u->data.addr, ++u->count, false);
	batch_end(&b);
	return __xetile_exec(u->fd, u->queue, batch_addr(&b), &sync, 1);
}

static void use_new_card(void)
{
	static const uint32_t kinds[][2] = { { COMPUTE, ROOT }, { COMPUTE, TILE }, { COPY, TILE } };

	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct user u;
		uint32_t sync;

		user_init(&u, kinds[i][0], kinds[i][1]);
		sync = xetile_syncobj(u.fd);
		igt_assert_eq(user_exec(&u, sync, false), 0);
		igt_assert_eq(__xetile_wait(u.fd, sync, 60000), 0);
		igt_assert_eq(xetile_fence_status(u.fd, sync), 1);
		igt_assert_eq_u32(u.data.map[0], 1);
		munmap(u.batch.map, u.batch.size);
		munmap(u.data.map, u.data.size);
		close(u.fd);
	}
}

static void pull_out(bool surprise)
{
	char path[64];

	/* Gone from the bus at once; the slot tells the kernel later. */
	if (surprise)
		lab_inject("unplug");
	lab_plug(false);
	igt_assert_eq(xetile_open_path(path, sizeof(path)), -ENODEV);
}

static void put_back(void)
{
	char path[64];

	lab_plug(true);
	/* The slot's interrupt, the bus scan, the probe: a minute is plenty. */
	for (int i = 0; i < 600 && xetile_open_path(path, sizeof(path)); i++)
		usleep(100000);
	use_new_card();
}

/* A subtest that failed may have left it out. */
static void ensure_card(void)
{
	char path[64];

	if (xetile_open_path(path, sizeof(path)))
		put_back();
}

static sigjmp_buf no_memory;

static void on_sigbus(int sig)
{
	siglongjmp(no_memory, 1);
}

/* A mapping of a card that is gone may be refused, and is harmless. */
static void touch(struct user *u)
{
	struct sigaction sa = { .sa_handler = on_sigbus, .sa_flags = SA_NODEFER }, old;

	igt_assert_eq(sigaction(SIGBUS, &sa, &old), 0);
	if (!sigsetjmp(no_memory, 1)) {
		volatile uint32_t *p = u->data.map;

		for (unsigned int i = 0; i < u->data.size / 4; i += 1024)
			p[i] = p[i] + 1;
	}
	igt_assert_eq(sigaction(SIGBUS, &old, NULL), 0);
}

/* Every call on a file of a card that is gone. */
static void check_gone(struct user *u)
{
	struct drm_xetile_vm_create vm = { 0 };
	struct drm_xetile_bo_create bo = { .size = SZ_64K, .placement = DRM_XETILE_PLACE_HBM };
	struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_UNMAP, .addr = DATA_ADDR, .range = SZ_2M,
	};
	struct drm_xetile_queue_create queue = {
		.vm_id = u->vm, .engine_class = COMPUTE, .target = TILE,
	};
	struct drm_xetile_queue_info info = { .queue_id = u->queue };

	igt_assert_eq(xetile_ioctl(u->fd, DRM_IOCTL_XETILE_VM_CREATE, &vm), -ENODEV);
	igt_assert_eq(__xetile_bo_create(u->fd, &bo), -ENODEV);
	igt_assert_eq(__xetile_vm_bind(u->fd, u->vm, &bind, 1, NULL, 0), -ENODEV);
	igt_assert_eq(__xetile_queue_create(u->fd, &queue), -ENODEV);
	igt_assert_eq(xetile_ioctl(u->fd, DRM_IOCTL_XETILE_QUEUE_INFO, &info), -ENODEV);
	igt_assert_eq(__xetile_exec(u->fd, u->queue, BATCH_ADDR, NULL, 0), -ENODEV);
	touch(u);
}

static void user_fini(struct user *u)
{
	munmap(u->batch.map, u->batch.size);
	munmap(u->data.map, u->data.size);
	close(u->fd);
}

static void test_open(bool surprise)
{
	static const uint32_t kinds[][2] = { { COMPUTE, ROOT }, { COMPUTE, TILE }, { COPY, TILE } };
	struct user u[3];
	uint32_t sync[3];

	/* a batch on each that does not end by itself, and one behind it */
	for (unsigned int i = 0; i < ARRAY_SIZE(u); i++) {
		user_init(&u[i], kinds[i][0], kinds[i][1]);
		sync[i] = xetile_syncobj(u[i].fd);
		igt_assert_eq(user_exec(&u[i], sync[i], true), 0);
		igt_assert_eq(user_exec(&u[i], sync[i], false), 0);
		touch(&u[i]);
	}
	pull_out(surprise);
	for (unsigned int i = 0; i < ARRAY_SIZE(u); i++)
		check_gone(&u[i]);
	put_back();
	/* the old files stay what they are, beside the new card */
	for (unsigned int i = 0; i < ARRAY_SIZE(u); i++) {
		check_gone(&u[i]);
		user_fini(&u[i]);
	}
	use_new_card();
}

/* One process that works until the card is gone; how it fails is told. */
static void work(int child)
{
	struct user u;
	uint32_t sync;
	int err = 0;

	user_init(&u, child % 3 == 2 ? COPY : COMPUTE, child % 3 ? TILE : ROOT);
	sync = xetile_syncobj(u.fd);
	for (int n = 0; !err; n++) {
		uint32_t bo = 0;
		struct drm_xetile_bo_create args = {
			.size = SZ_2M, .placement = DRM_XETILE_PLACE_HBM,
		};

		err = user_exec(&u, sync, false);
		if (!err)
			err = __xetile_bo_create(u.fd, &args);
		if (!err) {
			bo = args.handle;
			err = __xetile_wait(u.fd, sync, 60000);
		}
		/* Whatever has become of it, it is told. */
		igt_assert_neq(err, -ETIME);
		if (bo && !err)
			err = drmCloseBufferHandle(u.fd, bo) ? -errno : 0;
	}
	igt_assert_f(err == -ENODEV || err == -EIO, "%s\n", strerror(-err));
	touch(&u);
	user_fini(&u);
}

static void test_load(bool surprise)
{
	igt_fork(child, 6)
		work(child);
	/* all at work */
	sleep(2);
	pull_out(surprise);
	igt_waitchildren();
	put_back();
}

igt_main
{
	igt_fixture {
		igt_assert(!geteuid());
		lab_require_card();
		lab_heal();
	}
	for (int surprise = 0; surprise < 2; surprise++) {
		const char *how = surprise ? "surprise" : "orderly";

		igt_describe("Out and in with nothing open, three times");
		igt_subtest_f("%s-unused", how) {
			ensure_card();
			for (int i = 0; i < 3; i++) {
				pull_out(surprise);
				put_back();
			}
		}
		igt_describe("Under open files, mappings and batches that run");
		igt_subtest_f("%s-open", how) {
			ensure_card();
			test_open(surprise);
		}
		igt_describe("Under load");
		igt_subtest_f("%s-load", how) {
			ensure_card();
			test_load(surprise);
		}
	}
}
