// SPDX-License-Identifier: GPL-2.0-only
#include "xetile_pm.h"

#include <linux/dma-fence.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/notifier.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/suspend.h>
#include <linux/workqueue.h>

#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "card/xetile_awake.h"
#include "card/xetile_gate.h"
#include "exec/xetile_execlist.h"
#include "exec/xetile_migrate.h"
#include "exec/xetile_sched_lock.h"
#include "exec/xetile_sched_sleep.h"
#include "exec/xetile_wedge.h"
#include "mem/xetile_bo.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_hbm_residents.h"
#include "mem/xetile_layout.h"
#include "xetile_device.h"
#include "xetile_pm_room.h"

/**
 * DOC: the machine's sleep
 *
 * Sleep takes the card's power, and with it registers, GGTTs and HBM. HBM in use is copied to
 * system memory, and later back to where it was, so that jobs that were interrupted find all data
 * at the addresses they know.
 *
 * 1. Pages are taken while all of the machine still works, because the kernel may have to reclaim
 *    them from others. If there are not enough pages, the machine does not sleep.
 * 2. Users' processes are frozen, and workers no longer free or write memory in HBM
 *    (xetile_gate.c). Users' queues leave their engines, which saves their contexts. A job that
 *    does not leave in time is stopped as always.
 * 3. The kernel's own copy queues copy all BOs, also those beyond the reach of the CPU. These
 *    copies stand in line behind earlier ones.
 * 4. The copy queues stop as well, and the CPU copies the driver's own memory: contexts, page
 *    tables, and the memory that the copy queues themselves need.
 *
 * The way back takes the same steps in reverse order. They are also taken when nothing was lost,
 * because the machine did not fall asleep after all.
 *
 * Hibernation takes these steps up to three times. First, before the machine's memory is copied to
 * the image: the contents of HBM are in the image, because they are in memory by then. The card
 * wakes up while the image is written, and goes on with its jobs; what they do then will not have
 * happened. It sleeps again for the power-off, after which the machine may yet go on. The kernel
 * that loads the image puts the card to rest likewise, if it drives the card, and the kernel of
 * the image wakes it up. Everything of a card that lies in system memory keeps its addresses for
 * DMA, because the image has the kernel's mappings, and with them the tables of an IOMMU.
 *
 * A card that nobody uses takes the same steps alone, with the machine awake: then HBM has little
 * more than the driver's own memory. Between the kernel's notices of its sleep the card is kept
 * awake, so that a sleep of the machine always begins alike.
 */

/* One request to the copy engines: pages of system memory, and pieces of HBM */
#define BATCH_PAGES	(SZ_64M >> PAGE_SHIFT)
#define BATCH_EXTENTS	256

/* struct batch - one request to the copy engines, while it is gathered */
struct batch {
	struct xetile_extent ext[BATCH_EXTENTS];
	u64 start[BATCH_EXTENTS];
	unsigned int num;
	dma_addr_t dma[BATCH_PAGES];
	u64 size;
};

/* struct xetile_pm - memory that a sleep needs */
struct xetile_pm {
	struct xetile_device *xt;
	struct notifier_block nb;
	/* From the start of a sleep to its end */
	struct xetile_pm_room room;
	/* From xetile_pm_prepare() on: where the BOs lie */
	struct xetile_extent *ext;
	unsigned int num_ext;
	struct batch *batch;
};

static void forget(struct xetile_pm *pm)
{
	kvfree(pm->ext);
	pm->ext = NULL;
	pm->num_ext = 0;
	kvfree(pm->batch);
	pm->batch = NULL;
}

static u64 bytes_of(const struct xetile_extent *ext, unsigned int num)
{
	u64 bytes = 0;

	while (num--)
		bytes += ext++->size;
	return bytes;
}

static void sleep_ends(struct xetile_pm *pm)
{
	bool told = pm->room.told;

	pm->room.told = false;
	pm->room.image = false;
	forget(pm);
	xetile_pm_room_give(&pm->room);
	if (told)
		xetile_awake_put(pm->xt);
}

/* Take most of the memory while all of the machine still works. */
static int reserve(struct xetile_pm *pm)
{
	struct xetile_extent *ext;
	unsigned int num;
	u64 bytes;
	int err;

	if (xetile_wedged(pm->xt->sched))
		return 0;
	/* The size may still change; xetile_pm_prepare() takes the rest, or fails. */
	err = xetile_hbm_extents(pm->xt, &ext, &num);
	if (err)
		return err;
	bytes = bytes_of(ext, num);
	kvfree(ext);
	return xetile_pm_room_take(&pm->room, bytes, true);
}

static int sleep_begins(struct xetile_pm *pm, bool image)
{
	int err;

	err = xetile_awake_get(pm->xt);
	if (err)
		return err;
	pm->room.told = true;
	pm->room.image = image;
	err = reserve(pm);
	/* The kernel does not tell those who refuse that the sleep is over. */
	if (err)
		sleep_ends(pm);
	return err;
}

