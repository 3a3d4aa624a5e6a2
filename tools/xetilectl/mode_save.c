// SPDX-License-Identifier: MIT
/*
 * xetilectl mode save: writes rules for udev that bring the present CCS modes back. A rule names its
 * card by PCI address and acts when the card's DRM device comes: at boot, when the card is plugged
 * in or bound, and when the driver has reset the card. The files of the modes are there by then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "save.h"

static int print_rule(FILE *out, struct xetile_device *tile)
{
	int mode = xetile_device_get_ccs_mode(tile);
	struct xetile_device_info info;

	if (mode < 0 || xetile_device_get_info(tile, &info))
		return ctl_failed("mode");
	fprintf(out, "ACTION==\"add\", SUBSYSTEM==\"drm\", KERNEL==\"card*\", KERNELS==\"%s\", "
		"DRIVERS==\"xetile\", ATTR{device/tile%u/gt0/ccs_mode}=\"%d\"\n",
		info.pci, info.tile, mode);
	return CTL_OK;
}

static int print_card(FILE *out, struct xetile_device *card, unsigned int *tiles)
{
	unsigned int i, n = xetile_device_num_sub_devices(card);
	struct xetile_device_info info;
	int ret = CTL_OK;

	if (xetile_device_get_info(card, &info))
		return ctl_failed("device");
	if (info.kind != XETILE_DEVICE_ROOT) {
		(*tiles)++;
		return print_rule(out, card);
	}
	for (i = 0; i < n && !ret; i++)
		ret = print_rule(out, xetile_device_sub_device(card, i));
	*tiles += n;
	return ret;
}

static int print_rules(FILE *out, unsigned int *tiles)
{
	struct xetile_platform *platform;
	unsigned int i, n;
	int ret = CTL_OK;

	/* A file without the cards that a mask hides would undo what was saved of them before. */
	unsetenv("ZE_AFFINITY_MASK");
	setenv("ZE_FLAT_DEVICE_HIERARCHY", "COMPOSITE", 1);
	if (xetile_platform_open(&platform))
		return ctl_failed("cannot look for cards");
	n = xetile_platform_num_devices(platform);
	fputs("# Written by xetilectl mode save: the CCS modes of the tiles when their card comes.\n", out);
	for (i = 0; i < n && !ret; i++)
		ret = print_card(out, xetile_platform_device(platform, i), tiles);
	xetile_platform_close(platform);
	if (!n) {
		fputs("xetilectl: no card: there is nothing to save\n", stderr);
		return CTL_FAILED;
	}
	return ret;
}

int ctl_mode_save(const char *path)
{
	unsigned int tiles = 0;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	bool lost;
	int ret;

	if (!out)
		return save_failed(path);
	ret = print_rules(out, &tiles);
	lost = ferror(out);
	if ((fclose(out) || lost) && !ret)
		ret = save_failed(path);
	if (!ret && !strcmp(path, "-")) {
		fwrite(text, 1, size, stdout);
	} else if (!ret) {
		ret = save_replace(path, text, size);
		if (!ret)
			printf("%s: the CCS modes of %u tile%s\n", path, tiles, tiles == 1 ? "" : "s");
	}
	free(text);
	return ret;
}
