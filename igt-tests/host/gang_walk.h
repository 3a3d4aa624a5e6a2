/* SPDX-License-Identifier: MIT */
/*
 * The reference of the gang dispatcher: the same rules in their simplest form. Each step walks
 * over an array of all gangs. The driver, which has lines and sets, must make the same choices.
 */
#ifndef HOST_GANG_WALK_H
#define HOST_GANG_WALK_H

#include <stdbool.h>
#include <string.h>

#include "exec/xetile_dispatch.h"

#define WALK_UNITS	64
/* The usual slice, and the time after which a waiting gang of the lowest priority is raised */
#define WALK_SLICE_NS	5000000ull
#define WALK_LOW_NS	(16 * WALK_SLICE_NS)
/* The least slices that engines stay in a mode for */
#define WALK_EPOCH	4

struct walk_gang {
	bool valid;
	enum xetile_gang_state state;
	unsigned int client, priority, rank, num_members;
	u64 candidates[XETILE_GANG_MEMBERS];
	/* For each member the mode that it wants its domain in, or 0 */
	u8 domain[XETILE_GANG_MEMBERS], mode[XETILE_GANG_MEMBERS];
	u8 engine[XETILE_GANG_MEMBERS];
	bool on[XETILE_GANG_MEMBERS];
	u64 slice_ns, dispatched_ns, waits_ns;
	bool work;
	unsigned int holds;
	/* While the gang waits: the turn of its line, and its place in the line */
	u64 turn, arrival;
	/* While the gang waits: the time at which a gang of its set was last raised */
	u64 raised_ns;
	bool looked;
};

/* Engines that are in one mode, and what the present look has decided of them */
struct walk_domain {
	u64 engines, began, until;
	unsigned int mode, next, next_rank;
	bool kept;
};

struct walk {
	u64 usable;
	struct walk_domain domains[XETILE_DISPATCH_DOMAINS];
	int owner[XETILE_DISPATCH_ENGINES];
	u64 last_turn, last_arrival;
	struct walk_gang gangs[WALK_UNITS];
	/* Returns whether a gang leaves its engines within the call that asks it to stop. */
	bool (*leaves_at_once)(unsigned int gang, u64 dispatched_ns);
};

static void walk_init(struct walk *w,
		      bool (*leaves_at_once)(unsigned int gang, u64 dispatched_ns))
{
	unsigned int e;

	memset(w, 0, sizeof(*w));
	w->usable = ~0ull;
	w->leaves_at_once = leaves_at_once;
	for (e = 0; e < XETILE_DISPATCH_ENGINES; e++)
		w->owner[e] = -1;
}

static void walk_unit_init(struct walk *w, unsigned int i, const struct xetile_gang *gang,
			   unsigned int client)
{
	struct walk_gang *u = &w->gangs[i];
	unsigned int m;

	memset(u, 0, sizeof(*u));
	u->valid = true;
	u->client = client;
	u->priority = u->rank = gang->priority;
	u->num_members = gang->num_members;
	u->slice_ns = gang->slice_ns;
	for (m = 0; m < u->num_members; m++) {
		u->candidates[m] = gang->members[m].candidates;
		u->domain[m] = gang->members[m].domain;
		u->mode[m] = gang->members[m].mode;
		u->engine[m] = XETILE_DISPATCH_NONE;
	}
}

static bool walk_same_set(const struct walk_gang *a, const struct walk_gang *b)
{
	return a->rank == b->rank && a->num_members == b->num_members &&
	       !memcmp(a->candidates, b->candidates, a->num_members * sizeof(u64)) &&
	       !memcmp(a->mode, b->mode, a->num_members);
}

static bool walk_same_line(const struct walk_gang *a, const struct walk_gang *b)
{
	return a->client == b->client && walk_same_set(a, b);
}

static bool walk_waits(const struct walk_gang *u)
{
	return u->valid && u->state == XETILE_GANG_READY;
}

static void walk_push(struct walk *w, struct walk_gang *u)
{
	unsigned int i;

	u->turn = 0;
	u->raised_ns = 0;
	for (i = 0; i < WALK_UNITS; i++) {
		if (!walk_waits(&w->gangs[i]) || !walk_same_set(&w->gangs[i], u))
			continue;
		u->raised_ns = w->gangs[i].raised_ns;
		if (walk_same_line(&w->gangs[i], u))
			u->turn = w->gangs[i].turn;
	}
	if (!u->turn)
		u->turn = ++w->last_turn;
	u->arrival = ++w->last_arrival;
	u->state = XETILE_GANG_READY;
}

