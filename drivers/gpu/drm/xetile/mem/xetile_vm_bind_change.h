/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_BIND_CHANGE_H__
#define __XETILE_VM_BIND_CHANGE_H__

struct xetile_vm_bind;

int xetile_vm_bind_change(struct xetile_vm_bind *bind);

#endif
