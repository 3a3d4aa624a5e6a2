// SPDX-License-Identifier: MIT
/*
 * Random steps against a model: after each step the buffers lie where the model says, and hold
 * what the model says, for the CPU and for the GPU.
 *
 * The card has less HBM than the buffers need. A run is repeated with the same steps by
 * XETILE_TRUTH_START=n, and ends after XETILE_TRUTH_STEPS=n steps of each process. With
 * XETILE_TRUTH_TIME=n, runs with one seed after the other go on for n minutes, a half in each
 * subtest, and until they have made as many steps as make 10^5 an hour.
 *
 * suite: truth
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_files.h"
#include "xetile_lab.h"
#include "xetile_truth.h"

IGT_TEST_DESCRIPTION("Buffers are where they have to be, and hold what was written");

#define HBM		DRM_XETILE_PLACE_HBM
#define SYSTEM		DRM_XETILE_PLACE_SYSTEM
#define STRICT		DRM_XETILE_BO_STRICT

#define MOST_WALKERS	8u
#define VIEWS		56u
#define MODELS		(2 * VIEWS)
/* Steps between two exchanges of buffers */
#define ROUND		32u
/* Steps between two comparisons of all buffers */
#define SWEEP		128u
#define LAST_STEPS	20u
/* Steps of each subtest for a minute of XETILE_TRUTH_TIME, at least */
#define MINUTE_STEPS	834u

/* What a step does */
enum step {
	STEP_CREATE,
	STEP_REPLICATE,
	STEP_CLOSE,
	STEP_CLOSE_BUSY,
	STEP_BIND,
	STEP_UNBIND,
	STEP_WRITE_CPU,
	STEP_WRITE_GPU,
	STEP_WRITE_USER,
	STEP_COPY,
	STEP_READ_USER,
	STEP_RECOLOR,
	STEP_RECOLOR_PARTS,
	STEP_RESTORE,
	STEP_HOLD,
	STEP_COUNT,
	STEP_EVICT,
	STEP_RENEW,
	NUM_STEPS
};

static const struct {
	const char *name;
	unsigned int weight;
} steps[NUM_STEPS] = {
	[STEP_CREATE] = { "create", 10 },
	[STEP_REPLICATE] = { "replicate", 4 },
	[STEP_CLOSE] = { "close", 5 },
	[STEP_CLOSE_BUSY] = { "close-busy", 2 },
	[STEP_BIND] = { "bind", 6 },
	[STEP_UNBIND] = { "unbind", 4 },
	[STEP_WRITE_CPU] = { "write-cpu", 12 },
	[STEP_WRITE_GPU] = { "write-gpu", 10 },
	[STEP_WRITE_USER] = { "write-user", 5 },
	[STEP_COPY] = { "copy", 10 },
	[STEP_READ_USER] = { "read-user", 4 },
	[STEP_RECOLOR] = { "recolor", 7 },
	[STEP_RECOLOR_PARTS] = { "recolor-parts", 12 },
	[STEP_RESTORE] = { "restore", 8 },
	[STEP_HOLD] = { "hold", 5 },
	[STEP_COUNT] = { "count", 1 },
	[STEP_EVICT] = { "evict", 1 },
	[STEP_RENEW] = { "renew", 1 },
};

/* One step, as it is told when a run fails */
struct told {
	uint32_t step, kind, buffer, other, page, num;
};

/* What the test's processes share: the models, and the last steps of each process */
struct world {
	pid_t pid[MOST_WALKERS];
	struct told told[MOST_WALKERS][LAST_STEPS];
	uint32_t leaves;			/* of 2 MiB that a process alone has looked at */
	uint32_t at[MOST_WALKERS];		/* steps that were begun */
	struct truth models[MOST_WALKERS][MODELS];
};

struct walker {
	struct truth_client c;
	struct world *world;
	unsigned int me, num;		/* of how many */
	uint64_t seed, random, clock;
	uint32_t numbers;
	int to, from;			/* sockets for buffers of other walkers */
	struct view views[VIEWS];
	struct told *told;
};

static uint32_t below(struct walker *w, uint32_t n)
{
	w->random = w->random * 6364136223846793005ull + 1442695040888963407ull;
	return (w->random >> 33) % n;
}

/*
 * Each step has random numbers of its own, so that it is the same in each run with the seed,
 * however many numbers the steps before have used.
 */
