/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_GGTT_H__
#define __XETILE_GGTT_H__

#include <linux/types.h>

#include <drm/drm_mm.h>

struct drm_printer;
struct xetile_tile;

int xetile_ggtt_init(struct xetile_tile *tile);
int xetile_ggtt_map_hbm(struct xetile_tile *tile, struct drm_mm_node *node, u64 dpa, u64 size);
int xetile_ggtt_map_dma(struct xetile_tile *tile, struct drm_mm_node *node, dma_addr_t addr,
			u64 size);
void xetile_ggtt_unmap(struct xetile_tile *tile, struct drm_mm_node *node);
void xetile_ggtt_restore(struct xetile_tile *tile);
void xetile_ggtt_print(struct xetile_tile *tile, struct drm_printer *p);

#endif
