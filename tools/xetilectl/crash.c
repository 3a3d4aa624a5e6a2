// SPDX-License-Identifier: MIT
/*
 * xetilectl crash: prints what a batch that was stopped has left behind, with its commands decoded.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crash_text.h"
#include "ctl.h"
#include "options.h"

#define DUMPS		"/sys/class/devcoredump"
#define DEBUGFS		"/sys/kernel/debug/dri"
#define MAX_BYTES	(4u << 20)	/* the driver's texts are shorter */

static void usage(FILE *out)
{
	fputs("usage: xetilectl crash [-d CARD] [--last] [--raw]\n"
	      "       xetilectl crash --file FILE [--raw]\n\n"
	      "Prints the device coredump that a stopped batch of a card (default: of any card) has\n"
	      "left, with rings and batch decoded; \">\" marks where the engine stood. The kernel\n"
	      "keeps the first one for five minutes, or until something is written to it. Needs\n"
	      "root. It holds the batch and what lies beside it in its buffer, which may be secret.\n"
	      "  --device, -d CARD  only of this card\n"
	      "  --last         of the last batch that was stopped instead (debugfs)\n"
	      "  --file FILE    a dump that was saved; -: standard input\n"
	      "  --raw          the text as it is\n"
	      "  --sysfs FOLDER  look for dumps there instead of " DUMPS "\n", out);
}

struct options {
	const char *selector, *file, *sysfs;
	bool last, raw;
};

static int failed(const char *path, const char *why)
{
	fprintf(stderr, "xetilectl: %s: %s\n", path, why);
	return CTL_FAILED;
}

static const char *reason(int err)
{
	return err == EACCES || err == EPERM ? "Permission denied: only root reads dumps" :
					       strerror(err);
}

/* Reads a file to its end. Returns CTL_OK, or CTL_FAILED after a message. */
static int slurp(const char *path, char **text, size_t *size)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : dup(0);
	ssize_t n = -1;

	*size = 0;
	*text = malloc(MAX_BYTES);
	if (!*text)
		errno = ENOMEM;
	while (fd >= 0 && *text && *size < MAX_BYTES &&
	       (n = read(fd, *text + *size, MAX_BYTES - *size)) > 0)
		*size += n;
	if (n < 0)
		failed(path, reason(errno));
	else if (n)
		failed(path, "is longer than any dump");
	if (fd >= 0)
		close(fd);
	return n ? CTL_FAILED : CTL_OK;
}

static int print(const char *path, const struct options *o)
{
	char *text;
	size_t size;
	int ret = slurp(path, &text, &size);

	if (ret)
		goto out;
	if (!size && o->last) {
		ret = failed(path, "no batch was stopped since the card was bound");
	} else if (!crash_text_is_dump(text, size)) {
		ret = failed(path, "is no dump of xetile");
	} else if (o->raw) {
		fwrite(text, 1, size, stdout);
	} else if (!crash_text_print(text, size)) {
		fflush(stdout);
		ret = failed(path, "the dump ends early");
	}
out:
	free(text);
	return ret;
}

/* ---- where the dump is ---- */

/* Returns whether a dump is of the card @pci; NULL: of one that the driver drives, or drove. */
static bool is_of(const char *dir, const char *name, const char *pci)
{
	char link[PATH_MAX], target[PATH_MAX], text[32] = "";
	const char *base;
	ssize_t n;
	int fd;

	if (pci) {
		snprintf(link, sizeof(link), "%s/%s/failing_device", dir, name);
		n = readlink(link, target, sizeof(target) - 1);
		if (n < 0)
			return false;
		target[n] = 0;
		base = strrchr(target, '/');
		return !strcmp(base ? base + 1 : target, pci);
	}
	snprintf(link, sizeof(link), "%s/%s/data", dir, name);
	fd = open(link, O_RDONLY | O_CLOEXEC);
	/* Whoever may not read it is told so when it is chosen. */
	if (fd < 0)
		return errno == EACCES;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	return n > 0 && !strncmp(text, "**** xetile ", 12);
}

/* The newest dump of a card. Returns CTL_OK, or CTL_FAILED after a message. */
static int find_dump(const char *dir, const char *pci, char *path, size_t size)
{
	DIR *stream = opendir(dir);
	unsigned long number, best = 0;
	struct dirent *entry;

	if (!stream && errno != ENOENT)
		return failed(dir, strerror(errno));
	while (stream && (entry = readdir(stream))) {
		if (strncmp(entry->d_name, "devcd", 5) || !isdigit((unsigned char)entry->d_name[5]))
			continue;
		number = strtoul(entry->d_name + 5, NULL, 10);
		if (number < best || !is_of(dir, entry->d_name, pci))
			continue;
		best = number;
		snprintf(path, size, "%s/devcd%lu/data", dir, number);
	}
	if (stream)
		closedir(stream);
	if (*path)
		return CTL_OK;
	return failed(pci ? pci : "no dump",
		      "no batch was stopped, or its dump was deleted, or is older than five minutes");
}

/* The file of debugfs is named by the number of the card's node. */
static void name_last(const char *node, char *path, size_t size)
{
	const char *number = node + strlen(node);

	while (number > node && isdigit((unsigned char)number[-1]))
		number--;
	snprintf(path, size, DEBUGFS "/%s/last_failure", number);
}

static int crash(const struct options *o)
{
	struct xetile_platform *platform;
	struct xetile_device_info info;
	struct xetile_device *device;
	char path[PATH_MAX] = "";
	int ret = CTL_OK;

	if (o->file)
		return print(o->file, o);
	if (o->selector || o->last) {
		ret = ctl_open_card(o->selector, &platform, &device);
		if (ret)
			return ret;
		if (xetile_device_get_info(device, &info))
			ret = ctl_failed("device");
		xetile_platform_close(platform);
	}
	if (!ret && o->last)
		name_last(info.node, path, sizeof(path));
	else if (!ret)
		ret = find_dump(o->sysfs, o->selector ? info.pci : NULL, path, sizeof(path));
	return ret ? ret : print(path, o);
}

int ctl_crash(int argc, char **argv)
{
	struct options o = { .sysfs = DUMPS };
	const struct option_line lines[] = {
		{ "device", 'd', OPTION_DEVICE, &o.selector },
		{ "file", 'f', OPTION_FILE, &o.file },
		{ "last", 0, OPTION_FLAG, &o.last },
		{ "raw", 0, OPTION_FLAG, &o.raw },
		{ "sysfs", 0, OPTION_FOLDER, &o.sysfs },
		{ NULL },
	};
	const struct option_table table = { "crash", lines, 0, usage };
	int ret;

	if (!options_read(&table, argc, argv, &ret))
		return ret;
	if (o.file && (o.selector || o.last))
		return ctl_usage("--file names the dump, so there is no --device or --last");
	return crash(&o);
}
