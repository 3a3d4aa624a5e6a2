// SPDX-License-Identifier: MIT
/*
 * A plan as a picture: two bars of the buffer beside each other, from its begin at the top to its
 * end, with a width for each tile's share of a piece.
 */
#include "plan.h"

#include <inttypes.h>

#include "svg.h"
#include "text.h"

#define STEP	6		/* height of a piece */
#define WIDTH	160		/* of a bar */
#define TOP	70
#define LEFT	20
#define RIGHT	(LEFT + WIDTH + 40)
#define TABLE	(RIGHT + WIDTH + 40)

static void print_bar(FILE *out, const struct plan *plan, unsigned int x, bool held)
{
	uint64_t all;
	unsigned int i, t, from, to;
	const uint64_t *bytes;
	double sum;

	fprintf(out, "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"#eee\"/>\n", x, TOP,
		WIDTH, PLAN_PIECES * STEP);
	for (i = 0; i < PLAN_PIECES; i++) {
		bytes = held ? plan->pieces[i].held : plan->pieces[i].accessed;
		for (t = 0, all = 0; t < XETILE_MAX_TILES; t++)
			all += bytes[t];
		for (t = 0, sum = 0, from = 0; t < XETILE_MAX_TILES && all; t++, from = to) {
			sum += bytes[t];
			to = WIDTH * sum / all + 0.5;
			if (to > from)
				fprintf(out, "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"%s\"/>\n",
					x + from, TOP + i * STEP, to - from, STEP, svg_fills[t]);
		}
	}
}

static void print_line(FILE *out, unsigned int x, unsigned int *y, const char *text)
{
	svg_text(out, x, *y, text);
	*y += 20;
}

static void print_tiles(FILE *out, const struct plan *plan, unsigned int *y)
{
	const struct xetile_forecast *f = &plan->forecast;
	char line[128];
	unsigned int t;

	for (t = 0; t < plan->tiles; t++) {
		fprintf(out, "<rect x=\"%u\" y=\"%u\" width=\"12\" height=\"12\" fill=\"%s\"/>\n",
			TABLE, *y - 11, svg_fills[t]);
		snprintf(line, sizeof(line), "tile %u: %" PRIu64 " bytes local, %" PRIu64 " remote",
			 t, f->local[t], f->remote[t]);
		print_line(out, TABLE + 20, y, line);
	}
}

static void print_words(FILE *out, const struct plan *plan)
{
	char line[128], color[48], share[8];
	unsigned int y = TOP + 12;

	print_tiles(out, plan, &y);
	text_share(share, sizeof(share), plan_share(plan, plan->forecast.total_remote));
	snprintf(line, sizeof(line), "%s%s of %" PRIu64 " bytes are remote",
		 plan_is_over(plan) ? "warning: " : "", share, plan->forecast.total);
	y += 10;
	print_line(out, TABLE, &y, line);
	if (!plan->forecast.has_better)
		return;
	if (plan_color(color, sizeof(color), &plan->forecast.better) >= sizeof(color))
		snprintf(color, sizeof(color), "map of %u runs", plan->forecast.better.num_runs);
	text_share(share, sizeof(share), plan_share(plan, plan->forecast.better_remote));
	snprintf(line, sizeof(line), "better: %s, %s remote", color, share);
	print_line(out, TABLE, &y, line);
}

void plan_svg(FILE *out, const struct plan *plan)
{
	unsigned int y = 24;
	char line[128], color[48], size[16];

	svg_begin(out, TABLE + 420, TOP + PLAN_PIECES * STEP + 20);
	text_bytes(size, sizeof(size), plan->mem.size);
	text_clean(color, sizeof(color), plan->color);
	snprintf(line, sizeof(line), "%s, color %s; %u,%u,%u groups, %c is cut", size, color,
		 plan->launch.groups[0], plan->launch.groups[1], plan->launch.groups[2],
		 'x' + (int)plan->forecast.plan.dim);
	print_line(out, LEFT, &y, line);
	y = TOP - 8;
	print_line(out, LEFT, &y, "tile that holds it");
	y = TOP - 8;
	print_line(out, RIGHT, &y, "tile that accesses it");
	print_bar(out, plan, LEFT, true);
	print_bar(out, plan, RIGHT, false);
	print_words(out, plan);
	fputs("</svg>\n", out);
}
