// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_mover.h"

#include <linux/bitops.h>
#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/iosys-map.h>
#include <linux/minmax.h>
#include <linux/sizes.h>

#include "instructions/pvc_blt_commands.h"
#include "instructions/pvc_mi_commands.h"
#include "regs/pvc_gt_regs.h"

#include "exec/xetile_job.h"
#include "exec/xetile_migrate_types.h"
#include "exec/xetile_queue_submit.h"
#include "exec/xetile_wedge.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_kbo.h"
#include "mem/xetile_layout.h"
#include "mem/xetile_vm_kernel.h"
#include "xetile_device.h"

/**
 * DOC: clears and copies
 *
 * Work is done in *passes*: a batch in a slot of the tile's batch buffer, and a part of the
 * window. A slot is used again when the fence of its last pass has signalled. A tile's own
 * engine clears the memory of that tile, and copies to it.
 *
 * Requests share the slots, pass by pass: a slot goes to the request that has waited longest
 * for one, so that a request of a thousand passes delays one of a single pass by no more than
 * the passes in the slots at that time. A pass is bounded in commands, in pages of the window
 * and in bytes; a pass that finds all other slots idle may have the bytes of all of them, which
 * saves jobs, and less than doubles the bytes in the slots.
 *
 * A request has one fence, which fails if any of its passes does: each pass waits for the one
 * before and takes its error over, also from tile to tile, because a reservation takes no fence
 * made of others. The fence of the last pass is that of the request.
 *
 * The memory manager moves buffers by these operations with their reservations held; the
 * machine's sleep copies by them.
 * &xetile_migrate.idle and &xetile_migrate.lock are taken here.
 */

/* Bytes of HBM that a slot clears or copies: a millisecond or less of the engine's time */
#define SLOT_BYTES	((u64)SZ_256M)

/* Geometry of the commands: rows of a page; the copy engines take 2^14 rows. */
#define ROW		4096u
#define MAX_ROWS	0x4000u
#define MAX_PIECE	((u64)ROW * MAX_ROWS)

/* A pass in the making */
struct pass {
	struct xetile_migrate *mig;
	/* Give up when the task is killed */
	bool killable;
	/* Job of the pass in the making; NULL: there is none */
	struct xetile_job *job;
	unsigned int slot;
	u32 used;
	u32 pages;
	u64 bytes;
	/* No command is added to a pass that has so many bytes */
	u64 full;
	/* The last pass pushed, or NULL */
	struct dma_fence *fence;
};

/* A request, which is done in passes: a clear without @src, else a copy of as many bytes */
struct request {
	const struct xetile_layout *dst;
	const struct xetile_layout *src;
	bool killable;
};

static void slot_free(struct xetile_migrate_slot *slot)
{
	struct xetile_migrate *mig = slot->mig;

	clear_bit_unlock(slot - mig->slots, &mig->busy);
	up(&mig->idle);
}

static void slot_idle(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	slot_free(container_of(cb, struct xetile_migrate_slot, cb));
}

static int slot_take(struct xetile_migrate *mig, bool killable, unsigned int *slot)
{
	if (!killable)
		down(&mig->idle);
	else if (down_killable(&mig->idle))
		return -ERESTARTSYS;
	/* There is a free slot for each task that is let in, but another one may take it first. */
	do {
		*slot = find_first_zero_bit(&mig->busy, XETILE_MIGRATE_SLOTS);
	} while (*slot == XETILE_MIGRATE_SLOTS || test_and_set_bit_lock(*slot, &mig->busy));
	return 0;
}

static int pass_begin(struct pass *pass)
{
	int err;

	pass->used = 0;
	pass->pages = 0;
	pass->bytes = 0;
	/* Before the slot is taken, so that no slot waits for memory; pass_end() adds two fences */
	pass->job = xetile_job_create();
	if (!pass->job)
		return -ENOMEM;
	err = xetile_job_reserve_deps(pass->job, 2) ?:
	      slot_take(pass->mig, pass->killable, &pass->slot);
	if (err) {
		xetile_job_destroy(pass->job);
		pass->job = NULL;
		return err;
	}
	pass->full = READ_ONCE(pass->mig->busy) == BIT(pass->slot) ?
		     XETILE_MIGRATE_SLOTS * SLOT_BYTES : SLOT_BYTES;
	return 0;
}

/* Free a pass of which nothing runs */
static void pass_abandon(struct pass *pass)
{
	if (!pass->job)
		return;
	xetile_job_destroy(pass->job);
	pass->job = NULL;
	slot_free(&pass->mig->slots[pass->slot]);
}

