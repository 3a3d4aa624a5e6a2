// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "xetile_truth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_lab.h"
#include "xetile_user_memory.h"

#define WORDS		(PAGE / 4)
#define SMALL_WORDS	(SZ_4K / 4)
#define STAGE_ADDR	0x30000000ull
#define USER_ADDR	0x38000000ull
/* Where the batches of copies are in the buffer of struct place */
#define COPIES		0x3000u

/* --- content ---------------------------------------------------------------- */

/* Neighbouring words differ, and so do the same words of two pages. */
static uint32_t word(uint32_t seed, uint32_t i)
{
	return seed ? seed * 0x85ebca6b + i * 0x9e3779b1 : 0;
}

static void fill_page(uint32_t *words, uint32_t seed)
{
	for (uint32_t i = 0; i < WORDS; i++)
		words[i] = word(seed, i);
}

static void check_word(const struct truth *t, const uint32_t *words, uint32_t page, uint32_t i,
		       const char *by)
{
	igt_assert_f(words[i] == word(t->seed[page], i),
		     "%s: buffer %#x, page %u, word %u: %#x instead of %#x\n", by, t->number, page,
		     i, words[i], word(t->seed[page], i));
}

/* A word of each 4 KiB, now this one and now that one, and sometimes each word */
static void check_page(const struct truth *t, const uint32_t *words, uint32_t page, uint64_t salt,
		       const char *by)
{
	uint32_t step = (page + salt) % 32 ? SMALL_WORDS : 1;

	for (uint32_t i = step > 1 ? salt * 37 % SMALL_WORDS : 0; i < WORDS; i += step)
		check_word(t, words, page, i, by);
}

/* --- clients ---------------------------------------------------------------- */

void truth_client_init(struct truth_client *c, const struct xetile_card *card, int fd,
		       uint32_t first)
{
	*c = (struct truth_client) { .card = card, .seeds = first };
	place_init(&c->place, fd);
	for (uint32_t t = 0; t < card->device.num_tiles; t++) {
		c->copy[t] = xetile_queue(fd, c->place.vm, COPY, TILE, t, 0);
		c->compute[t] = xetile_queue(fd, c->place.vm, COMPUTE, TILE, t, 0);
	}
	xetile_buf_init(&c->stage, fd, c->place.vm, STAGE_ADDR, TRUTH_PAGES * PAGE,
			DRM_XETILE_PLACE_SYSTEM);
	if (!(card->device.caps & DRM_XETILE_CAP_USER))
		return;
	c->user = anon(TRUTH_WRITE * PAGE);
	map_user(&c->place, USER_ADDR, c->user, TRUTH_WRITE * PAGE, 0);
}

static void destroy_queues(struct truth_client *c)
{
	for (uint32_t t = 0; t < c->card->device.num_tiles; t++) {
		xetile_queue_destroy(c->place.fd, c->copy[t]);
		xetile_queue_destroy(c->place.fd, c->compute[t]);
	}
}

void truth_client_fini(struct truth_client *c)
{
	if (c->user) {
		xetile_vm_unmap(c->place.fd, c->place.vm, USER_ADDR, TRUTH_WRITE * PAGE);
		munmap(c->user, TRUTH_WRITE * PAGE);
	}
	xetile_buf_fini(&c->stage);
	destroy_queues(c);
	place_fini(&c->place);
}

/* Gives a buffer of a VM up that is gone. */
static void close_buf(struct xetile_buf *buf)
{
	munmap(buf->map, buf->size);
	xetile_bo_close(buf->fd, buf->handle);
}

void truth_client_renew(struct truth_client *c, struct view *views, unsigned int num)
{
	const struct truth_client old = *c;

	place_hold(&c->place);
	destroy_queues(c);
	xetile_queue_destroy(c->place.fd, c->place.queue);
	xetile_vm_destroy(c->place.fd, c->place.vm);
	/* The job runs to its end, with what its VM maps. */
	place_let_go(&c->place);
	close_buf(&c->place.ctl);
	close_buf(&c->stage);
	if (c->user)
		munmap(c->user, TRUTH_WRITE * PAGE);
	truth_client_init(c, old.card, old.place.fd, old.seeds);
	c->salt = old.salt;
	for (unsigned int i = 0; i < num; i++)
		views[i].bound = false;
}

