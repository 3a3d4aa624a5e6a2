// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_user.h"

#include <linux/bits.h>
#include <linux/dma-fence.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "mem/xetile_account.h"
#include "mem/xetile_user_types.h"

/**
 * DOC: memory of processes
 *
 * A bind of a process's memory makes a *range*, and maps nothing. The next submission finds that
 * the range is *stale*: it drops all locks, faults the range's pages in, maps them for the card,
 * and begins again; the range is *fresh* then, and the submission writes it into the page tables.
 * So one path serves pages that are new and pages that have left.
 *
 * No page is pinned. When the kernel takes pages away (munmap, fork, reclaim, migration) it first
 * calls range_invalidate(), which makes the range stale, so that no job is submitted with it, waits
 * for all jobs that may use it, and ends the mapping for the card. What the page tables still say
 * is looked at by nobody then: the next job of the address space waits until they are rewritten,
 * and flushes its TLB. The wait has a limit, see xetile_user_wait.c.
 *
 * A submission holds the notifier lock from the moment in which it finds no range stale until its
 * fence is in the reservation. Either the invalidation sees the fence, or the submission sees that
 * the range is stale.
 *
 * The file of address spaces calls these functions: with its reservation held, but for the faulting
 * in, which holds no lock of ours but &xetile_users.fault, because a page fault may wait for
 * anything.
 */

/* Ranges of an address space, because each is looked at when pages leave; and pages of a range */
#define MAX_RANGES	16384
#define MAX_PAGES	BIT_ULL(26)

/* Pages that are filled in before the next task may run */
#define FILL_PAGES	SZ_64K

/* A range counts as so many pages more: what it takes itself */
#define RANGE_PAGES	64

/**
 * xetile_user_set_state() - put a range into the list of its state
 * @range: range
 * @state: its new state
 *
 * Context: process, with &xetile_users.lock held for writing.
 */
void xetile_user_set_state(struct xetile_user_range *range, enum xetile_user_state state)
{
	struct xetile_users *users = range->users;

	lockdep_assert_held_write(&users->lock);
	range->state = state;
	list_del_init(&range->state_link);
	if (state == XETILE_USER_STALE)
		list_add_tail(&range->state_link, &users->stale);
	else if (state == XETILE_USER_FRESH)
		list_add_tail(&range->state_link, &users->fresh);
}

/**
 * xetile_user_unmap_pages() - let no page stay mapped for the card
 * @range: range
 * @first: first page that no job uses any more
 * @end: the page behind the last one
 *
 * Context: process, with &xetile_users.lock held for writing.
 */
void xetile_user_unmap_pages(struct xetile_user_range *range, u64 first, u64 end)
{
	enum dma_data_direction direction = xetile_user_direction(range);
	struct device *dev = range->users->dev;
	u64 i;

	lockdep_assert_held_write(&range->users->lock);
	if (!range->mapped)
		return;
	for (i = first; i < end; i++) {
		if (i % 1024 == 0)
			cond_resched();
		if (range->dma[i] == XETILE_USER_NO_DMA)
			continue;
		dma_unmap_page_attrs(dev, range->dma[i], PAGE_SIZE, direction,
				     DMA_ATTR_SKIP_CPU_SYNC);
		range->dma[i] = XETILE_USER_NO_DMA;
	}
	if (first == 0 && end == range->num)
		range->mapped = false;
}

static enum xetile_user_patience patience(const struct mmu_notifier_range *event)
{
	if (event->event == MMU_NOTIFY_RELEASE)
		return XETILE_USER_RELEASE;
	return event->mm == current->mm ? XETILE_USER_OWN : XETILE_USER_OTHERS;
}

/* No job is submitted with the range any more. */
static void make_stale(struct xetile_user_range *range)
{
	lockdep_assert_held_write(&range->users->lock);
	range->ready = false;
	if (range->state == XETILE_USER_FRESH || range->state == XETILE_USER_MAPPED)
		xetile_user_set_state(range, XETILE_USER_STALE);
}

/*
 * Whether jobs may use it. What is mapped as nothing may be memory from now on, and jobs that go on
 * are to find it.
 */
static bool may_be_used(const struct xetile_user_range *range)
{
	lockdep_assert_held(&range->users->lock);
	return range->mapped || (range->absent && range->state != XETILE_USER_DEAD);
}

/* The pages that leave are not mapped for the card any more; the others of the range stay so. */
static void unmap_event(struct xetile_user_range *range, const struct mmu_notifier_range *event)
{
	u64 start = max_t(u64, event->start, range->start) - range->start;
	u64 end = min_t(u64, event->end, range->start + range->num * PAGE_SIZE) - range->start;

	down_write(&range->users->lock);
	xetile_user_unmap_pages(range, start >> PAGE_SHIFT, DIV_ROUND_UP_ULL(end, PAGE_SIZE));
	up_write(&range->users->lock);
}