static void pass_emit(struct pass *pass, const u32 *dwords, unsigned int n)
{
	iosys_map_memcpy_to(xetile_kbo_map(pass->mig->batches),
			    pass->slot * XETILE_MIGRATE_BATCH + pass->used, dwords,
			    n * sizeof(u32));
	pass->used += n * sizeof(u32);
}

static struct dma_fence *push_job(struct xetile_migrate *mig, struct xetile_job *job)
{
	/* Others can wait for the fence once it is made; the sleep pushes jobs while they do. */
	bool cookie = dma_fence_begin_signalling();
	struct dma_fence *fence;

	mutex_lock(&mig->lock);
	fence = xetile_queue_push(mig->queue, job);
	mutex_unlock(&mig->lock);
	dma_fence_end_signalling(cookie);
	atomic64_inc(&mig->passes);
	return fence;
}

/* Push the pass, after @after if that is not NULL. On failure nothing of the pass runs. */
static int pass_end(struct pass *pass, struct dma_fence *after)
{
	const u32 end[] = { PVC_MI_BATCH_BUFFER_END, PVC_MI_NOOP };
	struct xetile_migrate *mig = pass->mig;
	struct xetile_migrate_slot *slot = &mig->slots[pass->slot];
	struct xetile_job *job = pass->job;
	int err;

	if (!job)
		return 0;
	/* The last pass's fence stands for all of them: it fails if one of them does. */
	err = xetile_job_add_dep(job, pass->fence, true);
	if (!err)
		err = xetile_job_add_dep(job, after, true);
	if (err) {
		pass_abandon(pass);
		return err;
	}
	pass_emit(pass, end, ARRAY_SIZE(end));
	job->batches[0] = XETILE_IDENTITY_BASE + xetile_kbo_dpa(mig->batches) +
			  pass->slot * XETILE_MIGRATE_BATCH;
	/* The window shows other pages than last time. */
	job->invalidate_tlb = pass->pages;
	/*
	 * Have commands, window, and what the caller wrote to HBM, out of the write-combining
	 * buffers before the job is seen.
	 */
	wmb();

	pass->job = NULL;
	dma_fence_put(pass->fence);
	pass->fence = push_job(mig, job);
	if (dma_fence_add_callback(pass->fence, &slot->cb, slot_idle))
		slot_free(slot);
	return 0;
}

/* Make room for a command on @bytes and the end of the batch, and for @pages of the window */
static int pass_reserve(struct pass *pass, u64 bytes, u32 pages)
{
	int err;

	if (pass->job && pass->used + 64 <= XETILE_MIGRATE_BATCH && pass->bytes < pass->full &&
	    pass->pages + pages <= XETILE_MIGRATE_PAGES) {
		pass->bytes += bytes;
		return 0;
	}
	err = pass_end(pass, NULL);
	if (!err)
		err = pass_begin(pass);
	pass->bytes = bytes;
	return err;
}

/* Map pages of system memory; there is room. Returns their GPU address. */
static u64 pass_map(struct pass *pass, dma_addr_t addr, u32 pages)
{
	struct xetile_migrate *mig = pass->mig;
	u32 first = pass->slot * XETILE_MIGRATE_PAGES + pass->pages;

	xetile_vm_window_set(mig->vm, first, addr, pages);
	pass->pages += pages;
	return xetile_vm_window(mig->vm) + (u64)first * PAGE_SIZE;
}

static int pass_clear(struct pass *pass, u64 dpa, u64 size)
{
	u64 addr = XETILE_IDENTITY_BASE + dpa;
	const u32 cmd[] = {
		PVC_MEM_SET | PVC_FIELD_PREP(PVC_MEM_TYPE, PVC_MEM_TYPE_MATRIX),
		ROW - 1, size / ROW - 1, ROW - 1,
		lower_32_bits(addr), upper_32_bits(addr),
		PVC_FIELD_PREP(PVC_MEM_SET6_MOCS, PVC_BLT_MOCS(PVC_MOCS_UC)),
	};
	int err = pass_reserve(pass, size, 0);

	if (!err)
		pass_emit(pass, cmd, ARRAY_SIZE(cmd));
	return err;
}

static void pass_copy(struct pass *pass, u64 dst, u64 src, u64 size)
{
	const u32 cmd[] = {
		PVC_MEM_COPY | PVC_FIELD_PREP(PVC_MEM_TYPE, PVC_MEM_TYPE_MATRIX),
		ROW - 1, size / ROW - 1, ROW - 1, ROW - 1,
		lower_32_bits(src), upper_32_bits(src),
		lower_32_bits(dst), upper_32_bits(dst),
		PVC_FIELD_PREP(PVC_MEM_COPY9_SRC_MOCS, PVC_BLT_MOCS(PVC_MOCS_UC)) |
		PVC_FIELD_PREP(PVC_MEM_COPY9_DST_MOCS, PVC_BLT_MOCS(PVC_MOCS_UC)),
	};

	pass_emit(pass, cmd, ARRAY_SIZE(cmd));
}

