// SPDX-License-Identifier: MIT
/*
 * Pictures that stay XML, whatever names are in them.
 */
#include "svg.h"

const char *const svg_fills[XETILE_MAX_TILES] = { "#2a6fbb", "#e08a1e", "#3d9a50", "#a04fa8" };

void svg_begin(FILE *out, unsigned int width, unsigned int height)
{
	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" font-family=\"sans-serif\" font-size=\"14\">\n",
		width, height);
	fputs("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", out);
}

/* Text that no sign ends early */
static void print_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':		/* "]]>" may not be in a text */
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		default:
			fputc(*text, out);
		}
	}
}

void svg_text(FILE *out, unsigned int x, unsigned int y, const char *text)
{
	fprintf(out, "<text x=\"%u\" y=\"%u\">", x, y);
	print_escaped(out, text);
	fputs("</text>\n", out);
}
