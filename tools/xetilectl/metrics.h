/* SPDX-License-Identifier: MIT */
/*
 * Figures of cards for Prometheus. Reading and printing them need no library: the tests have files
 * and samples of their own.
 */
#ifndef _XETILECTL_METRICS_H_
#define _XETILECTL_METRICS_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <xetile.h>

#include "sample.h"

#define METRICS_FILES	256
/* Clients of a card that are told one by one: a hostile process may open it very often. */
#define METRICS_CLIENTS	100

/* The files of a folder of sysfs that have a number, by name */
struct metrics_folder {
	struct {
		char name[48];
		uint64_t value;
	} files[METRICS_FILES];
	unsigned int num;
};

struct metrics_tile {
	struct metrics_folder memory, errors, freq, throttle;
};

struct metrics_card {
	char name[40];			/* "": not known */
	struct sample_card card;
	bool up;			/* it answered: the rest is there */
	struct sample sample;
	struct metrics_tile tiles[XETILE_MAX_TILES];
};

/* Read what the tiles of a card have; @sysfs is the folder /sys, or one like it. */
void metrics_read(const char *sysfs, struct metrics_card *card);

/*
 * Add the cards that the driver has by sysfs and that are not among those of @cards, which are moved
 * for it: they do not answer. Returns false without memory.
 */
bool metrics_add_bound(const char *sysfs, struct metrics_card **cards, unsigned int *num);

/* Print all in the text format of Prometheus. */
void metrics_text(FILE *out, const struct metrics_card *cards, unsigned int num);

#endif