static int notified(struct notifier_block *nb, unsigned long event, void *unused)
{
	struct xetile_pm *pm = container_of(nb, struct xetile_pm, nb);
	int err = 0;

	switch (event) {
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
	case PM_SUSPEND_PREPARE:
		err = sleep_begins(pm, event == PM_HIBERNATION_PREPARE);
		break;
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
	case PM_POST_SUSPEND:
		sleep_ends(pm);
		break;
	}
	return notifier_from_errno(err);
}

static int prepare(struct xetile_pm *pm)
{
	int err = xetile_hbm_extents(pm->xt, &pm->ext, &pm->num_ext);

	if (err)
		return err;
	pm->batch = kvmalloc(sizeof(*pm->batch), GFP_KERNEL | __GFP_NOWARN);
	if (!pm->batch)
		return -ENOMEM;
	return xetile_pm_room_take(&pm->room, bytes_of(pm->ext, pm->num_ext), false);
}

/**
 * xetile_pm_prepare() - take all memory that a sleep needs
 * @xt: the card, awake; users' processes are frozen, or do not use it
 *
 * On success xetile_pm_complete() ends this, when the sleep is over or the machine does not sleep
 * after all.
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int xetile_pm_prepare(struct xetile_device *xt)
{
	int err;

	forget(xt->pm);
	err = prepare(xt->pm);
	if (err) {
		xetile_pm_complete(xt);
		return err;
	}
	/*
	 * From here on workers that free the driver's own memory wait. Not before, because fences
	 * of binds wait for these workers, and a task that could give this function memory may wait
	 * for such a fence.
	 */
	xetile_gate_close(&xt->gate);
	return 0;
}

/**
 * xetile_pm_complete() - give back the memory that a sleep needed
 * @xt: the card; it is awake
 *
 * Within a hibernation the card sleeps more than once, so the memory is kept until the kernel says
 * that it is over. Also called where devices are put to sleep without such notices, as in guests
 * of some hypervisors.
 *
 * Context: process.
 */
void xetile_pm_complete(struct xetile_device *xt)
{
	/* For a card that did not fall asleep */
	xetile_gate_open(&xt->gate);
	if (xt->pm->room.told)
		forget(xt->pm);
	else
		sleep_ends(xt->pm);
}

/* Add @ext from @done on, as far as it fits. Returns the bytes that the batch took. */
static u64 batch_add(struct batch *batch, struct xetile_pm_cursor *at,
		     const struct xetile_extent *ext, u64 done)
{
	u64 size = min(ext->size - done, (u64)BATCH_PAGES * PAGE_SIZE - batch->size);
	u64 page;

	batch->ext[batch->num] = (struct xetile_extent) {
		.addr = ext->addr + done, .size = size, .tile = ext->tile,
	};
	batch->start[batch->num++] = batch->size;
	for (page = 0; page < size; page += PAGE_SIZE)
		batch->dma[(batch->size + page) >> PAGE_SHIFT] = xetile_pm_room_next(at);
	batch->size += size;
	return size;
}

/* Copy the gathered pieces, out of HBM or into it. */
static int batch_copy(struct xetile_device *xt, struct batch *batch, bool out)
{
	const struct xetile_layout hbm = {
		.ext = batch->ext, .start = batch->start, .num = batch->num, .size = batch->size,
	};
	const struct xetile_layout system = { .dma = batch->dma, .size = batch->size };
	struct dma_fence *fence;
	int status;

	batch->num = 0;
	batch->size = 0;
	if (!hbm.size)
		return 0;
	fence = out ? xt->mover->copy(xt, &system, &hbm, false) :
		      xt->mover->copy(xt, &hbm, &system, false);
	if (IS_ERR(fence))
		return PTR_ERR(fence);
	dma_fence_wait(fence, false);
	status = dma_fence_get_status(fence);
	dma_fence_put(fence);
	return status < 0 ? status : 0;
}

static int copy_users(struct xetile_pm *pm, bool out)
{
	struct xetile_pm_cursor at = xetile_pm_room_begin(&pm->room);
	struct batch *batch = pm->batch;
	unsigned int i;
	u64 done;
	int err;

	batch->num = 0;
	batch->size = 0;
	for (i = 0; i < pm->num_ext; i++) {
		for (done = 0; done < pm->ext[i].size; ) {
			done += batch_add(batch, &at, &pm->ext[i], done);
			if (batch->num < BATCH_EXTENTS && batch->size < BATCH_PAGES * PAGE_SIZE)
				continue;
			err = batch_copy(pm->xt, batch, out);
			if (err)
				return err;
		}
	}
	return batch_copy(pm->xt, batch, out);
}

static bool own_grew(struct xetile_pm *pm)
{
	struct xetile_tile *tile;

	xetile_for_each_tile(tile, pm->xt)
		if (xetile_hbm_own_size(tile) > pm->room.own_size[tile->id])
			return true;
	return false;
}

/**
 * xetile_pm_save_users() - stop all queues, and copy all BOs out of HBM
 * @xt: the card, after xetile_pm_prepare()
 *
 * On return no engine has a context, and no worker is about to give one to it.
 *
 * Context: process.
 * Return: 0, also if the card is wedged now, or an error: then all jobs go on.
 */
