// SPDX-License-Identifier: MIT
/*
 * Above the table of processes: the card, its tiles, what moved.
 */
#include "top_view.h"

#include <limits.h>
#include <string.h>

#include "text.h"

#define BAR	10	/* characters of a bar */
#define LINE	160
#define POWER_FROM	90	/* width from which the tiles' power is shown */

/* A line of the tiles, or their title: name, busy, bar, slices, copy, HBM, frequency, power */
#define TILE_FORMAT	"%-4s %6s %-12s%-16s%7s %20s %8s%8s"

static const char hidden[] = "Only processes that you may look at are shown and counted; root sees all.";

static void print_bar(char *out, size_t size, double share)
{
	int n = share > 0 ? (int)(share * BAR + 0.5) : 0;

	/* What is not quite idle is not shown as idle. */
	if (share > 0 && !n)
		n = 1;
	snprintf(out, size, "[%-*.*s]", BAR, n < BAR ? n : BAR, "||||||||||");
}

/* Whole percents; slices that the tile lacks have none. */
static void print_slices(char *out, size_t size, uint32_t present, const struct load_tile *tile)
{
	unsigned int s;
	size_t n = 0;

	out[0] = 0;
	for (s = 0; s < XETILE_MAX_CSLICES && n < size; s++) {
		if (!(present & 1u << s))
			n += snprintf(out + n, size - n, "%4s", "");
		else if (tile->slice[s] < 0)
			n += snprintf(out + n, size - n, "%4s", "-");
		else
			n += snprintf(out + n, size - n, "%4.0f", tile->slice[s] * 100);
	}
}

static void print_tile(FILE *out, const struct top_view *view, const char *name,
		       const struct load_tile *load, const char *slices, uint64_t used,
		       uint64_t total, unsigned int mhz, double watts)
{
	char line[LINE], busy[8], bar[BAR + 3], copy[8], hbm[24], of[12], freq[16] = "",
	     power[16] = "";

	text_share(busy, sizeof(busy), load->compute);
	print_bar(bar, sizeof(bar), load->compute);
	text_share(copy, sizeof(copy), load->copy);
	text_bytes(hbm, sizeof(hbm), used);
	text_bytes(of, sizeof(of), total);
	snprintf(hbm + strlen(hbm), sizeof(hbm) - strlen(hbm), " of %8s", of);
	if (mhz)
		snprintf(freq, sizeof(freq), "%u MHz", mhz);
	if (watts >= 0 && view->style.width >= POWER_FROM)
		snprintf(power, sizeof(power), "%.0f W", watts);
	snprintf(line, sizeof(line), TILE_FORMAT, name, busy, bar, slices, copy, hbm, freq, power);
	table_line(out, &view->style, NULL, line);
}

static void print_tiles(FILE *out, const struct top_view *view, const struct sample_card *card,
			const struct sample *sample, const struct load *load)
{
	char name[16], slices[XETILE_MAX_CSLICES * 4 + 1];
	unsigned int t;

	for (t = 0; t < card->tiles; t++) {
		snprintf(name, sizeof(name), "%u.%u", card->number, t);
		print_slices(slices, sizeof(slices), card->present[t], &load->tiles[t]);
		print_tile(out, view, name, &load->tiles[t], slices, sample->tiles[t].hbm_used,
			   sample->tiles[t].hbm_total, sample->tiles[t].mhz, load->tile_watts[t]);
	}
}

/* All tiles in a line */
static void print_card(FILE *out, const struct top_view *view, const struct sample_card *card,
		       const struct sample *sample, const struct load *load)
{
	struct load_tile all = { 0 };
	uint64_t used = 0, total = 0;
	char name[16];
	unsigned int t;

	for (t = 0; t < card->tiles; t++) {
		all.compute += load->tiles[t].compute / card->tiles;
		used = fdinfo_add(used, sample->tiles[t].hbm_used);
		total = fdinfo_add(total, sample->tiles[t].hbm_total);
	}
	all.copy = load_copy(card, load->tiles);
	snprintf(name, sizeof(name), "%u", card->number);
	print_tile(out, view, name, &all, "", used, total, 0, LOAD_UNKNOWN);
}

static void print_head(FILE *out, const struct top_view *view, const struct sample_card *card,
		       const struct load *load)
{
	static const char *const orders[LOAD_ORDERS] = {
		[LOAD_BY_BUSY] = "busy", [LOAD_BY_MEMORY] = "memory", [LOAD_BY_PID] = "PID",
	};
	char line[2 * LINE], watts[24] = "", left[LINE];
	int room;

	if (load->watts >= 0)
		snprintf(watts, sizeof(watts), ", %.0f W", load->watts);
	snprintf(left, sizeof(left), "card %u %s%s, %zu process%s by %s, each %g s", card->number,
		 card->pci, watts, load->num_rows, load->num_rows == 1 ? "" : "es",
		 orders[view->order], view->interval);
	/* The time of day ends the line, if there is room for it. */
	room = view->style.width < LINE ? view->style.width : LINE;
	room -= 1 + strlen(view->clock);
	snprintf(line, sizeof(line), "%-*s %s", room > 0 ? room : 0, left, view->clock);
	table_line(out, &view->style, "1", line);
}

