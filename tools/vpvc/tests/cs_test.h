/* SPDX-License-Identifier: MIT */
/*
 * A small driver for tests: page tables, GGTT, contexts and rings in HBM, submission by the
 * port registers. It does not depend on the card's internals, but for card_dpa().
 */
#ifndef VPVC_CS_TEST_H
#define VPVC_CS_TEST_H

#include <string.h>
#include <unistd.h>

#include "card.h"
#include "core/regs.h"
#include "mem/memory.h"
#include "pvc_blt_commands.h"
#include "pvc_engine_regs.h"
#include "pvc_gfx_commands.h"
#include "pvc_gt_regs.h"
#include "pvc_gtt.h"
#include "pvc_irq_regs.h"
#include "pvc_lrc_regs.h"
#include "pvc_mi_commands.h"
#include "tests/test.h"

#define RING_BYTES	0x1000u
#define USER_VA		0x123400000000ull	/* address of a context's data */
#define DATA_BYTES	0x200000ull
#define BATCH_VA	0x567800000000ull
#define NOWHERE_VA	0x9abc00000000ull	/* mapped to no memory, 8 KiB */

/* Allocates a tile's memory from the bottom. */
struct bench {
	struct card *c;
	uint64_t next[PVC_MAX_TILES];
};

struct ctx {
	struct bench *b;
	struct tile *t;
	struct engine *e;
	uint64_t lrc;			/* DPA; its GGTT address is the offset in the tile */
	uint64_t ring;
	uint64_t root;			/* page tables */
	uint64_t data;			/* DPA of DATA_BYTES at USER_VA */
	uint64_t batch;			/* DPA of DATA_BYTES at BATCH_VA */
	unsigned int id;
	uint32_t tail;
	uint32_t batch_at;		/* bytes of batch written */
};

static inline uint64_t hbm_alloc(struct bench *b, unsigned int tile, uint64_t size, uint64_t align)
{
	uint64_t at = (b->next[tile] + align - 1) & ~(align - 1);

	b->next[tile] = at + size;
	memset(card_dpa(b->c, b->c->tiles[tile].dpa_base + at, size), 0, size);
	return b->c->tiles[tile].dpa_base + at;
}

static inline uint32_t *hbm32(struct bench *b, uint64_t dpa)
{
	return card_dpa(b->c, dpa, 4);
}

static inline uint64_t *hbm64(struct bench *b, uint64_t dpa)
{
	return card_dpa(b->c, dpa, 8);
}

/* GGTT address = offset in the tile; mapped page by page. */
static inline uint32_t ggtt_map(struct bench *b, struct tile *t, uint64_t dpa, uint64_t size)
{
	uint32_t va = dpa - t->dpa_base;

	(void)b;
	for (uint64_t i = 0; i < size; i += 4096)
		t->ggtt[(va + i) >> 12] = (dpa + i) | PVC_GGTT_PRESENT | PVC_GGTT_DM;
	return va;
}

/* One page: level 0, 1 or 2 leaf of 4 KiB, 2 MiB, 1 GiB. */
static inline void ppgtt_map(struct bench *b, unsigned int tile, uint64_t root, uint64_t va,
			     uint64_t entry, unsigned int level)
{
	uint64_t table = root;

	for (unsigned int l = 4; l > level; l--) {
		uint64_t *e = hbm64(b, table + 8 * ((va >> PVC_PT_SHIFT(l)) & 511));

		if (!(*e & PVC_PTE_PRESENT))
			*e = hbm_alloc(b, tile, 4096, 4096) | PVC_PTE_PRESENT | PVC_PTE_WRITE;
		table = *e & PVC_PTE_ADDR_MASK;
	}
	*hbm64(b, table + 8 * ((va >> PVC_PT_SHIFT(level)) & 511)) = entry;
}

static inline void map_2m(struct ctx *x, uint64_t va, uint64_t dpa)
{
	ppgtt_map(x->b, x->t->id, x->root, va,
		  dpa | PVC_PTE_PRESENT | PVC_PTE_WRITE | PVC_PTE_DM | PVC_PDE_2M | PVC_PTE_AE, 1);
}

static inline void map_4k(struct ctx *x, uint64_t va, uint64_t dpa, bool write)
{
	ppgtt_map(x->b, x->t->id, x->root, va,
		  dpa | PVC_PTE_PRESENT | (write ? PVC_PTE_WRITE : 0) | PVC_PTE_DM, 0);
}

/* The sub-blitters take turns, as the errata of copy engines ask for; dummy_blit() is the rest. */
static inline void program_blitter(struct engine *e)
{
	if (e->class != PVC_CLASS_BCS)
		return;
	mmio_write(e->tile, PVC_RING_ECOSKPD(e->base),
		   PVC_ECOSKPD_SCHEDULING_MASK << 16 | PVC_ECOSKPD_ROUND_ROBIN);
}

