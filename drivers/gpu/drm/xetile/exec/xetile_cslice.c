// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_cslice.h"

#include <linux/bitops.h>
#include <linux/hashtable.h>
#include <linux/ktime.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include <drm/drm_print.h>

#include "card/xetile_engine.h"
#include "exec/xetile_ccs.h"
#include "exec/xetile_client.h"
#include "exec/xetile_cslice_map.h"
#include "exec/xetile_cslice_types.h"
#include "xetile_device.h"

/**
 * DOC: virtual compute slices
 *
 * The mode of a tile (xetile_ccs.c) says how many compute engines share out its slices.
 * Within a process the slices 0..mode-1 of a tile are numbers of its own: its
 * queues of one number share an engine, those of different numbers never do.
 * Which engine it is follows from the load: when the first queue of a number gets
 * work, the number is bound to the least loaded engine that none of the process's
 * other working numbers has, and keeps it until its last batch is done. So two
 * processes that both ask for slice 0 run side by side when there is room.
 *
 * Virtual slices of several modes are several engines, and have loads of their own. A queue that
 * borrows idle slices (xetile_cslice_loan.c) has no binding.
 *
 * Queues call these functions. &xetile_cslices.lock, which is taken here, protects bindings and
 * loads.
 */

static_assert(XETILE_CSLICES == XETILE_MAX_CSLICES);

/* The slices that a process has in a mode, the first of @mode */
static struct xetile_cslice_virtual *find_slices(struct xetile_client *client,
						 struct xetile_tile *tile, unsigned int mode)
{
	return client->cslices[tile->id][xetile_cslice_mode_index(mode)];
}

/**
 * xetile_cslice_attach() - a queue of a process wants to use a virtual slice
 * @client: the process
 * @tile: the tile
 * @wanted: mode that it wants the tile in, or 0
 * @slices: mask of slices within the process, of which it uses one at a time
 *
 * Holds the mode until xetile_cslice_detach().
 *
 * Context: any; takes &xetile_cslices.lock.
 * Return: the mode that the queue has the tile in; -EINVAL: the tile has no such mode, or the mode
 * no such slice; -EBUSY: the policy forbids another mode than the tile's.
 */
int xetile_cslice_attach(struct xetile_client *client, struct xetile_tile *tile,
			 unsigned int wanted, u32 slices)
{
	struct xetile_cslices *cs = tile->xt->cslices;
	unsigned long flags;
	unsigned int s;
	int mode;

	spin_lock_irqsave(&cs->lock, flags);
	mode = tile->fuse.cslice_mask ? xetile_ccs_grant_locked(tile, wanted) : -EINVAL;
	if (mode >= 0 && slices >> mode)
		mode = -EINVAL;
	if (mode >= 0) {
		cs->holders[tile->id]++;
		WRITE_ONCE(client->members[tile->id], client->members[tile->id] + 1);
		for (s = 0; s < mode; s++)
			find_slices(client, tile, mode)[s].queues += slices >> s & 1;
	}
	spin_unlock_irqrestore(&cs->lock, flags);
	return mode;
}

static struct xetile_cslice_load *find_load(struct xetile_tile *tile, unsigned int mode)
{
	return tile->xt->cslices->load[tile->id][xetile_cslice_mode_index(mode)];
}

static void forget_binding(struct xetile_tile *tile, struct xetile_cslice_load *load,
			   struct xetile_cslice_virtual *vs)
{
	lockdep_assert_held(&tile->xt->cslices->lock);
	if (vs->instance != XETILE_CSLICE_UNBOUND)
		load[vs->instance].bound--;
	vs->instance = XETILE_CSLICE_UNBOUND;
}

/**
 * xetile_cslice_detach() - undo one xetile_cslice_attach()
 * @client: the process
 * @tile: the tile
 * @mode: the mode that this returned
 * @slices: its mask
 *
 * Context: process; takes &xetile_cslices.lock; may sleep without it.
 */
