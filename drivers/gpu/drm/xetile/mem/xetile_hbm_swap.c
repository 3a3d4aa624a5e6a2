// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_hbm_swap.h"

#include <linux/cgroup_dmem.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include <drm/ttm/ttm_device.h>

#include "mem/xetile_hbm_residents.h"
#include "mem/xetile_hbm_resource.h"
#include "mem/xetile_hbm_split.h"
#include "mem/xetile_hbm_types.h"
#include "mem/xetile_overlay.h"
#include "mem/xetile_place.h"
#include "mem/xetile_recolor_types.h"
#include "xetile_device.h"

/**
 * DOC: a buffer of which a part moves
 *
 * TTM knows moves from one resource to another. When a buffer is recolored, the new resource has
 * memory only for what moves. The swap gives it the rest of the buffer's memory, and leaves the
 * old resource with the old places of what moved, which TTM frees when the copy is done. All that
 * can fail happens before, so that the swap itself cannot. xetile_recolor_move.c calls, with the
 * buffer's reservation held; allocators' mutexes and the lock of the residents are taken here.
 */

/* Adds a piece behind the last one. If there is no array, it is only counted. */
static void add_piece(struct xetile_pieces *pieces, const struct xetile_extent *piece)
{
	struct xetile_extent *last = &pieces->last;

	if (pieces->num && last->tile == piece->tile && last->addr + last->size == piece->addr) {
		last->size += piece->size;
	} else {
		*last = *piece;
		if (pieces->ext)
			pieces->start[pieces->num] = pieces->size;
		pieces->num++;
	}
	if (pieces->ext)
		pieces->ext[pieces->num - 1] = *last;
	pieces->size += piece->size;
}

static void add_part(struct xetile_pieces *pieces, const struct xetile_layout *from, u64 offset,
		     u64 size)
{
	while (size) {
		struct xetile_extent piece = { };

		piece.size = xetile_layout_find(from, offset, size, &piece.addr);
		piece.tile = from->ext[xetile_layout_index(from, offset)].tile;
		add_piece(pieces, &piece);
		offset += piece.size;
		size -= piece.size;
		cond_resched();
	}
}

static void layout_of(const struct xetile_hbm_resource *res, struct xetile_layout *layout)
{
	*layout = (struct xetile_layout) {
		.ext = res->ext, .start = res->start, .num = res->num,
		.size = res->num ? res->start[res->num - 1] + res->ext[res->num - 1].size : 0,
	};
}

/*
 * List the pieces that move and those of the BO, or count them if there are no arrays. Returns 0,
 * or -ERESTARTSYS when the caller is killed.
 */
static int walk(struct xetile_hbm_swap *swap, const struct xetile_recolor *recolor)
{
	struct xetile_layout old, new;
	u64 at = 0, taken = 0;
	unsigned int i;

	layout_of(swap->old, &old);
	layout_of(swap->new, &new);
	for (i = 0; i < recolor->num; i++) {
		const struct xetile_change *c = &recolor->changes[i];

		if (!c->taken)
			continue;
		add_part(&swap->all, &old, at, c->offset - at);
		add_part(&swap->all, &new, taken, c->taken);
		add_part(&swap->moved, &old, c->offset, c->taken);
		if (fatal_signal_pending(current))
			return -ERESTARTSYS;
		at = c->offset + c->taken;
		taken += c->taken;
	}
	add_part(&swap->all, &old, at, old.size - at);
	return 0;
}

static int make_room(struct xetile_pieces *pieces)
{
	struct xetile_pieces empty = { };

	empty.ext = kvcalloc(max(pieces->num, 1), sizeof(*empty.ext), GFP_KERNEL_ACCOUNT);
	empty.start = kvcalloc(max(pieces->num, 1), sizeof(*empty.start), GFP_KERNEL_ACCOUNT);
	*pieces = empty;
	return empty.ext && empty.start ? 0 : -ENOMEM;
}

static void free_pieces(struct xetile_pieces *pieces)
{
	kvfree(pieces->ext);
	kvfree(pieces->start);
}

static int list_pieces(struct xetile_hbm_swap *swap, const struct xetile_recolor *recolor)
{
	unsigned int i;
	int err;

	err = walk(swap, recolor) ?: make_room(&swap->moved) ?: make_room(&swap->all) ?:
	      walk(swap, recolor);
	if (err)
		return err;
	for (i = 0; i < swap->moved.num; i++)
		swap->bytes[swap->moved.ext[i].tile] += swap->moved.ext[i].size;
	return 0;
}

static int take_blocks(struct xetile_device *xt, struct xetile_hbm_swap *swap)
{
	struct xetile_span *spans;
	struct xetile_tile *tile;
	unsigned int i, num;
	int err = 0;

	spans = kvmalloc_array(max(swap->moved.num, 1), sizeof(*spans), GFP_KERNEL_ACCOUNT);
	if (!spans)
		return -ENOMEM;
	for (i = 0; i < swap->moved.num; i++) {
		spans[i].start = swap->moved.ext[i].addr;
		spans[i].end = spans[i].start + swap->moved.ext[i].size;
	}
	num = xetile_spans_merge(spans, swap->moved.num);
	xetile_for_each_tile(tile, xt)
		if (!err && swap->bytes[tile->id])
			err = xetile_hbm_split(tile, &swap->old->blocks[tile->id], spans, num,
					       &swap->blocks[tile->id]);
	kvfree(spans);
	return err;
}

