// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_vm_print.h"

#include <linux/dma-resv.h>
#include <linux/kref.h>
#include <linux/sched.h>
#include <linux/xarray.h>

#include <drm/drm_gpuvm.h>
#include <drm/drm_print.h>

#include "mem/xetile_bind_op.h"
#include "mem/xetile_bo_types.h"
#include "mem/xetile_color.h"
#include "mem/xetile_pt_count.h"
#include "mem/xetile_va.h"
#include "mem/xetile_vm.h"
#include "mem/xetile_vm_types.h"
#include "mem/xetile_vma.h"
#include "xetile_device.h"

/**
 * DOC: what address spaces map, as text
 *
 * One VM, for the report of a job that failed; and numbers of all VMs of users together, for
 * debugfs. Takes the reservations of VMs, one at a time, and tries those of their buffers.
 */

#define PRINT_RUNS	4

/* Print the first runs of a buffer's color, as it was asked for */
static void print_color(struct xetile_bo *bo, struct drm_printer *p)
{
	const struct xetile_bo_args *args = &bo->args;
	struct xetile_color_iter it;
	unsigned int n;
	u64 pages;
	u32 tile;

	dma_resv_assert_held(bo->ttm.base.resv);
	drm_puts(p, ", colored");
	xetile_color_begin(&it, &args->color, args->size / XETILE_COLOR_PAGE);
	for (n = 0; xetile_color_next(&it, &tile, &pages); n++) {
		if (n == PRINT_RUNS) {
			drm_puts(p, " ...");
			break;
		}
		drm_printf(p, " %llux tile%u", pages, tile);
	}
}

/* Under the buffer's reservation, because a recolor frees the runs of the old color */
static void print_runs(struct drm_gpuvm *vm, struct xetile_bo *bo, struct drm_printer *p)
{
	if (!(bo->args.placement & XETILE_PLACE_HBM))
		return;
	if (!xetile_vm_try_lock(vm, &bo->ttm.base)) {
		drm_puts(p, ", in use");
		return;
	}
	print_color(bo, p);
	xetile_vm_unlock(vm, &bo->ttm.base);
}

/* Print the size of a buffer and where it lies, but nothing of its content */
static void print_vma(struct drm_gpuva *va, struct drm_printer *p)
{
	u64 addr = va->va.addr & (XETILE_VA_SIZE - 1);
	struct xetile_bo *bo;
	unsigned int t;

	drm_gpuvm_resv_assert_held(va->vm);
	drm_printf(p, "  tile%u %#llx-%#llx", xetile_vma_tile(va), addr, addr + va->va.range - 1);
	if (!va->gem.obj) {
		drm_puts(p, to_xetile_vma(va)->user.range ? " user\n" : " null\n");
		return;
	}
	bo = gem_to_xetile_bo(va->gem.obj);
	drm_printf(p, "%s: from %#llx of %#zx bytes",
		   to_xetile_vma(va)->flags & XETILE_BIND_READONLY ? " read-only" : "",
		   va->gem.offset, va->gem.obj->size);
	/* If the BO is not private, these may change meanwhile. */
	for (t = 0; t < XETILE_MAX_TILES; t++)
		if (READ_ONCE(bo->hbm_bytes[t]))
			drm_printf(p, ", %#llx on tile%u", READ_ONCE(bo->hbm_bytes[t]), t);
	print_runs(va->vm, bo, p);
	drm_puts(p, "\n");
}

/* The next lower mapping of the same tile, or NULL */
static struct drm_gpuva *below(struct drm_gpuva *va)
{
	struct drm_gpuva *prev = list_prev_entry(va, rb.entry);

	drm_gpuvm_resv_assert_held(va->vm);
	if (list_is_first(&va->rb.entry, &va->vm->rb.list))
		return NULL;
	return xetile_vma_tile(prev) == xetile_vma_tile(va) ? prev : NULL;
}

/* The next higher mapping of the same tile, or NULL */
static struct drm_gpuva *above(struct drm_gpuva *va)
{
	struct drm_gpuva *next = list_next_entry(va, rb.entry);

	drm_gpuvm_resv_assert_held(va->vm);
	if (list_is_last(&va->rb.entry, &va->vm->rb.list))
		return NULL;
	return xetile_vma_tile(next) == xetile_vma_tile(va) ? next : NULL;
}

/* The mapping of a tile with an address, or the first one above, or the last one below; or NULL */
static struct drm_gpuva *nearest(struct drm_gpuvm *vm, unsigned int tile, u64 addr)
{
	u64 start = xetile_vma_addr(tile, addr), end = xetile_vma_addr(XETILE_MAX_TILES, 0);
	struct drm_gpuva *va;

