// SPDX-License-Identifier: MIT
/*
 * Engines that take turns in modes (W5, C9): gangs of the dispatcher that never run out of work and
 * want tiles in different modes. No two of them wait for each other, whatever they want; each waits
 * for a bounded number of epochs; epochs are as long as weights say; and modes cost nothing as long
 * as all gangs want the same one.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "gang_accounts.h"
#include "exec/xetile_dispatch.h"
#include "exec/xetile_dispatch_owner.h"

#define MOST		64
#define TILES		2
#define MS		1000000ull
#define STEP		(MS / 10)
#define LIMIT		(1000000 * MS)
/* The usual slice, and the least slices of an epoch */
#define SLICE		(5 * MS)
#define EPOCH		(4 * SLICE)
/* How long a higher priority may keep others waiting at a time */
#define RAISE		(16 * SLICE)

struct process {
	struct xetile_gang gang;
	struct xetile_dispatch_client client;
	bool loaded, asked;
	u64 ran;
	/* While it waits: the epochs that its tiles had before */
	unsigned int epochs;
	u64 since;
	/* The most epochs and time that it waited for */
	unsigned int most_epochs;
	u64 longest;
};

static struct xetile_dispatch dispatch;
static struct process processes[MOST];
static unsigned int num, epochs[TILES];
static u64 now;

static struct process *to_process(struct xetile_gang *gang)
{
	return (struct process *)((char *)gang - offsetof(struct process, gang));
}

static unsigned int epochs_of(const struct process *p)
{
	unsigned int m, sum = 0;

	for (m = 0; m < p->gang.num_members; m++)
		sum += epochs[p->gang.members[m].domain];
	return sum;
}

static void note_wait(struct process *p)
{
	unsigned int waited = epochs_of(p) - p->epochs;

	if (waited > p->most_epochs)
		p->most_epochs = waited;
	if (now - p->since > p->longest)
		p->longest = now - p->since;
}

static void op_run(struct xetile_dispatch *d, struct xetile_gang *gang)
{
	struct process *p = to_process(gang);
	unsigned int m;

	for (m = 0; m < gang->num_members; m++)
		CHECK(!gang->members[m].mode ||
		      d->domains[gang->members[m].domain].mode == gang->members[m].mode,
		      "a gang runs in another mode");
	if (!p->loaded)
		note_wait(p);
	p->loaded = true;
}

/* The gang leaves with the next step. */
static void op_stop(struct xetile_dispatch *d, struct xetile_gang *gang)
{
	(void)d;
	to_process(gang)->asked = true;
}

/* It has more work, and waits for its next turn from now on. */
static void op_left(struct xetile_dispatch *d, struct xetile_gang *gang)
{
	struct process *p = to_process(gang);

	(void)d;
	p->loaded = false;
	p->asked = false;
	p->since = now;
	p->epochs = epochs_of(p);
}

static void op_hung(struct xetile_dispatch *d, struct xetile_gang *gang)
{
	(void)d;
	CHECK(0, "gang %ld hangs", (long)(to_process(gang) - processes));
}

static void op_mode(struct xetile_dispatch *d, unsigned int domain, unsigned int mode)
{
	(void)mode;
	CHECK(!(d->owned & d->domains[domain].engines), "the mode of engines in use changes");
	epochs[domain]++;
}

/* Whether engines that nobody owns have got rid of their contexts */
static bool quiet;

static bool op_quiet(struct xetile_dispatch *d, unsigned int domain)
{
	CHECK(!(d->owned & d->domains[domain].engines), "engines with an owner are quiet");
	return quiet;
}

static const struct xetile_dispatch_ops ops = {
	.run = op_run, .stop = op_stop, .left = op_left, .hung = op_hung, .mode = op_mode,
	.quiet = op_quiet,
};

static void begin(void)
{
	unsigned int t;

	now = MS;
	num = 0;
	quiet = true;
	memset(epochs, 0, sizeof(epochs));
	memset(processes, 0, sizeof(processes));
	xetile_dispatch_init(&dispatch, &ops, 0xff);
	for (t = 0; t < TILES; t++)
		xetile_dispatch_set_mode(&dispatch, t, 0xfull << 4 * t, 1, now);
}

