// SPDX-License-Identifier: MIT
/*
 * W18: forecasts of locality against a count of each access. The references are written from the
 * header's statements: they walk all work-items of all groups, and all pages of a color, each by
 * itself.
 */
#include <errno.h>
#include <stdlib.h>

#include "test.h"
#include "util.h"
#include "xetile.h"

#define PAGE		XETILE_COLOR_PAGE
#define MAX_PAGES	24

static uint64_t state = 1;

static uint32_t any(uint32_t from, uint32_t to)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return from + (state >> 33) % (to - from + 1);
}

/* --- references ---------------------------------------------------------------- */

struct counts {
	uint64_t page[MAX_PAGES][XETILE_MAX_TILES];
};

static void ref_bytes(struct counts *c, unsigned int tile, uint64_t base, uint64_t bytes)
{
	for (; bytes && base % PAGE; bytes--)
		c->page[base++ / PAGE][tile]++;
	for (; bytes >= PAGE; bytes -= PAGE, base += PAGE)
		c->page[base / PAGE][tile] += PAGE;
	if (bytes)
		c->page[base / PAGE][tile] += bytes;
}

static void ref_element(struct counts *c, const struct xetile_access *a, const uint64_t items[3],
			unsigned int tile, const int64_t at[3])
{
	uint64_t x = at[0], y = at[1], z = at[2], base;

	if (a->pattern == XETILE_PATTERN_GATHER)
		base = a->index[x + items[0] * (y + items[1] * z)] * a->bytes;
	else if (a->pattern == XETILE_PATTERN_ROWS || a->pitch[0] || a->pitch[1] || a->pitch[2])
		base = x * a->pitch[0] + y * a->pitch[1] + z * a->pitch[2];
	else
		base = (x + items[0] * (y + items[1] * z)) * a->bytes;
	ref_bytes(c, tile, a->offset + base, a->bytes);
}

static void ref_item(struct counts *c, const struct xetile_access *a, const uint64_t items[3],
		     unsigned int tile, const int64_t at[3])
{
	int64_t there[3], d;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		if (at[i] >= (int64_t)items[i])
			return;
		if (a->edge == XETILE_EDGE_INSIDE && (at[i] < (int64_t)a->halo[i] ||
						      at[i] + a->halo[i] >= (int64_t)items[i]))
			return;
	}
	ref_element(c, a, items, tile, at);
	for (i = 0; i < 3 && a->pattern == XETILE_PATTERN_STENCIL; i++) {
		for (d = -(int64_t)a->halo[i]; d <= (int64_t)a->halo[i]; d++) {
			memcpy(there, at, sizeof(there));
			there[i] += d;
			if (a->edge == XETILE_EDGE_CLAMP && there[i] < 0)
				there[i] = 0;
			if (a->edge == XETILE_EDGE_CLAMP && there[i] >= (int64_t)items[i])
				there[i] = items[i] - 1;
			if (d && there[i] >= 0 && there[i] < (int64_t)items[i])
				ref_element(c, a, items, tile, there);
		}
	}
}

/* The tile that runs a group: the groups of the partitioned dimension are dealt in equal shares. */
static unsigned int ref_owner(const struct xetile_plan *plan, uint32_t mask,
			      const uint32_t group[3])
{
	unsigned int part = group[plan->dim] / plan->share, t;

	for (t = 0; !(mask & 1u << t) || part--; t++)
		;
	return t;
}

static void ref_demand(struct counts *c, const struct xetile_explain_desc *d,
		       const struct xetile_plan *plan)
{
	const struct xetile_launch_desc *l = d->launch;
	uint64_t items[3], n, i, a, total = 1;
	uint32_t group[3];
	int64_t at[3];

	memset(c, 0, sizeof(*c));
	for (i = 0; i < 3; i++)
		total *= l->groups[i] * l->local[i];
	for (a = 0; a < d->num_accesses; a++) {
		for (i = 0; i < 3; i++)
			items[i] = d->accesses[a].items[i] ? d->accesses[a].items[i] :
				   l->groups[i] * l->local[i];
		for (n = 0; n < total; n++) {
			uint64_t rest = n;

			for (i = 0; i < 3; i++) {
				at[i] = rest % (l->groups[i] * l->local[i]);
				group[i] = at[i] / l->local[i];
				rest /= l->groups[i] * l->local[i];
			}
			ref_item(c, &d->accesses[a], items,
				 ref_owner(plan, d->tile_mask, group), at);
		}
	}
}

