/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_UPDATE_H__
#define __XETILE_VM_UPDATE_H__

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/spinlock.h>

#include "card/xetile_gate.h"

struct dma_fence;
struct dma_resv;
struct xetile_account;
struct workqueue_struct;
struct xetile_device;
struct xetile_pt_update;

/** struct xetile_vm_line - changes that are made one after the other; under the reservation */
struct xetile_vm_line {
	/** @context: fence context */
	u64 context;
	/** @seqno: of the last fence */
	u32 seqno;
	/** @last: fence of the last change that waited, or NULL */
	struct dma_fence *last;
};

/** struct xetile_vm_updates - the changes of an address space's page tables */
struct xetile_vm_updates {
	/** @xt: card */
	struct xetile_device *xt;
	/**
	 * @account: account of the file that the address space is made for, or NULL; set by the
	 *	caller
	 */
	struct xetile_account *account;
	/** @resv: reservation of the address space; held while a change is added */
	struct dma_resv *resv;
	/** @own: the line that jobs wait for; under @resv */
	struct xetile_vm_line own;
	/** @tlb_seq: counts changes that were made, and after which TLBs must be flushed */
	atomic64_t tlb_seq;
	/**
	 * @lock: protects the lists, and what changes wait for. Taken in interrupts, when a
	 * fence signals
	 */
	spinlock_t lock;
	/** @pending: changes not made yet, in the order of the calls; added only under @resv */
	struct list_head pending;
	/** @num_pending: number of them; while there are any, the VM is kept */
	unsigned int num_pending;
	/** @num_deps: fences that those of @pending wait for, together */
	unsigned int num_deps;
	/** @ready: those of @pending that wait for nothing any more */
	struct list_head ready;
	/** @ended: 0, or the error for the fences of changes that are not made */
	int ended;
	/** @retired: tables out of use since the last reaping */
	struct list_head retired;
	/** @retiring: tables that are freed when @retiring_fence signals; under @resv */
	struct list_head retiring;
	/** @retiring_fence: end of all jobs that may still walk @retiring; under @resv */
	struct dma_fence *retiring_fence;
	/** @work: makes the changes that are @ready */
	struct xetile_gated work;
	/** @get: take a reference of the object that embeds this; may be called in any context */
	void (*get)(struct xetile_vm_updates *ups);
	/** @put: drop that reference; may be called in any context */
	void (*put)(struct xetile_vm_updates *ups);
	/** @made: a change that had to wait is made: release what it held; must not sleep */
	void (*made)(struct xetile_vm_updates *ups, void *hold);
};

struct xetile_vm_update;

void xetile_vm_updates_init(struct xetile_vm_updates *ups, struct xetile_device *xt,
			    struct dma_resv *resv);
void xetile_vm_updates_end(struct xetile_vm_updates *ups, int error);
void xetile_vm_updates_fini(struct xetile_vm_updates *ups);
void xetile_vm_updates_reap(struct xetile_vm_updates *ups);
bool xetile_vm_updates_wait(const struct xetile_vm_updates *ups);
struct dma_fence *xetile_vm_updates_last(struct xetile_vm_updates *ups);

void xetile_vm_line_init(struct xetile_vm_line *line);
void xetile_vm_line_fini(struct xetile_vm_line *line);

struct xetile_vm_update *xetile_vm_update_create(struct xetile_vm_updates *ups);
struct xetile_vm_update *xetile_vm_update_create_uncounted(struct xetile_vm_updates *ups);
struct xetile_pt_update *xetile_vm_update_pt(struct xetile_vm_update *upd);
void xetile_vm_update_stale(struct xetile_vm_update *upd);
bool xetile_vm_update_is_stale(const struct xetile_vm_update *upd);
void xetile_vm_update_cancel(struct xetile_vm_update *upd);
struct dma_fence *xetile_vm_update_apply(struct xetile_vm_update *upd, void *hold);
void xetile_vm_update_try(struct xetile_vm_update *upd);

#endif
