// SPDX-License-Identifier: MIT
/*
 * xetilectl list: shows the cards, their tiles and engines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "none.h"
#include "options.h"

#define MAX_ENGINES	64
#define MIB(bytes)	((unsigned long long)((bytes) >> 20))

static void usage(FILE *out)
{
	fputs("usage: xetilectl list [--json] [--sysfs FOLDER]\n\n"
	      "Shows the cards that this process may use, with PCI id, tiles, HBM, compute\n"
	      "slices (cslices), CCS mode and engines. ZE_AFFINITY_MASK and\n"
	      "ZE_FLAT_DEVICE_HIERARCHY apply. 'flat' is the number of a tile in flat\n"
	      "hierarchy without an affinity mask. Where there is no card, it says why; --sysfs FOLDER looks for\n"
	      "the reason there instead of /sys.\n", out);
}

struct tile {
	struct xetile_device_info info;
	struct xetile_engine_info engines[MAX_ENGINES];
	int num_engines;
	/* The last one is the machine's memory; an order of 0 is none. */
	struct xetile_distance distance[XETILE_MAX_TILES + 1];
};

static int read_tile(struct xetile_device *device, struct tile *tile)
{
	unsigned int t;

	if (xetile_device_get_info(device, &tile->info))
		return ctl_failed("tile");
	tile->num_engines = xetile_device_get_engines(device, tile->engines, MAX_ENGINES);
	if (tile->num_engines < 0)
		return ctl_failed("engines");
	if (tile->num_engines > MAX_ENGINES)
		tile->num_engines = MAX_ENGINES;
	/* A driver need not know a distance: an error is no failure. */
	memset(tile->distance, 0, sizeof(tile->distance));
	for (t = 0; t <= tile->info.card_tiles; t++)
		xetile_device_get_distance(device, tile->info.tile,
					   t < tile->info.card_tiles ? (int)t : XETILE_SYSTEM,
					   &tile->distance[t]);
	return CTL_OK;
}

/* --- text --------------------------------------------------------------------------- */

static void print_modes(uint32_t modes)
{
	const char *comma = "";
	unsigned int m;

	for (m = 1; m < 32; m++) {
		if (!(modes & (1u << m)))
			continue;
		printf("%s%u", comma, m);
		comma = ",";
	}
}

static double ratio(uint32_t value)
{
	return (double)value / XETILE_RATIO_ONE;
}

static void print_tile(const struct tile *tile)
{
	const struct xetile_device_info *i = &tile->info;
	unsigned int t, copies = 0;
	int e;

	printf("  tile %u.%u (flat %u): HBM %llu MiB, %llu used, %llu visible to the CPU\n",
	       i->card, i->tile, i->flat, MIB(i->hbm_total), MIB(i->hbm_used),
	       MIB(i->hbm_visible));
	printf("    %u cslices, %u EUs, %u L3 banks; CCS mode %u of ", i->num_cslices,
	       i->num_eus, i->l3_banks, i->ccs_mode);
	print_modes(i->ccs_modes);
	/* A line for each compute engine; of copy engines the number is enough. */
	for (e = 0; e < tile->num_engines; e++) {
		const struct xetile_engine_info *en = &tile->engines[e];

		copies += en->is_copy;
		if (!en->is_copy)
			printf("\n    CCS%u: cslices 0x%x, %u EUs", en->instance, en->cslice_mask,
			       en->num_eus);
	}
	printf("\n    %u copy engines", copies);
	printf("\n    distance:");
	for (t = 0; t <= i->card_tiles; t++) {
		const struct xetile_distance *d = &tile->distance[t];

		if (!d->order)
			continue;
		if (t < i->card_tiles)
			printf(" tile %u: %u", t, d->order);
		else
			printf(" system: %u", d->order);
		if (d->measured)
			printf(" (read x%.2f, write x%.2f)", ratio(d->read), ratio(d->write));
	}
	printf("\n");
}

static void print_card(const struct xetile_device_info *i, const char *calibration)
{
	printf("card %u: %s, %s\n  %s 8086:%04x rev 0x%02x", i->card, i->name, i->node, i->pci,
	       i->device_id, i->revision);
	if (i->numa_node >= 0)
		printf(", NUMA node %d", i->numa_node);
	putchar('\n');
	printf("  %u tile%s, HBM %llu MiB, %u cslices, CCS mode %u, %u EUs, implicit scaling %s\n",
	       i->card_tiles, i->card_tiles == 1 ? "" : "s", MIB(i->hbm_total),
	       i->num_cslices, i->ccs_mode, i->num_eus, i->implicit_scaling ? "on" : "off");
	printf("  distances %s\n", calibration);
}

/* --- JSON --------------------------------------------------------------------------- */

/* The name of a memory, as a key */
static void json_memory(const struct xetile_device_info *i, unsigned int number)
{
	if (number < i->card_tiles)
		printf("\"%u\":", number);
	else
		printf("\"system\":");
}

