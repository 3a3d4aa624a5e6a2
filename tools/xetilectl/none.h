/* SPDX-License-Identifier: MIT */
/*
 * Why a process sees no card.
 */
#ifndef _XETILECTL_NONE_H_
#define _XETILECTL_NONE_H_

#include <stdio.h>

#define NONE_SYSFS	"/sys"

/* Say of each PVC of the machine below @sysfs who has it, and what helps. */
void none_explain(FILE *out, const char *sysfs);
/* Say that xetile_platform_open() has failed with @err, and what helps. Returns CTL_FAILED. */
int none_open(int err);

#endif
