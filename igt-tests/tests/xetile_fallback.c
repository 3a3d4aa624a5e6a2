// SPDX-License-Identifier: MIT
/*
 * Where a buffer goes when its tile is full: a subtest for each row of the table in
 * Documentation/gpu/xetile/memory.rst, "When a tile is full". Statements: W22.
 *
 * The card has little HBM, so that it is soon full.
 *
 * suite: pressure
 */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_place.h"

IGT_TEST_DESCRIPTION("The order of places when a tile is full");

#define HBM		DRM_XETILE_PLACE_HBM
#define SYSTEM		DRM_XETILE_PLACE_SYSTEM
#define STRICT		DRM_XETILE_BO_STRICT
#define SYS		DRM_XETILE_MEM_SYSTEM

/* What a tile is full of: one buffer that a job uses, or idle buffers as large as the new one */
enum filling { FREE, BUSY, IDLE };
#define IDLE_BOS	5

/* What a caller can allow */
static const struct {
	const char *name;
	uint32_t flags, placement;
} may[] = {
	{ "hbm", 0, HBM },
	{ "both", 0, HBM | SYSTEM },
	{ "strict", STRICT, HBM },
	{ "strict, both", STRICT, HBM | SYSTEM },
};
#define MAY_HBM		0
#define MAY_BOTH	1
#define MAY_STRICT	2
#define MAY_STRICT_BOTH	3
#define MAYS		ARRAY_SIZE(may)

struct scene {
	const struct xetile_card *card;
	uint64_t size;			/* of the new buffer, and of an idle one */
	struct place hog;		/* its job uses the busy buffers */
	bool held;
	uint32_t idle[DRM_XETILE_MAX_TILES][IDLE_BOS];
	uint32_t busy[DRM_XETILE_MAX_TILES];
};

static void fill_idle(struct scene *s, unsigned int tile)
{
	for (int i = 0; i < IDLE_BOS; i++) {
		s->idle[tile][i] = strict_on(s->card->fd, s->size, tile);
		paint(s->card->fd, s->idle[tile][i], s->size, tile << 28 | i << 24);
	}
}

static void fill_busy(struct scene *s, unsigned int tile)
{
	uint64_t size = part_of_tile(s->card, 94);

	s->busy[tile] = strict_on(s->card->fd, size, tile);
	xetile_vm_map(s->card->fd, s->hog.vm, s->busy[tile], 0,
		      DATA_ADDR + tile * 64ull * SZ_1G, size);
}

/* Fills tile 0 with @first, and all others with @rest. */
static void scene_init(struct scene *s, const struct xetile_card *card, enum filling first,
		       enum filling rest)
{
	*s = (struct scene) { .card = card, .size = part_of_tile(card, 18) };
	igt_require_f(card->device.num_tiles >= 2, "needs two tiles\n");
	xetile_wait_hbm_free(card->fd);
	place_init(&s->hog, card->fd);
	/* Tile 0 comes last: the buffers of other tiles are not spared because they are newer. */
	for (unsigned int t = card->device.num_tiles; t--;) {
		enum filling f = t ? rest : first;

		if (f == IDLE)
			fill_idle(s, t);
		if (f == BUSY)
			fill_busy(s, t);
	}
	s->held = first == BUSY || rest == BUSY;
	if (s->held)
		place_hold(&s->hog);
}

static void scene_let_go(struct scene *s)
{
	if (s->held)
		place_let_go(&s->hog);
	s->held = false;
}

static uint64_t idle_evicted(const struct scene *s, unsigned int tile)
{
	uint64_t n = 0;

	for (int i = 0; i < IDLE_BOS && s->idle[tile][i]; i++)
		n += !!pages_on(s->card->fd, s->idle[tile][i], SYS);
	return n;
}

/* Ends a scene; nothing that had to go has lost a byte. */
static void scene_fini(struct scene *s)
{
	int fd = s->card->fd;

	scene_let_go(s);
	for (unsigned int t = 0; t < s->card->device.num_tiles; t++) {
		for (int i = 0; i < IDLE_BOS && s->idle[t][i]; i++) {
			check_paint(fd, s->idle[t][i], s->size, t << 28 | i << 24);
			xetile_bo_close(fd, s->idle[t][i]);
		}
		if (s->busy[t])
			xetile_bo_close(fd, s->busy[t]);
	}
	place_fini(&s->hog);
}

