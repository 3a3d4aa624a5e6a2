// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_gang.h"

#include <linux/bug.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/string.h>

/**
 * DOC: who runs on which engine
 *
 * A *unit* is what must start together: the 1..T contexts of a queue. The
 * dispatcher gives a unit all its engines at once or none, and takes them back
 * all at once::
 *
 *	        wake, resume            all engines free
 *	  IDLE ------------->  READY  --------------------->  RUNNING
 *	   ^  <-------------     ^                             |   |
 *	   |     suspend         | all off, work left          |   | slice over
 *	   |                     +---------------+             |   | and wanted,
 *	   |                                     |             |   | or suspended
 *	   |  all off, no work left              |             |   v
 *	   +------------------------------- STOPPING <---------|---+
 *	   +---------------------------------------------------+
 *
 * Waiting units are looked at by priority, then by turns. One that cannot start
 * reserves the engines it could have, so that nobody behind it takes them: a gang
 * is never starved by single contexts that keep one of its engines busy. And as
 * nobody ever owns one engine while it waits for another there is no deadlock.
 *
 * Turns go round by client first, so that a client gets no more for having more
 * units. The waiting units of a client that have the same priority and want the
 * same engines are a *line*: its first unit is the next to start, and with each
 * start the line goes behind all others. All lines of one priority that want the
 * same engines are a *set*. Where the first unit of a set cannot start nobody else
 * of the set can; so only the first units of the sets are ever looked at. How many
 * sets there are is a matter of the card's engines, not of how many clients and
 * units wait. No unit is searched for: the rings of a line and of a set go through
 * the units themselves, and whoever comes first in a ring stands for it.
 *
 * An engine is taken away only if somebody waits for it: at once by a higher
 * priority, after a time slice by the same, never by a lower one. A unit that
 * loses its engines goes to the end of its line.
 *
 * The lowest priority is not starved: of each of its sets one unit at a time, when it
 * has waited for long, takes its next turn at the priority above, which is a slice of
 * the usual length among those of everybody there.
 *
 * A batch's time limit counts the time its unit owned engines, not the time it
 * waited for them. A unit that was asked to leave has a time of its own to do so:
 * otherwise whoever waits for its engines would wait as long as its batch likes.
 */

/* A slice of weight 100; weights scale it within the bounds below. */
#define SLICE_NS	5000000ull
#define SLICE_MIN_NS	1000000ull
#define SLICE_MAX_NS	50000000ull
#define WEIGHT_DEFAULT	100

/* What a set of the lowest priority waits until one turn of it is raised */
#define LOW_WAITS_NS	(16 * SLICE_NS)

/* What a unit without work may take to leave its engines without being asked */
#define SETTLE_NS	1000000000ull
/* What a unit may take to leave its engines when asked to */
#define LEAVE_NS	640000000ull

/* Units that own an engine, each once: a unit stands at its first member's. */
static struct xetile_gang_unit *owner_at(struct xetile_gang *gang, unsigned int engine)
{
	struct xetile_gang_unit *unit = gang->owners[engine];

	return unit && unit->members[0].engine == engine ? unit : NULL;
}

/**
 * xetile_gang_init() - an idle dispatcher
 * @gang: to initialize
 * @ops: the owner
 * @usable: mask of engines that exist
 */
void xetile_gang_init(struct xetile_gang *gang, const struct xetile_gang_ops *ops, u64 usable)
{
	unsigned int p;

	memset(gang, 0, sizeof(*gang));
	gang->ops = ops;
	gang->usable = usable;
	for (p = 0; p < XETILE_GANG_PRIORITIES; p++)
		INIT_LIST_HEAD(&gang->ready[p]);
}

/**
 * xetile_gang_client_init() - a client without units
 * @client: to initialize; lives longer than its units
 */
void xetile_gang_client_init(struct xetile_gang_client *client)
{
	INIT_LIST_HEAD(&client->lines);
}

