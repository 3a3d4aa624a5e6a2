// SPDX-License-Identifier: MIT
/*
 * The gang dispatcher with many gangs. The cost of a step is the number of gangs that the
 * dispatcher looks at, and the cost is the same when ten gangs wait and when ten thousand
 * wait. A client with many gangs gets no more engine time than a client with one.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "gang_accounts.h"
#include "exec/xetile_dispatch.h"
#include "exec/xetile_dispatch_owner.h"

#define MOST		10000
#define ENGINES		8
#define MS		1000000ull
#define LIMIT		(1000000 * MS)

static struct xetile_dispatch dispatch;
static struct xetile_dispatch_client *clients;
static struct xetile_gang *gangs;
/* Engine time of each client */
static u64 *ran_ns;
static u64 now;

static unsigned int client_of(const struct xetile_gang *gang)
{
	return (unsigned int)(gang->client - clients);
}

static void op_run(struct xetile_dispatch *g, struct xetile_gang *gang)
{
	(void)g;
	(void)gang;
}

static void op_stop(struct xetile_dispatch *g, struct xetile_gang *gang)
{
	(void)g;
	(void)gang;
}

static void op_off(struct xetile_dispatch *g, struct xetile_gang *gang)
{
	(void)g;
	ran_ns[client_of(gang)] += now - gang->dispatched_ns;
}

static void op_hung(struct xetile_dispatch *g, struct xetile_gang *gang)
{
	(void)g;
	CHECK(0, "gang %ld hangs", (long)(gang - gangs));
}

static const struct xetile_dispatch_ops ops = {
	.run = op_run, .stop = op_stop, .left = op_off, .hung = op_hung,
};

static void setup(void)
{
	unsigned int i;

	now = MS;
	xetile_dispatch_init(&dispatch, &ops, ~0ull);
	for (i = 0; i <= MOST; i++)
		client_begin(&clients[i], i, MOST + 1);
	memset(ran_ns, 0, (MOST + 1) * sizeof(*ran_ns));
}

static void gang_on(unsigned int i, unsigned int client, unsigned int priority, u64 first,
		    u64 second)
{
	xetile_gang_init(&gangs[i], &clients[client], second ? 2 : 1, priority, 100, LIMIT);
	gangs[i].members[0].candidates = first;
	gangs[i].members[1].candidates = second;
}

static void off(struct xetile_gang *gang)
{
	unsigned int m;

	for (m = 0; m < gang->num_members; m++)
		xetile_dispatch_member_left(&dispatch, gang, m, now);
}

/* Returns how many gangs the dispatcher looked at since the last call. */
static u64 looks(void)
{
	static u64 last;
	u64 n = dispatch.looks - last;

	last = dispatch.looks;
	return n;
}

struct costs {
	u64 idle_unlock, waiter_more, other_engine, interrupt, leaves_line, leaves_first;
};

/*
 * The costs of single steps while @waiting gangs wait for engine 0. The gangs are of three
 * kinds in turn: engine 0 alone, engines 0 and 1, and engine 0 with another priority.
 */
static struct costs costs_with(unsigned int waiting, unsigned int num_clients)
{
	unsigned int i, other = MOST - 1, more = MOST - 2;
	struct xetile_gang *owner;
	struct costs c;

	setup();
	gang_on(other, MOST, 1, 1ull << 5, 0);
	for (i = 0; i < waiting; i++) {
		gang_on(i, i % num_clients, i % 3 == 2 ? 0 : 1, 1, i % 3 == 1 ? 2 : 0);
		xetile_dispatch_wake(&dispatch, &gangs[i], now);
	}
	xetile_dispatch_tick(&dispatch, now);
	CHECK(dispatch.owners[0] == &gangs[0], "the first gang does not own engine 0");

