// SPDX-License-Identifier: MIT
/*
 * More buffers than HBM holds, of many processes, for seconds or, with XETILE_PRESSURE_TIME=n, for
 * n minutes; and the time that the card takes to evict and restore a buffer. The card has little
 * HBM, so that it is soon full. Statements: S41.
 *
 * suite: pressure
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_place.h"

IGT_TEST_DESCRIPTION("Twice as many buffers as HBM holds");

#define HBM		DRM_XETILE_PLACE_HBM
#define SYSTEM		DRM_XETILE_PLACE_SYSTEM
#define STRICT		DRM_XETILE_BO_STRICT

/* --- all tiles at once ---------------------------------------------------------- */

/* So long each command takes: the card's time is that of the commands, not of this machine. */
#define SLOW_US		6000u

/* Returns the time stamps of the card from the begin of the first copy to the end of the last. */
static uint64_t copied_for(const struct xetile_card *card)
{
	uint64_t began = UINT64_MAX, ended = 0;
	char engine[32];

	xetile_kernel_engine(card->fd, engine, sizeof(engine));
	for (unsigned int t = 0; t < card->device.num_tiles; t++) {
		uint64_t from, to;

		engine[strlen("tile")] = '0' + t;
		from = lab_counter(engine, "copy_began");
		to = lab_counter(engine, "copy_ended");
		if (from && from < began)
			began = from;
		if (to > ended)
			ended = to;
	}
	igt_assert_lte_u64(began + 1, ended);
	return ended - began;
}

/* Evicts a buffer that has the given color and brings it back; tells how long the card copied. */
static void evict_and_restore(const struct xetile_card *card, uint32_t color, uint32_t tile_mask,
			      uint64_t *evict, uint64_t *restore)
{
	struct drm_xetile_bo_create args = {
		.size = part_of_tile(card, 75), .placement = HBM, .flags = STRICT,
		.color = color, .tile_mask = tile_mask,
	};
	uint64_t pages = args.size / PAGE, used;
	uint32_t other;
	struct place p;

	place_init(&p, card->fd);
	igt_assert_eq(__xetile_bo_create(card->fd, &args), 0);
	paint(card->fd, args.handle, args.size, 0x3000000);
	xetile_vm_map(card->fd, p.vm, args.handle, 0, DATA_ADDR, args.size);
	lab_inject("slow us=%u", SLOW_US);
	free(lab_ask("reset-counters"));
	other = strict_on(card->fd, part_of_tile(card, 90), 0);
	igt_assert_eq_u64(pages_on(card->fd, args.handle, DRM_XETILE_MEM_SYSTEM), pages);
	*evict = copied_for(card);
	lab_heal();
	used = xetile_hbm_used(card->fd);
	xetile_bo_close(card->fd, other);
	xetile_assert_soon(xetile_hbm_used(card->fd) <= used - part_of_tile(card, 90));

	lab_inject("slow us=%u", SLOW_US);
	free(lab_ask("reset-counters"));
	place_store(&p, DATA_ADDR, 1);
	igt_assert_eq_u64(pages_on(card->fd, args.handle, DRM_XETILE_MEM_SYSTEM), 0);
	*restore = copied_for(card);
	lab_heal();
	check_paint(card->fd, args.handle, args.size, 0x3000000);
	xetile_bo_close(card->fd, args.handle);
	place_fini(&p);
}

/* By one tile's engine, and by two engines that each move the half of their own tile */
static void test_tiles(const struct xetile_card *card)
{
	uint64_t one[2], two[2];

	lab_require_card();
	igt_require_f(card->device.num_tiles >= 2, "needs two tiles\n");
	xetile_wait_hbm_free(card->fd);
	evict_and_restore(card, DRM_XETILE_COLOR_TILE, 1, &one[0], &one[1]);
	evict_and_restore(card, DRM_XETILE_COLOR_EVEN, 3, &two[0], &two[1]);
	for (int i = 0; i < 2; i++)
		igt_info("note: %s: %llu ticks on one tile, %llu on two\n", i ? "restore" : "evict",
			 (unsigned long long)one[i], (unsigned long long)two[i]);
	igt_assert_lte_u64(two[0] * 100, one[0] * 55);
	igt_assert_lte_u64(two[1] * 100, one[1] * 55);
}

/* --- churn ---------------------------------------------------------------------- */

#define MAX_CHURNERS	64u
#define KINDS		4u
#define SETS		2u		/* of buffers of each kind that a process has */
#define BOS		(KINDS * SETS)

