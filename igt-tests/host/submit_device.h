/* SPDX-License-Identifier: MIT */
/*
 * Replaces the driver's headers of devices, tiles and address spaces, because the host cannot
 * compile them. The compiler includes this file first; this file declares all that the files of
 * the submission need of those headers.
 */
#ifndef HOST_SUBMIT_DEVICE_H
#define HOST_SUBMIT_DEVICE_H

#define __XETILE_DEVICE_H__
#define __XETILE_TILE_H__
#define __XETILE_SCHED_TYPES_H__
#define __XETILE_VM_H__
#define __XETILE_VM_JOB_H__

#include "host_kernel.h"

#include "card/xetile_engine.h"

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
const void *xetile_tile_default(const struct xetile_tile *tile, enum xetile_engine_class class);

#endif
