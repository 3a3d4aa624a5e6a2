// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_queue.h"

#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/slab.h>

#include <drm/drm_print.h>

#include "exec/xetile_client.h"
#include "exec/xetile_cslice_map.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_queue_engines.h"
#include "exec/xetile_queue_types.h"
#include "exec/xetile_sched.h"
#include "exec/xetile_sched_ban.h"
#include "exec/xetile_sched_engine.h"
#include "exec/xetile_sched_lock.h"
#include "exec/xetile_sched_queue.h"
#include "exec/xetile_sched_rest.h"
#include "exec/xetile_sched_usage.h"
#include "exec/xetile_wedge.h"
#include "mem/xetile_account.h"
#include "mem/xetile_score.h"
#include "mem/xetile_vm.h"
#include "mem/xetile_vm_job.h"
#include "mem/xetile_vm_run.h"
#include "xetile_device.h"

/**
 * DOC: queues
 *
 * A queue has a context on each of its tiles: its members. A member may run on a set of
 * engines. When there is work it gets one of them (xetile_queue_engines.c).
 */

/* How long a queue that is closed without jobs may take to leave its engines */
#define SETTLE_TIMEOUT_MS	1000

static void queue_uncount(struct xetile_queue *queue)
{
	if (!queue->counted)
		return;
	queue->counted = false;
	xetile_account_give_queue(queue->sq.account, queue->num_members);
}

static void queue_destroy(struct xetile_queue *queue)
{
	unsigned int m;

	xetile_vm_del_queue(queue->vm, &queue->in_vm);
	if (!list_empty(&queue->runner.link))
		xetile_vm_run_del(queue->vm, &queue->runner);
	xetile_queue_detach(queue);
	for (m = 0; m < queue->num_members; m++)
		xetile_lrc_destroy(queue->sq.lrcs[m]);
	if (queue->client)
		xetile_client_put(queue->client);
	xetile_sched_usage_put(queue->sq.usage);
	xetile_score_put(queue->sq.score);
	queue_uncount(queue);
	xetile_account_put(queue->sq.account);
	xetile_vm_unuse(queue->vm);
	kfree(queue);
}

static u64 queue_tlb_seq(struct xetile_sched_queue *sq)
{
	return xetile_vm_tlb_seq(xetile_sq_to_queue(sq)->vm);
}

static void queue_free(struct xetile_sched_queue *sq)
{
	struct xetile_queue *queue = xetile_sq_to_queue(sq);
	unsigned long flags = xetile_sched_lock(sq->xt->sched);

	list_del_init(&queue->given_up);
	xetile_sched_unlock(sq->xt->sched, flags);
	queue_destroy(queue);
}

/* In reports and trace events */
const char * const xetile_queue_target_names[] = {
	[XETILE_QUEUE_ROOT] = "root",
	[XETILE_QUEUE_TILE] = "tile",
	[XETILE_QUEUE_CSLICE] = "cslice",
	[XETILE_QUEUE_KERNEL] = "kernel",
};

static void queue_print(struct xetile_sched_queue *sq, struct drm_printer *p)
{
	struct xetile_queue *queue = xetile_sq_to_queue(sq);

	drm_printf(p, "queue: %u\n  process %d\n  vm %u\n", READ_ONCE(queue->id), sq->pid,
		   queue->vm_id);
	drm_printf(p, "  class %s\n", xetile_queue_is_compute(queue) ? "compute" : "copy");
	drm_printf(p, "  target %s, tile %u, cslice %u\n", xetile_queue_target_names[queue->target],
		   queue->tiles[0]->id, queue->cslice);
	if (xetile_queue_is_compute(queue))
		drm_printf(p, "  ccs_mode %u%s\n", queue->modes[0],
			   queue->borrows ? ", borrows" : "");
	if (sq->replay)
		drm_puts(p, "  replays\n");
	drm_printf(p, "  priority %d\n  weight %u\n  timeout_ms %u\n",
		   (int)sq->gang.priority - 1, sq->weight, sq->timeout_ms);
}

