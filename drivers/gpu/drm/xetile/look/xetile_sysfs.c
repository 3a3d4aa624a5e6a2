// SPDX-License-Identifier: GPL-2.0-only
#include "look/xetile_sysfs.h"

#include <linux/device.h>
#include <linux/kobject.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "look/xetile_sysfs_ccs.h"
#include "look/xetile_sysfs_errors.h"
#include "look/xetile_sysfs_folder.h"
#include "look/xetile_sysfs_freq.h"
#include "look/xetile_sysfs_memory.h"
#include "xetile_device.h"

/**
 * DOC: files
 *
 * The PCI device has a folder tileT for each tile, with the folders errors, memory and gt0 in it,
 * and one engines/CLASS below gt0 for each class of engines. A link gtT leads to gt0, too; the
 * kernel removes it with its folder.
 * Documentation/ABI/testing/sysfs-driver-xetile describes the files. They exist before the DRM
 * device's nodes are announced.
 */

/** enum folder_id - the folders of a tile, each listed after its parent */
enum folder_id {
	FOLDER_TILE,
	FOLDER_ERRORS,
	FOLDER_MEMORY,
	FOLDER_GT,
	FOLDER_FREQ,
	FOLDER_ENGINES,
	FOLDER_CCS,
	FOLDER_CCS_DEFAULTS,
	FOLDER_BCS,
	FOLDER_BCS_DEFAULTS,
	NUM_FOLDERS
};

/** struct xetile_sysfs - the folders of a tile */
struct xetile_sysfs {
	/** @lock: keeps the folders from being removed while a waiter is woken */
	struct mutex lock;
	/** @folders: NULL when they were removed */
	struct xetile_folder *folders[NUM_FOLDERS];
};

/** struct time_attribute - a file for one part of a time of a class of engines */
struct time_attribute {
	struct kobj_attribute base;
	enum xetile_time time;
	enum xetile_time_part part;
};

static const struct time_attribute *to_time(struct kobj_attribute *attr)
{
	return container_of(attr, struct time_attribute, base);
}

static struct xetile_times *times_of(struct kobject *kobj)
{
	struct xetile_folder *folder = xetile_folder_of(kobj);

	return xetile_tile_times(folder->tile, folder->id == FOLDER_CCS ? XETILE_ENGINE_COMPUTE :
									  XETILE_ENGINE_COPY);
}

static ssize_t time_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct time_attribute *time = to_time(attr);

	return sysfs_emit(buf, "%u\n", xetile_times_read(times_of(kobj), time->time, time->part));
}

static ssize_t time_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			  size_t count)
{
	const struct time_attribute *time = to_time(attr);
	unsigned int value;
	int err;

	err = xetile_folder_number(buf, &value);
	if (!err)
		err = xetile_times_write(times_of(kobj), time->time, time->part, value);
	return err ?: count;
}

static ssize_t default_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct time_attribute *time = to_time(attr);

	return sysfs_emit(buf, "%u\n", xetile_times_read(&xetile_times_default, time->time,
							 time->part));
}

#define TIME(name_, mode_, show_, store_, time_, part_) { \
	.base = __ATTR(name_, mode_, show_, store_), \
	.time = XETILE_TIME_##time_, .part = XETILE_TIME_##part_, \
}

#define TIME_RW(name_, time_, part_) TIME(name_, 0644, time_show, time_store, time_, part_)
#define TIME_RO(name_, time_, part_) TIME(name_, 0444, default_show, NULL, time_, part_)

static struct time_attribute times[] = {
	TIME_RW(job_timeout_ms, JOB, SET),
	TIME_RW(job_timeout_min, JOB, MIN),
	TIME_RW(job_timeout_max, JOB, MAX),
	TIME_RW(preempt_timeout_us, PREEMPT, SET),
	TIME_RW(preempt_timeout_min, PREEMPT, MIN),
	TIME_RW(preempt_timeout_max, PREEMPT, MAX),
	TIME_RW(timeslice_duration_us, SLICE, SET),
	TIME_RW(timeslice_duration_min, SLICE, MIN),
	TIME_RW(timeslice_duration_max, SLICE, MAX),
};

static struct time_attribute defaults[] = {
	TIME_RO(job_timeout_ms, JOB, SET),
	TIME_RO(job_timeout_min, JOB, MIN),
	TIME_RO(job_timeout_max, JOB, MAX),
	TIME_RO(preempt_timeout_us, PREEMPT, SET),
	TIME_RO(preempt_timeout_min, PREEMPT, MIN),
	TIME_RO(preempt_timeout_max, PREEMPT, MAX),
	TIME_RO(timeslice_duration_us, SLICE, SET),
	TIME_RO(timeslice_duration_min, SLICE, MIN),
	TIME_RO(timeslice_duration_max, SLICE, MAX),
};

static struct attribute *class_attrs[] = {
	&times[0].base.attr,
	&times[1].base.attr,
	&times[2].base.attr,
	&times[3].base.attr,
	&times[4].base.attr,
	&times[5].base.attr,
	&times[6].base.attr,
	&times[7].base.attr,
	&times[8].base.attr,
	NULL
};
ATTRIBUTE_GROUPS(class);
static_assert(ARRAY_SIZE(class_attrs) == ARRAY_SIZE(times) + 1);

static struct attribute *defaults_attrs[] = {
	&defaults[0].base.attr,
	&defaults[1].base.attr,
	&defaults[2].base.attr,
	&defaults[3].base.attr,
	&defaults[4].base.attr,
	&defaults[5].base.attr,
	&defaults[6].base.attr,
	&defaults[7].base.attr,
	&defaults[8].base.attr,
	NULL
};
ATTRIBUTE_GROUPS(defaults);
static_assert(ARRAY_SIZE(defaults_attrs) == ARRAY_SIZE(defaults) + 1);

