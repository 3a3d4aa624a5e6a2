/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_CSLICE_TYPES_H__
#define __XETILE_CSLICE_TYPES_H__

#include <linux/hashtable.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "card/xetile_tile.h"
#include "exec/xetile_ccs.h"
#include "exec/xetile_cslice_map.h"

/**
 * DOC: state of virtual compute slices
 *
 * For xetile_ccs.c, xetile_cslice.c, xetile_cslice_loan.c and xetile_client.c alone.
 * &xetile_cslices.lock protects it.
 */

struct pid;

/** struct xetile_cslices - bindings of virtual slices to engines */
struct xetile_cslices {
	/**
	 * @lock: protects all of this, the clients, and CCS_MODE. Nests inside the
	 * execution lock, so interrupts are off.
	 */
	spinlock_t lock;
	/** @clients: processes that have queues */
	DECLARE_HASHTABLE(clients, 8);
	/** @policy: who may have which mode of each tile */
	enum xetile_ccs_policy policy[XETILE_MAX_TILES];
	/** @mode: mode of each tile for queues that want none */
	unsigned int mode[XETILE_MAX_TILES];
	/** @present: mode that each tile's engines are in now */
	unsigned int present[XETILE_MAX_TILES];
	/** @holders: members of compute queues on each tile, which keep its mode */
	unsigned int holders[XETILE_MAX_TILES];
	/** @lent: a queue has borrowed all slices of the tile */
	bool lent[XETILE_MAX_TILES];
	/**
	 * @borrower: the process that last would borrow them, or NULL; with a reference, so that no
	 *	other process is taken for it (which keeps the process's pid namespace, too)
	 */
	struct pid *borrower[XETILE_MAX_TILES];
	/** @claimed_ns: when another process last had work on the tile; 0: never */
	u64 claimed_ns[XETILE_MAX_TILES];
	/** @load: of compute engines, by tile, xetile_cslice_mode_index() and instance */
	struct xetile_cslice_load load[XETILE_MAX_TILES][XETILE_CSLICE_MODES][XETILE_MAX_CSLICES];
};

#endif
