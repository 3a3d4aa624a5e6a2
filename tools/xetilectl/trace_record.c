// SPDX-License-Identifier: MIT
/*
 * tracefs: an instance is a folder that the kernel fills with files.
 */
#include "trace_record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl.h"

#define PREFIX	"xetilectl."
/* Each CPU has so much; the pipe is read all the time. */
#define BUFFER_KB	"1024"

static int refuse(const char *what, const char *path, const char *remedy)
{
	fprintf(stderr, "xetilectl: %s %s: %s\n", what, path, strerror(errno));
	fprintf(stderr, "  remedy: %s\n", errno == EACCES || errno == EPERM ?
		"be root (sudo xetilectl trace ...)" : remedy);
	return CTL_FAILED;
}

static int write_file(const struct trace_record *record, const char *name, const char *text)
{
	char path[320];
	int fd, err;

	snprintf(path, sizeof(path), "%s/%s", record->path, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	err = write(fd, text, strlen(text)) < 0 ? -1 : 0;
	close(fd);
	return err;
}

/* A program that was killed has left its instance. It may have had this one's number. */
static void remove_stale(const char *instances)
{
	DIR *dir = opendir(instances);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int pid = strncmp(entry->d_name, PREFIX, strlen(PREFIX)) ? 0 :
			  atoi(entry->d_name + strlen(PREFIX));

		if (pid == getpid() || (pid > 0 && kill(pid, 0) && errno == ESRCH))
			unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
	}
	if (dir)
		closedir(dir);
}

static int make_instance(struct trace_record *record, const char *tracefs)
{
	char path[200];
	int ret;

	snprintf(path, sizeof(path), "%s/events", tracefs);
	if (access(path, X_OK))
		return refuse("no trace events at", path,
			      "mount -t tracefs tracefs " TRACE_FS
			      "; without that folder the kernel was built without tracing (CONFIG_FTRACE)");
	snprintf(path, sizeof(path), "%s/events/xetile", tracefs);
	if (access(path, X_OK))
		return refuse("the driver has no trace events at", path,
			      "load the driver (modprobe xetile)");
	snprintf(path, sizeof(path), "%s/instances", tracefs);
	remove_stale(path);
	snprintf(record->path, sizeof(record->path), "%s/" PREFIX "%d", path, getpid());
	if (!mkdir(record->path, 0700))
		return CTL_OK;
	ret = refuse("cannot make", record->path, "a kernel with instances of tracefs");
	*record->path = 0;
	return ret;
}

int trace_record_begin(struct trace_record *record, const char *tracefs)
{
	char path[320];
	int ret;

	*record = (struct trace_record) { .pipe = -1 };
	ret = make_instance(record, tracefs);
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "%s/trace_pipe", record->path);
	/* Times of all CPUs are one clock's. */
	if (write_file(record, "trace_clock", "mono") ||
	    write_file(record, "buffer_size_kb", BUFFER_KB) ||
	    write_file(record, "events/xetile/enable", "1") ||
	    (record->pipe = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) < 0) {
		ret = refuse("cannot trace in", record->path, "see dmesg");
		trace_record_end(record);
	}
	return ret;
}

int trace_record_read(struct trace_record *record, FILE *out)
{
	char text[65536];
	ssize_t n;

	while ((n = read(record->pipe, text, sizeof(text))) > 0) {
		if (fwrite(text, n, 1, out) == 1)
			continue;
		perror("xetilectl: cannot keep the trace");
		return CTL_FAILED;
	}
	if (!n || errno == EAGAIN || errno == EINTR)
		return CTL_OK;
	perror("xetilectl: cannot read the trace");
	return CTL_FAILED;
}

void trace_record_stop(struct trace_record *record)
{
	write_file(record, "tracing_on", "0");
}

void trace_record_end(struct trace_record *record)
{
	if (record->pipe >= 0)
		close(record->pipe);
	record->pipe = -1;
	if (!*record->path)
		return;
	write_file(record, "events/xetile/enable", "0");
	if (rmdir(record->path))
		fprintf(stderr, "xetilectl: cannot remove %s: %s\n", record->path, strerror(errno));
	*record->path = 0;
}
