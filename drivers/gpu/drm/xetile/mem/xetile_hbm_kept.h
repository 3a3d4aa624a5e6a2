/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_HBM_KEPT_H__
#define __XETILE_HBM_KEPT_H__

#include <linux/list.h>
#include <linux/types.h>

struct gpu_buddy;
struct gpu_buddy_block;
struct mutex;

/** struct xetile_hbm_kept - free pieces of a bank, of one size, that the allocator does not have */
struct xetile_hbm_kept {
	/** @mm: the bank's allocator */
	struct gpu_buddy *mm;
	/** @lock: protects @mm and the pieces; callers hold it */
	struct mutex *lock;
	/** @blocks: the pieces, by the links of their blocks */
	struct list_head blocks;
	/** @size: bytes of a piece, a power of two */
	u64 size;
	/** @num: pieces there are */
	unsigned int num;
	/** @most: pieces that are kept at most */
	unsigned int most;
};

void xetile_hbm_kept_init(struct xetile_hbm_kept *kept, struct gpu_buddy *mm, struct mutex *lock,
			  u64 size, unsigned int most);
void xetile_hbm_kept_fill(struct xetile_hbm_kept *kept, u64 end);
bool xetile_hbm_kept_put(struct xetile_hbm_kept *kept, struct gpu_buddy_block *block);
struct gpu_buddy_block *xetile_hbm_kept_take(struct xetile_hbm_kept *kept, struct list_head *to);
bool xetile_hbm_kept_give_one(struct xetile_hbm_kept *kept);
bool xetile_hbm_kept_give_all(struct xetile_hbm_kept *kept);

/* Bytes that are kept; they are free */
static inline u64 xetile_hbm_kept_bytes(const struct xetile_hbm_kept *kept)
{
	return kept->num * kept->size;
}

#endif
