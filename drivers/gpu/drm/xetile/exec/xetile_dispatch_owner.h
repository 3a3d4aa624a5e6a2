/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_DISPATCH_OWNER_H__
#define __XETILE_DISPATCH_OWNER_H__

#include <linux/types.h>

#include "exec/xetile_dispatch_types.h"

/* A slice of weight 100, and the least that there is */
#define XETILE_DISPATCH_SLICE_NS	5000000ull
#define XETILE_DISPATCH_SLICE_MIN_NS	500000ull

void xetile_dispatch_member_left(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
				 unsigned int member, u64 now);

/* Pure, as the dispatcher, whose files alone call these */
void xetile_dispatch_owner_run(struct xetile_dispatch *dispatch, struct xetile_gang *gang);
u64 xetile_dispatch_owner_slice(const struct xetile_gang *gang);
void xetile_dispatch_owner_stop(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
				u64 now);
void xetile_dispatch_owner_start(struct xetile_dispatch *dispatch, u64 now);
void xetile_dispatch_owner_wait(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
				u64 now);
bool xetile_dispatch_owner_leaves(const struct xetile_dispatch *dispatch, u64 candidates);

/**
 * xetile_dispatch_owner_at() - the gang that owns an engine, if its first member is there
 * @dispatch: dispatcher
 * @engine: the engine
 *
 * So each gang is found once in a walk over engines.
 *
 * Context: the execution lock is held.
 * Return: the gang or NULL.
 */
static inline struct xetile_gang *
xetile_dispatch_owner_at(struct xetile_dispatch *dispatch, unsigned int engine)
{
	struct xetile_gang *gang = dispatch->owners[engine];

	return gang && gang->members[0].engine == engine ? gang : NULL;
}

#endif
