// SPDX-License-Identifier: GPL-2.0-only
/* The states of a gang: events that must change the state or must not; and the time limits */
#include <kunit/test.h>
#include <linux/kernel.h>

#include "../exec/xetile_dispatch.c"
#include "../exec/xetile_dispatch_epoch.c"
#include "../exec/xetile_dispatch_limit.c"
#include "../exec/xetile_dispatch_line.c"
#include "../exec/xetile_dispatch_owner.c"
#include "../exec/xetile_dispatch_raise.c"
#include "../exec/xetile_dispatch_share.c"
#include "../exec/xetile_dispatch_turn.c"
#include "../exec/xetile_dispatch_yield.c"

#define MS		1000000ull
#define LIMIT		(20 * MS)
/* A limit that no batch of these tests reaches */
#define LONG_LIMIT	(3600000 * MS)

/* A dispatcher whose callbacks only count: the test reports each event of a gang itself. */
struct fake {
	struct xetile_dispatch dispatch;
	struct xetile_dispatch_client client;
	unsigned int runs, stops, offs, hungs;
	struct xetile_gang *last;
	/* time at which a gang leaves as soon as it is asked; 0: the gang does not leave */
	u64 leaves_ns;
};

static struct fake *to_fake(struct xetile_dispatch *dispatch)
{
	return container_of(dispatch, struct fake, dispatch);
}

static void fake_run(struct xetile_dispatch *dispatch, struct xetile_gang *gang)
{
	to_fake(dispatch)->runs++;
	to_fake(dispatch)->last = gang;
}

static void fake_stop(struct xetile_dispatch *dispatch, struct xetile_gang *gang)
{
	struct fake *f = to_fake(dispatch);

	f->stops++;
	if (f->leaves_ns)
		xetile_dispatch_member_left(dispatch, gang, 0, f->leaves_ns);
}

static void fake_off(struct xetile_dispatch *dispatch, struct xetile_gang *gang)
{
	to_fake(dispatch)->offs++;
}

static void fake_hung(struct xetile_dispatch *dispatch, struct xetile_gang *gang)
{
	to_fake(dispatch)->hungs++;
}

static const struct xetile_dispatch_ops fake_ops = {
	.run = fake_run, .stop = fake_stop, .left = fake_off, .hung = fake_hung,
};

static void client_new(struct kunit *test, struct xetile_dispatch_client *client)
{
	unsigned int p;

	xetile_dispatch_client_init(client);
	for (p = 0; p < XETILE_DISPATCH_PRIORITIES; p++) {
		client->accounts[p][0] = kunit_kzalloc(test, XETILE_DISPATCH_GROUP *
						       sizeof(*client->accounts[p][0]),
						       GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, client->accounts[p][0]);
	}
}

static struct fake *fake_new(struct kunit *test)
{
	struct fake *fake = kunit_kzalloc(test, sizeof(*fake), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fake);
	xetile_dispatch_init(&fake->dispatch, &fake_ops, ~0ull);
	client_new(test, &fake->client);
	return fake;
}

/* A gang with one member for each mask that is not 0 */
static void gang_new(struct fake *fake, struct xetile_gang *gang, unsigned int priority,
		     u64 first, u64 second)
{
	xetile_gang_init(gang, &fake->client, second ? 2 : 1, priority, 100, LIMIT);
	gang->members[0].candidates = first;
	gang->members[1].candidates = second;
}

static void gang_life(struct kunit *test)
{
	struct fake *f = fake_new(test);
	struct xetile_gang u;

	gang_new(f, &u, 1, BIT(0), BIT(1));
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_IDLE);
	/* The gang is on no engine: a late report must not change its state. */
	xetile_dispatch_member_left(&f->dispatch, &u, 0, MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_IDLE);

	xetile_dispatch_wake(&f->dispatch, &u, MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_RUNNING);
	KUNIT_EXPECT_PTR_EQ(test, f->dispatch.owners[0], &u);
	KUNIT_EXPECT_PTR_EQ(test, f->dispatch.owners[1], &u);
	KUNIT_EXPECT_EQ(test, f->runs, 1);
	/* A running gang passes new work to its engines at once. */
	xetile_dispatch_wake(&f->dispatch, &u, MS);
	KUNIT_EXPECT_EQ(test, f->runs, 2);

	xetile_dispatch_progress(&u, false, 2 * MS);
	xetile_dispatch_member_left(&f->dispatch, &u, 1, 2 * MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_RUNNING);
	KUNIT_EXPECT_PTR_EQ(test, f->dispatch.owners[1], &u);
	xetile_dispatch_member_left(&f->dispatch, &u, 0, 2 * MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_IDLE);
	KUNIT_EXPECT_NULL(test, f->dispatch.owners[0]);
	KUNIT_EXPECT_NULL(test, f->dispatch.owners[1]);
	KUNIT_EXPECT_EQ(test, f->offs, 1);
	KUNIT_EXPECT_EQ(test, f->stops, 0);
}

