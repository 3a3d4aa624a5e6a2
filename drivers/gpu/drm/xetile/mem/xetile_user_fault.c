// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_user.h"

#include <linux/hmm.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "mem/xetile_user_types.h"

/**
 * DOC: getting pages of a process
 *
 * Pages are faulted in, and mapped for the card under the notifier lock, as long as none of their
 * range has left since. A submission that found a range stale calls this with no lock held, because
 * a page fault may wait for anything: a file system in a process, for example.
 *
 * Of a range from which a part has left only the pieces of CHUNK pages are looked up in which one
 * is missing. The range is written into the page tables as a whole, though.
 *
 * A program may free memory that it has bound and uses no more. A job is refused then, unless the
 * address space is for jobs without an end, or of the xe driver's interface, where jobs go on: the
 * range is mapped as nothing, and who uses it nevertheless has a page fault.
 */

/* Pages that are faulted in at once */
#define CHUNK		512u

/*
 * How often pages may leave while they are brought before a signal ends the call, unless the signal
 * ends the process. Who begins anew has all ranges of a bind before him again, and the write to a
 * page that is shared with another process takes an attempt.
 */
#define SURE_ATTEMPTS	8u

/*
 * Nobody tells the kernel when the card writes, so the page is written from now on. Pages that are
 * swapped may be writable and clean, after MADV_FREE for example. A page of any other file becomes
 * writable by a fault that marks it dirty, and is clean again only after it has left. To mark those
 * here would be wrong: a file system may allocate memory for it.
 */
static void mark_dirty(struct folio *folio)
{
	if (folio_test_dirty(folio))
		return;
	if (folio_test_anon(folio) || folio_test_swapbacked(folio))
		folio_mark_dirty(folio);
}

/* Map a page of a process for the card. */
static int map_page(struct xetile_user_range *range, u64 i, unsigned long pfn)
{
	struct device *dev = range->users->dev;
	struct page *page = hmm_pfn_to_page(pfn);
	dma_addr_t dma;

	lockdep_assert_held(&range->users->lock);
	/* Memory of other devices has rules of its own. */
	if (is_zone_device_page(page))
		return -EFAULT;
	if (!range->readonly)
		mark_dirty(page_folio(page));
	dma = dma_map_page_attrs(dev, page, 0, PAGE_SIZE, xetile_user_direction(range),
				 DMA_ATTR_SKIP_CPU_SYNC);
	if (dma_mapping_error(dev, dma))
		return -ENOMEM;
	range->dma[i] = dma;
	/* A copy of the page in place of the page would be no memory of the process. */
	return dma_need_sync(dev, dma) ? -EOPNOTSUPP : 0;
}

/* Whether all pages are still mapped for the card from the last time: they have not left since. */
static bool chunk_stayed(struct xetile_user_range *range, u64 first, unsigned int num)
{
	unsigned int i;

	down_read(&range->users->lock);
	for (i = 0; i < num; i++)
		if (range->dma[first + i] == XETILE_USER_NO_DMA)
			break;
	up_read(&range->users->lock);
	return i == num;
}

/* @pfns: room for CHUNK of them. Returns 0, -EBUSY: pages left meanwhile, or an error. */
static int fault_chunk(struct xetile_user_range *range, u64 first, unsigned long seq,
		       unsigned long *pfns)
{
	struct mm_struct *mm = range->notifier.mm;
	unsigned int num = min_t(u64, CHUNK, range->num - first), i;
	struct hmm_range hmm = {
		.notifier = &range->notifier, .notifier_seq = seq, .hmm_pfns = pfns,
		.start = range->start + first * PAGE_SIZE,
		.end = range->start + (first + num) * PAGE_SIZE,
		.default_flags = HMM_PFN_REQ_FAULT | (range->readonly ? 0 : HMM_PFN_REQ_WRITE),
	};
	int err;

	if (chunk_stayed(range, first, num))
		return 0;
	/* There may be millions of pages. */
	if (fatal_signal_pending(current))
		return -EINTR;
	memset(pfns, 0, num * sizeof(*pfns));
	err = mmap_read_lock_killable(mm);
	if (err)
		return err;
	err = hmm_range_fault(&hmm);
	mmap_read_unlock(mm);
	if (err)
		return err == -EBUSY || err == -ENOMEM ? err : -EFAULT;

	down_read(&range->users->lock);
	if (mmu_interval_read_retry(&range->notifier, seq))
		err = -EBUSY;
	else if (range->users->gone)
		err = -ENODEV;
	range->mapped |= !err;
	for (i = 0; i < num && !err; i++)
		if (range->dma[first + i] == XETILE_USER_NO_DMA)
			err = map_page(range, first + i, pfns[i]);
	up_read(&range->users->lock);
	cond_resched();
	return err;
}

