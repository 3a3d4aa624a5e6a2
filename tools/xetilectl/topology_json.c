// SPDX-License-Identifier: MIT
/*
 * The topology as JSON. Memory is in bytes; what is not known is null.
 */
#include <inttypes.h>

#include "ctl.h"
#include "topology.h"

/* A list of the numbers of a mask */
static void print_mask(const char *key, uint32_t mask)
{
	const char *comma = "";
	unsigned int i;

	printf(",\"%s\":[", key);
	for (i = 0; i < 32; i++) {
		if (!(mask & 1u << i))
			continue;
		printf("%s%u", comma, i);
		comma = ",";
	}
	putchar(']');
}

static void print_slices(const struct topology_tile *tile)
{
	const struct xetile_engine_info *engine;
	unsigned int s;

	printf(",\"cslices\":[");
	for (s = 0; s < XETILE_MAX_CSLICES; s++) {
		engine = topology_engine(tile, s);
		printf("%s{\"cslice\":%u,\"present\":%s,\"engine\":", s ? "," : "", s,
		       engine ? "true" : "false");
		if (engine)
			printf("%u}", engine->instance);
		else
			printf("null}");
	}
	putchar(']');
}

static void print_engines(const struct topology_tile *tile)
{
	const char *comma = "";
	uint32_t copies = 0;
	unsigned int e;

	printf(",\"compute_engines\":[");
	for (e = 0; e < tile->num_engines; e++) {
		const struct xetile_engine_info *engine = &tile->engines[e];

		if (engine->is_copy) {
			copies |= engine->instance < 32 ? 1u << engine->instance : 0;
			continue;
		}
		printf("%s{\"engine\":%u,\"num_eus\":%u", comma, engine->instance, engine->num_eus);
		print_mask("cslices", engine->cslice_mask);
		putchar('}');
		comma = ",";
	}
	putchar(']');
	print_mask("copy_engines", copies);
}

static void print_tile(const struct topology_tile *tile)
{
	const struct xetile_device_info *i = &tile->info;

	printf("{\"tile\":%u,\"selector\":\"%u.%u\",\"flat\":%u,\"num_eus\":%u", i->tile, i->card,
	       i->tile, i->flat, i->num_eus);
	printf(",\"hbm\":{\"total\":%" PRIu64 ",\"free\":%" PRIu64 ",\"visible\":%" PRIu64 "}",
	       i->hbm_total, i->hbm_total - i->hbm_used, i->hbm_visible);
	printf(",\"ccs_mode\":%u", i->ccs_mode);
	print_mask("ccs_modes", i->ccs_modes);
	print_mask("virtual_cslices", (1u << i->ccs_mode % 32) - 1);
	print_slices(tile);
	print_engines(tile);
	putchar('}');
}

static void print_ratio(const char *key, uint32_t ratio)
{
	if (ratio)
		printf(",\"%s\":%.3f", key, (double)ratio / XETILE_RATIO_ONE);
	else
		printf(",\"%s\":null", key);
}

static const char *print_row(const struct topology_row *row, int from, const char *comma)
{
	unsigned int m;

	for (m = 0; m < TOPOLOGY_MEMORIES; m++) {
		const struct xetile_distance *d = &row->to[m];

		if (!row->known[m])
			continue;
		printf("%s{\"from\":", comma);
		if (from == XETILE_CPU)
			printf("\"cpu\",\"to\":");
		else
			printf("%d,\"to\":", from);
		if (m == TOPOLOGY_SYSTEM)
			printf("\"system\"");
		else
			printf("%u", m);
		printf(",\"crosses\":\"%s\",\"order\":", topology_hop(d->hop));
		if (d->order)
			printf("%u", d->order);
		else
			printf("null");
		print_ratio("read", d->measured ? d->read : 0);
		print_ratio("write", d->measured ? d->write : 0);
		putchar('}');
		comma = ",";
	}
	return comma;
}

static void print_card(const struct topology_card *card)
{
	const struct xetile_device_info *i = &card->tiles[0].info;
	const char *comma = "";
	unsigned int n;

	printf("{\"card\":%u,\"name\":", i->card);
	ctl_json_string(i->name);
	printf(",\"pci\":");
	ctl_json_string(i->pci);
	printf(",\"node\":");
	ctl_json_string(i->node);
	printf(",\"device_id\":%u,\"revision\":%u,\"numa_node\":", i->device_id, i->revision);
	if (i->numa_node >= 0)
		printf("%d", i->numa_node);
	else
		printf("null");
	printf(",\"path\":[");
	for (n = 0; n < card->path.depth; n++) {
		printf("%s", n ? "," : "");
		ctl_json_string(card->path.parts[n]);
	}
	printf("],\"num_tiles\":%u,\"calibration\":", i->card_tiles);
	ctl_json_string(card->calibration);
	printf(",\"tiles\":[");
	for (n = 0; n < card->num_tiles; n++) {
		printf("%s", n ? "," : "");
		print_tile(&card->tiles[n]);
	}
	printf("],\"distances\":[");
	for (n = 0; n < card->num_tiles; n++)
		comma = print_row(&card->tiles[n].distance, card->tiles[n].info.tile, comma);
	print_row(&card->cpu, XETILE_CPU, comma);
	printf("]}");
}

static void print_link(const struct topology_card *a, const struct topology_card *b)
{
	static const char *const names[] = {
		[TOPOLOGY_UNKNOWN] = "unknown",
		[TOPOLOGY_MACHINE] = "machine",
		[TOPOLOGY_HOST] = "host",
		[TOPOLOGY_SWITCH] = "switch",
	};
	unsigned int common = topology_common(&a->path, &b->path);

	printf("{\"cards\":[%u,%u],\"through\":\"%s\",\"bridge\":", a->tiles[0].info.card,
	       b->tiles[0].info.card, names[topology_link(&a->path, &b->path)]);
	if (common)
		ctl_json_string(a->path.parts[common - 1]);
	else
		printf("null");
	putchar('}');
}

void topology_json(const struct topology *topology)
{
	const char *comma = "";
	unsigned int a, b;

	printf("{\"cards\":[");
	for (a = 0; a < topology->num; a++) {
		printf("%s", a ? "," : "");
		print_card(&topology->cards[a]);
	}
	printf("],\"links\":[");
	for (a = 0; a < topology->num; a++) {
		for (b = a + 1; b < topology->num; b++) {
			printf("%s", comma);
			print_link(&topology->cards[a], &topology->cards[b]);
			comma = ",";
		}
	}
	puts("]}");
}
