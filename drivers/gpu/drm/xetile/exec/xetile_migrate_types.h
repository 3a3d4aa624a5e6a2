/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_MIGRATE_TYPES_H__
#define __XETILE_MIGRATE_TYPES_H__

#include <linux/atomic.h>
#include <linux/dma-fence.h>
#include <linux/mutex.h>
#include <linux/semaphore.h>
#include <linux/types.h>

/**
 * DOC: state of the kernel's own copies
 *
 * A tile's slots and its queue for clears and copies, for xetile_migrate.c and xetile_mover.c
 * alone. &xetile_migrate.idle hands out slots, &xetile_migrate.lock serializes pushes.
 */

struct xetile_kbo;
struct xetile_migrate;
struct xetile_queue;
struct xetile_tile;
struct xetile_vm;

#define XETILE_MIGRATE_SLOTS	4
/* Of each slot: bytes of its batch, and pages of its part of the window */
#define XETILE_MIGRATE_BATCH	0x4000u
#define XETILE_MIGRATE_PAGES	2048u

/**
 * struct xetile_migrate_slot - a place for a pass
 *
 * A slot keeps no fence, because it would keep it for as long as nothing else is copied.
 */
struct xetile_migrate_slot {
	/** @mig: copies of the slot's tile */
	struct xetile_migrate *mig;
	/** @cb: callback of its last pass's fence */
	struct dma_fence_cb cb;
};

/** struct xetile_migrate - copies of a tile */
struct xetile_migrate {
	/** @tile: the tile */
	struct xetile_tile *tile;
	/** @vm: address space: all HBM, and the window */
	struct xetile_vm *vm;
	/** @queue: queue that passes are pushed to */
	struct xetile_queue *queue;
	/** @batches: batches of all slots */
	struct xetile_kbo *batches;
	/**
	 * @idle: counts idle slots. A semaphore, because it serves tasks in the order of
	 *	arrival.
	 */
	struct semaphore idle;
	/** @busy: mask of the slots that are not idle; tasks that @idle has let in set the bits */
	unsigned long busy;
	/** @slots: places for passes */
	struct xetile_migrate_slot slots[XETILE_MIGRATE_SLOTS];
	/** @paused: all slots are taken by a pause; under the device's lock */
	bool paused;
	/** @lock: held while a job is pushed */
	struct mutex lock;
	/** @passes: number of passes pushed */
	atomic64_t passes;
};

#endif
