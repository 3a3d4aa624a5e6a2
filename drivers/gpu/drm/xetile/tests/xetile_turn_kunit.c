// SPDX-License-Identifier: GPL-2.0-only
/* Whose turn it is to make room on a tile, and who may go ahead of whom in the line */
#include <kunit/test.h>
#include <linux/kernel.h>

#include "../mem/xetile_turn.c"

#define TILES		3u
#define ALL		(BIT(TILES) - 1)
/* Steps of the walk in which calls come, leave and end their turns */
#define STEPS		20000u

static u64 turn_jiffies(void)
{
	return msecs_to_jiffies(XETILE_TURN_MS);
}

static bool waits(struct waiter *w)
{
	return !list_empty(&w->link);
}

static void come(struct xetile_turns *turns, struct waiter *w, u32 tiles, bool any, u64 now)
{
	struct waiter new = { .tiles = tiles, .any = any };

	*w = new;
	join(turns, w, now);
}

/* Calls for different tiles have their turns at the same time, calls for the same one do not. */
static void turn_of_tiles(struct kunit *test)
{
	struct xetile_turns turns;
	struct waiter a, b, c;

	xetile_turns_init(&turns);
	come(&turns, &a, BIT(0), false, 0);
	come(&turns, &b, BIT(1), false, 0);
	come(&turns, &c, BIT(0), false, 0);
	KUNIT_EXPECT_EQ(test, a.had, BIT(0));
	KUNIT_EXPECT_EQ(test, b.had, BIT(1));
	KUNIT_EXPECT_TRUE(test, waits(&c));
	give(&turns, BIT(0), 0);
	KUNIT_EXPECT_EQ(test, c.had, BIT(0));
	give(&turns, BIT(0) | BIT(1), 0);
	KUNIT_EXPECT_EQ(test, turns.had, 0);
}

/* A call that needs several tiles has none while it waits; others go ahead, but not for ever. */
static void turns_at_one_time(struct kunit *test)
{
	struct xetile_turns turns;
	struct waiter a, both, b, late;

	xetile_turns_init(&turns);
	come(&turns, &a, BIT(0), false, 0);
	come(&turns, &both, BIT(0) | BIT(1), false, 1);
	KUNIT_EXPECT_EQ(test, turns.had, BIT(0));
	come(&turns, &b, BIT(1), false, turn_jiffies());
	KUNIT_EXPECT_EQ(test, b.had, BIT(1));
	give(&turns, BIT(1), turn_jiffies());
	come(&turns, &late, BIT(1), false, turn_jiffies() + 1);
	KUNIT_EXPECT_TRUE(test, waits(&late));
	KUNIT_EXPECT_FALSE(test, try(&turns, BIT(1)));
	give(&turns, BIT(0), turn_jiffies() + 1);
	KUNIT_EXPECT_EQ(test, both.had, BIT(0) | BIT(1));
	KUNIT_EXPECT_TRUE(test, waits(&late));
	give(&turns, both.had, turn_jiffies() + 2);
	KUNIT_EXPECT_EQ(test, late.had, BIT(1));
}

/* Who can use room on any tile has the turns that nobody has, and waits only if there are none. */
static void turns_of_any(struct kunit *test)
{
	struct xetile_turns turns;
	struct waiter a, any, next;

	xetile_turns_init(&turns);
	come(&turns, &a, BIT(0), false, 0);
	come(&turns, &any, ALL, true, 0);
	KUNIT_EXPECT_EQ(test, any.had, ALL & ~BIT(0));
	come(&turns, &next, ALL, true, 0);
	KUNIT_EXPECT_TRUE(test, waits(&next));
	give(&turns, BIT(0), 0);
	KUNIT_EXPECT_EQ(test, next.had, BIT(0));
}

