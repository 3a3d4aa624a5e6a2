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

/* A process that the runner ends when it is told to end itself, with its group or alone. */
struct charge {
	pid_t pid;
	bool group;
};

/* The signal handler reads this table, so it changes only while these signals are blocked. */
static struct charge charges[PROCESS_MAX];
static unsigned int num_charges;
static const int ending[] = { SIGINT, SIGTERM, SIGHUP };

#define NUM_ENDING	(sizeof(ending) / sizeof(ending[0]))

static void signal_charges(bool group, int sig)
{
	for (unsigned int i = 0; i < num_charges; i++) {
		if (charges[i].group != group)
			continue;
		/* A process that has just been forked may have no group yet. */
		if (!group || kill(-charges[i].pid, sig))
			kill(charges[i].pid, sig);
	}
}

/* Reaps those that have ended. Return: whether any is left. */
static bool reap_charges(void)
{
	bool left = false;

	for (unsigned int i = 0; i < num_charges; i++)
		left = !waitpid(charges[i].pid, NULL, WNOHANG) || left;
	return left;
}

/*
 * Tests are in sessions of their own, so a signal from a terminal does not reach them. The
 * runner has them end, waits for that, and ends by the signal that it was sent.
 */
static void end_charges(int sig)
{
	signal_charges(true, SIGTERM);
	signal_charges(false, SIGTERM);
	for (unsigned int tries = 0; reap_charges() && tries < 60; tries++) {
		if (tries == 10)
			signal_charges(true, SIGKILL);
		/* Later, because such a process is a runner that ends a group in the same way. */
		if (tries == 50)
			signal_charges(false, SIGKILL);
		poll(NULL, 0, 100);
	}
	/* The children of a test that has ended are still in its group. */
	for (unsigned int i = 0; i < num_charges; i++) {
		if (charges[i].group)
			kill(-charges[i].pid, SIGKILL);
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Return: the signals that were blocked before. */
static sigset_t hold_signals(void)
{
	sigset_t set, before;

	sigemptyset(&set);
	for (unsigned int i = 0; i < NUM_ENDING; i++)
		sigaddset(&set, ending[i]);
	sigprocmask(SIG_BLOCK, &set, &before);
	return before;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = end_charges, .sa_flags = SA_RESTART };
	struct sigaction before;
	static bool caught;

	if (caught)
		return;
	caught = true;
	for (unsigned int i = 0; i < NUM_ENDING; i++)
		sigaddset(&action.sa_mask, ending[i]);
	for (unsigned int i = 0; i < NUM_ENDING; i++) {
		/* A shell has its background jobs ignore a terminal's signals. */
		if (!sigaction(ending[i], NULL, &before) && before.sa_handler != SIG_IGN)
			sigaction(ending[i], &action, NULL);
	}
}

pid_t process_fork(bool group)
{
	sigset_t before = hold_signals();
	pid_t pid;

	catch_signals();
	if (num_charges == sizeof(charges) / sizeof(charges[0]))
		die("too many processes at once");
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (pid) {
		charges[num_charges++] = (struct charge) { pid, group };
	} else {
		num_charges = 0;
		if (group)
			setsid();
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

void process_gone(pid_t pid)
{
	sigset_t before = hold_signals();

	for (unsigned int i = 0; i < num_charges; i++) {
		if (charges[i].pid == pid)
			charges[i] = charges[--num_charges];
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void become(const char *root, char *const argv[], int output)
{
	int null = open("/dev/null", O_RDONLY);

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
	p->pid = process_fork(true);
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
				/* A process may close its outputs long before its end. */
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
	process_gone(p->pid);
	return as_shell(status);
}

bool process_end(struct process *p)
{
	int status;

	kill(-p->pid, SIGTERM);
	for (unsigned int tries = 0; tries < 100; tries++) {
		if (waitpid(p->pid, &status, WNOHANG) == p->pid) {
			/* Its children may not have heeded the first signal. */
			kill(-p->pid, SIGKILL);
			process_gone(p->pid);
			return true;
		}
		if (tries == 10)
			kill(-p->pid, SIGKILL);
		usleep(100000);
	}
	return false;
}

/* Returns the session of process @pid, or -1. */
static pid_t session_of(const char *pid)
{
	char *path = format("/proc/%s/stat", pid), *s = file_read(path), *end;
	int session = -1;

	/* The process's name is in brackets and may hold any character. */
	end = s ? strrchr(s, ')') : NULL;
	if (!end || sscanf(end, ") %*c %*d %*d %d", &session) != 1)
		session = -1;
	free(s);
	free(path);
	return session;
}

/* A line for each thread of process @pid: its name and state, and its stack if one is told. */
static void threads_where(const char *pid, struct text *to)
{
	char *folder = format("/proc/%s/task", pid);
	struct dirent *e;
	DIR *d = opendir(folder);

	while (d && (e = readdir(d))) {
		char *path, *s, *line, *rest;

		if (e->d_name[0] == '.')
			continue;
		path = format("%s/%s/stat", folder, e->d_name);
		s = file_read(path);
		rest = s ? strrchr(s, ')') : NULL;
		/* "PID (NAME) STATE ..." */
		if (rest)
			text_addf(to, "%s/%s: %.*s\n", folder, e->d_name,
				  (int)(rest - strchr(s, '(')) + 3, strchr(s, '('));
		free(s);
		free(path);
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
