// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_import.h"

#include <linux/cred.h>
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/scatterlist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include <drm/drm_gem.h>
#include <drm/drm_gpuvm.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_tt.h>

#include "mem/xetile_account.h"
#include "mem/xetile_bo_types.h"
#include "mem/xetile_dma_buf.h"
#include "mem/xetile_room.h"
#include "xetile_device.h"

/**
 * DOC: buffers of other devices
 *
 * A buffer of another device, or of another card of this driver, has the exporter's memory and the
 * exporter's reservation. TTM knows of no memory: the buffer is mapped for the card when a bind or
 * a job wants it there, and is mapped anew after the exporter has moved it. The exporter waits for
 * the fences in the reservation before it uses the memory otherwise, so that running jobs are safe.
 *
 * The reservation protects the mapping. &xetile_device.share.lock, which is taken before any
 * reservation, protects the list of imported buffers and their attachments.
 */

/* Unmap a buffer that no job uses, or that will be freed */
static void unmap(struct xetile_bo *bo)
{
	struct xetile_import *import = bo->import;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (!import->sgt)
		return;
	dma_buf_unmap_attachment(import->attach, import->sgt, DMA_BIDIRECTIONAL);
	import->sgt = NULL;
	import->stale = false;
	import->peer = false;
}

static bool is_idle(struct xetile_bo *bo)
{
	return dma_resv_test_signaled(bo->ttm.base.resv, DMA_RESV_USAGE_BOOKKEEP);
}

/*
 * The exporter moves the buffer. Jobs that are submitted from now on map it anew. Jobs that run
 * still use the old mapping, which has to stay until the last of them is done.
 */
static void import_moves(struct dma_buf_attachment *attach)
{
	struct xetile_bo *bo = attach->importer_priv;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (!bo->import->sgt)
		return;
	bo->moves++;
	drm_gpuvm_bo_gem_evict(&bo->ttm.base, true);
	if (is_idle(bo))
		unmap(bo);
	else
		bo->import->stale = true;
}

/*
 * A kernel that does not tell importers of moves has the exporter pin what it maps. It pins in
 * system memory, and would wait for jobs with all reservations of the call held.
 */
static const struct dma_buf_attach_ops import_ops = {
	.allow_peer2peer = XETILE_IMPORTERS_ARE_TOLD,
	.invalidate_mappings = import_moves,
};

/* TTM has 8 bytes for each page of an import, which no control group is charged with. */
static int pay_for(struct xetile_bo *bo, struct dma_buf *buf)
{
	struct xetile_account *account;
	int err;

	account = xetile_account_create(to_xetile_device(bo->ttm.base.dev), current_euid());
	if (!account)
		return -ENOMEM;
	err = xetile_account_take_pages(account, buf->size >> PAGE_SHIFT);
	if (err)
		xetile_account_put(account);
	else
		bo->import->payer = account;
	return err;
}

static void import_end(struct work_struct *work)
{
	struct xetile_import *import = container_of(work, struct xetile_import, end_work);
	struct xetile_device *xt = to_xetile_device(import->bo->ttm.base.dev);

	mutex_lock(&xt->share.lock);
	list_del_init(&import->link);
	mutex_unlock(&xt->share.lock);
	if (import->attach)
		dma_buf_detach(import->buf, import->attach);
	xetile_account_give_pages(import->payer, import->buf->size >> PAGE_SHIFT);
	xetile_account_put(import->payer);
	dma_buf_put(import->buf);
	import->free(import->bo);
	kfree(import);
}

/**
 * xetile_import_begin() - make a new BO an import
 * @bo: BO that is not initialised further than its arguments
 * @buf: dma-buf, of which a reference is taken
 *
 * Context: process, of the client.
 * Return: 0, and xetile_import_end() has to be called; -EDQUOT: the user has as many pages of
 * others as a user may; -ENOMEM.
 */
