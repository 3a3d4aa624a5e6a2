// SPDX-License-Identifier: GPL-2.0-only
#include "xetile_vm_hold.h"

#include <linux/dma-resv.h>
#include <linux/minmax.h>
#include <linux/ww_mutex.h>

/**
 * xetile_vm_lock_both() - lock a VM and a BO, to take the BO out of the VM
 * @a: reservation of one
 * @b: reservation of the other; a private BO has the VM's
 * @ctx: on the stack; for xetile_vm_unlock_both()
 *
 * The lists of a drm_gpuvm are the VM's, those of a BO are the BO's: who leaves both locks
 * both. Not while other reservations are held.
 */
void xetile_vm_lock_both(struct dma_resv *a, struct dma_resv *b, struct ww_acquire_ctx *ctx)
{
	ww_acquire_init(ctx, &reservation_ww_class);
	/* The first one is waited for, whoever has it. */
	dma_resv_lock(a, ctx);
	while (a != b && dma_resv_lock(b, ctx)) {
		dma_resv_unlock(a);
		dma_resv_lock_slow(b, ctx);
		swap(a, b);
	}
	ww_acquire_done(ctx);
}

/**
 * xetile_vm_unlock_both() - end what xetile_vm_lock_both() began
 * @a: as there
 * @b: as there
 * @ctx: as there
 */
void xetile_vm_unlock_both(struct dma_resv *a, struct dma_resv *b, struct ww_acquire_ctx *ctx)
{
	dma_resv_unlock(a);
	if (a != b)
		dma_resv_unlock(b);
	ww_acquire_fini(ctx);
}
