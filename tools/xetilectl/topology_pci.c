// SPDX-License-Identifier: MIT
/*
 * Where cards are in the machine: their folders in sysfs lie in those of the bridges above them.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "topology.h"

#define COLUMNS		80
#define COLUMN		32	/* of what a line is about */

void topology_path_read(const char *sysfs, const char *pci, struct topology_path *path)
{
	char link[PATH_MAX], real[PATH_MAX], *part, *rest;

	memset(path, 0, sizeof(*path));
	snprintf(link, sizeof(link), "%s/bus/pci/devices/%s", sysfs, pci);
	if (!realpath(link, real))
		return;
	for (part = strtok_r(real, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
		/* The folders before the first host bridge are those of sysfs. */
		if (!path->depth && (strncmp(part, "pci", 3) || !strchr(part, ':')))
			continue;
		/* The last part is the card's own. */
		if (path->depth == TOPOLOGY_DEPTH)
			path->depth--;
		text_clean(path->parts[path->depth++], sizeof(path->parts[0]), part);
	}
}

unsigned int topology_common(const struct topology_path *a, const struct topology_path *b)
{
	unsigned int n = 0;

	while (n < a->depth && n < b->depth && !strcmp(a->parts[n], b->parts[n]))
		n++;
	return n;
}

enum topology_link topology_link(const struct topology_path *a, const struct topology_path *b)
{
	if (!a->depth || !b->depth)
		return TOPOLOGY_UNKNOWN;
	switch (topology_common(a, b)) {
	case 0:
		return TOPOLOGY_MACHINE;
	case 1:
		return TOPOLOGY_HOST;
	default:
		return TOPOLOGY_SWITCH;
	}
}

/* --- the tree ------------------------------------------------------------------------ */

static int by_path(const void *a, const void *b)
{
	const struct topology_path *x = &(*(const struct topology_card *const *)a)->path;
	const struct topology_path *y = &(*(const struct topology_card *const *)b)->path;
	unsigned int n = topology_common(x, y);

	if (n == x->depth || n == y->depth)
		return (x->depth > y->depth) - (x->depth < y->depth);
	return strcmp(x->parts[n], y->parts[n]);
}

/* Whether a later card has another part at @level below the same bridges: the line goes on. */
static bool goes_on(const struct topology_card *const *cards, unsigned int num, unsigned int i,
		    unsigned int level)
{
	unsigned int k, common;

	for (k = i + 1; k < num; k++) {
		common = topology_common(&cards[i]->path, &cards[k]->path);
		if (common < level)
			return false;
		if (common == level)
			return true;
	}
	return false;
}

/* Whether cards part at this bridge, which is the last one that they have in common */
static bool parts_cards(const struct topology_card *const *cards, unsigned int num, unsigned int i,
			unsigned int level)
{
	unsigned int k;

	for (k = i + 1; k < num; k++)
		if (topology_common(&cards[i]->path, &cards[k]->path) == level + 1)
			return true;
	return false;
}

static void print_part(FILE *out, const struct topology_card *const *cards, unsigned int num,
		       unsigned int i, unsigned int level)
{
	const struct topology_card *card = cards[i];
	char line[COLUMNS + 1], what[64] = "";
	unsigned int l;
	int n = 0;

	for (l = 1; l < level; l++)
		n += snprintf(line + n, sizeof(line) - n, "%s",
			      goes_on(cards, num, i, l) ? "|  " : "   ");
	if (level)
		n += snprintf(line + n, sizeof(line) - n, "+- ");
	n += snprintf(line + n, sizeof(line) - n, "%s", card->path.parts[level]);
	if (level + 1 == card->path.depth)
		snprintf(what, sizeof(what), "card %u", card->tiles[0].info.card);
	else if (!level)
		snprintf(what, sizeof(what), "host bridge");
	else if (parts_cards(cards, num, i, level))
		snprintf(what, sizeof(what), "switch: cards below it reach each other there");
	if (*what)
		snprintf(line + n, sizeof(line) - n, "%*s %s", n < COLUMN ? COLUMN - n : 0, "",
			 what);
	fprintf(out, "%s\n", line);
}

void topology_tree(FILE *out, const struct topology *topology)
{
	const struct topology_card **cards = calloc(topology->num + 1, sizeof(*cards));
	unsigned int i, n = 0, level, known = 0;

	for (i = 0; i < topology->num && cards; i++)
		cards[n++] = &topology->cards[i];
	if (n)
		qsort(cards, n, sizeof(*cards), by_path);
	for (i = 0; i < n; i++) {
		if (!cards[i]->path.depth) {
			fprintf(out, "card %u: its place on the PCI bus is not known\n",
				cards[i]->tiles[0].info.card);
			continue;
		}
		level = known++ ? topology_common(&cards[i - 1]->path, &cards[i]->path) : 0;
		for (; level < cards[i]->path.depth; level++)
			print_part(out, cards, n, i, level);
	}
	free(cards);
}