/* The tile of each page; -1: each tile has a copy */
static void ref_color(int tile_of[MAX_PAGES], const struct xetile_mem_desc *m, uint32_t mask,
		      unsigned int pages)
{
	unsigned int list[XETILE_MAX_TILES], n = 0, t, p, i, k, left = 0, weights = 0;

	for (t = 0; t < XETILE_MAX_TILES; t++)
		if (mask & 1u << t)
			list[n++] = t;
	for (i = 0; i < m->num_runs; i++)
		weights += m->runs[i].pages;
	for (i = 0, left = pages; i < m->num_runs; i++)
		left -= (uint64_t)pages * m->runs[i].pages / weights;
	for (p = 0, i = 0, k = 0; p < pages; p++) {
		switch (m->color) {
		case XETILE_COLOR_TILE:
			tile_of[p] = m->tile;
			break;
		case XETILE_COLOR_CHUNK:
			tile_of[p] = list[p / (m->granule ? m->granule / PAGE : 1) % n];
			break;
		case XETILE_COLOR_FOLLOW:
			tile_of[p] = list[p / ((pages + n - 1) / n)];
			break;
		case XETILE_COLOR_REPLICATE:
			tile_of[p] = -1;
			break;
		case XETILE_COLOR_MAP:
			while (k == m->runs[i].pages)
				i++, k = 0;
			tile_of[p] = m->runs[i].tile;
			k++;
			break;
		case XETILE_COLOR_WEIGHTED:
			for (;; i++, k = 0) {
				uint64_t part = (uint64_t)pages * m->runs[i].pages;

				if (k < part / weights)
					break;
				if (k == part / weights && part % weights && left) {
					left--;
					break;
				}
			}
			tile_of[p] = m->runs[i].tile;
			k++;
			break;
		default:
			/* The first tiles have one page more. */
			for (t = 0, k = 0; k + pages / n + (t < pages % n) <= p; t++)
				k += pages / n + (t < pages % n);
			tile_of[p] = list[t];
		}
	}
}

static void ref_judge(const struct counts *c, const int *tile_of, unsigned int pages,
		      uint64_t local[XETILE_MAX_TILES], uint64_t remote[XETILE_MAX_TILES])
{
	unsigned int p, t;

	memset(local, 0, XETILE_MAX_TILES * sizeof(*local));
	memset(remote, 0, XETILE_MAX_TILES * sizeof(*remote));
	for (p = 0; p < pages; p++)
		for (t = 0; t < XETILE_MAX_TILES; t++)
			*(tile_of[p] < 0 || tile_of[p] == (int)t ? &local[t] : &remote[t]) +=
				c->page[p][t];
}

static uint64_t ref_remote(const struct counts *c, const struct xetile_mem_desc *m, uint32_t mask,
			   unsigned int pages)
{
	uint64_t local[XETILE_MAX_TILES], remote[XETILE_MAX_TILES];
	int tile_of[MAX_PAGES];

	ref_color(tile_of, m, mask, pages);
	ref_judge(c, tile_of, pages, local, remote);
	return remote[0] + remote[1] + remote[2] + remote[3];
}

/* --- questions that chance asks ---------------------------------------------------- */

struct question {
	struct xetile_launch_desc launch;
	struct xetile_mem_desc mem;
	struct xetile_access access[2];
	struct xetile_explain_desc desc;
	struct xetile_run runs[MAX_PAGES];
	uint64_t index[2][4096];
	struct xetile_piece pieces[40];
	unsigned int pages;
};

static void ask_launch(struct question *q)
{
	static const unsigned int most[] = { 60, 9, 4 };
	unsigned int dims = any(1, 3), i;

	q->launch.rule = any(0, 1) ? XETILE_PLAN_PUBLISHED : XETILE_PLAN_DEFAULT;
	for (i = 0; i < 3; i++) {
		q->launch.groups[i] = i < dims ? any(1, most[dims - 1]) : 1;
		q->launch.local[i] = i < dims ? any(1, dims == 1 ? 40 : 4) : 1;
	}
	q->desc.tile_mask = any(1, 15);
}

