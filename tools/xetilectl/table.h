/* SPDX-License-Identifier: MIT */
/*
 * The table of processes of `top` and `who`. Pure: it prints to a stream.
 */
#ifndef _XETILECTL_TABLE_H_
#define _XETILECTL_TABLE_H_

#include <stdbool.h>
#include <stdio.h>

#include "load.h"

/* Where and how a table is printed */
struct table_style {
	unsigned int width;	/* of a line */
	bool cut;		/* lines end there: a longer one would be broken */
	bool color;
	bool tiles;		/* a line for each tile that a process uses, else one for all tiles */
};

/*
 * A line, and its attributes: "7" is reverse, "1" is bold. A "+" ends one that is too long for its
 * place.
 */
void table_line(FILE *out, const struct table_style *style, const char *attributes,
		const char *text);

enum table_kind { TABLE_TOP, TABLE_WHO };

void table_title(FILE *out, const struct table_style *style, enum table_kind kind);

/*
 * The lines of a process. At most @lines; returns how many were printed.
 */
unsigned int table_row(FILE *out, const struct table_style *style, enum table_kind kind,
		       const struct sample_card *card, const struct sample *sample,
		       const struct load_row *row, unsigned int lines);

#endif
