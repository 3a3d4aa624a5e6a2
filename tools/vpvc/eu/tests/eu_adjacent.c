// SPDX-License-Identifier: MIT
/*
 * Loads and stores whose lanes access adjacent elements, or almost: every set of handlers, and
 * the general path, must do what a loop over the lanes does in plain C. Pages that are neighbours
 * are not neighbours in the host's memory; bytes of another colour lie between them, so that an
 * access that goes too far is seen.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "eu/fast/eu_fast.h"
#include "eu/msg/eu_memory.h"
#include "eu/state/eu_worker.h"
#include "eu/tests/machine.h"
#include "tests/test.h"

#define R(n)	((n) * EU_REG_BYTES)
#define ADDRESS	8u		/* registers of a message */
#define DATA	40u
#define PAGE	4096u
#define SLM	4096u
#define SLM_MARK 0x10000000u	/* the hardware ignores it */

/* The kinds of pages, from FIRST on */
enum page { LEFT, RIGHT, NO_MEMORY, LAST, ABSENT, READ_ONLY, END, FAR, PAGES };

/* LEFT and RIGHT are on both sides of 4 GiB. FAR has RIGHT's address without its upper half. */
#define FAR_BY	(1ull << 32)
#define FIRST	(FAR_BY - PAGE)

enum kind { FLAT, ARGUMENTS, LOCAL, KINDS };
static const char * const kinds[] = { "flat", "arguments", "local" };

/* What the worker has translated before; pages FAR_BY apart have the same place in its table. */
enum warm { COLD, READ, READ_AND_WRITTEN, ONLY_FAR, WARMS };

struct form {
	bool store;
	unsigned int bytes, lanes, vector;
	enum kind kind;
};

/* One message: the address of each lane in the kind's own space, and the lanes that are on */
struct shot {
	uint64_t at[EU_MAX_LANES];
	uint32_t em;
};

/* Memory, of which every second page is a guard, and what else a message changes */
struct state {
	uint8_t page[PAGES][2][PAGE];
	uint8_t slm[2 * SLM];
	uint8_t regs[EU_GRF_BYTES];
	uint64_t read[EU_PLACES], written[EU_PLACES], arguments;
	bool fault, write;
	uint64_t va;
};

static struct state start, want, got;
static struct bench b;
static struct eu_op *op;

/* Returns the page that has @va, or PAGES. */
static enum page page_of(uint64_t va)
{
	uint64_t n = (va - FIRST) / PAGE;

	if (va - (FIRST + RIGHT * PAGE - FAR_BY) < PAGE)
		return FAR;
	return n < END && n != ABSENT ? n : PAGES;
}

static enum eu_place place_of(enum page page)
{
	return page % EU_PLACES;
}

static int translate(void *ctx, uint64_t va, bool write, struct eu_span *span)
{
	enum page page = page_of(va);
	struct machine *m = ctx;

	span->va = va & ~(uint64_t)(PAGE - 1);
	span->size = PAGE;
	if (va - MACHINE_BASE < MACHINE_SIZE) {
		/* the code */
		span->host = m->memory + (span->va - MACHINE_BASE);
		return 0;
	}
	if (page == PAGES || (write && page == READ_ONLY))
		return -EFAULT;
	span->host = page == NO_MEMORY ? NULL : got.page[page][0];
	span->place = place_of(page);
	span->writable = page != READ_ONLY;
	return 0;
}

/* Addresses of 32 bits are each relative to a base. */
static uint64_t va_of(const struct form *f, uint64_t at)
{
	return f->kind == ARGUMENTS ? b.m.walker.gsba + (uint32_t)at : at;
}

/* ---- the same in C ---- */

