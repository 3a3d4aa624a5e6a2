/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_KERNEL_H__
#define __XETILE_VM_KERNEL_H__

#include <linux/types.h>

struct xetile_tile;
struct xetile_vm;

/* Identity map of all HBM in a tile's kernel VM starts here (1 GiB leaves) */
#define XETILE_IDENTITY_BASE	(256ull << 30)

struct xetile_vm *xetile_vm_create_kernel(struct xetile_tile *tile, unsigned int window_pages);
u64 xetile_vm_window(struct xetile_vm *vm);
void xetile_vm_window_set(struct xetile_vm *vm, unsigned int first, dma_addr_t addr,
			  unsigned int n);

#endif
