// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_vm_bind_hold.h"

#include <linux/dma-resv.h>
#include <linux/minmax.h>

#include <drm/drm_gpuvm.h>

#include "mem/xetile_bind_op.h"
#include "mem/xetile_vm_bind_types.h"
#include "mem/xetile_vm_bind_walk.h"
#include "mem/xetile_vm_hold.h"
#include "mem/xetile_vm_types.h"
#include "mem/xetile_vma.h"

/**
 * DOC: the BOs that a bind of a bind queue holds
 *
 * Found out with all of the call's locks. See xetile_vm_hold.c for what a hold does. A call that
 * cannot have one takes its place in the VM's own line, for which jobs wait, beside that in the
 * bind queue's.
 */

/*
 * BOs that one change holds at most. 4096 binds of a call, each of which replaces one buffer by
 * another on four tiles, do not hold more. But one bind may cover all mappings of the VM.
 */
#define MAX_HOLDS	32768u

static int op_count_holds(struct xetile_vm_bind *bind, struct xetile_bind_op *op,
			  unsigned int tile, void *arg)
{
	u64 addr = xetile_vma_addr(tile, op->addr);
	unsigned int *num = arg;
	struct drm_gpuva *va;
	int err;

	dma_resv_assert_held(bind->vm->gem->resv);
	drm_gpuvm_for_each_va_range(va, &bind->vm->gpuvm, addr, addr + op->range) {
		if (to_xetile_vma(va)->user.range || (va->vm_bo && ++*num > MAX_HOLDS))
			return -ENODATA;
		err = xetile_vm_bind_go_on(bind);
		if (err)
			return err;
	}
	if (op->user || (op->kind == XETILE_BIND_MAP && ++*num > MAX_HOLDS))
		return -ENODATA;
	return 0;
}

static int op_add_holds(struct xetile_vm_bind *bind, struct xetile_bind_op *op, unsigned int tile,
			void *arg)
{
	u64 addr = xetile_vma_addr(tile, op->addr);
	struct drm_gpuva *va;
	int err;

	dma_resv_assert_held(bind->vm->gem->resv);
	drm_gpuvm_for_each_va_range(va, &bind->vm->gpuvm, addr, addr + op->range) {
		err = va->vm_bo ? xetile_vm_hold_add(bind->hold, va->vm_bo) : 0;
		if (!err)
			err = xetile_vm_bind_go_on(bind);
		if (err)
			return err;
	}
	return op->kind == XETILE_BIND_MAP ? xetile_vm_hold_add(bind->hold, op->vm_bo) : 0;
}

/**
 * xetile_vm_bind_hold() - hold the BOs that jobs may use before and after a change
 * @bind: call, with all its locks; out: its hold, or its lines
 *
 * Jobs do not wait for the change of a bind queue. So the BOs that are mapped in its range now, and
 * those that will be, must stay where they are. If one is not where the tables say it is, if they
 * are too many, or if memory of a process is among them, jobs wait for the change.
 *
 * Context: process, with the reservations of the VM and of the BOs.
 * Return: 0, -ENOMEM, -EINTR or -ENODEV.
 */
int xetile_vm_bind_hold(struct xetile_vm_bind *bind)
{
	unsigned int num = 0;
	int err;

	dma_resv_assert_held(bind->vm->gem->resv);
	if (!bind->line)
		return 0;
	err = xetile_vm_bind_walk(bind, &num, op_count_holds);
	if (!err && !num)
		return 0;
	if (!err) {
		bind->hold = xetile_vm_hold_create(num);
		if (!bind->hold)
			return -ENOMEM;
		err = xetile_vm_bind_walk(bind, NULL, op_add_holds);
	}
	if (err != -ENODATA)
		return err;
	xetile_vm_hold_drop(bind->hold);
	bind->hold = NULL;
	swap(bind->line, bind->other);
	return 0;
}
