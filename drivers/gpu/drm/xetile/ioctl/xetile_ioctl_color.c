// SPDX-License-Identifier: GPL-2.0-only
#include "ioctl/xetile_ioctl_color.h"

#include <linux/align.h>
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/nospec.h>
#include <linux/slab.h>

#include <drm/xetile_drm.h>

#include "ioctl/xetile_ioctl.h"
#include "mem/xetile_bo_types.h"
#include "mem/xetile_color.h"
#include "xetile_device.h"

/**
 * DOC: colors of calls
 *
 * A call that makes a buffer, and one that colors ranges of it anew, describe a color alike.
 */

static_assert(sizeof(struct drm_xetile_color_run) == sizeof(struct xetile_color_run));
static_assert(offsetof(struct drm_xetile_color_run, pages) ==
	      offsetof(struct xetile_color_run, pages));
static_assert(DRM_XETILE_MEM_SYSTEM == XETILE_COLOR_SYSTEM);
static_assert(DRM_XETILE_COLOR_PAGE == XETILE_COLOR_PAGE);

#define SAME_NUMBER(name) \
	static_assert((int)DRM_XETILE_COLOR_##name == (int)XETILE_POLICY_##name);
XETILE_POLICIES(SAME_NUMBER)

#define LISTED(name)	LISTED_##name,
enum { XETILE_POLICIES(LISTED) NUM_LISTED };
static_assert((int)NUM_LISTED == (int)XETILE_NUM_POLICIES);

/*
 * The rule of a color, or NULL. The number chooses a row, so speculation of the CPU must not take
 * it past the table.
 */
static const struct xetile_policy *find_policy(u32 color)
{
	if (color >= XETILE_NUM_POLICIES)
		return NULL;
	return xetile_policy_find(array_index_nospec(color, XETILE_NUM_POLICIES));
}

/**
 * xetile_ioctl_color_check() - check a color as far as its numbers tell
 * @args: the color
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int xetile_ioctl_color_check(const struct xetile_ioctl_color *args)
{
	const struct xetile_policy *policy = find_policy(args->color);

	if (!policy)
		return -EINVAL;
	if (args->granule && (!policy->needs_granule ||
			      !IS_ALIGNED(args->granule, XETILE_COLOR_PAGE) ||
			      args->granule / XETILE_COLOR_PAGE > U32_MAX))
		return -EINVAL;
	if (policy->needs_runs != !!args->runs->data || policy->needs_runs != !!args->runs->count)
		return -EINVAL;
	return 0;
}

/**
 * xetile_ioctl_color_read() - read a color with its runs
 * @xt: card
 * @args: the color, which passed xetile_ioctl_color_check()
 * @pages: color pages of what is colored
 * @color: filled in; the caller frees @color->runs by kvfree() unless the call fails
 *
 * Context: process; may sleep.
 * Return: 0; -EFAULT, -ENOMEM, -EINVAL as the uAPI header says.
 */
int xetile_ioctl_color_read(struct xetile_device *xt, const struct xetile_ioctl_color *args,
			    u64 pages, struct xetile_coloring *color)
{
	u32 present = GENMASK(xt->num_tiles - 1, 0);
	void *runs;
	int err;

	/* The coloring keeps the number, by which later calls choose functions. */
	color->policy = array_index_nospec(args->color, XETILE_NUM_POLICIES);
	color->tile_mask = args->tile_mask ?: present;
	if (xetile_policy_find(color->policy)->needs_granule)
		color->granule = args->granule ? args->granule / XETILE_COLOR_PAGE : 1;

	runs = xetile_ioctl_array(args->runs, struct drm_xetile_color_run, pages);
	if (IS_ERR(runs))
		return PTR_ERR(runs);
	color->runs = runs;
	color->num_runs = args->runs->count;
	err = xetile_color_check(color, pages, present);
	if (err)
		kvfree(runs);
	return err;
}
