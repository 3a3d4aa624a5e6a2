// SPDX-License-Identifier: MIT
/*
 * Shares of engine time (W17): clients, and queues of a client, that never run out of work, or do,
 * have what their weights say, whatever the lengths of their jobs. All time here is engine time of
 * a simulated card. After a second of it each has its share within 5 %.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "gang_accounts.h"
#include "exec/xetile_dispatch.h"
#include "exec/xetile_dispatch_owner.h"

#define MOST		1100
#define US		1000ull
#define MS		1000000ull
#define SECOND		(1000 * MS)
#define STEP		(20 * US)
#define LIMIT		(1000000 * MS)
/* How long a context takes to leave its engine */
#define LEAVE		(40 * US)

struct queue {
	struct xetile_gang gang;
	unsigned int client;
	/* How long its jobs are, and how much is left of the present one; 0: one job for ever */
	u64 job, left;
	/* After each job it has nothing to do for so long; 0: it always has the next one */
	u64 pause, again_at;
	bool loaded, asked;
	/* It leaves later than others by so much. */
	u64 late;
	u64 leaves_at, ran;
	unsigned int starts;
};

static struct xetile_dispatch dispatch;
static struct xetile_dispatch_client *clients;
static struct queue *queues;
static unsigned int num;
static u64 now, *ran;
/* What all have used at the begin */
static u64 used_before;

static struct queue *to_queue(struct xetile_gang *gang)
{
	return (struct queue *)((char *)gang - offsetof(struct queue, gang));
}

static void op_run(struct xetile_dispatch *d, struct xetile_gang *gang)
{
	(void)d;
	to_queue(gang)->starts += !to_queue(gang)->loaded;
	to_queue(gang)->loaded = true;
}

static void op_stop(struct xetile_dispatch *d, struct xetile_gang *gang)
{
	(void)d;
	to_queue(gang)->asked = true;
	to_queue(gang)->leaves_at = now + LEAVE + to_queue(gang)->late;
}

static void op_left(struct xetile_dispatch *d, struct xetile_gang *gang)
{
	(void)d;
	to_queue(gang)->loaded = false;
	to_queue(gang)->asked = false;
}

static void op_hung(struct xetile_dispatch *d, struct xetile_gang *gang)
{
	(void)d;
	CHECK(0, "queue %ld hangs", (long)(to_queue(gang) - queues));
}

static const struct xetile_dispatch_ops ops = {
	.run = op_run, .stop = op_stop, .left = op_left, .hung = op_hung,
};

static void begin(void)
{
	unsigned int i;

	now = MS;
	num = 0;
	memset(queues, 0, MOST * sizeof(*queues));
	memset(ran, 0, MOST * sizeof(*ran));
	xetile_dispatch_init(&dispatch, &ops, ~0ull);
	dispatch.clocks[1][0] = used_before;
	for (i = 0; i < MOST; i++) {
		client_begin(&clients[i], i, MOST);
		clients[i].accounts[1][0]->use.used = used_before;
		clients[i].accounts[1][0]->clock = used_before;
	}
}

/* A queue of a client for one engine, or two, or any of some. Its place is the first one. */
static struct queue *add(unsigned int client, unsigned int priority, unsigned int weight, u64 job,
			 u64 first, u64 second)
{
	struct queue *q = &queues[num++];

	q->client = client;
	q->job = q->left = job;
	xetile_gang_init(&q->gang, &clients[client], second ? 2 : 1, priority, weight, LIMIT);
	q->gang.members[0].candidates = first;
	q->gang.members[1].candidates = second;
	q->gang.place = (u8)(__builtin_ctzll(first) + (second ? 8 : 0));
	xetile_dispatch_wake(&dispatch, &q->gang, now);
	return q;
}

static void off(struct queue *q)
{
	unsigned int m;

	for (m = 0; m < q->gang.num_members; m++)
		xetile_dispatch_member_left(&dispatch, &q->gang, m, now);
}

/* A job of the queue is over. If it has no other one, its contexts run dry. */
static void job_over(struct queue *q)
{
	q->left = q->job;
	xetile_dispatch_progress(&q->gang, !q->pause, now);
	if (!q->pause)
		return;
	q->again_at = now + q->pause;
	off(q);
}

static void advance(struct queue *q)
{
	if (q->again_at && now >= q->again_at) {
		q->again_at = 0;
		xetile_dispatch_wake(&dispatch, &q->gang, now);
	}
	if (!q->loaded)
		return;
	if (q->job && q->left <= STEP)
		job_over(q);
	else if (q->job)
		q->left -= STEP;
	if (q->loaded && q->asked && now >= q->leaves_at)
		off(q);
}

