// SPDX-License-Identifier: MIT
/*
 * Buffers whose content may be dropped: they go before all others, nothing of them is copied, and
 * nobody sees what another client had.
 *
 * suite: igt
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_managed.h"
#include "xetile_recolor.h"

IGT_TEST_DESCRIPTION("Buffers whose content may be dropped");

#define HBM		DRM_XETILE_PLACE_HBM
#define ALLOW		DRM_XETILE_PURGE_ALLOW

static uint32_t private_bo(int fd, uint32_t vm, uint32_t placement, uint32_t flags)
{
	struct drm_xetile_bo_create args = {
		.size = RANGE, .placement = placement, .flags = flags, .vm_id = vm,
	};

	if (placement & HBM) {
		args.color = DRM_XETILE_COLOR_TILE;
		args.tile_mask = 1;
	}
	igt_assert_eq(__xetile_bo_create(fd, &args), 0);
	return args.handle;
}

static int try_purge(int fd, uint32_t bo, uint32_t flags, uint32_t *retained)
{
	struct drm_xetile_bo_purge args = { .handle = bo, .flags = flags };
	int err = xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_PURGE, &args);

	*retained = args.retained;
	return err;
}

/* Returns whether the buffer has kept its content. */
static bool allow(int fd, uint32_t bo)
{
	uint32_t retained;

	igt_assert_eq(try_purge(fd, bo, ALLOW, &retained), 0);
	return retained;
}

static bool forbid(int fd, uint32_t bo)
{
	uint32_t retained;

	igt_assert_eq(try_purge(fd, bo, 0, &retained), 0);
	return retained;
}

static bool is_purged(int fd, uint32_t bo)
{
	return !xetile_bo_runs(fd, bo, NULL, 0);
}

static void check_zero(int fd, uint32_t bo)
{
	const uint32_t *map = xetile_bo_map(fd, bo, RANGE);

	for (uint64_t i = 0; i < WORDS; i += 64)
		igt_assert_eq_u32(map[i], 0);
	munmap((void *)map, RANGE);
}

/* The older buffer would be the first to go. */
static void test_first(const struct xetile_card *card)
{
	int fd = xetile_reopen(card->fd);
	uint32_t older, bo, hog, vm;
	uint64_t copied, system;

	/* What a buffer of another subtest still has would count as taken, and be free later. */
	xetile_wait_hbm_free(fd);
	vm = xetile_vm(fd);
	older = private_bo(fd, vm, HBM, 0);
	bo = private_bo(fd, vm, HBM, 0);
	paint(fd, older, RANGE, 1);
	paint(fd, bo, RANGE, 2);
	system = xetile_fdinfo_bytes(fd, "drm-total-system");
	igt_assert(allow(fd, bo));
	igt_assert_eq_u64(xetile_fdinfo_bytes(fd, "drm-purgeable-hbm0"), RANGE);
	copied = xetile_copy_counter("write_system");
	hog = take_free_and_more(card->fd, RANGE / 2);
	igt_assert(is_purged(fd, bo));
	igt_assert_eq_u64(pages_on(fd, older, 0), RANGE / PAGE);
	igt_assert_eq_u64(xetile_copy_counter("write_system"), copied);
	igt_assert_eq_u64(xetile_fdinfo_bytes(fd, "xetile-moved-evict"), 0);
	igt_assert_eq_u64(xetile_fdinfo_bytes(fd, "drm-purgeable-hbm0"), 0);
	igt_assert_eq_u64(xetile_fdinfo_bytes(fd, "drm-total-system"), system);

	/* What it gets has another client's bytes. */
	paint(card->fd, hog, 2 * RANGE, 3);
	xetile_bo_close(card->fd, hog);
	igt_assert(!allow(fd, bo) && !forbid(fd, bo));
	igt_assert_eq_u64(pages_on(fd, bo, 0), RANGE / PAGE);
	check_zero(fd, bo);
	igt_assert(forbid(fd, bo));
	check_paint(fd, older, RANGE, 1);
	close(fd);
}

