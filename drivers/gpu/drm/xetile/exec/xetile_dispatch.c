// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_dispatch.h"

#include <linux/bug.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "exec/xetile_dispatch_epoch.h"
#include "exec/xetile_dispatch_line.h"
#include "exec/xetile_dispatch_share.h"

/**
 * DOC: who runs on which engine
 *
 * A *gang* is a set of contexts that must start together: the 1..T contexts of a queue. The
 * dispatcher gives a gang all its engines at once or none, and takes them back all at once::
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
 * Waiting gangs are looked at by priority, then by turns. A gang that cannot start reserves the
 * engines it could have, so that no gang behind it takes them: single contexts that keep one of
 * its engines busy never starve it. And there is no deadlock, because no gang ever owns one
 * engine while it waits for another.
 *
 * Of the gangs that want the same engines the one goes first whose client, and then which itself,
 * has used least by its weight (xetile_dispatch_share.c). Gangs that wait stand in lines, and the
 * lines make up sets (xetile_dispatch_line.c). The dispatcher only ever looks at the first gangs
 * of the sets.
 *
 * An engine is taken away only if a gang waits for it: at once for a higher priority, after a
 * time slice for the same, never for a lower one. Slices are longer or shorter by weight, within
 * bounds: the share comes from how often a gang has its turn. If the gang that waits wants the same
 * engines, and is ahead of the one that has them, that one goes on until it is as far.
 *
 * A gang may want its engines in a certain mode; engines that have several modes take turns in
 * them (xetile_dispatch_epoch.c).
 *
 * A batch may wait in the midst for a number in memory that others are to write, perhaps a batch
 * that waits for the same engine. A gang that says so *yields* the engine, after a slice of the
 * least length, to any gang that waits for it, also of a lower priority, which takes a turn at that
 * of the gang that yields. Those come first who did not wait in their own last turns. Nobody tells
 * when the wait is over, so the other one has a whole turn; and the gang that yields has had its
 * own, as far as it counts, because those that have used less are the next again.
 *
 * No priority is starved, and none has an engine for ever: when higher priorities have kept a set
 * off its engines for long, one gang of it is *raised*. It takes a turn at the priority of those
 * that have the engines, with a slice of the usual length; after that it counts as before. An
 * engine is taken once at a time for that, for each priority below the highest: of several sets
 * the one that has waited longest is the next. So if both others want an engine all the time, the
 * highest priority has it for fifteen of seventeen slices.
 *
 * A batch's time limit counts the time its gang owned engines, not the time it waited for them.
 * A gang that was asked to leave has a time limit of its own for that: otherwise gangs that
 * wait for its engines would wait as long as its batch likes.
 */

/* A slice of weight 100; weights scale it within the bounds below. */
#define XETILE_DISPATCH_SLICE_NS	5000000ull
#define XETILE_DISPATCH_SLICE_MIN_NS	500000ull
#define SLICE_MAX_NS	50000000ull
#define WEIGHT_DEFAULT	100

/* How many slices of a gang an epoch lasts at least, if other modes are wanted */
#define EPOCH_SLICES	4
/* How often to ask whether engines without an owner have no context any more */
#define QUIET_NS	10000000ull

/* How long a set is kept off its engines by higher priorities until one of it is raised */
#define RAISE_NS	(16 * XETILE_DISPATCH_SLICE_NS)

/* How long a gang without work may take to leave its engines without being asked */
#define SETTLE_NS	1000000000ull
/* How long a gang may take to leave its engines when asked to */
#define LEAVE_NS	640000000ull

/* The gang that owns an engine, if its first member is there: so each gang is found once. */
static struct xetile_gang *xetile_dispatch_owner_at(struct xetile_dispatch *dispatch,
						    unsigned int engine)
{
	struct xetile_gang *gang = dispatch->owners[engine];

	return gang && gang->members[0].engine == engine ? gang : NULL;
}

/**
 * xetile_dispatch_init() - an idle dispatcher
 * @dispatch: to initialize
 * @ops: the owner
 * @usable: mask of engines that exist
 */
void xetile_dispatch_init(struct xetile_dispatch *dispatch, const struct xetile_dispatch_ops *ops,
			  u64 usable)
{
	unsigned int p;

	memset(dispatch, 0, sizeof(*dispatch));
	dispatch->ops = ops;
	dispatch->usable = usable;
	for (p = 0; p < XETILE_DISPATCH_PRIORITIES; p++)
		INIT_LIST_HEAD(&dispatch->ready[p]);
}

