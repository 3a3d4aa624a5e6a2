/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_QUOTA_H__
#define __XETILE_QUOTA_H__

#include <linux/types.h>

struct xetile_quota;

struct xetile_quota *xetile_quota_create(void);
struct xetile_quota *xetile_quota_get(struct xetile_quota *quota);
void xetile_quota_put(struct xetile_quota *quota);
int xetile_quota_take(struct xetile_quota *quota, unsigned int tile, u64 bytes, u64 moves);
void xetile_quota_give(struct xetile_quota *quota, unsigned int tile, u64 bytes);

#endif
