// SPDX-License-Identifier: MIT
/*
 * Drives the gang dispatcher with random sequences against engines that finish,
 * are slow to let go, or hang (W1, W2): after each step nobody owns an
 * engine twice, a unit has all its engines or none, whoever waits gets its turn in
 * bounded time, and everything is as a plain walk over all units would have it. What a
 * step costs, counted in units looked at, does not grow with the units that wait.
 */
#include <string.h>

#include "check.h"
#include "gang_walk.h"
#include "exec/xetile_gang.h"

#define UNITS		24
#define CLIENTS		4
#define ENGINES		10
#define STEPS		20000
#define MS		1000000ull
#define LIMIT		(400 * MS)
/* What an engine needs at most to let go of a context that does not hang */
#define LEAVE		(2 * MS)
/* What the dispatcher gives it */
#define LEAVE_LIMIT	(50 * MS)

static unsigned int seed;

struct test_unit {
	struct xetile_gang_unit unit;
	/* What the engines see of it */
	bool loaded, asked;
	bool hangs;
	/* Work left, in ns of engine time */
	u64 work;
	u64 started;
	u64 leaves_at;
	u64 ready_since;
	unsigned int hung;
};

static struct xetile_gang gang;
static struct xetile_gang_client clients[UNITS];
static struct test_unit units[UNITS];
static struct walk walk;
static u64 now;

static void clients_init(void)
{
	unsigned int i;

	for (i = 0; i < UNITS; i++)
		xetile_gang_client_init(&clients[i]);
}

static struct test_unit *to_test(struct xetile_gang_unit *unit)
{
	return (struct test_unit *)((char *)unit - offsetof(struct test_unit, unit));
}

static unsigned int rnd(unsigned int n)
{
	return (unsigned int)(random() >> 4) % n;
}

static void op_run(struct xetile_gang *g, struct xetile_gang_unit *unit)
{
	struct test_unit *t = to_test(unit);
	unsigned int m;

	(void)g;
	CHECK(unit->state == XETILE_GANG_RUNNING, "state %d", unit->state);
	CHECK(!unit->holds, "runs though suspended");
	for (m = 0; m < unit->num_members; m++) {
		u8 e = unit->members[m].engine;

		CHECK(gang.owners[e] == unit, "starts on engine %u without owning it", e);
		CHECK(unit->members[m].candidates & 1ull << e, "engine %u is no candidate", e);
	}
	if (!t->loaded)
		t->started = now;
	t->loaded = true;
}

static void all_off_at(struct test_unit *t, u64 when)
{
	unsigned int m;

	t->loaded = false;
	for (m = 0; m < t->unit.num_members; m++)
		xetile_gang_member_off(&gang, &t->unit, m, when);
}

static void all_off(struct test_unit *t)
{
	all_off_at(t, now);
}

/* A context that never got to its engine is off as soon as it is asked. */
static bool leaves_at_once(unsigned int i, u64 dispatched_ns)
{
	return !units[i].hangs && dispatched_ns == now;
}

static void op_stop(struct xetile_gang *g, struct xetile_gang_unit *unit)
{
	struct test_unit *t = to_test(unit);

	(void)g;
	CHECK(t->loaded, "stopped without being on");
	CHECK(!t->asked, "asked twice");
	if (leaves_at_once((unsigned int)(t - units), unit->dispatched_ns)) {
		all_off(t);
		return;
	}
	t->asked = true;
	t->leaves_at = now + rnd(LEAVE);
}

static void op_off(struct xetile_gang *g, struct xetile_gang_unit *unit)
{
	struct test_unit *t = to_test(unit);

	(void)g;
	t->loaded = false;
	t->asked = false;
	t->ready_since = now;
}

static void op_hung(struct xetile_gang *g, struct xetile_gang_unit *unit)
{
	(void)g;
	to_test(unit)->hung++;
	if (unit->stuck)
		CHECK(unit->state == XETILE_GANG_STOPPING &&
		      now - unit->stopped_ns >= unit->leave_ns, "stuck after %llu ns, state %d",
		      (unsigned long long)(now - unit->stopped_ns), unit->state);
	else
		CHECK(unit->ran_ns + now - unit->since_ns >= unit->limit_ns || !unit->work,
		      "hung after %llu ns",
		      (unsigned long long)(unit->ran_ns + now - unit->since_ns));
}

