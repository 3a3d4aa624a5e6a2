// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_vm_plan.h"

#include <linux/bitops.h>
#include <linux/dma-resv.h>
#include <linux/interval_tree_generic.h>
#include <linux/minmax.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <drm/drm_gpuvm.h>

#include "mem/xetile_bind_op.h"
#include "mem/xetile_va.h"
#include "mem/xetile_vm_types.h"
#include "mem/xetile_vma.h"

/**
 * DOC: binds that do not say what they change
 *
 * The end of all mappings of a BO changes what the BO is mapped to when the binds before it are
 * made, those of the same call included. So it is replaced by the ends of these ranges, and a
 * prefetch, which changes nothing, by nothing. What is left are binds that each name a range.
 *
 * The ranges are those of the mappings there are, as the earlier binds of the call cut them and
 * add to them. Binds ask with the reservations of the VM and of the BOs held.
 */

/* The first binds of a plan; it doubles when that is not enough. */
#define FIRST_ROOM	64u

/* A client may have millions of mappings: it gets an error if that is too many, without a trace. */
#define GFP_PLAN	(GFP_KERNEL_ACCOUNT | __GFP_NOWARN)

/* struct piece - a range that a BO is mapped to, in the one space of all tiles */
struct piece {
	struct rb_node rb;
	u64 start;
	u64 last;
	u64 subtree_last;
};

static u64 piece_start(const struct piece *p)
{
	return p->start;
}

static u64 piece_last(const struct piece *p)
{
	return p->last;
}

INTERVAL_TREE_DEFINE(struct piece, rb, u64, subtree_last, piece_start, piece_last,
		     static __maybe_unused, piece)

/* struct pieces - all ranges that a BO is mapped to */
struct pieces {
	struct rb_root_cached tree;
	/* memory for so many as there can be */
	struct piece *array;
	unsigned int num;
};

static void add_piece(struct pieces *pieces, u64 start, u64 last)
{
	struct piece *p = &pieces->array[pieces->num++];

	p->start = start;
	p->last = last;
	piece_insert(p, &pieces->tree);
}

/* One more piece at most comes of a cut. */
static void cut_pieces(struct pieces *pieces, u64 start, u64 last)
{
	struct piece *p;

	while ((p = piece_iter_first(&pieces->tree, start, last))) {
		piece_remove(p, &pieces->tree);
		if (p->last > last)
			add_piece(pieces, last + 1, p->last);
		if (p->start < start) {
			p->last = start - 1;
			piece_insert(p, &pieces->tree);
		}
		cond_resched();
	}
}

static unsigned int count_mappings(struct drm_gpuvm_bo *vm_bo)
{
	struct drm_gpuva *va;
	unsigned int n = 0;

	dma_resv_assert_held(vm_bo->obj->resv);
	drm_gpuvm_bo_for_each_va(va, vm_bo)
		n++;
	return n;
}

