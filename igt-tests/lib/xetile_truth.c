// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "xetile_truth.h"

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
	for (uint32_t t = 0; t < card->device.num_tiles; t++)
		c->copy[t] = xetile_queue(fd, c->place.vm, COPY, TILE, t, 0);
	xetile_buf_init(&c->stage, fd, c->place.vm, STAGE_ADDR, TRUTH_PAGES * PAGE,
			DRM_XETILE_PLACE_SYSTEM);
	if (!(card->device.caps & DRM_XETILE_CAP_USER))
		return;
	c->user = anon(TRUTH_WRITE * PAGE);
	map_user(&c->place, USER_ADDR, c->user, TRUTH_WRITE * PAGE, 0);
}

void truth_client_fini(struct truth_client *c)
{
	if (c->user) {
		xetile_vm_unmap(c->place.fd, c->place.vm, USER_ADDR, TRUTH_WRITE * PAGE);
		munmap(c->user, TRUTH_WRITE * PAGE);
	}
	xetile_buf_fini(&c->stage);
	for (uint32_t t = 0; t < c->card->device.num_tiles; t++)
		xetile_queue_destroy(c->place.fd, c->copy[t]);
	place_fini(&c->place);
}

/* The helpers of recolored buffers know the tile of each page of a color. */
static void note(struct truth_client *c, struct view *v, const struct drm_xetile_bo_range *ranges,
		 uint32_t num)
{
	struct canvas canvas = { .card = c->card, .pages = v->t->pages, .tile = v->t->tile };

	canvas_note(&canvas, ranges, num);
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
	t->sent = false;
	memset(t->seed, 0, sizeof(t->seed));
	*v = (struct view) { .t = t, .handle = args.handle, .addr = v->addr };
	v->map = xetile_bo_map(c->place.fd, v->handle, t->pages * PAGE);
	if (placement & DRM_XETILE_PLACE_HBM)
		note(c, v, color, 1);
}

void truth_take(struct truth_client *c, struct view *v, struct truth *t, int file)
{
	*v = (struct view) { .t = t, .addr = v->addr };
	igt_assert_eq(drmPrimeFDToHandle(c->place.fd, file, &v->handle), 0);
	close(file);
	v->map = xetile_bo_map(c->place.fd, v->handle, t->pages * PAGE);
}

void truth_unbind(struct truth_client *c, struct view *v)
{
	if (v->bound)
		xetile_vm_unmap(c->place.fd, c->place.vm, v->addr, v->t->pages * PAGE);
	v->bound = false;
}

void truth_close(struct truth_client *c, struct view *v)
{
	truth_unbind(c, v);
	munmap(v->map, v->t->pages * PAGE);
	xetile_bo_close(c->place.fd, v->handle);
	v->t->refs--;
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
	igt_assert_eq(__xetile_recolor(c->place.fd, v->handle, ranges, num, NULL, 0), 0);
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
	uint64_t addr = user ? USER_ADDR : STAGE_ADDR;
	struct xetile_batch b;

	fresh_seeds(c, v->t, page, num);
	/* Other pages of the machine take the place of those that the GPU knows. */
	if (user && c->seeds % 2)
		igt_assert_eq(madvise(c->user, TRUTH_WRITE * PAGE, MADV_DONTNEED), 0);
	copies_begin(c, &b);
	for (uint32_t i = 0; i < num; i++) {
		fill_page((user ? c->user : c->stage.map) + i * WORDS, v->t->seed[page + i]);
		batch_mem_copy(&b, addr_of(v, page + i), addr + i * PAGE, PAGE);
	}
	copies_run(c, &b, tile);
}

void truth_copy(struct truth_client *c, struct view *to, uint32_t page, struct view *from,
		uint32_t source, uint32_t num, uint32_t tile)
{
	struct xetile_batch b;

	copies_begin(c, &b);
	for (uint32_t i = 0; i < num; i++) {
		batch_mem_copy(&b, addr_of(to, page + i), addr_of(from, source + i), PAGE);
		to->t->seed[page + i] = from->t->seed[source + i];
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
	uint32_t page = 0, last = ~0u;

	igt_assert_eq(xetile_ioctl(c->place.fd, DRM_IOCTL_XETILE_BO_INFO, &info), 0);
	igt_assert_eq_u64(info.size, t->pages * PAGE);
	igt_assert_eq_u32(info.placement, t->placement);
	igt_assert_eq_u32(info.flags, t->flags);
	igt_assert_lte_u64(info.runs.count, t->pages);
	if (info.runs.count == 1 && runs[0].tile == DRM_XETILE_MEM_SYSTEM) {
		igt_assert_eq_u32(runs[0].pages, t->pages);
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
		igt_assert_lte_u64(page + (uint64_t)runs[i].pages, t->pages);
		for (uint32_t n = 0; n < runs[i].pages; n++, page++)
			igt_assert_f(may_lie(c, t, page, last, exact),
				     "buffer %#x, page %u: on tile %u instead of %u\n", t->number,
				     page, last, t->tile[page]);
	}
	igt_assert_eq_u32(page, t->pages);
}

void truth_check_cpu(struct truth_client *c, struct view *v)
{
	c->salt++;
	for (uint32_t i = 0; i < v->t->pages; i++)
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
	c->salt++;
	read_all(c, v, tile);
	for (uint32_t i = 0; i < v->t->pages; i++)
		check_page(v->t, c->stage.map + i * WORDS, i, c->salt, "GPU");
}

void truth_check_user(struct truth_client *c, struct view *v, uint32_t page, uint32_t num,
		      uint32_t tile)
{
	struct xetile_batch b;

	c->salt++;
	copies_begin(c, &b);
	for (uint32_t i = 0; i < num; i++)
		batch_mem_copy(&b, USER_ADDR + i * PAGE, addr_of(v, page + i), PAGE);
	copies_run(c, &b, tile);
	for (uint32_t i = 0; i < num; i++)
		check_page(v->t, c->user + i * WORDS, page + i, c->salt, "user memory");
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
	uint64_t local, remote, here = 0;

	/* The first job brings the buffer to where it belongs, if it is not there. */
	read_all(c, v, tile);
	local = bytes_read("read_local");
	remote = bytes_read("read_remote");
	read_all(c, v, tile);
	for (uint32_t i = 0; i < v->t->pages; i++)
		here += v->t->tile[i] == tile ? PAGE : 0;
	igt_assert_eq_u64(bytes_read("read_local") - local, here);
	igt_assert_eq_u64(bytes_read("read_remote") - remote, v->t->pages * PAGE - here);
}