/* Compute engines take commands, and the first one has all slices. */
static inline void program_compute(struct tile *t)
{
	mmio_write(t, PVC_RCU_MODE,
		   PVC_MASKED_SET(PVC_RCU_MODE_CCS_ENABLE | PVC_RCU_MODE_FIXED_SLICE));
	mmio_write(t, PVC_CCS_MODE, 0x0fff0000);
}

/* @lenient: STRICT_* that the card does not punish */
static inline void bench_init_lenient(struct bench *b, unsigned int tiles, unsigned int lenient)
{
	b->c = test_card_full(TEST_OPTIONS(tiles, .lenient = lenient), 0x200000);
	if (!b->c)
		return;
	test_irq_enable(b->c);
	for (unsigned int i = 0; i < tiles; i++) {
		struct tile *t = &b->c->tiles[i];

		b->next[i] = 0x1000000;
		program_compute(t);
		for (unsigned int n = 0; n < TILE_MAX_ENGINES; n++) {
			struct engine *e = &t->engines[n];
			uint64_t hwsp;

			if (!e->present)
				continue;
			hwsp = hbm_alloc(b, i, 4096, 4096);
			mmio_write(t, PVC_RING_HWS_PGA(e->base), ggtt_map(b, t, hwsp, 4096));
			mmio_write(t, PVC_GFX_MODE(e->base), 0x00080008);
			mmio_write(t, PVC_CONTEXT_STATUS_PTR(e->base), PVC_CSB_PTR_RESET);
			mmio_write(t, PVC_RING_EMR(e->base), ~PVC_ERROR_INSTRUCTION);
			program_blitter(e);
		}
	}
}

static inline void bench_init(struct bench *b, unsigned int tiles)
{
	bench_init_lenient(b, tiles, 0);
}

static inline void bench_fini(struct bench *b)
{
	test_card_free(b->c);
}

static inline struct engine *bench_engine(struct bench *b, unsigned int tile,
					  unsigned int class, unsigned int instance)
{
	struct tile *t = &b->c->tiles[tile];

	for (unsigned int n = 0; n < TILE_MAX_ENGINES; n++)
		if (t->engines[n].class == class && t->engines[n].instance == instance)
			return &t->engines[n];
	return NULL;
}

static inline uint32_t *image(struct ctx *x)
{
	return hbm32(x->b, x->lrc + PVC_LRC_STATE_OFFSET);
}

static inline void image_lri(uint32_t *im, unsigned int at, unsigned int n)
{
	im[at] = PVC_MI_LOAD_REGISTER_IMM(n) | PVC_MI_LRI_FORCE_POSTED | PVC_MI_LRI_ADD_CS;
}

/* The register lists in drivers' layout for compute and copy engines. */
static inline void image_init(struct ctx *x)
{
	static const uint16_t list1[] = {
		0x244, 0x34, 0x30, 0x38, 0x3c, 0x168, 0x140, 0x110, 0x1c0, 0x1c4, 0x1c8,
		0x180, 0x2b4, 0x120, 0x124,
	};
	static const uint16_t list2[] = {
		0x3a8, 0x28c, 0x288, 0x284, 0x280, 0x27c, 0x278, 0x274, 0x270,
	};
	unsigned int n = x->e->class == PVC_CLASS_CCS ? 15 : 13;
	uint32_t *im = image(x);

	image_lri(im, 1, n);
	for (unsigned int i = 0; i < n; i++)
		im[2 + 2 * i] = x->e->base + list1[i];
	image_lri(im, 0x21, 9);
	for (unsigned int i = 0; i < 9; i++)
		im[0x22 + 2 * i] = x->e->base + list2[i];
	im[PVC_LRC_END] = PVC_MI_BATCH_BUFFER_END | PVC_MI_BATCH_BUFFER_END_CONTEXT;
	im[PVC_LRC_CONTEXT_CONTROL + 1] = 0x00090009;
	im[PVC_LRC_RING_START + 1] = x->ring - x->t->dpa_base;
	im[PVC_LRC_RING_CTL + 1] = (RING_BYTES - 0x1000) | PVC_RING_CTL_VALID;
	im[PVC_LRC_PDP0 + 1] = PVC_LOWER_32(x->root) | 3;
	im[PVC_LRC_PDP0_UDW + 1] = PVC_UPPER_32(x->root);
}

