/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SYSFS_FREQ_H__
#define __XETILE_SYSFS_FREQ_H__

#include <linux/sysfs.h>

/* The files of a folder with a tile's frequencies, and its folder throttle */
extern const struct attribute_group *xetile_freq_groups[];

#endif
