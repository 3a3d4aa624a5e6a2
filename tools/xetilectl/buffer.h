/* SPDX-License-Identifier: MIT */
/*
 * What commands have in common that are about the color of a buffer: its options, and where its
 * pages lie.
 */
#ifndef _XETILECTL_BUFFER_H_
#define _XETILECTL_BUFFER_H_

#include <xetile.h>

/*
 * Check --tiles, which is 0 if it is not there, beside --device, which may be NULL. Returns CTL_OK,
 * or CTL_USAGE after a message.
 */
int buffer_tiles(unsigned int tiles, const char *device);
/*
 * Read the size and the color of a buffer on a card of so many tiles. @size is NULL if the command
 * has none. xetile_color_free() frees what is read. Returns as the one before.
 */
int buffer_read(const char *command, const char *size, const char *color, unsigned int tiles,
		struct xetile_mem_desc *mem);

/* Say that the buffer @what cannot be made, and how much room there is. Returns CTL_FAILED. */
int buffer_failed(const char *what, struct xetile_device *device);

/*
 * Find the runs of a buffer as it is now, in *@runs, which the caller frees. Returns their number,
 * or -1 after a message.
 */
int buffer_runs(struct xetile_mem *mem, struct xetile_run **runs);

#endif
