// SPDX-License-Identifier: MIT
/*
 * Engine time in fdinfo: what the card's own clocks tell the batches, for each client, tile and
 * compute slice, while clients take the engines from each other, also in other modes.
 * Statements: W10.
 *
 * suite: once
 */
#include <inttypes.h>
#include <string.h>

#include "xetile_job.h"
#include "xetile_lab.h"

IGT_TEST_DESCRIPTION("Engine time of clients");

/* Registers of an engine: ticks for which it had the present context, and all ticks */
#define CTX_TIMESTAMP	0x3a8
#define RING_TIMESTAMP	0x358
/* How long the clients run: some times a slice */
#define RUN_MS		600

static struct xetile_card card = { .fd = -1 };

/*
 * A client, with a file of its own and a queue, whose batch tells the card's clocks at its begin
 * and at its end
 */
struct worker {
	int fd;
	uint32_t vm, queue, syncobj, slices;
	unsigned int num_slices;
	struct xetile_buf batch, words;
};

/* Dwords of @words */
enum { BEGIN_CONTEXT, BEGIN_RING, END_CONTEXT, END_RING, GO, LATER_CONTEXT };

static uint64_t told(const struct worker *w, const char *what)
{
	char key[48];

	snprintf(key, sizeof(key), "xetile-cycles-tile0-%s", what);
	return xetile_fdinfo_bytes(w->fd, key);
}

static uint64_t told_slice(const struct worker *w, unsigned int s)
{
	char what[16];

	snprintf(what, sizeof(what), "cslice%u", s);
	return card.tiles[0].cslice_mask & 1u << s ? told(w, what) : 0;
}

static bool is_copy(uint32_t class)
{
	return class == COPY;
}

