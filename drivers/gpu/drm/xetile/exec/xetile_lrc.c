// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_lrc.h"

#include <linux/err.h>
#include <linux/idr.h>
#include <linux/io.h>
#include <linux/iosys-map.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <asm/barrier.h>

#include "instructions/pvc_gfx_commands.h"
#include "instructions/pvc_mi_commands.h"
#include "regs/pvc_engine_regs.h"
#include "regs/pvc_gt_regs.h"
#include "regs/pvc_gtt.h"
#include "regs/pvc_lrc_regs.h"

#include "card/xetile_tile.h"
#include "exec/xetile_lrc_batch.h"
#include "exec/xetile_sched_types.h"
#include "mem/xetile_kbo.h"
#include "mem/xetile_pt_top.h"
#include "mem/xetile_pte.h"
#include "mem/xetile_vm_job.h"
#include "xetile_device.h"

/**
 * DOC: logical ring contexts
 *
 * One buffer in the tile's HBM, seen by the engine through the GGTT::
 *
 *	0x0000            ring
 *	0x4000            per-process status page: the descriptor points here
 *	0x5000            register state, saved and restored by the engine
 *	behind it         batch the engine runs whenever it restores the context
 *	0x1000 further    page table that maps nothing of the users' addresses: only a context
 *	                  without an address space has one
 *
 * and one page of system memory in which the GPU reports progress, because the CPU reads it far
 * cheaper than HBM.
 *
 * A new context begins with a copy of the tile's default image (xetile_lrc_record.c), and has the
 * engine restore all of it. An engine that restores the registers of the lists alone (restore
 * inhibit) keeps all other state of the context it had before, which may be another process's.
 *
 * Register numbers in the image are those of one engine. A context may move to a sibling while no
 * engine has it: its numbers are rewritten, and the values stay.
 */
#define LRC_PPHWSP	XETILE_RING_SIZE
#define LRC_STATE	(LRC_PPHWSP + PVC_LRC_STATE_OFFSET)
#define LRC_BATCH_SIZE	0x1000
/* In the page of that batch: a batch that forgets translations */
#define LRC_FORGET	0x800
#define LRC_ROOT_SIZE	0x1000

/* Offsets in the progress page; the engine's post-sync writes are 8 bytes */
#define SEQNO_DONE	0x00
#define SEQNO_BEGUN	0x20
#define SEQNO_SCRATCH	0x40

#define CTX_CTRL_MASK	(PVC_CTX_CTRL_RESTORE_INHIBIT | PVC_CTX_CTRL_INHIBIT_SYN_SWITCH)

/*
 * A register list of the image: dword of the LRI header, registers after it. These are xe's; on
 * copy engines prelim i915 has two more in the first list, 0x120 and 0x124.
 */
struct lrc_list {
	u8 header;
	u8 num;
	u16 regs[15];
};

static const struct lrc_list ccs_lists[] = {
	{ 0x01, 15, { 0x244, 0x034, 0x030, 0x038, 0x03c, 0x168, 0x140, 0x110,
		      0x1c0, 0x1c4, 0x1c8, 0x180, 0x2b4, 0x120, 0x124 } },
	{ 0x21,  9, { 0x3a8, 0x28c, 0x288, 0x284, 0x280, 0x27c, 0x278, 0x274, 0x270 } },
};

static const struct lrc_list bcs_lists[] = {
	{ 0x01, 13, { 0x244, 0x034, 0x030, 0x038, 0x03c, 0x168, 0x140, 0x110,
		      0x1c0, 0x1c4, 0x1c8, 0x180, 0x2b4 } },
	{ 0x21,  9, { 0x3a8, 0x28c, 0x288, 0x284, 0x280, 0x27c, 0x278, 0x274, 0x270 } },
};

static size_t lrc_image_size(enum xetile_engine_class class)
{
	return class == XETILE_ENGINE_COMPUTE ? PVC_LRC_SIZE_CCS : PVC_LRC_SIZE_BCS;
}

static u32 lrc_batch_offset(enum xetile_engine_class class)
{
	return LRC_PPHWSP + lrc_image_size(class);
}

