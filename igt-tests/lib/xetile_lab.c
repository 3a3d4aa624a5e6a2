// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "xetile_lab.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/netlink.h>

static void port_path(char *path, size_t size)
{
	snprintf(path, size, "/dev/virtio-ports/vpvc.%u", xetile_card_number());
}

void lab_require_card(void)
{
	char port[64];

	port_path(port, sizeof(port));
	igt_require_f(!access(port, F_OK), "the card takes no orders to fail\n");
}

/*
 * Sends a line as tools/lab/vpvcctl does, and takes the same lock, because a port can be open only
 * once. The tests do not run that script, because a shell and its programs take seconds on a kernel
 * that checks itself.
 */
static char *converse(const char *line)
{
	char path[64], *answer = NULL;
	size_t size = 0, len = strlen(line);
	struct pollfd pfd = { .events = POLLIN };
	int lock;
	FILE *f;

	snprintf(path, sizeof(path), "/run/vpvcctl.%u.lock", xetile_card_number());
	lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	igt_assert_f(lock >= 0, "%s: %m\n", path);
	igt_assert_eq(flock(lock, LOCK_EX), 0);
	port_path(path, sizeof(path));
	pfd.fd = open(path, O_RDWR | O_CLOEXEC);
	igt_assert_f(pfd.fd >= 0, "%s: %m\n", path);
	igt_assert_eq(write(pfd.fd, line, len), (ssize_t)len);
	igt_assert_f(poll(&pfd, 1, 10000) == 1, "no answer to %s", line);
	f = fdopen(pfd.fd, "r");
	igt_assert(f);
	igt_assert_lt(0, getline(&answer, &size, f));
	fclose(f);
	close(lock);
	return answer;
}

