// SPDX-License-Identifier: MIT
/*
 * A table of options for getopt_long(), with messages that name the command.
 */
#include "options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

#define MAX_OPTIONS	16
/* What getopt_long() returns for the n-th line */
#define FIRST		256

static bool is_number(const char *text)
{
	return *text && !text[strspn(text, "0123456789.")];
}

static int read_value(const struct option_line *line, const char *text)
{
	double seconds;
	char *end = NULL;
	unsigned long count;

	switch (line->kind) {
	case OPTION_FLAG:
		*(bool *)line->value = true;
		break;
	case OPTION_TEXT:
	case OPTION_FILE:
	case OPTION_FOLDER:
	case OPTION_DEVICE:
		*(const char **)line->value = text;
		break;
	case OPTION_COUNT:
		count = is_number(text) ? strtoul(text, &end, 10) : 0;
		if (!count || *end || count > 1000000)
			return ctl_usage("--%s '%s' is not in 1..1000000", line->name, text);
		*(unsigned int *)line->value = count;
		break;
	case OPTION_READ:
	case OPTION_READ_MAYBE:
		return line->read(line, text);
	case OPTION_SECONDS:
		seconds = is_number(text) ? strtod(text, &end) : 0;
		if (!end || *end || seconds < 0.1 || seconds > 3600)
			return ctl_usage("--%s '%s' is not in 0.1..3600 seconds", line->name, text);
		*(double *)line->value = seconds;
		break;
	}
	return CTL_OK;
}

/* The tables of getopt_long() */
static unsigned int fill(const struct option_table *table, struct option *longs, char *letters)
{
	unsigned int n;

	/* What follows the first argument is the program's. */
	if (table->is_program)
		*letters++ = '+';
	*letters++ = ':';
	*letters++ = 'h';
	for (n = 0; table->lines[n].name && n < MAX_OPTIONS; n++) {
		const struct option_line *line = &table->lines[n];
		int has_value = line->kind == OPTION_READ_MAYBE ? optional_argument :
				line->kind == OPTION_FLAG ? no_argument : required_argument;
		int colons = line->letter ? has_value : 0;

		longs[n] = (struct option) { line->name, has_value, NULL, FIRST + (int)n };
		if (line->letter)
			*letters++ = line->letter;
		while (colons--)
			*letters++ = ':';
	}
	*letters = 0;
	longs[n] = (struct option) { "help", no_argument, NULL, FIRST + (int)n };
	longs[n + 1] = (struct option) { 0 };
	return n;
}

/* An option of a letter may have been in one word with others, a long one is a word. */
static int refuse(const struct option_table *table, int c, char **argv)
{
	char letter[] = { '-', optopt, 0 };
	bool is_letter = optopt > ' ' && optopt <= '~';

	return ctl_usage(c == ':' ? "%s: %s needs a value" : "%s has no option '%s'",
			 table->command, is_letter ? letter : argv[optind - 1]);
}

/* --- what shells complete --------------------------------------------------------------- */

static FILE *print_to;

void options_print(FILE *out)
{
	print_to = out;
}

static const char *kind_name(enum option_kind kind)
{
	switch (kind) {
	case OPTION_FLAG:
		return "flag";
	case OPTION_FILE:
		return "file";
	case OPTION_FOLDER:
		return "folder";
	case OPTION_DEVICE:
		return "device";
	case OPTION_READ_MAYBE:
		return "maybe";
	default:
		return "text";
	}
}

static void print_words(const char *words)
{
	fprintf(print_to, "%s%s\n", words ? " " : "", words ? words : "");
}

static void print_table(const struct option_table *table)
{
	const struct option_line *line;

	for (line = table->lines; line->name; line++) {
		fprintf(print_to, "%s --%s %s", table->command, line->name, kind_name(line->kind));
		print_words(line->words);
		if (!line->letter)
			continue;
		fprintf(print_to, "%s -%c %s", table->command, line->letter, kind_name(line->kind));
		print_words(line->words);
	}
	fprintf(print_to, "%s --help flag\n%s -h flag\n", table->command, table->command);
	fprintf(print_to, "%s * %s", table->command, kind_name(table->arguments));
	print_words(table->words);
}

/* --- reading ---------------------------------------------------------------------------- */

bool options_read(const struct option_table *table, int argc, char **argv, int *ret)
{
	struct option longs[MAX_OPTIONS + 2];
	char letters[3 * MAX_OPTIONS + 4];
	unsigned int n = fill(table, longs, letters), i;
	int c;

	*ret = CTL_OK;
	if (print_to) {
		print_table(table);
		return false;
	}
	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (c == 'h' || c == FIRST + (int)n) {
			table->usage(stdout);
			return false;
		}
		for (i = 0; i < n; i++) {
			if (c == FIRST + (int)i || (c == table->lines[i].letter && c))
				break;
		}
		*ret = i < n ? read_value(&table->lines[i], optarg) : refuse(table, c, argv);
		if (*ret)
			return false;
	}
	if ((unsigned int)(argc - optind) > table->most) {
		*ret = ctl_usage("%s takes no argument '%s'", table->command,
				 argv[optind + table->most]);
		return false;
	}
	return true;
}

int options_device(int argc, char **argv, const char *device, const char **selector)
{
	*selector = optind < argc ? argv[optind] : device;
	if (optind < argc && device)
		return ctl_usage("the device is named twice: '%s' and '%s'", device, argv[optind]);
	return CTL_OK;
}
