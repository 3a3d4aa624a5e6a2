// SPDX-License-Identifier: GPL-2.0-only
#include "look/xetile_sysfs_ccs.h"

#include <linux/bitops.h>
#include <linux/device.h>
#include <linux/kobject.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "card/xetile_awake.h"
#include "exec/xetile_ccs.h"
#include "exec/xetile_sched.h"
#include "look/xetile_sysfs_folder.h"
#include "xetile_device.h"

/**
 * DOC: files of a tile's compute slices
 *
 * A tile's folder gt0 has the CCS mode of the tile, the modes it can be put in, and who keeps it
 * from changing. Documentation/ABI/testing/sysfs-driver-xetile describes the files, and the uevent
 * that tells of a change.
 *
 * The rights of the file ccs_mode are the only check of who may change the mode: so a site can give
 * them to a group.
 */

/* From the change of a mode to its event: the last event has the mode that holds. */
static DEFINE_MUTEX(changes);

static ssize_t num_cslices_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", hweight8(xetile_folder_tile(kobj)->fuse.cslice_mask));
}

static ssize_t available_ccs_modes_show(struct kobject *kobj, struct kobj_attribute *attr,
					char *buf)
{
	unsigned long modes = xetile_ccs_modes(xetile_folder_tile(kobj));
	unsigned int mode;
	int len = 0;

	for_each_set_bit(mode, &modes, BITS_PER_TYPE(u32))
		len += sysfs_emit_at(buf, len, "%s%u", len ? " " : "", mode);
	len += sysfs_emit_at(buf, len, "\n");
	return len;
}

static ssize_t ccs_mode_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", xetile_ccs_mode(xetile_folder_tile(kobj)));
}

/*
 * The event comes from the PCI device, to which the files belong: it is there before the DRM device
 * is announced. An event that finds no memory is lost, which does not undo the change.
 */
static void tell_change(struct xetile_tile *tile, unsigned int mode)
{
	char number[] = "XETILE_TILE=0123456789", value[] = "XETILE_CCS_MODE=0123456789";
	char *env[3] = { number, value };

	lockdep_assert_held(&changes);
	snprintf(number, sizeof(number), "XETILE_TILE=%u", tile->id);
	snprintf(value, sizeof(value), "XETILE_CCS_MODE=%u", mode);
	kobject_uevent_env(&tile->xt->drm.dev->kobj, KOBJ_CHANGE, env);
}

static int change_mode(struct kobject *folder, unsigned int mode)
{
	struct xetile_tile *tile = xetile_folder_tile(folder);
	int ret;

	guard(mutex)(&changes);
	ret = xetile_ccs_set_mode(tile, mode);
	if (ret <= 0)
		return ret;
	xetile_sched_idle_mode(tile, mode);
	tell_change(tile, mode);
	sysfs_notify(folder, NULL, "ccs_mode");
	return 0;
}

static ssize_t ccs_mode_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			      size_t count)
{
	struct xetile_tile *tile = xetile_folder_tile(kobj);
	unsigned int mode;
	int idx, err;

	if (xetile_folder_number(buf, &mode))
		return -EINVAL;
	if (mode > XETILE_MAX_CSLICES || !(xetile_ccs_modes(tile) & BIT(mode)))
		return -EINVAL;

	err = xetile_awake_enter(tile->xt, &idx);
	if (err)
		return err;
	err = change_mode(kobj, mode);
	xetile_awake_exit(tile->xt, idx);
	return err ?: count;
}

static ssize_t ccs_mode_policy_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	enum xetile_ccs_policy policy = xetile_ccs_policy(xetile_folder_tile(kobj));

	return sysfs_emit(buf, "%s\n", xetile_ccs_policy_names[policy]);
}

static ssize_t ccs_mode_policy_store(struct kobject *kobj, struct kobj_attribute *attr,
				     const char *buf, size_t count)
{
	int policy = sysfs_match_string(xetile_ccs_policy_names, buf);

	if (policy < 0)
		return policy;
	xetile_ccs_set_policy(xetile_folder_tile(kobj), policy);
	/* A change of the mode may not have to wait any more. */
	xetile_ccs_files_notify(kobj);
	return count;
}

static ssize_t ccs_mode_holders_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return xetile_ccs_holders(xetile_folder_tile(kobj), buf, PAGE_SIZE);
}

static struct kobj_attribute num_cslices = __ATTR_RO(num_cslices);
static struct kobj_attribute available_ccs_modes = __ATTR_RO(available_ccs_modes);
static struct kobj_attribute ccs_mode = __ATTR_RW(ccs_mode);
static struct kobj_attribute ccs_mode_policy = __ATTR_RW(ccs_mode_policy);
/* The file names processes of all users, so not everybody may read it. */
static struct kobj_attribute ccs_mode_holders = __ATTR_RO_MODE(ccs_mode_holders, 0400);

static struct attribute *ccs_attrs[] = {
	&num_cslices.attr,
	&available_ccs_modes.attr,
	&ccs_mode.attr,
	&ccs_mode_policy.attr,
	&ccs_mode_holders.attr,
	NULL
};

static const struct attribute_group ccs_group = { .attrs = ccs_attrs };

const struct attribute_group *xetile_ccs_groups[] = { &ccs_group, NULL };

/**
 * xetile_ccs_files_notify() - wake those who wait until the mode can change
 * @folder: the folder, which has xetile_ccs_groups and is not being removed
 *
 * Who may write ccs_mode need not be allowed to read who holds it, so both files are polled.
 *
 * Context: process.
 */
void xetile_ccs_files_notify(struct kobject *folder)
{
	sysfs_notify(folder, NULL, "ccs_mode");
	sysfs_notify(folder, NULL, "ccs_mode_holders");
}