/* W1: a gang gets all engines or none, and no engine for which an earlier gang waits. */
static void gang_all_or_none(struct kunit *test)
{
	struct xetile_gang single, dispatch, late;
	struct fake *f = fake_new(test);

	gang_new(f, &single, 1, BIT(0), 0);
	gang_new(f, &dispatch, 1, BIT(0), BIT(1));
	gang_new(f, &late, 1, BIT(1), 0);
	xetile_dispatch_wake(&f->dispatch, &single, MS);
	xetile_dispatch_wake(&f->dispatch, &dispatch, MS);
	KUNIT_EXPECT_EQ(test, dispatch.state, XETILE_GANG_READY);
	KUNIT_EXPECT_NULL(test, f->dispatch.owners[1]);
	xetile_dispatch_wake(&f->dispatch, &late, MS);
	KUNIT_EXPECT_EQ(test, late.state, XETILE_GANG_READY);

	xetile_dispatch_progress(&single, false, 2 * MS);
	xetile_dispatch_member_left(&f->dispatch, &single, 0, 2 * MS);
	KUNIT_EXPECT_EQ(test, dispatch.state, XETILE_GANG_RUNNING);
	KUNIT_EXPECT_EQ(test, late.state, XETILE_GANG_READY);
	KUNIT_EXPECT_PTR_EQ(test, f->last, &dispatch);
}

/* W2: a turn ends only when its time is over and another gang waits. */
static void gang_turns(struct kunit *test)
{
	struct xetile_gang a, b;
	struct fake *f = fake_new(test);
	u64 next;

	gang_new(f, &a, 1, BIT(0), 0);
	gang_new(f, &b, 1, BIT(0), 0);
	xetile_dispatch_wake(&f->dispatch, &a, MS);
	xetile_dispatch_tick(&f->dispatch, 10 * MS);
	KUNIT_EXPECT_EQ(test, a.state, XETILE_GANG_RUNNING);

	xetile_dispatch_progress(&a, true, 10 * MS);
	a.dispatched_ns = 10 * MS;
	xetile_dispatch_wake(&f->dispatch, &b, 10 * MS);
	next = xetile_dispatch_tick(&f->dispatch, 10 * MS);
	KUNIT_EXPECT_EQ(test, next, a.dispatched_ns + a.slice_ns);
	xetile_dispatch_tick(&f->dispatch, next - 1);
	KUNIT_EXPECT_EQ(test, a.state, XETILE_GANG_RUNNING);
	xetile_dispatch_tick(&f->dispatch, next);
	KUNIT_EXPECT_EQ(test, a.state, XETILE_GANG_STOPPING);
	KUNIT_EXPECT_EQ(test, f->stops, 1);
	/* The gang is asked once, however often the dispatcher looks. */
	xetile_dispatch_tick(&f->dispatch, next + 1);
	KUNIT_EXPECT_EQ(test, f->stops, 1);

	xetile_dispatch_member_left(&f->dispatch, &a, 0, next + 2);
	KUNIT_EXPECT_EQ(test, b.state, XETILE_GANG_RUNNING);
	KUNIT_EXPECT_EQ(test, a.state, XETILE_GANG_READY);
}

