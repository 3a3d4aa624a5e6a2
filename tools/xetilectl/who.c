// SPDX-License-Identifier: MIT
/*
 * xetilectl who: the processes that use a card, once.
 */
#include <errno.h>
#include <stdio.h>

#include "collect.h"
#include "ctl.h"
#include "load_json.h"
#include "options.h"
#include "terminal.h"
#include "top_view.h"

static void usage(FILE *out)
{
	fputs("usage: xetilectl who [CARD] [--json]\n\n"
	      "Shows the processes that have a card open (default: the first one), a line for each\n"
	      "tile that they use: Q is the number of compute queues, MODE the CCS mode in which\n"
	      "they ran, HBM the memory on the tile, TIME the compute time there. SLICES \"1>2-3\":\n"
	      "virtual slice 1 is on the physical slices 2 and 3, which only root may see, as Q and\n"
	      "MODE; others see on which slices a process ran. What several processes have open is\n"
	      "the first one's. The card is not woken up.\n"
	      "  --device, -d CARD  the same as CARD\n"
	      "  --json         print one line of JSON\n", out);
}

static int show(const struct sample_card *card, bool json)
{
	struct table_style style = { .tiles = true };
	struct sample sample;
	unsigned int height;
	struct load load;
	int err = collect(card, &sample);

	if (err)
		return collect_failed(card, err);
	if (!load_make(card, NULL, &sample, &load)) {
		sample_free(&sample);
		return collect_failed(card, -ENOMEM);
	}
	terminal_size(&style.width, &height);
	style.color = terminal_has_color();
	if (json) {
		load_json(card, &sample, &load);
		putchar('\n');
	} else {
		who_view(stdout, &style, card, &sample, &load);
	}
	load_free(&load);
	sample_free(&sample);
	return CTL_OK;
}

int ctl_show_users(struct xetile_device *device)
{
	struct sample_card card;
	int ret = collect_card(device, &card);

	return ret ? ret : show(&card, false);
}

int ctl_who(int argc, char **argv)
{
	const char *device = NULL, *selector;
	bool json = false;
	const struct option_line lines[] = {
		{ "device", 'd', OPTION_DEVICE, &device },
		{ "json", 'j', OPTION_FLAG, &json },
		{ NULL },
	};
	const struct option_table table = { "who", lines, 1, usage, OPTION_DEVICE };
	struct xetile_platform *platform;
	struct xetile_device *root;
	struct sample_card card;
	int ret;

	if (!options_read(&table, argc, argv, &ret))
		return ret;
	ret = options_device(argc, argv, device, &selector);
	if (!ret)
		ret = ctl_open_card(selector, &platform, &root);
	if (ret)
		return ret;
	ret = collect_card(root, &card);
	xetile_platform_close(platform);
	return ret ? ret : show(&card, json);
}
