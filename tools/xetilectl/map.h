/* SPDX-License-Identifier: MIT */
/*
 * A map of a buffer: which memory its color asks for each page, and which one holds it. The
 * functions here are pure.
 */
#ifndef _XETILECTL_MAP_H_
#define _XETILECTL_MAP_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <xetile.h>

/* Memories of a page: a tile's HBM has its number */
#define MAP_SYSTEM	XETILE_MAX_TILES
#define MAP_NONE	(XETILE_MAX_TILES + 1)	/* asked: any tile; kept: not told */
#define MAP_MEMORIES	(XETILE_MAX_TILES + 2)

/* Of a run that stands for a tile that the driver chooses */
#define MAP_ANY_TILE	UINT32_MAX

/* Pages of the same two memories */
struct map_part {
	uint64_t page, pages;
	unsigned int asked, kept;
};

/* Pages of a field of the picture, by memory */
struct map_field {
	uint64_t asked[MAP_MEMORIES], kept[MAP_MEMORIES];
	uint64_t misplaced;
};

/* Fields from left to right, and from the top to the bottom */
struct map_grid {
	uint64_t field_pages;
	unsigned int num;
	struct map_field *fields;
};

struct map {
	/* What is asked; the caller sets these */
	const char *color;		/* as the user calls it */
	char device[32];		/* its selector; empty: no card, nothing is kept */
	uint64_t size;
	unsigned int tiles;		/* of the card */
	unsigned int copies;		/* of all pages, one behind the other */
	/* map_make() sets these */
	uint64_t pages;
	struct map_part *parts;
	unsigned int num_parts;
	struct map_field all;
	unsigned int columns;		/* of the picture */
	struct map_grid whole;
	struct map_grid begin;		/* a row of pages; empty where .whole has them */
};

/*
 * Lay what is kept beside what is asked. A run's tile may be MAP_ANY_TILE or XETILE_TILE_SYSTEM.
 * Returns false when there is no memory; else map_free() frees it.
 */
bool map_make(struct map *map, const struct xetile_run *asked, unsigned int num_asked,
	      const struct xetile_run *kept, unsigned int num_kept);
void map_free(struct map *map);

bool map_has_kept(const struct map *map);
/* Whether the pages of a part do not lie as the color asks */
bool map_is_misplaced(const struct map_part *part);
/* The one memory of pages; MAP_MEMORIES: there are several */
unsigned int map_memory(const uint64_t pages[MAP_MEMORIES]);
/* '0' for tile 0, 's', '?'; '*': several */
char map_letter(unsigned int memory);
/* "tile 0", "system", "any tile" */
const char *map_name(unsigned int memory);
uint64_t map_bytes(uint64_t pages);

/* Text of 80 columns at most */
void map_view(FILE *out, const struct map *map, bool color);
/* One line of JSON, on standard output */
void map_json(const struct map *map);
/* A picture */
void map_svg(FILE *out, const struct map *map);

#endif
