/* SPDX-License-Identifier: MIT */
/*
 * The reference of the gang dispatcher: the same rules in their simplest form. Each step walks
 * over an array of all gangs. The driver, which has lines and sets, must make the same choices.
 */
#ifndef HOST_GANG_WALK_H
#define HOST_GANG_WALK_H

#include <stdbool.h>
#include <string.h>

#include "exec/xetile_dispatch_types.h"

#define WALK_UNITS	64
/* The usual slice, and the time after which a gang that waits for higher priorities is raised */
#define WALK_SLICE_NS	5000000ull
#define WALK_RAISE_NS	(16 * WALK_SLICE_NS)
/* The slice after which a gang that spins yields */
#define WALK_YIELD_NS	500000ull
/* The most that a client owes, in ns at weight 100 */
#define WALK_DEBT	10000000000ll
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
	unsigned int weight, place, used_place;
	/* Engine time by the gang's weight, how much of it is paid for in advance, and until when */
	u64 used, paid, charged_ns;
	u64 slice_ns, dispatched_ns, waits_ns;
	bool work;
	/* It yields; it spins in this turn; it did in the last one */
	bool yields, spins, spun;
	unsigned int holds;
	/*
	 * While the gang waits: how far its client is, and itself; both with numbers that order the
	 * equal; and the turn that its line has brought to its set
	 */
	u64 line_at, line_arrival, at, arrival, turn;
	/* While the gang waits: the time since which no gang of its set had a whole turn */
	u64 kept_ns;
	bool looked;
};

/* Engines that are in one mode, and what the present look has decided of them */
struct walk_domain {
	u64 engines, began, until;
	unsigned int mode, next, next_rank;
	bool kept;
};

/* What a client has used of a place, and paid for, and how far its own gangs are */
struct walk_account {
	u64 used, paid, clock;
};