static void json_tile(const struct tile *tile)
{
	const struct xetile_device_info *i = &tile->info;
	const char *comma = "";
	unsigned int t;
	int e;

	printf("{\"selector\":\"%u.%u\",\"tile\":%u,\"flat\":%u,\"hbm_total\":%llu,"
	       "\"hbm_used\":%llu,\"hbm_visible\":%llu,\"num_cslices\":%u,\"num_eus\":%u,"
	       "\"l3_banks\":%u,\"ccs_mode\":%u,\"ccs_modes\":[",
	       i->card, i->tile, i->tile, i->flat, (unsigned long long)i->hbm_total,
	       (unsigned long long)i->hbm_used, (unsigned long long)i->hbm_visible,
	       i->num_cslices, i->num_eus, i->l3_banks, i->ccs_mode);
	print_modes(i->ccs_modes);
	printf("],\"engines\":[");
	for (e = 0; e < tile->num_engines; e++) {
		const struct xetile_engine_info *en = &tile->engines[e];

		printf("%s{\"class\":\"%s\",\"instance\":%u,\"cslice_mask\":%u,\"num_eus\":%u}",
		       e ? "," : "", en->is_copy ? "copy" : "compute", en->instance,
		       en->cslice_mask, en->num_eus);
	}
	printf("],\"distance\":{");
	for (t = 0; t <= i->card_tiles; t++) {
		if (!tile->distance[t].order)
			continue;
		printf("%s", comma);
		json_memory(i, t);
		printf("%u", tile->distance[t].order);
		comma = ",";
	}
	printf("},\"ratio\":{");
	comma = "";
	for (t = 0; t <= i->card_tiles; t++) {
		const struct xetile_distance *d = &tile->distance[t];

		if (!d->measured)
			continue;
		printf("%s", comma);
		json_memory(i, t);
		printf("{\"read\":%.3f,\"write\":%.3f}", ratio(d->read), ratio(d->write));
		comma = ",";
	}
	printf("}}");
}

static void json_card(const struct xetile_device_info *i, const char *calibration)
{
	printf("{\"card\":%u,\"pci\":\"%s\",\"vendor_id\":32902,\"device_id\":%u,\"revision\":%u,"
	       "\"node\":", i->card, i->pci, i->device_id, i->revision);
	ctl_json_string(i->node);
	printf(",\"name\":");
	ctl_json_string(i->name);
	printf(",\"numa_node\":%d", i->numa_node);
	printf(",\"num_tiles\":%u,\"hbm_total\":%llu,\"num_cslices\":%u,\"num_eus\":%u,"
	       "\"ccs_mode\":%u,\"implicit_scaling\":%s,\"caps\":%llu,\"distances\":",
	       i->card_tiles, (unsigned long long)i->hbm_total, i->num_cslices, i->num_eus,
	       i->ccs_mode, i->implicit_scaling ? "true" : "false",
	       (unsigned long long)i->caps);
	ctl_json_string(calibration);
	printf(",\"tiles\":[");
}

/* --- the command ----------------------------------------------------------------------- */

static int list_tiles(struct xetile_device *const *tiles, unsigned int num, bool json)
{
	struct tile *tile = calloc(1, sizeof(*tile));
	unsigned int i;
	int ret = tile ? CTL_OK : CTL_FAILED;

	for (i = 0; i < num && !ret; i++) {
		ret = read_tile(tiles[i], tile);
		if (ret)
			break;
		if (json && i)
			putchar(',');
		if (json)
			json_tile(tile);
		else
			print_tile(tile);
	}
	free(tile);
	return ret;
}

static int list_card(struct xetile_device *root, bool json)
{
	struct xetile_device *tiles[XETILE_MAX_TILES];
	unsigned int i, num = xetile_device_num_sub_devices(root);
	struct xetile_device_info info;
	int ret;

	if (xetile_device_get_info(root, &info))
		return ctl_failed("card");
	for (i = 0; i < num && i < XETILE_MAX_TILES; i++)
		tiles[i] = xetile_device_sub_device(root, i);
	if (json)
		json_card(&info, xetile_device_calibration(root));
	else
		print_card(&info, xetile_device_calibration(root));
	ret = list_tiles(tiles, i, json);
	if (json)
		printf("]}");
	return ret;
}

static int list(struct xetile_platform *platform, bool json, const char *sysfs)
{
	static const char *const names[] = {
		[XETILE_COMPOSITE] = "composite",
		[XETILE_FLAT] = "flat",
		[XETILE_COMBINED] = "combined",
	};
	unsigned int i, num = xetile_platform_num_devices(platform);
	enum xetile_hierarchy hierarchy = xetile_platform_hierarchy(platform);
	bool composite = hierarchy == XETILE_COMPOSITE;
	int ret = CTL_OK;

	if (json)
		printf("{\"hierarchy\":\"%s\",\"%s\":[", names[hierarchy],
		       composite ? "cards" : "tiles");
	for (i = 0; i < num && !ret; i++) {
		struct xetile_device *device = xetile_platform_device(platform, i);

		if (json && i)
			putchar(',');
		if (composite)
			ret = list_card(device, json);
		else
			ret = list_tiles(&device, 1, json);
	}
	if (json)
		printf("]}\n");
	else if (!num)
		none_explain(stdout, sysfs);
	return ret;
}

int ctl_list(int argc, char **argv)
{
	const char *sysfs = NONE_SYSFS;
	bool json = false;
	const struct option_line lines[] = {
		{ "sysfs", 0, OPTION_FOLDER, &sysfs },
		{ "json", 'j', OPTION_FLAG, &json },
		{ NULL },
	};
	const struct option_table table = { "list", lines, 0, usage };
	struct xetile_platform *platform;
	int ret;

	if (!options_read(&table, argc, argv, &ret))
		return ret;
	ret = xetile_platform_open(&platform);
	if (ret)
		return none_open(ret);
	ret = list(platform, json, sysfs);
	xetile_platform_close(platform);
	return ret;
}
