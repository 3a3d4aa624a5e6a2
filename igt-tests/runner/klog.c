// SPDX-License-Identifier: MIT
#include "klog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int klog_open(const char *path)
{
	int log = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (log < 0)
		die("%s: %s", path, strerror(errno));
	lseek(log, 0, SEEK_END);
	return log;
}

void klog_read(int log, klog_line line, void *ctx)
{
	char record[16384];
	ssize_t n;

	if (log < 0)
		return;
	for (;;) {
		n = read(log, record, sizeof(record) - 1);
		if (n > 0) {
			record[n] = 0;
			klog_record(record, line, ctx);
		} else if (n < 0 && errno == EPIPE) {
			line(ctx, 4, KLOG_LOST);
		} else if (n >= 0 || errno != EINTR) {
			return;
		}
	}
}

/* The kernel writes an unprintable character as \xNN. */
static char unescaped(const char **s)
{
	const char *p = *s;
	char digits[3] = { 0 };

	if (p[0] != '\\' || p[1] != 'x' || !p[2] || !p[3]) {
		(*s)++;
		return *p;
	}
	digits[0] = p[2];
	digits[1] = p[3];
	*s += 4;
	return strtoul(digits, NULL, 16);
}

void klog_record(const char *record, klog_line line, void *ctx)
{
	struct text t = { 0 };
	char c;

	while (*record) {
		/* "LEVEL,NUMBER,MICROSECONDS,FLAGS;TEXT\n KEY=VALUE\n" */
		unsigned int level = strtoul(record, NULL, 10) & 7;
		const char *s = strchr(record, ';'), *number = strchr(record, ',');
		unsigned long long us;

		if (!s++)
			break;
		number = number ? strchr(number + 1, ',') : NULL;
		us = number ? strtoull(number + 1, NULL, 10) : 0;
		do {
			text_clear(&t);
			text_addf(&t, "[%5llu.%06llu] ", us / 1000000, us % 1000000);
			while (*s && *s != '\n' && (c = unescaped(&s)) != '\n')
				text_add(&t, &c, 1);
			line(ctx, level, t.s);
		} while (*s && *s != '\n');
		do {
			s += strcspn(s, "\n");
			s += *s == '\n';
		} while (*s == ' ');
		record = s;
	}
	text_free(&t);
}

const char *klog_begins(const char *line, const char *test)
{
	static const char begins[] = ": starting subtest ";
	const char *s = strstr(line, "[IGT] ");
	size_t len = strlen(test);

	if (!s)
		return NULL;
	s += strlen("[IGT] ");
	if (strncmp(s, test, len) || strncmp(s + len, begins, strlen(begins)))
		return NULL;
	return s + len + strlen(begins);
}