/* Makes a buffer of @size bytes that wants tile 0; asserts what the call answers. */
static uint32_t make(const struct scene *s, uint64_t size, unsigned int m, int err)
{
	uint32_t bo;

	igt_info("note: %s\n", may[m].name);
	igt_assert_eq(try_tile(s->card->fd, size, 0, may[m].flags, may[m].placement, &bo), err);
	return bo;
}

static void check_all_on(const struct scene *s, uint32_t bo, uint64_t size, uint32_t tile)
{
	igt_assert_eq_u64(pages_on(s->card->fd, bo, tile), size / PAGE);
}

/* Tile 0 has of the buffer what a busy one of 94 % leaves, and system memory nothing. */
static void check_spilled(const struct scene *s, uint32_t bo)
{
	igt_assert_eq_u64(pages_on(s->card->fd, bo, SYS), 0);
	igt_assert_lte_u64(pages_on(s->card->fd, bo, 0), part_of_tile(s->card, 6) / PAGE + 1);
}

/* Row: an idle buffer goes, the one used longest ago, and no buffer of another tile. */
static void test_idle(const struct xetile_card *card)
{
	uint32_t bo[MAYS];
	struct scene s;

	scene_init(&s, card, IDLE, IDLE);
	for (unsigned int m = 0; m < MAYS; m++) {
		bo[m] = make(&s, s.size, m, 0);
		check_all_on(&s, bo[m], s.size, 0);
		igt_assert_eq_u64(idle_evicted(&s, 0), m + 1);
		check_all_on(&s, s.idle[0][m], s.size, SYS);
	}
	for (unsigned int t = 1; t < card->device.num_tiles; t++)
		igt_assert_eq_u64(idle_evicted(&s, t), 0);
	for (unsigned int m = 0; m < MAYS; m++)
		xetile_bo_close(card->fd, bo[m]);
	scene_fini(&s);
}

/* Row: the pages that found no room go to the tile that has the most room. */
static void test_spill(const struct xetile_card *card)
{
	unsigned int last = card->device.num_tiles - 1;
	uint32_t small = 0, bo;
	struct scene s;

	scene_init(&s, card, BUSY, FREE);
	/* All tiles but the last have less room than that one. */
	for (unsigned int t = 1; t < last; t++)
		small = strict_on(card->fd, s.size, t);
	for (unsigned int m = MAY_HBM; m <= MAY_BOTH; m++) {
		bo = make(&s, s.size, m, 0);
		check_spilled(&s, bo);
		igt_assert_eq_u64(pages_on(card->fd, bo, 0) + pages_on(card->fd, bo, last),
				  s.size / PAGE);
		xetile_bo_close(card->fd, bo);
	}
	if (small)
		xetile_bo_close(card->fd, small);
	scene_fini(&s);
}

/* Row: idle buffers of other tiles go before the new buffer leaves HBM, or its call waits. */
static void test_spill_evicts(const struct xetile_card *card)
{
	/* More than all tiles have left */
	uint64_t size = part_of_tile(card, 18) * card->device.num_tiles, gone = 0;
	struct scene s;
	uint32_t bo;

	scene_init(&s, card, BUSY, IDLE);
	bo = make(&s, size, MAY_BOTH, 0);
	check_spilled(&s, bo);
	for (unsigned int t = 1; t < card->device.num_tiles; t++)
		gone += idle_evicted(&s, t);
	igt_assert_lte_u64(1, gone);
	xetile_bo_close(card->fd, bo);
	scene_fini(&s);
}

/* Row: a buffer that may not spill, or finds all tiles busy, goes to system memory, if it may. */
static void check_system(const struct xetile_card *card, enum filling rest, unsigned int m)
{
	struct scene s;
	uint32_t bo;

	scene_init(&s, card, BUSY, rest);
	bo = make(&s, s.size, m, 0);
	check_all_on(&s, bo, s.size, SYS);
	for (unsigned int t = 1; t < card->device.num_tiles; t++)
		igt_assert_eq_u64(idle_evicted(&s, t), 0);
	xetile_bo_close(card->fd, bo);
	scene_fini(&s);
}