/* A buffer that is needed again is as any other. */
static void test_again(const struct xetile_card *card)
{
	uint32_t older, bo, hog, vm;
	int fd = card->fd;

	require_room_elsewhere(card);
	xetile_wait_hbm_free(fd);
	vm = xetile_vm(fd);
	older = private_bo(fd, vm, HBM, 0);
	bo = private_bo(fd, vm, HBM, 0);
	paint(fd, bo, RANGE, 1);
	igt_assert(allow(fd, bo) && forbid(fd, bo));
	igt_assert_eq_u64(xetile_fdinfo_bytes(fd, "drm-purgeable-hbm0"), 0);
	hog = take_free_and_more(fd, RANGE / 2);
	igt_assert_eq_u64(pages_on(fd, older, SYSTEM), RANGE / PAGE);
	igt_assert_eq_u64(pages_on(fd, bo, 0), RANGE / PAGE);
	xetile_bo_close(fd, older);
	older = take_free_and_more(fd, RANGE / 2);
	igt_assert_eq_u64(pages_on(fd, bo, SYSTEM), RANGE / PAGE);
	xetile_bo_close(fd, older);
	xetile_bo_close(fd, hog);
	check_paint(fd, bo, RANGE, 1);
	xetile_bo_close(fd, bo);
	xetile_vm_destroy(fd, vm);
}

/* Nobody uses a buffer that was purged, until it is needed again. */
static void test_lost(const struct xetile_card *card)
{
	const struct drm_xetile_bo_range range = range_of(0, 1, DRM_XETILE_COLOR_TILE, 1);
	struct drm_xetile_bind bind = { .addr = ADDR + RANGE, .range = RANGE };
	struct drm_xetile_bo_pin pin = { .event_fd = -1 };
	uint32_t bo, hog, *map;
	int fd = card->fd;
	struct place p;

	xetile_wait_hbm_free(fd);
	place_init(&p, fd);
	bo = private_bo(fd, p.vm, HBM, 0);
	map = xetile_bo_map(fd, bo, RANGE);
	xetile_vm_map(fd, p.vm, bo, 0, ADDR, RANGE);
	igt_assert(allow(fd, bo));
	place_store(&p, ADDR, 1);
	igt_assert_eq_u32(map[0], 1);
	hog = take_free_and_more(fd, RANGE / 2);
	igt_assert_eq(__xetile_exec(fd, p.queue, p.ctl.addr, NULL, 0), -ENODATA);
	pin.handle = bind.handle = bo;
	igt_assert_eq(__xetile_vm_bind(fd, p.vm, &bind, 1, NULL, 0), -ENODATA);
	igt_assert_eq(__xetile_recolor(fd, bo, &range, 1, NULL, 0), -ENODATA);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_PIN, &pin), -ENODATA);
	xetile_check_sigbus(map);
	xetile_bo_close(fd, hog);
	igt_assert(is_purged(fd, bo) && !forbid(fd, bo));
	place_store(&p, ADDR + PAGE, 2);
	igt_assert_eq_u32(map[0], 0);
	igt_assert_eq_u32(map[PAGE / 4], 2);
	munmap(map, RANGE);
	xetile_bo_close(fd, bo);
	place_fini(&p);
}

/* What a job uses stays until the job is done; then who waits for room takes it. */
static void test_busy(const struct xetile_card *card)
{
	uint64_t copied, room;
	uint32_t bo, hog;
	struct place p;
	int fd = card->fd, status;
	pid_t pid;

	require_room_elsewhere(card);
	xetile_wait_hbm_free(fd);
	place_init(&p, fd);
	bo = private_bo(fd, p.vm, HBM, 0);
	xetile_vm_map(fd, p.vm, bo, 0, ADDR, RANGE);
	paint(fd, bo, RANGE, 1);
	igt_assert(allow(fd, bo));
	place_hold(&p);
	igt_assert_eq_u64(xetile_fdinfo_bytes(fd, "drm-purgeable-hbm0"), 0);
	room = hbm_free(fd);
	igt_assert_eq(try_tile(fd, (room & ~(PAGE - 1)) + RANGE, 0, DRM_XETILE_BO_STRICT, BOTH,
			       &hog), 0);
	igt_assert_eq_u64(pages_on(fd, hog, 0), 0);
	check_paint(fd, bo, RANGE, 1);
	xetile_bo_close(fd, hog);
	/* What else becomes free would be room for the next one. */
	xetile_assert_soon(hbm_free(fd) >= room);
	copied = xetile_copy_counter("write_system");
	pid = fork();
	igt_assert(pid >= 0);
	if (!pid) {
		/* The child's file ends with the child. */
		take_free_and_more(xetile_reopen(fd), RANGE / 2);
		_exit(0);
	}
	xetile_assert_soon(xetile_sleeps_in(pid, "xetile_room_again"));
	igt_assert(!is_purged(fd, bo));
	place_let_go(&p);
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	igt_assert(is_purged(fd, bo));
	igt_assert_eq_u64(xetile_copy_counter("write_system"), copied);
	xetile_bo_close(fd, bo);
	place_fini(&p);
}

