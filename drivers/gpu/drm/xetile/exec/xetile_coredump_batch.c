// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_coredump_batch.h"

#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/pci.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include <drm/drm_print.h>

#include "regs/pvc_engine_regs.h"
#include "regs/pvc_lrc_regs.h"

#include "card/xetile_engine.h"
#include "mem/xetile_va.h"
#include "mem/xetile_vm_peek.h"

/**
 * DOC: batches in device coredumps
 *
 * Of all that a user's buffers hold, the dump has the commands about the place where the engine
 * stood, and those at the begin of the batch, and what lies between or beside them: so many bytes,
 * of the one mapping in which that place lies. They are read when the text is made, so the user may
 * have changed them since. The read waits for nothing: memory that is in use, swapped out, beyond
 * the reach of the CPU, or a process's own, is not read, and the text says so. Nor is HBM
 * of a card that does not answer.
 */

/* Bytes before the place where the engine stood, and as many from there on */
#define AROUND_BYTES	SZ_4K
/* Bytes from the begin of the batch on */
#define HEAD_BYTES	SZ_1K

#define LINE_DWORDS	8
#define LINE_BYTES	(LINE_DWORDS * sizeof(u32))

/**
 * xetile_coredump_batch_capture() - note where an engine stands in a batch
 * @batch: filled in, but for its begin
 * @engine: the engine, before its reset
 *
 * Context: any.
 */
void xetile_coredump_batch_capture(struct xetile_coredump_batch *batch,
				   struct xetile_engine *engine)
{
	u32 base = engine->base;
	u32 low = xetile_engine_read(engine, PVC_RING_ACTHD(base));
	u32 valid = xetile_engine_read(engine, PVC_RING_BBADDR(base));

	batch->at = ((u64)xetile_engine_read(engine, PVC_RING_ACTHD_UDW(base)) << 32 | low) &
		    (XETILE_VA_SIZE - 1);
	/* All ones: the card is gone, and tells nothing. */
	batch->inside = !PCI_POSSIBLE_ERROR(valid) && (valid & PVC_BBADDR_VALID);
}

/**
 * xetile_coredump_batch_saved() - note where a context that no engine has is in its batch
 * @batch: filled in, but for its begin
 * @state: registers of its image
 *
 * Context: any.
 */
void xetile_coredump_batch_saved(struct xetile_coredump_batch *batch, const u32 *state)
{
	u32 low = state[PVC_LRC_BBADDR + 1];

	batch->at = ((u64)state[PVC_LRC_BBADDR_UDW + 1] << 32 | (low & ~3u)) &
		    (XETILE_VA_SIZE - 1);
	batch->inside = low & PVC_BBADDR_VALID;
}

/**
 * xetile_coredump_batch_focus() - which address of a context is of most interest
 * @batch: where its batch is
 *
 * Context: any.
 * Return: a GPU address.
 */
u64 xetile_coredump_batch_focus(const struct xetile_coredump_batch *batch)
{
	return batch->inside ? batch->at : batch->begin;
}

/* Print dwords of the mapping of @at, from @start to @end, which become those that it has. */
static bool print_piece(struct drm_printer *p, struct xetile_vm *vm, unsigned int tile, u64 at,
			u64 *start, u64 *end)
{
	u32 *dwords = kmalloc(*end - *start, GFP_KERNEL), *line = dwords;
	const char *why = "no memory to read it";
	u64 addr;

	if (dwords)
		why = xetile_vm_peek(vm, tile, at, start, end, dwords);
	drm_printf(p, "%s%s\n", why ? ": " : "", why ?: "");
	static_assert(LINE_DWORDS == 8);
	for (addr = *start; !why && addr < *end; addr += LINE_BYTES, line += LINE_DWORDS)
		drm_printf(p, "  %#014llx: %08x %08x %08x %08x %08x %08x %08x %08x\n", addr,
			   line[0], line[1], line[2], line[3], line[4], line[5], line[6], line[7]);
	kfree(dwords);
	return !why;
}

/**
 * xetile_coredump_batch_print() - print the batch of a context
 * @batch: where it is
 * @member: number of the context in its queue
 * @vm: its address space
 * @tile: its tile
 * @p: where to
 *
 * Context: process; takes the reservation of @vm, waits for memory.
 */
void xetile_coredump_batch_print(const struct xetile_coredump_batch *batch, unsigned int member,
				 struct xetile_vm *vm, unsigned int tile, struct drm_printer *p)
{
	u64 line = round_down(batch->at, LINE_BYTES), begin = batch->begin & (XETILE_VA_SIZE - 1);
	u64 start = 0, end = 0;

	if (batch->inside) {
		start = line - min_t(u64, line, AROUND_BYTES);
		end = line + AROUND_BYTES;
		drm_printf(p, "batch of context %u, around %#llx", member, batch->at);
		if (!print_piece(p, vm, tile, batch->at, &start, &end)) {
			start = 0;
			end = 0;
		}
	}
	/* What was read already is not read twice. */
	if (!begin || (begin >= start && begin < end))
		return;
	start = round_down(begin, LINE_BYTES);
	end = start + HEAD_BYTES;
	drm_printf(p, "batch of context %u, from %#llx", member, begin);
	print_piece(p, vm, tile, begin, &start, &end);
}
