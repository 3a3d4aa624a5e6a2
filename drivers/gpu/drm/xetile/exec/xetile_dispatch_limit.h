/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_DISPATCH_LIMIT_H__
#define __XETILE_DISPATCH_LIMIT_H__

#include <linux/types.h>

struct xetile_dispatch;
struct xetile_gang;

bool xetile_dispatch_is_late(const struct xetile_gang *gang, u64 now);
void xetile_dispatch_asked(struct xetile_gang *gang, u64 now);
void xetile_dispatch_restart_times(struct xetile_gang *gang, u64 now);
u32 xetile_dispatch_untaken(const struct xetile_gang *gang, u32 taken, u32 behind);
void xetile_dispatch_taken(struct xetile_gang *gang, unsigned int member, u32 taken, u32 behind,
			   u64 now);

/* Pure, as xetile_dispatch.c, which alone calls this */
u64 xetile_dispatch_limit_tick(struct xetile_dispatch *dispatch, u64 now);

#endif
