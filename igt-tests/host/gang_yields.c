// SPDX-License-Identifier: MIT
/*
 * The gang dispatcher with batches that wait for each other on one engine (M11 of the map of
 * runtimes). A gang spins from a moment after it gets the engine on, until another gang has had its
 * turn: the one whose number it waits for.
 */
#include <string.h>

#include "check.h"
#include "gang_accounts.h"
#include "exec/xetile_dispatch.h"
#include "exec/xetile_dispatch_owner.h"
#include "exec/xetile_dispatch_yield.h"

#define GANGS		8
#define US		1000ull
#define MS		1000000ull
#define LIMIT		(1000000 * MS)
/* When a wait is noticed, and how long an engine takes to switch */
#define NOTICED		(10 * US)
#define SWITCH		(50 * US)
/* The least slice, and the usual one */
#define LEAST		(500 * US)
#define SLICE		(5 * MS)

static struct xetile_dispatch dispatch;
static struct xetile_dispatch_client clients[GANGS];
static struct xetile_gang gangs[GANGS];
/* It spins whenever it has the engine. */
static bool spins[GANGS];
static u64 now, asked_ns[GANGS], runs_ns[GANGS];
/* How often each had the engine, and since the start first after how long */
static unsigned int turns[GANGS];
static u64 first_ns[GANGS];

static unsigned int number(const struct xetile_gang *gang)
{
	return (unsigned int)(gang - gangs);
}

static void op_run(struct xetile_dispatch *g, struct xetile_gang *gang)
{
	unsigned int i = number(gang);

	(void)g;
	if (!turns[i]++)
		first_ns[i] = now;
}

static void op_stop(struct xetile_dispatch *g, struct xetile_gang *gang)
{
	(void)g;
	asked_ns[number(gang)] = now;
}

static void op_off(struct xetile_dispatch *g, struct xetile_gang *gang)
{
	(void)g;
	runs_ns[number(gang)] += now - gang->dispatched_ns;
}

static void op_hung(struct xetile_dispatch *g, struct xetile_gang *gang)
{
	(void)g;
	CHECK(0, "gang %u hangs", number(gang));
}

static const struct xetile_dispatch_ops ops = {
	.run = op_run, .stop = op_stop, .left = op_off, .hung = op_hung,
};

static void begin(void)
{
	unsigned int i;

	now = MS;
	xetile_dispatch_init(&dispatch, &ops, ~0ull);
	memset(gangs, 0, sizeof(gangs));
	memset(turns, 0, sizeof(turns));
	memset(runs_ns, 0, sizeof(runs_ns));
	memset(spins, 0, sizeof(spins));
	for (i = 0; i < GANGS; i++)
		client_begin(&clients[i], i, GANGS);
}

/* A gang that wants engine 0, for ever */
static void add(unsigned int i, unsigned int client, unsigned int priority, bool spin)
{
	xetile_gang_init(&gangs[i], &clients[client], 1, priority, 100, LIMIT);
	gangs[i].members[0].candidates = 1;
	gangs[i].yields = true;
	spins[i] = spin;
	xetile_dispatch_wake(&dispatch, &gangs[i], now);
}

static void go_on_for(u64 ns)
{
	u64 end = now + ns;

	while (now < end) {
		struct xetile_gang *owner;

		xetile_dispatch_tick(&dispatch, now);
		now += 5 * US;
		owner = dispatch.owners[0];
		if (!owner)
			continue;
		if (owner->state == XETILE_GANG_STOPPING) {
			if (now >= asked_ns[number(owner)] + SWITCH)
				xetile_dispatch_member_left(&dispatch, owner, 0, now);
		} else if (spins[number(owner)] && now >= owner->dispatched_ns + NOTICED) {
			xetile_dispatch_spins(&dispatch, 0);
		}
	}
}

/* How long gang @i waits for its first turn, beside those that are there */
static u64 wait_of(unsigned int i, unsigned int client, unsigned int priority)
{
	u64 from = now;

	add(i, client, priority, false);
	go_on_for(200 * MS);
	CHECK(turns[i], "gang %u never runs", i);
	return first_ns[i] - from;
}