/**
 * xetile_gang_unit_init() - an idle unit
 * @unit: to initialize; its owner sets the candidates before it wakes it
 * @client: whose it is
 * @num_members: contexts, 1..XETILE_GANG_MEMBERS
 * @priority: 0 low, 1 normal, 2 high
 * @weight: scales the time slice; 100 is the normal one
 * @limit_ns: engine time a batch may take
 */
void xetile_gang_unit_init(struct xetile_gang_unit *unit, struct xetile_gang_client *client,
			   unsigned int num_members, unsigned int priority, unsigned int weight,
			   u64 limit_ns)
{
	u64 slice = SLICE_NS / WEIGHT_DEFAULT * weight;
	unsigned int m;

	memset(unit, 0, sizeof(*unit));
	unit->client = client;
	unit->num_members = num_members;
	unit->priority = priority;
	unit->rank = priority;
	unit->limit_ns = limit_ns;
	unit->leave_ns = LEAVE_NS;
	unit->slice_ns = slice < SLICE_MIN_NS ? SLICE_MIN_NS :
			 slice > SLICE_MAX_NS ? SLICE_MAX_NS : slice;
	for (m = 0; m < num_members; m++)
		unit->members[m].engine = XETILE_GANG_NONE;
	INIT_LIST_HEAD(&unit->line);
	INIT_LIST_HEAD(&unit->turn);
}

/* Whether two units want the same engines, at the same rank */
static bool same_wants(const struct xetile_gang_unit *a, const struct xetile_gang_unit *b)
{
	unsigned int m;

	if (a->rank != b->rank || a->num_members != b->num_members)
		return false;
	for (m = 0; m < a->num_members; m++)
		if (a->members[m].candidates != b->members[m].candidates)
			return false;
	return true;
}

/* The first unit of the line that @unit belongs into, or NULL */
static struct xetile_gang_unit *line_find(struct xetile_gang *gang,
					  const struct xetile_gang_unit *unit)
{
	struct xetile_gang_unit *first;

	list_for_each_entry(first, &unit->client->lines, mine) {
		gang->looks++;
		if (same_wants(first, unit))
			return first;
	}
	return NULL;
}

/* The first unit of the set that @unit belongs into, or NULL */
static struct xetile_gang_unit *set_find(struct xetile_gang *gang,
					 const struct xetile_gang_unit *unit)
{
	struct xetile_gang_unit *first;

	list_for_each_entry(first, &gang->ready[unit->rank], set) {
		gang->looks++;
		if (same_wants(first, unit))
			return first;
	}
	return NULL;
}

/* @unit, the first of its line, stands for its set from now on. */
static void set_insert(struct xetile_gang *gang, struct xetile_gang_unit *unit)
{
	struct list_head *ready = &gang->ready[unit->rank];
	struct list_head *before;

	unit->place = XETILE_GANG_FIRST_OF_SET;
	for (before = ready->prev; before != ready; before = before->prev) {
		gang->looks++;
		if (list_entry(before, struct xetile_gang_unit, set)->turn_no < unit->turn_no)
			break;
	}
	list_add(&unit->set, before);
}

/* The line whose first unit is @unit has its next turn when all others had theirs. */
static void line_append(struct xetile_gang *gang, struct xetile_gang_unit *unit)
{
	struct xetile_gang_unit *set = set_find(gang, unit);

	unit->turn_no = ++gang->last_turn;
	unit->place = XETILE_GANG_FIRST_OF_LINE;
	list_add_tail(&unit->mine, &unit->client->lines);
	if (set)
		list_add_tail(&unit->turn, &set->turn);
	else
		set_insert(gang, unit);
}

/* The line whose first unit is @unit leaves its set. */
static void line_remove(struct xetile_gang *gang, struct xetile_gang_unit *unit)
{
	list_del(&unit->mine);
	if (unit->place == XETILE_GANG_FIRST_OF_SET) {
		list_del(&unit->set);
		if (!list_empty(&unit->turn)) {
			struct xetile_gang_unit *next =
				list_first_entry(&unit->turn, struct xetile_gang_unit, turn);

			next->raised_ns = unit->raised_ns;
			set_insert(gang, next);
		}
	}
	list_del_init(&unit->turn);
	unit->place = XETILE_GANG_IN_LINE;
}

