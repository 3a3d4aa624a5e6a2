/* SPDX-License-Identifier: MIT */
/*
 * A device: a card, a tile or a cslice, as a node of the tree that the platform builds.
 */
#ifndef _XETILE_DEVICE_H_
#define _XETILE_DEVICE_H_

#include <stdbool.h>
#include <stdint.h>

#include "xetile.h"

struct xt_card;

struct xetile_device {
	struct xt_card *card;
	struct xetile_device *parent;	/* as the application sees it */
	enum xetile_device_kind kind;
	uint32_t tile;
	uint32_t cslice;
	uint32_t tile_mask;		/* tiles that are seen */
	uint32_t first_cslice;		/* the device's work goes to this virtual cslice */
	bool one_cslice;		/* the mask leaves only @first_cslice */
	unsigned int num_subs;
	struct xetile_device *subs[XETILE_MAX_TILES > XETILE_MAX_CSLICES ?
				   XETILE_MAX_TILES : XETILE_MAX_CSLICES];
};

/* Work on @device is spread over these tiles: one, unless a root scales implicitly. */
uint32_t xt_device_work_mask(const struct xetile_device *device);

#endif
