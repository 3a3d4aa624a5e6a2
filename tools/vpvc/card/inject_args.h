/* SPDX-License-Identifier: MIT */
/* The arguments of an injection: "key=value". */
#ifndef VPVC_INJECT_ARGS_H
#define VPVC_INJECT_ARGS_H

#include "card.h"

enum key {
	KEY_ENGINE, KEY_TILE, KEY_BEFORE, KEY_AFTER, KEY_SKIP, KEY_COUNT, KEY_US, KEY_VECTOR,
	KEY_ADDRESS, KEY_SIZE, KEY_COMMAND, KEY_CODE, KEY_WELL, KEY_ACCESS, KEY_KIND, KEY_SPACE,
	KEY_CONTEXT, KEY_VALUE, KEY_MASK, KEY_DOMAIN, KEY_SOURCE, KEY_SEVERITY, KEY_STUCK,
	KEY_REASON,
	NUM_KEYS
};

#define K(key)	(1u << KEY_##key)

struct inject_args {
	unsigned int given;		/* K() mask */
	uint64_t value[NUM_KEYS];
	uint64_t engines;		/* bit per engine, see engine_bit() */
	unsigned int tiles;		/* mask */
};

/* Parse one "key=value" into @a; false: key not in @allowed (K() mask), or a wrong value. */
bool inject_args_parse(struct card *c, char *word, unsigned int allowed,
		       struct inject_args *a);

#endif
