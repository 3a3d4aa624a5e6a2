/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_EXEC_H__
#define __XETILE_EXEC_H__

struct xetile_device;

/*
 * The whole of exec/ as xetile_bringup.c sees it: brought up after memory, before
 * the DRM device is registered; taken down in the reverse order.
 */
int xetile_exec_init(struct xetile_device *xt);
void xetile_exec_stop(struct xetile_device *xt);
void xetile_exec_wedge(struct xetile_device *xt, int error);
void xetile_exec_tell(struct xetile_device *xt);
void xetile_exec_fini(struct xetile_device *xt);

#endif