static void begin_step(struct walker *w, uint32_t step)
{
	w->told = &w->world->told[w->me][step % LAST_STEPS];
	*w->told = (struct told) { .step = step };
	w->world->at[w->me] = step;
	w->random = ((w->seed * MOST_WALKERS + w->me) << 32 | step) * 0x9e3779b97f4a7c15ull;
	w->random ^= w->random >> 29;
}

/* --- colors ------------------------------------------------------------------ */

struct coat {
	struct drm_xetile_bo_range range;
	struct drm_xetile_color_run runs[8];
};

static void pick_map(struct walker *w, struct coat *coat, uint32_t pages)
{
	uint32_t num = 0;

	while (pages) {
		uint32_t n = num + 1 < ARRAY_SIZE(coat->runs) ? 1 + below(w, pages) : pages;

		coat->runs[num++] = (struct drm_xetile_color_run) {
			.tile = below(w, w->c.card->device.num_tiles), .pages = n,
		};
		pages -= n;
	}
	coat->range.runs = XETILE_ARRAY(coat->runs, num);
}

/* Any color for pages from @page on but REPLICATE, which a buffer has from its creation on */
static void pick_color(struct walker *w, struct coat *coat, uint32_t page, uint32_t pages)
{
	uint32_t tiles = w->c.card->device.num_tiles;

	coat->range = range_of(page, pages, below(w, DRM_XETILE_COLOR_FOLLOW + 1), 0);
	switch (coat->range.color) {
	case DRM_XETILE_COLOR_TILE:
		coat->range.tile_mask = 1u << below(w, tiles);
		break;
	case DRM_XETILE_COLOR_CHUNK:
		coat->range.granule = below(w, 4) * PAGE;
		break;
	case DRM_XETILE_COLOR_WEIGHTED:
		for (uint32_t t = 0; t < tiles; t++)
			coat->runs[t] = (struct drm_xetile_color_run) { t, 1 + below(w, 9) };
		coat->range.runs = XETILE_ARRAY(coat->runs, tiles);
		break;
	case DRM_XETILE_COLOR_MAP:
		pick_map(w, coat, pages);
		break;
	}
}

/* --- buffers ----------------------------------------------------------------- */

static bool alone(const struct walker *w)
{
	return w->num == 1;
}

/* Any buffer that the walker has, locked; NULL if it has none. */
static struct view *pick(struct walker *w)
{
	uint32_t first = below(w, VIEWS);

	for (uint32_t i = 0; i < VIEWS; i++) {
		struct view *v = &w->views[(first + i) % VIEWS];

		if (!v->t)
			continue;
		igt_assert_eq(pthread_mutex_lock(&v->t->lock), 0);
		return v;
	}
	return NULL;
}

static void let_go(struct view *v)
{
	igt_assert_eq(pthread_mutex_unlock(&v->t->lock), 0);
}

static struct view *free_view(struct walker *w)
{
	for (uint32_t i = 0; i < VIEWS; i++)
		if (!w->views[i].t)
			return &w->views[i];
	return NULL;
}

/* A model that nobody uses. A walker has enough of them for its own buffers, sent or not. */
static struct truth *free_model(struct walker *w)
{
	for (uint32_t i = 0; i < MODELS; i++) {
		struct truth *t = &w->world->models[w->me][i];
		uint32_t refs;

		igt_assert_eq(pthread_mutex_lock(&t->lock), 0);
		refs = t->refs;
		igt_assert_eq(pthread_mutex_unlock(&t->lock), 0);
		if (!refs)
			return t;
	}
	igt_assert_f(false, "no model is free\n");
}

/*
 * Maps a buffer. All that the VM maps has to be in HBM for a job: a quarter of a tile at most, so
 * that the jobs of all walkers together find room.
 */
static void need_bound(struct walker *w, struct view *v)
{
	uint64_t most = w->c.card->tiles[0].hbm_total / PAGE / 4, pages = truth_all_pages(v->t);

	v->used = ++w->clock;
	if (v->bound)
		return;
	for (uint32_t i = 0; i < VIEWS; i++)
		if (w->views[i].bound)
			pages += truth_all_pages(w->views[i].t);
	while (pages > most) {
		struct view *oldest = NULL;

		for (uint32_t i = 0; i < VIEWS; i++)
			if (w->views[i].bound && (!oldest || w->views[i].used < oldest->used))
				oldest = &w->views[i];
		pages -= truth_all_pages(oldest->t);
		truth_unbind(&w->c, oldest);
	}
	/* From its first page on it may have leaves of 2 MiB. */
	truth_bind(&w->c, v, below(w, 2) * below(w, v->t->pages));
}

