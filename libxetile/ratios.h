/* SPDX-License-Identifier: MIT */
/*
 * The measured ratios of a card's distances, and the file that keeps them. platform.c reads the
 * file, distance.c answers with the ratios and writes the file. The functions of text are pure.
 */
#ifndef _XETILE_RATIOS_H_
#define _XETILE_RATIOS_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "xetile.h"

/* Rows are the tiles' engines and the CPU, columns the tiles' HBM and the machine's memory. */
#define XT_RATIO_LAST	XETILE_MAX_TILES
#define XT_RATIO_MAX	1000000000u

struct xt_ratio {
	uint32_t read, write;		/* 0: not measured */
};

struct xt_ratios {
	bool measured;
	struct xt_ratio of[XT_RATIO_LAST + 1][XT_RATIO_LAST + 1];
};

/* What a file says of the card that it belongs to */
struct xt_ratios_card {
	char pci[16];
	uint32_t device_id, revision, tiles;
};

/*
 * Check that all that has to be measured is: every memory for every tile, and that the nearest
 * one is the unit. Returns 0, or -EINVAL with an error text, as the next function.
 */
int xt_ratios_check(const struct xt_ratios *ratios, uint32_t tiles);
/* Read the text of a file; the call changes @text. A call that fails leaves @ratios unchanged. */
int xt_ratios_parse(char *text, const struct xt_ratios_card *card, struct xt_ratios *ratios);
void xt_ratios_print(FILE *file, const struct xt_ratios_card *card,
		     const struct xt_ratios *ratios);
/*
 * Read the file of a card in a folder. Returns 0, -ENOENT without an error text when there is no
 * such file, or another error with a text.
 */
int xt_ratios_read(const char *dir, const struct xt_ratios_card *card, struct xt_ratios *ratios);
/* Write the file, and make the folder. Returns 0 or a negative errno with an error text. */
int xt_ratios_write(const char *dir, const struct xt_ratios_card *card,
		    const struct xt_ratios *ratios);
/* The name of a card's file */
void xt_ratios_path(const char *dir, const char *pci, char *path, size_t size);

#endif
