// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_sched_usage.h"

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/time64.h>

#include "exec/xetile_cslice.h"
#include "exec/xetile_cslice_map.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_sched_engine.h"
#include "exec/xetile_sched_lock.h"
#include "exec/xetile_sched_types.h"
#include "xetile_device.h"

/**
 * DOC: engine time
 *
 * How long the queues of a file used engines, for the statistics of the file. An engine counts the
 * time that it has a context, in ticks of the card's clock, and saves the count with the context.
 * When a turn is over the scheduler adds what each context's count has grown by. The time between
 * a switch and the interrupt that tells of it is nobody's.
 *
 * The count has 32 bits, and a turn may be longer. The CPU's clock tells how long the queue owned
 * its engines: the context had its engine for that long at most, and in practice for nearly as
 * long, or the engine was idle for minutes without a report. Of a context that a reset has lost,
 * of a count that cannot be true, and of a turn that goes on, the time by the CPU's clock counts.
 *
 * The execution lock protects the sums.
 */

/* What the two clocks may differ by: a part of the time, and some ticks */
#define CLOCK_SHIFT	8
#define CLOCK_TICKS	1000

/**
 * xetile_sched_usage_create() - begin to count engine time
 *
 * Context: process; may sleep.
 *
 * Return: a reference for xetile_sched_usage_put(), or NULL without memory.
 */
struct xetile_sched_usage *xetile_sched_usage_create(void)
{
	struct xetile_sched_usage *usage = kzalloc(sizeof(*usage), GFP_KERNEL_ACCOUNT);

	if (usage)
		kref_init(&usage->ref);
	return usage;
}

/**
 * xetile_sched_usage_get() - take a reference
 * @usage: usage the caller has a reference of
 *
 * Context: any.
 */
void xetile_sched_usage_get(struct xetile_sched_usage *usage)
{
	kref_get(&usage->ref);
}

static void usage_release(struct kref *ref)
{
	kfree(container_of(ref, struct xetile_sched_usage, ref));
}

/**
 * xetile_sched_usage_put() - drop a reference
 * @usage: usage, or NULL
 *
 * Context: any.
 */
void xetile_sched_usage_put(struct xetile_sched_usage *usage)
{
	if (usage)
		kref_put(&usage->ref, usage_release);
}

/*
 * An engine's time, as one number that can be read without a lock: the sum of the turns that are
 * over. While a turn goes on its begin is taken from that, by which the number is negative, because
 * no engine was used for longer than the machine has been up.
 */
static void busy_begin(atomic64_t *busy, u64 begin_ns)
{
	s64 sum = atomic64_read(busy);

	if (sum >= 0)
		atomic64_set(busy, min(sum - (s64)begin_ns, -1));
}

static void busy_end(atomic64_t *busy, u64 begin_ns, u64 ns)
{
	s64 sum = atomic64_read(busy);

	/* The engine may have had its context before anybody watched. */
	if (sum < 0)
		sum += begin_ns;
	atomic64_set(busy, sum + ns);
}

/**
 * xetile_sched_usage_busy() - how long contexts had an engine
 * @busy: of the engine
 * @now_ns: xetile_sched_now()
 *
 * The time of a turn that goes on may turn out to be a little less than told before.
 *
 * Context: any, NMIs included.
 * Return: ns since the module came.
 */
u64 xetile_sched_usage_busy(const atomic64_t *busy, u64 now_ns)
{
	s64 sum = atomic64_read(busy);

	return sum < 0 ? max(sum + (s64)now_ns, 0) : sum;
}

/**
 * xetile_sched_usage_watch() - count how long engines have contexts
 * @sched: execution state
 * @busy: a number for each engine, which goes on from what it is; lives longer than @sched
 *
 * Context: any; takes the execution lock.
 */
void xetile_sched_usage_watch(struct xetile_sched *sched, atomic64_t *busy)
{
	unsigned long flags = xetile_sched_lock(sched);

	sched->busy = busy;
	xetile_sched_unlock(sched, flags);
}

static u64 to_ticks(const struct xetile_device *xt, u64 ns)
{
	return mul_u64_u32_div(ns, xt->timestamp_hz, NSEC_PER_SEC);
}

/**
 * xetile_sched_usage_ns() - engine time in ns
 * @xt: the card
 * @ticks: the time in ticks of its clock
 *
 * Context: any.
 * Return: ns.
 */