static void worker_init(struct worker *w, uint32_t class, uint32_t target, uint32_t cslice,
			uint32_t mode)
{
	struct drm_xetile_queue_create args = {
		.engine_class = class, .target = target, .cslice = cslice, .ccs_mode = mode,
		.timeout_ms = card.device.max_timeout_ms,
	};

	*w = (struct worker) { .fd = xetile_reopen(card.fd) };
	w->vm = args.vm_id = xetile_vm(w->fd);
	igt_assert_eq(__xetile_queue_create(w->fd, &args), 0);
	w->queue = args.queue_id;
	xetile_buf_init(&w->batch, w->fd, w->vm, BATCH_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	xetile_buf_init(&w->words, w->fd, w->vm, DATA_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
}

static void worker_fini(struct worker *w)
{
	xetile_queue_destroy(w->fd, w->queue);
	xetile_buf_fini(&w->words);
	xetile_buf_fini(&w->batch);
	xetile_vm_destroy(w->fd, w->vm);
	close(w->fd);
}

/* Starts a batch that runs, and gives way to others, until worker_end(). */
static void worker_start(struct worker *w)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	const uint64_t words = w->words.addr;
	struct xetile_batch b;

	memset(w->words.map, 0, SZ_4K);
	batch_begin(&b, &w->batch, 0);
	batch_store_reg(&b, RING_TIMESTAMP, words + 4 * BEGIN_RING);
	batch_store_reg(&b, CTX_TIMESTAMP, words + 4 * BEGIN_CONTEXT);
	batch_wait(&b, words + 4 * GO, 1);
	batch_store_reg(&b, CTX_TIMESTAMP, words + 4 * END_CONTEXT);
	batch_store_reg(&b, RING_TIMESTAMP, words + 4 * END_RING);
	batch_end(&b);
	w->syncobj = sync.handle = xetile_syncobj(w->fd);
	igt_assert_eq(__xetile_exec(w->fd, w->queue, batch_addr(&b), &sync, 1), 0);
}

static uint32_t ticks(const struct worker *w, unsigned int begin, unsigned int end)
{
	const volatile uint32_t *words = w->words.map;

	return words[end] - words[begin];
}

/*
 * What a queue used before its second batch is no less than its first batch counted up to its end,
 * and no more than what the second one finds: the bounds are the context's own count.
 */
static void check_between(const char *what, uint64_t told, uint64_t least, uint64_t most)
{
	igt_info("%s: fdinfo %" PRIu64 ", the card %" PRIu64 " to %" PRIu64 " ticks\n", what, told,
		 least, most);
	igt_assert_lte_u64(least, told);
	igt_assert_lte_u64(told, most);
}

/* Runs a batch that tells the context's count; returns it. */
static uint32_t worker_later(struct worker *w)
{
	struct xetile_batch b;

	batch_begin(&b, &w->batch, SZ_4K);
	batch_store_reg(&b, CTX_TIMESTAMP, w->words.addr + 4 * LATER_CONTEXT);
	batch_end(&b);
	xetile_run(w->fd, w->queue, batch_addr(&b));
	return w->words.map[LATER_CONTEXT];
}

/* Lets the batch end; the engines are left when all workers have ended. */
static void worker_end(struct worker *w)
{
	struct drm_xetile_queue_info info;

	*(volatile uint32_t *)&w->words.map[GO] = 1;
	xetile_wait_done(w->fd, w->syncobj);
	xetile_syncobj_destroy(w->fd, w->syncobj);
	xetile_queue_info(w->fd, w->queue, &info);
	w->slices = info.members[0].cslice_mask;
	w->num_slices = __builtin_popcount(w->slices);
}

/* After worker_end() of all: each slice was the client's as long as the card says, or never. */
static void worker_check(struct worker *w, uint32_t class)
{
	uint64_t total = told(w, is_copy(class) ? "copy" : "compute"), slice[4];
	uint32_t least = w->words.map[END_CONTEXT], most;
	unsigned int parts = card.tiles[0].num_cslices;

	for (unsigned int s = 0; s < 4; s++)
		slice[s] = told_slice(w, s);
	most = worker_later(w);
	if (is_copy(class)) {
		check_between("copy", total, least, most);
		return;
	}
	for (unsigned int s = 0; s < 4; s++) {
		if (w->slices & 1u << s)
			check_between("cslice", slice[s], least, most);
		else
			igt_assert_eq_u64(slice[s], 0);
	}
	check_between("compute", total, (uint64_t)least * w->num_slices / parts,
		      (uint64_t)most * w->num_slices / parts);
}

/* What the file tells of the class is the sum of what it tells of the tiles. */
static void check_class(int fd, const char *class)
{
	uint64_t sum = 0, ns;
	char key[48];

	for (uint32_t t = 0; t < card.device.num_tiles; t++) {
		snprintf(key, sizeof(key), "xetile-cycles-tile%u-%s", t, class);
		sum += xetile_fdinfo_bytes(fd, key);
	}
	snprintf(key, sizeof(key), "drm-cycles-%s", class);
	igt_assert_eq_u64(xetile_fdinfo_bytes(fd, key), sum);
	snprintf(key, sizeof(key), "drm-engine-%s", class);
	ns = xetile_fdinfo_bytes(fd, key);
	igt_assert_eq_u64(ns, (uint64_t)((unsigned __int128)sum * 1000000000 /
					 card.device.timestamp_hz));
}

/* One client alone: the time is the context's, and that is the card's. */
static void test_alone(uint32_t class)
{
	struct worker w;
	uint32_t passed;

	worker_init(&w, class, TILE, 0, 0);
	worker_start(&w);
	usleep(RUN_MS * 1000);
	worker_end(&w);
	xetile_wait_engines_free(card.fd);
	worker_check(&w, class);
	/* Nobody else wanted the engine: the context's clock is the card's. */
	passed = ticks(&w, BEGIN_RING, END_RING);
	check_between("alone", ticks(&w, BEGIN_CONTEXT, END_CONTEXT), passed - passed / 10, passed);
	check_class(w.fd, "compute");
	check_class(w.fd, "copy");
	worker_fini(&w);
}

/* Two clients take turns: each has its own time, and both together no more than passes. */
static void test_turns(uint32_t class)
{
	struct worker w[2];
	uint32_t passed = 0;
	uint64_t sum = 0;

	for (unsigned int i = 0; i < 2; i++)
		worker_init(&w[i], class, TILE, 0, 0);
	for (unsigned int i = 0; i < 2; i++)
		worker_start(&w[i]);
	usleep(RUN_MS * 1000);
	for (unsigned int i = 0; i < 2; i++)
		worker_end(&w[i]);
	xetile_wait_engines_free(card.fd);
	for (unsigned int i = 0; i < 2; i++) {
		sum += ticks(&w[i], BEGIN_CONTEXT, END_CONTEXT);
		worker_check(&w[i], class);
		/* Each had some, and not all the time. */
		igt_assert_lt(ticks(&w[i], BEGIN_CONTEXT, END_CONTEXT),
			      ticks(&w[i], BEGIN_RING, END_RING) / 4 * 3);
	}
	for (unsigned int i = 0; i < 2; i++)
		for (unsigned int n = 0; n < 2; n++) {
			uint32_t t = w[i].words.map[END_RING] - w[n].words.map[BEGIN_RING];

			passed = t > passed ? t : passed;
		}
	igt_assert_lte_u64(sum, passed);
	for (unsigned int i = 0; i < 2; i++)
		worker_fini(&w[i]);
}

/* One client wants all of the tile, another a slice: the tile's modes take turns. */
static void test_modes(void)
{
	struct worker w[2];

	igt_require_f(card.tiles[0].ccs_modes & 1u << 4, "tile 0 has no mode 4\n");
	worker_init(&w[0], COMPUTE, TILE, 0, 1);
	worker_init(&w[1], COMPUTE, DRM_XETILE_TARGET_CSLICE, 0, 4);
	for (unsigned int i = 0; i < 2; i++)
		worker_start(&w[i]);
	usleep(RUN_MS * 1000);
	for (unsigned int i = 0; i < 2; i++)
		worker_end(&w[i]);
	xetile_wait_engines_free(card.fd);
	igt_assert_eq_u32(w[0].num_slices, card.tiles[0].num_cslices);
	igt_assert_eq_u32(w[1].num_slices, card.tiles[0].num_cslices / 4);
	for (unsigned int i = 0; i < 2; i++) {
		worker_check(&w[i], COMPUTE);
		worker_fini(&w[i]);
	}
}

/* A batch that is over early on one tile uses that no longer, while it goes on on another. */
static void test_members(void)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_exec args = { .num_batches = card.device.num_tiles };
	uint64_t batches[DRM_XETILE_MAX_TILES], used = 0, first;
	struct xetile_batch b;
	struct worker w;

	igt_require_f(card.device.num_tiles > 1, "one tile only\n");
	worker_init(&w, COMPUTE, ROOT, 0, 0);
	batch_begin(&b, &w.batch, 0);
	batch_wait(&b, w.words.addr + 4 * GO, 1);
	batch_end(&b);
	batches[0] = batch_addr(&b);
	batch_begin(&b, &w.batch, SZ_4K);
	batch_end(&b);
	for (uint32_t t = 1; t < card.device.num_tiles; t++)
		batches[t] = batch_addr(&b);
	args.queue_id = w.queue;
	args.batch = to_user(batches);
	w.syncobj = sync.handle = xetile_syncobj(w.fd);
	args.syncs = XETILE_ARRAY(&sync, 1);
	igt_assert_eq(xetile_ioctl(w.fd, DRM_IOCTL_XETILE_EXEC, &args), 0);
	for (int i = 0; !used || used != xetile_fdinfo_bytes(w.fd, "xetile-cycles-tile1-compute");
	     i++) {
		igt_assert_f(i < 3000, "tile 1 still counts after 3000 tries\n");
		used = xetile_fdinfo_bytes(w.fd, "xetile-cycles-tile1-compute");
		usleep(20000);
	}
	first = told(&w, "compute");
	xetile_assert_soon(told(&w, "compute") > first + card.device.timestamp_hz / 10);
	igt_assert_eq_u64(xetile_fdinfo_bytes(w.fd, "xetile-cycles-tile1-compute"), used);
	worker_end(&w);
	xetile_wait_engines_free(card.fd);
	igt_assert_eq_u64(xetile_fdinfo_bytes(w.fd, "xetile-cycles-tile1-compute"), used);
	worker_fini(&w);
}