/* W17: who has used least by weight has the next turn; turns are shorter, or longer, by weight. */
static void gang_weight(struct kunit *test)
{
	static const struct {
		unsigned int weight;
		u64 slice;
	} cases[] = {
		{ 40, 2 * MS }, { 400, 20 * MS }, { 1, XETILE_DISPATCH_SLICE_MIN_NS },
		{ 1000, SLICE_MAX_NS },
	};
	/* The turns take 5 ms at weight 100 each. That of weight 1 takes 50 ms, paid in advance. */
	static const unsigned int order[] = { 0, 1, 3 };
	struct fake *f = fake_new(test);
	struct xetile_gang gangs[ARRAY_SIZE(cases)];
	unsigned int i, turn;
	u64 now = MS;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		/* The limit ends none of these turns. */
		xetile_gang_init(&gangs[i], &f->client, 1, 1, cases[i].weight, 1000 * LIMIT);
		gangs[i].members[0].candidates = BIT(0);
		xetile_dispatch_wake(&f->dispatch, &gangs[i], now);
	}
	for (turn = 0; turn < 31; turn++) {
		i = turn < 30 ? order[turn % ARRAY_SIZE(order)] : 2;
		KUNIT_ASSERT_PTR_EQ(test, f->dispatch.owners[0], &gangs[i]);
		KUNIT_EXPECT_EQ(test, xetile_dispatch_tick(&f->dispatch, now),
				now + cases[i].slice);
		now += cases[i].slice;
		xetile_dispatch_tick(&f->dispatch, now - 1);
		KUNIT_EXPECT_EQ(test, gangs[i].state, XETILE_GANG_RUNNING);
		xetile_dispatch_tick(&f->dispatch, now);
		KUNIT_EXPECT_EQ(test, gangs[i].state, XETILE_GANG_STOPPING);
		xetile_dispatch_member_left(&f->dispatch, &gangs[i], 0, now);
	}
}

/* W17: a turn goes on after the slice as long as nobody has used less. */
static void gang_goes_on(struct kunit *test)
{
	struct xetile_gang light, heavy;
	struct xetile_dispatch_client other;
	struct fake *f = fake_new(test);
	u64 now = MS;

	client_new(test, &other);
	xetile_gang_init(&light, &f->client, 1, 1, 10, 1000 * LIMIT);
	xetile_gang_init(&heavy, &other, 1, 1, 100, 1000 * LIMIT);
	light.members[0].candidates = BIT(0);
	heavy.members[0].candidates = BIT(0);
	xetile_dispatch_wake(&f->dispatch, &light, now);
	xetile_dispatch_wake(&f->dispatch, &heavy, now);
	/* It leaves late. */
	now += 3 * MS;
	xetile_dispatch_tick(&f->dispatch, now);
	xetile_dispatch_member_left(&f->dispatch, &light, 0, now);
	KUNIT_ASSERT_EQ(test, heavy.state, XETILE_GANG_RUNNING);
	KUNIT_EXPECT_EQ(test, xetile_dispatch_tick(&f->dispatch, now), now + 30 * MS);
	xetile_dispatch_tick(&f->dispatch, now + 30 * MS - 1);
	KUNIT_EXPECT_EQ(test, heavy.state, XETILE_GANG_RUNNING);
	xetile_dispatch_tick(&f->dispatch, now + 30 * MS);
	KUNIT_EXPECT_EQ(test, heavy.state, XETILE_GANG_STOPPING);
}

static void gang_priority(struct kunit *test)
{
	struct xetile_gang low, high;
	struct fake *f = fake_new(test);

	gang_new(f, &low, 0, BIT(0), 0);
	gang_new(f, &high, 2, BIT(0), 0);
	xetile_dispatch_wake(&f->dispatch, &low, MS);
	xetile_dispatch_wake(&f->dispatch, &high, MS);
	xetile_dispatch_tick(&f->dispatch, MS);
	KUNIT_EXPECT_EQ(test, low.state, XETILE_GANG_STOPPING);
	xetile_dispatch_member_left(&f->dispatch, &low, 0, MS);
	KUNIT_EXPECT_EQ(test, high.state, XETILE_GANG_RUNNING);
	/* A gang of lower priority never ends the turn of a higher one, however long it waits. */
	xetile_dispatch_progress(&high, true, 15 * MS);
	xetile_dispatch_tick(&f->dispatch, 16 * MS);
	KUNIT_EXPECT_EQ(test, high.state, XETILE_GANG_RUNNING);
}

