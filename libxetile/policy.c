// SPDX-License-Identifier: MIT
/*
 * The rules of color, and the driver's number for each color of the library. color.c, memory.c
 * and plan.c look them up.
 */
#include "policy.h"

#include <drm/xetile_drm.h>
#include <errno.h>

#include "util.h"

/* The kernel is built without this warning, so functions of a table have unused parameters. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "mem/xetile_color.c"

_Static_assert(XETILE_COLOR_PAGE == DRM_XETILE_COLOR_PAGE, "a color page has one size");
_Static_assert(XETILE_COLOR_PAGE == 1u << XETILE_COLOR_PAGE_SHIFT, "a color page has one size");
_Static_assert(XETILE_TILE_SYSTEM == DRM_XETILE_MEM_SYSTEM, "system memory has one number");
_Static_assert(XETILE_MAX_TILES == DRM_XETILE_MAX_TILES, "a card has at most so many tiles");

#define NUMBER(name)	[XETILE_COLOR_##name] = DRM_XETILE_COLOR_##name,

static const int numbers[] = {
	[XETILE_COLOR_DEFAULT] = DRM_XETILE_COLOR_EVEN,
	XETILE_POLICIES(NUMBER)
};

int xt_policy_number(enum xetile_color color)
{
	return (unsigned int)color < ARRAY_SIZE(numbers) ? numbers[color] : -EINVAL;
}

const struct xetile_policy *xt_policy(enum xetile_color color)
{
	int number = xt_policy_number(color);

	return number < 0 ? NULL : xetile_policy_find(number);
}
