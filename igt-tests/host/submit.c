// SPDX-License-Identifier: MIT
/*
 * The submission of contexts by several CPUs. Any CPU makes a context, adds and removes jobs,
 * rewinds the context and loads it. When an engine gets a context, the card must see all writes
 * to the context, and must find every job in the context's ring.
 */
#include <stdbool.h>
#include <string.h>

#define CONTEXT_SIZE	0x20000u
#define KBOS		64u

static unsigned char (*memory)[CONTEXT_SIZE];
static bool in_use[KBOS], in_system[KBOS];

static bool is_cached(const void *at);

#define WC_IS_CACHED(at)	is_cached(at)

#include "check.h"
#include "wc.h"

#include "instructions/pvc_mi_commands.h"
#include "regs/pvc_engine_regs.h"
#include "regs/pvc_lrc_regs.h"
#include "card/xetile_bisect.h"
#include "card/xetile_irq.h"
#include "exec/xetile_execlist.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_ring.h"
#include "mem/xetile_kbo.h"

#define CONTEXTS	6u
#define ENGINES		2u
#define MAX_JOBS	12u
#define STEPS		20000u
#define BATCH		0x123400000000ull	/* of the first job, others 64 KiB apart */

int host_may_alloc(void)
{
	return 1;
}

/* --- memory --------------------------------------------------------------------- */

struct xetile_kbo {
	struct iosys_map map;
	unsigned int number;
	size_t size;
};

static unsigned char hwsps[ENGINES][XETILE_HWSP_SIZE];

static bool is_cached(const void *at)
{
	const unsigned char *byte = at;

	if (byte >= hwsps[0] && byte < hwsps[0] + sizeof(hwsps))
		return true;
	return in_system[(byte - memory[0]) / CONTEXT_SIZE];
}

struct xetile_kbo *xetile_kbo_create(struct xetile_tile *tile, u64 size, u32 flags,
				     struct xetile_account *account)
{
	struct xetile_kbo *kbo = calloc(1, sizeof(*kbo));

	if (!kbo || size > CONTEXT_SIZE)
		abort();
	/* The first free block is taken, so that a new context reuses memory of an old one. */
	while (in_use[kbo->number])
		kbo->number++;
	in_use[kbo->number] = true;
	kbo->size = size;
	kbo->map.vaddr = memory[kbo->number];
	in_system[kbo->number] = flags & XETILE_KBO_SYSTEM;
	memset(memory[kbo->number], 0xa5, CONTEXT_SIZE);
	memset_io(kbo->map.vaddr, 0, size);
	return kbo;
}

void xetile_kbo_destroy(struct xetile_kbo *kbo)
{
	CHECK(!wc_pending(kbo->map.vaddr, kbo->size), "freed memory has pending writes");
	in_use[kbo->number] = false;
	free(kbo);
}

struct iosys_map *xetile_kbo_map(struct xetile_kbo *kbo)
{
	return &kbo->map;
}

u64 xetile_kbo_ggtt(const struct xetile_kbo *kbo)
{
	return (kbo->number + 1) * CONTEXT_SIZE;
}

/* Nothing is out of the way. */
struct xetile_bisect xetile_bisect;

u64 xetile_vm_pdp0(struct xetile_vm *vm, struct xetile_tile *tile)
{
	return 0x1234000;
}

u32 xetile_vm_asid(struct xetile_vm *vm)
{
	return 1;
}

u64 xetile_kbo_dpa(const struct xetile_kbo *kbo)
{
	return xetile_kbo_ggtt(kbo);
}

u64 xetile_pt_top_entry(const struct xetile_tile *tile)
{
	return 0;
}

u64 xetile_pde_encode(u64 table, bool compact)
{
	return table;
}

/* A register that the driver does not write has a value of its own in the default image. */
#define DEFAULT_INDEX	600u
#define DEFAULT_VALUE	0xdefau

const void *xetile_tile_default(const struct xetile_tile *tile, enum xetile_engine_class class)
{
	static u32 state[CONTEXT_SIZE / 4];

	state[DEFAULT_INDEX + 1] = DEFAULT_VALUE;
	return state;
}

