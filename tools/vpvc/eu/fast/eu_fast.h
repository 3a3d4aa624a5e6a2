/* SPDX-License-Identifier: MIT */
/*
 * Handlers for the common forms of instructions. They exist for each vector level
 * of the host.
 */
#ifndef EU_FAST_H
#define EU_FAST_H

#include "eu/fast/eu_fast_table.h"

/* The compiled sets, and whether this host can run them; the last is the best. */
struct eu_fast_level {
	const char *name;
	const struct eu_fast_table *table;
	bool (*supported)(void);
};

extern const struct eu_fast_level eu_fast_level[];
extern const unsigned int eu_fast_levels;
/* NULL when the general handler has to do it */
eu_exec *eu_fast_select(struct eu_worker *w, struct eu_op *op);
eu_exec *eu_fast_select_from(const struct eu_fast_table *table, struct eu_worker *w,
			     struct eu_op *op);

#endif