/**
 * xetile_dispatch_client_init() - a client without gangs
 * @client: to initialize; lives longer than its gangs
 */
void xetile_dispatch_client_init(struct xetile_dispatch_client *client)
{
	memset(client, 0, sizeof(*client));
	INIT_LIST_HEAD(&client->lines);
}

/**
 * xetile_gang_init() - an idle gang
 * @gang: to initialize; its owner sets the candidates and the place before it wakes the gang
 * @client: client of the gang, with accounts for the gang's priority and group of places
 * @num_members: contexts, 1..XETILE_GANG_MEMBERS
 * @priority: 0 low, 1 normal, 2 high
 * @weight: its share of engine time beside others, not 0; 100 is the normal one
 * @limit_ns: engine time a batch may take, or XETILE_DISPATCH_NEVER
 */
void xetile_gang_init(struct xetile_gang *gang, struct xetile_dispatch_client *client,
		      unsigned int num_members, unsigned int priority, unsigned int weight,
		      u64 limit_ns)
{
	u64 slice = XETILE_DISPATCH_SLICE_NS / WEIGHT_DEFAULT * weight;
	unsigned int m;

	memset(gang, 0, sizeof(*gang));
	gang->client = client;
	gang->num_members = num_members;
	gang->priority = priority;
	gang->used_place = XETILE_DISPATCH_NONE;
	gang->rank = priority;
	gang->weight = weight;
	gang->limit_ns = limit_ns;
	gang->leave_ns = LEAVE_NS;
	gang->slice_ns = slice < XETILE_DISPATCH_SLICE_MIN_NS ? XETILE_DISPATCH_SLICE_MIN_NS :
			 slice > SLICE_MAX_NS ? SLICE_MAX_NS : slice;
	for (m = 0; m < num_members; m++)
		gang->members[m].engine = XETILE_DISPATCH_NONE;
}

static u64 dispatch_free(const struct xetile_dispatch *dispatch)
{
	return dispatch->usable & ~dispatch->owned;
}

/*
 * Choose an engine for each member out of @free, if possible the one it had last, because its
 * caches may still be warm. Returns whether all members got one. The chosen engines leave @free
 * in either case, because they are reserved.
 */
static bool gang_choose(struct xetile_dispatch *dispatch, const struct xetile_gang *gang,
			u64 *free, u8 *engines)
{
	bool all = true;
	unsigned int m;

	for (m = 0; m < gang->num_members; m++) {
		const struct xetile_gang_member *member = &gang->members[m];
		u64 choice = xetile_dispatch_epoch_choice(dispatch, member, *free);

		if (!choice) {
			all = false;
			continue;
		}
		if (member->engine != XETILE_DISPATCH_NONE && (choice & (1ull << member->engine)))
			engines[m] = member->engine;
		else
			engines[m] = (u8)__builtin_ctzll(choice);
		*free &= ~(1ull << engines[m]);
	}
	return all;
}

static void xetile_dispatch_owner_run(struct xetile_dispatch *dispatch, struct xetile_gang *gang)
{
	unsigned int m;

	for (m = 0; m < gang->num_members; m++)
		gang->members[m].loaded = true;
	dispatch->ops->run(dispatch, gang);
}

/* How long a turn of a gang is */
static u64 xetile_dispatch_owner_slice(const struct xetile_gang *gang)
{
	/* A longer slice by weight holds only among gangs of the same priority. */
	if (gang->rank != gang->priority && gang->slice_ns > XETILE_DISPATCH_SLICE_NS)
		return XETILE_DISPATCH_SLICE_NS;
	return gang->slice_ns;
}

static void gang_start(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
		       const u8 *engines, u64 now)
{
	unsigned int m;

	xetile_dispatch_share_start(dispatch, gang, now);
	xetile_dispatch_line_remove(dispatch, gang, true);
	xetile_dispatch_epoch_begin(dispatch, gang,
				    EPOCH_SLICES * xetile_dispatch_owner_slice(gang), now);
	for (m = 0; m < gang->num_members; m++) {
		WARN_ON(dispatch->owners[engines[m]]);
		dispatch->owners[engines[m]] = gang;
		dispatch->owned |= 1ull << engines[m];
		gang->members[m].engine = engines[m];
	}
	gang->state = XETILE_GANG_RUNNING;
	gang->spins = false;
	gang->dispatched_ns = now;
	gang->since_ns = now;
	xetile_dispatch_owner_run(dispatch, gang);
}

static void xetile_dispatch_owner_stop(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
				       u64 now)
{
	gang->state = XETILE_GANG_STOPPING;
	gang->stopped_ns = now;
	dispatch->ops->stop(dispatch, gang);
}

