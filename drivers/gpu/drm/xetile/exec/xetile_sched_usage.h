/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SCHED_USAGE_H__
#define __XETILE_SCHED_USAGE_H__

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/types.h>

#include "card/xetile_tile.h"

struct xetile_device;
struct xetile_sched;
struct xetile_sched_queue;

/** struct xetile_sched_ticks - engine time by what was used, in ticks of the card's clock */
struct xetile_sched_ticks {
	/** @cslice: of each tile how long each compute slice was an engine's that was used */
	u64 cslice[XETILE_MAX_TILES][XETILE_MAX_CSLICES];
	/** @copy: of each tile the time on all copy engines together */
	u64 copy[XETILE_MAX_TILES];
};

/** struct xetile_sched_usage - engine time that the queues of a file have used */
struct xetile_sched_usage {
	/** @ref: the file has one, each queue has one */
	struct kref ref;
	/** @ticks: time of the turns that are over; protected by the execution lock */
	struct xetile_sched_ticks ticks;
	/** @told: the most that was told of each; protected by the execution lock */
	struct xetile_sched_ticks told;
};

u64 xetile_sched_usage_ns(const struct xetile_device *xt, u64 ticks);
struct xetile_sched_usage *xetile_sched_usage_create(void);
void xetile_sched_usage_get(struct xetile_sched_usage *usage);
void xetile_sched_usage_put(struct xetile_sched_usage *usage);
void xetile_sched_usage_read(struct xetile_device *xt, struct xetile_sched_usage *usage,
			     struct xetile_sched_ticks *ticks);
void xetile_sched_usage_watch(struct xetile_sched *sched, atomic64_t *busy);
u64 xetile_sched_usage_busy(const atomic64_t *busy, u64 now_ns);

/* With the execution lock held */
void xetile_sched_usage_begin(struct xetile_sched_queue *sq);
void xetile_sched_usage_left(struct xetile_sched_queue *sq, unsigned int member);
void xetile_sched_usage_end(struct xetile_sched_queue *sq);

#endif
