/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_MANAGED_TYPES_H__
#define __XETILE_MANAGED_TYPES_H__

#include <linux/bits.h>
#include <linux/types.h>

/**
 * DOC: the ranges that move on access
 *
 * For xetile_managed.c, which makes the parts, and xetile_managed_cpu.c, which finds them.
 */

/* Bytes of a part: what one access moves, and one leaf of a page table maps */
#define XETILE_MANAGED_SHIFT	21
#define XETILE_MANAGED_RANGE	BIT_ULL(XETILE_MANAGED_SHIFT)

#endif