/* Start all gangs of one priority that can start; engines that are reserved leave @free. */
static void dispatch_priority(struct xetile_dispatch *dispatch, struct list_head *ready, u64 *free,
			      u64 now)
{
	/* The last set that could not start; the set behind it comes next. */
	struct list_head *waits = ready;

	while (*free && waits->next != ready) {
		struct xetile_gang *gang = list_entry(waits->next, struct xetile_gang,
						      set);
		u8 engines[XETILE_GANG_MEMBERS];

		dispatch->looks++;
		/* A gang that starts takes its line behind all others, and thereby its set. */
		if (xetile_dispatch_epoch_fits(dispatch, gang) &&
		    gang_choose(dispatch, gang, free, engines))
			gang_start(dispatch, gang, engines, now);
		else
			waits = &gang->set;
	}
}

/* Start all gangs that can start. */
static void xetile_dispatch_owner_start(struct xetile_dispatch *dispatch, u64 now)
{
	u64 free = dispatch_free(dispatch);
	unsigned int p;

	xetile_dispatch_epoch_look(dispatch);
	for (p = XETILE_DISPATCH_PRIORITIES; p-- && free; ) {
		if (dispatch->mixed)
			xetile_dispatch_epoch_decide(dispatch, p, now);
		dispatch_priority(dispatch, &dispatch->ready[p], &free, now);
	}
}

static void xetile_dispatch_owner_wait(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
				       u64 now)
{
	xetile_dispatch_line_push(dispatch, gang, now);
	xetile_dispatch_epoch_waits(dispatch, gang);
}

/* The gang is off its engines: give them back. */
static void gang_release(struct xetile_dispatch *dispatch, struct xetile_gang *gang, u64 now)
{
	unsigned int m;

	for (m = 0; m < gang->num_members; m++) {
		dispatch->owners[gang->members[m].engine] = NULL;
		dispatch->owned &= ~(1ull << gang->members[m].engine);
	}
	if (now >= gang->dispatched_ns + xetile_dispatch_owner_slice(gang))
		gang->waits_ns = now;
	gang->rank = gang->priority;
	gang->spun = gang->spins;
	gang->spins = false;
	gang->ran_ns += now - gang->since_ns;
	gang->state = XETILE_GANG_IDLE;
	xetile_dispatch_line_charge(dispatch, gang, now);
	dispatch->changed = true;
	/* The gang has left after all. Of other hangs the owner knows, and once is enough. */
	if (gang->stuck || gang->lenient)
		gang->hung = false;
	gang->stuck = false;
	dispatch->ops->left(dispatch, gang);
	if (gang->state == XETILE_GANG_IDLE && gang->work && !gang->holds)
		xetile_dispatch_owner_wait(dispatch, gang, now);
	if (xetile_dispatch_line_any(dispatch))
		xetile_dispatch_owner_start(dispatch, now);
}

/**
 * xetile_dispatch_wake() - a gang got work
 * @dispatch: dispatcher
 * @gang: the gang; each of its contexts has got one more batch
 * @now: time in ns
 */
void xetile_dispatch_wake(struct xetile_dispatch *dispatch, struct xetile_gang *gang, u64 now)
{
	if (!gang->work) {
		gang->work = true;
		gang->spun = false;
		gang->hung = false;
		gang->stuck = false;
		gang->ran_ns = 0;
		gang->since_ns = now;
		gang->waits_ns = now;
	}

	if (gang->state == XETILE_GANG_RUNNING) {
		xetile_dispatch_owner_run(dispatch, gang);
	} else if (gang->state == XETILE_GANG_IDLE && !gang->holds) {
		xetile_dispatch_owner_wait(dispatch, gang, now);
		xetile_dispatch_owner_start(dispatch, now);
	}
}

/**
 * xetile_dispatch_progress() - a gang's oldest batch is done
 * @gang: the gang
 * @work: whether another one is unfinished
 * @now: time in ns
 */
void xetile_dispatch_progress(struct xetile_gang *gang, bool work, u64 now)
{
	gang->work = work;
	gang->hung = false;
	gang->stuck = false;
	gang->ran_ns = 0;
	gang->since_ns = now;
	gang->waits_ns = now;
}

/**
 * xetile_dispatch_member_left() - an engine is done with a member's context
 * @dispatch: dispatcher
 * @gang: the gang
 * @member: member whose context has run dry, or was switched away from
 * @now: time in ns
 *
 * The engine stays the gang's until the last member is off: members that are done early may get
 * work before that.
 */
