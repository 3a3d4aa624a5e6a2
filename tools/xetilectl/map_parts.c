// SPDX-License-Identifier: MIT
/*
 * The parts of a map: two lists of runs become one, and grids of fields, which have as many pages
 * each.
 */
#include "map.h"

#include <stdlib.h>

/* Lines of the picture at most */
#define ROWS	16

bool map_has_kept(const struct map *map)
{
	return *map->device;
}

bool map_is_misplaced(const struct map_part *part)
{
	if (part->asked == MAP_NONE)
		return part->kept == MAP_SYSTEM;
	return part->kept != MAP_NONE && part->kept != part->asked;
}

unsigned int map_memory(const uint64_t pages[MAP_MEMORIES])
{
	unsigned int m, found = MAP_NONE;

	for (m = 0; m < MAP_NONE; m++) {
		if (!pages[m])
			continue;
		if (found != MAP_NONE || pages[MAP_NONE])
			return MAP_MEMORIES;
		found = m;
	}
	return found;
}

char map_letter(unsigned int memory)
{
	return "0123s?*"[memory];
}

const char *map_name(unsigned int memory)
{
	static const char *const names[] = {
		"tile 0", "tile 1", "tile 2", "tile 3", [MAP_SYSTEM] = "system",
		[MAP_NONE] = "any tile",
	};

	return names[memory];
}

_Static_assert(XETILE_MAX_TILES == 4, "each tile has a letter and a name");

uint64_t map_bytes(uint64_t pages)
{
	return pages * XETILE_COLOR_PAGE;
}

/* --- two lists ------------------------------------------------------------------------ */

struct cursor {
	const struct xetile_run *runs;
	unsigned int num;
	uint64_t used;		/* pages of the first run */
};

static uint64_t pages_left(const struct cursor *at)
{
	return at->num ? at->runs->pages - at->used : 0;
}

static unsigned int memory_of(const struct cursor *at)
{
	if (!at->num)
		return MAP_NONE;
	if (at->runs->tile == XETILE_TILE_SYSTEM)
		return MAP_SYSTEM;
	return at->runs->tile < XETILE_MAX_TILES ? at->runs->tile : MAP_NONE;
}

static void move_on(struct cursor *at, uint64_t pages)
{
	at->used += pages;
	while (at->num && at->used >= at->runs->pages) {
		at->used -= at->runs->pages;
		at->runs++;
		at->num--;
	}
}

static void add_part(struct map *map, uint64_t pages, unsigned int asked, unsigned int kept)
{
	struct map_part *last = map->num_parts ? &map->parts[map->num_parts - 1] : NULL;

	if (last && last->asked == asked && last->kept == kept)
		last->pages += pages;
	else
		map->parts[map->num_parts++] =
			(struct map_part) { map->pages, pages, asked, kept };
	map->pages += pages;
}

/* Each step ends a run of one of the lists, or both. */
static void join(struct map *map, struct cursor asked, struct cursor kept)
{
	move_on(&asked, 0);
	move_on(&kept, 0);
	while (asked.num || kept.num) {
		uint64_t a = pages_left(&asked), k = pages_left(&kept);
		uint64_t pages = !k || (a && a < k) ? a : k;

		add_part(map, pages, memory_of(&asked), memory_of(&kept));
		move_on(&asked, pages);
		move_on(&kept, pages);
	}
}

/* --- the picture ---------------------------------------------------------------------- */

static void add_pages(struct map_field *field, const struct map_part *part, uint64_t pages)
{
	field->asked[part->asked] += pages;
	field->kept[part->kept] += pages;
	if (map_is_misplaced(part))
		field->misplaced += pages;
}

/* Draw the parts into a grid, which ends before the pages do or behind them. */
static bool draw(const struct map *map, struct map_grid *grid)
{
	uint64_t end = grid->num * grid->field_pages, at, last, next;
	unsigned int i;

	grid->fields = calloc(grid->num + 1, sizeof(*grid->fields));
	if (!grid->fields)
		return false;
	for (i = 0; i < map->num_parts && map->parts[i].page < end; i++) {
		const struct map_part *part = &map->parts[i];

		last = part->page + part->pages < end ? part->page + part->pages : end;
		for (at = part->page; at < last; at = next) {
			next = (at / grid->field_pages + 1) * grid->field_pages;
			next = next < last ? next : last;
			add_pages(&grid->fields[at / grid->field_pages], part, next - at);
		}
	}
	return true;
}

/* Fields are of one page, or of a power of two of them, with which ROWS rows have all. */
static bool draw_whole(struct map *map)
{
	struct map_grid *grid = &map->whole;

	grid->field_pages = 1;
	while (map->pages > grid->field_pages * map->columns * ROWS)
		grid->field_pages *= 2;
	grid->num = (map->pages + grid->field_pages - 1) / grid->field_pages;
	return draw(map, grid);
}

/* A field of several memories does not tell how they are dealt. */
static bool draw_begin(struct map *map)
{
	unsigned int i;

	map->begin.field_pages = 1;
	for (i = 0; i < map->whole.num && !map->begin.num; i++) {
		const struct map_field *field = &map->whole.fields[i];

		if (map_memory(field->asked) == MAP_MEMORIES || map_memory(field->kept) == MAP_MEMORIES)
			map->begin.num = map->columns;
	}
	return draw(map, &map->begin);
}

bool map_make(struct map *map, const struct xetile_run *asked, unsigned int num_asked,
	      const struct xetile_run *kept, unsigned int num_kept)
{
	unsigned int i;

	map->parts = calloc((size_t)num_asked + num_kept + 1, sizeof(*map->parts));
	if (!map->parts)
		return false;
	join(map, (struct cursor) { asked, num_asked }, (struct cursor) { kept, num_kept });
	for (i = 0; i < map->num_parts; i++)
		add_pages(&map->all, &map->parts[i], map->parts[i].pages);
	map->columns = map_has_kept(map) ? 32 : 64;
	if (draw_whole(map) && draw_begin(map))
		return true;
	map_free(map);
	return false;
}

void map_free(struct map *map)
{
	free(map->parts);
	free(map->whole.fields);
	free(map->begin.fields);
	map->parts = NULL;
	map->whole.fields = NULL;
	map->begin.fields = NULL;
}
