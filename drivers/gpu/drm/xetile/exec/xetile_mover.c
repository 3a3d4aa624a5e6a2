// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_mover.h"

#include <linux/bitops.h>
#include <linux/bug.h>
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
#include "exec/xetile_mover_fence.h"
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
 * All tiles of a request work at once: the next pass is made for whichever tile has a free slot. A
 * pass is made and pushed without a wait in between, so a request that sleeps until a tile has a
 * free slot keeps no slot of another.
 *
 * Requests share the slots, pass by pass: a slot goes to the request that has waited longest
 * for one, so that a request of a thousand passes delays one of a single pass by no more than
 * the passes in the slots at that time. A pass is bounded in commands, in pages of the window
 * and in bytes; a pass that finds all other slots idle may have the bytes of all of them, which
 * saves jobs, and less than doubles the bytes in the slots.
 *
 * A request has one fence, which fails if any of its passes does. The passes of one tile are a
 * chain: each waits for the one before and takes its error over. xetile_mover_fence.c makes one
 * fence of the last ones of several tiles.
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

/* A pass in the making, which has a slot */
struct pass {
	struct xetile_migrate *mig;
	unsigned int slot;
	u32 used;
	u32 pages;
	u64 bytes;
	/* No command is added to a pass that has so many bytes */
	u64 full;
};

/* A tile's part: the bytes that are written there, or read if system memory is written */
struct part {
	struct xetile_migrate *mig;
	/* What is before this offset is in passes, or another tile's; at the end it is done */
	u64 at;
	/* The fence of the last pass, or NULL */
	struct dma_fence *fence;
};

/* A request: a clear without @src, else a copy of as many bytes */
struct request {
	const struct xetile_layout *dst;
	const struct xetile_layout *src;
	/* The one of them that says which tile does what */
	const struct xetile_layout *hbm;
	/* Give up when the task is killed */
	bool killable;
	/* For a request of several parts, or NULL */
	struct xetile_mover_fence *joint;
	struct part parts[XETILE_MAX_TILES];
	unsigned int num_parts;
	/* The part that is looked at first for the next pass */
	unsigned int turn;
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

/* Use a slot of those that &xetile_migrate.idle has let this task in for. */
static unsigned int slot_use(struct xetile_migrate *mig)
{
	unsigned int slot;

	/* There is a free slot for each task that is let in, but another one may take it first. */
	do {
		slot = find_first_zero_bit(&mig->busy, XETILE_MIGRATE_SLOTS);
	} while (slot == XETILE_MIGRATE_SLOTS || test_and_set_bit_lock(slot, &mig->busy));
	return slot;
}

static bool part_is_done(const struct part *part, const struct request *req)
{
	return part->at == req->hbm->size;
}

/*
 * Wait until a tile that has something left to do has a free slot. The next call begins with
 * another tile. Returns the tile's part, for slot_use(), or ERR_PTR(-ERESTARTSYS).
 */
static struct part *next_part(struct request *req)
{
	struct part *part, *first = NULL;
	unsigned int i;