/* --- the card ---------------------------------------------------------------------- */

/* A context, and its jobs that were not loaded yet */
struct context {
	struct xetile_lrc *lrc;
	struct card_engine *on;
	bool taken;			/* ... and its engine has told so */
	u32 seqno;
	u64 batches[MAX_JOBS];		/* 0: skipped */
	u32 calls[MAX_JOBS];
	unsigned int num;
	/* Which engine read the context last, and its tail then */
	struct card_engine *reader;
	u32 read_tail;
	bool lost;
};

static struct card_engine {
	struct xetile_engine engine;
	u32 regs[0x1000 / 4];
	unsigned int events;
	struct context *pending, *active;
} engines[ENGINES];

static struct context contexts[CONTEXTS];
static unsigned long jobs_found, skips, rewinds, loads, moves, made;

static struct card_engine *to_card(struct xetile_engine *engine)
{
	return (struct card_engine *)engine;
}

u32 xetile_engine_read(struct xetile_engine *engine, u32 reg)
{
	return to_card(engine)->regs[(reg - engine->base) / 4];
}

bool xetile_engine_failed(struct xetile_engine *engine)
{
	return false;
}

u32 xetile_engine_swctrl(const struct xetile_engine *engine)
{
	return 0;
}

static u32 ring_at(const struct context *c, u32 offset)
{
	u32 dword;

	memcpy(&dword, (char *)c->lrc->bo->map.vaddr + offset % XETILE_RING_SIZE, sizeof(dword));
	return dword;
}

static u32 state_at(const struct context *c, u32 index)
{
	u32 dword;

	memcpy(&dword, (char *)c->lrc->bo->map.vaddr + XETILE_RING_SIZE + PVC_LRC_STATE_OFFSET +
	       (index + 1) * 4, sizeof(dword));
	return dword;
}

/*
 * An engine that has the context's state takes the tail alone, unless it is told to restore all. It
 * takes a tail that is not ahead of the last one for no work.
 */
static bool must_restore(const struct card_engine *e, const struct context *c)
{
	u32 ahead = (c->lrc->tail - c->read_tail) % XETILE_RING_SIZE;

	return c->lost || c->reader != e || !ahead || ahead >= XETILE_RING_SIZE / 2;
}

/* The driver loads a context, and the card reads it. */
static void card_load(struct card_engine *e, struct context *c, u64 desc)
{
	CHECK(desc & PVC_CTX_FORCE_RESTORE || !must_restore(e, c), "the engine goes on elsewhere");
	c->reader = e;
	c->read_tail = c->lrc->tail;
	c->lost = false;
	CHECK(!wc_pending(c->lrc->bo->map.vaddr, c->lrc->bo->size), "a pending write at the load");
	CHECK(state_at(c, PVC_LRC_RING_TAIL) == c->lrc->tail, "another tail");
	CHECK(state_at(c, PVC_LRC_RING_START) == xetile_kbo_ggtt(c->lrc->bo), "another ring");
	CHECK(state_at(c, DEFAULT_INDEX) == DEFAULT_VALUE, "not made of the default image");
	for (unsigned int i = 0; i < c->num; i++) {
		u32 at = c->calls[i];

		CHECK(c->batches[i] ? ring_at(c, at) == (PVC_MI_BATCH_BUFFER_START |
							 PVC_MI_BATCH_BUFFER_START_PPGTT) :
				      ring_at(c, at) == PVC_MI_NOOP, "no job at 0x%x", at);
		CHECK((ring_at(c, at + 4) | (u64)ring_at(c, at + 8) << 32) == c->batches[i],
		      "another job at 0x%x", at);
		jobs_found++;
	}
	c->num = 0;
	e->pending = c;
	loads++;
}

