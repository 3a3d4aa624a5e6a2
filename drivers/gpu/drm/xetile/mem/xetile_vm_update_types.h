/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_UPDATE_TYPES_H__
#define __XETILE_VM_UPDATE_TYPES_H__

#include <linux/dma-fence.h>
#include <linux/list.h>
#include <linux/types.h>

#include "mem/xetile_pt_update.h"

/**
 * DOC: what a change of page tables is made of
 *
 * For xetile_vm_update.c and xetile_vm_order.c alone. &xetile_vm_updates.lock protects the
 * lists and the count of blockers.
 */

struct xetile_vm_line;
struct xetile_vm_updates;

/** struct xetile_vm_dep - a fence that a change waits for */
struct xetile_vm_dep {
	/** @upd: the change */
	struct xetile_vm_update *upd;
	/** @fence: the fence, with a reference */
	struct dma_fence *fence;
	/** @cb: called when @fence signals */
	struct dma_fence_cb cb;
};

/** struct xetile_vm_update - one change */
struct xetile_vm_update {
	/** @ups: changes of the address space */
	struct xetile_vm_updates *ups;
	/** @line: the line whose timeline its fence is on */
	struct xetile_vm_line *line;
	/** @other: another line it has a place in, or NULL */
	struct xetile_vm_line *other;
	/** @link: in &xetile_vm_updates.pending until it is made */
	struct list_head link;
	/** @ready: in &xetile_vm_updates.ready when nothing blocks it */
	struct list_head ready;
	/** @pt: the page tables' part of it */
	struct xetile_pt_update pt;
	/** @fence: NULL if it waits for nothing */
	struct dma_fence *fence;
	/** @stale: TLBs must be flushed after it */
	bool stale;
	/** @hold: for &xetile_vm_updates.made, or NULL */
	void *hold;
	/**
	 * @blockers: fences not signalled yet, and one while the change is being queued; under the
	 *	spinlock
	 */
	unsigned int blockers;
	/** @num_deps: elements of @deps */
	unsigned int num_deps;
	/** @deps: fences it waits for */
	struct xetile_vm_dep *deps;
	/** @counted: it counts among the file's jobs and changes */
	bool counted;
	/** @charged: number of fences that the file was charged for */
	unsigned int charged;
};

#endif
