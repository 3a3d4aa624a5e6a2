/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_BIND_GROW_H__
#define __XETILE_VM_BIND_GROW_H__

struct xetile_vm_bind;

void xetile_vm_bind_grow(struct xetile_vm_bind *bind);

#endif