int xetile_import_begin(struct xetile_bo *bo, struct dma_buf *buf)
{
	struct xetile_import *import = kzalloc_obj(*import, GFP_KERNEL_ACCOUNT);
	int err;

	if (!import)
		return -ENOMEM;
	INIT_LIST_HEAD(&import->link);
	INIT_WORK(&import->end_work, import_end);
	import->bo = bo;
	bo->import = import;
	err = pay_for(bo, buf);
	if (err) {
		bo->import = NULL;
		kfree(import);
		return err;
	}
	get_dma_buf(buf);
	import->buf = buf;
	return 0;
}

/**
 * xetile_import_attach() - tell the exporter that the card is going to use its buffer
 * @bo: import, initialised; within xetile_device_enter()
 *
 * Context: process; takes the exporter's reservation, and &xetile_device.share.lock.
 * Return: 0 or the exporter's error: -EOPNOTSUPP if the card cannot reach it.
 */
int xetile_import_attach(struct xetile_bo *bo)
{
	struct xetile_device *xt = ttm_to_xetile_device(bo->ttm.bdev);
	struct xetile_import *import = bo->import;
	struct dma_buf_attachment *attach;

	attach = dma_buf_dynamic_attach(import->buf, xt->drm.dev, &import_ops, bo);
	if (IS_ERR(attach))
		return PTR_ERR(attach);
	mutex_lock(&xt->share.lock);
	import->attach = attach;
	list_add(&import->link, &xt->share.imports);
	mutex_unlock(&xt->share.lock);
	bo->ttm.base.import_attach = attach;
	return 0;
}

/* Note the addresses of a mapping. They must cover all of the buffer, in whole pages. */
static int take_addresses(struct xetile_bo *bo, struct sg_table *sgt)
{
	struct ttm_tt *tt = bo->ttm.ttm;
	struct sg_dma_page_iter it;
	unsigned int n = 0;

	dma_resv_assert_held(bo->ttm.base.resv);
	for_each_sgtable_dma_page(sgt, &it, 0) {
		dma_addr_t addr = sg_page_iter_dma_address(&it);

		cond_resched();
		if (n == tt->num_pages || offset_in_page(addr))
			return -EINVAL;
		tt->dma_address[n++] = addr;
	}
	return n == tt->num_pages ? 0 : -EINVAL;
}

/* Does the card read the memory on the exporter's device? */
static bool is_peer(struct xetile_import *import, struct sg_table *sgt)
{
	struct xetile_bo *source = xetile_dma_buf_source(import->buf);

	if (source)
		return source->ttm.resource->mem_type == XETILE_PL_HBM;
	return import->attach->peer2peer && !sg_page(sgt->sgl);
}

static int map(struct xetile_bo *bo)
{
	struct xetile_import *import = bo->import;
	struct sg_table *sgt;
	int err;

	dma_resv_assert_held(bo->ttm.base.resv);
	sgt = dma_buf_map_attachment(import->attach, DMA_BIDIRECTIONAL);
	if (IS_ERR(sgt))
		return PTR_ERR(sgt);
	err = take_addresses(bo, sgt);
	if (err) {
		dma_buf_unmap_attachment(import->attach, sgt, DMA_BIDIRECTIONAL);
		return err;
	}
	import->sgt = sgt;
	import->peer = is_peer(import, sgt);
	return 0;
}

/* What a call says when the exporter does not give the buffer. It never says -EBUSY. */
static int tell(int err)
{
	switch (err) {
	case 0:
	case -EDQUOT:
	case -EINTR:
	case -ENOMEM:
	case -ENOSPC:
	case -ERESTARTSYS:
		return err;
	case -EBUSY:
		return -ENOSPC;
	default:
		return -ENODATA;
	}
}