static void run(u64 time)
{
	u64 end = now + time;
	unsigned int i;

	while (now < end) {
		u64 busy[MOST];
		unsigned int n = 0;

		/* Those that have an engine now have it until the next step. */
		for (i = 0; i < num; i++)
			if (queues[i].loaded)
				busy[n++] = i;
		now += STEP;
		while (n--) {
			queues[busy[n]].ran += STEP;
			ran[queues[busy[n]].client] += STEP;
		}
		for (i = 0; i < num; i++)
			advance(&queues[i]);
		xetile_dispatch_tick(&dispatch, now);
	}
}

/* Whether @part of @all is @share of @shares, within 5 % */
static void check_share(const char *what, u64 part, u64 all, u64 share, u64 shares)
{
	CHECK(part * shares * 100 >= all * share * 95 && part * shares * 100 <= all * share * 105,
	      "%s had %llu of %llu us, and not %llu of %llu", what,
	      (unsigned long long)(part / US), (unsigned long long)(all / US),
	      (unsigned long long)share, (unsigned long long)shares);
}

static const struct {
	unsigned int light, heavy;
} ratios[] = { { 100, 100 }, { 100, 300 }, { 100, 1000 }, { 10, 1000 }, { 1, 100 }, { 7, 21 } };

#define RATIOS	(sizeof(ratios) / sizeof(ratios[0]))

/* The first second, and a second from any time on */
static void check_seconds(unsigned int light, unsigned int heavy)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		u64 had[2] = { ran[0], ran[1] }, all;

		run(SECOND);
		all = ran[0] + ran[1] - had[0] - had[1];
		CHECK(all > SECOND * 95 / 100, "the engine was used for %llu us",
		      (unsigned long long)(all / US));
		check_share("the lighter", ran[0] - had[0], all, light, light + heavy);
		check_share("the heavier", ran[1] - had[1], all, heavy, light + heavy);
		run(37 * MS);
	}
}

/* Two clients with jobs of any length */
static void test_two(u64 light_job, u64 heavy_job)
{
	unsigned int i;

	for (i = 0; i < RATIOS; i++) {
		begin();
		add(1, 1, ratios[i].heavy, heavy_job, 1, 0);
		add(0, 1, ratios[i].light, light_job, 1, 0);
		check_seconds(ratios[i].light, ratios[i].heavy);
		/* Nobody is stopped who would be the next to start. */
		CHECK(queues[0].starts <= 2 * queues[1].starts, "%u turns, beside %u of a lighter",
		      queues[0].starts, queues[1].starts);
	}
}

/* The same from just before the numbers wrap. */
static void test_wrap(void)
{
	used_before = 0 - 100 * MS;
	test_two(0, 0);
	used_before = 0;
}

/*
 * The same, but a client's queue runs dry after each short job, while its other queue waits: turns
 * are much shorter than slices.
 */
static void test_dry(void)
{
	unsigned int i, q;

	for (i = 0; i < RATIOS; i++) {
		begin();
		add(1, 1, ratios[i].heavy, 0, 1, 0);
		for (q = 0; q < 3; q++)
			add(0, 1, ratios[i].light, 100 * US, 1, 0)->pause = STEP;
		check_seconds(ratios[i].light, ratios[i].heavy);
		begin();
		add(0, 1, ratios[i].light, 0, 1, 0);
		for (q = 0; q < 3; q++)
			add(1, 1, ratios[i].heavy, 100 * US, 1, 0)->pause = STEP;
		check_seconds(ratios[i].light, ratios[i].heavy);
	}
}

/* Two queues of one client, alone */
static void test_alone(void)
{
	unsigned int i, k;

	for (i = 0; i < RATIOS; i++) {
		begin();
		add(0, 1, ratios[i].heavy, 0, 1, 0);
		add(0, 1, ratios[i].light, 0, 1, 0);
		for (k = 0; k < 3; k++) {
			u64 light = queues[1].ran, all = ran[0];

			run(SECOND);
			check_share("the lighter queue", queues[1].ran - light, ran[0] - all,
				    ratios[i].light, ratios[i].light + ratios[i].heavy);
			run(37 * MS);
		}
		/* None is stopped that would be the next to start. */
		CHECK(queues[0].starts <= 2 * queues[1].starts, "%u turns, beside %u of a lighter",
		      queues[0].starts, queues[1].starts);
	}
}

