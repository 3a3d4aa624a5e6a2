// SPDX-License-Identifier: MIT
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xetile_fail.h"
#include "xetile_igt.h"

static void write_text(const char *path, const char *text)
{
	int f = open(path, O_WRONLY | O_CLOEXEC);

	igt_assert_f(f >= 0, "%s: %m\n", path);
	igt_assert_f(write(f, text, strlen(text)) == (ssize_t)strlen(text), "%s: %m\n", path);
	close(f);
}

static int fail_nth_file;

static int fail_nth_write(unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	return pwrite(fail_nth_file, text, len, 0) == len ? 0 : -errno;
}

void fail_nth(unsigned int n)
{
	igt_assert_eq(fail_nth_write(n), 0);
}

/*
 * The read of fail-nth itself reaches failing places: when one of those fails, the call before has
 * not reached the n-th place.
 */
bool failed(void)
{
	char text[16] = "";
	bool reached = pread(fail_nth_file, text, sizeof(text) - 1, 0) > 0 && !atoi(text);

	if (fail_nth_write(0))
		fail_nth(0);
	return reached;
}

/*
 * The kernel's buddy allocator goes on using a freed block when it gets no memory for the second
 * split of a request (gpu_buddy, drm_buddy: alloc_from_freelist and similar functions merge a block
 * that is still in the free list). Small allocations do not fail in practice, and the allocator is
 * not part of the driver. Therefore no allocation from its cache fails.
 *
 * The kernel also does not check whether the files of an interrupt in /proc/irq could be made, but
 * warns when it removes one that does not exist. Therefore no allocation from their cache fails
 * either.
 */
static void spare_caches(void)
{
	DIR *dir = opendir("/sys/kernel/slab");
	unsigned int spared = 0;
	struct dirent *e;

	igt_require_f(dir, "without /sys/kernel/slab the test cannot spare caches\n");
	while ((e = readdir(dir))) {
		char path[PATH_MAX];
		int f;

		if (e->d_name[0] == '.')
			continue;
		if (!strcmp(e->d_name, "proc_dir_entry"))
			continue;
		if (strstr(e->d_name, "_buddy_block")) {
			spared++;
			continue;
		}
		snprintf(path, sizeof(path), "/sys/kernel/slab/%s/failslab", e->d_name);
		f = open(path, O_WRONLY | O_CLOEXEC);
		igt_assert_f(f >= 0, "%s: %m\n", path);
		/* A cache that has several names refuses; then none of its allocations fail. */
		if (write(f, "1", 1) != 1)
			igt_info("%s: %m\n", path);
		close(f);
	}
	closedir(dir);
	igt_require_f(spared, "the buddy allocator's cache is merged with another one\n");
	write_text("/sys/kernel/debug/failslab/cache-filter", "Y");
}

void faults_on(void)
{
	fail_nth_file = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	igt_require_f(fail_nth_file >= 0, "the kernel has no fault injection\n");
	/* Allocations that may sleep fail too, whatever their size. The kernel logs no failure. */
	write_text("/sys/kernel/debug/failslab/ignore-gfp-wait", "N");
	write_text("/sys/kernel/debug/failslab/verbose", "0");
	spare_caches();
	write_text("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N");
	write_text("/sys/kernel/debug/fail_page_alloc/min-order", "0");
	write_text("/sys/kernel/debug/fail_page_alloc/verbose", "0");
	write_text("/sys/kernel/debug/fail_usercopy/verbose", "0");
}
