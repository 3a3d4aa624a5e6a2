/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_LRC_RECORD_H__
#define __XETILE_LRC_RECORD_H__

struct xetile_device;

int xetile_lrc_record(struct xetile_device *xt);

#endif