u64 xetile_sched_usage_ns(const struct xetile_device *xt, u64 ticks)
{
	return mul_u64_u64_div_u64(ticks, NSEC_PER_SEC, xt->timestamp_hz);
}

/* A context's time in a turn. @owned: ticks for which its queue owned the engine */
static u64 member_ticks(struct xetile_sched_queue *sq, unsigned int member, u64 owned)
{
	u64 most = owned + (owned >> CLOCK_SHIFT) + CLOCK_TICKS;
	u32 ticks = xetile_lrc_take_ticks(sq->lrcs[member]);

	lockdep_assert_held(&sq->xt->sched->lock);
	if (sq->lost & BIT(member) || ticks > most)
		return owned;
	/* With as many rounds of the count as there was time for */
	return ticks + ((most - ticks) & ~(u64)U32_MAX);
}

static void add(struct xetile_sched_ticks *sum, struct xetile_engine *engine, u64 ticks)
{
	struct xetile_tile *tile = engine->tile;
	unsigned long slices;
	unsigned int s;

	lockdep_assert_held(&tile->xt->sched->lock);
	if (engine->class != XETILE_ENGINE_COMPUTE) {
		sum->copy[tile->id] += ticks;
		return;
	}
	/* The tile stays in its mode as long as a queue owns one of its engines. */
	slices = xetile_cslice_owned(tile->fuse.cslice_mask, xetile_ccs_present(tile),
				     engine->instance);
	for_each_set_bit(s, &slices, XETILE_MAX_CSLICES)
		sum->cslice[tile->id][s] += ticks;
}

/**
 * xetile_sched_usage_begin() - a turn begins
 * @sq: a queue whose gang is given its engines
 *
 * Context: the execution lock is held.
 */
void xetile_sched_usage_begin(struct xetile_sched_queue *sq)
{
	struct xetile_sched *sched = sq->xt->sched;
	unsigned int m;

	lockdep_assert_held(&sched->lock);
	for (m = 0; m < sq->gang.num_members && sched->busy; m++)
		busy_begin(&sched->busy[sq->gang.members[m].engine], sq->gang.dispatched_ns);
}

/**
 * xetile_sched_usage_turn() - count a turn that is over
 * @sq: a queue whose gang has just left its engines
 *
 * Context: the execution lock is held.
 */
void xetile_sched_usage_turn(struct xetile_sched_queue *sq)
{
	u64 owned = to_ticks(sq->xt, xetile_sched_now() - sq->gang.dispatched_ns);
	struct xetile_sched *sched = sq->xt->sched;
	unsigned int m;

	lockdep_assert_held(&sched->lock);
	for (m = 0; m < sq->gang.num_members; m++) {
		unsigned int e = sq->gang.members[m].engine;
		u64 ticks = member_ticks(sq, m, owned);

		if (sq->usage)
			add(&sq->usage->ticks, xetile_sched_engine(sq->xt, e), ticks);
		if (sched->busy)
			busy_end(&sched->busy[e], sq->gang.dispatched_ns,
				 xetile_sched_usage_ns(sq->xt, ticks));
	}
	sq->lost = 0;
}

/**
 * xetile_sched_usage_read() - how much engine time was used
 * @xt: the card
 * @usage: of a file
 * @ticks: out: the time, with the turns that are not over yet
 *
 * Of a turn that goes on the time counts since the queue got its engines, which is a little more
 * than the context had them. So a later call may tell less, by that little.
 *
 * Context: any; takes the execution lock.
 */
void xetile_sched_usage_read(struct xetile_device *xt, struct xetile_sched_usage *usage,
			     struct xetile_sched_ticks *ticks)
{
	struct xetile_sched *sched = xt->sched;
	unsigned long flags;
	u64 now, rest;

	/* Nothing changes here, so the dispatcher need not look. */
	spin_lock_irqsave(&sched->lock, flags);
	now = xetile_sched_now();
	*ticks = usage->ticks;
	for (rest = sched->dispatch.owned; rest; rest &= rest - 1) {
		unsigned int e = __ffs64(rest);
		struct xetile_sched_queue *sq =
			xetile_gang_to_sq(sched->dispatch.owners[e]);

		if (sq->usage == usage)
			add(ticks, xetile_sched_engine(xt, e),
			    to_ticks(xt, now - sq->gang.dispatched_ns));
	}
	spin_unlock_irqrestore(&sched->lock, flags);
}