static void ask_color(struct question *q)
{
	uint32_t mask = q->desc.tile_mask, left = q->pages, pages, t;

	q->mem.color = any(XETILE_COLOR_DEFAULT, XETILE_COLOR_REPLICATE);
	q->mem.runs = q->runs;
	if (q->mem.color == XETILE_COLOR_TILE)
		q->mem.tile = any(0, 3);
	if (q->mem.color == XETILE_COLOR_CHUNK)
		q->mem.granule = (uint64_t)any(0, q->pages + 1) * PAGE;
	for (; q->mem.color == XETILE_COLOR_MAP && left; left -= pages) {
		pages = any(1, left < 5 ? left : 5);
		q->runs[q->mem.num_runs++] = (struct xetile_run) { any(0, 3), pages };
	}
	for (t = XETILE_MAX_TILES; q->mem.color == XETILE_COLOR_WEIGHTED && t--;)
		if (mask & 1u << t)
			q->runs[q->mem.num_runs++] = (struct xetile_run) { t, any(1, 5) };
}

/* Returns the bytes of the buffer that the access needs. */
static uint64_t ask_access(struct question *q, unsigned int n)
{
	struct xetile_access *a = &q->access[n];
	uint64_t items[3], total = 1, end, i;

	a->pattern = any(XETILE_PATTERN_STREAM, XETILE_PATTERN_GATHER);
	a->bytes = any(1, any(0, 3) ? 500 : 3 * PAGE / 64);
	a->offset = any(0, 1) ? any(0, 100000) : 0;
	a->write = q->mem.color != XETILE_COLOR_REPLICATE && any(0, 1);
	for (i = 0; i < 3; i++) {
		items[i] = q->launch.groups[i] * q->launch.local[i];
		if (!any(0, 3)) {
			a->items[i] = any(1, items[i]);
			items[i] = a->items[i];
		}
		total *= items[i];
	}
	if (a->pattern == XETILE_PATTERN_STREAM && any(0, 1))
		a->edge = XETILE_EDGE_INSIDE;
	if (a->pattern == XETILE_PATTERN_STENCIL)
		a->edge = any(XETILE_EDGE_SKIP, XETILE_EDGE_INSIDE);
	if (a->pattern == XETILE_PATTERN_STENCIL || a->edge) {
		for (i = 0; i < 3; i++)
			a->halo[i] = any(0, 1) ? any(0, 4) : 0;
	}
	if (a->pattern == XETILE_PATTERN_ROWS ||
	    (a->pattern == XETILE_PATTERN_STENCIL && any(0, 1)))
		for (i = 0; i < 3; i++)
			a->pitch[i] = any(0, 4) ? any(0, 600000 / items[i]) : 0;
	end = total * a->bytes;
	if (a->pitch[0] || a->pitch[1] || a->pitch[2] || a->pattern == XETILE_PATTERN_ROWS)
		end = (items[0] - 1) * a->pitch[0] + (items[1] - 1) * a->pitch[1] +
		      (items[2] - 1) * a->pitch[2] + a->bytes;
	if (a->pattern == XETILE_PATTERN_GATHER) {
		for (i = 0, end = 0; i < total; i++) {
			q->index[n][i] = any(0, 1000000 / a->bytes);
			if ((q->index[n][i] + 1) * a->bytes > end)
				end = (q->index[n][i] + 1) * a->bytes;
		}
		a->index = q->index[n];
		a->num_index = total;
	}
	return a->offset + end;
}

static void ask(struct question *q)
{
	uint64_t size = 0, end;
	unsigned int n;

	do {
		memset(q, 0, sizeof(*q));
		ask_launch(q);
		/* Before the accesses, because nobody may write copies. */
		q->mem.color = any(0, 9) ? XETILE_COLOR_DEFAULT : XETILE_COLOR_REPLICATE;
		q->desc.num_accesses = any(1, 2);
		for (n = 0; n < q->desc.num_accesses; n++) {
			end = ask_access(q, n);
			size = end > size || !n ? end : size;
		}
		size += any(0, 1) ? any(0, 200000) : 0;
		q->pages = (size + PAGE - 1) / PAGE;
	} while (q->pages > MAX_PAGES);
	if (q->mem.color != XETILE_COLOR_REPLICATE)
		do {
			q->mem = (struct xetile_mem_desc) { 0 };
			ask_color(q);
		} while (q->mem.color == XETILE_COLOR_REPLICATE);
	q->mem.size = size;
	q->desc.launch = &q->launch;
	q->desc.mem = &q->mem;
	q->desc.accesses = q->access;
	q->desc.num_pieces = any(0, 40);
	q->desc.pieces = q->pieces;
}

