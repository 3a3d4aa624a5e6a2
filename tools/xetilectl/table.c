// SPDX-License-Identifier: MIT
/*
 * Columns: each has a width and a function that writes a cell. The last one, the slices, has no
 * width. Some are there in wide terminals only.
 */
#include "table.h"

#include <string.h>

#include "text.h"

#define CELL	512	/* more than any cell needs: all slices of a process on all tiles in all modes */

/* What a cell is about */
struct subject {
	const struct sample_card *card;
	const struct sample *sample;
	const struct load_row *row;
	int tile;		/* -1: all tiles */
	bool first;		/* the process' first line */
};

struct column {
	const char *title;
	int width;		/* below 0: to the left; 0: the last one */
	unsigned int tables;	/* bit n: enum table_kind n */
	unsigned int from;	/* width of the table */
	bool tiles;		/* only with a line for each tile */
	void (*cell)(const struct subject *s, char *out, size_t size);
};

/* --- cells ---------------------------------------------------------------------------- */

/* What is about the process is in its first line. */
static void cell_pid(const struct subject *s, char *out, size_t size)
{
	if (s->first)
		snprintf(out, size, "%d", s->row->pid);
}

static void cell_user(const struct subject *s, char *out, size_t size)
{
	if (s->first && s->row->user[0])
		text_clean(out, size, s->row->user);
	else if (s->first)
		snprintf(out, size, "%u", s->row->uid);
}

static void cell_command(const struct subject *s, char *out, size_t size)
{
	if (s->first)
		text_clean(out, size, s->row->command);
}

static void cell_system(const struct subject *s, char *out, size_t size)
{
	if (s->first)
		text_bytes(out, size, s->row->system);
}

static void cell_moved(const struct subject *s, char *out, size_t size)
{
	const uint64_t *moved = s->row->moved;

	if (s->first && s->row->compute < 0)
		snprintf(out, size, "-");
	else if (s->first)
		text_bytes(out, size, fdinfo_add(fdinfo_add(moved[FDINFO_ACCESS], moved[FDINFO_EVICT]),
						 moved[FDINFO_RETURN]));
}

static void cell_tile(const struct subject *s, char *out, size_t size)
{
	snprintf(out, size, "%u.%d", s->card->number, s->tile);
}

static void cell_busy(const struct subject *s, char *out, size_t size)
{
	text_share(out, size, s->tile < 0 ? s->row->compute : s->row->tiles[s->tile].compute);
}

static void cell_copy(const struct subject *s, char *out, size_t size)
{
	text_share(out, size, s->tile < 0 ? s->row->copy : s->row->tiles[s->tile].copy);
}

static void cell_hbm(const struct subject *s, char *out, size_t size)
{
	text_bytes(out, size, s->tile < 0 ? load_hbm(s->row) : s->row->hbm[s->tile]);
}

static void time_of(const struct subject *s, const uint64_t *ticks, uint64_t ns, char *out,
		    size_t size)
{
	if (s->tile < 0)
		text_seconds(out, size, ns / 1e9);
	else if (s->card->hz)
		text_seconds(out, size, (double)ticks[s->tile] / s->card->hz);
	else
		snprintf(out, size, "-");
}

static void cell_time(const struct subject *s, char *out, size_t size)
{
	time_of(s, s->row->compute_ticks, s->row->compute_ns, out, size);
}

static void cell_copy_time(const struct subject *s, char *out, size_t size)
{
	time_of(s, s->row->copy_ticks, s->row->copy_ns, out, size);
}

static void cell_queues(const struct subject *s, char *out, size_t size)
{
	unsigned int t, queues = 0;

	for (t = 0; t < s->card->tiles; t++) {
		if (s->tile < 0 || s->tile == (int)t)
			queues += s->row->queues[t];
	}
	if (s->sample->knows_queues)
		snprintf(out, size, "%u", queues);
	else
		snprintf(out, size, "-");
}

static bool is_shown(const struct subject *s, const struct slices_binding *b)
{
	return s->tile < 0 || b->tile == (unsigned int)s->tile;
}

static void cell_mode(const struct subject *s, char *out, size_t size)
{
	unsigned int i, mode;
	uint32_t modes = 0;
	size_t n = 0;

	snprintf(out, size, "-");
	for (i = 0; i < s->row->num_slices; i++) {
		if (is_shown(s, &s->row->slices[i]))
			modes |= 1u << s->row->slices[i].mode;
	}
	for (mode = 1; mode <= XETILE_MAX_CSLICES; mode++) {
		if (modes & 1u << mode && n < size)
			n += snprintf(out + n, size - n, "%s%u", n ? "," : "", mode);
	}
}

/* "0.1>2-3": virtual slice 1 of tile 0 is on slices 2 and 3 */
static void bindings(const struct subject *s, char *out, size_t size)
{
	const struct slices_binding *b;
	char mask[16], tile[8] = "";
	size_t i, n = 0;

	for (i = 0; i < s->row->num_slices && n < size; i++) {
		b = &s->row->slices[i];
		if (!is_shown(s, b))
			continue;
		text_mask(mask, sizeof(mask), slices_of(s->card->present[b->tile], b->mode, b->engine));
		if (s->tile < 0)
			snprintf(tile, sizeof(tile), "%u.", b->tile);
		n += snprintf(out + n, size - n, "%s%s%u>%s", n ? " " : "", tile, b->slice, mask);
	}
}

