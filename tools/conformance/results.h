/* SPDX-License-Identifier: MIT */
/*
 * Files of results: a line "CONFIG FILE KERNEL STATUS SIMD BYTES TEXT" for each
 * run, followed by so many bytes: the kernel's buffers, one after the other, and
 * then what it printed.
 */
#ifndef CTS_RESULTS_H
#define CTS_RESULTS_H

#include <stdint.h>
#include <stdio.h>

struct cts_result {
	struct cts_result *next;
	char config[16], file[96], kernel[64];
	char status[16];	/* ok, or what it came to */
	unsigned int simd;
	size_t bytes;
	char text[256];
	uint8_t *data;
};

int cts_result_write(FILE *f, const struct cts_result *r);
/* All of a file, in order; NULL and a text on stderr when it cannot be read. */
struct cts_result *cts_results_read(const char *path);
void cts_results_free(struct cts_result *list);
/* The last one for that kernel; @config NULL: any. */
const struct cts_result *cts_results_find(const struct cts_result *list,
					  const char *config, const char *file,
					  const char *kernel);

#endif
