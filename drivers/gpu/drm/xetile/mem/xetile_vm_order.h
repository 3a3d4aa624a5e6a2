/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_ORDER_H__
#define __XETILE_VM_ORDER_H__

#include <linux/types.h>

struct xetile_sync;
struct xetile_vm_line;
struct xetile_vm_update;

/** struct xetile_vm_place - the place of a change among others */
struct xetile_vm_place {
	/** @line: the line it takes its place in; NULL: the VM's own */
	struct xetile_vm_line *line;
	/** @other: another line it takes its place in, too, or NULL */
	struct xetile_vm_line *other;
	/** @syncs: syncobjs of the call; the fences to wait for are taken from them */
	const struct xetile_sync *syncs;
	/** @num_syncs: elements of @syncs */
	unsigned int num_syncs;
};

int xetile_vm_update_order(struct xetile_vm_update *upd, const struct xetile_vm_place *place);
bool xetile_vm_update_is_too_much(const struct xetile_vm_update *upd);
unsigned int xetile_vm_update_overlaps(struct xetile_vm_update *upd);

#endif
