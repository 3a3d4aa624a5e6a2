/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SYSFS_CCS_H__
#define __XETILE_SYSFS_CCS_H__

#include <linux/sysfs.h>

/* The files of a folder with the compute slices and engines of a tile */
extern const struct attribute_group *xetile_ccs_groups[];

void xetile_ccs_files_notify(struct kobject *folder);

#endif
