// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_hbm_ahead.h"

#include <linux/gpu_buddy.h>
#include <linux/log2.h>
#include <linux/mutex.h>

/**
 * DOC: HBM that is cleared before anybody asks for it
 *
 * When a small BO's memory is cleared, a larger piece of free memory is cleared by the same
 * batch, *ahead* of those who will ask for that: most small BOs need no job then. The
 * allocator knows which free memory is clear. What anybody had is dirty when it comes back.
 * While a piece is being cleared it is taken out of the allocator, but it counts as free, and
 * whoever lacks it waits for it.
 */

/* Less than this is clear yet: it is time for more */
#define LOW	(XETILE_HBM_AHEAD_BYTES / 2)

/* Beside the reserve this much must be free: what is taken is nobody's last. */
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

/* One piece of that size is taken; returns whether it was clear, and so there may be more. */
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
 * Nothing that is free counts as clear any more. The largest pieces first, so that none has to
 * be split.
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
 * xetile_hbm_ahead_fini() - give back what was being cleared
 * @ahead: of a tile; the last jobs have ended
 *
 * Context: process; takes the allocator's mutex.
 */
void xetile_hbm_ahead_fini(struct xetile_hbm_ahead *ahead)
{
	/* Who says that they have ended may be about to. */
	if (ahead->size)
		wait_for_completion(&ahead->done);
	mutex_lock(ahead->lock);
	gpu_buddy_free_list(ahead->mm, &ahead->blocks, 0);
	/*
	 * A clear piece and a dirty one beside it stay two. The allocator's end makes them one,
	 * but before 6.12.31 not everywhere in a bank whose size is no power of two.
	 */
	forget(ahead);
	mutex_unlock(ahead->lock);
}

/**
 * xetile_hbm_ahead_is_clear() - is clear what the allocator says is
 * @ahead: of a tile
 *
 * After a sleep this makes all of that dirty. If it were left to those who get it, the smallest
 * pieces would stay, and nothing more would be cleared ahead. The sleep itself does not do it,
 * because it may allocate.
 *
 * Context: process, with the allocator's mutex.
 * Return: true, unless that failed.
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
 * @blocks: one block of XETILE_HBM_AHEAD_BYTES from the allocator; empty then
 *
 * xetile_hbm_ahead_begun() must follow.
 *
 * Context: process, with the allocator's mutex.
 * Return: where in the tile's bank it is.
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

/* Signals in any context. No fence is kept: it would keep the module. */
static void cleared(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct xetile_hbm_ahead *ahead = container_of(cb, struct xetile_hbm_ahead, cb);

	ahead->well = !fence->error;
	complete_all(&ahead->done);
}

/**
 * xetile_hbm_ahead_begun() - what was taken is being cleared
 * @ahead: of a tile
 * @fence: signals when it is done, or NULL: it was not begun
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
 * xetile_hbm_ahead_collect() - give back what was taken, if that is done
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
 * xetile_hbm_ahead_wait() - wait for what was taken
 * @ahead: of a tile, where something was
 *
 * Drops the lock meanwhile, and takes it again.
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