static bool check_pieces(const struct question *q, const struct counts *c, const int *tile_of)
{
	uint64_t accessed, held, begin, end, p;
	unsigned int i, n = q->desc.num_pieces, t;

	for (i = 0; i < n; i++) {
		begin = (uint64_t)q->pages * i / n;
		end = (uint64_t)q->pages * (i + 1) / n;
		for (t = 0; t < XETILE_MAX_TILES; t++) {
			accessed = held = 0;
			for (p = begin; p == begin || p < end; p++) {
				accessed += c->page[p][t];
				if (tile_of[p] == (int)t || (tile_of[p] < 0 &&
							     q->desc.tile_mask & 1u << t))
					held += PAGE;
			}
			CHECK(q->pieces[i].accessed[t] == accessed, "piece %u of %u", i, n);
			CHECK(q->pieces[i].held[t] == held, "piece %u of %u, tile %u", i, n, t);
		}
	}
	return true;
}

/* The color that is named has the bytes that are named, and none of one word has much fewer. */
static bool check_better(const struct question *q, const struct counts *c,
			 const struct xetile_forecast *f)
{
	uint64_t least = f->has_better ? f->better_remote : f->total_remote;
	uint64_t little = f->total / 100 ? f->total / 100 : 1, much = f->total / 20;
	uint32_t mask = q->desc.tile_mask;
	struct xetile_mem_desc other = { .size = q->mem.size };
	bool over = least * 100 > f->total * XETILE_REMOTE_LIMIT;

	if (f->has_better) {
		CHECK(f->total_remote - f->better_remote >= little);
		CHECK(f->better.size == q->mem.size);
		CHECK(ref_remote(c, &f->better, mask, q->pages) == f->better_remote);
		if (f->better.color == XETILE_COLOR_REPLICATE)
			CHECK(!q->access[0].write && !q->access[1].write);
		if (f->better.num_runs || f->better.color == XETILE_COLOR_REPLICATE ||
		    f->better.color == XETILE_COLOR_TILE)
			CHECK(f->total_remote - f->better_remote >= much);
	}
	other.color = XETILE_COLOR_EVEN;
	CHECK(ref_remote(c, &other, mask, q->pages) + little > least, "even");
	other.color = XETILE_COLOR_FOLLOW;
	CHECK(ref_remote(c, &other, mask, q->pages) + little > least, "follow");
	other.color = XETILE_COLOR_CHUNK;
	CHECK(ref_remote(c, &other, mask, q->pages) + little > least, "chunk");
	other.color = XETILE_COLOR_TILE;
	for (other.tile = 0; other.tile < XETILE_MAX_TILES; other.tile++)
		if (mask & 1u << other.tile)
			CHECK(ref_remote(c, &other, mask, q->pages) + much + 1 > least, "tile %u",
			      other.tile);
	/* Copies have no remote bytes. */
	if (over && !q->access[0].write && !q->access[1].write)
		CHECK(least < much, "no copies");
	return true;
}

/* The runs are those of the pages, as few as there can be, whatever room there is. */
static bool check_runs(const struct question *q, const int *tile_of)
{
	struct xetile_run runs[MAX_PAGES + 1], few[2] = { { 77, 77 }, { 77, 77 } };
	uint32_t mask = q->desc.tile_mask;
	unsigned int p = 0, k, last = 77;
	int i, num = xetile_color_runs(&q->mem, mask, runs, MAX_PAGES + 1);

	CHECK(num > 0 && num <= MAX_PAGES, "%d: %s", num, xetile_last_error());
	CHECK(xetile_color_runs(&q->mem, mask, NULL, 0) == num);
	CHECK(xetile_color_runs(&q->mem, mask, few, 1) == num && few[1].tile == 77);
	CHECK(few[0].tile == runs[0].tile && few[0].pages == runs[0].pages);
	for (i = 0; i < num; last = runs[i++].tile) {
		CHECK(runs[i].tile != last && runs[i].pages, "run %d", i);
		if (q->mem.color == XETILE_COLOR_REPLICATE) {
			CHECK(mask & 1u << runs[i].tile && runs[i].pages == q->pages);
			CHECK(!i || runs[i].tile > last);
			continue;
		}
		for (k = 0; k < runs[i].pages; k++, p++)
			CHECK(p < q->pages && (unsigned int)tile_of[p] == runs[i].tile, "page %u", p);
	}
	CHECK(q->mem.color == XETILE_COLOR_REPLICATE ? num == __builtin_popcount(mask) :
	      p == q->pages);
	return true;
}

