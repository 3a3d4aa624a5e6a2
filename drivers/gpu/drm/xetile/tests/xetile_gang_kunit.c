// SPDX-License-Identifier: GPL-2.0-only
/* The states of a unit: every move there is, and what must not move it */
#include <kunit/test.h>
#include <linux/kernel.h>

#include "../exec/xetile_gang.c"

#define MS		1000000ull
#define LIMIT		(20 * MS)

/* Engines whose owner does nothing until told: the test moves them by hand. */
struct fake {
	struct xetile_gang gang;
	struct xetile_gang_client client;
	unsigned int runs, stops, offs, hungs;
	struct xetile_gang_unit *last;
};

static struct fake *to_fake(struct xetile_gang *gang)
{
	return container_of(gang, struct fake, gang);
}

static void fake_run(struct xetile_gang *gang, struct xetile_gang_unit *unit)
{
	to_fake(gang)->runs++;
	to_fake(gang)->last = unit;
}

static void fake_stop(struct xetile_gang *gang, struct xetile_gang_unit *unit)
{
	to_fake(gang)->stops++;
}

static void fake_off(struct xetile_gang *gang, struct xetile_gang_unit *unit)
{
	to_fake(gang)->offs++;
}

static void fake_hung(struct xetile_gang *gang, struct xetile_gang_unit *unit)
{
	to_fake(gang)->hungs++;
}

static const struct xetile_gang_ops fake_ops = {
	.run = fake_run, .stop = fake_stop, .off = fake_off, .hung = fake_hung,
};

static struct fake *fake_new(struct kunit *test)
{
	struct fake *fake = kunit_kzalloc(test, sizeof(*fake), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fake);
	xetile_gang_init(&fake->gang, &fake_ops, ~0ull);
	xetile_gang_client_init(&fake->client);
	return fake;
}

/* A unit of one member for each mask, normal priority */
static void unit_new(struct fake *fake, struct xetile_gang_unit *unit, unsigned int priority,
		     u64 first, u64 second)
{
	xetile_gang_unit_init(unit, &fake->client, second ? 2 : 1, priority, 100, LIMIT);
	unit->members[0].candidates = first;
	unit->members[1].candidates = second;
}

static void gang_life(struct kunit *test)
{
	struct fake *f = fake_new(test);
	struct xetile_gang_unit u;

	unit_new(f, &u, 1, BIT(0), BIT(1));
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_IDLE);
	/* Nobody is on: an engine's late word moves nothing. */
	xetile_gang_member_off(&f->gang, &u, 0, MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_IDLE);

	xetile_gang_wake(&f->gang, &u, MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_RUNNING);
	KUNIT_EXPECT_PTR_EQ(test, f->gang.owners[0], &u);
	KUNIT_EXPECT_PTR_EQ(test, f->gang.owners[1], &u);
	KUNIT_EXPECT_EQ(test, f->runs, 1);
	/* More work while it runs is handed over at once. */
	xetile_gang_wake(&f->gang, &u, MS);
	KUNIT_EXPECT_EQ(test, f->runs, 2);

	xetile_gang_progress(&u, false, 2 * MS);
	xetile_gang_member_off(&f->gang, &u, 1, 2 * MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_RUNNING);
	KUNIT_EXPECT_PTR_EQ(test, f->gang.owners[1], &u);
	xetile_gang_member_off(&f->gang, &u, 0, 2 * MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_IDLE);
	KUNIT_EXPECT_NULL(test, f->gang.owners[0]);
	KUNIT_EXPECT_NULL(test, f->gang.owners[1]);
	KUNIT_EXPECT_EQ(test, f->offs, 1);
	KUNIT_EXPECT_EQ(test, f->stops, 0);
}

