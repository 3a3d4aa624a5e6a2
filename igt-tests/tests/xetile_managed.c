// SPDX-License-Identifier: MIT
/*
 * Memory that moves on access: 2 MiB that the CPU touches go to system memory, the next job brings
 * them back to HBM with their color, and nothing else moves.
 * Statements: S117, S118.
 *
 * suite: igt 4-tiles
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_managed.h"
#include "xetile_place.h"
#include "xetile_recolor.h"

IGT_TEST_DESCRIPTION("Memory that moves on access");

/* Contents go from one side to the other, range by range. */
static void test_turns(const struct xetile_card *card)
{
	struct managed m;
	char *home;

	managed_init_last(&m, card, 4 * RANGE);
	home = managed_where(&m);
	for (uint64_t i = 0; i < m.size / 4; i += 1024)
		igt_assert_eq_u32(m.map[i], 0);
	for (uint32_t round = 1; round < 6; round++) {
		uint64_t from = round % 4, to = (round + 2) % 4;

		managed_fill(&m, from, round);
		managed_fill(&m, to, 99);
		managed_copy(&m, from, to);
		managed_check_away(&m, 0, home);
		for (uint64_t i = 0; i < WORDS; i++)
			igt_assert_eq_u32(m.map[to * WORDS + i], managed_word(from * WORDS + i, round));
		managed_check_filled(&m, from, round);
		managed_check_away(&m, 1 << from | 1 << to, home);
	}
	free(home);
	managed_fini(&m);
}

/* @away: mask of the ranges that the CPU touches; @size: theirs in bytes */
static void check_moves(struct managed *m, const char *home, uint64_t away, uint64_t size)
{
	uint64_t bytes = xetile_bytes_copied();

	for (uint64_t i = 0; i < 64; i++)
		if (away >> i & 1)
			managed_touch(m, i);
	igt_assert_eq_u64(xetile_bytes_copied() - bytes, size);
	managed_check_away(m, away, home);
	/* What is there does not move again. */
	for (uint64_t i = 0; i < 64; i++)
		if (away >> i & 1)
			managed_fill(m, i, away);
	igt_assert_eq_u64(xetile_bytes_copied() - bytes, size);
	managed_run(m);
	igt_assert_eq_u64(xetile_bytes_copied() - bytes, 2 * size);
	managed_check_away(m, 0, home);
	managed_run(m);
	igt_assert_eq_u64(xetile_bytes_copied() - bytes, 2 * size);
}

/* 2 MiB move alone, by the card's own counters; the last range is smaller. */
static void test_ranges(const struct xetile_card *card, uint32_t color, uint32_t mask)
{
	struct managed m;
	char *home;

	managed_init(&m, card, 5 * RANGE + 7 * PAGE, color, mask);
	home = managed_where(&m);
	igt_assert(!strchr(home, AWAY));
	managed_run(&m);
	check_moves(&m, home, 1 << 2, RANGE);
	check_moves(&m, home, 1 << 5, 7 * PAGE);
	check_moves(&m, home, 1 << 0 | 1 << 3 | 1 << 4, 3 * RANGE);
	check_moves(&m, home, 63, m.size);
	free(home);
	managed_fini(&m);
}

/* Returns in the child. Asserts in the parent that the child waits in a touch. */
static pid_t start_child(struct managed *m, uint64_t range)
{
	pid_t pid = fork();

	igt_assert(pid >= 0);
	if (!pid) {
		_exit(managed_touch(m, range) == 4711 ? 0 : 1);
	}
	xetile_assert_soon(xetile_sleeps_in(pid, "xetile_room_fetch"));
	return pid;
}

/* A touch waits for the job that uses the range, and sees what it wrote. */
static void test_busy(const struct xetile_card *card)
{
	struct managed m;
	int status;
	pid_t pid;

	managed_init_last(&m, card, 3 * RANGE);
	place_hold(&m.p);
	pid = start_child(&m, 1);
	place_let_go(&m.p);
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1);

	place_store(&m.p, ADDR + RANGE, 4711);
	place_hold(&m.p);
	pid = start_child(&m, 1);
	/* A signal ends the wait, and the job goes on. */
	igt_assert_eq(kill(pid, SIGKILL), 0);
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	igt_assert(!xetile_is_done(m.p.fd, m.p.held));
	pid = start_child(&m, 1);
	place_let_go(&m.p);
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	managed_fini(&m);
}