static const struct xetile_gang_ops ops = {
	.run = op_run, .stop = op_stop, .off = op_off, .hung = op_hung,
};

static void check_invariants(void)
{
	unsigned int i, m, e, owned[XETILE_GANG_ENGINES] = { 0 };

	for (i = 0; i < UNITS; i++) {
		struct xetile_gang_unit *unit = &units[i].unit;
		bool on = !xetile_gang_is_off(unit);

		CHECK(on == units[i].loaded, "unit %u: state %d, loaded %d", i, unit->state,
		      units[i].loaded);
		for (m = 0; on && m < unit->num_members; m++) {
			e = unit->members[m].engine;
			CHECK(gang.owners[e] == unit, "unit %u lacks engine %u", i, e);
			owned[e]++;
		}
		CHECK(unit->state != XETILE_GANG_READY || (unit->work && !unit->holds),
		      "unit %u waits for nothing", i);
		CHECK(unit->state != XETILE_GANG_IDLE || !unit->work || unit->holds,
		      "unit %u is forgotten", i);
	}
	for (e = 0; e < XETILE_GANG_ENGINES; e++)
		CHECK(owned[e] == !!gang.owners[e], "engine %u is owned %u times", e, owned[e]);
}

/* Everybody who waits is found once, in lines and sets that are what they say. */
static void check_lines(void)
{
	unsigned int p, found = 0, waiting = 0, i;

	for (p = 0; p < XETILE_GANG_PRIORITIES; p++) {
		struct xetile_gang_unit *set;
		u64 turn = 0;

		list_for_each_entry(set, &gang.ready[p], set) {
			struct xetile_gang_unit *line = set;
			u64 in_set = 0;

			CHECK(set->place == XETILE_GANG_FIRST_OF_SET, "place %d", set->place);
			CHECK(set->turn_no > turn, "sets are out of order");
			turn = set->turn_no;
			do {
				struct xetile_gang_unit *u = line;

				CHECK(line->turn_no > in_set, "lines are out of order");
				in_set = line->turn_no;
				CHECK(line == set || line->place == XETILE_GANG_FIRST_OF_LINE,
				      "place %d", line->place);
				do {
					CHECK(u->state == XETILE_GANG_READY && u->rank == p &&
					      u->client == line->client,
					      "state %d in a line", u->state);
					CHECK(u == line || u->place == XETILE_GANG_IN_LINE,
					      "place %d", u->place);
					found++;
					u = list_entry(u->line.next, struct xetile_gang_unit, line);
				} while (u != line && found <= UNITS);
				line = list_entry(line->turn.next, struct xetile_gang_unit, turn);
			} while (line != set && found <= UNITS);
		}
	}
	for (i = 0; i < UNITS; i++)
		waiting += units[i].unit.state == XETILE_GANG_READY;
	CHECK(found == waiting, "%u of %u who wait are found", found, waiting);
}

static void check_walk(void)
{
	unsigned int i, m, e;

	for (i = 0; i < UNITS; i++) {
		const struct xetile_gang_unit *unit = &units[i].unit;
		const struct walk_unit *u = &walk.units[i];

		CHECK(unit->rank == u->rank, "unit %u: rank %u, by the walk %u", i, unit->rank,
		      u->rank);
		CHECK(unit->state == u->state, "unit %u: state %d, by the walk %d", i, unit->state,
		      u->state);
		for (m = 0; m < unit->num_members; m++)
			CHECK(unit->members[m].engine == u->engine[m],
			      "unit %u: engine %u, by the walk %u", i, unit->members[m].engine,
			      u->engine[m]);
	}
	for (e = 0; e < XETILE_GANG_ENGINES; e++)
		CHECK(gang.owners[e] ==
		      (walk.owner[e] < 0 ? NULL : &units[walk.owner[e]].unit),
		      "engine %u has another owner than by the walk", e);
}

static void tick_both(void)
{
	u64 expected = walk_tick(&walk, now);

	xetile_gang_tick(&gang, now);
	CHECK(gang.slices_ns == expected, "next slice at %llu, by the walk %llu",
	      (unsigned long long)gang.slices_ns, (unsigned long long)expected);
	check_walk();
}

/* Of what kind the units of a run are */
struct kind {
	bool same_priority;
	/* Or a client for each unit */
	bool few_clients;
	/* Many want the same, so that lines and sets are long. */
	bool few_wants;
};

