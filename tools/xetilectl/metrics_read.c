// SPDX-License-Identifier: MIT
/*
 * The figures that a tile has as files: a driver may have others than we know, so folders are read
 * as they are.
 */
#include "metrics.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A name is a label or a part of it. Returns false for a file that has no number. */
static bool read_file(const char *folder, const char *name, uint64_t *value)
{
	char path[PATH_MAX];
	FILE *in;
	bool ok;
	int c;

	if (strlen(name) >= sizeof(((struct metrics_folder *)NULL)->files[0].name) ||
	    snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return false;
	in = fopen(path, "re");
	if (!in)
		return false;
	c = fgetc(in);
	ok = isdigit(c) && ungetc(c, in) == c && fscanf(in, "%" SCNu64, value) == 1;
	fclose(in);
	return ok;
}

static int is_plain(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void read_folder(const char *path, struct metrics_folder *folder)
{
	struct dirent **entries;
	int i, num = scandir(path, &entries, is_plain, alphasort);

	folder->num = 0;
	for (i = 0; i < num; i++) {
		if (folder->num < METRICS_FILES &&
		    read_file(path, entries[i]->d_name, &folder->files[folder->num].value))
			strcpy(folder->files[folder->num++].name, entries[i]->d_name);
		free(entries[i]);
	}
	if (num >= 0)
		free(entries);
}

void metrics_read(const char *sysfs, struct metrics_card *card)
{
	char path[PATH_MAX];
	unsigned int t;

	for (t = 0; t < card->card.tiles; t++) {
		struct metrics_tile *tile = &card->tiles[t];
		const struct {
			const char *name;
			struct metrics_folder *folder;
		} folders[] = {
			{ "errors", &tile->errors },
			{ "gt0/freq0", &tile->freq },
			{ "gt0/freq0/throttle", &tile->throttle },
		};
		size_t i;

		for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
			snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/tile%u/%s", sysfs,
				 card->card.pci, t, folders[i].name);
			read_folder(path, folders[i].folder);
		}
	}
}
