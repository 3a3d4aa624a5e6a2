/* SPDX-License-Identifier: MIT */
/*
 * The terminal of a live display: keys without Enter, a screen of its own, and both given back
 * whenever the program ends or stops.
 */
#ifndef _XETILECTL_TERMINAL_H_
#define _XETILECTL_TERMINAL_H_

#include <stdbool.h>
#include <stddef.h>

enum terminal_event {
	TERMINAL_TIMEOUT,
	TERMINAL_REDRAW,	/* it has another size, or the program was stopped meanwhile */
	TERMINAL_KEY,
	TERMINAL_END,		/* a signal, or nobody is there any more */
};

/* Keys that are no character */
enum {
	TERMINAL_UP = 256, TERMINAL_DOWN, TERMINAL_LEFT, TERMINAL_RIGHT, TERMINAL_PAGE_UP,
	TERMINAL_PAGE_DOWN, TERMINAL_HOME,
};

/* Whether both ends are a terminal that moves its cursor. */
bool terminal_is_live(void);
/* Whether colors are wanted on standard output: it is a terminal, and NO_COLOR does not forbid it. */
bool terminal_has_color(void);
/*
 * Columns and lines of standard output. If it does not tell, the variable COLUMNS does; else they are
 * 80 and 24.
 */
void terminal_size(unsigned int *width, unsigned int *height);

/* There is one terminal. Returns 0, or -1 with errno. */
int terminal_open(void);
/* Gives it back. After a signal the program ends of this signal here. */
void terminal_close(void);

/* Wait for an event, @ms at most. @key is that of TERMINAL_KEY. */
enum terminal_event terminal_wait(int ms, int *key);

/* Show lines, as many as there is room for. */
void terminal_show(const char *text, size_t size, unsigned int height);

#endif
