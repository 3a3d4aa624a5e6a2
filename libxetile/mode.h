/* SPDX-License-Identifier: MIT */
/*
 * The CCS mode of tiles. device.c changes the mode for an application, context.c for
 * ZEX_NUMBER_OF_CCS. Functions return a negative errno with an error text when they fail.
 */
#ifndef _XETILE_MODE_H_
#define _XETILE_MODE_H_

#include <stdint.h>

struct xt_card;

/*
 * Put every tile of @tile_mask into @mode, or none. @timeout_ms 0 does not wait while a tile
 * is in use; -1 waits for ever.
 */
int xt_mode_set(const struct xt_card *card, uint32_t tile_mask, uint32_t mode,
		int timeout_ms);
/* Returns the mode of a tile. */
int xt_mode_get(const struct xt_card *card, uint32_t tile);

#endif
