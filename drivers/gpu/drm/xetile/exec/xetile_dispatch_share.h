/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_DISPATCH_SHARE_H__
#define __XETILE_DISPATCH_SHARE_H__

#include <linux/types.h>

struct xetile_dispatch;
struct xetile_gang;

/* Pure, as the dispatcher, whose files alone call these */
void xetile_dispatch_share_join(const struct xetile_dispatch *dispatch, struct xetile_gang *gang,
				const struct xetile_gang *set, const struct xetile_gang *line);
u64 xetile_dispatch_share_line_at(const struct xetile_dispatch *dispatch,
				  const struct xetile_gang *gang);
u64 xetile_dispatch_share_at(const struct xetile_gang *gang);
void xetile_dispatch_share_yield(struct xetile_gang *gang, u64 rest_ns,
				 const struct xetile_gang *waiting, u64 line_at);
void xetile_dispatch_share_raise(struct xetile_gang *gang, u64 turn_ns);
void xetile_dispatch_share_start(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
				 u64 now);
void xetile_dispatch_share_charge(const struct xetile_dispatch *dispatch,
				  struct xetile_gang *gang, u64 now);
void xetile_dispatch_share_pass(struct xetile_dispatch *dispatch, const struct xetile_gang *gang,
				const struct xetile_gang *set, const struct xetile_gang *line);
u64 xetile_dispatch_share_reaches(const struct xetile_gang *gang,
				  const struct xetile_gang *waiting);

/**
 * xetile_dispatch_share_less() - whether one has used less than another
 * @a: what the one has used
 * @b: what the other one has used
 *
 * The numbers wrap. At one place they are never far from each other.
 *
 * Context: any.
 * Return: true if @a is less.
 */
static inline bool xetile_dispatch_share_less(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

#endif