void xetile_dispatch_member_left(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
				 unsigned int member, u64 now)
{
	unsigned int m;

	if (xetile_gang_is_off(gang))
		return;

	gang->members[member].loaded = false;
	for (m = 0; m < gang->num_members; m++)
		if (gang->members[m].loaded)
			return;
	gang_release(dispatch, gang, now);
}

/**
 * xetile_dispatch_suspend() - keep a gang off the engines
 * @dispatch: dispatcher
 * @gang: the gang
 * @now: time in ns
 *
 * Suspensions nest. The gang is off when xetile_gang_is_off() says so, which
 * &xetile_dispatch_ops.left announces.
 */
void xetile_dispatch_suspend(struct xetile_dispatch *dispatch, struct xetile_gang *gang, u64 now)
{
	gang->holds++;
	if (gang->state == XETILE_GANG_READY) {
		xetile_dispatch_line_remove(dispatch, gang, false);
		gang->rank = gang->priority;
		/* The engines that it had reserved are free for the gangs behind it. */
		xetile_dispatch_owner_start(dispatch, now);
	} else if (gang->state == XETILE_GANG_RUNNING) {
		dispatch->changed = true;
		xetile_dispatch_owner_stop(dispatch, gang, now);
	}
}

/**
 * xetile_dispatch_resume() - undo one xetile_dispatch_suspend()
 * @dispatch: dispatcher
 * @gang: the gang
 * @now: time in ns
 */
void xetile_dispatch_resume(struct xetile_dispatch *dispatch, struct xetile_gang *gang, u64 now)
{
	if (WARN_ON(!gang->holds))
		return;
	if (--gang->holds || gang->state != XETILE_GANG_IDLE || !gang->work)
		return;
	xetile_dispatch_owner_wait(dispatch, gang, now);
	xetile_dispatch_owner_start(dispatch, now);
}

/**
 * xetile_dispatch_set_usable() - say which engines may be given out
 * @dispatch: dispatcher
 * @usable: mask of engines; those that gangs own stay theirs
 * @now: time in ns
 */
void xetile_dispatch_set_usable(struct xetile_dispatch *dispatch, u64 usable, u64 now)
{
	dispatch->usable = usable;
	dispatch->changed = true;
	xetile_dispatch_owner_start(dispatch, now);
}

/*
 * When a gang will have used up its batch's time, or its time to leave: the earlier of the two,
 * or @now if that is past. XETILE_DISPATCH_NEVER: its batch may run for ever.
 */
static u64 gang_deadline(const struct xetile_gang *gang, u64 now, bool *stuck)
{
	u64 limit = gang->work ? gang->limit_ns : SETTLE_NS;
	/* The gang may have been started since the caller looked at the clock. */
	u64 ran = gang->ran_ns + (now > gang->since_ns ? now - gang->since_ns : 0);
	u64 at = ran >= limit ? now : now + min(limit - ran, XETILE_DISPATCH_NEVER - now);

	*stuck = gang->state == XETILE_GANG_STOPPING && gang->stopped_ns + gang->leave_ns < at;
	if (!*stuck)
		return at;
	return max(gang->stopped_ns + gang->leave_ns, now);
}

/**
 * xetile_dispatch_is_late() - whether the next xetile_dispatch_tick() reports that a gang hangs
 * @gang: a gang that owns engines
 * @now: time in ns
 *
 * Return: true if it does, unless the gang makes progress or leaves before.
 */
bool xetile_dispatch_is_late(const struct xetile_gang *gang, u64 now)
{
	bool stuck;

	return !gang->hung && gang_deadline(gang, now, &stuck) <= now;
}

/**
 * xetile_dispatch_set_mode() - say which engines are in one mode, and in which
 * @dispatch: dispatcher
 * @domain: number of the domain
 * @engines: mask of its engines; gangs that want a mode own none of them
 * @mode: mode that they are in, not 0
 * @now: time in ns
 */
void xetile_dispatch_set_mode(struct xetile_dispatch *dispatch, unsigned int domain, u64 engines,
			      unsigned int mode, u64 now)
{
	dispatch->domains[domain] = (struct xetile_dispatch_domain) {
		.engines = engines, .mode = mode, .began_ns = now,
	};
	/* Gangs that wait may want the mode that was. */
	dispatch->mixed |= xetile_dispatch_line_any(dispatch);
	dispatch->changed = true;
}

/**
 * xetile_dispatch_settled() - an engine without an owner has no context any more
 * @dispatch: dispatcher; it matters only while &xetile_dispatch.mixed is set
 * @now: time in ns
 */