/* Of the gangs that were not looked at, the first one by rank, turn and arrival */
static struct walk_gang *walk_next(struct walk *w)
{
	struct walk_gang *best = NULL;
	unsigned int i;

	for (i = 0; i < WALK_UNITS; i++) {
		struct walk_gang *u = &w->gangs[i];

		if (!walk_waits(u) || u->looked)
			continue;
		if (!best || u->rank > best->rank ||
		    (u->rank == best->rank &&
		     (u->turn < best->turn ||
		      (u->turn == best->turn && u->arrival < best->arrival))))
			best = u;
	}
	if (best)
		best->looked = true;
	return best;
}

static void walk_again(struct walk *w)
{
	unsigned int i;

	for (i = 0; i < WALK_UNITS; i++)
		w->gangs[i].looked = false;
}

static u64 walk_owned(const struct walk *w)
{
	u64 owned = 0;
	unsigned int e;

	for (e = 0; e < XETILE_DISPATCH_ENGINES; e++)
		if (w->owner[e] >= 0)
			owned |= 1ull << e;
	return owned;
}

static bool walk_is_there(const struct walk *w, const struct walk_gang *u)
{
	unsigned int m;

	for (m = 0; m < u->num_members; m++)
		if (u->mode[m] && w->domains[u->domain[m]].mode != u->mode[m])
			return false;
	return true;
}

/* When gangs of a rank may have a domain's mode changed */
static u64 walk_over(const struct walk *w, unsigned int d, unsigned int rank)
{
	const struct walk_domain *domain = &w->domains[d];
	u64 over = 0;
	unsigned int i, e, m;

	for (i = 0; i < WALK_UNITS; i++) {
		const struct walk_gang *u = &w->gangs[i];

		for (m = 0; m < u->num_members; m++) {
			if (!walk_waits(u) || u->rank < rank || u->domain[m] != d ||
			    !u->mode[m] || u->mode[m] != domain->mode)
				continue;
			if (u->rank > rank)
				return XETILE_DISPATCH_NEVER;
			over = domain->until;
		}
	}
	for (e = 0; e < XETILE_DISPATCH_ENGINES; e++) {
		unsigned int owner;

		if (!(domain->engines >> e & 1) || w->owner[e] < 0)
			continue;
		owner = w->gangs[w->owner[e]].rank;
		if (owner > rank)
			return XETILE_DISPATCH_NEVER;
		if (owner == rank)
			over = domain->until;
	}
	return over;
}

static void walk_look(struct walk *w)
{
	unsigned int d;

	for (d = 0; d < XETILE_DISPATCH_DOMAINS; d++) {
		w->domains[d].next = 0;
		w->domains[d].kept = false;
	}
}

/* Whether a higher rank has an engine without which a gang cannot start */
static bool walk_outranked(const struct walk *w, const struct walk_gang *u)
{
	unsigned int m, e;

	for (m = 0; m < u->num_members; m++) {
		const struct walk_domain *domain = &w->domains[u->domain[m]];
		u64 needed = !u->mode[m] ? 0 : u->mode[m] == domain->mode ? u->candidates[m] :
			     domain->engines;

		for (e = 0; e < XETILE_DISPATCH_ENGINES; e++)
			if ((needed >> e & 1) && w->owner[e] >= 0 &&
			    w->gangs[w->owner[e]].rank > u->rank)
				return true;
	}
	return false;
}

/*
 * A gang that wants other modes decides of its domains: of all if it can have all of them now, else
 * that those stay that it could have. Returns when it can have all.
 */
