/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SYSFS_ERRORS_H__
#define __XETILE_SYSFS_ERRORS_H__

#include <linux/sysfs.h>

/* The files of a folder with counts of errors */
extern const struct attribute_group *xetile_error_groups[];

#endif