static struct xetile_vm *queue_vm(struct xetile_sched_queue *sq)
{
	return xetile_sq_to_queue(sq)->vm;
}

/* Memory of a process is to leave the address space, and others wait for that. */
static void queue_end_late(struct xetile_user_queue *in_vm, unsigned int ms)
{
	xetile_sched_end_late(&container_of(in_vm, struct xetile_queue, in_vm)->sq, ms);
}

/* It is off its engines, as the address space has asked. */
static void queue_rested(struct xetile_sched_queue *sq)
{
	xetile_vm_run_left(xetile_sq_to_queue(sq)->vm);
}

static struct xetile_sched_queue *runner_to_sq(struct xetile_vm_runner *runner)
{
	return &container_of(runner, struct xetile_queue, runner)->sq;
}

static void runner_rest(struct xetile_vm_runner *runner)
{
	xetile_sched_rest(runner_to_sq(runner));
}

static void runner_go_on(struct xetile_vm_runner *runner)
{
	xetile_sched_go_on(runner_to_sq(runner));
}

static bool runner_has_work(struct xetile_vm_runner *runner)
{
	struct xetile_sched_queue *sq = runner_to_sq(runner);

	return !xetile_sched_queue_error(sq) && xetile_sched_has_jobs(sq);
}

static void runner_end(struct xetile_vm_runner *runner)
{
	xetile_sched_kill(runner_to_sq(runner), -ECANCELED);
}

static const struct xetile_vm_runner_ops runner_ops = {
	.rest = runner_rest,
	.go_on = runner_go_on,
	.has_work = runner_has_work,
	.end = runner_end,
};

static const struct xetile_sched_queue_ops queue_ops = {
	.bind = xetile_queue_bind,
	.unbind = xetile_queue_unbind,
	.claims = xetile_queue_claims,
	.tlb_seq = queue_tlb_seq,
	.rested = queue_rested,
	.free = queue_free,
	.print = queue_print,
	.vm = queue_vm,
};

/* The tiles a queue has members on */
static void queue_choose_tiles(struct xetile_queue *queue, struct xetile_device *xt,
			       const struct xetile_queue_args *args)
{
	unsigned int m;

	if (args->target != XETILE_QUEUE_ROOT) {
		queue->num_members = 1;
		queue->tiles[0] = &xt->tiles[args->tile];
	} else if (args->class == XETILE_ENGINE_COPY) {
		/* As implicit scaling has it, tile 0 does the copies of ROOT queues. */
		queue->num_members = 1;
		queue->tiles[0] = &xt->tiles[0];
	} else {
		queue->num_members = xt->num_tiles;
		for (m = 0; m < xt->num_tiles; m++)
			queue->tiles[m] = &xt->tiles[m];
	}
}

static int queue_create_lrcs(struct xetile_queue *queue, const struct xetile_queue_args *args)
{
	unsigned int m;

	for (m = 0; m < queue->num_members; m++) {
		struct xetile_lrc *lrc;

		lrc = xetile_lrc_create(queue->tiles[m], queue->sq.class, queue->vm, m,
					queue->sq.account);
		if (IS_ERR(lrc))
			return PTR_ERR(lrc);
		lrc->owns_partition = args->owns_partition;
		queue->sq.lrcs[m] = lrc;
	}
	return 0;
}

/**
 * xetile_queue_create() - make a queue
 * @xt: the card
 * @args: arguments, checked
 *
 * Context: process; may sleep.
 *
 * Return: the queue; or -EINVAL: a tile has no such mode, or the mode no such slice; -EBUSY: a
 * tile's policy forbids another mode than its own; -ENOENT: the VM was given
 * up; -EIO: the card is wedged; -ENODEV; -ENOBUFS: the card's context ids, or a tile's global
 * addresses, are used up; -EDQUOT: the file has as many queues, or its user as many contexts or
 * as much HBM for them, as it may; -ENOSPC; -ENOMEM.
 */