void xetile_engine_write(struct xetile_engine *engine, u32 reg, u32 val)
{
	struct card_engine *e = to_card(engine);
	u32 offset = reg - engine->base;
	u64 desc;

	e->regs[offset / 4] = val;
	if (offset != PVC_EXECLIST_CONTROL(0) || !(val & PVC_EXECLIST_CONTROL_LOAD))
		return;
	desc = e->regs[PVC_EXECLIST_SQ_CONTENTS(0, 0) / 4] |
	       (u64)e->regs[PVC_EXECLIST_SQ_CONTENTS_UDW(0, 0) / 4] << 32;
	for (unsigned int i = 0; i < CONTEXTS; i++)
		if (contexts[i].lrc->sw_id == (desc & PVC_CTX_SW_ID_MASK) >> PVC_CTX_SW_ID_SHIFT)
			card_load(e, &contexts[i], desc);
}

static void tell(struct card_engine *e, u64 event)
{
	unsigned int at = e->events++ % 12;
	u32 pointer = at;

	memcpy(hwsps[e - engines] + PVC_HWSP_CSB + 8 * at, &event, sizeof(event));
	memcpy(hwsps[e - engines] + PVC_HWSP_CSB_WRITE_PTR, &pointer, sizeof(pointer));
	/* Some interrupts also report an error, although no register shows an error any more. */
	xetile_execlist_events(e->engine.execlist,
			       XETILE_IRQ_CTX_SWITCH | (random() % 4 ? 0 : XETILE_IRQ_CS_ERROR));
}

static u64 sw_id(const struct context *c)
{
	return c ? c->lrc->sw_id : PVC_CTX_SW_ID_NONE;
}

/* The engine runs the contexts that it was given until no work is left. */
static void card_run(struct card_engine *e)
{
	while (e->pending) {
		struct context *old = e->active;

		e->active = e->pending;
		e->pending = NULL;
		tell(e, PVC_CSB_NEW_QUEUE | sw_id(e->active) << PVC_CSB_TO_ID_SHIFT |
		     sw_id(old) << PVC_CSB_AWAY_ID_SHIFT);
	}
	if (!e->active)
		return;
	tell(e, (u64)PVC_CTX_SW_ID_NONE << PVC_CSB_TO_ID_SHIFT |
	     sw_id(e->active) << PVC_CSB_AWAY_ID_SHIFT);
	e->active = NULL;
}

/* --- the driver's other half --------------------------------------------------------- */

static void is_taken(struct xetile_lrc *lrc)
{
	struct context *c = lrc->owner;

	CHECK(c->on && c->on->active == c && !c->taken, "a context is taken that was not loaded");
	c->taken = true;
}

static void is_off(struct xetile_lrc *lrc)
{
	struct context *c = lrc->owner;

	CHECK(c->taken, "a context is left that was not taken");
	c->taken = false;
	c->on = NULL;
}

static void is_bad(struct xetile_engine *engine)
{
	CHECK(false, "the driver reports an event that did not occur");
}

static const struct xetile_execlist_ops ops = {
	.taken = is_taken, .left = is_off, .asked = is_bad, .gone = is_bad, .broken = is_bad,
};

static void emit(struct context *c, enum xetile_engine_class class)
{
	u64 batch = BATCH + c->seqno * 0x10000ull;
	bool runs = random() % 8;

	if (c->num == MAX_JOBS)
		return;
	c->batches[c->num] = batch;
	c->calls[c->num] = xetile_ring_emit_job(c->lrc, class, &(struct xetile_ring_job) {
		.batch = runs ? &batch : NULL, .seqno = ++c->seqno, .invalidate_tlb = random() % 2,
	});
	c->num += runs;
}

/* Skips a job of a context that is on no engine. */
static void skip(struct context *c)
{
	unsigned int i = c->num ? random() % c->num : 0;

	if (c->on || !c->num || !c->batches[i])
		return;
	xetile_ring_skip_batch(c->lrc, c->calls[i]);
	c->batches[i] = 0;
	skips++;
}

