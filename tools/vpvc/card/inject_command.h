/* SPDX-License-Identifier: MIT */
/* Faults on request, as they are asked for. */
#ifndef VPVC_INJECT_COMMAND_H
#define VPVC_INJECT_COMMAND_H

#include <stdio.h>

#include "card.h"

/* "NAME ARGUMENTS"; 0, or -EINVAL with a line without quotes in @why. */
int inject_command(struct card *c, const char *text, char *why, size_t size);
/* The table of what there is, for --help or for the documentation. */
void inject_help(FILE *f, bool rst);

#endif