void xetile_dispatch_settled(struct xetile_dispatch *dispatch, u64 now)
{
	xetile_dispatch_owner_start(dispatch, now);
}

/**
 * xetile_dispatch_asked() - an engine was asked to leave a gang
 * @gang: a gang that owns engines
 * @now: time in ns
 *
 * The engine may be asked later than &xetile_dispatch_ops.stop: then the gang's time to leave
 * begins anew, once for each of its engines. If the gang was reported to hang meanwhile, the report
 * came too early.
 */
void xetile_dispatch_asked(struct xetile_gang *gang, u64 now)
{
	if (gang->state != XETILE_GANG_STOPPING)
		return;
	gang->stopped_ns = now;
	if (gang->stuck)
		gang->hung = false;
	gang->stuck = false;
}

/**
 * xetile_dispatch_untaken() - a gang that was reported to hang has not got to its engines yet
 * @gang: a gang that owns engines
 * @now: time in ns
 *
 * The report came too early. Its time to leave begins anew, and so does this turn for its batch.
 */
void xetile_dispatch_untaken(struct xetile_gang *gang, u64 now)
{
	gang->stopped_ns = now;
	gang->since_ns = now;
	gang->hung = false;
	gang->stuck = false;
}

/**
 * xetile_dispatch_spins() - the batch that an engine runs waits for a number in memory
 * @dispatch: dispatcher
 * @engine: the engine
 */
void xetile_dispatch_spins(struct xetile_dispatch *dispatch, unsigned int engine)
{
	struct xetile_gang *gang = dispatch->owners[engine];

	if (!gang || !gang->yields || gang->spins || gang->state != XETILE_GANG_RUNNING)
		return;
	gang->spins = true;
	dispatch->changed = true;
}

/* Report each gang that takes too long, once. Returns when to look again. */
static u64 xetile_dispatch_limit_tick(struct xetile_dispatch *dispatch, u64 now)
{
	u64 next = XETILE_DISPATCH_NEVER, rest;

	for (rest = dispatch->owned; rest; rest &= rest - 1) {
		struct xetile_gang *gang;
		bool stuck;
		u64 at;

		gang = xetile_dispatch_owner_at(dispatch, __builtin_ctzll(rest));
		if (!gang || gang->hung)
			continue;
		at = gang_deadline(gang, now, &stuck);
		if (at <= now) {
			gang->hung = true;
			gang->stuck = stuck;
			dispatch->ops->hung(dispatch, gang);
		} else if (at < next) {
			next = at;
		}
	}
	return next;
}

/* Whether an engine of @candidates is free, and only reserved, or is being left */
static bool xetile_dispatch_owner_leaves(const struct xetile_dispatch *dispatch, u64 candidates)
{
	u64 rest;

	if (candidates & ~dispatch->owned)
		return true;
	for (rest = candidates; rest; rest &= rest - 1)
		if (dispatch->owners[__builtin_ctzll(rest)]->state == XETILE_GANG_STOPPING)
			return true;
	return false;
}

/* Whether another gang of the client of @owner has an engine that @owner could have, too */
static bool client_has_more(const struct xetile_dispatch *dispatch,
			    const struct xetile_gang *owner)
{
	u64 rest;

	for (rest = owner->members[0].candidates & dispatch->owned; rest; rest &= rest - 1) {
		const struct xetile_gang *other = dispatch->owners[__builtin_ctzll(rest)];

		if (other != owner && other->client == owner->client)
			return true;
	}
	return false;
}

/* When @owner has to leave its engine, for which @gang, of the same rank, waits */
static u64 turn_over(const struct xetile_dispatch *dispatch, const struct xetile_gang *owner,
		     const struct xetile_gang *gang)
{
	u64 over = owner->dispatched_ns + xetile_dispatch_owner_slice(owner);

	if (owner->rank != owner->priority || !xetile_dispatch_line_is_same(owner, gang))
		return over;
	/* Other clients that wait have their turns, however far the gangs of this one are. */
	if (owner->client == gang->client && !xetile_dispatch_line_is_alone(gang))
		return over;
	/* The client is as far sooner than this gang alone takes it there. */
	if (owner->client != gang->client && client_has_more(dispatch, owner))
		return over;
	/* Until then it would be the next to start again. */
	return max(over, xetile_dispatch_share_reaches(owner, gang));
}

/*
 * Make room for a waiting member: stop the first owner whose turn is over.
 * Returns when the next owner's turn will be over, or @now if one was stopped: another gang may
 * have been told that it goes on for longer.
 */