/* Queues of one client share its time likewise. It has the weight of its queues on average. */
static void test_queues(void)
{
	unsigned int i;

	for (i = 0; i < RATIOS; i++) {
		u64 all;

		begin();
		add(0, 1, ratios[i].heavy, 0, 1, 0);
		add(0, 1, ratios[i].light, 100 * US, 1, 0);
		add(1, 1, ratios[i].heavy, 0, 1, 0);
		run(4 * SECOND);
		all = ran[0] + ran[1];
		check_share("the client", ran[0], all, ratios[i].light + ratios[i].heavy,
			    ratios[i].light + 3 * ratios[i].heavy);
		check_share("the lighter queue", queues[1].ran, ran[0], ratios[i].light,
			    ratios[i].light + ratios[i].heavy);
	}
}

/* A heavy queue goes on beside a light one of its client, but not when another client waits. */
static void test_beside(void)
{
	u64 since, longest = 0, end;

	begin();
	add(0, 1, 1000, 0, 1, 0);
	add(0, 1, 1, 0, 1, 0);
	add(1, 1, 100, 0, 1, 0);
	run(SECOND);
	since = now;
	for (end = now + 4 * SECOND; now < end; ) {
		run(STEP);
		if (queues[2].loaded)
			since = now;
		longest = longest > now - since ? longest : now - since;
	}
	CHECK(longest < 100 * MS, "the other client waited for %llu us",
	      (unsigned long long)(longest / US));
}

/* A queue's weight counts as long as it has work. */
static void test_sinks(void)
{
	u64 had[2];

	begin();
	add(0, 1, 300, 0, 1, 0);
	add(0, 1, 100, 0, 1, 0);
	add(1, 1, 100, 0, 1, 0);
	run(SECOND);
	check_share("with the heavier", ran[0], ran[0] + ran[1], 2, 3);
	xetile_dispatch_suspend(&dispatch, &queues[0].gang, now);
	run(20 * MS);
	had[0] = ran[0];
	had[1] = ran[1];
	run(SECOND);
	check_share("without it", ran[0] - had[0], ran[0] + ran[1] - had[0] - had[1], 1, 2);
}

/* A thousand queues have no more than one. */
static void test_many(void)
{
	unsigned int i;

	begin();
	for (i = 0; i < 1000; i++)
		add(0, 1, 100, 0, 1, 0);
	add(1, 1, 300, 0, 1, 0);
	run(SECOND);
	check_share("a thousand queues", ran[0], ran[0] + ran[1], 1, 4);
}

static void test_three(void)
{
	static const unsigned int weights[] = { 50, 100, 350 };
	unsigned int i;

	begin();
	for (i = 0; i < 3; i++)
		add(i, 1, weights[i], i == 1 ? 100 * US : 0, 1, 0);
	run(SECOND);
	for (i = 0; i < 3; i++)
		check_share("one of three", ran[i], ran[0] + ran[1] + ran[2], weights[i], 500);
}

/* Who comes back gets nothing for the time before, and need pay nothing for it. */
static void test_idle(void)
{
	struct queue *q;
	u64 had[2];

	/* Client 1 is alone for a second, and wanted nothing for one. */
	begin();
	q = add(1, 1, 100, 0, 1, 0);
	run(SECOND);
	add(0, 1, 100, 0, 1, 0);
	run(100 * MS);
	check_share("who had the engine alone", ran[1] - SECOND, 100 * MS, 1, 2);
	xetile_dispatch_suspend(&dispatch, &q->gang, now);
	run(SECOND);
	xetile_dispatch_resume(&dispatch, &q->gang, now);
	had[0] = ran[0];
	had[1] = ran[1];
	run(100 * MS);
	check_share("who comes back", ran[1] - had[1], ran[0] + ran[1] - had[0] - had[1], 1, 2);

	/* The same if it leaves before anybody comes. */
	begin();
	q = add(1, 1, 100, 0, 1, 0);
	run(SECOND);
	xetile_dispatch_suspend(&dispatch, &q->gang, now);
	run(MS);
	add(0, 1, 100, 0, 1, 0);
	run(50 * MS);
	xetile_dispatch_resume(&dispatch, &q->gang, now);
	had[0] = ran[0];
	had[1] = ran[1];
	run(100 * MS);
	check_share("who left early", ran[1] - had[1], ran[0] + ran[1] - had[0] - had[1], 1, 2);
}

