/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PURGE_H__
#define __XETILE_PURGE_H__

#include <linux/types.h>

struct xetile_bo;

int xetile_purge_allow(struct xetile_bo *bo, bool *retained);
int xetile_purge_forbid(struct xetile_bo *bo, bool *retained);

#endif
