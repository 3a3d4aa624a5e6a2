/* SPDX-License-Identifier: MIT */
/*
 * What an opened card uses, as /proc/PID/fdinfo tells it. Pure: texts in, numbers out.
 */
#ifndef _XETILECTL_FDINFO_H_
#define _XETILECTL_FDINFO_H_

#include <stdbool.h>
#include <stdint.h>
#include <xetile.h>

/* Why bytes moved between HBM and system memory */
enum fdinfo_move { FDINFO_ACCESS, FDINFO_EVICT, FDINFO_RETURN, FDINFO_MOVES };

/*
 * One opened file of a card. Memory is in bytes; times are in ticks of the card's clock, unless they
 * are called ns. What the text does not tell is 0.
 */
struct fdinfo {
	uint64_t id;		/* of the file, whoever has it open; no other file ever has it */
	char pci[16];
	uint64_t hbm[XETILE_MAX_TILES], system;
	uint64_t now;		/* when the text was made */
	uint64_t compute[XETILE_MAX_TILES], copy[XETILE_MAX_TILES];
	uint64_t slice[XETILE_MAX_TILES][XETILE_MAX_CSLICES];
	uint64_t compute_ns, copy_ns;
	uint64_t moved[FDINFO_MOVES];
};

/* Read a text. Returns false if it is not of a file of a card of this driver. */
bool fdinfo_parse(const char *text, struct fdinfo *out);

/* The sum, or the largest number */
uint64_t fdinfo_add(uint64_t a, uint64_t b);

#endif