/* "0:2-3": it ran on slices 2 and 3 of tile 0; that is all that others than root can know. */
static void used(const struct subject *s, char *out, size_t size)
{
	char mask[16], tile[8] = "";
	unsigned int t;
	size_t n = 0;

	for (t = 0; t < s->card->tiles && n < size; t++) {
		if (!s->row->used[t] || (s->tile >= 0 && s->tile != (int)t))
			continue;
		text_mask(mask, sizeof(mask), s->row->used[t]);
		if (s->tile < 0)
			snprintf(tile, sizeof(tile), "%u:", t);
		n += snprintf(out + n, size - n, "%s%s%s", n ? " " : "", tile, mask);
	}
}

static void cell_slices(const struct subject *s, char *out, size_t size)
{
	if (s->sample->knows_slices)
		bindings(s, out, size);
	else
		used(s, out, size);
}

#define TOP	(1u << TABLE_TOP)
#define WHO	(1u << TABLE_WHO)

static const struct column columns[] = {
	{ "PID", 7, TOP | WHO, 0, false, cell_pid },
	{ "USER", -8, TOP | WHO, 0, false, cell_user },
	{ "COMMAND", -15, TOP | WHO, 0, false, cell_command },
	{ "TILE", -4, TOP | WHO, 0, true, cell_tile },
	{ "BUSY", 5, TOP, 0, false, cell_busy },
	{ "COPY", 5, TOP, 0, false, cell_copy },
	{ "Q", 3, WHO, 0, false, cell_queues },
	{ "MODE", 4, WHO, 0, false, cell_mode },
	{ "HBM", 8, TOP | WHO, 0, false, cell_hbm },
	{ "SYSTEM", 8, TOP | WHO, 100, false, cell_system },
	{ "MOVED", 8, TOP, 0, false, cell_moved },
	{ "TIME", 8, WHO, 0, false, cell_time },
	{ "TIME", 9, TOP, 110, false, cell_time },
	{ "COPYTIME", 9, TOP | WHO, 120, false, cell_copy_time },
	{ "SLICES", 0, TOP | WHO, 0, false, cell_slices },
};

#define NUM_COLUMNS	(sizeof(columns) / sizeof(columns[0]))

/* --- lines ---------------------------------------------------------------------------- */

void table_line(FILE *out, const struct table_style *style, const char *attributes,
		const char *text)
{
	bool color = style->color && attributes, longer;
	int length = strlen(text);

	/* Blanks at the end are seen in reverse only. */
	while (length && text[length - 1] == ' ' && (!color || length > (int)style->width))
		length--;
	longer = style->cut && length > (int)style->width;
	if (longer)
		length = style->width ? style->width - 1 : 0;
	fprintf(out, "%s%s%s%.*s%s%s\n", color ? "\033[" : "", color ? attributes : "",
		color ? "m" : "", length, text, longer ? "+" : "", color ? "\033[0m" : "");
}

static bool has(const struct table_style *style, enum table_kind kind, const struct column *c)
{
	return c->tables & 1u << kind && style->width >= c->from && (!c->tiles || style->tiles);
}

/* Adds a cell to a line. A name that is too long is cut; a number would be another one then. */
static void put(char *line, size_t size, const struct column *column, const char *cell)
{
	size_t n = strlen(line);
	int width = column->width;
	bool longer = width < 0 && strlen(cell) > (size_t)-width;

	if (longer)
		snprintf(line + n, size - n, "%s%.*s+", n ? " " : "", -width - 1, cell);
	else
		snprintf(line + n, size - n, "%s%*s", n ? " " : "", width, cell);
}

void table_title(FILE *out, const struct table_style *style, enum table_kind kind)
{
	char line[2 * CELL] = "";
	size_t i, n;

	for (i = 0; i < NUM_COLUMNS; i++) {
		if (has(style, kind, &columns[i]))
			put(line, sizeof(line), &columns[i], columns[i].title);
	}
	n = strlen(line);
	if (style->color && n < style->width && style->width < sizeof(line))
		snprintf(line + n, sizeof(line) - n, "%*s", (int)(style->width - n), "");
	table_line(out, style, "7", line);
}

static void print(FILE *out, const struct table_style *style, enum table_kind kind,
		  const struct subject *s)
{
	char line[2 * CELL] = "", cell[CELL];
	size_t i;

	for (i = 0; i < NUM_COLUMNS; i++) {
		if (!has(style, kind, &columns[i]))
			continue;
		cell[0] = 0;
		columns[i].cell(s, cell, sizeof(cell));
		put(line, sizeof(line), &columns[i], cell);
	}
	table_line(out, style, NULL, line);
}

/* A process that has nothing on any tile has a line for the first one. */
static bool uses(const struct load_row *row, unsigned int t)
{
	return row->hbm[t] || row->queues[t] || row->compute_ticks[t] || row->copy_ticks[t];
}

unsigned int table_row(FILE *out, const struct table_style *style, enum table_kind kind,
		       const struct sample_card *card, const struct sample *sample,
		       const struct load_row *row, unsigned int lines)
{
	struct subject s = {
		.card = card, .sample = sample, .row = row, .tile = -1, .first = true,
	};
	unsigned int t, n = 0;

	for (t = 0; style->tiles && t < card->tiles && n < lines; t++) {
		if (!uses(row, t))
			continue;
		s.tile = t;
		print(out, style, kind, &s);
		s.first = false;
		n++;
	}
	if (n || !lines)
		return n;
	s.tile = style->tiles ? 0 : -1;
	print(out, style, kind, &s);
	return 1;
}