/**
 * xetile_import_validate() - have an import mapped for the card
 * @bo: import with its reservation held
 * @room: the call that wants it
 *
 * May sleep, but not for jobs if the exporter is a card of this driver.
 *
 * Context: process, with the exporter's reservation.
 * Return: 0; -EBUSY: drop all reservations and ask xetile_room_again(); -ENODATA: the exporter
 * does not give the buffer, because it is gone or has lost the bytes; -ENOSPC; -EDQUOT; -ENOMEM;
 * -EINTR; -ERESTARTSYS.
 */
int xetile_import_validate(struct xetile_bo *bo, struct xetile_room *room)
{
	struct xetile_import *import = bo->import;
	struct xetile_bo *source;
	int err = 0;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (import->sgt && !import->stale)
		return 0;
	if (import->sgt && !is_idle(bo)) {
		xetile_room_note_busy(room, bo);
		return -EBUSY;
	}
	unmap(bo);

	source = xetile_dma_buf_source(import->buf);
	if (source)
		err = xetile_dma_buf_ready(import->attach, false);
	if (err == -EBUSY) {
		xetile_room_note_busy(room, source);
		return -EBUSY;
	}
	return tell(err ?: map(bo));
}

/**
 * xetile_import_mmap() - map an import for the CPU, as its exporter does
 * @bo: import
 * @vma: the mapping, of the DRM file
 *
 * Return: 0, and the mapping has a reference of the dma-buf in place of the caller's reference of
 * @bo; or the exporter's error.
 */
int xetile_import_mmap(struct xetile_bo *bo, struct vm_area_struct *vma)
{
	int err;

	/* Not those of this driver: the exporter sets its own, if it has some. */
	vma->vm_private_data = NULL;
	vma->vm_ops = NULL;
	err = dma_buf_mmap(bo->import->buf, vma, 0);
	if (err)
		return err;
	vm_flags_set(vma, VM_DONTEXPAND);
	drm_gem_object_put(&bo->ttm.base);
	return 0;
}

/**
 * xetile_import_unmap() - an import is about to be freed: the card does not need it any more
 * @bo: import with its reservation held; no job uses it
 *
 * Context: process, with the exporter's reservation.
 */
void xetile_import_unmap(struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	unmap(bo);
}

/**
 * xetile_import_end() - let the exporter's buffer go, and free a BO
 * @bo: import that is freed, after xetile_import_unmap(); or whose making failed
 * @free: frees @bo, called by a worker
 *
 * TTM frees a BO wherever the last reference goes, and its shrinker has references of BOs while
 * it looks at them: there, neither a reservation nor &xetile_device.share.lock may be waited for.
 *
 * Context: any.
 */
void xetile_import_end(struct xetile_bo *bo, void (*free)(struct xetile_bo *bo))
{
	struct xetile_import *import = bo->import;

	import->free = free;
	queue_work(to_xetile_device(bo->ttm.base.dev)->wq, &import->end_work);
}

/**
 * xetile_import_unmap_all() - give back all imports of a card that is removed
 * @xt: card, which nobody uses any more; its jobs are done
 *
 * Buffers of files that stay open go on to exist, with nothing mapped.
 *
 * Context: process; takes &drm_device.object_name_lock, &xetile_device.share.lock, and
 * reservations of exporters.
 */
void xetile_import_unmap_all(struct xetile_device *xt)
{
	struct xetile_import *import, *next;

	/* The core looks at the attachment under this lock, to export a buffer. */
	mutex_lock(&xt->drm.object_name_lock);
	mutex_lock(&xt->share.lock);
	list_for_each_entry_safe(import, next, &xt->share.imports, link) {
		struct xetile_bo *bo = import->attach->importer_priv;

		dma_resv_lock(import->buf->resv, NULL);
		unmap(bo);
		dma_resv_unlock(import->buf->resv);
		bo->ttm.base.import_attach = NULL;
		/* Some exporters keep what they mapped until then. */
		dma_buf_detach(import->buf, import->attach);
		import->attach = NULL;
		list_del_init(&import->link);
	}
	mutex_unlock(&xt->share.lock);
	mutex_unlock(&xt->drm.object_name_lock);
}
