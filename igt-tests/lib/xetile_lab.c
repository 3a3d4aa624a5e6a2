// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "xetile_lab.h"

#define CARD_PORT	"/dev/virtio-ports/vpvc.0"

void lab_require_card(void)
{
	igt_require_f(!access(CARD_PORT, F_OK), "the card is none that fails on request\n");
}

static char *vask(const char *fmt, va_list ap)
{
	char *line = NULL, *command = NULL, *answer = NULL;
	size_t size = 0;
	FILE *f;

	igt_assert_lte(0, vasprintf(&line, fmt, ap));
	igt_assert_lte(0, asprintf(&command, "vpvcctl 0 '%s'", line));
	f = popen(command, "r");
	igt_assert(f);
	igt_assert_lt(0, getline(&answer, &size, f));
	igt_assert_eq(pclose(f), 0);
	igt_assert_f(!strstr(answer, "\"error\""), "%s: %s", line, answer);
	free(command);
	free(line);
	return answer;
}

char *lab_ask(const char *fmt, ...)
{
	va_list ap;
	char *answer;

	va_start(ap, fmt);
	answer = vask(fmt, ap);
	va_end(ap);
	return answer;
}

void lab_inject(const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	free(lab_ask("inject %s", text));
}

void lab_heal(void)
{
	lab_inject("clear");
}

uint64_t lab_number(const char *answer, const char *key)
{
	char quoted[64];
	const char *at;

	snprintf(quoted, sizeof(quoted), "\"%s\":", key);
	at = strstr(answer, quoted);
	igt_assert_f(at, "no \"%s\" in %s", key, answer);
	return strtoull(at + strlen(quoted), NULL, 10);
}

uint64_t lab_injected(void)
{
	char *answer = lab_ask("counters");
	uint64_t n = lab_number(answer, "injected");

	free(answer);
	return n;
}

int lab_log_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	igt_assert_lte(0, fd);
	igt_assert_lte(0, (int)lseek(fd, 0, SEEK_END));
	return fd;
}

void lab_log_close(int log, const char *text)
{
	char line[1024];
	bool found = false;
	ssize_t n;

	while ((n = read(log, line, sizeof(line) - 1)) > 0) {
		line[n] = 0;
		found |= strstr(line, "xetile") && strstr(line, text);
	}
	close(log);
	igt_assert_f(found, "the log does not say \"%s\"\n", text);
}

void lab_plug(bool in)
{
	igt_assert_eq(system(in ? "plug in 0" : "plug out 0"), 0);
}
