/* SPDX-License-Identifier: MIT */
/*
 * DOC: the kernel's log, read as records of /dev/kmsg: whatever was said before a look is
 * there at the look. Tests say in it which subtest begins, so that each line has its subtest.
 */
#ifndef RUNNER_KLOG_H
#define RUNNER_KLOG_H

#include "text.h"

/* A line of the runner's own: the kernel said more than its log holds. A complaint. */
#define KLOG_LOST	"[    0.000000] runner: kernel's messages lost, its log was overwritten"

/* Opens the log behind what was said so far; dies if there is none. */
int klog_open(const char *path);
/* @level: 0 to 7, of which 7 is for debugging; @line: "[ SECONDS] TEXT" */
typedef void (*klog_line)(void *ctx, unsigned int level, const char *line);
/* Calls @line for each line that was said since. */
void klog_read(int log, klog_line line, void *ctx);

/* One record of /dev/kmsg or several as lines. Pure. */
void klog_record(const char *record, klog_line line, void *ctx);
/* The subtest of @test that begins with this line, or NULL. Pure. */
const char *klog_begins(const char *line, const char *test);

#endif