static u64 tick_member(struct xetile_dispatch *dispatch, const struct xetile_gang *gang,
		       const struct xetile_gang_member *member, u64 now)
{
	u64 candidates = member->candidates & dispatch->usable;
	u64 next = XETILE_DISPATCH_NEVER, rest;

	if (xetile_dispatch_owner_leaves(dispatch, candidates))
		return XETILE_DISPATCH_NEVER;
	for (rest = candidates; rest; rest &= rest - 1) {
		struct xetile_gang *owner = dispatch->owners[__builtin_ctzll(rest)];
		u64 over;

		if (owner->rank > gang->rank)
			continue;
		over = owner->rank < gang->rank ? now : turn_over(dispatch, owner, gang);
		if (over <= now) {
			xetile_dispatch_owner_stop(dispatch, owner, now);
			return now;
		}
		if (over < next)
			next = over;
	}
	return next;
}

/*
 * Stop the gangs whose turns are over and whose engines are to come into another mode. Returns when
 * the turn of another one will be over.
 */
static u64 tick_domain(struct xetile_dispatch *dispatch,
		       const struct xetile_dispatch_domain *domain, u64 now)
{
	u64 next = XETILE_DISPATCH_NEVER, rest;

	for (rest = domain->engines & dispatch->owned; rest; rest &= rest - 1) {
		struct xetile_gang *owner = dispatch->owners[__builtin_ctzll(rest)];
		u64 over = now;

		if (owner->state != XETILE_GANG_RUNNING)
			continue;
		if (owner->rank == domain->rank)
			over = owner->dispatched_ns + xetile_dispatch_owner_slice(owner);
		if (over > now)
			next = min(next, over);
		else
			xetile_dispatch_owner_stop(dispatch, owner, now);
		/* It has left at once. */
		if (dispatch->changed)
			return now;
	}
	return next;
}

/* Make room for the modes that gangs wait for. Returns when to look again. */
static u64 tick_modes(struct xetile_dispatch *dispatch, u64 now)
{
	u64 next = XETILE_DISPATCH_NEVER;
	unsigned int p, d;

	if (!dispatch->mixed)
		return next;
	/* Set again when there is such a gang */
	dispatch->mixed = false;
	xetile_dispatch_epoch_look(dispatch);
	for (p = XETILE_DISPATCH_PRIORITIES; p--; )
		next = min(next, xetile_dispatch_epoch_decide(dispatch, p, now));
	for (d = 0; d < XETILE_DISPATCH_DOMAINS && !dispatch->changed; d++) {
		const struct xetile_dispatch_domain *domain = &dispatch->domains[d];

		if (!domain->next)
			continue;
		if (domain->engines & dispatch->owned)
			next = min(next, tick_domain(dispatch, domain, now));
		else if (dispatch->ops->quiet(dispatch, d))
			xetile_dispatch_owner_start(dispatch, now);
		else
			next = min(next, now + QUIET_NS);
	}
	return next;
}

/* Engines one of which a member needs; or all of them, if they are to change their mode */
static u64 member_engines(const struct xetile_dispatch *dispatch,
			  const struct xetile_gang_member *member, bool *all)
{
	const struct xetile_dispatch_domain *domain = &dispatch->domains[member->domain];

	*all = member->mode && member->mode != domain->mode;
	return *all ? domain->engines : member->candidates & dispatch->usable;
}

/*
 * The rank at which a member could have what it needs, if higher priorities than @rank have that;
 * or 0. An owner that was raised is back at its own priority soon, and in nobody's way.
 */
static unsigned int member_needs(const struct xetile_dispatch *dispatch, unsigned int rank,
				 const struct xetile_gang_member *member)
{
	unsigned int least = XETILE_DISPATCH_PRIORITIES, most = 0;
	bool all;
	u64 engines = member_engines(dispatch, member, &all), rest;

	for (rest = engines & dispatch->owned; rest; rest &= rest - 1) {
		unsigned int priority = dispatch->owners[__builtin_ctzll(rest)]->priority;

		least = min(least, priority);
		most = max(most, priority);
	}
	if (engines & ~dispatch->owned)
		least = 0;
	if (!all)
		most = least == XETILE_DISPATCH_PRIORITIES ? 0 : least;
	return most > rank ? most : 0;
}

static unsigned int gang_needs(const struct xetile_dispatch *dispatch,
			       const struct xetile_gang *gang)
{
	unsigned int m, rank = 0;

	for (m = 0; m < gang->num_members; m++)
		rank = max(rank, member_needs(dispatch, gang->rank, &gang->members[m]));
	return rank;
}