static void print_moves(FILE *out, const struct top_view *view, const struct load *load)
{
	char line[LINE], access[12], evict[12], back[12];

	text_bytes(access, sizeof(access), load->moved[FDINFO_ACCESS]);
	text_bytes(evict, sizeof(evict), load->moved[FDINFO_EVICT]);
	text_bytes(back, sizeof(back), load->moved[FDINFO_RETURN]);
	snprintf(line, sizeof(line), "moved: %s for access, %s evicted, %s returned", access, evict,
		 back);
	table_line(out, &view->style, NULL, load->seconds > 0 ? line : "moved: -");
}

/* Where processes are hidden nobody can say how busy a tile is: only how much of that is seen. */
static void print_tile_title(FILE *out, const struct top_view *view, bool complete)
{
	char line[LINE];

	snprintf(line, sizeof(line), TILE_FORMAT, view->style.tiles ? "TILE" : "CARD",
		 complete ? "BUSY" : "SEEN",
		 view->style.tiles ? "       SLICE" : "", view->style.tiles ? "   0   1   2   3" : "",
		 "COPY", "HBM", view->style.tiles ? "FREQ" : "",
		 view->style.tiles && view->style.width >= POWER_FROM ? "POWER" : "");
	table_line(out, &view->style, NULL, line);
}

void top_view(FILE *out, const struct top_view *view, const struct sample_card *card,
	      const struct sample *sample, const struct load *load)
{
	/* The card, titles, moves, the note */
	unsigned int lines = 4 + (view->style.tiles ? card->tiles : 1) + !sample->complete;
	unsigned int room = view->height ? (view->height > lines ? view->height - lines : 0) :
					   UINT_MAX;
	size_t i;

	print_head(out, view, card, load);
	print_tile_title(out, view, sample->complete);
	if (view->style.tiles)
		print_tiles(out, view, card, sample, load);
	else
		print_card(out, view, card, sample, load);
	print_moves(out, view, load);
	if (!sample->complete)
		table_line(out, &view->style, NULL, hidden);
	table_title(out, &view->style, TABLE_TOP);
	for (i = view->first; i < load->num_rows && room; i++)
		room -= table_row(out, &view->style, TABLE_TOP, card, sample, &load->rows[i], room);
}

void top_view_help(FILE *out, const struct table_style *style)
{
	static const char *const lines[] = {
		"xetilectl top: the keys",
		"",
		"  p, b     sort by busy: time on compute and copy engines",
		"  m        sort by memory: HBM on all tiles",
		"  n        sort by process id",
		"  left, right  the order before, the next one",
		"  up, down, page up, page down, home  move through the processes",
		"  1, t     a line for each tile, or for all tiles of a card",
		"  +, -     look less often, more often",
		"  space    look now",
		"  h, ?     this text",
		"  q        end",
		"",
		"BUSY is the share of a tile, or of all: an engine counts by the slices it has.",
		"SLICES 0.1>2-3: virtual slice 1 of tile 0 is on the physical slices 2 and 3;",
		"only root may see that. Else 0:2-3: ran on the slices 2 and 3 of tile 0.",
		"",
		"Any key goes back.",
	};
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		table_line(out, style, i ? NULL : "1", lines[i]);
}

void who_view(FILE *out, const struct table_style *style, const struct sample_card *card,
	      const struct sample *sample, const struct load *load)
{
	char line[LINE], used[12], total[12];
	unsigned int t;
	size_t i;

	snprintf(line, sizeof(line), "card %u %s: %zu process%s", card->number, card->pci,
		 load->num_rows, load->num_rows == 1 ? "" : "es");
	table_line(out, style, "1", line);
	for (t = 0; t < card->tiles; t++) {
		text_bytes(used, sizeof(used), sample->tiles[t].hbm_used);
		text_bytes(total, sizeof(total), sample->tiles[t].hbm_total);
		snprintf(line, sizeof(line), "  tile %u.%u: CCS mode %u, %s of %s HBM used", card->number,
			 t, sample->tiles[t].ccs_mode, used, total);
		table_line(out, style, NULL, line);
	}
	if (!sample->complete)
		table_line(out, style, NULL, hidden);
	if (load->num_rows)
		table_title(out, style, TABLE_WHO);
	for (i = 0; i < load->num_rows; i++)
		table_row(out, style, TABLE_WHO, card, sample, &load->rows[i], UINT_MAX);
}