/* W17: a gang of the lowest priority waits for a bounded time. */
static void gang_low_floor(struct kunit *test)
{
	struct xetile_gang low, normal;
	struct fake *f = fake_new(test);
	u64 at;

	gang_new(f, &low, 0, BIT(0), 0);
	gang_new(f, &normal, 1, BIT(0), 0);
	xetile_dispatch_wake(&f->dispatch, &normal, MS);
	xetile_dispatch_wake(&f->dispatch, &low, MS);
	at = MS + RAISE_NS;
	xetile_dispatch_progress(&normal, true, at - 1);
	xetile_dispatch_tick(&f->dispatch, at - 1);
	KUNIT_EXPECT_EQ(test, low.rank, 0);
	KUNIT_EXPECT_EQ(test, normal.state, XETILE_GANG_RUNNING);
	xetile_dispatch_tick(&f->dispatch, at);
	KUNIT_EXPECT_EQ(test, low.rank, 1);
	KUNIT_EXPECT_EQ(test, normal.state, XETILE_GANG_STOPPING);
	xetile_dispatch_member_left(&f->dispatch, &normal, 0, at);
	KUNIT_EXPECT_EQ(test, low.state, XETILE_GANG_RUNNING);
	/* The gang has a turn of the usual length, and its own rank again afterwards. */
	KUNIT_EXPECT_EQ(test, xetile_dispatch_tick(&f->dispatch, at),
			at + XETILE_DISPATCH_SLICE_NS);
	xetile_dispatch_tick(&f->dispatch, at + XETILE_DISPATCH_SLICE_NS);
	KUNIT_EXPECT_EQ(test, low.state, XETILE_GANG_STOPPING);
	xetile_dispatch_member_left(&f->dispatch, &low, 0, at + XETILE_DISPATCH_SLICE_NS);
	KUNIT_EXPECT_EQ(test, low.rank, 0);
	KUNIT_EXPECT_EQ(test, normal.state, XETILE_GANG_RUNNING);
}

/* W17: the highest priority cannot keep an engine from others for ever. */
static void gang_high_bound(struct kunit *test)
{
	struct xetile_gang normal, high;
	struct fake *f = fake_new(test);
	u64 at = MS + RAISE_NS;

	gang_new(f, &normal, 1, BIT(0), 0);
	gang_new(f, &high, 2, BIT(0), 0);
	high.limit_ns = LONG_LIMIT;
	xetile_dispatch_wake(&f->dispatch, &high, MS);
	xetile_dispatch_wake(&f->dispatch, &normal, MS);
	KUNIT_EXPECT_EQ(test, xetile_dispatch_tick(&f->dispatch, MS), at);
	xetile_dispatch_tick(&f->dispatch, at - 1);
	KUNIT_EXPECT_EQ(test, high.state, XETILE_GANG_RUNNING);
	xetile_dispatch_tick(&f->dispatch, at);
	KUNIT_EXPECT_EQ(test, normal.rank, 2);
	KUNIT_EXPECT_EQ(test, high.state, XETILE_GANG_STOPPING);
	xetile_dispatch_member_left(&f->dispatch, &high, 0, at);
	KUNIT_EXPECT_EQ(test, normal.state, XETILE_GANG_RUNNING);
	xetile_dispatch_tick(&f->dispatch, at + XETILE_DISPATCH_SLICE_NS);
	KUNIT_EXPECT_EQ(test, normal.state, XETILE_GANG_STOPPING);
	xetile_dispatch_member_left(&f->dispatch, &normal, 0, at + XETILE_DISPATCH_SLICE_NS);
	KUNIT_EXPECT_EQ(test, normal.rank, 1);
	KUNIT_EXPECT_EQ(test, high.state, XETILE_GANG_RUNNING);
}

/*
 * W17: the client that has used least comes first, however many gangs it has. Who comes later, and
 * has used nothing, waits as if it had taken a turn.
 */
