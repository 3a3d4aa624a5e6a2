// SPDX-License-Identifier: MIT
/*
 * The gang dispatcher with random steps, on engines that finish, release a context late, or
 * hang (W1, W2). After each step every engine has one owner at most, a gang has all its engines
 * or none, all engines of a domain run in one mode, and the state of each gang equals the state in
 * the reference (gang_walk.h). A gang that waits gets its turn in bounded time.
 */
#include <string.h>

#include "check.h"
#include "gang_accounts.h"
#include "gang_walk.h"
#include "exec/xetile_dispatch.h"
#include "exec/xetile_dispatch_limit.h"
#include "exec/xetile_dispatch_owner.h"
#include "exec/xetile_dispatch_yield.h"

#define UNITS		24
#define CLIENTS		4
#define ENGINES		10
#define STEPS		8000
#define MS		1000000ull
#define LIMIT		(400 * MS)
/* Longest time until an engine releases a context that does not hang */
#define LEAVE		(2 * MS)
/* Time that the dispatcher gives the engine for this */
#define LEAVE_LIMIT	(50 * MS)

static unsigned int seed;

struct test_gang {
	struct xetile_gang gang;
	/* The state of the gang on its engines */
	bool loaded, asked;
	bool hangs;
	/* Work left, in ns of engine time */
	u64 work;
	u64 started;
	u64 leaves_at;
	u64 ready_since;
	unsigned int hung;
};

static struct xetile_dispatch dispatch;
static struct xetile_dispatch_client clients[UNITS];
static struct test_gang gangs[UNITS];
static struct walk walk;
static u64 now;
/* How often the mode of each domain changed */
static unsigned int epochs[XETILE_DISPATCH_DOMAINS];

static void clients_init(void)
{
	unsigned int i;

	for (i = 0; i < UNITS; i++)
		client_begin(&clients[i], i, UNITS);
}

static struct test_gang *to_test(struct xetile_gang *gang)
{
	return (struct test_gang *)((char *)gang - offsetof(struct test_gang, gang));
}

static unsigned int rnd(unsigned int n)
{
	return (unsigned int)(random() >> 4) % n;
}

static void op_run(struct xetile_dispatch *g, struct xetile_gang *gang)
{
	struct test_gang *t = to_test(gang);
	unsigned int m;

	(void)g;
	CHECK(gang->state == XETILE_GANG_RUNNING, "state %d", gang->state);
	CHECK(!gang->holds, "a suspended gang runs");
	for (m = 0; m < gang->num_members; m++) {
		u8 e = gang->members[m].engine;

		CHECK(dispatch.owners[e] == gang, "a gang does not own its engine %u", e);
		CHECK(gang->members[m].candidates & 1ull << e, "engine %u is no candidate", e);
	}
	if (!t->loaded)
		t->started = now;
	t->loaded = true;
}

static void all_off(struct test_gang *t)
{
	unsigned int m;

	t->loaded = false;
	for (m = 0; m < t->gang.num_members; m++)
		xetile_dispatch_member_left(&dispatch, &t->gang, m, now);
}

/* A context that has not reached its engine leaves as soon as it is asked. */
static bool leaves_at_once(unsigned int i, u64 dispatched_ns)
{
	return !gangs[i].hangs && dispatched_ns == now;
}

static void op_stop(struct xetile_dispatch *g, struct xetile_gang *gang)
{
	struct test_gang *t = to_test(gang);

	(void)g;
	CHECK(t->loaded, "a gang that is on no engine is stopped");
	CHECK(!t->asked, "the gang is asked twice");
	if (leaves_at_once((unsigned int)(t - gangs), gang->dispatched_ns)) {
		all_off(t);
		return;
	}
	t->asked = true;
	t->leaves_at = now + rnd(LEAVE);
}

static void op_off(struct xetile_dispatch *g, struct xetile_gang *gang)
{
	struct test_gang *t = to_test(gang);

	(void)g;
	t->loaded = false;
	t->asked = false;
	t->ready_since = now;
}