/* The helpers of recolored buffers know the tile of each page of a color. */
static void note(struct truth_client *c, struct view *v, const struct drm_xetile_bo_range *ranges,
		 uint32_t num)
{
	struct canvas canvas = { .card = c->card, .pages = v->t->pages, .tile = v->t->tile };

	canvas_note(&canvas, ranges, num);
}

static uint32_t num_copies(const struct truth *t)
{
	return t->copies ? __builtin_popcount(t->copies) : 1;
}

uint32_t truth_all_pages(const struct truth *t)
{
	return num_copies(t) * t->pages;
}

/* The first page of the copy that a tile uses: its own, or the first one */
static uint32_t copy_of(const struct truth *t, uint32_t tile)
{
	if (!(t->copies & 1u << tile))
		return 0;
	return __builtin_popcount(t->copies & ((1u << tile) - 1)) * t->pages;
}

/* Each copy lies on its tile. */
static void note_copies(struct truth_client *c, struct truth *t, uint32_t mask)
{
	uint32_t tiles = c->card->device.num_tiles, page = 0;

	t->copies = mask ?: (1u << tiles) - 1;
	for (uint32_t tile = 0; tile < tiles; tile++)
		for (uint32_t i = 0; i < t->pages && t->copies & 1u << tile; i++)
			t->tile[page++] = tile;
}

void truth_create(struct truth_client *c, struct view *v, struct truth *t,
		  const struct drm_xetile_bo_range *color, uint32_t flags, uint32_t placement)
{
	struct drm_xetile_bo_create args = {
		.size = color->size, .granule = color->granule, .runs = color->runs,
		.placement = placement, .flags = flags, .color = color->color,
		.tile_mask = color->tile_mask,
	};

	igt_assert_eq(__xetile_bo_create(c->place.fd, &args), 0);
	t->refs = 1;
	t->flags = flags;
	t->placement = placement;
	t->pages = color->size / PAGE;
	t->copies = 0;
	t->sent = false;
	memset(t->seed, 0, sizeof(t->seed));
	*v = (struct view) { .t = t, .handle = args.handle, .addr = v->addr };
	if (color->color == DRM_XETILE_COLOR_REPLICATE)
		note_copies(c, t, color->tile_mask);
	else if (placement & DRM_XETILE_PLACE_HBM)
		note(c, v, color, 1);
	v->map = xetile_bo_map(c->place.fd, v->handle, truth_all_pages(t) * PAGE);
}

void truth_take(struct truth_client *c, struct view *v, struct truth *t, int file)
{
	*v = (struct view) { .t = t, .addr = v->addr };
	igt_assert_eq(drmPrimeFDToHandle(c->place.fd, file, &v->handle), 0);
	close(file);
	v->map = xetile_bo_map(c->place.fd, v->handle, truth_all_pages(t) * PAGE);
}

void truth_unbind(struct truth_client *c, struct view *v)
{
	if (v->bound)
		xetile_vm_unmap(c->place.fd, c->place.vm, v->addr, v->t->pages * PAGE);
	v->bound = false;
}

static void drop_handle(struct truth_client *c, struct view *v)
{
	munmap(v->map, truth_all_pages(v->t) * PAGE);
	xetile_bo_close(c->place.fd, v->handle);
	v->t->refs--;
}

void truth_close(struct truth_client *c, struct view *v)
{
	truth_unbind(c, v);
	drop_handle(c, v);
	v->t = NULL;
}

void truth_close_busy(struct truth_client *c, struct view *v, uint32_t tile)
{
	place_hold(&c->place);
	drop_handle(c, v);
	truth_check_gpu(c, v, tile);
	place_let_go(&c->place);
	truth_check_gpu(c, v, tile);
	truth_unbind(c, v);
	v->t = NULL;
}

