// SPDX-License-Identifier: GPL-2.0-only
/*
 * HBM: one buddy allocator a tile, and above them one TTM manager for all tiles,
 * whose resources lie on tiles as the color of their BO says.
 *
 * When a tile is full: BOs with pages there are evicted if they are idle; then,
 * unless the BO is STRICT, what has no room goes to the tile with the most room;
 * then the BO goes to system memory if its placement allows that. So far the order is
 * laid down by the places of a BO, see xetile_bo.c. Then busy BOs are waited for and
 * evicted, see xetile_room.c; then the answer is ENOSPC.
 *
 * Users get memory that is zero. Whoever is given what is not known to be clear has it
 * cleared by the copy engine, and if the BO is small a larger piece of free memory with it;
 * see xetile_hbm_ahead.c.
 */
#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>
#include <linux/bitfield.h>
#include <linux/capability.h>
#include <linux/cgroup_dmem.h>
#include <linux/dma-resv.h>
#include <linux/err.h>
#include <linux/gpu_buddy.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "mem/xetile_account.h"
#include "mem/xetile_bo_types.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_hbm_ahead.h"
#include "xetile_device.h"

/*
 * Part of a bank that BOs of users leave free, so that page tables, which are
 * pinned and cannot wait for an eviction, find room: 1/128, four times what the
 * worst mapping of a whole bank takes.
 */
#define HBM_RESERVE(usable)	clamp((usable) / 128, SZ_2M, SZ_256M)

/*
 * Residents that are looked at, and runs of them that are copied, while their list is locked
 * once: there may be very many, and nothing else runs on this processor meanwhile.
 */
#define BATCH		64
#define BATCH_RUNS	1024u

/* struct xetile_hbm - allocator of one tile's bank */
struct xetile_hbm {
	/* protects @mm and the links of its blocks */
	struct mutex lock;
	struct gpu_buddy mm;
	/* blocks of the driver's own, by their links */
	struct list_head own;
	struct xetile_hbm_ahead ahead;
	u64 reserve;
	/* What control groups are charged for; NULL where the kernel has no such groups */
	struct dmem_cgroup_region *region;
	/* bytes of BOs, and of contexts and page tables of files */
	atomic64_t clients;
	/* how often a BO gave memory back */
	atomic64_t freed;
	/* how often memory was looked for, for a run of a color */
	atomic64_t runs;
};

struct xetile_hbm_manager {
	struct ttm_resource_manager base;
	struct xetile_device *xt;
	/* All resources, in the order they came; its lock protects @last too */
	struct xarray residents;
	unsigned long last;
};

static struct xetile_device *manager_to_xt(struct ttm_resource_manager *man)
{
	return container_of(man, struct xetile_hbm_manager, base)->xt;
}

/**
 * xetile_hbm_capacity() - bytes of a tile that BOs of users can have at most
 * @tile: the tile
 *
 * Return: bytes.
 */
u64 xetile_hbm_capacity(const struct xetile_tile *tile)
{
	return tile->range.capacity;
}

/**
 * xetile_hbm_can_hold() - would a BO fit if there were no other
 * @xt: card
 * @size: bytes
 *
 * Return: true if the banks of all tiles together are big enough.
 */
bool xetile_hbm_can_hold(struct xetile_device *xt, u64 size)
{
	struct xetile_tile *tile;
	u64 total = 0;

	xetile_for_each_tile(tile, xt)
		total += xetile_hbm_capacity(tile);
	return size <= total;
}

/* Bytes that are free, or will be when they are clear */
static u64 free_bytes(struct xetile_hbm *hbm)
{
	lockdep_assert_held(&hbm->lock);
	return hbm->mm.avail + hbm->ahead.size;
}

/**
 * xetile_hbm_used() - bytes of a tile in use now, by users and the driver
 * @tile: the tile
 *
 * Takes the allocator's mutex.
 *
 * Return: bytes.
 */
u64 xetile_hbm_used(struct xetile_tile *tile)
{
	struct xetile_hbm *hbm = tile->hbm;
	u64 used;

	mutex_lock(&hbm->lock);
	used = hbm->mm.size - free_bytes(hbm);
	mutex_unlock(&hbm->lock);
	return used;
}

/* Bytes that are free and clear, or are being cleared */
static u64 clear_bytes(struct xetile_hbm *hbm)
{
	u64 clear;

	mutex_lock(&hbm->lock);
	clear = hbm->mm.clear_avail + hbm->ahead.size;
	mutex_unlock(&hbm->lock);
	return clear;
}

/**
 * xetile_hbm_print() - tell how a tile's bank is used
 * @tile: the tile
 * @p: where to
 *
 * Takes the allocator's mutex.
 */
