// SPDX-License-Identifier: MIT
/*
 * Why a process sees no card: there is none in the machine, nobody or another driver has it, this
 * process may not open it, or the affinity mask hides it. The PCI devices of sysfs tell, which
 * everybody may read.
 */
#include "none.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "ctl.h"

/* The name of the driver that has a device; "" if none has it. */
static void read_driver(const char *devices, const char *address, char *driver, size_t size)
{
	char path[PATH_MAX + 64], link[PATH_MAX];
	const char *slash;
	ssize_t length;

	*driver = 0;
	snprintf(path, sizeof(path), "%s/%s/driver", devices, address);
	length = readlink(path, link, sizeof(link) - 1);
	if (length < 0)
		return;
	link[length] = 0;
	slash = strrchr(link, '/');
	snprintf(driver, size, "%.63s", slash ? slash + 1 : link);
}

/* What helps against an error of opening a node, or NULL */
static const char *remedy(int err)
{
	switch (err) {
	case EACCES:
		return "be in the group of the node (usermod -aG render USER, then log in again)";
	case EPERM:
		return "a control group bars the card: ask the batch system or the container for it";
	case ENOENT:
		return "have the container get the node";
	}
	return NULL;
}

/* Find the name of a card's node. Returns whether it has one. */
static bool read_node(const char *devices, const char *address, char *name, size_t size)
{
	char path[PATH_MAX + 64];
	const struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%s/drm", devices, address);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		found = !strncmp(entry->d_name, "renderD", strlen("renderD"));
		snprintf(name, size, "%.31s", entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Returns whether this process may not open a card's node, after saying so. */
static bool explain_barred(FILE *out, const char *devices, const char *address)
{
	char name[32], node[64];
	const char *help;
	int fd;

	if (!read_node(devices, address, name, sizeof(name)))
		return false;
	snprintf(node, sizeof(node), "/dev/dri/%s", name);
	fd = open(node, O_RDWR | O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return false;
	}
	help = remedy(errno);
	fprintf(out, "%s: cannot open %s: %s\n", address, node, strerror(errno));
	if (help)
		fprintf(out, "  remedy: %s\n", help);
	return true;
}

static void explain_card(FILE *out, const char *sysfs, const char *address, const char *driver)
{
	const char *mask = getenv("ZE_AFFINITY_MASK");
	char devices[PATH_MAX], module[PATH_MAX + 16];
	bool ours = !strcmp(driver, "xetile");

	snprintf(devices, sizeof(devices), "%s/bus/pci/devices", sysfs);
	if (ours && explain_barred(out, devices, address))
		return;
	snprintf(module, sizeof(module), "%s/module/xetile", sysfs);
	if (ours && mask && *mask)
		fprintf(out, "%s is hidden by ZE_AFFINITY_MASK=%.64s\n"
			"  remedy: unset ZE_AFFINITY_MASK\n", address, mask);
	else if (ours)
		fprintf(out, "%s has the driver xetile, but no node\n  remedy: see dmesg\n", address);
	else if (*driver)
		fprintf(out, "%s is held by %s\n"
			"  remedy: echo %s > /sys/bus/pci/drivers/%s/unbind, then .../xetile/bind\n",
			address, driver, address, driver);
	else if (access(module, F_OK))
		fprintf(out, "%s has no driver\n  remedy: load the driver (modprobe xetile)\n", address);
	else
		fprintf(out, "%s has no driver\n  remedy: echo %s > /sys/bus/pci/drivers/xetile/bind\n",
			address, address);
}

void none_explain(FILE *out, const char *sysfs)
{
	char devices[PATH_MAX], address[32] = "", driver[64];
	unsigned int found = 0;

	snprintf(devices, sizeof(devices), "%s/bus/pci/devices", sysfs);
	for (; check_card_next(devices, address); found++) {
		read_driver(devices, address, driver, sizeof(driver));
		explain_card(out, sysfs, address, driver);
	}
	if (!found)
		fputs("this machine has no Data Center GPU Max\n", out);
}

int none_open(int err)
{
	const char *help = remedy(-err);

	ctl_failed("cannot look for cards");
	if (help)
		fprintf(stderr, "  remedy: %s\n", help);
	return CTL_FAILED;
}
