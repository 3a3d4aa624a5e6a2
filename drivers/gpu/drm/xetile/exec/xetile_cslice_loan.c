// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_cslice_loan.h"

#include <linux/bitops.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/spinlock.h>
#include <linux/time64.h>

#include "card/xetile_engine.h"
#include "exec/xetile_ccs.h"
#include "exec/xetile_client.h"
#include "exec/xetile_cslice_map.h"
#include "exec/xetile_cslice_types.h"
#include "xetile_device.h"

/**
 * DOC: idle slices
 *
 * In modes 2 and 4 the slices idle whose engines have no work. A batch runs on one engine, so the
 * only way to give it their execution units is another mode. A queue that asks for it *borrows*
 * them: while no compute queue has work on any of its tiles, it runs in mode 1, where one engine
 * has all slices of a tile. The administrator allows that by the policy "lend".
 *
 * That is decided when the queue gets work, as other bindings are, because a batch that was
 * interrupted goes on only on as many slices as it began on. From when another queue has work on
 * one of the tiles, the loan ends:
 *
 * - The tile's engines take turns in the two modes, as for any queues of two modes
 *   (xetile_dispatch_epoch.c). The turns of the queue with the loan are as many times shorter as
 *   its slices are more, or as there are others' slices with work, whichever is more, and no weight
 *   makes them longer than those of the usual weight. So it has less of the tile than its own slice
 *   is, however many batches it has (xetile_cslice_turn()).
 * - No more of its batches begin. Those in its rings, two at most, run to their end with the loan;
 *   the next one binds the queue's own slice again, unless the others' work is done by then.
 *
 * Work of another process counts for a second after its end. Otherwise a process that waits for
 * each of its batches before it submits the next would meet a loan with every one of them.
 *
 * There is one loan of a tile at most, because the second queue that has work finds the first
 * one's.
 *
 * The execution lock, which callers hold, orders loans and bindings. &xetile_cslices.lock, which is
 * taken here, protects the state.
 */

/* How long a tile is not lent after another process had work there */
#define QUIET_NS	NSEC_PER_SEC

/* Had another process work on the tile a moment ago? */
static bool is_claimed(struct xetile_tile *tile)
{
	const struct xetile_cslices *cs = tile->xt->cslices;
	u64 claimed_ns = cs->claimed_ns[tile->id];

	lockdep_assert_held(&cs->lock);
	return claimed_ns && ktime_get_ns() - claimed_ns < QUIET_NS;
}

/* A process would borrow: what others had done there since it last would counts as just done. */
static void note_borrower(const struct xetile_client *client, struct xetile_tile *tile)
{
	struct xetile_cslices *cs = tile->xt->cslices;

	lockdep_assert_held(&cs->lock);
	if (cs->borrower[tile->id] == client->pid)
		return;
	if (cs->borrower[tile->id])
		cs->claimed_ns[tile->id] = ktime_get_ns();
	put_pid(cs->borrower[tile->id]);
	cs->borrower[tile->id] = get_pid(client->pid);
}

/* What a tile says to a queue that would borrow its slices, or does */
static struct xetile_cslice_lender lender_of(struct xetile_tile *tile, unsigned int mode)
{
	const struct xetile_cslices *cs = tile->xt->cslices;

	lockdep_assert_held(&cs->lock);
	return (struct xetile_cslice_lender) {
		.mode = mode,
		.lends = cs->policy[tile->id] == XETILE_CCS_LEND,
		.working = max(xetile_cslice_working(cs->load[tile->id]),
			       (unsigned int)is_claimed(tile)),
	};
}

/**
 * xetile_cslice_borrow() - a queue has work, and would borrow the slices of its tiles
 * @client: its process
 * @tiles: the tiles
 * @modes: the queue's own mode of each
 * @num: how many, 1 at least
 *
 * Context: any, under the execution lock; takes &xetile_cslices.lock.
 * Return: how many times its own slices it has until xetile_cslice_give_back(); 1: it has its own,
 * and gives nothing back.
 */
unsigned int xetile_cslice_borrow(const struct xetile_client *client,
				  struct xetile_tile *const *tiles, const unsigned int *modes,
				  unsigned int num)
{
	struct xetile_cslices *cs = tiles[0]->xt->cslices;
	struct xetile_cslice_lender lenders[XETILE_MAX_TILES];
	unsigned int t, times;
	unsigned long flags;

	spin_lock_irqsave(&cs->lock, flags);
	for (t = 0; t < num; t++) {
		note_borrower(client, tiles[t]);
		lenders[t] = lender_of(tiles[t], modes[t]);
		lenders[t].working += cs->lent[tiles[t]->id];
	}
	times = xetile_cslice_loan(lenders, num);
	for (t = 0; t < num && times > 1; t++)
		cs->lent[tiles[t]->id] = true;
	spin_unlock_irqrestore(&cs->lock, flags);
	return times;
}

/**
 * xetile_cslice_give_back() - a queue with a loan has no work any more
 * @tiles: its tiles
 * @num: how many
 *
 * Context: any, under the execution lock; takes &xetile_cslices.lock.
 */
void xetile_cslice_give_back(struct xetile_tile *const *tiles, unsigned int num)
{
	struct xetile_cslices *cs = tiles[0]->xt->cslices;
	unsigned long flags;
	unsigned int t;

	spin_lock_irqsave(&cs->lock, flags);
	for (t = 0; t < num; t++)
		cs->lent[tiles[t]->id] = false;
	spin_unlock_irqrestore(&cs->lock, flags);
}

/**
 * xetile_cslice_claimed() - how many have a claim to the slices that a queue has borrowed
 * @tiles: its tiles
 * @num: how many
 *
 * Context: any, under the execution lock; takes &xetile_cslices.lock.
 * Return: slices of others that have work, on the tile with most of them, and one for a policy that
 * lends no more; 0: the loan goes on.
 */
unsigned int xetile_cslice_claimed(struct xetile_tile *const *tiles, unsigned int num)
{
	struct xetile_cslices *cs = tiles[0]->xt->cslices;
	struct xetile_cslice_lender lenders[XETILE_MAX_TILES];
	unsigned long flags;
	unsigned int t;

	spin_lock_irqsave(&cs->lock, flags);
	for (t = 0; t < num; t++)
		lenders[t] = lender_of(tiles[t], 1);
	spin_unlock_irqrestore(&cs->lock, flags);
	return xetile_cslice_claims(lenders, num);
}

/**
 * xetile_cslice_borrowed() - the engine of a tile that is lent
 * @tile: the tile
 *
 * Context: any.
 *
 * Return: the engine of mode 1, which has all slices.
 */
struct xetile_engine *xetile_cslice_borrowed(struct xetile_tile *tile)
{
	u32 engines = xetile_cslice_engines(tile->fuse.cslice_mask, 1);

	return xetile_engine_find(tile, XETILE_ENGINE_COMPUTE, __ffs(engines));
}