	for (i = 0; i < req->num_parts; i++) {
		part = &req->parts[req->turn++ % req->num_parts];
		if (part_is_done(part, req))
			continue;
		if (!down_trylock(&part->mig->idle))
			return part;
		first = first ?: part;
	}
	req->turn = first - req->parts + 1;
	if (!req->killable)
		down(&first->mig->idle);
	else if (down_killable(&first->mig->idle))
		return ERR_PTR(-ERESTARTSYS);
	return first;
}

static void pass_begin(struct pass *pass, struct xetile_migrate *mig)
{
	*pass = (struct pass) { .mig = mig, .slot = slot_use(mig) };
	pass->full = READ_ONCE(mig->busy) == BIT(pass->slot) ?
		     XETILE_MIGRATE_SLOTS * SLOT_BYTES : SLOT_BYTES;
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

/* Push a pass, as @job, behind the tile's pass with *@fence, which the new fence replaces. */
static void pass_push(struct pass *pass, struct xetile_job *job, struct dma_fence **fence)
{
	const u32 end[] = { PVC_MI_BATCH_BUFFER_END, PVC_MI_NOOP };
	struct xetile_migrate *mig = pass->mig;
	struct xetile_migrate_slot *slot = &mig->slots[pass->slot];

	pass_emit(pass, end, ARRAY_SIZE(end));
	job->batches[0] = XETILE_IDENTITY_BASE + xetile_kbo_dpa(mig->batches) +
			  pass->slot * XETILE_MIGRATE_BATCH;
	/* The window shows other pages than last time. */
	job->invalidate_tlb = pass->pages;
	/* The last pass's fence stands for all of them. Memory for this was reserved. */
	WARN_ON(xetile_job_add_dep(job, *fence, true));
	/*
	 * Have commands, window, and what the caller wrote to HBM, out of the write-combining
	 * buffers before the job is seen.
	 */
	wmb();

	dma_fence_put(*fence);
	*fence = push_job(mig, job);
	if (dma_fence_add_callback(*fence, &slot->cb, slot_idle))
		slot_free(slot);
}

/* Is there room for one more command, for the end of the batch, and for @pages of the window? */
static bool pass_has_room(const struct pass *pass, u32 pages)
{
	return pass->used + 64 <= XETILE_MIGRATE_BATCH && pass->bytes < pass->full &&
	       pass->pages + pages <= XETILE_MIGRATE_PAGES;
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

static void pass_clear(struct pass *pass, u64 dpa, u64 size)
{
	u64 addr = XETILE_IDENTITY_BASE + dpa;
	const u32 cmd[] = {
		PVC_MEM_SET | PVC_FIELD_PREP(PVC_MEM_TYPE, PVC_MEM_TYPE_MATRIX),
		ROW - 1, size / ROW - 1, ROW - 1,
		lower_32_bits(addr), upper_32_bits(addr),
		PVC_FIELD_PREP(PVC_MEM_SET6_MOCS, PVC_BLT_MOCS(PVC_MOCS_UC)),
	};

	pass_emit(pass, cmd, ARRAY_SIZE(cmd));
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

/* Put the next bytes of a part, in one command, into a pass. Returns whether there was room. */
static bool pass_add(struct pass *pass, struct part *part, const struct request *req)
{
	bool system = req->dst->dma || (req->src && req->src->dma);
	u64 bytes = system ? XETILE_MIGRATE_PAGES * PAGE_SIZE : MAX_PIECE;
	u64 dst, src;

	bytes = xetile_layout_find(req->dst, part->at, bytes, &dst);
	if (req->src)
		bytes = xetile_layout_find(req->src, part->at, bytes, &src);
	if (!pass_has_room(pass, system ? bytes / PAGE_SIZE : 0))
		return false;
	if (req->src)
		pass_copy(pass, pass_address(pass, req->dst, dst, bytes),
			  pass_address(pass, req->src, src, bytes), bytes);
	else
		pass_clear(pass, dst, bytes);
	pass->bytes += bytes;
	part->at += bytes;
	return true;
}

static bool tile_has(const struct xetile_tile *tile, u64 dpa)
{
	return dpa >= tile->range.base && dpa - tile->range.base < tile->range.size;
}

/* Go on to the next bytes that lie on the part's tile */
static void part_skip(struct part *part, const struct request *req)
{
	u64 bytes, dpa;

	for (; !part_is_done(part, req); part->at += bytes) {
		bytes = xetile_layout_find(req->hbm, part->at, req->hbm->size, &dpa);
		if (tile_has(part->mig->tile, dpa))
			break;
	}
}

/* Make and push one pass. Returns 0, -ENOMEM or -ERESTARTSYS. */
static int do_pass(struct request *req)
{
	/* Before the slot is taken, so that no slot waits for memory */
	struct xetile_job *job = xetile_job_create();
	struct part *part;
	struct pass pass;
	int err;

	if (!job)
		return -ENOMEM;
	err = xetile_job_reserve_deps(job, 1);
	if (err)
		goto err_destroy;
	part = next_part(req);
	if (IS_ERR(part)) {
		err = PTR_ERR(part);
		goto err_destroy;
	}
	pass_begin(&pass, part->mig);
	while (!part_is_done(part, req) && pass_add(&pass, part, req))
		part_skip(part, req);
	pass_push(&pass, job, &part->fence);
	return 0;

err_destroy:
	xetile_job_destroy(job);
	return err;
}

static bool is_done(const struct request *req)
{
	unsigned int i;

	for (i = 0; i < req->num_parts; i++)
		if (!part_is_done(&req->parts[i], req))
			return false;
	return true;
}

/* Find the parts of a request; one with several gets memory for their common fence. */
static int request_begin(struct request *req, struct xetile_device *xt)
{
	struct xetile_tile *tile;
	struct part *part;

	xetile_for_each_tile(tile, xt) {
		part = &req->parts[req->num_parts];
		*part = (struct part) { .mig = tile->migrate };
		part_skip(part, req);
		if (!part_is_done(part, req))
			req->num_parts++;
	}
	if (req->num_parts < 2)
		return 0;
	req->joint = xetile_mover_fence_alloc();
	return req->joint ? 0 : -ENOMEM;
}

static struct dma_fence *request_end(struct request *req)
{
	struct dma_fence *fences[XETILE_MAX_TILES];
	unsigned int i;

	for (i = 0; i < req->num_parts; i++)
		fences[i] = req->parts[i].fence;
	if (req->joint)
		return xetile_mover_fence_join(req->joint, fences, req->num_parts);
	return req->num_parts ? fences[0] : dma_fence_get_stub();
}

/* The passes that were pushed must not go on behind the caller's back. */
static void request_wait(struct request *req)
{
	unsigned int i;

	for (i = 0; i < req->num_parts; i++) {
		if (req->parts[i].fence)
			dma_fence_wait(req->parts[i].fence, false);
		dma_fence_put(req->parts[i].fence);
	}
	xetile_mover_fence_free(req->joint);
}

static struct dma_fence *migrate(struct xetile_device *xt, struct request *req)
{
	int err = xetile_wedged(xt->sched) ?: request_begin(req, xt);

	while (!err && !is_done(req))
		err = do_pass(req);
	if (!err)
		return request_end(req);
	request_wait(req);
	return ERR_PTR(err);
}

static struct dma_fence *migrate_clear(struct xetile_device *xt, const struct xetile_layout *dst,
				       bool killable)
{
	struct request req = { .dst = dst, .hbm = dst, .killable = killable };

	if (dst->dma || dst->size % ROW)
		return ERR_PTR(-EINVAL);
	return migrate(xt, &req);
}

static struct dma_fence *migrate_copy(struct xetile_device *xt, const struct xetile_layout *dst,
				      const struct xetile_layout *src, bool killable)
{
	struct request req = {
		.dst = dst, .src = src, .hbm = dst->dma ? src : dst, .killable = killable,
	};

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