/* Row: a buffer that may be nowhere else waits for the jobs, and gets the place of theirs. */
static void check_waits(const struct xetile_card *card, enum filling rest, unsigned int m)
{
	struct scene s;
	int status;
	pid_t pid;

	scene_init(&s, card, BUSY, rest);
	pid = fork();
	igt_assert_lte(0, pid);
	if (!pid) {
		uint32_t bo;
		bool done = !try_tile(card->fd, s.size, 0, may[m].flags, may[m].placement, &bo) &&
			    pages_on(card->fd, bo, 0) == s.size / PAGE;

		xetile_bo_close(card->fd, bo);
		_exit(!done);
	}
	xetile_assert_soon(xetile_sleeps_in(pid, "xetile_room_again"));
	for (unsigned int t = 1; t < card->device.num_tiles; t++)
		igt_assert_eq_u64(idle_evicted(&s, t), 0);
	scene_let_go(&s);
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert_eq(status, 0);
	igt_assert_lte_u64(1, pages_on(card->fd, s.busy[0], SYS));
	scene_fini(&s);
}

/* Rows: a size that the tile, or all of HBM, cannot hold. Nobody's buffer goes in vain. */
static void test_too_large(const struct xetile_card *card, bool for_all)
{
	uint64_t size = part_of_tile(card, 110) * (for_all ? card->device.num_tiles : 1);
	struct scene s;
	uint32_t bo;

	scene_init(&s, card, FREE, FREE);
	s.idle[0][0] = strict_on(card->fd, s.size, 0);
	paint(card->fd, s.idle[0][0], s.size, 0);
	make(&s, size, MAY_STRICT, -ENOSPC);
	bo = make(&s, size, MAY_STRICT_BOTH, 0);
	check_all_on(&s, bo, size, SYS);
	xetile_bo_close(card->fd, bo);
	bo = make(&s, size, MAY_HBM, for_all ? -ENOSPC : 0);
	if (!for_all) {
		igt_assert_eq_u64(pages_on(card->fd, bo, SYS), 0);
		igt_assert_lte_u64(pages_on(card->fd, bo, 0), size / PAGE - 1);
		xetile_bo_close(card->fd, bo);
	}
	if (for_all) {
		bo = make(&s, size, MAY_BOTH, 0);
		check_all_on(&s, bo, size, SYS);
		xetile_bo_close(card->fd, bo);
	}
	igt_assert_eq_u64(idle_evicted(&s, 0), 0);
	scene_fini(&s);
}

/*
 * Rows: a job wants a buffer that was evicted. One that may be in system memory is used there, and
 * nothing is evicted for it; it comes back when there is room.
 */
static void test_job(const struct xetile_card *card)
{
	uint32_t both, strict;
	struct scene s;
	struct place p;

	scene_init(&s, card, FREE, FREE);
	place_init(&p, card->fd);
	both = make(&s, s.size, MAY_STRICT_BOTH, 0);
	strict = make(&s, s.size, MAY_STRICT, 0);
	paint(card->fd, both, s.size, 0xb000000);
	paint(card->fd, strict, s.size, 0xa000000);
	xetile_bo_close(card->fd, strict_on(card->fd, part_of_tile(card, 94), 0));
	xetile_assert_soon(hbm_free(card->fd) > card->tiles[0].hbm_total / 100 * 94);
	check_all_on(&s, both, s.size, SYS);
	check_all_on(&s, strict, s.size, SYS);
	fill_idle(&s, 0);
	xetile_vm_map(card->fd, p.vm, both, 0, DATA_ADDR, s.size);
	place_store(&p, DATA_ADDR, 1);
	check_all_on(&s, both, s.size, SYS);
	igt_assert_eq_u64(idle_evicted(&s, 0), 0);
	xetile_vm_map(card->fd, p.vm, strict, 0, DATA_ADDR + SZ_1G, s.size);
	place_store(&p, DATA_ADDR + SZ_1G, 2);
	check_all_on(&s, strict, s.size, 0);
	igt_assert_eq_u64(idle_evicted(&s, 0), 1);
	check_all_on(&s, both, s.size, SYS);
	/* There is room: the next job brings the other one back. */
	for (int i = 0; i < IDLE_BOS; i++) {
		xetile_bo_close(card->fd, s.idle[0][i]);
		s.idle[0][i] = 0;
	}
	xetile_assert_soon(hbm_free(card->fd) > card->tiles[0].hbm_total / 2);
	place_store(&p, DATA_ADDR + 4, 3);
	check_all_on(&s, both, s.size, 0);
	check_paint(card->fd, both, s.size, 0xb000000);
	check_paint(card->fd, strict, s.size, 0xa000000);
	xetile_bo_close(card->fd, both);
	xetile_bo_close(card->fd, strict);
	place_fini(&p);
	scene_fini(&s);
}