struct walk {
	u64 usable;
	/* How far clients are at each rank and place */
	u64 clocks[XETILE_DISPATCH_PRIORITIES][XETILE_DISPATCH_PLACES];
	struct walk_account accounts[WALK_UNITS][XETILE_DISPATCH_PRIORITIES]
				    [XETILE_DISPATCH_PLACES];
	/* By rank: when one that could have the engine was last raised */
	u64 raised_ns[XETILE_DISPATCH_PRIORITIES][XETILE_DISPATCH_ENGINES];
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
	u->weight = gang->weight;
	u->place = gang->place;
	u->used_place = XETILE_DISPATCH_NONE;
	u->slice_ns = gang->slice_ns;
	u->yields = gang->yields;
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

static u64 walk_most(u64 a, u64 b)
{
	return a > b ? a : b;
}

static u64 walk_least(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* The same of what was used, which wraps */
static u64 walk_more(u64 a, u64 b)
{
	return (s64)(a - b) > 0 ? a : b;
}

static u64 walk_less(u64 a, u64 b)
{
	return (s64)(a - b) < 0 ? a : b;
}

static struct walk_account *walk_account(struct walk *w, const struct walk_gang *u,
					 unsigned int rank)
{
	return &w->accounts[u->client][rank][u->place];
}

/* How far the client of a waiting gang is, for all gangs of the line */
static void walk_line_at(struct walk *w, const struct walk_gang *u)
{
	u64 arrival = ++w->last_arrival;
	unsigned int i;

	for (i = 0; i < WALK_UNITS; i++) {
		struct walk_gang *o = &w->gangs[i];

		if (!walk_waits(o) || !walk_same_line(o, u))
			continue;
		o->line_at = walk_more(walk_account(w, u, u->rank)->used,
				       w->clocks[u->rank][u->place]);
		o->line_arrival = arrival;
	}
}

static void walk_use(u64 *used, u64 *paid, u64 more)
{
	u64 free = walk_least(*paid, more);

	*paid -= free;
	*used += more - free;
}

/* Counts what an owner, whose rank is its priority, has used: the least that waits is the clock. */
static void walk_charge(struct walk *w, struct walk_gang *u, u64 now)
{
	struct walk_account *account = walk_account(w, u, u->priority);
	u64 clients, own, more = 0;
	unsigned int i;

	if (now > u->charged_ns) {
		more = (now - u->charged_ns) * 100 / u->weight;
		u->charged_ns = now;
	}
	walk_use(&account->used, &account->paid, more);
	walk_use(&u->used, &u->paid, more);
	account->used = walk_less(account->used, w->clocks[u->rank][u->place] + WALK_DEBT);
	u->used = walk_less(u->used, account->clock + WALK_DEBT);
	walk_line_at(w, u);
	clients = account->used;
	own = u->used;
	for (i = 0; i < WALK_UNITS; i++) {
		struct walk_gang *o = &w->gangs[i];

		if (walk_waits(o) && walk_same_set(o, u)) {
			clients = walk_less(clients, o->line_at);
			if (u->waits_ns > u->dispatched_ns)
				o->kept_ns = walk_most(o->kept_ns, u->waits_ns);
		}
		if (walk_waits(o) && walk_same_line(o, u))
			own = walk_less(own, o->at);
	}
	w->clocks[u->rank][u->place] = walk_more(w->clocks[u->rank][u->place], clients);
	account->clock = walk_more(account->clock, own);
}

/* Who is behind comes to the clock; if others wait it pays for a turn in advance. */
static void walk_enter(u64 *used, u64 *paid, u64 clock, u64 turn, bool moved)
{
	if (moved || (s64)(*used - clock) < 0) {
		*used = clock + turn;
		*paid = turn;
	} else if ((s64)(*used - clock) > WALK_DEBT) {
		*used = clock + WALK_DEBT;
	}
}

/* A gang, whose rank is its priority, wants engines from now on. */
static void walk_join(struct walk *w, struct walk_gang *u)
{
	struct walk_account *account = walk_account(w, u, u->priority);
	u64 turn = u->slice_ns * 100 / u->weight;
	bool others = false, own = false;
	unsigned int i;

	for (i = 0; i < WALK_UNITS; i++) {
		others |= walk_waits(&w->gangs[i]) && walk_same_set(&w->gangs[i], u);
		own |= walk_waits(&w->gangs[i]) && walk_same_line(&w->gangs[i], u);
	}
	walk_enter(&account->used, &account->paid, w->clocks[u->priority][u->place],
		   others ? turn : 0, false);
	walk_enter(&u->used, &u->paid, account->clock, own ? turn : 0, u->used_place != u->place);
	u->used_place = u->place;
}

static void walk_push(struct walk *w, struct walk_gang *u, u64 now)
{
	unsigned int i, e;

	for (e = 0; e < XETILE_DISPATCH_ENGINES; e++) {
		struct walk_gang *o = w->owner[e] < 0 ? NULL : &w->gangs[w->owner[e]];

		if (o && o->engine[0] == e && o->rank == o->priority && walk_same_set(o, u))
			walk_charge(w, o, now);
	}
	if (u->rank == u->priority)
		walk_join(w, u);
	u->turn = 0;
	u->kept_ns = u->waits_ns;
	for (i = 0; i < WALK_UNITS; i++) {
		const struct walk_gang *o = &w->gangs[i];

		if (!walk_waits(o) || !walk_same_set(o, u))
			continue;
		u->kept_ns = o->kept_ns;
		if (!walk_same_line(o, u))
			continue;
		u->turn = o->turn;
		u->line_at = o->line_at;
		u->line_arrival = o->line_arrival;
	}
	u->state = XETILE_GANG_READY;
	u->at = u->rank == u->priority ? u->used : walk_account(w, u, u->rank)->clock;
	u->arrival = ++w->last_arrival;
	if (!u->turn) {
		u->turn = ++w->last_turn;
		walk_line_at(w, u);
	}
}

/* Of two gangs of a set, whether @a is before @b */
static bool walk_in_set_before(const struct walk_gang *a, const struct walk_gang *b)
{
	if (a->line_at != b->line_at)
		return (s64)(a->line_at - b->line_at) < 0;
	if (a->line_arrival != b->line_arrival)
		return a->line_arrival < b->line_arrival;
	if (a->at != b->at)
		return (s64)(a->at - b->at) < 0;
	return a->arrival < b->arrival;
}

/* The first, or last, of the turns of a gang's set */
static u64 walk_set_turn(const struct walk *w, const struct walk_gang *u, bool last)
{
	u64 turn = u->turn;
	unsigned int i;

	for (i = 0; i < WALK_UNITS; i++)
		if (walk_waits(&w->gangs[i]) && walk_same_set(&w->gangs[i], u) &&
		    (last ? w->gangs[i].turn > turn : w->gangs[i].turn < turn))
			turn = w->gangs[i].turn;
	return turn;
}

static bool walk_before(const struct walk *w, const struct walk_gang *a, const struct walk_gang *b)
{
	u64 turn_a, turn_b;

	if (a->rank != b->rank)
		return a->rank > b->rank;
	if (walk_same_set(a, b))
		return walk_in_set_before(a, b);
	turn_a = walk_set_turn(w, a, false);
	turn_b = walk_set_turn(w, b, false);
	return turn_a < turn_b;
}

/* A set loses one of its turns, and gets that which was noted at the line of @u for it. */
static void walk_turn_gone(struct walk *w, const struct walk_gang *u, u64 gone)
{
	unsigned int i;

	for (i = 0; i < WALK_UNITS; i++)
		if (walk_waits(&w->gangs[i]) && walk_same_set(&w->gangs[i], u) &&
		    w->gangs[i].turn == gone)
			w->gangs[i].turn = u->turn;
}

/* Of the gangs that were not looked at, the first one */
static struct walk_gang *walk_next(struct walk *w)
{
	struct walk_gang *best = NULL;
	unsigned int i;

	for (i = 0; i < WALK_UNITS; i++) {
		struct walk_gang *u = &w->gangs[i];

		if (walk_waits(u) && !u->looked && (!best || walk_before(w, u, best)))
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

/* When a gang gets its set's turn, the rest of its line brings another one, behind all. */
static void walk_turn_taken(struct walk *w, const struct walk_gang *u)
{
	struct walk_gang *rest = NULL;
	u64 gone = walk_set_turn(w, u, false), turn;
	unsigned int i;

	for (i = 0; i < WALK_UNITS; i++)
		if (walk_waits(&w->gangs[i]) && walk_same_line(&w->gangs[i], u))
			rest = &w->gangs[i];
	/* The line's own turn is not of the set while others are given what it leaves. */
	if (gone != u->turn)
		walk_turn_gone(w, u, gone);
	if (!rest)
		return;
	turn = ++w->last_turn;
	for (i = 0; i < WALK_UNITS; i++)
		if (walk_waits(&w->gangs[i]) && walk_same_line(&w->gangs[i], u))
			w->gangs[i].turn = turn;
	walk_line_at(w, rest);
}

static u64 walk_slice(const struct walk_gang *u)
{
	return u->rank != u->priority && u->slice_ns > WALK_SLICE_NS ? WALK_SLICE_NS : u->slice_ns;
}

static void walk_start(struct walk *w, struct walk_gang *u, const u8 *engines, u64 now)
{
	struct walk_account *account = walk_account(w, u, u->priority);
	u64 *clock = &w->clocks[u->priority][u->place];
	unsigned int m;

	u->state = XETILE_GANG_RUNNING;
	u->dispatched_ns = now;
	u->charged_ns = now;
	if (u->rank == u->priority) {
		*clock = walk_more(*clock, u->line_at);
		account->clock = walk_more(account->clock, u->at);
	}
	account->used = walk_more(account->used, *clock);
	u->used = walk_more(u->used, account->clock);
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
	if (now - u->dispatched_ns >= walk_slice(u))
		u->waits_ns = now;
	u->rank = u->priority;
	u->spun = u->spins;
	u->spins = false;
	u->state = XETILE_GANG_IDLE;
	walk_charge(w, u, now);
	if (u->work && !u->holds)
		walk_push(w, u, now);
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

	if (!u->work) {
		u->waits_ns = now;
		u->spun = false;
	}
	u->work = true;
	if (u->state == XETILE_GANG_IDLE && !u->holds) {
		walk_push(w, u, now);
		walk_dispatch(w, now);
	}
}

static void walk_progress(struct walk *w, unsigned int i, bool work, u64 now)
{
	w->gangs[i].work = work;
	w->gangs[i].waits_ns = now;
}

/* The set loses its last turn with a line that leaves without one. */
static void walk_gone(struct walk *w, const struct walk_gang *u)
{
	u64 gone = walk_set_turn(w, u, true);
	unsigned int i;

	for (i = 0; i < WALK_UNITS; i++)
		if (walk_waits(&w->gangs[i]) && walk_same_line(&w->gangs[i], u))
			return;
	if (gone != u->turn)
		walk_turn_gone(w, u, gone);
}

static void walk_suspend(struct walk *w, unsigned int i, u64 now)
{
	struct walk_gang *u = &w->gangs[i];

	u->holds++;
	if (u->state == XETILE_GANG_READY) {
		u->state = XETILE_GANG_IDLE;
		walk_gone(w, u);
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
		walk_push(w, u, now);
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

/* Whether gangs of one client alone wait for what @u waits for */
static bool walk_alone(const struct walk *w, const struct walk_gang *u)
{
	unsigned int i;

	for (i = 0; i < WALK_UNITS; i++) {
		const struct walk_gang *o = &w->gangs[i];

		if (walk_waits(o) && walk_same_set(o, u) && o->client != u->client)
			return false;
	}
	return true;
}

/* When an owner is as far as a gang that waits: by their clients, or by themselves */
static u64 walk_as_far(struct walk *w, const struct walk_gang *owner, const struct walk_gang *u)
{
	const struct walk_account *account = walk_account(w, owner, owner->priority);
	u64 ahead = u->line_at - account->used, paid = account->paid;

	if (owner->client == u->client) {
		ahead = u->at - owner->used;
		paid = owner->paid;
	}
	if ((s64)ahead <= 0)
		return owner->charged_ns;
	return owner->charged_ns + walk_least(ahead + paid, WALK_DEBT) * owner->weight / 100;
}

/* Whether a client has more of the engines that one of its owners could have */
static bool walk_has_more(const struct walk *w, const struct walk_gang *owner)
{
	unsigned int e;

	for (e = 0; e < XETILE_DISPATCH_ENGINES; e++)
		if ((owner->candidates[0] >> e & 1) && w->owner[e] >= 0 &&
		    &w->gangs[w->owner[e]] != owner &&
		    w->gangs[w->owner[e]].client == owner->client)
			return true;
	return false;
}

/*
 * Makes room for a member. Returns the time at which the turn of an owner of its candidates is
 * over. Sets @left when a gang was stopped: then all look again.
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
		/* It goes on as long as it would be the next again. */
		if (owner->rank == owner->priority && walk_same_set(owner, u) &&
		    (owner->client != u->client ? !walk_has_more(w, owner) : walk_alone(w, u)))
			over = walk_most(over, walk_as_far(w, owner, u));
		if (over <= now) {
			walk_stop(w, owner, now);
			*left = true;
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
		    walk_in_set_before(o, u))
			return false;
	}
	return true;
}

/* The engines of a member, of which one must be free, or all if their mode changes */
static u64 walk_engines(const struct walk *w, const struct walk_gang *u, unsigned int m, bool *all)
{
	const struct walk_domain *domain = &w->domains[u->domain[m]];

	*all = u->mode[m] && u->mode[m] != domain->mode;
	return *all ? domain->engines : u->candidates[m] & w->usable;
}

/* The rank at which a gang could have engines that higher priorities have, or 0 */
static unsigned int walk_needs(const struct walk *w, const struct walk_gang *u)
{
	unsigned int m, e, needs = 0;

	for (m = 0; m < u->num_members; m++) {
		unsigned int least = XETILE_DISPATCH_PRIORITIES, most = 0, needed;
		bool all;
		u64 engines = walk_engines(w, u, m, &all);

		for (e = 0; e < XETILE_DISPATCH_ENGINES; e++) {
			unsigned int has = w->owner[e] < 0 ? 0 : w->gangs[w->owner[e]].priority;

			if (!(engines >> e & 1))
				continue;
			least = has < least ? has : least;
			most = has > most ? has : most;
		}
		needed = all ? most : least;
		if (needed < XETILE_DISPATCH_PRIORITIES && needed > u->rank && needed > needs)
			needs = needed;
	}
	return needs;
}

/* When one that could have an engine of a gang may be raised again, and which engines these are */
static u64 walk_raise_ns(const struct walk *w, const struct walk_gang *u, u64 *engines)
{
	u64 last = 0;
	unsigned int m, e;
	bool all;

	*engines = 0;
	for (m = 0; m < u->num_members; m++)
		*engines |= walk_engines(w, u, m, &all);
	for (e = 0; e < XETILE_DISPATCH_ENGINES; e++)
		if (*engines >> e & 1)
			last = walk_most(last, w->raised_ns[u->rank][e]);
	return last ? last + WALK_SLICE_NS + WALK_RAISE_NS : 0;
}

/* The first gang of a set takes its turn at a higher rank, and pays for it. */
static void walk_lift(struct walk *w, struct walk_gang *u, unsigned int rank, u64 now)
{
	u64 turn = 0;
	unsigned int i;

	for (i = 0; i < WALK_UNITS; i++)
		if (walk_waits(&w->gangs[i]) && walk_same_set(&w->gangs[i], u))
			w->gangs[i].kept_ns = now;
	u->waits_ns = now;
	if (u->rank == u->priority)
		turn = walk_least(u->slice_ns, WALK_SLICE_NS) * 100 / u->weight;
	walk_account(w, u, u->priority)->used += turn;
	walk_account(w, u, u->priority)->paid += turn;
	u->used += turn;
	u->paid += turn;
	u->state = XETILE_GANG_IDLE;
	walk_turn_taken(w, u);
	u->rank = rank;
	walk_push(w, u, now);
}

static bool walk_raise_one(struct walk *w, unsigned int rank, u64 now, u64 *next)
{
	u64 held = 0, least = XETILE_DISPATCH_NEVER;
	struct walk_gang *u;
	unsigned int e;

	walk_again(w);
	while ((u = walk_next(w))) {
		unsigned int needs = u->rank == rank ? walk_needs(w, u) : 0;
		u64 engines, kept, at;

		if (!needs || !walk_first(w, u))
			continue;
		kept = u->kept_ns + WALK_RAISE_NS;
		at = walk_most(kept, walk_raise_ns(w, u, &engines));
		if (at > now || (engines & held)) {
			least = at > now ? walk_least(least, at) : least;
			held |= kept <= now ? engines : 0;
			continue;
		}
		for (e = 0; e < XETILE_DISPATCH_ENGINES; e++)
			if (engines >> e & 1)
				w->raised_ns[rank][e] = now;
		walk_lift(w, u, needs, now);
		return true;
	}
	*next = walk_least(*next, least);
	return false;
}

/*
 * Raises all gangs that higher priorities have kept waiting for WALK_RAISE_NS. Returns the time at
 * which the next gang must be raised.
 */
static u64 walk_raise(struct walk *w, u64 now)
{
	unsigned int rank;
	bool raised;
	u64 next;

	do {
		raised = false;
		next = XETILE_DISPATCH_NEVER;
		for (rank = 0; rank < XETILE_DISPATCH_PRIORITIES - 1; rank++)
			while (walk_raise_one(w, rank, now, &next))
				raised = true;
		if (raised)
			walk_dispatch(w, now);
	} while (raised);
	return next;
}

/* Raised turns are over with their slices. Returns when the next one is over. */
static u64 walk_raised(struct walk *w, u64 now)
{
	u64 next = XETILE_DISPATCH_NEVER;
	unsigned int e;

	for (e = 0; e < XETILE_DISPATCH_ENGINES; e++) {
		struct walk_gang *u = w->owner[e] < 0 ? NULL : &w->gangs[w->owner[e]];

		if (!u || u->rank == u->priority)
			continue;
		if (u->dispatched_ns + walk_slice(u) > now) {
			next = walk_least(next, u->dispatched_ns + walk_slice(u));
		} else {
			u->rank = u->priority;
			u->waits_ns = now;
		}
	}
	return next;
}

static bool walk_any_waits(const struct walk *w)
{
	unsigned int i;

	for (i = 0; i < WALK_UNITS; i++)
		if (walk_waits(&w->gangs[i]))
			return true;
	return false;
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

/* Whether a gang that waits could do with an engine, and with no other one soon */
static bool walk_wants(struct walk *w, const struct walk_gang *u, unsigned int e)
{
	unsigned int m;

	if (!walk_fits(w, u) || !walk_first(w, u))
		return false;
	for (m = 0; m < u->num_members; m++)
		if ((u->candidates[m] & w->usable) >> e & 1 &&
		    !walk_room_comes(w, u->candidates[m] & w->usable))
			return true;
	return false;
}

/* To whom an engine is yielded: the first that did not spin, or the one with the oldest turn */
static struct walk_gang *walk_yield_to(struct walk *w, unsigned int e)
{
	struct walk_gang *u, *first = NULL;

	walk_again(w);
	while ((u = walk_next(w))) {
		if (!walk_wants(w, u, e))
			continue;
		if (!u->spun)
			return u;
		if (!first || u->dispatched_ns < first->dispatched_ns)
			first = u;
	}
	return first;
}

/* A gang pays for its whole turn, and the other comes first. */
static void walk_yield(struct walk *w, struct walk_gang *owner, const struct walk_gang *u, u64 now)
{
	struct walk_account *account = walk_account(w, owner, owner->priority);
	u64 over = owner->dispatched_ns + walk_slice(owner);
	u64 rest = over > now ? (over - now) * 100 / owner->weight : 0;

	walk_use(&account->used, &account->paid, rest);
	walk_use(&owner->used, &owner->paid, rest);
	if (owner->client == u->client)
		owner->used = walk_more(owner->used, u->at + 1);
	else
		account->used = walk_more(account->used, u->line_at + 1);
}

/* Gangs that spin yield. Returns when the next one does. Sets @left when one was stopped. */
static u64 walk_yields(struct walk *w, u64 now, bool *left)
{
	u64 next = XETILE_DISPATCH_NEVER;
	unsigned int e;

	for (e = 0; e < XETILE_DISPATCH_ENGINES; e++) {
		struct walk_gang *owner = w->owner[e] < 0 ? NULL : &w->gangs[w->owner[e]], *u;

		if (!owner || !owner->spins || owner->state != XETILE_GANG_RUNNING)
			continue;
		u = walk_yield_to(w, e);
		if (!u)
			continue;
		if (owner->dispatched_ns + WALK_YIELD_NS > now) {
			next = walk_least(next, owner->dispatched_ns + WALK_YIELD_NS);
			continue;
		}
		if (u->rank < owner->rank)
			walk_lift(w, u, owner->rank, now);
		if (owner->rank == owner->priority && walk_same_set(owner, u))
			walk_yield(w, owner, u, now);
		walk_stop(w, owner, now);
		*left = true;
		break;
	}
	return next;
}

static void walk_spins(struct walk *w, unsigned int e)
{
	struct walk_gang *u = w->owner[e] < 0 ? NULL : &w->gangs[w->owner[e]];

	if (u && u->yields && u->state == XETILE_GANG_RUNNING)
		u->spins = true;
}

/* Ends the slices that are over. Returns the time at which the next slice is over. */
static u64 walk_tick(struct walk *w, u64 now)
{
	struct walk_gang *u;
	u64 next, t;
	bool left;

	do {
		left = false;
		next = XETILE_DISPATCH_NEVER;
		if (walk_any_waits(w)) {
			next = walk_raised(w, now);
			next = walk_least(next, walk_raise(w, now));
		}
		t = walk_modes(w, now, &left);
		next = t < next ? t : next;
		if (!left)
			next = walk_least(next, walk_yields(w, now, &left));
		walk_again(w);
		while (!left && (u = walk_next(w))) {
			unsigned int m;

			/* The others of its set can have no engine that it cannot have. */
			if (!walk_fits(w, u) || !walk_first(w, u))
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
