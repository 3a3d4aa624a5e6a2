// SPDX-License-Identifier: MIT
/*
 * Why a process sees no card: there is none in the machine, nobody or another driver has it, or the
 * affinity mask hides it. The PCI devices of sysfs tell, which everybody may read.
 */
#include "none.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

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

static void explain_card(FILE *out, const char *sysfs, const char *address, const char *driver)
{
	const char *mask = getenv("ZE_AFFINITY_MASK");
	char module[PATH_MAX + 16];

	snprintf(module, sizeof(module), "%s/module/xetile", sysfs);
	if (!strcmp(driver, "xetile") && mask && *mask)
		fprintf(out, "%s is hidden by ZE_AFFINITY_MASK=%.64s\n"
			"  remedy: unset ZE_AFFINITY_MASK\n", address, mask);
	else if (!strcmp(driver, "xetile"))
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
