// SPDX-License-Identifier: MIT
/*
 * The log of the process: each line begins with the seconds since the first line.  Any
 * thread writes; a lock keeps lines whole.
 */
#include "log.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static struct timespec start;

int vlog_open(const char *path)
{
	FILE *f;

	if (!path)
		return 0;
	f = fopen(path, "we");
	if (!f)
		return -errno;
	/* The file has every line at once, for a reader and after a crash. */
	setvbuf(f, NULL, _IOLBF, 0);
	file = f;
	return 0;
}

void vlog_close(void)
{
	pthread_mutex_lock(&lock);
	if (file)
		fclose(file);
	file = NULL;
	pthread_mutex_unlock(&lock);
}

void vlog(const char *fmt, ...)
{
	struct timespec now;
	FILE *f;
	va_list ap;

	clock_gettime(CLOCK_MONOTONIC, &now);
	pthread_mutex_lock(&lock);
	f = file ? file : stderr;
	if (!start.tv_sec)
		start = now;
	fprintf(f, "%10.6f ", (double)(now.tv_sec - start.tv_sec) +
		(double)(now.tv_nsec - start.tv_nsec) / 1e9);
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fputc('\n', f);
	pthread_mutex_unlock(&lock);
}
