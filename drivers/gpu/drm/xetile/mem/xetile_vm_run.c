// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_vm_run.h"

#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include <drm/drm_exec.h>
#include <drm/drm_print.h>

#include "mem/xetile_account.h"
#include "mem/xetile_fault_line.h"
#include "mem/xetile_fence.h"
#include "mem/xetile_room.h"
#include "mem/xetile_vm.h"
#include "mem/xetile_vm_job.h"
#include "mem/xetile_vm_types.h"
#include "xetile_device.h"

/**
 * DOC: address spaces whose jobs never end
 *
 * Nobody may wait for the end of a job that may run for ever. So in the address space of such jobs
 * the *run* takes the place of the job: all jobs of all its queues together, from the moment in
 * which all that the address space maps is in its place, until all of its queues have left their
 * engines. A run has a fence, which is in the reservations of the address space and of all BOs that
 * it maps, as the fence of a job is; so nothing moves, nothing is freed, and no page of a process
 * leaves, as long as a queue may run. Submission takes no lock of any BO.
 *
 * The difference is in the fence: whoever waits for it has the run end. The queues are asked to
 * rest (xetile_sched_rest.c), and when the last one is off its engines the fence signals. The path
 * from the wait to the signal takes a mutex whose holders allocate nothing, and a work on the
 * queue of such works. Then workers do what a submission does for other jobs: one faults in pages
 * of processes (xetile_fault_line.c), another one locks all BOs, brings those back that were
 * evicted, maps anew what has moved, and begins the next run. Contexts that go on have their
 * engine's translations invalidated first, because the address space has changed, see
 * xetile_lrc_load().
 *
 * ::
 *
 *	                 want, or work is left             the fence is in all reservations
 *	  RESTS -----------------------------> (worker) ---------------------------------> RUNS
 *	    ^                                                                                |
 *	    |  all queues are off: the fence signals              somebody waits for the fence
 *	    +------------------------------------- LEAVES <----------------------------------+
 *
 * A change of the page tables after which old translations must not be used has a run end as well,
 * and waits for that: xetile_vm_run_bounce(). Changes of such an address space are made within the
 * call, and the fences that a call names are waited for in it.
 *
 * A run lasts for a while at least, and within bounds for as long as it took to bring its memory
 * back: of two address spaces that have no room together each gets on with its work before the
 * other one takes the memory back, and most of the time is not spent on copies. That is not so when
 * its own process ends the run, or when the kernel wants pages of a process.
 *
 * If memory cannot be brought back, the address space is *banned*: its queues end for good, and no
 * more is bound. That is so as well when a process has ended whose memory it maps; but memory that
 * a process has given back is mapped as nothing (xetile_user_fault.c). That the machine has no
 * memory for a start must last a second before it counts, as with the xe driver.
 *
 * A run keeps a reference of the address space. The last queue that is freed ends the run.
 */

/* How long a run lasts, for others: the most is less than what they wait for one buffer at once */
#define LEAST_MS	20
#define MOST_MS		500

/* For how long the machine may have no memory for a start, and how often it is asked meanwhile */
#define SHORT_MS	1000
#define AGAIN_MS	20

static struct xetile_vm *start_work_to_vm(struct work_struct *work)
{
	return container_of(work, struct xetile_vm, run.start_work.work);
}

/* The caller holds the lock, or will look again. */
static void queue_start(struct xetile_vm *vm)
{
	struct xetile_vm_run *run = &vm->run;

	lockdep_assert_held(&run->lock);
	if (run->starting || run->state != XETILE_VM_RESTS || run->error)
		return;
	run->starting = true;
	kref_get(&vm->ref);
	xetile_gated_queue(&run->start_work);
}

static bool has_work(struct xetile_vm_run *run)
{
	struct xetile_vm_runner *runner;

	lockdep_assert_held(&run->lock);
	list_for_each_entry(runner, &run->runners, link)
		if (runner->ops->has_work(runner))
			return true;
	return false;
}

/* All queues rest: the memory may leave. */
static void over_work(struct work_struct *work)
{
	struct xetile_vm *vm = container_of(work, struct xetile_vm, run.over_work);
	struct xetile_vm_run *run = &vm->run;
	bool cookie = dma_fence_begin_signalling();
	struct dma_fence *fence;

	mutex_lock(&run->lock);
	fence = run->fence;
	run->fence = NULL;
	run->state = XETILE_VM_RESTS;
	if (has_work(run))
		queue_start(vm);
	/* Before the next run can begin, whose fence takes its place in the reservations */
	dma_fence_signal(fence);
	mutex_unlock(&run->lock);
	dma_fence_end_signalling(cookie);
	dma_fence_put(fence);
	vm->run.put(vm);
}

/**
 * xetile_vm_run_left() - a queue that was asked to rest is off its engines
 * @vm: VM
 *
 * Context: any.
 */
