/* SPDX-License-Identifier: MIT */
/*
 * The demand of a launch: how many bytes of each color page of a buffer each tile accesses.
 * explain.c compares it with colors. The functions are pure but for the memory of the table.
 */
#ifndef _XETILE_DEMAND_H_
#define _XETILE_DEMAND_H_

#include <stdbool.h>
#include <stdint.h>

#include "xetile.h"

struct xt_demand {
	uint64_t pages;
	uint64_t (*bytes)[XETILE_MAX_TILES];	/* of each page, by each tile */
	struct xetile_plan plan;
	uint64_t steps;				/* that counting them took */
	bool writes;				/* one of the accesses does */
};

/* Returns 0, or an error of xetile_plan_explain() with its text. */
int xt_demand_make(struct xt_demand *demand, const struct xetile_explain_desc *desc);
void xt_demand_free(struct xt_demand *demand);

#endif
