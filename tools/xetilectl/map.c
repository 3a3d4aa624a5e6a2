// SPDX-License-Identifier: MIT
/*
 * xetilectl map: draws a buffer's color. On a card the buffer is really made, so that what the
 * color asks for stands beside what the driver keeps.
 */
#include "map.h"

#include <stdlib.h>

#include "buffer.h"
#include "ctl.h"
#include "options.h"
#include "save.h"
#include "terminal.h"

static void usage(FILE *out)
{
	fputs("usage: xetilectl map --size SIZE [--color COLOR] [options]\n\n"
	      "Draws a buffer's color: which tile each of its pages lies on. The buffer is made\n"
	      "on a card, read back, and freed: the color that is asked stands beside the one\n"
	      "that is kept, with a mark where a tile had no room. Meanwhile it takes HBM as any\n"
	      "other buffer does.\n"
	      "  --size SIZE        bytes of the buffer\n"
	      "  --color, -c COLOR  its color, as for xetilectl run (default even)\n"
	      "  --strict           refuse a buffer that cannot lie as its color says\n"
	      "  --device, -d SELECTOR  on this device (default: the first card)\n"
	      "  --tiles N          what is asked on a card of so many tiles; without a card\n"
	      "  --svg FILE         also write a picture\n"
	      "  --json, -j         print one line of JSON, with all runs\n", out);
}

struct words {
	const char *size, *color, *device, *svg;
	unsigned int tiles;
	bool strict, json;
};

static int no_memory(void)
{
	fputs("xetilectl: out of memory\n", stderr);
	return CTL_FAILED;
}

/* --- what is asked ---------------------------------------------------------------------- */

struct runs {
	struct xetile_run *list;
	int num;
};

/* The driver chooses the tile of such a buffer. */
static bool is_any_tile(const struct xetile_mem_desc *mem)
{
	return mem->flags & XETILE_MEM_LEAST_OCCUPIED;
}

/*
 * Find what the color asks for, which the caller frees. Returns CTL_OK, or another exit code
 * after a message.
 */
static int find_asked(struct map *map, const struct xetile_mem_desc *mem, uint32_t tile_mask,
		      struct runs *asked)
{
	struct xetile_mem_desc desc = *mem;
	int num;

	/* Whichever tile it is, it has one run. */
	desc.flags &= ~XETILE_MEM_LEAST_OCCUPIED;
	num = xetile_color_runs(&desc, tile_mask, NULL, 0);
	if (num < 0)
		return ctl_usage("%s", xetile_last_error());
	asked->list = calloc(num, sizeof(*asked->list));
	if (!asked->list)
		return no_memory();
	asked->num = xetile_color_runs(&desc, tile_mask, asked->list, num);
	if (is_any_tile(mem))
		asked->list[0].tile = MAP_ANY_TILE;
	map->size = mem->size;
	map->copies = mem->color == XETILE_COLOR_REPLICATE ? num : 1;
	return CTL_OK;
}

static int make(struct map *map, const struct runs *asked, const struct runs *kept)
{
	return map_make(map, asked->list, asked->num, kept->list, kept->num) ? CTL_OK : no_memory();
}

static int make_pure(struct map *map, const struct words *words, struct xetile_mem_desc *mem)
{
	struct runs asked = { 0 }, kept = { 0 };
	int ret;

	if (words->strict)
		return ctl_usage("--strict is for a buffer on a card, and --tiles is without one");
	map->tiles = words->tiles;
	ret = buffer_read("map", words->size, map->color, map->tiles, mem);
	if (!ret && is_any_tile(mem))
		ret = ctl_usage("--color '%s': only a card knows the tile; leave out --tiles",
				map->color);
	if (!ret)
		ret = find_asked(map, mem, (1u << map->tiles) - 1, &asked);
	if (!ret)
		ret = make(map, &asked, &kept);
	free(asked.list);
	return ret;
}

/* --- what is kept ----------------------------------------------------------------------- */

/* Make the buffer, see where it lies, and free it. Returns as find_asked(). */
static int find_kept(struct xetile_device *device, const struct xetile_mem_desc *mem,
		     struct runs *kept)
{
	struct xetile_context *context;
	struct xetile_mem *buffer;
	int ret = CTL_OK;

