// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_vm_print.h"

#include <linux/dma-resv.h>

#include <drm/drm_gpuvm.h>
#include <drm/drm_print.h>

#include "mem/xetile_bo_types.h"
#include "mem/xetile_color.h"
#include "mem/xetile_va.h"
#include "mem/xetile_vm.h"
#include "mem/xetile_vm_bind.h"
#include "mem/xetile_vm_types.h"
#include "mem/xetile_vma.h"

/**
 * DOC: what an address space maps, as text
 *
 * For the report of a job that failed. Takes the VM's reservation, and tries those of its buffers.
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

/*
 * A recolor frees the runs of the old color. The reservation of a buffer that is not private is
 * only tried, because it must not be waited for under the VM's.
 */
static void print_runs(struct drm_gpuvm *vm, struct xetile_bo *bo, struct drm_printer *p)
{
	struct dma_resv *resv = bo->ttm.base.resv;
	bool private = resv == drm_gpuvm_resv(vm);

	drm_gpuvm_resv_assert_held(vm);
	if (!(bo->args.placement & XETILE_PLACE_HBM))
		return;
	if (!private && !dma_resv_trylock(resv)) {
		drm_puts(p, ", in use");
		return;
	}
	print_color(bo, p);
	if (!private)
		dma_resv_unlock(resv);
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

/**
 * xetile_vm_print() - tell what a VM maps
 * @vm: VM
 * @p: where to
 * @max: how many mappings at most
 *
 * Context: process; takes the VM's reservation.
 */
void xetile_vm_print(struct xetile_vm *vm, struct drm_printer *p, unsigned int max)
{
	struct drm_gpuva *va;

	drm_printf(p, "mappings of address space %u\n", vm->asid);
	dma_resv_lock(vm->gem->resv, NULL);
	drm_gpuvm_for_each_va(va, &vm->gpuvm) {
		if (!max--) {
			drm_puts(p, "  ...\n");
			break;
		}
		print_vma(va, p);
	}
	dma_resv_unlock(vm->gem->resv);
}
