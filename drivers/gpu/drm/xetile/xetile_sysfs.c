// SPDX-License-Identifier: GPL-2.0-only

#include "xetile_sysfs.h"

#include <linux/bitops.h>
#include <linux/device.h>
#include <linux/kobject.h>
#include <linux/kstrtox.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "xetile_cslice.h"
#include "xetile_device.h"

/**
 * DOC: files
 *
 * The PCI device has a folder tileT for each tile, with a folder gt0 in it. The
 * files there are described in Documentation/ABI/testing/sysfs-driver-xetile.
 */

/** struct folder - a folder that knows its tile */
struct folder {
	struct kobject kobj;
	struct xetile_tile *tile;
};

/** struct xetile_sysfs - the folders of a tile */
struct xetile_sysfs {
	/** @lock: keeps the folders from going while a waiter is woken */
	struct mutex lock;
	/** @tile: tileT; NULL when it is gone */
	struct folder *tile;
	/** @gt: tileT/gt0; NULL when it is gone */
	struct folder *gt;
};

static struct xetile_tile *tile_of(struct kobject *kobj)
{
	return container_of(kobj, struct folder, kobj)->tile;
}

static ssize_t num_cslices_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", hweight8(tile_of(kobj)->fuse.cslice_mask));
}

static ssize_t available_ccs_modes_show(struct kobject *kobj, struct kobj_attribute *attr,
					char *buf)
{
	unsigned long modes = xetile_ccs_modes(tile_of(kobj));
	unsigned int mode;
	int len = 0;

	for_each_set_bit(mode, &modes, BITS_PER_TYPE(u32))
		len += sysfs_emit_at(buf, len, "%s%u", len ? " " : "", mode);
	len += sysfs_emit_at(buf, len, "\n");
	return len;
}

static ssize_t ccs_mode_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", xetile_ccs_mode(tile_of(kobj)));
}

static ssize_t ccs_mode_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			      size_t count)
{
	struct xetile_tile *tile = tile_of(kobj);
	unsigned int mode;
	int idx, err;

	/* Too large a number is no more a mode than a word is. */
	if (kstrtouint(buf, 0, &mode))
		return -EINVAL;
	if (mode > XETILE_MAX_CSLICES || !(xetile_ccs_modes(tile) & BIT(mode)))
		return -EINVAL;

	if (!drm_dev_enter(&tile->xt->drm, &idx))
		return -ENODEV;
	err = xetile_ccs_set_mode(tile, mode);
	drm_dev_exit(idx);
	return err ? err : count;
}

static ssize_t ccs_mode_holders_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return xetile_ccs_holders(tile_of(kobj), buf, PAGE_SIZE);
}

static struct kobj_attribute num_cslices = __ATTR_RO(num_cslices);
static struct kobj_attribute available_ccs_modes = __ATTR_RO(available_ccs_modes);
static struct kobj_attribute ccs_mode = __ATTR_RW(ccs_mode);
static struct kobj_attribute ccs_mode_holders = __ATTR_RO(ccs_mode_holders);

static struct attribute *gt_attrs[] = {
	&num_cslices.attr,
	&available_ccs_modes.attr,
	&ccs_mode.attr,
	&ccs_mode_holders.attr,
	NULL
};
ATTRIBUTE_GROUPS(gt);

static void folder_release(struct kobject *kobj)
{
	kfree(container_of(kobj, struct folder, kobj));
}

static const struct kobj_type tile_type = {
	.release = folder_release,
	.sysfs_ops = &kobj_sysfs_ops,
};

static const struct kobj_type gt_type = {
	.release = folder_release,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = gt_groups,
};

static struct folder *folder_create(struct xetile_tile *tile, const struct kobj_type *type,
				    struct kobject *parent, const char *fmt, unsigned int number)
{
	struct folder *folder;
	int err;

	folder = kzalloc(sizeof(*folder), GFP_KERNEL);
	if (!folder)
		return ERR_PTR(-ENOMEM);
	folder->tile = tile;
	err = kobject_init_and_add(&folder->kobj, type, parent, fmt, number);
	if (err) {
		kobject_put(&folder->kobj);
		return ERR_PTR(err);
	}
	return folder;
}

static void folder_destroy(struct folder *folder)
{
	/* Waits for reads and writes of its files. */
	kobject_del(&folder->kobj);
	kobject_put(&folder->kobj);
}

/* Wakes who polls ccs_mode_holders. */
static void notify_idle(struct xetile_tile *tile)
{
	guard(mutex)(&tile->sysfs->lock);
	if (tile->sysfs->gt)
		sysfs_notify(&tile->sysfs->gt->kobj, NULL, "ccs_mode_holders");
}

static int tile_init(struct xetile_tile *tile)
{
	struct drm_device *drm = &tile->xt->drm;
	struct xetile_sysfs *sysfs;
	struct folder *folder;
	int err;

	sysfs = drmm_kzalloc(drm, sizeof(*sysfs), GFP_KERNEL);
	if (!sysfs)
		return -ENOMEM;
	err = drmm_mutex_init(drm, &sysfs->lock);
	if (err)
		return err;
	tile->sysfs = sysfs;
	tile->ccs_idle = notify_idle;

	folder = folder_create(tile, &tile_type, &drm->dev->kobj, "tile%u", tile->id);
	if (IS_ERR(folder))
		return PTR_ERR(folder);
	sysfs->tile = folder;
	folder = folder_create(tile, &gt_type, &folder->kobj, "gt%u", 0);
	if (IS_ERR(folder))
		return PTR_ERR(folder);
	sysfs->gt = folder;
	return 0;
}

/**
 * xetile_sysfs_init - make the files of a card's tiles
 * @xt: the card; all they show is ready
 *
 * Context: process.
 * Return: 0, -ENOMEM, -EEXIST; nothing is left of it then.
 */
int xetile_sysfs_init(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	int err;

	xetile_for_each_tile(tile, xt) {
		err = tile_init(tile);
		if (err) {
			drm_err(&xt->drm, "tile%u: no folder in sysfs: %d\n", tile->id, err);
			xetile_sysfs_fini(xt);
			return err;
		}
	}
	return 0;
}

/**
 * xetile_sysfs_fini - remove the files of a card's tiles
 * @xt: the card
 *
 * No read or write of them runs when it returns.
 *
 * Context: process.
 */
void xetile_sysfs_fini(struct xetile_device *xt)
{
	struct xetile_tile *tile;

	xetile_for_each_tile(tile, xt) {
		struct folder *tile_folder, *gt_folder;

		if (!tile->sysfs)
			continue;
		scoped_guard(mutex, &tile->sysfs->lock) {
			tile_folder = tile->sysfs->tile;
			gt_folder = tile->sysfs->gt;
			tile->sysfs->tile = NULL;
			tile->sysfs->gt = NULL;
		}
		/* Without the lock: a write under way may wake waiters. */
		if (gt_folder)
			folder_destroy(gt_folder);
		if (tile_folder)
			folder_destroy(tile_folder);
	}
}
