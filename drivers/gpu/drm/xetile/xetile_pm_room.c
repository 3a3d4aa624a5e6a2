// SPDX-License-Identifier: GPL-2.0-only
#include "xetile_pm_room.h"

#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/swap.h>
#include <linux/vmalloc.h>

#include <drm/drm_print.h>

#include "mem/xetile_hbm.h"
#include "xetile_device.h"

/**
 * DOC: room for the contents of HBM
 *
 * The system memory that a sleep of the machine, or of the card alone, needs (xetile_pm.c). The
 * copy engines write the users' part, so that it is mapped for the card, in pieces as large as are
 * easily had. The CPU writes the driver's own part. Sleeps exclude each other, so there is no lock.
 *
 * A hibernation copies all of this memory once more, to its image. So it needs twice as much, and
 * the kernel's own check of its image's size finds the copies of HBM among what is in use.
 */

/* The part of the machine's memory that is left for all others */
#define MARGIN(pages)	((pages) / 16)

/* The driver's own memory may grow a little while users' processes are not frozen yet. */
#define SLACK(bytes)	((bytes) / 8 + SZ_1M)

/* struct xetile_pm_piece - contiguous system memory */
struct xetile_pm_piece {
	struct list_head link;
	struct page *page;
	unsigned int order;
	dma_addr_t dma;
};

static int add_piece(struct xetile_pm_room *room, unsigned int order)
{
	gfp_t gfp = GFP_HIGHUSER | __GFP_NOWARN;
	gfp_t small = GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN;
	struct device *dev = room->xt->drm.dev;
	struct xetile_pm_piece *piece;

	/* Take big pieces only as long as they are easily had */
	gfp |= order ? __GFP_NORETRY : __GFP_RETRY_MAYFAIL;
	piece = kmalloc(sizeof(*piece), small);
	if (!piece)
		return -ENOMEM;
	piece->order = order;
	piece->page = alloc_pages_node(dev_to_node(dev), gfp, order);
	if (!piece->page)
		goto err_free;
	piece->dma = dma_map_page(dev, piece->page, 0, PAGE_SIZE << order, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(dev, piece->dma))
		goto err_pages;
	list_add_tail(&piece->link, &room->pieces);
	room->users += PAGE_SIZE << order;
	return 0;

err_pages:
	__free_pages(piece->page, order);
err_free:
	kfree(piece);
	return -ENOMEM;
}

/* Can so much memory be had without programs being killed? */
static bool memory_suffices(struct xetile_pm_room *room, u64 bytes)
{
	return ((bytes << room->image) >> PAGE_SHIFT) + MARGIN(totalram_pages()) <=
	       si_mem_available() + get_nr_swap_pages();
}

static void tell_no_memory(struct xetile_pm_room *room, u64 bytes, const char *what)
{
	drm_err(&room->xt->drm,
		"the %s cannot %s: no system memory for %sthe %llu MiB of HBM %s\n",
		room->told ? "machine" : "card", room->image ? "hibernate" : "sleep",
		room->image ? "twice " : "", bytes >> 20, what);
}

static int add_pieces(struct xetile_pm_room *room, u64 bytes)
{
	unsigned int order = get_order(SZ_2M);

	if (room->users < bytes && !memory_suffices(room, bytes - room->users))
		return -ENOMEM;
	while (room->users < bytes) {
		if (!add_piece(room, order))
			continue;
		if (!order)
			return -ENOMEM;
		order--;
	}
	return 0;
}

static int take_users(struct xetile_pm_room *room, u64 bytes)
{
	int err = add_pieces(room, bytes);

	if (err)
		tell_no_memory(room, bytes, "in use");
	return err;
}

/* Room for the driver's own memory on a tile, which the CPU copies */
static int take_own_of(struct xetile_pm_room *room, struct xetile_tile *tile, bool early)
{
	u64 size = xetile_hbm_own_size(tile), bytes = early ? size + SLACK(size) : size;
	unsigned int t = tile->id;

	room->own_size[t] = size;
	if (bytes <= room->own_room[t])
		return 0;
	vfree(room->own[t]);
	room->own[t] = NULL;
	room->own_room[t] = 0;
	/* Single pages, because kvmalloc() takes no more than 2 GiB */
	if (memory_suffices(room, bytes))
		room->own[t] = __vmalloc(bytes, GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (!room->own[t]) {
		tell_no_memory(room, size, "that are the driver's own");
		return -ENOMEM;
	}
	room->own_room[t] = bytes;
	return 0;
}

static int take_own(struct xetile_pm_room *room, bool early)
{
	struct xetile_tile *tile;
	int err = 0;

	xetile_for_each_tile(tile, room->xt) {
		err = take_own_of(room, tile, early);
		if (err)
			break;
	}
	return err;
}

/**
 * xetile_pm_room_init() - no memory yet
 * @room: the room
 * @xt: the card
 *
 * Context: any.
 */
void xetile_pm_room_init(struct xetile_pm_room *room, struct xetile_device *xt)
{
	room->xt = xt;
	INIT_LIST_HEAD(&room->pieces);
}

/**
 * xetile_pm_room_take() - have room for all that is in HBM now
 * @room: the room; &xetile_pm_room.image is set
 * @users: bytes of BOs
 * @early: users' processes still run, so that the driver's own memory may grow
 *
 * What is there already is kept. So a second call takes what is missing. If it fails, a line in the
 * log says what has no room; xetile_pm_room_give() gives back what was taken.
 *
 * Context: process; may sleep.
 * Return: 0 or -ENOMEM.
 */
int xetile_pm_room_take(struct xetile_pm_room *room, u64 users, bool early)
{
	return take_users(room, users) ?: take_own(room, early);
}

/**
 * xetile_pm_room_give() - give all memory back
 * @room: the room
 *
 * Context: process; may sleep.
 */
void xetile_pm_room_give(struct xetile_pm_room *room)
{
	struct xetile_pm_piece *piece, *next;
	unsigned int t;

	list_for_each_entry_safe(piece, next, &room->pieces, link) {
		dma_unmap_page(room->xt->drm.dev, piece->dma, PAGE_SIZE << piece->order,
			       DMA_BIDIRECTIONAL);
		__free_pages(piece->page, piece->order);
		kfree(piece);
	}
	INIT_LIST_HEAD(&room->pieces);
	room->users = 0;
	for (t = 0; t < XETILE_MAX_TILES; t++) {
		vfree(room->own[t]);
		room->own[t] = NULL;
		room->own_room[t] = 0;
	}
}

/**
 * xetile_pm_room_begin() - the first page of the memory for BOs
 * @room: the room
 *
 * Context: any.
 * Return: a cursor for xetile_pm_room_next(), which must not be asked for more than there is.
 */
struct xetile_pm_cursor xetile_pm_room_begin(struct xetile_pm_room *room)
{
	return (struct xetile_pm_cursor) {
		.piece = list_first_entry(&room->pieces, struct xetile_pm_piece, link),
	};
}

/**
 * xetile_pm_room_next() - the next page of the memory for BOs
 * @at: where the page before ended; moves on
 *
 * Context: any.
 * Return: the page's address for DMA.
 */
dma_addr_t xetile_pm_room_next(struct xetile_pm_cursor *at)
{
	dma_addr_t dma;

	if (at->offset == PAGE_SIZE << at->piece->order) {
		at->piece = list_next_entry(at->piece, link);
		at->offset = 0;
	}
	dma = at->piece->dma + at->offset;
	at->offset += PAGE_SIZE;
	return dma;
}