void truth_bind(struct truth_client *c, struct view *v, uint32_t turn)
{
	uint64_t size = (v->t->pages - turn) * PAGE;
	struct drm_xetile_bind binds[] = {
		{ .op = DRM_XETILE_BIND_MAP, .handle = v->handle, .addr = v->addr, .range = size,
		  .offset = turn * PAGE },
		{ .op = DRM_XETILE_BIND_MAP, .handle = v->handle, .addr = v->addr + size,
		  .range = turn * PAGE },
	};

	igt_assert_eq(__xetile_vm_bind(c->place.fd, c->place.vm, binds, turn ? 2 : 1, NULL, 0), 0);
	v->bound = true;
	v->turn = turn;
}

/* --- changes ---------------------------------------------------------------- */

void truth_recolor(struct truth_client *c, struct view *v,
		   const struct drm_xetile_bo_range *ranges, uint32_t num)
{
	int err = v->t->copies ? -EOPNOTSUPP : 0;

	igt_assert_eq(__xetile_recolor(c->place.fd, v->handle, ranges, num, NULL, 0), err);
	if (!err)
		note(c, v, ranges, num);
}

static uint64_t addr_of(const struct view *v, uint32_t page)
{
	return v->addr + (page + v->t->pages - v->turn) % v->t->pages * PAGE;
}

static void copies_begin(struct truth_client *c, struct xetile_batch *b)
{
	batch_begin(b, &c->place.ctl, COPIES);
}

static void copies_run(struct truth_client *c, struct xetile_batch *b, uint32_t tile)
{
	batch_end(b);
	xetile_run(c->place.fd, c->copy[tile], batch_addr(b));
}

static void fresh_seeds(struct truth_client *c, struct truth *t, uint32_t page, uint32_t num)
{
	for (uint32_t i = 0; i < num; i++)
		t->seed[page + i] = ++c->seeds;
}

void truth_write_cpu(struct truth_client *c, struct view *v, uint32_t page, uint32_t num)
{
	fresh_seeds(c, v->t, page, num);
	for (uint32_t i = page; i < page + num; i++)
		fill_page(v->map + i * WORDS, v->t->seed[i]);
}

void truth_write_gpu(struct truth_client *c, struct view *v, uint32_t page, uint32_t num,
		     uint32_t tile, bool user)
{
	uint32_t first = copy_of(v->t, tile) + page;
	uint64_t addr = user ? USER_ADDR : STAGE_ADDR;
	struct xetile_batch b;

	fresh_seeds(c, v->t, first, num);
	/* Other pages of the machine take the place of those that the GPU knows. */
	if (user && c->seeds % 2)
		igt_assert_eq(madvise(c->user, TRUTH_WRITE * PAGE, MADV_DONTNEED), 0);
	copies_begin(c, &b);
	for (uint32_t i = 0; i < num; i++) {
		fill_page((user ? c->user : c->stage.map) + i * WORDS, v->t->seed[first + i]);
		batch_mem_copy(&b, addr_of(v, page + i), addr + i * PAGE, PAGE);
	}
	copies_run(c, &b, tile);
}

void truth_copy(struct truth_client *c, struct view *to, uint32_t page, struct view *from,
		uint32_t source, uint32_t num, uint32_t tile)
{
	const uint32_t *read = from->t->seed + copy_of(from->t, tile) + source;
	uint32_t *written = to->t->seed + copy_of(to->t, tile) + page;
	struct xetile_batch b;

	copies_begin(c, &b);
	for (uint32_t i = 0; i < num; i++) {
		batch_mem_copy(&b, addr_of(to, page + i), addr_of(from, source + i), PAGE);
		written[i] = read[i];
	}
	copies_run(c, &b, tile);
}

/* --- what is compared --------------------------------------------------------- */

static bool may_lie(const struct truth_client *c, const struct truth *t, uint32_t page,
		    uint32_t tile, bool exact)
{
	return exact ? tile == t->tile[page] : tile < c->card->device.num_tiles;
}