void xetile_cslice_detach(struct xetile_client *client, struct xetile_tile *tile,
			  unsigned int mode, u32 slices)
{
	struct xetile_cslices *cs = tile->xt->cslices;
	struct xetile_cslice_virtual *vs = find_slices(client, tile, mode);
	unsigned long flags;
	unsigned int s;
	bool last;

	spin_lock_irqsave(&cs->lock, flags);
	WRITE_ONCE(client->members[tile->id], client->members[tile->id] - 1);
	for (s = 0; s < mode; s++)
		if (slices & BIT(s) && !--vs[s].queues)
			forget_binding(tile, find_load(tile, mode), &vs[s]);
	last = !--cs->holders[tile->id];
	spin_unlock_irqrestore(&cs->lock, flags);

	if (last && tile->ccs_idle)
		tile->ccs_idle(tile);
}

/* Engines on which no other slice of the process has work */
static u32 free_instances(struct xetile_tile *tile, unsigned int mode,
			  const struct xetile_cslice_virtual *slices, unsigned int cslice)
{
	unsigned int s;
	u32 engines = xetile_cslice_engines(tile->fuse.cslice_mask, mode);

	lockdep_assert_held(&tile->xt->cslices->lock);
	for (s = 0; s < mode; s++)
		if (s != cslice && slices[s].busy)
			engines &= ~BIT(slices[s].instance);
	return engines;
}

/* Bind a slice that gets work to the best engine. In mode 1 it keeps its own, the only one. */
static void pick_instance(struct xetile_tile *tile, struct xetile_cslice_load *load,
			  struct xetile_cslice_virtual *vs, u32 candidates)
{
	int last = vs->instance;

	lockdep_assert_held(&tile->xt->cslices->lock);
	if (last != XETILE_CSLICE_UNBOUND && candidates == BIT(last))
		return;
	forget_binding(tile, load, vs);
	vs->instance = xetile_cslice_pick(load, candidates, last);
	load[vs->instance].bound++;
}

/* A process other than the one that would borrow has, or had until now, work on a tile. */
static void note_work(struct xetile_client *client, struct xetile_tile *tile)
{
	struct xetile_cslices *cs = tile->xt->cslices;

	lockdep_assert_held(&cs->lock);
	if (client->pid != cs->borrower[tile->id])
		cs->claimed_ns[tile->id] = ktime_get_ns();
}

/**
 * xetile_cslice_choose() - a queue that may use one of several virtual slices gets work
 * @client: the process
 * @tile: the tile
 * @mode: mode that the queue has the tile in
 * @slices: mask of the slices, all of the mode
 *
 * Context: any, under the execution lock; takes &xetile_cslices.lock.
 * Return: the slice to bind it to, by xetile_cslice_bind(): one on which the process has no work,
 * or else the one whose engine is the least busy.
 */
unsigned int xetile_cslice_choose(struct xetile_client *client, struct xetile_tile *tile,
				  unsigned int mode, u32 slices)
{
	const struct xetile_cslice_load *load = find_load(tile, mode);
	const struct xetile_cslice_virtual *vs = find_slices(client, tile, mode);
	unsigned int s, busy, best = __ffs(slices), least = UINT_MAX;
	unsigned long flags;

	spin_lock_irqsave(&tile->xt->cslices->lock, flags);
	for (s = 0; s < mode; s++) {
		if (!(slices & BIT(s)))
			continue;
		/* Beside others of the process a queue shares its engine with all who are there. */
		busy = vs[s].busy ? vs[s].busy + load[vs[s].instance].busy : 0;
		if (busy < least) {
			best = s;
			least = busy;
		}
	}
	spin_unlock_irqrestore(&tile->xt->cslices->lock, flags);
	return best;
}

/**
 * xetile_cslice_bind() - a queue on a virtual slice has work
 * @client: the process
 * @tile: the tile
 * @mode: mode that the queue has the tile in
 * @cslice: number of the slice within the process
 *
 * Context: any, under the execution lock; takes &xetile_cslices.lock.
 * Return: the engine to run it on, until xetile_cslice_unbind().
 */