static u32 lrc_root_offset(enum xetile_engine_class class)
{
	return lrc_batch_offset(class) + LRC_BATCH_SIZE;
}

static void lrc_write(struct xetile_lrc *lrc, u32 offset, u32 value)
{
	iosys_map_wr(lrc->map, offset, u32, value);
}

static void lrc_write_state(struct xetile_lrc *lrc, u32 index, u32 value)
{
	lrc_write(lrc, LRC_STATE + index * sizeof(u32), value);
}

/* A register's value stands behind its number. */
static void lrc_write_reg(struct xetile_lrc *lrc, u32 index, u32 value)
{
	lrc_write_state(lrc, index + 1, value);
}

static u32 lrc_read_reg(const struct xetile_lrc *lrc, u32 index)
{
	return iosys_map_rd(lrc->map, LRC_STATE + (index + 1) * sizeof(u32), u32);
}

/*
 * Write the register numbers of the image for an engine. An image that an engine has saved goes on
 * behind these lists, and is executed like a batch when it is restored: its own headers and end
 * must stay, or the restore would miss the rest of the state (prelim i915: gt/intel_lrc.c).
 */
static void lrc_write_numbers(struct xetile_lrc *lrc, struct xetile_engine *engine)
{
	bool saved = xetile_tile_default(lrc->tile, lrc->class);
	const struct lrc_list *lists = engine->class == XETILE_ENGINE_COMPUTE ? ccs_lists :
								 bcs_lists;
	unsigned int l, r;

	for (l = 0; l < 2; l++) {
		u32 index = lists[l].header;

		if (!saved)
			lrc_write_state(lrc, index, PVC_MI_LOAD_REGISTER_IMM(lists[l].num) |
					PVC_MI_LRI_FORCE_POSTED | PVC_MI_LRI_ADD_CS);
		index++;
		for (r = 0; r < lists[l].num; r++, index += 2)
			lrc_write_state(lrc, index, engine->base + lists[l].regs[r]);
	}
	if (!saved)
		lrc_write_state(lrc, PVC_LRC_END,
				PVC_MI_BATCH_BUFFER_END | PVC_MI_BATCH_BUFFER_END_CONTEXT);
	lrc->engine = engine;
}

/* Registers that the batch sets depend on the engine: it is written for each engine anew. */
static void lrc_write_batch(struct xetile_lrc *lrc, const struct xetile_engine *engine,
			    bool forgets)
{
	const struct xetile_lrc_batch_args args = {
		.engine = engine, .member = lrc->member, .owns_partition = lrc->owns_partition,
		.scratch = xetile_lrc_scratch_ggtt(lrc), .forgets = forgets,
	};
	struct xetile_lrc_batch batch;

	xetile_lrc_batch_make(&batch, &args);
	iosys_map_memcpy_to(lrc->map, lrc_batch_offset(engine->class), batch.dwords,
			    batch.num * sizeof(*batch.dwords));
}

/*
 * A compute context goes on in the midst of a batch, and its engine may have translations that must
 * not be used any more. The batch for indirect state is the one of a restore's batches in which a
 * PIPE_CONTROL has a precedent (i915: gt/intel_lrc.c, Wa_16013000631). Without a size it does not
 * run. It has no end: it is as long as its size says.
 */
static void lrc_write_forget(struct xetile_lrc *lrc, bool forgets)
{
	static const u32 noops[PVC_INDIRECT_CTX_LINE / sizeof(u32) - PVC_PIPE_CONTROL_DWORDS];
	const u32 flush[PVC_PIPE_CONTROL_DWORDS] = {
		PVC_PIPE_CONTROL,
		PVC_PIPE_CONTROL1_CS_STALL | PVC_PIPE_CONTROL1_TLB_INVALIDATE |
		PVC_PIPE_CONTROL1_GGTT |
		PVC_FIELD_PREP(PVC_PIPE_CONTROL1_POST_SYNC, PVC_POST_SYNC_IMM),
		xetile_lrc_scratch_ggtt(lrc), 0, 0, 0,
	};
	u32 at = lrc_batch_offset(lrc->class) + LRC_FORGET;

	if (forgets) {
		iosys_map_memcpy_to(lrc->map, at, flush, sizeof(flush));
		iosys_map_memcpy_to(lrc->map, at + sizeof(flush), noops, sizeof(noops));
	}
	lrc_write_reg(lrc, PVC_LRC_INDIRECT_CTX,
		      forgets ? (lower_32_bits(xetile_kbo_ggtt(lrc->bo)) + at) | 1 : 0);
	lrc_write_reg(lrc, PVC_LRC_INDIRECT_CTX_OFFSET, forgets ? PVC_INDIRECT_CTX_OFFSET : 0);
}

