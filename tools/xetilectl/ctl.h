/* SPDX-License-Identifier: MIT */
/*
 * The commands of xetilectl and the functions that all of them use.
 */
#ifndef _XETILECTL_H_
#define _XETILECTL_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <xetile.h>

/* Exit codes */
#define CTL_OK		0
#define CTL_FAILED	1	/* the card, the driver or a file caused a failure */
#define CTL_USAGE	2	/* the command line is wrong */
#define CTL_KERNEL	3	/* the driver stopped a kernel on the card, or a test of the card failed */

/* Without a command: show cards and their processes. Returns the exit code. */
int ctl_overview(void);
/* who: show the processes of a device's card, as text. Returns the exit code. */
int ctl_show_users(struct xetile_device *device);

/* Run a command with its arguments. Returns the exit code. */

int ctl_bind(int argc, char **argv);
int ctl_calibrate(int argc, char **argv);
int ctl_check(int argc, char **argv);
int ctl_crash(int argc, char **argv);
int ctl_list(int argc, char **argv);
int ctl_map(int argc, char **argv);
int ctl_metrics(int argc, char **argv);
int ctl_mode(int argc, char **argv);
int ctl_plan(int argc, char **argv);
int ctl_report(int argc, char **argv);
int ctl_run(int argc, char **argv);
int ctl_selftest(int argc, char **argv);
int ctl_top(int argc, char **argv);
int ctl_topology(int argc, char **argv);
int ctl_trace(int argc, char **argv);
int ctl_who(int argc, char **argv);
int ctl_xe_run(int argc, char **argv);

/*
 * Write rules for udev that bring the present modes of all cards back to the file @path, or to
 * standard output if it is "-". Returns the exit code.
 */
int ctl_mode_save(const char *path);

/* Print "xetilectl: what: the library's error text". Returns CTL_FAILED. */
int ctl_failed(const char *what);
/*
 * Write out what standard output still keeps. Returns CTL_OK if all that was printed is written, or
 * CTL_FAILED after a message.
 */
int ctl_flush(void);
/* Print "xetilectl: text; see --help". Returns CTL_USAGE. */
int ctl_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Open the platform and find one device; @selector NULL: the first that the process may use.
 * Returns CTL_OK, or another exit code after a message.
 */
int ctl_open(const char *selector, struct xetile_platform **platform,
	     struct xetile_device **device);
/* The same of a card; @selector NULL: that of the first device. */
int ctl_open_card(const char *selector, struct xetile_platform **platform,
		  struct xetile_device **card);

/* Print a text as a JSON string, with quotes and escapes. */
void ctl_json_string(const char *text);
/* The same to a file */
void ctl_json_print(FILE *out, const char *text);

#endif
