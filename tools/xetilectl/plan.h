/* SPDX-License-Identifier: MIT */
/*
 * A plan: what `xetilectl plan` is asked, and what the library forecasts. The functions that print
 * it are pure.
 */
#ifndef _XETILECTL_PLAN_H_
#define _XETILECTL_PLAN_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <xetile.h>

#define PLAN_ACCESSES	16
/* Pieces of a picture: a line of text has so many, behind the name of a bar */
#define PLAN_PIECES	72

struct plan {
	unsigned int tiles;		/* of the card */
	uint32_t tile_mask;		/* that the work runs on */
	const char *color;		/* of the buffer, as the user calls it */
	struct xetile_mem_desc mem;
	struct xetile_launch_desc launch;
	struct xetile_access access[PLAN_ACCESSES];
	unsigned int num_accesses;
	struct xetile_forecast forecast;
	struct xetile_piece pieces[PLAN_PIECES];
};

/*
 * Read an access of the command line, which the call changes. On success plan_access_free() frees
 * its index. Returns CTL_OK, or another exit code after a message.
 */
int plan_access_parse(char *text, struct xetile_access *access);
void plan_access_free(struct xetile_access *access);

/* More than XETILE_REMOTE_LIMIT percent of the bytes are remote. */
bool plan_is_over(const struct plan *plan);
/* The share of some of the plan's bytes, 0 to 1 */
double plan_share(const struct plan *plan, uint64_t bytes);
/*
 * A color as xetile_color_parse() takes it. Returns the length, as snprintf() does: that of a map
 * may be long.
 */
size_t plan_color(char *out, size_t size, const struct xetile_mem_desc *mem);

/* Lines of 80 columns at most */
void plan_view(FILE *out, const struct plan *plan);
/* One line of JSON, on standard output. Returns CTL_OK, or CTL_FAILED after a message. */
int plan_json(const struct plan *plan);
/* A picture */
void plan_svg(FILE *out, const struct plan *plan);

#endif
