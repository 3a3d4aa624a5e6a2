/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_BIND_LOCK_H__
#define __XETILE_VM_BIND_LOCK_H__

struct drm_exec;
struct xetile_room;
struct xetile_vm_bind;

int xetile_vm_bind_lock(struct xetile_vm_bind *bind, struct drm_exec *exec,
			struct xetile_room *room);

#endif
