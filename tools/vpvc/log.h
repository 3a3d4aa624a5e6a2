/* SPDX-License-Identifier: MIT */
/* The log of the process. */
#ifndef VPVC_LOG_H
#define VPVC_LOG_H

/*
 * Write one line, to which a newline is added; any thread.  A line about something the
 * model lacks begins with "unimplemented:" and names it; a line about a mistake of the
 * guest begins with "guest error:".
 */
void vlog(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Write to @path from now on, NULL = stderr; returns 0 or -errno. */
int vlog_open(const char *path);
void vlog_close(void);

#endif