/* One byte after the other; returns false at one that faults. */
static bool element(const struct form *f, uint64_t va, uint8_t *reg)
{
	uint8_t loaded[8] = { 0 };

	for (unsigned int i = 0; i < f->bytes; i++, va++) {
		enum page page = page_of(va);
		uint8_t *p = &want.page[page % PAGES][0][va % PAGE];

		if (page == PAGES || (f->store && page == READ_ONLY)) {
			want.fault = true;
			want.write = f->store;
			want.va = va;
			return false;
		}
		if (page == NO_MEMORY)
			continue;
		if (f->store)
			*p = reg[i];
		else
			loaded[i] = *p;
		if (f->store)
			want.written[place_of(page)]++;
		else if (f->kind == ARGUMENTS)
			want.arguments++;
		else
			want.read[place_of(page)]++;
	}
	if (!f->store)
		memcpy(reg, loaded, f->bytes);
	return true;
}

static void local_element(const struct form *f, uint32_t at, uint8_t *reg)
{
	at &= SLM_MARK - 1;
	if (at + f->bytes > SLM) {
		if (!f->store)
			memset(reg, 0, f->bytes);
	} else if (f->store) {
		memcpy(want.slm + at, reg, f->bytes);
	} else {
		memcpy(reg, want.slm + at, f->bytes);
	}
}

static void in_c(const struct form *f, const struct shot *s)
{
	unsigned int stride = (f->lanes * f->bytes + 63) & ~63u;

	for (unsigned int l = 0; l < f->lanes; l++)
		for (unsigned int c = 0; c < f->vector && s->em >> l & 1; c++) {
			uint8_t *reg = want.regs + R(DATA) + c * stride + l * f->bytes;
			uint64_t va = va_of(f, s->at[l]) + c * f->bytes;

			if (f->kind == LOCAL)
				local_element(f, (uint32_t)va, reg);
			else if (!element(f, va, reg))
				return;
		}
}

/* ---- messages ---- */

static void put(uint64_t w[2], unsigned int hi, unsigned int lo, uint64_t v)
{
	w[lo / 64] |= (v & ((1ull << (hi - lo + 1)) - 1)) << lo % 64;
}

static unsigned int address_bytes(const struct form *f)
{
	return f->kind == FLAT ? 8 : 4;
}

static void decode(const struct form *f)
{
	uint32_t desc = (f->store ? 4 : 0) | (f->kind == FLAT ? 3u : 2u) << 7 |
			(f->bytes == 4 ? 2u : 3u) << 9 | (f->vector - 1) << 12 |
			(f->kind == ARGUMENTS ? 3u << 29 : 0);
	uint64_t w[2] = { 0 };

	put(w, 6, 0, 0x31);
	put(w, 20, 18, (unsigned int)__builtin_ctz(f->lanes));
	put(w, 95, 92, f->kind == LOCAL ? 14 : 15);
	put(w, 66, 66, 1);
	put(w, 79, 72, ADDRESS);
	if (f->store) {
		put(w, 98, 98, 1);
		put(w, 111, 104, DATA);
		put(w, 103, 99, 4);
	} else {
		put(w, 50, 50, 1);
		put(w, 63, 56, DATA);
	}
	put(w, 123, 122, desc >> 30);
	put(w, 71, 67, desc >> 25);
	put(w, 55, 51, desc >> 20);
	put(w, 121, 113, desc >> 11);
	put(w, 91, 81, desc);
	if (f->kind == ARGUMENTS) {
		put(w, 127, 124, 15);	/* surface 255 */
		put(w, 97, 96, 3);
		put(w, 65, 64, 3);
	}
	op = bench_decode(&b, w);
}