	looks();
	/* A call that only reads the state, as QUEUE_INFO does */
	xetile_dispatch_tick(&dispatch, now + 1);
	c.idle_unlock = looks();
	/* A job on an engine for which no gang waits, from its start to its end: an empty EXEC */
	xetile_dispatch_wake(&dispatch, &gangs[other], now);
	xetile_dispatch_tick(&dispatch, now);
	xetile_dispatch_progress(&gangs[other], false, now);
	off(&gangs[other]);
	xetile_dispatch_tick(&dispatch, now);
	c.other_engine = looks();
	/* One more gang waits, of a client of its own. */
	gang_on(more, MOST - 3, 1, 1, 0);
	xetile_dispatch_wake(&dispatch, &gangs[more], now);
	xetile_dispatch_tick(&dispatch, now);
	c.waiter_more = looks();
	/* The gang on engine 0 ends, and the next gang gets the engine. */
	owner = dispatch.owners[0];
	xetile_dispatch_progress(owner, false, now);
	off(owner);
	xetile_dispatch_tick(&dispatch, now);
	CHECK(dispatch.owners[0] && dispatch.owners[0] != owner, "no gang follows on engine 0");
	c.interrupt = looks();
	/* A ban of the gang at the end of a line, then a ban of the first gang of all */
	xetile_dispatch_suspend(&dispatch, &gangs[more], now);
	xetile_dispatch_tick(&dispatch, now);
	c.leaves_line = looks();
	xetile_dispatch_suspend(&dispatch,
				list_first_entry(&dispatch.ready[1], struct xetile_gang, set),
				now);
	xetile_dispatch_tick(&dispatch, now);
	c.leaves_first = looks();
	return c;
}

/* @few: number of gangs that wait at first; @few_clients: number of their clients, 0: one each */
static void check_costs(unsigned int few, unsigned int few_clients)
{
	const unsigned int waiting[] = { few, 1000, MOST - 10 };
	struct costs first = costs_with(waiting[0], few_clients ? few_clients : waiting[0]);
	unsigned int i;

	for (i = 1; i < 3; i++) {
		struct costs c = costs_with(waiting[i], few_clients ? few_clients : waiting[i]);

#define SAME(what) \
	CHECK(c.what == first.what, #what " looks at %llu gangs with %u waiting, at %llu with %u", \
	      (unsigned long long)c.what, waiting[i], (unsigned long long)first.what, waiting[0])
		SAME(idle_unlock);
		SAME(other_engine);
		SAME(waiter_more);
		SAME(interrupt);
		SAME(leaves_line);
		SAME(leaves_first);
#undef SAME
	}
	CHECK(!first.idle_unlock, "an unlock that changed nothing looks at %llu gangs",
	      (unsigned long long)first.idle_unlock);
	CHECK(first.interrupt <= 20, "an interrupt looks at %llu gangs",
	      (unsigned long long)first.interrupt);
}

/* All gangs are banned, in the worst order for a singly linked list. */
static void test_ban_all(void)
{
	u64 most = 0;
	unsigned int i;

	setup();
	for (i = MOST; i--; ) {
		gang_on(i, i % 7, 1, 1, 0);
		xetile_dispatch_wake(&dispatch, &gangs[i], now);
	}
	xetile_dispatch_set_usable(&dispatch, 0, now);
	looks();
	for (i = 0; i < MOST; i++) {
		u64 n;

		xetile_dispatch_suspend(&dispatch, &gangs[i], now);
		n = looks();
		most = n > most ? n : most;
		CHECK(gangs[i].state != XETILE_GANG_READY, "gang %u waits", i);
	}
	CHECK(most <= 20, "a ban looks at %llu gangs", (unsigned long long)most);
}

/*
 * Time passes until @end: a gang that was asked to leave leaves, batches end often, and no gang
 * runs out of work.
 */