/* The buffers of a process; with @lone all of them are on tile 0. */
static const struct {
	uint32_t placement, flags, color;
} kinds[KINDS] = {
	{ HBM, STRICT, DRM_XETILE_COLOR_TILE },
	{ HBM | SYSTEM, 0, DRM_XETILE_COLOR_EVEN },
	{ HBM, 0, DRM_XETILE_COLOR_CHUNK },
	{ HBM | SYSTEM, STRICT, DRM_XETILE_COLOR_TILE },
};

/* A buffer of a process, and the first dword of each of its pages */
struct shadow {
	uint32_t bo;
	uint32_t *words;
	uint32_t *map;
};

struct churner {
	const struct xetile_card *card;
	struct place p;
	uint64_t size;			/* of a buffer */
	struct shadow bos[BOS];
	uint32_t random;
};

static uint32_t draw(struct churner *c, uint32_t n)
{
	c->random = c->random * 1664525 + 1013904223;
	return (uint64_t)c->random * n >> 32;
}

static uint64_t addr_of(unsigned int i)
{
	return DATA_ADDR + i * (uint64_t)SZ_1G;
}

static void churner_init(struct churner *c, const struct xetile_card *card, unsigned int me,
			 unsigned int num, bool lone)
{
	unsigned int tiles = card->device.num_tiles;

	/* Twice all HBM, or four times that of tile 0, over all processes */
	c->size = part_of_tile(card, (lone ? 4 : 2 * tiles) * 100) / num / BOS / PAGE * PAGE;
	for (unsigned int i = 0; i < BOS; i++) {
		struct drm_xetile_bo_create args = {
			.size = c->size, .placement = kinds[i % KINDS].placement,
			.flags = kinds[i % KINDS].flags, .color = kinds[i % KINDS].color,
		};

		if (lone)
			args.color = DRM_XETILE_COLOR_TILE;
		if (args.color == DRM_XETILE_COLOR_TILE)
			args.tile_mask = lone ? 1 : 1u << (me + i / KINDS) % tiles;
		igt_assert_eq(__xetile_bo_create(c->p.fd, &args), 0);
		c->bos[i].bo = args.handle;
		c->bos[i].words = calloc(c->size / PAGE, sizeof(uint32_t));
		igt_assert(c->bos[i].words);
		c->bos[i].map = xetile_bo_map(c->p.fd, args.handle, c->size);
		xetile_vm_map(c->p.fd, c->p.vm, args.handle, 0, addr_of(i), c->size);
	}
}

static void check_page(const struct churner *c, const struct shadow *s, uint64_t page)
{
	igt_assert_eq_u32(((volatile uint32_t *)s->map)[page * PAGE / 4], s->words[page]);
}

/* A job writes to a page of a buffer; the CPU looks at another one of any buffer. */
static void churn_step(struct churner *c)
{
	unsigned int i = draw(c, BOS);
	uint64_t page = draw(c, c->size / PAGE);
	uint32_t value = c->random;

	place_store(&c->p, addr_of(i) + page * PAGE, value);
	c->bos[i].words[page] = value;
	check_page(c, &c->bos[draw(c, BOS)], draw(c, c->size / PAGE));
}

static void churner_fini(struct churner *c)
{
	for (unsigned int i = 0; i < BOS; i++) {
		for (uint64_t page = 0; page < c->size / PAGE; page++)
			check_page(c, &c->bos[i], page);
		munmap(c->bos[i].map, c->size);
		xetile_bo_close(c->p.fd, c->bos[i].bo);
		free(c->bos[i].words);
	}
	place_fini(&c->p);
	close(c->p.fd);
}

/* What the processes have done, in memory that they share */
struct tally {
	_Atomic uint32_t placed, ready, steps[MAX_CHURNERS];
	uint64_t longest_ms[MAX_CHURNERS];	/* of the steps of each */
};

static int compare_ms(const void *a, const void *b)
{
	uint64_t l = *(const uint64_t *)a, r = *(const uint64_t *)b;

	return l < r ? -1 : l > r;
}

/*
 * Calls that wait for room stand in one line, so that all processes have waits of about the same
 * length. How long these are depends on the machine; how they compare does not.
 */
static void check_waits(struct tally *t, unsigned int num)
{
	uint64_t median;

	qsort(t->longest_ms, num, sizeof(t->longest_ms[0]), compare_ms);
	median = t->longest_ms[num / 2];
	igt_info("note: longest step of a process: %llu ms, the median of all is %llu ms\n",
		 (unsigned long long)t->longest_ms[num - 1], (unsigned long long)median);
	igt_assert_lte_u64(t->longest_ms[num - 1], 4 * median);
}

