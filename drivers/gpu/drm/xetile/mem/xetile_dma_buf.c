// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_dma_buf.h"

#include <linux/cred.h>
#include <linux/dma-buf.h>
#include <linux/dma-fence.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci-p2pdma.h>
#include <linux/pci.h>
#include <linux/scatterlist.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <drm/drm_gpuvm.h>
#include <drm/drm_managed.h>
#include <drm/drm_prime.h>
#include <drm/drm_print.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_tt.h>

#include "mem/xetile_account.h"
#include "mem/xetile_bo_fill.h"
#include "mem/xetile_bo_layout.h"
#include "mem/xetile_room.h"
#include "mem/xetile_sysmem.h"
#include "xetile_device.h"

/**
 * DOC: buffers that other devices use
 *
 * A buffer is given to other devices as a dma-buf. Another device reads the buffer's HBM itself, by
 * BAR2, if the buses between the two cards route such requests (peer-to-peer) and the importer
 * learns of moves. Otherwise the buffer goes to system memory, and stays there as long as the other
 * device has it mapped: it would be copied there and back with each use. An importer that is not
 * told of moves pins the buffer. A pinned buffer can neither be evicted nor swapped out, so the
 * user who has it pinned pays for it, see xetile_account.c.
 *
 * The dma-buf has the buffer's reservation. The core holds it where it calls, except to attach and
 * to release. &xetile_device.share.lock protects the list of exported buffers.
 */

/*
 * For how long a device of another driver waits for the jobs that use a buffer in HBM, and the
 * removal of the card for the jobs of other devices
 */
#define IDLE_MS		10000u

/* The most bytes in one piece of a scatter list, whose lengths have 32 bits */
#define MAX_PIECE	((u64)SZ_1G)

static struct xetile_bo *to_bo(const struct dma_buf *buf)
{
	return gem_to_xetile_bo(buf->priv);
}

/* Do the buses between a device and the card of a BO that may lie in HBM route requests? */
static bool reaches_hbm(struct device *dev, struct xetile_bo *bo)
{
	struct xetile_device *xt = ttm_to_xetile_device(bo->ttm.bdev);
	bool reaches;
	int idx;

	if (!(bo->args.placement & XETILE_PLACE_HBM))
		return false;
	/* The bridges above a card that is gone may be gone, too, while its function still is. */
	if (!xetile_device_enter(xt, &idx))
		return false;
	reaches = pci_p2pdma_distance(to_pci_dev(xt->drm.dev), dev, false) >= 0;
	xetile_device_exit(xt, idx);
	return reaches;
}

/*
 * Whether a device that does not get HBM can have the buffer is constant. That another one reads
 * HBM is what the buses allow, and the buffer still goes to system memory where BAR2 does not
 * reach it.
 */
static int share_attach(struct dma_buf *buf, struct dma_buf_attachment *attach)
{
	struct xetile_bo *bo = to_bo(buf);

	if (attach->peer2peer && !reaches_hbm(attach->dev, bo))
		attach->peer2peer = false;
	return attach->peer2peer || (bo->args.placement & XETILE_PLACE_SYSTEM) ? 0 : -EOPNOTSUPP;
}

/* Returns 0, -ERESTARTSYS, or -EBUSY: jobs or binds still use the BO. */
static int wait_idle(struct xetile_bo *bo, bool wait)
{
	long left;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (xetile_room_is_idle(bo))
		return 0;
	if (!wait)
		return -EBUSY;
	left = dma_resv_wait_timeout(bo->ttm.base.resv, DMA_RESV_USAGE_BOOKKEEP, true,
				     msecs_to_jiffies(IDLE_MS));
	if (left < 0)
		return left;
	return xetile_room_is_idle(bo) ? 0 : -EBUSY;
}

static int wait_filled(struct xetile_bo *bo)
{
	int err = bo->filled ? dma_fence_wait(bo->filled, true) : 0;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (err)
		return err;
	return xetile_bo_is_lost(bo) ? -ENODATA : 0;
}

/* Have a BO in system memory. A card that is gone keeps what lies there. */
static int to_system(struct xetile_bo *bo, bool wait)
{
	struct xetile_device *xt = ttm_to_xetile_device(bo->ttm.bdev);
	int err, idx;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (bo->ttm.resource->mem_type == XETILE_PL_SYSTEM)
		return 0;
	if (bo->ttm.resource->mem_type == XETILE_PL_HBM &&
	    !(bo->args.placement & XETILE_PLACE_SYSTEM))
		return -EOPNOTSUPP;
	err = wait_idle(bo, wait);
	if (err)
		return err;
	if (!xetile_device_enter(xt, &idx))
		return -ENODEV;
	err = xetile_sysmem_take(&bo->ttm);
	xetile_device_exit(xt, idx);
	return err;
}

