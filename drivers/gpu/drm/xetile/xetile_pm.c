// SPDX-License-Identifier: GPL-2.0-only
#include "xetile_pm.h"

#include <linux/dma-fence.h>
#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/notifier.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/suspend.h>
#include <linux/swap.h>
#include <linux/vmalloc.h>

#include <drm/drm_managed.h>
#include <drm/drm_print.h>

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
 * Hibernation is refused. The machine goes on there after its memory was copied, and its power-off
 * takes the card down while the processes are frozen that would have to end their work.
 *
 * There is no sleep of the card alone, with the machine awake, because the card has no state that
 * saves power and keeps HBM.
 */

/* One request to the copy engines: pages of system memory, and pieces of HBM */
#define BATCH_PAGES	(SZ_64M >> PAGE_SHIFT)
#define BATCH_EXTENTS	256

/* The part of the machine's memory that is left for all others */
#define MARGIN(pages)	((pages) / 16)

/* struct piece - contiguous system memory */
struct piece {
	struct list_head link;
	struct page *page;
	unsigned int order;
	dma_addr_t dma;
};

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
	/* From the start of a sleep to its end: room for all BOs in HBM */
	struct list_head pieces;
	u64 room;
	/* From xetile_pm_prepare() on: where the BOs lie, and room for the driver's own memory */
	struct xetile_extent *ext;
	unsigned int num_ext;
	void *own[XETILE_MAX_TILES];
	u64 own_size[XETILE_MAX_TILES];
	struct batch *batch;
};

static int add_piece(struct xetile_pm *pm, unsigned int order)
{
	gfp_t gfp = GFP_HIGHUSER | __GFP_NOWARN;
	gfp_t small = GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN;
	struct device *dev = pm->xt->drm.dev;
	struct piece *piece;

	/* Take big pieces only as long as they are easily had */
	gfp |= order ? __GFP_NORETRY : __GFP_RETRY_MAYFAIL;
	piece = kmalloc(sizeof(*piece), small);
	if (!piece)
		return -ENOMEM;
	piece->order = order;
	piece->page = alloc_pages_node(dev_to_node(dev), gfp, order);
	if (!piece->page)
		goto err_free;
	piece->dma = dma_map_page(dev, piece->page, 0, PAGE_SIZE << order, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(dev, piece->dma))
		goto err_pages;
	list_add_tail(&piece->link, &pm->pieces);
	pm->room += PAGE_SIZE << order;
	return 0;

err_pages:
	__free_pages(piece->page, order);
err_free:
	kfree(piece);
	return -ENOMEM;
}

/* Can so much memory be had without programs being killed? */
static bool memory_suffices(u64 bytes)
{
	return (bytes >> PAGE_SHIFT) + MARGIN(totalram_pages()) <=
	       si_mem_available() + get_nr_swap_pages();
}

/* Have room for all BOs that have HBM now */
static int take_room(struct xetile_pm *pm, u64 bytes)
{
	unsigned int order = get_order(SZ_2M);

	if (pm->room < bytes && !memory_suffices(bytes - pm->room))
		return -ENOMEM;
	while (pm->room < bytes) {
		if (!add_piece(pm, order))
			continue;
		if (!order)
			return -ENOMEM;
		order--;
	}
	return 0;
}

static void forget(struct xetile_pm *pm)
{
	unsigned int t;

	kvfree(pm->ext);
	pm->ext = NULL;
	pm->num_ext = 0;
	for (t = 0; t < XETILE_MAX_TILES; t++) {
		vfree(pm->own[t]);
		pm->own[t] = NULL;
	}
	kvfree(pm->batch);
	pm->batch = NULL;
}

static void give_room(struct xetile_pm *pm)
{
	struct piece *piece, *next;

	list_for_each_entry_safe(piece, next, &pm->pieces, link) {
		dma_unmap_page(pm->xt->drm.dev, piece->dma, PAGE_SIZE << piece->order,
			       DMA_BIDIRECTIONAL);
		__free_pages(piece->page, piece->order);
		kfree(piece);
	}
	INIT_LIST_HEAD(&pm->pieces);
	pm->room = 0;
	forget(pm);
}

static u64 bytes_of(const struct xetile_extent *ext, unsigned int num)
{
	u64 bytes = 0;

	while (num--)
		bytes += ext++->size;
	return bytes;
}

static void tell_no_memory(struct xetile_pm *pm, u64 bytes, const char *what)
{
	drm_err(&pm->xt->drm,
		"the machine cannot sleep: no system memory for the %llu MiB of HBM %s\n",
		bytes >> 20, what);
}

static int take_users(struct xetile_pm *pm, u64 bytes)
{
	int err = take_room(pm, bytes);

	if (err)
		tell_no_memory(pm, bytes, "in use");
	return err;
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
	return take_users(pm, bytes);
}

