// SPDX-License-Identifier: GPL-2.0-only
#include "xetile_probe.h"

#include <linux/dma-fence.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/iosys-map.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sizes.h>

#include <drm/drm_print.h>

#include "instructions/pvc_mi_commands.h"
#include "regs/pvc_engine_regs.h"
#include "regs/pvc_lrc_regs.h"

#include "card/xetile_engine.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_sched_lock.h"
#include "exec/xetile_sched_types.h"
#include "exec/xetile_solo.h"
#include "mem/xetile_bo_types.h"
#include "mem/xetile_kbo.h"
#include "mem/xetile_layout.h"
#include "xetile_device.h"

/**
 * DOC: the first work of a card
 *
 * The two trials of xetile_probe.c in which engines run something: a context on each engine, one
 * after the other, before anybody else may use the engines; and the kernel's own copies, compared
 * by the CPU.
 */

/* What contexts store */
#define STORED		0x5e71

/* Rounds of copies, and bytes of each */
#define ROUNDS			20
#define COPY_BYTES		SZ_64K

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

/*
 * The engine's own copy of the events, because the port takes those that it has read out of memory.
 * The first one is in place 0, as the engine has been started anew for this context.
 */
static u64 read_event(struct xetile_engine *engine, unsigned int n)
{
	return (u64)xetile_engine_read(engine, PVC_RING_CSB_HI(engine->base, n)) << 32 |
	       xetile_engine_read(engine, PVC_RING_CSB_LO(engine->base, n));
}

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
		 count_events(engine), read_event(engine, 0), read_event(engine, 1),
		 xetile_engine_read(engine, PVC_EXECLIST_STATUS(engine->base)));
	return why ? -EIO : 0;
}

static int try_context(struct xetile_engine *engine)
{
	struct xetile_lrc *lrc;
	int err;

	err = xetile_solo_begin(engine);
	if (err)
		return err;
	lrc = xetile_lrc_create(engine->tile, engine->class, NULL, 0, NULL);
	err = IS_ERR(lrc) ? PTR_ERR(lrc) : run_context(engine, lrc);
	err = xetile_solo_end(engine) ?: err;
	if (!IS_ERR(lrc))
		xetile_lrc_destroy(lrc);
	return err;
}

/**
 * xetile_probe_contexts() - run a context on each engine
 * @xt: the card; its engines have been started, and have no ports yet
 *
 * All engines have been reset and started again on return.
 *
 * Context: process; takes the execution lock.
 * Return: 0 or -errno: the first engine that failed; the log tells more.
 */
int xetile_probe_contexts(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	unsigned int i;
	int err = 0;

	xetile_for_each_tile(tile, xt)
		for (i = 0; i < tile->num_engines; i++)
			err = try_context(&tile->engines[i]) ?: err;
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

/*
 * Words that tell the round and the place; a copy of them is not one of another round. They are out
 * of the write-combining buffers when the copy is pushed: see pass_end() of xetile_mover.c.
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
	if (!err && (t->wrong[0] || t->wrong[1] || t->wrong[2] || t->wrong[3]))
		err = -EIO;
	trial_fini(t);
	kfree(t);
	return err;
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
		err = try_copies(tile) ?: err;
	return err;
}