static void pass(u64 end)
{
	for (; now < end; now += MS / 4) {
		unsigned int e;

		for (e = 0; e < ENGINES; e++) {
			struct xetile_gang *gang = dispatch.owners[e];

			if (!gang || gang->members[0].engine != e)
				continue;
			xetile_dispatch_progress(gang, true, now);
			if (gang->state == XETILE_GANG_STOPPING)
				off(gang);
		}
		xetile_dispatch_tick(&dispatch, now);
	}
}

/* Engine time of a client, with the turns that are not over */
static u64 used(unsigned int client)
{
	u64 sum = ran_ns[client];
	unsigned int e;

	for (e = 0; e < ENGINES; e++)
		if (dispatch.owners[e] && client_of(dispatch.owners[e]) == client)
			sum += now - dispatch.owners[e]->dispatched_ns;
	return sum;
}

/*
 * Clients 0 and 1 share the mask @engines. Client 0 has a single gang, client 1 has a thousand.
 * On one engine each client gets half of the time.
 */
static void test_shares(u64 engines)
{
	u64 all;
	unsigned int i;

	setup();
	for (i = 0; i <= 1000; i++) {
		gang_on(i, i ? 1 : 0, 1, engines, 0);
		xetile_dispatch_wake(&dispatch, &gangs[i], now);
	}
	pass(5000 * MS);
	all = ran_ns[0] + ran_ns[1];
	if (engines == 1)
		CHECK(ran_ns[0] > all * 48 / 100 && ran_ns[0] < all * 52 / 100,
		      "the client with one gang had %llu of %llu ns", (unsigned long long)ran_ns[0],
		      (unsigned long long)all);
	else
		/* The single gang always has one engine, except for moments between its turns. */
		CHECK(used(0) > 4750 * MS, "the client with one gang had %llu ns",
		      (unsigned long long)used(0));
}

/* A gang of two, and a thousand single contexts of another client on one of its engines */
static void test_gang_share(void)
{
	unsigned int i;
	u64 all;

	setup();
	gang_on(0, 0, 1, 1, 2);
	xetile_dispatch_wake(&dispatch, &gangs[0], now);
	for (i = 1; i <= 1000; i++) {
		gang_on(i, 1, 1, 2, 0);
		xetile_dispatch_wake(&dispatch, &gangs[i], now);
	}
	pass(5000 * MS);
	all = ran_ns[0] + ran_ns[1];
	CHECK(ran_ns[0] > all * 45 / 100, "the gang of two had %llu of %llu ns",
	      (unsigned long long)ran_ns[0], (unsigned long long)all);
}

/*
 * @lows gangs of the lowest priority beside @others gangs of a higher one that never run out of
 * work. The low gangs get their floor of engine time and not more, and each of them waits for a
 * bounded time. With @gap the high gangs leave the engine for a moment again and again.
 */
static void test_floor(unsigned int others, unsigned int lows, bool gap)
{
	u64 all = 0, last = 0, longest = 0;
	unsigned int i;

	setup();
	for (i = 0; i < others + lows; i++) {
		gang_on(i, i, i < lows ? 0 : 1, 1, 0);
		gangs[i].slice_ns = i < lows ? 50 * MS : 5 * MS;
		xetile_dispatch_wake(&dispatch, &gangs[i], now);
	}
	while (now < 10000 * MS) {
		struct xetile_gang *gang;

		pass(now + MS / 4);
		gang = dispatch.owners[0];
		/* In a gap a low gang runs at its own rank, which does not count as its turn. */
		if (gang && !gang->priority && (!gap || gang->rank)) {
			longest = now - last > longest ? now - last : longest;
			last = now;
		}
		if (gap && gang && gang->priority && now / MS % 3 == 0) {
			xetile_dispatch_progress(gang, false, now);
			off(gang);
			xetile_dispatch_wake(&dispatch, gang, now);
			xetile_dispatch_tick(&dispatch, now);
		}
	}
	for (i = 0; i < lows; i++) {
		all += ran_ns[i];
		CHECK(ran_ns[i], "gang %u of the lowest priority never ran", i);
	}
	CHECK(longest < (80 + 6 * others + 10) * MS, "no low gang ran for %llu ns",
	      (unsigned long long)longest);
	CHECK(all < 10000 * MS / 10, "the lowest priority ran for %llu ns",
	      (unsigned long long)all);
}

