/* SPDX-License-Identifier: MIT */
/*
 * Files that commands write.
 */
#ifndef _XETILECTL_SAVE_H_
#define _XETILECTL_SAVE_H_

#include <stdio.h>

/* Open a file for writing. Returns NULL after a message. */
FILE *save_open(const char *path);
/* Close it. Returns CTL_OK if all that was printed is written, or CTL_FAILED after a message. */
int save_close(FILE *out, const char *path);

#endif
