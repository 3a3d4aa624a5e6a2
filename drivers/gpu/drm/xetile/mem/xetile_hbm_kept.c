// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_hbm_kept.h"

#include <linux/gpu_buddy.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>

/**
 * DOC: free pieces of HBM that are kept
 *
 * A bank keeps free pieces of two sizes away from its allocator. They count as free.
 *
 * Page tables come and go with mappings. The allocator would split large blocks down to 4 KiB for
 * the one and merge them for the other, so the last few tables that were given back are kept for
 * the next ones, and merged when memory is short.
 *
 * A context is one piece. Page tables are pinned, and each can lie in another piece that would fit
 * a context: few of them, left by a client that has given up the others, would keep everybody
 * from creating a queue. So pieces of the size of a context are kept whole. They are used when the
 * allocator has none, and taken from it again when the driver gives memory back.
 */

/**
 * xetile_hbm_kept_init() - nothing is kept
 * @kept: of a bank
 * @mm: the bank's allocator
 * @lock: protects @mm
 * @size: bytes of a piece, a power of two
 * @most: pieces to be kept at most
 */
void xetile_hbm_kept_init(struct xetile_hbm_kept *kept, struct gpu_buddy *mm, struct mutex *lock,
			  u64 size, unsigned int most)
{
	INIT_LIST_HEAD(&kept->blocks);
	kept->mm = mm;
	kept->lock = lock;
	kept->size = size;
	kept->num = 0;
	kept->most = most;
}

/**
 * xetile_hbm_kept_fill() - take as many pieces from the allocator as are to be kept
 * @kept: of a bank
 * @end: bytes; the pieces lie below
 *
 * Without the need to lie low they come from the smallest free blocks, so that large ones, which
 * take one entry of a page table, stay whole.
 *
 * Context: process, with &xetile_hbm_kept.lock. Takes what the allocator has.
 */
void xetile_hbm_kept_fill(struct xetile_hbm_kept *kept, u64 end)
{
	unsigned long flags = end < kept->mm->size ? GPU_BUDDY_RANGE_ALLOCATION : 0;

	lockdep_assert_held(kept->lock);
	while (kept->num < kept->most &&
	       !gpu_buddy_alloc_blocks(kept->mm, 0, end, kept->size, kept->size, &kept->blocks,
				       flags))
		kept->num++;
}

/**
 * xetile_hbm_kept_put() - keep a piece that is given back
 * @kept: of a bank
 * @block: a block of any size; its link is in a list
 *
 * Context: process, with &xetile_hbm_kept.lock.
 * Return: false: it is not kept, and the allocator is to have it.
 */
bool xetile_hbm_kept_put(struct xetile_hbm_kept *kept, struct gpu_buddy_block *block)
{
	lockdep_assert_held(kept->lock);
	if (kept->num == kept->most || gpu_buddy_block_size(kept->mm, block) != kept->size)
		return false;
	list_move(&block->link, &kept->blocks);
	kept->num++;
	return true;
}

/**
 * xetile_hbm_kept_take() - use a piece
 * @kept: of a bank
 * @to: list that takes its link
 *
 * Context: process, with &xetile_hbm_kept.lock.
 * Return: NULL: there is none.
 */
struct gpu_buddy_block *xetile_hbm_kept_take(struct xetile_hbm_kept *kept, struct list_head *to)
{
	struct gpu_buddy_block *block;

	lockdep_assert_held(kept->lock);
	if (!kept->num)
		return NULL;
	block = list_first_entry(&kept->blocks, struct gpu_buddy_block, link);
	list_move_tail(&block->link, to);
	kept->num--;
	return block;
}

/**
 * xetile_hbm_kept_give_one() - let the allocator have a piece
 * @kept: of a bank
 *
 * Context: process, with &xetile_hbm_kept.lock.
 * Return: false: there is none.
 */
bool xetile_hbm_kept_give_one(struct xetile_hbm_kept *kept)
{
	LIST_HEAD(blocks);

	if (!xetile_hbm_kept_take(kept, &blocks))
		return false;
	/* As a list, because gpu_buddy_free_block() would leave a block marked clear. */
	gpu_buddy_free_list(kept->mm, &blocks, 0);
	return true;
}

/**
 * xetile_hbm_kept_give_all() - let the allocator have all pieces
 * @kept: of a bank
 *
 * Context: process, with &xetile_hbm_kept.lock.
 * Return: true if there were any: an allocation that has failed may succeed now.
 */
bool xetile_hbm_kept_give_all(struct xetile_hbm_kept *kept)
{
	lockdep_assert_held(kept->lock);
	if (!kept->num)
		return false;
	gpu_buddy_free_list(kept->mm, &kept->blocks, 0);
	kept->num = 0;
	return true;
}
