/* SPDX-License-Identifier: MIT */
/*
 * Recording the driver's trace events: an instance of tracefs, which no other tracer disturbs and
 * which is gone afterwards.
 */
#ifndef _XETILECTL_TRACE_RECORD_H_
#define _XETILECTL_TRACE_RECORD_H_

#include <stdio.h>

#define TRACE_FS	"/sys/kernel/tracing"

struct trace_record {
	char path[256];		/* of the instance; empty: there is none */
	int pipe;		/* -1: closed */
};

/* Begin below the folder @tracefs. Returns CTL_OK, or CTL_FAILED after a message with a remedy. */
int trace_record_begin(struct trace_record *record, const char *tracefs);
/* Write what there is to a file. Returns CTL_OK, or CTL_FAILED after a message. */
int trace_record_read(struct trace_record *record, FILE *out);
/* No more events come; those that are there can be read. */
void trace_record_stop(struct trace_record *record);
/* Remove the instance, if there is one. */
void trace_record_end(struct trace_record *record);

#endif
