/* SPDX-License-Identifier: MIT */
/* Queues whose batches count what their walkers have run, and say on which slices */
#ifndef XETILE_WORKER_H
#define XETILE_WORKER_H

#include "xetile_igt.h"

/* A compute queue, with a file and a VM of its own, and the batches that it runs */
struct worker {
	int fd;
	uint32_t vm, queue, tiles;
	uint32_t groups, walkers;	/* of the walkers of a batch, and their number */
	uint32_t runs;			/* batches with walkers so far */
	struct xetile_buf batch, isa, counts;
	struct drm_xetile_sync sync;	/* the fence of the last batch */
};

/* Creates a queue by @args, whose vm_id is not used; its batches are small. */
void worker_open(struct worker *w, const struct xetile_card *card,
		 const struct drm_xetile_queue_create *args);
void worker_fini(struct worker *w);
/*
 * Batches have @walkers walkers of @groups groups from now on, at most WORKER_WALKERS and
 * WORKER_GROUPS. The queue has run none yet.
 */
#define WORKER_GROUPS	8192
#define WORKER_WALKERS	100
void worker_load(struct worker *w, uint32_t groups, uint32_t walkers);
/* Submits a batch of walkers, each group of which counts that it has run. */
void worker_start(struct worker *w);
/*
 * Asserts that the last batch ends within a minute, without an error, and that each group of each
 * batch of walkers has run once.
 */
void worker_end(struct worker *w);
/* Submits a batch that waits, preemptibly, until worker_let_go(), which is worker_end() as well. */
void worker_hold(struct worker *w);
void worker_let_go(struct worker *w);
/* Returns whether a walker, or the batch of worker_hold(), has begun. */
bool worker_walks(const struct worker *w);
bool worker_holds(const struct worker *w);
/* Returns the slices that QUEUE_INFO tells, of a queue of one tile; 0 before its first batch. */
uint32_t worker_slices(const struct worker *w);

#endif
