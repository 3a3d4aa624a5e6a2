// SPDX-License-Identifier: MIT
/*
 * The advice that jobs only read memory which moves on access: each tile reads a copy of its own,
 * and nobody ever reads an old one.
 * Statements: S118.
 *
 * suite: igt
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_managed.h"
#include "xetile_recolor.h"

IGT_TEST_DESCRIPTION("Advice that jobs only read memory which moves on access");

#define RANGES		3u
#define OUT_ADDR	0x9000000000ull
/* Where the batches of the tiles' readers are in the buffer for batches */
#define READER(tile)	(0x4000u + (tile) * 0x1000u)

/* A buffer of some ranges on the last tile, and a copy engine of each tile that reads them */
struct reads {
	struct managed m;
	int fd;
	uint32_t tiles, queue[DRM_XETILE_MAX_TILES], out[DRM_XETILE_MAX_TILES];
	uint32_t done[DRM_XETILE_MAX_TILES];
};

static void advise(const struct reads *r, uint64_t range, uint64_t num, uint32_t advice)
{
	const struct drm_xetile_bo_advice one = {
		.offset = range * RANGE, .size = num * RANGE, .advice = advice,
	};
	struct drm_xetile_bo_advise args = {
		.handle = r->m.bo, .ranges = DRM_XETILE_ARRAY(&one, 1),
	};

	igt_assert_eq(xetile_ioctl(r->fd, DRM_IOCTL_XETILE_BO_ADVISE, &args), 0);
}

/* Waits until a buffer is clear: the copy engines write for that, too. */
static void wait_clear(int fd, uint32_t bo)
{
	volatile uint32_t *map = xetile_bo_map(fd, bo, PAGE);

	igt_assert_eq_u32(map[0], 0);
	munmap((void *)map, PAGE);
}

static void reads_init(struct reads *r, const struct xetile_card *card)
{
	*r = (struct reads) { .fd = card->fd, .tiles = card->device.num_tiles };
	managed_init_last(&r->m, card, RANGES * RANGE);
	for (uint32_t t = 0; t < r->tiles; t++) {
		r->queue[t] = xetile_queue(r->fd, r->m.p.vm, COPY, TILE, t, 0);
		r->out[t] = xetile_bo_color(r->fd, RANGE, DRM_XETILE_COLOR_TILE, 1u << t, 0);
		r->done[t] = xetile_syncobj(r->fd);
		xetile_vm_map(r->fd, r->m.p.vm, r->out[t], 0, OUT_ADDR + t * RANGE, RANGE);
		wait_clear(r->fd, r->out[t]);
	}
	for (uint64_t i = 0; i < RANGES; i++)
		managed_fill(&r->m, i, 1);
}

static void reads_fini(struct reads *r)
{
	for (uint32_t t = 0; t < r->tiles; t++) {
		xetile_queue_destroy(r->fd, r->queue[t]);
		xetile_bo_close(r->fd, r->out[t]);
		xetile_syncobj_destroy(r->fd, r->done[t]);
	}
	managed_fini(&r->m);
}

/* All tiles read a range, at once. */
static void start_reads(struct reads *r, uint64_t range)
{
	for (uint32_t t = 0; t < r->tiles; t++) {
		struct drm_xetile_sync sync = {
			.handle = r->done[t], .flags = DRM_XETILE_SYNC_SIGNAL,
		};
		struct xetile_batch b;

		batch_begin(&b, &r->m.p.ctl, READER(t));
		for (uint64_t at = 0; at < RANGE; at += SZ_64K)
			batch_mem_copy(&b, OUT_ADDR + t * RANGE + at, ADDR + range * RANGE + at,
				       SZ_64K);
		batch_end(&b);
		igt_assert_eq(__xetile_exec(r->fd, r->queue[t], batch_addr(&b), &sync, 1), 0);
	}
}

static void end_reads(struct reads *r)
{
	for (uint32_t t = 0; t < r->tiles; t++)
		xetile_wait_done(r->fd, r->done[t]);
}

