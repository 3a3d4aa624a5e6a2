// SPDX-License-Identifier: MIT
/*
 * What `metrics` prints of recorded samples, and of the files of a folder that is as /sys.
 *
 *	metrics SYSFS [RECORD [HZ]]
 *
 * With a record there are two cards, of which the second one does not answer. The clock of the first
 * one has 1 MHz, if nothing else is said.
 */
#include <err.h>
#include <stdlib.h>

#include "metrics.h"
#include "record.h"

/* A card of two tiles */
static const struct sample_card two = {
	.number = 0, .pci = "0000:3a:00.0", .node = "/dev/dri/renderD128", .tiles = 2, .hz = 1000000,
};

static struct metrics_card cards[2] = {
	{ .name = "Max \"1550\"", .up = true },
	{ .name = "Max 1100 \\", .card = { .number = 1, .pci = "0000:3b:00.0", .tiles = 1 } },
};

int main(int argc, char **argv)
{
	if (argc < 2)
		errx(2, "usage: metrics SYSFS [RECORD [HZ]]");
	if (argc > 2) {
		record_read(argv[2], &cards[0].sample);
		cards[0].card = two;
		if (argc > 3)
			cards[0].card.hz = strtoull(argv[3], NULL, 10);
		metrics_read(argv[1], &cards[0]);
	}
	metrics_text(stdout, cards, argc > 2 ? 2 : 0);
	sample_free(&cards[0].sample);
	return 0;
}
