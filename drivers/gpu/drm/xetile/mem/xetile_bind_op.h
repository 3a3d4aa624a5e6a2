/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_BIND_OP_H__
#define __XETILE_BIND_OP_H__

#include <linux/bits.h>
#include <linux/types.h>

#include "mem/xetile_pte.h"

/**
 * DOC: one bind
 *
 * What a call asks an address space to map, or not to map any more. A call has an array of them.
 */

struct drm_gem_object;
struct drm_gpuvm_bo;
struct xetile_user_range;

/* Addresses, offsets and sizes of binds: of what may be in HBM, and of all else */
#define XETILE_BIND_ALIGN		(64 * 1024)
#define XETILE_BIND_ALIGN_SYSTEM	(4 * 1024)

/** enum xetile_bind_kind - what a bind does */
enum xetile_bind_kind {
	/** @XETILE_BIND_MAP: map a BO */
	XETILE_BIND_MAP,
	/** @XETILE_BIND_UNMAP: end all mappings of a range, or the parts of them in it */
	XETILE_BIND_UNMAP,
	/** @XETILE_BIND_NULL: map no memory: reads zero, writes are dropped */
	XETILE_BIND_NULL,
	/** @XETILE_BIND_USER: map memory of a process */
	XETILE_BIND_USER,
	/** @XETILE_BIND_UNMAP_ALL: end all mappings of a BO */
	XETILE_BIND_UNMAP_ALL,
	/** @XETILE_BIND_PREFETCH: change nothing: BOs lie as asked, or come back with a job */
	XETILE_BIND_PREFETCH,
};

#define XETILE_BIND_READONLY	BIT(0)
/*
 * MAP, USER: number of an entry of the PAT, below XETILE_NUM_PATS; flags without it mean
 * XETILE_PAT_WB. See xetile_vm_bind() for what may be mapped with which.
 */
#define XETILE_BIND_PAT(index)	XETILE_PTE_PAT(index)

/** struct xetile_bind_op - one bind, checked by the caller */
struct xetile_bind_op {
	/** @kind: what to do */
	enum xetile_bind_kind kind;
	/** @flags: mask of XETILE_BIND_READONLY and XETILE_BIND_PAT() */
	u32 flags;
	/** @addr: GPU address; UNMAP_ALL: 0 */
	u64 addr;
	/** @range: bytes; UNMAP_ALL: 0 */
	u64 range;
	/** @gem: MAP, UNMAP_ALL: the BO; the op holds a reference, the caller drops it */
	struct drm_gem_object *gem;
	/** @user: USER: memory of a process; the op holds a reference, the caller drops it */
	struct xetile_user_range *user;
	/** @offset: MAP: bytes into the BO, or into each of its copies */
	u64 offset;
	/** @tile_mask: tiles whose tables change */
	u32 tile_mask;
	/** @vm_bo: MAP: the BO in the VM, for xetile_vm_bind() alone; NULL at first */
	struct drm_gpuvm_bo *vm_bo;
};

/**
 * xetile_bind_ops_ascend() - does each bind of a call lie behind the one before
 * @ops: the binds
 * @num_ops: elements of @ops, not 0
 *
 * Context: any.
 * Return: true if so; then none of them meets what another one has made.
 */
static inline bool xetile_bind_ops_ascend(const struct xetile_bind_op *ops, unsigned int num_ops)
{
	unsigned int i;

	for (i = 1; i < num_ops; i++)
		if (ops[i].addr < ops[i - 1].addr + ops[i - 1].range)
			return false;
	return true;
}

#endif
