// SPDX-License-Identifier: GPL-2.0-only
#include "xetile_migrate.h"

#include <linux/completion.h>
#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/iosys-map.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include <drm/drm_print.h>

#include "instructions/xt_blt_commands.h"
#include "instructions/xt_mi_commands.h"
#include "regs/xt_gt_regs.h"

#include "xetile_bo.h"
#include "xetile_device.h"
#include "xetile_hbm.h"
#include "xetile_job.h"
#include "xetile_kbo.h"
#include "xetile_queue.h"
#include "xetile_vm.h"
#include "xetile_wedge.h"

/**
 * DOC: the kernel's own copies
 *
 * Each tile has a copy queue of the kernel's, on an engine that users do not get
 * when there is another one. Its address space maps all HBM at a fixed place, so
 * HBM needs no tables written; pages of system memory are mapped through a
 * window.
 *
 * Work is done in *passes*: a batch in a slot of the tile's batch buffer, and a
 * part of the window. A slot is used again when the fence of its last pass has
 * signalled. What lies on a tile is cleared and copied to by that tile's own
 * engine.
 *
 * A request that concerns several tiles has one fence, and a reservation takes
 * no fence made of others: so the last pass on each tile waits for the tile
 * before, and takes its error over, and the last of all speaks for all.
 */

#define NUM_SLOTS	4
#define SLOT_BATCH	0x4000u
#define SLOT_PAGES	2048u

/* Geometry of the commands: rows of a page; the copy engines take 2^14 rows. */
#define ROW		4096u
#define MAX_ROWS	0x4000u
#define MAX_PIECE	((u64)ROW * MAX_ROWS)

/* A long list of commands is the kernel's own fault, not a hang. */
#define TIMEOUT_MS	60000

/*
 * A slot remembers no fence: it would keep it for as long as nothing else is
 * copied.
 */
struct slot {
	struct completion idle;
	struct dma_fence_cb cb;
};

/** struct xetile_migrate - copies of a tile */
struct xetile_migrate {
	struct xetile_tile *tile;
	struct xetile_vm *vm;
	struct xetile_queue *queue;
	struct xetile_kbo *batches;
	/* Held while a pass is made; may be held while waiting for a fence. */
	struct mutex lock;
	/* Protected by @lock; the slot of the next pass is slots[slot] */
	unsigned int slot;
	struct slot slots[NUM_SLOTS];
};

/* A pass in the making */
struct pass {
	struct xetile_migrate *mig;
	u32 used;
	u32 pages;
	bool open;
	/* The last pass pushed, or NULL */
	struct dma_fence *fence;
	/* What the pass in the making waits for, or NULL */
	struct dma_fence *after;
};

/* Where two lists of extents stand */
struct cursor {
	const struct xetile_extent *ext;
	unsigned int num;
	u64 offset;
};

static void slot_idle(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	complete_all(&container_of(cb, struct slot, cb)->idle);
}

static void pass_begin(struct pass *pass)
{
	struct xetile_migrate *mig = pass->mig;

	lockdep_assert_held(&mig->lock);
	wait_for_completion(&mig->slots[mig->slot].idle);
	pass->used = 0;
	pass->pages = 0;
	pass->open = true;
}

static void pass_emit(struct pass *pass, const u32 *dwords, unsigned int n)
{
	iosys_map_memcpy_to(xetile_kbo_map(pass->mig->batches),
			    pass->mig->slot * SLOT_BATCH + pass->used, dwords, n * sizeof(u32));
	pass->used += n * sizeof(u32);
}

