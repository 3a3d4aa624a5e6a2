// SPDX-License-Identifier: MIT
/*
 * The terminal without a card: shows the number of each event and key until q.
 *
 *	keys [SIGNAL]	and sends itself the signal first
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "terminal.h"

int main(int argc, char **argv)
{
	unsigned int width, height;
	enum terminal_event event;
	char text[256];
	int key = 0, n;

	if (!terminal_is_live()) {
		puts("no terminal that is live");
		return 3;
	}
	if (terminal_open())
		return 1;
	terminal_show("first", 5, 2);
	if (argc > 1)
		raise(atoi(argv[1]));
	do {
		event = terminal_wait(10000, &key);
		terminal_size(&width, &height);
		n = snprintf(text, sizeof(text), "event %d key %d %s%ux%u\nsecond\nthird", event,
			     event == TERMINAL_KEY ? key : 0,
			     terminal_has_color() ? "color " : "", width, height);
		terminal_show(text, n, 2);
		/* As many lines as there is room for, without an end of the last one */
		terminal_show(text, n - sizeof("\nthird") + 1, 2);
	} while (event != TERMINAL_END && event != TERMINAL_TIMEOUT &&
		 (event != TERMINAL_KEY || key != 'q'));
	terminal_close();
	return event == TERMINAL_TIMEOUT;
}
