/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_RELEASE_H__
#define __XETILE_RELEASE_H__

struct work_struct;
struct xetile_device;

int xetile_release_init(void);
void xetile_release_fini(void);
int xetile_release_count(struct xetile_device *xt);
void xetile_release_queue(struct work_struct *work);
void xetile_release_queue_user(struct work_struct *work);
void xetile_release_queue_fault(struct work_struct *work);
void xetile_release_recover(struct xetile_device *xt);

#endif
