// SPDX-License-Identifier: MIT
/*
 * The page of a report. Its policy forbids a browser to fetch or run anything, whatever is in it.
 */
#include "report.h"

#include <stdbool.h>
#include <string.h>

#include "ctl.h"

static const char head[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\">\n"
	"<head>\n"
	"<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\""
	" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<title>xetile report</title>\n"
	"<style>\n"
	"body { font: 16px/1.5 sans-serif; color: #222; background: #fff; margin: 0 auto;"
	" max-width: 62rem; padding: 1rem; overflow-wrap: anywhere }\n"
	"h1 { font-size: 1.6rem; margin: 0 }\n"
	"h2 { font-size: 1.2rem; border-bottom: 2px solid #2a6fbb; margin: 2rem 0 .5rem }\n"
	"nav ul { columns: 3; padding-left: 1.2rem }\n"
	"p.about { color: #666; margin: 0 }\n"
	"p.status { color: #a00; margin: 0 }\n"
	"pre { background: #f4f4f4; font: 13px/1.35 monospace; padding: .7rem; overflow: auto;"
	" max-height: 40rem }\n"
	"figure { border: 1px solid #ccc; margin: .7rem 0; overflow: auto }\n"
	"svg { display: block }\n"
	"@media print { pre { max-height: none; white-space: pre-wrap } }\n"
	"</style>\n"
	"</head>\n"
	"<body>\n";

void report_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = *text;

		if (c == '<')
			fputs("&lt;", out);
		else if (c == '>')
			fputs("&gt;", out);
		else if (c == '&')
			fputs("&amp;", out);
		else if (c == '"')
			fputs("&quot;", out);
		else if (c == '\'')
			fputs("&#39;", out);
		else if ((c < 0x20 && c != '\n' && c != '\t') || c >= 0x7f)
			putc('?', out);
		else
			putc(c, out);
	}
}

static void print_element(FILE *out, const char *begin, const char *text, const char *end)
{
	fputs(begin, out);
	report_text(out, text);
	fputs(end, out);
}

static void print_section(FILE *out, const struct report_section *s)
{
	fprintf(out, "<section id=\"%s\">\n", s->id);
	print_element(out, "<h2>", s->title, "</h2>\n");
	print_element(out, "<p class=\"about\">", s->about, "</p>\n");
	if (s->status)
		fprintf(out, "<p class=\"status\">not complete: status %d</p>\n", s->status);
	if (s->picture)
		fprintf(out, "<figure>\n%s</figure>\n", s->picture);
	if (s->text && *s->text)
		print_element(out, "<pre>", s->text, "</pre>\n");
	fputs("</section>\n", out);
}

void report_html(FILE *out, const struct report *report)
{
	unsigned int i;

	fputs(head, out);
	fputs("<header>\n<h1>xetile report</h1>\n", out);
	print_element(out, "<p class=\"about\">", report->host, ", ");
	print_element(out, "", report->when, "</p>\n");
	fputs("</header>\n<nav><ul>\n", out);
	for (i = 0; i < report->num; i++) {
		fprintf(out, "<li><a href=\"#%s\">", report->sections[i].id);
		print_element(out, "", report->sections[i].title, "</a></li>\n");
	}
	fputs("</ul></nav>\n<main>\n", out);
	for (i = 0; i < report->num; i++)
		print_section(out, &report->sections[i]);
	fputs("</main>\n</body>\n</html>\n", out);
}

void report_json(const struct report *report, const char *path)
{
	unsigned int i;

	printf("{\"file\":");
	ctl_json_string(path);
	printf(",\"sections\":[");
	for (i = 0; i < report->num; i++) {
		const struct report_section *s = &report->sections[i];

		printf("%s{\"id\":\"%s\",\"status\":%d,\"picture\":%s}", i ? "," : "", s->id, s->status,
		       s->picture ? "true" : "false");
	}
	puts("]}");
}
