// SPDX-License-Identifier: MIT
/*
 * A map as text: the color that is asked beside the one that is kept, a field for each letter; how
 * much each memory has; and the runs.
 */
#include "map.h"

#include <inttypes.h>
#include <string.h>

#include "text.h"

/* Runs that are shown at most: a chunk of pages has thousands */
#define RUNS	12

/* --- the picture ---------------------------------------------------------------------- */

/* The attributes that a letter has in a terminal: the tile's color, reverse where misplaced */
static void print_look(FILE *out, unsigned int memory, bool misplaced)
{
	static const char *const looks[MAP_MEMORIES + 1] = {
		"34", "33", "32", "35", [MAP_SYSTEM] = "31", [MAP_NONE] = "0", [MAP_MEMORIES] = "0",
	};

	fprintf(out, "\033[0;%s%sm", looks[memory], misplaced ? ";7" : "");
}

static void print_fields(FILE *out, const struct map_field *fields, unsigned int num,
			 bool kept, bool color)
{
	unsigned int i, memory, last = MAP_MEMORIES + 1;
	bool misplaced, was = false;

	for (i = 0; i < num; i++) {
		memory = map_memory(kept ? fields[i].kept : fields[i].asked);
		misplaced = kept && fields[i].misplaced;
		if (color && (memory != last || misplaced != was))
			print_look(out, memory, misplaced);
		last = memory;
		was = misplaced;
		fputc(map_letter(memory), out);
	}
	if (color)
		fputs("\033[0m", out);
}

/* The fields that are asked, and beside them those that are kept */
static void print_row(FILE *out, const struct map *map, const struct map_grid *grid,
		      unsigned int first, bool color)
{
	const struct map_field *fields = &grid->fields[first];
	unsigned int i, num = grid->num - first;
	bool misplaced = false;

	num = num < map->columns ? num : map->columns;
	print_fields(out, fields, num, false, color);
	if (map_has_kept(map)) {
		fprintf(out, "%*s", (int)(map->columns - num) + 2, "");
		print_fields(out, fields, num, true, color);
	}
	for (i = 0; i < num; i++)
		misplaced |= fields[i].misplaced;
	fputs(misplaced ? " !\n" : "\n", out);
}

static void print_picture(FILE *out, const struct map *map, bool color)
{
	const struct map_grid *grid = &map->whole;
	unsigned int first;
	char size[16];

	fputs("    MiB  ASKED", out);
	if (map_has_kept(map))
		fprintf(out, "%*s%s", (int)map->columns - 3, "", "KEPT");
	fputc('\n', out);
	for (first = 0; first < grid->num; first += map->columns) {
		fprintf(out, "%7" PRIu64 "  ", map_bytes(first * grid->field_pages) >> 20);
		print_row(out, map, grid, first, color);
	}
	text_bytes(size, sizeof(size), map_bytes(grid->field_pages));
	fprintf(out, "         each letter is %s: 0 is tile 0%s%s%s\n", size,
		map->begin.num ? ", * several" : "", map->all.asked[MAP_NONE] ? ", ? any tile" : "",
		map->all.kept[MAP_SYSTEM] ? ", s system" : "");
	if (map->begin.num) {
		fputs("  begin  ", out);
		print_row(out, map, &map->begin, 0, color);
		fputs("         the first pages of 64 KiB, each a letter\n", out);
	}
	fputc('\n', out);
}

/* --- tables ----------------------------------------------------------------------------- */

static void print_sum(FILE *out, const struct map *map, const char *name, uint64_t asked,
		      uint64_t kept)
{
	char share[8];

	text_share(share, sizeof(share), (double)asked / map->pages);
	fprintf(out, "%-8s  %20" PRIu64 "  %6s", name, map_bytes(asked), share);
	if (map_has_kept(map)) {
		text_share(share, sizeof(share), (double)kept / map->pages);
		fprintf(out, "  %20" PRIu64 "  %6s", map_bytes(kept), share);
	}
	fputc('\n', out);
}

static void print_sums(FILE *out, const struct map *map)
{
	bool kept = map_has_kept(map);
	unsigned int m;

	fprintf(out, "MEMORY    %20s  %6s", "ASKED BYTES", "SHARE");
	fprintf(out, kept ? "  %20s  %6s\n" : "\n", "KEPT BYTES", "SHARE");
	for (m = 0; m < MAP_MEMORIES; m++) {
		if (m < map->tiles || map->all.asked[m] || (kept && map->all.kept[m]))
			print_sum(out, map, map_name(m), map->all.asked[m], map->all.kept[m]);
	}
	print_sum(out, map, "all", map->pages, map->pages);
	fputc('\n', out);
}

static void print_runs(FILE *out, const struct map *map)
{
	unsigned int i, hidden = 0;
	char size[16];

	fprintf(out, "%-13s %10s %9s  %s\n", "RUN AT", "PAGES", "SIZE",
		map_has_kept(map) ? "ASKED     KEPT" : "ASKED");
	for (i = 0; i < map->num_parts && i < RUNS; i++) {
		const struct map_part *part = &map->parts[i];

		text_bytes(size, sizeof(size), map_bytes(part->pages));
		fprintf(out, "0x%-11" PRIx64 " %10" PRIu64 " %9s  ", map_bytes(part->page), part->pages,
			size);
		if (map_has_kept(map))
			fprintf(out, "%-8s  %s%s\n", map_name(part->asked), map_name(part->kept),
				map_is_misplaced(part) ? "  NOT AS ASKED" : "");
		else
			fprintf(out, "%s\n", map_name(part->asked));
	}
	if (i == map->num_parts)
		return;
	fprintf(out, "and %u more run%s", map->num_parts - i, map->num_parts - i > 1 ? "s" : "");
	for (; i < map->num_parts; i++)
		hidden += map_is_misplaced(&map->parts[i]);
	if (hidden)
		fprintf(out, ", %u of them not as asked", hidden);
	fputs(", which --json has\n", out);
}

/* --- all ---------------------------------------------------------------------------------- */

static void print_head(FILE *out, const struct map *map)
{
	char size[16], color[56];

	text_bytes(size, sizeof(size), map->size);
	text_clean(color, map->copies > 1 ? 24 : sizeof(color), map->color);
	fprintf(out, "buffer  %s, color %s", size, color);
	if (map->copies > 1)
		fprintf(out, ": %u copies, one behind the other", map->copies);
	if (map_has_kept(map))
		fprintf(out, "\n        on device %s: ", map->device);
	else
		fprintf(out, "\n        on %u tile%s, without a card: ", map->tiles,
			map->tiles > 1 ? "s" : "");
	fprintf(out, "%" PRIu64 " page%s of 64 KiB in %u run%s\n\n", map->pages,
		map->pages > 1 ? "s" : "", map->num_parts, map->num_parts > 1 ? "s" : "");
}

static void print_verdict(FILE *out, const struct map *map)
{
	char bytes[16], share[8];

	text_bytes(bytes, sizeof(bytes), map_bytes(map->all.misplaced));
	text_share(share, sizeof(share), (double)map->all.misplaced / map->pages);
	if (map->all.misplaced)
		fprintf(out, "NOT as asked (!): %s, %s of the pages\n\n", bytes, share);
	else
		fputs("All lies as asked.\n\n", out);
}

void map_view(FILE *out, const struct map *map, bool color)
{
	print_head(out, map);
	print_picture(out, map, color);
	print_sums(out, map);
	if (map_has_kept(map))
		print_verdict(out, map);
	print_runs(out, map);
}