/* Who has more turns than needed ends those that others can use at once, and keeps one. */
static void turns_shared(struct kunit *test)
{
	struct xetile_turns turns;
	struct waiter any, next, all, a, b;

	xetile_turns_init(&turns);
	come(&turns, &any, ALL, true, 0);
	KUNIT_EXPECT_EQ(test, any.had, ALL);
	come(&turns, &next, ALL, true, 0);
	come(&turns, &all, ALL, false, 0);
	KUNIT_EXPECT_EQ(test, share(&turns, ALL, 0), ALL);
	come(&turns, &a, BIT(0), false, 0);
	come(&turns, &b, BIT(0), false, 0);
	any.had = share(&turns, ALL, 0);
	KUNIT_EXPECT_EQ(test, any.had, ALL & ~BIT(0));
	/* The line is kept. */
	KUNIT_EXPECT_EQ(test, next.had, BIT(0));
	give(&turns, next.had, 0);
	KUNIT_EXPECT_EQ(test, a.had, BIT(0));
	/* Those who wait lack the turn of tile 0, too. */
	KUNIT_EXPECT_EQ(test, share(&turns, any.had, 0), any.had);
	give(&turns, any.had, 0);
	give(&turns, a.had, 0);
	KUNIT_EXPECT_EQ(test, all.had, ALL);
	KUNIT_EXPECT_EQ(test, share(&turns, BIT(0), 0), BIT(0));
	give(&turns, all.had, 0);
	KUNIT_EXPECT_EQ(test, b.had, BIT(0));
}

/* Nobody passes over a call that has waited for the time of a turn: others can use nothing then. */
static void turns_shared_in_order(struct kunit *test)
{
	const u64 late = msecs_to_jiffies(XETILE_TURN_MS);
	struct xetile_turns turns;
	struct waiter any, all, a;

	xetile_turns_init(&turns);
	come(&turns, &any, ALL, true, 0);
	come(&turns, &all, ALL, false, 0);
	come(&turns, &a, BIT(1), false, 1);
	KUNIT_EXPECT_EQ(test, share(&turns, ALL, late), ALL);
	KUNIT_EXPECT_EQ(test, a.had, 0);
	KUNIT_EXPECT_EQ(test, share(&turns, ALL, late - 1), ALL & ~BIT(1));
	KUNIT_EXPECT_EQ(test, a.had, BIT(1));
}

/* A signal ends a wait, before the call has its turns or after; others go on. */
static void turns_left(struct kunit *test)
{
	struct xetile_turns turns;
	struct waiter a, b, c;

	xetile_turns_init(&turns);
	come(&turns, &a, BIT(0), false, 0);
	come(&turns, &b, BIT(0), false, 0);
	come(&turns, &c, BIT(0), false, 0);
	leave(&turns, &b, 0);
	KUNIT_EXPECT_EQ(test, b.had, 0);
	leave(&turns, &a, 0);
	KUNIT_EXPECT_EQ(test, c.had, BIT(0));
	KUNIT_EXPECT_FALSE(test, try(&turns, BIT(0) | BIT(1)));
	KUNIT_EXPECT_TRUE(test, try(&turns, BIT(1)));
	KUNIT_EXPECT_EQ(test, turns.had, BIT(0) | BIT(1));
}

/* Whatever comes and goes, a turn has one owner, and no call waits for longer than others allow. */
static void turns_random(struct kunit *test)
{
	struct waiter w[8] = { };
	bool in[ARRAY_SIZE(w)] = { };
	struct xetile_turns turns;
	u32 random = 1, i, step, had;

	xetile_turns_init(&turns);
	for (step = 0; step < STEPS; step++) {
		u64 now = step * (turn_jiffies() / 8);

		random = random * 1664525 + 1013904223;
		i = random >> 29;
		if (!in[i])
			come(&turns, &w[i], 1 + (random >> 8) % ALL, random >> 16 & 1, now);
		else if (!waits(&w[i]))
			give(&turns, w[i].had, now);
		else if (!(random >> 20 & 15))
			leave(&turns, &w[i], now);
		else
			continue;
		in[i] = !in[i];
		for (i = 0, had = 0; i < ARRAY_SIZE(w); i++) {
			if (!in[i])
				continue;
			/* Each of the others may have a turn before. */
			if (waits(&w[i])) {
				KUNIT_ASSERT_LT(test, now - w[i].since, 40 * turn_jiffies());
				continue;
			}
			KUNIT_ASSERT_NE(test, w[i].had, 0);
			KUNIT_ASSERT_EQ(test, w[i].had & had, 0);
			had |= w[i].had;
		}
		KUNIT_ASSERT_EQ(test, had, turns.had);
	}
}

static struct kunit_case turn_tests[] = {
	KUNIT_CASE(turn_of_tiles),
	KUNIT_CASE(turns_at_one_time),
	KUNIT_CASE(turns_of_any),
	KUNIT_CASE(turns_shared),
	KUNIT_CASE(turns_shared_in_order),
	KUNIT_CASE(turns_left),
	KUNIT_CASE(turns_random),
	{}
};

static struct kunit_suite turn_suite = {
	.name = "xetile_turn",
	.test_cases = turn_tests,
};

kunit_test_suite(turn_suite);