/* W1: all engines or none; what a gang waits for nobody behind it takes */
static void gang_all_or_none(struct kunit *test)
{
	struct xetile_gang_unit single, gang, late;
	struct fake *f = fake_new(test);

	unit_new(f, &single, 1, BIT(0), 0);
	unit_new(f, &gang, 1, BIT(0), BIT(1));
	unit_new(f, &late, 1, BIT(1), 0);
	xetile_gang_wake(&f->gang, &single, MS);
	xetile_gang_wake(&f->gang, &gang, MS);
	KUNIT_EXPECT_EQ(test, gang.state, XETILE_GANG_READY);
	KUNIT_EXPECT_NULL(test, f->gang.owners[1]);
	xetile_gang_wake(&f->gang, &late, MS);
	KUNIT_EXPECT_EQ(test, late.state, XETILE_GANG_READY);

	xetile_gang_progress(&single, false, 2 * MS);
	xetile_gang_member_off(&f->gang, &single, 0, 2 * MS);
	KUNIT_EXPECT_EQ(test, gang.state, XETILE_GANG_RUNNING);
	KUNIT_EXPECT_EQ(test, late.state, XETILE_GANG_READY);
	KUNIT_EXPECT_PTR_EQ(test, f->last, &gang);
}

/* W2: a turn ends when its time is over and somebody waits, not before */
static void gang_turns(struct kunit *test)
{
	struct xetile_gang_unit a, b;
	struct fake *f = fake_new(test);
	u64 next;

	unit_new(f, &a, 1, BIT(0), 0);
	unit_new(f, &b, 1, BIT(0), 0);
	xetile_gang_wake(&f->gang, &a, MS);
	xetile_gang_tick(&f->gang, 10 * MS);
	KUNIT_EXPECT_EQ(test, a.state, XETILE_GANG_RUNNING);

	xetile_gang_progress(&a, true, 10 * MS);
	a.dispatched_ns = 10 * MS;
	xetile_gang_wake(&f->gang, &b, 10 * MS);
	next = xetile_gang_tick(&f->gang, 10 * MS);
	KUNIT_EXPECT_EQ(test, next, a.dispatched_ns + a.slice_ns);
	xetile_gang_tick(&f->gang, next - 1);
	KUNIT_EXPECT_EQ(test, a.state, XETILE_GANG_RUNNING);
	xetile_gang_tick(&f->gang, next);
	KUNIT_EXPECT_EQ(test, a.state, XETILE_GANG_STOPPING);
	KUNIT_EXPECT_EQ(test, f->stops, 1);
	/* Asked once only, however often it is looked at. */
	xetile_gang_tick(&f->gang, next + 1);
	KUNIT_EXPECT_EQ(test, f->stops, 1);

	xetile_gang_member_off(&f->gang, &a, 0, next + 2);
	KUNIT_EXPECT_EQ(test, b.state, XETILE_GANG_RUNNING);
	KUNIT_EXPECT_EQ(test, a.state, XETILE_GANG_READY);
}

/* The weight scales a turn, within the bounds; it changes nothing of whose turn it is. */
static void gang_weight(struct kunit *test)
{
	static const struct {
		unsigned int weight;
		u64 slice;
	} cases[] = {
		{ 40, 2 * MS }, { 400, 20 * MS }, { 1, SLICE_MIN_NS }, { 1000, SLICE_MAX_NS },
	};
	struct fake *f = fake_new(test);
	struct xetile_gang_unit units[ARRAY_SIZE(cases)];
	unsigned int i, turn;
	u64 now = MS;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		/* Their jobs may take as long as they like. */
		xetile_gang_unit_init(&units[i], &f->client, 1, 1, cases[i].weight, 1000 * LIMIT);
		units[i].members[0].candidates = BIT(0);
		xetile_gang_wake(&f->gang, &units[i], now);
	}
	for (turn = 0; turn < 2 * ARRAY_SIZE(cases); turn++) {
		i = turn % ARRAY_SIZE(cases);
		KUNIT_ASSERT_PTR_EQ(test, f->gang.owners[0], &units[i]);
		KUNIT_EXPECT_EQ(test, xetile_gang_tick(&f->gang, now), now + cases[i].slice);
		now += cases[i].slice;
		xetile_gang_tick(&f->gang, now - 1);
		KUNIT_EXPECT_EQ(test, units[i].state, XETILE_GANG_RUNNING);
		xetile_gang_tick(&f->gang, now);
		KUNIT_EXPECT_EQ(test, units[i].state, XETILE_GANG_STOPPING);
		xetile_gang_member_off(&f->gang, &units[i], 0, now);
	}
}