static void op_hung(struct xetile_dispatch *g, struct xetile_gang *gang)
{
	(void)g;
	to_test(gang)->hung++;
	if (gang->stuck)
		CHECK(gang->state == XETILE_GANG_STOPPING &&
		      now - gang->stopped_ns >= gang->leave_ns, "stuck after %llu ns, state %d",
		      (unsigned long long)(now - gang->stopped_ns), gang->state);
	else
		CHECK(gang->ran_ns + now - gang->since_ns >= gang->limit_ns || !gang->work,
		      "hung after %llu ns",
		      (unsigned long long)(gang->ran_ns + now - gang->since_ns));
}

static void op_mode(struct xetile_dispatch *g, unsigned int domain, unsigned int mode)
{
	CHECK(!(g->owned & g->domains[domain].engines), "the mode of engines in use changes");
	CHECK(g->domains[domain].mode == mode, "mode %u, not %u", g->domains[domain].mode, mode);
	epochs[domain]++;
}

static bool op_quiet(struct xetile_dispatch *g, unsigned int domain)
{
	(void)g;
	(void)domain;
	return true;
}

static const struct xetile_dispatch_ops ops = {
	.run = op_run, .stop = op_stop, .left = op_off, .hung = op_hung, .mode = op_mode,
	.quiet = op_quiet,
};

static void begin(void)
{
	now = MS;
	xetile_dispatch_init(&dispatch, &ops, ~0ull);
	clients_init();
}

static void check_invariants(void)
{
	unsigned int i, m, e, owned[XETILE_DISPATCH_ENGINES] = { 0 };

	for (i = 0; i < UNITS; i++) {
		struct xetile_gang *gang = &gangs[i].gang;
		bool on = !xetile_gang_is_off(gang);

		CHECK(on == gangs[i].loaded, "gang %u: state %d, loaded %d", i, gang->state,
		      gangs[i].loaded);
		for (m = 0; on && m < gang->num_members; m++) {
			e = gang->members[m].engine;
			CHECK(dispatch.owners[e] == gang, "gang %u lacks engine %u", i, e);
			CHECK(!gang->members[m].mode || gang->members[m].mode ==
			      dispatch.domains[gang->members[m].domain].mode,
			      "gang %u runs in mode %u", i,
			      dispatch.domains[gang->members[m].domain].mode);
			owned[e]++;
		}
		CHECK(gang->state != XETILE_GANG_READY || (gang->work && !gang->holds),
		      "gang %u waits for nothing", i);
		CHECK(gang->state != XETILE_GANG_IDLE || !gang->work || gang->holds,
		      "gang %u is forgotten", i);
	}
	for (e = 0; e < XETILE_DISPATCH_ENGINES; e++)
		CHECK(owned[e] == !!dispatch.owners[e], "engine %u is owned %u times", e, owned[e]);
}

/* The gangs of a line, whose first one is @line, in order; returns how many. */
static unsigned int check_line(const struct xetile_gang *line, unsigned int rank)
{
	unsigned int found = 0;
	struct rb_node *node;
	u64 at = 0;

	for (node = line->line.first; node; node = rb_next(node)) {
		const struct xetile_gang *u = rb_entry(node, struct xetile_gang, in_line);

		CHECK((u == line) == !found, "another gang stands for the line than its first");
		CHECK(u == line || (s64)(u->at - at) >= 0, "a line is out of order");
		at = u->at;
		CHECK(u->state == XETILE_GANG_READY && u->rank == rank &&
		      u->client == line->client, "state %d in a line", u->state);
		CHECK(u == line || u->stands == XETILE_GANG_IN_LINE, "stands %d", u->stands);
		found++;
	}
	return found;
}

