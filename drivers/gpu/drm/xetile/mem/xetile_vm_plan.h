/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_PLAN_H__
#define __XETILE_VM_PLAN_H__

#include <linux/types.h>

#include "mem/xetile_bind_op.h"

struct xetile_vm;

/** struct xetile_vm_plan - binds that each say which range of which tiles they change */
struct xetile_vm_plan {
	/** @ops: the binds, array for kvfree(); without references of their own; or NULL */
	struct xetile_bind_op *ops;
	/** @num: elements of @ops in use */
	unsigned int num;
	/** @room: elements of @ops */
	unsigned int room;
};

/**
 * xetile_bind_needs_plan() - does a bind not say which range it changes
 * @op: the bind
 *
 * Context: any.
 * Return: true if so.
 */
static inline bool xetile_bind_needs_plan(const struct xetile_bind_op *op)
{
	return op->kind == XETILE_BIND_UNMAP_ALL || op->kind == XETILE_BIND_PREFETCH;
}

int xetile_vm_plan(struct xetile_vm *vm, const struct xetile_bind_op *ops, unsigned int num_ops,
		   struct xetile_vm_plan *plan);
void xetile_vm_plan_fini(struct xetile_vm_plan *plan);

#endif
