/* SPDX-License-Identifier: MIT */
/*
 * Handlers for the common forms of instructions, one set for each vector level of the
 * host.
 */
#ifndef EU_FAST_H
#define EU_FAST_H

#include "eu/fast/eu_fast_table.h"

/* The compiled sets; @supported: can this host run the set? The last one is the best. */
struct eu_fast_level {
	const char *name;
	const struct eu_fast_table *table;
	bool (*supported)(void);
};

extern const struct eu_fast_level eu_fast_level[];
extern const unsigned int eu_fast_levels;
/* Returns a fast handler for @op, or NULL if only the general handler can run it. */
eu_exec *eu_fast_select(struct eu_worker *w, struct eu_op *op);
/* Tests switch the handlers for two instructions off; every other handler stays. */
void eu_fast_use_pairs(bool use);
/*
 * The run loop knows now what follows @op: if one handler can run both, @op gets it. A test
 * gives the table that its instructions are from.
 */
void eu_fast_join(struct eu_op *op);
void eu_fast_join_from(const struct eu_fast_table *table, struct eu_op *op);
eu_exec *eu_fast_select_from(const struct eu_fast_table *table, struct eu_worker *w,
			     struct eu_op *op);

#endif
