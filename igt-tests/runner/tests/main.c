// SPDX-License-Identifier: MIT
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

const char *test_folder;
bool test_bad;
bool test_kill_fails;
ssize_t (*test_read)(int fd, void *buf, size_t len);

int __real_kill(pid_t pid, int sig);
int __wrap_kill(pid_t pid, int sig);
int __real_usleep(useconds_t us);
int __wrap_usleep(useconds_t us);
ssize_t __real_read(int fd, void *buf, size_t len);
ssize_t __wrap_read(int fd, void *buf, size_t len);

int __wrap_kill(pid_t pid, int sig)
{
	return test_kill_fails ? 0 : __real_kill(pid, sig);
}

/* The runner sleeps while it waits for a process to end; here that takes no time. */
int __wrap_usleep(useconds_t us)
{
	return test_kill_fails ? 0 : __real_usleep(us);
}

ssize_t __wrap_read(int fd, void *buf, size_t len)
{
	return test_read ? test_read(fd, buf, len) : __real_read(fd, buf, len);
}

static char work[] = "/tmp/runner-test.XXXXXX";
static unsigned int passed, failed;

static void run(char *command)
{
	if (system(command))
		die("%s", command);
	free(command);
}

static void empty(void)
{
	run(format("rm -rf %s && mkdir -p %s/out/logs", work, work));
}

/*
 * A test that hangs ends with its guest. Here it has become a child of this process, which ends
 * it with the test that started it.
 */
static void end_left(void)
{
	char *path = format("/proc/%d/task/%d/children", getpid(), getpid());
	char *s = file_read(path), *rest = s, *one;

	while (s && (one = strsep(&rest, " "))) {
		if (atoi(one) > 1)
			kill(-atoi(one), SIGKILL);
	}
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	free(s);
	free(path);
}

void run_test(const char *name, void (*test)(void))
{
	empty();
	test_bad = false;
	test();
	end_left();
	printf("%s %s\n", test_bad ? "FAIL" : "ok  ", name);
	fflush(stdout);
	*(test_bad ? &failed : &passed) += 1;
}

void check_text(const char *file, int line, const char *text, const char *want)
{
	if (text && !strcmp(text, want))
		return;
	printf("  %s:%d: '%s' instead of '%s'\n", file, line, text ? text : "(none)",
	       want);
	test_bad = true;
}

void check_part(const char *file, int line, const char *text, const char *part, bool holds)
{
	if (!strstr(text, part) == !holds)
		return;
	printf("  %s:%d: '%s' %s in '%s'\n", file, line, part, holds ? "is not" : "is", text);
	test_bad = true;
}

char *own(const char *name)
{
	return format("%s/%s", work, name);
}

static pid_t start(int (*verb)(int argc, char **argv), va_list words)
{
	char *argv[64] = { NULL }, *path = own("said");
	int argc = 0, ended;
	pid_t pid;

	while ((argv[argc] = va_arg(words, char *)))
		argc++;
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (!pid) {
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

		prctl(PR_SET_PDEATHSIG, SIGTERM);
		/* A shell has its background jobs ignore this signal. */
		signal(SIGINT, SIG_DFL);
		dup2(fd, 1);
		dup2(fd, 2);
		ended = verb(argc, argv);
		fflush(NULL);
		_exit(ended);
	}
	free(path);
	return pid;
}

pid_t start_verb(int (*verb)(int argc, char **argv), ...)
{
	va_list words;
	pid_t pid;

	va_start(words, verb);
	pid = start(verb, words);
	va_end(words);
	return pid;
}

/* The verb has a process of its own, because a signal may end it. */
char *said_by(int (*verb)(int argc, char **argv), int *status, ...)
{
	char *path = own("said"), *said;
	va_list words;
	pid_t pid;
	int ended;

	va_start(words, status);
	pid = start(verb, words);
	va_end(words);
	waitpid(pid, &ended, 0);
	if (status)
		*status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
	said = file_read(path);
	free(path);
	return said ? said : copy("");
}

bool group_ends(pid_t group)
{
	for (unsigned int tries = 0; tries < 100; tries++) {
		/* Those whose parents have ended are children of this process. */
		while (waitpid(-group, NULL, WNOHANG) > 0)
			;
		if (kill(-group, 0))
			return true;
		usleep(50000);
	}
	return false;
}

int awaited_number(const char *path)
{
	int number = 0;

	for (unsigned int tries = 0; !number && tries < 100; tries++) {
		char *s = file_read(path);

		if (s && strchr(s, '\n'))
			number = atoi(s);
		free(s);
		usleep(50000);
	}
	return number;
}

int main(int argc, char **argv)
{
	if (argc != 2 || !mkdtemp(work))
		die("usage: runner-tests FOLDER");
	test_folder = realpath(argv[1], NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	tests_pure();
	tests_judge();
	tests_suite();
	tests_guest();
	run(format("rm -rf %s", work));
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}
