/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_DISPATCH_LINE_H__
#define __XETILE_DISPATCH_LINE_H__

/*
 * Pure, as the dispatcher: no lock, no allocation, no device.
 */
#include <linux/list.h>
#include <linux/types.h>

#include "exec/xetile_dispatch_types.h"

bool xetile_dispatch_line_is_same(const struct xetile_gang *a, const struct xetile_gang *b);
bool xetile_dispatch_line_is_alone(const struct xetile_gang *set);
void xetile_dispatch_line_charge(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
				 u64 now);
void xetile_dispatch_line_yield(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
				u64 rest_ns, const struct xetile_gang *waiting);
void xetile_dispatch_line_push(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
			       u64 now);
void xetile_dispatch_line_remove(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
				 bool turn_taken);

/**
 * xetile_dispatch_line_any() - whether a gang waits
 * @dispatch: dispatcher
 *
 * Most of the time no gang waits.
 *
 * Context: the execution lock is held.
 * Return: true if one does.
 */
static inline bool xetile_dispatch_line_any(const struct xetile_dispatch *dispatch)
{
	unsigned int p;

	for (p = 0; p < XETILE_DISPATCH_PRIORITIES; p++)
		if (!list_empty(&dispatch->ready[p]))
			return true;
	return false;
}

#endif