void xetile_hbm_print(struct xetile_tile *tile, struct drm_printer *p)
{
	drm_printf(p, "  base %#llx\n", tile->range.base);
	drm_printf(p, "  size %#llx\n", tile->range.size);
	drm_printf(p, "  usable %#llx\n", tile->range.usable);
	drm_printf(p, "  visible %#llx\n", tile->range.visible);
	drm_printf(p, "  used %#llx\n", xetile_hbm_used(tile));
	drm_printf(p, "  clear %#llx\n", clear_bytes(tile->hbm));
	drm_printf(p, "  clients %#llx\n", (u64)atomic64_read(&tile->hbm->clients));
	drm_printf(p, "  runs %lld\n", atomic64_read(&tile->hbm->runs));
}

static int pin(struct xetile_tile *tile, struct xetile_account *account, u64 bytes)
{
	int err = xetile_account_pin(account, tile->id, bytes);

	if (!err && account)
		atomic64_add(bytes, &tile->hbm->clients);
	return err;
}

static void unpin(struct xetile_tile *tile, struct xetile_account *account, u64 bytes)
{
	if (account)
		atomic64_sub(bytes, &tile->hbm->clients);
	xetile_account_unpin(account, tile->id, bytes);
}

/*
 * BOs leave the reserve to page tables and contexts, and nothing moves these away. The last
 * half of it is for users who have little: who has more than what is left gets no more.
 */
static bool may_pin(struct xetile_tile *tile, struct xetile_account *account, u64 size)
{
	struct xetile_hbm *hbm = tile->hbm;

	lockdep_assert_held(&hbm->lock);
	return !account || hbm->mm.avail >= size + hbm->reserve / 2 ||
	       xetile_account_user_pinned(account, tile->id) <= hbm->mm.avail ||
	       capable(CAP_SYS_RESOURCE);
}

/**
 * xetile_hbm_is_gone() - whether the card goes, and waits for its last calls
 * @tile: a tile of it
 *
 * Return: true if so: what takes long need not be finished.
 */
bool xetile_hbm_is_gone(const struct xetile_tile *tile)
{
	return xetile_device_is_unplugged(tile->xt);
}

/**
 * xetile_hbm_alloc() - take one contiguous piece for the driver itself
 * @tile: tile to take it from
 * @size: bytes; the piece is aligned to @size rounded up to a power of two
 * @account: of the file it is needed for, which lives longer; NULL: the kernel's own
 * @dpa: out: device physical address
 * @cookie: out: what xetile_hbm_free() wants
 *
 * The piece is within reach of the CPU, and dirty. Takes the allocator's mutex.
 *
 * Return: 0, -EDQUOT when the user of @account has as much of it as a user may, -ENOSPC or
 * -ENOMEM.
 */
int xetile_hbm_alloc(struct xetile_tile *tile, u64 size, struct xetile_account *account, u64 *dpa,
		     void **cookie)
{
	struct xetile_hbm *hbm = tile->hbm;
	struct gpu_buddy_block *block;
	LIST_HEAD(blocks);
	int err;

	size = roundup_pow_of_two(max_t(u64, size, SZ_4K));
	err = pin(tile, account, size);
	if (err)
		return err;

	mutex_lock(&hbm->lock);
	xetile_hbm_ahead_collect(&hbm->ahead);
	err = -ENOSPC;
	if (may_pin(tile, account, size))
		err = gpu_buddy_alloc_blocks(&hbm->mm, 0, tile->range.visible, size, size, &blocks,
					     tile->range.visible < hbm->mm.size ?
					     GPU_BUDDY_RANGE_ALLOCATION : 0);
	if (err) {
		mutex_unlock(&hbm->lock);
		unpin(tile, account, size);
		return err;
	}
	/* The smallest page is the whole size, so there is one block. */
	block = list_first_entry(&blocks, struct gpu_buddy_block, link);
	list_move_tail(&block->link, &hbm->own);
	mutex_unlock(&hbm->lock);

	block->private = account;
	*dpa = tile->range.base + gpu_buddy_block_offset(block);
	*cookie = block;
	return 0;
}

/**
 * xetile_hbm_free() - give a piece back
 * @tile: tile it was taken from
 * @cookie: from xetile_hbm_alloc()
 *
 * Takes the allocator's mutex.
 */
void xetile_hbm_free(struct xetile_tile *tile, void *cookie)
{
	struct xetile_hbm *hbm = tile->hbm;
	struct gpu_buddy_block *block = cookie;
	LIST_HEAD(blocks);

	unpin(tile, block->private, gpu_buddy_block_size(&hbm->mm, block));
	mutex_lock(&hbm->lock);
	list_move(&block->link, &blocks);
	/* As a list, because a single block that was clear once would count as clear again. */
	gpu_buddy_free_list(&hbm->mm, &blocks, 0);
	mutex_unlock(&hbm->lock);
}

