// SPDX-License-Identifier: MIT
#include "xetile_module.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "xetile_igt.h"

int xetile_module_load(const char *parameters)
{
	const char *path = getenv("XETILE_MODULE");
	int fd, ret;

	igt_require_f(path, "XETILE_MODULE does not name the module\n");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	igt_assert_lte(0, fd);
	ret = syscall(SYS_finit_module, fd, parameters, 0) ? -errno : 0;
	close(fd);
	return ret;
}

/* A worker may hold the module for a moment after the last file was closed. */
void xetile_module_unload(void)
{
	xetile_assert_soon(!syscall(SYS_delete_module, "xetile", O_NONBLOCK) || errno == ENOENT);
}

/* The folder of the driver has a link with the address of each card. */
bool xetile_module_has_card(void)
{
	DIR *dir = opendir("/sys/bus/pci/drivers/xetile");
	struct dirent *entry;
	bool found = false;

	igt_assert_f(dir, "the module is not loaded\n");
	while ((entry = readdir(dir)))
		found |= !!strchr(entry->d_name, ':');
	closedir(dir);
	return found;
}