static uint32_t any_tile(struct walker *w)
{
	return below(w, w->c.card->device.num_tiles);
}

/*
 * A walker that is alone knows where its buffers are: nobody else evicts any, and all but the one
 * of the step are idle, so that none ever lacks room.
 */
static void compare(struct walker *w, struct view *v)
{
	truth_check_place(&w->c, v, alone(w) ? TRUTH_EVICTED : TRUTH_SPILLED);
	truth_check_cpu(&w->c, v);
	need_bound(w, v);
	truth_check_gpu(&w->c, v, any_tile(w));
	truth_check_place(&w->c, v, alone(w) ? TRUTH_EXACT : TRUTH_SPILLED);
	if (alone(w) && v->t->placement & HBM)
		w->world->leaves += truth_check_leaves(&w->c, v, any_tile(w));
}

static void compare_all(struct walker *w)
{
	for (uint32_t i = 0; i < VIEWS; i++) {
		struct view *v = &w->views[i];

		if (!v->t)
			continue;
		w->told->other = v->t->number;
		igt_assert_eq(pthread_mutex_lock(&v->t->lock), 0);
		compare(w, v);
		let_go(v);
	}
}

/* --- steps ------------------------------------------------------------------- */

/* Creates a buffer, if the walker may have one more. */
static void create(struct walker *w, const struct drm_xetile_bo_range *color, uint32_t flags,
		   uint32_t placement)
{
	struct view *v = free_view(w);

	if (!v)
		return;
	truth_create(&w->c, v, free_model(w), color, flags, placement);
	v->t->number = w->me << 24 | ++w->numbers;
	w->told->buffer = v->t->number;
	w->told->num = v->t->pages;
	igt_assert_eq(pthread_mutex_lock(&v->t->lock), 0);
	compare(w, v);
	let_go(v);
}

static void step_create(struct walker *w)
{
	static const uint32_t placements[] = { HBM, HBM, HBM | SYSTEM, HBM | SYSTEM, SYSTEM };
	uint32_t pages = 1 + below(w, TRUTH_PAGES), i = below(w, 2 * ARRAY_SIZE(placements));
	uint32_t placement = placements[i / 2];
	struct coat coat;

	pick_color(w, &coat, 0, pages);
	if (placement == SYSTEM)
		coat.range = range_of(0, pages, DRM_XETILE_COLOR_EVEN, 0);
	create(w, &coat.range, i % 2 ? STRICT : 0, placement);
}

static void step_replicate(struct walker *w)
{
	uint32_t tiles = w->c.card->device.num_tiles, mask = below(w, 1u << tiles);
	uint32_t copies = mask ? __builtin_popcount(mask) : tiles, flags = below(w, 2) * STRICT;
	struct drm_xetile_bo_range color;

	color = range_of(0, 1 + below(w, TRUTH_PAGES / copies), DRM_XETILE_COLOR_REPLICATE, mask);
	create(w, &color, flags, below(w, 2) ? HBM : HBM | SYSTEM);
}

static void step_close(struct walker *w, struct view *v, bool busy)
{
	struct truth *t = v->t;

	if (busy) {
		need_bound(w, v);
		truth_close_busy(&w->c, v, any_tile(w));
	} else {
		truth_close(&w->c, v);
	}
	igt_assert_eq(pthread_mutex_unlock(&t->lock), 0);
}

/* At most @most of @pages pages: from @page on */
static uint32_t some_pages(struct walker *w, uint32_t pages, uint32_t most, uint32_t *page)
{
	uint32_t left;

	w->told->page = *page = below(w, pages);
	left = pages - *page;
	return w->told->num = 1 + below(w, left < most ? left : most);
}

static void step_recolor(struct walker *w, struct view *v, bool parts)
{
	uint32_t num = parts ? 1 + below(w, 3) : 1, page = 0, made = 0;
	struct drm_xetile_bo_range ranges[3];
	struct coat coats[3];

	if (!(v->t->placement & HBM))
		return;
	for (uint32_t i = 0; i < num && page < v->t->pages; i++) {
		uint32_t left = v->t->pages - page, skip = parts ? below(w, left) : 0;

		pick_color(w, &coats[i], page + skip, parts ? 1 + below(w, left - skip) : left);
		ranges[made++] = coats[i].range;
		page = (coats[i].range.offset + coats[i].range.size) / PAGE;
	}
	w->told->page = ranges[0].offset / PAGE;
	w->told->num = ranges[0].size / PAGE;
	truth_recolor(&w->c, v, ranges, made);
	truth_check_place(&w->c, v, alone(w) ? TRUTH_EVICTED : TRUTH_SPILLED);
}

