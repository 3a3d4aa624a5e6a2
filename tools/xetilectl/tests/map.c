// SPDX-License-Identifier: MIT
/*
 * What `map` prints of a made-up buffer.
 *
 *	map text|color|json|svg COLOR SIZE TILES COPIES ASKED [KEPT]
 *
 * ASKED and KEPT are lists of TILE*PAGES between commas, where "s" is system memory and "?" any tile;
 * without KEPT there is no card. A list ":TILES*PAGES*TIMES" deals so many pages to the tiles in turn.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"

#define MAX_RUNS	(1u << 20)

static struct xetile_run asked[MAX_RUNS], kept[MAX_RUNS];

static unsigned int read_dealt(const char *text, struct xetile_run *runs)
{
	unsigned int tiles, pages, times, i;

	if (sscanf(text, ":%u*%u*%u", &tiles, &pages, &times) != 3 || times > MAX_RUNS)
		errx(2, "'%s' is not :TILES*PAGES*TIMES", text);
	for (i = 0; i < times; i++)
		runs[i] = (struct xetile_run) { i % tiles, pages };
	return times;
}

static unsigned int read_runs(char *text, struct xetile_run *runs)
{
	unsigned int num = 0;
	char *item;

	if (*text == ':')
		return read_dealt(text, runs);
	for (item = strtok(text, ","); item; item = strtok(NULL, ",")) {
		char *star = strchr(item, '*');

		if (!star)
			errx(2, "'%s' is not TILE*PAGES", item);
		runs[num++] = (struct xetile_run) {
			*item == 's' ? XETILE_TILE_SYSTEM : *item == '?' ? MAP_ANY_TILE :
			(uint32_t)atoi(item), strtoul(star + 1, NULL, 10),
		};
	}
	return num;
}

int main(int argc, char **argv)
{
	struct map map = { 0 };
	unsigned int num_asked, num_kept = 0;

	if (argc != 7 && argc != 8)
		errx(2, "usage: map text|color|json|svg COLOR SIZE TILES COPIES ASKED [KEPT]");
	map.color = argv[2];
	map.size = strtoull(argv[3], NULL, 10);
	map.tiles = atoi(argv[4]);
	map.copies = atoi(argv[5]);
	num_asked = read_runs(argv[6], asked);
	if (argc == 8) {
		strcpy(map.device, "0");
		num_kept = read_runs(argv[7], kept);
	}
	if (!map_make(&map, asked, num_asked, kept, num_kept))
		errx(1, "out of memory");
	if (!strcmp(argv[1], "json"))
		map_json(&map);
	else if (!strcmp(argv[1], "svg"))
		map_svg(stdout, &map);
	else
		map_view(stdout, &map, !strcmp(argv[1], "color"));
	map_free(&map);
	return 0;
}