static void rewind_to_tail(struct context *c)
{
	if (c->on || c->num)
		return;
	c->lrc->tlb_seq = 1;
	if (random() % 2)
		xetile_lrc_rewind(c->lrc, c->lrc->tail);
	else
		xetile_lrc_resume(c->lrc, c->lrc->tail);
	/* No source says what a reset leaves of the translations: the next job invalidates them. */
	CHECK(!c->lrc->tlb_seq, "translations are believed after a reset");
	c->lost = true;
	rewinds++;
}

static void create(struct context *c, struct xetile_tile *tile, enum xetile_engine_class class)
{
	memset(c, 0, sizeof(*c));
	c->lrc = xetile_lrc_create(tile, class, (struct xetile_vm *)tile, 0, NULL);
	c->lrc->owner = c;
}

static void make_anew(struct context *c, struct xetile_tile *tile, enum xetile_engine_class class)
{
	if (c->on)
		return;
	xetile_lrc_destroy(c->lrc);
	create(c, tile, class);
	made++;
}

static void load(struct context *c)
{
	struct card_engine *e = c->on ?: &engines[random() % ENGINES];

	/* Also without new jobs at times, as after an interruption */
	if (!c->num && random() % 4)
		return;
	/* An engine has one context at a time: the test loads no second one. */
	if (!c->on && (e->active || e->pending))
		return;
	moves += c->lrc->engine && c->lrc->engine != &e->engine;
	c->on = e;
	xetile_execlist_load(e->engine.execlist, c->lrc);
}

static void test_submit(enum xetile_engine_class class)
{
	struct xetile_sched sched = { 0 };
	struct xetile_device xt = { .sched = &sched };
	struct xetile_tile tile = { .xt = &xt };

	memset(engines, 0, sizeof(engines));
	memset(contexts, 0, sizeof(contexts));
	memset(hwsps, 0xff, sizeof(hwsps));
	jobs_found = skips = rewinds = loads = moves = made = 0;
	for (unsigned int i = 0; i < CONTEXTS; i++) {
		wc_any_cpu();
		create(&contexts[i], &tile, class);
	}
	for (unsigned int i = 0; i < ENGINES; i++) {
		engines[i].engine = (struct xetile_engine) {
			.tile = &tile, .class = class, .instance = i, .base = 0x10000 * (i + 1),
			.hwsp.vaddr = hwsps[i],
		};
		engines[i].engine.execlist = xetile_execlist_create(&engines[i].engine, &ops);
	}
	for (unsigned int step = 0; step < STEPS; step++) {
		struct context *c = &contexts[random() % CONTEXTS];

		wc_any_cpu();
		switch (random() % 9) {
		case 0 ... 2:
			emit(c, class);
			break;
		case 3:
			skip(c);
			break;
		case 4:
			rewind_to_tail(c);
			break;
		case 5 ... 6:
			load(c);
			break;
		case 7:
			card_run(&engines[random() % ENGINES]);
			break;
		case 8:
			make_anew(c, &tile, class);
			break;
		}
	}
	CHECK(jobs_found > STEPS / 10, "only %lu jobs", jobs_found);
	CHECK(loads > STEPS / 100 && moves > STEPS / 1000, "only %lu loads, %lu moves", loads, moves);
	CHECK(made > STEPS / 100, "only %lu contexts were made again", made);
	CHECK(skips > STEPS / 100 && rewinds > STEPS / 1000, "only %lu skipped, %lu rewound", skips,
	      rewinds);
	for (unsigned int i = 0; i < ENGINES; i++)
		card_run(&engines[i]);
	for (unsigned int i = 0; i < CONTEXTS; i++)
		xetile_lrc_destroy(contexts[i].lrc);
	for (unsigned int i = 0; i < ENGINES; i++)
		xetile_execlist_destroy(engines[i].engine.execlist);
}

int main(void)
{
	memory = calloc(KBOS, sizeof(*memory));
	if (!memory)
		return EXIT_FAILURE;
	RUN("compute contexts are written when they are loaded", test_submit(XETILE_ENGINE_COMPUTE));
	RUN("copy contexts are written when they are loaded", test_submit(XETILE_ENGINE_COPY));
	free(memory);
	return check_end();
}
