/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_BIND_WALK_H__
#define __XETILE_VM_BIND_WALK_H__

struct xetile_bind_op;
struct xetile_vm_bind;

int xetile_vm_bind_walk(struct xetile_vm_bind *bind, void *arg,
			int (*fn)(struct xetile_vm_bind *bind, struct xetile_bind_op *op,
				  unsigned int tile, void *arg));
int xetile_vm_bind_go_on(struct xetile_vm_bind *bind);

#endif