static bool check_question(struct question *q)
{
	uint64_t local[XETILE_MAX_TILES], remote[XETILE_MAX_TILES], all = 0;
	struct xetile_forecast f;
	struct xetile_plan plan;
	int tile_of[MAX_PAGES];
	struct counts c;
	unsigned int t;
	bool ok;

	CHECK(!xetile_plan_explain(&q->desc, &f), "%s", xetile_last_error());
	CHECK(!xetile_plan_partition(q->launch.groups, __builtin_popcount(q->desc.tile_mask),
				     q->launch.rule, &plan));
	CHECK(!memcmp(&plan, &f.plan, sizeof(plan)));
	ref_demand(&c, &q->desc, &plan);
	ref_color(tile_of, &q->mem, q->desc.tile_mask, q->pages);
	ref_judge(&c, tile_of, q->pages, local, remote);
	for (t = 0; t < XETILE_MAX_TILES; t++) {
		CHECK(f.local[t] == local[t], "tile %u", t);
		CHECK(f.remote[t] == remote[t], "tile %u", t);
		all += local[t] + remote[t];
	}
	CHECK(f.total == all);
	CHECK(f.total_remote == remote[0] + remote[1] + remote[2] + remote[3]);
	ok = check_pieces(q, &c, tile_of) && check_better(q, &c, &f) && check_runs(q, tile_of);
	xetile_color_free(&f.better);
	return ok;
}

static bool check_questions(void)
{
	static struct question q;
	const struct xetile_access *a;
	unsigned int n;

	for (n = 0; n < 1500; n++) {
		ask(&q);
		a = &q.access[0];
		CHECK(check_question(&q), "question %u: groups %u,%u,%u of %u,%u,%u on 0x%x: color %d of %u pages: pattern %d edge %d bytes %u halo %u,%u,%u",
		      n, q.launch.groups[0], q.launch.groups[1], q.launch.groups[2],
		      q.launch.local[0], q.launch.local[1], q.launch.local[2], q.desc.tile_mask,
		      q.mem.color, q.pages, a->pattern, a->edge, a->bytes, a->halo[0], a->halo[1],
		      a->halo[2]);
	}
	return true;
}

/* --- what a person would say ----------------------------------------------------------- */

static struct xetile_launch_desc launch;
static struct xetile_mem_desc mem;
static struct xetile_access access;
static const struct xetile_explain_desc desc = {
	.launch = &launch, .tile_mask = 3, .mem = &mem, .num_accesses = 1, .accesses = &access,
};

/* A stream of 1 GiB words on two tiles, which the default color fits */
static void reset(void)
{
	launch = (struct xetile_launch_desc) { .groups = { 1 << 20 }, .local = { 256 } };
	mem = (struct xetile_mem_desc) { .size = 1ull << 30 };
	access = (struct xetile_access) { .bytes = 4 };
}

