/* SPDX-License-Identifier: MIT */
/*
 * Recolored buffers, and the tile of each of their pages by the tests' own rules.
 */
#ifndef XETILE_RECOLOR_H
#define XETILE_RECOLOR_H

#include "xetile_place.h"

/* A BO in HBM, with the tile that each page is to lie on */
struct canvas {
	const struct xetile_card *card;
	int fd;
	uint32_t bo;
	uint64_t pages;
	uint32_t seed;		/* what paint() wrote */
	uint32_t *tile;
};

/* Creates a BO of @pages pages in HBM, EVEN over all tiles, and paints it. */
void canvas_init(struct canvas *c, const struct xetile_card *card, uint64_t pages, uint32_t flags,
		 uint32_t placement);
void canvas_fini(struct canvas *c);
/* A range of pages with a color; the helpers add granule and runs themselves. */
struct drm_xetile_bo_range range_of(uint64_t page, uint64_t pages, uint32_t color,
				    uint32_t tile_mask);
/* BO_RECOLOR with @num_syncs syncs; does not wait for the copy. */
int __xetile_recolor(int fd, uint32_t bo, const struct drm_xetile_bo_range *ranges, uint32_t num,
		     const struct drm_xetile_sync *syncs, uint32_t num_syncs);
/* As __xetile_recolor(), and waits for the copy; asserts that both go well. */
void xetile_recolor(int fd, uint32_t bo, const struct drm_xetile_bo_range *ranges, uint32_t num);
/* Notes what a recolor is to do. Returns the bytes of the pages whose tile changes. */
uint64_t canvas_note(struct canvas *c, const struct drm_xetile_bo_range *ranges, uint32_t num);
/* Asserts that each page lies on its tile. */
void canvas_check(const struct canvas *c);
/*
 * Recolors; asserts that the card's copy engines write as many bytes as have to move, and that
 * each page lies on its tile then.
 */
void canvas_recolor(struct canvas *c, const struct drm_xetile_bo_range *ranges, uint32_t num);
/* As canvas_recolor() with one range */
void canvas_range(struct canvas *c, uint64_t page, uint64_t pages, uint32_t color,
		  uint32_t tile_mask);
/* Returns a counter of bytes of all the card's copy engines together: "read_system", say. */
uint64_t xetile_copy_counter(const char *name);
/* Returns how many bytes the card's copy engines have written to HBM and to system memory. */
uint64_t xetile_bytes_copied(void);

#endif