	if (xetile_context_create(device, &context))
		return ctl_failed("cannot open the card");
	if (xetile_mem_alloc(context, device, mem, &buffer)) {
		ret = buffer_failed("cannot make the buffer", device);
		fprintf(stderr, "  remedy: %sa smaller --size; xetilectl who tells who has HBM\n",
			mem->flags & XETILE_MEM_STRICT ? "no --strict, or " : "");
	} else {
		kept->num = buffer_runs(buffer, &kept->list);
		if (kept->num < 0)
			ret = CTL_FAILED;
		xetile_mem_free(buffer);
	}
	xetile_context_destroy(context);
	return ret;
}

static int make_real(struct map *map, const struct words *words, struct xetile_device *device,
		     struct xetile_mem_desc *mem)
{
	struct runs asked = { 0 }, kept = { 0 };
	struct xetile_device_info info;
	int ret;

	if (xetile_device_get_info(device, &info))
		return ctl_failed("device");
	map->tiles = info.card_tiles;
	xetile_device_selector(device, map->device, sizeof(map->device));
	ret = buffer_read("map", words->size, map->color, map->tiles, mem);
	if (words->strict)
		mem->flags |= XETILE_MEM_STRICT;
	/* What needs no card is refused without one. */
	if (!ret)
		ret = find_asked(map, mem, info.tile_mask, &asked);
	if (!ret)
		ret = find_kept(device, mem, &kept);
	if (!ret)
		ret = make(map, &asked, &kept);
	free(asked.list);
	free(kept.list);
	return ret;
}

static int make_map(struct map *map, const struct words *words, struct xetile_mem_desc *mem)
{
	struct xetile_platform *platform;
	struct xetile_device *device;
	int ret = buffer_tiles(words->tiles, words->device);

	/* What needs no card is told without one. */
	if (!ret && !words->size)
		ret = ctl_usage("map needs --size");
	if (ret)
		return ret;
	map->color = words->color ? words->color : "even";
	if (words->tiles)
		return make_pure(map, words, mem);
	ret = ctl_open(words->device, &platform, &device);
	if (ret) {
		fputs("  --tiles N draws without a card\n", stderr);
		return ret;
	}
	ret = make_real(map, words, device, mem);
	xetile_platform_close(platform);
	return ret;
}

/* --- showing ------------------------------------------------------------------------------ */

static int draw(const struct map *map, const char *path)
{
	FILE *out = save_open(path);

	if (!out)
		return CTL_FAILED;
	map_svg(out, map);
	return save_close(out, path);
}

static int show(const struct map *map, const struct words *words)
{
	int ret = words->svg ? draw(map, words->svg) : CTL_OK;

	if (ret)
		return ret;
	if (words->json)
		map_json(map);
	else
		map_view(stdout, map, terminal_has_color());
	if (map->all.misplaced)
		fprintf(stderr, "xetilectl: note: not all lies as asked, for want of room\n%s",
			words->strict ? "" : "  --strict refuses that\n");
	return CTL_OK;
}

int ctl_map(int argc, char **argv)
{
	struct xetile_mem_desc mem = { 0 };
	struct words words = { 0 };
	struct map map = { 0 };
	const struct option_line lines[] = {
		{ "size", 0, OPTION_TEXT, &words.size },
		{ "color", 'c', OPTION_TEXT, &words.color, .words = OPTIONS_COLORS },
		{ "strict", 0, OPTION_FLAG, &words.strict },
		{ "device", 'd', OPTION_DEVICE, &words.device },
		{ "tiles", 0, OPTION_COUNT, &words.tiles },
		{ "svg", 0, OPTION_FILE, &words.svg },
		{ "json", 'j', OPTION_FLAG, &words.json },
		{ NULL },
	};
	const struct option_table table = { "map", lines, 0, usage };
	int ret;

	if (!options_read(&table, argc, argv, &ret))
		return ret;
	ret = make_map(&map, &words, &mem);
	if (!ret)
		ret = show(&map, &words);
	map_free(&map);
	xetile_color_free(&mem);
	return ret;
}