static void unit_setup(unsigned int i, const struct kind *kind)
{
	struct test_unit *t = &units[i];
	unsigned int members = kind->few_wants ? 1 + rnd(2) : 1 + rnd(4), m;
	unsigned int client = kind->few_clients ? rnd(CLIENTS) : i;

	memset(t, 0, sizeof(*t));
	xetile_gang_unit_init(&t->unit, &clients[client], members, kind->same_priority ? 1 : rnd(3),
			      1 + rnd(1000), LIMIT);
	t->unit.leave_ns = LEAVE_LIMIT;
	/* Two engines a tile, and a shared copy engine on each of two tiles */
	for (m = 0; m < members; m++)
		t->unit.members[m].candidates = 1ull << (2 * m + rnd(kind->few_wants ? 1 : 2));
	if (members == 1 && rnd(2))
		t->unit.members[0].candidates = 3ull << 8;
	walk_unit_init(&walk, i, &t->unit, client);
}

static unsigned int index_of(const struct test_unit *t)
{
	return (unsigned int)(t - units);
}

static void submit(struct test_unit *t)
{
	if (!t->unit.work) {
		t->hangs = !rnd(40);
		t->hung = 0;
		t->ready_since = now;
	}
	t->work += (1 + rnd(20)) * MS;
	xetile_gang_wake(&gang, &t->unit, now);
	walk_wake(&walk, index_of(t), now);
}

static void both_off(struct test_unit *t)
{
	unsigned int m;

	all_off(t);
	for (m = 0; m < t->unit.num_members; m++)
		walk_member_off(&walk, index_of(t), m, now);
	check_walk();
}

static void no_work(struct test_unit *t)
{
	t->work = 0;
	t->hangs = false;
	xetile_gang_progress(&t->unit, false, now);
	walk_progress(&walk, index_of(t), false, now);
}

/* Time passes for a unit that is on its engines. */
static void advance(struct test_unit *t)
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
		/* The reset: its work is cancelled. */
		no_work(t);
		both_off(t);
	}
}

static void suspend_both(struct test_unit *t)
{
	/* Only after the walk what is asked of the engine changes. */
	walk_suspend(&walk, index_of(t), now);
	xetile_gang_suspend(&gang, &t->unit, now);
}

static void resume_both(struct test_unit *t)
{
	walk_resume(&walk, index_of(t), now);
	xetile_gang_resume(&gang, &t->unit, now);
}

static void usable_both(u64 usable)
{
	walk.usable = usable;
	walk_dispatch(&walk, now);
	xetile_gang_set_usable(&gang, usable, now);
}

static void step(void)
{
	struct test_unit *t = &units[rnd(UNITS)];
	unsigned int i;

	now += rnd(MS);
	switch (rnd(8)) {
	case 0:
	case 1:
		submit(t);
		break;
	case 2:
		if (t->unit.holds < 2)
			suspend_both(t);
		break;
	case 3:
	case 4:
		if (t->unit.holds)
			resume_both(t);
		break;
	case 5:
		usable_both(rnd(8) ? ~0ull : ~(1ull << rnd(ENGINES)));
		break;
	}
	check_walk();
	for (i = 0; i < UNITS; i++)
		advance(&units[i]);
	tick_both();
	check_invariants();
	check_lines();
}

static void test_random(const struct kind *kind)
{
	unsigned int i;

	now = MS;
	xetile_gang_init(&gang, &ops, ~0ull);
	walk_init(&walk, leaves_at_once);
	clients_init();
	for (i = 0; i < UNITS; i++)
		unit_setup(i, kind);
	for (i = 0; i < STEPS; i++)
		step();

	/* Let go of all: everything ends. */
	usable_both(~0ull);
	for (i = 0; i < UNITS; i++)
		while (units[i].unit.holds)
			resume_both(&units[i]);
	for (i = 0; i < 40000; i++) {
		unsigned int u;

		now += 2 * MS;
		for (u = 0; u < UNITS; u++)
			advance(&units[u]);
		tick_both();
		check_invariants();
	}
	for (i = 0; i < UNITS; i++)
		CHECK(!units[i].unit.work && units[i].unit.state == XETILE_GANG_IDLE,
		      "unit %u never ended", i);
}