/* Loads of other threads, or of earlier instructions, have filled the table of translations. */
static void warm_up(const struct form *f, const struct shot *s, enum warm warm)
{
	eu_tlb_begin(b.w);
	if (warm == ONLY_FAR)
		eu_tlb_fill(b.w, FIRST + RIGHT * PAGE - FAR_BY, true);
	for (unsigned int l = 0; l < f->lanes && f->kind != LOCAL; l++) {
		uint64_t va = va_of(f, s->at[l]);

		if (warm == READ || (warm == READ_AND_WRITTEN && page_of(va) == READ_ONLY))
			eu_tlb_fill(b.w, va, false);
		else if (warm == READ_AND_WRITTEN)
			eu_tlb_fill(b.w, va, true);
	}
	memset(&b.w->failure, 0, sizeof(b.w->failure));
	memset(&b.w->counters, 0, sizeof(b.w->counters));
	memset(&b.run.stop, 0, sizeof(b.run.stop));
}

static const char *difference(void)
{
	const struct eu_counters *c = &b.w->counters;

	if ((b.a->status == EU_T_STOPPED) != want.fault)
		return want.fault ? "no fault" : "a fault";
	if (want.fault && (b.run.stop.reason != EU_FAULT || b.run.stop.va != want.va ||
			   b.run.stop.write != want.write))
		return "another fault";
	if (memcmp(b.a->regs, want.regs, EU_GRF_BYTES))
		return "other registers";
	if (memcmp(got.page, want.page, sizeof(want.page)))
		return "other memory";
	if (memcmp(got.slm, want.slm, sizeof(want.slm)))
		return "other local memory";
	if (memcmp(c->read, want.read, sizeof(want.read)) || c->arguments != want.arguments ||
	    memcmp(c->written, want.written, sizeof(want.written)))
		return "other counters";
	return NULL;
}

/* Returns whether the handler @exec, of the set @name, does as C. */
static bool same(const struct form *f, const struct shot *s, eu_exec *exec, const char *name,
		 enum warm warm, const char *what)
{
	const char *wrong;

	got = start;
	memcpy(b.a->regs, start.regs, EU_GRF_BYTES);
	warm_up(f, s, warm);
	b.a->em = s->em;
	b.a->status = EU_T_READY;
	atomic_store(&b.run.stopped, false);
	exec(b.a, op);
	wrong = difference();
	if (!wrong)
		return true;
	test_fail(__FILE__, __LINE__,
		  "%s: %s %s of %u x %u bytes, vector %u, %s, mask %#x, table %u: %s",
		  name, kinds[f->kind], f->store ? "store" : "load", f->lanes, f->bytes,
		  f->vector, what, s->em, warm, wrong);
	return false;
}

/* Fires the message by each set of handlers. Returns false at the first difference. */
static bool fire(const struct form *f, struct shot *s, const char *what)
{
	for (unsigned int l = 0; l < f->lanes; l++)
		memcpy(start.regs + R(ADDRESS) + l * address_bytes(f), &s->at[l],
		       address_bytes(f));
	want = start;
	in_c(f, s);
	for (enum warm warm = COLD; warm < WARMS; warm++) {
		if (!same(f, s, op->general, "general", warm, what))
			return false;
		for (unsigned int i = 0; i < eu_fast_levels; i++) {
			const struct eu_fast_level *level = &eu_fast_level[i];
			eu_exec *exec;

			if (!level->supported())
				continue;
			exec = eu_fast_select_from(level->table, b.w, op);
			if (!exec) {
				test_fail(__FILE__, __LINE__, "%s has no handler", level->name);
				return false;
			}
			if (!same(f, s, exec, level->name, warm, what))
				return false;
		}
	}
	return true;
}

/* ---- addresses ---- */

/* The address of a byte of the range, in the kind's own space */
static uint64_t place(const struct form *f, unsigned int page, unsigned int offset)
{
	if (f->kind == LOCAL)
		return SLM_MARK + offset;
	return (f->kind == FLAT ? FIRST : FIRST - b.m.walker.gsba) + page * PAGE + offset;
}

static void line_up(struct shot *s, uint64_t first, int64_t pitch)
{
	s->em = UINT32_MAX;
	for (unsigned int l = 0; l < EU_MAX_LANES; l++)
		s->at[l] = first + (uint64_t)(l * pitch);
}