/* --- which of the busy buffers goes --------------------------------------------- */

/* Makes a buffer on tile 0 that the jobs of @p use. */
static uint32_t used_by(struct place *p, uint64_t size, uint64_t addr, bool private)
{
	struct drm_xetile_bo_create args = {
		.size = size, .placement = HBM, .flags = STRICT, .color = DRM_XETILE_COLOR_TILE,
		.tile_mask = 1, .vm_id = private ? p->vm : 0,
	};

	igt_assert_eq(__xetile_bo_create(p->fd, &args), 0);
	xetile_vm_map(p->fd, p->vm, args.handle, 0, addr, size);
	return args.handle;
}

/* A process that makes a buffer, for which a busy one must go */
static pid_t start_maker(const struct xetile_card *card)
{
	pid_t pid = fork();
	uint32_t bo;

	igt_assert_lte(0, pid);
	if (!pid) {
		/* It has the held batches' file open, too: they go on until it ends. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(!!try_tile(xetile_reopen(card->fd), part_of_tile(card, 18), 0, STRICT, HBM,
				 &bo));
	}
	return pid;
}

static void end_maker(pid_t pid)
{
	int status;

	xetile_assert_soon(waitpid(pid, &status, WNOHANG) == pid);
	igt_assert_eq(status, 0);
}

#define STUCK_BOS	32

/* Small buffers in use, each of which is waited for before the next one, and in vain */
static void use_stuck(struct place *p, bool private)
{
	for (int i = 0; i < STUCK_BOS; i++)
		used_by(p, PAGE, DATA_ADDR + i * PAGE, private);
	place_hold(p);
}

/*
 * Row: of the busy buffers goes the one that was used longest ago, though it came last. The jobs of
 * two buffers end at one time, when the call waits for the first one. If this machine is so slow
 * that the call looks for another one before, it comes to the stuck buffers, and begins again
 * before it looks at the last one for longer than a moment.
 */
static void check_longest_ago(const struct xetile_card *card, bool private)
{
	uint64_t size = part_of_tile(card, 44);
	struct place recent, stuck, longest;
	uint32_t bo[2];
	pid_t pid;

	xetile_wait_hbm_free(card->fd);
	place_init(&recent, card->fd);
	place_init(&stuck, xetile_reopen(card->fd));
	place_init(&longest, card->fd);
	bo[0] = used_by(&recent, size, DATA_ADDR, private);
	bo[1] = used_by(&longest, size, DATA_ADDR, private);
	place_hold(&longest);
	use_stuck(&stuck, private);
	place_hold(&recent);
	pid = start_maker(card);
	xetile_assert_soon(xetile_sleeps_in(pid, "xetile_room_again"));
	recent.ctl.map[GO] = 1;
	place_let_go(&longest);
	place_let_go(&recent);
	end_maker(pid);
	igt_assert_eq_u64(pages_on(card->fd, bo[0], 0), size / PAGE);
	igt_assert_eq_u64(pages_on(card->fd, bo[1], SYS), size / PAGE);
	place_let_go(&stuck);
	place_fini(&stuck);
	close(stuck.fd);
	xetile_bo_close(card->fd, bo[0]);
	xetile_bo_close(card->fd, bo[1]);
	place_fini(&recent);
	place_fini(&longest);
}

/* Submits jobs, of which two are always under way, until the process is killed. */
static void submit_for_ever(struct place *p, _Atomic uint32_t *jobs)
{
	struct drm_xetile_sync done[2] = { 0 };
	struct xetile_batch b;

	batch_begin(&b, &p->ctl, 0x2000);
	batch_store(&b, DATA_ADDR, 1, false);
	batch_end(&b);
	for (int i = 0;; i ^= 1) {
		if (done[i].handle) {
			igt_assert_eq(__xetile_wait(p->fd, done[i].handle, 60000), 0);
			xetile_syncobj_destroy(p->fd, done[i].handle);
		}
		done[i] = (struct drm_xetile_sync) {
			.flags = DRM_XETILE_SYNC_SIGNAL, .handle = xetile_syncobj(p->fd),
		};
		igt_assert_eq(__xetile_exec(p->fd, p->queue, batch_addr(&b), &done[i], 1), 0);
		++*jobs;
	}
}

/* A client that submits jobs to a VM whose buffer nearly fills tile 0 */
static pid_t start_client(const struct xetile_card *card, _Atomic uint32_t *jobs)
{
	pid_t pid = fork();
	struct place p;

	igt_assert_lte(0, pid);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		place_init(&p, xetile_reopen(card->fd));
		used_by(&p, part_of_tile(card, 86), DATA_ADDR, true);
		submit_for_ever(&p, jobs);
	}
	xetile_assert_soon(*jobs > 4);
	return pid;
}

/*
 * One client's buffers are used longest ago, but their batch does not end. The other client's are
 * always used a moment ago, and always by a job. A call gets room from the second one.
 */
static void test_no_pause(const struct xetile_card *card)
{
	_Atomic uint32_t *jobs = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct place stuck;
	uint32_t before;
	pid_t client;

	igt_assert(jobs != MAP_FAILED);
	xetile_wait_hbm_free(card->fd);
	place_init(&stuck, xetile_reopen(card->fd));
	use_stuck(&stuck, false);
	client = start_client(card, jobs);
	end_maker(start_maker(card));
	igt_assert_eq(xetile_fence_status(stuck.fd, stuck.held), 0);
	/* The client goes on: its buffer was held back, and comes back. */
	before = *jobs;
	xetile_assert_soon(*jobs > before + 4);
	igt_assert_eq(kill(client, SIGKILL), 0);
	igt_assert_eq(waitpid(client, NULL, 0), client);
	place_let_go(&stuck);
	place_fini(&stuck);
	close(stuck.fd);
	munmap(jobs, PAGE);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture {
		xetile_open_card(&card);
		require_room_elsewhere(&card);
	}

	igt_describe("A full tile with idle buffers must evict the one used longest ago, whatever "
		     "the new buffer may do");
	igt_subtest("idle")
		test_idle(&card);
	igt_describe("Pages that find their tile busy must go to the tile with the most room");
	igt_subtest("spill")
		test_spill(&card);
	igt_describe("A buffer that may spill must have idle buffers of other tiles evicted");
	igt_subtest("spill-evicts")
		test_spill_evicts(&card);
	igt_describe("A strict buffer must go to system memory if it may, whatever other tiles "
		     "have");
	igt_subtest("strict-system")
		check_system(&card, IDLE, MAY_STRICT_BOTH);
	igt_describe("A buffer that finds all tiles busy must go to system memory if it may");
	igt_subtest("system")
		check_system(&card, BUSY, MAY_BOTH);
	igt_describe("A strict buffer for HBM only must wait for the jobs of its tile");
	igt_subtest("strict-waits")
		check_waits(&card, IDLE, MAY_STRICT);
	igt_describe("A buffer for HBM only that finds all tiles busy must wait");
	igt_subtest("waits")
		check_waits(&card, BUSY, MAY_HBM);
	igt_describe("A buffer larger than its tile must spill, or be refused, and evict nothing");
	igt_subtest("larger-than-tile")
		test_too_large(&card, false);
	igt_describe("A buffer larger than HBM must be in system memory, or be refused, and evict "
		     "nothing");
	igt_subtest("larger-than-hbm")
		test_too_large(&card, true);
	igt_describe("A job must use an evicted buffer in system memory if it may be there and "
		     "HBM is full, and in HBM otherwise");
	igt_subtest("job")
		test_job(&card);
	igt_describe("Of a full tile's busy buffers the one used longest ago must go, though it came "
		     "last");
	igt_subtest("longest-ago")
		check_longest_ago(&card, false);
	igt_describe("Of the private buffers of several VMs those must go whose VM was used longest "
		     "ago");
	igt_subtest("longest-ago-private")
		check_longest_ago(&card, true);
	igt_describe("A call must get room from a client that submits jobs without a pause, though "
		     "other buffers are in use for longer");
	igt_subtest("no-pause")
		test_no_pause(&card);

	igt_fixture
		close(card.fd);
}
