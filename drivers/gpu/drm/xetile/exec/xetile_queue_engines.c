// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_queue_engines.h"

#include <linux/bits.h>
#include <linux/lockdep.h>

#include "exec/xetile_cslice.h"
#include "exec/xetile_cslice_loan.h"
#include "exec/xetile_cslice_map.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_queue_types.h"
#include "exec/xetile_sched_engine.h"
#include "xetile_device.h"

/**
 * DOC: engines of a queue
 *
 * A queue has its engines as long as it has work: for compute by the binding of the process's
 * virtual slice, or by a loan of all slices; for copy it may have any one that is free.
 *
 * A queue may name the engines of its tile that it is content with, its *placements*: for copy by
 * their instances, for compute by virtual slices. A queue that names all copy engines is like one
 * that names none. One that names some gets one of them, the least busy, when it gets work: so
 * the sets of engines that queues wait for are the engines, and all of them, whatever masks users
 * think of. The scheduler looks at each set.
 *
 * Functions that say so are called under the execution lock.
 */

/* Places of a group: each compute engine in each mode, the copy engines, the kernel's own */
#define COMPUTE_PLACES	(XETILE_CSLICE_MODES * XETILE_MAX_CSLICES)
/* Behind these a place for each copy engine alone */
#define SINGLE_PLACES	(COMPUTE_PLACES + 2)

static_assert(SINGLE_PLACES + XETILE_MAX_ENGINES <= XETILE_DISPATCH_GROUP);
static_assert(XETILE_MAX_TILES + 1 <= XETILE_DISPATCH_GROUPS);

static u64 copy_engines(const struct xetile_tile *tile, bool kernel)
{
	u64 mask = 0, all = 0;
	unsigned int i;

	for (i = 0; i < tile->num_engines; i++) {
		const struct xetile_engine *engine = &tile->engines[i];
		u64 bit = xetile_sched_engine_bit(engine);

		if (engine->class != XETILE_ENGINE_COPY)
			continue;
		all |= bit;
		if (engine->kernel_only == kernel)
			mask |= bit;
	}
	/* The kernel shares the engine when there is but one. */
	return mask ?: all;
}

/* Those of a queue's placements, as the dispatcher knows them */
static u64 copy_placements(const struct xetile_queue *queue)
{
	const struct xetile_tile *tile = queue->tiles[0];
	u64 mask = 0;
	unsigned int i;

	for (i = 0; i < tile->num_engines; i++) {
		const struct xetile_engine *engine = &tile->engines[i];

		if (engine->class == XETILE_ENGINE_COPY && !engine->kernel_only &&
		    queue->placements & BIT(engine->instance))
			mask |= xetile_sched_engine_bit(engine);
	}
	return mask;
}

/* How busy a copy engine is: by queues that can have no other first */
static unsigned int copy_load(const struct xetile_sched *sched, unsigned int engine)
{
	lockdep_assert_held(&sched->lock);
	return 2 * sched->singles[engine] + (sched->dispatch.owners[engine] ? 1 : 0);
}

/* The least busy engine of a mask; among equals the one that the queue had last */
static unsigned int copy_pick(const struct xetile_queue *queue, u64 mask)
{
	const struct xetile_sched *sched = queue->sq.xt->sched;
	unsigned int last = queue->sq.gang.members[0].engine;
	unsigned int best = XETILE_DISPATCH_NONE;
	u64 rest;

	for (rest = mask; rest; rest &= rest - 1) {
		unsigned int engine = __ffs64(rest);
		unsigned int load = copy_load(sched, engine);

		if (best == XETILE_DISPATCH_NONE || load < copy_load(sched, best) ||
		    (engine == last && load == copy_load(sched, best)))
			best = engine;
	}
	return best;
}

static u64 copy_candidates(struct xetile_queue *queue, unsigned int member)
{
	bool kernel = queue->target == XETILE_QUEUE_KERNEL;
	u64 all = copy_engines(queue->tiles[member], kernel);
	u64 mask = queue->placements ? copy_placements(queue) : all;
	unsigned int engine;

	if (mask == all)
		return all;
	engine = copy_pick(queue, mask);
	queue->sq.xt->sched->singles[engine]++;
	queue->single = true;
	return BIT_ULL(engine);
}

static bool queue_has_loan(const struct xetile_queue *queue)
{
	return queue->sq.loan > 1;
}

static struct xetile_engine *bind_slice(struct xetile_queue *queue, struct xetile_tile *tile,
					unsigned int mode)
{
	if (queue->placements)
		queue->slice = xetile_cslice_choose(queue->client, tile, mode, queue->placements);
	return xetile_cslice_bind(queue->client, tile, mode, queue->slice);
}

static u64 member_candidates(struct xetile_queue *queue, unsigned int member)
{
	struct xetile_tile *tile = queue->tiles[member];
	unsigned int mode = queue_has_loan(queue) ? 1 : queue->modes[member];
	struct xetile_engine *engine;

	lockdep_assert_held(&queue->sq.xt->sched->lock);
	if (!xetile_queue_is_compute(queue))
		return copy_candidates(queue, member);
	engine = queue_has_loan(queue) ? xetile_cslice_borrowed(tile) :
		 bind_slice(queue, tile, mode);
	queue->sq.gang.members[member].domain = tile->id;
	queue->sq.gang.members[member].mode = mode;
	queue->instances[member] = engine->instance;
	/*
	 * The context has invalidated translations on the engine that it had, and this one may
	 * still have them. No job is in the ring, so the next one invalidates in time.
	 */
	if (queue->sq.lrcs[member]->engine != engine)
		queue->sq.lrcs[member]->tlb_seq = 0;
	return xetile_sched_engine_bit(engine);
}

