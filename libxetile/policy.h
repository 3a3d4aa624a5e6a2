/* SPDX-License-Identifier: MIT */
/*
 * The rules of color. The driver's file is compiled into the library, so that a plan of the
 * library and the driver agree. color.c, coloring.c, explain.c and plan.c call these functions.
 */
#ifndef _XETILE_POLICY_H_
#define _XETILE_POLICY_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xetile.h"

/* The driver's file uses the kernel's short names. */
typedef uint32_t u32;
typedef uint64_t u64;

/* Internal names of the static library begin with xt_. */
#define xetile_policy_find	xt_policy_find
#define xetile_color_check	xt_color_check
#define xetile_color_begin	xt_color_begin
#define xetile_color_next	xt_color_next
#define xetile_color_share	xt_color_share

#include "mem/xetile_color.h"

/* Returns the driver's number of a color, or -EINVAL without an error text: no such color. */
int xt_policy_number(enum xetile_color color);
/* Returns the rule of a color, or NULL: no such color. */
const struct xetile_policy *xt_policy(enum xetile_color color);
/*
 * Translate the color of a buffer of @pages on the tiles of @mask, without a card. Returns 0, or
 * -EINVAL with an error text. Copies are pages of one tile, and are not walked.
 */
int xt_policy_coloring(const struct xetile_mem_desc *mem, uint32_t mask, uint64_t pages,
		       struct xetile_coloring *coloring);
/*
 * Tell the runs of a color that the rules allow for @pages; neighbors on one tile are one run.
 * Returns their number, which may exceed @max.
 */
unsigned int xt_policy_runs(const struct xetile_coloring *coloring, uint64_t pages,
			    struct xetile_run *runs, unsigned int max);

#endif
