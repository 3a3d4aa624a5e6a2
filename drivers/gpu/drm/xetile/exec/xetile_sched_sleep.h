/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SCHED_SLEEP_H__
#define __XETILE_SCHED_SLEEP_H__

struct xetile_sched;

void xetile_sched_suspend_users(struct xetile_sched *sched);
void xetile_sched_suspend_own(struct xetile_sched *sched);
void xetile_sched_resume_own(struct xetile_sched *sched);
void xetile_sched_resume_users(struct xetile_sched *sched);
void xetile_sched_force_load(struct xetile_sched *sched);

#endif
