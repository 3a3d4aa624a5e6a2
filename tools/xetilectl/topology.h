/* SPDX-License-Identifier: MIT */
/*
 * The topology: what cards have, how far their memories are, and where the cards are in the
 * machine. The functions that print it are pure.
 */
#ifndef _XETILECTL_TOPOLOGY_H_
#define _XETILECTL_TOPOLOGY_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <xetile.h>

#define TOPOLOGY_ENGINES	64
/* A memory's place in a row of distances, where a tile's HBM has its number */
#define TOPOLOGY_SYSTEM		XETILE_MAX_TILES
#define TOPOLOGY_MEMORIES	(XETILE_MAX_TILES + 1)
/* Buses between the machine and a card; a deeper path lacks those before the card. */
#define TOPOLOGY_DEPTH		16

/* "pci0000:00", then the PCI addresses of bridges, and last that of the card */
struct topology_path {
	char parts[TOPOLOGY_DEPTH][24];
	unsigned int depth;		/* 0: not known */
};

/* How far memories are */
struct topology_row {
	struct xetile_distance to[TOPOLOGY_MEMORIES];
	bool known[TOPOLOGY_MEMORIES];
};

struct topology_tile {
	struct xetile_device_info info;
	struct xetile_engine_info engines[TOPOLOGY_ENGINES];
	unsigned int num_engines;
	struct topology_row distance;
};

struct topology_card {
	char calibration[400];		/* where ratios come from */
	struct topology_tile tiles[XETILE_MAX_TILES];
	unsigned int num_tiles;		/* that the affinity mask leaves, at least 1 */
	struct topology_row cpu;
	struct topology_path path;
};

struct topology {
	struct topology_card *cards;
	unsigned int num;
};

/* What two cards have in common on the way to the machine's memory */
enum topology_link {
	TOPOLOGY_UNKNOWN,
	TOPOLOGY_MACHINE,	/* nothing: they are below different host bridges */
	TOPOLOGY_HOST,		/* a host bridge */
	TOPOLOGY_SWITCH,	/* a bridge below it: a switch */
};

/* Read where a card is. @sysfs is the folder /sys, or one like it. */
void topology_path_read(const char *sysfs, const char *pci, struct topology_path *path);
/* How many parts two paths have in common, from the machine on */
unsigned int topology_common(const struct topology_path *a, const struct topology_path *b);
enum topology_link topology_link(const struct topology_path *a, const struct topology_path *b);

/* The compute engine that has a slice now, or NULL: the slice is fused off */
const struct xetile_engine_info *topology_engine(const struct topology_tile *tile,
						 unsigned int cslice);
/* "own", "link", "bus"; "other" for what drivers may tell in future */
const char *topology_hop(enum xetile_hop hop);
/* A row's name: "tile 1", "CPU" for a row and "system" for a column */
void topology_memory(char *out, size_t size, unsigned int memory, const char *last);

/* Text of 80 columns at most */
void topology_view(FILE *out, const struct topology *topology);
/* The tree of buses, with the cards at their places */
void topology_tree(FILE *out, const struct topology *topology);
/* One line of JSON, on standard output */
void topology_json(const struct topology *topology);
/* A picture */
void topology_svg(FILE *out, const struct topology *topology);

#endif