/* Push what was made. On failure nothing of the pass runs. */
static int pass_end(struct pass *pass)
{
	const u32 end[] = { XT_MI_BATCH_BUFFER_END, XT_MI_NOOP };
	struct xetile_migrate *mig = pass->mig;
	struct slot *slot = &mig->slots[mig->slot];
	struct xetile_job *job;
	int err;

	lockdep_assert_held(&mig->lock);
	if (!pass->open)
		return 0;
	pass->open = false;
	job = xetile_job_create();
	if (!job)
		return -ENOMEM;
	/* The last pass's fence stands for all of them: it fails if one of them does. */
	err = xetile_job_add_dep(job, pass->fence, true);
	if (!err)
		err = xetile_job_add_dep(job, pass->after, true);
	if (err) {
		xetile_job_destroy(job);
		return err;
	}
	pass_emit(pass, end, ARRAY_SIZE(end));
	job->batches[0] = XETILE_IDENTITY_BASE + xetile_kbo_dpa(mig->batches) +
			  mig->slot * SLOT_BATCH;
	/* The window shows other pages than last time. */
	job->invalidate_tlb = pass->pages;

	dma_fence_put(pass->fence);
	reinit_completion(&slot->idle);
	pass->fence = xetile_queue_push(mig->queue, job);
	if (dma_fence_add_callback(pass->fence, &slot->cb, slot_idle))
		complete_all(&slot->idle);
	mig->slot = (mig->slot + 1) % NUM_SLOTS;
	return 0;
}

/* Room for a command and the end of the batch, and for @pages of the window */
static int pass_reserve(struct pass *pass, u32 pages)
{
	int err;

	if (pass->open && pass->used + 64 <= SLOT_BATCH && pass->pages + pages <= SLOT_PAGES)
		return 0;
	err = pass_end(pass);
	if (!err)
		pass_begin(pass);
	return err;
}

/* Map pages of system memory; there is room. Returns their GPU address. */
static u64 pass_map(struct pass *pass, dma_addr_t addr, u32 pages)
{
	struct xetile_migrate *mig = pass->mig;
	u32 first = mig->slot * SLOT_PAGES + pass->pages, i;

	lockdep_assert_held(&mig->lock);
	for (i = 0; i < pages; i++) {
		dma_addr_t page = addr + (u64)i * PAGE_SIZE;

		xetile_vm_window_set(mig->vm, first + i, &page, 1);
	}
	pass->pages += pages;
	return xetile_vm_window(mig->vm) + (u64)first * PAGE_SIZE;
}

static int pass_clear(struct pass *pass, u64 addr, u64 size)
{
	while (size) {
		u64 piece = min(size, MAX_PIECE);
		const u32 cmd[] = {
			XT_MEM_SET | XT_FIELD_PREP(XT_MEM_TYPE, XT_MEM_TYPE_MATRIX),
			ROW - 1, piece / ROW - 1, ROW - 1,
			lower_32_bits(addr), upper_32_bits(addr),
			XT_FIELD_PREP(XT_MEM_SET6_MOCS, XT_BLT_MOCS(XT_MOCS_UC)),
		};
		int err = pass_reserve(pass, 0);

		if (err)
			return err;
		pass_emit(pass, cmd, ARRAY_SIZE(cmd));
		addr += piece;
		size -= piece;
	}
	return 0;
}

static void pass_copy(struct pass *pass, u64 dst, u64 src, u64 size)
{
	const u32 cmd[] = {
		XT_MEM_COPY | XT_FIELD_PREP(XT_MEM_TYPE, XT_MEM_TYPE_MATRIX),
		ROW - 1, size / ROW - 1, ROW - 1, ROW - 1,
		lower_32_bits(src), upper_32_bits(src),
		lower_32_bits(dst), upper_32_bits(dst),
		XT_FIELD_PREP(XT_MEM_COPY9_SRC_MOCS, XT_BLT_MOCS(XT_MOCS_UC)) |
		XT_FIELD_PREP(XT_MEM_COPY9_DST_MOCS, XT_BLT_MOCS(XT_MOCS_UC)),
	};

	pass_emit(pass, cmd, ARRAY_SIZE(cmd));
}

static u64 cursor_left(const struct cursor *cur)
{
	return cur->num ? cur->ext->size - cur->offset : 0;
}

static void cursor_advance(struct cursor *cur, u64 bytes)
{
	cur->offset += bytes;
	if (cur->offset == cur->ext->size) {
		cur->ext++;
		cur->num--;
		cur->offset = 0;
	}
}

/* GPU address of @bytes at the cursor; system pages are mapped. */
static u64 cursor_address(const struct cursor *cur, struct pass *pass, u64 bytes)
{
	u64 addr = cur->ext->addr + cur->offset;

	if (cur->ext->system)
		return pass_map(pass, addr, bytes / PAGE_SIZE);
	return XETILE_IDENTITY_BASE + addr;
}

