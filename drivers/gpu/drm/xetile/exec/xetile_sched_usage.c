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

#include "exec/xetile_execlist.h"
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
 * When the engine has left the context the scheduler reads the count, from HBM, and adds what it
 * has grown by. The time between a switch and the interrupt that tells of it is nobody's.
 *
 * The count has 32 bits, and a context may have its engine for longer. The CPU's clock tells how
 * long ago it was loaded, which is how long it had the engine at most, and nearly. Of a context
 * that a reset has lost, and of a count that cannot be true, the time by the CPU's clock counts.
 *
 * Of a context that an engine has now, the engine's register has the count. An engine that is busy
 * with something else takes a context some time after it was loaded: until then it counts nothing.
 * A read of a register takes long with the lock held, and anybody may ask for times as often as
 * they like: an engine is asked once in a turn, and again when the clocks may differ by then. In
 * between the CPU's clock tells.
 *
 * The execution lock protects the sums.
 */

/* What the two clocks may differ by: a part of the time, and some ticks */
#define CLOCK_SHIFT	8
#define CLOCK_TICKS	1000

/* For how long an engine's answer is good enough to add the time by the CPU's clock to it */
#define ASK_NS		(100 * NSEC_PER_MSEC)

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

/*
 * A context's time in a turn. @ticks: what the count has grown by; @owned: ticks since it was
 * loaded, by the CPU's clock
 */
static u64 turn_ticks(u32 ticks, u64 owned)
{
	u64 most = owned + (owned >> CLOCK_SHIFT) + CLOCK_TICKS;

	if (ticks > most)
		return owned;
	/* With as many rounds of the count as there was time for */
	return ticks + ((most - ticks) & ~(u64)U32_MAX);
}

/* The time of a turn that is over. @saved: the engine has saved the count */
static u64 member_ticks(struct xetile_sched_queue *sq, unsigned int member, u64 owned, bool saved)
{
	u32 ticks;

	lockdep_assert_held(&sq->xt->sched->lock);
	/* The card may be gone, and nothing runs any more whose time would be wrong later. */
	if (sq->xt->sched->wedged)
		return owned;
	ticks = xetile_lrc_take_ticks(sq->lrcs[member]);
	return saved ? turn_ticks(ticks, owned) : owned;
}

/*
 * Have an engine's answer tell the time from now on. @count: its ticks at some time from @from_ns
 * to @until_ns. An answer that fits the last one changes nothing: otherwise what two calls tell
 * could differ by more than the time between them, because one read took longer than another.
 */
static void note_answer(struct xetile_sched_queue *sq, unsigned int member, u64 count, u64 from_ns,
			u64 until_ns)
{
	u64 most = to_ticks(sq->xt, until_ns - from_ns), told;

	lockdep_assert_held(&sq->xt->sched->lock);
	if (sq->asked_ns[member]) {
		told = sq->asked[member] + to_ticks(sq->xt, from_ns - sq->asked_ns[member]);
		count = clamp(told, count - min(count, most), count);
	}
	sq->asked[member] = count;
	sq->asked_ns[member] = from_ns;
}

/* The time of a turn that goes on */
static u64 present_ticks(struct xetile_sched_queue *sq, unsigned int member)
{
	u64 now = xetile_sched_now(), owned = to_ticks(sq->xt, now - sq->used_ns[member]);
	u64 *asked_ns = &sq->asked_ns[member];
	struct xetile_lrc *lrc = sq->lrcs[member];
	struct xetile_execlist *port;
	u32 count;

	lockdep_assert_held(&sq->xt->sched->lock);
	if (sq->xt->sched->wedged)
		return owned;
	port = xetile_sched_engine(sq->xt, sq->gang.members[member].engine)->execlist;
	if (!xetile_execlist_has(port, lrc))
		return 0;
	if ((!*asked_ns || now >= *asked_ns + ASK_NS) && xetile_execlist_read_time(port, &count))
		note_answer(sq, member, turn_ticks(xetile_lrc_ticks_until(lrc, count), owned), now,
			    xetile_sched_now());
	return *asked_ns ? sq->asked[member] + to_ticks(sq->xt, now - *asked_ns) : owned;
}

static void add(struct xetile_sched_ticks *sum, struct xetile_engine *engine, u64 ticks)
{
	struct xetile_tile *tile = engine->tile;
	u32 rest;

	lockdep_assert_held(&tile->xt->sched->lock);
	if (engine->class != XETILE_ENGINE_COMPUTE) {
		sum->copy[tile->id] += ticks;
		return;
	}
	/* The tile stays in its mode as long as a queue owns one of its engines. */
	for (rest = engine->mode_cslices; rest; rest &= rest - 1)
		sum->cslice[tile->id][__ffs(rest)] += ticks;
}

