// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_vm_bind_walk.h"

#include <linux/bitops.h>
#include <linux/dma-resv.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "mem/xetile_bind_op.h"
#include "mem/xetile_vm_bind_types.h"
#include "mem/xetile_vm_types.h"
#include "xetile_device.h"

/**
 * DOC: the way through all that a call binds
 *
 * The steps of a call that binds go through its binds in the same order, and some of them through
 * all mappings that these cover. There may be very many, so the steps let others run on the way.
 */

/**
 * xetile_vm_bind_walk() - do the same for each bind, on each of its tiles, up to the first failure
 * @bind: call, with the VM's reservation held
 * @arg: for @fn
 * @fn: what to do for one bind on one tile
 *
 * Context: process, with the VM's reservation.
 * Return: 0 or what @fn returned.
 */
int xetile_vm_bind_walk(struct xetile_vm_bind *bind, void *arg,
			int (*fn)(struct xetile_vm_bind *bind, struct xetile_bind_op *op,
				  unsigned int tile, void *arg))
{
	struct xetile_bind_op *op;
	unsigned int t;
	int err;

	dma_resv_assert_held(bind->vm->gem->resv);
	for (op = bind->ops; op < bind->ops + bind->num_ops; op++) {
		unsigned long tiles = op->tile_mask & bind->vm->tile_mask;

		for_each_set_bit(t, &tiles, XETILE_MAX_TILES) {
			err = fn(bind, op, t, arg);
			if (err)
				return err;
		}
		/* A call may have thousands of binds. */
		cond_resched();
	}
	return 0;
}

/**
 * xetile_vm_bind_go_on() - between two mappings that a bind covers
 * @bind: call
 *
 * Each of thousands of binds of a call may cover the same millions of mappings.
 *
 * Context: process.
 * Return: 0; -EINTR: the process is to end; -ENODEV: the card is gone.
 */
int xetile_vm_bind_go_on(struct xetile_vm_bind *bind)
{
	cond_resched();
	if (fatal_signal_pending(current))
		return -EINTR;
	return xetile_device_is_unplugged(bind->vm->xt) ? -ENODEV : 0;
}