static u64 walk_decides(struct walk *w, const struct walk_gang *u, u64 now)
{
	u64 when = 0, over[XETILE_GANG_MEMBERS];
	unsigned int m;

	if (walk_outranked(w, u))
		return XETILE_DISPATCH_NEVER;
	for (m = 0; m < u->num_members; m++) {
		struct walk_domain *domain = &w->domains[u->domain[m]];

		over[m] = 0;
		if (!u->mode[m] || u->mode[m] == (domain->next ? domain->next : domain->mode))
			continue;
		over[m] = domain->next || domain->kept ? XETILE_DISPATCH_NEVER :
			  walk_over(w, u->domain[m], u->rank);
		if (over[m] > now && over[m] > when)
			when = over[m];
	}
	for (m = 0; m < u->num_members; m++) {
		struct walk_domain *domain = &w->domains[u->domain[m]];

		if (!u->mode[m] || domain->next || domain->kept)
			continue;
		if (u->mode[m] == domain->mode || (when && over[m] <= now)) {
			domain->kept = true;
		} else if (!when) {
			domain->next = u->mode[m];
			domain->next_rank = u->rank;
		}
	}
	return when ? when : XETILE_DISPATCH_NEVER;
}

/* The gangs of a rank decide, by their turns. */
static u64 walk_decide(struct walk *w, unsigned int rank, u64 now)
{
	u64 next = XETILE_DISPATCH_NEVER, t;
	struct walk_gang *u;

	walk_again(w);
	while ((u = walk_next(w))) {
		if (u->rank != rank || walk_is_there(w, u))
			continue;
		t = walk_decides(w, u, now);
		next = t < next ? t : next;
	}
	return next;
}

static bool walk_fits(const struct walk *w, const struct walk_gang *u)
{
	unsigned int m;

	for (m = 0; m < u->num_members; m++) {
		const struct walk_domain *domain = &w->domains[u->domain[m]];

		if (u->mode[m] && u->mode[m] != (domain->next ? domain->next : domain->mode))
			return false;
	}
	return true;
}

static bool walk_choose(const struct walk *w, const struct walk_gang *u, u64 *free, u8 *engines)
{
	bool all = true;
	unsigned int m;

	for (m = 0; m < u->num_members; m++) {
		const struct walk_domain *domain = &w->domains[u->domain[m]];
		u64 choice = u->candidates[m] & *free;

		if (u->mode[m] && domain->next && (domain->engines & ~*free))
			choice = 0;
		if (!choice) {
			all = false;
			continue;
		}
		if (u->engine[m] != XETILE_DISPATCH_NONE && (choice >> u->engine[m] & 1))
			engines[m] = u->engine[m];
		else
			engines[m] = (u8)__builtin_ctzll(choice);
		*free &= ~(1ull << engines[m]);
	}
	return all;
}

/* When a gang of a line gets its turn, the rest of the line moves behind all other lines. */
static void walk_turn_taken(struct walk *w, const struct walk_gang *u)
{
	u64 turn = 0;
	unsigned int i;

	for (i = 0; i < WALK_UNITS; i++) {
		if (!walk_waits(&w->gangs[i]) || !walk_same_line(&w->gangs[i], u))
			continue;
		if (!turn)
			turn = ++w->last_turn;
		w->gangs[i].turn = turn;
	}
}

static u64 walk_slice(const struct walk_gang *u)
{
	return u->rank != u->priority && u->slice_ns > WALK_SLICE_NS ? WALK_SLICE_NS : u->slice_ns;
}

static void walk_start(struct walk *w, struct walk_gang *u, const u8 *engines, u64 now)
{
	unsigned int m;

	u->state = XETILE_GANG_RUNNING;
	u->dispatched_ns = now;
	for (m = 0; m < u->num_members; m++) {
		struct walk_domain *domain = &w->domains[u->domain[m]];

		if (u->mode[m] && domain->next) {
			domain->next = 0;
			domain->mode = u->mode[m];
			domain->began = now;
			domain->until = 0;
		}
		if (u->mode[m] && domain->began + WALK_EPOCH * walk_slice(u) > domain->until)
			domain->until = domain->began + WALK_EPOCH * walk_slice(u);
		w->owner[engines[m]] = (int)(u - w->gangs);
		u->engine[m] = engines[m];
		u->on[m] = true;
	}
	walk_turn_taken(w, u);
}

/* Looks at every waiting gang, also at the gangs behind one that cannot start. */
static void walk_dispatch(struct walk *w, u64 now)
{
	struct walk_gang *u;
	u64 free = w->usable & ~walk_owned(w);
	unsigned int p;

	walk_look(w);
	for (p = XETILE_DISPATCH_PRIORITIES; p--; ) {
		walk_decide(w, p, now);
		walk_again(w);
		while ((u = walk_next(w))) {
			u8 engines[XETILE_GANG_MEMBERS];

			if (u->rank == p && walk_fits(w, u) && walk_choose(w, u, &free, engines))
				walk_start(w, u, engines, now);
		}
	}
}

