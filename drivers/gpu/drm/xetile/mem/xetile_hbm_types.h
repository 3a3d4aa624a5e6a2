/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_HBM_TYPES_H__
#define __XETILE_HBM_TYPES_H__

#include <linux/atomic.h>
#include <linux/gpu_buddy.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include <drm/ttm/ttm_resource.h>

#include "mem/xetile_hbm_ahead.h"
#include "mem/xetile_hbm_kept.h"

/**
 * DOC: what a bank of HBM is made of
 *
 * For the files of HBM alone. &xetile_hbm.lock protects a bank's allocator and blocks; the list
 * of residents has a lock of its own.
 */

struct dmem_cgroup_region;
struct xetile_device;

/** struct xetile_hbm - allocator of one tile's bank; for the files of HBM alone */
struct xetile_hbm {
	/** @lock: protects @mm and the links of its blocks */
	struct mutex lock;
	/** @mm: the allocator */
	struct gpu_buddy mm;
	/** @own: the driver's own blocks, by their links */
	struct list_head own;
	/** @tables: pieces for page tables, which were given back last */
	struct xetile_hbm_kept tables;
	/** @contexts: pieces for contexts, a part of the reserve */
	struct xetile_hbm_kept contexts;
	/** @ahead: the piece that is being cleared ahead */
	struct xetile_hbm_ahead ahead;
	/** @reserve: bytes that BOs leave free */
	u64 reserve;
	/** @region: region control groups are charged for; NULL where there are no such groups */
	struct dmem_cgroup_region *region;
	/** @clients: bytes of BOs, and of contexts and page tables of files */
	atomic64_t clients;
	/** @freed: how often a BO gave memory back */
	atomic64_t freed;
	/** @runs: how often memory for a run of a color was looked for */
	atomic64_t runs;
};

/** struct xetile_hbm_manager - TTM's manager of all banks of a card */
struct xetile_hbm_manager {
	/** @base: TTM's part */
	struct ttm_resource_manager base;
	/** @xt: card */
	struct xetile_device *xt;
	/** @residents: all resources, in the order they came; its lock protects @last too */
	struct xarray residents;
	/** @last: the age of the youngest one */
	unsigned long last;
};

/**
 * xetile_hbm_avail() - memory of a bank that can be had at once
 * @hbm: the bank, with its lock held
 *
 * Context: process, with &xetile_hbm.lock.
 * Return: bytes that are free.
 */
static inline u64 xetile_hbm_avail(const struct xetile_hbm *hbm)
{
	lockdep_assert_held(&hbm->lock);
	return hbm->mm.avail + xetile_hbm_kept_bytes(&hbm->tables) +
	       xetile_hbm_kept_bytes(&hbm->contexts);
}

/**
 * xetile_hbm_free_bytes() - memory of a bank that nobody has
 * @hbm: the bank, with its lock held
 *
 * Context: process, with &xetile_hbm.lock.
 * Return: bytes that are free, or will be when they are clear.
 */
static inline u64 xetile_hbm_free_bytes(const struct xetile_hbm *hbm)
{
	return xetile_hbm_avail(hbm) + hbm->ahead.size;
}

#endif
