/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_DISPATCH_YIELD_H__
#define __XETILE_DISPATCH_YIELD_H__

#include <linux/types.h>

struct xetile_dispatch;

void xetile_dispatch_spins(struct xetile_dispatch *dispatch, unsigned int engine);

/* Pure, as xetile_dispatch_turn.c, which alone calls this */
u64 xetile_dispatch_yield_tick(struct xetile_dispatch *dispatch, u64 now);

#endif