/* One thread touches, the other one submits: neither waits for ever for the other one. */
struct toucher {
	struct managed *m;
	uint32_t rounds;
};

static void *touch_always(void *arg)
{
	struct toucher *t = arg;

	for (uint32_t i = 0; i < 40; i++) {
		__atomic_fetch_add(&t->m->map[WORDS], 1, __ATOMIC_SEQ_CST);
		__atomic_store_n(&t->rounds, i + 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static void test_both(const struct xetile_card *card)
{
	struct toucher t = { };
	pthread_t thread;
	struct managed m;
	uint32_t jobs = 0;

	managed_init_last(&m, card, 2 * RANGE);
	t.m = &m;
	igt_assert_eq(pthread_create(&thread, NULL, touch_always, &t), 0);
	while (__atomic_load_n(&t.rounds, __ATOMIC_SEQ_CST) < 40 || jobs < 40) {
		place_store(&m.p, ADDR + RANGE + 4, ++jobs);
		igt_assert(jobs < 1000000);
	}
	igt_assert_eq(pthread_join(thread, NULL), 0);
	igt_assert_eq_u32(m.map[WORDS], 40);
	igt_assert_eq_u32(m.map[WORDS + 1], jobs);
	managed_fini(&m);
}

/* Parts of a mapping, a moved one, a child's, and one without handle and VM */
static void test_mappings(const struct xetile_card *card)
{
	struct drm_xetile_bo_mmap args = { };
	struct managed m;
	uint32_t *part, *there;
	int status;
	char *home;
	pid_t pid;

	managed_init_last(&m, card, 4 * RANGE);
	home = managed_where(&m);
	managed_fill(&m, 1, 1);
	managed_fill(&m, 2, 1);
	managed_run(&m);
	args.handle = m.bo;
	igt_assert_eq(xetile_ioctl(m.p.fd, DRM_IOCTL_XETILE_BO_MMAP, &args), 0);
	igt_assert(mmap(NULL, RANGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, m.p.fd, args.offset) ==
		   MAP_FAILED);
	/* From the middle of range 1 to the middle of range 2 */
	part = xetile_bo_map(m.p.fd, m.bo, m.size);
	igt_assert_eq(munmap(part, RANGE + RANGE / 2), 0);
	igt_assert_eq(munmap(part + 2 * WORDS + WORDS / 2, RANGE + RANGE / 2), 0);
	part += WORDS + WORDS / 2;
	igt_assert_eq_u32(part[0], managed_word(WORDS + WORDS / 2, 1));
	managed_check_away(&m, 1 << 1, home);
	igt_assert_eq_u32(part[WORDS - 1], managed_word(2 * WORDS + WORDS / 2 - 1, 1));
	managed_check_away(&m, 1 << 1 | 1 << 2, home);

	/* A moved mapping of a part, with a hole */
	igt_assert_eq(munmap(part + WORDS / 4, SZ_4K), 0);
	managed_run(&m);
	there = mmap(NULL, RANGE / 4, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	igt_assert(there != MAP_FAILED);
	there = mremap(part, RANGE / 4, RANGE / 4, MREMAP_MAYMOVE | MREMAP_FIXED, there);
	igt_assert(there != MAP_FAILED);
	igt_assert_eq_u32(there[3], managed_word(WORDS + WORDS / 2 + 3, 1));
	there[3] = 5;
	igt_assert_eq_u32(m.map[WORDS + WORDS / 2 + 3], 5);
	managed_run(&m);

	/* A child has the same memory, wherever it moves. */
	pid = fork();
	igt_assert(pid >= 0);
	if (!pid) {
		m.map[WORDS] = 77;
		_exit(m.map[2 * WORDS] == managed_word(2 * WORDS, 1) ? 0 : 1);
	}
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	managed_run(&m);
	igt_assert_eq_u32(m.map[WORDS], 77);
	managed_run(&m);

	/* Without a handle, and without the VM */
	xetile_bo_close(m.p.fd, m.bo);
	igt_assert_eq_u32(m.map[WORDS], 77);
	xetile_vm_unmap(m.p.fd, m.p.vm, ADDR, m.size);
	place_fini(&m.p);
	managed_check_filled(&m, 2, 1);
	munmap(m.map, m.size);
	munmap(there, RANGE / 4);
	munmap(part + WORDS / 4, 3 * RANGE / 4);
	free(home);
}

/* A debugger reads and writes a range where it lies. */
static void test_debugger(const struct xetile_card *card)
{
	const int words = 3;
	uint32_t got[3];
	struct managed m;
	char *home;
	int mem;

	managed_init_last(&m, card, 2 * RANGE);
	home = managed_where(&m);
	managed_fill(&m, 0, 1);
	managed_fill(&m, 1, 1);
	managed_run(&m);
	mem = open("/proc/self/mem", O_RDWR);
	igt_assert(mem >= 0);
	/* Across the border of two ranges */
	igt_assert_eq(pread(mem, got, sizeof(got), to_user(&m.map[WORDS - 1])), sizeof(got));
	for (int i = 0; i < words; i++)
		igt_assert_eq_u32(got[i], managed_word(WORDS - 1 + i, 1));
	got[0] = got[1] = got[2] = 8;
	igt_assert_eq(pwrite(mem, got, sizeof(got), to_user(&m.map[WORDS - 1])), sizeof(got));
	managed_check_away(&m, 0, home);
	close(mem);
	for (int i = 0; i < words; i++)
		igt_assert_eq_u32(m.map[WORDS - 1 + i], 8);
	free(home);
	managed_fini(&m);
}

/* Bytes that moved: of the last tile, and of the file */
struct moves {
	uint64_t tile_access, tile_evict, tile_return;
	uint64_t file_access, file_evict, file_return;
};

static void read_moves(const struct xetile_card *card, int fd, struct moves *moves)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES] = { 0 };
	const struct drm_xetile_query_tile *last = &tiles[card->device.num_tiles - 1];

	xetile_query_tiles(fd, tiles);
	*moves = (struct moves) {
		last->moved_access, last->moved_evict, last->moved_return,
		xetile_fdinfo_bytes(fd, "xetile-moved-access"),
		xetile_fdinfo_bytes(fd, "xetile-moved-evict"),
		xetile_fdinfo_bytes(fd, "xetile-moved-return"),
	};
}

/* Others take the HBM: the ranges go as other buffers do, and come back. */
static void test_evict(const struct xetile_card *card)
{
	struct moves before, after;
	struct managed m;
	char *home, *now;

	require_room_elsewhere(card);
	managed_init_last(&m, card, 6 * RANGE);
	home = managed_where(&m);
	for (uint64_t i = 0; i < 6; i++)
		managed_fill(&m, i, 1);
	managed_run(&m);
	managed_check_away(&m, 0, home);
	read_moves(card, m.p.fd, &before);
	xetile_evict_all(m.p.fd);
	read_moves(card, m.p.fd, &after);
	igt_assert_eq_u64(after.tile_access, before.tile_access);
	igt_assert_lte_u64(m.size, after.tile_evict - before.tile_evict);
	igt_assert_lte_u64(m.size, after.file_evict - before.file_evict);
	now = managed_where(&m);
	igt_assert(!strpbrk(now, "0123"));
	free(now);
	managed_check_filled(&m, 3, 1);
	managed_run(&m);
	managed_check_away(&m, 0, home);
	for (uint64_t i = 0; i < 6; i++)
		managed_check_filled(&m, i, 1);
	free(home);
	managed_fini(&m);
}

/* fdinfo tells of the bytes where they are. */
static void test_fdinfo(const struct xetile_card *card)
{
	struct xetile_card own = *card;
	uint64_t system, hbm;
	struct managed m;
	char key[32];

	/* The ring of a queue that a subtest gave up counts for its file until it is freed. */
	own.fd = xetile_reopen(card->fd);
	managed_init_last(&m, &own, 4 * RANGE);
	snprintf(key, sizeof(key), "drm-resident-hbm%u", card->device.num_tiles - 1);
	managed_run(&m);
	system = xetile_fdinfo_bytes(m.p.fd, "drm-resident-system");
	hbm = xetile_fdinfo_bytes(m.p.fd, key);
	managed_touch(&m, 1);
	managed_touch(&m, 3);
	igt_assert_eq_u64(xetile_fdinfo_bytes(m.p.fd, "drm-resident-system") - system, 2 * RANGE);
	/* Page tables are of the HBM, too, and 2 MiB in system memory need one. */
	igt_assert_lte_u64(xetile_fdinfo_bytes(m.p.fd, key), hbm - 2 * RANGE + 4 * SZ_64K);
	managed_fini(&m);
	close(own.fd);
}

/* Asserts what moved since @before; nobody but this test uses the card. */
static void check_counted(const struct managed *m, const struct moves *before, uint64_t access,
			  uint64_t back)
{
	struct moves now;

	read_moves(m->card, m->p.fd, &now);
	igt_assert_eq_u64(now.tile_access - before->tile_access, access);
	igt_assert_eq_u64(now.file_access - before->file_access, access);
	igt_assert_eq_u64(now.tile_return - before->tile_return, back);
	igt_assert_eq_u64(now.file_return - before->file_return, back);
	igt_assert_eq_u64(now.tile_evict, before->tile_evict);
	igt_assert_eq_u64(now.file_evict, before->file_evict);
}

/* What moves counts for its cause, its tile, and the file that made the buffer. */
static void test_counters(const struct xetile_card *card)
{
	struct moves before, other, after;
	struct managed m;
	int fd = xetile_reopen(card->fd);

	read_moves(card, card->fd, &before);
	read_moves(card, fd, &other);
	managed_init_last(&m, card, 4 * RANGE + PAGE);
	managed_run(&m);
	check_counted(&m, &before, 0, 0);
	managed_touch(&m, 1);
	managed_touch(&m, 4);
	check_counted(&m, &before, RANGE + PAGE, 0);
	managed_run(&m);
	check_counted(&m, &before, RANGE + PAGE, RANGE + PAGE);
	managed_touch(&m, 1);
	managed_touch(&m, 1);
	managed_run(&m);
	check_counted(&m, &before, 2 * RANGE + PAGE, 2 * RANGE + PAGE);
	read_moves(card, fd, &after);
	igt_assert_eq_u64(after.file_access, 0);
	igt_assert_eq_u64(after.file_return, 0);
	igt_assert_eq_u64(after.tile_access - other.tile_access, 2 * RANGE + PAGE);
	managed_fini(&m);
	close(fd);
}

static int bind_some(struct managed *m, uint64_t offset, uint64_t range, uint64_t addr,
		     uint32_t more)
{
	struct drm_xetile_bind binds[] = {
		{ .addr = addr, .range = range, .offset = offset, .handle = m->bo },
		{ .addr = addr + 64 * RANGE, .range = PAGE, .handle = more },
	};

	return __xetile_vm_bind(m->p.fd, m->p.vm, binds, 1 + !!more, NULL, 0);
}

/* A bind is one bind, however many ranges it maps. */
static void test_binds(const struct xetile_card *card)
{
	const uint64_t addr = 2 * ADDR + 5 * PAGE;
	struct managed m;

	managed_init_last(&m, card, 4 * RANGE);
	for (uint64_t i = 0; i < 4; i++)
		managed_fill(&m, i, 1);
	igt_assert_eq(bind_some(&m, RANGE - PAGE, 2 * RANGE + 3 * PAGE, addr, 0), 0);
	for (uint64_t at = 0; at < 2 * RANGE + 3 * PAGE; at += RANGE / 2) {
		place_store(&m.p, addr + at, at + 1);
		igt_assert_eq_u32(m.map[(RANGE - PAGE + at) / 4], at + 1);
	}
	place_store(&m.p, addr + 2 * RANGE + 3 * PAGE - 4, 6);
	igt_assert_eq_u32(m.map[(3 * RANGE + 2 * PAGE) / 4 - 1], 6);
	/* A part of one range */
	igt_assert_eq(bind_some(&m, 2 * RANGE + PAGE, 2 * PAGE, 3 * ADDR, 0), 0);
	place_store(&m.p, 3 * ADDR + PAGE, 8);
	igt_assert_eq_u32(m.map[(2 * RANGE + 2 * PAGE) / 4], 8);
	xetile_vm_unmap(m.p.fd, m.p.vm, 3 * ADDR, 2 * PAGE);
	/* Wrong in itself, or together with another bind: nothing is bound. */
	igt_assert_eq(bind_some(&m, RANGE, 3 * RANGE + PAGE, 3 * ADDR, 0), -EINVAL);
	igt_assert_eq(bind_some(&m, SZ_4K, RANGE, 3 * ADDR, 0), -EINVAL);
	igt_assert_eq(bind_some(&m, 0, RANGE + SZ_4K, 3 * ADDR, 0), -EINVAL);
	igt_assert_eq(bind_some(&m, 0, 4 * RANGE, 3 * ADDR, BAD_ID), -ENOENT);
	xetile_vm_unmap(m.p.fd, m.p.vm, addr, 2 * RANGE + 3 * PAGE);
	managed_fini(&m);
}

static int create_with(uint32_t vm, uint32_t placement, uint32_t color, uint64_t size, int fd)
{
	struct drm_xetile_bo_create args = {
		.size = size, .placement = placement, .flags = DRM_XETILE_BO_MIGRATE,
		.color = color, .vm_id = vm,
	};

	return __xetile_bo_create(fd, &args);
}

static void test_refused(const struct xetile_card *card)
{
	struct drm_xetile_bo_range all = range_of(0, 2 * RANGE / PAGE, DRM_XETILE_COLOR_EVEN, 0);
	uint32_t other = xetile_vm(card->fd);
	const uint32_t even = DRM_XETILE_COLOR_EVEN;
	struct drm_xetile_bo_info info = { };
	struct managed m;
	int fd = card->fd;

	managed_init_last(&m, card, 2 * RANGE);
	igt_assert_eq(create_with(0, BOTH, even, RANGE, fd), -EINVAL);
	igt_assert_eq(create_with(other, DRM_XETILE_PLACE_HBM, even, RANGE, fd), -EINVAL);
	igt_assert_eq(create_with(other, DRM_XETILE_PLACE_SYSTEM, even, RANGE, fd), -EINVAL);
	igt_assert_eq(create_with(other, BOTH, DRM_XETILE_COLOR_REPLICATE, RANGE, fd), -EOPNOTSUPP);
	igt_assert_eq(create_with(other, BOTH, even, 1ull << 50, fd), -ENOSPC);
	igt_assert_eq(create_with(BAD_ID, BOTH, even, RANGE, fd), -ENOENT);
	igt_assert_eq(__xetile_recolor(fd, m.bo, &all, 1, NULL, 0), -EOPNOTSUPP);
	igt_assert_eq(__xetile_vm_bind(fd, other, &(struct drm_xetile_bind) {
		.addr = ADDR, .range = RANGE, .handle = m.bo }, 1, NULL, 0), -EPERM);
	info.handle = m.bo;
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_INFO, &info), 0);
	igt_assert_eq_u64(info.size, 2 * RANGE);
	igt_assert_eq_u32(info.flags, DRM_XETILE_BO_MIGRATE);
	igt_assert_eq_u32(info.vm_id, m.p.vm);
	igt_assert_eq_u32(info.color, DRM_XETILE_COLOR_TILE);
	igt_assert_eq_u64(info.share, 0);
	managed_fini(&m);
	xetile_vm_destroy(fd, other);
}