/* The lines of a set, whose first one is @set, in order; returns how many gangs there are. */
static unsigned int check_set(const struct xetile_gang *set, unsigned int rank)
{
	unsigned int found = 0, lines = 0, turns = 0;
	const struct xetile_gang *turn = set;
	struct rb_node *node;
	u64 at = 0, turn_no = 0;

	for (node = set->lines.first; node; node = rb_next(node)) {
		const struct xetile_gang *line = rb_entry(node, struct xetile_gang, in_set);

		CHECK((line == set) == !lines, "another line stands for the set than its first");
		CHECK(line == set || (s64)(line->line_at - at) >= 0, "a set is out of order");
		at = line->line_at;
		CHECK(line->stands == (line == set ? XETILE_GANG_FIRST_OF_SET :
				       XETILE_GANG_FIRST_OF_LINE), "stands %d", line->stands);
		found += check_line(line, rank);
		lines++;
	}
	do {
		CHECK(turn->turn_no > turn_no, "turns are out of order");
		turn_no = turn->turn_no;
		turns++;
		turn = list_next_entry(turn, turn);
	} while (turn != set && turns <= UNITS);
	CHECK(turns == lines, "%u turns for %u lines", turns, lines);
	return found;
}

/* Each waiting gang is found exactly once, and the lines and sets are in order. */
static void check_lines(void)
{
	unsigned int p, found = 0, waiting = 0, i;

	for (p = 0; p < XETILE_DISPATCH_PRIORITIES; p++) {
		struct xetile_gang *set;
		u64 turn = 0;

		list_for_each_entry(set, &dispatch.ready[p], set) {
			CHECK(set->turn_no > turn, "sets are out of order");
			turn = set->turn_no;
			found += check_set(set, p);
		}
	}
	for (i = 0; i < UNITS; i++)
		waiting += gangs[i].gang.state == XETILE_GANG_READY;
	CHECK(found == waiting, "%u of %u waiting gangs are found", found, waiting);
}

static void check_walk(void)
{
	unsigned int i, m, e;

	for (i = 0; i < UNITS; i++) {
		const struct xetile_gang *gang = &gangs[i].gang;
		const struct walk_gang *u = &walk.gangs[i];

		CHECK(gang->state != XETILE_GANG_READY || gang->at == u->at,
		      "gang %u is at %llu, by the walk %llu", i, (unsigned long long)gang->at,
		      (unsigned long long)u->at);
		CHECK(gang->state != XETILE_GANG_READY || gang->stands == XETILE_GANG_IN_LINE ||
		      gang->line_at == u->line_at, "the line of gang %u is at %llu, by the walk %llu",
		      i, (unsigned long long)gang->line_at, (unsigned long long)u->line_at);
		CHECK(gang->use.used == u->used, "gang %u has used %llu, by the walk %llu", i,
		      (unsigned long long)gang->use.used, (unsigned long long)u->used);
		CHECK(gang->rank == u->rank, "gang %u: rank %u, by the walk %u", i, gang->rank,
		      u->rank);
		CHECK(gang->state == u->state, "gang %u: state %d, by the walk %d", i, gang->state,
		      u->state);
		for (m = 0; m < gang->num_members; m++)
			CHECK(gang->members[m].engine == u->engine[m],
			      "gang %u: engine %u, by the walk %u", i, gang->members[m].engine,
			      u->engine[m]);
	}
	for (e = 0; e < XETILE_DISPATCH_ENGINES; e++)
		CHECK(dispatch.owners[e] ==
		      (walk.owner[e] < 0 ? NULL : &gangs[walk.owner[e]].gang),
		      "engine %u has another owner than by the walk", e);
	for (e = 0; e < XETILE_DISPATCH_DOMAINS; e++)
		CHECK(dispatch.domains[e].mode == walk.domains[e].mode,
		      "domain %u is in mode %u, by the walk %u", e, dispatch.domains[e].mode,
		      walk.domains[e].mode);
}