/* The context has not begun a batch, or gives up the one that it is in. */
static void lrc_write_position(struct xetile_lrc *lrc, u32 head)
{
	lrc_write_reg(lrc, PVC_LRC_RING_HEAD, head);
	lrc_write_reg(lrc, PVC_LRC_BBADDR, 0);
	lrc_write_reg(lrc, PVC_LRC_BBADDR_UDW, 0);
	lrc_write_reg(lrc, PVC_LRC_BBSTATE, 0);
	lrc_write_reg(lrc, PVC_LRC_BB_OFFSET, 0);
}

/* Write a new image, from which the context goes on at @head. */
static void lrc_write_image(struct xetile_lrc *lrc, u32 head, u32 timestamp)
{
	const void *state = xetile_tile_default(lrc->tile, lrc->class);
	u32 ggtt = lower_32_bits(xetile_kbo_ggtt(lrc->bo));
	u32 inhibit = 0;

	/* Only the contexts that the default image is made with have none. */
	if (state)
		iosys_map_memcpy_to(lrc->map, LRC_STATE, state, xetile_lrc_state_size(lrc->class));
	else
		inhibit = PVC_CTX_CTRL_RESTORE_INHIBIT;

	lrc_write_reg(lrc, PVC_LRC_CONTEXT_CONTROL,
		      PVC_MASKED_FIELD(CTX_CTRL_MASK, PVC_CTX_CTRL_INHIBIT_SYN_SWITCH | inhibit));
	lrc_write_position(lrc, head);
	lrc_write_reg(lrc, PVC_LRC_RING_START, ggtt);
	lrc_write_reg(lrc, PVC_LRC_RING_CTL, (XETILE_RING_SIZE - 0x1000) | PVC_RING_CTL_VALID);
	lrc_write_reg(lrc, PVC_LRC_BB_PER_CTX_PTR,
		      (ggtt + lrc_batch_offset(lrc->class)) | PVC_BB_PER_CTX_VALID);
	lrc_write_reg(lrc, PVC_LRC_CTX_TIMESTAMP, timestamp);
	lrc_write_reg(lrc, PVC_LRC_ASID, lrc->asid);
	lrc_write_reg(lrc, PVC_LRC_PDP0_UDW, upper_32_bits(lrc->pdp0));
	lrc_write_reg(lrc, PVC_LRC_PDP0, lower_32_bits(lrc->pdp0));
	/* The numbers of the registers are those of another engine. */
	lrc->engine = NULL;
}

/* Write the page table of a context without an address space. */
static void lrc_write_root(struct xetile_lrc *lrc)
{
	u32 root = lrc_root_offset(lrc->class);

	iosys_map_wr(lrc->map, root + (PVC_PT_ENTRIES - 1) * sizeof(u64), u64,
		     xetile_pt_top_entry(lrc->tile));
	lrc->pdp0 = xetile_pde_encode(xetile_kbo_dpa(lrc->bo) + root, false);
}

/* Write to the ring, if need be over its end. */
static void lrc_ring_put(struct xetile_lrc *lrc, u32 offset, const u32 *dwords, unsigned int n)
{
	void __iomem *ring = lrc->map->vaddr_iomem;
	unsigned int first = min(n, (XETILE_RING_SIZE - offset) / sizeof(*dwords));

	__iowrite32_copy(ring + offset, dwords, first);
	if (first != n)
		__iowrite32_copy(ring, dwords + first, n - first);
}

static void lrc_ring_append(struct xetile_lrc *lrc, const u32 *dwords, unsigned int n)
{
	lrc_ring_put(lrc, lrc->tail, dwords, n);
	lrc->tail = (lrc->tail + n * sizeof(*dwords)) & (XETILE_RING_SIZE - 1);
}

