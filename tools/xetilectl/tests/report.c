// SPDX-License-Identifier: MIT
/*
 * A page of a made-up report whose names and texts are hostile: report html|json
 * What is read of commands, as which this program runs itself: report cut
 */
#include "report.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report_read.h"

static struct report_section sections[] = {
	{ "cards", "Cards </h2><script>alert(1)</script>", "xetilectl list",
	  "card 0: <img src=x onerror=alert(2)> & \"quoted\" 'single'\n\033[2J\233\377\x7f\ttab\n</pre></section>" },
	{ "topology", "Topology", "xetilectl topology --svg '<file>'", "text",
	  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\" height=\"10\"></svg>\n" },
	{ "log", "Log", "lines", "]]> --> &lt; &#60;script&#62;\n", NULL, 1 },
	{ "dump", "Dump", "nothing", "", NULL, 143 },
};

/* What a command prints, and its status */
static int print_bytes(const char *num)
{
	unsigned long i;

	for (i = 0; i < strtoul(num, NULL, 0); i++)
		putchar('x');
	return 0;
}

static bool reads(const char *num, size_t size, int status, bool is_told)
{
	const char *const arguments[] = { "bytes", num, NULL };
	int got = -1;
	char *text = report_read_command(arguments, &got);
	bool ok = text && strspn(text, "x") == size && got == status &&
		  !strstr(text, "cut here") == !is_told;

	free(text);
	return ok;
}

int main(int argc, char **argv)
{
	const struct report report = {
		"2026-01-02 <b>", "host\"&", sections, sizeof(sections) / sizeof(sections[0]),
	};

	if (argc == 3 && !strcmp(argv[1], "bytes"))
		return print_bytes(argv[2]);
	if (argc == 2 && !strcmp(argv[1], "cut"))
		return !reads("1048576", 1048576, 0, false) || !reads("1048577", 1048576, 1, true);
	if (argc == 2 && !strcmp(argv[1], "json"))
		report_json(&report, "a \"page\".html");
	else
		report_html(stdout, &report);
	return 0;
}
