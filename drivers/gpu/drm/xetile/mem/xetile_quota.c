// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_quota.h"

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/moduleparam.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "card/xetile_tile.h"
#include "mem/xetile_privilege.h"

/**
 * DOC: HBM that the buffers of a file may have
 *
 * A quota counts how much HBM the buffers have that a file has made, by tile, and refuses more than
 * the administrator allows a file. It works on kernels without a control group for HBM, too. HBM is
 * counted while a buffer has it, so a buffer that was evicted does not count.
 *
 * A run of endless jobs brings back what was evicted, although the file has other HBM by then: the
 * work that begins it may exceed the limit. A limit of all that a user has is another one's to keep
 * (Documentation/gpu/xetile/memory.rst).
 *
 * It is no part of the file's account, because the last reference may be dropped where nothing may
 * sleep: when TTM frees the memory of a buffer whose file is closed. Counters are atomic; no lock.
 */

static unsigned int file_hbm;
module_param(file_hbm, uint, 0644);
MODULE_PARM_DESC(file_hbm,
		 "MiB of each tile's HBM that the BOs of one file may take; CAP_SYS_RESOURCE may exceed it (default 0: no limit)");

/* struct xetile_quota - the file has a reference, and so has all HBM that counts */
struct xetile_quota {
	struct kref ref;
	/* by tile */
	atomic64_t bytes[XETILE_MAX_TILES];
};

/**
 * xetile_quota_create() - begin to count
 *
 * Context: process.
 * Return: a reference, or NULL without memory.
 */
struct xetile_quota *xetile_quota_create(void)
{
	struct xetile_quota *quota = kzalloc_obj(*quota, GFP_KERNEL_ACCOUNT);

	if (quota)
		kref_init(&quota->ref);
	return quota;
}

/**
 * xetile_quota_get() - take a reference
 * @quota: of a file; or NULL: of the kernel, which has no limit
 *
 * Context: any.
 * Return: @quota.
 */
struct xetile_quota *xetile_quota_get(struct xetile_quota *quota)
{
	if (quota)
		kref_get(&quota->ref);
	return quota;
}

static void quota_release(struct kref *ref)
{
	kfree(container_of(ref, struct xetile_quota, ref));
}

/**
 * xetile_quota_put() - drop a reference
 * @quota: of a file, or NULL
 *
 * Context: any.
 */
void xetile_quota_put(struct xetile_quota *quota)
{
	if (quota)
		kref_put(&quota->ref, quota_release);
}

/**
 * xetile_quota_take() - a BO is to have HBM
 * @quota: of the file that has made the BO, or NULL
 * @tile: number of the tile
 * @bytes: how much
 * @moves: bytes there that count already, and that the BO gives back once it has moved
 *
 * Until then both count, so that a BO can move while its file has all that it may have.
 *
 * Context: process, of the client.
 * Return: 0, and the caller owes xetile_quota_give(); or -EDQUOT: the file's BOs have as much HBM
 * of the tile as the administrator allows.
 */
int xetile_quota_take(struct xetile_quota *quota, unsigned int tile, u64 bytes, u64 moves)
{
	u64 max = (u64)READ_ONCE(file_hbm) * SZ_1M ?: U64_MAX;
	s64 old;

	if (!quota || !bytes)
		return 0;
	old = atomic64_read(&quota->bytes[tile]);
	do {
		if (old - moves + bytes > max && !xetile_may_exceed_limits())
			return -EDQUOT;
	} while (!atomic64_try_cmpxchg(&quota->bytes[tile], &old, old + bytes));
	return 0;
}

/**
 * xetile_quota_give() - HBM of a BO was given back
 * @quota: of xetile_quota_take()
 * @tile: the same
 * @bytes: the same
 *
 * Context: any.
 */
void xetile_quota_give(struct xetile_quota *quota, unsigned int tile, u64 bytes)
{
	if (quota)
		atomic64_sub(bytes, &quota->bytes[tile]);
}
