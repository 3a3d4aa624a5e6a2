// SPDX-License-Identifier: MIT
/*
 * The CCS mode of tiles, through sysfs. The driver answers EBUSY while a tile is in use. To wait,
 * the library sleeps in poll() on the file that lists the tile's holders; the driver notifies
 * the file when the last holder has gone.
 */
#include "mode.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "card.h"
#include "error.h"

/* Another process may take a free tile first, without a notification: try again so often, in ms. */
#define RECHECK_MS	1000

static void mode_path(const struct xt_card *card, uint32_t tile, const char *file,
		      char *path, size_t size)
{
	snprintf(path, size, "%s/tile%u/gt0/%s", card->sysfs, tile, file);
}

/* Read a small file. Returns the number of bytes in front of the final zero, or an error. */
static ssize_t read_text(int fd, char *text, size_t size)
{
	ssize_t len = pread(fd, text, size - 1, 0);

	if (len < 0)
		return -errno;
	text[len] = 0;
	return len;
}

int xt_mode_get(const struct xt_card *card, uint32_t tile)
{
	char path[160], text[32], *end;
	ssize_t len;
	long mode;
	int fd;

	mode_path(card, tile, "ccs_mode", path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return xt_error(-errno, "cannot open %s: %m", path);
	len = read_text(fd, text, sizeof(text));
	close(fd);
	if (len < 0)
		return xt_error(len, "cannot read %s: %s", path, strerror(-len));
	mode = strtol(text, &end, 10);
	if (end == text || (*end && *end != '\n') || mode < 1 || mode > XETILE_MAX_CSLICES)
		return xt_error(-EIO, "%s reads '%.16s'", path, text);
	return mode;
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ll + ts.tv_nsec / 1000000;
}

static int write_mode(int fd, uint32_t mode)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u\n", mode);

	return pwrite(fd, text, len, 0) == len ? 0 : -errno;
}

/* Read the holders in the file, as a list with commas. A read arms the notification. */
static void read_holders(int fd, char *text, size_t size)
{
	ssize_t len = fd < 0 ? 0 : read_text(fd, text, size);
	char *c;

	text[len > 0 ? len : 0] = 0;
	while ((c = strrchr(text, '\n')) && !c[1])
		*c = 0;
	while ((c = strchr(text, '\n')))
		*c = ',';
}

static int set_tile(const struct xt_card *card, uint32_t tile, uint32_t mode,
		    int timeout_ms)
{
	char path[160], holders_path[160], holders[200] = "";
	int64_t left, end = now_ms() + timeout_ms;
	struct pollfd pfd = { .events = POLLPRI };
	int fd, err;

	mode_path(card, tile, "ccs_mode", path, sizeof(path));
	mode_path(card, tile, "ccs_mode_holders", holders_path, sizeof(holders_path));
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return xt_error(-errno, "cannot open %s: %m", path);
	pfd.fd = open(holders_path, O_RDONLY | O_CLOEXEC);

	for (;;) {
		/* Armed before the try, so that a holder that leaves after the try wakes poll(). */
		read_holders(pfd.fd, holders, sizeof(holders));
		err = write_mode(fd, mode);
		if (err != -EBUSY || !timeout_ms)
			break;
		left = timeout_ms < 0 ? RECHECK_MS : end - now_ms();
		if (left <= 0) {
			err = -ETIMEDOUT;
			break;
		}
		poll(&pfd, 1, left < RECHECK_MS ? left : RECHECK_MS);
	}
	if (pfd.fd >= 0)
		close(pfd.fd);
	close(fd);
	if (err == -EBUSY || err == -ETIMEDOUT)
		return xt_error(err, "tile %u of card %u cannot go to CCS mode %u: %s%s%s", tile,
				card->number, mode,
				err == -EBUSY ? "the tile is in use" : "the tile is still in use",
				*holders ? " by " : "", holders);
	if (err == -EINVAL)
		return xt_error(err, "tile %u of card %u has no CCS mode %u", tile,
				card->number, mode);
	if (err)
		return xt_error(err, "cannot write %s: %s", path, strerror(-err));
	return 0;
}

int xt_mode_set(const struct xt_card *card, uint32_t tile_mask, uint32_t mode,
		int timeout_ms)
{
	int before[XETILE_MAX_TILES];
	char keep[256];
	uint32_t t;
	int err = 0;

	for (t = 0; t < XETILE_MAX_TILES; t++) {
		if (!(tile_mask & (1u << t)))
			continue;
		before[t] = xt_mode_get(card, t);
		if (before[t] < 0)
			return before[t];
	}
	for (t = 0; t < XETILE_MAX_TILES && !err; t++) {
		/* A tile that is in the mode already needs no write, and so no permission. */
		if ((tile_mask & (1u << t)) && before[t] != (int)mode)
			err = set_tile(card, t, mode, timeout_ms);
	}
	if (!err)
		return 0;

	/* All tiles change or none: put back the tiles that changed before the failure. */
	snprintf(keep, sizeof(keep), "%s", xetile_last_error());
	for (t--; t-- > 0;) {
		if ((tile_mask & (1u << t)) && before[t] != (int)mode &&
		    set_tile(card, t, before[t], 0))
			return xt_error_add(err, "%s; and putting tile %u back failed", keep, t);
	}
	return xt_error(err, "%s", keep);
}