/* What the tiles have read is what the CPU wrote in @round. */
static void check_read(const struct reads *r, uint64_t range, uint32_t round)
{
	for (uint32_t t = 0; t < r->tiles; t++) {
		const uint32_t *out = xetile_bo_map(r->fd, r->out[t], RANGE);

		for (uint64_t i = 0; i < WORDS; i++)
			igt_assert_f(out[i] == managed_word(range * WORDS + i, round),
				     "tile %u read %#x at word %llu\n", t, out[i],
				     (unsigned long long)i);
		munmap((void *)out, RANGE);
	}
}

static void read_all(struct reads *r, uint64_t range, uint32_t round)
{
	start_reads(r, range);
	end_reads(r);
	check_read(r, range, round);
}

/* Returns how many bytes of other tiles' HBM all engines have read and written so far. */
static uint64_t remote_bytes(void)
{
	static const char * const keys[] = { "\"read_remote\":", "\"write_remote\":" };
	char *answer = lab_ask("counters");
	uint64_t sum = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(keys); i++)
		for (char *at = answer; (at = strstr(at, keys[i])); at++)
			sum += strtoull(at + strlen(keys[i]), NULL, 10);
	free(answer);
	return sum;
}

/* Returns the bytes of the copies on tile 0. */
static uint64_t copied_to_0(int fd)
{
	return xetile_fdinfo_bytes(fd, "drm-purgeable-hbm0");
}

/* A job copies @bytes, and the next one none. */
static void check_job(struct reads *r, uint64_t bytes)
{
	uint64_t before = xetile_bytes_copied();

	managed_run(&r->m);
	igt_assert_eq_u64(xetile_bytes_copied() - before, bytes);
	managed_run(&r->m);
	igt_assert_eq_u64(xetile_bytes_copied() - before, bytes);
}

/* Copies come with the next job, are counted, and end with other advice. */
static void test_local(const struct xetile_card *card)
{
	uint64_t before, used, total;
	struct reads r;
	char *home;

	reads_init(&r, card);
	home = managed_where(&r.m);
	memset(home, '0' + r.tiles - 1, RANGES * RANGE / PAGE);
	managed_run(&r.m);
	before = remote_bytes();
	read_all(&r, 0, 1);
	igt_assert_lte_u64(before + RANGE, remote_bytes());

	used = xetile_hbm_used(r.fd);
	total = xetile_fdinfo_bytes(r.fd, "drm-total-hbm0");
	advise(&r, 0, 2, DRM_XETILE_ADVICE_READ_MOSTLY);
	igt_assert_eq_u64(copied_to_0(r.fd), 0);
	check_job(&r, 2 * RANGE * (r.tiles - 1));
	before = remote_bytes();
	start_reads(&r, 0);
	end_reads(&r);
	start_reads(&r, 1);
	end_reads(&r);
	igt_assert_eq_u64(remote_bytes(), before);
	check_read(&r, 1, 1);
	read_all(&r, 0, 1);
	/* The copies count, and the buffer is where it was. */
	managed_check_away(&r.m, 0, home);
	igt_assert_eq_u64(xetile_hbm_used(r.fd), used + 2 * RANGE * (r.tiles - 1));
	igt_assert_eq_u64(xetile_fdinfo_bytes(r.fd, "drm-total-hbm0"), total + 2 * RANGE);
	igt_assert_eq_u64(xetile_fdinfo_bytes(r.fd, "drm-resident-hbm0"), total + 2 * RANGE);
	igt_assert_eq_u64(copied_to_0(r.fd), 2 * RANGE);
	place_hold(&r.m.p);
	igt_assert_eq_u64(copied_to_0(r.fd), 0);
	place_let_go(&r.m.p);

	advise(&r, 0, 1, DRM_XETILE_ADVICE_DEFAULT);
	igt_assert_eq_u64(copied_to_0(r.fd), RANGE);
	advise(&r, 1, 1, DRM_XETILE_ADVICE_TILE);
	igt_assert_eq_u64(copied_to_0(r.fd), 0);
	igt_assert(xetile_hbm_comes_back(r.fd, used));
	check_job(&r, RANGE);
	for (uint64_t i = 0; i < 2; i++)
		read_all(&r, i, 1);
	free(home);
	reads_fini(&r);
}