/* Newcomers that use half of the engine, each but once, keep nobody waiting who had its share. */
static void test_newcomers(void)
{
	struct queue *light;
	unsigned int i;
	u64 longest = 0, since, had;

	begin();
	light = add(0, 1, 10, 0, 1, 0);
	add(1, 1, 100, 0, 1, 0);
	run(100 * MS);
	since = now;
	had = light->ran;
	for (i = 2; i < 1000; i++) {
		struct queue *q = add(i, 1, 100, 2 * MS, 1, 0);

		q->pause = 1000 * SECOND;
		run(4 * MS);
		if (light->ran != had || light->loaded) {
			longest = now - since > longest ? now - since : longest;
			since = now;
			had = light->ran;
		}
	}
	longest = now - since > longest ? now - since : longest;
	CHECK(longest < 100 * MS, "the light one waited for %llu us",
	      (unsigned long long)(longest / US));
}

/*
 * Two newcomers at any time, each with one job of 4 ms, beside a queue of client 0 and one of
 * client 1: as processes of their own, or as queues of client 0. They take nobody's share.
 */
static void test_overlap(unsigned int weight, bool processes)
{
	struct queue *fresh[2] = { NULL, NULL };
	unsigned int i, next = 2, all = weight + 300;
	u64 longest = 0, since, end;

	begin();
	add(0, 1, weight, 0, 1, 0);
	add(1, 1, 100, 0, 1, 0);
	run(100 * MS);
	ran[0] = ran[1] = queues[0].ran = 0;
	since = now;
	for (end = now + 3 * SECOND; now < end; run(STEP)) {
		for (i = 0; i < 2; i++) {
			if (fresh[i] && !fresh[i]->again_at)
				continue;
			fresh[i] = add(processes ? next++ : 0, 1, 100, 4 * MS, 1, 0);
			fresh[i]->pause = 1000 * SECOND;
		}
		if (queues[0].loaded)
			since = now;
		longest = now - since > longest ? now - since : longest;
	}
	/* Of four that want the engine, or of three that share what client 1 leaves them */
	CHECK(queues[0].ran * 100 >= (processes ? 3 * SECOND : ran[0]) *
	      weight / (processes ? all : all - 100) * 90, "a queue had %llu us beside newcomers",
	      (unsigned long long)(queues[0].ran / US));
	CHECK(ran[1] * 100 >= 3 * SECOND * 100 / all * 90, "client 1 had %llu us beside newcomers",
	      (unsigned long long)(ran[1] / US));
	CHECK(longest < 100 * MS, "a queue waited for %llu us", (unsigned long long)(longest / US));
}

/* Who has not left in time owes that, but not for ever. */
static void test_debt(void)
{
	struct queue *late;
	u64 had;

	begin();
	late = add(0, 1, 1, 0, 1, 0);
	add(1, 1, 100, 0, 1, 0);
	late->late = 500 * MS;
	run(SECOND);
	late->late = 0;
	had = late->ran;
	CHECK(had > 500 * MS, "the queue left after %llu us", (unsigned long long)(had / US));
	run(8 * SECOND);
	CHECK(late->ran == had, "the queue owes nothing");
	run(3 * SECOND);
	CHECK(late->ran > had, "the queue never runs again");
}

/* Another queue of its client, which waits meanwhile, owes no more than that either. */
static void test_debt_of_two(void)
{
	struct queue *late;
	u64 had;

	begin();
	late = add(0, 1, 1, 0, 1, 0);
	add(1, 1, 100, 0, 1, 0);
	add(0, 1, 1, 0, 1, 0);
	late->late = 500 * MS;
	run(SECOND);
	late->late = 0;
	had = ran[0];
	CHECK(had > 500 * MS, "the queue left after %llu us", (unsigned long long)(had / US));
	run(11 * SECOND);
	CHECK(ran[0] > had, "the client never runs again");
}

/* The highest priority ends while a lower one has a raised turn: that is no more than its own. */
static void test_raised(unsigned int other)
{
	u64 had[2], all;

	begin();
	add(0, 2, 100, 0, 1, 0);
	add(1, 0, 1000, 0, 1, 0);
	while (!queues[1].loaded)
		run(STEP);
	xetile_dispatch_suspend(&dispatch, &queues[0].gang, now);
	add(2, other, 1000, 0, 1, 0);
	run(20 * MS);
	had[0] = ran[1];
	had[1] = ran[2];
	run(3 * SECOND);
	all = ran[1] + ran[2] - had[0] - had[1];
	if (other)
		check_share("the lower priority", ran[1] - had[0], all, 1, 17);
	else
		check_share("one of two", ran[1] - had[0], all, 1, 2);
}

