// SPDX-License-Identifier: GPL-2.0-only
#include "xetile_probe.h"

#include <linux/dma-fence.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/iosys-map.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include <drm/drm_print.h>

#include "instructions/pvc_blt_commands.h"
#include "instructions/pvc_gfx_commands.h"
#include "instructions/pvc_mi_commands.h"
#include "regs/pvc_engine_regs.h"
#include "regs/pvc_gt_regs.h"
#include "regs/pvc_lrc_regs.h"

#include "card/xetile_engine.h"
#include "exec/xetile_dummy_blit.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_sched_lock.h"
#include "exec/xetile_sched_types.h"
#include "exec/xetile_solo.h"
#include "mem/xetile_bo_types.h"
#include "mem/xetile_kbo.h"
#include "mem/xetile_layout.h"
#include "mem/xetile_vm.h"
#include "mem/xetile_vm_kernel.h"
#include "xetile_device.h"

/**
 * DOC: the first work of a card
 *
 * The two trials of xetile_probe.c in which engines run something: contexts on each engine, one
 * after the other, before anybody else may use the engines; and the kernel's own copies, compared
 * by the CPU. A context without an address space comes first on an engine. One that has one, and
 * on a copy engine copies, comes second, because it needs more of what may be wrong.
 */

/* What contexts store */
#define STORED		0x5e71

/* Rounds of the kernel's copies, and of those of one engine, and bytes of each */
#define ROUNDS			1000
#define ENGINE_ROUNDS		20
#define COPY_BYTES		SZ_64K

/* Bytes that are cleared and copied at once, on a card that has twice as many */
#define LARGE_BYTES		((u64)SZ_1G)

/* The memory of a context with an address space: two pieces to copy between, and its results */
#define WORK_TO			COPY_BYTES
#define WORK_STORED		(2 * COPY_BYTES)
#define WORK_SYNCED		(WORK_STORED + 8)
#define WORK_BYTES		(WORK_STORED + SZ_4K)

/* Rows of a page, as the copy engines take them */
#define ROW			4096u

/* The context stores a number in system memory, and runs dry. */
static void write_store(struct xetile_lrc *lrc)
{
	const u32 commands[] = {
		PVC_MI_STORE_DATA_IMM | PVC_MI_SDI_GGTT,
		xetile_lrc_seqno_ggtt(lrc), 0, STORED,
	};
	struct xetile_sched *sched = lrc->tile->xt->sched;
	unsigned long flags = xetile_sched_lock(sched);

	xetile_lrc_ring_write(lrc, commands, ARRAY_SIZE(commands));
	xetile_sched_unlock(sched, flags);
}

/* The first event is in place 0, as the engine has been started anew for this context. */
static unsigned int count_events(struct xetile_engine *engine)
{
	u32 at = iosys_map_rd(&engine->hwsp, PVC_HWSP_CSB_WRITE_PTR, u32);

	return (at + 1) % PVC_CSB_ENTRIES;
}

static int run_context(struct xetile_engine *engine, struct xetile_lrc *lrc)
{
	ktime_t begin = ktime_get();
	const char *why;

	write_store(lrc);
	why = xetile_solo_run(engine, lrc);
	if (!why && xetile_lrc_seqno(lrc) != STORED)
		why = "the engine has left it, but its store is not in memory";
	drm_info(&engine->tile->xt->drm,
		 "%s: context %u: %s, %lld us, %u events, %#018llx %#018llx, state %#x\n",
		 engine->name, lrc->sw_id, why ?: "done", ktime_us_delta(ktime_get(), begin),
		 count_events(engine), xetile_engine_read_event(engine, 0),
		 xetile_engine_read_event(engine, 1),
		 xetile_engine_read(engine, PVC_EXECLIST_STATUS(engine->base)));
	return why ? -EIO : 0;
}

/*
 * Words that tell the round and the place; a copy of them is not one of another round. They are out
 * of the write-combining buffers when the copy is pushed: see pass_push() of xetile_mover.c, and
 * port_submit() of xetile_execlist.c.
 */