void xetile_vm_run_left(struct xetile_vm *vm)
{
	if (atomic_dec_and_test(&vm->run.staying))
		queue_work(vm->xt->fence_wq, &vm->run.over_work);
}

static void rest_work(struct work_struct *work)
{
	struct xetile_vm *vm = container_of(work, struct xetile_vm, run.rest_work.work);
	struct xetile_vm_run *run = &vm->run;
	bool cookie = dma_fence_begin_signalling();
	struct xetile_vm_runner *runner;

	mutex_lock(&run->lock);
	/* It may have been queued for a run that is over. */
	if (run->state == XETILE_VM_RUNS && READ_ONCE(run->wanted)) {
		run->state = XETILE_VM_LEAVES;
		atomic_set(&run->staying, 1);
		list_for_each_entry(runner, &run->runners, link) {
			atomic_inc(&run->staying);
			runner->ops->rest(runner);
		}
		xetile_vm_run_left(vm);
	}
	mutex_unlock(&run->lock);
	dma_fence_end_signalling(cookie);
}

/* Somebody waits for the fence of a run. The run keeps the address space until it has signalled. */
static void end_run(void *arg)
{
	struct xetile_vm *vm = arg;
	unsigned long until = READ_ONCE(vm->run.until), now = jiffies;

	/* end_run_now() has been quicker. */
	if (xchg(&vm->run.wanted, true))
		return;
	mod_delayed_work(vm->xt->fence_wq, &vm->run.rest_work,
			 time_before(now, until) ? until - now : 0);
}

static void end_run_now(struct xetile_vm *vm)
{
	lockdep_assert_held(&vm->run.lock);
	WRITE_ONCE(vm->run.wanted, true);
	mod_delayed_work(vm->xt->fence_wq, &vm->run.rest_work, 0);
}

/*
 * Everything is in its place, and locked: the queues go on. @took: jiffies that it took. Returns 0
 * or -ESTALE.
 */
static int begin_run(struct xetile_vm *vm, struct drm_exec *exec, struct dma_fence *fence,
		     unsigned long took)
{
	struct xetile_vm_run *run = &vm->run;
	struct xetile_vm_runner *runner;
	bool cookie;

	dma_resv_assert_held(vm->gem->resv);
	/* Before the lock, which who signals fences takes as well. */
	if (!xetile_vm_begin(vm))
		return -ESTALE;
	cookie = dma_fence_begin_signalling();
	mutex_lock(&run->lock);
	WRITE_ONCE(run->until, jiffies + clamp(took, msecs_to_jiffies(LEAST_MS),
					       msecs_to_jiffies(MOST_MS)));
	WRITE_ONCE(run->wanted, false);
	xetile_fence_arm_run(fence, run->context, ++run->seqno, end_run, vm);
	run->fence = dma_fence_get(fence);
	kref_get(&vm->ref);
	xetile_vm_add_fence(vm, exec, fence);
	WRITE_ONCE(run->state, XETILE_VM_RUNS);
	list_for_each_entry(runner, &run->runners, link)
		runner->ops->go_on(runner);
	/* The last queue has gone meanwhile, and would have ended the run. */
	if (list_empty(&run->runners))
		end_run_now(vm);
	mutex_unlock(&run->lock);
	dma_fence_end_signalling(cookie);
	return 0;
}

/* @other: out: as of xetile_vm_settle() */
static int lock_and_place(struct xetile_vm *vm, struct drm_exec *exec, struct xetile_room *room,
			  struct dma_fence **other)
{
	int err;

	/* The same object may be mapped in the tables of several tiles. */
	drm_exec_init(exec, DRM_EXEC_IGNORE_DUPLICATES, 0);
	drm_exec_until_all_locked(exec) {
		err = xetile_vm_lock(vm, exec);
		drm_exec_retry_on_contention(exec);
		err = err ?: xetile_vm_settle_imports(vm, exec, other);
		if (err)
			break;
		err = xetile_vm_validate(vm, exec, room);
		drm_exec_retry_on_contention(exec);
		if (err)
			break;
	}
	err = err ?: xetile_vm_settle(vm, exec, other);
	if (err)
		drm_exec_fini(exec);
	return err;
}

static int start(struct xetile_vm *vm, struct dma_fence **other)
{
	struct dma_fence *fence = xetile_fence_alloc_run();
	unsigned long took = 0, begun;
	struct xetile_room room;
	struct drm_exec exec;
	int err;

	if (!fence)
		return -ENOMEM;
	xetile_room_begin(&room, vm->xt, vm->gem);
	do {
		begun = jiffies;
		err = lock_and_place(vm, &exec, &room, other);
		/* It is not what others take that counts. */
		took += jiffies - begun;
	} while (xetile_room_again(&room, &err));
	if (!err) {
		err = begin_run(vm, &exec, fence, took);
		drm_exec_fini(&exec);
	}
	xetile_room_end(&room);
	if (err)
		xetile_fence_free(fence);
	else
		dma_fence_put(fence);
	return err;
}

