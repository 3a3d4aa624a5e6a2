/* SPDX-License-Identifier: MIT */
/*
 * What processes did on a card between two samples, and what they have. Pure.
 */
#ifndef _XETILECTL_LOAD_H_
#define _XETILECTL_LOAD_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample.h"

/* A share of time that is not known: there is one sample only, or the engines are not known */
#define LOAD_UNKNOWN	(-1.0)

/* Shares of the time that passed, 0..1 */
struct load_tile {
	double compute;		/* of the tile: an engine counts by the slices that it has */
	double copy;		/* of all its copy engines */
	double slice[XETILE_MAX_CSLICES];
};

/* A process, with all files that it has open. What several processes have open is the first one's. */
struct load_row {
	int pid;
	unsigned int uid;
	const char *user, *command;	/* as the sample has them */
	unsigned int clients;		/* files */
	unsigned int others;		/* other processes' entries of the same files */
	double compute, copy;		/* of all tiles; copy is of those of which it is known */
	struct load_tile tiles[XETILE_MAX_TILES];
	uint64_t hbm[XETILE_MAX_TILES], system;		/* bytes */
	/* Ticks since the files were opened, and the same in ns over all tiles */
	uint64_t compute_ticks[XETILE_MAX_TILES], copy_ticks[XETILE_MAX_TILES];
	uint64_t compute_ns, copy_ns;
	uint64_t moved[FDINFO_MOVES];	/* bytes, between the samples, or since the files were opened */
	unsigned int queues[XETILE_MAX_TILES];
	uint32_t used[XETILE_MAX_TILES];	/* slices on which it ran in that time */
	const struct slices_binding *slices;
	size_t num_slices;
};

enum load_order { LOAD_BY_BUSY, LOAD_BY_MEMORY, LOAD_BY_PID, LOAD_ORDERS };

struct load {
	double seconds;			/* between the samples; 0: there is one only */
	struct load_tile tiles[XETILE_MAX_TILES];
	double watts, tile_watts[XETILE_MAX_TILES];	/* LOAD_UNKNOWN: not known */
	uint64_t moved[FDINFO_MOVES];
	struct load_row *rows;
	size_t num_rows;
	struct slices_binding *slices;	/* of all rows */
};

/*
 * Compare a sample with an earlier one, which may be NULL. Counters that went backwards did not
 * move. The load refers to @now. Returns false without memory.
 */
bool load_make(const struct sample_card *card, const struct sample *before,
	       const struct sample *now, struct load *out);
void load_sort(struct load *load, enum load_order order);
void load_free(struct load *load);

uint64_t load_hbm(const struct load_row *row);
/* The share of all copy engines of @tiles that are known, or LOAD_UNKNOWN */
double load_copy(const struct sample_card *card, const struct load_tile *tiles);

#endif