struct xetile_queue *xetile_queue_create(struct xetile_device *xt,
					 const struct xetile_queue_args *args)
{
	struct xetile_queue *queue;
	int err = xetile_wedged(xt->sched);
	unsigned int m;

	if (err)
		return ERR_PTR(err);
	queue = kzalloc(sizeof(*queue), GFP_KERNEL_ACCOUNT);
	if (!queue)
		return ERR_PTR(-ENOMEM);
	queue_choose_tiles(queue, xt, args);
	if (args->client)
		err = xetile_client_open_accounts(args->client, args->priority + 1,
						  xetile_queue_group(queue));
	if (err)
		goto err_free;
	err = xetile_account_take_queue(args->account, queue->num_members);
	if (err)
		goto err_free;
	if (!xetile_vm_use(args->vm)) {
		err = -ENOENT;
		goto err_give;
	}

	xetile_sched_queue_init(&queue->sq, xt, &queue_ops,
				args->client ? xetile_client_turns(args->client) :
					       &xt->sched->kernel,
				args->class, queue->num_members, args->priority, args->weight,
				args->timeout_ms,
				xetile_tile_times(queue->tiles[0], args->class));
	/* A copy of the kernel's that fails must not end the copies for others. */
	queue->sq.gang.lenient = args->target == XETILE_QUEUE_KERNEL;
	queue->sq.gang.yields = args->yields;
	queue->sq.lr = xetile_vm_is_lr(args->vm);
	/* What an endless job has done cannot be done again, and what it borrowed it would keep. */
	queue->sq.replay = args->replay && !queue->sq.lr;
	queue->target = args->target;
	queue->cslice = args->cslice;
	queue->placements = args->placements;
	if (args->placements)
		queue->cslice = __ffs(args->placements);
	queue->borrows = args->borrows && !queue->sq.lr;
	queue->sq.slice_us = args->slice_us;
	for (m = 0; m < queue->num_members; m++)
		queue->instances[m] = XETILE_QUEUE_NEVER;
	queue->sq.fence_context = dma_fence_context_alloc(1);
	queue->vm = args->vm;
	queue->in_vm.end_late = queue_end_late;
	INIT_LIST_HEAD(&queue->in_vm.link);
	queue->runner.ops = &runner_ops;
	INIT_LIST_HEAD(&queue->runner.link);
	mutex_init(&queue->order);
	INIT_LIST_HEAD(&queue->given_up);
	queue->vm_id = args->vm_id;
	queue->sq.account = xetile_account_get(args->account);
	queue->counted = true;
	queue->sq.usage = args->usage;
	if (args->usage)
		xetile_sched_usage_get(args->usage);
	if (args->score)
		queue->sq.score = xetile_score_get(args->score);
	queue->client = args->client;
	if (queue->client) {
		xetile_client_ref(queue->client);
		queue->sq.pid = xetile_client_pid(queue->client);
	}

	/* Before the contexts, so that the mode stays as it was checked */
	err = xetile_queue_attach(queue, args->ccs_mode);
	if (!err)
		err = queue_create_lrcs(queue, args);
	if (err) {
		queue_destroy(queue);
		return ERR_PTR(err);
	}
	/* Before it can have a job */
	if (queue->sq.lr)
		xetile_sched_begin_at_rest(&queue->sq);
	xetile_sched_queue_add(&queue->sq);
	xetile_vm_add_queue(queue->vm, &queue->in_vm);
	if (queue->sq.lr)
		xetile_vm_run_add(queue->vm, &queue->runner);
	return queue;

err_give:
	xetile_account_give_queue(args->account, queue->num_members);
err_free:
	kfree(queue);
	return ERR_PTR(err);
}

/**
 * xetile_queue_get() - take a reference
 * @queue: a queue the caller has a reference of
 *
 * Context: any.
 *
 * Return: @queue.
 */
struct xetile_queue *xetile_queue_get(struct xetile_queue *queue)
{
	xetile_sched_queue_get(&queue->sq);
	return queue;
}