/**
 * xetile_lrc_create() - make a context
 * @tile: tile of the engines it will run on
 * @class: class of these engines
 * @vm: address space of its batches; NULL for one that never starts any
 * @member: its partition number
 * @account: account of the file that the context is made for, which outlives it; NULL: the
 *	kernel's own
 *
 * Context: process; may sleep.
 * Return: the context, or an error pointer.
 */
struct xetile_lrc *xetile_lrc_create(struct xetile_tile *tile, enum xetile_engine_class class,
				     struct xetile_vm *vm, unsigned int member,
				     struct xetile_account *account)
{
	static const u32 begin[] = {
		PVC_MI_SET_PREDICATE | PVC_MI_SET_PREDICATE_OFF,
		PVC_MI_ARB_ON_OFF | PVC_MI_ARB_ENABLE,
	};
	struct xetile_lrc *lrc;
	int err;

	lrc = kzalloc(sizeof(*lrc), GFP_KERNEL_ACCOUNT);
	if (!lrc)
		return ERR_PTR(-ENOMEM);
	lrc->tile = tile;
	lrc->class = class;
	lrc->member = member;

	/* 0 and the highest id mean "no context" in the engine's reports. */
	err = ida_alloc_range(&tile->xt->lrc_ids, 1, PVC_CTX_SW_ID_NONE - 1, GFP_KERNEL_ACCOUNT);
	if (err < 0) {
		/* All ids are in use. */
		err = err == -ENOSPC ? -ENOBUFS : err;
		goto err_free;
	}
	lrc->sw_id = err;

	lrc->bo = xetile_kbo_create(tile, lrc_root_offset(class) + (vm ? 0 : LRC_ROOT_SIZE),
				    XETILE_KBO_GGTT, account);
	if (IS_ERR(lrc->bo)) {
		err = PTR_ERR(lrc->bo);
		goto err_id;
	}
	lrc->map = xetile_kbo_map(lrc->bo);
	lrc->seqno_bo = xetile_kbo_create(tile, PAGE_SIZE, XETILE_KBO_SYSTEM | XETILE_KBO_GGTT,
					  account);
	if (IS_ERR(lrc->seqno_bo)) {
		err = PTR_ERR(lrc->seqno_bo);
		goto err_bo;
	}
	lrc->progress = xetile_kbo_map(lrc->seqno_bo)->vaddr;
	lrc->progress_ggtt = lower_32_bits(xetile_kbo_ggtt(lrc->seqno_bo));

	/*
	 * The priority stays 0. It is for engines that share EUs (prelim i915:
	 * gt/intel_engine_cs.c), and each slice has one engine here.
	 */
	lrc->desc = PVC_CTX_VALID | PVC_CTX_ADDRESSING_PPGTT | PVC_CTX_PPGTT_ENABLE |
		    (lower_32_bits(xetile_kbo_ggtt(lrc->bo)) + LRC_PPHWSP) |
		    (u64)lrc->sw_id << PVC_CTX_SW_ID_SHIFT;
	/*
	 * A context that starts no batch has a page table, too, as with i915, because the engine
	 * may look at the root when it restores the context. (xe's contexts without a VM say in
	 * their descriptor that they have none.)
	 */
	if (vm) {
		lrc->asid = xetile_vm_asid(vm);
		lrc->pdp0 = xetile_vm_pdp0(vm, tile);
	} else {
		lrc_write_root(lrc);
	}
	lrc_write_image(lrc, 0, 0);

	lrc_ring_append(lrc, begin, ARRAY_SIZE(begin));
	/* Another CPU may emit the first job, and its barrier drains only its own buffers. */
	wmb();
	return lrc;

err_bo:
	xetile_kbo_destroy(lrc->bo);
err_id:
	ida_free(&lrc->tile->xt->lrc_ids, lrc->sw_id);
err_free:
	kfree(lrc);
	return ERR_PTR(err);
}

/**
 * xetile_lrc_destroy() - free a context
 * @lrc: a context no engine has, or NULL
 *
 * Context: process; may sleep.
 */