static void churn(const struct xetile_card *card, struct tally *t, unsigned int me,
		  unsigned int num, bool lone, uint64_t ms)
{
	struct churner c = { .card = card, .random = me * 7919 + 1 };
	uint64_t until, begun, took;

	/* Before there are buffers: nothing is evicted for contexts, which have the reserve then. */
	place_init(&c.p, xetile_reopen(card->fd));
	t->placed++;
	xetile_assert_soon(t->placed == num);
	churner_init(&c, card, me, num, lone);
	t->ready++;
	xetile_assert_soon(t->ready == num);
	until = xetile_now_ms() + ms;
	do {
		begun = xetile_now_ms();
		churn_step(&c);
		took = xetile_now_ms() - begun;
		if (took > t->longest_ms[me])
			t->longest_ms[me] = took;
		t->steps[me]++;
	} while (xetile_now_ms() < until);
	churner_fini(&c);
}

/*
 * Every process goes on, finds what it wrote, and waits about as long as the others. Afterwards a
 * buffer that had to go comes back, and nothing is left of the processes, page tables included.
 */
static void check_churn(const struct xetile_card *card, bool lone)
{
	const char *minutes = getenv("XETILE_PRESSURE_TIME");
	uint64_t ms = minutes ? strtoull(minutes, NULL, 0) * 30000 : 1000;
	unsigned int num = minutes ? MAX_CHURNERS : 16;
	uint64_t size = part_of_tile(card, 30), used, evicted, tables, steps = 0;
	struct tally *t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint32_t bo;
	struct place p;

	igt_assert(t != MAP_FAILED);
	xetile_wait_hbm_free(card->fd);
	place_init(&p, card->fd);
	igt_assert_eq(try_tile(card->fd, size, 0, 0, HBM | SYSTEM, &bo), 0);
	paint(card->fd, bo, size, 0x4000000);
	xetile_vm_map(card->fd, p.vm, bo, 0, DATA_ADDR, size);
	place_store(&p, DATA_ADDR, 1);
	used = xetile_hbm_used(card->fd);
	tables = xetile_debugfs_sum(card->fd, "vms", "tables");
	igt_fork(i, num)
		churn(card, t, i, num, lone, ms);
	igt_waitchildren();
	for (unsigned int i = 0; i < num; i++) {
		igt_assert_lte_u64(1, t->steps[i]);
		steps += t->steps[i];
	}
	igt_info("note: %u processes, %llu steps\n", num, (unsigned long long)steps);
	/*
	 * All that the processes had has to be free: the buffer would come back in fragments between
	 * the last of it, and keep more tables than before.
	 */
	evicted = size - pages_on(card->fd, bo, 0) * PAGE;
	xetile_assert_soon(xetile_hbm_used(card->fd) <= used - evicted);
	place_store(&p, DATA_ADDR, 2);
	igt_assert_eq_u64(pages_on(card->fd, bo, 0), size / PAGE);
	check_paint(card->fd, bo, size, 0x4000000);
	/* The second job after the one that retired a table frees that table. */
	place_store(&p, DATA_ADDR, 3);
	place_store(&p, DATA_ADDR, 4);
	igt_assert(xetile_hbm_comes_back(card->fd, used));
	igt_assert_eq_u64(xetile_debugfs_sum(card->fd, "vms", "tables"), tables);
	xetile_bo_close(card->fd, bo);
	place_fini(&p);
	/*
	 * Last of all: a subtest that fails keeps its buffers, and the next one waits for them. In a
	 * second a process makes too few steps.
	 */
	if (minutes)
		check_waits(t, num);
	munmap(t, sizeof(*t));
}

/* --- turns ---------------------------------------------------------------------- */

/* Calls that wait for room, by what they need */
enum { TILE_0, BOTH, EITHER, TILE_1, MAKERS, MOST_OF_BOTH = MAKERS };

static const struct {
	uint32_t flags, color, tile_mask;
	unsigned int percent;		/* of a tile's HBM */
} wanted[] = {
	[TILE_0] = { STRICT, DRM_XETILE_COLOR_TILE, 1, 20 },
	[BOTH] = { STRICT, DRM_XETILE_COLOR_EVEN, 3, 40 },
	[EITHER] = { 0, DRM_XETILE_COLOR_TILE, 1, 20 },
	[TILE_1] = { STRICT, DRM_XETILE_COLOR_TILE, 2, 20 },
	[MOST_OF_BOTH] = { 0, DRM_XETILE_COLOR_EVEN, 3, 150 },
};

