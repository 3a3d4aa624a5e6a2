/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_HOLD_H__
#define __XETILE_VM_HOLD_H__

#include <linux/llist.h>
#include <linux/workqueue.h>

struct dma_resv;
struct drm_gem_object;
struct drm_gpuvm_bo;
struct ww_acquire_ctx;
struct xetile_vm_hold;

/** struct xetile_vm_holds - holds of an address space's changes that are made */
struct xetile_vm_holds {
	/** @gem: carries the VM's reservation */
	struct drm_gem_object *gem;
	/** @done: holds to be released */
	struct llist_head done;
	/** @work: releases them */
	struct work_struct work;
	/** @get: take a reference of the object that embeds this; may be called in any context */
	void (*get)(struct xetile_vm_holds *holds);
	/** @put: drop that reference; may be called in any context */
	void (*put)(struct xetile_vm_holds *holds);
};

void xetile_vm_lock_both(struct dma_resv *a, struct dma_resv *b, struct ww_acquire_ctx *ctx);
void xetile_vm_unlock_both(struct dma_resv *a, struct dma_resv *b, struct ww_acquire_ctx *ctx);

void xetile_vm_holds_init(struct xetile_vm_holds *holds, struct drm_gem_object *gem);
void xetile_vm_holds_drop(struct xetile_vm_holds *holds, struct xetile_vm_hold *hold);

struct xetile_vm_hold *xetile_vm_hold_create(unsigned int num);
int xetile_vm_hold_add(struct xetile_vm_hold *hold, struct drm_gpuvm_bo *vm_bo);
void xetile_vm_hold_drop(struct xetile_vm_hold *hold);

#endif