static int start_entered(struct xetile_vm *vm, struct dma_fence **other)
{
	int err, idx;

	if (!xetile_device_enter(vm->xt, &idx))
		return -ENODEV;
	err = start(vm, other);
	xetile_device_exit(vm->xt, idx);
	return err;
}

/* Nothing runs any more, for good. */
static void ban(struct xetile_vm *vm, int err)
{
	struct xetile_vm_run *run = &vm->run;
	struct xetile_vm_runner *runner;

	drm_dbg(&vm->xt->drm, "address space %u cannot go on: %d\n", vm->asid, err);
	mutex_lock(&run->lock);
	WRITE_ONCE(run->error, err);
	list_for_each_entry(runner, &run->runners, link)
		runner->ops->end(runner);
	mutex_unlock(&run->lock);
}

static void fault_work(struct work_struct *work)
{
	struct xetile_vm *vm = container_of(work, struct xetile_vm, run.fault.work);

	vm->run.fault_err = xetile_vm_fault_in(vm);
	xetile_fault_line_done(xetile_account_faults(vm->ranges.account));
	xetile_gated_queue(&vm->run.start_work);
}

static void other_signalled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct xetile_vm *vm = container_of(cb, struct xetile_vm, run.other_cb);

	xetile_gated_queue(&vm->run.start_work);
}

/*
 * Another device still moves what the address space maps: begin again when it has. @other: its
 * fence, of which the reference is taken.
 */
static void start_after(struct xetile_vm *vm, struct dma_fence *other)
{
	struct xetile_vm_run *run = &vm->run;

	mutex_lock(&run->lock);
	run->other = other;
	if (dma_fence_add_callback(other, &run->other_cb, other_signalled))
		xetile_gated_queue(&run->start_work);
	mutex_unlock(&run->lock);
}

/* Forgets what was waited for. Returns whether anybody is left for whom a run can begin. */
static bool is_called_for(struct xetile_vm_run *run)
{
	struct dma_fence *other;
	bool any;

	mutex_lock(&run->lock);
	other = run->other;
	run->other = NULL;
	any = !list_empty(&run->runners);
	mutex_unlock(&run->lock);
	dma_fence_put(other);
	return any;
}

static void again_work(struct work_struct *work)
{
	struct xetile_vm *vm = container_of(work, struct xetile_vm, run.again_work.work);

	xetile_gated_queue(&vm->run.start_work);
}

/*
 * Whoever makes room in memory, or ends for want of it, needs a moment. Returns whether the start
 * is tried again.
 */
static bool start_again(struct xetile_vm *vm)
{
	struct xetile_vm_run *run = &vm->run;

	if (!run->is_short)
		run->short_until = jiffies + msecs_to_jiffies(SHORT_MS);
	run->is_short = true;
	if (time_after(jiffies, run->short_until))
		return false;
	queue_delayed_work(vm->xt->wq, &run->again_work, msecs_to_jiffies(AGAIN_MS));
	return true;
}

/* The attempt is over, well or not. */
static void start_done(struct xetile_vm *vm)
{
	struct xetile_vm_run *run = &vm->run;

	run->is_short = false;
	mutex_lock(&run->lock);
	run->starting = false;
	/* The run may be over again. */
	if (has_work(run))
		queue_start(vm);
	mutex_unlock(&run->lock);
	xetile_users_reap(&vm->ranges);
	run->put(vm);
}

static void start_work(struct work_struct *work)
{
	struct xetile_vm *vm = start_work_to_vm(work);
	struct xetile_vm_run *run = &vm->run;
	struct xetile_gate *gate = &vm->xt->gate;
	struct dma_fence *other = NULL;
	int err = run->fault_err;

	run->fault_err = 0;
	if (is_called_for(run) && !err) {
		err = xetile_vm_is_stale(vm) ? -ESTALE : 0;
		if (!err && !xetile_gate_enter(gate, &run->start_work))
			return;
		if (!err) {
			err = start_entered(vm, &other);
			xetile_gate_leave(gate);
		}
	}
	if (err == -ESTALE) {
		/* A page fault may take for ever: the machine may sleep meanwhile. */
		xetile_fault_line_add(xetile_account_faults(vm->ranges.account), &run->fault);
	} else if (other) {
		/* For this attempt there was memory enough. */
		run->is_short = false;
		start_after(vm, other);
	} else if (err != -ENOMEM || !start_again(vm)) {
		if (err)
			ban(vm, err);
		start_done(vm);
	}
}

