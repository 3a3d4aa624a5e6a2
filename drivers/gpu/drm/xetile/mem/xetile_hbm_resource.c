// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_hbm_resource.h"

#include <linux/atomic.h>
#include <linux/cgroup_dmem.h>
#include <linux/err.h>
#include <linux/gpu_buddy.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "mem/xetile_hbm_types.h"
#include "mem/xetile_quota.h"
#include "xetile_device.h"

/**
 * DOC: HBM of one buffer
 *
 * Pieces of the banks, in the order of the buffer's bytes: they are taken run by run of the
 * buffer's color, charged to a control group and to a file, and given back all at once. Users get
 * memory that is zero: the copy engine clears pieces that are not known to be clear and, if the
 * buffer is small, a larger piece of free memory with them; see xetile_hbm_ahead.c. TTM's manager
 * and the moves of buffers call, with the buffer's reservation held; a bank's mutex is taken here.
 */

/* Where BOs start in a bank: they leave the driver the reserve, where the CPU reaches it. */
static u64 users_start(const struct xetile_tile *tile)
{
	return tile->range.visible < tile->range.usable ? tile->hbm->reserve : 0;
}

/* The part of the reserve that lies in the allocator; the rest is kept for contexts */
static u64 allocator_reserve(const struct xetile_hbm *hbm)
{
	return hbm->reserve - xetile_hbm_kept_bytes(&hbm->contexts);
}

static int take_for_users(struct xetile_tile *tile, u64 size, u64 block, struct list_head *blocks,
			  unsigned long flags)
{
	struct xetile_hbm *hbm = tile->hbm;
	u64 start = users_start(tile);
	int err;

	lockdep_assert_held(&hbm->lock);
	if (start)
		flags |= GPU_BUDDY_RANGE_ALLOCATION;
	do {
		err = hbm->mm.avail < size + allocator_reserve(hbm) ? -ENOSPC :
		      gpu_buddy_alloc_blocks(&hbm->mm, start, hbm->mm.size, size, block, blocks,
					     flags);
	} while (err == -ENOSPC && xetile_hbm_kept_give_all(&hbm->tables));
	return err;
}

/* Take a piece of a tile's free memory to be cleared ahead. Returns whether there is one. */
static bool take_ahead(struct xetile_tile *tile, u64 *addr)
{
	struct xetile_hbm *hbm = tile->hbm;
	LIST_HEAD(blocks);

	lockdep_assert_held(&hbm->lock);
	if (!xetile_hbm_ahead_is_due(&hbm->ahead, allocator_reserve(hbm)) ||
	    take_for_users(tile, XETILE_HBM_AHEAD_BYTES, XETILE_HBM_AHEAD_BYTES, &blocks, 0))
		return false;
	*addr = tile->range.base + xetile_hbm_ahead_take(&hbm->ahead, &blocks);
	return true;
}

/**
 * xetile_hbm_begin_ahead() - take free memory that is cleared with that of a BO
 * @xt: card
 * @res: fresh memory of the BO, which is going to be cleared
 * @layout: of @res; memory that is taken is added; valid as long as @res is
 *
 * Context: process; takes allocators' mutexes.
 * Return: mask of tiles for xetile_hbm_end_ahead(); 0 if none was taken.
 */
u32 xetile_hbm_begin_ahead(struct xetile_device *xt, struct xetile_hbm_resource *res,
			   struct xetile_layout *layout)
{
	unsigned long dirty = res->dirty;
	u32 taken = 0;
	unsigned int t;

	if (layout->size > XETILE_HBM_AHEAD_BO)
		return 0;
	for_each_set_bit(t, &dirty, XETILE_MAX_TILES) {
		struct xetile_tile *tile = &xt->tiles[t];
		u64 addr;
		bool took;

		/* A small BO has few pieces, so its arrays are seldom full. */
		if (layout->num == res->room)
			break;
		mutex_lock(&tile->hbm->lock);
		took = take_ahead(tile, &addr);
		mutex_unlock(&tile->hbm->lock);
		if (!took)
			continue;
		res->ext[layout->num] = (struct xetile_extent) {
			.addr = addr, .size = XETILE_HBM_AHEAD_BYTES, .tile = t,
		};
		res->start[layout->num++] = layout->size;
		layout->size += XETILE_HBM_AHEAD_BYTES;
		taken |= BIT(t);
	}
	return taken;
}

/**
 * xetile_hbm_end_ahead() - the memory that was taken is being cleared
 * @xt: card
 * @taken: of xetile_hbm_begin_ahead()
 * @fence: signals when the clear is done; NULL: the clear was not begun
 */
void xetile_hbm_end_ahead(struct xetile_device *xt, u32 taken, struct dma_fence *fence)
{
	unsigned long tiles = taken;
	unsigned int t;

	for_each_set_bit(t, &tiles, XETILE_MAX_TILES)
		xetile_hbm_ahead_begun(&xt->tiles[t].hbm->ahead, fence);
}