static void gang_clients(struct kunit *test)
{
	struct xetile_gang many[3], one, first, late;
	struct xetile_dispatch_client other, third;
	struct fake *f = fake_new(test);
	unsigned int i;

	client_new(test, &other);
	client_new(test, &third);
	gang_new(f, &first, 1, BIT(0), 0);
	first.client = &other;
	xetile_dispatch_wake(&f->dispatch, &first, MS);
	for (i = 0; i < ARRAY_SIZE(many); i++) {
		gang_new(f, &many[i], 1, BIT(0), 0);
		xetile_dispatch_wake(&f->dispatch, &many[i], MS);
	}
	xetile_dispatch_progress(&first, false, 2 * MS);
	xetile_dispatch_member_left(&f->dispatch, &first, 0, 2 * MS);
	KUNIT_ASSERT_EQ(test, many[0].state, XETILE_GANG_RUNNING);
	gang_new(f, &one, 1, BIT(0), 0);
	one.client = &other;
	xetile_dispatch_wake(&f->dispatch, &one, 2 * MS);
	gang_new(f, &late, 1, BIT(0), 0);
	late.client = &third;
	xetile_dispatch_wake(&f->dispatch, &late, 3 * MS);

	xetile_dispatch_progress(&many[0], false, 3 * MS);
	xetile_dispatch_member_left(&f->dispatch, &many[0], 0, 3 * MS);
	KUNIT_EXPECT_EQ(test, one.state, XETILE_GANG_RUNNING);
	xetile_dispatch_progress(&one, false, 4 * MS);
	xetile_dispatch_member_left(&f->dispatch, &one, 0, 4 * MS);
	KUNIT_EXPECT_EQ(test, many[1].state, XETILE_GANG_RUNNING);
	xetile_dispatch_tick(&f->dispatch, 9 * MS);
	KUNIT_EXPECT_EQ(test, many[1].state, XETILE_GANG_STOPPING);
	xetile_dispatch_member_left(&f->dispatch, &many[1], 0, 9 * MS);
	KUNIT_EXPECT_EQ(test, late.state, XETILE_GANG_RUNNING);
}

static void gang_suspend(struct kunit *test)
{
	struct fake *f = fake_new(test);
	struct xetile_gang u;

	gang_new(f, &u, 1, BIT(0), 0);
	/* From each state: idle, ... */
	xetile_dispatch_suspend(&f->dispatch, &u, MS);
	xetile_dispatch_wake(&f->dispatch, &u, MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_IDLE);
	xetile_dispatch_resume(&f->dispatch, &u, MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_RUNNING);
	/* ... running, nested, ... */
	xetile_dispatch_suspend(&f->dispatch, &u, MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_STOPPING);
	KUNIT_EXPECT_FALSE(test, xetile_gang_is_off(&u));
	xetile_dispatch_suspend(&f->dispatch, &u, MS);
	KUNIT_EXPECT_EQ(test, f->stops, 1);
	xetile_dispatch_member_left(&f->dispatch, &u, 0, MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_IDLE);
	KUNIT_EXPECT_TRUE(test, xetile_gang_is_off(&u));
	xetile_dispatch_resume(&f->dispatch, &u, MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_IDLE);
	/* ... and ready: no engine may be given out. */
	xetile_dispatch_set_usable(&f->dispatch, 0, MS);
	xetile_dispatch_resume(&f->dispatch, &u, MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_READY);
	xetile_dispatch_suspend(&f->dispatch, &u, MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_IDLE);
	xetile_dispatch_resume(&f->dispatch, &u, MS);
	xetile_dispatch_set_usable(&f->dispatch, BIT(0), MS);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_RUNNING);
}

/* W17: the limit counts engine time and no waiting time; the callback comes once. */
static void gang_limit(struct kunit *test)
{
	struct xetile_gang a, b;
	struct fake *f = fake_new(test);

	gang_new(f, &a, 1, BIT(0), 0);
	gang_new(f, &b, 1, BIT(0), 0);
	xetile_dispatch_wake(&f->dispatch, &a, MS);
	xetile_dispatch_wake(&f->dispatch, &b, MS);
	xetile_dispatch_tick(&f->dispatch, MS + LIMIT - 1);
	KUNIT_EXPECT_EQ(test, f->hungs, 0);
	xetile_dispatch_tick(&f->dispatch, MS + LIMIT);
	KUNIT_EXPECT_EQ(test, f->hungs, 1);
	KUNIT_EXPECT_TRUE(test, a.hung);
	KUNIT_EXPECT_FALSE(test, b.hung);
	xetile_dispatch_tick(&f->dispatch, MS + 3 * LIMIT);
	KUNIT_EXPECT_EQ(test, f->hungs, 1);

	/* The reset cancels the work of @a; the time of @b begins only now. */
	xetile_dispatch_progress(&a, false, MS + 3 * LIMIT);
	xetile_dispatch_member_left(&f->dispatch, &a, 0, MS + 3 * LIMIT);
	KUNIT_EXPECT_EQ(test, b.state, XETILE_GANG_RUNNING);
	xetile_dispatch_tick(&f->dispatch, MS + 4 * LIMIT - 1);
	KUNIT_EXPECT_FALSE(test, b.hung);
	xetile_dispatch_tick(&f->dispatch, MS + 4 * LIMIT);
	KUNIT_EXPECT_TRUE(test, b.hung);
}

