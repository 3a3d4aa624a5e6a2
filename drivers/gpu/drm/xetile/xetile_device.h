/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_DEVICE_H__
#define __XETILE_DEVICE_H__

#include <linux/atomic.h>
#include <linux/idr.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/srcu.h>
#include <linux/wait.h>
#include <linux/workqueue_types.h>
#include <linux/xarray.h>

#include <drm/drm_device.h>
#include <drm/ttm/ttm_device.h>

#include "card/xetile_gate.h"
#include "card/xetile_mmio.h"
#include "card/xetile_tile.h"

/**
 * DOC: the card
 *
 * All files know the struct of a card, and the section in which a call may use the card. The
 * struct embeds the state that several files share, and points to the state that a single file
 * owns. Each part says which lock it has.
 */

struct drm_driver;
struct pci_dev;
struct workqueue_struct;
struct xetile_bo_mover;
struct xetile_cslices;
struct xetile_sched;
struct xetile_hwmon;
struct xetile_info;
struct xetile_irq;
struct xetile_pm;
struct xetile_turns;

/* Resets of a card that are remembered */
#define XETILE_CARD_RESETS	32u

/**
 * struct xetile_device - one card
 *
 * xetile_device_init() fills it in, in the order of that function. All fields but those under a
 * lock are constant while the card is bound.
 */
struct xetile_device {
	/** @drm: base; it lives as long as the struct */
	struct drm_device drm;
	/** @info: facts of the card that the PCI id tells */
	const struct xetile_info *info;
	/** @mmio: BAR0 from its start: registers that exist once per card */
	struct xetile_mmio mmio;
	/** @num_tiles: tiles present, 1..XETILE_MAX_TILES */
	unsigned int num_tiles;
	/** @tiles: the first @num_tiles are valid */
	struct xetile_tile tiles[XETILE_MAX_TILES];
	/** @timestamp_hz: frequency of the GPU timestamp */
	u32 timestamp_hz;

	/** @bar2: HBM as the CPU sees it */
	struct {
		/** @bar2.start: physical address */
		resource_size_t start;
		/** @bar2.size: bytes */
		resource_size_t size;
		/** @bar2.map: write-combining mapping of the whole BAR */
		void __iomem *map;
		/**
		 * @bar2.lock: protects @bar2.closed; held for reading while a user is given access
		 *	to HBM
		 */
		struct rw_semaphore lock;
		/** @bar2.closed: no user sees HBM; see xetile_bo_close_window() */
		bool closed;
		/** @bar2.opened: woken when @bar2.closed is cleared */
		wait_queue_head_t opened;
	} bar2;

	/** @ttm: memory manager; see xetile_bo_move.c */
	struct ttm_device ttm;
	/** @mover: clears and copies HBM; set by xetile_migrate.c, used by xetile_bo_move.c */
	const struct xetile_bo_mover *mover;
	/** @room: state of calls that wait for room in HBM; see xetile_room.c */
	struct {
		/**
		 * @room.turns: each tile's is had by the call that evicts busy BOs from the tile;
		 *	taken before any reservation
		 */
		struct xetile_turns *turns;
		/**
		 * @room.changed: woken when memory is freed, a turn ends, and BOs that were held
		 *	back are let go
		 */
		wait_queue_head_t changed;
		/** @room.freed: how often memory of a BO was freed */
		atomic_t freed;
		/** @room.ids: the last id of a struct xetile_room; a clock, see xetile_hbm_now() */
		atomic64_t ids;
	} room;
	/** @sysmem: pages of system memory; see xetile_sysmem.c */
	struct {
		/** @sysmem.pages: pages that buffers have now */
		atomic_long_t pages;
		/** @sysmem.swapped: pages that the shrinker has got back so far */
		atomic_long_t swapped;
		/** @sysmem.lock: protects @sysmem.mapped; nothing is allocated under it */
		struct mutex lock;
		/** @sysmem.mapped: buffers whose pages are mapped for the card */
		struct list_head mapped;
		/** @sysmem.gone: no buffer is swapped out any more; under @sysmem.shrinking */
		bool gone;
		/** @sysmem.shrinking: held by the task that shrinks, which does not wait for it */
		struct mutex shrinking;
		/**
		 * @sysmem.barren_until: time before which the shrinker finds nothing to swap out,
		 *	in 64-bit jiffies
		 */
		u64 barren_until;
		/** @sysmem.shrinks: the task that shrinks, or NULL */
		struct task_struct *shrinks;
		/**
		 * @sysmem.payer: control group that pays for the copies of that task, with a
		 *	reference; or NULL
		 */
		struct mem_cgroup *payer;
	} sysmem;
	/** @share: BOs that are shared with other devices */
	struct {
		/**
		 * @share.lock: protects the lists; taken after &drm_device.object_name_lock and
		 *	before reservations
		 */
		struct mutex lock;
		/** @share.exports: BOs that have a dma-buf; see xetile_dma_buf.c */
		struct list_head exports;
		/** @share.imports: imports that are attached; see xetile_import.c */
		struct list_head imports;
	} share;
	/** @pins: BOs that are pinned; see xetile_pin.c */
	struct {
		/** @pins.lock: protects @pins.list, and the eventfds of the pins */
		spinlock_t lock;
		/** @pins.list: the pins of all users */
		struct list_head list;
		/** @pins.bytes: their bytes on each tile */
		atomic64_t bytes[XETILE_MAX_TILES];
	} pins;
	/** @user_fences: those who wait for numbers in memory; see xetile_number.c */
	struct {
		/** @user_fences.waiters: tasks, each of which leaves when it is woken */
		wait_queue_head_t waiters;
		/** @user_fences.num: how many there are, or will be again */
		atomic_t num;
		/** @user_fences.work: wakes those who are too many for an interrupt */
		struct work_struct work;
	} user_fences;
	/** @pcode_lock: protects the mailbox of the power controller; see xetile_pcode.c */
	struct mutex pcode_lock;
	/** @irq: interrupt state; see xetile_irq.c */
	struct xetile_irq *irq;
	/** @pm: memory that the machine's sleep needs; see xetile_pm.c */
	struct xetile_pm *pm;
	/** @hwmon: its sensors, NULL if it has none; see xetile_hwmon.c */
	struct xetile_hwmon *hwmon;
	/** @sched: which queues run on which engine; see xetile_sched.c */
	struct xetile_sched *sched;
	/** @cslices: which process is bound to which slice; see xetile_cslice_types.h */
	struct xetile_cslices *cslices;
	/**
	 * @fence_wq: works of jobs and resets, which signal fences; no work on it waits for memory
	 */
	struct workqueue_struct *fence_wq;
	/** @bind_wq: works of binds, which signal fences; no work on it waits for memory */
	struct workqueue_struct *bind_wq;
	/** @wq: deferred frees, texts, events; never drops the card's last reference */
	struct workqueue_struct *wq;
	/** @run_wq: works that begin runs of address spaces; they wait for memory and for jobs */
	struct workqueue_struct *run_wq;
	/**
	 * @release_wq: works that free VMs, and BOs that binds held; they may wait for jobs of
	 *	users
	 */
	struct workqueue_struct *release_wq;
	/** @recover_work: resets the card when its tiles do not end theirs; see xetile_binding.c */
	struct work_struct recover_work;
	/** @recovering: @recover_work resets the function; under the device's lock */
	bool recovering;
	/** @resets: resets by @recover_work, also of this function's earlier cards; as above */
	struct xetile_card_resets {
		/** @resets.when: times of the last ones, a ring, in 64-bit jiffies */
		u64 when[XETILE_CARD_RESETS];
		/** @resets.num: how many there were */
		unsigned int num;
	} resets;
	/** @gate: gate of works that write page tables, or free memory in HBM; closed in a sleep */
	struct xetile_gate gate;