/* A process with work for the tiles of a mask, on slice @slice of mode @mode */
static void add(u32 tiles, unsigned int mode, unsigned int slice, unsigned int priority,
		unsigned int weight)
{
	struct process *p = &processes[num++];
	unsigned int t, m = 0;

	client_begin(&p->client, num - 1, MOST);
	xetile_gang_init(&p->gang, &p->client, tiles == 3 ? 2 : 1, priority, weight, LIMIT);
	for (t = 0; t < TILES; t++) {
		if (!(tiles >> t & 1))
			continue;
		p->gang.members[m].domain = (u8)t;
		p->gang.members[m].mode = (u8)mode;
		p->gang.members[m++].candidates = 1ull << (4 * t + slice);
	}
	p->since = now;
	xetile_dispatch_wake(&dispatch, &p->gang, now);
}

static void step(void)
{
	unsigned int i, m;

	now += STEP;
	for (i = 0; i < num; i++) {
		struct process *p = &processes[i];

		if (!p->loaded)
			continue;
		p->ran += STEP;
		xetile_dispatch_progress(&p->gang, true, now);
		for (m = 0; p->asked && m < p->gang.num_members; m++)
			xetile_dispatch_member_left(&dispatch, &p->gang, m, now);
	}
	xetile_dispatch_tick(&dispatch, now);
}

static void run(u64 time)
{
	u64 end = now + time;

	while (now < end)
		step();
	/* Those that wait still have waited so far. */
	for (unsigned int i = 0; i < num; i++)
		if (!processes[i].loaded)
			note_wait(&processes[i]);
}

/* All sets of three gangs: tile 0, tile 1 or both, in each of three modes */
static void test_all(void)
{
	unsigned int kinds[3], a, i, rest;
	const unsigned int all = 9 * 9 * 9;

	for (a = 0; a < all; a++) {
		begin();
		for (i = 0, rest = a; i < 3; i++, rest /= 9) {
			kinds[i] = rest % 9;
			add(1 + kinds[i] / 3, 1u << kinds[i] % 3, 0, 1, 100);
		}
		run(20 * EPOCH);
		/* At worst each other gang has an epoch, and one of them two. */
		for (i = 0; i < 3; i++)
			CHECK(processes[i].longest <= 3 * (EPOCH + SLICE) + 8 * STEP,
			      "gang %u of %u %u %u waited %llu us", i, kinds[0], kinds[1], kinds[2],
			      (unsigned long long)processes[i].longest / 1000);
	}
}

/*
 * All sets of three gangs at two priorities: nobody of the higher one waits for the lower, but for
 * an epoch of each now and then. Alone among their own they would wait as long.
 */
static void test_ranks(void)
{
	const unsigned int all = 18 * 18 * 18;
	unsigned int a, i, rest, kinds[3];

	for (a = 0; a < all; a++) {
		u64 alone[3];
		unsigned int lower;

		/* First without the lower priority, then with it */
		for (lower = 2; lower--; ) {
			begin();
			for (i = 0, rest = a; i < 3; i++, rest /= 18) {
				kinds[i] = rest % 18;
				if (lower == 1 && kinds[i] < 9)
					continue;
				add(1 + kinds[i] % 9 / 3, 1u << kinds[i] % 3, 0, 1 + kinds[i] / 9,
				    100);
				kinds[num - 1] = kinds[i];
			}
			run(8 * EPOCH);
			if (lower) {
				unsigned int n = 0;

				for (i = 0; i < num; i++)
					alone[n++] = processes[i].longest;
				continue;
			}
			for (i = 0, rest = 0; i < num; i++)
				if (processes[i].gang.priority == 2)
					CHECK(processes[i].longest <= alone[rest++] + 4 * STEP +
					      2 * (EPOCH + SLICE), "set %u: gang %u waited %llu us, not %llu", a,
					      i, (unsigned long long)processes[i].longest / 1000,
					      (unsigned long long)alone[rest - 1] / 1000);
		}
	}
}