/* @next is the first of @unit's line in its stead, and the turn stays the line's. */
static void line_inherit(struct xetile_gang_unit *unit, struct xetile_gang_unit *next)
{
	next->place = unit->place;
	next->turn_no = unit->turn_no;
	list_add(&next->mine, &unit->mine);
	list_del(&unit->mine);
	list_add(&next->turn, &unit->turn);
	list_del_init(&unit->turn);
	if (unit->place == XETILE_GANG_FIRST_OF_SET) {
		list_add(&next->set, &unit->set);
		list_del(&unit->set);
	}
	unit->place = XETILE_GANG_IN_LINE;
}

static void ready_push(struct xetile_gang *gang, struct xetile_gang_unit *unit)
{
	struct xetile_gang_unit *first = line_find(gang, unit);

	unit->state = XETILE_GANG_READY;
	unit->place = XETILE_GANG_IN_LINE;
	unit->raised_ns = 0;
	if (first)
		list_add_tail(&unit->line, &first->line);
	else
		line_append(gang, unit);
	gang->changed = true;
}

/* @turn_taken: it starts, so that its line has had its turn */
static void ready_remove(struct xetile_gang *gang, struct xetile_gang_unit *unit, bool turn_taken)
{
	struct xetile_gang_unit *next = NULL;

	if (!list_empty(&unit->line))
		next = list_first_entry(&unit->line, struct xetile_gang_unit, line);
	list_del_init(&unit->line);
	unit->state = XETILE_GANG_IDLE;
	gang->changed = true;
	if (unit->place == XETILE_GANG_IN_LINE)
		return;

	if (next)
		next->raised_ns = unit->raised_ns;
	if (next && !turn_taken) {
		line_inherit(unit, next);
		return;
	}
	line_remove(gang, unit);
	if (next)
		line_append(gang, next);
}

static u64 gang_free(const struct xetile_gang *gang)
{
	return gang->usable & ~gang->owned;
}

/*
 * Choose an engine for each member out of @free, the one it had last if
 * possible: its caches may still be warm. Returns whether all got one; those
 * chosen leave @free in either case: they are reserved.
 */
static bool unit_choose(const struct xetile_gang_unit *unit, u64 *free, u8 *engines)
{
	bool all = true;
	unsigned int m;

	for (m = 0; m < unit->num_members; m++) {
		const struct xetile_gang_member *member = &unit->members[m];
		u64 choice = member->candidates & *free;

		if (!choice) {
			all = false;
			continue;
		}
		if (member->engine != XETILE_GANG_NONE && (choice & (1ull << member->engine)))
			engines[m] = member->engine;
		else
			engines[m] = (u8)__builtin_ctzll(choice);
		*free &= ~(1ull << engines[m]);
	}
	return all;
}

static void unit_run(struct xetile_gang *gang, struct xetile_gang_unit *unit)
{
	unsigned int m;

	for (m = 0; m < unit->num_members; m++)
		unit->members[m].on = true;
	gang->ops->run(gang, unit);
}

static void unit_start(struct xetile_gang *gang, struct xetile_gang_unit *unit,
		       const u8 *engines, u64 now)
{
	unsigned int m;

	ready_remove(gang, unit, true);
	for (m = 0; m < unit->num_members; m++) {
		WARN_ON(gang->owners[engines[m]]);
		gang->owners[engines[m]] = unit;
		gang->owned |= 1ull << engines[m];
		unit->members[m].engine = engines[m];
	}
	unit->state = XETILE_GANG_RUNNING;
	unit->dispatched_ns = now;
	unit->since_ns = now;
	unit_run(gang, unit);
}

static void unit_stop(struct xetile_gang *gang, struct xetile_gang_unit *unit, u64 now)
{
	unit->state = XETILE_GANG_STOPPING;
	unit->stopped_ns = now;
	gang->ops->stop(gang, unit);
}