static void tick_both(void)
{
	u64 expected = walk_tick(&walk, now);

	xetile_dispatch_tick(&dispatch, now);
	/*
	 * It may look too early, because time alone can put off what it has found out: another gang
	 * has a say in a domain since then. Too late would be wrong.
	 */
	if (dispatch.slices_ns < expected) {
		dispatch.changed = true;
		xetile_dispatch_tick(&dispatch, now);
	}
	CHECK(dispatch.slices_ns == expected, "next slice at %llu, by the walk %llu",
	      (unsigned long long)dispatch.slices_ns, (unsigned long long)expected);
	check_walk();
}

/* The kind of gangs in a run */
struct kind {
	bool same_priority;
	/* false: each gang has a client of its own */
	bool few_clients;
	/* Many gangs want the same engines, so that lines and sets are long. */
	bool few_wants;
	/* Gangs want their engines in modes. */
	bool modes;
	/* Some batches wait for others, and yield. */
	bool yields;
	/* The clocks begin just before they wrap. */
	bool wraps;
};

static void gang_setup(unsigned int i, const struct kind *kind)
{
	struct test_gang *t = &gangs[i];
	unsigned int members = kind->few_wants ? 1 + rnd(2) : 1 + rnd(4), m;
	unsigned int client = kind->few_clients ? rnd(CLIENTS) : i;

	memset(t, 0, sizeof(*t));
	xetile_gang_init(&t->gang, &clients[client], members, kind->same_priority ? 1 : rnd(3),
			 1 + rnd(1000), LIMIT);
	t->gang.leave_ns = LEAVE_LIMIT;
	t->gang.yields = kind->yields && rnd(4);
	/* Member m uses one of two engines of tile m. Some single members use engine 8 or 9. */
	for (m = 0; m < members; m++)
		t->gang.members[m].candidates = 1ull << (2 * m + rnd(kind->few_wants ? 1 : 2));
	/* Tile m is domain m: in mode 1 it has one engine, in modes 2 and 4 both. */
	for (m = 0; kind->modes && m < members; m++) {
		t->gang.members[m].domain = (u8)m;
		t->gang.members[m].mode = (u8)(1 << rnd(3));
		if (t->gang.members[m].mode == 1)
			t->gang.members[m].candidates = 1ull << 2 * m;
	}
	if (members == 1 && rnd(2)) {
		t->gang.members[0].candidates = 3ull << 8;
		t->gang.members[0].mode = 0;
	}
	/* Who wants the same has the same place, and some that want something else. */
	for (m = 0; m < members; m++)
		t->gang.place = (u8)((t->gang.place + t->gang.members[m].candidates +
				      t->gang.members[m].mode) % 5);
	walk_unit_init(&walk, i, &t->gang, client);
}

static unsigned int index_of(const struct test_gang *t)
{
	return (unsigned int)(t - gangs);
}

static void submit(struct test_gang *t)
{
	if (!t->gang.work) {
		t->hangs = !rnd(40);
		t->hung = 0;
		t->ready_since = now;
	}
	t->work += (1 + rnd(20)) * MS;
	xetile_dispatch_wake(&dispatch, &t->gang, now);
	walk_wake(&walk, index_of(t), now);
}

static void both_off(struct test_gang *t)
{
	unsigned int m;

	all_off(t);
	for (m = 0; m < t->gang.num_members; m++)
		walk_member_off(&walk, index_of(t), m, now);
	check_walk();
}

static void no_work(struct test_gang *t)
{
	t->work = 0;
	t->hangs = false;
	xetile_dispatch_progress(&t->gang, false, now);
	walk_progress(&walk, index_of(t), false, now);
}

/* Brings a gang that is on its engines up to the time now. */
static void advance(struct test_gang *t)
{
	u64 ran;

	if (!t->loaded)
		return;
	ran = now - t->started;
	if (!t->hangs && ran >= t->work) {
		no_work(t);
		both_off(t);
	} else if (t->asked && !t->hangs && now >= t->leaves_at) {
		t->work -= ran < t->work ? ran : t->work - 1;
		both_off(t);
	} else if (t->hung) {
		/* The reset cancels the gang's work. */
		no_work(t);
		both_off(t);
	}
}

