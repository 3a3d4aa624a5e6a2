/* SPDX-License-Identifier: MIT */
/*
 * A hostile client beside well-behaved clients on every kind of engine. The hostile client is a
 * process of its own, which runs as an ordinary user. Meanwhile the jobs of the well-behaved
 * clients must end with the right result. These clients may lose only what the interface
 * documents: a turn of their engine, and a batch (its fence says -EAGAIN) that had begun when
 * its engine was reset because of another client's fault.
 */
#ifndef XETILE_BESIDE_H
#define XETILE_BESIDE_H

#include "xetile_job.h"

/* The hostile client, with a DRM file that an ordinary user opened */
struct hostile {
	int fd;
	int ready, stop;	/* pipes: the attack has begun; the attack may end */
	struct job job;		/* of the kind that beside_start() was called with */
};

/*
 * The number of contexts that a compute engine may load while each well-behaved client runs a
 * job: the contexts of these clients, as many of the hostile client, and those of the time in
 * which the counters are read. If the driver did not give turns by client, a client with many
 * queues would have all of them loaded.
 */
#define FEW_LOADS	200u

/* The well-behaved clients, one for each kind of job */
struct beside {
	struct job well[JOB_KINDS];
	int ready, stop;
	unsigned int rounds;
	/* The most contexts that the compute engine loaded in one round, as the card counts */
	unsigned int most_loads;
	/* Batches lost to resets of an engine, and the resets before, as the card counts */
	unsigned int lost;
	uint64_t resets;
};

/*
 * Opens the card and lets every user open its render node until beside_fini(). Skips the test
 * unless root runs it on the virtual card.
 */
void beside_init(void);
void beside_fini(void);
/* Returns the DRM file that beside_init() opened. */
int beside_card(void);

/*
 * Runs @attack in a hostile client whose job is of @kind. Runs jobs of the well-behaved clients,
 * and of a client that opens the card meanwhile, in at least two rounds until the attack ends;
 * then asserts what beside_end() asserts.
 */
void beside(void (*attack)(struct hostile *h), enum job_kind kind);

/* The steps of beside(): beside_start() returns when the hostile client has begun. */
void beside_start(struct beside *b, void (*attack)(struct hostile *h), enum job_kind kind);
/* Runs a job of each well-behaved client; with @newcomers also one of a new client. */
void beside_round(struct beside *b, bool newcomers);
/* Tells the hostile client that hostile_hold() may return. */
void beside_let_go(struct beside *b);
/*
 * Ends the attack and asserts for the time since beside_start(): in each round the compute
 * engine loaded at most FEW_LOADS contexts; the clients lost at most as many batches as engines
 * were reset; afterwards each well-behaved client runs a job without a loss, and its queue is
 * not banned and reports no reset.
 */
void beside_end(struct beside *b);

/* Returns how often engines were reset since the card was made. */
uint64_t beside_resets(void);

/* Called by the hostile client: returns another DRM file, or says that the attack has begun. */
int hostile_open(void);
void hostile_begin(struct hostile *h);
/* Called by the hostile client: waits until the attack may end, with all that it has taken. */
void hostile_hold(struct hostile *h);

#endif
