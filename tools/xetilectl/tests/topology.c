// SPDX-License-Identifier: MIT
/*
 * What `topology` prints of made-up cards, whose places on the bus are in a folder that is as /sys.
 *
 *	topology text|json|svg CASE SYSFS
 *
 * CASE is "two": two cards of two tiles, the first one measured, the second one with fused slices
 * and a name that is no XML; "one": a card of one tile of two, whose other one is hidden; "four": the
 * widest card.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "topology.h"

#define GIB	(1ull << 30)

static void add_engine(struct topology_tile *tile, bool copy, uint32_t instance, uint32_t slices)
{
	tile->engines[tile->num_engines++] = (struct xetile_engine_info) {
		.tile = tile->info.tile, .is_copy = copy, .instance = instance,
		.cslice_mask = slices, .num_eus = 128 * __builtin_popcount(slices),
	};
}

static struct xetile_distance distance(enum xetile_hop hop, uint32_t order, uint32_t ratio)
{
	return (struct xetile_distance) {
		.hop = hop, .order = order, .measured = ratio, .read = ratio,
		.write = ratio + ratio / 10,
	};
}

static void make_rows(struct topology_card *card, unsigned int tiles, bool measured)
{
	unsigned int t, m;

	for (m = 0; m < tiles; m++) {
		card->cpu.known[m] = true;
		card->cpu.to[m] = distance(XETILE_HOP_BUS, 0, measured ? 1234567 : 0);
		for (t = 0; t < card->num_tiles; t++) {
			bool own = card->tiles[t].info.tile == m;

			card->tiles[t].distance.known[m] = true;
			card->tiles[t].distance.to[m] = own ?
				distance(XETILE_HOP_NONE, 10, measured ? 1000 : 0) :
				distance(XETILE_HOP_TILE, 20, measured ? 1520 : 0);
		}
	}
	card->cpu.known[TOPOLOGY_SYSTEM] = true;
	for (t = 0; t < card->num_tiles; t++) {
		card->tiles[t].distance.known[TOPOLOGY_SYSTEM] = true;
		card->tiles[t].distance.to[TOPOLOGY_SYSTEM] =
			distance(XETILE_HOP_BUS, 40, measured ? 9999999 : 0);
	}
}

/* The slices @present are dealt to @mode engines in turn. */
static void add_tile(struct topology_card *card, const struct xetile_device_info *info,
		     uint32_t present, unsigned int mode)
{
	struct topology_tile *tile = &card->tiles[card->num_tiles++];
	uint32_t masks[XETILE_MAX_CSLICES] = { 0 };
	unsigned int s, n = 0;

	tile->info = *info;
	tile->info.num_cslices = __builtin_popcount(present);
	tile->info.num_eus = 128 * tile->info.num_cslices;
	tile->info.ccs_mode = mode;
	tile->info.ccs_modes = present == 0xf ? 0x16 : present == 0x7 ? 0x2 : 0x6;
	for (s = 0; s < XETILE_MAX_CSLICES; s++)
		if (present & 1u << s)
			masks[n++ % mode] |= 1u << s;
	for (s = 0; s < mode; s++)
		add_engine(tile, false, __builtin_ctz(masks[s]), masks[s]);
	for (s = 0; s < 8; s++)
		add_engine(tile, true, s + (s > 3), 0);
}

static struct topology_card *add_card(struct topology *topology, struct xetile_device_info *info,
				      const char *sysfs)
{
	struct topology_card *card = &topology->cards[topology->num];

	info->card = topology->num++;
	info->device_id = 0x0bd5;
	info->revision = 0x2f;
	info->hbm_total = 64 * GIB;
	info->hbm_visible = 64 * GIB;
	snprintf(info->pci, sizeof(info->pci), "0000:%02x:00.0", 3 + info->card);
	snprintf(info->node, sizeof(info->node), "/dev/dri/renderD%u", 128 + info->card);
	snprintf(card->calibration, sizeof(card->calibration), "of \"this\" test");
	topology_path_read(sysfs, info->pci, &card->path);
	return card;
}

static void make(struct topology *topology, const char *name, const char *sysfs)
{
	struct xetile_device_info info = { .card_tiles = 2, .numa_node = 0 };
	struct topology_card *card;
	unsigned int i;

	strcpy(info.name, "Data Center GPU Max 1550");
	if (!strcmp(name, "four"))
		info.card_tiles = 4;
	card = add_card(topology, &info, sysfs);
	if (!strcmp(name, "one")) {
		info.numa_node = -1;
		info.tile = 1;
		info.flat = 1;
		info.hbm_used = info.hbm_total;
		add_tile(card, &info, 0x7, 1);
		make_rows(card, 2, false);
		return;
	}
	for (i = 0; i < info.card_tiles; i++) {
		info.tile = i;
		info.flat = i;
		info.hbm_used = i * 17 * GIB + (i == 3 ? 100 << 20 : 0);
		add_tile(card, &info, 0xf, i ? 4 : 1);
	}
	make_rows(card, info.card_tiles, true);
	if (strcmp(name, "two"))
		return;
	strcpy(info.name, "Max ]]><& \"1550\"");
	info.numa_node = 1;
	card = add_card(topology, &info, sysfs);
	for (i = 0; i < 2; i++) {
		info.tile = i;
		info.flat = 2 + i;
		info.hbm_used = 1 * GIB;
		add_tile(card, &info, 0xa, 2 - i);
	}
	make_rows(card, 2, false);
}

int main(int argc, char **argv)
{
	struct topology topology = { .cards = calloc(2, sizeof(*topology.cards)) };

	if (argc != 4 || !topology.cards)
		errx(2, "usage: topology text|json|svg CASE SYSFS");
	make(&topology, argv[2], argv[3]);
	if (!strcmp(argv[1], "text"))
		topology_view(stdout, &topology);
	else if (!strcmp(argv[1], "json"))
		topology_json(&topology);
	else
		topology_svg(stdout, &topology);
	free(topology.cards);
	return 0;
}
