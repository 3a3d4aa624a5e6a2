// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_hbm_ahead.h"

#include <linux/gpu_buddy.h>
#include <linux/log2.h>
#include <linux/mutex.h>

/**
 * DOC: HBM that is cleared before anybody asks for it
 *
 * When a small BO's memory is cleared, the same batch clears a larger piece of free memory *ahead*
 * of its use: most small BOs need no job then. The allocator knows which free memory is clear.
 * Memory that anybody had is dirty when it comes back. While a piece is being cleared it is taken
 * out of the allocator, but it counts as free, and a caller that needs it waits for it.
 */

/* Clear memory below which more is cleared */
#define LOW	(XETILE_HBM_AHEAD_BYTES / 2)

/* This much must be free beside the reserve, so that clearing ahead takes nobody's last memory. */
#define FREE	(8 * XETILE_HBM_AHEAD_BYTES)

/**
 * xetile_hbm_ahead_init() - nothing is being cleared
 * @ahead: of a tile
 * @mm: the tile's allocator
 * @lock: protects @mm
 */
void xetile_hbm_ahead_init(struct xetile_hbm_ahead *ahead, struct gpu_buddy *mm, struct mutex *lock)
{
	ahead->mm = mm;
	ahead->lock = lock;
	INIT_LIST_HEAD(&ahead->blocks);
	init_completion(&ahead->done);
}

/* Take one free piece of @size bytes. Returns whether it was clear, and so there may be more. */
static bool take_clear(struct xetile_hbm_ahead *ahead, u64 size, struct list_head *taken)
{
	struct gpu_buddy *mm = ahead->mm;
	LIST_HEAD(blocks);
	bool clear;

	lockdep_assert_held(ahead->lock);
	if (mm->clear_avail < size ||
	    gpu_buddy_alloc_blocks(mm, 0, mm->size, size, size, &blocks,
				   GPU_BUDDY_CLEAR_ALLOCATION))
		return false;
	clear = gpu_buddy_block_is_clear(list_first_entry(&blocks, struct gpu_buddy_block, link));
	list_splice(&blocks, taken);
	return clear;
}

/*
 * Have no free memory count as clear any more: take what is clear, and free it as dirty. The
 * largest pieces come first, so that none has to be split.
 */
static void forget(struct xetile_hbm_ahead *ahead)
{
	struct gpu_buddy *mm = ahead->mm;
	u64 size = mm->clear_avail ? rounddown_pow_of_two(mm->clear_avail) : 0;
	LIST_HEAD(taken);

	lockdep_assert_held(ahead->lock);
	for (; size >= mm->chunk_size; size /= 2)
		while (take_clear(ahead, size, &taken))
			;
	gpu_buddy_free_list(mm, &taken, 0);
}

/**
 * xetile_hbm_ahead_fini() - give back the piece that was being cleared
 * @ahead: of a tile; the last jobs have ended
 *
 * Context: process; takes the allocator's mutex.
 */
void xetile_hbm_ahead_fini(struct xetile_hbm_ahead *ahead)
{
	/* The callback of the last job's fence may still be about to run. */
	if (ahead->size)
		wait_for_completion(&ahead->done);
	mutex_lock(ahead->lock);
	gpu_buddy_free_list(ahead->mm, &ahead->blocks, 0);
	/*
	 * The allocator does not merge a clear piece and a dirty one beside it. gpu_buddy_fini()
	 * does, but before 6.12.31 not everywhere in a bank whose size is no power of two.
	 */
	forget(ahead);
	mutex_unlock(ahead->lock);
}

/**
 * xetile_hbm_ahead_is_clear() - is the memory clear that the allocator calls clear
 * @ahead: of a tile
 *
 * After a sleep this marks all free memory dirty. If each allocation did so for the pieces that it
 * gets, the smallest pieces would stay marked clear, and nothing more would be cleared ahead. The
 * sleep itself does not mark the memory, because marking may allocate.
 *
 * Context: process, with the allocator's mutex.
 * Return: true, unless the marking failed.
 */
bool xetile_hbm_ahead_is_clear(struct xetile_hbm_ahead *ahead)
{
	lockdep_assert_held(ahead->lock);
	if (!ahead->stale)
		return true;
	forget(ahead);
	ahead->stale = ahead->mm->clear_avail;
	return !ahead->stale;
}

