/* SPDX-License-Identifier: MIT */
#ifndef VPVC_LOG_H
#define VPVC_LOG_H

#include <stdarg.h>

/* Write to @path from now on, NULL = stderr. 0 or -errno. */
int vlog_open(const char *path);
void vlog_close(void);

#endif
