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
 * Sleep takes the card's power, and with it registers, GGTTs and HBM. What is in use of
 * HBM is copied to system memory, and back to where it was, so that jobs that were
 * interrupted find all at the addresses they know.
 *
 * 1. Pages are taken while all of the machine works yet, because they may have to be
 *    won from others. If there are not enough the machine does not sleep.
 * 2. Users' processes are frozen, and workers do not free or write for them what is in HBM
 *    (xetile_gate.c). Users' queues leave their engines, which saves their contexts. A job that
 *    does not leave in time is dealt with as always.
 * 3. The kernel's own copy queues copy all BOs, also beyond what the CPU reaches. They
 *    stand in line behind what was asked of them before.
 * 4. These queues stop as well, and the CPU copies the driver's own memory: contexts, page
 *    tables, what the copy queues themselves need.
 *
 * On the way back the same in reverse order. Where nothing was lost, because the machine
 * did not fall asleep after all, it is done all the same.
 *
 * Hibernation is refused. The machine goes on there after its memory was copied, and its
 * power-off takes the card down while those are frozen who would have to end their work.
 *
 * There is no sleep of the card alone, with the machine awake: it has no state that saves
 * power and keeps HBM.
 */

/* One request to the copy engines: pages of system memory, and pieces of HBM */
#define BATCH_PAGES	(SZ_64M >> PAGE_SHIFT)
#define BATCH_EXTENTS	256

/* What is left of the machine's memory for all others, as a part of it */
#define MARGIN(pages)	((pages) / 16)

/* struct piece - system memory in a row */
struct piece {
	struct list_head link;
	struct page *page;
	unsigned int order;
	dma_addr_t dma;
};

/* struct batch - one request in the making */
struct batch {
	struct xetile_extent ext[BATCH_EXTENTS];
	u64 start[BATCH_EXTENTS];
	unsigned int num;
	dma_addr_t dma[BATCH_PAGES];
	u64 size;
};

/* struct xetile_pm - what a sleep needs */
struct xetile_pm {
	struct xetile_device *xt;
	struct notifier_block nb;
	/* From the first word of a sleep to the last: room for all BOs in HBM */
	struct list_head pieces;
	u64 room;
	/* From xetile_pm_prepare() on: where these lie, and room for the driver's own memory */
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

	/* Big pieces only as long as they are easily had. */
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

/* What can be had without programs being killed */
static bool memory_suffices(u64 bytes)
{
	return (bytes >> PAGE_SHIFT) + MARGIN(totalram_pages()) <=
	       si_mem_available() + get_nr_swap_pages();
}

/* Have room for all BOs that have HBM now. */
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

/* While all of the machine works yet */
static int reserve(struct xetile_pm *pm)
{
	struct xetile_extent *ext;
	unsigned int num;
	u64 bytes;
	int err;

	if (xetile_wedged(pm->xt->sched))
		return 0;
	/* It may change yet, by what xetile_pm_prepare() finds room for or does not. */
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
		/* Those who refuse are not told that it is over. */
		if (err)
			give_room(pm);
		break;
	case PM_POST_SUSPEND:
		give_room(pm);
		break;
	}
	return notifier_from_errno(err);
}

/* Room for what is the driver's own on a tile, which is read by the CPU */
static int take_own_of(struct xetile_pm *pm, struct xetile_tile *tile)
{
	u64 size = xetile_hbm_own_size(tile);

	pm->own_size[tile->id] = size;
	/* By pages only: kvmalloc() takes no more than 2 GiB. */
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
 * xetile_pm_prepare() - have all memory that a sleep needs
 * @xt: the card; users' processes are frozen
 *
 * On success xetile_pm_complete() gives it back, when the sleep is over or the machine
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
	 * Who gives the driver's own memory back waits from here on. Not before, because fences of
	 * binds wait for that as well, and who has memory for us may wait for such a fence.
	 */
	xetile_gate_close(&xt->gate);
	return 0;
}

/**
 * xetile_pm_complete() - give back what a sleep needed
 * @xt: the card; it is awake
 *
 * Who puts devices to sleep without a word before and after, as some hypervisors' guests
 * do, comes here all the same.
 *
 * Context: process.
 */
void xetile_pm_complete(struct xetile_device *xt)
{
	/* If the card did not fall asleep */
	xetile_gate_open(&xt->gate);
	give_room(xt->pm);
}

/* struct cursor - a place in the pieces */
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

/* Begin of @ext, up to @size bytes: returns how many the batch took. */
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

/* Copy what was gathered, out of HBM or into it. */
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
 * No engine has a context on return, and no worker is about to give it one.
 *
 * Context: process.
 * Return: 0, also if the card is wedged now, or an error: then all goes on.
 */
int xetile_pm_save_users(struct xetile_device *xt)
{
	struct xetile_sched *sched = xt->sched;
	unsigned int noreclaim;
	bool cookie;
	int err;

	/* Users' processes are frozen, and the workers that free it stand at the gate. */
	if (WARN_ON(own_grew(xt->pm) && !xetile_wedged(sched)))
		return -EAGAIN;
	/*
	 * From here on fences of users wait for the end of the sleep, so that nothing here may
	 * wait for memory, which may wait for fences. What little is allocated may come from
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
	/* Commands and windows of a copy that is made from now on would be lost. */
	xetile_migrate_pause(xt);
	xetile_sched_suspend_own(sched);
	dma_fence_end_signalling(cookie);
	/* Its workers say themselves that fences wait for them. */
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
	/* What little it allocates may come from the reserves, as much more is freed then. */
	noreclaim = memalloc_noreclaim_save();
	err = copy_users(xt->pm, false);
	memalloc_noreclaim_restore(noreclaim);
	dma_fence_end_signalling(cookie);
	return err;
}

/**
 * xetile_pm_save_own() - copy what is the driver's own out of HBM
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
 * xetile_pm_restore_own() - copy what is the driver's own back
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
	/* Nothing is given to the engines before the queues are awake. */
	xetile_sched_force_load(xt->sched);
}

/**
 * xetile_pm_go_on() - let all queues run, and the workers that were held back
 * @xt: the card, after xetile_pm_restore_users(), or wedged
 *
 * The jobs of a card that is wedged have ended when it was; its queues stay banned.
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
 * Goes with the binding.
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