/* Queues that come and go do not put off the turn of one that waits for a higher priority. */
static void test_put_off(void)
{
	struct queue *comes, *goes = NULL;
	unsigned int i;
	u64 had;

	begin();
	add(0, 2, 100, 0, 1, 0);
	add(1, 1, 100, 0, 1, 0);
	/* It has had a turn, so those that come are before it. */
	run(100 * MS);
	had = ran[1];
	CHECK(had, "a lower priority had no turn");
	for (i = 0; i < 100; i++) {
		comes = add(2, 1, 100, 0, 1, 0);
		run(MS);
		if (goes)
			xetile_dispatch_suspend(&dispatch, &goes->gang, now);
		goes = comes;
		run(70 * MS);
	}
	/* One of 17 slices is for both. */
	CHECK((ran[1] - had) * 17 * 3 > 7100 * MS, "it had %llu us",
	      (unsigned long long)((ran[1] - had) / US));
}

/*
 * Two processes have low priority. One of them gives its queue up whenever that has waited for
 * @life, also when the queue was raised; and it has a queue of little weight with a higher priority,
 * which owes much. The other one is not kept waiting for that.
 */
static void test_given_up(u64 life, unsigned int heavy)
{
	u64 end, had, since, longest = 0, begun;
	struct queue *comes, *goes = NULL;

	begin();
	add(0, 1, heavy, 0, 1, 0);
	add(1, 1, 1, 0, 1, 0);
	add(2, 0, 100, 0, 1, 0);
	run(SECOND);
	begun = had = ran[2];
	since = now;
	for (end = now + 10 * SECOND; now < end;) {
		comes = add(1, 0, 100, 0, 1, 0);
		if (goes)
			xetile_dispatch_suspend(&dispatch, &goes->gang, now);
		goes = comes;
		for (u64 next = now + life; now < next;) {
			run(MS);
			if (ran[2] != had)
				since = now;
			had = ran[2];
			longest = now - since > longest ? now - since : longest;
		}
	}
	CHECK((had - begun) * 17 * 2 >= 10 * SECOND * 80 / 100 && longest < SECOND,
	      "it had %llu us, and waited for %llu us", (unsigned long long)((had - begun) / US),
	      (unsigned long long)(longest / US));
}

/*
 * The highest priority is bounded, and has its bound: fifteen of seventeen slices, however many
 * kinds of others want its engines. All of these have turns.
 */
static void test_high(void)
{
	unsigned int i, p, first;

	begin();
	add(0, 2, 100, 0, 1, 0);
	add(0, 2, 100, 0, 2, 0);
	for (p = 0; p < 2; p++) {
		first = num;
		add(num, p, 1000, 0, 1, 0);
		add(num, p, 1000, 0, 2, 0);
		add(num, p, 1000, 0, 1, 2);
		for (i = 2; i < 5; i++)
			add(num, p, 1000, 0, 1, 1ull << i);
		CHECK(num == first + 6, "%u queues", num);
	}
	run(5 * SECOND);
	for (i = 0; i < 2; i++)
		CHECK(queues[i].ran * 17 >= 5 * SECOND * 15 * 97 / 100,
		      "the highest priority had %llu us", (unsigned long long)queues[i].ran / US);
	for (i = 2; i < num; i++)
		CHECK(queues[i].ran >= 30 * MS, "queue %u had %llu us", i,
		      (unsigned long long)queues[i].ran / US);
}

/* Queues of two tiles among themselves, and beside others of one of the tiles */
static void test_gangs(void)
{
	unsigned int i;
	u64 all;

	for (i = 0; i < RATIOS; i++) {
		begin();
		add(1, 1, ratios[i].heavy, 0, 1, 2);
		add(0, 1, ratios[i].light, 100 * US, 1, 2);
		check_seconds(ratios[i].light, ratios[i].heavy);
	}
	/* They want different engines: they have as many turns each, as long as weights say. */
	for (i = 0; i < 3; i++) {
		begin();
		add(1, 1, ratios[i].heavy, 0, 1, 2);
		add(0, 1, ratios[i].light, 0, 1, 0);
		run(SECOND);
		all = ran[0] + ran[1];
		check_share("the queue of a tile", ran[0], all, ratios[i].light,
			    ratios[i].light + ratios[i].heavy);
	}
	/* Those of one tile share what the queue of two leaves them. */
	begin();
	add(0, 1, 100, 0, 1, 2);
	add(1, 1, 100, 0, 1, 0);
	add(2, 1, 10, 100 * US, 1, 0);
	run(2 * SECOND);
	check_share("the lighter of a tile", ran[2], ran[1] + ran[2], 10, 110);
	CHECK(ran[0] * 100 > 2 * SECOND * 30, "the queue of two tiles had %llu us",
	      (unsigned long long)(ran[0] / US));
}