/* What the CPU writes between jobs is what all tiles read. */
static void test_writes(const struct xetile_card *card)
{
	struct reads r;

	reads_init(&r, card);
	advise(&r, 0, RANGES, DRM_XETILE_ADVICE_READ_MOSTLY);
	check_job(&r, RANGES * RANGE * r.tiles);
	for (uint32_t round = 2; round < 4; round++) {
		read_all(&r, 1, round - 1);
		managed_fill(&r.m, 1, round);
		/* The range has left HBM, and its copies are gone; the others stay. */
		igt_assert_eq_u64(copied_to_0(r.fd), (RANGES - 1) * RANGE);
		check_job(&r, RANGE * r.tiles);
		igt_assert_eq_u64(copied_to_0(r.fd), RANGES * RANGE);
	}
	read_all(&r, 1, 3);
	read_all(&r, 0, 1);
	reads_fini(&r);
}

/* A debugger writes to HBM, and moves nothing. */
static void test_debugger(const struct xetile_card *card)
{
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	const uint32_t word = 0x5eb06;
	struct reads r;

	igt_assert(mem >= 0);
	reads_init(&r, card);
	advise(&r, 0, 1, DRM_XETILE_ADVICE_READ_MOSTLY);
	managed_run(&r.m);
	read_all(&r, 0, 1);
	igt_assert_eq_u64(copied_to_0(r.fd), RANGE);
	igt_assert_eq(pwrite(mem, &word, sizeof(word), (uintptr_t)r.m.map), sizeof(word));
	start_reads(&r, 0);
	end_reads(&r);
	for (uint32_t t = 0; t < r.tiles; t++) {
		const uint32_t *out = xetile_bo_map(r.fd, r.out[t], RANGE);

		igt_assert_eq_u32(out[0], word);
		igt_assert_eq_u32(out[1], managed_word(1, 1));
		munmap((void *)out, RANGE);
	}
	close(mem);
	reads_fini(&r);
}

/* A tile without room has no copy, and nothing goes for one; it gets one when there is room. */
static void test_full(const struct xetile_card *card)
{
	uint32_t hog, idle;
	struct reads r;

	require_room_elsewhere(card);
	reads_init(&r, card);
	read_all(&r, 0, 1);
	idle = strict_on(card->fd, RANGE, 0);
	hog = strict_on(card->fd, (hbm_free(card->fd) - RANGE / 2) & ~(PAGE - 1), 0);
	wait_clear(card->fd, idle);
	wait_clear(card->fd, hog);
	advise(&r, 0, 1, DRM_XETILE_ADVICE_READ_MOSTLY);
	check_job(&r, RANGE * (r.tiles - 2));
	igt_assert_eq_u64(copied_to_0(r.fd), 0);
	igt_assert_eq_u64(pages_on(card->fd, idle, 0), RANGE / PAGE);
	read_all(&r, 0, 1);
	xetile_bo_close(card->fd, hog);
	check_job(&r, RANGE);
	igt_assert_eq_u64(copied_to_0(r.fd), RANGE);
	read_all(&r, 0, 1);
	xetile_bo_close(card->fd, idle);
	reads_fini(&r);
}

/* Who wants HBM gets a copy's, before anybody else's; the tile reads the buffer then. */
static void test_evict(const struct xetile_card *card)
{
	uint64_t system, evicted;
	uint32_t hog, idle;
	struct reads r;

	idle = strict_on(card->fd, RANGE, 0);
	reads_init(&r, card);
	advise(&r, 0, 1, DRM_XETILE_ADVICE_READ_MOSTLY);
	managed_run(&r.m);
	read_all(&r, 0, 1);
	system = xetile_copy_counter("write_system");
	evicted = xetile_fdinfo_bytes(r.fd, "xetile-moved-evict");
	hog = take_free_and_more(card->fd, RANGE / 2);
	igt_assert_eq_u64(copied_to_0(r.fd), 0);
	igt_assert_eq_u64(pages_on(card->fd, idle, 0), RANGE / PAGE);
	/* The copy's memory is zero now. */
	wait_clear(card->fd, hog);
	read_all(&r, 0, 1);
	igt_assert_eq_u64(xetile_copy_counter("write_system"), system);
	igt_assert_eq_u64(xetile_fdinfo_bytes(r.fd, "xetile-moved-evict"), evicted);
	xetile_bo_close(card->fd, hog);
	check_job(&r, RANGE);
	igt_assert_eq_u64(copied_to_0(r.fd), RANGE);
	read_all(&r, 0, 1);
	xetile_bo_close(card->fd, idle);
	reads_fini(&r);
}