static void write_words(struct iosys_map *map, u32 round)
{
	u32 i;

	for (i = 0; i < COPY_BYTES; i += sizeof(u32))
		iosys_map_wr(map, i, u32, round << 16 ^ i);
}

static unsigned int wrong_words(struct iosys_map *map, u32 round, bool clear)
{
	unsigned int wrong = 0;
	u32 i;

	for (i = 0; i < COPY_BYTES; i += sizeof(u32))
		wrong += iosys_map_rd(map, i, u32) != (clear ? 0 : round << 16 ^ i);
	return wrong;
}

/* struct work - a context that uses page tables, and its memory in HBM */
struct work {
	struct xetile_engine *engine;
	struct xetile_lrc *lrc;
	struct xetile_kbo *kbo;
	unsigned int round;
	unsigned int wrong[4];	/* store, post-sync, copy, clear */
};

/* Commands are few, so they are written to the ring one by one. */
#define RING(lrc, ...) ({							\
	const u32 dwords__[] = { __VA_ARGS__ };					\
	xetile_lrc_ring_write(lrc, dwords__, ARRAY_SIZE(dwords__));		\
})

/* Copy the first piece to the second one, then clear the first one, with what errata ask for. */
static void write_copy(struct xetile_lrc *lrc, u64 at)
{
	const u32 mocs = PVC_BLT_MOCS(PVC_MOCS_UC);
	u64 to = at + WORK_TO;

	RING(lrc, PVC_MEM_COPY | PVC_FIELD_PREP(PVC_MEM_TYPE, PVC_MEM_TYPE_MATRIX),
	     ROW - 1, COPY_BYTES / ROW - 1, ROW - 1, ROW - 1,
	     lower_32_bits(at), upper_32_bits(at), lower_32_bits(to), upper_32_bits(to),
	     PVC_FIELD_PREP(PVC_MEM_COPY9_SRC_MOCS, mocs) |
	     PVC_FIELD_PREP(PVC_MEM_COPY9_DST_MOCS, mocs));
	xetile_lrc_ring_write(lrc, xetile_dummy_blit, ARRAY_SIZE(xetile_dummy_blit));
	RING(lrc, PVC_MI_FLUSH_DW_QW, 0, 0, 0, 0);
	RING(lrc, PVC_MEM_SET | PVC_FIELD_PREP(PVC_MEM_TYPE, PVC_MEM_TYPE_MATRIX),
	     ROW - 1, COPY_BYTES / ROW - 1, ROW - 1, lower_32_bits(at), upper_32_bits(at),
	     PVC_FIELD_PREP(PVC_MEM_SET6_MOCS, mocs));
	xetile_lrc_ring_write(lrc, xetile_dummy_blit, ARRAY_SIZE(xetile_dummy_blit));
}

static void write_work(struct work *work)
{
	u64 at = XETILE_IDENTITY_BASE + xetile_kbo_dpa(work->kbo);
	u32 synced = xetile_kbo_ggtt(work->kbo) + WORK_SYNCED;
	struct xetile_lrc *lrc = work->lrc;
	struct xetile_sched *sched = lrc->tile->xt->sched;
	unsigned long flags = xetile_sched_lock(sched);

	RING(lrc, PVC_MI_STORE_DATA_IMM, lower_32_bits(at + WORK_STORED),
	     upper_32_bits(at + WORK_STORED), STORED + work->round);
	if (lrc->class == XETILE_ENGINE_COPY) {
		write_copy(lrc, at);
		RING(lrc, PVC_MI_FLUSH_DW_QW |
		     PVC_FIELD_PREP(PVC_MI_FLUSH_DW_POST_SYNC, PVC_POST_SYNC_IMM),
		     synced | PVC_MI_FLUSH_DW_ADDR_GGTT, 0, STORED + work->round, 0);
		RING(lrc, PVC_MI_NOOP, PVC_MI_NOOP);
	} else {
		RING(lrc, PVC_PIPE_CONTROL,
		     PVC_PIPE_CONTROL1_CS_STALL | PVC_PIPE_CONTROL1_GGTT |
		     PVC_FIELD_PREP(PVC_PIPE_CONTROL1_POST_SYNC, PVC_POST_SYNC_IMM),
		     synced, 0, STORED + work->round, 0);
	}
	xetile_sched_unlock(sched, flags);
}

