// SPDX-License-Identifier: MIT
/*
 * Reads recorded samples.
 */
#include "record.h"

#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void unescape(char *out, size_t size, const char *text)
{
	size_t n = 0;

	for (; *text && n + 1 < size; text++) {
		if (*text == '\\' && strlen(text) >= 4) {
			out[n++] = strtoul((char[]) { text[1], text[2], text[3], 0 }, NULL, 8);
			text += 3;
		} else {
			out[n++] = *text;
		}
	}
	out[n] = 0;
}

/* The lines up to ".", to be freed */
static char *read_block(FILE *in)
{
	char *text = NULL, line[512];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	while (fgets(line, sizeof(line), in) && strcmp(line, ".\n"))
		fputs(line, out);
	fclose(out);
	return text;
}

static void read_client(FILE *in, const char *line, struct sample *sample)
{
	struct sample_client client = { 0 };
	char user[256] = "", command[256] = "", *text = read_block(in);

	if (sscanf(line, "client %d %u %255s %255[^\n]", &client.pid, &client.uid, user, command) != 4)
		errx(1, "no client: %s", line);
	if (!fdinfo_parse(text, &client.use))
		errx(1, "no fdinfo of xetile: %s", text);
	free(text);
	unescape(client.user, sizeof(client.user), strcmp(user, "-") ? user : "");
	unescape(client.command, sizeof(client.command), command);
	if (!sample_add_client(sample, &client))
		errx(1, "out of memory");
}

static void read_tile(const char *line, struct sample *sample)
{
	struct sample_tile tile;
	unsigned int t;

	if (sscanf(line, "tile %u %" SCNu64 " %" SCNu64 " %u %u %" SCNu64, &t, &tile.hbm_total,
		   &tile.hbm_used, &tile.ccs_mode, &tile.mhz, &tile.energy) != 6)
		errx(1, "no tile: %s", line);
	sample->tiles[t] = tile;
}

void record_read(const char *path, struct sample *sample)
{
	FILE *in = fopen(path, "r");
	char line[512], *text;
	unsigned int complete, tile;

	memset(sample, 0, sizeof(*sample));
	if (!in)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), in)) {
		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (sscanf(line, "sample %" SCNu64 " %u %" SCNu64, &sample->ns, &complete,
			   &sample->energy) == 3) {
			sample->complete = complete;
		} else if (!strncmp(line, "tile ", 5)) {
			read_tile(line, sample);
		} else if (!strncmp(line, "client ", 7)) {
			read_client(in, line, sample);
		} else if (!strcmp(line, "slices\n")) {
			text = read_block(in);
			sample->knows_slices = sample_add_slices(sample, text);
			free(text);
		} else if (sscanf(line, "queues %u", &tile) == 1) {
			text = read_block(in);
			sample->knows_queues = sample_add_queues(sample, tile, text);
			free(text);
		} else {
			errx(1, "%s: what is this? %s", path, line);
		}
	}
	fclose(in);
	sample_sort(sample);
}