/* May a device have a BO in HBM as it lies? */
static bool in_reach(const struct dma_buf_attachment *attach, struct xetile_bo *bo)
{
	return attach->peer2peer && !bo->ttm.pin_count &&
	       bo->ttm.resource->mem_type == XETILE_PL_HBM &&
	       !to_xetile_hbm_resource(bo->ttm.resource)->beyond;
}

/**
 * xetile_dma_buf_ready() - have a BO where another device reaches it, with its bytes in place
 * @attach: of the other device, with the reservation of the BO held
 * @wait: wait for jobs that keep the BO from being moved
 *
 * Context: process, with the BO's reservation.
 * Return: 0; -EBUSY: jobs, or binds that wait, use the BO; -EOPNOTSUPP: the device reaches no place
 * that the BO may lie in; -ENODATA: its bytes are lost; -ENODEV: they were in the HBM of a card
 * that is gone; -ENOMEM; -ERESTARTSYS.
 */
int xetile_dma_buf_ready(struct dma_buf_attachment *attach, bool wait)
{
	struct xetile_bo *bo = to_bo(attach->dmabuf);
	int err = 0;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (xetile_bo_is_lost(bo))
		return -ENODATA;
	if (!in_reach(attach, bo))
		err = to_system(bo, wait);
	return err ?: wait_filled(bo);
}

/* The user who has the BO pinned first pays for it as long as it is pinned. */
static int pay_for(struct xetile_bo *bo)
{
	struct xetile_account *account;
	int err;

	dma_resv_assert_held(bo->ttm.base.resv);
	account = xetile_account_create(ttm_to_xetile_device(bo->ttm.bdev), current_euid());
	if (!account)
		return -ENOMEM;
	err = xetile_account_lend(account, bo->args.size);
	if (err)
		xetile_account_put(account);
	else
		bo->payer = account;
	return err;
}

/* Pinned buffers are in system memory: HBM that nobody can evict would be lost to all others. */
static int share_pin(struct dma_buf_attachment *attach)
{
	struct xetile_bo *bo = to_bo(attach->dmabuf);
	int err = 0;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (!(bo->args.placement & XETILE_PLACE_SYSTEM))
		return -EOPNOTSUPP;
	if (!bo->ttm.pin_count)
		err = to_system(bo, true) ?: pay_for(bo);
	if (!err)
		ttm_bo_pin(&bo->ttm);
	return err;
}

/* When no other device has the BO in system memory, the next job may bring it back to HBM. */
static void may_return(struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	if (!bo->lent && !bo->ttm.pin_count)
		drm_gpuvm_bo_gem_evict(&bo->ttm.base, true);
}

static void share_unpin(struct dma_buf_attachment *attach)
{
	struct xetile_bo *bo = to_bo(attach->dmabuf);

	dma_resv_assert_held(bo->ttm.base.resv);
	ttm_bo_unpin(&bo->ttm);
	if (bo->ttm.pin_count)
		return;
	xetile_account_give_lent(bo->payer, bo->args.size);
	xetile_account_put(bo->payer);
	bo->payer = NULL;
	may_return(bo);
}

static int map_pages(struct dma_buf_attachment *attach, struct sg_table *sgt,
		     enum dma_data_direction dir)
{
	const unsigned int max = ALIGN_DOWN(dma_get_max_seg_size(attach->dev), PAGE_SIZE);
	struct ttm_tt *tt = to_bo(attach->dmabuf)->ttm.ttm;
	int err;

	err = sg_alloc_table_from_pages_segment(sgt, tt->pages, tt->num_pages, 0,
						(unsigned long)tt->num_pages << PAGE_SHIFT, max,
						GFP_KERNEL_ACCOUNT);
	if (err)
		return err;
	err = dma_map_sgtable(attach->dev, sgt, dir, DMA_ATTR_SKIP_CPU_SYNC);
	if (err)
		sg_free_table(sgt);
	return err;
}

static void unmap_pieces(struct dma_buf_attachment *attach, struct sg_table *sgt,
			 unsigned int num, enum dma_data_direction dir)
{
	struct scatterlist *sg;
	unsigned int i;

	for_each_sg(sgt->sgl, sg, num, i) {
		dma_unmap_resource(attach->dev, sg_dma_address(sg), sg_dma_len(sg), dir,
				   DMA_ATTR_SKIP_CPU_SYNC);
		cond_resched();
	}
	sg_free_table(sgt);
}