/* A gang of a lower priority takes no tile from others while it cannot have all of its own. */
static void test_outranked(void)
{
	unsigned int i;

	begin();
	add(2, 1, 0, 2, 100);
	for (i = 0; i < 4; i++)
		add(1, 4, i, 1, 100);
	run(EPOCH);
	add(3, 1, 0, 1, 100);
	run(20 * EPOCH);
	for (i = 1; i <= 4; i++)
		CHECK(processes[i].ran > 20 * EPOCH * 3 / 4, "gang %u ran for %llu us", i,
		      (unsigned long long)processes[i].ran / 1000);
	/* It has a turn now and then beside the higher one. */
	CHECK(processes[5].ran && processes[5].ran <= 20 * EPOCH / 8,
	      "a gang ran for %llu us in the way of a higher priority",
	      (unsigned long long)processes[5].ran / 1000);

	/* The higher priority has another slice in the same mode: that is not in the way. */
	begin();
	add(1, 4, 3, 2, 100);
	add(2, 1, 0, 1, 100);
	run(EPOCH);
	add(3, 4, 0, 1, 100);
	run(40 * EPOCH);
	CHECK(processes[2].ran > 16 * EPOCH, "a gang ran for %llu us beside a higher priority",
	      (unsigned long long)processes[2].ran / 1000);
}

/* A gang whose other tile has an epoch left takes no time of a tile from others. */
static void test_together(void)
{
	begin();
	add(1, 1, 0, 1, 100);
	add(2, 1, 0, 1, 1000);
	add(2, 2, 0, 1, 1000);
	add(3, 4, 0, 1, 100);
	run(40 * 10 * EPOCH);
	/* Tile 0 is used all the time, but while it changes hands. */
	CHECK((processes[0].ran + processes[3].ran) * 100 > 40 * 10 * EPOCH * 95,
	      "tile 0 was used for %llu of %llu us",
	      (unsigned long long)(processes[0].ran + processes[3].ran) / 1000,
	      40 * 10 * EPOCH / 1000);
	CHECK(processes[3].ran > 10 * EPOCH, "the gang ran for %llu us",
	      (unsigned long long)processes[3].ran / 1000);
}

/* The mode does not change before the engines have got rid of their contexts. */
static void test_quiet(void)
{
	begin();
	add(1, 1, 0, 1, 100);
	run(SLICE);
	quiet = false;
	add(1, 4, 0, 1, 100);
	run(4 * EPOCH);
	CHECK(!epochs[0] && !processes[0].loaded && !processes[1].loaded,
	      "%u epochs beside a context", epochs[0]);
	quiet = true;
	xetile_dispatch_settled(&dispatch, now);
	CHECK(epochs[0] == 1 && processes[1].loaded, "the mode does not change");
	/* Nobody says so: the dispatcher looks itself. */
	run(4 * EPOCH);
	quiet = false;
	run(2 * EPOCH);
	CHECK(!processes[0].loaded && !processes[1].loaded, "a mode changed beside a context");
	quiet = true;
	run(3 * SLICE);
	CHECK(processes[0].loaded || processes[1].loaded, "nothing runs");
}

/* Sixty-four processes: the wait is bounded by the gangs that were before a gang. */
static void test_bound(void)
{
	unsigned int seed, i;

	for (seed = 1; seed <= 10; seed++) {
		srandom(seed);
		begin();
		for (i = 0; i < MOST; i++) {
			unsigned int mode = 1u << random() % 3;

			add(1 + (unsigned int)random() % 3, mode, (unsigned int)random() % mode, 1,
			    100);
		}
		run(MOST * 20 * EPOCH);
		for (i = 0; i < MOST; i++) {
			struct process *p = &processes[i];
			unsigned int tiles = p->gang.num_members;

			CHECK(p->ran, "process %u of seed %u never ran", i, seed);
			CHECK(p->most_epochs <= tiles * MOST,
			      "process %u of seed %u waited for %u epochs", i, seed,
			      p->most_epochs);
		}
	}
}

