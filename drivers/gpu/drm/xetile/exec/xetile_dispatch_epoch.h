/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_DISPATCH_EPOCH_H__
#define __XETILE_DISPATCH_EPOCH_H__

#include <linux/types.h>

struct xetile_dispatch;
struct xetile_gang;
struct xetile_gang_member;

/* Pure, as the dispatcher, whose files alone call these */
void xetile_dispatch_epoch_waits(struct xetile_dispatch *dispatch, const struct xetile_gang *gang);
void xetile_dispatch_epoch_look(struct xetile_dispatch *dispatch);
u64 xetile_dispatch_epoch_decide(struct xetile_dispatch *dispatch, unsigned int rank, u64 now);
void xetile_dispatch_epoch_begin(struct xetile_dispatch *dispatch, const struct xetile_gang *gang,
				 u64 length, u64 now);
bool xetile_dispatch_epoch_fits(const struct xetile_dispatch *dispatch,
				const struct xetile_gang *gang);
u64 xetile_dispatch_epoch_choice(struct xetile_dispatch *dispatch,
				 const struct xetile_gang_member *member, u64 free);

#endif
