/* SPDX-License-Identifier: MIT */
/* The result of translating an address: a piece of host memory, or a fault. */
#ifndef VPVC_XLAT_H
#define VPVC_XLAT_H

#include "card.h"

enum place { PLACE_LOCAL, PLACE_REMOTE, PLACE_SYSTEM, PLACE_NULL };

/* The host memory behind a GPU address. */
struct span {
	uint8_t *host;		/* NULL: a NULL leaf (reads 0, writes dropped) */
	uint64_t len;		/* contiguous bytes from here on */
	enum place place;	/* as seen from the translating tile */
	uint64_t phys;		/* DPA, or bus address for PLACE_SYSTEM */
	unsigned int level;	/* of the leaf, or where the walk failed */
	bool writable;		/* the leaf allows writes */
	bool atomics;		/* the leaf's AE bit */
};

enum xlat {
	XLAT_OK = 0,
	XLAT_NOT_PRESENT,
	XLAT_READONLY,
	XLAT_MISALIGNED,	/* leaf or table address not aligned to its size */
	XLAT_OUT_OF_RANGE,	/* beyond HBM, not guest memory, bus master off, VA > 57 bit */
	XLAT_POISONED,		/* uncorrectable error of the memory itself */
};

const char *xlat_name(enum xlat x);

/*
 * An address space as seen by a tile: the GGTT when @ggtt, else the PPGTT at @pdp0,
 * the raw value of the register pair (low 12 bits ignored).
 */
struct aspace {
	struct tile *tile;
	uint64_t pdp0;
	bool ggtt;
	bool query;			/* no access: meets no injected fault */
	struct engine *walker;		/* engine that translates, may be NULL */
};

struct mem_fault {
	enum xlat kind;
	uint64_t va;
	unsigned int level;
	bool write;
	bool ggtt;
};

#endif