struct xetile_engine *xetile_cslice_bind(struct xetile_client *client, struct xetile_tile *tile,
					 unsigned int mode, unsigned int cslice)
{
	struct xetile_cslices *cs = tile->xt->cslices;
	struct xetile_cslice_load *load = find_load(tile, mode);
	struct xetile_cslice_virtual *slices = find_slices(client, tile, mode);
	struct xetile_cslice_virtual *vs = &slices[cslice];
	unsigned int instance;
	unsigned long flags;

	spin_lock_irqsave(&cs->lock, flags);
	if (!vs->busy++) {
		pick_instance(tile, load, vs, free_instances(tile, mode, slices, cslice));
		load[vs->instance].busy++;
		note_work(client, tile);
	}
	instance = vs->instance;
	spin_unlock_irqrestore(&cs->lock, flags);
	return xetile_engine_find(tile, XETILE_ENGINE_COMPUTE, instance);
}

/**
 * xetile_cslice_unbind() - a queue on a virtual slice has no work any more
 * @client: the process
 * @tile: the tile
 * @mode: mode that the queue has the tile in
 * @cslice: number of the slice within the process
 *
 * Context: any, under the execution lock; takes &xetile_cslices.lock.
 */
void xetile_cslice_unbind(struct xetile_client *client, struct xetile_tile *tile,
			  unsigned int mode, unsigned int cslice)
{
	struct xetile_cslices *cs = tile->xt->cslices;
	struct xetile_cslice_virtual *vs = &find_slices(client, tile, mode)[cslice];
	unsigned long flags;

	spin_lock_irqsave(&cs->lock, flags);
	if (!--vs->busy) {
		find_load(tile, mode)[vs->instance].busy--;
		note_work(client, tile);
	}
	spin_unlock_irqrestore(&cs->lock, flags);
}

/* The slices of a process in one mode, as they were a moment ago */
static void print_slices(const struct xetile_cslice_virtual *slices, struct drm_printer *p,
			 pid_t pid, unsigned int mode)
{
	unsigned int s;

	for (s = 0; s < mode; s++)
		if (slices[s].queues && slices[s].instance != XETILE_CSLICE_UNBOUND)
			drm_printf(p,
				   "  process %d mode %u slice %u engine ccs%d queues %u busy %u\n",
				   pid, mode, s, slices[s].instance, slices[s].queues,
				   slices[s].busy);
}

/**
 * xetile_cslice_print() - print to which engine each virtual slice of a tile is bound
 * @tile: the tile
 * @p: where to print
 *
 * A line for each slice that a process has queues on and that had work once; "busy" are those of
 * the queues that have work now. Processes have the numbers of the reader's pid namespace.
 *
 * Context: process, that of the reader; takes &xetile_cslices.lock for one process at a time.
 */
void xetile_cslice_print(struct xetile_tile *tile, struct drm_printer *p)
{
	struct xetile_cslice_virtual slices[XETILE_CSLICE_MODES][XETILE_MAX_CSLICES];
	struct pid_namespace *ns = task_active_pid_ns(current);
	struct xetile_cslices *cs = tile->xt->cslices;
	struct xetile_client *client;
	unsigned long flags;
	unsigned int mode;
	int bucket;

	rcu_read_lock();
	hash_for_each_rcu(cs->clients, bucket, client, node) {
		spin_lock_irqsave(&cs->lock, flags);
		memcpy(slices, client->cslices[tile->id], sizeof(slices));
		spin_unlock_irqrestore(&cs->lock, flags);
		for (mode = 1; mode <= XETILE_MAX_CSLICES; mode *= 2)
			print_slices(slices[xetile_cslice_mode_index(mode)], p,
				     pid_nr_ns(client->pid, ns), mode);
	}
	rcu_read_unlock();
}