/**
 * xetile_queue_set_id() - note the id that the queue has in its file, for reports
 * @queue: a queue the caller has a reference of
 * @id: the id
 *
 * Context: any.
 */
void xetile_queue_set_id(struct xetile_queue *queue, u32 id)
{
	WRITE_ONCE(queue->id, id);
}

/**
 * xetile_queue_put() - drop a reference
 * @queue: the queue; it is freed when its last job is done
 *
 * Context: any, interrupts included.
 */
void xetile_queue_put(struct xetile_queue *queue)
{
	xetile_sched_queue_put(&queue->sq);
}

/**
 * xetile_queue_close() - take no more batches
 * @queue: the queue
 * @given_up: those of its file whose id is gone and that had batches; the queue is among them, if
 *	it has, until it is freed
 *
 * Batches already submitted, or being submitted, run to their end, but not longer than the file is
 * open, see xetile_queues_kill(); those that may run for ever end now. A queue without batches does
 * not hold its tiles' mode on return, and does not count in its file's account.
 * Context: process, once a queue; takes the execution lock.
 */
void xetile_queue_close(struct xetile_queue *queue, struct list_head *given_up)
{
	WRITE_ONCE(queue->closed, true);
	if (queue->sq.lr)
		xetile_sched_kill(&queue->sq, -ECANCELED);
	if ((!queue->sq.lr && xetile_sched_has_jobs(&queue->sq)) ||
	    !xetile_sched_wait_idle(&queue->sq, msecs_to_jiffies(SETTLE_TIMEOUT_MS))) {
		unsigned long flags = xetile_sched_lock(queue->sq.xt->sched);

		list_add_tail(&queue->given_up, given_up);
		xetile_sched_unlock(queue->sq.xt->sched, flags);
		return;
	}
	xetile_queue_detach(queue);
	/* The caller may want another queue, and need not wait until this one is freed. */
	queue_uncount(queue);
}

/**
 * xetile_queue_kill() - take no more batches, and end those submitted
 * @queue: the queue
 *
 * Fences of batches that were not done get -ECANCELED. Does not wait for their end.
 *
 * Context: any; takes the execution lock.
 */
void xetile_queue_kill(struct xetile_queue *queue)
{
	WRITE_ONCE(queue->closed, true);
	xetile_sched_kill(&queue->sq, -ECANCELED);
}

/**
 * xetile_queue_drain() - wait until a killed queue is off its engines
 * @queue: the queue
 * @until: when to give up, in jiffies; a task that is killed gives up at once
 *
 * A queue that is off does not hold its tiles' mode any more.
 *
 * Context: process, once a queue, and not beside xetile_queue_close().
 */
void xetile_queue_drain(struct xetile_queue *queue, unsigned long until)
{
	unsigned long now = jiffies;

	if (!xetile_sched_wait_idle(&queue->sq, time_before(now, until) ? until - now : 0))
		return;
	xetile_queue_detach(queue);
	/* The program may be started again at once, and needs the account. */
	queue_uncount(queue);
}

/**
 * xetile_queues_kill() - end the batches of queues that were given up
 * @xt: the card
 * @given_up: queues of a file that xetile_queue_close() has put there; no other call uses the list
 *
 * Those that are not being freed stay on the list, with a reference for xetile_queues_drain().
 *
 * Context: process; takes the execution lock.
 */
void xetile_queues_kill(struct xetile_device *xt, struct list_head *given_up)
{
	struct xetile_queue *queue, *next;
	unsigned long flags = xetile_sched_lock(xt->sched);

	list_for_each_entry_safe(queue, next, given_up, given_up)
		if (!kref_get_unless_zero(&queue->sq.ref))
			list_del_init(&queue->given_up);
	xetile_sched_unlock(xt->sched, flags);
	/* From here on none of them is freed, so nothing changes the list. */
	list_for_each_entry(queue, given_up, given_up)
		xetile_queue_kill(queue);
}

