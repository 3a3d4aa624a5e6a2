/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SYSFS_FOLDER_H__
#define __XETILE_SYSFS_FOLDER_H__

#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kobject.h>
#include <linux/kstrtox.h>

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

/**
 * xetile_folder_tile() - the tile of a folder
 * @kobj: the folder, as functions of attributes get it
 *
 * Return: the tile.
 */
static inline struct xetile_tile *xetile_folder_tile(struct kobject *kobj)
{
	return xetile_folder_of(kobj)->tile;
}

/**
 * xetile_folder_number() - read the number that was written to a file
 * @buf: the text: decimal digits and nothing else, except for a newline at the end
 * @number: filled in
 *
 * Return: 0, or -EINVAL: a number that is too large is as wrong as a word.
 */
static inline int xetile_folder_number(const char *buf, unsigned int *number)
{
	return !isdigit(*buf) || kstrtouint(buf, 10, number) ? -EINVAL : 0;
}

#endif