/* A child that runs a job of the VM, which has to wait first; and how it ends */
static pid_t run_waiting(struct managed *m)
{
	pid_t pid = fork();

	igt_assert(pid >= 0);
	if (!pid) {
		managed_run(m);
		_exit(0);
	}
	xetile_assert_soon(xetile_sleeps_in(pid, "xetile_room_again"));
	return pid;
}

static void end_child(pid_t pid)
{
	int status;

	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* New jobs do not keep a copy in use for ever that somebody waits for. */
static void test_busy(const struct xetile_card *card)
{
	struct managed m;
	pid_t pid, next;
	uint64_t system;
	int fd;

	require_room_elsewhere(card);
	managed_init_last(&m, card, RANGE);
	managed_fill(&m, 0, 1);
	fd = m.p.fd;
	const struct reads r = { .m = m, .fd = fd };

	advise(&r, 0, 1, DRM_XETILE_ADVICE_READ_MOSTLY);
	managed_run(&m);
	igt_assert_eq_u64(copied_to_0(fd), RANGE);
	system = xetile_copy_counter("write_system");
	place_hold(&m.p);
	pid = fork();
	igt_assert(pid >= 0);
	if (!pid) {
		take_free_and_more(xetile_reopen(card->fd), RANGE / 2);
		_exit(0);
	}
	xetile_assert_soon(xetile_sleeps_in(pid, "xetile_room_again"));
	next = run_waiting(&m);
	place_let_go(&m.p);
	end_child(pid);
	end_child(next);
	igt_assert_eq_u64(xetile_copy_counter("write_system"), system);
	managed_check_filled(&m, 0, 1);
	managed_fini(&m);
}

/* Submits a job that stores a word into the first range, when it is let go if it is to wait. */
static uint32_t start_store(struct managed *m, uint32_t value, bool waits)
{
	struct drm_xetile_sync sync = {
		.handle = xetile_syncobj(m->p.fd), .flags = DRM_XETILE_SYNC_SIGNAL,
	};
	struct xetile_batch b;

	m->p.ctl.map[GO] = 0;
	batch_begin(&b, &m->p.ctl, 0x3000);
	if (waits)
		batch_wait(&b, m->p.ctl.addr + GO * 4, 1);
	batch_store(&b, ADDR + 4, value, false);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(m->p.fd, m->p.queue, batch_addr(&b), &sync, 1), 0);
	return sync.handle;
}

/* A job that may write is waited for, and all tiles read what it wrote. */
static void test_earlier(const struct xetile_card *card)
{
	struct reads r;
	uint32_t job;
	pid_t pid;

	reads_init(&r, card);
	managed_run(&r.m);
	job = start_store(&r.m, managed_word(1, 1) + 1, true);
	advise(&r, 0, 1, DRM_XETILE_ADVICE_READ_MOSTLY);
	/* A bind waits for nobody. */
	xetile_vm_map(r.fd, r.m.p.vm, r.m.bo, 0, ADDR + (1ull << 30), r.m.size);
	pid = run_waiting(&r.m);
	igt_assert(!xetile_is_done(r.fd, job));
	r.m.p.ctl.map[GO] = 1;
	xetile_wait_done(r.fd, job);
	end_child(pid);
	start_reads(&r, 0);
	end_reads(&r);
	for (uint32_t t = 0; t < r.tiles; t++) {
		const uint32_t *out = xetile_bo_map(r.fd, r.out[t], RANGE);

		igt_assert_eq_u32(out[0], managed_word(0, 1));
		igt_assert_eq_u32(out[1], managed_word(1, 1) + 1);
		munmap((void *)out, RANGE);
	}
	xetile_syncobj_destroy(r.fd, job);
	reads_fini(&r);
}