/* Returns NULL, or a few words that say why the engine has not done it. */
static const char *run_round(struct work *work)
{
	struct iosys_map from = *xetile_kbo_map(work->kbo), to = from;
	const char *why;

	iosys_map_incr(&to, WORK_TO);
	write_words(&from, work->round);
	write_work(work);
	why = xetile_solo_run(work->engine, work->lrc);
	if (why)
		return why;
	work->wrong[0] += iosys_map_rd(&from, WORK_STORED, u32) != STORED + work->round;
	work->wrong[1] += iosys_map_rd(&from, WORK_SYNCED, u32) != STORED + work->round;
	if (work->lrc->class == XETILE_ENGINE_COPY) {
		work->wrong[2] += wrong_words(&to, work->round, false);
		work->wrong[3] += wrong_words(&from, work->round, true);
	}
	return NULL;
}

static int run_work(struct work *work)
{
	const unsigned int *wrong = work->wrong;
	const char *why = NULL;

	for (; work->round < ENGINE_ROUNDS && !why; work->round++)
		why = run_round(work);
	drm_info(&work->engine->tile->xt->drm,
		 "%s: by page tables, %u rounds: %s; wrong: store %u, post-sync %u, copy %u, clear %u\n",
		 work->engine->name, work->round, why ?: "done", wrong[0], wrong[1], wrong[2],
		 wrong[3]);
	return why || memchr_inv(wrong, 0, sizeof(work->wrong)) ? -EIO : 0;
}

/* struct place - what the contexts of a tile share: an address space, and memory */
struct place {
	struct xetile_vm *vm;
	struct xetile_kbo *kbo;
};

/* Run @lrcs, of which the first one has no address space. */
static int run_contexts(struct xetile_engine *engine, struct xetile_lrc **lrcs,
			const struct place *place)
{
	struct work work = { .engine = engine, .lrc = lrcs[1], .kbo = place->kbo };

	return run_context(engine, lrcs[0]) ?: run_work(&work);
}

static int try_context(struct xetile_engine *engine, const struct place *place)
{
	struct xetile_lrc *lrcs[2];
	unsigned int i;
	int err;

	err = xetile_solo_begin(engine);
	if (err)
		return err;
	for (i = 0; i < ARRAY_SIZE(lrcs); i++) {
		lrcs[i] = xetile_lrc_create(engine->tile, engine->class, i ? place->vm : NULL, 0,
					    NULL);
		if (IS_ERR(lrcs[i]))
			err = PTR_ERR(lrcs[i]);
	}
	err = err ?: run_contexts(engine, lrcs, place);
	err = xetile_solo_end(engine) ?: err;
	for (i = 0; i < ARRAY_SIZE(lrcs); i++)
		if (!IS_ERR(lrcs[i]))
			xetile_lrc_destroy(lrcs[i]);
	return err;
}

static int try_engines(struct xetile_tile *tile, const struct place *place)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < tile->num_engines; i++)
		err = try_context(&tile->engines[i], place) ?: err;
	return err;
}

static int try_contexts(struct xetile_tile *tile)
{
	struct place place;
	int err;

	place.kbo = xetile_kbo_create(tile, WORK_BYTES, XETILE_KBO_GGTT, NULL);
	if (IS_ERR(place.kbo))
		return PTR_ERR(place.kbo);
	place.vm = xetile_vm_create_kernel(tile, 1);
	err = PTR_ERR_OR_ZERO(place.vm);
	if (!err) {
		/* No job waits here for the writes of its page tables. */
		flush_workqueue(tile->xt->bind_wq);
		err = try_engines(tile, &place);
		xetile_vm_put(place.vm);
		/* It is freed as long as the card's memory can be written. */
		flush_workqueue(tile->xt->release_wq);
	}
	xetile_kbo_destroy(place.kbo);
	return err;
}

