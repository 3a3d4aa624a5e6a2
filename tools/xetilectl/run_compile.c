// SPDX-License-Identifier: MIT
/*
 * xetilectl run: compiles source code with ocloc, the offline compiler of Intel's runtime, where
 * there is one. The compiler writes into a folder of its own, of which nothing is left.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl.h"
#include "run.h"

extern char **environ;

bool run_is_source(const char *path)
{
	size_t length = strlen(path);

	return length > 3 && !strcmp(path + length - 3, ".cl");
}

/* The compiler's messages go to @log. Returns its exit status, or -errno when it is not there. */
static int call_ocloc(const char *file, const char *options, const char *folder, const char *log)
{
	char *argv[] = {
		"ocloc", "compile", "-file", (char *)file, "-device", "pvc", "--format", "zebin",
		"-out_dir", (char *)folder, "-output", "k", "-output_no_suffix", "-options",
		(char *)options, NULL,
	};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int status, err;
	sigset_t none;
	pid_t pid;

	/* A signal that waits here, see run_compile(), ends the compiler at once. */
	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC,
					 0600);
	posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	err = posix_spawnp(&pid, argv[0], &actions, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	if (err)
		return -err;
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static void show_log(const char *log)
{
	FILE *file = fopen(log, "re");
	int c;

	while (file && (c = getc(file)) != EOF)
		putc(c, stderr);
	if (file)
		fclose(file);
}

static int no_compiler(const char *file, int err)
{
	if (err != -ENOENT) {
		fprintf(stderr, "xetilectl: cannot start ocloc: %s\n", strerror(-err));
		return CTL_FAILED;
	}
	fprintf(stderr, "xetilectl: %s is source code, and there is no ocloc, which compiles it\n"
		"  remedy: Debian 12: apt install intel-opencl-icd; Debian forky: intel-ocloc;\n"
		"          others: the package intel-ocloc of github.com/intel/compute-runtime\n",
		file);
	return CTL_FAILED;
}

/* Compile into a folder, and load what is there then. */
static int compile(struct run *run, const char *folder)
{
	static const char * const names[] = { "k.bin", "k" };
	char *options, path[PATH_MAX + 16];
	const char *slash = strrchr(run->file, '/'), *beside = slash ? run->file : ".";
	int status, length = slash ? (int)(slash - run->file) + 1 : 1;
	unsigned int i;

	/* Names of arguments, and headers beside the file: blanks would part the folder's name. */
	if (asprintf(&options, "-cl-kernel-arg-info %s%.*s %s",
		     (int)strcspn(beside, " \t") < length ? "" : "-I",
		     (int)strcspn(beside, " \t") < length ? 0 : length, beside,
		     run->options ? run->options : "") < 0) {
		fputs("xetilectl: out of memory\n", stderr);
		return CTL_FAILED;
	}
	snprintf(path, sizeof(path), "%s/log", folder);
	status = call_ocloc(run->file, options, folder, path);
	free(options);
	if (status < 0)
		return no_compiler(run->file, status);
	if (status) {
		show_log(path);
		fprintf(stderr, "xetilectl: %s: ocloc cannot compile it\n", run->file);
		return CTL_FAILED;
	}
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		if (!access(path, R_OK))
			return xetile_module_load_file(run->context, path, &run->module) ?
			       ctl_failed(run->file) : CTL_OK;
	}
	fprintf(stderr, "xetilectl: %s: ocloc has written nothing\n", run->file);
	return CTL_FAILED;
}

/* The compiler makes files, and no folders. */
static void remove_all(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(folder);
}

int run_compile(struct run *run)
{
	const char *tmp = getenv("TMPDIR");
	char folder[PATH_MAX];
	sigset_t ends, before;
	int ret;

	if (access(run->file, R_OK)) {
		fprintf(stderr, "xetilectl: %s: %s\n", run->file, strerror(errno));
		return CTL_FAILED;
	}
	/* What ends the program waits until the folder is gone; the caller may ignore SIGCHLD. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGHUP);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, &before);
	signal(SIGCHLD, SIG_DFL);
	snprintf(folder, sizeof(folder), "%s/xetilectl.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(folder)) {
		fprintf(stderr, "xetilectl: %s: %s\n", folder, strerror(errno));
		ret = CTL_FAILED;
	} else {
		ret = compile(run, folder);
		remove_all(folder);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret;
}
