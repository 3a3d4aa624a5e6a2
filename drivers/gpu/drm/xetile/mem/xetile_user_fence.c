// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_user_fence.h"

#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/kref.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>

#include "mem/xetile_account.h"
#include "mem/xetile_fault_line.h"
#include "mem/xetile_number.h"
#include "xetile_device.h"
#include "xetile_release.h"

/**
 * DOC: numbers in a process's memory
 *
 * A user fence is a 64-bit number that is written into the memory of the process that made a call,
 * when what the call began is done. If that is so when the call returns, the call writes the
 * number; else a worker does, in the memory of that process, and drops the number if the process
 * has ended. No lock is held and the card is not entered, because a third process may have to
 * provide the page, and may never do so. For the same reason the workers belong to no card, and
 * numbers whose page is not there, *strays*, do not stand in line with the others, but in that of
 * their file (xetile_fault_line.c): one who withholds pages holds up their own.
 *
 * Who waits for a number says so to nobody, see xetile_number.c.
 */

/* As many fences that a change waits for take the memory of a number that it is to write. */
#define COUNTS_AS	8

/* struct xetile_user_fence - a number to write; references are counted */
struct xetile_user_fence {
	struct kref ref;
	/* card whose waiters are woken, with a reference */
	struct xetile_device *xt;
	/* counts the number until it is written, with a reference */
	struct xetile_account *account;
	/* address space of the caller, with a reference that keeps no page */
	struct mm_struct *mm;
	u64 __user *addr;
	u64 value;
	/* the module stays until the stray has found its page */
	bool keeps_module;
	/* tells of the end of what the number waits for */
	struct dma_fence_cb cb;
	struct work_struct work;
	/* has the page brought */
	struct xetile_fault_work stray;
};

static struct xetile_user_fence *fence_alloc(struct xetile_account *account)
{
	struct xetile_user_fence *fence;
	int err;

	/* It may be there long after the change that it waits for, if its page is withheld. */
	err = xetile_account_take_deps(account, COUNTS_AS);
	if (err)
		return ERR_PTR(err);
	fence = kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);
	if (!fence) {
		xetile_account_give_deps(account, COUNTS_AS);
		return ERR_PTR(-ENOMEM);
	}
	fence->account = xetile_account_get(account);
	return fence;
}

/**
 * xetile_user_fence_create() - prepare a number that is written later
 * @xt: card whose waiters are told of it
 * @account: of the caller's file
 * @addr: where in the memory of the current process, a multiple of 8
 * @value: what to write
 *
 * Context: process, without a lock and outside of xetile_device_enter().
 * Return: the fence, to be given back with xetile_user_fence_put(), or an ERR_PTR: -EFAULT: the
 * process could not write there itself; -EDQUOT: the file, or its user, has as many; -ENOMEM.
 */
struct xetile_user_fence *xetile_user_fence_create(struct xetile_device *xt,
						   struct xetile_account *account,
						   u64 addr, u64 value)
{
	struct xetile_user_fence *fence;

	/* The caller has to hear of a wrong address now: it could not be told later. */
	if (addr != (uintptr_t)addr ||
	    fault_in_safe_writeable(u64_to_user_ptr(addr), sizeof(u64)))
		return ERR_PTR(-EFAULT);
	fence = fence_alloc(account);
	if (IS_ERR(fence))
		return fence;
	kref_init(&fence->ref);
	drm_dev_get(&xt->drm);
	fence->xt = xt;
	mmgrab(current->mm);
	fence->mm = current->mm;
	fence->addr = u64_to_user_ptr(addr);
	fence->value = value;
	return fence;
}

static void user_fence_release(struct kref *ref)
{
	struct xetile_user_fence *fence = container_of(ref, struct xetile_user_fence, ref);

	mmdrop(fence->mm);
	xetile_account_give_deps(fence->account, COUNTS_AS);
	xetile_account_put(fence->account);
	drm_dev_put(&fence->xt->drm);
	kfree(fence);
}

/**
 * xetile_user_fence_put() - drop a reference
 * @fence: the fence, or NULL; one that waits outlives it
 *
 * Context: process.
 */
void xetile_user_fence_put(struct xetile_user_fence *fence)
{
	if (fence)
		kref_put(&fence->ref, user_fence_release);
}

/* Within the memory of the caller */
static int user_fence_write(struct xetile_user_fence *fence)
{
	int err = put_user(fence->value, fence->addr);

	xetile_number_wake(fence->xt);
	return err;
}

/* The same for a worker. @patient: whether the page may have to be brought. */
static int user_fence_write_from_afar(struct xetile_user_fence *fence, bool patient)
{
	int err;

	if (!mmget_not_zero(fence->mm))
		return 0;
	kthread_use_mm(fence->mm);
	if (!patient)
		pagefault_disable();
	err = user_fence_write(fence);
	if (!patient)
		pagefault_enable();
	kthread_unuse_mm(fence->mm);
	/* The process may have ended meanwhile, and its end may wait for jobs. */
	mmput_async(fence->mm);
	return err;
}

static void bring_page_and_write(struct work_struct *work)
{
	struct xetile_user_fence *fence =
		container_of(work, struct xetile_user_fence, stray.work);
	bool keeps_module = fence->keeps_module;

	/* The process has taken the page away since: then it does not look there either. */
	user_fence_write_from_afar(fence, true);
	xetile_fault_line_done(xetile_account_faults(fence->account));
	xetile_user_fence_put(fence);
	/* The end of the module waits until this work is over. */
	if (keeps_module)
		module_put(THIS_MODULE);
}

static void write_if_there(struct work_struct *work)
{
	struct xetile_user_fence *fence = container_of(work, struct xetile_user_fence, work);

	if (!user_fence_write_from_afar(fence, false)) {
		xetile_user_fence_put(fence);
		return;
	}
	/* One who removes the module hears of it, and need not wait for the page. */
	fence->keeps_module = try_module_get(THIS_MODULE);
	INIT_WORK(&fence->stray.work, bring_page_and_write);
	xetile_fault_line_add(xetile_account_faults(fence->account), &fence->stray);
}

static void after_signals(struct dma_fence *after, struct dma_fence_cb *cb)
{
	struct xetile_user_fence *fence = container_of(cb, struct xetile_user_fence, cb);

	xetile_release_queue_user(&fence->work);
}

/**
 * xetile_user_fence_signal() - write the number when a fence signals
 * @fence: a fence of the current process, which the function is called once for
 * @after: what to wait for; NULL: nothing
 *
 * On return the number is there if there is nothing to wait for. It is also written if @after ends
 * with an error, as the xe driver does: a number cannot tell, and who waits for it would wait for
 * ever. An address that the process has taken away since the creation of the fence does not matter
 * to anybody else.
 *
 * Context: process, without a lock and outside of xetile_device_enter().
 */
void xetile_user_fence_signal(struct xetile_user_fence *fence, struct dma_fence *after)
{
	if (after && !dma_fence_is_signaled(after)) {
		INIT_WORK(&fence->work, write_if_there);
		kref_get(&fence->ref);
		if (!dma_fence_add_callback(after, &fence->cb, after_signals))
			return;
		/* It has signalled just now. */
		xetile_user_fence_put(fence);
	}
	user_fence_write(fence);
}