/*
 * The pages are all there, unless some left meanwhile, or were unmapped for a sleep. On an error
 * none stays. A range that has lost its last mapping meanwhile needs none; one that has no mapping
 * yet becomes fresh with its first one.
 */
static int publish(struct xetile_user_range *range, unsigned long seq, unsigned int rests, int err)
{
	bool absent;

	down_write(&range->users->lock);
	absent = err == -EFAULT && range->users->outlives && range->state != XETILE_USER_NEW;
	if (range->state == XETILE_USER_DEAD)
		err = 0;
	else if ((!err || absent) && (mmu_interval_read_retry(&range->notifier, seq) ||
				      range->rests != rests))
		err = -EBUSY;
	/* No job uses a range that is stale. */
	if (err && err != -EBUSY)
		xetile_user_unmap_pages(range, 0, range->num);
	if (err && absent && err != -EBUSY)
		err = 0;
	if (!err && range->state == XETILE_USER_STALE) {
		range->absent = absent;
		xetile_user_set_state(range, XETILE_USER_FRESH);
	}
	range->ready = !err && range->state == XETILE_USER_NEW;
	up_write(&range->users->lock);
	return err;
}

static bool is_dead(struct xetile_user_range *range)
{
	bool dead;

	down_read(&range->users->lock);
	dead = range->state == XETILE_USER_DEAD;
	up_read(&range->users->lock);
	return dead;
}

/* Each attempt may wait until pages have left, for which jobs are waited for. */
static bool has_to_end(unsigned int attempts)
{
	return fatal_signal_pending(current) ||
	       (attempts >= SURE_ATTEMPTS && signal_pending(current));
}

static int fault_in(struct xetile_user_range *range)
{
	struct mm_struct *mm = range->notifier.mm;
	unsigned long *pfns, seq;
	unsigned int rests, attempts = 0;
	int err;
	u64 at;

	/* The process has ended, though its address space is still used. */
	if (!mmget_not_zero(mm))
		return is_dead(range) ? 0 : -EFAULT;
	pfns = kmalloc_array(CHUNK, sizeof(*pfns), GFP_KERNEL_ACCOUNT);
	err = pfns ? -EBUSY : -ENOMEM;
	while (err == -EBUSY) {
		/* Sleeps as long as pages of the range are being taken away. */
		seq = mmu_interval_read_begin(&range->notifier);
		rests = READ_ONCE(range->rests);
		for (at = 0, err = 0; at < range->num && !err; at += CHUNK)
			err = fault_chunk(range, at, seq, pfns);
		err = publish(range, seq, rests, err);
		if (err == -EBUSY && has_to_end(++attempts))
			err = -ERESTARTSYS;
	}
	kfree(pfns);
	/* The end of the process waits for jobs, and others wait for the lock that is held here. */
	mmput_async(mm);
	return err;
}

/**
 * xetile_user_fault_in() - have the pages of a range that is not mapped yet
 * @range: range that the caller has created, and has made no mapping of
 *
 * The caller hears at once that there is no page, and the first job need not wait for them, as long
 * as none has left until then. Nobody else has the range, so the lock of those who fault in the
 * ranges of an address space is not taken.
 *
 * Context: process, with no lock, and not inside xetile_device_enter(); takes mmap_lock.
 * Return: as that of xetile_users_fault_in().
 */
int xetile_user_fault_in(struct xetile_user_range *range)
{
	return fault_in(range);
}

static struct xetile_user_range *get_stale(struct xetile_users *users)
{
	struct xetile_user_range *range;

	down_read(&users->lock);
	range = list_first_entry_or_null(&users->stale, struct xetile_user_range, state_link);
	/* Its mappings have references as long as it is in the list. */
	if (range)
		kref_get(&range->ref);
	up_read(&users->lock);
	return range;
}

/**
 * xetile_users_fault_in() - have the pages of all ranges
 * @users: ranges of an address space that the caller has a reference of
 *
 * Page faults may wait for other processes, without an end. Pages may leave again before a job is
 * submitted.
 *
 * Context: process, with no lock, and not inside xetile_device_enter(); takes &xetile_users.fault
 * and mmap_lock.
 * Return: 0; -EFAULT: there is no page, or it may not be written, or its process is gone;
 * -EOPNOTSUPP: the machine cannot give the card the page itself; -ERESTARTSYS, -EINTR, -ENOMEM,
 * -ENODEV.
 */
int xetile_users_fault_in(struct xetile_users *users)
{
	struct xetile_user_range *range;
	bool some = false;
	int err;

	err = mutex_lock_interruptible(&users->fault);
	if (err)
		return err;
	while (!err && (range = get_stale(users))) {
		/* Ranges that are fresh stay so when the call begins anew. */
		err = some && signal_pending(current) ? -ERESTARTSYS : fault_in(range);
		some = true;
		xetile_user_put(range);
	}
	mutex_unlock(&users->fault);
	xetile_users_reap(users);
	return err;
}