static int refuse_hibernation(struct xetile_pm *pm)
{
	drm_err(&pm->xt->drm,
		"the machine cannot hibernate while the card is bound: suspend, or unbind it\n");
	return -EOPNOTSUPP;
}

static int notified(struct notifier_block *nb, unsigned long event, void *unused)
{
	struct xetile_pm *pm = container_of(nb, struct xetile_pm, nb);
	int err = 0;

	switch (event) {
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		/* The kernel that is restored must not find a card at work in its memory. */
		err = refuse_hibernation(pm);
		break;
	case PM_SUSPEND_PREPARE:
		err = reserve(pm);
		/* The kernel does not tell those who refuse that the sleep is over. */
		if (err)
			give_room(pm);
		break;
	case PM_POST_SUSPEND:
		give_room(pm);
		break;
	}
	return notifier_from_errno(err);
}

/* Room for the driver's own memory on a tile, which the CPU copies */
static int take_own_of(struct xetile_pm *pm, struct xetile_tile *tile)
{
	u64 size = xetile_hbm_own_size(tile);

	pm->own_size[tile->id] = size;
	/* Single pages, because kvmalloc() takes no more than 2 GiB */
	if (memory_suffices(size))
		pm->own[tile->id] = __vmalloc(size, GFP_KERNEL | __GFP_RETRY_MAYFAIL |
					      __GFP_NOWARN);
	if (pm->own[tile->id])
		return 0;
	tell_no_memory(pm, size, "that are the driver's own");
	return -ENOMEM;
}

static int take_own(struct xetile_pm *pm)
{
	struct xetile_tile *tile;
	int err = 0;

	xetile_for_each_tile(tile, pm->xt) {
		err = take_own_of(pm, tile);
		if (err)
			break;
	}
	return err;
}

static int prepare(struct xetile_pm *pm)
{
	int err = xetile_hbm_extents(pm->xt, &pm->ext, &pm->num_ext);

	if (err)
		return err;
	pm->batch = kvmalloc(sizeof(*pm->batch), GFP_KERNEL | __GFP_NOWARN);
	if (!pm->batch)
		return -ENOMEM;
	return take_own(pm) ?: take_users(pm, bytes_of(pm->ext, pm->num_ext));
}

/**
 * xetile_pm_prepare() - take all memory that a sleep needs
 * @xt: the card; users' processes are frozen
 *
 * On success xetile_pm_complete() gives the memory back, when the sleep is over or the machine
 * does not sleep after all.
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
 * Also called where devices are put to sleep without the notifier's calls before and after, as
 * in guests of some hypervisors.
 *
 * Context: process.
 */
void xetile_pm_complete(struct xetile_device *xt)
{
	/* For a card that did not fall asleep */
	xetile_gate_open(&xt->gate);
	give_room(xt->pm);
}

/* struct cursor - a position in the list of pieces */
struct cursor {
	struct piece *piece;
	u64 offset;
};

static dma_addr_t next_page(struct cursor *at)
{
	dma_addr_t dma;

	if (at->offset == PAGE_SIZE << at->piece->order) {
		at->piece = list_next_entry(at->piece, link);
		at->offset = 0;
	}
	dma = at->piece->dma + at->offset;
	at->offset += PAGE_SIZE;
	return dma;
}

/* Add @ext from @done on, as far as it fits. Returns the bytes that the batch took. */
static u64 batch_add(struct batch *batch, struct cursor *at, const struct xetile_extent *ext,
		     u64 done)
{
	u64 size = min(ext->size - done, (u64)BATCH_PAGES * PAGE_SIZE - batch->size);
	u64 page;

	batch->ext[batch->num] = (struct xetile_extent) {
		.addr = ext->addr + done, .size = size, .tile = ext->tile,
	};
	batch->start[batch->num++] = batch->size;
	for (page = 0; page < size; page += PAGE_SIZE)
		batch->dma[(batch->size + page) >> PAGE_SHIFT] = next_page(at);
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
	struct cursor at = { .piece = list_first_entry(&pm->pieces, struct piece, link) };
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
		if (xetile_hbm_own_size(tile) > pm->own_size[tile->id])
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

	/* Users' processes are frozen, and workers that free this memory wait at the gate. */
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
		xetile_hbm_save_own(tile, xt->pm->own[tile->id]);
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
		xetile_hbm_restore_own(tile, xt->pm->own[tile->id]);
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
	give_room(pm);
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
	INIT_LIST_HEAD(&pm->pieces);
	xt->pm = pm;
	pm->nb.notifier_call = notified;
	err = register_pm_notifier(&pm->nb);
	if (err)
		return err;
	return devm_add_action_or_reset(xt->drm.dev, pm_release, pm);
}
