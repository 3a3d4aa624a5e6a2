// SPDX-License-Identifier: MIT
/*
 * The topology as text: a box for each tile, two beside each other, then how far the memories of a
 * card are, then the buses.
 */
#include <stdarg.h>
#include <string.h>

#include "text.h"
#include "topology.h"

#define ROWS	8		/* of a box, with its borders */
#define WIDTH	38		/* of a box: two and a gap of 4 are 80 columns */
#define BAR	24

const struct xetile_engine_info *topology_engine(const struct topology_tile *tile,
						 unsigned int cslice)
{
	unsigned int e;

	for (e = 0; e < tile->num_engines; e++) {
		const struct xetile_engine_info *engine = &tile->engines[e];

		if (!engine->is_copy && engine->cslice_mask & 1u << cslice)
			return engine;
	}
	return NULL;
}

const char *topology_hop(enum xetile_hop hop)
{
	switch (hop) {
	case XETILE_HOP_NONE:
		return "own";
	case XETILE_HOP_TILE:
		return "link";
	case XETILE_HOP_BUS:
		return "bus";
	default:
		return "other";
	}
}

void topology_memory(char *out, size_t size, unsigned int memory, const char *last)
{
	if (memory == TOPOLOGY_SYSTEM)
		snprintf(out, size, "%s", last);
	else
		snprintf(out, size, "tile %u", memory);
}

/* --- a tile -------------------------------------------------------------------------- */

/* The rows of a box */
struct box {
	char rows[ROWS][WIDTH + 1];
	unsigned int num;
};