/* A gang against single contexts that never run out of work: it gets its share. */
static void test_no_starvation(void)
{
	unsigned int i, step, gang_runs = 0, waited = 0, most = 0;

	now = MS;
	xetile_gang_init(&gang, &ops, ~0ull);
	clients_init();
	for (i = 0; i < 9; i++) {
		memset(&units[i], 0, sizeof(units[i]));
		xetile_gang_unit_init(&units[i].unit, &clients[i], i ? 1 : 2, 1, 100,
				      LIMIT);
		units[i].unit.members[0].candidates = i < 5 ? 1 : 2;
		units[i].unit.members[1].candidates = 2;
		units[i].work = XETILE_GANG_NEVER / 2;
		xetile_gang_wake(&gang, &units[i].unit, now);
	}
	units[0].unit.members[0].candidates = 1;
	for (step = 0; step < 20000; step++) {
		now += MS / 10;
		for (i = 0; i < 9; i++) {
			struct test_unit *t = &units[i];

			if (t->loaded && t->asked && now >= t->leaves_at)
				all_off(t);
			/* Batches end often enough. */
			if (t->loaded)
				xetile_gang_progress(&t->unit, true, now);
		}
		xetile_gang_tick(&gang, now);
		if (units[0].loaded) {
			gang_runs++;
			waited = 0;
		} else if (++waited > most) {
			most = waited;
		}
	}
	CHECK(gang_runs > 20000 / 8, "the gang ran %u of 20000 steps", gang_runs);
	CHECK(most < 10 * 60, "the gang waited %u steps at a time", most);
}

/* Two gangs over the same engines in opposite order do not deadlock. */
static void test_no_deadlock(void)
{
	unsigned int i, step, runs[2] = { 0 };

	now = MS;
	xetile_gang_init(&gang, &ops, ~0ull);
	clients_init();
	for (i = 0; i < 2; i++) {
		memset(&units[i], 0, sizeof(units[i]));
		xetile_gang_unit_init(&units[i].unit, &clients[i], 2, 1, 100, LIMIT);
		units[i].unit.members[0].candidates = i ? 1 : 2;
		units[i].unit.members[1].candidates = i ? 2 : 1;
		xetile_gang_wake(&gang, &units[i].unit, now);
	}
	for (step = 0; step < 10000; step++) {
		now += MS / 10;
		for (i = 0; i < 2; i++) {
			runs[i] += units[i].loaded;
			if (units[i].loaded && units[i].asked && now >= units[i].leaves_at)
				all_off(&units[i]);
			if (units[i].loaded)
				xetile_gang_progress(&units[i].unit, true, now);
		}
		CHECK(!(units[0].loaded && units[1].loaded), "both gangs at once");
		xetile_gang_tick(&gang, now);
	}
	CHECK(runs[0] > 3000 && runs[1] > 3000, "turns %u and %u", runs[0], runs[1]);
}

/* The limit counts engine time only: waiting for a turn is not hanging. */
static void test_limit(void)
{
	unsigned int i, step;

	now = MS;
	xetile_gang_init(&gang, &ops, ~0ull);
	clients_init();
	for (i = 0; i < 4; i++) {
		memset(&units[i], 0, sizeof(units[i]));
		xetile_gang_unit_init(&units[i].unit, &clients[i], 1, 1, 100, LIMIT);
		units[i].unit.members[0].candidates = 1;
		xetile_gang_wake(&gang, &units[i].unit, now);
	}
	/* Four share the engine: after twice the limit each had half of it. */
	for (step = 0; now < 2 * LIMIT; step++) {
		now += MS / 10;
		for (i = 0; i < 4; i++)
			if (units[i].loaded && units[i].asked && now >= units[i].leaves_at)
				all_off(&units[i]);
		xetile_gang_tick(&gang, now);
	}
	for (i = 0; i < 4; i++)
		CHECK(!units[i].hung, "unit %u hung after %u turns", i, step);
	for (; now < 6 * LIMIT; ) {
		now += MS / 10;
		for (i = 0; i < 4; i++)
			if (units[i].loaded && units[i].asked && now >= units[i].leaves_at)
				all_off(&units[i]);
		xetile_gang_tick(&gang, now);
	}
	for (i = 0; i < 4; i++)
		CHECK(units[i].hung == 1, "unit %u was told hung %u times", i, units[i].hung);
}

/*
 * Two on one engine; the first does not leave when its slice is over. It is told as
 * soon as its time to leave has passed, long before its batch's limit, and once. One
 * that leaves after all has done nothing wrong.
 */