static void gang_priority(struct kunit *test)
{
	struct xetile_gang_unit low, high;
	struct fake *f = fake_new(test);

	unit_new(f, &low, 0, BIT(0), 0);
	unit_new(f, &high, 2, BIT(0), 0);
	xetile_gang_wake(&f->gang, &low, MS);
	xetile_gang_wake(&f->gang, &high, MS);
	xetile_gang_tick(&f->gang, MS);
	KUNIT_EXPECT_EQ(test, low.state, XETILE_GANG_STOPPING);
	xetile_gang_member_off(&f->gang, &low, 0, MS);
	KUNIT_EXPECT_EQ(test, high.state, XETILE_GANG_RUNNING);
	/* Never the other way round, however long it waits. */
	xetile_gang_progress(&high, true, 15 * MS);
	xetile_gang_tick(&f->gang, 16 * MS);
	KUNIT_EXPECT_EQ(test, high.state, XETILE_GANG_RUNNING);
}

/* W17: the lowest priority waits, but not for ever */
static void gang_low_floor(struct kunit *test)
{
	struct xetile_gang_unit low, normal;
	struct fake *f = fake_new(test);
	u64 at;

	unit_new(f, &low, 0, BIT(0), 0);
	unit_new(f, &normal, 1, BIT(0), 0);
	xetile_gang_wake(&f->gang, &normal, MS);
	xetile_gang_wake(&f->gang, &low, MS);
	at = MS + LOW_WAITS_NS;
	xetile_gang_progress(&normal, true, at - 1);
	xetile_gang_tick(&f->gang, at - 1);
	KUNIT_EXPECT_EQ(test, low.rank, 0);
	KUNIT_EXPECT_EQ(test, normal.state, XETILE_GANG_RUNNING);
	xetile_gang_tick(&f->gang, at);
	KUNIT_EXPECT_EQ(test, low.rank, 1);
	KUNIT_EXPECT_EQ(test, normal.state, XETILE_GANG_STOPPING);
	xetile_gang_member_off(&f->gang, &normal, 0, at);
	KUNIT_EXPECT_EQ(test, low.state, XETILE_GANG_RUNNING);
	/* It has its turn as one of the others, and is what it was then. */
	KUNIT_EXPECT_EQ(test, xetile_gang_tick(&f->gang, at), at + SLICE_NS);
	xetile_gang_tick(&f->gang, at + SLICE_NS);
	KUNIT_EXPECT_EQ(test, low.state, XETILE_GANG_STOPPING);
	xetile_gang_member_off(&f->gang, &low, 0, at + SLICE_NS);
	KUNIT_EXPECT_EQ(test, low.rank, 0);
	KUNIT_EXPECT_EQ(test, normal.state, XETILE_GANG_RUNNING);
}

/* W17: turns go from client to client, whoever has more units */
static void gang_clients(struct kunit *test)
{
	struct xetile_gang_unit many[3], one, first;
	struct xetile_gang_client other;
	struct fake *f = fake_new(test);
	unsigned int i;

	xetile_gang_client_init(&other);
	unit_new(f, &first, 1, BIT(0), 0);
	xetile_gang_wake(&f->gang, &first, MS);
	for (i = 0; i < ARRAY_SIZE(many); i++) {
		unit_new(f, &many[i], 1, BIT(0), 0);
		xetile_gang_wake(&f->gang, &many[i], MS);
	}
	unit_new(f, &one, 1, BIT(0), 0);
	one.client = &other;
	xetile_gang_wake(&f->gang, &one, MS);

	xetile_gang_progress(&first, false, 2 * MS);
	xetile_gang_member_off(&f->gang, &first, 0, 2 * MS);
	KUNIT_EXPECT_EQ(test, many[0].state, XETILE_GANG_RUNNING);
	xetile_gang_progress(&many[0], false, 3 * MS);
	xetile_gang_member_off(&f->gang, &many[0], 0, 3 * MS);
	KUNIT_EXPECT_EQ(test, one.state, XETILE_GANG_RUNNING);
	KUNIT_EXPECT_EQ(test, many[1].state, XETILE_GANG_READY);
}