/**
 * xetile_queues_drain() - wait until queues that were given up are off their engines
 * @given_up: queues after xetile_queues_kill()
 * @until: as for xetile_queue_drain()
 *
 * Drops the references; the list is empty on return.
 *
 * Context: process.
 */
void xetile_queues_drain(struct list_head *given_up, unsigned long until)
{
	struct xetile_queue *queue, *next;

	list_for_each_entry_safe(queue, next, given_up, given_up) {
		xetile_queue_drain(queue, until);
		list_del_init(&queue->given_up);
		xetile_queue_put(queue);
	}
}

/* Engine instance of a member; the execution lock is held. */
static unsigned int member_instance(struct xetile_queue *queue, unsigned int member)
{
	u8 engine = queue->sq.gang.members[member].engine;

	lockdep_assert_held(&queue->sq.xt->sched->lock);
	if (xetile_queue_is_compute(queue))
		return queue->instances[member];
	if (engine == XETILE_DISPATCH_NONE)
		return XETILE_QUEUE_NEVER;
	return xetile_sched_engine(queue->sq.xt, engine)->instance;
}

/**
 * xetile_queue_is_banned() - whether a queue runs nothing any more
 * @queue: the queue
 *
 * The answer may be out of date when it arrives, but a ban is never undone.
 *
 * Context: any.
 * Return: true if so.
 */
bool xetile_queue_is_banned(const struct xetile_queue *queue)
{
	/* Written under the execution lock; a read without it will do. */
	return READ_ONCE(queue->sq.error);
}

/**
 * xetile_queue_state() - tell the state of a queue
 * @queue: the queue
 * @state: filled in
 *
 * Context: any; takes the execution lock.
 */
void xetile_queue_state(struct xetile_queue *queue, struct xetile_queue_state *state)
{
	struct xetile_device *xt = queue->sq.xt;
	unsigned int modes[XETILE_MAX_TILES];
	struct xetile_tile *tile;
	unsigned long flags;
	unsigned int m;

	memset(state, 0, sizeof(*state));
	xetile_for_each_tile(tile, xt)
		state->cslices_total += hweight8(tile->fuse.cslice_mask);

	state->num_members = queue->num_members;
	/* Nothing changes under the lock: the dispatcher need not look. */
	spin_lock_irqsave(&xt->sched->lock, flags);
	state->banned = queue->sq.error;
	state->error = xetile_sched_queue_error(&queue->sq);
	state->ban = queue->sq.ban;
	state->resets = queue->sq.resets;
	for (m = 0; m < queue->num_members; m++) {
		state->members[m].instance = member_instance(queue, m);
		/* The mode that its work has, or had last: not its own with a loan. */
		modes[m] = queue->sq.gang.members[m].mode ?: queue->modes[m];
	}
	spin_unlock_irqrestore(&xt->sched->lock, flags);

	for (m = 0; m < queue->num_members; m++) {
		unsigned int mode;

		tile = queue->tiles[m];
		state->members[m].tile = tile->id;
		if (!xetile_queue_is_compute(queue))
			continue;
		/* The engines of a mode have equal shares, so any of them will do. */
		mode = modes[m];
		state->cslices_used += hweight8(tile->fuse.cslice_mask) / mode;
		if (state->members[m].instance != XETILE_QUEUE_NEVER)
			state->members[m].cslice_mask =
				xetile_cslice_owned(tile->fuse.cslice_mask, mode,
						    state->members[m].instance);
	}
}

/**
 * xetile_queue_num_members() - on how many tiles a queue runs its batches
 * @queue: the queue
 *
 * Context: any.
 *
 * Return: that number.
 */
unsigned int xetile_queue_num_members(const struct xetile_queue *queue)
{
	return queue->num_members;
}

/**
 * xetile_queue_vm() - the address space of a queue's batches
 * @queue: the queue
 *
 * Return: the VM, without a reference for the caller; constant.
 */
struct xetile_vm *xetile_queue_vm(const struct xetile_queue *queue)
{
	return queue->vm;
}
