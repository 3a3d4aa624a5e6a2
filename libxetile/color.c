// SPDX-License-Identifier: MIT
/*
 * Colors and sizes as text, the same for every program. xetilectl and applications call
 * xetile_color_parse() and xetile_size_parse().
 */
#include "xetile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "policy.h"

#define MAX_RUNS	4096

static int bad_color(const char *text, const char *why)
{
	return xt_error(-EINVAL, "color '%.64s': %s", text, why);
}

int xetile_size_parse(const char *text, uint64_t *size)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	const char *p;

	for (p = text; *p >= '0' && *p <= '9'; p++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *p - '0', &value))
			return xt_error(-EINVAL, "'%.64s' is too large", text);
	}
	if (p != text && (*p == 'k' || *p == 'K'))
		shift = 10;
	else if (p != text && (*p == 'm' || *p == 'M'))
		shift = 20;
	else if (p != text && (*p == 'g' || *p == 'G'))
		shift = 30;
	if (p == text || p[shift ? 1 : 0])
		return xt_error(-EINVAL, "'%.64s' is no size: digits and k, m or g", text);
	if (shift && value >> (64 - shift))
		return xt_error(-EINVAL, "'%.64s' is too large", text);
	*size = value << shift;
	return 0;
}

static int add_run(struct xetile_mem_desc *desc, uint64_t tile, uint64_t pages)
{
	struct xetile_run *runs;

	if (desc->num_runs == MAX_RUNS || tile >= XETILE_MAX_TILES || !pages ||
	    pages > UINT32_MAX)
		return -EINVAL;
	runs = realloc((void *)desc->runs, (desc->num_runs + 1) * sizeof(*runs));
	if (!runs)
		return -ENOMEM;
	runs[desc->num_runs].tile = tile;
	runs[desc->num_runs].pages = pages;
	desc->runs = runs;
	desc->num_runs++;
	return 0;
}

/* Read a list of TILE*PAGES (map) or WEIGHT (weights), parted by commas, blanks or lines. */
static int parse_list(char *list, bool weights, struct xetile_mem_desc *desc)
{
	uint64_t tile, pages;
	char *save, *item, *star;
	int err = 0;

	for (item = strtok_r(list, ", \t\n", &save); item && !err;
	     item = strtok_r(NULL, ", \t\n", &save)) {
		star = strchr(item, '*');
		tile = desc->num_runs;
		if (weights) {
			err = xetile_size_parse(item, &pages);
		} else if (!star) {
			err = -EINVAL;
		} else {
			*star = 0;
			err = xetile_size_parse(item, &tile);
			if (!err)
				err = xetile_size_parse(star + 1, &pages);
		}
		if (!err)
			err = add_run(desc, tile, pages);
	}
	return err ? err : desc->num_runs ? 0 : -EINVAL;
}

static int parse_runs(const char *text, const char *arg, struct xetile_mem_desc *desc)
{
	bool weights = desc->color == XETILE_COLOR_WEIGHTED;
	char *list = NULL;
	size_t room = 0;
	FILE *file;
	int err;

	if (weights || strchr(arg, '*')) {
		list = strdup(arg);
	} else {
		file = fopen(arg, "re");
		if (!file)
			return xt_error(-errno, "color '%.64s': cannot open the file: %m", text);
		if (getdelim(&list, &room, 0, file) < 0) {
			free(list);
			list = strdup("");
		}
		fclose(file);
	}
	if (!list)
		return xt_error(-ENOMEM, "out of memory");
	err = parse_list(list, weights, desc);
	free(list);
	if (err == -EINVAL)
		return bad_color(text, weights ? "expected a list of WEIGHT" : "expected a list of TILE*PAGES");
	return err;
}

/* The color whose name is the first @len bytes of @text. DEFAULT has no name and means: none. */
static enum xetile_color find_color(const char *text, size_t len)
{
	const struct xetile_policy *policy;
	enum xetile_color color;

	for (color = XETILE_COLOR_DEFAULT + 1; (policy = xt_policy(color)); color++) {
		if (strlen(policy->name) == len && !strncmp(policy->name, text, len))
			return color;
	}
	return XETILE_COLOR_DEFAULT;
}

static int unknown_color(const char *text)
{
	const struct xetile_policy *policy;
	enum xetile_color color;
	char why[256] = "not one of";
	size_t len = strlen(why);

	for (color = XETILE_COLOR_DEFAULT + 1; (policy = xt_policy(color)); color++) {
		if (len < sizeof(why))
			len += snprintf(why + len, sizeof(why) - len, " %s", policy->name);
	}
	return bad_color(text, why);
}

int xetile_color_parse(const char *text, struct xetile_mem_desc *desc)
{
	struct xetile_mem_desc new = *desc;
	const struct xetile_policy *policy;
	const char *arg = strchr(text, ':');
	uint64_t value = 0;
	bool is_tile;
	int err = 0;

	new.color = find_color(text, arg ? (size_t)(arg - text) : strlen(text));
	if (new.color == XETILE_COLOR_DEFAULT)
		return unknown_color(text);
	policy = xt_policy(new.color);
	is_tile = new.color == XETILE_COLOR_TILE;
	if ((is_tile || policy->needs_granule || policy->needs_runs) != !!arg)
		return bad_color(text, arg ? "takes no argument" : "needs an argument after a colon");

	new.granule = 0;
	new.runs = NULL;
	new.num_runs = 0;
	new.flags &= ~XETILE_MEM_LEAST_OCCUPIED;
	if (policy->needs_runs)
		err = parse_runs(text, arg + 1, &new);
	else if (is_tile && !strcmp(arg + 1, "least"))
		new.flags |= XETILE_MEM_LEAST_OCCUPIED;
	else if (arg)
		err = xetile_size_parse(arg + 1, &value);
	if (!err && is_tile && value >= XETILE_MAX_TILES)
		err = bad_color(text, "there is no such tile");
	if (!err && policy->needs_granule && (!value || value % XETILE_COLOR_PAGE))
		err = bad_color(text, "a chunk is a multiple of 64k");
	if (err) {
		xetile_color_free(&new);
		return err;
	}
	if (is_tile)
		new.tile = value;
	else
		new.granule = value;
	*desc = new;
	return 0;
}

void xetile_color_free(struct xetile_mem_desc *desc)
{
	free((void *)desc->runs);
	desc->runs = NULL;
	desc->num_runs = 0;
}
