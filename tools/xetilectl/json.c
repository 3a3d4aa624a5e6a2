// SPDX-License-Identifier: MIT
/*
 * Text as JSON has it.
 */
#include <stdio.h>

#include "ctl.h"

void ctl_json_print(FILE *out, const char *text)
{
	/* Bytes beyond ASCII may be no UTF-8: each is the character of its number. */
	putc('"', out);
	for (; *text; text++) {
		unsigned char c = *text;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			fprintf(out, "\\u%04x", c);
		else
			putc(c, out);
	}
	putc('"', out);
}

void ctl_json_string(const char *text)
{
	ctl_json_print(stdout, text);
}