static void folder_release(struct kobject *kobj)
{
	kfree(xetile_folder_of(kobj));
}

#define TYPE(groups_) { \
	.release = folder_release, .sysfs_ops = &kobj_sysfs_ops, .default_groups = (groups_), \
}

static const struct kobj_type plain_type = TYPE(NULL);
static const struct kobj_type errors_type = TYPE(xetile_error_groups);
static const struct kobj_type memory_type = TYPE(xetile_memory_groups);
static const struct kobj_type freq_type = TYPE(xetile_freq_groups);
static const struct kobj_type gt_type = TYPE(xetile_ccs_groups);
static const struct kobj_type class_type = TYPE(class_groups);
static const struct kobj_type defaults_type = TYPE(defaults_groups);

static const struct {
	const struct kobj_type *type;
	/* name, with %u for the tile's number */
	const char *name;
	/* the folder itself: its parent is the PCI device's folder */
	enum folder_id parent;
} plan[NUM_FOLDERS] = {
	[FOLDER_TILE] = { &plain_type, "tile%u", FOLDER_TILE },
	[FOLDER_ERRORS] = { &errors_type, "errors", FOLDER_TILE },
	[FOLDER_MEMORY] = { &memory_type, "memory", FOLDER_TILE },
	[FOLDER_GT] = { &gt_type, "gt0", FOLDER_TILE },
	[FOLDER_FREQ] = { &freq_type, "freq0", FOLDER_GT },
	[FOLDER_ENGINES] = { &plain_type, "engines", FOLDER_GT },
	[FOLDER_CCS] = { &class_type, "ccs", FOLDER_ENGINES },
	[FOLDER_CCS_DEFAULTS] = { &defaults_type, ".defaults", FOLDER_CCS },
	[FOLDER_BCS] = { &class_type, "bcs", FOLDER_ENGINES },
	[FOLDER_BCS_DEFAULTS] = { &defaults_type, ".defaults", FOLDER_BCS },
};

static struct xetile_folder *folder_create(struct xetile_tile *tile, enum folder_id id)
{
	struct kobject *parent = plan[id].parent == id ?
		&tile->xt->drm.dev->kobj : &tile->sysfs->folders[plan[id].parent]->kobj;
	struct xetile_folder *folder;
	int err;

	folder = kzalloc(sizeof(*folder), GFP_KERNEL);
	if (!folder)
		return ERR_PTR(-ENOMEM);
	folder->tile = tile;
	folder->id = id;
	err = kobject_init_and_add(&folder->kobj, plan[id].type, parent, plan[id].name, tile->id);
	if (err) {
		kobject_put(&folder->kobj);
		return ERR_PTR(err);
	}
	return folder;
}

static void folder_destroy(struct xetile_folder *folder)
{
	/* Waits for reads and writes of the folder's files. */
	kobject_del(&folder->kobj);
	kobject_put(&folder->kobj);
}

/* Wakes processes that wait until they can change the mode. */
static void notify_idle(struct xetile_tile *tile)
{
	guard(mutex)(&tile->sysfs->lock);
	if (tile->sysfs->folders[FOLDER_GT])
		xetile_ccs_files_notify(&tile->sysfs->folders[FOLDER_GT]->kobj);
}

/* The driver xe numbers GTs through all tiles, and Intel's management library relies on that. */
static int link_gt(struct xetile_tile *tile)
{
	struct xetile_folder **folders = tile->sysfs->folders;
	char name[16];

	if (!tile->id)
		return 0;
	snprintf(name, sizeof(name), "gt%u", tile->id);
	return sysfs_create_link(&folders[FOLDER_TILE]->kobj, &folders[FOLDER_GT]->kobj, name);
}

static int tile_init(struct xetile_tile *tile)
{
	struct drm_device *drm = &tile->xt->drm;
	struct xetile_sysfs *sysfs;
	enum folder_id id;
	int err;

	sysfs = drmm_kzalloc(drm, sizeof(*sysfs), GFP_KERNEL);
	if (!sysfs)
		return -ENOMEM;
	err = drmm_mutex_init(drm, &sysfs->lock);
	if (err)
		return err;
	tile->sysfs = sysfs;
	tile->ccs_idle = notify_idle;

	for (id = 0; id < NUM_FOLDERS; id++) {
		struct xetile_folder *folder = folder_create(tile, id);

		if (IS_ERR(folder))
			return PTR_ERR(folder);
		sysfs->folders[id] = folder;
	}
	return link_gt(tile);
}

/**
 * xetile_sysfs_init() - make the files of a card's tiles
 * @xt: the card; the objects that the files show exist
 *
 * Context: process.
 * Return: 0, -ENOMEM, -EEXIST; on failure no file is left.
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
 * xetile_sysfs_fini() - remove the files of a card's tiles
 * @xt: the card
 *
 * No read or write of the files runs on return.
 *
 * Context: process.
 */
void xetile_sysfs_fini(struct xetile_device *xt)
{
	struct xetile_tile *tile;

	xetile_for_each_tile(tile, xt) {
		struct xetile_folder *folders[NUM_FOLDERS];
		unsigned int id;

		if (!tile->sysfs)
			continue;
		/* Nothing wakes who polls a file that is removed; a try now tells ENODEV. */
		notify_idle(tile);
		scoped_guard(mutex, &tile->sysfs->lock) {
			memcpy(folders, tile->sysfs->folders, sizeof(folders));
			memset(tile->sysfs->folders, 0, sizeof(folders));
		}
		/* Without the lock, because a write that is under way may wake waiters */
		for (id = NUM_FOLDERS; id--; )
			if (folders[id])
				folder_destroy(folders[id]);
	}
}
