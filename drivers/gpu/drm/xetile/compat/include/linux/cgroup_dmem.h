/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_COMPAT_CGROUP_DMEM_H__
#define __XETILE_COMPAT_CGROUP_DMEM_H__

/* Kernels without control groups for memory of devices: nothing is ever charged. */

#include <linux/types.h>

struct dmem_cgroup_pool_state;
struct dmem_cgroup_region;

static inline int dmem_cgroup_try_charge(struct dmem_cgroup_region *region, u64 size,
					 struct dmem_cgroup_pool_state **pool,
					 struct dmem_cgroup_pool_state **limit)
{
	*pool = NULL;
	return 0;
}

static inline void dmem_cgroup_uncharge(struct dmem_cgroup_pool_state *pool, u64 size)
{
}

static inline bool dmem_cgroup_state_evict_valuable(struct dmem_cgroup_pool_state *limit,
						    struct dmem_cgroup_pool_state *test,
						    bool ignore_low, bool *hit_low)
{
	return true;
}

static inline void dmem_cgroup_pool_state_put(struct dmem_cgroup_pool_state *pool)
{
}

#endif
