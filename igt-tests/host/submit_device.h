/* SPDX-License-Identifier: MIT */
/*
 * Stands in the place of the driver's headers of devices, tiles and address spaces, which the
 * host cannot read: it is included first, and has all that the submission's files need of them.
 */
#ifndef HOST_SUBMIT_DEVICE_H
#define HOST_SUBMIT_DEVICE_H

#define __XETILE_DEVICE_H__
#define __XETILE_TILE_H__
#define __XETILE_SCHED_TYPES_H__
#define __XETILE_VM_H__
#define __XETILE_VM_JOB_H__

#include "host_kernel.h"

struct xetile_sched {
	int lock;
};

struct xetile_device {
	struct xetile_sched *sched;
	struct ida lrc_ids;
};

struct xetile_tile {
	struct xetile_device *xt;
};

struct xetile_vm;

u64 xetile_vm_pdp0(struct xetile_vm *vm, struct xetile_tile *tile);
u32 xetile_vm_asid(struct xetile_vm *vm);

#endif