/* A file with a queue on each engine of all modes uses no more than its share of all: 100 %. */
static void test_capacity(void)
{
	uint32_t mode = card.tiles[0].ccs_modes & 1u << 4 ? 4 : 1;
	uint64_t used, total, capacity;
	struct worker w[4];
	int fd;

	worker_init(&w[0], COMPUTE, DRM_XETILE_TARGET_CSLICE, 0, mode);
	fd = w[0].fd;
	for (uint32_t i = 1; i < mode; i++) {
		struct drm_xetile_queue_create args = {
			.vm_id = w[0].vm, .engine_class = COMPUTE, .cslice = i, .ccs_mode = mode,
			.target = DRM_XETILE_TARGET_CSLICE,
			.timeout_ms = card.device.max_timeout_ms,
		};

		w[i] = w[0];
		igt_assert_eq(__xetile_queue_create(fd, &args), 0);
		w[i].queue = args.queue_id;
	}
	capacity = xetile_fdinfo_bytes(fd, "drm-engine-capacity-compute");
	igt_assert_eq_u64(capacity, card.device.num_tiles);
	worker_start(&w[0]);
	for (uint32_t i = 1; i < mode; i++) {
		struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };

		w[i].syncobj = sync.handle = xetile_syncobj(fd);
		igt_assert_eq(__xetile_exec(fd, w[i].queue, w[i].batch.addr, &sync, 1), 0);
	}
	/* All work on their slices. */
	for (unsigned int s = 0; s < 4; s++)
		if (card.tiles[0].cslice_mask & 1u << s)
			xetile_assert_soon(told_slice(&w[0], s));
	total = xetile_fdinfo_bytes(fd, "xetile-total-cycles");
	used = xetile_fdinfo_bytes(fd, "drm-cycles-compute");
	usleep(RUN_MS * 500);
	used = xetile_fdinfo_bytes(fd, "drm-cycles-compute") - used;
	total = xetile_fdinfo_bytes(fd, "xetile-total-cycles") - total;
	igt_info("%" PRIu64 " of %" PRIu64 " ticks, capacity %" PRIu64 "\n", used, total, capacity);
	/* The tile is busy all the time, and counts once. The clients' load is asked for outside. */
	igt_assert_lte_u64(used, total);
	igt_assert_lte_u64(total / 4 * 3, used);
	for (uint32_t i = 0; i < mode; i++)
		worker_end(&w[i]);
	for (uint32_t i = 1; i < mode; i++)
		xetile_queue_destroy(fd, w[i].queue);
	worker_fini(&w[0]);
}

