/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PM_ROOM_H__
#define __XETILE_PM_ROOM_H__

#include <linux/list.h>
#include <linux/types.h>

#include "card/xetile_tile.h"

struct xetile_device;
struct xetile_pm_piece;

/**
 * struct xetile_pm_room - system memory for the contents of HBM
 * @xt: the card
 * @told: the kernel has told that the machine is about to sleep, and not yet that this is over
 * @image: all of it will be copied once more, to the image of a hibernation
 * @pieces: for BOs
 * @users: bytes of @pieces
 * @own: for the driver's own memory on each tile
 * @own_room: bytes of each @own
 * @own_size: bytes of each @own that are used
 */
struct xetile_pm_room {
	struct xetile_device *xt;
	bool told;
	bool image;
	struct list_head pieces;
	u64 users;
	void *own[XETILE_MAX_TILES];
	u64 own_room[XETILE_MAX_TILES];
	u64 own_size[XETILE_MAX_TILES];
};

/**
 * struct xetile_pm_cursor - a position in the memory for BOs
 * @piece: the piece
 * @offset: bytes into it
 */
struct xetile_pm_cursor {
	struct xetile_pm_piece *piece;
	u64 offset;
};

void xetile_pm_room_init(struct xetile_pm_room *room, struct xetile_device *xt);
int xetile_pm_room_take(struct xetile_pm_room *room, u64 users, bool early);
void xetile_pm_room_give(struct xetile_pm_room *room);
struct xetile_pm_cursor xetile_pm_room_begin(struct xetile_pm_room *room);
dma_addr_t xetile_pm_room_next(struct xetile_pm_cursor *at);

#endif