void xetile_lrc_destroy(struct xetile_lrc *lrc)
{
	if (!lrc)
		return;
	xetile_kbo_destroy(lrc->seqno_bo);
	xetile_kbo_destroy(lrc->bo);
	ida_free(&lrc->tile->xt->lrc_ids, lrc->sw_id);
	kfree(lrc);
}

/* The ring's tail moved on since the last load, seen modulo the ring's size. */
static bool lrc_tail_advanced(const struct xetile_lrc *lrc)
{
	u32 ahead = (lrc->tail - lrc->loaded_tail) & (XETILE_RING_SIZE - 1);

	return ahead && ahead < XETILE_RING_SIZE / 2;
}

/*
 * Does a context that goes on in the midst of a batch have to forget translations? If so, it does
 * in this restore.
 */
static bool lrc_is_stale(struct xetile_lrc *lrc)
{
	bool stale = lrc->vm_seq && lrc->tlb_seq != lrc->vm_seq;

	lockdep_assert_held(&lrc->tile->xt->sched->lock);
	if (stale)
		lrc->tlb_seq = lrc->vm_seq;
	return stale;
}

/**
 * xetile_lrc_load() - make a context's image ready for an engine
 * @lrc: context with work in its ring
 * @engine: the engine
 * @running: the engine has it now; only the tail may be written then
 *
 * Context: the execution lock is held.
 * Return: the descriptor to submit.
 */
u64 xetile_lrc_load(struct xetile_lrc *lrc, struct xetile_engine *engine, bool running)
{
	u64 desc = lrc->desc;

	lockdep_assert_held(&lrc->tile->xt->sched->lock);
	if (!running) {
		bool moved = lrc->engine != engine, stale = lrc_is_stale(lrc);

		/* The first engine of a context is another one, too. */
		if (moved || stale || lrc->forgets)
			lrc_write_batch(lrc, engine, moved || stale);
		if (lrc->class == XETILE_ENGINE_COMPUTE && (stale || lrc->forgets))
			lrc_write_forget(lrc, stale);
		if (moved)
			lrc_write_numbers(lrc, engine);
		if (moved || stale)
			lrc->force = true;
		lrc->forgets = moved || stale;
		lrc->loaded_begun = xetile_lrc_begun(lrc);
	}

	/*
	 * An engine that is given the context it had last takes only the new tail. It takes a
	 * tail that did not move forward for no work at all.
	 */
	if (lrc->force || !lrc_tail_advanced(lrc))
		desc |= PVC_CTX_FORCE_RESTORE;

	lrc_write_reg(lrc, PVC_LRC_RING_TAIL, lrc->tail);
	lrc->loaded_tail = lrc->tail;
	lrc->force = false;
	return desc;
}

/* What a context needs that goes on somewhere else than where its engine saved it */
static void lrc_replaced(struct xetile_lrc *lrc)
{
	/* Another CPU may load the context, and its barrier does not drain this one's writes. */
	wmb();
	lrc->loaded_tail = lrc->tail;
	lrc->force = true;
	/* Translations are from before the reset: the next job flushes them. */
	lrc->tlb_seq = 0;
}

/**
 * xetile_lrc_rewind() - forget a context's state after it was lost in a reset
 * @lrc: a context no engine has
 * @head: bytes, where in the ring to go on
 *
 * The context is as a new one then: a hung context's state may be what made it hang, and an image
 * that was saved in the midst of a batch may hold half a walker, which the next walker would be
 * taken to continue. Its time goes on where the image has it. Nothing of the image can be lost once
 * more before the next batch begins: xetile_lrc_is_intact().
 *
 * Context: the execution lock is held.
 */
void xetile_lrc_rewind(struct xetile_lrc *lrc, u32 head)
{
	lockdep_assert_held(&lrc->tile->xt->sched->lock);
	lrc_write_image(lrc, head, lrc_read_reg(lrc, PVC_LRC_CTX_TIMESTAMP));
	lrc->loaded_begun = xetile_lrc_begun(lrc);
	lrc_replaced(lrc);
}