/* While a job runs its buffers stay in place, whatever others need. */
static void step_hold(struct walker *w, struct view *v)
{
	need_bound(w, v);
	place_hold(&w->c.place);
	truth_check_place(&w->c, v, alone(w) ? TRUTH_EXACT : TRUTH_RESIDENT);
	place_let_go(&w->c.place);
}

/* Copies pages to another buffer, or within one. */
static void step_copy(struct walker *w, struct view *from)
{
	struct view *to = &w->views[below(w, VIEWS)];
	uint32_t source, page, num = some_pages(w, from->t->pages, TRUTH_WRITE, &source);

	/* Two walkers must not wait for each other's locks. */
	if (!to->t || to == from || pthread_mutex_trylock(&to->t->lock))
		to = from;
	w->told->other = to->t->number;
	need_bound(w, from);
	need_bound(w, to);
	page = below(w, to->t->pages);
	num = num < to->t->pages - page ? num : to->t->pages - page;
	/* Pages that are read and written at once would have no defined content. */
	if (to != from || page + num <= source || source + num <= page)
		truth_copy(&w->c, to, page, from, source, num, any_tile(w));
	if (to != from) {
		compare(w, to);
		let_go(to);
	}
}

static uint64_t tile_used(struct walker *w, uint32_t tile)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES] = { 0 };

	xetile_query_tiles(w->c.place.fd, tiles);
	return tiles[tile].hbm_used;
}

/*
 * Takes @size bytes of a tile for a moment. While a buffer is being cleared its memory is not free,
 * and a buffer that is not STRICT goes to the sibling; a walker that is alone waits for that.
 */
static void take_tile(struct walker *w, uint32_t tile, uint64_t size)
{
	uint32_t bo = strict_on(w->c.place.fd, size, tile);

	if (alone(w)) {
		volatile uint32_t *map = xetile_bo_map(w->c.place.fd, bo, PAGE);

		igt_assert_eq_u32(*map, 0);
		munmap((void *)map, PAGE);
	}
	xetile_bo_close(w->c.place.fd, bo);
	if (alone(w))
		xetile_assert_soon(tile_used(w, tile) < size);
}

/*
 * Takes most of a tile. Buffers without a page there do not go: a walker that is alone sees that.
 */
static void step_evict(struct walker *w)
{
	uint32_t tile = any_tile(w);
	uint64_t size = part_of_tile(w->c.card, 80 + below(w, 11));
	bool stays[VIEWS] = { false };

	for (uint32_t i = 0; i < VIEWS && alone(w); i++) {
		struct view *v = &w->views[i];

		stays[i] = v->t && v->t->placement & HBM &&
			   !pages_on(w->c.place.fd, v->handle, tile) &&
			   !pages_on(w->c.place.fd, v->handle, DRM_XETILE_MEM_SYSTEM);
	}
	w->told->other = tile;
	w->told->num = size / PAGE;
	take_tile(w, tile, size);
	for (uint32_t i = 0; i < VIEWS; i++)
		if (stays[i])
			truth_check_place(&w->c, &w->views[i], TRUTH_EXACT);
}

static void step_with(struct walker *w, enum step kind, struct view *v)
{
	uint32_t page, num;

	switch (kind) {
	case STEP_BIND:
		truth_unbind(&w->c, v);
		break;
	case STEP_UNBIND:
		truth_unbind(&w->c, v);
		truth_check_cpu(&w->c, v);
		break;
	case STEP_WRITE_CPU:
		num = some_pages(w, truth_all_pages(v->t), TRUTH_WRITE, &page);
		truth_write_cpu(&w->c, v, page, num);
		break;
	case STEP_WRITE_GPU:
	case STEP_WRITE_USER:
		need_bound(w, v);
		num = some_pages(w, v->t->pages, TRUTH_WRITE, &page);
		truth_write_gpu(&w->c, v, page, num, any_tile(w),
				kind == STEP_WRITE_USER && w->c.user);
		break;
	case STEP_READ_USER:
		need_bound(w, v);
		num = some_pages(w, v->t->pages, TRUTH_WRITE, &page);
		if (w->c.user)
			truth_check_user(&w->c, v, page, num, any_tile(w));
		break;
	case STEP_COPY:
		step_copy(w, v);
		break;
	case STEP_RECOLOR:
	case STEP_RECOLOR_PARTS:
		step_recolor(w, v, kind == STEP_RECOLOR_PARTS);
		break;
	case STEP_HOLD:
		step_hold(w, v);
		break;
	case STEP_COUNT:
		need_bound(w, v);
		if (alone(w) && v->t->placement & HBM)
			truth_check_card(&w->c, v, any_tile(w));
		break;
	default:
		break;
	}
}

