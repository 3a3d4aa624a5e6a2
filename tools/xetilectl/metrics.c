// SPDX-License-Identifier: MIT
/*
 * xetilectl metrics: the cards' figures once, for the textfile collector of node_exporter, which is
 * of Prometheus.
 */
#include "metrics.h"

#include <stdlib.h>
#include <string.h>

#include "collect.h"
#include "ctl.h"
#include "none.h"
#include "options.h"
#include "save.h"

static void usage(FILE *out)
{
	fputs("usage: xetilectl metrics [--output FILE] [--sysfs FOLDER]\n\n"
	      "Prints figures of all cards once, in the text format of Prometheus: HBM,\n"
	      "frequencies, hardware errors, energy (root only), and each client's engine time\n"
	      "and memory. ZE_AFFINITY_MASK applies to cards. No card is woken up for it;\n"
	      "ordinary users see their own clients only.\n"
	      "  --output, -o FILE  replace FILE at once, so that nobody reads half of it; for\n"
	      "                     node_exporter: a file *.prom in its textfile folder\n"
	      "  --sysfs FOLDER     look for files of the driver there instead of /sys\n", out);
}

/* A card that goes meanwhile does not answer. One without an address is none. */
static int read_card(struct xetile_device *device, const char *sysfs, struct metrics_card *card)
{
	struct xetile_device_info info;
	int err;

	if (xetile_device_get_info(device, &info))
		return ctl_failed("card");
	if (collect_card(device, &card->card)) {
		memcpy(card->card.pci, info.pci, sizeof(card->card.pci));
		return CTL_FAILED;
	}
	memcpy(card->name, info.name, sizeof(card->name));
	err = collect(&card->card, &card->sample);
	card->up = !err;
	if (err)
		collect_failed(&card->card, err);
	else
		metrics_read(sysfs, card);
	return CTL_OK;
}

static int write_text(const char *path, const struct metrics_card *cards, unsigned int num)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int ret;

	if (!out)
		return save_failed(path);
	metrics_text(out, cards, num);
	ret = save_close(out, path);
	if (!ret)
		ret = save_replace(path, text, size);
	free(text);
	return ret;
}

/*
 * A card that does not answer keeps no other one's figures back, nor does a library that finds none:
 * @platform is NULL then. An affinity mask hides cards that are well.
 */
static int write_cards(struct xetile_platform *platform, const char *sysfs, const char *path)
{
	unsigned int i, n = 0, num = platform ? xetile_platform_num_devices(platform) : 0;
	struct metrics_card *cards = calloc(num + 1, sizeof(*cards));
	int ret, failed = platform ? CTL_OK : CTL_FAILED;
	const char *mask = getenv("ZE_AFFINITY_MASK");

	if (!cards)
		return save_failed(path ? path : "-");
	for (i = 0; i < num; i++) {
		ret = read_card(xetile_platform_device(platform, i), sysfs, &cards[n]);
		n += *cards[n].card.pci != 0;
		failed = ret ? ret : failed;
	}
	ret = CTL_OK;
	if ((!platform || !mask || !*mask) && !metrics_add_bound(sysfs, &cards, &n))
		ret = save_failed(path ? path : "-");
	else if (path && strcmp(path, "-"))
		ret = write_text(path, cards, n);
	else
		metrics_text(stdout, cards, n);
	for (i = 0; i < n; i++)
		sample_free(&cards[i].sample);
	free(cards);
	return ret ? ret : failed;
}

int ctl_metrics(int argc, char **argv)
{
	const char *output = NULL, *sysfs = NONE_SYSFS;
	const struct option_line lines[] = {
		{ "output", 'o', OPTION_FILE, &output },
		{ "sysfs", 0, OPTION_FOLDER, &sysfs },
		{ NULL },
	};
	const struct option_table table = { "metrics", lines, 0, usage };
	struct xetile_platform *platform = NULL;
	int ret;

	if (!options_read(&table, argc, argv, &ret))
		return ret;
	/* The figures are of cards. */
	setenv("ZE_FLAT_DEVICE_HIERARCHY", "COMPOSITE", 1);
	if (xetile_platform_open(&platform)) {
		ctl_failed("cannot look for cards");
		platform = NULL;
	}
	ret = write_cards(platform, sysfs, output);
	if (platform)
		xetile_platform_close(platform);
	return ret;
}