/* Pieces of BAR2 in the BO's order, whatever tiles its color names */
static int map_pieces(struct dma_buf_attachment *attach, struct sg_table *sgt,
		      enum dma_data_direction dir)
{
	struct xetile_bo *bo = to_bo(attach->dmabuf);
	struct xetile_device *xt = ttm_to_xetile_device(bo->ttm.bdev);
	struct xetile_layout layout;
	struct scatterlist *sg;
	unsigned int i, n = 0;
	u64 offset, len, addr;
	dma_addr_t dma;
	int err;

	dma_resv_assert_held(bo->ttm.base.resv);
	xetile_bo_layout(bo, &layout);
	for (offset = 0; offset < layout.size; n++) {
		offset += xetile_layout_find(&layout, offset, MAX_PIECE, &addr);
		cond_resched();
	}
	err = sg_alloc_table(sgt, n, GFP_KERNEL_ACCOUNT);
	if (err)
		return err;
	offset = 0;
	for_each_sgtable_sg(sgt, sg, i) {
		len = xetile_layout_find(&layout, offset, MAX_PIECE, &addr);
		dma = dma_map_resource(attach->dev, xt->bar2.start + addr, len, dir,
				       DMA_ATTR_SKIP_CPU_SYNC);
		if (dma_mapping_error(attach->dev, dma)) {
			unmap_pieces(attach, sgt, i, dir);
			return -ENOMEM;
		}
		/* No struct page: importers must not have the CPU read it. */
		sg_set_page(sg, NULL, len, 0);
		sg_dma_address(sg) = dma;
		sg_dma_len(sg) = len;
		offset += len;
		cond_resched();
	}
	return 0;
}

static int map_hbm(struct dma_buf_attachment *attach, struct sg_table *sgt,
		   enum dma_data_direction dir)
{
	struct xetile_device *xt = ttm_to_xetile_device(to_bo(attach->dmabuf)->ttm.bdev);
	int err, idx;

	/* The removal of the card tells importers after it has waited for this section. */
	if (!xetile_device_enter(xt, &idx))
		return -ENODEV;
	err = map_pieces(attach, sgt, dir);
	xetile_device_exit(xt, idx);
	return err;
}

static struct sg_table *share_map(struct dma_buf_attachment *attach, enum dma_data_direction dir)
{
	struct xetile_bo *bo = to_bo(attach->dmabuf);
	struct sg_table *sgt;
	int err;

	dma_resv_assert_held(bo->ttm.base.resv);
	err = xetile_dma_buf_ready(attach, true);
	if (err)
		return ERR_PTR(err);
	sgt = kzalloc_obj(*sgt, GFP_KERNEL_ACCOUNT);
	if (!sgt)
		return ERR_PTR(-ENOMEM);
	if (bo->ttm.resource->mem_type == XETILE_PL_HBM)
		err = map_hbm(attach, sgt, dir);
	else
		err = map_pages(attach, sgt, dir);
	if (err) {
		kfree(sgt);
		return ERR_PTR(err);
	}
	if (sg_page(sgt->sgl))
		bo->lent++;
	else
		bo->peers++;
	return sgt;
}

static void share_unmap(struct dma_buf_attachment *attach, struct sg_table *sgt,
			enum dma_data_direction dir)
{
	struct xetile_bo *bo = to_bo(attach->dmabuf);

	dma_resv_assert_held(bo->ttm.base.resv);
	if (!sg_page(sgt->sgl)) {
		unmap_pieces(attach, sgt, sgt->orig_nents, dir);
		bo->peers--;
	} else {
		dma_unmap_sgtable(attach->dev, sgt, dir, DMA_ATTR_SKIP_CPU_SYNC);
		sg_free_table(sgt);
		bo->lent--;
		may_return(bo);
	}
	kfree(sgt);
}

static void share_release(struct dma_buf *buf)
{
	struct xetile_bo *bo = to_bo(buf);
	struct xetile_device *xt = ttm_to_xetile_device(bo->ttm.bdev);

	mutex_lock(&xt->share.lock);
	list_del_init(&bo->export_link);
	mutex_unlock(&xt->share.lock);
	dma_resv_lock(bo->ttm.base.resv, NULL);
	bo->exported = NULL;
	dma_resv_unlock(bo->ttm.base.resv);
	drm_gem_dmabuf_release(buf);
}