	drm_gpuvm_resv_assert_held(vm);
	va = drm_gpuva_find_first(vm, start, end - start);
	if (va && xetile_vma_tile(va) == tile)
		return va;
	if (list_empty(&vm->rb.list))
		return NULL;
	/* Those of higher tiles are behind it. */
	if (!va)
		va = list_last_entry(&vm->rb.list, struct drm_gpuva, rb.entry);
	else if (!list_is_first(&va->rb.entry, &vm->rb.list))
		va = list_prev_entry(va, rb.entry);
	return xetile_vma_tile(va) == tile ? va : NULL;
}

/**
 * xetile_vm_print() - tell what a VM maps on a tile, around an address
 * @vm: VM
 * @p: where to
 * @tile: the tile
 * @addr: GPU address: at most half of the mappings are below it
 * @max: how many mappings at most
 *
 * Context: process; takes the VM's reservation.
 */
void xetile_vm_print(struct xetile_vm *vm, struct drm_printer *p, unsigned int tile, u64 addr,
		     unsigned int max)
{
	struct drm_gpuva *va, *first;
	unsigned int n;

	addr &= XETILE_VA_SIZE - 1;
	drm_printf(p, "mappings of address space %u on tile%u, around %#llx\n", vm->asid, tile,
		   addr);
	dma_resv_lock(vm->gem->resv, NULL);
	first = nearest(&vm->gpuvm, tile, addr);
	for (n = 0; first && below(first) && n < max / 2; n++)
		first = below(first);
	if (first && below(first))
		drm_puts(p, "  ...\n");
	for (va = first, n = 0; va && n < max; n++, va = above(va))
		print_vma(va, p);
	if (va)
		drm_puts(p, "  ...\n");
	dma_resv_unlock(vm->gem->resv);
}

/* struct totals - what all VMs of users have together */
struct totals {
	u64 vms;
	/* Mappings of each tile are counted by themselves. */
	u64 mappings;
	u64 spares;
	struct xetile_pt_counts tiles[XETILE_MAX_TILES];
};

static int count_vm(struct xetile_vm *vm, struct totals *sum)
{
	struct drm_gpuva *va;
	unsigned int t;
	int err;

	err = dma_resv_lock_interruptible(vm->gem->resv, NULL);
	if (err)
		return err;
	sum->vms++;
	sum->spares += vm->num_spares;
	drm_gpuvm_for_each_va(va, &vm->gpuvm) {
		sum->mappings++;
		cond_resched();
	}
	for_each_set_bit(t, &vm->tile_mask, XETILE_MAX_TILES)
		xetile_pt_count(&vm->trees[t], &sum->tiles[t]);
	dma_resv_unlock(vm->gem->resv);
	return 0;
}

static void print_totals(const struct totals *sum, unsigned int num_tiles, struct drm_printer *p)
{
	static const char * const sizes[] = {
		[XETILE_PT_4K] = "4k", [XETILE_PT_64K] = "64k",
		[XETILE_PT_2M] = "2m", [XETILE_PT_1G] = "1g",
	};
	unsigned int t, i;

	drm_printf(p, "vms %llu\nmappings %llu\nspares %llu\n", sum->vms, sum->mappings,
		   sum->spares);
	for (t = 0; t < num_tiles; t++) {
		drm_printf(p, "tile%u\n  tables %llu\n", t, sum->tiles[t].tables);
		for (i = 0; i < ARRAY_SIZE(sizes); i++)
			drm_printf(p, "  mapped_%s %llu\n", sizes[i], sum->tiles[t].mapped[i]);
		for (i = XETILE_PT_64K; i < ARRAY_SIZE(sizes); i++)
			drm_printf(p, "  null_%s %llu\n", sizes[i], sum->tiles[t].null[i]);
	}
}

/**
 * xetile_vms_print() - tell how many mappings, tables and leaves all VMs of users have
 * @xt: card
 * @p: where to
 *
 * Context: process; takes the reservations of VMs.
 * Return: 0 or -EINTR.
 */
int xetile_vms_print(struct xetile_device *xt, struct drm_printer *p)
{
	struct totals sum = { };
	struct xetile_vm *vm;
	unsigned long asid;
	int err = 0;

	xa_lock(&xt->asids);
	xa_for_each(&xt->asids, asid, vm) {
		/* The kernel's own VMs, and those that are being freed */
		if (!vm->updates.account || !kref_get_unless_zero(&vm->ref))
			continue;
		xa_unlock(&xt->asids);
		err = count_vm(vm, &sum);
		xetile_vm_put(vm);
		if (err)
			return err;
		xa_lock(&xt->asids);
	}
	xa_unlock(&xt->asids);
	print_totals(&sum, xt->num_tiles, p);
	return 0;
}