static int add_mappings(struct pieces *pieces, struct drm_gpuvm_bo *vm_bo)
{
	struct drm_gpuva *va;

	dma_resv_assert_held(vm_bo->obj->resv);
	drm_gpuvm_bo_for_each_va(va, vm_bo) {
		add_piece(pieces, va->va.addr, va->va.addr + va->va.range - 1);
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

/* What an earlier bind of the call does to the ranges of a BO */
static void apply_op(struct xetile_vm *vm, struct pieces *pieces, const struct xetile_bind_op *op,
		     const struct drm_gem_object *gem)
{
	unsigned long tiles = op->tile_mask & vm->tile_mask;
	unsigned int t;

	/* Other BOs' mappings, or nothing */
	if (xetile_bind_needs_plan(op))
		return;
	for_each_set_bit(t, &tiles, XETILE_MAX_TILES) {
		u64 start = xetile_vma_addr(t, op->addr), last = start + op->range - 1;

		cut_pieces(pieces, start, last);
		if (op->kind == XETILE_BIND_MAP && op->gem == gem)
			add_piece(pieces, start, last);
	}
}

static struct xetile_bind_op *append(struct xetile_vm_plan *plan)
{
	unsigned int room = max(2 * plan->room, FIRST_ROOM);
	struct xetile_bind_op *ops;

	if (plan->num == plan->room) {
		ops = kvrealloc(plan->ops, array_size(room, sizeof(*ops)), GFP_PLAN);
		if (!ops)
			return NULL;
		plan->ops = ops;
		plan->room = room;
	}
	return &plan->ops[plan->num++];
}

/* Mappings that lie side by side end with one bind, for which no page is visited twice. */
static bool extends(const struct xetile_bind_op *op, unsigned int tile, u64 addr)
{
	return op && op->tile_mask == BIT(tile) && op->addr + op->range == addr;
}

static int append_pieces(struct xetile_vm_plan *plan, struct pieces *pieces)
{
	struct xetile_bind_op *op = NULL;
	struct piece *p;

	for (p = piece_iter_first(&pieces->tree, 0, U64_MAX); p;
	     p = piece_iter_next(p, 0, U64_MAX)) {
		unsigned int tile = p->start >> XETILE_VA_BITS;
		u64 addr = p->start & (XETILE_VA_SIZE - 1), range = p->last - p->start + 1;

		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
		if (extends(op, tile, addr)) {
			op->range += range;
			continue;
		}
		op = append(plan);
		if (!op)
			return -ENOMEM;
		*op = (struct xetile_bind_op) {
			.kind = XETILE_BIND_UNMAP, .addr = addr, .range = range,
			.tile_mask = BIT(tile),
		};
	}
	return 0;
}

/* @since: the first bind of the call after which the BO was mapped to what @vm_bo, or NULL, says */
static int plan_unmap_all(struct xetile_vm *vm, const struct xetile_bind_op *since,
			  const struct xetile_bind_op *op, struct drm_gpuvm_bo *vm_bo,
			  struct xetile_vm_plan *plan)
{
	struct pieces pieces = { .tree = RB_ROOT_CACHED };
	u64 max = vm_bo ? count_mappings(vm_bo) : 0;
	int err;

	max += (op - since) * 2ull * hweight_long(vm->tile_mask);
	if (!max)
		return 0;
	pieces.array = kvcalloc(max, sizeof(*pieces.array), GFP_PLAN);
	if (!pieces.array)
		return -ENOMEM;
	err = vm_bo ? add_mappings(&pieces, vm_bo) : 0;
	for (; !err && since < op; since++)
		apply_op(vm, &pieces, since, op->gem);
	err = err ?: append_pieces(plan, &pieces);
	kvfree(pieces.array);
	return err;
}

/* Plan the end of all mappings of a BO, after the binds from @first on */
static int plan_bo(struct xetile_vm *vm, const struct xetile_bind_op *first,
		   const struct xetile_bind_op *op, struct xetile_vm_plan *plan)
{
	const struct xetile_bind_op *since = op;
	struct drm_gpuvm_bo *vm_bo;
	int err;

	dma_resv_assert_held(op->gem->resv);
	/* Without the mappings there are, if an earlier bind of the call ends them all */
	while (since > first) {
		since--;
		if (since->kind == XETILE_BIND_UNMAP_ALL && since->gem == op->gem)
			return plan_unmap_all(vm, since, op, NULL, plan);
	}
	vm_bo = drm_gpuvm_bo_find(&vm->gpuvm, op->gem);
	err = plan_unmap_all(vm, first, op, vm_bo, plan);
	drm_gpuvm_bo_put(vm_bo);
	return err;
}

/**
 * xetile_vm_plan() - have binds that each name what they change
 * @vm: VM with its reservation held
 * @ops: the binds of a call; the reservations of the BOs of those of XETILE_BIND_UNMAP_ALL are held
 * @num_ops: elements of @ops
 * @plan: out: binds that do the same, for xetile_vm_plan_fini() also on failure; an older plan in
 *	it is dropped
 *
 * A plan is good as long as the reservations are held.
 *
 * Context: process, with the VM's reservation.
 * Return: 0, -ENOMEM or -EINTR.
 */
int xetile_vm_plan(struct xetile_vm *vm, const struct xetile_bind_op *ops, unsigned int num_ops,
		   struct xetile_vm_plan *plan)
{
	const struct xetile_bind_op *op;
	int err;

	dma_resv_assert_held(vm->gem->resv);
	plan->num = 0;
	for (op = ops; op < ops + num_ops; op++) {
		struct xetile_bind_op *same;

		/* A call may have thousands of binds, each of which looks at those before it. */
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
		if (op->kind == XETILE_BIND_UNMAP_ALL) {
			err = plan_bo(vm, ops, op, plan);
			if (err)
				return err;
		} else if (op->kind != XETILE_BIND_PREFETCH) {
			same = append(plan);
			if (!same)
				return -ENOMEM;
			*same = *op;
		}
	}
	return 0;
}

/**
 * xetile_vm_plan_fini() - drop a plan
 * @plan: plan, or one that is all zero
 *
 * Context: process.
 */
void xetile_vm_plan_fini(struct xetile_vm_plan *plan)
{
	kvfree(plan->ops);
}
