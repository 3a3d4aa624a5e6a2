// SPDX-License-Identifier: GPL-2.0-only
#include "look/xetile_sysfs_memory.h"

#include <linux/kobject.h>
#include <linux/sysfs.h>

#include "look/xetile_sysfs_folder.h"
#include "mem/xetile_hbm.h"

/**
 * DOC: files of a tile's HBM
 *
 * A tile's folder memory says how much HBM the tile has, and how much of it is in use.
 * Documentation/ABI/testing/sysfs-driver-xetile describes the files. Everybody may read them, and
 * they show what QUERY tells of a tile.
 */

static ssize_t total_bytes_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", xetile_hbm_capacity(xetile_folder_tile(kobj)));
}

static ssize_t used_bytes_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", xetile_hbm_occupied(xetile_folder_tile(kobj)));
}

static ssize_t visible_bytes_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", xetile_hbm_reachable(xetile_folder_tile(kobj)));
}

static struct kobj_attribute total_bytes = __ATTR_RO(total_bytes);
static struct kobj_attribute used_bytes = __ATTR_RO(used_bytes);
static struct kobj_attribute visible_bytes = __ATTR_RO(visible_bytes);

static struct attribute *memory_attrs[] = {
	&total_bytes.attr,
	&used_bytes.attr,
	&visible_bytes.attr,
	NULL
};

static const struct attribute_group memory_group = { .attrs = memory_attrs };

const struct attribute_group *xetile_memory_groups[] = { &memory_group, NULL };
