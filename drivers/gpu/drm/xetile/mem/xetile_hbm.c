// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_hbm.h"

#include <linux/cgroup_dmem.h>
#include <linux/err.h>
#include <linux/gpu_buddy.h>
#include <linux/io.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "mem/xetile_account.h"
#include "mem/xetile_hbm_ahead.h"
#include "mem/xetile_hbm_types.h"
#include "mem/xetile_privilege.h"
#include "xetile_device.h"

/**
 * DOC: the banks of HBM
 *
 * Each tile has a buddy allocator. Memory that is taken here is the driver's own: page tables,
 * contexts and the driver's batches. It is pinned, lies within reach of the CPU, and is counted
 * against the user it is needed for. xetile_hbm_resource.c takes the memory of buffers. The
 * functions take a bank's mutex, and are called in process context, with reservations held or
 * without.
 */

/*
 * Part of a bank that BOs of users leave free, so that page tables, which are
 * pinned and cannot wait for an eviction, find room: 1/128, four times what the
 * worst mapping of a whole bank takes.
 */
#define HBM_RESERVE(usable)	clamp((usable) / 128, SZ_2M, SZ_256M)

/* Page tables that are kept for the next ones */
#define MOST_TABLES	16

/* The size of a context, rounded up to a power of two; copy engines' are smaller */
#define CONTEXT_SIZE	SZ_128K
/* Contexts whose memory is kept at most; it is at most half of the reserve */
#define MOST_CONTEXTS	128

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

/**
 * xetile_hbm_used() - bytes of a tile in use now, by users and the driver
 * @tile: the tile
 *
 * Context: process; takes the allocator's mutex.
 * Return: bytes.
 */
u64 xetile_hbm_used(struct xetile_tile *tile)
{
	struct xetile_hbm *hbm = tile->hbm;
	u64 used;

	mutex_lock(&hbm->lock);
	used = hbm->mm.size - xetile_hbm_free_bytes(hbm);
	mutex_unlock(&hbm->lock);
	return used;
}

/**
 * xetile_hbm_reachable() - bytes that BOs of users can have where the CPU reaches them
 * @tile: the tile
 *
 * Context: any.
 * Return: bytes, at most xetile_hbm_capacity().
 */
u64 xetile_hbm_reachable(const struct xetile_tile *tile)
{
	return min(tile->range.visible, tile->range.capacity);
}

/**
 * xetile_hbm_occupied() - part of a tile's capacity that is in use now
 * @tile: the tile
 *
 * Page tables in their reserve take nothing from BOs, so they do not count above the capacity.
 *
 * Context: process; takes the allocator's mutex.
 * Return: bytes, at most xetile_hbm_capacity().
 */
u64 xetile_hbm_occupied(struct xetile_tile *tile)
{
	return min(xetile_hbm_used(tile), xetile_hbm_capacity(tile));
}

