/* SPDX-License-Identifier: MIT */
/*
 * What all pictures (SVG) have. Pure.
 */
#ifndef _XETILECTL_SVG_H_
#define _XETILECTL_SVG_H_

#include <stdio.h>
#include <xetile.h>

/* The colors of tiles and engines, by number */
extern const char *const svg_fills[XETILE_MAX_TILES];

/* Begin a picture on white; "</svg>" ends it. */
void svg_begin(FILE *out, unsigned int width, unsigned int height);
/* A line of text, whose signs are no XML; it has no byte that text_clean() would replace. */
void svg_text(FILE *out, unsigned int x, unsigned int y, const char *text);

#endif
