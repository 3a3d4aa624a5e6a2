/* SPDX-License-Identifier: MIT */
/*
 * Shares of cards for the processes of a job on one machine. All functions but the command itself
 * read their arguments only, and bind_job_read() the environment, so that tests need no card.
 */
#ifndef _XETILECTL_BIND_H_
#define _XETILECTL_BIND_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <xetile.h>

/* --- the job ------------------------------------------------------------------------------ */

struct bind_job {
	const char *launcher;		/* who told the rank; NULL: the command line */
	int rank;			/* on this machine; -1: not known */
	unsigned int ranks;		/* on this machine; 0: not known */
};

/*
 * Take what @job does not say yet from the variables of a launcher. Without @needs_rank the number
 * of ranks is enough. Returns CTL_OK, or CTL_FAILED after a message.
 */
int bind_job_read(struct bind_job *job, bool needs_rank);

/* --- what there is ------------------------------------------------------------------------ */

struct bind_tile {
	unsigned int number;
	unsigned int flat;		/* its number in flat hierarchy */
	unsigned int mode;		/* CCS mode for this process and its children */
	uint32_t modes;			/* that it can have, a bit each */
	uint32_t slices;		/* virtual slices, a bit each; 0 in mode 1 */
};

struct bind_card {
	unsigned int number;
	unsigned int all_tiles;		/* hidden or not */
	char pci[16];
	int numa_node;			/* -1: not known */
	unsigned int num_tiles;
	struct bind_tile tiles[XETILE_MAX_TILES];
};

/* What the affinity mask leaves to this process */
struct bind_tree {
	enum xetile_hierarchy hierarchy;
	bool masked;			/* there is a mask */
	bool wished;			/* the modes are those that ZEX_NUMBER_OF_CCS asks for */
	unsigned int num;
	struct bind_card *cards;
};

/* --- the shares --------------------------------------------------------------------------- */

enum bind_by { BIND_CARD, BIND_TILE, BIND_CSLICE };
/* Neighbors in rank have neighboring shares; or shares of different cards. */
enum bind_order { BIND_BLOCK, BIND_ROUND };

/* A card, a tile or a slice, by places in the tree */
struct bind_share {
	const struct bind_card *card;
	const struct bind_tile *tile;	/* BIND_CARD: NULL */
	unsigned int slice;		/* BIND_CSLICE: its number */
};

struct bind_plan {
	const struct bind_tree *tree;
	enum bind_by by;
	enum bind_order order;
	bool may_share;
	unsigned int num;
	struct bind_share *shares;	/* in the order in which ranks take them */
};

/*
 * Find the shares, as .tree, .by, .order and .may_share say, for so many ranks. The caller frees
 * .shares. Returns CTL_OK, or CTL_FAILED after a message.
 */
int bind_plan_make(struct bind_plan *plan, unsigned int ranks);
/* The number of the share that a rank has */
unsigned int bind_plan_share(const struct bind_plan *plan, unsigned int rank, unsigned int ranks);
/* How many of the ranks have a share */
unsigned int bind_plan_users(const struct bind_plan *plan, unsigned int share, unsigned int ranks);
/* "0.1.2": the share's selector */
void bind_share_name(const struct bind_plan *plan, const struct bind_share *share, char *out,
		     size_t size);
/* The CCS mode of a share's tiles; 0: they differ */
unsigned int bind_share_mode(const struct bind_share *share);

/* What the program's environment gets */
struct bind_env {
	struct {
		const char *name;
		char value[256];
		bool unset;
	} vars[5];
	unsigned int num;
};

void bind_env_make(const struct bind_plan *plan, const struct bind_share *share,
		   struct bind_env *env);

/* Text of 80 columns at most: a line for each rank */
void bind_view(FILE *out, const struct bind_plan *plan, const struct bind_job *job);
/* One line of JSON, on standard output */
void bind_json(const struct bind_plan *plan, const struct bind_job *job);

#endif