/* A set of engines, of which a queue takes any: five clients for four of them */
static void test_pool(void)
{
	unsigned int i;
	u64 all = 0;

	begin();
	for (i = 0; i < 5; i++)
		add(i, 1, i ? 100 : 50, 0, 15, 0);
	run(SECOND);
	for (i = 0; i < 5; i++)
		all += ran[i];
	for (i = 0; i < 5; i++)
		check_share("one of five", ran[i], all, i ? 2 : 1, 9);
}

/* As many queues of each of some clients as there are engines, or fewer, for any of eight */
static void test_pool_of(unsigned int num_clients, unsigned int each, unsigned int weight)
{
	unsigned int c, i, k;

	begin();
	for (i = 0; i < each; i++)
		for (c = 0; c < num_clients; c++)
			add(c, 1, c ? 100 : weight, 0, 255, 0);
	run(100 * MS);
	for (k = 0; k < 3; k++) {
		u64 had[4], all = 0;

		memcpy(had, ran, sizeof(had));
		run(SECOND);
		for (c = 0; c < num_clients; c++)
			all += ran[c] - had[c];
		for (c = 0; c < num_clients; c++)
			check_share("a client", ran[c] - had[c], all, c ? 100 : weight,
				    weight + 100 * (num_clients - 1));
	}
}

int main(void)
{
	clients = calloc(MOST, sizeof(*clients));
	queues = calloc(MOST, sizeof(*queues));
	ran = calloc(MOST, sizeof(*ran));
	if (!clients || !queues || !ran)
		return 1;
	RUN("W17: two clients have their shares", test_two(0, 0));
	RUN("W17: ... the lighter with short jobs", test_two(100 * US, 0));
	RUN("W17: ... the heavier with short jobs", test_two(0, 100 * US));
	RUN("W17: ... and if queues run dry after each", test_dry());
	RUN("W17: queues of a client have their shares", test_queues());
	RUN("W17: ... also if no other client is there", test_alone());
	RUN("W17: ... which keeps no other client waiting", test_beside());
	RUN("W17: a thousand queues have the share of one", test_many());
	RUN("W17: three clients have their shares", test_three());
	RUN("W17: nobody saves time up, or owes any, by being idle", test_idle());
	RUN("W17: ... also when the numbers wrap", test_wrap());
	RUN("W17: a weight counts as long as there is work for it", test_sinks());
	RUN("W17: newcomers keep nobody waiting", test_newcomers());
	RUN("W17: ... nor if others come before they go", test_overlap(100, true));
	RUN("W17: ... nor a light one", test_overlap(10, true));
	RUN("W17: new queues keep no other one of their process waiting", test_overlap(100, false));
	RUN("W17: ... nor a light one", test_overlap(10, false));
	RUN("W17: nobody owes for ever", test_debt());
	RUN("W17: ... nor do the others of its process", test_debt_of_two());
	RUN("W17: a raised turn ends without those for whom it was", test_raised(0));
	RUN("W17: ... and is outranked then", test_raised(1));
	RUN("W17: nobody can put off what a lower priority gets", test_put_off());
	RUN("W17: ... nor takes what it gives up", test_given_up(50 * MS, 100));
	RUN("W17: ... nor soon", test_given_up(20 * MS, 100));
	RUN("W17: ... nor beside a heavy one", test_given_up(50 * MS, 1000));
	RUN("W17: the highest priority has its bound, however many want a turn", test_high());
	RUN("W17: queues of two tiles have their shares", test_gangs());
	RUN("W17: clients have their shares of several engines", test_pool());
	RUN("W17: ... also with as many queues each", test_pool_of(2, 8, 100));
	RUN("W17: ... by weight", test_pool_of(2, 8, 300));
	RUN("W17: ... and with fewer", test_pool_of(3, 4, 100));
	return check_end();
}
