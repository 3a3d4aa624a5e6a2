// SPDX-License-Identifier: MIT
/*
 * Converts lines of a trace from standard input, and tells the counts on standard error.
 */
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

#include "trace.h"

int main(void)
{
	struct trace_counts c;
	struct trace *trace = trace_begin(stdout);
	char *line = NULL;
	size_t size = 0;

	while (trace && getline(&line, &size, stdin) > 0) {
		if (!trace_line(trace, line))
			errx(1, "out of memory");
	}
	free(line);
	if (!trace)
		errx(1, "out of memory");
	trace_end(trace, &c);
	fprintf(stderr, "events %" PRIu64 " lost %" PRIu64 " unknown %" PRIu64 " early %" PRIu64
		" turns %" PRIu64 " jobs %" PRIu64 " failed %" PRIu64 "\n", c.events, c.lost, c.unknown,
		c.early, c.turns, c.jobs, c.failed);
	return 0;
}