/* Two processes with a tile each of their own kind of mode: their time is as their weights. */
static void test_weights(void)
{
	static const unsigned int weights[] = { 20, 100, 300, 1000 };
	unsigned int i;

	for (i = 0; i < sizeof(weights) / sizeof(weights[0]); i++) {
		u64 a, b;

		begin();
		add(1, 1, 0, 1, 100);
		add(1, 4, 2, 1, weights[i]);
		run(4000 * SLICE);
		a = processes[0].ran * weights[i];
		b = processes[1].ran * 100;
		CHECK(a * 100 > b * 93 && a * 100 < b * 107, "weight %u: %llu and %llu", weights[i],
		      (unsigned long long)processes[0].ran, (unsigned long long)processes[1].ran);
	}
}

/* A higher priority has its mode at once, and a lower one not before the higher is idle. */
static void test_priority(void)
{
	begin();
	add(1, 1, 0, 1, 100);
	add(1, 1, 0, 1, 100);
	run(SLICE);
	add(1, 4, 3, 2, 100);
	step();
	step();
	CHECK(processes[2].loaded, "the higher priority waits");
	run(RAISE / 2);
	CHECK(processes[2].loaded && epochs[0] == 1, "a lower priority ended its epoch");
	CHECK(!processes[2].longest || processes[2].longest <= 2 * STEP, "it waited %llu us",
	      (unsigned long long)processes[2].longest / 1000);
	/* The lower one has an epoch now and then. */
	run(100 * RAISE);
	CHECK(processes[2].longest <= EPOCH + 2 * STEP, "it waited %llu us",
	      (unsigned long long)processes[2].longest / 1000);
	CHECK(processes[2].ran >= 100 * RAISE * 3 / 4, "it ran for %llu us",
	      (unsigned long long)processes[2].ran / 1000);
	CHECK(processes[0].ran && processes[1].ran, "a lower priority never ran");
}

/* Nobody wants a mode that is not there: the dispatcher looks at no more gangs than without modes. */
static void test_free(void)
{
	unsigned int i, round;
	u64 looks[2];

	for (round = 0; round < 2; round++) {
		begin();
		for (i = 0; i < MOST; i++)
			add(1, round, 0, 1, 100);
		if (round)
			CHECK(!dispatch.mixed, "a mode is wanted that is not there");
		run(100 * SLICE);
		looks[round] = dispatch.looks;
	}
	CHECK(looks[0] == looks[1] && !epochs[0], "%llu looks, and %llu without modes",
	      (unsigned long long)looks[1], (unsigned long long)looks[0]);
}

/* The administrator changes the mode of an idle tile, while a gang waits for its other tile. */
static void test_set_mode(void)
{
	begin();
	add(2, 1, 0, 1, 100);
	add(3, 1, 0, 1, 100);
	CHECK(!dispatch.mixed && !processes[1].loaded, "the gang does not wait");
	xetile_dispatch_set_mode(&dispatch, 0, 0xf, 4, now);
	run(4 * EPOCH);
	CHECK(processes[1].ran && epochs[0] == 1, "%u epochs", epochs[0]);
}

int main(void)
{
	RUN("W5: all sets of three gangs have their modes in turn", test_all());
	RUN("W5: a gang waits for no more epochs than there are gangs", test_bound());
	RUN("C9: epochs are as long as weights say", test_weights());
	RUN("C9: a mode comes at once for a higher priority, and late for a lower", test_priority());
	RUN("C9: nobody waits long for a lower priority, in whatever mode", test_ranks());
	RUN("C9: who cannot have all of its tiles takes none from others", test_outranked());
	RUN("C9: a gang takes its tiles together", test_together());
	RUN("no mode changes beside a context", test_quiet());
	RUN("C9: a gang waits when a tile's mode is changed", test_set_mode());
	RUN("W5: one mode costs nothing", test_free());
	return check_end();
}
