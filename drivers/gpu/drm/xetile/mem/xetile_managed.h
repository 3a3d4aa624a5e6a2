/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_MANAGED_H__
#define __XETILE_MANAGED_H__

#include <linux/types.h>

struct xetile_bind_op;
struct xetile_bo;
struct xetile_bo_args;
struct xetile_device;

struct xetile_bo *xetile_managed_create(struct xetile_device *xt,
					const struct xetile_bo_args *args);
unsigned int xetile_managed_binds(const struct xetile_bind_op *op);
void xetile_managed_split(const struct xetile_bind_op *op, struct xetile_bind_op *out);

#endif