/**
 * xetile_hbm_map() - the CPU's view of a piece of HBM
 * @tile: tile it lies on
 * @dpa: device physical address
 * @size: bytes
 *
 * BAR2 shows device physical addresses from 0 on.
 *
 * Return: write-combining mapping, NULL when the BAR does not reach so far.
 */
void __iomem *xetile_hbm_map(struct xetile_tile *tile, u64 dpa, u64 size)
{
	struct xetile_device *xt = tile->xt;

	if (dpa + size > xt->bar2.size)
		return NULL;
	return xt->bar2.map + dpa;
}

/**
 * xetile_hbm_own_size() - bytes of a tile that are the driver's own
 * @tile: the tile
 *
 * Takes the allocator's mutex.
 *
 * Return: what xetile_hbm_save_own() needs room for.
 */
u64 xetile_hbm_own_size(struct xetile_tile *tile)
{
	struct xetile_hbm *hbm = tile->hbm;
	struct gpu_buddy_block *block;
	u64 size = 0;

	mutex_lock(&hbm->lock);
	list_for_each_entry(block, &hbm->own, link)
		size += gpu_buddy_block_size(&hbm->mm, block);
	mutex_unlock(&hbm->lock);
	return size;
}

/* All that is the driver's own on a tile: to @buf, or from it */
static void copy_own(struct xetile_tile *tile, void *buf, bool save)
{
	struct xetile_hbm *hbm = tile->hbm;
	struct gpu_buddy_block *block;

	mutex_lock(&hbm->lock);
	list_for_each_entry(block, &hbm->own, link) {
		u64 dpa = tile->range.base + gpu_buddy_block_offset(block);
		u64 size = gpu_buddy_block_size(&hbm->mm, block);
		void __iomem *map = xetile_hbm_map(tile, dpa, size);

		if (save)
			memcpy_fromio(buf, map, size);
		else
			memcpy_toio(map, buf, size);
		buf += size;
		cond_resched();
	}
	mutex_unlock(&hbm->lock);
}

/**
 * xetile_hbm_save_own() - read all that is the driver's own on a tile
 * @tile: the tile; no engine of it runs, and nobody allocates or frees
 * @buf: takes as many bytes as xetile_hbm_own_size() says
 *
 * Slow: HBM is read over the bus. Takes the allocator's mutex.
 */
void xetile_hbm_save_own(struct xetile_tile *tile, void *buf)
{
	copy_own(tile, buf, true);
}

/**
 * xetile_hbm_restore_own() - write back what xetile_hbm_save_own() read
 * @tile: the tile; no engine of it runs, and nobody has allocated or freed
 * @buf: of xetile_hbm_save_own()
 *
 * What is free is not known to be clear any more. Takes the allocator's mutex.
 */
void xetile_hbm_restore_own(struct xetile_tile *tile, void *buf)
{
	struct xetile_hbm *hbm = tile->hbm;

	copy_own(tile, buf, false);
	mutex_lock(&hbm->lock);
	xetile_hbm_ahead_lose(&hbm->ahead);
	mutex_unlock(&hbm->lock);
	/* Out of the write-combining buffers, before an engine is told of it */
	wmb();
}

/* The driver's own pieces must be where the CPU reaches: BOs leave it the reserve there. */
static u64 users_start(const struct xetile_tile *tile)
{
	return tile->range.visible < tile->range.usable ? tile->hbm->reserve : 0;
}

static int take_for_users(struct xetile_tile *tile, u64 size, u64 block, struct list_head *blocks,
			  unsigned long flags)
{
	struct xetile_hbm *hbm = tile->hbm;
	u64 start = users_start(tile);

	lockdep_assert_held(&hbm->lock);
	if (hbm->mm.avail < size + hbm->reserve)
		return -ENOSPC;
	if (start)
		flags |= GPU_BUDDY_RANGE_ALLOCATION;
	return gpu_buddy_alloc_blocks(&hbm->mm, start, hbm->mm.size, size, block, blocks, flags);
}

/* Free memory of a tile that is not clear, in one piece; returns where it is, or false. */
static bool take_ahead(struct xetile_tile *tile, u64 *addr)
{
	struct xetile_hbm *hbm = tile->hbm;
	LIST_HEAD(blocks);

	lockdep_assert_held(&hbm->lock);
	if (!xetile_hbm_ahead_is_due(&hbm->ahead, hbm->reserve) ||
	    take_for_users(tile, XETILE_HBM_AHEAD_BYTES, XETILE_HBM_AHEAD_BYTES, &blocks, 0))
		return false;
	*addr = tile->range.base + xetile_hbm_ahead_take(&hbm->ahead, &blocks);
	return true;
}

