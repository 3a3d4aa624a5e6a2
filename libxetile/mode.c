// SPDX-License-Identifier: MIT
/*
 * The CCS mode of tiles, through sysfs. The driver answers EBUSY while a tile is in use, unless its
 * policy lets queues of several modes be. To wait,
 * the library sleeps in poll() on the file of the mode itself, which everybody may read who may
 * write it; the list of holders is root's. The driver notifies the file whenever a last holder has
 * gone, so a wait needs no clock: an EBUSY tells that there is a holder, whose end comes after the
 * read that armed the poll.
 *
 * All who wait are woken at once and try in any order. Each of them succeeds unless somebody has
 * made a queue meanwhile, because a mode that was set is held by nobody until there is a queue; so
 * who waits never waits for another who waits, and the last one's mode stays.
 */
#include "mode.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "card.h"
#include "error.h"

/* How often to look at a file that nobody is woken for */
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

/* Append a holder, a line "pid queues name" without its end. Returns whether it has room. */
static bool add_holder(const char *line, char *text, size_t size)
{
	size_t used = strlen(text), room = size - used;
	const char *comma = used ? ", " : "";
	unsigned int pid, queues;
	int name = 0;

	/* A name may begin with a space, or be empty. */
	if (sscanf(line, "%u %u%n", &pid, &queues, &name) < 2 || line[name] != ' ')
		return (size_t)snprintf(text + used, room, "%s%s", comma, line) < room;
	return (size_t)snprintf(text + used, room, "%s%u %s (%u queue%s)", comma, pid,
				line + name + 1, queues, queues == 1 ? "" : "s") < room;
}

/* " by" and the processes that keep a tile in its mode; nothing if there are none any more */
static void name_holders(const struct xt_card *card, uint32_t tile, char *text, size_t size)
{
	char path[160], lines[4096], holders[200] = "", *line, *next;
	ssize_t len;
	int fd;

	*text = 0;
	mode_path(card, tile, "ccs_mode_holders", path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		if (errno == EACCES)
			snprintf(text, size, "; root can read by whom in %s", path);
		return;
	}
	len = read_text(fd, lines, sizeof(lines));
	close(fd);
	if (len <= 0)
		return;
	for (line = lines; (next = strchr(line, '\n')); line = next + 1) {
		size_t used = strlen(holders);

		*next = 0;
		if (add_holder(line, holders, sizeof(holders)))
			continue;
		/* Names are short: the first one always has room. */
		holders[used] = 0;
		snprintf(text, size, " by %s and others", holders);
		return;
	}
	if (*holders)
		snprintf(text, size, " by %s", holders);
}

/*
 * Write the mode; sleep while the tile is in use, until the time is up. @polled: the driver wakes
 * who polls the file; those before version 1.10 do not. Returns 0 or -errno.
 */
static int write_or_wait(int fd, uint32_t mode, int timeout_ms, bool polled)
{
	struct pollfd pfd = { .fd = fd, .events = POLLPRI };
	int64_t left = timeout_ms, end = now_ms() + timeout_ms;
	char text[32];
	int err;

	for (;;) {
		/* Armed before the try, so that a holder that leaves after the try wakes poll(). */
		read_text(fd, text, sizeof(text));
		err = write_mode(fd, mode);
		if (err != -EBUSY || !timeout_ms)
			return err;
		if (timeout_ms > 0)
			left = end - now_ms();
		if (timeout_ms > 0 && left <= 0)
			return -ETIMEDOUT;
		poll(&pfd, 1, polled || (left >= 0 && left < RECHECK_MS) ? left : RECHECK_MS);
	}
}

static int set_tile(const struct xt_card *card, uint32_t tile, uint32_t mode,
		    int timeout_ms)
{
	char path[160], holders[400];
	int fd, err;

	mode_path(card, tile, "ccs_mode", path, sizeof(path));
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return xt_error(-errno, "cannot open %s: %m", path);
	err = write_or_wait(fd, mode, timeout_ms, card->props.caps & DRM_XETILE_CAP_CCS_MODE);
	close(fd);
	if (err == -EBUSY || err == -ETIMEDOUT) {
		name_holders(card, tile, holders, sizeof(holders));
		return xt_error(err, "tile %u of card %u cannot go to CCS mode %u: %s%s", tile,
				card->number, mode,
				err == -EBUSY ? "the tile is in use" : "the tile is still in use",
				holders);
	}
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