static void walk_member_off(struct walk *w, unsigned int i, unsigned int member, u64 now)
{
	struct walk_gang *u = &w->gangs[i];
	unsigned int m;

	if (u->state == XETILE_GANG_IDLE || u->state == XETILE_GANG_READY)
		return;
	u->on[member] = false;
	for (m = 0; m < u->num_members; m++)
		if (u->on[m])
			return;
	for (m = 0; m < u->num_members; m++)
		w->owner[u->engine[m]] = -1;
	if (u->rank != u->priority || now - u->dispatched_ns >= walk_slice(u))
		u->waits_ns = now;
	u->rank = u->priority;
	u->state = XETILE_GANG_IDLE;
	if (u->work && !u->holds)
		walk_push(w, u);
	walk_dispatch(w, now);
}

static void walk_stop(struct walk *w, struct walk_gang *u, u64 now)
{
	unsigned int i = (unsigned int)(u - w->gangs), m;

	u->state = XETILE_GANG_STOPPING;
	if (w->leaves_at_once(i, u->dispatched_ns))
		for (m = 0; m < u->num_members; m++)
			walk_member_off(w, i, m, now);
}

static void walk_wake(struct walk *w, unsigned int i, u64 now)
{
	struct walk_gang *u = &w->gangs[i];

	if (!u->work)
		u->waits_ns = now;
	u->work = true;
	if (u->state == XETILE_GANG_IDLE && !u->holds) {
		walk_push(w, u);
		walk_dispatch(w, now);
	}
}

static void walk_progress(struct walk *w, unsigned int i, bool work, u64 now)
{
	w->gangs[i].work = work;
	w->gangs[i].waits_ns = now;
}

static void walk_suspend(struct walk *w, unsigned int i, u64 now)
{
	struct walk_gang *u = &w->gangs[i];

	u->holds++;
	if (u->state == XETILE_GANG_READY) {
		u->state = XETILE_GANG_IDLE;
		u->rank = u->priority;
		walk_dispatch(w, now);
	} else if (u->state == XETILE_GANG_RUNNING) {
		walk_stop(w, u, now);
	}
}

static void walk_resume(struct walk *w, unsigned int i, u64 now)
{
	struct walk_gang *u = &w->gangs[i];

	if (!--u->holds && u->state == XETILE_GANG_IDLE && u->work) {
		walk_push(w, u);
		walk_dispatch(w, now);
	}
}

/* Whether a candidate engine is free or is being left, so that no gang need be stopped */
static bool walk_room_comes(const struct walk *w, u64 candidates)
{
	unsigned int e;

	for (e = 0; e < XETILE_DISPATCH_ENGINES; e++)
		if ((candidates >> e & 1) &&
		    (w->owner[e] < 0 || w->gangs[w->owner[e]].state == XETILE_GANG_STOPPING))
			return true;
	return false;
}

/*
 * Makes room for a member. Returns the time at which the turn of an owner of its candidates is
 * over. Sets @left when a gang was stopped and left at once.
 */
static u64 walk_make_room(struct walk *w, const struct walk_gang *u, u64 candidates, u64 now,
			  bool *left)
{
	u64 next = XETILE_DISPATCH_NEVER;
	unsigned int e;

	candidates &= w->usable;
	if (walk_room_comes(w, candidates))
		return XETILE_DISPATCH_NEVER;
	for (e = 0; e < XETILE_DISPATCH_ENGINES; e++) {
		struct walk_gang *owner;
		u64 over;

		if (!(candidates >> e & 1))
			continue;
		owner = &w->gangs[w->owner[e]];
		if (owner->rank > u->rank)
			continue;
		over = owner->rank < u->rank ? now : owner->dispatched_ns + walk_slice(owner);
		if (over <= now) {
			walk_stop(w, owner, now);
			*left = owner->state != XETILE_GANG_STOPPING;
			return XETILE_DISPATCH_NEVER;
		}
		next = over < next ? over : next;
	}
	return next;
}

/* Whether the gang is the first of its set: no gang with the same candidates waits before it */
static bool walk_first(struct walk *w, const struct walk_gang *u)
{
	unsigned int i;

	for (i = 0; i < WALK_UNITS; i++) {
		const struct walk_gang *o = &w->gangs[i];

		if (walk_waits(o) && walk_same_set(o, u) &&
		    (o->turn < u->turn || (o->turn == u->turn && o->arrival < u->arrival)))
			return false;
	}
	return true;
}