/* A process that makes a buffer, for which busy buffers must go */
static pid_t start_maker(const struct xetile_card *card, unsigned int which)
{
	struct drm_xetile_bo_create args = {
		.size = part_of_tile(card, wanted[which].percent), .placement = HBM,
		.flags = wanted[which].flags, .color = wanted[which].color,
		.tile_mask = wanted[which].tile_mask,
	};
	pid_t pid = fork();

	igt_assert_lte(0, pid);
	if (!pid) {
		/* It has the held batches' file open, too: they go on until it ends. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(!!__xetile_bo_create(xetile_reopen(card->fd), &args));
	}
	xetile_assert_soon(xetile_sleeps_in(pid, "xetile_room_again"));
	return pid;
}

static void end_maker(pid_t pid)
{
	int status;

	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert_eq(status, 0);
}

/* Fills two tiles with a buffer each that a held batch uses. */
static void hogs_init(const struct xetile_card *card, struct place hogs[2], uint32_t bos[2])
{
	uint64_t size = part_of_tile(card, 94);

	igt_require_f(card->device.num_tiles == 2, "needs two tiles\n");
	xetile_wait_hbm_free(card->fd);
	for (unsigned int t = 0; t < 2; t++) {
		place_init(&hogs[t], card->fd);
		bos[t] = strict_on(card->fd, size, t);
		xetile_vm_map(card->fd, hogs[t].vm, bos[t], 0, DATA_ADDR, size);
		place_hold(&hogs[t]);
	}
}

static void hogs_fini(const struct xetile_card *card, struct place hogs[2], uint32_t bos[2])
{
	for (unsigned int t = 0; t < 2; t++) {
		xetile_bo_close(card->fd, bos[t]);
		place_fini(&hogs[t]);
	}
}

/*
 * A call has its turn on tile 0 and waits for jobs there, and another one needs that tile as well.
 * When the jobs of tile 1 end, later calls that can use its room must not wait for these two.
 */
static void test_turns(const struct xetile_card *card)
{
	struct place hogs[2];
	pid_t pids[MAKERS];
	uint32_t bos[2];
	uint64_t begun;

	hogs_init(card, hogs, bos);
	for (unsigned int i = 0; i < MAKERS; i++)
		pids[i] = start_maker(card, i);
	begun = xetile_now_ms();
	place_let_go(&hogs[1]);
	end_maker(pids[EITHER]);
	end_maker(pids[TILE_1]);
	/* A turn is of 10 s. */
	igt_assert_lte_u64(xetile_now_ms() - begun, 8000);
	igt_assert_eq(waitpid(pids[TILE_0], NULL, WNOHANG), 0);
	igt_assert_eq(waitpid(pids[BOTH], NULL, WNOHANG), 0);
	place_let_go(&hogs[0]);
	end_maker(pids[TILE_0]);
	end_maker(pids[BOTH]);
	hogs_fini(card, hogs, bos);
}

/*
 * A call can use room on any tile, has both turns, and waits for jobs of both tiles. A call that
 * needs tile 1 must not wait until the jobs of tile 0 end, or the turn.
 */
static void test_turns_shared(const struct xetile_card *card)
{
	struct place hogs[2];
	pid_t most, one;
	uint32_t bos[2];
	uint64_t begun;

	hogs_init(card, hogs, bos);
	most = start_maker(card, MOST_OF_BOTH);
	one = start_maker(card, TILE_1);
	begun = xetile_now_ms();
	place_let_go(&hogs[1]);
	end_maker(one);
	/* A turn is of 10 s. */
	igt_assert_lte_u64(xetile_now_ms() - begun, 8000);
	igt_assert_eq(waitpid(most, NULL, WNOHANG), 0);
	place_let_go(&hogs[0]);
	end_maker(most);
	hogs_fini(card, hogs, bos);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture {
		xetile_open_card(&card);
		require_room_elsewhere(&card);
	}

	igt_describe("Two tiles must evict and restore a buffer in 0.55 of the time of one tile, "
		     "by the card's clock");
	igt_subtest("tiles")
		test_tiles(&card);
	igt_describe("Processes with twice the buffers that HBM holds must go on, lose no byte and "
		     "leave nothing behind");
	igt_subtest("churn")
		check_churn(&card, false);
	igt_describe("Processes with four times the buffers that a tile holds must go on, lose no "
		     "byte and leave nothing behind");
	igt_subtest("churn-tile")
		check_churn(&card, true);

	igt_describe("A call that waits for jobs of one tile must not delay calls for another tile");
	igt_subtest("turns")
		test_turns(&card);
	igt_describe("A call that can use room on any tile must not keep the turn of a tile that "
		     "another call needs");
	igt_subtest("turns-shared")
		test_turns_shared(&card);

	igt_fixture {
		lab_heal();
		close(card.fd);
	}
}