static int add_extent(struct xetile_hbm_resource *res, struct xetile_tile *tile, u64 addr,
		      u64 size)
{
	struct xetile_extent *last = res->num ? &res->ext[res->num - 1] : NULL;
	u64 start = last ? res->start[res->num - 1] + last->size : 0;

	if (last && last->tile == tile->id && last->addr + last->size == addr) {
		last->size += size;
		return 0;
	}

	if (res->num == res->room) {
		unsigned int room = max(16, res->room * 2);
		struct xetile_extent *ext;
		u64 *starts;

		ext = kvrealloc(res->ext, array_size(room, sizeof(*ext)), GFP_KERNEL_ACCOUNT);
		if (!ext)
			return -ENOMEM;
		res->ext = ext;
		starts = kvrealloc(res->start, array_size(room, sizeof(*starts)),
				   GFP_KERNEL_ACCOUNT);
		if (!starts)
			return -ENOMEM;
		res->start = starts;
		res->room = room;
	}
	res->ext[res->num] = (struct xetile_extent) {
		.addr = addr, .size = size, .tile = tile->id,
	};
	res->start[res->num++] = start;
	return 0;
}

/* Take blocks of at least @block bytes. @clear: out: are blocks that say so clear in fact */
static int take_sized(struct xetile_hbm_resource *res, struct xetile_tile *tile, u64 size,
		      u64 block, struct list_head *blocks, bool *clear)
{
	struct xetile_hbm *hbm = tile->hbm;
	int err;

	mutex_lock(&hbm->lock);
	for (;;) {
		xetile_hbm_ahead_collect(&hbm->ahead);
		*clear = xetile_hbm_ahead_is_clear(&hbm->ahead);
		err = take_for_users(tile, size, block, blocks,
				     res->fresh ? GPU_BUDDY_CLEAR_ALLOCATION : 0);
		if (err != -ENOSPC || !hbm->ahead.size)
			break;
		/* Do not wait for larger blocks when there are smaller ones. */
		if (block > SZ_64K && hbm->mm.avail >= size + allocator_reserve(hbm))
			break;
		err = xetile_hbm_ahead_wait(&hbm->ahead);
		if (err)
			break;
	}
	mutex_unlock(&hbm->lock);
	return err;
}

/*
 * Take @size bytes of a tile in blocks of at least @block bytes, each aligned to
 * its size; when the bank is too fragmented for that, in smaller ones.
 */
static int take_blocks(struct xetile_hbm_resource *res, struct xetile_tile *tile, u64 size,
		       u64 block)
{
	struct xetile_hbm *hbm = tile->hbm;
	struct gpu_buddy_block *b;
	LIST_HEAD(blocks);
	bool clear;
	int err;

	for (;; block = block > SZ_2M ? SZ_2M : SZ_64K) {
		err = take_sized(res, tile, size, block, &blocks, &clear);
		if (err != -ENOSPC || block == SZ_64K)
			break;
	}
	if (err)
		return err;

	list_for_each_entry(b, &blocks, link) {
		u64 offset = gpu_buddy_block_offset(b), bytes = gpu_buddy_block_size(&hbm->mm, b);

		if (!clear || !gpu_buddy_block_is_clear(b))
			res->dirty |= BIT(tile->id);
		if (offset + bytes > tile->range.visible)
			res->beyond = true;
		err = add_extent(res, tile, tile->range.base + offset, bytes);
		if (err)
			break;
	}
	list_splice_tail(&blocks, &res->blocks[tile->id]);
	if (!err)
		res->bytes[tile->id] += size;
	return err;
}

/* How much of a run to take next, and in blocks of which size */
static u64 next_part(u64 offset, u64 size, u64 *block)
{
	u64 to_2m = ALIGN(offset, SZ_2M) - offset;
	u64 to_1g = ALIGN(offset, SZ_1G) - offset;

	*block = SZ_64K;
	if (size < to_2m + SZ_2M)
		return size;
	if (to_2m)
		return to_2m;

	*block = SZ_2M;
	if (size < to_1g + SZ_1G)
		return round_down(size, SZ_2M);
	if (to_1g)
		return to_1g;

	*block = SZ_1G;
	return round_down(size, SZ_1G);
}

/**
 * xetile_hbm_take_run() - take a run of a BO
 * @res: takes the memory; on failure it keeps what it got
 * @tile: tile to take it from
 * @offset: where the run starts in the BO, in bytes
 * @size: bytes
 * @done: out: bytes that were taken
 *
 * The middle of the run is made of blocks that begin where the offset is a multiple of 2 MiB (1
 * GiB), so that it can be mapped by leaves of that size. Takes the allocator's mutex.
 *
 * Return: 0, -ENOSPC, -ENOMEM or -ERESTARTSYS.
 */
int xetile_hbm_take_run(struct xetile_hbm_resource *res, struct xetile_tile *tile, u64 offset,
			u64 size, u64 *done)
{
	int err;

	for (*done = 0; *done < size; ) {
		u64 block, part = next_part(offset + *done, size - *done, &block);

		err = take_blocks(res, tile, part, block);
		if (err)
			return err;
		*done += part;
	}
	return 0;
}

static void uncharge(struct xetile_hbm_resource *res, unsigned int tile)
{
	dmem_cgroup_uncharge(res->pools[tile], res->charged[tile]);
	res->pools[tile] = NULL;
	res->charged[tile] = 0;
}

