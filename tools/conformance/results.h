/* SPDX-License-Identifier: MIT */
/*
 * Files of results: each run has a line "CONFIG FILE KERNEL STATUS SIMD BYTES TEXT" and
 * then BYTES bytes: the kernel's buffers, one after the other, and the text it printed.
 */
#ifndef CTS_RESULTS_H
#define CTS_RESULTS_H

#include <stdint.h>
#include <stdio.h>

struct cts_result {
	struct cts_result *next;
	char config[16], file[96], kernel[64];
	char status[16];	/* ok, failed or refused */
	unsigned int simd;
	size_t bytes;
	char text[256];
	uint8_t *data;
};

int cts_result_write(FILE *f, const struct cts_result *r);
/* Read all results of a file, in order; NULL, with a text on stderr, on failure. */
struct cts_result *cts_results_read(const char *path);
void cts_results_free(struct cts_result *list);
/* The last result for that kernel; @config NULL: any. */
const struct cts_result *cts_results_find(const struct cts_result *list,
					  const char *config, const char *file,
					  const char *kernel);

#endif
