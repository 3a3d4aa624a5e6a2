// SPDX-License-Identifier: MIT
/*
 * What `who` and `top` print of recorded samples.
 *
 *	view who|top|json|help BEFORE NOW [width=N] [height=N] [order=N] [first=N] [cut] [color] [card]
 *
 * BEFORE is "-" when there is one sample only.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load_json.h"
#include "record.h"
#include "top_view.h"

static struct top_view view = {
	.style = { .width = 80, .tiles = true }, .interval = 1, .clock = "12:34:56",
};

/* A card of two tiles, of which the second one lacks two slices */
static const struct sample_card card = {
	.number = 0, .pci = "0000:3a:00.0", .node = "/dev/dri/renderD128", .tiles = 2,
	.present = { 0xf, 0xa }, .copies = { 8, 8 }, .hz = 1000000,
};

static void set(const char *word)
{
	unsigned int number;

	if (sscanf(word, "width=%u", &number) == 1)
		view.style.width = number;
	else if (sscanf(word, "height=%u", &number) == 1)
		view.height = number;
	else if (sscanf(word, "order=%u", &number) == 1)
		view.order = number;
	else if (sscanf(word, "first=%u", &number) == 1)
		view.first = number;
	else if (!strcmp(word, "cut"))
		view.style.cut = true;
	else if (!strcmp(word, "color"))
		view.style.color = true;
	else if (!strcmp(word, "card"))
		view.style.tiles = false;
	else
		errx(2, "no word '%s'", word);
}

int main(int argc, char **argv)
{
	struct sample before, now;
	bool two = argc > 3 && strcmp(argv[2], "-");
	struct load load;
	int i;

	if (argc < 4)
		errx(2, "usage: view who|top|json|help BEFORE NOW [word...]");
	for (i = 4; i < argc; i++)
		set(argv[i]);
	if (two)
		record_read(argv[2], &before);
	record_read(argv[3], &now);
	if (!load_make(&card, two ? &before : NULL, &now, &load))
		errx(1, "out of memory");
	load_sort(&load, view.order);
	if (!strcmp(argv[1], "who"))
		who_view(stdout, &view.style, &card, &now, &load);
	else if (!strcmp(argv[1], "top"))
		top_view(stdout, &view, &card, &now, &load);
	else if (!strcmp(argv[1], "help"))
		top_view_help(stdout, &view.style);
	else
		load_json(&card, &now, &load);
	if (!strcmp(argv[1], "json"))
		putchar('\n');
	load_free(&load);
	sample_free(&now);
	if (two)
		sample_free(&before);
	return 0;
}
