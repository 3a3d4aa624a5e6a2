// SPDX-License-Identifier: MIT
/*
 * The kernel's own counters of memory. Caches are shrunk before, because a half-used slab that
 * a cache puts aside for a processor would count as a full one.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "ops.h"

#define SLABS	"/sys/kernel/slab"

static void shrink_slabs(void)
{
	DIR *dir = opendir(SLABS);
	char path[512];

	if (!dir)
		fail("no " SLABS);
	for (struct dirent *e; (e = readdir(dir)); ) {
		int fd;

		if (*e->d_name == '.')
			continue;
		snprintf(path, sizeof(path), SLABS "/%s/shrink", e->d_name);
		fd = open(path, O_WRONLY);
		if (fd >= 0) {
			if (write(fd, "1", 1) != 1)
				fail("cannot shrink %s", path);
			close(fd);
		}
	}
	closedir(dir);
}

/* Count the bytes of all allocated objects, and the pages of all caches. */
static void count_slabs(int64_t *bytes, int64_t *pages)
{
	FILE *f = fopen("/proc/slabinfo", "r");
	unsigned long active, size, slab_pages, slabs;
	char line[512];

	if (!f)
		fail("cannot read /proc/slabinfo");
	*bytes = *pages = 0;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*s %lu %*u %lu %*u %lu : tunables %*u %*u %*u : slabdata %*u %lu",
			   &active, &size, &slab_pages, &slabs) != 4)
			continue;
		*bytes += (int64_t)(active * size);
		*pages += (int64_t)(slabs * slab_pages);
	}
	fclose(f);
	if (!*bytes)
		fail("cannot understand /proc/slabinfo");
}

/* Returns the sum of the numbers behind @key at the start of a line. */
static int64_t sum_of(const char *file, const char *key)
{
	FILE *f = fopen(file, "r");
	char line[512];
	int64_t sum = 0;
	long long n;

	if (!f)
		fail("cannot read %s", file);
	while (fgets(line, sizeof(line), f)) {
		const char *p = line + strspn(line, " ");

		if (!strncmp(p, key, strlen(key)) && sscanf(p + strlen(key), " %lld", &n) == 1)
			sum += n;
	}
	fclose(f);
	return sum;
}

static int64_t free_pages(void)
{
	/* Pages that are set aside for a processor are free as well. */
	return sum_of("/proc/vmstat", "nr_free_pages ") + sum_of("/proc/zoneinfo", "count:");
}

void memory_use(struct memory_use *m)
{
	int fd = open("/proc/sys/vm/stat_refresh", O_WRONLY);
	int64_t slabs;

	if (fd < 0 || write(fd, "1", 1) != 1)
		fail("cannot refresh the kernel's counters");
	close(fd);
	sleep(1);	/* RCU frees some objects later */
	shrink_slabs();
	count_slabs(&m->slab, &slabs);
	m->pages = -(free_pages() + slabs) * sysconf(_SC_PAGESIZE);
}