/**
 * xetile_hbm_begin_ahead() - take free memory that is cleared with that of a BO
 * @xt: card
 * @res: fresh memory of the BO, which is going to be cleared
 * @layout: of @res; what is taken is added, and valid as long as @res is
 *
 * Takes allocators' mutexes.
 *
 * Return: mask of tiles for xetile_hbm_end_ahead(); 0 if it is not worth it.
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

		/* A small BO has few pieces, and arrays that are not full. */
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
 * xetile_hbm_end_ahead() - it is being cleared
 * @xt: card
 * @taken: of xetile_hbm_begin_ahead()
 * @fence: signals when it is done, or NULL: it was not begun
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

/* Blocks of at least @block bytes; @clear: those that say they are clear are */
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
		/* Not for larger pieces: there are smaller ones. */
		if (block > SZ_64K && hbm->mm.avail >= size + hbm->reserve)
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

/*
 * Take a run of a BO that starts at @offset. Its middle is made of blocks that
 * begin where the offset is a multiple of 2 MiB (1 GiB), so that it can be mapped
 * by leaves of that size. @done tells how much of it could be had.
 */
static int take_run(struct xetile_hbm_resource *res, struct xetile_tile *tile, u64 offset,
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

static u64 room_on(struct xetile_tile *tile)
{
	struct xetile_hbm *hbm = tile->hbm;
	u64 avail;

	mutex_lock(&hbm->lock);
	avail = free_bytes(hbm);
	mutex_unlock(&hbm->lock);
	return avail > hbm->reserve ? round_down(avail - hbm->reserve, SZ_64K) : 0;
}

static struct xetile_tile *roomiest(struct xetile_device *xt, u32 exhausted)
{
	struct xetile_tile *best = NULL, *tile;
	u64 most = 0;

	xetile_for_each_tile(tile, xt) {
		u64 room = exhausted & BIT(tile->id) ? 0 : room_on(tile);

		if (room > most) {
			most = room;
			best = tile;
		}
	}
	return best;
}

/* Take a run; what its tile has no room for comes from the roomiest others */
static int take_run_spilling(struct xetile_device *xt, struct xetile_hbm_resource *res,
			     u32 *exhausted, u32 wanted, u64 offset, u64 size)
{
	struct xetile_tile *tile = &xt->tiles[wanted];

	while (size) {
		u64 room = *exhausted & BIT(tile->id) ? 0 : room_on(tile);
		u64 done = 0;
		int err = -ENOSPC;

		if (room)
			err = take_run(res, tile, offset, min(size, room), &done);
		if (err && err != -ENOSPC)
			return err;
		offset += done;
		size -= done;
		if (done && tile->id != wanted)
			res->spilled = true;

		/* Fragments, or somebody else was faster: this tile gives no more. */
		if (err)
			*exhausted |= BIT(tile->id);
		if (size) {
			tile = roomiest(xt, *exhausted);
			if (!tile)
				return -ENOSPC;
		}
	}
	return 0;
}

static void uncharge(struct xetile_hbm_resource *res, unsigned int tile)
{
	dmem_cgroup_uncharge(res->pools[tile], res->charged[tile]);
	res->pools[tile] = NULL;
	res->charged[tile] = 0;
}

/*
 * Have the caller's control group pay for @bytes by tile, whatever it pays for now. TTM
 * would charge all of a BO to one region, but a BO lies on several tiles.
 */
static int charge(struct xetile_device *xt, struct xetile_hbm_resource *res,
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
		err = dmem_cgroup_try_charge(tile->hbm->region, bytes[t], &res->pools[t], NULL);
		if (err)
			return err;
		res->charged[t] = bytes[t];
	}
	return 0;
}

/* Before anything is evicted for it: what its color gives each tile */
static int charge_shares(struct xetile_device *xt, struct xetile_hbm_resource *res,
			 const struct xetile_bo *bo)
{
	u64 bytes[XETILE_MAX_TILES];
	unsigned int t;

	dma_resv_assert_held(bo->ttm.base.resv);
	for (t = 0; t < XETILE_MAX_TILES; t++)
		bytes[t] = bo->shares[t] * XETILE_COLOR_PAGE;
	return charge(xt, res, bytes);
}

static void give_back(struct xetile_device *xt, struct xetile_hbm_resource *res)
{
	struct xetile_tile *tile;

	xetile_for_each_tile(tile, xt) {
		uncharge(res, tile->id);
		mutex_lock(&tile->hbm->lock);
		gpu_buddy_free_list(&tile->hbm->mm, &res->blocks[tile->id], 0);
		mutex_unlock(&tile->hbm->lock);
	}
}

