// SPDX-License-Identifier: MIT
/*
 * Text as JSON has it.
 */
#include <stdio.h>

#include "ctl.h"

void ctl_json_string(const char *text)
{
	/* Bytes beyond ASCII may be no UTF-8: each is the character of its number. */
	putchar('"');
	for (; *text; text++) {
		unsigned char c = *text;

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}
