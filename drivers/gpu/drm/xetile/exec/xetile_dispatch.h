/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_DISPATCH_H__
#define __XETILE_DISPATCH_H__

/*
 * Pure: no lock, no allocation, no device. Compiles on the host too, where
 * igt-tests/host drives it with random sequences.
 */
#include <linux/types.h>

#include "exec/xetile_dispatch_types.h"

void xetile_dispatch_init(struct xetile_dispatch *dispatch, const struct xetile_dispatch_ops *ops,
			  u64 usable);
void xetile_dispatch_client_init(struct xetile_dispatch_client *client);
void xetile_gang_init(struct xetile_gang *gang, struct xetile_dispatch_client *client,
		      unsigned int num_members, unsigned int priority, unsigned int weight,
		      u64 limit_ns);
void xetile_dispatch_wake(struct xetile_dispatch *dispatch, struct xetile_gang *gang, u64 now);
void xetile_dispatch_progress(struct xetile_gang *gang, bool work, u64 now);
void xetile_dispatch_suspend(struct xetile_dispatch *dispatch, struct xetile_gang *gang, u64 now);
void xetile_dispatch_resume(struct xetile_dispatch *dispatch, struct xetile_gang *gang, u64 now);
void xetile_dispatch_set_usable(struct xetile_dispatch *dispatch, u64 usable, u64 now);
void xetile_dispatch_set_mode(struct xetile_dispatch *dispatch, unsigned int domain, u64 engines,
			      unsigned int mode, u64 now);
void xetile_dispatch_settled(struct xetile_dispatch *dispatch, u64 now);
u64 xetile_dispatch_tick(struct xetile_dispatch *dispatch, u64 now);

#endif
