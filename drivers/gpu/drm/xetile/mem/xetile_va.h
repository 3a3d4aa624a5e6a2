/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VA_H__
#define __XETILE_VA_H__

#include <linux/bits.h>
#include <linux/sizes.h>

/**
 * DOC: the addresses of an address space
 *
 * The users have all but the last 2^48, which the driver keeps; see xetile_pt_top.c.
 */

#define XETILE_VA_BITS		57
#define XETILE_VA_SIZE		BIT_ULL(XETILE_VA_BITS)
/* The users' addresses end here. */
#define XETILE_VA_END		(XETILE_VA_SIZE - BIT_ULL(48))
/* 64 KiB that are mapped in every address space, to no memory: writes are dropped. */
#define XETILE_VA_NOWHERE	(XETILE_VA_SIZE - SZ_64K)

#endif