static void suspend_both(struct test_gang *t)
{
	/* The walk is first, because leaves_at_once() reads state that the dispatcher changes. */
	walk_suspend(&walk, index_of(t), now);
	xetile_dispatch_suspend(&dispatch, &t->gang, now);
}

static void resume_both(struct test_gang *t)
{
	walk_resume(&walk, index_of(t), now);
	xetile_dispatch_resume(&dispatch, &t->gang, now);
}

static void usable_both(u64 usable)
{
	walk.usable = usable;
	walk_dispatch(&walk, now);
	xetile_dispatch_set_usable(&dispatch, usable, now);
}

static void spin_both(unsigned int engine)
{
	walk_spins(&walk, engine);
	xetile_dispatch_spins(&dispatch, engine);
}

static void step(void)
{
	struct test_gang *t = &gangs[rnd(UNITS)];
	unsigned int i;

	now += rnd(MS);
	switch (rnd(8)) {
	case 0:
	case 1:
		submit(t);
		break;
	case 2:
		if (t->gang.holds < 2)
			suspend_both(t);
		break;
	case 3:
	case 4:
		if (t->gang.holds)
			resume_both(t);
		break;
	case 6:
		spin_both(rnd(ENGINES));
		break;
	case 5:
		usable_both(rnd(8) ? ~0ull : ~(1ull << rnd(ENGINES)));
		break;
	}
	check_walk();
	for (i = 0; i < UNITS; i++)
		advance(&gangs[i]);
	tick_both();
	check_invariants();
	check_lines();
}

static void test_random(const struct kind *kind)
{
	unsigned int i;

	now = MS;
	xetile_dispatch_init(&dispatch, &ops, ~0ull);
	walk_init(&walk, leaves_at_once);
	clients_init();
	/* What was used wraps soon. */
	memset(dispatch.clocks, 0xff, kind->wraps ? sizeof(dispatch.clocks) : 0);
	memset(walk.clocks, 0xff, kind->wraps ? sizeof(walk.clocks) : 0);
	memset(epochs, 0, sizeof(epochs));
	for (i = 0; i < XETILE_DISPATCH_DOMAINS; i++) {
		xetile_dispatch_set_mode(&dispatch, i, 3ull << 2 * i, 1, now);
		walk.domains[i].engines = 3ull << 2 * i;
		walk.domains[i].mode = 1;
		walk.domains[i].began = now;
	}
	for (i = 0; i < UNITS; i++)
		gang_setup(i, kind);
	for (i = 0; i < STEPS; i++)
		step();

	/* No gang is held and all engines are usable: all gangs end. */
	usable_both(~0ull);
	for (i = 0; i < UNITS; i++)
		while (gangs[i].gang.holds)
			resume_both(&gangs[i]);
	for (i = 0; i < 40000; i++) {
		unsigned int u;

		now += 2 * MS;
		for (u = 0; u < UNITS; u++)
			advance(&gangs[u]);
		tick_both();
		check_invariants();
	}
	for (i = 0; i < UNITS; i++)
		CHECK(!gangs[i].gang.work && gangs[i].gang.state == XETILE_GANG_IDLE,
		      "gang %u never ended", i);
	CHECK(!epochs[0] == !kind->modes, "%u epochs", epochs[0]);
}

