// SPDX-License-Identifier: MIT
/*
 * xetilectl topology: the parts of cards, and how far they are from each other.
 */
#include "topology.h"

#include <stdlib.h>

#include "ctl.h"
#include "none.h"
#include "options.h"
#include "save.h"

static void usage(FILE *out)
{
	fputs("usage: xetilectl topology [CARD] [options]\n\n"
	      "Draws a card, or all that this process may use: tiles with HBM, compute slices\n"
	      "(cslices; those that are fused off), the engines that have them now, the CCS mode\n"
	      "with its virtual slices, and copy engines; how far the tiles' memories are from\n"
	      "each other and from the CPU; the PCI buses, and the switches between cards.\n"
	      "ZE_AFFINITY_MASK applies.\n"
	      "  --device, -d CARD  the same as CARD\n"
	      "  --json, -j         print one line of JSON\n"
	      "  --svg FILE         also write a picture\n"
	      "  --sysfs FOLDER     look for buses there instead of /sys\n", out);
}

/* --- reading --------------------------------------------------------------------------- */

/* A driver need not know a distance: an error is no failure. */
static void read_row(struct xetile_device *device, int from, unsigned int tiles,
		     struct topology_row *row)
{
	unsigned int m;

	for (m = 0; m < tiles && m < XETILE_MAX_TILES; m++)
		row->known[m] = !xetile_device_get_distance(device, from, m, &row->to[m]);
	row->known[TOPOLOGY_SYSTEM] = !xetile_device_get_distance(device, from, XETILE_SYSTEM,
								  &row->to[TOPOLOGY_SYSTEM]);
}

static int read_tile(struct xetile_device *device, struct topology_tile *tile)
{
	int num;

	if (xetile_device_get_info(device, &tile->info))
		return ctl_failed("tile");
	num = xetile_device_get_engines(device, tile->engines, TOPOLOGY_ENGINES);
	if (num < 0)
		return ctl_failed("engines");
	tile->num_engines = num < TOPOLOGY_ENGINES ? num : TOPOLOGY_ENGINES;
	read_row(device, tile->info.tile, tile->info.card_tiles, &tile->distance);
	return CTL_OK;
}

/* Add a tile to the last card, or to another one if it is not of that. */
static int add_tile(struct topology *topology, struct xetile_device *device, const char *sysfs)
{
	struct topology_card *card = topology->num ? &topology->cards[topology->num - 1] : NULL;
	struct xetile_device_info info;

	if (xetile_device_get_info(device, &info))
		return ctl_failed("tile");
	if (!card || card->tiles[0].info.card != info.card) {
		card = &topology->cards[topology->num++];
		snprintf(card->calibration, sizeof(card->calibration), "%s",
			 xetile_device_calibration(device));
		read_row(device, XETILE_CPU, info.card_tiles, &card->cpu);
		topology_path_read(sysfs, info.pci, &card->path);
	}
	if (card->num_tiles == XETILE_MAX_TILES)
		return CTL_OK;
	return read_tile(device, &card->tiles[card->num_tiles++]);
}

/* A device at the top is a card, or a tile in the other hierarchies. */
static int add_device(struct topology *topology, struct xetile_device *device, const char *sysfs)
{
	struct xetile_device_info info;
	unsigned int i;
	int ret = CTL_OK;

	if (xetile_device_get_info(device, &info))
		return ctl_failed("device");
	if (info.kind != XETILE_DEVICE_ROOT)
		return add_tile(topology, device, sysfs);
	for (i = 0; i < xetile_device_num_sub_devices(device) && !ret; i++)
		ret = add_tile(topology, xetile_device_sub_device(device, i), sysfs);
	return ret;
}

/* Read all cards, or the one of the number @only. */
static int read_cards(struct topology *topology, struct xetile_platform *platform, int only,
		      const char *sysfs)
{
	unsigned int i, num = xetile_platform_num_devices(platform);
	struct xetile_device_info info;
	int ret = CTL_OK;

	topology->cards = calloc(num + 1, sizeof(*topology->cards));
	if (!topology->cards) {
		fputs("xetilectl: out of memory\n", stderr);
		return CTL_FAILED;
	}
	for (i = 0; i < num && !ret; i++) {
		struct xetile_device *device = xetile_platform_device(platform, i);

		if (xetile_device_get_info(device, &info))
			ret = ctl_failed("device");
		else if (only < 0 || (int)info.card == only)
			ret = add_device(topology, device, sysfs);
	}
	return ret;
}

static int open_cards(const char *selector, struct xetile_platform **platform, int *only)
{
	struct xetile_device_info info;
	struct xetile_device *card;
	int ret;

	*only = -1;
	if (!selector) {
		ret = xetile_platform_open(platform);
		return ret ? none_open(ret) : CTL_OK;
	}
	ret = ctl_open_card(selector, platform, &card);
	if (!ret && xetile_device_get_info(card, &info)) {
		xetile_platform_close(*platform);
		return ctl_failed("card");
	}
	if (!ret)
		*only = info.card;
	return ret;
}

/* --- showing ---------------------------------------------------------------------------- */

static int draw(const struct topology *topology, const char *path, const char *sysfs)
{
	FILE *out;

	if (!topology->num) {
		fprintf(stderr, "xetilectl: there is no card to draw, '%s' is not written\n", path);
		none_explain(stderr, sysfs);
		return CTL_FAILED;
	}
	out = save_open(path);
	if (!out)
		return CTL_FAILED;
	topology_svg(out, topology);
	return save_close(out, path);
}

static int show(const struct topology *topology, const char *svg, bool json, const char *sysfs)
{
	int ret = svg ? draw(topology, svg, sysfs) : CTL_OK;

	if (ret)
		return ret;
	if (json)
		topology_json(topology);
	else if (topology->num)
		topology_view(stdout, topology);
	else
		none_explain(stdout, sysfs);
	return CTL_OK;
}

int ctl_topology(int argc, char **argv)
{
	const char *device = NULL, *svg = NULL, *sysfs = NONE_SYSFS, *selector;
	bool json = false;
	const struct option_line lines[] = {
		{ "device", 'd', OPTION_DEVICE, &device },
		{ "json", 'j', OPTION_FLAG, &json },
		{ "svg", 0, OPTION_FILE, &svg },
		{ "sysfs", 0, OPTION_FOLDER, &sysfs },
		{ NULL },
	};
	const struct option_table table = { "topology", lines, 1, usage, OPTION_DEVICE };
	struct xetile_platform *platform;
	struct topology topology = { 0 };
	int ret, only;

	if (!options_read(&table, argc, argv, &ret))
		return ret;
	ret = options_device(argc, argv, device, &selector);
	if (!ret)
		ret = open_cards(selector, &platform, &only);
	if (ret)
		return ret;
	ret = read_cards(&topology, platform, only, sysfs);
	xetile_platform_close(platform);
	if (!ret)
		ret = show(&topology, svg, json, sysfs);
	free(topology.cards);
	return ret;
}
