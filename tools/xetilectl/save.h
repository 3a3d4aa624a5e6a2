/* SPDX-License-Identifier: MIT */
/*
 * Files that commands write.
 */
#ifndef _XETILECTL_SAVE_H_
#define _XETILECTL_SAVE_H_

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* Say that a file cannot be written, by errno. Returns CTL_FAILED. */
int save_failed(const char *path);
/* Open a file for writing. Returns NULL after a message. */
FILE *save_open(const char *path);
/* Close it. Returns CTL_OK if all that was printed is written, or CTL_FAILED after a message. */
int save_close(FILE *out, const char *path);

/* A file that replaces the one of its name when it is complete */
struct save {
	FILE *out;		/* to be written to; NULL: none */
	const char *path;
	char temp[PATH_MAX];
	mode_t mode;
};

/*
 * Begin a file that replaces a regular one, but no link, device or folder; of a file that is there
 * it has the mode, else @mode. Returns CTL_OK, or CTL_FAILED after a message.
 */
int save_begin(struct save *save, const char *path, mode_t mode);
/* Replace. Returns CTL_OK; or CTL_FAILED after a message: what was there is there. */
int save_end(struct save *save);
/* Let it be: what was there is there. Also of a file that ended. */
void save_drop(struct save *save);
/*
 * Replace a regular file at once, so that no reader and no loss of power meets a half of it.
 * It keeps its mode; all may read a new one.
 * Returns CTL_OK, or CTL_FAILED after a message.
 */
int save_replace(const char *path, const char *text, size_t size);
/* The same, but nobody else may read it, whatever the mode of the one that is there. */
int save_replace_private(const char *path, const char *text, size_t size);

#endif