/* The CPU's mappings are those of the BO, for which the page fault waits until it is filled. */
static const struct dma_buf_ops share_ops = {
	.attach = share_attach,
	.pin = share_pin,
	.unpin = share_unpin,
	.map_dma_buf = share_map,
	.unmap_dma_buf = share_unmap,
	.release = share_release,
	.mmap = drm_gem_dmabuf_mmap,
	.vmap = drm_gem_dmabuf_vmap,
	.vunmap = drm_gem_dmabuf_vunmap,
};

/**
 * xetile_dma_buf_export() - make a dma-buf of a BO
 * @gem: the BO's GEM object; not private, and not imported
 * @flags: of the file
 *
 * The DRM core calls it once as long as the dma-buf lives. The core forgets the dma-buf when the
 * BO has no handle any more, while importers still have it, so that the BO remembers it itself.
 *
 * Context: process, with &drm_device.object_name_lock; takes &xetile_device.share.lock, and then
 * the BO's reservation.
 * Return: the dma-buf, with a reference, or an ERR_PTR.
 */
struct dma_buf *xetile_dma_buf_export(struct drm_gem_object *gem, int flags)
{
	struct xetile_device *xt = to_xetile_device(gem->dev);
	struct xetile_bo *bo = gem_to_xetile_bo(gem);
	struct dma_buf *buf = drm_gem_prime_export(gem, flags);

	if (IS_ERR(buf))
		return buf;
	buf->ops = &share_ops;
	mutex_lock(&xt->share.lock);
	list_add(&bo->export_link, &xt->share.exports);
	mutex_unlock(&xt->share.lock);
	dma_resv_lock(gem->resv, NULL);
	bo->exported = buf;
	dma_resv_unlock(gem->resv);
	return buf;
}

/**
 * xetile_dma_buf_source() - the BO that a dma-buf was made of
 * @buf: any dma-buf
 *
 * Context: any.
 * Return: a BO of any card that this driver drives, without a reference; NULL: of another driver.
 */
struct xetile_bo *xetile_dma_buf_source(const struct dma_buf *buf)
{
	return buf->ops == &share_ops ? to_bo(buf) : NULL;
}

/**
 * xetile_dma_buf_moves() - tell importers that a BO moves, so that they map it anew
 * @bo: BO with its reservation held; no job uses it
 *
 * Importers that pinned the BO are not told, but then it does not move.
 *
 * Context: process, with the BO's reservation.
 */
void xetile_dma_buf_moves(struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	if (bo->exported)
		dma_buf_invalidate_mappings(bo->exported);
}

/*
 * Whoever drives the card next may give its HBM to others, whom jobs of other devices must not
 * reach. Importers map nothing anew, because xetile_device_enter() fails.
 */
static void revoke(struct xetile_bo *bo, unsigned long until)
{
	long left = max_t(long, until - jiffies, 1);

	dma_resv_lock(bo->ttm.base.resv, NULL);
	if (bo->peers) {
		xetile_dma_buf_moves(bo);
		dma_resv_wait_timeout(bo->ttm.base.resv, DMA_RESV_USAGE_BOOKKEEP, false, left);
		/* Importers that kept their mapping for their jobs unmap it now. */
		xetile_dma_buf_moves(bo);
	}
	if (bo->peers)
		drm_warn(bo->ttm.base.dev, "another device still uses %zu bytes of HBM\n",
			 bo->ttm.base.size);
	dma_resv_unlock(bo->ttm.base.resv);
}

/**
 * xetile_dma_buf_revoke_all() - no other device uses the HBM of a card that is removed
 * @xt: card, which no call uses any more; its jobs are done
 *
 * Waits for jobs of other devices, for ten seconds at most. Jobs that run longer read what the bus
 * answers, as they do when the card was pulled out. What lies in system memory stays with the
 * importers.
 *
 * Context: process; takes &xetile_device.share.lock and reservations.
 */
void xetile_dma_buf_revoke_all(struct xetile_device *xt)
{
	unsigned long until = jiffies + msecs_to_jiffies(IDLE_MS);
	struct xetile_bo *bo;

	mutex_lock(&xt->share.lock);
	list_for_each_entry(bo, &xt->share.exports, export_link)
		revoke(bo, until);
	mutex_unlock(&xt->share.lock);
}

/**
 * xetile_dma_buf_init() - no BO is shared yet
 * @xt: card
 *
 * Return: 0 or -ENOMEM.
 */
int xetile_dma_buf_init(struct xetile_device *xt)
{
	INIT_LIST_HEAD(&xt->share.exports);
	INIT_LIST_HEAD(&xt->share.imports);
	return drmm_mutex_init(&xt->drm, &xt->share.lock);
}

MODULE_IMPORT_NS("DMA_BUF");
