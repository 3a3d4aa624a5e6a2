// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_bind_queue.h"

#include <linux/err.h>
#include <linux/kref.h>
#include <linux/slab.h>

#include "mem/xetile_account.h"
#include "mem/xetile_vm.h"
#include "mem/xetile_vm_update.h"

/**
 * DOC: queues of class BIND
 *
 * A bind queue is a line of changes of a VM's page tables for which the VM's jobs do not wait. It
 * has no engine, and the scheduler does not know it. The ioctls make it and give it up; changes
 * take their places in its line under the reservation of the VM.
 */

/** struct xetile_bind_queue - a place to submit binds to */
struct xetile_bind_queue {
	struct kref ref;
	struct xetile_account *account;
	struct xetile_vm *vm;
	/* under the VM's reservation */
	struct xetile_vm_line line;
};

/**
 * xetile_bind_queue_create() - make a bind queue
 * @vm: VM; the queue takes a reference, but does not count as a user of the VM, because no job
 *	comes from a bind queue
 * @account: of the file; the queue counts there until it is freed
 *
 * Context: process; may sleep.
 * Return: the queue with one reference; or an ERR_PTR: -EDQUOT: the file has all the queues
 * that it may, -ENOMEM.
 */
struct xetile_bind_queue *xetile_bind_queue_create(struct xetile_vm *vm,
						   struct xetile_account *account)
{
	struct xetile_bind_queue *queue = kzalloc_obj(*queue, GFP_KERNEL_ACCOUNT);
	int err;

	if (!queue)
		return ERR_PTR(-ENOMEM);
	/* A bind queue has no contexts. */
	err = xetile_account_take_queue(account, 0);
	if (err) {
		kfree(queue);
		return ERR_PTR(err);
	}
	kref_init(&queue->ref);
	queue->account = xetile_account_get(account);
	queue->vm = xetile_vm_get(vm);
	xetile_vm_line_init(&queue->line);
	return queue;
}

/**
 * xetile_bind_queue_get() - take a reference
 * @queue: a queue the caller has a reference of
 *
 * Context: any.
 * Return: @queue.
 */
struct xetile_bind_queue *xetile_bind_queue_get(struct xetile_bind_queue *queue)
{
	kref_get(&queue->ref);
	return queue;
}

static void bind_queue_release(struct kref *ref)
{
	struct xetile_bind_queue *queue = container_of(ref, struct xetile_bind_queue, ref);

	xetile_vm_line_fini(&queue->line);
	xetile_account_give_queue(queue->account, 0);
	xetile_account_put(queue->account);
	/* This may drop the last reference of the card. */
	xetile_vm_put(queue->vm);
	kfree(queue);
}

/**
 * xetile_bind_queue_put() - drop a reference
 * @queue: the queue, or NULL; binds that wait in the queue outlive it
 *
 * Context: process.
 */
void xetile_bind_queue_put(struct xetile_bind_queue *queue)
{
	if (queue)
		kref_put(&queue->ref, bind_queue_release);
}

/**
 * xetile_bind_queue_line() - the line in which a queue's binds take their place
 * @queue: the queue
 * @vm: VM that the binds are for
 *
 * Context: any.
 * Return: the line, which lives as long as @queue; NULL if the queue belongs to another VM.
 */
struct xetile_vm_line *xetile_bind_queue_line(struct xetile_bind_queue *queue,
					      const struct xetile_vm *vm)
{
	return queue->vm == vm ? &queue->line : NULL;
}