static u64 gang_engines(const struct xetile_dispatch *dispatch, const struct xetile_gang *gang)
{
	u64 engines = 0;
	unsigned int m;
	bool all;

	for (m = 0; m < gang->num_members; m++)
		engines |= member_engines(dispatch, &gang->members[m], &all);
	return engines;
}

/* When a gang may be raised from a rank that could have one of @engines */
static u64 raise_ns(const struct xetile_dispatch *dispatch, unsigned int rank, u64 engines)
{
	u64 last = 0;

	for (; engines; engines &= engines - 1)
		last = max(last, dispatch->raised_ns[rank][__builtin_ctzll(engines)]);
	/* From the end of the raised turn on the others are owed their time. */
	return last ? last + XETILE_DISPATCH_SLICE_NS + RAISE_NS : 0;
}

/* @gang, the first of its set, takes its turn at a higher rank. */
static void xetile_dispatch_raise(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
				  unsigned int rank, u64 now)
{
	/* The others of its set wait anew, and it does, if that does not help. */
	gang->kept_ns = now;
	gang->waits_ns = now;
	/* One that is raised once more has paid. */
	if (gang->rank == gang->priority)
		xetile_dispatch_share_raise(gang, min(gang->slice_ns, XETILE_DISPATCH_SLICE_NS));
	xetile_dispatch_line_remove(dispatch, gang, true);
	gang->rank = rank;
	xetile_dispatch_owner_wait(dispatch, gang, now);
}

/*
 * Raise the first gang of a set that higher priorities have kept off its engines for long. A set
 * that cannot have one raised now, because another one had, is the next for all of its engines:
 * else one that needs several would wait for ever. Returns whether there was one; if not, @next is
 * when there may be.
 */
static bool raise_one(struct xetile_dispatch *dispatch, unsigned int rank, u64 now, u64 *next)
{
	u64 held = 0, least = XETILE_DISPATCH_NEVER;
	struct xetile_gang *gang;

	list_for_each_entry(gang, &dispatch->ready[rank], set) {
		unsigned int needs = gang_needs(dispatch, gang);
		u64 engines = gang_engines(dispatch, gang);
		u64 at = max(gang->kept_ns + RAISE_NS, raise_ns(dispatch, rank, engines));

		dispatch->looks++;
		if (!needs)
			continue;
		if (at <= now && !(engines & held)) {
			for (; engines; engines &= engines - 1)
				dispatch->raised_ns[rank][__builtin_ctzll(engines)] = now;
			xetile_dispatch_raise(dispatch, gang, needs, now);
			return true;
		}
		if (at > now)
			least = min(least, at);
		if (gang->kept_ns + RAISE_NS <= now)
			held |= engines;
	}
	*next = min(*next, least);
	return false;
}

/* Raise gangs that have waited for long for higher priorities. Returns when to look again. */
static u64 xetile_dispatch_raise_tick(struct xetile_dispatch *dispatch, u64 now)
{
	unsigned int rank;
	bool raised;
	u64 next;

	do {
		raised = false;
		next = XETILE_DISPATCH_NEVER;
		for (rank = 0; rank < XETILE_DISPATCH_PRIORITIES - 1; rank++)
			while (raise_one(dispatch, rank, now, &next))
				raised = true;
		if (raised)
			xetile_dispatch_owner_start(dispatch, now);
	} while (raised);
	return next;
}

/*
 * A raised turn is over with its slice: after that the gang counts as its priority, also if nobody
 * wants the engines who could take them from its rank. Returns when the next one is over.
 */
static u64 xetile_dispatch_raise_over(struct xetile_dispatch *dispatch, u64 now)
{
	u64 next = XETILE_DISPATCH_NEVER, rest;

	for (rest = dispatch->owned; rest; rest &= rest - 1) {
		struct xetile_gang *gang;
		u64 over;

		gang = xetile_dispatch_owner_at(dispatch, __builtin_ctzll(rest));
		if (!gang || gang->rank == gang->priority)
			continue;
		over = gang->dispatched_ns + xetile_dispatch_owner_slice(gang);
		if (over > now) {
			next = min(next, over);
			continue;
		}
		gang->rank = gang->priority;
		gang->waits_ns = now;
	}
	return next;
}

