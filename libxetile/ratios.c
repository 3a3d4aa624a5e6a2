// SPDX-License-Identifier: MIT
/*
 * The file of measured ratios. Its text has the version and the card first, then a line for each
 * pair: who accesses, which memory, and the ratios of reading and writing. A file may be old,
 * damaged or of another card, so each word is checked.
 */
#include "ratios.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"

#define VERSION		"xetile-distances 1"
#define MAX_FILE	16384

/* --- text ------------------------------------------------------------------------- */

int xt_ratios_check(const struct xt_ratios *ratios, uint32_t tiles)
{
	const struct xt_ratio *r;
	uint32_t t, m;

	for (t = 0; t < tiles; t++) {
		for (m = 0; m <= tiles; m++) {
			r = &ratios->of[t][m < tiles ? m : XT_RATIO_LAST];
			if (!r->read || !r->write)
				return xt_error(-EINVAL, "a ratio of tile %u is missing", t);
		}
		r = &ratios->of[t][t];
		if (r->read != XETILE_RATIO_ONE || r->write != XETILE_RATIO_ONE)
			return xt_error(-EINVAL, "the ratio of tile %u's own HBM is not %u", t,
					XETILE_RATIO_ONE);
	}
	r = ratios->of[XT_RATIO_LAST];
	for (m = 0; m <= XT_RATIO_LAST; m++) {
		if (r[m].read && (r[XT_RATIO_LAST].read != XETILE_RATIO_ONE ||
				  r[XT_RATIO_LAST].write != XETILE_RATIO_ONE))
			return xt_error(-EINVAL, "the ratio of the CPU's own memory is not %u",
					XETILE_RATIO_ONE);
	}
	return 0;
}

/* Translate the name of a tile, or of @last, into a number of a row or column. */
static int find_name(const char *name, const char *last, uint32_t tiles)
{
	if (!strcmp(name, last))
		return XT_RATIO_LAST;
	if (!strncmp(name, "tile", 4) && name[4] >= '0' && name[4] < '0' + (int)tiles && !name[5])
		return name[4] - '0';
	return -EINVAL;
}

static bool find_ratio(const char *word, uint32_t *value)
{
	char *end;
	unsigned long v;

	/* strtoul() takes signs and blanks, too. */
	if (!word || *word < '0' || *word > '9')
		return false;
	errno = 0;
	v = strtoul(word, &end, 10);
	*value = v;
	return !errno && !*end && v && v <= XT_RATIO_MAX;
}

static int parse_pair(char *line, unsigned int number, uint32_t tiles, struct xt_ratios *ratios)
{
	char *save, *words[5];
	struct xt_ratio ratio, *to;
	int i, row, column;

	for (i = 0; i < 5; i++) {
		words[i] = strtok_r(i ? NULL : line, " ", &save);
		if (!words[i] != (i == 4))
			return xt_error(-EINVAL, "line %u: expected four words", number);
	}
	row = find_name(words[0], "cpu", tiles);
	column = find_name(words[1], "system", tiles);
	if (row < 0 || column < 0)
		return xt_error(-EINVAL, "line %u: there is no pair '%.16s' and '%.16s'", number,
				words[0], words[1]);
	if (!find_ratio(words[2], &ratio.read) || !find_ratio(words[3], &ratio.write))
		return xt_error(-EINVAL, "line %u: a ratio is not in 1..%u", number, XT_RATIO_MAX);
	to = &ratios->of[row][column];
	if (to->read)
		return xt_error(-EINVAL, "line %u: the pair occurs twice", number);
	*to = ratio;
	return 0;
}

static void card_line(const struct xt_ratios_card *card, char *line, size_t size)
{
	snprintf(line, size, "card %s device %04x revision %02x tiles %u", card->pci,
		 card->device_id, card->revision, card->tiles);
}

