/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_USER_FENCE_H__
#define __XETILE_USER_FENCE_H__

#include <linux/types.h>

struct dma_fence;
struct xetile_account;
struct xetile_device;
struct xetile_user_fence;

struct xetile_user_fence *xetile_user_fence_create(struct xetile_device *xt,
						   struct xetile_account *account,
						   u64 addr, u64 value);
void xetile_user_fence_put(struct xetile_user_fence *fence);
void xetile_user_fence_signal(struct xetile_user_fence *fence, struct dma_fence *after);

#endif
