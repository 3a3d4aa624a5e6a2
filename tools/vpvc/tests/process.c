// SPDX-License-Identifier: MIT
/* The program as a process: start, surprise removal, idling, end. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/test.h"
#include "vfu_proto.h"

struct process {
	pid_t pid;
	char dir[32], sock[64], ctl[64], log[64];
};

static int connect_to(const char *path)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };

	strncpy(sa.sun_path, path, sizeof(sa.sun_path) - 1);
	/* Wait up to ten seconds for the card to listen. */
	for (unsigned int n = 0; n < 1000; n++) {
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (!connect(fd, (struct sockaddr *)&sa, sizeof(sa)))
			return fd;
		close(fd);
		usleep(10000);
	}
	return -1;
}

static bool start(struct process *p, const char *option, const char *value)
{
	char self[512];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 8);

	if (n <= 0)
		return false;
	self[n] = '\0';
	strcpy(strrchr(self, '/'), "/vpvc");
	strcpy(p->dir, "/tmp/vpvc-test-XXXXXX");
	if (!mkdtemp(p->dir))
		return false;
	snprintf(p->sock, sizeof(p->sock), "%s/card", p->dir);
	snprintf(p->ctl, sizeof(p->ctl), "%s/control", p->dir);
	snprintf(p->log, sizeof(p->log), "%s/log", p->dir);
	p->pid = fork();
	if (!p->pid) {
		/* The program's messages about refused options are not needed. */
		(void)!freopen("/dev/null", "w", stderr);
		execl(self, self, "--socket", p->sock, "--control", p->ctl, "--log", p->log, option,
		      value, NULL);
		_exit(127);
	}
	return p->pid > 0;
}

/* Wait for the end; the exit status, or -1 for a death by signal. */
static int finish(struct process *p)
{
	int status;

	waitpid(p->pid, &status, 0);
	unlink(p->sock);
	unlink(p->ctl);
	unlink(p->log);
	rmdir(p->dir);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool negotiate(int fd)
{
	static const char version[] = "\0\0\0\0{}";
	struct vfu_header h = { 1, VFU_VERSION, sizeof(h) + sizeof(version), 0, 0 };
	char buf[512];

	memcpy(buf, &h, sizeof(h));
	memcpy(buf + sizeof(h), version, sizeof(version));
	return send(fd, buf, h.size, MSG_NOSIGNAL) == (ssize_t)h.size &&
	       recv(fd, buf, sizeof(buf), 0) > (ssize_t)sizeof(h);
}

enum { BAR0 = 0, BAR2 = 2, CONFIG = 7 };

/* A dword of a region, or all ones for an error. */
static uint32_t read_region(int fd, uint32_t region, uint32_t off)
{
	struct {
		struct vfu_header h;
		struct vfu_region_access a;
		uint32_t data;
	} m = { { 2, VFU_REGION_READ, sizeof(m.h) + sizeof(m.a), 0, 0 }, { off, region, 4 }, ~0u };

	if (send(fd, &m, sizeof(m.h) + sizeof(m.a), MSG_NOSIGNAL) < 0 ||
	    recv(fd, &m.h, sizeof(m.h), MSG_WAITALL) <= 0 || m.h.size == sizeof(m.h) ||
	    recv(fd, &m.a, sizeof(m.a) + 4, MSG_WAITALL) <= 0)
		return ~0u;
	return m.data;
}

/* Is a read of that region answered with an error? */
static bool refuses(int fd, uint32_t region)
{
	struct {
		struct vfu_header h;
		struct vfu_region_access a;
	} m = { { 3, VFU_REGION_READ, sizeof(m), 0, 0 }, { 0, region, 4 } };

	return send(fd, &m, sizeof(m), MSG_NOSIGNAL) == sizeof(m) &&
	       recv(fd, &m.h, sizeof(m.h), MSG_WAITALL) == sizeof(m.h) &&
	       m.h.size == sizeof(m.h) && (m.h.flags & VFU_ERROR);
}

static bool control(int fd, const char *line, const char *part)
{
	char buf[4096];
	ssize_t n;

	if (send(fd, line, strlen(line), MSG_NOSIGNAL) < 0)
		return false;
	n = recv(fd, buf, sizeof(buf) - 1, 0);
	if (n <= 0)
		return false;
	buf[n] = '\0';
	return strstr(buf, part);
}

#define MTCFG	0x101800

TEST(process_surprise_removal_and_replug)
{
	struct process p;
	int fd, ctl;

	REQUIRE(start(&p, "--tiles", "2"));
	ctl = connect_to(p.ctl);
	fd = connect_to(p.sock);
	REQUIRE(ctl >= 0 && fd >= 0);
	for (unsigned int n = 0; n < 3; n++) {
		CHECK(negotiate(fd));
		CHECK_EQ(read_region(fd, BAR0, MTCFG), 0x100);
		CHECK_EQ(read_region(fd, CONFIG, 0), 0x0bd58086);
		CHECK(control(ctl, "inject unplug\n", "\"ok\":true"));
		/* gone: nothing answers, and the configuration's error is as good as that */
		CHECK_EQ(read_region(fd, BAR0, MTCFG), ~0u);
		CHECK_EQ(read_region(fd, BAR2, 0), ~0u);
		CHECK(refuses(fd, CONFIG));
		close(fd);
		fd = connect_to(p.sock);
		REQUIRE(fd >= 0);
	}
	CHECK(negotiate(fd));
	CHECK_EQ(read_region(fd, BAR0, MTCFG), 0x100);
	/* a guest that goes by itself ends the process */
	close(fd);
	close(ctl);
	CHECK_EQ(finish(&p), 0);
}

/* With --replug a card that is let go in order is there again, too. */
TEST(process_replug)
{
	struct process p;
	int fd;

	REQUIRE(start(&p, "--replug", NULL));
	for (unsigned int n = 0; n < 3; n++) {
		fd = connect_to(p.sock);
		REQUIRE(fd >= 0);
		CHECK(negotiate(fd));
		CHECK_EQ(read_region(fd, BAR0, MTCFG), 0);
		close(fd);
	}
	kill(p.pid, SIGTERM);
	CHECK_EQ(finish(&p), 0);
}

/* Clock ticks of processor time a process has used. */
static unsigned long ticks_of(pid_t pid)
{
	unsigned long user = 0, system = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return ~0ul;
	if (fscanf(f, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
		   &system) != 2)
		user = ~0ul;
	fclose(f);
	return user + system;
}

TEST(process_idles_without_work)
{
	struct process p;
	unsigned long before;
	int fd;

	REQUIRE(start(&p, "--tiles", "4"));
	fd = connect_to(p.sock);
	REQUIRE(fd >= 0);
	CHECK(negotiate(fd));
	before = ticks_of(p.pid);
	sleep(2);
	/* one tick is 10 ms: two seconds of sleep may round up to one */
	CHECK(ticks_of(p.pid) - before <= 1);
	kill(p.pid, SIGTERM);
	CHECK_EQ(finish(&p), 0);
	close(fd);
}

TEST(process_refuses)
{
	struct process p;

	REQUIRE(start(&p, "--tiles", "3"));
	CHECK_EQ(finish(&p), 2);
	REQUIRE(start(&p, "--inject", "hang,engine=tile1.ccs0,after=1"));
	CHECK_EQ(finish(&p), 1);
	REQUIRE(start(&p, "--inject", "all-ones"));
	kill(p.pid, SIGKILL);
	CHECK_EQ(finish(&p), -1);
}
