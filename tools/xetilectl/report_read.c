// SPDX-License-Identifier: MIT
/*
 * A command that fails has its message in the report, and does no harm to the other sections.
 */
#include "report_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl.h"

#define MOST	(1u << 20)
#define CUT	"\n[cut here: this is more than 1 MiB]\n"
#define SELF	"/proc/self/exe"
#define MODULE	"/sys/module/xetile/"

/*
 * Read to the end; what is too much is read, too, so that a writer ends, and *@is_cut. A 0 ends the
 * text.
 */
static char *read_all(int fd, bool *is_cut)
{
	char *text = malloc(MOST + sizeof(CUT)), rest[4096];
	size_t size = 0;
	ssize_t n;

	*is_cut = false;
	if (!text)
		return NULL;
	do {
		n = size < MOST ? read(fd, text + size, MOST - size) : read(fd, rest, sizeof(rest));
		if (n > 0 && size < MOST)
			size += n;
		else if (n > 0)
			*is_cut = true;
	} while (n > 0 || (n < 0 && errno == EINTR));
	strcpy(text + size, *is_cut ? CUT : "");
	return text;
}

static void become(const char *const *arguments, int out)
{
	char *argv[16] = { "xetilectl" };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	unsigned int i;

	for (i = 0; arguments[i] && i < 14; i++)
		argv[i + 1] = (char *)arguments[i];
	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		_exit(CTL_FAILED);
	execv(SELF, argv);
	dprintf(2, "cannot run %s: %s\n", SELF, strerror(errno));
	_exit(CTL_FAILED);
}

char *report_read_command(const char *const *arguments, int *status)
{
	int ends[2], result = 0;
	char *text = NULL;
	bool is_cut = false;
	pid_t pid;

	*status = CTL_FAILED;
	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	fflush(NULL);
	pid = fork();
	if (!pid)
		become(arguments, ends[1]);
	close(ends[1]);
	if (pid > 0)
		text = read_all(ends[0], &is_cut);
	close(ends[0]);
	while (pid > 0 && waitpid(pid, &result, 0) < 0 && errno == EINTR)
		;
	if (pid > 0)
		*status = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
	/* What is there is not all. */
	if (!*status && is_cut)
		*status = CTL_FAILED;
	return text;
}

char *report_read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is_cut;
	char *text;

	if (fd < 0)
		return NULL;
	text = read_all(fd, &is_cut);
	close(fd);
	if (!is_cut)
		return text;
	free(text);
	return NULL;
}

/* --- the kernel's log ---------------------------------------------------------------------- */

/* Actions of syslog(2) */
#define READ_ALL	3
#define SIZE_BUFFER	10

static void print_lines(FILE *out, char *log, const char *word)
{
	char *line, *rest = log;

	while ((line = strsep(&rest, "\n"))) {
		if (strstr(line, word))
			fprintf(out, "%s\n", line);
	}
}

char *report_read_log(const char *word, int *status)
{
	int size = klogctl(SIZE_BUFFER, NULL, 0), n;
	char *log = calloc(1, (size > 0 ? size : 0) + 1), *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	*status = CTL_FAILED;
	n = log && size > 0 ? klogctl(READ_ALL, log, size) : -1;
	if (out && n < 0) {
		fprintf(out, "cannot read the kernel's log: %s\n  remedy: be root\n", strerror(errno));
	} else if (out) {
		*status = CTL_OK;
		print_lines(out, log, word);
	}
	free(log);
	if (out)
		fclose(out);
	return text;
}

/* --- versions -------------------------------------------------------------------------------- */

static void print_file(FILE *out, const char *name, const char *path)
{
	char *text = report_read_file(path);

	if (text)
		fprintf(out, "%-28s %.*s\n", name, (int)strcspn(text, "\n"), text);
	free(text);
}

/* Of the kernel's command line what cards depend on: other words may hold passwords. */
static void print_command_line(FILE *out)
{
	static const char *const begins[] = {
		"xetile.", "xe.", "i915.", "module_blacklist=", "modprobe.blacklist=", "iommu",
		"intel_iommu=", "amd_iommu=", "pci=", "pcie_",
	};
	char *text = report_read_file("/proc/cmdline"), *rest = text, *word;
	unsigned int i;

	if (!text)
		return;
	fprintf(out, "%-28s", "command line, in part");
	while ((word = strsep(&rest, " \n"))) {
		for (i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
			if (!strncmp(word, begins[i], strlen(begins[i]))) {
				fprintf(out, " %s", word);
				break;
			}
		}
	}
	fputc('\n', out);
	free(text);
}

char *report_read_versions(void)
{
	static const char *const files[] = { "version", "srcversion", "taint" };
	static const char *const variables[] = {
		"ZE_AFFINITY_MASK", "ZE_FLAT_DEVICE_HIERARCHY", "ZEX_NUMBER_OF_CCS",
		"XETILE_DEVICE_SELECTOR", "XETILE_IMPLICIT_SCALING", "EnableImplicitScaling",
		"MultiStoragePolicy", "MultiStorageGranularity",
	};
	struct utsname kernel;
	char *text = NULL, path[64];
	size_t size;
	FILE *out = open_memstream(&text, &size);
	unsigned int i;

	if (!out)
		return NULL;
	fprintf(out, "%-28s %d.%d\n", "xetilectl", XETILE_VERSION_MAJOR, XETILE_VERSION_MINOR);
	if (!uname(&kernel))
		fprintf(out, "%-28s %s, %s\n%-28s %s\n", "kernel", kernel.release, kernel.machine, "",
			kernel.version);
	if (access(MODULE, F_OK))
		fprintf(out, "%-28s not loaded\n", "driver");
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), MODULE "%s", files[i]);
		print_file(out, files[i], path);
	}
	print_command_line(out);
	for (i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		if (getenv(variables[i]))
			fprintf(out, "%-28s '%s'\n", variables[i], getenv(variables[i]));
	}
	fclose(out);
	return text;
}