/* Copy the pieces that @tile is to copy. */
static int tile_copy(struct pass *pass, u32 tile, struct cursor dst, struct cursor src, u64 size)
{
	while (size) {
		u64 bytes = min3(size, cursor_left(&dst), cursor_left(&src));
		bool system;
		int err;

		if (!bytes)
			return -EINVAL;
		system = dst.ext->system || src.ext->system;
		bytes = min_t(u64, bytes, system ? SLOT_PAGES * PAGE_SIZE : MAX_PIECE);
		if (tile == (dst.ext->system ? src.ext->tile : dst.ext->tile)) {
			err = pass_reserve(pass, system ? bytes / PAGE_SIZE : 0);
			if (err)
				return err;
			pass_copy(pass, cursor_address(&dst, pass, bytes),
				  cursor_address(&src, pass, bytes), bytes);
		}
		cursor_advance(&dst, bytes);
		cursor_advance(&src, bytes);
		size -= bytes;
	}
	return 0;
}

static int tile_clear(struct pass *pass, u32 tile, const struct xetile_extent *ext,
		      unsigned int num)
{
	unsigned int i;
	int err;

	for (i = 0; i < num; i++) {
		if (ext[i].tile != tile)
			continue;
		err = pass_clear(pass, XETILE_IDENTITY_BASE + ext[i].addr, ext[i].size);
		if (err)
			return err;
	}
	return 0;
}

/* Whole pages, no system memory on both sides: what the commands here can do */
static int check_extents(const struct xetile_extent *ext, unsigned int num, bool system)
{
	unsigned int i;

	for (i = 0; i < num; i++) {
		if (!ext[i].size || (ext[i].addr | ext[i].size) % ROW)
			return -EINVAL;
		if (ext[i].system && !system)
			return -EINVAL;
	}
	return 0;
}

static bool any_system(const struct xetile_extent *ext, unsigned int num)
{
	unsigned int i;

	for (i = 0; i < num; i++)
		if (ext[i].system)
			return true;
	return false;
}

/* What a pass is made of: a clear without @src, else a copy */
struct request {
	const struct xetile_extent *dst;
	unsigned int num_dst;
	const struct xetile_extent *src;
	unsigned int num_src;
	u64 size;
};

/*
 * A tile's part of a request, after *@fence. Takes that over and puts its own
 * there, or leaves it when there is nothing to do.
 */
static int migrate_tile(struct xetile_migrate *mig, const struct request *req,
			struct dma_fence **fence)
{
	struct pass pass = { .mig = mig };
	int err, end;

	mutex_lock(&mig->lock);
	if (req->src)
		err = tile_copy(&pass, mig->tile->id,
				(struct cursor){ .ext = req->dst, .num = req->num_dst },
				(struct cursor){ .ext = req->src, .num = req->num_src },
				req->size);
	else
		err = tile_clear(&pass, mig->tile->id, req->dst, req->num_dst);
	/* The pass that is open is the tile's last. */
	pass.after = *fence;
	end = pass_end(&pass);
	mutex_unlock(&mig->lock);

	err = err ?: end;
	if (err && *fence && pass.fence)
		/* Then nothing waits for what came before. */
		dma_fence_wait(*fence, false);
	if (pass.fence) {
		dma_fence_put(*fence);
		*fence = pass.fence;
	}
	return err;
}

static struct dma_fence *migrate(struct xetile_device *xt, const struct request *req)
{
	struct dma_fence *fence = NULL;
	struct xetile_tile *tile;
	int err = xetile_wedged(xt->gangs);

	if (err)
		return ERR_PTR(err);

	xetile_for_each_tile(tile, xt) {
		err = migrate_tile(tile->migrate, req, &fence);
		if (err)
			goto wait;
	}
	return fence ?: dma_fence_get_stub();

wait:
	/* What was begun must not go on behind the caller's back. */
	if (fence)
		dma_fence_wait(fence, false);
	dma_fence_put(fence);
	return ERR_PTR(err);
}

static struct dma_fence *migrate_clear(struct xetile_device *xt, const struct xetile_extent *ext,
				       unsigned int num)
{
	const struct request req = { .dst = ext, .num_dst = num };
	int err = check_extents(ext, num, false);

	return err ? ERR_PTR(err) : migrate(xt, &req);
}