static bool check_known(void)
{
	const uint64_t half = 1ull << 29;
	struct xetile_forecast f;

	reset();
	CHECK(!xetile_plan_explain(&desc, &f), "%s", xetile_last_error());
	CHECK(f.local[0] == half && f.local[1] == half && !f.total_remote && !f.has_better);
	CHECK(f.total == 2 * half && f.plan.parts == 2);

	/* The far end of a neighborhood: h + ... + 1 elements, from each side */
	access.pattern = XETILE_PATTERN_STENCIL;
	access.halo[0] = 3;
	CHECK(!xetile_plan_explain(&desc, &f), "%s", xetile_last_error());
	CHECK(f.remote[0] == 6 * 4 && f.remote[1] == 6 * 4 && !f.has_better);
	CHECK(f.total == 7 * 2 * half - 2 * 6 * 4);

	/* Dealt pages: half of all is remote. */
	reset();
	mem.color = XETILE_COLOR_CHUNK;
	CHECK(!xetile_plan_explain(&desc, &f), "%s", xetile_last_error());
	CHECK(f.total_remote == half && f.has_better && f.better.color == XETILE_COLOR_EVEN);
	CHECK(!f.better_remote && f.better.size == mem.size);

	/* Columns: x is cut, and each tile has half of each row of 1 MiB. */
	reset();
	launch.groups[0] = 1024;
	launch.groups[1] = 1;
	launch.local[1] = 1000;
	access = (struct xetile_access) { .pattern = XETILE_PATTERN_ROWS, .bytes = 4,
					  .pitch = { 4, 1 << 20 } };
	CHECK(!xetile_plan_explain(&desc, &f), "%s", xetile_last_error());
	CHECK(f.plan.dim == 0 && f.total_remote * 2 == f.total && f.has_better);
	CHECK(f.better.color == XETILE_COLOR_CHUNK && f.better.granule == 1 << 19);
	CHECK(!f.better_remote);

	/* All tiles read the same words: copies, unless somebody writes. */
	reset();
	access.pattern = XETILE_PATTERN_ROWS;
	CHECK(!xetile_plan_explain(&desc, &f), "%s", xetile_last_error());
	CHECK(f.remote[1] == half && !f.remote[0]);
	CHECK(f.has_better && f.better.color == XETILE_COLOR_REPLICATE && !f.better_remote);
	access.write = true;
	CHECK(!xetile_plan_explain(&desc, &f), "%s", xetile_last_error());
	CHECK(!f.has_better && f.total_remote == half);
	return true;
}

/* Colors for work that some tiles have less of, or none */
static bool check_uneven(void)
{
	struct xetile_explain_desc other = desc;
	struct xetile_forecast f;

	/* Five groups of a page each on four tiles: 2, 2, 1, 0; the default is 2, 1, 1, 1 */
	reset();
	other.tile_mask = 15;
	launch = (struct xetile_launch_desc) { .groups = { 5 }, .local = { 1 } };
	mem.size = 5 * PAGE;
	access.bytes = PAGE;
	CHECK(!xetile_plan_explain(&other, &f), "%s", xetile_last_error());
	CHECK(f.total_remote == 2 * PAGE && f.remote[1] == PAGE && f.remote[2] == PAGE);
	CHECK(f.has_better && f.better.color == XETILE_COLOR_FOLLOW && !f.better_remote);
	/* A single group, on the first tile of the mask */
	other.tile_mask = 6;
	launch.groups[0] = 1;
	access.bytes = 5 * PAGE;
	CHECK(!xetile_plan_explain(&other, &f), "%s", xetile_last_error());
	CHECK(f.local[1] == 3 * PAGE && f.remote[1] == 2 * PAGE);
	CHECK(f.has_better && f.better.color == XETILE_COLOR_TILE && f.better.tile == 1);
	return true;
}

/* Pages that no rule meets are a map, which can be parsed, and freed. */
static bool check_map(void)
{
	static const unsigned int order[8] = { 0, 1, 1, 0, 1, 0, 0, 1 };
	static uint64_t index[8 * 64];
	struct xetile_forecast f;
	unsigned int i;

	reset();
	launch = (struct xetile_launch_desc) { .groups = { 8 }, .local = { 64 } };
	mem.size = 8 * PAGE;
	for (i = 0; i < 512; i++) {
		unsigned int page = 0, n = i / 64 % 4 + 1;

		/* The n-th page of the tile that runs the group */
		for (page = 0; order[page] != i / 256 || --n; page++)
			;
		index[i] = page * (PAGE / 4) + i % 64;
	}
	access = (struct xetile_access) { .pattern = XETILE_PATTERN_GATHER, .bytes = 4,
					  .index = index, .num_index = 512 };
	CHECK(!xetile_plan_explain(&desc, &f), "%s", xetile_last_error());
	CHECK(f.has_better && f.better.color == XETILE_COLOR_MAP && !f.better_remote);
	CHECK(f.better.num_runs == 6 && f.better.runs[0].tile == 0 && f.better.runs[0].pages == 1);
	CHECK(f.better.runs[1].tile == 1 && f.better.runs[1].pages == 2);
	xetile_color_free(&f.better);
	CHECK(!f.better.runs);
	return true;
}