static void destroy(struct ttm_resource_manager *man, struct xetile_hbm_resource *res)
{
	ttm_resource_fini(man, &res->base);
	kvfree(res->ext);
	kvfree(res->start);
	kfree(res);
}

/* Which tiles lack room for the shares of a BO; NEVER if they are too small for it */
static u32 lacking(struct xetile_device *xt, const struct xetile_bo *bo)
{
	struct xetile_tile *tile;
	u32 lack = 0;

	dma_resv_assert_held(bo->ttm.base.resv);
	xetile_for_each_tile(tile, xt) {
		u64 share = bo->shares[tile->id] * XETILE_COLOR_PAGE;

		if (share > xetile_hbm_capacity(tile))
			return XETILE_PLACE_NEVER;
		if (share > room_on(tile))
			lack |= FIELD_PREP(XETILE_PLACE_SHORT, BIT(tile->id));
	}
	return lack;
}

/* Is there room for a BO that spills? Its runs need not be walked to know that there is none. */
static bool has_room(struct xetile_device *xt, u64 size)
{
	struct xetile_tile *tile;
	u64 room = 0;

	xetile_for_each_tile(tile, xt)
		room += room_on(tile);
	return size <= room;
}

/**
 * xetile_hbm_has_room() - would a BO find room now, as it is colored, without an eviction
 * @xt: card
 * @shares: color pages of it on each tile
 * @given: bytes on each tile that it would give back before, or NULL
 *
 * Takes the allocators' mutexes.
 *
 * Return: true, unless memory is in pieces too small.
 */
bool xetile_hbm_has_room(struct xetile_device *xt, const u64 shares[], const u64 *given)
{
	struct xetile_tile *tile;

	xetile_for_each_tile(tile, xt)
		if (shares[tile->id] * XETILE_COLOR_PAGE >
		    room_on(tile) + (given ? given[tile->id] : 0))
			return false;
	return true;
}

/**
 * xetile_hbm_freed() - how often BOs gave HBM back
 * @xt: card
 *
 * Return: a number that only grows.
 */
u64 xetile_hbm_freed(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	u64 freed = 0;

	xetile_for_each_tile(tile, xt)
		freed += atomic64_read(&tile->hbm->freed);
	return freed;
}

static int take_all(struct xetile_device *xt, struct xetile_hbm_resource *res,
		    const struct xetile_bo_args *args, bool spill, u32 *lack)
{
	struct xetile_color_iter it;
	u64 offset = 0, pages, done;
	u32 exhausted = 0, t;
	int err = 0;

	xetile_color_begin(&it, &args->color, args->size / XETILE_COLOR_PAGE);
	while (!err && xetile_color_next(&it, &t, &pages)) {
		u64 size = pages * XETILE_COLOR_PAGE;

		atomic64_inc(&xt->tiles[t].hbm->runs);
		err = spill ? take_run_spilling(xt, res, &exhausted, t, offset, size) :
			      take_run(res, &xt->tiles[t], offset, size, &done);
		if (err == -ENOSPC && !spill)
			*lack = FIELD_PREP(XETILE_PLACE_SHORT, BIT(t));
		offset += size;
	}
	return err;
}

static int residents_add(struct xetile_hbm_manager *man, struct xetile_hbm_resource *res)
{
	int err;

	xa_lock(&man->residents);
	res->age = ++man->last;
	err = xa_err(__xa_store(&man->residents, res->age, res, GFP_KERNEL_ACCOUNT));
	xa_unlock(&man->residents);
	return err;
}

/*
 * When its memory is free, and not before: who looks for what is in the way finds the resource,
 * or sees that memory was freed. If it finds the resource, the count goes up later.
 */
static void residents_remove(struct xetile_hbm_manager *man, struct xetile_hbm_resource *res)
{
	xa_lock(&man->residents);
	atomic_inc(&man->xt->room.freed);
	__xa_erase(&man->residents, res->age);
	xa_unlock(&man->residents);
}

/* The BO of a resource with a reference, or NULL: nobody has a handle of it any more. */
static struct xetile_bo *get_owner(struct xetile_device *xt, struct xetile_hbm_resource *res)
{
	struct xetile_bo *bo = NULL;

	/* TTM gives a resource to another BO under this lock, and frees BOs after resources. */
	spin_lock(&xt->ttm.lru_lock);
	/* If the making of one that has no resource yet fails, TTM frees it, referenced or not. */
	if (res->base.bo == &res->owner->ttm &&
	    READ_ONCE(res->owner->ttm.resource) == &res->base &&
	    kref_get_unless_zero(&res->owner->ttm.base.refcount))
		bo = res->owner;
	spin_unlock(&xt->ttm.lru_lock);
	return bo;
}

