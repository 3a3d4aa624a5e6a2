// SPDX-License-Identifier: MIT
/*
 * A map as a picture: the fields that are asked, and beside them those that are kept, where a frame
 * marks what is not as asked. A field of several memories has a width for each one's share.
 */
#include "map.h"

#include <inttypes.h>

#include "svg.h"
#include "text.h"

#define FIELD	14		/* width of a field */
#define HEIGHT	20
#define LINE	20		/* height of a line of text */
#define LEFT	90
#define GAP	30
#define TOP	70

static const char *fill_of(unsigned int memory)
{
	return memory < XETILE_MAX_TILES ? svg_fills[memory] :
	       memory == MAP_SYSTEM ? "#888888" : "#dddddd";
}

static void print_rect(FILE *out, const char *name, unsigned int x, unsigned int y,
		       unsigned int width, unsigned int memory)
{
	fprintf(out, "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"%s\"/>\n",
		name, x, y, width, HEIGHT - 2, fill_of(memory));
}

static void print_field(FILE *out, const struct map *map, const struct map_field *field, bool kept,
			unsigned int x, unsigned int y)
{
	const uint64_t *pages = kept ? field->kept : field->asked;
	unsigned int m, from = 0, to;
	uint64_t all = 0, sum = 0;

	for (m = 0; m < MAP_MEMORIES; m++)
		all += pages[m];
	for (m = 0; m < MAP_MEMORIES; m++, from = to) {
		sum += pages[m];
		to = (double)FIELD * sum / all + 0.5;
		if (to > from)
			print_rect(out, kept ? "kept" : "asked", x + from, y, to - from, m);
	}
	if (kept && field->misplaced)
		fprintf(out, "<rect class=\"misplaced\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"none\" stroke=\"#d00000\" stroke-width=\"2\"/>\n",
			x, y, FIELD, HEIGHT - 2);
}

static void print_fields(FILE *out, const struct map *map, bool kept)
{
	unsigned int i, x = LEFT + (kept ? map->columns * FIELD + GAP : 0);
	char at[32];

	svg_text(out, x, TOP - 8, kept ? "kept" : "asked");
	for (i = 0; i < map->whole.num; i++) {
		unsigned int y = TOP + i / map->columns * HEIGHT;

		if (!kept && i % map->columns == 0) {
			snprintf(at, sizeof(at), "%" PRIu64 " MiB",
				 map_bytes(i * map->whole.field_pages) >> 20);
			svg_text(out, 10, y + 14, at);
		}
		print_field(out, map, &map->whole.fields[i], kept, x + i % map->columns * FIELD, y);
	}
}

/* A line for each memory; returns where the next one is. */
static unsigned int print_sums(FILE *out, const struct map *map, unsigned int y)
{
	bool kept = map_has_kept(map);
	char line[128], share[8];
	unsigned int m, n;

	for (m = 0; m < MAP_MEMORIES; m++) {
		if (m >= map->tiles && !map->all.asked[m] && !(kept && map->all.kept[m]))
			continue;
		fprintf(out, "<rect class=\"memory\" x=\"%u\" y=\"%u\" width=\"12\" height=\"12\" fill=\"%s\"/>\n",
			LEFT, y - 11, fill_of(m));
		text_share(share, sizeof(share), (double)map->all.asked[m] / map->pages);
		n = snprintf(line, sizeof(line), "%s: %" PRIu64 " bytes asked, %s", map_name(m),
			     map_bytes(map->all.asked[m]), share);
		text_share(share, sizeof(share), (double)map->all.kept[m] / map->pages);
		if (kept)
			snprintf(line + n, sizeof(line) - n, "; %" PRIu64 " kept, %s",
				 map_bytes(map->all.kept[m]), share);
		svg_text(out, LEFT + 20, y, line);
		y += LINE;
	}
	return y;
}

static void print_head(FILE *out, const struct map *map)
{
	char line[200], color[48], size[16], field[16];

	text_bytes(size, sizeof(size), map->size);
	text_bytes(field, sizeof(field), map_bytes(map->whole.field_pages));
	text_clean(color, sizeof(color), map->color);
	snprintf(line, sizeof(line), "%s, color %s, %s%s: %" PRIu64 " pages of 64 KiB, %s for each field",
		 size, color, map_has_kept(map) ? "device " : "without a card", map->device, map->pages,
		 field);
	svg_text(out, 10, 24, line);
}

void map_svg(FILE *out, const struct map *map)
{
	unsigned int rows = (map->whole.num + map->columns - 1) / map->columns, y;
	char line[64];

	/* Both ways the fields have the same room: 64 of them, or twice 32. */
	svg_begin(out, LEFT + 64 * FIELD + GAP + 10,
		  TOP + rows * HEIGHT + (MAP_MEMORIES + 2) * LINE);
	print_head(out, map);
	print_fields(out, map, false);
	if (map_has_kept(map))
		print_fields(out, map, true);
	y = print_sums(out, map, TOP + rows * HEIGHT + LINE);
	if (map_has_kept(map)) {
		snprintf(line, sizeof(line), "%" PRIu64 " bytes are not as asked",
			 map_bytes(map->all.misplaced));
		svg_text(out, LEFT + 20, y, line);
	}
	fputs("</svg>\n", out);
}