/* Whether a gang that waits could do with an engine, and with no other one soon */
static bool gang_wants(const struct xetile_dispatch *dispatch, const struct xetile_gang *gang,
		       unsigned int engine)
{
	unsigned int m;

	for (m = 0; m < gang->num_members; m++) {
		u64 candidates = gang->members[m].candidates & dispatch->usable;

		if (candidates >> engine & 1 && !xetile_dispatch_owner_leaves(dispatch, candidates))
			return xetile_dispatch_epoch_fits(dispatch, gang);
	}
	return false;
}

/*
 * The gang to which an engine is yielded: of those that did not spin the first by rank, or else the
 * one whose last turn is the oldest; NULL: nobody wants it
 */
static struct xetile_gang *gang_yields_to(struct xetile_dispatch *dispatch, unsigned int engine)
{
	struct xetile_gang *gang, *spun = NULL;
	unsigned int p;

	for (p = XETILE_DISPATCH_PRIORITIES; p--; ) {
		list_for_each_entry(gang, &dispatch->ready[p], set) {
			dispatch->looks++;
			if (!gang_wants(dispatch, gang, engine))
				continue;
			if (!gang->spun)
				return gang;
			if (!spun || gang->dispatched_ns < spun->dispatched_ns)
				spun = gang;
		}
	}
	return spun;
}

/*
 * Stop a gang that yields an engine to another one. Returns when the next one will yield, or @now
 * if one was stopped.
 */
static u64 xetile_dispatch_yield_tick(struct xetile_dispatch *dispatch, u64 now)
{
	u64 next = XETILE_DISPATCH_NEVER, rest;

	for (rest = dispatch->owned; rest; rest &= rest - 1) {
		unsigned int engine = __builtin_ctzll(rest);
		struct xetile_gang *owner = dispatch->owners[engine], *gang;
		u64 over = owner->dispatched_ns + XETILE_DISPATCH_SLICE_MIN_NS;

		if (!owner->spins || owner->state != XETILE_GANG_RUNNING)
			continue;
		gang = gang_yields_to(dispatch, engine);
		if (!gang)
			continue;
		if (over > now) {
			next = min(next, over);
			continue;
		}
		if (gang->rank < owner->rank)
			xetile_dispatch_raise(dispatch, gang, owner->rank, now);
		over = owner->dispatched_ns + xetile_dispatch_owner_slice(owner);
		xetile_dispatch_line_yield(dispatch, owner, over > now ? over - now : 0, gang);
		xetile_dispatch_owner_stop(dispatch, owner, now);
		return now;
	}
	return next;
}

/*
 * Make room for gangs that wait. Returns when to look again. Only the first gang of a set is
 * looked at, because the others can have no engine that it cannot have.
 */
static u64 xetile_dispatch_turn_tick(struct xetile_dispatch *dispatch, u64 now)
{
	u64 next = XETILE_DISPATCH_NEVER;
	unsigned int p, m;

	if (xetile_dispatch_line_any(dispatch)) {
		next = xetile_dispatch_raise_over(dispatch, now);
		next = min(next, xetile_dispatch_raise_tick(dispatch, now));
	}
	dispatch->changed = false;
	next = min(next, tick_modes(dispatch, now));
	if (dispatch->changed)
		return now;
	next = min(next, xetile_dispatch_yield_tick(dispatch, now));
	if (dispatch->changed || next <= now)
		return now;
	for (p = XETILE_DISPATCH_PRIORITIES; p--; ) {
		struct xetile_gang *gang;

		list_for_each_entry(gang, &dispatch->ready[p], set) {
			dispatch->looks++;
			if (!xetile_dispatch_epoch_fits(dispatch, gang))
				continue;
			for (m = 0; m < gang->num_members; m++) {
				u64 t = tick_member(dispatch, gang, &gang->members[m], now);

				/*
				 * The gang that was stopped has left at once, which changed the
				 * lists.
				 */
				if (dispatch->changed)
					return now;
				if (t < next)
					next = t;
			}
		}
	}
	return next;
}

/**
 * xetile_dispatch_tick() - look at time limits and time slices
 * @dispatch: dispatcher
 * @now: time in ns
 *
 * To be called after other calls, before the lock is dropped, and when the time it returned has
 * come. Its cost depends on the number of engines alone.
 *
 * Return: the time of the next call in ns, or XETILE_DISPATCH_NEVER.
 */
u64 xetile_dispatch_tick(struct xetile_dispatch *dispatch, u64 now)
{
	while (dispatch->changed || now >= dispatch->slices_ns)
		dispatch->slices_ns = xetile_dispatch_turn_tick(dispatch, now);
	/* A gang that was just asked to leave has a limit as well. */
	return min(xetile_dispatch_limit_tick(dispatch, now), dispatch->slices_ns);
}