/**
 * xetile_sched_usage_begin() - a queue's contexts are loaded
 * @sq: the queue
 *
 * Those that are loaded already go on.
 *
 * Context: the execution lock is held.
 */
void xetile_sched_usage_begin(struct xetile_sched_queue *sq)
{
	struct xetile_sched *sched = sq->xt->sched;
	u64 now = xetile_sched_now();
	unsigned int m;

	lockdep_assert_held(&sched->lock);
	for (m = 0; m < sq->gang.num_members; m++) {
		if (sq->used & BIT(m))
			continue;
		sq->used |= BIT(m);
		sq->used_ns[m] = now;
		sq->asked_ns[m] = 0;
		if (sched->busy)
			busy_begin(&sched->busy[sq->gang.members[m].engine], now);
	}
}

static void member_left(struct xetile_sched_queue *sq, unsigned int member, bool saved)
{
	struct xetile_sched *sched = sq->xt->sched;
	unsigned int e = sq->gang.members[member].engine;
	u64 ticks;

	lockdep_assert_held(&sched->lock);
	if (!(sq->used & BIT(member)))
		return;
	sq->used &= ~BIT(member);
	ticks = member_ticks(sq, member, to_ticks(sq->xt, xetile_sched_now() - sq->used_ns[member]),
			     saved);
	if (sq->usage)
		add(&sq->usage->ticks, xetile_sched_engine(sq->xt, e), ticks);
	if (sched->busy)
		busy_end(&sched->busy[e], sq->used_ns[member],
			 xetile_sched_usage_ns(sq->xt, ticks));
}

/**
 * xetile_sched_usage_left() - an engine has saved a context and left it: count its time
 * @sq: the queue
 * @member: number of the context, whose engine is still the queue's
 *
 * Context: the execution lock is held.
 */
void xetile_sched_usage_left(struct xetile_sched_queue *sq, unsigned int member)
{
	member_left(sq, member, true);
}

/**
 * xetile_sched_usage_end() - a queue has left its engines
 * @sq: the queue
 *
 * Counts the time of the contexts that no engine has reported as left.
 *
 * Context: the execution lock is held.
 */
void xetile_sched_usage_end(struct xetile_sched_queue *sq)
{
	unsigned int m;

	for (m = 0; m < sq->gang.num_members; m++)
		member_left(sq, m, false);
}

/* Add the time of the context that an engine has now, if it is a file's. */
static void add_present(struct xetile_sched_ticks *sum, const struct xetile_sched_usage *usage,
			struct xetile_sched *sched, unsigned int engine)
{
	struct xetile_sched_queue *sq = xetile_gang_to_sq(sched->dispatch.owners[engine]);
	unsigned int m;

	lockdep_assert_held(&sched->lock);
	for (m = 0; m < sq->gang.num_members && sq->usage == usage; m++)
		if (sq->gang.members[m].engine == engine && (sq->used & BIT(m)))
			add(sum, xetile_sched_engine(sched->xt, engine), present_ticks(sq, m));
}

/* Those who subtract what they were told before must never find less. */
static void tell_no_less(struct xetile_sched_ticks *ticks, struct xetile_sched_ticks *told)
{
	u64 *now = (u64 *)ticks, *before = (u64 *)told;
	unsigned int i;

	for (i = 0; i < sizeof(*ticks) / sizeof(u64); i++) {
		now[i] = max(now[i], before[i]);
		before[i] = now[i];
	}
}

/**
 * xetile_sched_usage_read() - how much engine time was used
 * @xt: the card
 * @usage: of a file
 * @ticks: out: the time, with the turns that are not over yet
 *
 * Of a context that an engine has now the engine is asked, or was asked a moment ago. While it
 * switches the time counts since the context was loaded, which is a little more than the engine had
 * it. No later call tells less: it tells the same until the time is right again.
 *
 * Context: any; takes the execution lock.
 */
void xetile_sched_usage_read(struct xetile_device *xt, struct xetile_sched_usage *usage,
			     struct xetile_sched_ticks *ticks)
{
	struct xetile_sched *sched = xt->sched;
	unsigned long flags;
	u64 rest;

	/* Nothing changes here, so the dispatcher need not look. */
	spin_lock_irqsave(&sched->lock, flags);
	*ticks = usage->ticks;
	for (rest = sched->dispatch.owned; rest; rest &= rest - 1)
		add_present(ticks, usage, sched, __ffs64(rest));
	tell_no_less(ticks, &usage->told);
	spin_unlock_irqrestore(&sched->lock, flags);
}