static void test_leave(bool leaves)
{
	struct xetile_gang_unit *first = &units[0].unit;
	unsigned int i;
	u64 next;

	now = MS;
	xetile_gang_init(&gang, &ops, ~0ull);
	clients_init();
	for (i = 0; i < 2; i++) {
		memset(&units[i], 0, sizeof(units[i]));
		xetile_gang_unit_init(&units[i].unit, &clients[i], 1, 1, 100, 3600000 * MS);
		units[i].unit.members[0].candidates = 1;
		xetile_gang_wake(&gang, &units[i].unit, now);
	}
	now = xetile_gang_tick(&gang, now);
	CHECK(now == MS + first->slice_ns, "slice over at %llu", (unsigned long long)now);
	next = xetile_gang_tick(&gang, now);
	CHECK(units[0].asked && !units[0].hung, "hung %u", units[0].hung);
	CHECK(next == now + first->leave_ns, "next look after %llu ns",
	      (unsigned long long)(next - now));
	xetile_gang_tick(&gang, next - 1);
	CHECK(!units[0].hung, "told too early");
	now = next;
	next = xetile_gang_tick(&gang, now);
	CHECK(units[0].hung == 1, "told %u times", units[0].hung);
	xetile_gang_tick(&gang, now + 1);
	CHECK(units[0].hung == 1, "told %u times", units[0].hung);
	CHECK(first->hung, "not hung");
	if (!leaves)
		return;
	all_off(&units[0]);
	CHECK(!first->hung && units[1].loaded, "hung %d though it left", first->hung);
}

/*
 * A unit of two engines, one of which is asked to leave only when its time to leave is
 * over, or nearly: from there on it has all of it once more. @told: it was told hung by then.
 */
static void test_asked_late(bool told)
{
	struct test_unit *t = &units[0];
	struct xetile_gang_unit *unit = &t->unit;
	unsigned int m;
	u64 next;

	now = MS;
	xetile_gang_init(&gang, &ops, ~0ull);
	clients_init();
	memset(t, 0, sizeof(*t));
	xetile_gang_unit_init(unit, &clients[0], 2, 1, 100, 3600000 * MS);
	for (m = 0; m < 2; m++)
		unit->members[m].candidates = 1ull << m;
	xetile_gang_wake(&gang, unit, now);
	now += MS;
	xetile_gang_suspend(&gang, unit, now);
	xetile_gang_asked(unit, now);
	next = xetile_gang_tick(&gang, now);
	CHECK(next == now + unit->leave_ns, "next look at %llu", (unsigned long long)next);
	now = told ? next : next - 1;
	xetile_gang_tick(&gang, now);
	CHECK(t->hung == told, "told %u times", t->hung);
	xetile_gang_asked(unit, now);
	CHECK(!unit->hung && !unit->stuck, "hung, and just asked");
	next = xetile_gang_tick(&gang, now);
	CHECK(next == now + unit->leave_ns, "next look at %llu", (unsigned long long)next);
	xetile_gang_tick(&gang, next - 1);
	CHECK(t->hung == told, "told %u times", t->hung);
	now = next;
	xetile_gang_tick(&gang, now);
	CHECK(t->hung == told + 1u && unit->stuck, "told %u times", t->hung);
}

/* One that is not to leave, or has used up its batch's time, is not helped by that. */
static void test_asked_in_vain(void)
{
	struct xetile_gang_unit *unit = &units[0].unit;

	now = MS;
	xetile_gang_init(&gang, &ops, ~0ull);
	clients_init();
	memset(&units[0], 0, sizeof(units[0]));
	xetile_gang_unit_init(unit, &clients[0], 1, 1, 100, LIMIT);
	unit->leave_ns = 2 * LIMIT;
	unit->members[0].candidates = 1;
	xetile_gang_wake(&gang, unit, now);
	xetile_gang_asked(unit, now + 1);
	CHECK(unit->stopped_ns != now + 1, "asked, though it is not to leave");
	now += LIMIT / 2;
	xetile_gang_suspend(&gang, unit, now);
	now += LIMIT;
	xetile_gang_tick(&gang, now);
	CHECK(units[0].hung == 1 && !unit->stuck, "told %u times", units[0].hung);
	xetile_gang_asked(unit, now);
	CHECK(unit->hung, "its batch's time begins anew");
}