/* A job's write is a page fault, until there is other advice. */
static void test_fault(const struct xetile_card *card)
{
	struct drm_xetile_queue_info info;
	struct reads r;
	uint32_t job;

	reads_init(&r, card);
	advise(&r, 0, 1, DRM_XETILE_ADVICE_READ_MOSTLY);
	managed_run(&r.m);
	/* On the tile that has a copy; then on the one that has not, with a new mapping */
	for (unsigned int i = 0; i < 2; i++) {
		job = start_store(&r.m, 5, false);
		igt_assert_eq(__xetile_wait(r.fd, job, 30000), 0);
		igt_assert_lt(xetile_fence_status(r.fd, job), 0);
		xetile_queue_info(r.fd, r.m.p.queue, &info);
		igt_assert_eq_u32(info.ban.reason, DRM_XETILE_BAN_FAULT);
		igt_assert_eq_u64(info.ban.fault_addr, ADDR);
		xetile_syncobj_destroy(r.fd, job);
		xetile_queue_destroy(r.fd, r.m.p.queue);
		r.m.p.queue = xetile_queue(r.fd, r.m.p.vm, COMPUTE, TILE,
					   i ? 0 : r.tiles - 1, 0);
		xetile_vm_map(r.fd, r.m.p.vm, r.m.bo, 0, ADDR, r.m.size);
	}
	read_all(&r, 0, 1);

	advise(&r, 0, 1, DRM_XETILE_ADVICE_DEFAULT);
	job = start_store(&r.m, 5, false);
	xetile_wait_done(r.fd, job);
	xetile_syncobj_destroy(r.fd, job);
	igt_assert_eq_u32(r.m.map[1], 5);
	reads_fini(&r);
}

/* Only tiles that map a range have a copy of it. */
static void test_tiles(const struct xetile_card *card)
{
	struct drm_xetile_bind bind = {
		.addr = ADDR, .range = RANGE, .tile_mask = 1u << (card->device.num_tiles - 1),
	};
	struct reads r;

	reads_init(&r, card);
	xetile_vm_unmap(r.fd, r.m.p.vm, ADDR, r.m.size);
	advise(&r, 0, 1, DRM_XETILE_ADVICE_READ_MOSTLY);
	bind.handle = r.m.bo;
	igt_assert_eq(__xetile_vm_bind(r.fd, r.m.p.vm, &bind, 1, NULL, 0), 0);
	managed_run(&r.m);
	check_job(&r, 0);
	igt_assert_eq_u64(copied_to_0(r.fd), 0);
	bind.tile_mask = 1;
	igt_assert_eq(__xetile_vm_bind(r.fd, r.m.p.vm, &bind, 1, NULL, 0), 0);
	check_job(&r, RANGE);
	igt_assert_eq_u64(copied_to_0(r.fd), RANGE);
	/* Parts of the range, which are parts of the copy */
	xetile_vm_unmap(r.fd, r.m.p.vm, ADDR, RANGE);
	igt_assert_eq_u64(copied_to_0(r.fd), 0);
	for (uint64_t at = 0; at < RANGE; at += RANGE / 4)
		xetile_vm_map(r.fd, r.m.p.vm, r.m.bo, RANGE - RANGE / 4 - at,
			      ADDR + RANGE - RANGE / 4 - at, RANGE / 4);
	check_job(&r, RANGE * (r.tiles - 1));
	read_all(&r, 0, 1);
	reads_fini(&r);
}