/*
 * A gang of the highest priority that never runs out of work has nearly all of an engine, but not
 * all: each lower priority that waits for it has its floor, and none waits for long.
 */
static void test_high(unsigned int lowest)
{
	u64 since[2] = { MS, MS }, longest = 0;
	unsigned int i;

	setup();
	for (i = lowest; i < 3; i++) {
		gang_on(i, i, i, 1, 0);
		gangs[i].slice_ns = 50 * MS;
		xetile_dispatch_wake(&dispatch, &gangs[i], now);
	}
	while (now < 10000 * MS) {
		pass(now + MS / 4);
		for (i = lowest; i < 2; i++) {
			if (dispatch.owners[0] == &gangs[i])
				since[i] = now;
			longest = now - since[i] > longest ? now - since[i] : longest;
		}
	}
	CHECK(used(2) > 10000 * MS / 100 * (lowest ? 92 : 85) && used(2) < 10000 * MS / 100 * 96,
	      "the highest priority had %llu of 10000000 us",
	      (unsigned long long)used(2) / 1000);
	for (i = lowest; i < 2; i++)
		CHECK(used(i) > 10000 * MS / 100 * 2, "priority %u had %llu of 10000000 us", i,
		      (unsigned long long)used(i) / 1000);
	CHECK(longest < 250 * MS, "a priority waited for %llu us",
	      (unsigned long long)longest / 1000);
}

/* Within a client every gang has its turn. */
static void test_within_client(void)
{
	unsigned int i, most = 0, least = ~0u;
	unsigned int *turns = calloc(10, sizeof(*turns));
	struct xetile_gang *last = NULL;

	setup();
	for (i = 0; i < 10; i++) {
		gang_on(i, 0, 1, 1, 0);
		xetile_dispatch_wake(&dispatch, &gangs[i], now);
	}
	for (i = 0; i < 20000; i++) {
		pass(now + MS / 4);
		if (dispatch.owners[0] && dispatch.owners[0] != last) {
			last = dispatch.owners[0];
			turns[last - gangs]++;
		}
	}
	for (i = 0; i < 10; i++) {
		most = turns[i] > most ? turns[i] : most;
		least = turns[i] < least ? turns[i] : least;
	}
	CHECK(least && most - least <= 1, "between %u and %u turns", least, most);
	free(turns);
}

int main(void)
{
	clients = calloc(MOST + 1, sizeof(*clients));
	gangs = calloc(MOST + 1, sizeof(*gangs));
	ran_ns = calloc(MOST + 1, sizeof(*ran_ns));
	if (!clients || !gangs || !ran_ns)
		return 1;
	RUN("a step costs the same however many wait, one client", check_costs(10, 1));
	RUN("a step costs the same however many wait, seven clients", check_costs(42, 7));
	RUN("a step costs the same however many wait, a client each", check_costs(10, 0));
	RUN("a ban costs the same however many wait", test_ban_all());
	RUN("W17: a thousand gangs get no more than one, one engine", test_shares(1));
	RUN("W17: a thousand gangs get no more than one, four engines", test_shares(15));
	RUN("W17: a gang of two has its share beside a thousand", test_gang_share());
	RUN("W17: the lowest priority has its floor", test_floor(2, 1, false));
	RUN("W17: ... beside many", test_floor(20, 1, false));
	RUN("W17: ... and each of many", test_floor(2, 20, false));
	RUN("W17: ... also if it is let in for moments", test_floor(2, 1, true));
	RUN("W17: the highest priority is bounded", test_high(1));
	RUN("W17: ... by both of the others", test_high(0));
	RUN("a client's gangs take turns", test_within_client());
	return check_end();
}