static bool range_invalidate(struct mmu_interval_notifier *notifier,
			     const struct mmu_notifier_range *event, unsigned long seq)
{
	struct xetile_user_range *range =
		container_of(notifier, struct xetile_user_range, notifier);
	struct xetile_users *users = range->users;
	struct dma_fence *last;
	bool unused, mapped;

	if (!mmu_notifier_range_blockable(event))
		return false;

	down_write(&users->lock);
	mmu_interval_set_seq(notifier, seq);
	mapped = may_be_used(range);
	make_stale(range);
	unused = range->state == XETILE_USER_NEW ||
		 (range->state == XETILE_USER_DEAD && !range->last_unknown);
	last = dma_fence_get(range->last);
	up_write(&users->lock);

	/* Until the pages are unmapped, another invalidation that comes meanwhile waits, too. */
	if (mapped) {
		if (last || !unused)
			xetile_users_wait(users, last, patience(event));
		unmap_event(range, event);
	}
	dma_fence_put(last);
	return true;
}

static void unmap_all(struct xetile_users *users)
{
	struct xetile_user_range *range;

	down_write(&users->lock);
	list_for_each_entry(range, &users->all, link)
		xetile_user_unmap_pages(range, 0, range->num);
	up_write(&users->lock);
}

static const struct mmu_interval_notifier_ops range_ops = {
	.invalidate = range_invalidate,
};

/**
 * xetile_user_create() - prepare to map memory of the calling process
 * @users: ranges of an address space
 * @start: address in the process, a multiple of the page size
 * @size: bytes, a multiple of the page size, not 0
 * @readonly: the card only reads
 *
 * Context: process, with no lock; takes mmap_lock.
 * Return: the range, with a reference; or an ERR_PTR: -EINVAL: the addresses are not those of a
 * process, or too many, -EDQUOT: the address space, or its user, has too many, -ENOMEM, -EINTR.
 */
struct xetile_user_range *xetile_user_create(struct xetile_users *users, u64 start, u64 size,
					     bool readonly)
{
	struct xetile_user_range *range;
	u64 num = size >> PAGE_SHIFT, i;
	int err;

	if (!PAGE_ALIGNED(start | size) || !num || num > MAX_PAGES || start != (uintptr_t)start ||
	    !access_ok((void __user *)(uintptr_t)start, size))
		return ERR_PTR(-EINVAL);
	if (atomic_inc_return(&users->num) > MAX_RANGES) {
		err = -EDQUOT;
		goto err_count;
	}
	err = xetile_account_take_pages(users->account, num + RANGE_PAGES);
	if (err)
		goto err_count;
	err = -ENOMEM;
	range = kvzalloc(struct_size(range, dma, num), GFP_KERNEL_ACCOUNT);
	if (!range)
		goto err_pages;
	range->num = num;
	range->users = users;
	range->start = start;
	range->readonly = readonly;
	kref_init(&range->ref);
	INIT_LIST_HEAD(&range->state_link);
	INIT_LIST_HEAD(&range->links);
	for (i = 0; i < num; i += FILL_PAGES) {
		memset64(range->dma + i, XETILE_USER_NO_DMA, min(num - i, FILL_PAGES));
		cond_resched();
	}
	err = mmu_interval_notifier_insert(&range->notifier, current->mm, start, size, &range_ops);
	if (err)
		goto err_free;
	down_write(&users->lock);
	list_add(&range->link, &users->all);
	up_write(&users->lock);
	return range;

err_free:
	kvfree(range);
err_pages:
	xetile_account_give_pages(users->account, num + RANGE_PAGES);
err_count:
	atomic_dec(&users->num);
	return ERR_PTR(err);
}

static void range_release(struct kref *ref)
{
	struct xetile_user_range *range = container_of(ref, struct xetile_user_range, ref);

	/* The last reference may be dropped under a reservation. */
	llist_add(&range->dead, &range->users->dead);
}

/**
 * xetile_user_put() - drop a reference
 * @range: range, or NULL
 *
 * The caller then calls xetile_users_reap(), when it holds no reservation.
 *
 * Context: any.
 */
void xetile_user_put(struct xetile_user_range *range)
{
	if (range)
		kref_put(&range->ref, range_release);
}

static void range_free(struct xetile_user_range *range)
{
	struct xetile_users *users = range->users;

	/* Nobody is held up here. */
	if (range->last)
		dma_fence_wait(range->last, false);
	else if (range->last_unknown)
		dma_resv_wait_timeout(users->resv, DMA_RESV_USAGE_BOOKKEEP, false,
				      MAX_SCHEDULE_TIMEOUT);
	mmu_interval_notifier_remove(&range->notifier);
	down_write(&users->lock);
	xetile_user_unmap_pages(range, 0, range->num);
	list_del(&range->link);
	up_write(&users->lock);
	dma_fence_put(range->last);
	xetile_account_give_pages(users->account, range->num + RANGE_PAGES);
	kvfree(range);
	atomic_dec(&users->num);
}