static struct dma_fence *migrate_copy(struct xetile_device *xt,
				      const struct xetile_extent *dst, unsigned int num_dst,
				      const struct xetile_extent *src, unsigned int num_src,
				      u64 size)
{
	const struct request req = {
		.dst = dst, .num_dst = num_dst, .src = src, .num_src = num_src, .size = size,
	};
	int err;

	if (size % ROW)
		return ERR_PTR(-EINVAL);
	err = check_extents(dst, num_dst, true) ?:
	      check_extents(src, num_src, !any_system(dst, num_dst));
	return err ? ERR_PTR(err) : migrate(xt, &req);
}

static const struct xetile_bo_mover migrate_mover = {
	.clear = migrate_clear,
	.copy = migrate_copy,
};

static void tile_fini(struct xetile_tile *tile)
{
	struct xetile_migrate *mig = tile->migrate;

	if (!mig)
		return;
	tile->migrate = NULL;
	if (mig->queue) {
		xetile_queue_kill(mig->queue);
		xetile_queue_put(mig->queue);
	}
	if (mig->batches)
		xetile_kbo_destroy(mig->batches);
	if (mig->vm)
		xetile_vm_put(mig->vm);
	kfree(mig);
}

/* Keep the highest copy engine for the kernel, unless it is the only one. */
static void reserve_engine(struct xetile_tile *tile)
{
	struct xetile_engine *engine = NULL;
	unsigned int i, n = 0;

	for (i = 0; i < tile->num_engines; i++) {
		if (tile->engines[i].class != XETILE_ENGINE_COPY)
			continue;
		engine = &tile->engines[i];
		n++;
	}
	/* BCS0 cannot be fused off. */
	engine->kernel_only = n > 1;
}

static int tile_init(struct xetile_tile *tile)
{
	struct xetile_queue_args args = {
		.class = XETILE_ENGINE_COPY,
		.target = XETILE_QUEUE_KERNEL,
		.tile = tile->id,
		.priority = 1,
		.weight = XETILE_QUEUE_DEFAULT_WEIGHT,
		.timeout_ms = TIMEOUT_MS,
	};
	struct xetile_migrate *mig;
	unsigned int i;
	int err;

	reserve_engine(tile);
	mig = kzalloc(sizeof(*mig), GFP_KERNEL);
	if (!mig)
		return -ENOMEM;
	tile->migrate = mig;
	mig->tile = tile;
	mutex_init(&mig->lock);
	for (i = 0; i < NUM_SLOTS; i++) {
		init_completion(&mig->slots[i].idle);
		complete_all(&mig->slots[i].idle);
	}

	mig->vm = xetile_vm_create_kernel(tile, NUM_SLOTS * SLOT_PAGES);
	if (IS_ERR(mig->vm)) {
		err = PTR_ERR(mig->vm);
		mig->vm = NULL;
		goto err_fini;
	}
	mig->batches = xetile_kbo_create(tile, NUM_SLOTS * SLOT_BATCH, 0, NULL);
	if (IS_ERR(mig->batches)) {
		err = PTR_ERR(mig->batches);
		mig->batches = NULL;
		goto err_fini;
	}
	args.vm = mig->vm;
	mig->queue = xetile_queue_create(tile->xt, &args);
	if (IS_ERR(mig->queue)) {
		err = PTR_ERR(mig->queue);
		mig->queue = NULL;
		goto err_fini;
	}
	return 0;

err_fini:
	tile_fini(tile);
	return err;
}

/**
 * xetile_migrate_init() - let the copy engines clear and copy buffers
 * @xt: the card
 *
 * Return: 0 or -errno.
 */
int xetile_migrate_init(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	int err;

	xetile_for_each_tile(tile, xt) {
		err = tile_init(tile);
		if (err) {
			xetile_migrate_fini(xt);
			return err;
		}
	}
	xt->mover = &migrate_mover;
	return 0;
}

/**
 * xetile_migrate_fini() - undo xetile_migrate_init()
 * @xt: the card; its work has been stopped
 */
void xetile_migrate_fini(struct xetile_device *xt)
{
	struct xetile_tile *tile;

	xt->mover = NULL;
	xetile_for_each_tile(tile, xt)
		tile_fini(tile);
}