/*
 * A group that pays for the BO's memory on a tile goes on to pay for what stays there: a charge of
 * nothing gives the new resource a reference of the group, and the swap moves the bytes from one
 * to the other. When the caller's group is another one, it pays for all the BO has on the tile,
 * as if the BO had moved.
 */
static int charge(struct xetile_device *xt, struct xetile_hbm_swap *swap)
{
	struct xetile_hbm_resource *old = swap->old, *new = swap->new;
	u64 bytes[XETILE_MAX_TILES];
	struct xetile_tile *tile;
	int err;

	xetile_for_each_tile(tile, xt) {
		unsigned int t = tile->id;
		u64 kept = old->bytes[t] - swap->bytes[t];

		bytes[t] = new->charged[t];
		if (!kept || !old->pools[t])
			continue;
		if (!new->pools[t]) {
			err = dmem_cgroup_try_charge(tile->hbm->region, 0, &new->pools[t], NULL);
			if (err)
				return err;
		}
		if (new->pools[t] != old->pools[t])
			bytes[t] = kept + new->bytes[t];
	}
	return xetile_hbm_charge(xt, new, bytes);
}

/**
 * xetile_hbm_swap_begin() - prepare a swap
 * @xt: card
 * @swap: filled in; nothing to cancel on failure
 * @old: where the BO lies
 * @new: memory for the parts that move
 * @recolor: the parts, for which @new has memory as far as it was taken
 *
 * Return: 0; -ENOSPC: the caller's control group has as much HBM as it may; -ENOMEM; -ERESTARTSYS:
 * the caller is killed.
 */
int xetile_hbm_swap_begin(struct xetile_device *xt, struct xetile_hbm_swap *swap,
			  struct xetile_hbm_resource *old, struct xetile_hbm_resource *new,
			  const struct xetile_recolor *recolor)
{
	unsigned int t;
	int err;

	*swap = (struct xetile_hbm_swap) { .old = old, .new = new };
	for (t = 0; t < XETILE_MAX_TILES; t++)
		INIT_LIST_HEAD(&swap->blocks[t]);
	err = list_pieces(swap, recolor) ?: charge(xt, swap) ?: take_blocks(xt, swap);
	if (!err)
		return 0;
	xetile_hbm_swap_cancel(xt, swap);
	return err == -EAGAIN ? -ENOSPC : err;
}

/**
 * xetile_hbm_swap_cancel() - give a prepared swap up
 * @xt: card
 * @swap: the swap; both resources have what they had
 *
 * Context: process; takes allocators' mutexes.
 */
void xetile_hbm_swap_cancel(struct xetile_device *xt, struct xetile_hbm_swap *swap)
{
	struct xetile_tile *tile;

	xetile_for_each_tile(tile, xt) {
		mutex_lock(&tile->hbm->lock);
		list_splice_init(&swap->blocks[tile->id], &swap->old->blocks[tile->id]);
		mutex_unlock(&tile->hbm->lock);
	}
	free_pieces(&swap->moved);
	free_pieces(&swap->all);
}

static void swap_tile(struct xetile_tile *tile, struct xetile_hbm_swap *swap)
{
	struct xetile_hbm_resource *old = swap->old, *new = swap->new;
	unsigned int t = tile->id;
	u64 kept = old->bytes[t] - swap->bytes[t];

	mutex_lock(&tile->hbm->lock);
	list_splice_init(&old->blocks[t], &new->blocks[t]);
	list_splice_init(&swap->blocks[t], &old->blocks[t]);
	mutex_unlock(&tile->hbm->lock);
	old->bytes[t] -= kept;
	new->bytes[t] += kept;
	if (kept && old->pools[t] && old->pools[t] == new->pools[t]) {
		old->charged[t] -= kept;
		new->charged[t] += kept;
	}
	/* Both are the BO's, so they count for one file. */
	old->counted[t] -= kept;
	new->counted[t] += kept;
}

static void set_pieces(struct xetile_hbm_resource *res, struct xetile_pieces *pieces)
{
	swap(res->ext, pieces->ext);
	swap(res->start, pieces->start);
	res->num = pieces->num;
	res->room = pieces->num;
}

static bool is_beyond(struct xetile_device *xt, const struct xetile_extent *piece)
{
	const struct xetile_tile *tile = &xt->tiles[piece->tile];

	return piece->addr + piece->size > tile->range.base + tile->range.visible;
}

/**
 * xetile_hbm_swap_end() - make a swap
 * @xt: card
 * @swap: the swap; not to be cancelled any more
 *
 * Context: process; takes allocators' mutexes.
 */
void xetile_hbm_swap_end(struct xetile_device *xt, struct xetile_hbm_swap *swap)
{
	struct ttm_resource_manager *base = ttm_manager_type(&xt->ttm, XETILE_PL_HBM);
	struct xetile_hbm_manager *man = container_of(base, struct xetile_hbm_manager, base);
	struct xetile_tile *tile;
	unsigned int i;

	xetile_for_each_tile(tile, xt)
		swap_tile(tile, swap);
	/* The machine's sleep walks the pieces of all residents. */
	xa_lock(&man->residents);
	set_pieces(swap->new, &swap->all);
	set_pieces(swap->old, &swap->moved);
	xetile_hbm_residents_swap(man, swap->old, swap->new);
	xa_unlock(&man->residents);
	swap->new->beyond = false;
	for (i = 0; i < swap->new->num; i++)
		if (is_beyond(xt, &swap->new->ext[i]))
			swap->new->beyond = true;
	free_pieces(&swap->moved);
	free_pieces(&swap->all);
}
