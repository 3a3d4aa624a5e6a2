// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_vm_bind_grow.h"

#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/minmax.h>

#include "mem/xetile_bind_op.h"
#include "mem/xetile_pt_stage.h"
#include "mem/xetile_pt_update.h"
#include "mem/xetile_sync.h"
#include "mem/xetile_vm_bind_types.h"
#include "mem/xetile_vm_bind_walk.h"
#include "mem/xetile_vm_types.h"
#include "mem/xetile_vm_update.h"

/**
 * DOC: directories of page tables that stand before a change that waits
 *
 * The VM notes the range where directories may be empty because of that. xetile_vm_tidy() removes
 * these when no change waits.
 */

/* Whether a change may have to wait: for other changes or for fences */
static bool bind_may_wait(struct xetile_vm_bind *bind)
{
	bool wait = xetile_vm_updates_wait(&bind->vm->updates);
	unsigned int i;

	dma_resv_assert_held(bind->vm->gem->resv);
	for (i = 0; i < bind->num_syncs; i++)
		wait |= bind->syncs[i].fence && !dma_fence_is_signaled(bind->syncs[i].fence);
	return wait;
}

static int op_grow(struct xetile_vm_bind *bind, struct xetile_bind_op *op, unsigned int tile,
		   void *upd)
{
	dma_resv_assert_held(bind->vm->gem->resv);
	if (op->kind == XETILE_BIND_UNMAP || op->user)
		return 0;
	return xetile_pt_grow(xetile_vm_update_pt(upd), &bind->vm->trees[tile], op->addr,
			      op->range);
}

/* Note the range where directories are made for the change, or kept */
static void note_sparse(struct xetile_vm_bind *bind)
{
	struct xetile_vm *vm = bind->vm;
	struct xetile_bind_op *op;

	dma_resv_assert_held(vm->gem->resv);
	for (op = bind->ops; op < bind->ops + bind->num_ops; op++) {
		bool none = vm->sparse_start == vm->sparse_end;

		vm->sparse_start = none ? op->addr : min(vm->sparse_start, op->addr);
		vm->sparse_end = max(vm->sparse_end, op->addr + op->range);
	}
}

/**
 * xetile_vm_bind_grow() - have directories made ahead of a change that waits
 * @bind: call, with all its locks; nothing of its change is staged yet
 *
 * A change that waits makes other changes wait whose ranges overlap its own, and its range is the
 * smaller the fewer directories it makes and removes. So a change before it makes the directories,
 * and empty ones are kept. If this fails, the change makes them itself.
 *
 * Context: process, with the VM's reservation.
 */
void xetile_vm_bind_grow(struct xetile_vm_bind *bind)
{
	struct xetile_vm_update *upd;

	dma_resv_assert_held(bind->vm->gem->resv);
	if (!bind_may_wait(bind))
		return;
	note_sparse(bind);
	xetile_vm_update_pt(bind->upd)->keep_directories = true;
	upd = xetile_vm_update_create(&bind->vm->updates);
	if (IS_ERR(upd))
		return;
	if (xetile_vm_bind_walk(bind, upd, op_grow))
		xetile_vm_update_cancel(upd);
	else
		xetile_vm_update_try(upd);
}
