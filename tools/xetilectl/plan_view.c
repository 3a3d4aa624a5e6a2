// SPDX-License-Identifier: MIT
/*
 * A plan as text: the colors of the buffer over the parts of the work, a table, the better color.
 */
#include "plan.h"

#include <inttypes.h>
#include <string.h>

#include "text.h"

/* Columns behind the words at the begin of lines */
#define WIDTH	72

bool plan_is_over(const struct plan *plan)
{
	const struct xetile_forecast *f = &plan->forecast;

	return (unsigned __int128)f->total_remote * 100 >
	       (unsigned __int128)f->total * XETILE_REMOTE_LIMIT;
}

double plan_share(const struct plan *plan, uint64_t bytes)
{
	return plan->forecast.total ? (double)bytes / plan->forecast.total : 0;
}

static size_t color_map(char *out, size_t size, const struct xetile_mem_desc *mem)
{
	size_t n = snprintf(out, size, "map:");
	uint32_t i;

	for (i = 0; i < mem->num_runs; i++)
		n += snprintf(out + (n < size ? n : size), n < size ? size - n : 0, "%s%u*%u",
			      i ? "," : "", mem->runs[i].tile, mem->runs[i].pages);
	return n;
}

size_t plan_color(char *out, size_t size, const struct xetile_mem_desc *mem)
{
	switch (mem->color) {
	case XETILE_COLOR_TILE:
		return snprintf(out, size, "tile:%u", mem->tile);
	case XETILE_COLOR_CHUNK:
		return snprintf(out, size, "chunk:%" PRIu64 "k", mem->granule >> 10);
	case XETILE_COLOR_MAP:
		return color_map(out, size, mem);
	case XETILE_COLOR_FOLLOW:
		return snprintf(out, size, "follow");
	case XETILE_COLOR_REPLICATE:
		return snprintf(out, size, "replicate");
	default:
		return snprintf(out, size, "even");
	}
}

/* The tile that has all of a piece; '*': several have it; '.': none has */
static char letter(const uint64_t bytes[XETILE_MAX_TILES])
{
	char c = '.';
	unsigned int t;

	for (t = 0; t < XETILE_MAX_TILES; t++)
		if (bytes[t])
			c = c == '.' ? (char)('0' + t) : '*';
	return c;
}

static void print_head(FILE *out, const struct plan *plan)
{
	const struct xetile_plan *p = &plan->forecast.plan;
	const uint32_t *g = plan->launch.groups;
	char size[16], color[48], launch[64], part[64];

	text_bytes(size, sizeof(size), plan->mem.size);
	text_clean(color, sizeof(color), plan->color);
	fprintf(out, "buffer  %s, color %s\n", size, color);
	snprintf(launch, sizeof(launch), "%u,%u,%u groups on %u tile%s:", g[0], g[1], g[2],
		 p->parts, p->parts > 1 ? "s" : "");
	snprintf(part, sizeof(part), "%u of %u in %c for each", p->share, p->groups,
		 'x' + (int)p->dim);
	fprintf(out, "launch  %s%s%s\n\n", launch,
		strlen(launch) + strlen(part) < WIDTH ? " " : "\n        ", part);
}

static void print_bars(FILE *out, const struct plan *plan)
{
	unsigned int i;

	fputs("color   ", out);
	for (i = 0; i < PLAN_PIECES; i++)
		fputc(letter(plan->pieces[i].held), out);
	fputs("\nwork    ", out);
	for (i = 0; i < PLAN_PIECES; i++)
		fputc(letter(plan->pieces[i].accessed), out);
	fputs("\n        from the buffer's begin to its end: 0 is tile 0, * several, . none\n\n",
	      out);
}

static void print_row(FILE *out, const struct plan *plan, const char *name, uint64_t local,
		      uint64_t remote)
{
	uint64_t all = local + remote;
	char share[8];

	text_share(share, sizeof(share), all ? (double)remote / all : 0);
	fprintf(out, "%-4s  %20" PRIu64 "  %20" PRIu64 "  %6s\n", name, local, remote, share);
}

static void print_table(FILE *out, const struct plan *plan)
{
	const struct xetile_forecast *f = &plan->forecast;
	unsigned int t;
	char name[8];

	fprintf(out, "TILE  %20s  %20s  %6s\n", "LOCAL BYTES", "REMOTE BYTES", "SHARE");
	for (t = 0; t < XETILE_MAX_TILES; t++) {
		if (!(plan->tile_mask & 1u << t))
			continue;
		snprintf(name, sizeof(name), "%u", t);
		print_row(out, plan, name, f->local[t], f->remote[t]);
	}
	print_row(out, plan, "all", f->total - f->total_remote, f->total_remote);
}

/* A map that a line has no room for is in a file. */
static void print_better(FILE *out, const struct plan *plan)
{
	const struct xetile_forecast *f = &plan->forecast;
	/* As many bytes fit the longest line: behind a buffer of 1 TiB in decimals */
	char color[31], share[8];

	if (plan_color(color, sizeof(color), &f->better) >= sizeof(color))
		strcpy(color, "map:FILE");
	text_share(share, sizeof(share), plan_share(plan, f->better_remote));
	fprintf(out, "better  %s: %s remote\n", color, share);
	fprintf(out, "        xetilectl run ... buf:%" PRIu64 ":color=%s\n", plan->mem.size, color);
	fprintf(out, "        xetile_color_parse(\"%s\", &desc)\n", color);
	if (!strcmp(color, "map:FILE"))
		fprintf(out, "        a list of %u runs: --map FILE writes it\n",
			f->better.num_runs);
	if (f->better.color == XETILE_COLOR_REPLICATE)
		fprintf(out, "        it needs HBM for %u copies, and no kernel may write them\n",
			__builtin_popcount(plan->tile_mask));
}

void plan_view(FILE *out, const struct plan *plan)
{
	char share[8];

	print_head(out, plan);
	print_bars(out, plan);
	print_table(out, plan);
	text_share(share, sizeof(share), plan_share(plan, plan->forecast.total_remote));
	if (plan_is_over(plan))
		fprintf(out, "\nwarning: %s of the bytes are remote, more than %u%%\n", share,
			XETILE_REMOTE_LIMIT);
	else
		fputc('\n', out);
	if (plan->forecast.has_better)
		print_better(out, plan);
	else
		fputs("No other color is better.\n", out);
}
