// SPDX-License-Identifier: MIT
/*
 * Lines of tracefs: "TASK-PID [CPU] FLAGS SECONDS: xetile_NAME: KEY=VALUE ...". A task's name holds
 * any bytes, also those of another line, but has columns of its own.
 */
#include "trace_fields.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TASK_COLUMNS	16

bool trace_fields_read(const char *line, struct trace_fields *fields)
{
	unsigned long seconds, micros;
	const char *task = line;
	int end = 0;

	if (strnlen(line, TASK_COLUMNS + 1) <= TASK_COLUMNS)
		return false;
	while (*task == ' ' && task < line + TASK_COLUMNS - 1)
		task++;
	snprintf(fields->task, sizeof(fields->task), "%.*s", (int)(line + TASK_COLUMNS - task), task);
	if (sscanf(line + TASK_COLUMNS, "-%*u [%*u] %*s %lu.%6lu: xetile_%23[a-z_]: %n", &seconds,
		   &micros, fields->name, &end) != 3 || !end)
		return false;
	fields->us = seconds * 1000000ull + micros;
	fields->fields = line + TASK_COLUMNS + end;
	return true;
}

/* The line ends there: a task's name may begin as it does. */
uint64_t trace_fields_lost(const char *line)
{
	uint64_t lost = 1;
	int end = 0;

	if (sscanf(line, "CPU:%*u [LOST %" SCNu64 " EVENTS]%n", &lost, &end) != 1)
		sscanf(line, "CPU:%*u [LOST EVENTS]%n", &end);
	return end && line[end + strspn(line + end, "\n")] == 0 ? lost : 0;
}

bool trace_fields_text(const struct trace_fields *fields, const char *key, char *out,
		       unsigned int size)
{
	const char *at = fields->fields;
	size_t length = strlen(key), value;

	while (at && (strncmp(at, key, length) || at[length] != '=')) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	if (!at)
		return false;
	at += length + 1;
	value = strcspn(at, " \n");
	if (value >= size)
		return false;
	memcpy(out, at, value);
	out[value] = 0;
	return true;
}

bool trace_fields_number(const struct trace_fields *fields, const char *key, int64_t *out)
{
	char text[32], *end;

	if (!trace_fields_text(fields, key, text, sizeof(text)))
		return false;
	errno = 0;
	*out = *text == '-' ? strtoll(text, &end, 0) : (int64_t)strtoull(text, &end, 0);
	return !errno && end != text && !*end;
}