/* The clock goes on while the dispatcher looks at what it was a moment ago. */
static void stop_later(struct xetile_gang *g, struct xetile_gang_unit *unit)
{
	(void)g;
	all_off_at(to_test(unit), now + 1);
}

static const struct xetile_gang_ops later_ops = {
	.run = op_run, .stop = stop_later, .off = op_off, .hung = op_hung,
};

/*
 * Who starts because another one leaves at once has run for no time at all, though by the
 * time that the dispatcher looks at its start is yet to come.
 */
static void test_old_clock(void)
{
	struct test_unit *second = &units[1];
	u64 start, next;
	unsigned int i;

	now = MS;
	xetile_gang_init(&gang, &later_ops, ~0ull);
	clients_init();
	for (i = 0; i < 2; i++) {
		memset(&units[i], 0, sizeof(units[i]));
		xetile_gang_unit_init(&units[i].unit, &clients[i], 1, 1, 100, LIMIT);
		units[i].unit.members[0].candidates = 1;
		xetile_gang_wake(&gang, &units[i].unit, now);
	}
	now = xetile_gang_tick(&gang, now);
	start = now + 1;
	next = xetile_gang_tick(&gang, now);
	CHECK(second->loaded && second->unit.since_ns == start, "began at %llu, not %llu",
	      (unsigned long long)second->unit.since_ns, (unsigned long long)start);
	CHECK(!second->hung, "told hung when it has just begun");
	CHECK(!xetile_gang_is_late(&second->unit, now), "late when it has just begun");
	CHECK(next == start + second->unit.slice_ns, "next look at %llu",
	      (unsigned long long)next);
	/* It has its whole limit, if nobody waits for its engine. */
	xetile_gang_suspend(&gang, &units[0].unit, now);
	xetile_gang_tick(&gang, start + LIMIT - 1);
	CHECK(!second->hung, "told too early");
	now = start + LIMIT;
	xetile_gang_tick(&gang, now);
	CHECK(second->hung == 1, "told %u times", second->hung);
}

/*
 * One uses up its batch's time and is told of, but leaves before anything is done about
 * it. If it is one that goes on it is told of again when it has its engine back, and if
 * not, once was enough.
 */
static void test_told_again(bool lenient)
{
	struct xetile_gang_unit *unit = &units[0].unit;

	now = MS;
	xetile_gang_init(&gang, &ops, ~0ull);
	clients_init();
	memset(&units[0], 0, sizeof(units[0]));
	xetile_gang_unit_init(unit, &clients[0], 1, 1, 100, LIMIT);
	unit->lenient = lenient;
	unit->members[0].candidates = 1;
	xetile_gang_wake(&gang, unit, now);
	now += LIMIT;
	xetile_gang_tick(&gang, now);
	CHECK(units[0].hung == 1, "told %u times", units[0].hung);
	xetile_gang_suspend(&gang, unit, now);
	all_off(&units[0]);
	CHECK(unit->hung == !lenient, "hung %d though it left", unit->hung);
	xetile_gang_resume(&gang, unit, now);
	CHECK(units[0].loaded, "not back");
	xetile_gang_tick(&gang, now);
	CHECK(units[0].hung == (lenient ? 2u : 1u), "told %u times", units[0].hung);
}

int main(void)
{
	for (seed = 1; seed <= 20; seed++) {
		char name[64];
		struct kind kind = { seed & 1, seed & 2, seed & 4 };

		srandom(seed);
		snprintf(name, sizeof(name), "W2: all or nothing, random steps, seed %u", seed);
		RUN(name, test_random(&kind));
	}
	RUN("nobody starves", test_no_starvation());
	RUN("W2: gangs never wait for each other", test_no_deadlock());
	RUN("W12: a limit counts engine time only", test_limit());
	RUN("W12: a limit counts from the start, whenever one looks", test_old_clock());
	RUN("who does not leave when asked is told", test_leave(false));
	RUN("who leaves late is forgiven", test_leave(true));
	RUN("who is asked late has its whole time to leave", test_asked_late(false));
	RUN("who was told before it was asked is forgiven", test_asked_late(true));
	RUN("a batch's time is over, whoever asks", test_asked_in_vain());
	RUN("who goes on is told again", test_told_again(true));
	RUN("who does not is told once", test_told_again(false));
	return check_end();
}
