// SPDX-License-Identifier: MIT
/*
 * A map as JSON, with all runs. Without a card nothing is kept, and what is not known is null.
 */
#include "map.h"

#include <inttypes.h>

#include "ctl.h"

static void print_kept(const char *key, const struct map *map, uint64_t pages)
{
	if (map_has_kept(map))
		printf(",\"%s\":%" PRIu64, key, map_bytes(pages));
	else
		printf(",\"%s\":null", key);
}

static void print_memory(const char *key, unsigned int memory)
{
	if (memory == MAP_NONE)
		printf(",\"%s\":null", key);
	else if (memory == MAP_SYSTEM)
		printf(",\"%s\":\"system\"", key);
	else
		printf(",\"%s\":%u", key, memory);
}

void map_json(const struct map *map)
{
	unsigned int i;

	printf("{\"size\":%" PRIu64 ",\"color\":", map->size);
	ctl_json_string(map->color);
	printf(",\"device\":");
	if (map_has_kept(map))
		ctl_json_string(map->device);
	else
		printf("null");
	printf(",\"page_size\":%u,\"pages\":%" PRIu64 ",\"copies\":%u,\"tiles\":[", XETILE_COLOR_PAGE,
	       map->pages, map->copies);
	for (i = 0; i < map->tiles; i++) {
		printf("%s{\"tile\":%u,\"asked\":%" PRIu64, i ? "," : "", i,
		       map_bytes(map->all.asked[i]));
		print_kept("kept", map, map->all.kept[i]);
		putchar('}');
	}
	putchar(']');
	print_kept("system", map, map->all.kept[MAP_SYSTEM]);
	print_kept("misplaced", map, map->all.misplaced);
	printf(",\"runs\":[");
	for (i = 0; i < map->num_parts; i++) {
		const struct map_part *part = &map->parts[i];

		printf("%s{\"page\":%" PRIu64 ",\"pages\":%" PRIu64, i ? "," : "", part->page,
		       part->pages);
		print_memory("asked", part->asked);
		print_memory("kept", part->kept);
		putchar('}');
	}
	puts("]}");
}