static inline void ctx_init(struct bench *b, struct ctx *x, struct engine *e, unsigned int id)
{
	memset(x, 0, sizeof(*x));
	x->b = b;
	x->e = e;
	x->t = e->tile;
	x->id = id;
	x->lrc = hbm_alloc(b, x->t->id, PVC_LRC_SIZE_CCS, 4096);
	x->ring = hbm_alloc(b, x->t->id, RING_BYTES, 4096);
	x->root = hbm_alloc(b, x->t->id, 4096, 4096);
	x->data = hbm_alloc(b, x->t->id, DATA_BYTES, DATA_BYTES);
	x->batch = hbm_alloc(b, x->t->id, DATA_BYTES, DATA_BYTES);
	ggtt_map(b, x->t, x->lrc, PVC_LRC_SIZE_CCS);
	ggtt_map(b, x->t, x->ring, RING_BYTES);
	map_2m(x, USER_VA, x->data);
	map_2m(x, BATCH_VA, x->batch);
	for (unsigned int i = 0; i < 2; i++)
		ppgtt_map(b, x->t->id, x->root, NOWHERE_VA + 4096 * i,
			  PVC_PTE_PRESENT | PVC_PTE_WRITE | PVC_PTE_NULL, 0);
	image_init(x);
}

/* Two contexts of one engine, the first of its class */
struct pair {
	struct bench b;
	struct engine *e;
	struct ctx x, y;
};

static inline bool pair_init(struct pair *p, unsigned int class)
{
	bench_init(&p->b, 1);
	if (!p->b.c)
		return false;
	p->e = bench_engine(&p->b, 0, class, 0);
	ctx_init(&p->b, &p->x, p->e, 1);
	ctx_init(&p->b, &p->y, p->e, 2);
	return true;
}

/* ---- emission ---- */

static inline void ring_dw(struct ctx *x, uint32_t dw)
{
	*hbm32(x->b, x->ring + x->tail) = dw;
	x->tail = (x->tail + 4) % RING_BYTES;
}

static inline void batch_dw(struct ctx *x, uint32_t dw)
{
	*hbm32(x->b, x->batch + x->batch_at) = dw;
	x->batch_at += 4;
}

static inline void batch_dws(struct ctx *x, const uint32_t *dw, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		batch_dw(x, dw[i]);
}

#define BATCH(x, ...) do { \
	const uint32_t dws_[] = { __VA_ARGS__ }; \
	batch_dws(x, dws_, sizeof(dws_) / sizeof(dws_[0])); \
} while (0)

#define RING(x, ...) do { \
	const uint32_t dws_[] = { __VA_ARGS__ }; \
	for (unsigned int i_ = 0; i_ < sizeof(dws_) / sizeof(dws_[0]); i_++) \
		ring_dw(x, dws_[i_]); \
} while (0)

#define ADDR(va)	PVC_LOWER_32(va), PVC_UPPER_32(va)

/* Start the batch at @offset from the ring, pad, and write the tail. */
static inline void ring_batch(struct ctx *x, uint32_t offset)
{
	RING(x, PVC_MI_ARB_ON_OFF | PVC_MI_ARB_ENABLE,
	     PVC_MI_BATCH_BUFFER_START | PVC_MI_BATCH_BUFFER_START_PPGTT, ADDR(BATCH_VA + offset));
}

static inline void ring_close(struct ctx *x)
{
	if (x->tail & 7)
		ring_dw(x, PVC_MI_NOOP);
	image(x)[PVC_LRC_RING_TAIL + 1] = x->tail;
}

static inline uint64_t descriptor(struct ctx *x)
{
	return PVC_CTX_VALID | PVC_CTX_ADDRESSING_PPGTT | PVC_CTX_PPGTT_ENABLE |
	       (x->lrc - x->t->dpa_base) | (uint64_t)x->id << PVC_CTX_SW_ID_SHIFT;
}

static inline void submit2(struct engine *e, uint64_t first, uint64_t second)
{
	struct tile *t = e->tile;

	mmio_write(t, PVC_EXECLIST_SQ_CONTENTS(e->base, 1), PVC_LOWER_32(second));
	mmio_write(t, PVC_EXECLIST_SQ_CONTENTS_UDW(e->base, 1), PVC_UPPER_32(second));
	mmio_write(t, PVC_EXECLIST_SQ_CONTENTS(e->base, 0), PVC_LOWER_32(first));
	mmio_write(t, PVC_EXECLIST_SQ_CONTENTS_UDW(e->base, 0), PVC_UPPER_32(first));
	mmio_write(t, PVC_EXECLIST_CONTROL(e->base), PVC_EXECLIST_CONTROL_LOAD);
}

static inline void submit(struct ctx *x)
{
	ring_close(x);
	submit2(x->e, descriptor(x), 0);
}

static inline bool busy(struct engine *e)
{
	return mmio_read(e->tile, PVC_EXECLIST_STATUS(e->base)) & PVC_EXECLIST_STATUS_ACTIVE;
}

/* A minute at least for a condition: the tests may share the machine with other work. */
#define WAIT_FOR(cond) ({ \
	bool ok_ = false; \
	for (unsigned int n_ = 0; n_ < 300000 && !(ok_ = (cond)); n_++) \
		usleep(200); \
	ok_; })

