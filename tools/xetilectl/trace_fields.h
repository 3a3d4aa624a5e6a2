/* SPDX-License-Identifier: MIT */
/*
 * A line of tracefs, in parts. Pure.
 */
#ifndef _XETILECTL_TRACE_FIELDS_H_
#define _XETILECTL_TRACE_FIELDS_H_

#include <stdbool.h>
#include <stdint.h>

struct trace_fields {
	char task[17];		/* of the thread in which it happened, without its blanks */
	uint64_t us;
	char name[24];		/* "start", of "xetile_start" */
	const char *fields;	/* "card=... context=..." */
};

/* Divide a line. Returns false if it is no event of the driver. */
bool trace_fields_read(const char *line, struct trace_fields *fields);
/* "CPU:1 [LOST 17 EVENTS]": returns the number, 1 if it is not told how many, or 0. */
uint64_t trace_fields_lost(const char *line);

/* The value of a field, up to a blank. Returns false if it is not there, or too long. */
bool trace_fields_text(const struct trace_fields *fields, const char *key, char *out,
		       unsigned int size);
/* A whole number, which may be negative or hexadecimal */
bool trace_fields_number(const struct trace_fields *fields, const char *key, int64_t *out);

#endif