/* Billions of items, and rows that are longer than pages, take no time. */
static bool check_large(void)
{
	struct xetile_forecast f;

	reset();
	launch = (struct xetile_launch_desc) { .groups = { 1 << 20, 1 << 12 },
					       .local = { 32, 32 } };
	mem.size = 1ull << 40;
	access = (struct xetile_access) { .pattern = XETILE_PATTERN_ROWS, .bytes = 8,
					  .pitch = { 0, 1 << 22 } };
	CHECK(!xetile_plan_explain(&desc, &f), "%s", xetile_last_error());
	CHECK(f.total == 1ull << (25 + 17 + 3));
	reset();
	launch.groups[0] = 1 << 8;
	launch.local[0] = 1;
	access = (struct xetile_access) { .pattern = XETILE_PATTERN_ROWS, .bytes = 1 << 22,
					  .pitch = { 1 << 22 } };
	CHECK(!xetile_plan_explain(&desc, &f), "%s", xetile_last_error());
	CHECK(f.total == 1 << 30 && !f.total_remote);
	return true;
}

#define REFUSED(err, word)						\
	do {								\
		f = kept;						\
		CHECK(xetile_plan_explain(&desc, &f) == -(err));	\
		CHECK_TEXT(word);					\
		CHECK(!memcmp(&f, &kept, sizeof(f)), "changed");	\
		reset();						\
	} while (0)

static bool check_refused(void)
{
	static const struct xetile_run short_map[] = { { 0, 5 } };
	static const uint64_t index[1] = { 1ull << 62 }, behind = 1 << 28;
	struct xetile_explain_desc other = desc;
	struct xetile_forecast f, kept;

	memset(&kept, 0x5a, sizeof(kept));
	reset();
	launch.groups[0] = 0;
	REFUSED(EINVAL, "work-group");
	launch.local[0] = 0;
	REFUSED(EINVAL, "work-item");
	launch.rule = 9;
	REFUSED(EINVAL, "unknown partition rule 9");
	launch.follow.mem = (struct xetile_mem *)&launch;
	REFUSED(EINVAL, "follows a buffer");
	mem.size = 0;
	REFUSED(EINVAL, "no forecast for a buffer of 0 bytes");
	mem.size = (1ull << 40) + 1;
	REFUSED(EINVAL, "no forecast for a buffer");
	mem.size = 1ull << 40;
	CHECK(!xetile_plan_explain(&desc, &f));
	reset();
	mem.color = 77;
	REFUSED(EINVAL, "unknown color 77");
	mem.color = XETILE_COLOR_MAP;
	REFUSED(EINVAL, "color map does not fit");
	mem.color = XETILE_COLOR_MAP;
	mem.num_runs = 1;
	REFUSED(EINVAL, "color map needs runs");
	mem.color = XETILE_COLOR_MAP;
	mem.num_runs = 1;
	mem.runs = short_map;
	REFUSED(EINVAL, "color map does not fit");
	mem.color = XETILE_COLOR_TILE;
	mem.tile = 4;
	REFUSED(EINVAL, "color tile does not fit");
	mem.granule = PAGE;
	REFUSED(EINVAL, "granule 65536 does not fit color even");
	mem.flags = XETILE_MEM_SYSTEM;
	REFUSED(EINVAL, "not known");
	mem.color = XETILE_COLOR_REPLICATE;
	access.write = true;
	REFUSED(EINVAL, "replicate");
	access.bytes = 0;
	REFUSED(EINVAL, "a byte");
	access.pattern = 4;
	REFUSED(EINVAL, "unknown pattern 4");
	access.edge = 3;
	REFUSED(EINVAL, "unknown edge 3");
	access.halo[1] = 1;
	REFUSED(EINVAL, "only a stencil");
	access.pitch[2] = 1;
	REFUSED(EINVAL, "only rows");
	access.index = index;
	REFUSED(EINVAL, "only a gather");
	access.pattern = XETILE_PATTERN_GATHER;
	REFUSED(EINVAL, "needs an index");
	access.pattern = XETILE_PATTERN_GATHER;
	access.index = index;
	access.num_index = 1;
	REFUSED(EINVAL, "268435456 work-items have an index of 1");
	access.pattern = XETILE_PATTERN_GATHER;
	access.index = index;
	access.num_index = 1;
	access.items[0] = 1;
	REFUSED(ERANGE, "element 4611686018427387904 of work-item 0");
	/* The element behind the last one */
	access.pattern = XETILE_PATTERN_GATHER;
	access.index = &behind;
	access.num_index = 1;
	access.items[0] = 1;
	REFUSED(ERANGE, "element 268435456 of work-item 0");
	access.items[1] = 2;
	REFUSED(EINVAL, "2 items access in y, but the launch has 1");
	access.pattern = XETILE_PATTERN_STENCIL;
	access.halo[2] = XETILE_MAX_HALO + 1;
	REFUSED(EINVAL, "a halo of 1025");
	access.offset = 1;
	REFUSED(ERANGE, "does not end within 1073741824 bytes");
	access.offset = UINT64_MAX;
	REFUSED(ERANGE, "does not end within");
	access.pattern = XETILE_PATTERN_ROWS;
	access.pitch[0] = UINT64_MAX / 2;
	REFUSED(ERANGE, "does not end within");
	launch.groups[1] = launch.groups[2] = UINT32_MAX;
	REFUSED(ERANGE, "too many work-items");
	access.pattern = XETILE_PATTERN_ROWS;
	launch.groups[1] = 1u << 31;
	launch.groups[2] = 1 << 2;
	REFUSED(ERANGE, "63 bits");
	/* 2^30 elements of 2^16 pages, each a byte behind the one before: that would take weeks. */
	launch = (struct xetile_launch_desc) { .groups = { 1 << 15, 1 << 15 }, .local = { 1 } };
	mem.size = 5ull << 30;
	access = (struct xetile_access) { .pattern = XETILE_PATTERN_ROWS, .bytes = UINT32_MAX,
					  .pitch = { 1, 1 } };
	REFUSED(ERANGE, "too many borders");
	other.tile_mask = 0;
	CHECK(xetile_plan_explain(&other, &f) == -EINVAL);
	CHECK_TEXT("tile mask 0x0");
	other.tile_mask = 16;
	CHECK(xetile_plan_explain(&other, &f) == -EINVAL);
	CHECK_TEXT("tile mask 0x10");
	other = desc;
	other.num_accesses = 0;
	CHECK(xetile_plan_explain(&other, &f) == -EINVAL);
	CHECK_TEXT("needs an access");
	return true;
}

