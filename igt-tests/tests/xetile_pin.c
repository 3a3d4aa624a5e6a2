// SPDX-License-Identifier: MIT
/*
 * Buffers that stay in HBM: nothing evicts them, nobody pins all, and whoever has one that must go
 * is told.
 * Statements: S112.
 *
 * suite: once
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_managed.h"
#include "xetile_privilege.h"
#include "xetile_recolor.h"

IGT_TEST_DESCRIPTION("Buffers that stay in HBM");

#define HBM		DRM_XETILE_PLACE_HBM

static uint32_t private_bo(int fd, uint32_t vm, uint64_t size, uint32_t placement, uint32_t flags)
{
	struct drm_xetile_bo_create args = {
		.size = size, .placement = placement, .flags = flags, .vm_id = vm,
	};

	if (placement & HBM) {
		args.color = DRM_XETILE_COLOR_TILE;
		args.tile_mask = 1;
	}
	igt_assert_eq(__xetile_bo_create(fd, &args), 0);
	return args.handle;
}

static int try_pin(int fd, uint32_t bo, uint32_t flags, int event)
{
	struct drm_xetile_bo_pin args = { .handle = bo, .flags = flags, .event_fd = event };

	return xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_PIN, &args);
}

static void pin(int fd, uint32_t bo, int event)
{
	igt_assert_eq(try_pin(fd, bo, 0, event), 0);
}

static void unpin(int fd, uint32_t bo)
{
	igt_assert_eq(try_pin(fd, bo, DRM_XETILE_PIN_END, -1), 0);
}

static bool is_pinned(int fd, uint32_t bo)
{
	struct drm_xetile_bo_info info = { .handle = bo };

	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_INFO, &info), 0);
	return info.pinned;
}

/* Whether the eventfd was signalled since the last call */
static bool was_told(int event)
{
	struct pollfd p = { .fd = event, .events = POLLIN };
	eventfd_t n;

	igt_assert_lte(0, poll(&p, 1, 0));
	if (!(p.revents & POLLIN))
		return false;
	igt_assert_eq(eventfd_read(event, &n), 0);
	igt_assert_eq_u64(n, 1);
	return true;
}

/* The pinned buffer would be the first to go, because it is the oldest. */
static void test_evict(const struct xetile_card *card)
{
	uint32_t kept, other, hog, more;
	struct place p;
	int fd = card->fd;

	require_room_elsewhere(card);
	/* What a buffer of another subtest still has would count as taken, and be free later. */
	xetile_wait_hbm_free(fd);
	place_init(&p, fd);
	kept = private_bo(fd, p.vm, RANGE, HBM, 0);
	paint(fd, kept, RANGE, 1);
	pin(fd, kept, -1);
	other = private_bo(fd, p.vm, RANGE, HBM, 0);
	hog = take_free_and_more(fd, RANGE / 2);
	igt_assert_eq_u64(pages_on(fd, kept, 0), RANGE / PAGE);
	igt_assert_eq_u64(pages_on(fd, other, SYSTEM), RANGE / PAGE);
	/* Without the pin it goes, and to pin it brings it back, if need be to another tile. */
	unpin(fd, kept);
	more = take_free_and_more(fd, RANGE / 2);
	igt_assert_eq_u64(pages_on(fd, kept, SYSTEM), RANGE / PAGE);
	igt_assert(!is_pinned(fd, kept));
	pin(fd, kept, -1);
	igt_assert_eq_u64(pages_on(fd, kept, SYSTEM), 0);
	igt_assert(is_pinned(fd, kept));
	xetile_bo_close(fd, more);
	xetile_bo_close(fd, hog);
	xetile_bo_close(fd, other);
	check_paint(fd, kept, RANGE, 1);
	xetile_bo_close(fd, kept);
	place_fini(&p);
}

