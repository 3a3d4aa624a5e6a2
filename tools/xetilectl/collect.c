// SPDX-License-Identifier: MIT
/*
 * A file of the card is an open file of a DRM device whose fdinfo names the card. A process may go
 * while it is looked at, and what it has may be hidden from the user: neither is an error.
 */
#include "collect.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ctl.h"

#define DRM_MAJOR	226	/* the kernel's number of all DRM devices */
#define MAX_ENGINES	64
#define MAX_TEXT	(64u << 20)	/* of debugfs, for very many processes; others have less */
#define HOLDERS_FULL	4000		/* of ccs_mode_holders: a page, without a line */
/* Files of a process that are looked at: a hostile one may have a million. */
#define MAX_FILES	4096

/* --- files ---------------------------------------------------------------------------- */

/*
 * The text of a file, to be freed. NULL: it is not there, may not be read, is too long, or there is
 * no memory; errno says why.
 */
static char *read_at(int dir, const char *path)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t n = 0, room = 0;
	char *text = NULL, *larger;
	ssize_t got = 1;

	if (fd < 0)
		return NULL;
	while (got > 0) {
		if (n + 1 >= room) {
			room = room ? 2 * room : 4096;
			larger = room <= MAX_TEXT ? realloc(text, room) : NULL;
			if (!larger)
				break;
			text = larger;
		}
		got = read(fd, text + n, room - n - 1);
		if (got > 0)
			n += got;
	}
	if (got) {
		free(text);
		text = NULL;
	} else {
		text[n] = 0;
	}
	close(fd);
	return text;
}

static char *read_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

static char *read_path(const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	return read_at(AT_FDCWD, path);
}

/* The number that a text begins with, which is freed; 0 for none */
static uint64_t take_number(char *text)
{
	uint64_t number = text ? strtoull(text, NULL, 10) : 0;

	free(text);
	return number;
}

/* --- the card ------------------------------------------------------------------------- */

int collect_card(struct xetile_device *device, struct sample_card *card)
{
	struct xetile_engine_info engines[MAX_ENGINES];
	struct xetile_device_info info;
	int i, num;

	memset(card, 0, sizeof(*card));
	if (xetile_device_get_info(device, &info))
		return ctl_failed("card");
	num = xetile_device_get_engines(device, engines, MAX_ENGINES);
	if (num < 0)
		return ctl_failed("engines");
	card->number = info.card;
	card->tiles = info.card_tiles < XETILE_MAX_TILES ? info.card_tiles : XETILE_MAX_TILES;
	card->hz = info.timestamp_hz;
	memcpy(card->pci, info.pci, sizeof(card->pci));
	memcpy(card->node, info.node, sizeof(card->node));
	for (i = 0; i < num && i < MAX_ENGINES; i++) {
		if (engines[i].tile >= XETILE_MAX_TILES)
			continue;
		if (engines[i].is_copy)
			card->copies[engines[i].tile]++;
		else
			card->present[engines[i].tile] |= engines[i].cslice_mask;
	}
	return CTL_OK;
}

#define SYSFS	"/sys/bus/pci/devices/%s/"

/* A card that is gone has no files. Returns 0 or -errno. */
static int collect_tiles(const struct sample_card *card, struct sample *sample)
{
	unsigned int t;
	char *mode;

	for (t = 0; t < card->tiles; t++) {
		struct sample_tile *tile = &sample->tiles[t];

		tile->hbm_total = take_number(read_path(SYSFS "tile%u/memory/total_bytes",
							card->pci, t));
		tile->hbm_used = take_number(read_path(SYSFS "tile%u/memory/used_bytes",
						       card->pci, t));
		tile->mhz = take_number(read_path(SYSFS "tile%u/gt0/freq0/act_freq", card->pci, t));
		mode = read_path(SYSFS "tile%u/gt0/ccs_mode", card->pci, t);
		if (!mode)
			return errno == ENOENT ? -ENODEV : -errno;
		tile->ccs_mode = take_number(mode);
		if (!tile->ccs_mode)
			return -EIO;
	}
	return 0;
}

/* The sensors: energy1 is the card's, the next ones are the tiles'. Only root reads them. */
static void collect_energy(const struct sample_card *card, struct sample *sample)
{
	char path[PATH_MAX];
	struct dirent *entry;
	unsigned int t;
	DIR *dir;

	snprintf(path, sizeof(path), SYSFS "hwmon", card->pci);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "hwmon", 5))
			continue;
		sample->energy = take_number(read_path("%s/%s/energy1_input", path, entry->d_name));
		for (t = 0; t < card->tiles; t++)
			sample->tiles[t].energy = take_number(read_path("%s/%s/energy%u_input", path,
									entry->d_name, t + 2));
	}
	if (dir)
		closedir(dir);
}

/* --- what only root may see ------------------------------------------------------------- */

/* The folder of debugfs is named by the number of the card's node. */
static bool collect_slices(const struct sample_card *card, struct sample *sample)
{
	const char *number = card->node + strlen(card->node);
	bool ok;
	char *text;

	while (number > card->node && isdigit((unsigned char)number[-1]))
		number--;
	text = read_path("/sys/kernel/debug/dri/%s/slices", number);
	sample->knows_slices = text;
	ok = !text || sample_add_slices(sample, text);
	free(text);
	return ok;
}

