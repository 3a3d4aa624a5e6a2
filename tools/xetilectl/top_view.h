/* SPDX-License-Identifier: MIT */
/*
 * A frame of `top`, and the text of `who`. Pure: they print to a stream.
 */
#ifndef _XETILECTL_TOP_VIEW_H_
#define _XETILECTL_TOP_VIEW_H_

#include <stdbool.h>
#include <stdio.h>

#include "load.h"
#include "table.h"

struct top_view {
	struct table_style style;
	enum load_order order;
	size_t first;		/* the first process that is shown */
	unsigned int height;	/* lines at most; 0: all */
	double interval;	/* seconds */
	const char *clock;	/* the time of day; "" for none */
};

void top_view(FILE *out, const struct top_view *view, const struct sample_card *card,
	      const struct sample *sample, const struct load *load);
void top_view_help(FILE *out, const struct table_style *style);
void who_view(FILE *out, const struct table_style *style, const struct sample_card *card,
	      const struct sample *sample, const struct load *load);

#endif