static void free_dead(struct xetile_users *users)
{
	struct xetile_user_range *range, *next;

	llist_for_each_entry_safe(range, next, llist_del_all(&users->dead), dead) {
		range_free(range);
		cond_resched();
	}
}

static void users_work(struct work_struct *work)
{
	struct xetile_users *users = container_of(work, struct xetile_users, work);

	free_dead(users);
	users->put(users);
}

/**
 * xetile_users_reap() - free ranges that have no reference any more, in a worker
 * @users: ranges of an address space that the caller has a reference of
 *
 * Context: any.
 */
void xetile_users_reap(struct xetile_users *users)
{
	if (llist_empty(&users->dead))
		return;
	users->get(users);
	if (!queue_work(users->wq, &users->work))
		users->put(users);
}

/**
 * xetile_user_link() - a mapping of a range is made
 * @link: the mapping's part
 * @range: range that the caller has a reference of
 *
 * Context: process, with the VM's reservation; takes &xetile_users.lock.
 */
void xetile_user_link(struct xetile_user_link *link, struct xetile_user_range *range)
{
	struct xetile_users *users = range->users;

	dma_resv_assert_held(users->resv);
	kref_get(&range->ref);
	link->range = range;
	list_add(&link->link, &range->links);
	if (range->state != XETILE_USER_NEW)
		return;
	users->bound++;
	down_write(&users->lock);
	xetile_user_set_state(range, range->ready ? XETILE_USER_FRESH : XETILE_USER_STALE);
	up_write(&users->lock);
}

/**
 * xetile_user_unlink() - a mapping of a range is removed
 * @link: the mapping's part
 *
 * With the last one, no job that is submitted from now on uses the range: it waits for the change
 * that unmaps it.
 *
 * Context: process, with the VM's reservation; takes &xetile_users.lock.
 */
void xetile_user_unlink(struct xetile_user_link *link)
{
	struct xetile_user_range *range = link->range;
	struct xetile_users *users = range->users;
	struct dma_fence *last = NULL;
	bool unknown;

	dma_resv_assert_held(users->resv);
	list_del(&link->link);
	link->range = NULL;
	if (list_empty(&range->links)) {
		users->bound--;
		unknown = dma_resv_get_singleton(users->resv, DMA_RESV_USAGE_BOOKKEEP, &last);
		down_write(&users->lock);
		xetile_user_set_state(range, XETILE_USER_DEAD);
		range->last = last;
		range->last_unknown = unknown;
		up_write(&users->lock);
	}
	xetile_user_put(range);
}

/**
 * xetile_users_take_fresh() - find a range that the page tables do not map yet
 * @users: ranges of an address space
 * @err: out: 0, or -ESTALE: pages are to be faulted in first
 *
 * The caller maps the range, or gives it back by xetile_user_untake().
 *
 * Context: process, with the VM's reservation; takes &xetile_users.lock.
 * Return: the range, which keeps its mappings; NULL: there is none.
 */
struct xetile_user_range *xetile_users_take_fresh(struct xetile_users *users, int *err)
{
	struct xetile_user_range *range = NULL;

	dma_resv_assert_held(users->resv);
	down_write(&users->lock);
	*err = list_empty(&users->stale) ? 0 : -ESTALE;
	if (!*err)
		range = list_first_entry_or_null(&users->fresh, struct xetile_user_range,
						 state_link);
	if (range)
		xetile_user_set_state(range, XETILE_USER_MAPPED);
	up_write(&users->lock);
	return range;
}

/**
 * xetile_user_untake() - a range could not be mapped
 * @range: range of xetile_users_take_fresh()
 *
 * Context: process, with the VM's reservation; takes &xetile_users.lock.
 */
void xetile_user_untake(struct xetile_user_range *range)
{
	dma_resv_assert_held(range->users->resv);
	down_write(&range->users->lock);
	if (range->state == XETILE_USER_MAPPED)
		xetile_user_set_state(range, XETILE_USER_FRESH);
	up_write(&range->users->lock);
}

/**
 * xetile_user_layout() - where the pages of a range lie
 * @range: range of xetile_users_take_fresh()
 * @layout: out; pages may leave meanwhile, which xetile_users_begin() tells
 *
 * Context: process, with the VM's reservation.
 */
void xetile_user_layout(const struct xetile_user_range *range, struct xetile_layout *layout)
{
	dma_resv_assert_held(range->users->resv);
	*layout = (struct xetile_layout) { .dma = range->dma, .size = range->num << PAGE_SHIFT };
}