static void add_row(struct box *box, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add_row(struct box *box, const char *format, ...)
{
	char text[WIDTH - 3];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	snprintf(box->rows[box->num++], WIDTH + 1, "| %-*s |", WIDTH - 4, text);
}

static void add_border(struct box *box)
{
	char *row = box->rows[box->num++];

	memset(row, '-', WIDTH);
	row[0] = row[WIDTH - 1] = '+';
	row[WIDTH] = 0;
}

static void add_hbm(struct box *box, const struct xetile_device_info *i)
{
	char total[16], left[16], bar[BAR + 1];
	unsigned int used = i->hbm_total ? (double)i->hbm_used * BAR / i->hbm_total + 0.5 : 0;

	text_bytes(total, sizeof(total), i->hbm_total);
	text_bytes(left, sizeof(left), i->hbm_total - i->hbm_used);
	add_row(box, "HBM    %s, %s free", total, left);
	memset(bar, ' ', BAR);
	memset(bar, '|', used);
	bar[BAR] = 0;
	add_row(box, "       [%s]", bar);
}

/* The physical slices with their engines, which the mode decides */
static void add_slices(struct box *box, const struct topology_tile *tile)
{
	char slices[WIDTH] = "", engines[WIDTH] = "";
	const struct xetile_engine_info *engine;
	unsigned int s, n = 0, m = 0;

	for (s = 0; s < XETILE_MAX_CSLICES; s++) {
		engine = topology_engine(tile, s);
		n += snprintf(slices + n, sizeof(slices) - n, " %5u", s);
		if (engine)
			m += snprintf(engines + m, sizeof(engines) - m, "  CCS%u",
				      engine->instance % 10);
		else
			m += snprintf(engines + m, sizeof(engines) - m, " fused");
	}
	add_row(box, "cslice%s", slices);
	add_row(box, "engine%s", engines);
}

static void modes_text(char *out, size_t size, uint32_t modes)
{
	unsigned int m;
	size_t n = 0;

	snprintf(out, size, "-");
	for (m = 1; m < 32 && n < size; m++)
		if (modes & 1u << m)
			n += snprintf(out + n, size - n, "%s%u", n ? "," : "", m);
}

static void add_rest(struct box *box, const struct topology_tile *tile)
{
	uint32_t copies = 0;
	unsigned int e;
	char modes[32], virtual[32], list[32];

	for (e = 0; e < tile->num_engines; e++)
		if (tile->engines[e].is_copy && tile->engines[e].instance < 32)
			copies |= 1u << tile->engines[e].instance;
	modes_text(modes, sizeof(modes), tile->info.ccs_modes);
	text_mask(virtual, sizeof(virtual), (1u << tile->info.ccs_mode % 32) - 1);
	text_mask(list, sizeof(list), copies);
	add_row(box, "mode   %u of %s; virtual %s", tile->info.ccs_mode, modes, virtual);
	add_row(box, "EUs    %u; copy engines %s", tile->info.num_eus, list);
}

static void make_box(struct box *box, const struct topology_tile *tile)
{
	box->num = 0;
	add_border(box);
	add_hbm(box, &tile->info);
	add_slices(box, tile);
	add_rest(box, tile);
	add_border(box);
	/* The name is in the border. */
	box->rows[0][snprintf(box->rows[0], WIDTH, "+- tile %u.%u, flat %u ", tile->info.card,
			      tile->info.tile, tile->info.flat)] = '-';
}

/* Two tiles, with the link between them; @right may be NULL */
static void print_pair(FILE *out, const struct topology_tile *left,
		       const struct topology_tile *right)
{
	struct box a, b;
	unsigned int i;
	bool linked;

	make_box(&a, left);
	if (right)
		make_box(&b, right);
	linked = right && left->distance.known[right->info.tile] &&
		 left->distance.to[right->info.tile].hop == XETILE_HOP_TILE;
	for (i = 0; i < a.num; i++) {
		fputs(a.rows[i], out);
		if (right)
			fprintf(out, "%s%s", linked && i == 1 ? "<==>" : "    ", b.rows[i]);
		fputc('\n', out);
	}
}

/* --- distances ------------------------------------------------------------------------ */

/* Five characters at most: a ratio is below 1000001. */
static const char *ratio_text(char out[16], uint32_t value)
{
	double ratio = (double)value / XETILE_RATIO_ONE;

	snprintf(out, 16, ratio < 9.995 ? "%.2f" : ratio < 9999.5 ? "%.0f" : "%.0fk",
		 ratio < 9999.5 ? ratio : ratio / 1000);
	return out;
}

static void print_row(FILE *out, const struct topology_card *card, const struct topology_row *row,
		      const char *name, bool ratios)
{
	unsigned int m, tiles = card->tiles[0].info.card_tiles;
	char cell[40], read[16], write[16];

	fprintf(out, "  %-6s", name);
	for (m = 0; m < TOPOLOGY_MEMORIES; m++) {
		const struct xetile_distance *d = &row->to[m];

		if (m >= tiles && m != TOPOLOGY_SYSTEM)
			continue;
		if (!row->known[m] || (ratios && !d->measured))
			snprintf(cell, sizeof(cell), "-");
		else if (ratios)
			snprintf(cell, sizeof(cell), "%s/%s", ratio_text(read, d->read),
				 ratio_text(write, d->write));
		else if (d->order)
			snprintf(cell, sizeof(cell), "%s %u", topology_hop(d->hop), d->order);
		else
			snprintf(cell, sizeof(cell), "%s", topology_hop(d->hop));
		fprintf(out, " %13s", cell);
	}
	fputc('\n', out);
}

static void print_distances(FILE *out, const struct topology_card *card, bool ratios)
{
	unsigned int m, t, tiles = card->tiles[0].info.card_tiles;
	char name[16];

	fprintf(out, "  %-6s", "FROM");
	for (m = 0; m < TOPOLOGY_MEMORIES; m++) {
		topology_memory(name, sizeof(name), m, "system");
		if (m < tiles || m == TOPOLOGY_SYSTEM)
			fprintf(out, " %13s", name);
	}
	fputc('\n', out);
	for (t = 0; t < card->num_tiles; t++) {
		topology_memory(name, sizeof(name), card->tiles[t].info.tile, "");
		print_row(out, card, &card->tiles[t].distance, name, ratios);
	}
	print_row(out, card, &card->cpu, "CPU", ratios);
}

static bool has_ratios(const struct topology_card *card)
{
	unsigned int t, m;

	for (t = 0; t < card->num_tiles; t++)
		for (m = 0; m < TOPOLOGY_MEMORIES; m++)
			if (card->tiles[t].distance.known[m] &&
			    card->tiles[t].distance.to[m].measured)
				return true;
	return false;
}

/* --- all -------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void print_card(FILE *out, const struct topology_card *card)
{
	const struct xetile_device_info *i = &card->tiles[0].info;
	unsigned int t, hidden = i->card_tiles - card->num_tiles;
	char numa[24] = "";

	if (i->numa_node >= 0)
		snprintf(numa, sizeof(numa), ", NUMA node %d", i->numa_node);
	fprintf(out, "card %u: %s\n", i->card, i->name);
	fprintf(out, "  %s, 8086:%04x rev 0x%02x, %.24s%s\n", i->pci, i->device_id, i->revision,
		base_name(i->node), numa);
	if (hidden)
		fprintf(out, "  %u of %u tiles: ZE_AFFINITY_MASK hides the others\n",
			card->num_tiles, i->card_tiles);
	for (t = 0; t < card->num_tiles; t += 2)
		print_pair(out, &card->tiles[t],
			   t + 1 < card->num_tiles ? &card->tiles[t + 1] : NULL);
	fputs("distances of memories: what an access crosses, and the driver's order\n", out);
	print_distances(out, card, false);
	if (has_ratios(card)) {
		fputs("measured: times of reading/writing, where the nearest memory is 1\n", out);
		print_distances(out, card, true);
	} else {
		fputs("  no ratios: xetilectl calibrate measures them\n", out);
	}
	fputc('\n', out);
}

void topology_view(FILE *out, const struct topology *topology)
{
	unsigned int i;

	for (i = 0; i < topology->num; i++)
		print_card(out, &topology->cards[i]);
	fputs("PCI:\n", out);
	topology_tree(out, topology);
}