/* The driver: an engine is not asked again so soon */
#define ASK_MS		100
/* Copy engines are at these offsets, the first one apart */
#define BCS_BASE(n)	((n) ? 0x3e0000 + 0x2000 * ((n) - 1) : 0x22000)

/*
 * One client's batch has an engine, and its file is asked again and again. The card
 * counts the reads of the engine's register, of which it shows all but the last bit.
 */
static void test_asks(void)
{
	uint64_t before, since, ms, used, asked;
	unsigned int number;
	struct job j;

	lab_require_card();
	job_init(&j, card.fd, JOB_COPY_TILE, 60000);
	igt_assert_eq(sscanf(j.engine, "tile0.bcs%u", &number), 1);
	igt_assert_eq(job_start_held(&j), 0);
	used = xetile_fdinfo_bytes(j.fd, "xetile-cycles-tile0-copy");
	xetile_assert_soon(xetile_fdinfo_bytes(j.fd, "xetile-cycles-tile0-copy") > used);
	before = lab_injected();
	lab_inject("register address=%#x value=0 mask=1 tile=0 count=0",
		   BCS_BASE(number) + CTX_TIMESTAMP);
	since = xetile_now_ms();
	for (unsigned int i = 0; i < 200 || xetile_now_ms() < since + 3 * ASK_MS; i++)
		xetile_fdinfo_bytes(j.fd, "xetile-cycles-tile0-copy");
	ms = xetile_now_ms() - since;
	asked = lab_injected() - before;
	lab_heal();
	igt_info("asked %" PRIu64 " times in %" PRIu64 " ms\n", asked, ms);
	igt_assert_lte_u64(1, asked);
	igt_assert_lte_u64(asked, 2 + ms / ASK_MS);
	j.data.map[64] = 1;
	igt_assert_eq(job_end(&j), 1);
	job_fini(&j);
}

igt_main
{
	igt_fixture
		xetile_open_card(&card);

	igt_describe("The time of a client that is alone must be that of the card's clock");
	igt_subtest("alone-compute")
		test_alone(COMPUTE);
	igt_subtest("alone-copy")
		test_alone(COPY);
	igt_describe("The times of clients that preempt each other must be those of the card's clock");
	igt_subtest("turns-compute")
		test_turns(COMPUTE);
	igt_describe("The times of clients in different modes must be those of the card's clock");
	igt_subtest("modes")
		test_modes();
	igt_describe("A tile must not count as used by a batch that is over there");
	igt_subtest("members")
		test_members();
	igt_describe("No file must use more than all engines, however many engines there are now");
	igt_subtest("capacity")
		test_capacity();
	igt_describe("An engine must not be asked each time that somebody reads fdinfo");
	igt_subtest("asks")
		test_asks();

	igt_fixture
		close(card.fd);
}
