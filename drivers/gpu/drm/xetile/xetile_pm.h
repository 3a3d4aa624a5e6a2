/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PM_H__
#define __XETILE_PM_H__

struct xetile_device;

int xetile_pm_init(struct xetile_device *xt);

/* The steps of a sleep, in this order */
int xetile_pm_prepare(struct xetile_device *xt);
int xetile_pm_save_users(struct xetile_device *xt);
void xetile_pm_save_own(struct xetile_device *xt);
void xetile_pm_restore_own(struct xetile_device *xt);
int xetile_pm_restore_users(struct xetile_device *xt);
void xetile_pm_go_on(struct xetile_device *xt);
void xetile_pm_complete(struct xetile_device *xt);

#endif