void truth_check_place(struct truth_client *c, struct view *v, enum truth_where where)
{
	struct drm_xetile_color_run runs[TRUTH_PAGES];
	struct drm_xetile_bo_info info = {
		.handle = v->handle, .runs = DRM_XETILE_ARRAY(runs, TRUTH_PAGES),
	};
	const struct truth *t = v->t;
	bool hbm = t->placement & DRM_XETILE_PLACE_HBM, exact;
	uint32_t page = 0, last = ~0u, pages = truth_all_pages(t);

	igt_assert_eq(xetile_ioctl(c->place.fd, DRM_IOCTL_XETILE_BO_INFO, &info), 0);
	igt_assert_eq_u64(info.size, t->pages * PAGE);
	igt_assert_eq_u32(info.placement, t->placement);
	igt_assert_eq_u32(info.flags, t->flags);
	igt_assert_lte_u64(info.runs.count, pages);
	if (info.runs.count == 1 && runs[0].tile == DRM_XETILE_MEM_SYSTEM) {
		igt_assert_eq_u32(runs[0].pages, pages);
		igt_assert_f(!hbm || where == TRUTH_EVICTED || where == TRUTH_SPILLED ||
			     (where == TRUTH_RESIDENT && t->placement & DRM_XETILE_PLACE_SYSTEM),
			     "buffer %#x is in system memory\n", t->number);
		return;
	}
	igt_assert_f(hbm, "buffer %#x is in HBM\n", t->number);
	exact = where == TRUTH_EXACT || where == TRUTH_EVICTED || t->flags & DRM_XETILE_BO_STRICT;
	for (uint32_t i = 0; i < info.runs.count; i++) {
		/* Neighbours on the same tile are one run. */
		igt_assert_neq(runs[i].tile, last);
		last = runs[i].tile;
		igt_assert_lte_u64(page + (uint64_t)runs[i].pages, pages);
		for (uint32_t n = 0; n < runs[i].pages; n++, page++)
			igt_assert_f(may_lie(c, t, page, last, exact),
				     "buffer %#x, page %u: on tile %u instead of %u\n", t->number,
				     page, last, t->tile[page]);
	}
	igt_assert_eq_u32(page, pages);
}

void truth_check_cpu(struct truth_client *c, struct view *v)
{
	c->salt++;
	for (uint32_t i = 0; i < truth_all_pages(v->t); i++)
		check_page(v->t, v->map + i * WORDS, i, c->salt, "CPU");
}

static void read_all(struct truth_client *c, struct view *v, uint32_t tile)
{
	struct xetile_batch b;

	copies_begin(c, &b);
	for (uint32_t i = 0; i < v->t->pages; i++)
		batch_mem_copy(&b, STAGE_ADDR + i * PAGE, addr_of(v, i), PAGE);
	copies_run(c, &b, tile);
}

void truth_check_gpu(struct truth_client *c, struct view *v, uint32_t tile)
{
	uint32_t first = copy_of(v->t, tile);

	c->salt++;
	read_all(c, v, tile);
	for (uint32_t i = 0; i < v->t->pages; i++)
		check_page(v->t, c->stage.map + i * WORDS, first + i, c->salt, "GPU");
}

void truth_check_user(struct truth_client *c, struct view *v, uint32_t page, uint32_t num,
		      uint32_t tile)
{
	uint32_t first = copy_of(v->t, tile) + page;
	struct xetile_batch b;

	c->salt++;
	copies_begin(c, &b);
	for (uint32_t i = 0; i < num; i++)
		batch_mem_copy(&b, USER_ADDR + i * PAGE, addr_of(v, page + i), PAGE);
	copies_run(c, &b, tile);
	for (uint32_t i = 0; i < num; i++)
		check_page(v->t, c->user + i * WORDS, first + i, c->salt, "user memory");
}

/* Returns how many bytes the card's copy engines have read from a kind of memory. */
static uint64_t bytes_read(const char *from)
{
	char *answer = lab_ask("counters");
	uint64_t bytes = 0;

	for (const char *at = answer; (at = strstr(at, "\"name\":\"bcs")); at++)
		bytes += lab_number(at, from);
	free(answer);
	return bytes;
}