/**
 * xetile_queue_group() - the group of places that a queue wants one of
 * @queue: the queue
 *
 * A tile's places are a group. Queues of several tiles share nothing with those of one.
 *
 * Context: any.
 *
 * Return: its number.
 */
unsigned int xetile_queue_group(const struct xetile_queue *queue)
{
	return queue->num_members > 1 ? XETILE_MAX_TILES : queue->tiles[0]->id;
}

/*
 * The number of what the queue wants, for its share. A queue of several tiles goes by its first
 * engine.
 */
static u8 queue_place(const struct xetile_queue *queue)
{
	const struct xetile_gang_member *member = &queue->sq.gang.members[0];
	unsigned int first = xetile_queue_group(queue) * XETILE_DISPATCH_GROUP;
	const struct xetile_engine *engine;

	/* With a loan its mode is not the queue's own. */
	if (xetile_queue_is_compute(queue))
		return first + xetile_cslice_mode_index(member->mode) * XETILE_MAX_CSLICES +
		       queue->instances[0];
	engine = xetile_sched_engine(queue->sq.xt, __ffs64(member->candidates));
	if (queue->single)
		return first + SINGLE_PLACES + (engine - engine->tile->engines);
	return first + COMPUTE_PLACES + engine->kernel_only;
}

/**
 * xetile_queue_bind() - a queue that had no work gets some
 * @sq: its part that the scheduler knows
 *
 * Context: the execution lock is held.
 */
void xetile_queue_bind(struct xetile_sched_queue *sq)
{
	struct xetile_queue *queue = xetile_sq_to_queue(sq);
	unsigned int m;

	lockdep_assert_held(&sq->xt->sched->lock);
	if (queue->borrows)
		sq->loan = xetile_cslice_borrow(queue->client, queue->tiles, queue->modes,
						queue->num_members);
	for (m = 0; m < queue->num_members; m++)
		sq->gang.members[m].candidates = member_candidates(queue, m);
	sq->gang.place = queue_place(queue);
}

/**
 * xetile_queue_unbind() - a queue has no work any more, and owns no engine
 * @sq: its part that the scheduler knows
 *
 * Context: the execution lock is held.
 */
void xetile_queue_unbind(struct xetile_sched_queue *sq)
{
	struct xetile_queue *queue = xetile_sq_to_queue(sq);
	unsigned int m;

	lockdep_assert_held(&sq->xt->sched->lock);
	if (!xetile_queue_is_compute(queue)) {
		if (queue->single)
			sq->xt->sched->singles[__ffs64(sq->gang.members[0].candidates)]--;
		queue->single = false;
		return;
	}
	if (queue_has_loan(queue)) {
		xetile_cslice_give_back(queue->tiles, queue->num_members);
		sq->loan = 1;
		return;
	}
	for (m = 0; m < queue->num_members; m++)
		xetile_cslice_unbind(queue->client, queue->tiles[m], queue->modes[m],
				     queue->slice);
}

/**
 * xetile_queue_claims() - how many have a claim to what a queue has borrowed
 * @sq: its part that the scheduler knows
 *
 * Context: the execution lock is held.
 *
 * Return: that number.
 */
unsigned int xetile_queue_claims(struct xetile_sched_queue *sq)
{
	struct xetile_queue *queue = xetile_sq_to_queue(sq);

	lockdep_assert_held(&sq->xt->sched->lock);
	return xetile_cslice_claimed(queue->tiles, queue->num_members);
}

/* The virtual slices of each of its tiles that it may use */
static u32 queue_slices(const struct xetile_queue *queue)
{
	return queue->placements ?: BIT(queue->cslice);
}

static void detach_members(struct xetile_queue *queue, unsigned int num)
{
	unsigned int m;

	for (m = 0; m < num; m++)
		xetile_cslice_detach(queue->client, queue->tiles[m], queue->modes[m],
				     queue_slices(queue));
}

/**
 * xetile_queue_attach() - a queue is made: it keeps the modes of its tiles
 * @queue: the queue
 * @wanted: mode that it wants them in, or 0
 *
 * Context: process; takes &xetile_cslices.lock.
 *
 * Return: 0, or the error of xetile_cslice_attach().
 */
int xetile_queue_attach(struct xetile_queue *queue, unsigned int wanted)
{
	unsigned int m;

	if (!xetile_queue_is_compute(queue))
		return 0;
	for (m = 0; m < queue->num_members; m++) {
		int mode = xetile_cslice_attach(queue->client, queue->tiles[m], wanted,
						queue_slices(queue));

		if (mode < 0) {
			detach_members(queue, m);
			return mode;
		}
		queue->modes[m] = mode;
	}
	queue->slice = queue->cslice;
	queue->attached = true;
	return 0;
}

/**
 * xetile_queue_detach() - undo xetile_queue_attach(), if it was not undone
 * @queue: a queue without work
 *
 * Context: process; only the call that closes or frees the queue.
 */
void xetile_queue_detach(struct xetile_queue *queue)
{
	if (!queue->attached)
		return;
	queue->attached = false;
	detach_members(queue, queue->num_members);
}
