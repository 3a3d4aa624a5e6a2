/* SPDX-License-Identifier: MIT */
/*
 * The driver's trace events as a file for viewers of Chrome's trace event format, such as Perfetto.
 * Pure: lines of a trace are read, and JSON is written to a stream.
 */
#ifndef _XETILECTL_TRACE_H_
#define _XETILECTL_TRACE_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What was read */
struct trace_counts {
	uint64_t events;	/* of the driver */
	uint64_t lost;		/* that the kernel had no room for */
	uint64_t unknown;	/* lines that are no event of the driver, as it is known here */
	uint64_t early;		/* events of work that began before the trace */
	uint64_t turns;		/* of queues on engines */
	uint64_t jobs;		/* that ended */
	uint64_t failed;	/* of them, with an error */
	uint64_t first_us, last_us;
};

struct trace;

/* Begin a file. Returns NULL without memory. */
struct trace *trace_begin(FILE *out);
/* Read a line of tracefs' trace_pipe. Returns false without memory. */
bool trace_line(struct trace *trace, const char *line);
/* End the file, with what has not ended in the trace, and forget the trace. */
void trace_end(struct trace *trace, struct trace_counts *counts);

#endif
