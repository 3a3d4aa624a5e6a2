/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_HOLD_H__
#define __XETILE_VM_HOLD_H__

struct dma_resv;
struct ww_acquire_ctx;

void xetile_vm_lock_both(struct dma_resv *a, struct dma_resv *b, struct ww_acquire_ctx *ctx);
void xetile_vm_unlock_both(struct dma_resv *a, struct dma_resv *b, struct ww_acquire_ctx *ctx);

#endif