/* GPU address of @bytes at @addr; system pages are mapped. */
static u64 pass_address(struct pass *pass, const struct xetile_layout *layout, u64 addr, u64 bytes)
{
	if (layout->dma)
		return pass_map(pass, addr, bytes / PAGE_SIZE);
	return XETILE_IDENTITY_BASE + addr;
}

/* Copy bytes that are contiguous in HBM on one tile, and may be anywhere in system memory. */
static int copy_part(struct pass *pass, const struct request *req, u64 at, u64 size)
{
	bool system = req->dst->dma || req->src->dma;
	u64 most = system ? XETILE_MIGRATE_PAGES * PAGE_SIZE : MAX_PIECE;

	while (size) {
		u64 dst, src, bytes;
		int err;

		bytes = xetile_layout_find(req->dst, at, min(size, most), &dst);
		bytes = xetile_layout_find(req->src, at, bytes, &src);
		err = pass_reserve(pass, bytes, system ? bytes / PAGE_SIZE : 0);
		if (err)
			return err;
		pass_copy(pass, pass_address(pass, req->dst, dst, bytes),
			  pass_address(pass, req->src, src, bytes), bytes);
		at += bytes;
		size -= bytes;
	}
	return 0;
}

static bool tile_has(const struct xetile_tile *tile, u64 dpa)
{
	return dpa >= tile->range.base && dpa - tile->range.base < tile->range.size;
}

/* Do a tile's part: the bytes that are written there, or read if system memory is written. */
static int tile_work(struct pass *pass, const struct request *req)
{
	const struct xetile_layout *hbm = req->dst->dma ? req->src : req->dst;
	u64 at, bytes, dpa;
	int err = 0;

	for (at = 0; at < hbm->size && !err; at += bytes) {
		bytes = xetile_layout_find(hbm, at, MAX_PIECE, &dpa);
		if (!tile_has(pass->mig->tile, dpa))
			continue;
		err = req->src ? copy_part(pass, req, at, bytes) : pass_clear(pass, dpa, bytes);
	}
	return err;
}

/*
 * Do a tile's part of a request, after *@fence. Replaces *@fence by the fence of the part, or
 * leaves it when there is nothing to do.
 */
static int migrate_tile(struct xetile_migrate *mig, const struct request *req,
			struct dma_fence **fence)
{
	struct pass pass = { .mig = mig, .killable = req->killable };
	int err;

	err = tile_work(&pass, req);
	/* The pass that is open is the tile's last. */
	if (!err)
		err = pass_end(&pass, *fence);
	pass_abandon(&pass);
	if (err && pass.fence) {
		/* No fence stands for both, so wait for this one. */
		dma_fence_wait(pass.fence, false);
		dma_fence_put(pass.fence);
	} else if (pass.fence) {
		dma_fence_put(*fence);
		*fence = pass.fence;
	}
	return err;
}

static struct dma_fence *migrate(struct xetile_device *xt, const struct request *req)
{
	struct dma_fence *fence = NULL;
	struct xetile_tile *tile;
	int err = xetile_wedged(xt->sched);

	if (err)
		return ERR_PTR(err);

	xetile_for_each_tile(tile, xt) {
		err = migrate_tile(tile->migrate, req, &fence);
		if (err)
			goto err_wait;
	}
	return fence ?: dma_fence_get_stub();

err_wait:
	/* The few passes that were begun must not go on behind the caller's back. */
	if (fence)
		dma_fence_wait(fence, false);
	dma_fence_put(fence);
	return ERR_PTR(err);
}

static struct dma_fence *migrate_clear(struct xetile_device *xt, const struct xetile_layout *dst,
				       bool killable)
{
	const struct request req = { .dst = dst, .killable = killable };

	if (dst->dma || dst->size % ROW)
		return ERR_PTR(-EINVAL);
	return migrate(xt, &req);
}

static struct dma_fence *migrate_copy(struct xetile_device *xt, const struct xetile_layout *dst,
				      const struct xetile_layout *src, bool killable)
{
	const struct request req = { .dst = dst, .src = src, .killable = killable };

	if ((dst->dma && src->dma) || dst->size != src->size || dst->size % ROW)
		return ERR_PTR(-EINVAL);
	return migrate(xt, &req);
}

static int migrate_check(struct xetile_device *xt)
{
	return xetile_wedged(xt->sched);
}

const struct xetile_bo_mover xetile_mover = {
	.check = migrate_check,
	.clear = migrate_clear,
	.copy = migrate_copy,
};