/**
 * xetile_probe_contexts() - run contexts on each engine
 * @xt: the card; its engines have been started, and have no ports yet
 *
 * All engines have been reset and started again on return.
 *
 * Context: process; takes the execution lock.
 * Return: 0 or -errno: that of the last engine that failed; the log tells of each.
 */
int xetile_probe_contexts(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	int err = 0;

	xetile_for_each_tile(tile, xt)
		err = try_contexts(tile) ?: err;
	return err;
}

static int wait_fence(struct dma_fence *fence)
{
	int err;

	if (IS_ERR(fence))
		return PTR_ERR(fence);
	/* A copy that hangs is ended by a reset: its memory must not be freed before. */
	dma_fence_wait(fence, false);
	err = fence->error;
	dma_fence_put(fence);
	return err;
}

/* struct trial - two pieces of HBM, and as many pages of system memory */
struct trial {
	struct xetile_tile *tile;
	struct xetile_kbo *hbm[2];
	struct xetile_layout layout[2];
	struct xetile_extent extent[2];
	u64 start;
	void *system;
	dma_addr_t pages[COPY_BYTES / PAGE_SIZE];
	struct xetile_layout system_layout;
	unsigned int wrong[4];	/* clear, HBM to HBM, to system memory, from there */
};

static void trial_fini(struct trial *t)
{
	unsigned int i;

	if (t->system)
		dma_free_coherent(t->tile->xt->drm.dev, COPY_BYTES, t->system, t->pages[0]);
	for (i = 0; i < ARRAY_SIZE(t->hbm); i++)
		if (t->hbm[i])
			xetile_kbo_destroy(t->hbm[i]);
}

static int trial_init(struct trial *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(t->hbm); i++) {
		struct xetile_kbo *kbo = xetile_kbo_create(t->tile, COPY_BYTES, 0, NULL);

		if (IS_ERR(kbo))
			return PTR_ERR(kbo);
		t->hbm[i] = kbo;
		t->extent[i] = (struct xetile_extent) {
			.addr = xetile_kbo_dpa(kbo), .size = COPY_BYTES, .tile = t->tile->id,
		};
		t->layout[i] = (struct xetile_layout) {
			.ext = &t->extent[i], .start = &t->start, .num = 1, .size = COPY_BYTES,
		};
	}
	t->system = dma_alloc_coherent(t->tile->xt->drm.dev, COPY_BYTES, &t->pages[0], GFP_KERNEL);
	if (!t->system)
		return -ENOMEM;
	for (i = 1; i < ARRAY_SIZE(t->pages); i++)
		t->pages[i] = t->pages[0] + i * PAGE_SIZE;
	t->system_layout = (struct xetile_layout) { .dma = t->pages, .size = COPY_BYTES };
	return 0;
}

static int trial_round(struct trial *t, u32 round)
{
	struct iosys_map *a = xetile_kbo_map(t->hbm[0]), *b = xetile_kbo_map(t->hbm[1]);
	struct iosys_map system = IOSYS_MAP_INIT_VADDR(t->system);
	struct xetile_device *xt = t->tile->xt;
	int err;

	write_words(a, round);
	err = wait_fence(xt->mover->copy(xt, &t->layout[1], &t->layout[0], false));
	if (err)
		return err;
	t->wrong[1] += wrong_words(b, round, false);
	err = wait_fence(xt->mover->copy(xt, &t->system_layout, &t->layout[1], false));
	if (err)
		return err;
	t->wrong[2] += wrong_words(&system, round, false);
	err = wait_fence(xt->mover->clear(xt, &t->layout[1], false));
	if (err)
		return err;
	t->wrong[0] += wrong_words(b, round, true);
	err = wait_fence(xt->mover->copy(xt, &t->layout[1], &t->system_layout, false));
	if (err)
		return err;
	t->wrong[3] += wrong_words(b, round, false);
	cond_resched();
	return 0;
}

