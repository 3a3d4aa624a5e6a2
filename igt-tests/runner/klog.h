/* SPDX-License-Identifier: MIT */
/*
 * DOC: the kernel's log, read as records of /dev/kmsg: a look finds all messages before it. Tests
 * write a message when a subtest begins, so that each line belongs to a subtest.
 */
#ifndef RUNNER_KLOG_H
#define RUNNER_KLOG_H

#include "text.h"

/*
 * A line by the runner itself: the kernel said more than its log holds. The line is a complaint
 * (tools/lab/lib/complaints), because the lost messages may hold one.
 */
#define KLOG_LOST	"[    0.000000] runner: kernel's messages lost, its log was overwritten"

/* Opens the log behind the messages there are; dies if the log cannot be opened. */
int klog_open(const char *path);
/* @level: 0 to 7, of which 7 is for debugging; @line: "[ SECONDS] TEXT" */
typedef void (*klog_line)(void *ctx, unsigned int level, const char *line);
/* Calls @line for each line since the last look. */
void klog_read(int log, klog_line line, void *ctx);

/* Calls @line for each line of one or several records of /dev/kmsg. Pure. */
void klog_record(const char *record, klog_line line, void *ctx);
/* Returns the subtest of @test that begins with this line, or NULL. Pure. */
const char *klog_begins(const char *line, const char *test);

#endif
