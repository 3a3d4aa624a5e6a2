/* SPDX-License-Identifier: MIT */
/*
 * The rules of color. They are the driver's: its file is compiled into the library, so that
 * what is planned here is what the driver does.
 */
#ifndef _XETILE_POLICY_H_
#define _XETILE_POLICY_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xetile.h"

/* The kernel's short names, which that file uses */
typedef uint32_t u32;
typedef uint64_t u64;

/* The archive's internal names begin with xt_. */
#define xetile_policy_find	xt_policy_find
#define xetile_color_check	xt_color_check
#define xetile_color_begin	xt_color_begin
#define xetile_color_next	xt_color_next
#define xetile_color_share	xt_color_share

#include "mem/xetile_color.h"

/* The driver's number of a color, or -EINVAL if there is no such color; no error text. */
int xt_policy_number(enum xetile_color color);
/* The rule of a color, or NULL if there is no such color. */
const struct xetile_policy *xt_policy(enum xetile_color color);

#endif