static bool collect_queues(const struct sample_card *card, struct sample *sample)
{
	unsigned int t;
	bool ok = true;
	char *text;

	sample->knows_queues = true;
	for (t = 0; t < card->tiles && ok; t++) {
		text = read_path(SYSFS "tile%u/gt0/ccs_mode_holders", card->pci, t);
		/* One that is full has no room for all. */
		if (text && strlen(text) < HOLDERS_FULL)
			ok = sample_add_queues(sample, t, text);
		else
			sample->knows_queues = false;
		free(text);
	}
	return ok;
}

/* --- processes ------------------------------------------------------------------------ */

static void find_user(struct sample_client *client)
{
	static unsigned int last_uid;
	static char last_user[33];
	static bool has_last;
	struct passwd *entry;

	if (!has_last || last_uid != client->uid) {
		entry = getpwuid(client->uid);
		snprintf(last_user, sizeof(last_user), "%.32s", entry ? entry->pw_name : "");
		last_uid = client->uid;
		has_last = true;
	}
	memcpy(client->user, last_user, sizeof(client->user));
}

/*
 * The kernel escapes the name in "status", so no name looks like another line. Returns false for a
 * process that is gone meanwhile: nobody knows whose it was.
 */
static bool read_process(int dir, struct sample_client *client)
{
	char *status = read_at(dir, "status"), *comm = read_at(dir, "comm"), *uid;
	bool known;

	uid = status ? strstr(status, "\nUid:") : NULL;
	known = uid && sscanf(uid, "\nUid: %u", &client->uid) == 1;
	if (comm) {
		/* A name may have ends of lines; the last one is not of the name. */
		if (*comm)
			comm[strlen(comm) - 1] = 0;
		snprintf(client->command, sizeof(client->command), "%.63s", comm);
	}
	if (known)
		find_user(client);
	free(status);
	free(comm);
	return known;
}

/* Without asking whoever keeps the file: a file of another machine may take for ever to answer. */
static bool is_drm(int dir, const char *name)
{
	struct statx st;

	return !statx(dir, name, AT_STATX_DONT_SYNC, STATX_TYPE, &st) && S_ISCHR(st.stx_mode) &&
	       st.stx_rdev_major == DRM_MAJOR;
}

static bool add_file(const struct sample_card *card, struct sample *sample, int process,
		     const char *name, struct sample_client *client, bool *known)
{
	char path[280], *text;
	bool ours;

	snprintf(path, sizeof(path), "fdinfo/%s", name);
	text = read_at(process, path);
	ours = text && fdinfo_parse(text, &client->use) && !strcmp(client->use.pci, card->pci);
	free(text);
	if (ours && !*known)
		*known = read_process(process, client);
	if (!ours || !*known)
		return true;
	return sample_add_client(sample, client);
}

static DIR *open_folder(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	int error = errno;

	if (fd >= 0 && !stream)
		close(fd);
	errno = error;
	return stream;
}

static bool collect_process(const struct sample_card *card, struct sample *sample, int process,
			    int pid)
{
	struct sample_client client = { .pid = pid };
	unsigned int files = 0;
	struct dirent *entry;
	bool known = false, ok = true;
	DIR *dir = open_folder(process, "fd");

	if (!dir && (errno == EACCES || errno == EPERM))
		sample->complete = false;
	while (dir && ok && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !is_drm(dirfd(dir), entry->d_name))
			continue;
		if (++files > MAX_FILES) {
			sample->complete = false;
			break;
		}
		ok = add_file(card, sample, process, entry->d_name, &client, &known);
	}
	if (dir)
		closedir(dir);
	return ok;
}

/* Where /proc hides the processes of others it hides the first one, or its files. */
static bool collect_processes(const struct sample_card *card, struct sample *sample)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	bool ok = true;
	int process;

	sample->complete = proc && !faccessat(dirfd(proc), "1", F_OK, 0);
	while (proc && ok && (entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		process = openat(dirfd(proc), entry->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (process < 0)
			continue;
		ok = collect_process(card, sample, process, atoi(entry->d_name));
		close(process);
	}
	if (proc)
		closedir(proc);
	return ok;
}

int collect(const struct sample_card *card, struct sample *sample)
{
	struct timespec now;
	bool ok;
	int err;

	memset(sample, 0, sizeof(*sample));
	clock_gettime(CLOCK_MONOTONIC, &now);
	sample->ns = now.tv_sec * 1000000000ull + now.tv_nsec;
	err = collect_tiles(card, sample);
	if (err)
		return err;
	collect_energy(card, sample);
	ok = collect_slices(card, sample) && collect_queues(card, sample) &&
	     collect_processes(card, sample);
	sample_sort(sample);
	if (!ok)
		sample_free(sample);
	return ok ? 0 : -ENOMEM;
}

int collect_failed(const struct sample_card *card, int error)
{
	if (error == -ENODEV)
		fprintf(stderr, "xetilectl: card %u (%s) is gone: it was taken out, or the driver was unbound\n"
			"  remedy: \"xetilectl list\" shows the cards that are there\n", card->number,
			card->pci);
	else
		fprintf(stderr, "xetilectl: %s\n", strerror(-error));
	return CTL_FAILED;
}