/* Who waits for memory in use waits for what can go, and does not take what is pinned. */
static void test_busy(const struct xetile_card *card)
{
	uint32_t kept, other;
	struct place p;
	int fd = card->fd, status;
	pid_t pid;

	require_room_elsewhere(card);
	xetile_wait_hbm_free(fd);
	place_init(&p, fd);
	kept = private_bo(fd, p.vm, RANGE, HBM, 0);
	other = private_bo(fd, p.vm, RANGE, HBM, 0);
	xetile_vm_map(fd, p.vm, kept, 0, ADDR, RANGE);
	xetile_vm_map(fd, p.vm, other, 0, ADDR + RANGE, RANGE);
	place_hold(&p);
	pin(fd, kept, -1);
	pid = fork();
	igt_assert(pid >= 0);
	if (!pid) {
		/* The child's file ends with the child. */
		take_free_and_more(xetile_reopen(fd), RANGE / 2);
		_exit(0);
	}
	xetile_assert_soon(xetile_sleeps_in(pid, "xetile_room_again"));
	place_let_go(&p);
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	igt_assert_eq_u64(pages_on(fd, kept, 0), RANGE / PAGE);
	igt_assert_eq_u64(pages_on(fd, other, 0), 0);
	xetile_bo_close(fd, kept);
	xetile_bo_close(fd, other);
	place_fini(&p);
}

/* A move ends the pin and tells; an end that the user has asked for does not. */
static void test_event(const struct xetile_card *card)
{
	const uint32_t last = 1u << (card->device.num_tiles - 1);
	const struct drm_xetile_bo_range none = range_of(0, 2, DRM_XETILE_COLOR_TILE, 1);
	const struct drm_xetile_bo_range move = range_of(1, 2, DRM_XETILE_COLOR_TILE, last);
	int fd = card->fd, first = eventfd(0, EFD_NONBLOCK), event = eventfd(0, EFD_NONBLOCK);
	uint32_t bo, vm = xetile_vm(fd);

	igt_assert(first >= 0 && event >= 0);
	bo = private_bo(fd, vm, RANGE, HBM, 0);
	pin(fd, bo, first);
	pin(fd, bo, event);
	xetile_recolor(fd, bo, &none, 1);
	igt_assert(is_pinned(fd, bo) && !was_told(event));
	xetile_recolor(fd, bo, &move, 1);
	igt_assert(!is_pinned(fd, bo) && was_told(event) && !was_told(first));
	xetile_recolor(fd, bo, &none, 1);
	igt_assert(!was_told(event));

	pin(fd, bo, event);
	unpin(fd, bo);
	unpin(fd, bo);
	igt_assert(!is_pinned(fd, bo));
	pin(fd, bo, event);
	xetile_bo_close(fd, bo);
	igt_assert(!was_told(event));
	close(first);
	close(event);
	xetile_vm_destroy(fd, vm);
}

/* A user reaches the user's limit, and gets back what is not pinned any more. */
static void test_user_limit(const struct xetile_card *card)
{
	unsigned int was = xetile_set_parameter("user_bo_pins", 3);
	int fd = card->fd, status;
	uint32_t bo[2], vm = xetile_vm(fd);
	pid_t pid;

	for (int i = 0; i < 2; i++)
		bo[i] = private_bo(fd, vm, RANGE, HBM, 0);
	pid = fork();
	igt_assert(pid >= 0);
	if (!pid) {
		privilege_use(CAP_SYS_RESOURCE, false);
		pin(fd, bo[0], -1);
		igt_assert_eq(try_pin(fd, bo[1], 0, -1), -EDQUOT);
		igt_assert(!is_pinned(fd, bo[1]));
		unpin(fd, bo[0]);
		pin(fd, bo[1], -1);
		_exit(0);
	}
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	pin(fd, bo[0], -1);
	xetile_set_parameter("user_bo_pins", was);
	for (int i = 0; i < 2; i++)
		xetile_bo_close(fd, bo[i]);
	xetile_vm_destroy(fd, vm);
}

/* Nobody pins more than half of a tile, and the others get the other half. */
static void test_half(const struct xetile_card *card)
{
	uint32_t bo[3], hog, none, vm;
	int fd = card->fd;

	require_room_elsewhere(card);
	vm = xetile_vm(fd);
	for (int i = 0; i < 2; i++)
		bo[i] = private_bo(fd, vm, part_of_tile(card, 30), HBM, DRM_XETILE_BO_STRICT);
	bo[2] = private_bo(fd, vm, part_of_tile(card, 15), HBM, DRM_XETILE_BO_STRICT);
	pin(fd, bo[0], -1);
	igt_assert_eq(try_pin(fd, bo[1], 0, -1), -ENOSPC);
	igt_assert(!is_pinned(fd, bo[1]));
	pin(fd, bo[2], -1);
	hog = strict_on(fd, part_of_tile(card, 50), 0);
	igt_assert_eq_u64(pages_on(fd, bo[1], 0), 0);
	/* Nothing that is not pinned would make so much room. */
	igt_assert_eq(try_tile(fd, part_of_tile(card, 60), 0, DRM_XETILE_BO_STRICT, HBM, &none),
		      -ENOSPC);
	xetile_bo_close(fd, hog);
	/* What was pinned does not count any more. */
	xetile_bo_close(fd, bo[0]);
	pin(fd, bo[1], -1);
	for (int i = 1; i < 3; i++)
		xetile_bo_close(fd, bo[i]);
	xetile_vm_destroy(fd, vm);
}

