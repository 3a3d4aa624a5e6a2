/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_USER_H__
#define __XETILE_USER_H__

#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/kconfig.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "mem/xetile_layout.h"

/* Without it the kernel gives no driver the pages of a process, and tells none when they leave. */
#define XETILE_HAS_USER	IS_ENABLED(CONFIG_HMM_MIRROR)

struct device;
struct dma_resv;
struct xetile_account;
struct xetile_user_range;

/** struct xetile_user_link - a mapping of a range, or of a part of it */
struct xetile_user_link {
	/** @range: the range, with a reference; NULL: another kind of mapping */
	struct xetile_user_range *range;
	/** @link: in the range's list of mappings */
	struct list_head link;
};

/** struct xetile_user_queue - a queue whose jobs may use memory of processes */
struct xetile_user_queue {
	/** @link: in &xetile_users.queues */
	struct list_head link;
	/**
	 * @end_late: end the queue's jobs, if it has any, and none of them may take so many
	 *	milliseconds; under &xetile_users.lock, allocates nothing and waits for nothing
	 */
	void (*end_late)(struct xetile_user_queue *queue, unsigned int ms);
};

/** struct xetile_users - memory of processes that an address space maps */
struct xetile_users {
	/** @dev: device that the memory is mapped for */
	struct device *dev;
	/** @wq: for @work, which waits for jobs */
	struct workqueue_struct *wq;
	/** @resv: reservation of the address space */
	struct dma_resv *resv;
	/** @account: of the address space, or NULL: the kernel's */
	struct xetile_account *account;
	/** @bound: ranges that have mappings; under @resv */
	unsigned int bound;
	/** @num: all ranges */
	atomic_t num;
	/**
	 * @lock: the notifier lock: protects the lists, the states of ranges and the mappings for
	 *	the device. Taken in reclaim: nothing is allocated, or waited for, under it
	 */
	struct rw_semaphore lock;
	/** @all: all ranges */
	struct list_head all;
	/** @stale: ranges with mappings whose pages must be faulted in */
	struct list_head stale;
	/** @fresh: ranges whose pages were faulted in, and are not in the page tables yet */
	struct list_head fresh;
	/** @queues: queues whose jobs may use the ranges */
	struct list_head queues;
	/** @outlives: jobs go on without memory that a process has no more; never changes */
	bool outlives;
	/** @gone: the device is gone: nothing is mapped for it any more */
	bool gone;
	/** @fault: the one task that faults pages in */
	struct mutex fault;
	/** @dead: ranges without a reference */
	struct llist_head dead;
	/** @work: frees @dead */
	struct work_struct work;
	/** @get: take a reference of the object that embeds this */
	void (*get)(struct xetile_users *users);
	/** @put: drop that reference */
	void (*put)(struct xetile_users *users);
	/** @hurry: have jobs that have no end leave the ranges, now; NULL: all have one */
	void (*hurry)(struct xetile_users *users);
};

#if XETILE_HAS_USER

void xetile_users_init(struct xetile_users *users, struct device *dev,
		       struct workqueue_struct *wq, struct dma_resv *resv);
void xetile_users_fini(struct xetile_users *users);
void xetile_users_rest(struct xetile_users *users);
void xetile_users_unplug(struct xetile_users *users);
void xetile_users_add_queue(struct xetile_users *users, struct xetile_user_queue *queue);
void xetile_users_del_queue(struct xetile_users *users, struct xetile_user_queue *queue);
void xetile_users_reap(struct xetile_users *users);
int xetile_users_fault_in(struct xetile_users *users);
struct xetile_user_range *xetile_users_take_fresh(struct xetile_users *users, int *err);
bool xetile_users_begin_slow(struct xetile_users *users);
void xetile_users_end_slow(struct xetile_users *users);

/**
 * xetile_users_are_stale() - would a job have to wait for pages of a process
 * @users: ranges of an address space
 *
 * Context: any. The answer may be old.
 * Return: true: xetile_users_begin() would most likely fail.
 */
static inline bool xetile_users_are_stale(const struct xetile_users *users)
{
	return !list_empty(&users->stale);
}

struct xetile_user_range *xetile_user_create(struct xetile_users *users, u64 start, u64 size,
					     bool readonly);
int xetile_user_fault_in(struct xetile_user_range *range);
void xetile_user_put(struct xetile_user_range *range);
void xetile_user_link(struct xetile_user_link *link, struct xetile_user_range *range);
void xetile_user_unlink(struct xetile_user_link *link);
void xetile_user_untake(struct xetile_user_range *range);
void xetile_user_layout(const struct xetile_user_range *range, struct xetile_layout *layout);
struct list_head *xetile_user_links(struct xetile_user_range *range);
bool xetile_user_is_absent(const struct xetile_user_range *range);

#else

static inline void xetile_users_init(struct xetile_users *users, struct device *dev,
				     struct workqueue_struct *wq, struct dma_resv *resv)
{
}

static inline void xetile_users_fini(struct xetile_users *users)
{
}

static inline void xetile_users_rest(struct xetile_users *users)
{
}

static inline void xetile_users_unplug(struct xetile_users *users)
{
}

static inline void xetile_users_add_queue(struct xetile_users *users,
					  struct xetile_user_queue *queue)
{
}

static inline void xetile_users_del_queue(struct xetile_users *users,
					  struct xetile_user_queue *queue)
{
}

static inline void xetile_users_reap(struct xetile_users *users)
{
}

static inline int xetile_users_fault_in(struct xetile_users *users)
{
	return 0;
}

static inline bool xetile_users_are_stale(const struct xetile_users *users)
{
	return false;
}

static inline struct xetile_user_range *xetile_users_take_fresh(struct xetile_users *users,
								int *err)
{
	return NULL;
}

static inline bool xetile_users_begin_slow(struct xetile_users *users)
{
	return true;
}

static inline void xetile_users_end_slow(struct xetile_users *users)
{
}

static inline struct xetile_user_range *xetile_user_create(struct xetile_users *users, u64 start,
							   u64 size, bool readonly)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline int xetile_user_fault_in(struct xetile_user_range *range)
{
	return -EOPNOTSUPP;
}

static inline void xetile_user_put(struct xetile_user_range *range)
{
}

static inline void xetile_user_link(struct xetile_user_link *link,
				    struct xetile_user_range *range)
{
}

static inline void xetile_user_unlink(struct xetile_user_link *link)
{
}

static inline void xetile_user_untake(struct xetile_user_range *range)
{
}

static inline void xetile_user_layout(const struct xetile_user_range *range,
				      struct xetile_layout *layout)
{
}

static inline bool xetile_user_is_absent(const struct xetile_user_range *range)
{
	return false;
}

static inline struct list_head *xetile_user_links(struct xetile_user_range *range)
{
	return NULL;
}

#endif

/**
 * xetile_users_begin() - nothing may leave the page tables until a job's fence is published
 * @users: ranges of an address space whose reservation is held
 *
 * Nothing is allocated until xetile_users_end().
 *
 * Context: process, with the VM's reservation; takes &xetile_users.lock.
 * Return: true; or false: pages left meanwhile, and nothing is to be ended.
 */
static inline bool xetile_users_begin(struct xetile_users *users)
{
	return !users->bound || xetile_users_begin_slow(users);
}

/**
 * xetile_users_end() - a job's fence is in the reservation: from now on invalidations wait for it
 * @users: ranges of an address space whose reservation is held
 *
 * Context: process, with the VM's reservation.
 */
static inline void xetile_users_end(struct xetile_users *users)
{
	if (users->bound)
		xetile_users_end_slow(users);
}

#endif
