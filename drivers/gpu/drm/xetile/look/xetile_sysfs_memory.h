/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SYSFS_MEMORY_H__
#define __XETILE_SYSFS_MEMORY_H__

#include <linux/sysfs.h>

/* The files of a folder with sizes of HBM */
extern const struct attribute_group *xetile_memory_groups[];

#endif
