// SPDX-License-Identifier: MIT
/*
 * Twenty-four processes launch gangs, of which each work-group marks a word of its own: every word
 * is marked once. Meanwhile the same processes have work on single tiles, the tiles change their
 * modes, buffers are evicted, and batches hang, whose engines are reset. Each process makes 200
 * launches, or XETILE_LAUNCHES=n. Statements: W1, W2, W5, W12.
 *
 * suite: launches
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xetile_lab.h"
#include "xetile_place.h"
#include "xetile_walker.h"

IGT_TEST_DESCRIPTION("Each group of each launch runs once");

#define ISA_ADDR	0x30000000ull
#define WORDS_ADDR	0x50000000ull
#define PROCESSES	24u
/* Launches of a process that are in flight, and the one on a single tile */
#define DEPTH		4u
#define ALONE		DEPTH
#define GROUPS		32u
/* Bytes between the words of two launches: with chunks of a color page, on another tile each */
#define WORDS_SPACE	SZ_64K
#define BATCH_SPACE	SZ_4K
/* Evicted with the words of a launch */
#define WORDS_BYTES	SZ_2M
/* One mischief, a hang or an eviction, for so many launches */
#define MISCHIEF_EVERY	200u
/* Engine time after which a batch hangs */
#define HANG_MS		5u

static struct xetile_card card = { .fd = -1 };

/* What the processes count together */
struct shared {
	atomic_uint launched;		/* gangs that have ended well */
	atomic_uint alone;		/* work on a single tile */
	atomic_uint lost;		/* batches that were lost in resets, and launched again */
	atomic_uint working;		/* processes that still launch */
	atomic_uint hung, evicted;
};

/* A launch in flight, or none */
struct launch {
	struct xetile_buf batch;	/* a part of the process's buffer */
	volatile uint32_t *words;
	uint32_t queue, tiles;
	struct drm_xetile_sync sync;
	bool flies;
};

struct launcher {
	int fd;
	uint32_t vm, gang, alone, random;
	struct xetile_buf batch, isa, words;
	struct launch launches[DEPTH + 1];
	struct shared *s;
};

static unsigned int draw(struct launcher *l, unsigned int n)
{
	l->random = l->random * 1664525 + 1013904223;
	return (uint64_t)l->random * n >> 32;
}

/* The mode of which process @me has a queue: most have the tiles' own one. */
static uint32_t mode_of(unsigned int me, uint32_t modes, bool gang)
{
	uint32_t mode = 1;

	if (gang && me % 8 == 5)
		mode = 2;
	else if (!gang && me % 4 == 3)
		mode = 4;
	return modes & 1u << mode ? mode : 1;
}

static uint32_t launcher_queue(struct launcher *l, unsigned int me, bool gang)
{
	uint32_t tile = me % card.device.num_tiles;
	struct drm_xetile_queue_create args = {
		/* Far more than a machine that is busy with others makes of it */
		.vm_id = l->vm, .engine_class = COMPUTE, .timeout_ms = 60000,
		.ccs_mode = mode_of(me, card.tiles[tile].ccs_modes, gang),
	};

	if (gang) {
		args.target = ROOT;
	} else {
		args.target = DRM_XETILE_TARGET_CSLICE;
		args.tile = tile;
		args.cslice = me / 4 % args.ccs_mode;
	}
	igt_assert_eq(__xetile_queue_create(l->fd, &args), 0);
	return args.queue_id;
}

static void launch_init(struct launcher *l, unsigned int i)
{
	struct launch *launch = &l->launches[i];

	*launch = (struct launch) {
		.batch = l->batch, .words = l->words.map + i * WORDS_SPACE / 4,
		.queue = i == ALONE ? l->alone : l->gang,
		.tiles = i == ALONE ? 1 : card.device.num_tiles,
		.sync = { .handle = xetile_syncobj(l->fd), .flags = DRM_XETILE_SYNC_SIGNAL },
	};
	launch->batch.map += i * BATCH_SPACE / 4;
	launch->batch.addr += i * BATCH_SPACE;
	launch->batch.size = BATCH_SPACE;
	count_batch(&launch->batch, &l->isa, l->words.addr + i * WORDS_SPACE, GROUPS, 1,
		    launch->tiles, COUNT_AS_DRIVER);
}