/*
 * W12: a limit counts from the start of a gang. The dispatcher reads the clock once, and the clock
 * goes on. When a gang leaves at once, the next gang starts later than the reading. The dispatcher
 * must take the time of the new gang as 0, and not as a huge number.
 */
static void gang_old_clock(struct kunit *test)
{
	struct xetile_gang a, b;
	struct fake *f = fake_new(test);
	u64 now, start;

	gang_new(f, &a, 1, BIT(0), 0);
	gang_new(f, &b, 1, BIT(0), 0);
	xetile_dispatch_wake(&f->dispatch, &a, MS);
	xetile_dispatch_wake(&f->dispatch, &b, MS);
	now = xetile_dispatch_tick(&f->dispatch, MS);
	start = now + 1;
	f->leaves_ns = start;
	/* @b is as far as @a when it has had as much. */
	KUNIT_EXPECT_EQ(test, xetile_dispatch_tick(&f->dispatch, now), start + (start - MS));
	KUNIT_EXPECT_EQ(test, b.state, XETILE_GANG_RUNNING);
	KUNIT_EXPECT_EQ(test, b.since_ns, start);
	KUNIT_EXPECT_EQ(test, f->hungs, 0);
	KUNIT_EXPECT_FALSE(test, xetile_dispatch_is_late(&b, now));
	/* @b has its whole limit, because no gang waits for the engine. */
	xetile_dispatch_suspend(&f->dispatch, &a, now);
	xetile_dispatch_tick(&f->dispatch, start + LIMIT - 1);
	KUNIT_EXPECT_EQ(test, f->hungs, 0);
	xetile_dispatch_tick(&f->dispatch, start + LIMIT);
	KUNIT_EXPECT_EQ(test, f->hungs, 1);
	KUNIT_EXPECT_TRUE(test, b.hung);
}

/*
 * The first of two gangs does not leave when its slice is over. The callback comes once, when the
 * time to leave has passed, long before the batch's limit. If the gang then leaves, the dispatcher
 * forgets that the gang was late.
 */
static void gang_stays(struct kunit *test)
{
	struct xetile_gang a, b;
	struct fake *f = fake_new(test);
	u64 now, next;

	gang_new(f, &a, 1, BIT(0), 0);
	gang_new(f, &b, 1, BIT(0), 0);
	a.limit_ns = LONG_LIMIT;
	b.limit_ns = LONG_LIMIT;
	xetile_dispatch_wake(&f->dispatch, &a, MS);
	xetile_dispatch_wake(&f->dispatch, &b, MS);
	now = xetile_dispatch_tick(&f->dispatch, MS);
	KUNIT_EXPECT_EQ(test, now, MS + a.slice_ns);
	next = xetile_dispatch_tick(&f->dispatch, now);
	KUNIT_EXPECT_EQ(test, f->stops, 1);
	KUNIT_ASSERT_EQ(test, next, now + a.leave_ns);
	xetile_dispatch_tick(&f->dispatch, next - 1);
	KUNIT_EXPECT_EQ(test, f->hungs, 0);
	xetile_dispatch_tick(&f->dispatch, next);
	KUNIT_EXPECT_EQ(test, f->hungs, 1);
	KUNIT_EXPECT_TRUE(test, a.stuck);
	xetile_dispatch_tick(&f->dispatch, next + 1);
	KUNIT_EXPECT_EQ(test, f->hungs, 1);
	KUNIT_EXPECT_TRUE(test, a.hung);

	xetile_dispatch_member_left(&f->dispatch, &a, 0, next + 1);
	KUNIT_EXPECT_FALSE(test, a.hung);
	KUNIT_EXPECT_EQ(test, b.state, XETILE_GANG_RUNNING);
}

/*
 * The driver asks the second of a gang's engines to release the gang late: the gang's time to
 * leave is over, or nearly over. From then on the gang has the whole time to leave once more.
 */
