/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_TURN_H__
#define __XETILE_TURN_H__

#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>

/* The length of a turn: as long as a batch may run by default */
#define XETILE_TURN_MS		10000u

/** struct xetile_turns - whose turn it is on each tile of a card */
struct xetile_turns {
	/** @lock: protects the rest */
	spinlock_t lock;
	/** @had: mask of the tiles whose turns calls have */
	u32 had;
	/** @line: calls that wait for turns, in the order they came */
	struct list_head line;
	/** @dep_map: a call's turns are one lock for lockdep, taken before any reservation */
	struct lockdep_map dep_map;
};

void xetile_turns_init(struct xetile_turns *turns);
int xetile_turns_take(struct xetile_turns *turns, u32 tiles, bool any, u32 *had);
bool xetile_turns_try(struct xetile_turns *turns, u32 tiles);
u32 xetile_turns_share(struct xetile_turns *turns, u32 tiles);
void xetile_turns_give(struct xetile_turns *turns, u32 tiles);

#endif