/* Start whoever can be started at one priority; engines that are reserved leave @free. */
static void dispatch_priority(struct xetile_gang *gang, struct list_head *ready, u64 *free,
			      u64 now)
{
	/* The last set that could not start: what is behind it comes next. */
	struct list_head *waits = ready;

	while (*free && waits->next != ready) {
		struct xetile_gang_unit *unit = list_entry(waits->next, struct xetile_gang_unit,
							   set);
		u8 engines[XETILE_GANG_MEMBERS];

		gang->looks++;
		/* What starts takes its line behind all others, and its set with it. */
		if (unit_choose(unit, free, engines))
			unit_start(gang, unit, engines, now);
		else
			waits = &unit->set;
	}
}

/* Start whoever can be started. */
static void gang_dispatch(struct xetile_gang *gang, u64 now)
{
	u64 free = gang_free(gang);
	unsigned int p;

	for (p = XETILE_GANG_PRIORITIES; p-- && free; )
		dispatch_priority(gang, &gang->ready[p], &free, now);
}

/* How long a turn of a unit is */
static u64 unit_slice(const struct xetile_gang_unit *unit)
{
	/* What its weight says holds among its equals. */
	if (unit->rank != unit->priority && unit->slice_ns > SLICE_NS)
		return SLICE_NS;
	return unit->slice_ns;
}

/* The unit is off its engines: give them back. */
static void unit_release(struct xetile_gang *gang, struct xetile_gang_unit *unit, u64 now)
{
	unsigned int m;

	for (m = 0; m < unit->num_members; m++) {
		gang->owners[unit->members[m].engine] = NULL;
		gang->owned &= ~(1ull << unit->members[m].engine);
	}
	if (unit->rank != unit->priority || now >= unit->dispatched_ns + unit_slice(unit))
		unit->waits_ns = now;
	unit->rank = unit->priority;
	unit->ran_ns += now - unit->since_ns;
	unit->state = XETILE_GANG_IDLE;
	gang->changed = true;
	/* It has left after all. Of the others the owner knows what to do, and once is enough. */
	if (unit->stuck || unit->lenient)
		unit->hung = false;
	unit->stuck = false;
	gang->ops->off(gang, unit);
	if (unit->state == XETILE_GANG_IDLE && unit->work && !unit->holds)
		ready_push(gang, unit);
	gang_dispatch(gang, now);
}

/**
 * xetile_gang_wake() - a unit got work
 * @gang: dispatcher
 * @unit: the unit; each of its contexts has got a batch more
 * @now: time in ns
 */
void xetile_gang_wake(struct xetile_gang *gang, struct xetile_gang_unit *unit, u64 now)
{
	if (!unit->work) {
		unit->work = true;
		unit->hung = false;
		unit->stuck = false;
		unit->ran_ns = 0;
		unit->since_ns = now;
		unit->waits_ns = now;
	}

	if (unit->state == XETILE_GANG_RUNNING) {
		unit_run(gang, unit);
	} else if (unit->state == XETILE_GANG_IDLE && !unit->holds) {
		ready_push(gang, unit);
		gang_dispatch(gang, now);
	}
}

/**
 * xetile_gang_progress() - a unit's oldest batch is done
 * @unit: the unit
 * @work: whether another one is unfinished
 * @now: time in ns
 */
void xetile_gang_progress(struct xetile_gang_unit *unit, bool work, u64 now)
{
	unit->work = work;
	unit->hung = false;
	unit->stuck = false;
	unit->ran_ns = 0;
	unit->since_ns = now;
	unit->waits_ns = now;
}

/**
 * xetile_gang_member_off() - an engine is done with a member's context
 * @gang: dispatcher
 * @unit: the unit
 * @member: whose context has run dry or was switched away from
 * @now: time in ns
 *
 * The engine stays the unit's until the last member is off: the members that
 * are done early may get work before.
 */
void xetile_gang_member_off(struct xetile_gang *gang, struct xetile_gang_unit *unit,
			    unsigned int member, u64 now)
{
	unsigned int m;

	if (xetile_gang_is_off(unit))
		return;

	unit->members[member].on = false;
	for (m = 0; m < unit->num_members; m++)
		if (unit->members[m].on)
			return;
	unit_release(gang, unit, now);
}