static enum step pick_step(struct walker *w)
{
	uint32_t sum = 0, at;
	enum step kind = 0;

	for (uint32_t i = 0; i < NUM_STEPS; i++)
		sum += steps[i].weight;
	for (at = below(w, sum); at >= steps[kind].weight; kind++)
		at -= steps[kind].weight;
	return kind;
}

static void change(struct walker *w, enum step kind)
{
	struct view *v = pick(w);

	if (!v)
		return;
	w->told->buffer = v->t->number;
	if (kind == STEP_CLOSE || kind == STEP_CLOSE_BUSY) {
		step_close(w, v, kind == STEP_CLOSE_BUSY);
		return;
	}
	step_with(w, kind, v);
	compare(w, v);
	let_go(v);
}

static void one_step(struct walker *w)
{
	enum step kind = pick_step(w);
	struct view *other;

	w->told->kind = kind;
	if (kind == STEP_CREATE)
		step_create(w);
	else if (kind == STEP_REPLICATE)
		step_replicate(w);
	else if (kind == STEP_EVICT)
		step_evict(w);
	else if (kind == STEP_RENEW)
		truth_client_renew(&w->c, w->views, VIEWS);
	else
		change(w, kind);
	/* Another buffer, which the step has nothing to do with */
	other = pick(w);
	if (!other)
		return;
	w->told->other = other->t->number;
	compare(w, other);
	let_go(other);
}

/* --- sharing ----------------------------------------------------------------- */

/* Sends one of the walker's own buffers to the next walker, or none with the number -1. */
static void give(struct walker *w)
{
	struct view *v = pick(w);
	int file = -1, model = -1;

	if (v && v->t >= w->world->models[w->me] && v->t < w->world->models[w->me] + MODELS &&
	    !v->t->sent) {
		igt_assert_eq(drmPrimeHandleToFD(w->c.place.fd, v->handle, DRM_CLOEXEC | DRM_RDWR,
						 &file), 0);
		model = v->t - w->world->models[w->me];
		v->t->sent = true;
		v->t->refs++;
	}
	if (v)
		let_go(v);
	files_send(w->to, model, file);
	if (file >= 0)
		close(file);
}

/* Takes a buffer of the walker before; it may come back when that one has closed it. */
static void take(struct walker *w)
{
	struct view *v = free_view(w);
	struct truth *t;
	int model, file = files_receive(w->from, &model);

	if (file < 0)
		return;
	t = &w->world->models[(w->me + w->num - 1) % w->num][model];
	igt_assert_eq(pthread_mutex_lock(&t->lock), 0);
	if (v) {
		truth_take(&w->c, v, t, file);
		w->told->other = t->number;
		compare(w, v);
	} else {
		t->refs--;
		close(file);
	}
	igt_assert_eq(pthread_mutex_unlock(&t->lock), 0);
}

/* --- runs -------------------------------------------------------------------- */

static void walk(struct walker *w, uint32_t num)
{
	for (uint32_t i = 0; i < VIEWS; i++)
		w->views[i].addr = DATA_ADDR + i * TRUTH_ROOM;
	for (uint32_t step = 1; step <= num; step++) {
		begin_step(w, step);
		one_step(w);
		if (!alone(w) && !(step % ROUND)) {
			give(w);
			take(w);
		}
		if (!(step % SWEEP) || step == num)
			compare_all(w);
	}
	for (uint32_t i = 0; i < VIEWS; i++) {
		struct view *v = &w->views[i];

		if (!v->t)
			continue;
		igt_assert_eq(pthread_mutex_lock(&v->t->lock), 0);
		step_close(w, v, false);
	}
}

static void tell(const struct world *world, unsigned int me)
{
	uint32_t at = world->at[me];

	igt_info("process %u, its last steps:\n", me);
	for (uint32_t i = at >= LAST_STEPS ? at - LAST_STEPS + 1 : 1; i <= at; i++) {
		const struct told *t = &world->told[me][i % LAST_STEPS];

		igt_info("  %u: %s, buffer %#x, %u pages at page %u; the other is %#x\n", t->step,
			 steps[t->kind].name, t->buffer, t->num, t->page, t->other);
	}
}