/**
 * xetile_hbm_ahead_lose() - HBM has lost its content
 * @ahead: of a tile
 *
 * Context: process, with the allocator's mutex.
 */
void xetile_hbm_ahead_lose(struct xetile_hbm_ahead *ahead)
{
	lockdep_assert_held(ahead->lock);
	ahead->stale = true;
	ahead->lost = true;
}

/**
 * xetile_hbm_ahead_is_due() - is it time to clear more
 * @ahead: of a tile
 * @reserve: bytes of the tile that stay free
 *
 * Context: process, with the allocator's mutex.
 * Return: true if so, and if there is enough free memory.
 */
bool xetile_hbm_ahead_is_due(struct xetile_hbm_ahead *ahead, u64 reserve)
{
	lockdep_assert_held(ahead->lock);
	xetile_hbm_ahead_collect(ahead);
	return !ahead->size && xetile_hbm_ahead_is_clear(ahead) && ahead->mm->clear_avail < LOW &&
	       ahead->mm->avail >= reserve + FREE;
}

/**
 * xetile_hbm_ahead_take() - a piece is going to be cleared
 * @ahead: of a tile, which is due
 * @blocks: one block of XETILE_HBM_AHEAD_BYTES from the allocator; empty on return
 *
 * xetile_hbm_ahead_begun() must follow.
 *
 * Context: process, with the allocator's mutex.
 * Return: offset of the block in the tile's bank.
 */
u64 xetile_hbm_ahead_take(struct xetile_hbm_ahead *ahead, struct list_head *blocks)
{
	lockdep_assert_held(ahead->lock);
	list_splice_init(blocks, &ahead->blocks);
	ahead->size = XETILE_HBM_AHEAD_BYTES;
	ahead->lost = false;
	reinit_completion(&ahead->done);
	return gpu_buddy_block_offset(list_first_entry(&ahead->blocks, struct gpu_buddy_block,
						       link));
}

/* The fence signals, in any context. No reference of it is kept: it would keep the module. */
static void cleared(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct xetile_hbm_ahead *ahead = container_of(cb, struct xetile_hbm_ahead, cb);

	ahead->well = !fence->error;
	complete_all(&ahead->done);
}

/**
 * xetile_hbm_ahead_begun() - the piece that was taken is being cleared
 * @ahead: of a tile
 * @fence: signals when the clear is done; NULL: the clear was not begun
 *
 * Takes no lock but the fence's.
 */
void xetile_hbm_ahead_begun(struct xetile_hbm_ahead *ahead, struct dma_fence *fence)
{
	if (!fence) {
		ahead->well = false;
		complete_all(&ahead->done);
	} else if (dma_fence_add_callback(fence, &ahead->cb, cleared)) {
		cleared(fence, &ahead->cb);
	}
}

/**
 * xetile_hbm_ahead_collect() - give the piece back, if its clear is done
 * @ahead: of a tile
 *
 * Context: process, with the allocator's mutex.
 */
void xetile_hbm_ahead_collect(struct xetile_hbm_ahead *ahead)
{
	bool clear;

	lockdep_assert_held(ahead->lock);
	if (!ahead->size || !completion_done(&ahead->done))
		return;
	clear = ahead->well && !ahead->lost && xetile_hbm_ahead_is_clear(ahead);
	gpu_buddy_free_list(ahead->mm, &ahead->blocks, clear ? GPU_BUDDY_CLEARED : 0);
	ahead->size = 0;
}

/**
 * xetile_hbm_ahead_wait() - wait until the piece is cleared
 * @ahead: of a tile, with a piece that was taken
 *
 * Drops @ahead->lock meanwhile, and takes it again.
 *
 * Context: process, with the allocator's mutex.
 * Return: 0 or -ERESTARTSYS.
 */
int xetile_hbm_ahead_wait(struct xetile_hbm_ahead *ahead)
{
	int err;

	mutex_unlock(ahead->lock);
	err = wait_for_completion_interruptible(&ahead->done);
	mutex_lock(ahead->lock);
	return err;
}