static void asked_late(struct kunit *test, bool told)
{
	struct xetile_gang u;
	struct fake *f = fake_new(test);
	u64 now = 2 * MS, next;

	gang_new(f, &u, 1, BIT(0), BIT(1));
	u.limit_ns = LONG_LIMIT;
	xetile_dispatch_wake(&f->dispatch, &u, MS);
	xetile_dispatch_suspend(&f->dispatch, &u, now);
	xetile_dispatch_asked(&u, now);
	next = xetile_dispatch_tick(&f->dispatch, now);
	KUNIT_ASSERT_EQ(test, next, now + u.leave_ns);
	now = told ? next : next - 1;
	xetile_dispatch_tick(&f->dispatch, now);
	KUNIT_EXPECT_EQ(test, f->hungs, told ? 1 : 0);

	xetile_dispatch_asked(&u, now);
	KUNIT_EXPECT_FALSE(test, u.hung);
	KUNIT_EXPECT_FALSE(test, u.stuck);
	next = xetile_dispatch_tick(&f->dispatch, now);
	KUNIT_ASSERT_EQ(test, next, now + u.leave_ns);
	xetile_dispatch_tick(&f->dispatch, next - 1);
	KUNIT_EXPECT_EQ(test, f->hungs, told ? 1 : 0);
	xetile_dispatch_tick(&f->dispatch, next);
	KUNIT_EXPECT_EQ(test, f->hungs, told ? 2 : 1);
	KUNIT_EXPECT_TRUE(test, u.stuck);
}

static void gang_asked_late(struct kunit *test)
{
	asked_late(test, false);
}

static void gang_told_before_asked(struct kunit *test)
{
	asked_late(test, true);
}

/* The time to leave begins again for stopping gangs only, and not after the batch's limit. */
static void gang_asked_in_vain(struct kunit *test)
{
	struct xetile_gang u;
	struct fake *f = fake_new(test);

	gang_new(f, &u, 1, BIT(0), 0);
	u.leave_ns = 2 * LIMIT;
	xetile_dispatch_wake(&f->dispatch, &u, MS);
	xetile_dispatch_asked(&u, MS + 1);
	KUNIT_EXPECT_NE(test, u.stopped_ns, MS + 1);
	xetile_dispatch_suspend(&f->dispatch, &u, MS + LIMIT / 2);
	xetile_dispatch_tick(&f->dispatch, MS + LIMIT / 2 + LIMIT);
	KUNIT_EXPECT_EQ(test, f->hungs, 1);
	KUNIT_EXPECT_FALSE(test, u.stuck);
	xetile_dispatch_asked(&u, MS + LIMIT / 2 + LIMIT);
	KUNIT_EXPECT_TRUE(test, u.hung);
}

/* The engine has not taken the gang yet: neither its batch's time nor that to leave has begun. */
static void gang_untaken(struct kunit *test)
{
	struct xetile_gang u;
	struct fake *f = fake_new(test);
	u64 now = MS + LIMIT, next;

	gang_new(f, &u, 1, BIT(0), 0);
	xetile_dispatch_wake(&f->dispatch, &u, MS);
	xetile_dispatch_tick(&f->dispatch, now);
	KUNIT_ASSERT_TRUE(test, u.hung && !u.stuck);
	xetile_dispatch_restart_times(&u, now);
	KUNIT_EXPECT_FALSE(test, u.hung);
	KUNIT_EXPECT_EQ(test, xetile_dispatch_tick(&f->dispatch, now), now + LIMIT);

	u.limit_ns = LONG_LIMIT;
	xetile_dispatch_suspend(&f->dispatch, &u, now);
	now += u.leave_ns;
	xetile_dispatch_tick(&f->dispatch, now);
	KUNIT_ASSERT_TRUE(test, u.hung && u.stuck);
	xetile_dispatch_restart_times(&u, now);
	KUNIT_EXPECT_FALSE(test, u.hung || u.stuck);
	next = xetile_dispatch_tick(&f->dispatch, now);
	KUNIT_EXPECT_EQ(test, next, now + u.leave_ns);
	KUNIT_EXPECT_EQ(test, f->hungs, 2);
}

/*
 * An engine has a gang's first context, another one has not taken the second: the batch, which
 * needs both, has its times from when it has. Batches that are loaded behind do not put them off.
 */