static void drop_limit(struct xetile_hbm_resource *res)
{
	dmem_cgroup_pool_state_put(res->limit);
	res->limit = NULL;
}

/**
 * xetile_hbm_charge() - have the caller's control group pay for HBM
 * @xt: card
 * @res: HBM that the group pays for
 * @bytes: bytes by tile, whatever the group pays for now
 *
 * TTM would charge all of a BO to one region, but a BO lies on several tiles.
 *
 * Return: 0; -EAGAIN: the group, or one above it, has as much as it may: @limit and @full of @res
 * tell which, and where; -ENOMEM.
 */
int xetile_hbm_charge(struct xetile_device *xt, struct xetile_hbm_resource *res,
		      const u64 bytes[XETILE_MAX_TILES])
{
	struct xetile_tile *tile;
	int err;

	xetile_for_each_tile(tile, xt) {
		unsigned int t = tile->id;

		if (res->charged[t] == bytes[t])
			continue;
		uncharge(res, t);
		if (!bytes[t])
			continue;
		drop_limit(res);
		err = dmem_cgroup_try_charge(tile->hbm->region, bytes[t], &res->pools[t],
					     &res->limit);
		if (err) {
			res->full = t;
			return err;
		}
		res->charged[t] = bytes[t];
	}
	return 0;
}

static void uncount(struct xetile_hbm_resource *res, unsigned int tile)
{
	xetile_quota_give(res->quota, tile, res->counted[tile]);
	res->counted[tile] = 0;
}

/**
 * xetile_hbm_count() - have HBM count for the file that has made the BO
 * @xt: card
 * @res: the HBM
 * @old: HBM that the BO gives back when it has moved to @res; or NULL
 * @bytes: bytes by tile, however many count now
 *
 * Return: 0; -EDQUOT: the file's BOs have as much as they may.
 */
int xetile_hbm_count(struct xetile_device *xt, struct xetile_hbm_resource *res,
		     const struct xetile_hbm_resource *old, const u64 bytes[XETILE_MAX_TILES])
{
	struct xetile_tile *tile;
	int err;

	xetile_for_each_tile(tile, xt) {
		unsigned int t = tile->id;

		if (res->counted[t] == bytes[t])
			continue;
		uncount(res, t);
		err = xetile_quota_take(res->quota, t, bytes[t], old ? old->counted[t] : 0);
		if (err) {
			res->full = t;
			return err;
		}
		res->counted[t] = bytes[t];
	}
	return 0;
}

/**
 * xetile_hbm_may_evict() - do control groups allow that HBM of a BO goes for anybody's sake
 * @res: the HBM
 * @low: also what dmem.low protects may go
 *
 * A BO goes as a whole, so its group's HBM must exceed what is protected on each of its tiles.
 *
 * Context: any; the caller holds the BO's reservation.
 * Return: true if so.
 */
bool xetile_hbm_may_evict(const struct xetile_hbm_resource *res, bool low)
{
	bool hit_low;
	int t;

	for (t = 0; t < XETILE_MAX_TILES; t++)
		if (res->charged[t] &&
		    !dmem_cgroup_state_evict_valuable(NULL, res->pools[t], low, &hit_low))
			return false;
	return true;
}

/**
 * xetile_hbm_counts_for() - may HBM of a BO go because a control group has as much as it may
 * @res: the HBM
 * @tile: number of the tile where the group reached its limit
 * @group: the group
 * @low: also what dmem.low protects may go
 *
 * What protects the BO against other groups on other tiles does not keep its own group from
 * evicting it.
 *
 * Context: any; the caller holds the BO's reservation.
 * Return: true if the group, or one below it that is not protected, pays for the HBM.
 */
bool xetile_hbm_counts_for(const struct xetile_hbm_resource *res, unsigned int tile,
			   struct dmem_cgroup_pool_state *group, bool low)
{
	bool hit_low;

	return res->charged[tile] &&
	       dmem_cgroup_state_evict_valuable(group, res->pools[tile], low, &hit_low);
}

/**
 * xetile_hbm_give_back() - give all memory of a BO back, and charge nobody for it
 * @xt: card
 * @res: of the BO, with all its pieces or some
 * @lay: the BO lay there, so that others may find room now that they did not find before
 *
 * Context: process; takes allocators' mutexes.
 */
void xetile_hbm_give_back(struct xetile_device *xt, struct xetile_hbm_resource *res, bool lay)
{
	struct xetile_tile *tile;

	drop_limit(res);
	xetile_for_each_tile(tile, xt) {
		uncharge(res, tile->id);
		uncount(res, tile->id);
		mutex_lock(&tile->hbm->lock);
		gpu_buddy_free_list(&tile->hbm->mm, &res->blocks[tile->id], 0);
		/* Whoever sees that memory is free must also see that it was freed. */
		if (lay && res->bytes[tile->id]) {
			atomic64_sub(res->bytes[tile->id], &tile->hbm->clients);
			atomic64_inc(&tile->hbm->freed);
		}
		mutex_unlock(&tile->hbm->lock);
	}
}
