/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_QUEUE_ENGINES_H__
#define __XETILE_QUEUE_ENGINES_H__

struct xetile_queue;
struct xetile_sched_queue;

void xetile_queue_bind(struct xetile_sched_queue *sq);
void xetile_queue_unbind(struct xetile_sched_queue *sq);
unsigned int xetile_queue_claims(struct xetile_sched_queue *sq);
unsigned int xetile_queue_group(const struct xetile_queue *queue);
int xetile_queue_attach(struct xetile_queue *queue, unsigned int wanted);
void xetile_queue_detach(struct xetile_queue *queue);

#endif
