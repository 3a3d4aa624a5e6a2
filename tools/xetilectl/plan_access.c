// SPDX-License-Identifier: MIT
/*
 * Accesses on the command line: PATTERN:BYTES[:option...].
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "plan.h"
#include "xyz.h"

/* Elements of a gather's list: 1 GiB of them in memory */
#define MAX_INDEX	(1u << 27)

static const char *const patterns[] = {
	[XETILE_PATTERN_STREAM] = "stream", [XETILE_PATTERN_STENCIL] = "stencil",
	[XETILE_PATTERN_ROWS] = "rows", [XETILE_PATTERN_GATHER] = "gather",
};
static const char *const edges[] = {
	[XETILE_EDGE_SKIP] = "skip", [XETILE_EDGE_CLAMP] = "clamp", [XETILE_EDGE_INSIDE] = "inside",
};

#define NUM(list)	(sizeof(list) / sizeof((list)[0]))

/* Returns the number of a word in a list, or -1. */
static int find(const char *const list[], unsigned int num, const char *word)
{
	unsigned int i;

	for (i = 0; i < num; i++)
		if (!strcmp(list[i], word))
			return i;
	return -1;
}

static int no_file(const char *path, const char *why)
{
	fprintf(stderr, "xetilectl: '%s': %s\n", path, why);
	return CTL_FAILED;
}

/* Read the numbers of a list, of @size bytes each. The machine has the byte order of the card. */
static int read_numbers(FILE *file, const char *path, size_t size, struct xetile_access *access)
{
	uint64_t *index = NULL, *more, value = 0;
	size_t num = 0, room = 0, got;

	while ((got = fread(&value, 1, size, file)) == size) {
		if (num == room) {
			room = room ? 2 * room : 4096;
			more = num < MAX_INDEX ? realloc(index, room * sizeof(*index)) : NULL;
			if (!more) {
				free(index);
				return no_file(path, num < MAX_INDEX ? "out of memory" :
							   "the list is too long");
			}
			index = more;
		}
		index[num++] = value;
	}
	access->index = index;
	access->num_index = num;
	if (ferror(file))
		return no_file(path, strerror(errno));
	if (got)
		return no_file(path, "the list does not end with a whole number");
	return num ? CTL_OK : no_file(path, "the list is empty");
}

static int read_index(const char *path, size_t size, struct xetile_access *access)
{
	FILE *file = fopen(path, "re");
	int ret;

	if (!file)
		return no_file(path, strerror(errno));
	ret = read_numbers(file, path, size, access);
	fclose(file);
	return ret;
}

static int parse_edge(const char *text, struct xetile_access *access)
{
	int edge = find(edges, NUM(edges), text);

	if (edge < 0)
		return ctl_usage("edge '%s' is not skip, clamp or inside", text);
	access->edge = edge;
	return CTL_OK;
}

static int parse_halo(const char *text, struct xetile_access *access)
{
	uint64_t halo[3] = { 0 };
	int i, ret = xyz_parse("halo", text, XETILE_MAX_HALO, halo);

	for (i = 0; i < 3; i++)
		access->halo[i] = halo[i];
	return ret;
}

/* Numbers of so many bytes in the list of a gather */
static int parse_type(const char *text, size_t *size)
{
	if (strcmp(text, "u32") && strcmp(text, "u64"))
		return ctl_usage("type '%s' is not u32 or u64", text);
	*size = text[1] == '3' ? 4 : 8;
	return CTL_OK;
}

/* An option but for file=, which has the rest of the text */
static int parse_option(const char *text, struct xetile_access *access, size_t *size)
{
	const char *value = strchr(text, '=');
	size_t len = value ? (size_t)(value++ - text) : 0;

#define IS(name)	(len == sizeof(name) - 1 && !strncmp(text, name, len))
	if (!strcmp(text, "write"))
		access->write = true;
	else if (IS("offset") && xetile_size_parse(value, &access->offset))
		return ctl_usage("offset: %s", xetile_last_error());
	else if (IS("items"))
		return xyz_parse("items", value, UINT64_MAX, access->items);
	else if (IS("pitch"))
		return xyz_parse("pitch", value, UINT64_MAX, access->pitch);
	else if (IS("halo"))
		return parse_halo(value, access);
	else if (IS("edge"))
		return parse_edge(value, access);
	else if (IS("type"))
		return parse_type(value, size);
	else if (!IS("offset"))
		return ctl_usage("'%s' is none of write, offset=, items=, pitch=, halo=, edge=, type= and file=",
				 text);
	return CTL_OK;
#undef IS
}

static int parse_options(char *text, struct xetile_access *access)
{
	bool gather = access->pattern == XETILE_PATTERN_GATHER;
	char *next, *file = NULL;
	size_t size = 0;
	int ret = CTL_OK;

	for (; text && !file && !ret; text = next) {
		if (!strncmp(text, "file=", 5)) {
			file = text + 5;
			break;
		}
		next = strchr(text, ':');
		if (next)
			*next++ = 0;
		ret = parse_option(text, access, &size);
	}
	if (ret)
		return ret;
	if (!!file != gather)
		return ctl_usage(file ? "only a gather has a file" : "a gather needs file=FILE");
	if (size && !gather)
		return ctl_usage("only a gather has a type");
	return file ? read_index(file, size ? size : 4, access) : CTL_OK;
}

int plan_access_parse(char *text, struct xetile_access *access)
{
	char *bytes = strchr(text, ':'), *options;
	uint64_t value;
	int pattern, ret;

	*access = (struct xetile_access) { 0 };
	if (bytes)
		*bytes++ = 0;
	pattern = find(patterns, NUM(patterns), text);
	if (pattern < 0)
		return ctl_usage("'%s' is none of stream, stencil, rows and gather", text);
	if (!bytes)
		return ctl_usage("'%s' needs the bytes of an element behind a colon", text);
	options = strchr(bytes, ':');
	if (options)
		*options++ = 0;
	if (xetile_size_parse(bytes, &value) || !value || value > UINT32_MAX)
		return ctl_usage("'%s' is no size of an element", bytes);
	access->pattern = pattern;
	access->bytes = value;
	ret = parse_options(options, access);
	if (ret)
		plan_access_free(access);
	return ret;
}

void plan_access_free(struct xetile_access *access)
{
	free((void *)access->index);
	access->index = NULL;
	access->num_index = 0;
}
