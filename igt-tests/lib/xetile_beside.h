/* SPDX-License-Identifier: MIT */
/*
 * A hostile client, a process of an ordinary user of its own, beside well-behaved ones on every
 * kind of engine, whose jobs must end right while it lasts.  They lose nothing but what the
 * interface documents: a turn of their engine's, and a batch that had begun when its engine
 * was reset for another's fault, which says -EAGAIN.
 */
#ifndef XETILE_BESIDE_H
#define XETILE_BESIDE_H

#include "xetile_job.h"

/* The hostile client: a file of its own, opened by an ordinary user. */
struct hostile {
	int fd;
	int ready, stop;	/* it has begun; the others have seen enough */
	struct job job;		/* of the kind that was asked for */
};

/*
 * What a compute engine is given while the others each have a job done: theirs, as often the
 * hostile client's, and what comes while the counters are read.  Without turns by client a
 * client with many queues would have each of them loaded.
 */
#define FEW_LOADS	200u

/* The well-behaved ones */
struct beside {
	struct job well[JOB_KINDS];
	int ready, stop;
	unsigned int rounds;
	/* What the compute engine was given in a round at most, as the card counts it */
	unsigned int most_loads;
	/* Batches that were lost to an engine's reset, and these as the card counts them */
	unsigned int lost;
	uint64_t resets;
};

/* Opens the card, and its render node to everybody until the end. */
void beside_init(void);
void beside_fini(void);
int beside_card(void);

/*
 * Jobs of well-behaved clients on every kind of engine, from before @attack to after it,
 * and twice while it lasts, beside a client that comes then.
 */
void beside(void (*attack)(struct hostile *h), enum job_kind kind);

/* The same in steps; beside_start() returns when the hostile client has begun. */
void beside_start(struct beside *b, void (*attack)(struct hostile *h), enum job_kind kind);
void beside_round(struct beside *b, bool newcomers);
/* The hostile client need not hold what it has any more. */
void beside_let_go(struct beside *b);
/*
 * Asserts what the others have lost since beside_start(): of the compute engine no more than
 * FEW_LOADS in a round; batches no more than engines were reset, and of those who were there
 * from the first none.
 */
void beside_end(struct beside *b);

/* Engines that were reset since the card was made */
uint64_t beside_resets(void);

/* Of the hostile client: another file */
int hostile_open(void);
void hostile_begin(struct hostile *h);
/* What it has taken it keeps until the others have seen what that does to them. */
void hostile_hold(struct hostile *h);

#endif
