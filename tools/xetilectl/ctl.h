/* SPDX-License-Identifier: MIT */
#ifndef _XETILECTL_H_
#define _XETILECTL_H_

#include <stdbool.h>
#include <stdint.h>
#include <xetile.h>

/* Exit codes. */
#define CTL_OK		0
#define CTL_FAILED	1	/* the card, the driver or a file said no */
#define CTL_USAGE	2	/* the command line cannot be understood */

int ctl_list(int argc, char **argv);
int ctl_mode(int argc, char **argv);
int ctl_run(int argc, char **argv);

/* Print "xetilectl: what: the library's text"; returns CTL_FAILED. */
int ctl_failed(const char *what);
/* Print "xetilectl: text" and where help is; returns CTL_USAGE. */
int ctl_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Open the platform and one device; CTL_OK or an exit code, after a message. */
int ctl_open(const char *selector, struct xetile_platform **platform,
	     struct xetile_device **device);

/* A JSON string with quotes, escaped. */
void ctl_json_string(const char *text);

#endif
