// SPDX-License-Identifier: MIT
/*
 * The shares that `bind` gives to ranks, of cards that are made up.
 *
 *	bind text|json CASE BY ORDER RANKS RANK [share]
 *	bind job [RANKS]		prints what launchers' variables say: LAUNCHER RANK RANKS
 *
 * CASE is "six": six cards of two tiles in mode 4; "one": the same in mode 1; "masked": a mask has
 * left tile 1 of card 1 and slices 1 and 3 of tile 0 of card 4; "flat": two cards in flat
 * hierarchy; "mixed": a card whose tiles have modes 4 and 2, and one whose tile cannot be split;
 * "wished": two cards whose modes 4 and 2 were asked for; "long": a mask has left 3 slices of each
 * of four tiles.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "bind.h"

#define WHOLE	(~0u)

static void add_card(struct bind_tree *tree, unsigned int number)
{
	struct bind_card *card = &tree->cards[tree->num++];

	card->number = number;
	card->all_tiles = 2;
	card->numa_node = number / 3;
	snprintf(card->pci, sizeof(card->pci), "0000:%02x:00.0", 0x18 + 3 * number);
}

/* Add a tile to the last card. */
static void add_tile(struct bind_tree *tree, unsigned int number, unsigned int mode,
		     uint32_t slices)
{
	struct bind_card *card = &tree->cards[tree->num - 1];

	card->tiles[card->num_tiles++] = (struct bind_tile) {
		.number = number, .flat = 2 * card->number + number, .mode = mode, .modes = 0x16,
		.slices = mode == 1 ? 0 : slices & ((1u << mode) - 1),
	};
}

static void add_cards(struct bind_tree *tree, unsigned int num, unsigned int mode)
{
	unsigned int c;

	for (c = 0; c < num; c++) {
		add_card(tree, c);
		add_tile(tree, 0, mode, WHOLE);
		add_tile(tree, 1, mode, WHOLE);
	}
}

static void make(struct bind_tree *tree, const char *name)
{
	unsigned int t;

	if (!strcmp(name, "six")) {
		add_cards(tree, 6, 4);
	} else if (!strcmp(name, "one")) {
		add_cards(tree, 6, 1);
	} else if (!strcmp(name, "masked")) {
		tree->masked = true;
		add_card(tree, 1);
		add_tile(tree, 1, 4, WHOLE);
		add_card(tree, 4);
		add_tile(tree, 0, 4, 0xa);
	} else if (!strcmp(name, "flat")) {
		tree->hierarchy = XETILE_FLAT;
		add_cards(tree, 2, 2);
	} else if (!strcmp(name, "mixed")) {
		tree->wished = true;
		add_card(tree, 0);
		add_tile(tree, 0, 4, WHOLE);
		add_tile(tree, 1, 2, WHOLE);
		add_card(tree, 1);
		add_tile(tree, 0, 1, 0);
		tree->cards[1].all_tiles = 1;
		tree->cards[1].numa_node = -1;
		tree->cards[1].tiles[0].modes = 0x2;
	} else if (!strcmp(name, "wished")) {
		tree->wished = true;
		add_cards(tree, 2, 4);
		tree->cards[1].tiles[0].mode = 2;
		tree->cards[1].tiles[1].mode = 2;
		tree->cards[1].tiles[0].slices = 3;
		tree->cards[1].tiles[1].slices = 3;
	} else if (!strcmp(name, "long")) {
		add_card(tree, 1);
		tree->cards[0].all_tiles = 4;
		for (t = 0; t < 4; t++)
			add_tile(tree, t, 4, 0x7);
	} else {
		errx(2, "there is no case %s", name);
	}
}

static int print_job(unsigned int ranks)
{
	struct bind_job job = { .rank = -1, .ranks = ranks };
	int ret = bind_job_read(&job, !ranks);

	if (!ret)
		printf("%s %d %u\n", job.launcher ? job.launcher : "-", job.rank, job.ranks);
	return ret;
}

int main(int argc, char **argv)
{
	struct bind_card cards[6] = { 0 };
	struct bind_tree tree = { .cards = cards };
	struct bind_plan plan = { .tree = &tree };
	struct bind_job job = { 0 };
	int ret;

	if (argc > 1 && !strcmp(argv[1], "job"))
		return print_job(argc > 2 ? atoi(argv[2]) : 0);
	if (argc < 7)
		errx(2, "usage: bind text|json CASE BY ORDER RANKS RANK [share]");
	make(&tree, argv[2]);
	plan.by = !strcmp(argv[3], "card") ? BIND_CARD : !strcmp(argv[3], "tile") ? BIND_TILE :
		  BIND_CSLICE;
	plan.order = !strcmp(argv[4], "round") ? BIND_ROUND : BIND_BLOCK;
	plan.may_share = argc > 7;
	job.ranks = atoi(argv[5]);
	job.rank = atoi(argv[6]);
	job.launcher = job.rank < 0 ? NULL : "PALS";
	ret = bind_plan_make(&plan, job.ranks);
	if (!ret && !strcmp(argv[1], "json"))
		bind_json(&plan, &job);
	else if (!ret)
		bind_view(stdout, &plan, &job);
	free(plan.shares);
	return ret;
}