static void gang_part_untaken(struct kunit *test)
{
	struct xetile_gang u;
	struct fake *f = fake_new(test);
	u64 now = MS;

	gang_new(f, &u, 1, BIT(0), BIT(1));
	xetile_dispatch_wake(&f->dispatch, &u, now);
	KUNIT_EXPECT_EQ(test, xetile_dispatch_untaken(&u, 0, 3), 3);
	xetile_dispatch_taken(&u, 0, BIT(0), 3, ++now);
	KUNIT_EXPECT_EQ(test, u.since_ns, now);
	KUNIT_EXPECT_EQ(test, xetile_dispatch_untaken(&u, BIT(0), 3), BIT(1));
	now += LIMIT;
	xetile_dispatch_tick(&f->dispatch, now);
	KUNIT_ASSERT_TRUE(test, u.hung);
	xetile_dispatch_taken(&u, 1, 3, 3, now);
	KUNIT_EXPECT_FALSE(test, u.hung);
	KUNIT_EXPECT_EQ(test, xetile_dispatch_untaken(&u, 3, 3), 0);
	KUNIT_EXPECT_EQ(test, xetile_dispatch_tick(&f->dispatch, now), now + LIMIT);

	/* The second is done with the batch, and is loaded with the next one. */
	xetile_dispatch_member_left(&f->dispatch, &u, 1, now + 1);
	xetile_dispatch_wake(&f->dispatch, &u, now + 1);
	KUNIT_EXPECT_EQ(test, xetile_dispatch_untaken(&u, BIT(0), BIT(0)), 0);
	xetile_dispatch_taken(&u, 1, 3, BIT(0), now + 2);
	KUNIT_EXPECT_EQ(test, u.since_ns, now);
	/* Only the second is left, whatever it is loaded for. */
	xetile_dispatch_member_left(&f->dispatch, &u, 0, now + 3);
	KUNIT_EXPECT_EQ(test, xetile_dispatch_untaken(&u, 0, BIT(0)), BIT(1));
}

/*
 * A gang uses up its batch's time, the callback comes, and the gang leaves before the driver acts.
 * A lenient gang goes on: the callback comes again when the gang has its engine back.
 */
static void told_again(struct kunit *test, bool lenient)
{
	const u64 now = MS + LIMIT;
	struct xetile_gang u;
	struct fake *f = fake_new(test);

	gang_new(f, &u, 1, BIT(0), 0);
	u.lenient = lenient;
	xetile_dispatch_wake(&f->dispatch, &u, MS);
	xetile_dispatch_tick(&f->dispatch, now);
	KUNIT_EXPECT_EQ(test, f->hungs, 1);
	xetile_dispatch_suspend(&f->dispatch, &u, now);
	xetile_dispatch_member_left(&f->dispatch, &u, 0, now);
	KUNIT_EXPECT_EQ(test, u.hung, !lenient);
	xetile_dispatch_resume(&f->dispatch, &u, now);
	KUNIT_EXPECT_EQ(test, u.state, XETILE_GANG_RUNNING);
	xetile_dispatch_tick(&f->dispatch, now);
	KUNIT_EXPECT_EQ(test, f->hungs, lenient ? 2 : 1);
}

static void gang_told_again(struct kunit *test)
{
	told_again(test, true);
}

static void gang_told_once(struct kunit *test)
{
	told_again(test, false);
}

static struct kunit_case gang_tests[] = {
	KUNIT_CASE(gang_life),
	KUNIT_CASE(gang_all_or_none),
	KUNIT_CASE(gang_turns),
	KUNIT_CASE(gang_weight),
	KUNIT_CASE(gang_goes_on),
	KUNIT_CASE(gang_priority),
	KUNIT_CASE(gang_low_floor),
	KUNIT_CASE(gang_high_bound),
	KUNIT_CASE(gang_clients),
	KUNIT_CASE(gang_suspend),
	KUNIT_CASE(gang_limit),
	KUNIT_CASE(gang_old_clock),
	KUNIT_CASE(gang_stays),
	KUNIT_CASE(gang_asked_late),
	KUNIT_CASE(gang_told_before_asked),
	KUNIT_CASE(gang_asked_in_vain),
	KUNIT_CASE(gang_untaken),
	KUNIT_CASE(gang_part_untaken),
	KUNIT_CASE(gang_told_again),
	KUNIT_CASE(gang_told_once),
	{}
};

static struct kunit_suite gang_suite = {
	.name = "xetile_dispatch",
	.test_cases = gang_tests,
};

kunit_test_suite(gang_suite);