/* The run lies in a page, ends with it, or goes on in the next one, which may not be there. */
static bool runs(const struct form *f)
{
	unsigned int size = f->bytes * f->vector, all = f->lanes * size;
	const unsigned int offsets[] = {
		0, 4, 8, 60, 64, PAGE - all - size, PAGE - all, PAGE - all + size,
		PAGE - all / 2, PAGE - size, PAGE - all + 4,
	};
	struct shot s;

	for (unsigned int page = LEFT; page < END; page++)
		for (unsigned int i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
			line_up(&s, place(f, page, offsets[i]), size);
			if (!fire(f, &s, "side by side"))
				return false;
		}
	return true;
}

static bool masks(const struct form *f)
{
	unsigned int size = f->bytes * f->vector;
	struct shot s;

	line_up(&s, place(f, RIGHT, 128), size);
	for (unsigned int l = 0; l < f->lanes; l++) {
		s.em = ~(1u << l);
		if (!fire(f, &s, "one lane off"))
			return false;
		s.em = 1u << l;
		if (!fire(f, &s, "one lane on"))
			return false;
	}
	/* Lanes that the message does not have */
	s.em = f->lanes == 16 ? 0xffff : 0;
	if (!fire(f, &s, "other lanes off"))
		return false;
	s.em = f->lanes == 16 ? 0xffff0000 : 0;
	return fire(f, &s, "no lane");
}

/*
 * The lanes that are on are side by side, also those of a vector that overlaps the next one.
 * Where the others would be, there may be no memory, and their addresses may be anything.
 */
static bool some(const struct form *f)
{
	static const uint32_t masks[] = {
		0x1, 0x3, 0xff, 0xfffe, 0x8000, 0x5555, 0xf0f0, 0xffff0000, 0xaaaaaaaa, 0x7fffffff,
	};
	const uint64_t all = f->lanes * f->bytes, few = 5 * f->bytes, firsts[] = {
		place(f, RIGHT, 128), place(f, RIGHT, PAGE - all), place(f, RIGHT, PAGE - few),
		place(f, RIGHT, 0) - few, place(f, LAST, PAGE - few), place(f, END, 0) - all,
	};
	struct shot s;

	if (f->vector == 2 || (f->store && f->vector > 1))
		return true;
	for (unsigned int i = 0; i < sizeof(firsts) / sizeof(firsts[0]) * 2; i++)
		for (unsigned int k = 0; k < sizeof(masks) / sizeof(masks[0]); k++) {
			line_up(&s, firsts[i / 2], f->bytes);
			s.em = masks[k];
			for (unsigned int l = 0; l < f->lanes && i % 2; l++)
				if (!(s.em >> l & 1))
					s.at[l] ^= 0x5a5a5a5a5a5a;
			if (!fire(f, &s, "some lanes"))
				return false;
		}
	return true;
}

/* All lanes but one are side by side. */
static bool strays(const struct form *f)
{
	unsigned int size = f->bytes * f->vector;
	struct shot s;

	for (unsigned int l = 0; l < f->lanes; l++) {
		const uint64_t first = place(f, RIGHT, 128), there[] = {
			place(f, RIGHT, 1024), place(f, RIGHT, 64), place(f, LAST, 8),
			place(f, ABSENT, 8), place(f, RIGHT, 128) + f->lanes * size,
		};
		uint64_t here;

		for (unsigned int i = 0; i < sizeof(there) / sizeof(there[0]); i++) {
			line_up(&s, first, size);
			s.at[l] = there[i];
			if (!fire(f, &s, "one lane elsewhere"))
				return false;
		}
		line_up(&s, first, size);
		here = s.at[l];
		s.at[l] = s.at[l ^ 1];
		s.at[l ^ 1] = here;
		if (!fire(f, &s, "two lanes swapped"))
			return false;
		if (f->kind != FLAT)
			continue;
		line_up(&s, first, size);
		s.at[l] -= FAR_BY;
		if (!fire(f, &s, "one lane 4 GiB away"))
			return false;
	}
	return true;
}

