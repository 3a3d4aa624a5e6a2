// SPDX-License-Identifier: MIT
/*
 * The text has a line for each tile, and below it one for each virtual slice that had work.
 */
#include "slices.h"

#include <stdio.h>
#include <string.h>

/* The n-th bit of a mask with more than n bits */
static unsigned int nth(uint32_t mask, unsigned int n)
{
	while (n--)
		mask &= mask - 1;
	return __builtin_ctz(mask);
}

/* In mode m the first m slices present name the engines, and all slices are dealt to them in turn. */
uint32_t slices_of(uint32_t present, unsigned int mode, unsigned int engine)
{
	unsigned int i, num = __builtin_popcount(present);
	uint32_t mask = 0;

	for (i = 0; i < num && mode; i++) {
		if (nth(present, i % mode) == engine)
			mask |= 1u << nth(present, i);
	}
	return mask;
}

static bool makes_sense(const struct slices_binding *b)
{
	return b->tile < XETILE_MAX_TILES && b->pid > 0 && b->mode >= 1 &&
	       b->mode <= XETILE_MAX_CSLICES && b->slice < b->mode && b->engine < XETILE_MAX_CSLICES;
}

const char *slices_next(const char *text, unsigned int *tile, struct slices_binding *out)
{
	char line[160];
	size_t length;

	while (*text) {
		length = strcspn(text, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)(length < 159 ? length : 159), text);
		text += length + (text[length] == '\n');
		if (sscanf(line, "tile%9u", tile) == 1)
			continue;
		out->tile = *tile;
		if (sscanf(line, " process %9d mode %9u slice %9u engine ccs%9u queues %9u busy %9u",
			   &out->pid, &out->mode, &out->slice, &out->engine, &out->queues,
			   &out->busy) == 6 && makes_sense(out))
			return text;
	}
	return NULL;
}
