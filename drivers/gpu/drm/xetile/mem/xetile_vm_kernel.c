// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_vm_kernel.h"

#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/err.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "mem/xetile_layout.h"
#include "mem/xetile_pt.h"
#include "mem/xetile_pt_stage.h"
#include "mem/xetile_vm.h"
#include "mem/xetile_vm_types.h"
#include "mem/xetile_vm_update.h"
#include "xetile_device.h"

/**
 * DOC: the address space of a tile's own copies
 *
 * It maps the HBM of all tiles, and has a window whose pages each copy that needs system memory
 * maps anew. The migrator makes the address space, and gives copies separate parts of the window:
 * no lock is taken to change it.
 */

#define WINDOW_BASE	SZ_2M
#define WINDOW_TABLE	512		/* pages of a level 0 table */

static int map_identity(struct xetile_vm *vm, struct xetile_pt_tree *tree)
{
	struct xetile_vm_update *upd;
	struct xetile_tile *tile;
	int err;

	dma_resv_assert_held(vm->gem->resv);
	upd = xetile_vm_update_create(&vm->updates);
	if (IS_ERR(upd))
		return PTR_ERR(upd);

	xetile_for_each_tile(tile, vm->xt) {
		struct xetile_extent ext = {
			.addr = tile->range.base, .size = tile->range.usable, .tile = tile->id,
		};
		struct xetile_layout layout = {
			.ext = &ext, .start = &(u64){ 0 }, .num = 1, .size = ext.size,
		};

		err = xetile_pt_map(xetile_vm_update_pt(upd), tree,
				    XETILE_IDENTITY_BASE + ext.addr, ext.size, &layout, 0, 0);
		if (err) {
			xetile_vm_update_cancel(upd);
			return err;
		}
	}
	dma_fence_put(xetile_vm_update_apply(upd, NULL));
	return 0;
}

static int make_window(struct xetile_vm *vm, struct xetile_pt_tree *tree, unsigned int pages)
{
	unsigned int n = DIV_ROUND_UP(pages, WINDOW_TABLE), i;
	int err;

	dma_resv_assert_held(vm->gem->resv);
	vm->window = kcalloc(n, sizeof(*vm->window), GFP_KERNEL_ACCOUNT);
	if (!vm->window)
		return -ENOMEM;
	vm->window_tables = n;
	for (i = 0; i < n; i++) {
		err = xetile_pt_window(tree, WINDOW_BASE + i * SZ_2M, &vm->window[i]);
		if (err)
			return err;
	}
	return 0;
}

/**
 * xetile_vm_create_kernel() - make the address space of a tile's own copies
 * @tile: tile
 * @window_pages: 4 KiB pages of the window for system memory
 *
 * The HBM of all tiles is mapped at XETILE_IDENTITY_BASE + device physical
 * address, in the biggest leaves there are.
 *
 * Context: process; takes the VM's reservation.
 * Return: the VM with one reference, or an ERR_PTR.
 */
struct xetile_vm *xetile_vm_create_kernel(struct xetile_tile *tile, unsigned int window_pages)
{
	struct xetile_vm *vm = xetile_vm_create_on(tile->xt, NULL, BIT(tile->id), 0);
	struct xetile_pt_tree *tree;
	int err;

	if (IS_ERR(vm))
		return vm;
	tree = &vm->trees[tile->id];
	dma_resv_lock(vm->gem->resv, NULL);
	err = map_identity(vm, tree);
	if (!err)
		err = make_window(vm, tree, window_pages);
	dma_resv_unlock(vm->gem->resv);
	if (err) {
		xetile_vm_put(vm);
		return ERR_PTR(err);
	}
	return vm;
}

/**
 * xetile_vm_window() - where the window of a kernel VM begins
 * @vm: of xetile_vm_create_kernel()
 *
 * Return: GPU address; page n of the window is at n * 4096 from it.
 */
u64 xetile_vm_window(struct xetile_vm *vm)
{
	return WINDOW_BASE;
}

/**
 * xetile_vm_window_set() - map pages of system memory in the window
 * @vm: of xetile_vm_create_kernel()
 * @first: first page of the window to map
 * @addr: DMA address of the first page; the pages are contiguous
 * @n: number of pages; @first + @n is at most the size of the window
 *
 * Takes no lock and allocates nothing. The card must be there. Jobs that run must not use these
 * pages of the window, and the next job must flush its TLB. The caller has the writes leave the
 * CPU (wmb()) before that job.
 */
void xetile_vm_window_set(struct xetile_vm *vm, unsigned int first, dma_addr_t addr,
			  unsigned int n)
{
	while (n) {
		unsigned int at = first % WINDOW_TABLE;
		unsigned int part = min(n, WINDOW_TABLE - at);

		xetile_pt_window_set(vm->window[first / WINDOW_TABLE], at, addr, part);
		first += part;
		addr += (u64)part * PAGE_SIZE;
		n -= part;
	}
}
