// SPDX-License-Identifier: MIT
/*
 * The arguments "key=value" of injections and the values that each may have.
 * inject_command() calls this on the host thread.
 */
#include "card/inject_args.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "card.h"
#include "core/inject_rules.h"

#define MAX_US		60000000u

/* A word stands for its index in @words; other values are numbers in C's notation. */
static const struct key_info {
	const char *name;
	uint64_t min, max;
	const char *words;
} keys[NUM_KEYS] = {
	[KEY_ENGINE] = { "engine", 0, 0, NULL },
	[KEY_TILE] = { "tile", 0, PVC_MAX_TILES - 1, NULL },
	[KEY_BEFORE] = { "before", 1, ~0ull, NULL },
	[KEY_AFTER] = { "after", 1, ~0ull, NULL },
	[KEY_SKIP] = { "skip", 0, ~0ull, NULL },
	[KEY_COUNT] = { "count", 0, ~0ull, NULL },
	[KEY_US] = { "us", 1, MAX_US, NULL },
	[KEY_VECTOR] = { "vector", 1, 0xffff, NULL },
	[KEY_ADDRESS] = { "address", 0, ~0ull, NULL },
	[KEY_SIZE] = { "size", 1, ~0ull, NULL },
	[KEY_COMMAND] = { "command", 0, 0xff, NULL },
	[KEY_CODE] = { "code", 1, 0xff, NULL },
	[KEY_WELL] = { "well", 0, 0, "gt render media" },
	[KEY_ACCESS] = { "access", 0, 0, "any write" },
	[KEY_KIND] = { "kind", 0, 0, "not-present read-only misaligned out-of-range" },
	[KEY_SPACE] = { "space", 0, 0, "ppgtt ggtt" },
	[KEY_CONTEXT] = { "context", 0, 0xffff, NULL },
	[KEY_VALUE] = { "value", 0, ~0u, NULL },
	[KEY_MASK] = { "mask", 1, ~0u, NULL },
	[KEY_DOMAIN] = { "domain", 1, ~0u, NULL },
	/* As enum ras_source, and as PVC_ERR_* */
	[KEY_SOURCE] = { "source", 0, 0, "gt subslice l3bank tlb l3-fabric soc soc-second mdfi "
			 "hbm hbm-second gsc device" },
	[KEY_SEVERITY] = { "severity", 0, 0, "correctable nonfatal fatal" },
	[KEY_STUCK] = { "stuck", 0, 0, "no yes level" },
	/* In the order of arm_throttle() */
	[KEY_REASON] = { "reason", 0, 0, "prochot thermal ratl vr-thermalert vr-tdc pl4 pl1 pl2" },
};

/* "tile1.bcs8" is one engine, "tile1" a whole tile, "all" all. False: no such engine. */
static bool parse_engine(struct card *c, const char *s, struct inject_args *a)
{
	size_t len = strlen(s);

	a->engines = 0;
	for (unsigned int i = 0; i < c->num_tiles; i++) {
		for (unsigned int n = 0; n < TILE_MAX_ENGINES; n++) {
			struct engine *e = &c->tiles[i].engines[n];

			if (e->present && (!strcmp(s, "all") || !strcmp(s, e->name) ||
					   (!strncmp(s, e->name, len) && e->name[len] == '.')))
				a->engines |= engine_bit(e);
		}
	}
	return a->engines;
}

static bool parse_word(const char *words, const char *s, uint64_t *out)
{
	size_t len = strlen(s);

	for (*out = 0; len; ++*out) {
		size_t n = strcspn(words, " ");

		if (n == len && !strncmp(words, s, n))
			return true;
		if (!words[n])
			return false;
		words += n + 1;
	}
	return false;
}

static bool parse_value(struct card *c, enum key key, const char *s, struct inject_args *a)
{
	const struct key_info *k = &keys[key];
	char *end;

	if (key == KEY_ENGINE)
		return parse_engine(c, s, a);
	if (k->words)
		return parse_word(k->words, s, &a->value[key]);
	/* strtoull() alone would accept signs and leading spaces. */
	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	a->value[key] = strtoull(s, &end, 0);
	if (errno || *end || a->value[key] < k->min || a->value[key] > k->max)
		return false;
	if (key == KEY_TILE) {
		if (a->value[key] >= c->num_tiles)
			return false;
		a->tiles = 1u << a->value[key];
	}
	return true;
}

bool inject_args_parse(struct card *c, char *word, unsigned int allowed,
		       struct inject_args *a)
{
	char *eq = strchr(word, '=');

	if (!eq)
		return false;
	*eq = '\0';
	for (unsigned int i = 0; i < NUM_KEYS; i++) {
		if (strcmp(word, keys[i].name) || !(allowed & (1u << i)) ||
		    (a->given & (1u << i)))
			continue;
		a->given |= 1u << i;
		return parse_value(c, (enum key)i, eq + 1, a);
	}
	return false;
}
