/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_BIND_H__
#define __XETILE_VM_BIND_H__

struct xetile_bind_op;
struct xetile_sync;
struct xetile_vm;
struct xetile_vm_line;

int xetile_vm_bind(struct xetile_vm *vm, struct xetile_vm_line *line,
		   struct xetile_bind_op *ops, unsigned int num_ops,
		   struct xetile_sync *syncs, unsigned int num_syncs);

#endif