/* The one that is waited for has the engine after the least slice, whatever its priority. */
static void test_lower(void)
{
	unsigned int priority, lower;

	for (priority = 1; priority < 3; priority++) {
		for (lower = 0; lower < priority; lower++) {
			begin();
			add(0, 0, priority, true);
			go_on_for(20 * MS);
			runs_ns[0] -= 20 * MS;
			CHECK(wait_of(1, 1, lower) <= NOTICED + SWITCH, "it waited");
			/* And again after its turn, and its own after that */
			CHECK(turns[1] > 20 && turns[0] > 20, "turns %u and %u", turns[0],
			      turns[1]);
			CHECK(runs_ns[1] > 5 * runs_ns[0], "%llu of %llu ns",
			      (unsigned long long)runs_ns[1], (unsigned long long)runs_ns[0]);
		}
	}
}

/* Without spinning the priorities are strict, and those who do not yield keep the engine. */
static void test_strict(void)
{
	begin();
	add(0, 0, 1, false);
	go_on_for(20 * MS);
	CHECK(wait_of(1, 1, 0) >= 16 * SLICE, "a low priority runs too early");
	begin();
	add(0, 0, 1, true);
	gangs[0].yields = false;
	go_on_for(20 * MS);
	CHECK(wait_of(1, 1, 0) >= 16 * SLICE, "a low priority runs too early");
	begin();
	add(0, 0, 1, true);
	gangs[0].yields = false;
	go_on_for(20 * MS);
	CHECK(wait_of(1, 1, 1) >= 1, "the owner yields");
	CHECK(turns[0] < 40, "the owner yields");
}

/* Of the same priority: also one that has used more, of the same client or of another one */
static void test_same(void)
{
	unsigned int client;

	for (client = 0; client < 2; client++) {
		begin();
		/* It uses the engine long, alone, and the other comes. */
		add(1, client, 1, false);
		go_on_for(50 * MS);
		add(0, 0, 1, true);
		go_on_for(200 * MS);
		CHECK(runs_ns[1] > 5 * runs_ns[0], "%llu of %llu ns, client %u",
		      (unsigned long long)runs_ns[1], (unsigned long long)runs_ns[0], client);
		CHECK(turns[0] > 20, "turns %u and %u", turns[0], turns[1]);
	}
}

/*
 * Several that spin pass the engine on to the one with work, also at a low priority: it has it after
 * a turn of the least length of each.
 */
static void test_spinners(void)
{
	unsigned int priority, i;

	for (priority = 0; priority < 2; priority++) {
		begin();
		for (i = 0; i < 5; i++)
			add(i, i, 1, true);
		go_on_for(20 * MS);
		CHECK(wait_of(5, 5, priority) <= 5 * (LEAST + SWITCH), "it waited for %llu ns",
		      (unsigned long long)(first_ns[5] - 21 * MS));
		CHECK(runs_ns[5] > runs_ns[0], "%llu of %llu ns", (unsigned long long)runs_ns[5],
		      (unsigned long long)runs_ns[0]);
	}
}

/* Those that spin alone take turns of the least length, which costs little. */
static void test_storm(void)
{
	unsigned int i, all = 0;

	begin();
	for (i = 0; i < 3; i++)
		add(i, i, i, true);
	go_on_for(100 * MS);
	for (i = 0; i < 3; i++) {
		CHECK(turns[i] > 10, "gang %u has %u turns", i, turns[i]);
		all += turns[i];
	}
	CHECK(all <= 100 * MS / LEAST + 3, "%u turns", all);
}

/* A second priority, with work, is not kept waiting for one below it. */
static void test_order(void)
{
	begin();
	add(0, 0, 1, true);
	add(1, 1, 1, false);
	go_on_for(20 * MS);
	CHECK(wait_of(2, 2, 0) >= 16 * SLICE, "a low priority runs too early");
}

int main(void)
{
	RUN("a gang that spins yields to lower priorities", test_lower());
	RUN("a gang that does not spin yields to none", test_strict());
	RUN("a gang that spins yields to those who have used more", test_same());
	RUN("work comes before those that spin", test_spinners());
	RUN("gangs that spin have turns of the least length", test_storm());
	RUN("a gang that spins yields by priority", test_order());
	return check_end();
}