igt_main
{
	struct xetile_card card;
	uint32_t last;

	igt_fixture {
		xetile_open_card(&card);
		lab_require_card();
		igt_assert(card.device.caps & DRM_XETILE_CAP_MIGRATE);
		last = 1u << (card.device.num_tiles - 1);
	}

	igt_describe("S117: CPU and GPU see in turns what the other side wrote");
	igt_subtest("turns")
		test_turns(&card);
	igt_describe("S118: a range moves alone: BO_INFO and the card's counters say so, to the byte");
	igt_subtest("ranges")
		test_ranges(&card, DRM_XETILE_COLOR_TILE, last);
	igt_describe("The same when the ranges are spread over all tiles");
	igt_subtest("ranges-chunk")
		test_ranges(&card, DRM_XETILE_COLOR_CHUNK, 0);
	igt_describe("The same when tiles meet in the midst of a range");
	igt_subtest("ranges-even")
		test_ranges(&card, DRM_XETILE_COLOR_EVEN, 0);
	igt_describe("A touch must wait for the jobs that use the range, and a signal end the wait");
	igt_subtest("busy")
		test_busy(&card);
	igt_describe("Touches and jobs without a pause must both go forward");
	igt_subtest("both")
		test_both(&card);
	igt_describe("Any mapping must follow the moves");
	igt_subtest("mappings")
		test_mappings(&card);
	igt_describe("A debugger's access must move nothing");
	igt_subtest("debugger")
		test_debugger(&card);
	igt_describe("Ranges must be evicted, and come back, as other buffers");
	igt_subtest("evict")
		test_evict(&card);
	igt_describe("fdinfo must tell where the bytes are");
	igt_subtest("fdinfo")
		test_fdinfo(&card);
	igt_describe("What moves must be counted, by cause, for the tile and for the file");
	igt_subtest("counters")
		test_counters(&card);
	igt_describe("Binds must map any part, across ranges, as a whole or not at all");
	igt_subtest("binds")
		test_binds(&card);
	igt_describe("What such memory cannot do must be refused");
	igt_subtest("refused")
		test_refused(&card);

	igt_fixture
		close(card.fd);
}