/**
 * xetile_lrc_is_intact() - whether the image has the state that the next batch begins with
 * @lrc: a context that an engine lost in a reset
 *
 * The engine may have been about to save the context, so the image may be half an old and half a
 * new one. If no batch has begun since the context was loaded, and it was not loaded in the midst
 * of a batch either (which the caller has to know), both halves hold the same: only the driver's
 * own commands ran, and they set what they need in each job.
 *
 * Context: the execution lock is held.
 * Return: true if no batch has begun since the last load or rewind.
 */
bool xetile_lrc_is_intact(const struct xetile_lrc *lrc)
{
	lockdep_assert_held(&lrc->tile->xt->sched->lock);
	return xetile_lrc_begun(lrc) == lrc->loaded_begun;
}

/**
 * xetile_lrc_resume() - keep a context's state after it was lost in a reset
 * @lrc: a context no engine has, whose image is intact
 * @head: bytes, where in the ring to go on
 *
 * Its earlier batches may have set state up that the next ones rely on.
 *
 * Context: the execution lock is held.
 */
void xetile_lrc_resume(struct xetile_lrc *lrc, u32 head)
{
	u32 mode;

	lockdep_assert_held(&lrc->tile->xt->sched->lock);
	lrc_write_position(lrc, head);
	mode = lrc_read_reg(lrc, PVC_LRC_MI_MODE);
	/* The engine was stopped for the reset, and may have saved that. */
	lrc_write_reg(lrc, PVC_LRC_MI_MODE, (mode & ~PVC_MI_MODE_STOP_RING) |
		      PVC_MASKED_CLEAR(PVC_MI_MODE_STOP_RING));
	lrc_replaced(lrc);
}

/**
 * xetile_lrc_ring_replace() - change commands in the ring
 * @lrc: context; no engine has it, or none was told of these commands yet
 * @offset: bytes, where in the ring
 * @dwords: what to write; it may go over the end of the ring
 * @n: number of dwords
 *
 * Context: the execution lock is held.
 */
void xetile_lrc_ring_replace(struct xetile_lrc *lrc, u32 offset, const u32 *dwords,
			     unsigned int n)
{
	lockdep_assert_held(&lrc->tile->xt->sched->lock);
	lrc_ring_put(lrc, offset, dwords, n);
}

/**
 * xetile_lrc_ring_write() - append to the ring
 * @lrc: context; the caller made sure there is room
 * @dwords: what to write; it may go over the end of the ring
 * @n: number of dwords
 *
 * Context: the execution lock is held.
 */
void xetile_lrc_ring_write(struct xetile_lrc *lrc, const u32 *dwords, unsigned int n)
{
	lockdep_assert_held(&lrc->tile->xt->sched->lock);
	lrc_ring_append(lrc, dwords, n);
}

/**
 * xetile_lrc_read_ring() - read commands of the ring
 * @lrc: context
 * @offset: bytes, where in the ring
 * @dwords: filled in
 * @n: number of dwords, up to the ring's size; after its end the ring is read from its
 *	beginning
 *
 * The ring may change meanwhile. Slow: HBM is read over the bus.
 *
 * Context: any.
 */
void xetile_lrc_read_ring(const struct xetile_lrc *lrc, u32 offset, u32 *dwords, unsigned int n)
{
	size_t size = n * sizeof(*dwords);
	size_t first = min_t(size_t, size, XETILE_RING_SIZE - offset);

	iosys_map_memcpy_from(dwords, lrc->map, offset, first);
	if (size != first)
		iosys_map_memcpy_from(dwords + first / sizeof(*dwords), lrc->map, 0, size - first);
}

/**
 * xetile_lrc_state_size() - size of the register state in an image
 * @class: class of the context's engines
 *
 * Context: any.
 * Return: bytes.
 */
size_t xetile_lrc_state_size(enum xetile_engine_class class)
{
	return lrc_image_size(class) - PVC_LRC_STATE_OFFSET;
}

/**
 * xetile_lrc_read_state() - read the registers of the image
 * @lrc: context
 * @dwords: filled in, from the first on
 * @n: number of dwords
 *
 * They have the values that the engine saved last. Slow: HBM is read over the bus.
 *
 * Context: any.
 */
void xetile_lrc_read_state(const struct xetile_lrc *lrc, u32 *dwords, unsigned int n)
{
	iosys_map_memcpy_from(dwords, lrc->map, LRC_STATE, n * sizeof(*dwords));
}

