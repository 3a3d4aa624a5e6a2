// SPDX-License-Identifier: MIT
/*
 * A page of a made-up report whose names and texts are hostile: report html|json
 */
#include "report.h"

#include <string.h>

static struct report_section sections[] = {
	{ "cards", "Cards </h2><script>alert(1)</script>", "xetilectl list",
	  "card 0: <img src=x onerror=alert(2)> & \"quoted\" 'single'\n\033[2J\233\377\x7f\ttab\n</pre></section>" },
	{ "topology", "Topology", "xetilectl topology --svg '<file>'", "text",
	  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\" height=\"10\"></svg>\n" },
	{ "log", "Log", "lines", "]]> --> &lt; &#60;script&#62;\n", NULL, 1 },
	{ "dump", "Dump", "nothing", "", NULL, 143 },
};

int main(int argc, char **argv)
{
	const struct report report = {
		"2026-01-02 <b>", "host\"&", sections, sizeof(sections) / sizeof(sections[0]),
	};

	if (argc == 2 && !strcmp(argv[1], "json"))
		report_json(&report, "a \"page\".html");
	else
		report_html(stdout, &report);
	return 0;
}