static void gang_suspend(struct kunit *test)
{
	struct fake *f = fake_new(test);
	struct xetile_gang_unit u;

	unit_new(f, &u, 1, BIT(0), 0);
	/* From each state: idle, ... */
	xetile_gang_suspend(&f->gang, &u, MS);
	xetile_gang_wake(&f->gang, &u, MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_IDLE);
	xetile_gang_resume(&f->gang, &u, MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_RUNNING);
	/* ... running, nested, ... */
	xetile_gang_suspend(&f->gang, &u, MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_STOPPING);
	KUNIT_EXPECT_FALSE(test, xetile_gang_is_off(&u));
	xetile_gang_suspend(&f->gang, &u, MS);
	KUNIT_EXPECT_EQ(test, f->stops, 1);
	xetile_gang_member_off(&f->gang, &u, 0, MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_IDLE);
	KUNIT_EXPECT_TRUE(test, xetile_gang_is_off(&u));
	xetile_gang_resume(&f->gang, &u, MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_IDLE);
	/* ... and ready: no engine may be given out. */
	xetile_gang_set_usable(&f->gang, 0, MS);
	xetile_gang_resume(&f->gang, &u, MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_READY);
	xetile_gang_suspend(&f->gang, &u, MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_IDLE);
	xetile_gang_resume(&f->gang, &u, MS);
	xetile_gang_set_usable(&f->gang, BIT(0), MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_RUNNING);
}

/* W17: engine time counts, waiting does not; told once */
static void gang_limit(struct kunit *test)
{
	struct xetile_gang_unit a, b;
	struct fake *f = fake_new(test);

	unit_new(f, &a, 1, BIT(0), 0);
	unit_new(f, &b, 1, BIT(0), 0);
	xetile_gang_wake(&f->gang, &a, MS);
	xetile_gang_wake(&f->gang, &b, MS);
	xetile_gang_tick(&f->gang, MS + LIMIT - 1);
	KUNIT_EXPECT_EQ(test, f->hungs, 0);
	xetile_gang_tick(&f->gang, MS + LIMIT);
	KUNIT_EXPECT_EQ(test, f->hungs, 1);
	KUNIT_EXPECT_TRUE(test, a.hung);
	KUNIT_EXPECT_FALSE(test, b.hung);
	xetile_gang_tick(&f->gang, MS + 3 * LIMIT);
	KUNIT_EXPECT_EQ(test, f->hungs, 1);

	/* The reset took its work away: the other's time begins only now. */
	xetile_gang_progress(&a, false, MS + 3 * LIMIT);
	xetile_gang_member_off(&f->gang, &a, 0, MS + 3 * LIMIT);
	KUNIT_EXPECT_EQ(test, b.state, XETILE_GANG_RUNNING);
	xetile_gang_tick(&f->gang, MS + 4 * LIMIT - 1);
	KUNIT_EXPECT_FALSE(test, b.hung);
	xetile_gang_tick(&f->gang, MS + 4 * LIMIT);
	KUNIT_EXPECT_TRUE(test, b.hung);
}

static struct kunit_case gang_tests[] = {
	KUNIT_CASE(gang_life),
	KUNIT_CASE(gang_all_or_none),
	KUNIT_CASE(gang_turns),
	KUNIT_CASE(gang_weight),
	KUNIT_CASE(gang_priority),
	KUNIT_CASE(gang_low_floor),
	KUNIT_CASE(gang_clients),
	KUNIT_CASE(gang_suspend),
	KUNIT_CASE(gang_limit),
	{}
};

static struct kunit_suite gang_suite = {
	.name = "xetile_gang",
	.test_cases = gang_tests,
};

kunit_test_suite(gang_suite);
