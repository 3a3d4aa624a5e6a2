// SPDX-License-Identifier: MIT
/*
 * The topology as a picture: a frame for each tile with its HBM and its slices, in the color of the
 * engine that has them, then how far memories are, then the buses.
 */
#include <stdlib.h>
#include <string.h>

#include "svg.h"
#include "text.h"
#include "topology.h"

#define LEFT	20
#define LINE	20		/* height of a line of text */
#define FRAME	390		/* width of a tile */
#define GAP	40		/* between two tiles */
#define HEIGHT	150		/* of a tile */
#define INSIDE	(FRAME - 20)
#define SLICE	85
#define WIDTH	(2 * LEFT + 2 * FRAME + GAP)

static void print_rect(FILE *out, const char *name, unsigned int x, unsigned int y,
		       unsigned int width, unsigned int height, const char *look)
{
	fprintf(out, "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" %s/>\n", name, x,
		y, width, height, look);
}

static void print_slice(FILE *out, const struct topology_tile *tile, unsigned int s,
			unsigned int x, unsigned int y)
{
	const struct xetile_engine_info *engine = topology_engine(tile, s);
	char look[64], line[48];

	x += s * (SLICE + 10);
	if (!engine) {
		print_rect(out, "fused", x, y, SLICE, 30,
			   "fill=\"none\" stroke=\"#999\" stroke-dasharray=\"4\"");
		snprintf(line, sizeof(line), "%u fused", s);
	} else {
		snprintf(look, sizeof(look), "fill=\"%s\" fill-opacity=\"0.4\"",
			 svg_fills[engine->instance % XETILE_MAX_TILES]);
		print_rect(out, "cslice", x, y, SLICE, 30, look);
		snprintf(line, sizeof(line), "%u: CCS%u", s, engine->instance);
	}
	svg_text(out, x + 8, y + 20, line);
}

static void print_tile(FILE *out, const struct topology_tile *tile, unsigned int x, unsigned int y)
{
	const struct xetile_device_info *i = &tile->info;
	unsigned int s, copies = 0;
	char line[128], total[16], left[16];

	print_rect(out, "tile", x, y, FRAME, HEIGHT, "fill=\"none\" stroke=\"#333\"");
	x += 10;
	snprintf(line, sizeof(line), "tile %u.%u, flat %u", i->card, i->tile, i->flat);
	svg_text(out, x, y + 18, line);
	text_bytes(total, sizeof(total), i->hbm_total);
	text_bytes(left, sizeof(left), i->hbm_total - i->hbm_used);
	snprintf(line, sizeof(line), "HBM %s, %s free", total, left);
	svg_text(out, x, y + 40, line);
	print_rect(out, "hbm", x, y + 48, INSIDE, 12, "fill=\"#ddd\"");
	print_rect(out, "used", x, y + 48,
		   i->hbm_total ? (double)INSIDE * i->hbm_used / i->hbm_total + 0.5 : 0, 12,
		   "fill=\"#c33\"");
	for (s = 0; s < XETILE_MAX_CSLICES; s++)
		print_slice(out, tile, s, x, y + 72);
	for (s = 0; s < tile->num_engines; s++)
		copies += tile->engines[s].is_copy;
	snprintf(line, sizeof(line), "CCS mode %u, %u EUs, %u copy engines", i->ccs_mode,
		 i->num_eus, copies);
	svg_text(out, x, y + 128, line);
}

/* A line between two tiles that a link joins, with its distance */
static void print_link(FILE *out, const struct topology_tile *a, const struct topology_tile *b,
		       unsigned int y)
{
	const struct xetile_distance *d = &a->distance.to[b->info.tile];
	unsigned int x = LEFT + FRAME;
	char line[16];

	if (!a->distance.known[b->info.tile] || d->hop != XETILE_HOP_TILE)
		return;
	fprintf(out, "<line class=\"link\" x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\" stroke=\"#333\" stroke-width=\"4\"/>\n",
		x, y, x + GAP, y);
	snprintf(line, sizeof(line), "%u", d->order);
	svg_text(out, x + 12, y - 6, line);
}

