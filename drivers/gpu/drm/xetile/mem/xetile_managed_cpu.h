/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_MANAGED_CPU_H__
#define __XETILE_MANAGED_CPU_H__

#include <linux/mm.h>

struct xetile_bo;

extern const struct vm_operations_struct xetile_managed_vm_ops;

void xetile_managed_moves(struct xetile_bo *part);

#endif
