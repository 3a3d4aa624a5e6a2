/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_DEBUGFS_H__
#define __XETILE_DEBUGFS_H__

struct xetile_device;

#ifdef CONFIG_DEBUG_FS
void xetile_debugfs_init(struct xetile_device *xt);
#else
static inline void xetile_debugfs_init(struct xetile_device *xt)
{
}
#endif

#endif