/**
 * xetile_lrc_take_ticks() - how long engines had a context since the last call
 * @lrc: a context that its engine has saved
 *
 * Slow: HBM is read over the bus, once.
 *
 * Context: the execution lock is held.
 * Return: ticks of the card's clock, modulo 2^32.
 */
u32 xetile_lrc_take_ticks(struct xetile_lrc *lrc)
{
	u32 ticks;

	lockdep_assert_held(&lrc->tile->xt->sched->lock);
	ticks = lrc_read_reg(lrc, PVC_LRC_CTX_TIMESTAMP) - lrc->counted;
	lrc->counted += ticks;
	return ticks;
}

/**
 * xetile_lrc_ticks_until() - how long the engine has had a context since it was last asked
 * @lrc: a context that its engine has
 * @count: the engine's own count
 *
 * Context: the execution lock is held.
 * Return: ticks of the card's clock since xetile_lrc_take_ticks(), modulo 2^32.
 */
u32 xetile_lrc_ticks_until(const struct xetile_lrc *lrc, u32 count)
{
	lockdep_assert_held(&lrc->tile->xt->sched->lock);
	return count - lrc->counted;
}

/**
 * xetile_lrc_seqno() - last job that is done
 * @lrc: context
 *
 * Context: any.
 * Return: its number; jobs are done in the order of their numbers.
 */
u32 xetile_lrc_seqno(const struct xetile_lrc *lrc)
{
	return READ_ONCE(lrc->progress[SEQNO_DONE / sizeof(u32)]);
}

/**
 * xetile_lrc_begun() - last job whose batch may have begun
 * @lrc: context
 *
 * The engine writes the number before it calls the batch.
 *
 * Context: any.
 * Return: its number.
 */
u32 xetile_lrc_begun(const struct xetile_lrc *lrc)
{
	return READ_ONCE(lrc->progress[SEQNO_BEGUN / sizeof(u32)]);
}

/**
 * xetile_lrc_set_seqno() - count a job as done that never will be
 * @lrc: a context no engine has
 * @seqno: the job's number
 *
 * Context: the execution lock is held.
 */
void xetile_lrc_set_seqno(struct xetile_lrc *lrc, u32 seqno)
{
	lockdep_assert_held(&lrc->tile->xt->sched->lock);
	WRITE_ONCE(lrc->progress[SEQNO_DONE / sizeof(u32)], seqno);
}

/**
 * xetile_lrc_undo() - forget that jobs were begun, or done
 * @lrc: a context no engine has, which has begun the job behind @seqno; none of the jobs behind
 *	@seqno is done for the queue
 * @seqno: number of the last job that counts as done
 *
 * Context: the execution lock is held.
 */
void xetile_lrc_undo(struct xetile_lrc *lrc, u32 seqno)
{
	lockdep_assert_held(&lrc->tile->xt->sched->lock);
	WRITE_ONCE(lrc->progress[SEQNO_DONE / sizeof(u32)], seqno);
	WRITE_ONCE(lrc->progress[SEQNO_BEGUN / sizeof(u32)], seqno);
}

/**
 * xetile_lrc_seqno_ggtt() - where the GPU writes the number of a job that is done
 * @lrc: context
 *
 * Context: any.
 * Return: GGTT address, 8 bytes.
 */
u32 xetile_lrc_seqno_ggtt(const struct xetile_lrc *lrc)
{
	return lrc->progress_ggtt + SEQNO_DONE;
}

/**
 * xetile_lrc_begun_ggtt() - where the GPU writes the number of a job that begins
 * @lrc: context
 *
 * Context: any.
 * Return: GGTT address, 4 bytes.
 */
u32 xetile_lrc_begun_ggtt(const struct xetile_lrc *lrc)
{
	return lrc->progress_ggtt + SEQNO_BEGUN;
}

/**
 * xetile_lrc_scratch_ggtt() - where flushes may write values that nobody reads
 * @lrc: context
 *
 * Context: any.
 * Return: GGTT address, 8 bytes.
 */
u32 xetile_lrc_scratch_ggtt(const struct xetile_lrc *lrc)
{
	return lrc->progress_ggtt + SEQNO_SCRATCH;
}