/**
 * xetile_user_is_absent() - whether the process has no memory there any more
 * @range: range of xetile_users_take_fresh()
 *
 * Context: process, with the VM's reservation.
 * Return: true if so: the range has no layout, and is mapped as nothing.
 */
bool xetile_user_is_absent(const struct xetile_user_range *range)
{
	dma_resv_assert_held(range->users->resv);
	return READ_ONCE(range->absent);
}

/**
 * xetile_user_links() - the mappings of a range
 * @range: range with mappings
 *
 * Context: process, with the VM's reservation.
 * Return: list of struct xetile_user_link.
 */
struct list_head *xetile_user_links(struct xetile_user_range *range)
{
	dma_resv_assert_held(range->users->resv);
	return &range->links;
}

/**
 * xetile_users_begin_slow() - as xetile_users_begin(), of an address space with ranges
 * @users: ranges of an address space
 *
 * Context: process, with the VM's reservation; takes &xetile_users.lock.
 * Return: as there.
 */
bool xetile_users_begin_slow(struct xetile_users *users)
{
	dma_resv_assert_held(users->resv);
	down_read(&users->lock);
	if (list_empty(&users->stale) && list_empty(&users->fresh))
		return true;
	up_read(&users->lock);
	return false;
}

/**
 * xetile_users_end_slow() - as xetile_users_end(), of an address space with ranges
 * @users: ranges of an address space
 *
 * Context: process, with the VM's reservation.
 */
void xetile_users_end_slow(struct xetile_users *users)
{
	dma_resv_assert_held(users->resv);
	up_read(&users->lock);
}

/**
 * xetile_users_init() - an address space maps no memory of processes
 * @users: its part of the address space; get, put and account are set by the caller
 * @dev: device that memory is mapped for
 * @wq: queue for works that wait for jobs
 * @resv: reservation of the address space
 *
 * Context: process; nobody else knows the address space yet.
 */
void xetile_users_init(struct xetile_users *users, struct device *dev,
		       struct workqueue_struct *wq, struct dma_resv *resv)
{
	users->dev = dev;
	users->wq = wq;
	users->resv = resv;
	init_rwsem(&users->lock);
	mutex_init(&users->fault);
	INIT_LIST_HEAD(&users->all);
	INIT_LIST_HEAD(&users->stale);
	INIT_LIST_HEAD(&users->fresh);
	INIT_LIST_HEAD(&users->queues);
	init_llist_head(&users->dead);
	INIT_WORK(&users->work, users_work);
}

/**
 * xetile_users_fini() - free all ranges
 * @users: ranges of an address space that has no mapping and no user any more
 *
 * Context: process, with no reservation.
 */
void xetile_users_fini(struct xetile_users *users)
{
	free_dead(users);
}

/*
 * The kernel does not hold those up who fault pages in meanwhile, as it does when it takes pages
 * away. So a range that somebody has made fresh since keeps its pages, which jobs may use by now,
 * and one whose pages are being faulted in is told to begin anew.
 */
static void unmap_rested(struct xetile_users *users)
{
	struct xetile_user_range *range;

	down_write(&users->lock);
	list_for_each_entry(range, &users->all, link) {
		if (range->state == XETILE_USER_FRESH || range->state == XETILE_USER_MAPPED)
			continue;
		WRITE_ONCE(range->rests, range->rests + 1);
		range->ready = false;
		xetile_user_unmap_pages(range, 0, range->num);
	}
	up_write(&users->lock);
}

/**
 * xetile_users_rest() - the machine is about to sleep: wait for all jobs that use ranges
 * @users: ranges of an address space to which nobody submits, but for workers
 *
 * Jobs do not end during the sleep. Other drivers find memory for theirs, and must not have to wait
 * for a job then. Endless jobs may have begun to use ranges again on return, unless their workers
 * are held back.
 *
 * Context: process; takes &xetile_users.lock.
 */
void xetile_users_rest(struct xetile_users *users)
{
	struct xetile_user_range *range;
	bool mapped = false;

	down_write(&users->lock);
	list_for_each_entry(range, &users->all, link) {
		make_stale(range);
		mapped |= may_be_used(range);
	}
	up_write(&users->lock);
	if (!mapped)
		return;
	xetile_users_wait(users, NULL, XETILE_USER_OTHERS);
	unmap_rested(users);
}

/**
 * xetile_users_unplug() - the device is gone: end all mappings for it
 * @users: ranges of an address space that no job runs in any more
 *
 * Context: process; takes &xetile_users.lock.
 */
void xetile_users_unplug(struct xetile_users *users)
{
	down_write(&users->lock);
	users->gone = true;
	up_write(&users->lock);
	unmap_all(users);
}