	/**
	 * @calls: read-locked while a call or a page fault uses the card. The call may wait
	 *	there for memory or for room in a queue. It must not do so in drm_dev_enter(),
	 *	because that is one SRCU for the devices of all drivers.
	 */
	struct srcu_struct calls;
	/** @unplugged: no call begins to use the card any more; never reset */
	bool unplugged;

	/** @asids: address space ids in use, with their VMs */
	struct xarray asids;
	/** @next_asid: where the search for a free id begins; protected by the lock of @asids */
	u32 next_asid;
	/** @lrc_ids: numbers of contexts in use, as engines report them */
	struct ida lrc_ids;
	/**
	 * @users: users who have files open, or of whom failures are remembered; see
	 *	xetile_account.c
	 */
	struct {
		/** @users.lock: protects @users.list */
		struct mutex lock;
		/** @users.list: users; a list will do, because there are few */
		struct list_head list;
	} users;
};

static inline struct xetile_device *to_xetile_device(const struct drm_device *drm)
{
	return container_of(drm, struct xetile_device, drm);
}

static inline struct xetile_device *ttm_to_xetile_device(struct ttm_device *ttm)
{
	return container_of(ttm, struct xetile_device, ttm);
}

#define xetile_for_each_tile(tile__, xt__) \
	for ((tile__) = (xt__)->tiles; (tile__) < (xt__)->tiles + (xt__)->num_tiles; (tile__)++)

/**
 * xetile_device_is_unplugged() - whether nobody may use a card any more
 * @xt: the card
 *
 * The answer may be out of date when it arrives, except within xetile_device_enter(): the card
 * stays until all callers have left that section.
 *
 * Context: any.
 *
 * Return: true as soon as its removal, or the shutdown of the machine, has begun.
 */
static inline bool xetile_device_is_unplugged(const struct xetile_device *xt)
{
	/*
	 * DRM's own answer is in the SRCU section of all devices, which costs as much as a call's
	 * own.
	 */
	return READ_ONCE(xt->unplugged);
}

/**
 * xetile_device_enter() - begin to use a card, for a call or a page fault
 * @xt: the card
 * @idx: for xetile_device_exit()
 *
 * All waits within the section must end soon after the card is wedged, because removal wedges
 * the card, and then waits for all callers inside. So nobody may touch memory of a process
 * there: a third process may have to provide it.
 *
 * Context: process; nests.
 *
 * Return: whether the card is there; if not, the section was not entered.
 */
static inline bool xetile_device_enter(struct xetile_device *xt, int *idx)
{
	*idx = srcu_read_lock(&xt->calls);
	if (!xetile_device_is_unplugged(xt))
		return true;
	srcu_read_unlock(&xt->calls, *idx);
	return false;
}

/**
 * xetile_device_exit() - the call is over
 * @xt: the card
 * @idx: of xetile_device_enter()
 */
static inline void xetile_device_exit(struct xetile_device *xt, int idx)
{
	srcu_read_unlock(&xt->calls, idx);
}

/* The calls that userspace may make; defined in xetile_drv.c. */
const struct drm_driver *xetile_driver_of(struct pci_dev *pdev);

#endif
