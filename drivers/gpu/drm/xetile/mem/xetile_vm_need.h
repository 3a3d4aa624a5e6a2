/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_NEED_H__
#define __XETILE_VM_NEED_H__

#include <linux/types.h>

#include "card/xetile_tile.h"

struct xetile_bo;
struct xetile_vm_needs;

/** struct xetile_vm_need - HBM that a BO needs in an address space; zeroed at first */
struct xetile_vm_need {
	/** @needs: where it is counted, or NULL */
	struct xetile_vm_needs *needs;
	/** @pages: color pages on each tile */
	u64 pages[XETILE_MAX_TILES];
	/** @strict: on no other tile */
	bool strict;
};

/** struct xetile_vm_needs - HBM that all BOs of an address space need; under its reservation */
struct xetile_vm_needs {
	/** @strict: color pages that can be on that tile alone */
	u64 strict[XETILE_MAX_TILES];
	/** @total: color pages, on whatever tiles */
	u64 total;
};

int xetile_vm_need_take(struct xetile_vm_needs *needs, struct xetile_vm_need *need,
			const struct xetile_bo *bo);
void xetile_vm_need_give(struct xetile_vm_need *need);

#endif
