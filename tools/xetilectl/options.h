/* SPDX-License-Identifier: MIT */
/*
 * The options of a command line.
 */
#ifndef _XETILECTL_OPTIONS_H_
#define _XETILECTL_OPTIONS_H_

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

enum option_kind {
	OPTION_FLAG,		/* bool: it is there */
	OPTION_TEXT,		/* const char *: its value */
	OPTION_FILE,		/* the same: the name of a file */
	OPTION_FOLDER,		/* ... of a folder */
	OPTION_DEVICE,		/* ... of a device */
	OPTION_COUNT,		/* unsigned int, 1 to 1000000 */
	OPTION_SECONDS,		/* double, 0.1 to 3600 */
	OPTION_READ,		/* what .read makes of its value */
	OPTION_READ_MAYBE,	/* the same, and without a value .read gets NULL */
};

struct option_line {
	const char *name;	/* without the "--"; the list ends with NULL */
	char letter;		/* 0: none */
	enum option_kind kind;
	void *value;
	/* READ: returns CTL_OK, or CTL_USAGE after a message */
	int (*read)(const struct option_line *line, const char *text);
	const char *words;	/* values that a shell may offer, by blanks; may be NULL */
};

#define OPTIONS_ANY	(~0u)
/* Values that several commands take */
#define OPTIONS_COLORS	"even follow replicate tile: chunk: weighted: map:"
#define OPTIONS_RULES	"default published"

/*
 * A command: its name, its options besides --help and -h, the most arguments that are none, and
 * what they are (FLAG: nothing that a shell could offer). Options may follow arguments; behind "--"
 * all are arguments.
 */
struct option_table {
	const char *command;
	const struct option_line *lines;
	unsigned int most;
	void (*usage)(FILE *out);
	enum option_kind arguments;
	const char *words;	/* as of an option */
	bool is_program;	/* the first argument is a program; all behind it are its arguments */
};

/*
 * Read the options. Returns whether the command goes on, with its other arguments from optind on;
 * else *@ret is its exit code, and the user was told.
 */
bool options_read(const struct option_table *table, int argc, char **argv, int *ret);

/*
 * Print the tables of commands instead: while @out is not NULL, options_read() prints the table
 * that it is called with and tells the command to end. A line has the command, an option or "*" for
 * its arguments, and what a value is: flag, maybe (one word with the option), file, folder, device
 * or text; then the words that a shell may offer.
 */
void options_print(FILE *out);

/*
 * The device that a command is about: the value of --device, or its one argument. NULL: none is
 * named. Returns CTL_OK, or CTL_USAGE after a message.
 */
int options_device(int argc, char **argv, const char *device, const char **selector);

#endif