static void launcher_init(struct launcher *l, struct shared *s, unsigned int me)
{
	struct drm_xetile_bo_create words = {
		.size = WORDS_BYTES, .placement = DRM_XETILE_PLACE_HBM,
		.color = DRM_XETILE_COLOR_CHUNK,
	};

	*l = (struct launcher) { .fd = xetile_reopen(card.fd), .s = s, .random = me * 7919 + 1 };
	l->vm = xetile_vm(l->fd);
	xetile_buf_init(&l->batch, l->fd, l->vm, BATCH_ADDR, SZ_64K, DRM_XETILE_PLACE_HBM);
	xetile_buf_init(&l->isa, l->fd, l->vm, ISA_ADDR, SZ_64K, DRM_XETILE_PLACE_HBM);
	igt_assert_eq(__xetile_bo_create(l->fd, &words), 0);
	l->words = (struct xetile_buf) {
		.fd = l->fd, .vm = l->vm, .handle = words.handle, .addr = WORDS_ADDR,
		.size = words.size, .map = xetile_bo_map(l->fd, words.handle, words.size),
	};
	xetile_vm_map(l->fd, l->vm, words.handle, 0, WORDS_ADDR, words.size);
	l->gang = launcher_queue(l, me, true);
	l->alone = launcher_queue(l, me, false);
	for (unsigned int i = 0; i <= DEPTH; i++)
		launch_init(l, i);
}

static void launcher_fini(struct launcher *l)
{
	for (unsigned int i = 0; i <= DEPTH; i++)
		xetile_syncobj_destroy(l->fd, l->launches[i].sync.handle);
	xetile_queue_destroy(l->fd, l->alone);
	xetile_queue_destroy(l->fd, l->gang);
	xetile_buf_fini(&l->words);
	xetile_buf_fini(&l->isa);
	xetile_buf_fini(&l->batch);
	xetile_vm_destroy(l->fd, l->vm);
	close(l->fd);
}

static void launch_begin(struct launcher *l, struct launch *launch)
{
	igt_assert_eq(__xetile_exec(l->fd, launch->queue, launch->batch.addr, &launch->sync, 1), 0);
	launch->flies = true;
}

static void check_word(const struct launch *launch, unsigned int i, uint32_t want, bool lost)
{
	uint32_t word = launch->words[i];

	igt_assert_f(word == want || (lost && !word), "word %u behind %u groups is %#x, not %#x\n",
		     i, GROUPS, word, want);
}

/*
 * Each group has marked its word once, and each tile has said behind them that it is done; of a
 * launch that was lost in a reset, at most once. Clears the words for the next launch.
 */
static void check_words(struct launch *launch, bool lost)
{
	unsigned int end = GROUPS + 2 * launch->tiles;

	for (unsigned int i = 0; i < GROUPS; i++)
		check_word(launch, i, 1, lost);
	for (unsigned int i = GROUPS; i < end; i += 2)
		check_word(launch, i, COUNT_DONE, lost);
	check_word(launch, end, 0, false);
	for (unsigned int i = 0; i < end; i++)
		launch->words[i] = 0;
}

/* Waits for a launch that flies; one that was lost is begun again. */
static void launch_end(struct launcher *l, struct launch *launch)
{
	int status = 0;

	while (launch->flies && status != 1) {
		igt_assert_eq(__xetile_wait(l->fd, launch->sync.handle, 300000), 0);
		status = xetile_fence_status(l->fd, launch->sync.handle);
		igt_assert(status == 1 || status == -EAGAIN);
		check_words(launch, status != 1);
		if (status != 1) {
			l->s->lost++;
			launch_begin(l, launch);
		}
	}
	if (!launch->flies)
		return;
	launch->flies = false;
	if (launch->queue == l->alone)
		l->s->alone++;
	else
		l->s->launched++;
}

static void launch_many(struct shared *s, unsigned int me, unsigned int times)
{
	struct launcher l;

	launcher_init(&l, s, me);
	for (unsigned int i = 0; i < times; i++) {
		launch_end(&l, &l.launches[i % DEPTH]);
		launch_begin(&l, &l.launches[i % DEPTH]);
		if (!draw(&l, 4)) {
			launch_end(&l, &l.launches[ALONE]);
			launch_begin(&l, &l.launches[ALONE]);
		}
	}
	for (unsigned int i = 0; i <= DEPTH; i++)
		launch_end(&l, &l.launches[i]);
	launcher_fini(&l);
	s->working--;
}

/* --- mischief ------------------------------------------------------------------- */