/* A gang of two gets its share beside single contexts that never run out of work. */
static void test_no_starvation(void)
{
	unsigned int i, step, gang_runs = 0, waited = 0, most = 0;

	begin();
	for (i = 0; i < 9; i++) {
		memset(&gangs[i], 0, sizeof(gangs[i]));
		xetile_gang_init(&gangs[i].gang, &clients[i], i ? 1 : 2, 1, 100,
				 LIMIT);
		gangs[i].gang.members[0].candidates = i < 5 ? 1 : 2;
		gangs[i].gang.members[1].candidates = 2;
		gangs[i].work = XETILE_DISPATCH_NEVER / 2;
		xetile_dispatch_wake(&dispatch, &gangs[i].gang, now);
	}
	gangs[0].gang.members[0].candidates = 1;
	for (step = 0; step < 20000; step++) {
		now += MS / 10;
		for (i = 0; i < 9; i++) {
			struct test_gang *t = &gangs[i];

			if (t->loaded && t->asked && now >= t->leaves_at)
				all_off(t);
			/* Batches end before their limit. */
			if (t->loaded)
				xetile_dispatch_progress(&t->gang, true, now);
		}
		xetile_dispatch_tick(&dispatch, now);
		if (gangs[0].loaded) {
			gang_runs++;
			waited = 0;
		} else if (++waited > most) {
			most = waited;
		}
	}
	CHECK(gang_runs > 20000 / 8, "the gang of two ran %u of 20000 steps", gang_runs);
	CHECK(most < 10 * 60, "the gang of two waited %u steps at a time", most);
}

/* Two gangs over the same engines in opposite order do not deadlock. */
static void test_no_deadlock(void)
{
	unsigned int i, step, runs[2] = { 0 };

	begin();
	for (i = 0; i < 2; i++) {
		memset(&gangs[i], 0, sizeof(gangs[i]));
		xetile_gang_init(&gangs[i].gang, &clients[i], 2, 1, 100, LIMIT);
		gangs[i].gang.members[0].candidates = i ? 1 : 2;
		gangs[i].gang.members[1].candidates = i ? 2 : 1;
		xetile_dispatch_wake(&dispatch, &gangs[i].gang, now);
	}
	for (step = 0; step < 10000; step++) {
		now += MS / 10;
		for (i = 0; i < 2; i++) {
			runs[i] += gangs[i].loaded;
			if (gangs[i].loaded && gangs[i].asked && now >= gangs[i].leaves_at)
				all_off(&gangs[i]);
			if (gangs[i].loaded)
				xetile_dispatch_progress(&gangs[i].gang, true, now);
		}
		CHECK(!(gangs[0].loaded && gangs[1].loaded), "both gangs run at once");
		xetile_dispatch_tick(&dispatch, now);
	}
	CHECK(runs[0] > 3000 && runs[1] > 3000, "turns %u and %u", runs[0], runs[1]);
}

/* The limit counts engine time only; the time for which a gang waits does not count. */
static void test_limit(void)
{
	unsigned int i, step;

	begin();
	for (i = 0; i < 4; i++) {
		memset(&gangs[i], 0, sizeof(gangs[i]));
		xetile_gang_init(&gangs[i].gang, &clients[i], 1, 1, 100, LIMIT);
		gangs[i].gang.members[0].candidates = 1;
		xetile_dispatch_wake(&dispatch, &gangs[i].gang, now);
	}
	/* Four gangs share the engine: after twice the limit each ran for half of the limit. */
	for (step = 0; now < 2 * LIMIT; step++) {
		now += MS / 10;
		for (i = 0; i < 4; i++)
			if (gangs[i].loaded && gangs[i].asked && now >= gangs[i].leaves_at)
				all_off(&gangs[i]);
		xetile_dispatch_tick(&dispatch, now);
	}
	for (i = 0; i < 4; i++)
		CHECK(!gangs[i].hung, "gang %u hung after %u turns", i, step);
	for (; now < 6 * LIMIT; ) {
		now += MS / 10;
		for (i = 0; i < 4; i++)
			if (gangs[i].loaded && gangs[i].asked && now >= gangs[i].leaves_at)
				all_off(&gangs[i]);
		xetile_dispatch_tick(&dispatch, now);
	}
	for (i = 0; i < 4; i++)
		CHECK(gangs[i].hung == 1, "gang %u was reported %u times", i, gangs[i].hung);
}

