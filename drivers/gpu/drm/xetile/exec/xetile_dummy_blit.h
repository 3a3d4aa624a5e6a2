/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_DUMMY_BLIT_H__
#define __XETILE_DUMMY_BLIT_H__

#include <linux/kernel.h>
#include <linux/types.h>

#include "instructions/pvc_blt_commands.h"
#include "regs/pvc_gt_regs.h"

#include "mem/xetile_va.h"

/**
 * DOC: the blit that the copy engines' errata ask for
 *
 * Wa_16018031267, Wa_16018063123 and Wa_16010961369: a flush of a copy engine may complete before
 * the last writes of the blits in front of it, unless a blit that occupies all sub-blitters comes
 * between them, and the engine's sub-blitters take turns (PVC_ECOSKPD_ROUND_ROBIN). The engine
 * wants such a blit at each restore of a context, too. Source: prelim i915 gt/gen8_engine_cs.c,
 * gt/intel_lrc.c, gt/intel_workarounds.c.
 */

/* Rows begin one byte after each other, so that the 144 KiB of writes stay in two pages. */
static const u32 xetile_dummy_blit[PVC_MEM_SET_DWORDS] = {
	PVC_MEM_SET | PVC_FIELD_PREP(PVC_MEM_TYPE, PVC_MEM_TYPE_MATRIX),
	PVC_DUMMY_BLIT_WIDTH - 1, PVC_DUMMY_BLIT_ROWS - 1, 0,
	lower_32_bits(XETILE_VA_NOWHERE), upper_32_bits(XETILE_VA_NOWHERE),
	PVC_FIELD_PREP(PVC_MEM_SET6_MOCS, PVC_BLT_MOCS(PVC_MOCS_UC)),
};

#endif
