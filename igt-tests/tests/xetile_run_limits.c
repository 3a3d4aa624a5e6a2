// SPDX-License-Identifier: MIT
/*
 * A user's limit of page tables, and endless jobs: the driver makes tables anew for these by itself,
 * when their buffers have moved, and no call is there to hear of a limit. Gap M3 of the map of
 * runtimes. Statement: W21.
 *
 * suite: igt 4-tiles
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_privilege.h"
#include "xetile_recolor.h"
#include "xetile_xe.h"
#include "xetile_xe_exec.h"
#include "xetile_xe_ring.h"

IGT_TEST_DESCRIPTION("A user's limit of page tables, and endless jobs");

#define USER		65534
#define LIMIT_MIB	2u
#define LIMIT		(LIMIT_MIB * 1024ull * 1024)

/*
 * A buffer that needs no table while it lies on one tile, because it is mapped by 2 MiB; and one for
 * each 2 MiB when its pages alternate between tiles
 */
#define BUF_SIZE	(32 * SZ_2M)
#define BUF_AT(n)	(SZ_1G * 64 + (n) * BUF_SIZE)
/* Mappings of it that need an eighth of the limit then, and four times the limit */
#define FEW		2u
#define MANY		64u
/* Where another address space maps pages that need two tables each */
#define LONE_AT(n)	(((n) + 1) * SZ_1G)

static struct xetile_card card = { .fd = -1 };

/* Returns the bytes of the tables and contexts of a file on tile 0; @bufs: those of its buffers */
static uint64_t pinned(int fd, uint64_t bufs)
{
	return xetile_fdinfo_bytes(fd, "drm-total-hbm0") - bufs;
}

/* Takes what is left of the limit. */
static void use_up(int fd)
{
	struct drm_xetile_bind lone = { .op = DRM_XETILE_BIND_MAP_NULL, .range = SZ_64K };
	uint32_t vm = xetile_vm(fd);
	int err;

	for (unsigned int n = 0; ; n++) {
		lone.addr = LONE_AT(n);
		err = __xetile_vm_bind(fd, vm, &lone, 1, NULL, 0);
		if (err)
			break;
	}
	igt_assert_eq(err, -EDQUOT);
}

/* Has each mapping of the buffer need tables, under a ring that runs. */
static void scatter(int fd, uint32_t bo)
{
	struct drm_xetile_bo_range all = range_of(0, BUF_SIZE / SZ_64K, DRM_XETILE_COLOR_CHUNK, 3);

	xetile_recolor(fd, bo, &all, 1);
}

/* Makes a ring, and @n mappings of a buffer that is scattered then. Returns the file. */
static int run(struct ring *r, unsigned int n, bool full)
{
	int fd = privilege_open_render(card.fd);
	uint32_t bo;

	ring_init(r, fd, DRM_XE_ENGINE_CLASS_COPY, DRM_XETILE_PLACE_SYSTEM);
	bo = xetile_bo_color(fd, BUF_SIZE, DRM_XETILE_COLOR_TILE, 1, 0);
	for (unsigned int i = 0; i < n; i++)
		xetile_vm_map(fd, r->vm, bo, 0, BUF_AT(i), BUF_SIZE);
	ring_check(r);
	igt_assert_lte_u64(pinned(fd, BUF_SIZE), LIMIT / 2);
	if (full)
		use_up(fd);
	scatter(fd, bo);
	return fd;
}

/* The user has all it may have: a ring whose memory has moved goes on nevertheless. */
static void test_moved(void)
{
	struct ring r;
	int fd = run(&r, FEW, true);

	ring_check(&r);
	igt_assert_lte_u64(LIMIT + 1, pinned(fd, BUF_SIZE / 2));
	igt_assert_lte_u64(pinned(fd, BUF_SIZE / 2), 2 * LIMIT);
	ring_fini(&r);
	close(fd);
}

/* A user maps one buffer often enough that its tables would take much more than the user may have. */
static void test_greedy(void)
{
	uint64_t until = xetile_now_ms() + 60000;
	struct ring r;
	int fd = run(&r, MANY, false);

	while (!__xe_queue_is_banned(fd, r.queue) && xetile_now_ms() < until) {
		igt_assert_lte_u64(pinned(fd, BUF_SIZE / 2), 2 * LIMIT);
		usleep(1000);
	}
	igt_assert_eq(__xe_queue_is_banned(fd, r.queue), 1);
	igt_assert_lte_u64(pinned(fd, BUF_SIZE / 2), LIMIT / 2);
	ring_fini(&r);
	close(fd);
}

/* Root has no limit, and its ring none. */
static void test_root(void)
{
	struct ring r;
	int fd = run(&r, MANY, false);

	ring_check(&r);
	igt_assert_lte_u64(2 * LIMIT + 1, pinned(fd, BUF_SIZE / 2));
	ring_fini(&r);
	close(fd);
}

static void as_user(uid_t user, void (*test)(void))
{
	unsigned int was;

	igt_require(card.device.num_tiles > 1);
	/* What the user's files of other subtests have counts towards its limit until it is freed. */
	xetile_wait_hbm_free(card.fd);
	was = xetile_set_parameter("user_pinned", LIMIT_MIB);
	igt_fork(child, 1) {
		privilege_become(user);
		test();
	}
	igt_waitchildren();
	xetile_set_parameter("user_pinned", was);
	xetile_wait_hbm_free(card.fd);
}

igt_main
{
	mode_t mode = 0;
	char *path = NULL;

	igt_fixture {
		struct stat node;

		xetile_open_card(&card);
		path = drmGetRenderDeviceNameFromFd(card.fd);
		igt_assert(path && !stat(path, &node) && !chmod(path, 0666));
		mode = node.st_mode & 07777;
	}
	igt_describe("A ring must go on when its memory has moved, though its user is at the limit");
	igt_subtest("moved")
		as_user(USER, test_moved);
	igt_describe("A ring must not get its user more tables than twice the limit");
	igt_subtest("greedy")
		as_user(USER, test_greedy);
	igt_describe("A ring of root's must have no limit of tables");
	igt_subtest("root")
		as_user(0, test_root);
	igt_fixture {
		chmod(path, mode);
		free(path);
		close(card.fd);
	}
}
