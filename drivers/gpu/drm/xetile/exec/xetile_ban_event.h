/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_BAN_EVENT_H__
#define __XETILE_BAN_EVENT_H__

struct xetile_sched;
struct xetile_sched_queue;

void xetile_ban_event_init(struct xetile_sched *sched);
void xetile_ban_event_note_locked(struct xetile_sched_queue *sq);
void xetile_ban_event_send(struct xetile_sched *sched);

#endif
