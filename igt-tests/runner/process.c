// SPDX-License-Identifier: MIT
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

static void become(const char *root, char *const argv[], int output)
{
	int null = open("/dev/null", O_RDONLY);

	setsid();
	if (null >= 0)
		dup2(null, 0);
	dup2(output, 1);
	dup2(output, 2);
	if (root && (chroot(root) || chdir("/")))
		_exit(126);
	execv(argv[0], argv);
	dprintf(2, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

void process_start(struct process *p, const char *root, char *const argv[])
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		die("pipe: %s", strerror(errno));
	fflush(NULL);
	p->pid = fork();
	if (p->pid < 0)
		die("fork: %s", strerror(errno));
	if (!p->pid)
		become(root, argv, ends[1]);
	close(ends[1]);
	p->output = ends[0];
}

bool process_read(struct process *p, double look, void (*piece)(void *ctx, const char *s, size_t n),
		  bool (*enough)(void *ctx, bool heard), void *ctx)
{
	struct pollfd fd = { .fd = p->output, .events = POLLIN };
	double next = now() + look;
	bool ended = false, silent = false, heard = false;
	char s[65536];

	for (;;) {
		double rest = next - now();
		int ready = poll(&fd, 1, rest > 0 ? (int)(rest * 1000) + 1 : 0);

		if (ready > 0 && silent) {
			ended = true;
			break;
		}
		if (ready > 0) {
			ssize_t n = read(p->output, s, sizeof(s));

			if (n > 0) {
				heard = true;
				piece(ctx, s, n);
			} else {
				/* It may close its outputs long before its end. */
				close(p->output);
				silent = true;
				fd.fd = pidfd_open(p->pid, 0);
				if (fd.fd < 0)
					die("pidfd_open: %s", strerror(errno));
			}
		}
		if (now() < next)
			continue;
		if (enough(ctx, heard))
			break;
		heard = false;
		next = now() + look;
	}
	close(fd.fd);
	return ended;
}

static int as_shell(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int process_wait(struct process *p)
{
	int status;

	while (waitpid(p->pid, &status, 0) < 0) {
		if (errno != EINTR)
			return 127;
	}
	return as_shell(status);
}

bool process_end(struct process *p)
{
	int status;

	kill(-p->pid, SIGTERM);
	for (unsigned int tries = 0; tries < 100; tries++) {
		if (waitpid(p->pid, &status, WNOHANG) == p->pid) {
			kill(-p->pid, SIGKILL);
			return true;
		}
		if (tries == 10)
			kill(-p->pid, SIGKILL);
		usleep(100000);
	}
	return false;
}

/* The session of process @pid, or -1. */
static pid_t session_of(const char *pid)
{
	char *path = format("/proc/%s/stat", pid), *s = file_read(path), *end;
	int session = -1;

	/* The name is in brackets and may hold anything. */
	end = s ? strrchr(s, ')') : NULL;
	if (!end || sscanf(end, ") %*c %*d %*d %d", &session) != 1)
		session = -1;
	free(s);
	free(path);
	return session;
}

static void threads_where(const char *pid, struct text *to)
{
	char *folder = format("/proc/%s/task", pid);
	struct dirent *e;
	DIR *d = opendir(folder);

	while (d && (e = readdir(d))) {
		char *path, *s, *line, *rest;

		if (e->d_name[0] == '.')
			continue;
		path = format("%s/%s/stack", folder, e->d_name);
		s = file_read(path);
		rest = s;
		for (int n = 0; s && n < 4 && (line = strsep(&rest, "\n")) && *line; n++)
			text_addf(to, "%s:%s\n", path, line);
		free(s);
		free(path);
	}
	if (d)
		closedir(d);
	free(folder);
}

void process_where(const struct process *p, struct text *to)
{
	struct dirent *e;
	DIR *d = opendir("/proc");

	while (d && (e = readdir(d))) {
		if (e->d_name[0] >= '0' && e->d_name[0] <= '9' && session_of(e->d_name) == p->pid)
			threads_where(e->d_name, to);
	}
	if (d)
		closedir(d);
}
