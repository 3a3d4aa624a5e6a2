// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_vm_peek.h"

#include <linux/dma-resv.h>
#include <linux/minmax.h>

#include <drm/drm_gpuvm.h>

#include "mem/xetile_bo_cpu.h"
#include "mem/xetile_bo_types.h"
#include "mem/xetile_va.h"
#include "mem/xetile_vm_types.h"
#include "mem/xetile_vma.h"

/**
 * DOC: a look into an address space
 *
 * Reads what a VM maps, for the report of a job that failed. Nobody waits for the report, and it
 * waits for nobody but the VM's reservation: what cannot be read at once is not read.
 */

static const char *peek_bo(struct drm_gpuvm *vm, struct drm_gem_object *obj, u64 offset, void *buf,
			   int len)
{
	const char *why;

	if (!xetile_vm_try_lock(vm, obj))
		return "in use";
	why = xetile_bo_peek(gem_to_xetile_bo(obj), offset, buf, len);
	xetile_vm_unlock(vm, obj);
	return why;
}

/**
 * xetile_vm_peek() - read what a VM maps around an address
 * @vm: VM
 * @tile: on which tile
 * @at: the GPU address
 * @start: first address to read, at most @at; becomes the first one that the mapping of @at has
 * @end: end of what to read, above @at; becomes the mapping's, if that ends before
 * @buf: room for the bytes from @start to @end
 *
 * Reads of buffers only, and of no other mapping than that of @at.
 *
 * Context: process; takes the VM's reservation.
 * Return: NULL; or why nothing was read, in words.
 */
const char *xetile_vm_peek(struct xetile_vm *vm, unsigned int tile, u64 at, u64 *start, u64 *end,
			   void *buf)
{
	struct drm_gpuva *va;
	const char *why;
	u64 low;

	dma_resv_lock(vm->gem->resv, NULL);
	va = drm_gpuva_find_first(&vm->gpuvm, xetile_vma_addr(tile, at), 1);
	if (!va) {
		why = "not mapped";
	} else if (!va->gem.obj) {
		why = to_xetile_vma(va)->user.range ? "memory of a process" : "no memory";
	} else {
		low = va->va.addr - xetile_vma_addr(tile, 0);
		*start = max(*start, low);
		*end = min(*end, low + va->va.range);
		why = peek_bo(&vm->gpuvm, va->gem.obj, va->gem.offset + (*start - low), buf,
			      *end - *start);
	}
	dma_resv_unlock(vm->gem->resv);
	return why;
}
