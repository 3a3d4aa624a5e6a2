/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_USER_TYPES_H__
#define __XETILE_USER_TYPES_H__

#include <linux/dma-mapping.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mmu_notifier.h>
#include <linux/types.h>

/**
 * DOC: what a range of a process's memory is made of
 *
 * For the files xetile_user*.c alone. &xetile_users.lock protects the state and the
 * mappings for the card, the address space's reservation the list of mappings.
 */

struct dma_fence;
struct xetile_users;

#define XETILE_USER_NO_DMA	DMA_MAPPING_ERROR

/** enum xetile_user_state - where a range is between a bind and a job */
enum xetile_user_state {
	/** @XETILE_USER_NEW: no mapping has been made yet */
	XETILE_USER_NEW,
	/** @XETILE_USER_STALE: pages are to be faulted in */
	XETILE_USER_STALE,
	/** @XETILE_USER_FRESH: the pages are there, and are to be written into the page tables */
	XETILE_USER_FRESH,
	/** @XETILE_USER_MAPPED: the page tables are right */
	XETILE_USER_MAPPED,
	/** @XETILE_USER_DEAD: the last mapping is gone */
	XETILE_USER_DEAD,
};

/** enum xetile_user_patience - who waits for jobs, see xetile_user_wait.c */
enum xetile_user_patience {
	/** @XETILE_USER_OTHERS: others than the process whose memory it is */
	XETILE_USER_OTHERS,
	/** @XETILE_USER_OWN: the process itself */
	XETILE_USER_OWN,
	/** @XETILE_USER_RELEASE: the process's memory ends */
	XETILE_USER_RELEASE,
};

/** struct xetile_user_range - memory of a process that is bound by one bind */
struct xetile_user_range {
	/** @notifier: tells when pages leave */
	struct mmu_interval_notifier notifier;
	/** @users: all ranges of the address space */
	struct xetile_users *users;
	/** @ref: held by each mapping, by the bind in the making, and by a task that faults */
	struct kref ref;
	/** @start: address in the process */
	u64 start;
	/** @readonly: the card only reads */
	bool readonly;
	/** @mapped: a page may be mapped for the card */
	bool mapped;
	/** @absent: the process has no such memory: the range is mapped as nothing */
	bool absent;
	/** @ready: new: all pages are there, and none has left since */
	bool ready;
	/**
	 * @last_unknown: dead: there was no memory to find @last, so all jobs of the address space
	 *	are waited for, those included that came later
	 */
	bool last_unknown;
	/** @rests: how often pages were unmapped that may have been faulted in just then */
	unsigned int rests;
	/** @state: see there */
	enum xetile_user_state state;
	/** @state_link: in the list of its state */
	struct list_head state_link;
	/** @link: in &xetile_users.all */
	struct list_head link;
	/** @links: struct xetile_user_link */
	struct list_head links;
	/** @last: dead: end of the jobs that may still use the pages, or NULL */
	struct dma_fence *last;
	/** @dead: in &xetile_users.dead */
	struct llist_node dead;
	/** @num: elements of @dma */
	u64 num;
	/** @dma: where the card finds each page, or XETILE_USER_NO_DMA */
	dma_addr_t dma[] __counted_by(num);
};

/**
 * xetile_user_direction() - what the card does with the pages of a range
 * @range: range
 *
 * Return: for DMA.
 */
static inline enum dma_data_direction xetile_user_direction(const struct xetile_user_range *range)
{
	return range->readonly ? DMA_TO_DEVICE : DMA_BIDIRECTIONAL;
}

void xetile_user_set_state(struct xetile_user_range *range, enum xetile_user_state state);
void xetile_user_unmap_pages(struct xetile_user_range *range, u64 first, u64 end);
void xetile_users_wait(struct xetile_users *users, struct dma_fence *last,
		       enum xetile_user_patience patience);

#endif
