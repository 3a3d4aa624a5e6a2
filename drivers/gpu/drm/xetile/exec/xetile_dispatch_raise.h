/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_DISPATCH_RAISE_H__
#define __XETILE_DISPATCH_RAISE_H__

#include <linux/types.h>

struct xetile_dispatch;
struct xetile_gang;

/* Pure, as xetile_dispatch_turn.c and xetile_dispatch_yield.c, which call these */
void xetile_dispatch_raise(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
			   unsigned int rank, u64 now);
u64 xetile_dispatch_raise_tick(struct xetile_dispatch *dispatch, u64 now);
u64 xetile_dispatch_raise_over(struct xetile_dispatch *dispatch, u64 now);

#endif