int xetile_pm_save_users(struct xetile_device *xt)
{
	struct xetile_sched *sched = xt->sched;
	unsigned int noreclaim;
	bool cookie;
	int err;

	/* Users' processes are frozen or absent. Workers that free this memory wait at the gate. */
	if (WARN_ON(own_grew(xt->pm) && !xetile_wedged(sched)))
		return -EAGAIN;
	/*
	 * From here on fences of users wait for the end of the sleep. So nothing here may wait for
	 * memory, because memory may wait for fences. The little that is allocated may come from
	 * the reserves.
	 */
	cookie = dma_fence_begin_signalling();
	noreclaim = memalloc_noreclaim_save();
	xetile_sched_suspend_users(sched);
	err = copy_users(xt->pm, true);
	memalloc_noreclaim_restore(noreclaim);
	if (err && !xetile_wedged(sched)) {
		drm_err(&xt->drm, "the card cannot sleep: HBM cannot be copied: %pe\n",
			ERR_PTR(err));
		xetile_sched_resume_users(sched);
		dma_fence_end_signalling(cookie);
		return err;
	}
	/* The commands and the window of a copy that is made from now on would be lost. */
	xetile_migrate_pause(xt);
	xetile_sched_suspend_own(sched);
	dma_fence_end_signalling(cookie);
	/* The workers of this queue are annotated for lockdep themselves. */
	flush_workqueue(xt->fence_wq);
	return 0;
}

/**
 * xetile_pm_restore_users() - copy all BOs back
 * @xt: the card, after xetile_pm_save_users(); its engines take contexts
 *
 * Context: process.
 * Return: 0 or an error: the bytes are lost.
 */
int xetile_pm_restore_users(struct xetile_device *xt)
{
	bool cookie = dma_fence_begin_signalling();
	unsigned int noreclaim;
	int err;

	xetile_sched_resume_own(xt->sched);
	xetile_migrate_resume(xt);
	/* The little that is allocated may come from the reserves: much more is freed then. */
	noreclaim = memalloc_noreclaim_save();
	err = copy_users(xt->pm, false);
	memalloc_noreclaim_restore(noreclaim);
	dma_fence_end_signalling(cookie);
	return err;
}

/**
 * xetile_pm_save_own() - copy the driver's own memory out of HBM
 * @xt: the card, after xetile_pm_save_users(); no engine runs
 *
 * Context: process.
 */
void xetile_pm_save_own(struct xetile_device *xt)
{
	struct xetile_tile *tile;

	xetile_for_each_tile(tile, xt)
		xetile_hbm_save_own(tile, xt->pm->room.own[tile->id]);
}

/**
 * xetile_pm_restore_own() - copy the driver's own memory back
 * @xt: the card, after xetile_pm_save_own(); its engines were reset
 *
 * Context: process.
 */
void xetile_pm_restore_own(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	unsigned long flags;
	unsigned int i;

	xetile_for_each_tile(tile, xt)
		xetile_hbm_restore_own(tile, xt->pm->room.own[tile->id]);
	flags = xetile_sched_lock(xt->sched);
	xetile_for_each_tile(tile, xt)
		for (i = 0; i < tile->num_engines; i++)
			xetile_execlist_reset(tile->engines[i].execlist);
	xetile_sched_unlock(xt->sched, flags);
	/* The engines get nothing before the queues are awake. */
	xetile_sched_force_load(xt->sched);
}

/**
 * xetile_pm_go_on() - let all queues run, and the workers that waited at the gate
 * @xt: the card, after xetile_pm_restore_users(), or wedged
 *
 * The jobs of a wedged card ended when it was wedged; its queues stay banned.
 *
 * Context: process.
 */
void xetile_pm_go_on(struct xetile_device *xt)
{
	xetile_sched_resume_own(xt->sched);
	xetile_sched_resume_users(xt->sched);
	xetile_gate_open(&xt->gate);
}

static void pm_release(void *arg)
{
	struct xetile_pm *pm = arg;

	unregister_pm_notifier(&pm->nb);
	sleep_ends(pm);
}

/**
 * xetile_pm_init() - be told when the machine is about to sleep
 * @xt: the card; its execution works
 *
 * The notifier is removed when the device is unbound.
 *
 * Context: process; may sleep.
 *
 * Return: 0 or -errno.
 */
int xetile_pm_init(struct xetile_device *xt)
{
	struct xetile_pm *pm = drmm_kzalloc(&xt->drm, sizeof(*pm), GFP_KERNEL);
	int err;

	if (!pm)
		return -ENOMEM;
	pm->xt = xt;
	xetile_pm_room_init(&pm->room, xt);
	xt->pm = pm;
	pm->nb.notifier_call = notified;
	err = register_pm_notifier(&pm->nb);
	if (err)
		return err;
	return devm_add_action_or_reset(xt->drm.dev, pm_release, pm);
}