/*
 * A gang without a limit (M1: a ring that its user writes to). Alone it runs for ever, and nobody
 * has to look at it; beside another it takes turns; and when it does not leave it hangs.
 */
static void test_endless(void)
{
	struct xetile_gang *endless = &gangs[0].gang, *other = &gangs[1].gang;
	unsigned int i, turns = 0;
	bool was = true;
	u64 next;

	begin();
	for (i = 0; i < 2; i++) {
		memset(&gangs[i], 0, sizeof(gangs[i]));
		xetile_gang_init(&gangs[i].gang, &clients[i], 1, 1, 100, XETILE_DISPATCH_NEVER);
		gangs[i].gang.leave_ns = LEAVE_LIMIT;
		gangs[i].gang.members[0].candidates = 1;
	}
	xetile_dispatch_wake(&dispatch, endless, now);
	for (i = 0; i < 1000; i++) {
		next = xetile_dispatch_tick(&dispatch, now);
		CHECK(next == XETILE_DISPATCH_NEVER, "the next look is at %llu, not never",
		      (unsigned long long)next);
		CHECK(!xetile_dispatch_is_late(endless, now), "late after %u hours", i);
		now += 3600000 * MS;
		xetile_dispatch_progress(endless, true, now);
	}
	xetile_dispatch_wake(&dispatch, other, now);
	for (i = 0; i < 20000; i++) {
		now += MS / 10;
		for (unsigned int g = 0; g < 2; g++)
			if (gangs[g].loaded && gangs[g].asked && now >= gangs[g].leaves_at)
				all_off(&gangs[g]);
		next = xetile_dispatch_tick(&dispatch, now);
		CHECK(next > now, "the timer fires without pause");
		turns += was != gangs[0].loaded;
		was = gangs[0].loaded;
	}
	CHECK(turns > 200, "%u turns in 2 s", turns);
	CHECK(!gangs[0].hung && !gangs[1].hung, "a gang without a limit hangs");
	/* Whoever does not leave is reported, once. */
	xetile_dispatch_suspend(&dispatch, other, now);
	while (!gangs[0].loaded || gangs[0].asked) {
		now += MS / 10;
		for (unsigned int g = 0; g < 2; g++)
			if (gangs[g].loaded && gangs[g].asked && now >= gangs[g].leaves_at)
				all_off(&gangs[g]);
		xetile_dispatch_tick(&dispatch, now);
	}
	gangs[0].hangs = true;
	xetile_dispatch_suspend(&dispatch, endless, now);
	CHECK(gangs[0].asked, "it is not asked");
	next = xetile_dispatch_tick(&dispatch, now);
	CHECK(next == now + LEAVE_LIMIT, "the next look is after %llu ns",
	      (unsigned long long)(next - now));
	for (i = 0; i < 4; i++) {
		now += LEAVE_LIMIT / 2;
		xetile_dispatch_tick(&dispatch, now);
	}
	CHECK(gangs[0].hung == 1 && endless->stuck, "reported %u times", gangs[0].hung);
}

int main(void)
{
	for (seed = 1; seed <= 32; seed++) {
		char name[64];
		struct kind kind = {
			seed & 1, seed & 2, seed & 4, seed > 16, seed & 8, seed % 3 == 0,
		};

		srandom(seed);
		snprintf(name, sizeof(name), "W2: all or nothing, random steps, %sseed %u",
			 kind.modes ? "modes, " : "", seed);
		RUN(name, test_random(&kind));
	}
	RUN("nobody starves", test_no_starvation());
	RUN("W2: gangs never wait for each other", test_no_deadlock());
	RUN("W12: a limit counts engine time only", test_limit());
	RUN("M1: a gang without a limit runs for ever, and leaves when asked", test_endless());
	return check_end();
}