/**
 * xetile_gang_suspend() - keep a unit off the engines
 * @gang: dispatcher
 * @unit: the unit
 * @now: time in ns
 *
 * Suspensions nest. The unit is off when xetile_gang_is_off() says so, which
 * &xetile_gang_ops.off announces.
 */
void xetile_gang_suspend(struct xetile_gang *gang, struct xetile_gang_unit *unit, u64 now)
{
	unit->holds++;
	if (unit->state == XETILE_GANG_READY) {
		ready_remove(gang, unit, false);
		unit->rank = unit->priority;
		/* What it had reserved is free for those behind it. */
		gang_dispatch(gang, now);
	} else if (unit->state == XETILE_GANG_RUNNING) {
		gang->changed = true;
		unit_stop(gang, unit, now);
	}
}

/**
 * xetile_gang_resume() - undo one xetile_gang_suspend()
 * @gang: dispatcher
 * @unit: the unit
 * @now: time in ns
 */
void xetile_gang_resume(struct xetile_gang *gang, struct xetile_gang_unit *unit, u64 now)
{
	if (WARN_ON(!unit->holds))
		return;
	if (--unit->holds || unit->state != XETILE_GANG_IDLE || !unit->work)
		return;
	ready_push(gang, unit);
	gang_dispatch(gang, now);
}

/**
 * xetile_gang_set_usable() - say which engines may be given out
 * @gang: dispatcher
 * @usable: mask of engines; those that units own stay theirs
 * @now: time in ns
 */
void xetile_gang_set_usable(struct xetile_gang *gang, u64 usable, u64 now)
{
	gang->usable = usable;
	gang->changed = true;
	gang_dispatch(gang, now);
}

/*
 * When a unit will have used up its batch's time, or its time to leave: the earlier
 * one, and @now if that is past.
 */
static u64 unit_deadline(const struct xetile_gang_unit *unit, u64 now, bool *stuck)
{
	u64 limit = unit->work ? unit->limit_ns : SETTLE_NS;
	/* It may have been started since the caller looked at the clock. */
	u64 ran = unit->ran_ns + (now > unit->since_ns ? now - unit->since_ns : 0);
	u64 at = ran >= limit ? now : now + (limit - ran);

	*stuck = unit->state == XETILE_GANG_STOPPING && unit->stopped_ns + unit->leave_ns < at;
	if (!*stuck)
		return at;
	return max(unit->stopped_ns + unit->leave_ns, now);
}

/**
 * xetile_gang_is_late() - whether the next xetile_gang_tick() tells of a unit that it hangs
 * @unit: a unit that owns engines
 * @now: time in ns
 *
 * Return: true if it does, unless something is heard of the unit before.
 */
bool xetile_gang_is_late(const struct xetile_gang_unit *unit, u64 now)
{
	bool stuck;

	return !unit->hung && unit_deadline(unit, now, &stuck) <= now;
}

/**
 * xetile_gang_asked() - an engine was asked to leave a unit
 * @unit: a unit that owns engines
 * @now: time in ns
 *
 * That may be later than &xetile_gang_ops.stop: then its time to leave begins anew, once
 * for each of its engines. If it was told hung meanwhile it was told too early.
 */
void xetile_gang_asked(struct xetile_gang_unit *unit, u64 now)
{
	if (unit->state != XETILE_GANG_STOPPING)
		return;
	unit->stopped_ns = now;
	if (unit->stuck)
		unit->hung = false;
	unit->stuck = false;
}

/* Who takes too long is told once; returns when to look again. */
static u64 tick_limits(struct xetile_gang *gang, u64 now)
{
	u64 next = XETILE_GANG_NEVER, rest;

	for (rest = gang->owned; rest; rest &= rest - 1) {
		struct xetile_gang_unit *unit = owner_at(gang, __builtin_ctzll(rest));
		bool stuck;
		u64 at;

		if (!unit || unit->hung)
			continue;
		at = unit_deadline(unit, now, &stuck);
		if (at <= now) {
			unit->hung = true;
			unit->stuck = stuck;
			gang->ops->hung(gang, unit);
		} else if (at < next) {
			next = at;
		}
	}
	return next;
}