/**
 * xetile_vm_run_init() - nothing runs in an address space
 * @vm: VM that is being made
 * @put: what drops a reference of it
 *
 * Context: process.
 */
void xetile_vm_run_init(struct xetile_vm *vm, void (*put)(struct xetile_vm *vm))
{
	struct xetile_vm_run *run = &vm->run;

	run->put = put;
	mutex_init(&run->lock);
	INIT_LIST_HEAD(&run->runners);
	run->context = dma_fence_context_alloc(1);
	INIT_DELAYED_WORK(&run->rest_work, rest_work);
	INIT_WORK(&run->over_work, over_work);
	INIT_WORK(&run->start_work.work, start_work);
	xetile_gated_init(&run->start_work, vm->xt->run_wq);
	INIT_WORK(&run->fault.work, fault_work);
	INIT_DELAYED_WORK(&run->again_work, again_work);
}

/**
 * xetile_vm_run_fini() - no work of an address space looks at it any more
 * @vm: VM without a queue, whose run is over
 *
 * Context: process, not on &xetile_device.fence_wq.
 */
void xetile_vm_run_fini(struct xetile_vm *vm)
{
	/* It may have been queued a second time, and find nothing to do. */
	cancel_delayed_work_sync(&vm->run.rest_work);
}

/**
 * xetile_vm_run_add() - an address space has a queue
 * @vm: VM
 * @runner: the queue's part, which rests
 *
 * Context: process; takes &xetile_vm_run.lock.
 */
void xetile_vm_run_add(struct xetile_vm *vm, struct xetile_vm_runner *runner)
{
	struct xetile_vm_run *run = &vm->run;

	mutex_lock(&run->lock);
	list_add(&runner->link, &run->runners);
	if (run->error)
		runner->ops->end(runner);
	else if (run->state == XETILE_VM_RUNS)
		runner->ops->go_on(runner);
	mutex_unlock(&run->lock);
}

/**
 * xetile_vm_run_del() - a queue of an address space is freed
 * @vm: VM
 * @runner: the queue's part; the queue is off its engines, and has no job
 *
 * Context: process; takes &xetile_vm_run.lock.
 */
void xetile_vm_run_del(struct xetile_vm *vm, struct xetile_vm_runner *runner)
{
	struct xetile_vm_run *run = &vm->run;

	mutex_lock(&run->lock);
	list_del(&runner->link);
	/* Nobody may wait for the fence, which keeps the address space. */
	if (list_empty(&run->runners) && run->state == XETILE_VM_RUNS)
		end_run_now(vm);
	/* Nor wait for another device, which may take its time. */
	if (list_empty(&run->runners) && run->other &&
	    dma_fence_remove_callback(run->other, &run->other_cb))
		xetile_gated_queue(&run->start_work);
	mutex_unlock(&run->lock);
}

/**
 * xetile_vm_run_want() - a queue of an address space has work
 * @vm: VM; the work can be seen by now
 *
 * Context: process; takes &xetile_vm_run.lock.
 */
void xetile_vm_run_want(struct xetile_vm *vm)
{
	struct xetile_vm_run *run = &vm->run;

	/* When the run ends, that looks for work. */
	if (READ_ONCE(run->state) == XETILE_VM_RUNS)
		return;
	mutex_lock(&run->lock);
	queue_start(vm);
	mutex_unlock(&run->lock);
}

/**
 * xetile_vm_run_bounce() - have all queues of an address space off their engines once
 * @vm: VM that has changed: its counter of stale translations has grown
 *
 * Contexts that go on after this do not use older translations.
 *
 * Context: process, with no reservation; waits for as long as a batch may take to leave.
 */
void xetile_vm_run_bounce(struct xetile_vm *vm)
{
	struct dma_fence *fence;

	mutex_lock(&vm->run.lock);
	fence = dma_fence_get(vm->run.fence);
	/* While there is a fence the work finds the address space. */
	if (fence)
		end_run_now(vm);
	mutex_unlock(&vm->run.lock);
	if (!fence)
		return;
	dma_fence_wait(fence, false);
	dma_fence_put(fence);
}

/**
 * xetile_vm_run_hurry() - have a run end at once, for those who wait for its fence
 * @vm: VM
 *
 * Context: process, with no reservation, reclaim included; takes &xetile_vm_run.lock.
 */
void xetile_vm_run_hurry(struct xetile_vm *vm)
{
	mutex_lock(&vm->run.lock);
	if (vm->run.fence)
		end_run_now(vm);
	mutex_unlock(&vm->run.lock);
}

/**
 * xetile_vm_is_banned() - does nothing run in an address space any more
 * @vm: VM
 *
 * Context: any.
 * Return: true if so, because memory that it maps could not be brought back.
 */
bool xetile_vm_is_banned(const struct xetile_vm *vm)
{
	return READ_ONCE(vm->run.error);
}