/**
 * xetile_hbm_on_tiles() - has a BO memory on tiles
 * @res: the BO's resource, or NULL; it stays while this looks: the BO's reservation is
 *	held, or the lock of the list of residents, which it leaves before it is freed
 * @tiles: mask of tiles
 *
 * Return: true if it lies in HBM and on one of @tiles.
 */
bool xetile_hbm_on_tiles(struct ttm_resource *res, u32 tiles)
{
	unsigned long mask = tiles;
	unsigned int t;

	if (!res || res->mem_type != XETILE_PL_HBM)
		return false;
	for_each_set_bit(t, &mask, XETILE_MAX_TILES)
		if (to_xetile_hbm_resource(res)->bytes[t])
			return true;
	return false;
}

/* Some residents, up to one that is wanted. Returns whether to look at the next ones. */
static bool next_of_some(struct xetile_hbm_manager *man, u32 tiles, unsigned long *cursor,
			 bool *dying, struct xetile_bo **bo)
{
	struct xetile_hbm_resource *res;
	unsigned int n;

	xa_lock(&man->residents);
	for (n = 0; n < BATCH && !*bo; n++) {
		res = xa_find_after(&man->residents, cursor, ULONG_MAX, XA_PRESENT);
		if (!res)
			break;
		if (!xetile_hbm_on_tiles(&res->base, tiles))
			continue;
		*bo = get_owner(man->xt, res);
		if (!*bo)
			*dying = true;
	}
	xa_unlock(&man->residents);
	return n == BATCH && !*bo;
}

/**
 * xetile_hbm_next_bo() - walk the BOs in HBM, oldest residents first
 * @xt: card
 * @tiles: mask of tiles; what has no memory on them is passed over
 * @cursor: 0 to begin; moved on
 * @dying: set when memory there is given up already, and free when its jobs are done
 *
 * Takes spinlocks, and lets go of them between some and the next. Context: process.
 *
 * Return: the next BO with a GEM reference, or NULL when there is none.
 */
struct xetile_bo *xetile_hbm_next_bo(struct xetile_device *xt, u32 tiles, unsigned long *cursor,
				     bool *dying)
{
	struct ttm_resource_manager *base = ttm_manager_type(&xt->ttm, XETILE_PL_HBM);
	struct xetile_hbm_manager *man = container_of(base, struct xetile_hbm_manager, base);
	struct xetile_bo *bo = NULL;

	while (next_of_some(man, tiles, cursor, dying, &bo))
		cond_resched();
	return bo;
}

/* struct walk - where all residents lie */
struct walk {
	/* takes the first @max of the runs */
	struct xetile_extent *ext;
	unsigned int max;
	/* runs there were so far */
	unsigned int num;
	/* the resident whose turn it is, if it is still there, and its first run */
	unsigned long age;
	unsigned int run;
};

/* The next runs of one resident, @most of them. Returns how many. */
static unsigned int walk_runs(struct walk *walk, const struct xetile_hbm_resource *res,
			      unsigned int most)
{
	unsigned int n = min(res->num - walk->run, most);
	unsigned int fit = min(n, walk->max - min(walk->num, walk->max));

	if (fit)
		memcpy(walk->ext + walk->num, res->ext + walk->run, fit * sizeof(*walk->ext));
	walk->num += n;
	walk->run += n;
	if (walk->run == res->num) {
		walk->age++;
		walk->run = 0;
	}
	return n;
}

/* Some residents. Returns whether there may be more. */
static bool walk_some(struct xetile_hbm_manager *man, struct walk *walk)
{
	struct xetile_hbm_resource *res = NULL;
	unsigned int n, runs = 0;

	xa_lock(&man->residents);
	for (n = 0; n < BATCH && runs < BATCH_RUNS; n++) {
		unsigned long age = walk->age;

		res = xa_find(&man->residents, &walk->age, ULONG_MAX, XA_PRESENT);
		if (!res)
			break;
		/* The one that was looked at in part has gone. */
		if (walk->age != age)
			walk->run = 0;
		runs += walk_runs(walk, res, BATCH_RUNS - runs);
	}
	xa_unlock(&man->residents);
	return res;
}

/* The runs of all BOs, the first @max of them to @ext; returns how many there are */
static unsigned int list_extents(struct xetile_hbm_manager *man, struct xetile_extent *ext,
				 unsigned int max)
{
	struct walk walk = { .ext = ext, .max = max };

	while (walk_some(man, &walk))
		cond_resched();
	return walk.num;
}

/**
 * xetile_hbm_extents() - where all BOs lie that have HBM now
 * @xt: card
 * @ext: out: array for kvfree(), or NULL if there are none
 * @num: out: its elements
 *
 * As it is at one moment only if no BO comes or goes. Takes a spinlock, and lets go of it
 * between some BOs and the next. Context: process.
 *
 * Return: 0 or -ENOMEM.
 */
