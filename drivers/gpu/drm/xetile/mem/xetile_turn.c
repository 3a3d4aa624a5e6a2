// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_turn.h"

#include <linux/completion.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/spinlock.h>

/**
 * DOC: whose turn it is to have busy buffers evicted from a tile
 *
 * Each tile has a turn, so that calls that lack room on different tiles do not wait for each other.
 * A call gets all the turns that it needs at one time, and has none while it waits for any. So
 * calls cannot wait for each other in a circle, and no turn is kept from others by a call that
 * cannot use it yet.
 *
 * A call that can use room on any tile takes all the turns that nobody has, because the tile whose
 * jobs end first is not known before, nor is the tile with the buffer that was used longest ago.
 * But it gives those up that others need, except one.
 *
 * Calls stand in line. Who needs only turns that nobody has goes ahead of a call that needs others
 * as well, but only for as long as a turn lasts. After that the turns are kept for the call that
 * has waited so long: otherwise calls that need one tile each could keep a call that needs two
 * waiting for ever.
 */

/* A call in the line; on its stack */
struct waiter {
	struct list_head link;
	struct completion granted;
	/* The tiles that it lacks room on, and whether the turn of one of them is enough */
	u32 tiles;
	bool any;
	/* The tiles whose turns it was given */
	u32 had;
	/* When it came, in 64-bit jiffies */
	u64 since;
};

/* Give the turns that nobody has to those in the line. */
static void grant(struct xetile_turns *turns, u64 now)
{
	u32 taken = turns->had;
	struct waiter *w, *next;

	lockdep_assert_held(&turns->lock);
	list_for_each_entry_safe(w, next, &turns->line, link) {
		u32 got = w->tiles & ~taken;

		if (w->any ? got : got == w->tiles) {
			w->had = got;
			turns->had |= got;
			taken |= got;
			list_del_init(&w->link);
			/* The call may return now, and @w is gone then. */
			complete(&w->granted);
		} else if (now - w->since >= msecs_to_jiffies(XETILE_TURN_MS)) {
			taken |= w->tiles;
		}
	}
}

static void join(struct xetile_turns *turns, struct waiter *w, u64 now)
{
	w->since = now;
	init_completion(&w->granted);
	spin_lock(&turns->lock);
	list_add_tail(&w->link, &turns->line);
	grant(turns, now);
	spin_unlock(&turns->lock);
}

/* Give up: the call may have been given its turns a moment ago. */
static void leave(struct xetile_turns *turns, struct waiter *w, u64 now)
{
	spin_lock(&turns->lock);
	list_del_init(&w->link);
	turns->had &= ~w->had;
	grant(turns, now);
	spin_unlock(&turns->lock);
}

static void give(struct xetile_turns *turns, u32 tiles, u64 now)
{
	spin_lock(&turns->lock);
	turns->had &= ~tiles;
	grant(turns, now);
	spin_unlock(&turns->lock);
}

/* End turns that calls in the line can use at once, but keep one. Returns those that are kept. */
static u32 share(struct xetile_turns *turns, u32 tiles, u64 now)
{
	u32 keep = tiles, reserved = 0;
	struct waiter *w;

	spin_lock(&turns->lock);
	list_for_each_entry(w, &turns->line, link) {
		if (w->any)
			continue;
		if (!(w->tiles & ((turns->had & ~keep) | reserved)) && (keep & ~w->tiles))
			keep &= ~w->tiles;
		/* grant() passes over nobody who has waited for so long. */
		else if (now - w->since >= msecs_to_jiffies(XETILE_TURN_MS))
			reserved |= w->tiles;
	}
	turns->had &= ~(tiles & ~keep);
	grant(turns, now);
	spin_unlock(&turns->lock);
	return keep;
}

/* Take turns if nobody has them, and nobody waits for them */
static bool try(struct xetile_turns *turns, u32 tiles)
{
	struct waiter *w;
	u32 taken;

	spin_lock(&turns->lock);
	taken = turns->had;
	list_for_each_entry(w, &turns->line, link)
		taken |= w->tiles;
	if (!(tiles & taken))
		turns->had |= tiles;
	spin_unlock(&turns->lock);
	return !(tiles & taken);
}

/**
 * xetile_turns_init() - nobody has a turn
 * @turns: the turns of a card
 */
void xetile_turns_init(struct xetile_turns *turns)
{
	static struct lock_class_key key;

	spin_lock_init(&turns->lock);
	turns->had = 0;
	INIT_LIST_HEAD(&turns->line);
	lockdep_init_map(&turns->dep_map, "xetile_turns", &key, 0);
}

/**
 * xetile_turns_take() - wait for the turns of some tiles
 * @turns: the turns of a card; the caller has none of them
 * @tiles: mask of the tiles, not empty
 * @any: the turn of one of the tiles is enough; the caller gets those that nobody has
 * @had: out: mask of the tiles whose turns the caller has
 *
 * Context: process, with no reservation.
 * Return: 0, or -ERESTARTSYS when a signal comes: the caller has no turn then.
 */
int xetile_turns_take(struct xetile_turns *turns, u32 tiles, bool any, u32 *had)
{
	struct waiter w = { .tiles = tiles, .any = any };

	mutex_acquire(&turns->dep_map, 0, 0, _RET_IP_);
	join(turns, &w, get_jiffies_64());
	if (wait_for_completion_interruptible(&w.granted)) {
		leave(turns, &w, get_jiffies_64());
		mutex_release(&turns->dep_map, _RET_IP_);
		return -ERESTARTSYS;
	}
	*had = w.had;
	return 0;
}

/**
 * xetile_turns_try() - take the turns of some tiles if nobody has them or waits for them
 * @turns: the turns of a card; the caller has none of them
 * @tiles: mask of the tiles, not empty
 *
 * Context: process; reservations may be held, because nothing is waited for.
 * Return: true if the caller has all of them now, else it has none.
 */
bool xetile_turns_try(struct xetile_turns *turns, u32 tiles)
{
	if (!try(turns, tiles))
		return false;
	mutex_acquire(&turns->dep_map, 0, 1, _RET_IP_);
	return true;
}

/**
 * xetile_turns_share() - end turns that others wait for, but keep one
 * @turns: the turns of a card
 * @tiles: mask of the tiles whose turns the caller has: all of them; one of them is enough
 *
 * For a call that can use room on any tile, from time to time: it has more turns than it must have.
 * It ends none of them for another such call, which would make each of them wait for one tile only.
 *
 * Context: the task that has taken them; reservations may be held.
 * Return: mask of the tiles whose turns the caller still has, not empty.
 */
u32 xetile_turns_share(struct xetile_turns *turns, u32 tiles)
{
	return share(turns, tiles, get_jiffies_64());
}

/**
 * xetile_turns_give() - end turns
 * @turns: the turns of a card
 * @tiles: mask of the tiles whose turns the caller has: all of them
 *
 * Context: the task that has taken them; reservations may be held.
 */
void xetile_turns_give(struct xetile_turns *turns, u32 tiles)
{
	mutex_release(&turns->dep_map, _RET_IP_);
	give(turns, tiles, get_jiffies_64());
}