/* Two calls of one file that want a buffer back at once: neither relies on what was dropped. */
static void test_together(const struct xetile_card *card)
{
	struct drm_xetile_bo_create args = {
		.placement = HBM, .flags = DRM_XETILE_BO_STRICT, .color = DRM_XETILE_COLOR_TILE,
		.tile_mask = 1,
	};
	int fd = card->fd, status;
	uint32_t bo, vm;
	struct place p;
	pid_t pids[2];

	xetile_wait_hbm_free(fd);
	place_init(&p, fd);
	vm = xetile_vm(fd);
	bo = private_bo(fd, vm, HBM, DRM_XETILE_BO_STRICT);
	igt_assert(allow(fd, bo));
	args.size = (hbm_free(fd) & ~(PAGE - 1)) + RANGE / 2;
	args.vm_id = p.vm;
	igt_assert_eq(__xetile_bo_create(fd, &args), 0);
	igt_assert(is_purged(fd, bo));
	/* Both calls wait for the job of a buffer that will be dropped for them. */
	xetile_vm_map(fd, p.vm, args.handle, 0, ADDR, RANGE);
	igt_assert(allow(fd, args.handle));
	place_hold(&p);
	for (int i = 0; i < 2; i++) {
		pids[i] = fork();
		igt_assert_lte(0, pids[i]);
		if (!pids[i])
			_exit(forbid(fd, bo));
	}
	for (int i = 0; i < 2; i++)
		xetile_assert_soon(xetile_sleeps_in(pids[i], "xetile_room_again"));
	place_let_go(&p);
	for (int i = 0; i < 2; i++) {
		igt_assert_eq(waitpid(pids[i], &status, 0), pids[i]);
		igt_assert_f(WIFEXITED(status) && !WEXITSTATUS(status),
			     "call %d: told that the content was kept\n", i);
	}
	check_zero(fd, bo);
	xetile_bo_close(fd, bo);
	xetile_bo_close(fd, args.handle);
	xetile_vm_destroy(fd, vm);
	place_fini(&p);
}

static void test_refused(const struct xetile_card *card)
{
	struct drm_xetile_bo_purge args = { 0 };
	struct drm_xetile_bo_pin pin = { .event_fd = -1 };
	uint32_t vm = xetile_vm(card->fd), bo, none;
	int fd = card->fd;

	bo = private_bo(fd, vm, HBM, 0);
	args.handle = pin.handle = bo;
	args.flags = 2;
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_PURGE, &args), -EINVAL);
	args.flags = ALLOW;
	args.pad = 1;
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_PURGE, &args), -EINVAL);
	igt_assert_eq(try_purge(fd, BAD_ID, ALLOW, &none), -ENOENT);
	igt_assert(allow(fd, bo));
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_PIN, &pin), -EINVAL);
	igt_assert(forbid(fd, bo));
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_PIN, &pin), 0);
	igt_assert_eq(try_purge(fd, bo, ALLOW, &none), -EINVAL);
	igt_assert_eq(xetile_fdinfo_bytes(fd, "drm-purgeable-hbm0"), 0);
	xetile_bo_close(fd, bo);
	bo = xetile_bo(fd, RANGE, HBM);
	igt_assert_eq(try_purge(fd, bo, ALLOW, &none), -EOPNOTSUPP);
	xetile_bo_close(fd, bo);
	bo = private_bo(fd, vm, BOTH, DRM_XETILE_BO_MIGRATE);
	igt_assert_eq(try_purge(fd, bo, ALLOW, &none), -EOPNOTSUPP);
	xetile_bo_close(fd, bo);
	bo = private_bo(fd, vm, DRM_XETILE_PLACE_SYSTEM, 0);
	igt_assert_eq(try_purge(fd, bo, ALLOW, &none), -EINVAL);
	xetile_bo_close(fd, bo);
	xetile_vm_destroy(fd, vm);
}

igt_main
{
	struct xetile_card card;

	igt_fixture {
		xetile_open_card(&card);
		lab_require_card();
		igt_assert(card.device.caps & DRM_XETILE_CAP_PURGE);
	}

	igt_describe("What may be dropped must go first, without a copy, and come back as zeros");
	igt_subtest("first")
		test_first(&card);
	igt_describe("What is needed again must be kept, as any other buffer");
	igt_subtest("again")
		test_again(&card);
	igt_describe("What was dropped must be refused, to both sides, until it is needed again");
	igt_subtest("lost")
		test_lost(&card);
	igt_describe("What a job uses must not be dropped before the job is done");
	igt_subtest("busy")
		test_busy(&card);
	igt_describe("All who want a buffer back at once must be told that it was dropped");
	igt_subtest("together")
		test_together(&card);
	igt_describe("What cannot be dropped must be refused");
	igt_subtest("refused")
		test_refused(&card);

	igt_fixture
		close(card.fd);
}
