// SPDX-License-Identifier: GPL-2.0-only
#include "look/xetile_sysfs_freq.h"

#include <linux/array_size.h>
#include <linux/build_bug.h>
#include <linux/kobject.h>

#include "regs/pvc_soc_regs.h"

#include "card/xetile_awake.h"
#include "card/xetile_freq.h"
#include "card/xetile_tile.h"
#include "look/xetile_sysfs_folder.h"
#include "xetile_device.h"

/**
 * DOC: frequencies
 *
 * The files of a tile's folder freq0 have the names that xe gives them (xe: xe_gt_freq.c,
 * xe_gt_throttle.c). Documentation/ABI/testing/sysfs-driver-xetile describes them. The folder tells
 * the tile of the files of throttle, too, because a named group belongs to the folder above it.
 */

static ssize_t emit(int mhz, char *buf)
{
	return mhz < 0 ? mhz : sysfs_emit(buf, "%d\n", mhz);
}

/* A tile that is asleep does not run, and nothing is asked of it. */
static ssize_t emit_awake(struct xetile_tile *tile, int (*read)(struct xetile_tile *tile),
			  char *buf)
{
	int mhz = 0;

	if (xetile_awake_look(tile->xt)) {
		mhz = read(tile);
		xetile_awake_looked(tile->xt);
	}
	return emit(mhz, buf);
}

static ssize_t rp0_freq_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return emit(xetile_folder_tile(kobj)->freq.rp0, buf);
}

static ssize_t rpe_freq_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return emit(xetile_folder_tile(kobj)->freq.rpe, buf);
}

static ssize_t rpn_freq_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return emit(xetile_folder_tile(kobj)->freq.rpn, buf);
}

static ssize_t cur_freq_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return emit_awake(xetile_folder_tile(kobj), xetile_freq_requested, buf);
}

static ssize_t act_freq_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return emit_awake(xetile_folder_tile(kobj), xetile_freq_actual, buf);
}

static ssize_t min_freq_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return emit(xetile_freq_bound(xetile_folder_tile(kobj), XETILE_FREQ_MIN), buf);
}

static ssize_t max_freq_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return emit(xetile_freq_bound(xetile_folder_tile(kobj), XETILE_FREQ_MAX), buf);
}

static ssize_t bound_store(struct kobject *kobj, enum xetile_freq_bound which, const char *buf,
			   size_t count)
{
	struct xetile_tile *tile = xetile_folder_tile(kobj);
	unsigned int mhz;
	int idx, err;

	err = xetile_folder_number(buf, &mhz);
	if (err)
		return err;
	err = xetile_awake_enter(tile->xt, &idx);
	if (err)
		return err;
	err = xetile_freq_set_bound(tile, which, mhz);
	xetile_awake_exit(tile->xt, idx);
	return err ?: count;
}

static ssize_t min_freq_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			      size_t count)
{
	return bound_store(kobj, XETILE_FREQ_MIN, buf, count);
}

static ssize_t max_freq_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			      size_t count)
{
	return bound_store(kobj, XETILE_FREQ_MAX, buf, count);
}

static struct kobj_attribute rp0_freq = __ATTR_RO(rp0_freq);
static struct kobj_attribute rpe_freq = __ATTR_RO(rpe_freq);
static struct kobj_attribute rpn_freq = __ATTR_RO(rpn_freq);
static struct kobj_attribute cur_freq = __ATTR_RO(cur_freq);
static struct kobj_attribute act_freq = __ATTR_RO(act_freq);
static struct kobj_attribute min_freq = __ATTR_RW(min_freq);
static struct kobj_attribute max_freq = __ATTR_RW(max_freq);

static struct attribute *freq_attrs[] = {
	&rp0_freq.attr,
	&rpe_freq.attr,
	&rpn_freq.attr,
	&cur_freq.attr,
	&act_freq.attr,
	&min_freq.attr,
	&max_freq.attr,
	NULL
};

static const struct attribute_group freq_group = { .attrs = freq_attrs };

/** struct reason_attribute - a file that tells whether one of some reasons is true */
struct reason_attribute {
	struct kobj_attribute base;
	u32 reasons;
};

static ssize_t reason_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct reason_attribute *file = container_of(attr, struct reason_attribute, base);
	struct xetile_tile *tile = xetile_folder_tile(kobj);
	u32 reasons = 0;
	int err = 0;

	if (xetile_awake_look(tile->xt)) {
		err = xetile_freq_limits(tile, &reasons);
		xetile_awake_looked(tile->xt);
	}
	return err ?: sysfs_emit(buf, "%u\n", !!(reasons & file->reasons));
}

#define REASON(name_, reasons_) { \
	.base = __ATTR(name_, 0444, reason_show, NULL), .reasons = PVC_LIMIT_##reasons_, \
}

static struct reason_attribute reasons[] = {
	REASON(status, ANY),
	REASON(reason_pl1, POWER_1),
	REASON(reason_pl2, POWER_2),
	REASON(reason_pl4, POWER_4),
	REASON(reason_thermal, THERMAL),
	REASON(reason_prochot, PROCHOT),
	REASON(reason_ratl, RATL),
	REASON(reason_vr_thermalert, VR_THERMALERT),
	REASON(reason_vr_tdc, VR_TDC),
};

static struct attribute *throttle_attrs[] = {
	&reasons[0].base.attr,
	&reasons[1].base.attr,
	&reasons[2].base.attr,
	&reasons[3].base.attr,
	&reasons[4].base.attr,
	&reasons[5].base.attr,
	&reasons[6].base.attr,
	&reasons[7].base.attr,
	&reasons[8].base.attr,
	NULL
};

static_assert(ARRAY_SIZE(throttle_attrs) == ARRAY_SIZE(reasons) + 1);

static const struct attribute_group throttle_group = {
	.name = "throttle", .attrs = throttle_attrs,
};

const struct attribute_group *xetile_freq_groups[] = { &freq_group, &throttle_group, NULL };
