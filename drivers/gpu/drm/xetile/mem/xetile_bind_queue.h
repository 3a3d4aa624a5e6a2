/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_BIND_QUEUE_H__
#define __XETILE_BIND_QUEUE_H__

struct xetile_account;
struct xetile_bind_queue;
struct xetile_vm;
struct xetile_vm_line;

struct xetile_bind_queue *xetile_bind_queue_create(struct xetile_vm *vm,
						   struct xetile_account *account);
struct xetile_bind_queue *xetile_bind_queue_get(struct xetile_bind_queue *queue);
void xetile_bind_queue_put(struct xetile_bind_queue *queue);
struct xetile_vm_line *xetile_bind_queue_line(struct xetile_bind_queue *queue,
					      const struct xetile_vm *vm);

#endif
