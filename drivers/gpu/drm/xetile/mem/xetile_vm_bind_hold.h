/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_BIND_HOLD_H__
#define __XETILE_VM_BIND_HOLD_H__

struct xetile_vm_bind;

int xetile_vm_bind_hold(struct xetile_vm_bind *bind);

#endif