static inline bool wait_idle(struct engine *e)
{
	return WAIT_FOR(!busy(e));
}

/* The blit that makes the ends of those in front of it land */
static inline void dummy_blit(struct ctx *x)
{
	BATCH(x, PVC_MEM_SET | PVC_FIELD_PREP(PVC_MEM_TYPE, PVC_MEM_TYPE_MATRIX),
	      PVC_DUMMY_BLIT_WIDTH - 1, PVC_DUMMY_BLIT_ROWS - 1, 0, ADDR(NOWHERE_VA), 0);
}

/* End the batch, start it from the ring, wait. */
static inline bool run_batch(struct ctx *x)
{
	batch_dw(x, PVC_MI_BATCH_BUFFER_END);
	ring_batch(x, 0);
	submit(x);
	x->batch_at = 0;
	return wait_idle(x->e);
}

/* The same for copies: all bytes are in memory afterwards. */
static inline bool run_copies(struct ctx *x)
{
	dummy_blit(x);
	return run_batch(x);
}

/* ---- jobs that wait for each other ---- */

#define VA(i)	(USER_VA + 4ull * (i))

/* SDI of @val to data word @i in the context's batch. */
static inline void batch_store(struct ctx *x, unsigned int i, uint32_t val)
{
	BATCH(x, PVC_MI_STORE_DATA_IMM, ADDR(VA(i)), val);
}

/* Poll data word @i for @val. */
static inline void batch_wait(struct ctx *x, unsigned int i, uint32_t val)
{
	BATCH(x, PVC_MI_SEMAPHORE_WAIT | PVC_MI_SEMAPHORE_POLL |
	      PVC_FIELD_PREP(PVC_MI_SEMAPHORE_COMPARE, PVC_MI_COMPARE_EQ), val, ADDR(VA(i)), 0);
}

static inline void batch_end(struct ctx *x)
{
	batch_dw(x, PVC_MI_BATCH_BUFFER_END);
}

static inline void set_data(struct ctx *x, unsigned int i, uint32_t val)
{
	__atomic_store_n(hbm32(x->b, x->data + 4ull * i), val, __ATOMIC_SEQ_CST);
}

#define GPR(n)		PVC_CS_USER_GPR(n)
#define LRI_CS(n)	(PVC_MI_LOAD_REGISTER_IMM(n) | PVC_MI_LRI_ADD_CS)
#define SRM_CS		(PVC_MI_STORE_REGISTER_MEM | PVC_MI_SRM_ADD_CS)

/* Have a copy engine request system memory by @bytes, 64 or 256. */
static inline void request_size(struct ctx *x, unsigned int bytes)
{
	RING(x, LRI_CS(1), PVC_BCS_SWCTRL(0), PVC_BCS_SWCTRL_DISABLE_256B << 16 |
	     (bytes == 64 ? PVC_BCS_SWCTRL_DISABLE_256B : 0));
}

/* ---- accesses of the host ---- */

static inline uint32_t *hwsp(struct bench *b, struct engine *e)
{
	return hbm32(b, e->tile->dpa_base + mmio_read(e->tile, PVC_RING_HWS_PGA(e->base)));
}

static inline unsigned int csb_ptr(struct bench *b, struct engine *e)
{
	return hwsp(b, e)[PVC_HWSP_CSB_WRITE_PTR / 4];
}

static inline uint64_t csb(struct bench *b, struct engine *e, unsigned int i)
{
	uint32_t *p = hwsp(b, e) + PVC_HWSP_CSB / 4 + 2 * (i % PVC_CSB_ENTRIES);

	return p[0] | (uint64_t)p[1] << 32;
}

static inline uint64_t csb_entry(struct engine *e, unsigned int to, unsigned int away,
				 unsigned int detail, bool new_queue)
{
	return detail | (uint64_t)e->instance << PVC_CSB_INSTANCE_SHIFT |
	       (uint64_t)to << PVC_CSB_TO_ID_SHIFT | (new_queue ? PVC_CSB_NEW_QUEUE : 0) |
	       (uint64_t)away << PVC_CSB_AWAY_ID_SHIFT;
}

#define IDLE	PVC_CTX_SW_ID_NONE

/* Data word @i of the context in HBM. */
static inline uint32_t data32(struct ctx *x, unsigned int i)
{
	return __atomic_load_n(hbm32(x->b, x->data + 4ull * i), __ATOMIC_SEQ_CST);
}

static inline uint64_t data64(struct ctx *x, unsigned int i)
{
	return *hbm64(x->b, x->data + 4ull * i);
}

/* Read and acknowledge the pending vectors of an engine, as a driver does. */
uint32_t take_irq(struct engine *e);

/* Reset the engine by its domain and program it again, as drivers do. */
void reset_engine(struct bench *b, struct engine *e);

#endif
