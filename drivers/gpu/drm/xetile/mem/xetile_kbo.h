/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_KBO_H__
#define __XETILE_KBO_H__

#include <linux/iosys-map.h>
#include <linux/types.h>

struct xetile_account;
struct xetile_kbo;
struct xetile_tile;

#define XETILE_KBO_SYSTEM	BIT(0)	/* system memory, CPU-cached, snooped */
#define XETILE_KBO_GGTT		BIT(1)	/* mapped in the tile's GGTT */

/* Kernel BOs: one contiguous pinned piece, zeroed, mapped for the CPU */
struct xetile_kbo *xetile_kbo_create(struct xetile_tile *tile, u64 size, u32 flags,
				     struct xetile_account *account);
void xetile_kbo_destroy(struct xetile_kbo *kbo);
struct iosys_map *xetile_kbo_map(struct xetile_kbo *kbo);
u64 xetile_kbo_dpa(const struct xetile_kbo *kbo);
u64 xetile_kbo_ggtt(const struct xetile_kbo *kbo);

#endif
