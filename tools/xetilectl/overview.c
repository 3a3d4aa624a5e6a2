// SPDX-License-Identifier: MIT
/*
 * xetilectl without an argument: the cards, what is used of them, and by whom.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "none.h"
#include "text.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int show_device(struct xetile_device *device)
{
	char selector[32], used[16], total[16], numa[24] = "";
	struct xetile_device_info info;

	if (xetile_device_get_info(device, &info))
		return ctl_failed("card");
	xetile_device_selector(device, selector, sizeof(selector));
	text_bytes(used, sizeof(used), info.hbm_used);
	text_bytes(total, sizeof(total), info.hbm_total);
	if (info.kind != XETILE_DEVICE_ROOT) {
		printf(" %-6s  tile, flat %-17u  %4u  %4u  %8s of %s\n", selector, info.flat,
		       info.ccs_mode, info.num_eus, used, total);
		return CTL_OK;
	}
	if (info.numa_node >= 0)
		snprintf(numa, sizeof(numa), ", NUMA %d", info.numa_node);
	printf("%-7s  %-28.28s  %4s  %4u  %8s of %s\n", selector, info.name, "", info.num_eus, used,
	       total);
	printf("         %s, %s%s\n", info.pci, base_name(info.node), numa);
	return CTL_OK;
}

static int show_card(struct xetile_device *card)
{
	unsigned int i, num = xetile_device_num_sub_devices(card);
	struct xetile_device_info info;
	int ret = show_device(card);

	if (ret || xetile_device_get_info(card, &info) || info.kind != XETILE_DEVICE_ROOT)
		return ret;
	for (i = 0; i < num && !ret; i++)
		ret = show_device(xetile_device_sub_device(card, i));
	return ret;
}

int ctl_overview(void)
{
	struct xetile_platform *platform;
	unsigned int i, num;
	int ret = CTL_OK;

	if (xetile_platform_open(&platform))
		return ctl_failed("cannot look for cards");
	num = xetile_platform_num_devices(platform);
	if (!num)
		none_explain(stdout, NONE_SYSFS);
	else
		printf("%-7s  %-28s  %4s  %4s  %8s\n", "DEVICE", "NAME", "MODE", "EUS", "HBM USED");
	for (i = 0; i < num && !ret; i++)
		ret = show_card(xetile_platform_device(platform, i));
	for (i = 0; i < num && !ret && xetile_platform_hierarchy(platform) == XETILE_COMPOSITE; i++) {
		putchar('\n');
		ret = ctl_show_users(xetile_platform_device(platform, i));
	}
	xetile_platform_close(platform);
	fputs("\nxetilectl --help shows the commands.\n", stdout);
	return ret;
}
