/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_HBM_H__
#define __XETILE_HBM_H__

#include <linux/minmax.h>
#include <linux/types.h>

#include "card/xetile_tile.h"

struct drm_printer;
struct xetile_account;
struct xetile_device;

/**
 * xetile_hbm_capacity() - bytes of a tile that BOs of users can have at most
 * @tile: the tile
 *
 * Return: bytes.
 */
static inline u64 xetile_hbm_capacity(const struct xetile_tile *tile)
{
	return tile->range.capacity;
}

int xetile_hbm_init(struct xetile_device *xt);
bool xetile_hbm_can_hold(struct xetile_device *xt, u64 size);
u64 xetile_hbm_reachable(const struct xetile_tile *tile);
u64 xetile_hbm_used(struct xetile_tile *tile);
u64 xetile_hbm_occupied(struct xetile_tile *tile);
void xetile_hbm_print(struct xetile_tile *tile, struct drm_printer *p);

/* One tile's bank: pinned pieces for the kernel's own objects */
bool xetile_hbm_is_gone(const struct xetile_tile *tile);
int xetile_hbm_alloc(struct xetile_tile *tile, u64 size, struct xetile_account *account, u64 *dpa,
		     void **cookie);
void xetile_hbm_free(struct xetile_tile *tile, void *cookie);
void __iomem *xetile_hbm_map(struct xetile_tile *tile, u64 dpa, u64 size);

/* For a card that loses the content of its HBM */
u64 xetile_hbm_own_size(struct xetile_tile *tile);
void xetile_hbm_save_own(struct xetile_tile *tile, void *buf);
void xetile_hbm_restore_own(struct xetile_tile *tile, void *buf);

#endif
