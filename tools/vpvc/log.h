/* SPDX-License-Identifier: MIT */
/* One log for the process. */
#ifndef VPVC_LOG_H
#define VPVC_LOG_H

/*
 * One line, newline added, any thread.  What the model lacks begins with
 * "unimplemented:" and names itself; what the guest did wrong begins with
 * "guest error:".
 */
void vlog(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Write to @path from now on, NULL = stderr. 0 or -errno. */
int vlog_open(const char *path);
void vlog_close(void);

#endif