/* A batch never ends, on one tile or on all of them in turn: the engines are reset. */
static void hang(struct shared *s, unsigned int n)
{
	uint32_t target = n % (card.device.num_tiles + 1);
	struct drm_xetile_queue_create args = {
		.engine_class = COMPUTE, .timeout_ms = HANG_MS,
		.target = target < card.device.num_tiles ? TILE : ROOT,
		.tile = target < card.device.num_tiles ? target : 0,
	};
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	/* A file of its own, because one may not hang often. */
	int fd = xetile_reopen(card.fd), status;
	struct xetile_batch b;
	struct ctx c;

	ctx_init(&c, fd);
	args.vm_id = c.vm;
	igt_assert_eq(__xetile_queue_create(fd, &args), 0);
	sync.handle = xetile_syncobj(fd);
	batch_begin(&b, &c.batch, 0);
	batch_hang(&b);
	igt_assert_eq(__xetile_exec(fd, args.queue_id, batch_addr(&b), &sync, 1), 0);
	igt_assert_eq(__xetile_wait(fd, sync.handle, 300000), 0);
	status = xetile_fence_status(fd, sync.handle);
	/* Another one's reset may have been in time for it. */
	igt_assert(status == -ETIME || status == -EAGAIN);
	s->hung += status == -ETIME;
	xetile_queue_destroy(fd, args.queue_id);
	ctx_fini(&c);
	close(fd);
}

/* A buffer takes three quarters of a tile, for which others have to leave. */
static void evict(struct shared *s, unsigned int n)
{
	uint32_t bo;
	int err = try_tile(card.fd, part_of_tile(&card, 75), n % card.device.num_tiles,
			   DRM_XETILE_BO_STRICT, DRM_XETILE_PLACE_HBM, &bo);

	/* There may be no room because all others are in use. */
	igt_assert(!err || err == -ENOSPC);
	if (err)
		return;
	s->evicted++;
	xetile_bo_close(card.fd, bo);
}

static void make_mischief(struct shared *s)
{
	for (unsigned int n = 0; s->working; n++) {
		while (s->working && s->launched < n * MISCHIEF_EVERY)
			usleep(1000);
		if (n % 2)
			evict(s, n / 2);
		else
			hang(s, n / 2);
	}
}

/* --- what the card and the driver tell of it ------------------------------------ */

static uint64_t evicted_bytes(void)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES] = { 0 };
	uint32_t num = xetile_query_tiles(card.fd, tiles);
	uint64_t sum = 0;

	for (uint32_t t = 0; t < num; t++)
		sum += tiles[t].moved_evict;
	return sum;
}

/* How often the driver has written the register of the mode, on all tiles */
static uint64_t mode_writes(void)
{
	char *answer = lab_ask("registers");
	uint64_t sum = 0;

	for (const char *at = answer; (at = strstr(at, "\"name\":\"PVC_CCS_MODE\"")); at++)
		sum += lab_number(at, "writes");
	free(answer);
	return sum;
}

static void test_launches(unsigned int times)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t moved = evicted_bytes(), modes = mode_writes(), began = xetile_now_ms();

	igt_assert(s != MAP_FAILED);
	s->working = PROCESSES;
	igt_fork(child, PROCESSES + 1) {
		if (child < PROCESSES)
			launch_many(s, child, times);
		else
			make_mischief(s);
	}
	igt_waitchildren();
	moved = evicted_bytes() - moved;
	modes = mode_writes() - modes;
	igt_info("note: %u launches and %u on one tile in %llu ms, %u batches lost in the resets "
		 "after %u hangs, %u evictions of %llu KiB, %llu modes written\n", s->launched,
		 s->alone, (unsigned long long)(xetile_now_ms() - began), s->lost, s->hung,
		 s->evicted, (unsigned long long)moved / 1024, (unsigned long long)modes);
	igt_assert_eq_u32(s->launched, PROCESSES * times);
	igt_assert_lt(0, s->hung);
	igt_assert_lte_u64(1, moved);
	if (card.tiles[0].ccs_modes & 1u << 2)
		igt_assert_lte_u64(2 * card.device.num_tiles, modes);
	munmap(s, sizeof(*s));
}

igt_main
{
	const char *launches = getenv("XETILE_LAUNCHES");

	igt_fixture {
		card.fd = lab_open();
		close(card.fd);
		xetile_open_card(&card);
		igt_require_f(card.tiles[0].hbm_total <= 128 * 1024 * 1024,
			      "HBM is so large that nothing would be evicted\n");
	}
	igt_describe("Each group must run once, beside other work, hangs and evictions (W1, W2)");
	igt_subtest("once")
		test_launches(launches ? strtoul(launches, NULL, 10) : 200);
	igt_fixture
		close(card.fd);
}