static struct world *world_new(void)
{
	struct world *world = mmap(NULL, sizeof(*world), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t attr;

	igt_assert(world != MAP_FAILED);
	igt_assert_eq(pthread_mutexattr_init(&attr), 0);
	igt_assert_eq(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED), 0);
	for (unsigned int i = 0; i < MOST_WALKERS; i++)
		for (unsigned int n = 0; n < MODELS; n++)
			igt_assert_eq(pthread_mutex_init(&world->models[i][n].lock, &attr), 0);
	return world;
}

/* Returns whether process @i has ended; @failed tells of a bad end. Others look at it again. */
static bool has_ended(const struct world *world, unsigned int i, bool *failed)
{
	siginfo_t info = { 0 };

	if (!world->pid[i])
		return false;
	igt_assert_eq(waitid(P_PID, world->pid[i], &info, WEXITED | WNOWAIT | WNOHANG), 0);
	*failed |= info.si_pid && (info.si_code != CLD_EXITED || info.si_status);
	return info.si_pid;
}

/* The first process that fails ends the others, which may wait for it. */
static void end_all(const struct world *world, unsigned int num, uint64_t seed)
{
	unsigned int left = num;
	bool failed = false;

	while (left && !failed) {
		usleep(20000);
		left = 0;
		for (unsigned int i = 0; i < num; i++)
			left += !has_ended(world, i, &failed);
	}
	if (failed) {
		igt_info("seed %llu:\n", (unsigned long long)seed);
		for (unsigned int i = 0; i < num; i++) {
			tell(world, i);
			if (!has_ended(world, i, &failed) && world->pid[i])
				kill(world->pid[i], SIGKILL);
		}
	}
	igt_waitchildren();
}

static void run(const struct xetile_card *card, unsigned int num, uint64_t seed, uint32_t steps)
{
	uint64_t used = xetile_hbm_used(card->fd);
	struct world *world = world_new();
	int sockets[MOST_WALKERS][2];

	for (unsigned int i = 0; i < num; i++)
		igt_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets[i]), 0);
	igt_fork(i, num) {
		struct walker *w = calloc(1, sizeof(*w));

		igt_assert(w);
		world->pid[i] = getpid();
		*w = (struct walker) {
			.world = world, .me = i, .num = num, .seed = seed,
			.to = sockets[i][0], .from = sockets[(i + num - 1) % num][1],
		};
		truth_client_init(&w->c, card, xetile_reopen(card->fd), (i + 1) << 24);
		walk(w, steps);
		truth_client_fini(&w->c);
	}
	end_all(world, num, seed);
	/* The steps of one that was alone were worth it. */
	igt_assert(num > 1 || steps < 500 || world->leaves);
	igt_info("%u leaves of 2 MiB\n", world->leaves);
	for (unsigned int i = 0; i < num; i++) {
		close(sockets[i][0]);
		close(sockets[i][1]);
	}
	munmap(world, sizeof(*world));
	igt_assert(xetile_hbm_comes_back(card->fd, used));
}

static uint64_t setting(const char *name, uint64_t usual)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : usual;
}

/*
 * Runs of @steps steps each, until @num processes have walked for long enough, and have made as
 * many steps as that time is to see.
 */
static void test(const struct xetile_card *card, unsigned int num, uint32_t steps)
{
	uint64_t minutes = setting("XETILE_TRUTH_TIME", 0), made = 0;
	uint64_t until = xetile_now_ms() + minutes * 30000;
	uint64_t seed = setting("XETILE_TRUTH_START", 1);

	steps = setting("XETILE_TRUTH_STEPS", steps);
	do {
		uint64_t begun = xetile_now_ms();

		run(card, num, seed, steps);
		igt_info("seed %llu: %u processes, %u steps each, %llu ms\n",
			 (unsigned long long)seed, num, steps,
			 (unsigned long long)(xetile_now_ms() - begun));
		seed++;
		made += num * steps;
	} while (xetile_now_ms() < until || made < minutes * MINUTE_STEPS);
	igt_info("%llu steps\n", (unsigned long long)made);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture {
		xetile_open_card(&card);
		lab_require_card();
	}
	igt_describe("A buffer must lie exactly where its color says, unless it is evicted, and "
		     "have the largest leaves that its places allow");
	igt_subtest("alone")
		test(&card, 1, 600);
	igt_describe("Buffers of several processes, with less HBM than they need, must keep their "
		     "content, and STRICT ones their color");
	igt_subtest("together")
		test(&card, 4, 250);
	igt_fixture
		close(card.fd);
}
