// SPDX-License-Identifier: MIT
/*
 * The figures that a tile has as files: a driver may have others than we know, so folders are read
 * as they are.
 */
#include "metrics.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A name is a label or a part of it. Returns false for a file that has no number, or more. */
static bool read_file(const char *folder, const char *name, uint64_t *value)
{
	char path[PATH_MAX], line[32], *end;
	FILE *in;
	bool ok;

	if (strlen(name) >= sizeof(((struct metrics_folder *)NULL)->files[0].name) ||
	    snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return false;
	in = fopen(path, "re");
	if (!in)
		return false;
	ok = fgets(line, sizeof(line), in) && isdigit((unsigned char)line[0]);
	fclose(in);
	if (!ok)
		return false;
	errno = 0;
	*value = strtoull(line, &end, 10);
	return !errno && (!*end || !strcmp(end, "\n"));
}

static int is_plain(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void read_folder(const char *path, struct metrics_folder *folder)
{
	struct dirent **entries;
	int i, num = scandir(path, &entries, is_plain, alphasort);
	unsigned int more = 0;
	uint64_t value;

	folder->num = 0;
	for (i = 0; i < num; i++) {
		bool ok = read_file(path, entries[i]->d_name, &value);

		if (!ok || folder->num == METRICS_FILES) {
			more += ok;
		} else {
			folder->files[folder->num].value = value;
			strcpy(folder->files[folder->num++].name, entries[i]->d_name);
		}
		free(entries[i]);
	}
	if (more)
		fprintf(stderr, "xetilectl: %u files of %s are left out: %u are read\n", more, path,
			METRICS_FILES);
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
			{ "memory", &tile->memory },
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

/* Whether an entry of the driver's folder is a card: "0000:3a:00.0" */
static int is_address(const struct dirent *entry)
{
	unsigned int domain, bus, slot, function;
	int end = 0;

	return sscanf(entry->d_name, "%8x:%2x:%2x.%1x%n", &domain, &bus, &slot, &function,
		      &end) == 4 && !entry->d_name[end] &&
	       end < (int)sizeof(((struct sample_card *)NULL)->pci);
}

static bool has_card(const struct metrics_card *cards, unsigned int num, const char *pci)
{
	unsigned int i;

	for (i = 0; i < num; i++)
		if (!strcmp(cards[i].card.pci, pci))
			return true;
	return false;
}

bool metrics_add_bound(const char *sysfs, struct metrics_card **cards, unsigned int *num)
{
	struct metrics_card *larger = *cards;
	struct dirent **entries;
	char path[PATH_MAX];
	int i, bound;

	snprintf(path, sizeof(path), "%s/bus/pci/drivers/xetile", sysfs);
	bound = scandir(path, &entries, is_address, alphasort);
	if (bound < 0)
		return errno != ENOMEM;
	for (i = 0; i < bound && larger; i++) {
		if (has_card(*cards, *num, entries[i]->d_name))
			continue;
		larger = reallocarray(*cards, *num + 1, sizeof(**cards));
		if (!larger)
			break;
		*cards = larger;
		memset(&larger[*num], 0, sizeof(*larger));
		strcpy(larger[(*num)++].card.pci, entries[i]->d_name);
	}
	for (i = 0; i < bound; i++)
		free(entries[i]);
	free(entries);
	return larger;
}
