// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_managed.h"

#include <linux/dma-resv.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <drm/drm_gem.h>

#include "mem/xetile_bind_op.h"
#include "mem/xetile_bo.h"
#include "mem/xetile_managed_cpu.h"
#include "mem/xetile_managed_types.h"
#include "xetile_device.h"

/**
 * DOC: memory that moves on access
 *
 * A *managed* buffer is a *whole* and its *parts*. The whole has the handle, the color and the
 * offset for mmap(), but no memory, and TTM does not know it. Each part is a private buffer without
 * a handle: 2 MiB with that range's share of the color. So a range moves alone, and nothing that
 * moves buffers has to know ranges: eviction, return, swapping, page tables, lost contents and
 * limits treat the parts as any other buffers. A single buffer with pieces in both memories would
 * need another form of resource, and each of these places to know it.
 *
 * All parts are private to one address space, so that they share its reservation, and a job pays
 * for none of them that has not moved. A bind of the whole becomes binds of parts before the call
 * that makes them all or none. The price is some two KiB of kernel memory for each part, leaves of
 * 2 MiB at most in page tables, and a copy of its own for each part that moves.
 *
 * What the CPU does is in xetile_managed_cpu.c. The parts may outlive the whole, because an address
 * space maps them; the reservation protects the way from a part to its whole.
 */

/* Color pages of a part */
#define PART_PAGES	(XETILE_MANAGED_RANGE >> XETILE_COLOR_PAGE_SHIFT)

/* Nobody finds the whole any more. */
static void let_parts_go(struct xetile_bo *whole)
{
	unsigned int i;

	dma_resv_lock(whole->ttm.base.resv, NULL);
	for (i = 0; i < whole->num_parts; i++)
		whole->parts[i]->whole = NULL;
	dma_resv_unlock(whole->ttm.base.resv);
	for (i = 0; i < whole->num_parts; i++) {
		drm_gem_object_put(xetile_bo_gem(whole->parts[i]));
		cond_resched();
	}
}

/* No process maps it, and no reservation is held. */
static void managed_free(struct drm_gem_object *gem)
{
	struct xetile_bo *whole = gem_to_xetile_bo(gem);

	let_parts_go(whole);
	kvfree(whole->parts);
	xetile_bo_destroy(&whole->ttm);
}

/* It has one handle, as all private BOs. */
static int managed_open(struct drm_gem_object *gem, struct drm_file *file)
{
	return READ_ONCE(gem->handle_count) > 1 ? -EPERM : 0;
}

static void managed_close(struct drm_gem_object *gem, struct drm_file *file)
{
	xetile_bo_closed(gem_to_xetile_bo(gem));
}

static struct dma_buf *managed_export(struct drm_gem_object *gem, int flags)
{
	return ERR_PTR(-EPERM);
}

/* The mapping keeps the reference of the GEM core, see xetile_managed_vm_ops. */
static int managed_mmap(struct drm_gem_object *gem, struct vm_area_struct *vma)
{
	/* Pages that are copied on write would not follow the moves. */
	if ((vma->vm_flags & (VM_SHARED | VM_MAYWRITE)) == VM_MAYWRITE)
		return -EINVAL;
	vma->vm_private_data = &gem_to_xetile_bo(gem)->ttm;
	vm_flags_set(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP);
	return 0;
}

static const struct drm_gem_object_funcs managed_funcs = {
	.free = managed_free,
	.open = managed_open,
	.close = managed_close,
	.export = managed_export,
	.mmap = managed_mmap,
	.vm_ops = &xetile_managed_vm_ops,
};

/* struct slicer - cuts the color of a whole into those of its parts, in their order */
struct slicer {
	struct xetile_color_iter it;
	/* what is left of the run that was walked last */
	u32 tile;
	u64 pages;
};

/* The color of the next @pages pages. @runs: room for as many */
static void slice(struct slicer *s, u64 pages, struct xetile_color_run *runs,
		  struct xetile_coloring *color)
{
	u32 num = 0;

	*color = (struct xetile_coloring) { .policy = XETILE_POLICY_MAP, .runs = runs };
	while (pages) {
		u32 n;

		if (!s->pages)
			xetile_color_next(&s->it, &s->tile, &s->pages);
		n = min(pages, s->pages);
		if (num && runs[num - 1].tile == s->tile)
			runs[num - 1].pages += n;
		else
			runs[num++] = (struct xetile_color_run) { s->tile, n };
		color->tile_mask |= BIT(s->tile);
		s->pages -= n;
		pages -= n;
	}
	color->num_runs = num;
	/* Most parts lie on one tile, and need no list of runs. */
	if (num == 1)
		*color = (struct xetile_coloring) {
			.policy = XETILE_POLICY_TILE, .tile_mask = color->tile_mask,
		};
}

