/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_UPDATE_H__
#define __XETILE_VM_UPDATE_H__

#include <linux/atomic.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "xetile_pt.h"

struct dma_fence;
struct dma_resv;
struct xetile_account;
struct workqueue_struct;
struct xetile_device;
struct xetile_sync;

/**
 * struct xetile_vm_updates - the changes of an address space's page tables that
 *	wait for fences, in order
 */
struct xetile_vm_updates {
	/** @xt: card */
	struct xetile_device *xt;
	/** @account: of the file it is made for, or NULL; the caller's to set */
	struct xetile_account *account;
	/** @resv: reservation of the address space; locked by whoever adds a change */
	struct dma_resv *resv;
	/** @context: fence context */
	u64 context;
	/** @seqno: of the last fence; under @resv */
	u32 seqno;
	/** @last: fence of the last change that waited, or NULL; under @resv */
	struct dma_fence *last;
	/** @tlb_seq: counts changes that were made, and that TLBs must not outlive */
	atomic64_t tlb_seq;
	/** @lock: protects @pending and @retired */
	spinlock_t lock;
	/** @pending: changes not committed yet; while there are any, the VM is kept */
	struct list_head pending;
	/** @ended: 0, or what the fences of changes not made say, and none is added */
	int ended;
	/** @retired: tables out of use since the last reaping */
	struct list_head retired;
	/** @retiring: tables that go when @retiring_fence signals; under @resv */
	struct list_head retiring;
	/** @retiring_fence: end of all that may still walk them; under @resv */
	struct dma_fence *retiring_fence;
	/** @work: commits what is ready */
	struct work_struct work;
	/** @get: take a reference to what embeds this; may be called in any context */
	void (*get)(struct xetile_vm_updates *ups);
	/** @put: drop it; may be called in any context */
	void (*put)(struct xetile_vm_updates *ups);
};

struct xetile_vm_update;

void xetile_vm_updates_init(struct xetile_vm_updates *ups, struct xetile_device *xt,
			    struct dma_resv *resv);
void xetile_vm_updates_end(struct xetile_vm_updates *ups, int error);
void xetile_vm_updates_fini(struct xetile_vm_updates *ups);
void xetile_vm_updates_reap(struct xetile_vm_updates *ups);
struct dma_fence *xetile_vm_updates_last(struct xetile_vm_updates *ups);

struct xetile_vm_update *xetile_vm_update_create(struct xetile_vm_updates *ups,
						 const struct xetile_sync *syncs,
						 unsigned int num_syncs);
struct xetile_pt_update *xetile_vm_update_pt(struct xetile_vm_update *upd);
void xetile_vm_update_stale(struct xetile_vm_update *upd);
void xetile_vm_update_cancel(struct xetile_vm_update *upd);
struct dma_fence *xetile_vm_update_apply(struct xetile_vm_update *upd);

#endif