/* Whether an engine of @candidates is free, and only reserved, or is being left */
static bool room_comes(const struct xetile_gang *gang, u64 candidates)
{
	u64 rest;

	if (candidates & ~gang->owned)
		return true;
	for (rest = candidates; rest; rest &= rest - 1)
		if (gang->owners[__builtin_ctzll(rest)]->state == XETILE_GANG_STOPPING)
			return true;
	return false;
}

/*
 * Make room for a waiting member: stop the first owner whose turn is over.
 * Returns when the next owner's turn will be over, if none is yet.
 */
static u64 tick_member(struct xetile_gang *gang, const struct xetile_gang_unit *unit,
		       const struct xetile_gang_member *member, u64 now)
{
	u64 candidates = member->candidates & gang->usable;
	u64 next = XETILE_GANG_NEVER, rest;

	if (room_comes(gang, candidates))
		return XETILE_GANG_NEVER;
	for (rest = candidates; rest; rest &= rest - 1) {
		struct xetile_gang_unit *owner = gang->owners[__builtin_ctzll(rest)];
		u64 over;

		if (owner->rank > unit->rank)
			continue;
		over = owner->rank < unit->rank ? now : owner->dispatched_ns + unit_slice(owner);
		if (over <= now) {
			unit_stop(gang, owner, now);
			return XETILE_GANG_NEVER;
		}
		if (over < next)
			next = over;
	}
	return next;
}

/* When the next unit of a set of the lowest priority is to be raised */
static u64 raise_ns(const struct xetile_gang_unit *first)
{
	return max(first->waits_ns, first->raised_ns) + LOW_WAITS_NS;
}

/* The first one that has waited for long takes its turn at the rank above. */
static bool raise_one(struct xetile_gang *gang, u64 now)
{
	struct xetile_gang_unit *unit;

	list_for_each_entry(unit, &gang->ready[0], set) {
		gang->looks++;
		if (raise_ns(unit) > now)
			continue;
		/* The others of its set wait anew. */
		unit->raised_ns = now;
		ready_remove(gang, unit, true);
		unit->rank = 1;
		ready_push(gang, unit);
		return true;
	}
	return false;
}

/* Returns when to look again. */
static u64 tick_low(struct xetile_gang *gang, u64 now)
{
	struct xetile_gang_unit *unit;
	u64 next = XETILE_GANG_NEVER;
	bool raised = false;

	while (raise_one(gang, now))
		raised = true;
	if (raised)
		gang_dispatch(gang, now);
	list_for_each_entry(unit, &gang->ready[0], set)
		if (raise_ns(unit) < next)
			next = raise_ns(unit);
	return next;
}

/*
 * Make room for who waits; returns when to look again. Others of a set can have no
 * engine that its first unit cannot have.
 */
static u64 tick_slices(struct xetile_gang *gang, u64 now)
{
	u64 next = tick_low(gang, now);
	unsigned int p, m;

	gang->changed = false;
	for (p = XETILE_GANG_PRIORITIES; p--; ) {
		struct xetile_gang_unit *unit;

		list_for_each_entry(unit, &gang->ready[p], set) {
			gang->looks++;
			for (m = 0; m < unit->num_members; m++) {
				u64 t = tick_member(gang, unit, &unit->members[m], now);

				/* Who was stopped left at once: the lists are others now. */
				if (gang->changed)
					return now;
				if (t < next)
					next = t;
			}
		}
	}
	return next;
}

/**
 * xetile_gang_tick() - look at time limits and time slices
 * @gang: dispatcher
 * @now: time in ns
 *
 * To be called after any other call, and when the time it returned has come. What it
 * costs depends on the number of engines alone.
 *
 * Return: the time of the next call in ns, or XETILE_GANG_NEVER.
 */
u64 xetile_gang_tick(struct xetile_gang *gang, u64 now)
{
	while (gang->changed || now >= gang->slices_ns)
		gang->slices_ns = tick_slices(gang, now);
	/* Who was just asked to leave has a limit as well. */
	return min(tick_limits(gang, now), gang->slices_ns);
}