static char *vask(const char *fmt, va_list ap)
{
	char *line = NULL, *command = NULL, *answer;

	igt_assert_lte(0, vasprintf(&line, fmt, ap));
	igt_assert_lte(0, asprintf(&command, "%s\n", line));
	answer = converse(command);
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

void lab_recover(const char *address)
{
	char path[128];

	lab_heal();
	/*
	 * The kernel refuses this when the card is bound. When a child of the subtest before binds
	 * it, the kernel answers after that.
	 */
	xetile_write_driver("bind", address);
	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/xetile/%s", address);
	igt_assert_f(!access(path, F_OK), "the card cannot be bound again: %s: %m\n", path);
}

int lab_open(void)
{
	igt_assert(!geteuid());
	lab_require_card();
	lab_heal();
	return xetile_open();
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

uint64_t lab_counter(const char *engine, const char *name)
{
	char *answer = lab_ask("counters"), *at, key[32];
	unsigned int tile;
	uint64_t n;

	igt_assert_eq(sscanf(engine, "tile%u.", &tile), 1);
	snprintf(key, sizeof(key), "{\"tile\":%u,", tile);
	at = strstr(answer, key);
	igt_assert(at);
	snprintf(key, sizeof(key), "\"name\":\"%s\"", strchr(engine, '.') + 1);
	at = strstr(at, key);
	igt_assert(at);
	n = lab_number(at, name);
	free(answer);
	return n;
}

unsigned int lab_engines(const char *state)
{
	char key[32], *answer = lab_ask("counters");
	unsigned int n = 0;

	snprintf(key, sizeof(key), "\"state\":\"%s\"", state);
	for (const char *at = answer; (at = strstr(at, key)); at++)
		n++;
	free(answer);
	return n;
}

/* The first number behind @key in an answer that is not needed any more */
static uint64_t take_number(char *answer, const char *key)
{
	uint64_t n = lab_number(answer, key);

	free(answer);
	return n;
}

uint64_t lab_injected(void)
{
	return take_number(lab_ask("counters"), "injected");
}

uint64_t lab_messages(void)
{
	return take_number(lab_ask("counters"), "msis");
}

uint32_t lab_peek(unsigned int tile, uint32_t offset)
{
	return take_number(lab_ask("peek %u 0x%x", tile, offset), "value");
}

uint32_t lab_peek_dss(unsigned int tile, uint32_t offset, unsigned int dss)
{
	return take_number(lab_ask("peek %u 0x%x %u", tile, offset, dss), "value");
}

/* As large as the kernel's largest record */
#define LINE_SIZE	8192
/* The driver tells of 20 batches that fail in so many seconds, and passes over the rest. */
#define REPORTS_US	5000000ull
/* So many of them leave room for those of a test. */
#define REPORTS_BEFORE	8u

/* Waits until there is room in the driver's limit, which tests before may have used up. */
static void wait_for_reports(void)
{
	unsigned long long times[REPORTS_BEFORE] = { 0 }, last = 0;
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char line[LINE_SIZE];
	unsigned int n = 0;
	ssize_t got;

	igt_assert_lte(0, log);
	while ((got = read(log, line, sizeof(line) - 1)) > 0 || errno == EPIPE) {
		line[got > 0 ? got : 0] = '\0';
		sscanf(line, "%*u,%*u,%llu", &last);
		if (strstr(line, ": batch ") || strstr(line, ": batches "))
			times[n++ % REPORTS_BEFORE] = last;
		errno = 0;
	}
	close(log);
	if (n >= REPORTS_BEFORE && last - times[n % REPORTS_BEFORE] < REPORTS_US)
		usleep(REPORTS_US - (last - times[n % REPORTS_BEFORE]));
}

int lab_log_open(void)
{
	int fd;

	wait_for_reports();
	fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	igt_assert_lte(0, fd);
	igt_assert_lte(0, (int)lseek(fd, 0, SEEK_END));
	return fd;
}

/*
 * Reads a record as a string; returns false when there is none. That some were overwritten before
 * they could be read is an error, because a log without them proves nothing.
 */
static bool read_line(int log, char *line)
{
	ssize_t n = read(log, line, LINE_SIZE - 1);

	igt_assert_f(n > 0 || (n < 0 && errno == EAGAIN), "the kernel's log: %m\n");
	line[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/*
 * Returns whether the driver has logged @text since the last call; with NULL asserts that the
 * driver has logged nothing.
 */
static bool log_says(int log, const char *text)
{
	char line[LINE_SIZE];
	bool found = false;

	while (read_line(log, line)) {
		if (!strstr(line, "xetile"))
			continue;
		igt_assert_f(text, "the log says: %s\n", line);
		found |= !!strstr(line, text);
	}
	return found;
}

void lab_log_close(int log, const char *text)
{
	/* A worker may log this after the fences of the jobs that it stopped have signalled. */
	if (text)
		xetile_assert_soon(log_says(log, text));
	else
		log_says(log, NULL);
	close(log);
}

void lab_log_close_fault(int log, uint64_t addr)
{
	char at[64];

	snprintf(at, sizeof(at), "page fault at %#llx, write", (unsigned long long)addr);
	lab_log_close(log, at);
}

bool lab_log_says(int log, const char *text)
{
	char line[LINE_SIZE];
	bool found = false;

	while (!found && read_line(log, line))
		found = strstr(line, text);
	return found;
}

void lab_log_no_error(int log)
{
	char line[LINE_SIZE];

	while (read_line(log, line)) {
		/* A record begins with its facility and, in the lowest three bits, its level. */
		igt_assert_f(!strstr(line, "xetile") || (atoi(line) & 7) > 3,
			     "the log says: %s\n", line);
	}
	close(log);
}

unsigned int lab_log_errors(int log, unsigned long long *us)
{
	unsigned long long first = 0, at = 0;
	unsigned int lines = 0, level;
	char line[LINE_SIZE];

	while (read_line(log, line)) {
		if (!strstr(line, "xetile") ||
		    sscanf(line, "%u,%*u,%llu", &level, &at) != 2 || (level & 7) > 3)
			continue;
		if (!lines++)
			first = at;
	}
	close(log);
	*us = at - first;
	return lines;
}

int lab_events_open(void)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int s = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
		       NETLINK_KOBJECT_UEVENT);

	igt_assert_lte(0, s);
	igt_assert_eq(bind(s, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return s;
}

bool lab_event_says(int events, const char *text)
{
	char buf[4096];
	ssize_t n;

	while ((n = recv(events, buf, sizeof(buf) - 1, 0)) > 0) {
		buf[n] = 0;
		/* The event is a sequence of strings. */
		for (char *at = buf; at < buf + n; at += strlen(at) + 1)
			if (!strcmp(at, text))
				return true;
	}
	return false;
}

static void plug(const char *verb)
{
	char command[32];

	snprintf(command, sizeof(command), "plug %s %u", verb, xetile_card_number());
	igt_assert_eq(system(command), 0);
}

void lab_plug(bool in)
{
	plug(in ? "in" : "out");
}

void lab_plug_press(void)
{
	plug("press");
}

void lab_link_error(bool fatal)
{
	plug(fatal ? "fatal" : "nonfatal");
}
