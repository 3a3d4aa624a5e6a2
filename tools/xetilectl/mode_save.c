// SPDX-License-Identifier: MIT
/*
 * xetilectl mode save: writes rules for udev that bring the present CCS modes back. A rule names its
 * card by PCI address and acts when the card's DRM device comes: at boot, when the card is plugged
 * in or bound, and when the driver has reset the card. The files of the modes are there by then.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl.h"

static int save_failed(const char *what, const char *path)
{
	fprintf(stderr, "xetilectl: cannot %s %s: %s\n", what, path, strerror(errno));
	return CTL_FAILED;
}

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

static int write_all(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t n = write(fd, text, size);

		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			text += n;
			size -= n;
		}
	}
	return 0;
}

/* Whether a file of this name may be replaced: no device, and no link, by which udev masks rules */
static bool may_replace(const char *path)
{
	struct stat st;

	if (lstat(path, &st) || S_ISREG(st.st_mode))
		return true;
	fprintf(stderr, "xetilectl: %s is no regular file\n", path);
	return false;
}

/* Replace the file at once, so that no reader and no loss of power meets a half of it. */
static int write_file(const char *path, const char *text, size_t size)
{
	char temp[PATH_MAX];
	int fd, ret = CTL_OK;

	if (!may_replace(path))
		return CTL_FAILED;
	if ((size_t)snprintf(temp, sizeof(temp), "%s.XXXXXX", path) >= sizeof(temp)) {
		errno = ENAMETOOLONG;
		return save_failed("write", path);
	}
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return save_failed("write", path);
	if (write_all(fd, text, size) || fchmod(fd, 0644) || fsync(fd) || rename(temp, path)) {
		ret = save_failed("write", path);
		unlink(temp);
	}
	close(fd);
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
		return save_failed("write", path);
	ret = print_rules(out, &tiles);
	lost = ferror(out);
	if ((fclose(out) || lost) && !ret)
		ret = save_failed("write", path);
	if (!ret && !strcmp(path, "-")) {
		if (write_all(STDOUT_FILENO, text, size))
			ret = save_failed("write", "standard output");
	} else if (!ret) {
		ret = write_file(path, text, size);
		if (!ret)
			printf("%s: the CCS modes of %u tile%s\n", path, tiles, tiles == 1 ? "" : "s");
	}
	free(text);
	return ret;
}