int xetile_hbm_extents(struct xetile_device *xt, struct xetile_extent **ext, unsigned int *num)
{
	struct ttm_resource_manager *base = ttm_manager_type(&xt->ttm, XETILE_PL_HBM);
	struct xetile_hbm_manager *man = container_of(base, struct xetile_hbm_manager, base);
	unsigned int max = 0;

	*ext = NULL;
	while ((*num = list_extents(man, *ext, max)) > max) {
		max = *num;
		kvfree(*ext);
		*ext = kvmalloc_array(max, sizeof(**ext), GFP_KERNEL);
		if (!*ext)
			return -ENOMEM;
	}
	return 0;
}

/*
 * Says why a place failed, to TTM and to the call that wants the BO placed. The last place
 * that is tried counts: a buffer that may spill has room on any tile.
 */
static void note_lack(struct xetile_bo *bo, const struct ttm_place *place, u32 lack)
{
	struct xetile_device *xt = to_xetile_device(bo->ttm.base.dev);
	struct ttm_place *own;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (bo->lack) {
		bo->lack->lacks = true;
		bo->lack->tiles = FIELD_GET(XETILE_PLACE_SHORT, lack);
		if ((place->flags & XETILE_PLACE_SPILL) && !(lack & XETILE_PLACE_NEVER))
			bo->lack->tiles = GENMASK(xt->num_tiles - 1, 0);
	}
	for (own = bo->places; own < bo->places + ARRAY_SIZE(bo->places); own++) {
		if (own != place)
			continue;
		own->flags &= ~(XETILE_PLACE_SHORT | XETILE_PLACE_NEVER);
		own->flags |= lack;
	}
}

static int hbm_alloc(struct ttm_resource_manager *man, struct ttm_buffer_object *ttm_bo,
		     const struct ttm_place *place, struct ttm_resource **out)
{
	struct xetile_device *xt = manager_to_xt(man);
	struct xetile_bo *bo = ttm_to_xetile_bo(ttm_bo);
	bool spill = place->flags & XETILE_PLACE_SPILL;
	struct xetile_hbm_resource *res;
	u32 lack = 0;
	int err, i;

	res = kzalloc_obj(*res, GFP_KERNEL_ACCOUNT);
	if (!res)
		return -ENOMEM;
	for (i = 0; i < XETILE_MAX_TILES; i++)
		INIT_LIST_HEAD(&res->blocks[i]);
	ttm_resource_init(ttm_bo, place, &res->base);
	res->fresh = xetile_bo_is_fresh(bo);

	err = charge_shares(xt, res, bo);
	if (err)
		goto err_free;
	/* Asked again after each eviction: what walks the runs of the color comes last. */
	err = -ENOSPC;
	if (spill && !has_room(xt, bo->args.size))
		goto err_free;
	if (!spill)
		lack = lacking(xt, bo);
	if (lack)
		goto err_free;
	err = take_all(xt, res, &bo->args, spill, &lack) ?: charge(xt, res, res->bytes);
	if (err)
		goto err_free;
	res->owner = bo;
	err = residents_add(container_of(man, struct xetile_hbm_manager, base), res);
	if (err)
		goto err_free;

	for (i = 0; i < XETILE_MAX_TILES; i++)
		if (res->bytes[i])
			atomic64_add(res->bytes[i], &xt->tiles[i].hbm->clients);
	/* TTM wants a number; nothing of ours is found by it. */
	res->base.start = 0;
	*out = &res->base;
	return 0;

err_free:
	/* Over the limit of the caller's group: to evict others would not help. */
	if (err == -EAGAIN) {
		err = -ENOSPC;
		lack = XETILE_PLACE_NEVER;
	}
	if (err == -ENOSPC)
		note_lack(bo, place, lack);
	give_back(xt, res);
	destroy(man, res);
	return err;
}

static void hbm_free(struct ttm_resource_manager *man, struct ttm_resource *base)
{
	struct xetile_hbm_resource *res = to_xetile_hbm_resource(base);
	struct xetile_device *xt = manager_to_xt(man);
	struct xetile_tile *tile;

	give_back(xt, res);
	xetile_for_each_tile(tile, xt) {
		if (!res->bytes[tile->id])
			continue;
		atomic64_sub(res->bytes[tile->id], &tile->hbm->clients);
		atomic64_inc(&tile->hbm->freed);
	}
	residents_remove(container_of(man, struct xetile_hbm_manager, base), res);
	destroy(man, res);
	wake_up_all(&xt->room.changed);
}