int xt_ratios_parse(char *text, const struct xt_ratios_card *card, struct xt_ratios *ratios)
{
	struct xt_ratios new = { .measured = true };
	char *line, *save, want[96];
	unsigned int number = 2;
	int err;

	line = strtok_r(text, "\n", &save);
	if (!line || strcmp(line, VERSION))
		return xt_error(-EINVAL, "line 1 is not '" VERSION "'");
	card_line(card, want, sizeof(want));
	line = strtok_r(NULL, "\n", &save);
	if (!line || strcmp(line, want))
		return xt_error(-EINVAL, "it is of another card: line 2 is not '%s'", want);
	while ((line = strtok_r(NULL, "\n", &save))) {
		err = parse_pair(line, ++number, card->tiles, &new);
		if (err)
			return err;
	}
	err = xt_ratios_check(&new, card->tiles);
	if (!err)
		*ratios = new;
	return err;
}

void xt_ratios_print(FILE *file, const struct xt_ratios_card *card,
		     const struct xt_ratios *ratios)
{
	unsigned int row, column;
	char line[96];

	card_line(card, line, sizeof(line));
	fprintf(file, "%s\n%s\n", VERSION, line);
	for (row = 0; row <= XT_RATIO_LAST; row++) {
		for (column = 0; column <= XT_RATIO_LAST; column++) {
			const struct xt_ratio *r = &ratios->of[row][column];

			if (!r->read)
				continue;
			if (row == XT_RATIO_LAST)
				fprintf(file, "cpu ");
			else
				fprintf(file, "tile%u ", row);
			if (column == XT_RATIO_LAST)
				fprintf(file, "system ");
			else
				fprintf(file, "tile%u ", column);
			fprintf(file, "%u %u\n", r->read, r->write);
		}
	}
}

/* --- files ------------------------------------------------------------------------- */

void xt_ratios_path(const char *dir, const char *pci, char *path, size_t size)
{
	snprintf(path, size, "%s/%s.distances", dir, pci);
}

int xt_ratios_read(const char *dir, const struct xt_ratios_card *card, struct xt_ratios *ratios)
{
	char path[PATH_MAX], text[MAX_FILE + 1];
	struct stat st;
	ssize_t len;
	int fd, err;

	xt_ratios_path(dir, card->pci, path, sizeof(path));
	/* The file may be anything, also a FIFO, whose opening would wait. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return -ENOENT;
	if (fd < 0)
		return xt_error(-errno, "%.256s: %m", path);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return xt_error(-EINVAL, "%.256s: it is no file", path);
	}
	len = read(fd, text, sizeof(text));
	err = -errno;
	close(fd);
	if (len < 0)
		return xt_error(err, "%.256s: %s", path, strerror(-err));
	if (len > MAX_FILE || memchr(text, 0, len))
		return xt_error(-EINVAL, "%.256s: it is no text of at most %u bytes", path, MAX_FILE);
	text[len] = 0;
	err = xt_ratios_parse(text, card, ratios);
	return err ? xt_error_add(err, "%.256s", path) : 0;
}

/* Make a folder and those above it. */
static int make_dirs(const char *dir)
{
	char path[PATH_MAX];
	char *p;

	if (snprintf(path, sizeof(path), "%s", dir) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	for (p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = 0;
		if (mkdir(path, 0755) && errno != EEXIST)
			return -errno;
		*p = '/';
	}
	return mkdir(path, 0755) && errno != EEXIST ? -errno : 0;
}

int xt_ratios_write(const char *dir, const struct xt_ratios_card *card,
		    const struct xt_ratios *ratios)
{
	char path[PATH_MAX], temp[PATH_MAX + 8];
	FILE *file = NULL;
	int fd, err;

	err = make_dirs(dir);
	if (err)
		return xt_error(err, "cannot make %.256s: %s", dir, strerror(-err));
	xt_ratios_path(dir, card->pci, path, sizeof(path));
	snprintf(temp, sizeof(temp), "%s.XXXXXX", path);
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return xt_error(-errno, "cannot write %.256s: %m", temp);
	/* The file holds nothing private, and root's is for everybody. */
	if (!fchmod(fd, 0644))
		file = fdopen(fd, "w");
	if (!file) {
		err = -errno;
		close(fd);
	} else {
		xt_ratios_print(file, card, ratios);
		if (fflush(file) || fsync(fd))
			err = -errno;
		else if (ferror(file))
			err = -EIO;
		if (fclose(file) && !err)
			err = -errno;
	}
	if (!err && rename(temp, path))
		err = -errno;
	if (err) {
		unlink(temp);
		return xt_error(err, "cannot write %.256s: %s", path, strerror(-err));
	}
	return 0;
}