static bool check_runs_refused(void)
{
	static const struct xetile_run list[] = { { 0, 3 }, { 1, 5 } };
	struct xetile_mem_desc m = { .size = 7 * PAGE + 1 };
	struct xetile_run runs[2] = { { 77, 77 }, { 77, 77 } };

#define RUNS_REFUSED(mask, text) do { \
		CHECK(xetile_color_runs(&m, mask, runs, 2) == -EINVAL); \
		CHECK_TEXT(text); \
		CHECK(runs[0].tile == 77); \
	} while (0)
	RUNS_REFUSED(0, "tile mask 0x0");
	RUNS_REFUSED(16, "tile mask 0x10");
	m.size = 0;
	RUNS_REFUSED(3, "a buffer of 0 bytes has no color");
	m.size = (1ull << 40) + 1;
	RUNS_REFUSED(3, "a buffer of 1099511627777 bytes has no color");
	m.size = 6 * PAGE + 1;
	m.color = XETILE_COLOR_MAP;
	m.runs = list;
	m.num_runs = 2;
	RUNS_REFUSED(3, "color map does not fit the buffer and its tiles: it has 8 pages of 64 KiB, the buffer 7");
	m.color = XETILE_COLOR_WEIGHTED;
	RUNS_REFUSED(7, "color weighted does not fit the buffer and its tiles: it has 2 weights, for 3 tiles");
	m = (struct xetile_mem_desc) { .size = PAGE, .color = XETILE_COLOR_TILE,
				       .flags = XETILE_MEM_LEAST_OCCUPIED };
	RUNS_REFUSED(3, "not known before it is there");
	/* The most runs that there can be */
	m = (struct xetile_mem_desc) { .size = 1ull << 40, .color = XETILE_COLOR_CHUNK };
	CHECK(xetile_color_runs(&m, 3, runs, 2) == 1 << 24);
	CHECK(runs[1].tile == 1 && runs[1].pages == 1);
	return true;
}

int main(void)
{
	test_run("W18: forecasts are the count of each access", check_questions());
	test_run("W18: streams, neighborhoods, columns, copies", check_known());
	test_run("W18: colors for work that is not even", check_uneven());
	test_run("W18: a map for what no rule meets", check_map());
	test_run("W18: billions of work-items", check_large());
	test_run("W18: what makes no sense is refused", check_refused());
	test_run("colors without a card that make no sense are refused", check_runs_refused());
	return test_end();
}
