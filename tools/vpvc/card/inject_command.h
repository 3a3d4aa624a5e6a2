/* SPDX-License-Identifier: MIT */
/* Requests for faults. */
#ifndef VPVC_INJECT_COMMAND_H
#define VPVC_INJECT_COMMAND_H

#include <stdio.h>

#include "card.h"

/* Execute "NAME ARGUMENTS"; returns 0, or -EINVAL with a line without quotes in @why. */
int inject_command(struct card *c, const char *text, char *why, size_t size);
/* Print the table of faults, for --help or (@rst) for the documentation. */
void inject_help(FILE *f, bool rst);

#endif
