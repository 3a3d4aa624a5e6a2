/* SPDX-License-Identifier: MIT */
/*
 * Which slices of a tile a process has, as the file "slices" of debugfs tells it. Pure.
 */
#ifndef _XETILECTL_SLICES_H_
#define _XETILECTL_SLICES_H_

#include <stdbool.h>
#include <stdint.h>
#include <xetile.h>

/* A virtual slice of a process, and where it is now */
struct slices_binding {
	unsigned int tile, mode, slice;
	int pid;
	unsigned int engine;		/* number of the compute engine */
	unsigned int queues, busy;	/* the process' queues on it, and those that have work */
};

/*
 * Read the next binding of a text; *@tile is the tile that the text is at, any number at first.
 * Returns the rest of the text, or NULL when there is no binding any more.
 */
const char *slices_next(const char *text, unsigned int *tile, struct slices_binding *out);

/* The slices of a compute engine in a CCS mode, of a tile that has the slices @present */
uint32_t slices_of(uint32_t present, unsigned int mode, unsigned int engine);

#endif
