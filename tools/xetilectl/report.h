/* SPDX-License-Identifier: MIT */
/*
 * A report: sections of text and pictures, as one page of HTML. Pure.
 */
#ifndef _XETILECTL_REPORT_H_
#define _XETILECTL_REPORT_H_

#include <stdio.h>

struct report_section {
	const char *id;		/* of the place on the page */
	const char *title;
	const char *about;	/* what made it: a command */
	char *text;		/* whatever bytes there are; NULL: none */
	char *picture;		/* an SVG of this program; NULL: none */
	int status;		/* 0: it is complete */
};

struct report {
	const char *when, *host;
	struct report_section *sections;
	unsigned int num;
};

/* Text in which no byte is HTML, and none that a terminal could obey */
void report_text(FILE *out, const char *text);
/* The page, which needs no other file and runs no script */
void report_html(FILE *out, const struct report *report);
/* One line of JSON about the page @path, on standard output */
void report_json(const struct report *report, const char *path);

#endif