/* @part: its reference is the whole's from now on. */
static void adopt(struct xetile_bo *whole, struct xetile_bo *part)
{
	int t;

	dma_resv_lock(whole->ttm.base.resv, NULL);
	part->whole = whole;
	part->part = whole->num_parts;
	for (t = 0; t < XETILE_MAX_TILES; t++)
		whole->hbm_bytes[t] += part->hbm_bytes[t];
	whole->parts[whole->num_parts++] = part;
	dma_resv_unlock(whole->ttm.base.resv);
}

static int add_part(struct xetile_device *xt, struct xetile_bo *whole, struct slicer *s)
{
	u64 offset = (u64)whole->num_parts * XETILE_MANAGED_RANGE;
	struct xetile_color_run runs[PART_PAGES];
	struct xetile_bo_args args = whole->args;
	struct xetile_bo *part;

	/* There may be very many. */
	if (fatal_signal_pending(current))
		return -EINTR;
	if (xetile_device_is_unplugged(xt))
		return -ENODEV;
	cond_resched();
	args.size = min_t(u64, whole->args.size - offset, XETILE_MANAGED_RANGE);
	args.flags &= ~XETILE_BO_MIGRATE;
	slice(s, args.size >> XETILE_COLOR_PAGE_SHIFT, runs, &args.color);
	part = xetile_bo_create(xt, &args);
	if (IS_ERR(part))
		return PTR_ERR(part);
	adopt(whole, part);
	return 0;
}

static int add_parts(struct xetile_device *xt, struct xetile_bo *whole)
{
	u64 num = DIV_ROUND_UP_ULL(whole->args.size, XETILE_MANAGED_RANGE), i;
	struct slicer s = { };
	int err = 0;

	whole->parts = kvcalloc(num, sizeof(*whole->parts), GFP_KERNEL_ACCOUNT);
	if (!whole->parts)
		return -ENOMEM;
	xetile_color_begin(&s.it, &whole->args.color,
			   whole->args.size >> XETILE_COLOR_PAGE_SHIFT);
	for (i = 0; i < num && !err; i++)
		err = add_part(xt, whole, &s);
	return err;
}

/**
 * xetile_managed_create() - make a buffer that moves on access
 * @xt: card
 * @args: arguments of its creation, checked; HBM can hold it, and it is private
 *
 * As xetile_bo_create().
 *
 * Context: process; takes the reservation of the group.
 * Return: the whole with one reference, or an ERR_PTR: ENOSPC, ENOMEM, ERESTARTSYS, EINTR, ENODEV.
 */
struct xetile_bo *xetile_managed_create(struct xetile_device *xt,
					const struct xetile_bo_args *args)
{
	struct xetile_bo *whole = xetile_bo_alloc(xt, args);
	int err;

	if (IS_ERR(whole))
		return whole;
	whole->ttm.base.funcs = &managed_funcs;
	whole->ttm.base.resv = args->owner->resv;
	err = drm_gem_create_mmap_offset(xetile_bo_gem(whole)) ?: add_parts(xt, whole);
	if (!err)
		return whole;
	xetile_bo_closed(whole);
	drm_gem_object_put(xetile_bo_gem(whole));
	return ERR_PTR(err);
}

static bool is_whole(const struct xetile_bind_op *op)
{
	return op->kind == XETILE_BIND_MAP && gem_to_xetile_bo(op->gem)->parts;
}

/**
 * xetile_managed_binds() - how many binds a bind is made of
 * @op: bind, checked
 *
 * Context: any.
 * Return: number of parts that it maps; 0 for any other bind than that of a whole.
 */
unsigned int xetile_managed_binds(const struct xetile_bind_op *op)
{
	if (!is_whole(op))
		return 0;
	return ((op->offset + op->range - 1) >> XETILE_MANAGED_SHIFT) -
	       (op->offset >> XETILE_MANAGED_SHIFT) + 1;
}

/**
 * xetile_managed_split() - make a bind one of parts
 * @op: bind, checked; its references go to @out, or are dropped
 * @out: as many binds as xetile_managed_binds() says; one instead of none
 *
 * Context: process, with no reservation.
 */
void xetile_managed_split(const struct xetile_bind_op *op, struct xetile_bind_op *out)
{
	struct xetile_bo *whole = is_whole(op) ? gem_to_xetile_bo(op->gem) : NULL;
	u64 done = 0;

	if (!whole) {
		*out = *op;
		return;
	}
	while (done < op->range) {
		u64 at = op->offset + done, in_part = at & (XETILE_MANAGED_RANGE - 1);

		*out = *op;
		out->gem = xetile_bo_gem(whole->parts[at >> XETILE_MANAGED_SHIFT]);
		drm_gem_object_get(out->gem);
		out->addr = op->addr + done;
		out->offset = in_part;
		out->range = min(op->range - done, XETILE_MANAGED_RANGE - in_part);
		done += out->range;
		out++;
	}
	drm_gem_object_put(op->gem);
}