/* Lanes at the same distance from each other. Stores must not overlap: no order is defined. */
static bool pitches(const struct form *f)
{
	static const int pitch[] = { 0, 4, 8, 12, 16, 24, 32, 64, -4, -8, -16 };
	int size = (int)(f->bytes * f->vector);
	struct shot s;

	for (unsigned int i = 0; i < sizeof(pitch) / sizeof(pitch[0]); i++) {
		if (f->store && abs(pitch[i]) < size)
			continue;
		line_up(&s, place(f, RIGHT, 2048), pitch[i]);
		if (!fire(f, &s, "at a distance"))
			return false;
	}
	return true;
}

static void colour(uint8_t *p, size_t size, uint64_t *seed)
{
	for (size_t i = 0; i < size; i += 8) {
		uint64_t v = test_random(seed);

		memcpy(p + i, &v, sizeof(v));
	}
}

static struct eu_group group = { .slm = got.slm };

static bool set_up(void)
{
	uint64_t seed = 7;

	memset(&start, 0, sizeof(start));
	colour(&start.page[0][0][0], sizeof(start.page), &seed);
	colour(start.slm, sizeof(start.slm), &seed);
	colour(start.regs, sizeof(start.regs), &seed);
	if (!bench_init(&b))
		return false;
	b.m.view.ctx = &b.m;
	b.m.view.translate = translate;
	b.m.walker.slm_size = SLM;
	b.m.walker.gsba = FIRST - 0x10000;
	b.a->group = &group;
	b.a->worker = b.w;
	b.a->limit = UINT64_MAX;
	return true;
}

/* Fires messages of all forms, also with @vectors. */
static void all_forms(bool (*fire_all)(const struct form *f), unsigned int vectors)
{
	struct form f = { 0 };

	for (unsigned int n = 0; n < 8 * KINDS * vectors; n++) {
		f.store = n & 1;
		f.bytes = n & 2 ? 8 : 4;
		f.lanes = n & 4 ? 32 : 16;
		f.kind = n / 8 % KINDS;
		f.vector = 1 + n / 8 / KINDS;
		decode(&f);
		if (!fire_all(&f))
			break;
	}
}

TEST(eu_adjacent_elements_across_pages)
{
	REQUIRE(set_up());
	all_forms(runs, 2);
	/* Offsets into RIGHT that are addresses of FAR */
	b.m.walker.gsba = FIRST + RIGHT * PAGE;
	all_forms(runs, 1);
	bench_fini(&b);
}

TEST(eu_adjacent_elements_of_some_lanes)
{
	REQUIRE(set_up());
	all_forms(masks, 1);
	all_forms(some, 3);
	bench_fini(&b);
}

TEST(eu_almost_adjacent_elements)
{
	REQUIRE(set_up());
	all_forms(strays, 1);
	all_forms(pitches, 3);
	bench_fini(&b);
}

/* Addresses of 32 bits begin again at the base, although memory goes on behind 4 GiB. */
static bool wraps(const struct form *f)
{
	struct shot s;

	if (f->kind != ARGUMENTS)
		return true;
	for (unsigned int l = 1; l < f->lanes; l++) {
		line_up(&s, (uint32_t)(0 - l * f->bytes), f->bytes);
		if (!fire(f, &s, "around 4 GiB"))
			return false;
	}
	return true;
}

TEST(eu_adjacent_elements_around_4_gib)
{
	REQUIRE(set_up());
	/* As if a page were larger, since a base is a multiple of 4 KiB */
	b.m.walker.gsba = FIRST + RIGHT * PAGE + 2048 - FAR_BY;
	all_forms(wraps, 1);
	bench_fini(&b);
}
