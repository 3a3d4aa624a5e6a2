/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SYSFS_FOLDER_H__
#define __XETILE_SYSFS_FOLDER_H__

#include <linux/kobject.h>

/**
 * DOC: folders
 *
 * A folder of a tile in sysfs, for the files that show what belongs to the tile. xetile_sysfs.c
 * makes and removes folders.
 */

struct xetile_tile;

/** struct xetile_folder - a folder that knows its tile */
struct xetile_folder {
	/** @kobj: the folder in sysfs */
	struct kobject kobj;
	/** @tile: the tile, which is bound as long as a file of the folder is read or written */
	struct xetile_tile *tile;
	/** @id: which of the tile's folders; see xetile_sysfs.c */
	unsigned int id;
};

/**
 * xetile_folder_of() - a folder
 * @kobj: the folder, as functions of attributes get it
 *
 * Return: the same folder.
 */
static inline struct xetile_folder *xetile_folder_of(struct kobject *kobj)
{
	return container_of(kobj, struct xetile_folder, kobj);
}

#endif
