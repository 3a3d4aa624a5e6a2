// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_vm_granule.h"

#include <linux/align.h>
#include <linux/dma-resv.h>
#include <linux/interval_tree_generic.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include <drm/drm_gpuvm.h>

#include "mem/xetile_bind_op.h"
#include "mem/xetile_bo_types.h"
#include "mem/xetile_vm_types.h"
#include "mem/xetile_vma.h"

/**
 * DOC: in what pieces memory may be mapped
 *
 * PVC maps HBM by 64 KiB, and system memory by 4 KiB. A BO that may be in HBM some day has to be
 * mapped by 64 KiB wherever it lies now. Therefore no bind may leave a part of 64 KiB of its
 * mapping, whether the bind unmaps the rest or maps something else there. All other mappings can be
 * cut between any two pages. Binds ask, with the reservation of the address space.
 */

/**
 * xetile_vm_granule() - in what pieces a BO may be mapped
 * @gem: BO of a user
 *
 * Context: any.
 * Return: bytes; constant for a BO.
 */
u32 xetile_vm_granule(struct drm_gem_object *gem)
{
	return xetile_bo_granule(gem_to_xetile_bo(gem)->args.placement);
}

/* struct earlier - a bind of the call, which later ones are compared with */
struct earlier {
	struct rb_node rb;
	const struct xetile_bind_op *op;
	u64 subtree_last;
};

static u64 first_addr(const struct earlier *e)
{
	return e->op->addr;
}

static u64 last_addr(const struct earlier *e)
{
	return e->op->addr + e->op->range - 1;
}

INTERVAL_TREE_DEFINE(struct earlier, rb, u64, subtree_last, first_addr, last_addr,
		     static __maybe_unused, earlier)

/* The last bind of those in the tree that changes an address on a tile, or NULL */
static const struct xetile_bind_op *last_at(struct rb_root_cached *tree, unsigned int tile,
					    u64 addr)
{
	const struct xetile_bind_op *last = NULL;
	struct earlier *e;

	for (e = earlier_iter_first(tree, addr, addr); e; e = earlier_iter_next(e, addr, addr))
		if ((e->op->tile_mask & BIT(tile)) && (!last || e->op > last))
			last = e->op;
	return last;
}

/* May the mapping be cut that @addr has when the binds in @tree are made? */
static bool may_cut(struct xetile_vm *vm, struct rb_root_cached *tree, unsigned int tile, u64 addr)
{
	const struct xetile_bind_op *op;
	struct drm_gpuva *va;

	dma_resv_assert_held(vm->gem->resv);
	if (IS_ALIGNED(addr, SZ_64K))
		return true;
	/* All of these 64 KiB belong to the BO, or none: so it is enough to look at one address. */
	op = last_at(tree, tile, addr);
	if (op)
		return op->kind != XETILE_BIND_MAP || xetile_vm_granule(op->gem) < SZ_64K;
	va = drm_gpuva_find_first(&vm->gpuvm, xetile_vma_addr(tile, addr), 1);
	return !va || !va->gem.obj || xetile_vm_granule(va->gem.obj) < SZ_64K;
}

static int check_op(struct xetile_vm *vm, struct rb_root_cached *tree,
		    const struct xetile_bind_op *op)
{
	unsigned long tiles = op->tile_mask & vm->tile_mask;
	unsigned int t;

	dma_resv_assert_held(vm->gem->resv);
	for_each_set_bit(t, &tiles, XETILE_MAX_TILES)
		if (!may_cut(vm, tree, t, op->addr) || !may_cut(vm, tree, t, op->addr + op->range))
			return -EINVAL;
	/* Thousands of binds of a call may cover the same address. */
	cond_resched();
	return fatal_signal_pending(current) ? -EINTR : 0;
}

/**
 * xetile_vm_granule_check() - may a call's binds cut what they find
 * @vm: VM with its reservation held
 * @ops: the binds; each of them alone is right
 * @num_ops: elements of @ops
 *
 * Context: process, with the VM's reservation.
 * Return: 0; -EINVAL: a bind begins or ends within 64 KiB of a BO that may be in HBM; -ENOMEM;
 * -EINTR.
 */
int xetile_vm_granule_check(struct xetile_vm *vm, const struct xetile_bind_op *ops,
			    unsigned int num_ops)
{
	/* Where no bind meets an earlier one, there is nothing to compare it with. */
	bool apart = xetile_bind_ops_ascend(ops, num_ops);
	struct rb_root_cached tree = RB_ROOT_CACHED;
	struct earlier *earlier = NULL;
	unsigned int i;
	u64 fine = 0;
	int err = 0;

	dma_resv_assert_held(vm->gem->resv);
	for (i = 0; i < num_ops; i++)
		fine |= ops[i].addr | ops[i].range;
	if (IS_ALIGNED(fine, SZ_64K))
		return 0;
	/* The last one is compared, but nothing with it. */
	if (!apart) {
		earlier = kvcalloc(num_ops - 1, sizeof(*earlier), GFP_KERNEL_ACCOUNT);
		if (!earlier)
			return -ENOMEM;
	}
	for (i = 0; i < num_ops && !err; i++) {
		if (!IS_ALIGNED(ops[i].addr | ops[i].range, SZ_64K))
			err = check_op(vm, &tree, &ops[i]);
		if (apart || i == num_ops - 1)
			continue;
		earlier[i].op = &ops[i];
		earlier_insert(&earlier[i], &tree);
	}
	kvfree(earlier);
	return err;
}
