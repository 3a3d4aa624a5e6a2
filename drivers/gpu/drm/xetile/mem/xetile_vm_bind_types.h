/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_BIND_TYPES_H__
#define __XETILE_VM_BIND_TYPES_H__

#include <linux/types.h>

#include "mem/xetile_vm_plan.h"

/**
 * DOC: what a call that binds is made of
 *
 * For the files xetile_vm_bind*.c alone. It is on the stack of the call. What a call finds out with
 * the VM's reservation is good as long as that is held.
 */

struct xetile_bind_op;
struct xetile_sync;
struct xetile_vm;
struct xetile_vm_hold;
struct xetile_vm_line;
struct xetile_vm_update;

/** struct xetile_vm_bind - a call in the making */
struct xetile_vm_bind {
	/** @vm: VM, in use by the call */
	struct xetile_vm *vm;
	/** @bounce: the run of an address space of endless jobs has to end and begin anew */
	bool bounce;
	/** @ops: what is done: what was asked for, or the plan of that */
	struct xetile_bind_op *ops;
	/** @num_ops: elements of @ops */
	unsigned int num_ops;
	/** @asked: what was asked for, if it needs a plan; else NULL */
	struct xetile_bind_op *asked;
	/** @num_asked: elements of @asked */
	unsigned int num_asked;
	/** @plan: plan of what was asked for, with which @ops are made */
	struct xetile_vm_plan plan;
	/** @upd: change of the page tables */
	struct xetile_vm_update *upd;
	/** @line: the line in which it takes its place: a bind queue's; NULL: the VM's own */
	struct xetile_vm_line *line;
	/**
	 * @other: line of a bind queue, if it takes its place in that and in the VM's own line; or
	 *	NULL
	 */
	struct xetile_vm_line *other;
	/** @syncs: fences to wait for and syncobjs to signal */
	struct xetile_sync *syncs;
	/** @num_syncs: elements of @syncs */
	unsigned int num_syncs;
	/** @hold: BOs that jobs may use that do not wait for the change, or NULL */
	struct xetile_vm_hold *hold;
	/** @num_spares: mappings that are made if no bind meets an earlier one */
	unsigned int num_spares;
};

#endif