/* Jobs wait for the change of a bind queue, because a copy would not stay until then. */
static void test_bind_queue(const struct xetile_card *card)
{
	struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_UNMAP, .addr = ADDR + RANGE, .range = RANGE,
	};
	struct drm_xetile_sync syncs[2] = {
		{ .handle = 0 }, { .flags = DRM_XETILE_SYNC_SIGNAL },
	};
	struct drm_xetile_vm_bind args = {
		.binds = DRM_XETILE_ARRAY(&bind, 1), .syncs = DRM_XETILE_ARRAY(syncs, 2),
	};
	struct place other;
	struct dam dam;
	uint32_t queue;
	struct reads r;

	reads_init(&r, card);
	advise(&r, 0, RANGES, DRM_XETILE_ADVICE_READ_MOSTLY);
	managed_run(&r.m);
	queue = xetile_bind_queue(r.fd, r.m.p.vm);
	dam_init(&dam, card->fd);
	syncs[0].handle = dam_fence(&dam, r.fd);
	syncs[1].handle = xetile_syncobj(r.fd);
	args.vm_id = r.m.p.vm;
	args.queue_id = queue;
	igt_assert_eq(xetile_ioctl(r.fd, DRM_IOCTL_XETILE_VM_BIND, &args), 0);
	start_reads(&r, 0);
	igt_assert(!xetile_is_done(r.fd, syncs[1].handle));
	/* A job of another VM overtakes them. */
	place_init(&other, card->fd);
	place_store(&other, other.ctl.addr + 4 * GO, 1);
	place_fini(&other);
	igt_assert(!xetile_is_done(r.fd, r.done[0]));
	dam_open(&dam);
	end_reads(&r);
	check_read(&r, 0, 1);
	xetile_wait_done(r.fd, syncs[1].handle);
	igt_assert_eq_u64(copied_to_0(r.fd), (RANGES - 1) * RANGE);
	xetile_syncobj_destroy(r.fd, syncs[0].handle);
	xetile_syncobj_destroy(r.fd, syncs[1].handle);
	xetile_queue_destroy(r.fd, queue);
	dam_fini(&dam);
	reads_fini(&r);
}

/* The end of a file frees the copies, also while a job uses them. */
static void test_close(const struct xetile_card *card)
{
	struct xetile_card mine = *card;
	struct reads r;

	mine.fd = xetile_reopen(card->fd);
	reads_init(&r, &mine);
	advise(&r, 0, RANGES, DRM_XETILE_ADVICE_READ_MOSTLY);
	managed_run(&r.m);
	igt_assert_eq_u64(copied_to_0(r.fd), RANGES * RANGE);
	start_reads(&r, 0);
	munmap(r.m.map, r.m.size);
	xetile_buf_fini(&r.m.p.ctl);
	close(mine.fd);
	xetile_wait_hbm_free(card->fd);
}

igt_main
{
	static const struct {
		const char *name, *description;
		void (*run)(const struct xetile_card *card);
	} tests[] = {
		{ "local", "S118: each tile must read its own copy, by the card's counters",
			   test_local },
		{ "writes", "S118: all tiles must read what the CPU wrote between jobs",
			    test_writes },
		{ "debugger", "All tiles must read what a debugger wrote", test_debugger },
		{ "full", "Nothing must be evicted for a copy", test_full },
		{ "evict", "Copies must be the first to go, and then be read no more", test_evict },
		{ "busy", "New jobs must not keep a copy that somebody waits for", test_busy },
		{ "earlier", "Jobs that may write must be waited for", test_earlier },
		{ "fault", "A job must not write", test_fault },
		{ "tiles", "Only tiles that map a range must have a copy", test_tiles },
		{ "bind-queue", "Jobs must wait for changes of bind queues", test_bind_queue },
		{ "close", "The end of a file must free the copies", test_close },
	};
	struct xetile_card card;

	igt_fixture {
		xetile_open_card(&card);
		lab_require_card();
		igt_require(card.device.num_tiles > 1);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(tests); i++) {
		igt_describe(tests[i].description);
		igt_subtest(tests[i].name) {
			/* What the subtest before has closed must not come free while bytes count. */
			xetile_wait_hbm_free(card.fd);
			tests[i].run(&card);
		}
	}
	igt_fixture
		close(card.fd);
}
