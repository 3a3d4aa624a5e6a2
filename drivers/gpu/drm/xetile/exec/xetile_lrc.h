/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_LRC_H__
#define __XETILE_LRC_H__

#include <linux/types.h>

#include "card/xetile_engine.h"

struct iosys_map;
struct xetile_account;
struct xetile_kbo;
struct xetile_tile;
struct xetile_vm;

#define XETILE_RING_SIZE	0x4000

/**
 * struct xetile_lrc - one hardware context: a ring and its engine's state
 *
 * Mutable members are protected by the lock of &struct xetile_sched.
 */
struct xetile_lrc {
	/** @tile: tile whose HBM it is in; never changes */
	struct xetile_tile *tile;
	/** @class: class of the engines it runs on; never changes */
	enum xetile_engine_class class;
	/** @engine: engine its image is made for, NULL as long as it is a new one */
	struct xetile_engine *engine;
	/** @bo: ring, image, restore batch; see xetile_lrc.c */
	struct xetile_kbo *bo;
	/** @map: the CPU's view of @bo, which is in HBM */
	struct iosys_map *map;
	/** @seqno_bo: page of system memory the GPU reports progress in */
	struct xetile_kbo *seqno_bo;
	/** @progress: the CPU's view of @seqno_bo */
	u32 *progress;
	/** @progress_ggtt: the GPU's view of it */
	u32 progress_ggtt;
	/** @owner: for the scheduler: NULL for an engine's idle context */
	void *owner;
	/** @member: number of this context in its owner; its partition number */
	unsigned int member;
	/**
	 * @owns_partition: its batches set the partition registers once and for all; set before it
	 *	runs
	 */
	bool owns_partition;
	/** @sw_id: software context id, unique on the card */
	u32 sw_id;
	/** @desc: descriptor without the force bits */
	u64 desc;
	/** @pdp0: root of its page tables; never changes */
	u64 pdp0;
	/** @asid: number of its address space; never changes */
	u32 asid;
	/** @tail: end of the emitted commands, in bytes */
	u32 tail;
	/** @loaded_tail: @tail at the last load */
	u32 loaded_tail;
	/**
	 * @loaded_begun: xetile_lrc_begun() when an engine was last given the context, or when it
	 *	became as a new one
	 */
	u32 loaded_begun;
	/** @counted: time of its image that xetile_lrc_take_ticks() has returned */
	u32 counted;
	/** @forgets: the batches of its last restore forget translations */
	bool forgets;
	/** @force: restore the whole state at the next load, whatever state the engine has */
	bool force;
	/** @tlb_seq: the VM's invalidations that this context has done */
	u64 tlb_seq;
	/**
	 * @vm_seq: those that its next restore has to do, because it may go on in the midst of a
	 *	batch; 0: each batch begins with them
	 */
	u64 vm_seq;
};

struct xetile_lrc *xetile_lrc_create(struct xetile_tile *tile, enum xetile_engine_class class,
				     struct xetile_vm *vm, unsigned int member,
				     struct xetile_account *account);
void xetile_lrc_destroy(struct xetile_lrc *lrc);
u64 xetile_lrc_load(struct xetile_lrc *lrc, struct xetile_engine *engine, bool running);
void xetile_lrc_rewind(struct xetile_lrc *lrc, u32 head);
bool xetile_lrc_is_intact(const struct xetile_lrc *lrc);
void xetile_lrc_resume(struct xetile_lrc *lrc, u32 head);
void xetile_lrc_ring_write(struct xetile_lrc *lrc, const u32 *dwords, unsigned int n);
void xetile_lrc_ring_replace(struct xetile_lrc *lrc, u32 offset, const u32 *dwords,
			     unsigned int n);
void xetile_lrc_read_ring(const struct xetile_lrc *lrc, u32 offset, u32 *dwords, unsigned int n);
size_t xetile_lrc_state_size(enum xetile_engine_class class);
void xetile_lrc_read_state(const struct xetile_lrc *lrc, u32 *dwords, unsigned int n);
u32 xetile_lrc_seqno(const struct xetile_lrc *lrc);
u32 xetile_lrc_take_ticks(struct xetile_lrc *lrc);
u32 xetile_lrc_ticks_until(const struct xetile_lrc *lrc, u32 count);
u32 xetile_lrc_begun(const struct xetile_lrc *lrc);
void xetile_lrc_set_seqno(struct xetile_lrc *lrc, u32 seqno);
void xetile_lrc_undo(struct xetile_lrc *lrc, u32 seqno);
u32 xetile_lrc_seqno_ggtt(const struct xetile_lrc *lrc);
u32 xetile_lrc_begun_ggtt(const struct xetile_lrc *lrc);
u32 xetile_lrc_scratch_ggtt(const struct xetile_lrc *lrc);

#endif