static bool hbm_intersects(struct ttm_resource_manager *man, struct ttm_resource *base,
			   const struct ttm_place *place, size_t size)
{
	u32 lack = FIELD_GET(XETILE_PLACE_SHORT, place->flags);

	if (place->flags & XETILE_PLACE_NEVER)
		return false;
	return !lack || xetile_hbm_on_tiles(base, lack);
}

/* Any HBM will do for a BO that is there, until xetile_bo_return() */
static bool hbm_compatible(struct ttm_resource_manager *man, struct ttm_resource *base,
			   const struct ttm_place *place, size_t size)
{
	return !(place->flags & XETILE_PLACE_EXACT) || !to_xetile_hbm_resource(base)->spilled;
}

static const struct ttm_resource_manager_func hbm_manager_func = {
	.alloc = hbm_alloc,
	.free = hbm_free,
	.intersects = hbm_intersects,
	.compatible = hbm_compatible,
};

static void hbm_tile_fini(struct drm_device *drm, void *arg)
{
	struct xetile_hbm *hbm = arg;

	xetile_hbm_ahead_fini(&hbm->ahead);
	gpu_buddy_fini(&hbm->mm);
	mutex_destroy(&hbm->lock);
}

static int hbm_tile_init(struct xetile_tile *tile)
{
	struct xetile_device *xt = tile->xt;
	struct xetile_hbm *hbm;
	char region[8];
	int err;

	hbm = drmm_kzalloc(&xt->drm, sizeof(*hbm), GFP_KERNEL);
	if (!hbm)
		return -ENOMEM;
	mutex_init(&hbm->lock);
	INIT_LIST_HEAD(&hbm->own);
	xetile_hbm_ahead_init(&hbm->ahead, &hbm->mm, &hbm->lock);
	hbm->reserve = HBM_RESERVE(tile->range.usable);
	tile->range.capacity = tile->range.usable - hbm->reserve;
	err = gpu_buddy_init(&hbm->mm, tile->range.usable, SZ_4K);
	if (err) {
		mutex_destroy(&hbm->lock);
		return err;
	}
	gpu_buddy_driver_set_lock(&hbm->mm, &hbm->lock);
	tile->hbm = hbm;
	err = drmm_add_action_or_reset(&xt->drm, hbm_tile_fini, hbm);
	if (err)
		return err;
	snprintf(region, sizeof(region), "hbm%u", tile->id);
	/* What is charged is what BOs have, and they never have the reserve. */
	hbm->region = drmm_cgroup_register_region(&xt->drm, region, xetile_hbm_capacity(tile));
	return PTR_ERR_OR_ZERO(hbm->region);
}

static void hbm_manager_fini(struct drm_device *drm, void *arg)
{
	struct xetile_device *xt = to_xetile_device(drm);
	struct xetile_hbm_manager *man = arg;

	/*
	 * No file is open and no buffer exported any more, so that nothing new
	 * comes; what was given up last may still be on its way here, or at TTM.
	 */
	drain_workqueue(xt->wq);
	drain_workqueue(xt->ttm.wq);
	ttm_resource_manager_evict_all(&xt->ttm, &man->base);
	ttm_resource_manager_set_used(&man->base, false);
	ttm_resource_manager_cleanup(&man->base);
	ttm_set_driver_manager(&xt->ttm, XETILE_PL_HBM, NULL);
	xa_destroy(&man->residents);
}

/**
 * xetile_hbm_init() - bring up the banks of a card
 * @xt: card whose tiles are known and whose BAR2 is mapped
 *
 * All of it goes with the DRM device, after the last buffer.
 *
 * Return: 0 or a negative error code.
 */
int xetile_hbm_init(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	int err;

	xetile_for_each_tile(tile, xt) {
		err = hbm_tile_init(tile);
		if (err)
			return err;
	}
	return 0;
}

/**
 * xetile_hbm_manager_init() - give BOs what the banks of a card have
 * @xt: card with its banks and TTM's device
 *
 * It goes with the DRM device, after the last buffer.
 *
 * Return: 0 or a negative error code.
 */
int xetile_hbm_manager_init(struct xetile_device *xt)
{
	struct xetile_hbm_manager *man;
	struct xetile_tile *tile;
	u64 total = 0;

	man = drmm_kzalloc(&xt->drm, sizeof(*man), GFP_KERNEL);
	if (!man)
		return -ENOMEM;
	xetile_for_each_tile(tile, xt)
		total += tile->range.usable;
	man->xt = xt;
	xa_init(&man->residents);
	man->base.func = &hbm_manager_func;
	ttm_resource_manager_init(&man->base, &xt->ttm, total);
	ttm_set_driver_manager(&xt->ttm, XETILE_PL_HBM, &man->base);
	ttm_resource_manager_set_used(&man->base, true);
	return drmm_add_action_or_reset(&xt->drm, hbm_manager_fini, man);
}
