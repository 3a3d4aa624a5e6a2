/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_XE_SYNC_H__
#define __XETILE_XE_SYNC_H__

#include <linux/bits.h>
#include <linux/types.h>

struct drm_file;
struct xetile_sync_set;

/* What the syncs of a call may be */
#define XETILE_XE_SYNCS_NO_FENCES	BIT(0)	/* signal no syncobj: the VM is long-running */
#define XETILE_XE_SYNCS_STORE		BIT(1)	/* a user fence is at a GPU address, and alone */
#define XETILE_XE_SYNCS_NO_USER		BIT(2)	/* no user fence */

int xetile_xe_syncs(struct drm_file *file, u64 user, u32 num, u32 kinds,
		    struct xetile_sync_set *syncs);

#endif
