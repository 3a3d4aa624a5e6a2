/* SPDX-License-Identifier: MIT */
/* The leaves that page tables have, and those that they should have */
#ifndef XETILE_LEAVES_H
#define XETILE_LEAVES_H

#include "xetile_igt.h"

/* What the VMs of all users have on one tile; debugfs tells it. */
struct xetile_leaves {
	uint64_t tables;
	uint64_t of_4k, of_64k, of_2m, of_1g;		/* with memory; of_4k also without */
	uint64_t null_64k, null_2m, null_1g;		/* without memory */
};

void xetile_leaves_read(int fd, unsigned int tile, struct xetile_leaves *l);

/* What one bind mapped on one tile, or what later binds have left of it */
struct xetile_mapping {
	uint32_t bo;		/* which lies in HBM; 0: no memory */
	uint32_t tile;
	uint64_t addr;		/* all three are multiples of 64 KiB */
	uint64_t range;
	uint64_t offset;
};

/*
 * Asserts that all tiles have the largest leaves for @maps that their addresses and the colors of
 * the buffers allow, beyond the leaves @before, which has an element for each tile. A leaf of 2 MiB
 * fits where 2 MiB of addresses are one piece of one run, at an offset in the buffer that agrees
 * with the address modulo 2 MiB. The card should have much free HBM, so that all of a run is in one
 * piece. A buffer that has moved is mapped anew by the next job, not before.
 */
void xetile_leaves_check(const struct xetile_card *card, const struct xetile_leaves *before,
			 const struct xetile_mapping *maps, unsigned int num);

#endif