static int try_copies(struct xetile_tile *tile)
{
	struct trial *t = kzalloc(sizeof(*t), GFP_KERNEL);
	u32 round = 0;
	int err;

	if (!t)
		return -ENOMEM;
	t->tile = tile;
	err = trial_init(t);
	while (!err && round < ROUNDS)
		err = trial_round(t, round++);
	drm_info(&tile->xt->drm,
		 "tile%u: %u rounds of %u bytes: %d; wrong words: clear %u, copy %u, to system %u, from system %u\n",
		 tile->id, round, COPY_BYTES, err, t->wrong[0], t->wrong[1], t->wrong[2],
		 t->wrong[3]);
	if (!err && memchr_inv(t->wrong, 0, sizeof(t->wrong)))
		err = -EIO;
	trial_fini(t);
	kfree(t);
	return err;
}

/* Pages whose first or last word is not as write_pages() has left it, or not 0 after a clear */
static unsigned int wrong_pages(struct iosys_map *map, u64 at, u64 size, bool clear)
{
	unsigned int wrong = 0;
	u64 i;

	for (i = 0; i < size; i += SZ_4K) {
		u32 first = iosys_map_rd(map, at + i, u32);
		u32 last = iosys_map_rd(map, at + i + SZ_4K - sizeof(u32), u32);
		u32 number = clear ? 0 : i / SZ_4K + 1;

		wrong += first != number || last != (clear ? 0 : ~number);
	}
	return wrong;
}

static void write_pages(struct iosys_map *map, u64 size)
{
	u64 i;

	for (i = 0; i < size; i += SZ_4K) {
		iosys_map_wr(map, i, u32, i / SZ_4K + 1);
		iosys_map_wr(map, i + SZ_4K - sizeof(u32), u32, ~(u32)(i / SZ_4K + 1));
	}
}

static struct xetile_layout piece(const struct xetile_extent *extent, const u64 *start)
{
	return (struct xetile_layout) {
		.ext = extent, .start = start, .num = 1, .size = extent->size,
	};
}

/* Copy one half of @kbo to the other one, then clear all of it. */
static int large_round(struct xetile_tile *tile, struct xetile_kbo *kbo, u64 size,
		       unsigned int *wrong)
{
	const struct xetile_extent all = {
		.addr = xetile_kbo_dpa(kbo), .size = size, .tile = tile->id,
	};
	struct xetile_extent low = all, high = all;
	struct iosys_map *map = xetile_kbo_map(kbo);
	struct xetile_layout to, from, both;
	struct xetile_device *xt = tile->xt;
	const u64 start = 0;
	int err;

	low.size = size / 2;
	high.size = size / 2;
	high.addr += size / 2;
	from = piece(&low, &start);
	to = piece(&high, &start);
	both = piece(&all, &start);
	write_pages(map, size / 2);
	err = wait_fence(xt->mover->copy(xt, &to, &from, false));
	if (err)
		return err;
	wrong[0] = wrong_pages(map, size / 2, size / 2, false);
	err = wait_fence(xt->mover->clear(xt, &both, false));
	if (err)
		return err;
	wrong[1] = wrong_pages(map, 0, size, true);
	return 0;
}

static int try_large(struct xetile_tile *tile)
{
	u64 size = min(LARGE_BYTES, rounddown_pow_of_two(tile->range.visible / 2));
	struct xetile_kbo *kbo = xetile_kbo_create(tile, size, 0, NULL);
	unsigned int wrong[2] = { 0 };
	int err;

	if (IS_ERR(kbo))
		return PTR_ERR(kbo);
	err = large_round(tile, kbo, size, wrong);
	drm_info(&tile->xt->drm, "tile%u: %llu bytes at once: %d; wrong pages: copy %u, clear %u\n",
		 tile->id, size, err, wrong[0], wrong[1]);
	xetile_kbo_destroy(kbo);
	return err ?: memchr_inv(wrong, 0, sizeof(wrong)) ? -EIO : 0;
}

/**
 * xetile_probe_copies() - clear and copy memory with the kernel's copy engines
 * @xt: the card; its copies can be used, and nobody else uses them
 *
 * Context: process; waits for the engines.
 * Return: 0 or -errno; the log tells more.
 */
int xetile_probe_copies(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	int err = 0;

	xetile_for_each_tile(tile, xt)
		err = try_copies(tile) ?: try_large(tile) ?: err;
	return err;
}
