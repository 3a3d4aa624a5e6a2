// SPDX-License-Identifier: MIT
#include "xetile_memcg.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "xetile_igt.h"

#define GROUPS "/tmp/xetile-cgroup"
#define GROUP GROUPS "/client"

static bool write_group(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

void memcg_init(void)
{
	mkdir(GROUPS, 0700);
	igt_require_f(!mount("none", GROUPS, "cgroup2", 0, NULL), "no control groups\n");
	mkdir(GROUP, 0700);
	igt_require_f(write_group(GROUPS "/cgroup.subtree_control", "+memory") &&
		      !access(GROUP "/memory.stat", R_OK),
		      "the kernel does not count memory by control group\n");
}

void memcg_enter(void)
{
	igt_assert(write_group(GROUP "/cgroup.procs", "0"));
}

uint64_t memcg_bytes(const char *file, const char *key)
{
	unsigned long long bytes = 0;
	char path[64], line[128];
	size_t len = strlen(key);
	FILE *f;

	snprintf(path, sizeof(path), GROUP "/memory.%s", file);
	f = fopen(path, "re");
	igt_assert_f(f, "%s: %m\n", path);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, key, len) && sscanf(line + len, "%llu", &bytes) == 1)
			break;
	fclose(f);
	return bytes;
}

void memcg_fini(void)
{
	xetile_assert_soon(!rmdir(GROUP));
	umount(GROUPS);
	rmdir(GROUPS);
}