static void test_refused(const struct xetile_card *card)
{
	struct drm_xetile_bo_pin args = { .event_fd = -1 };
	uint32_t vm = xetile_vm(card->fd), bo, other;
	int fd = card->fd, file = open("/dev/null", O_RDONLY);

	bo = private_bo(fd, vm, RANGE, HBM, 0);
	args.handle = bo;
	args.flags = 2;
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_PIN, &args), -EINVAL);
	args.flags = 0;
	args.pad = 1;
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_PIN, &args), -EINVAL);
	igt_assert_eq(try_pin(fd, bo, 0, file), -EINVAL);
	igt_assert_eq(try_pin(fd, bo, 0, -2), -EINVAL);
	igt_assert_eq(try_pin(fd, bo, 0, 1 << 20), -EINVAL);
	igt_assert_eq(try_pin(fd, bo, DRM_XETILE_PIN_END, 0), -EINVAL);
	igt_assert_eq(try_pin(fd, BAD_ID, 0, -1), -ENOENT);
	igt_assert(!is_pinned(fd, bo));
	xetile_bo_close(fd, bo);
	bo = xetile_bo(fd, RANGE, HBM);
	igt_assert_eq(try_pin(fd, bo, 0, -1), -EOPNOTSUPP);
	igt_assert_eq(try_pin(fd, bo, DRM_XETILE_PIN_END, -1), -EOPNOTSUPP);
	xetile_bo_close(fd, bo);
	bo = private_bo(fd, vm, RANGE, DRM_XETILE_PLACE_SYSTEM, 0);
	igt_assert_eq(try_pin(fd, bo, 0, -1), -EINVAL);
	other = private_bo(fd, vm, RANGE, BOTH, DRM_XETILE_BO_MIGRATE);
	igt_assert_eq(try_pin(fd, other, 0, -1), -EOPNOTSUPP);
	xetile_bo_close(fd, other);
	xetile_bo_close(fd, bo);
	xetile_vm_destroy(fd, vm);
	close(file);
}

/* The card goes: whoever had pinned something is told, and closes the file without harm. */
static void test_gone(void)
{
	int fd = xetile_open(), event = eventfd(0, EFD_NONBLOCK);
	uint32_t bo = private_bo(fd, xetile_vm(fd), RANGE, HBM, 0);
	char address[64];

	igt_assert(event >= 0);
	xetile_bound_card(address, sizeof(address));
	pin(fd, bo, event);
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	igt_assert(was_told(event));
	close(fd);
	close(event);
	igt_assert_eq(xetile_write_driver("bind", address), 0);
}

igt_main
{
	struct xetile_card card;

	igt_fixture {
		xetile_open_card(&card);
		lab_require_card();
		igt_require(card.device.num_tiles > 1);
		igt_assert(card.device.caps & DRM_XETILE_CAP_PIN);
	}

	igt_describe("S112: what is pinned must stay in HBM when others want it");
	igt_subtest("evict")
		test_evict(&card);
	igt_describe("S112: it must stay, too, when others wait for memory in use");
	igt_subtest("busy")
		test_busy(&card);
	igt_describe("S112: a user must be told when it has to go");
	igt_subtest("event")
		test_event(&card);
	igt_describe("A user's limit must hold, but for the administrator");
	igt_subtest("user-limit")
		test_user_limit(&card);
	igt_describe("Half of a tile must be left for what is not pinned");
	igt_subtest("half")
		test_half(&card);
	igt_describe("What cannot be pinned must be refused");
	igt_subtest("refused")
		test_refused(&card);

	igt_fixture
		close(card.fd);

	igt_describe("S112: a user must be told when the card goes");
	igt_subtest("gone")
		test_gone();
}