static u64 walk_raise_ns(const struct walk_gang *u)
{
	return (u->waits_ns > u->raised_ns ? u->waits_ns : u->raised_ns) + WALK_LOW_NS;
}

static bool walk_raise_one(struct walk *w, u64 now)
{
	struct walk_gang *u;
	unsigned int i;

	walk_again(w);
	while ((u = walk_next(w))) {
		if (u->rank || !walk_first(w, u) || walk_raise_ns(u) > now)
			continue;
		for (i = 0; i < WALK_UNITS; i++)
			if (walk_waits(&w->gangs[i]) && walk_same_set(&w->gangs[i], u))
				w->gangs[i].raised_ns = now;
		u->state = XETILE_GANG_IDLE;
		walk_turn_taken(w, u);
		u->rank = 1;
		walk_push(w, u);
		return true;
	}
	return false;
}

/*
 * Raises all gangs that waited for WALK_LOW_NS at the lowest priority. Returns the time at which
 * the next gang must be raised.
 */
static u64 walk_low(struct walk *w, u64 now)
{
	u64 next = XETILE_DISPATCH_NEVER;
	bool raised = false;
	unsigned int i;

	while (walk_raise_one(w, now))
		raised = true;
	if (raised)
		walk_dispatch(w, now);
	for (i = 0; i < WALK_UNITS; i++) {
		const struct walk_gang *u = &w->gangs[i];

		if (walk_waits(u) && !u->rank && walk_first(w, u) && walk_raise_ns(u) < next)
			next = walk_raise_ns(u);
	}
	return next;
}

/*
 * Ends the slices of the gangs in a domain that is to come into another mode. Returns the time at
 * which the next one is over. Sets @left when a gang was stopped and left at once.
 */
static u64 walk_empty(struct walk *w, const struct walk_domain *domain, u64 now, bool *left)
{
	u64 next = XETILE_DISPATCH_NEVER;
	unsigned int e;

	for (e = 0; e < XETILE_DISPATCH_ENGINES && !*left; e++) {
		struct walk_gang *owner;
		u64 over = now;

		if (!(domain->engines >> e & 1) || w->owner[e] < 0)
			continue;
		owner = &w->gangs[w->owner[e]];
		if (owner->state != XETILE_GANG_RUNNING)
			continue;
		if (owner->rank == domain->next_rank)
			over = owner->dispatched_ns + walk_slice(owner);
		if (over > now) {
			next = over < next ? over : next;
			continue;
		}
		walk_stop(w, owner, now);
		*left = owner->state != XETILE_GANG_STOPPING;
	}
	return next;
}

/* Makes room for other modes. @again: gangs have left, or have started. */
static u64 walk_modes(struct walk *w, u64 now, bool *again)
{
	u64 next = XETILE_DISPATCH_NEVER, t, owned;
	unsigned int p, d;

	walk_look(w);
	for (p = XETILE_DISPATCH_PRIORITIES; p--; ) {
		t = walk_decide(w, p, now);
		next = t < next ? t : next;
	}
	for (d = 0; d < XETILE_DISPATCH_DOMAINS && !*again; d++) {
		struct walk_domain *domain = &w->domains[d];

		if (!domain->next)
			continue;
		owned = walk_owned(w);
		if (domain->engines & owned) {
			t = walk_empty(w, domain, now, again);
			next = t < next ? t : next;
		} else {
			walk_dispatch(w, now);
			*again = walk_owned(w) != owned;
		}
	}
	return next;
}

/* Ends the slices that are over. Returns the time at which the next slice is over. */
static u64 walk_tick(struct walk *w, u64 now)
{
	struct walk_gang *u;
	u64 next, t;
	bool left;

	do {
		left = false;
		next = walk_low(w, now);
		t = walk_modes(w, now, &left);
		next = t < next ? t : next;
		walk_again(w);
		while (!left && (u = walk_next(w))) {
			unsigned int m;

			if (!walk_fits(w, u))
				continue;
			for (m = 0; m < u->num_members && !left; m++) {
				t = walk_make_room(w, u, u->candidates[m], now, &left);
				next = t < next ? t : next;
			}
		}
	} while (left);
	return next;
}

#endif