static void print_distances(FILE *out, const struct topology_row *row, const char *from,
			    unsigned int y)
{
	char line[320], name[16];
	unsigned int m;
	size_t n;

	n = snprintf(line, sizeof(line), "from %s:", from);
	for (m = 0; m < TOPOLOGY_MEMORIES && n < sizeof(line); m++) {
		if (!row->known[m])
			continue;
		topology_memory(name, sizeof(name), m, "system");
		n += snprintf(line + n, sizeof(line) - n, "  %s: %s", name,
			      topology_hop(row->to[m].hop));
		if (row->to[m].order && n < sizeof(line))
			n += snprintf(line + n, sizeof(line) - n, " %u", row->to[m].order);
		if (row->to[m].measured && n < sizeof(line))
			n += snprintf(line + n, sizeof(line) - n, " (%.3g/%.3g)",
				      (double)row->to[m].read / XETILE_RATIO_ONE,
				      (double)row->to[m].write / XETILE_RATIO_ONE);
	}
	svg_text(out, LEFT, y, line);
}

static void print_card(FILE *out, const struct topology_card *card, unsigned int y)
{
	const struct xetile_device_info *i = &card->tiles[0].info;
	char line[160], numa[32] = "", name[48], from[16];
	unsigned int t;

	text_clean(name, sizeof(name), i->name);
	if (i->numa_node >= 0)
		snprintf(numa, sizeof(numa), ", NUMA node %d", i->numa_node);
	snprintf(line, sizeof(line), "card %u: %s, %s%s", i->card, name, i->pci, numa);
	svg_text(out, LEFT, y, line);
	y += 10;
	for (t = 0; t < card->num_tiles; t++) {
		print_tile(out, &card->tiles[t], LEFT + t % 2 * (FRAME + GAP), y);
		if (t % 2)
			print_link(out, &card->tiles[t - 1], &card->tiles[t], y + HEIGHT / 2);
		if (t % 2 || t + 1 == card->num_tiles)
			y += HEIGHT + 10;
	}
	for (t = 0; t < card->num_tiles; t++) {
		snprintf(from, sizeof(from), "tile %u", card->tiles[t].info.tile);
		y += LINE;
		print_distances(out, &card->tiles[t].distance, from, y - 6);
	}
	print_distances(out, &card->cpu, "CPU", y + LINE - 6);
}

/* The pixels of a card, with the space below it */
static unsigned int height_of(const struct topology_card *card)
{
	return 10 + (card->num_tiles + 1) / 2 * (HEIGHT + 10) + (card->num_tiles + 1) * LINE + 30;
}

static unsigned int lines_of(const char *text)
{
	unsigned int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* The tree as it is in the text, whose blanks stay */
static void print_tree(FILE *out, char *tree, unsigned int y)
{
	char *line, *rest, *end = tree + strlen(tree);

	fputs("<g font-family=\"monospace\" xml:space=\"preserve\">\n", out);
	for (line = tree; line < end; line = rest + 1, y += LINE) {
		rest = line + strcspn(line, "\n");
		*rest = 0;
		svg_text(out, LEFT, y, line);
	}
	fputs("</g>\n", out);
}

void topology_svg(FILE *out, const struct topology *topology)
{
	unsigned int i, y = 30, height = 50;
	char *tree = NULL;
	size_t size;
	FILE *text = open_memstream(&tree, &size);

	if (text) {
		topology_tree(text, topology);
		fclose(text);
	}
	for (i = 0; i < topology->num; i++)
		height += height_of(&topology->cards[i]);
	svg_begin(out, WIDTH, height + (tree ? lines_of(tree) : 0) * LINE);
	for (i = 0; i < topology->num; i++) {
		print_card(out, &topology->cards[i], y);
		y += height_of(&topology->cards[i]);
	}
	if (tree)
		print_tree(out, tree, y);
	fputs("</svg>\n", out);
	free(tree);
}