/* Bytes that are free and clear, or are being cleared, and those that are kept for contexts */
static void read_free(struct xetile_hbm *hbm, u64 *clear, u64 *kept)
{
	mutex_lock(&hbm->lock);
	*clear = hbm->mm.clear_avail + hbm->ahead.size;
	*kept = xetile_hbm_kept_bytes(&hbm->contexts);
	mutex_unlock(&hbm->lock);
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
	u64 clear, kept;

	read_free(tile->hbm, &clear, &kept);
	drm_printf(p, "  base %#llx\n", tile->range.base);
	drm_printf(p, "  size %#llx\n", tile->range.size);
	drm_printf(p, "  usable %#llx\n", tile->range.usable);
	drm_printf(p, "  visible %#llx\n", tile->range.visible);
	drm_printf(p, "  used %#llx\n", xetile_hbm_used(tile));
	drm_printf(p, "  clear %#llx\n", clear);
	drm_printf(p, "  kept %#llx\n", kept);
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
 * Part of what is kept for pinned memory that users have who have little: half of it, but a quarter
 * when a work makes tables anew, for which no call is there to hear that there are none.
 */
static unsigned int for_little(void)
{
	return xetile_acts_for_client() ? 4 : 2;
}

/*
 * BOs leave the reserve to page tables and contexts, and nothing moves these away. The last part of
 * the reserve is for users who have little: a user who has more than what is left free gets no
 * more.
 */
static bool may_pin(struct xetile_tile *tile, struct xetile_account *account, u64 size)
{
	struct xetile_hbm *hbm = tile->hbm;
	u64 avail = xetile_hbm_avail(hbm);

	lockdep_assert_held(&hbm->lock);
	return !account || avail >= size + hbm->reserve / for_little() ||
	       xetile_account_user_pinned(account, tile->id) <= avail ||
	       xetile_account_may_exceed(account);
}

/* A part of the pieces that are kept for contexts is for users who have little, too. */
static bool may_use_kept(struct xetile_tile *tile, struct xetile_account *account)
{
	struct xetile_hbm_kept *kept = &tile->hbm->contexts;

	lockdep_assert_held(&tile->hbm->lock);
	return !account || kept->num > kept->most / for_little() ||
	       xetile_account_user_pinned(account, tile->id) <= xetile_hbm_kept_bytes(kept) ||
	       xetile_account_may_exceed(account);
}

/* Let the allocator have memory that is kept. Returns whether it got any. */
static bool give_kept(struct xetile_tile *tile, struct xetile_account *account)
{
	struct xetile_hbm *hbm = tile->hbm;

	lockdep_assert_held(&hbm->lock);
	return xetile_hbm_kept_give_all(&hbm->tables) ||
	       (may_use_kept(tile, account) && xetile_hbm_kept_give_one(&hbm->contexts));
}

/**
 * xetile_hbm_is_gone() - is the card being removed
 * @tile: a tile of it
 *
 * Return: true if so: long work need not be finished, because the removal waits for it.
 */
bool xetile_hbm_is_gone(const struct xetile_tile *tile)
{
	return xetile_device_is_unplugged(tile->xt);
}

/* Move one block of @size bytes from where the CPU reaches it to the driver's own. */
static int take_block(struct xetile_tile *tile, u64 size, struct xetile_account *account,
		      struct gpu_buddy_block **block)
{
	struct xetile_hbm *hbm = tile->hbm;
	unsigned long flags = tile->range.visible < hbm->mm.size ? GPU_BUDDY_RANGE_ALLOCATION : 0;
	LIST_HEAD(blocks);
	int err;

	lockdep_assert_held(&hbm->lock);
	do {
		err = gpu_buddy_alloc_blocks(&hbm->mm, 0, tile->range.visible, size, size, &blocks,
					     flags);
	} while (err == -ENOSPC && give_kept(tile, account));
	if (err)
		return err;
	/* The smallest page is the whole size, so there is one block. */
	*block = list_first_entry(&blocks, struct gpu_buddy_block, link);
	list_move_tail(&(*block)->link, &hbm->own);
	return 0;
}

/**
 * xetile_hbm_alloc() - take one contiguous piece for the driver itself
 * @tile: tile to take it from
 * @size: bytes; the piece is aligned to @size rounded up to a power of two
 * @account: account of the file that needs the piece; it outlives the piece; NULL: the kernel's
 *	own
 * @dpa: out: device physical address
 * @cookie: out: what xetile_hbm_free() wants
 *
 * The piece is within reach of the CPU, and dirty.
 *
 * Context: process; takes the allocator's mutex.
 * Return: 0, -EDQUOT when the user of @account has as much pinned HBM as a user may have, -ENOSPC
 * or -ENOMEM.
 */
int xetile_hbm_alloc(struct xetile_tile *tile, u64 size, struct xetile_account *account, u64 *dpa,
		     void **cookie)
{
	struct xetile_hbm *hbm = tile->hbm;
	struct gpu_buddy_block *block = NULL;
	int err;

	size = roundup_pow_of_two(max_t(u64, size, SZ_4K));
	err = pin(tile, account, size);
	if (err)
		return err;

	mutex_lock(&hbm->lock);
	xetile_hbm_ahead_collect(&hbm->ahead);
	err = -ENOSPC;
	if (may_pin(tile, account, size)) {
		if (size == SZ_4K)
			block = xetile_hbm_kept_take(&hbm->tables, &hbm->own);
		err = block ? 0 : take_block(tile, size, account, &block);
	}
	mutex_unlock(&hbm->lock);
	if (err) {
		unpin(tile, account, size);
		return err;
	}

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
 * Context: process; takes the allocator's mutex.
 */
void xetile_hbm_free(struct xetile_tile *tile, void *cookie)
{
	struct xetile_hbm *hbm = tile->hbm;
	struct gpu_buddy_block *block = cookie;
	LIST_HEAD(blocks);

	unpin(tile, block->private, gpu_buddy_block_size(&hbm->mm, block));
	mutex_lock(&hbm->lock);
	if (!xetile_hbm_kept_put(&hbm->contexts, block) &&
	    !xetile_hbm_kept_put(&hbm->tables, block)) {
		list_move(&block->link, &blocks);
		/*
		 * As a list, because gpu_buddy_free_block() would keep a block that was clear once
		 * marked clear.
		 */
		gpu_buddy_free_list(&hbm->mm, &blocks, 0);
		xetile_hbm_kept_fill(&hbm->contexts, tile->range.visible);
	}
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
 * Context: process; takes the allocator's mutex.
 * Return: bytes that xetile_hbm_save_own() writes.
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
 * Free memory is not known to be clear any more.
 *
 * Context: process; takes the allocator's mutex.
 */
void xetile_hbm_restore_own(struct xetile_tile *tile, void *buf)
{
	struct xetile_hbm *hbm = tile->hbm;

	copy_own(tile, buf, false);
	mutex_lock(&hbm->lock);
	xetile_hbm_ahead_lose(&hbm->ahead);
	mutex_unlock(&hbm->lock);
	/* Flush the write-combining buffers before an engine is told of the memory */
	wmb();
}

static void hbm_tile_fini(struct drm_device *drm, void *arg)
{
	struct xetile_hbm *hbm = arg;

	mutex_lock(&hbm->lock);
	xetile_hbm_kept_give_all(&hbm->tables);
	xetile_hbm_kept_give_all(&hbm->contexts);
	mutex_unlock(&hbm->lock);
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
	xetile_hbm_kept_init(&hbm->tables, &hbm->mm, &hbm->lock, SZ_4K, MOST_TABLES);
	xetile_hbm_kept_init(&hbm->contexts, &hbm->mm, &hbm->lock, CONTEXT_SIZE,
			     min(hbm->reserve / 2 / CONTEXT_SIZE, MOST_CONTEXTS));
	tile->range.capacity = tile->range.usable - hbm->reserve;
	err = gpu_buddy_init(&hbm->mm, tile->range.usable, SZ_4K);
	if (err) {
		mutex_destroy(&hbm->lock);
		return err;
	}
	gpu_buddy_driver_set_lock(&hbm->mm, &hbm->lock);
	mutex_lock(&hbm->lock);
	xetile_hbm_kept_fill(&hbm->contexts, tile->range.visible);
	mutex_unlock(&hbm->lock);
	tile->hbm = hbm;
	err = drmm_add_action_or_reset(&xt->drm, hbm_tile_fini, hbm);
	if (err)
		return err;
	snprintf(region, sizeof(region), "hbm%u", tile->id);
	/* Only the memory of BOs is charged, and BOs never have the reserve. */
	hbm->region = drmm_cgroup_register_region(&xt->drm, region, xetile_hbm_capacity(tile));
	return PTR_ERR_OR_ZERO(hbm->region);
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
