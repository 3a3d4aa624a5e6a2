// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_hbm_split.h"

#include <linux/gpu_buddy.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/sort.h>

#include "mem/xetile_hbm_types.h"
#include "xetile_device.h"

/**
 * DOC: buddy blocks of which a part is given back
 *
 * When a part of a buffer gets memory on another tile, the buffer keeps the rest of the blocks that
 * the part was in. The allocator cannot split a block that is taken, but it can free the end of
 * one, and what it has just freed can be taken again, because the bank's mutex keeps others away.
 * (Meanwhile the allocator may call it clear, as it was when the buffer got it. Nobody sees that.)
 * Blocks are split before anything is copied, when an error has no effect yet: blocks that were
 * split for nothing are as good as one. So nothing can fail when memory is given back.
 */

static int compare_spans(const void *a, const void *b)
{
	const struct xetile_span *l = a, *r = b;

	/* There may be millions, and sort() lets nobody else run. */
	cond_resched();
	return l->start < r->start ? -1 : l->start > r->start;
}

/**
 * xetile_spans_merge() - sort ranges, and merge neighbours
 * @spans: ranges that do not overlap, none of them empty; those left are in order
 * @num: number of them
 *
 * Context: process.
 * Return: the number of those left.
 */
unsigned int xetile_spans_merge(struct xetile_span *spans, unsigned int num)
{
	unsigned int i, n = 0;

	sort(spans, num, sizeof(*spans), compare_spans, NULL);
	for (i = 0; i < num; i++) {
		if (n && spans[n - 1].end == spans[i].start)
			spans[n - 1].end = spans[i].end;
		else
			spans[n++] = spans[i];
	}
	return n;
}

/* The first range that ends behind an address; @num if there is none */
static unsigned int find_span(const struct xetile_span *spans, unsigned int num, u64 addr)
{
	unsigned int lo = 0, hi = num;

	while (lo < hi) {
		unsigned int mid = lo + (hi - lo) / 2;

		if (spans[mid].end > addr)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/*
 * Cut a block in two halves, which go to @halves. On failure the block does. Halves, and no other
 * parts, because the allocator then splits a single block: when it gets no memory for a second
 * split, it goes on to use a block that it has freed.
 */
static int halve(struct xetile_hbm *hbm, struct gpu_buddy_block *block, struct list_head *halves)
{
	u64 start = gpu_buddy_block_offset(block), size = gpu_buddy_block_size(&hbm->mm, block);
	u64 middle = start + size / 2;
	LIST_HEAD(first);
	int err;

	list_move(&block->link, &first);
	/* A BO has many blocks: others have the bank between two of them. */
	mutex_lock(&hbm->lock);
	/* Frees the second half. This allocates; if that fails, the block is as it was. */
	err = gpu_buddy_block_trim(&hbm->mm, NULL, size / 2, &first);
	list_splice(&first, halves);
	if (err)
		goto out;
	/* The second half is a free block of just this place: to take it cannot fail. */
	err = gpu_buddy_alloc_blocks(&hbm->mm, middle, start + size, size / 2, hbm->mm.chunk_size,
				     halves, GPU_BUDDY_RANGE_ALLOCATION);
	WARN_ON_ONCE(err);
out:
	mutex_unlock(&hbm->lock);
	return err;
}

/* Sort one block, or the blocks it is split into, out to @inside or @outside */
static int sort_out(struct xetile_tile *tile, struct gpu_buddy_block *block,
		    const struct xetile_span *spans, unsigned int num, struct list_head *inside,
		    struct list_head *outside)
{
	struct xetile_hbm *hbm = tile->hbm;
	LIST_HEAD(todo);
	int err = 0;

	list_move(&block->link, &todo);
	while (!err && !list_empty(&todo)) {
		const struct xetile_span *span;
		u64 start, end;
		unsigned int i;

		block = list_first_entry(&todo, struct gpu_buddy_block, link);
		start = tile->range.base + gpu_buddy_block_offset(block);
		end = start + gpu_buddy_block_size(&hbm->mm, block);
		i = find_span(spans, num, start);
		span = &spans[i];
		if (i == num || span->start >= end)
			list_move_tail(&block->link, outside);
		else if (span->start <= start && span->end >= end)
			list_move_tail(&block->link, inside);
		else
			err = halve(hbm, block, &todo);
		cond_resched();
		if (!err && fatal_signal_pending(current))
			err = -ERESTARTSYS;
	}
	list_splice_tail(&todo, outside);
	return err;
}

/**
 * xetile_hbm_split() - take those of some blocks out that lie in ranges of addresses
 * @tile: tile that the blocks are of
 * @blocks: blocks of a BO whose reservation is held; those that lie in no range are left
 * @spans: ranges in order, from xetile_spans_merge(); also of other tiles
 * @num: number of them
 * @inside: out: list that gets the blocks that lie in the ranges
 *
 * Blocks that lie in a range with a part only are split. On failure all blocks are left in
 * @blocks, and some of them are split.
 *
 * Context: process; takes the allocator's mutex for each cut.
 * Return: 0; -ENOMEM; -ERESTARTSYS: the caller is killed.
 */
int xetile_hbm_split(struct xetile_tile *tile, struct list_head *blocks,
		     const struct xetile_span *spans, unsigned int num, struct list_head *inside)
{
	struct gpu_buddy_block *block, *next;
	LIST_HEAD(outside);
	LIST_HEAD(in);
	int err = 0;

	list_for_each_entry_safe(block, next, blocks, link) {
		err = sort_out(tile, block, spans, num, &in, &outside);
		if (err)
			break;
	}
	list_splice_tail(&outside, blocks);
	list_splice_tail(&in, err ? blocks : inside);
	return err;
}