void truth_check_card(struct truth_client *c, struct view *v, uint32_t tile)
{
	const uint32_t *tiles = v->t->tile + copy_of(v->t, tile);
	uint64_t local, remote, here = 0;

	/* The first job brings the buffer to where it belongs, if it is not there. */
	read_all(c, v, tile);
	local = bytes_read("read_local");
	remote = bytes_read("read_remote");
	read_all(c, v, tile);
	for (uint32_t i = 0; i < v->t->pages; i++)
		here += tiles[i] == tile ? PAGE : 0;
	igt_assert_eq_u64(bytes_read("read_local") - local, here);
	igt_assert_eq_u64(bytes_read("read_remote") - remote, v->t->pages * PAGE - here);
}

/* --- leaves ------------------------------------------------------------------- */

/* The card's number of the compute engine of a tile that has one */
static unsigned int compute_engine(struct truth_client *c, uint32_t tile)
{
	struct drm_xetile_query_engine engines[64] = { 0 };
	uint32_t num = xetile_query(c->place.fd, DRM_XETILE_QUERY_ENGINES,
				    XETILE_ARRAY(engines, ARRAY_SIZE(engines)));

	for (uint32_t i = 0; i < num && i < ARRAY_SIZE(engines); i++)
		if (engines[i].tile == tile &&
		    engines[i].engine_class == DRM_XETILE_ENGINE_COMPUTE)
			return engines[i].instance;
	igt_assert_f(false, "tile %u has no compute engine\n", tile);
}

/* Notes for each 64 KiB of addresses where they lie in HBM, and how large their leaf is. */
static void read_leaves(struct truth_client *c, struct view *v, uint32_t tile, uint64_t *places,
			uint64_t *sizes)
{
	struct xetile_batch b;
	uint32_t page = 0;
	char *answer;

	/* The engine's last context is the client's. */
	copies_begin(c, &b);
	batch_store(&b, c->place.ctl.addr + GO * 4 + 64, 1, false);
	batch_end(&b);
	xetile_run(c->place.fd, c->compute[tile], batch_addr(&b));
	answer = lab_ask("translate tile%u.ccs%u %#llx %#llx", tile, compute_engine(c, tile),
			 (unsigned long long)v->addr, (unsigned long long)(v->t->pages * PAGE));
	for (const char *at = answer; (at = strstr(at, "\"place\":")); at++) {
		uint64_t bytes = lab_number(at, "bytes"), place = lab_number(at, "address");

		igt_assert_f(!strncmp(at, "\"place\":\"hbm\"", 13), "%s", answer);
		igt_assert_eq_u64(bytes % PAGE, 0);
		for (uint64_t n = 0; n < bytes; n += PAGE) {
			igt_assert_lt(page, v->t->pages);
			places[page] = place + n;
			sizes[page++] = bytes;
		}
	}
	igt_assert_eq_u32(page, v->t->pages);
	free(answer);
}

/* Are 2 MiB, at addresses that one leaf may translate, one piece of HBM that fits a leaf? */
static bool in_one_piece(const uint64_t *places)
{
	for (uint32_t i = 0; i < SZ_2M / PAGE; i++)
		if (places[i] != places[0] + i * PAGE)
			return false;
	return places[0] % SZ_2M == 0;
}

unsigned int truth_check_leaves(struct truth_client *c, struct view *v, uint32_t tile)
{
	uint64_t places[TRUTH_PAGES], sizes[TRUTH_PAGES];
	/* Leaves are not joined across the two mappings of a buffer that begins in its midst. */
	const uint32_t pages = v->t->pages, ends[] = { pages - v->turn, pages };
	unsigned int large = 0;
	uint32_t page = 0;

	read_leaves(c, v, tile, places, sizes);
	for (unsigned int i = 0; i < ARRAY_SIZE(ends); i++)
		while (page < ends[i]) {
			bool fits = (v->addr + page * PAGE) % SZ_2M == 0 &&
				    ends[i] - page >= SZ_2M / PAGE && in_one_piece(places + page);

			igt_assert_f(sizes[page] == (fits ? SZ_2M : PAGE),
				     "buffer %#x, page %u of its addresses: a leaf of %llu bytes\n",
				     v->t->number, page, (unsigned long long)sizes[page]);
			page += sizes[page] / PAGE;
			large += fits;
		}
	return large;
}
