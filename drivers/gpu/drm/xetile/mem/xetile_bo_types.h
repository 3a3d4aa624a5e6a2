/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_BO_TYPES_H__
#define __XETILE_BO_TYPES_H__

#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/spinlock.h>
#include <linux/workqueue_types.h>

#include <drm/drm_gem.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_placement.h>
#include <drm/ttm/ttm_resource.h>

#include "card/xetile_tile.h"
#include "mem/xetile_color.h"
#include "mem/xetile_layout.h"
#include "mem/xetile_place.h"

/**
 * DOC: what a buffer is made of
 *
 * For the files of buffers, of HBM and of address spaces, and for the kernel's own copies. The
 * buffer's reservation protects all fields that are not constant and name no other lock.
 */

struct dma_buf;
struct dma_buf_attachment;
struct dma_fence;
struct mem_cgroup;
struct sg_table;
struct xetile_account;
struct xetile_copies;
struct xetile_device;
struct xetile_moves;
struct xetile_pin;
struct xetile_quota;
struct xetile_recolor;

#define XETILE_COLOR_PAGE	BIT(XETILE_COLOR_PAGE_SHIFT)

/* Placements; the uAPI has its own numbers for them */
#define XETILE_PLACE_HBM	BIT(0)
#define XETILE_PLACE_SYSTEM	BIT(1)

/* Flags of a BO */
#define XETILE_BO_STRICT	BIT(0)	/* the color holds exactly, or the call fails */
/* The color's one tile was chosen when the BO was created */
#define XETILE_BO_LEAST_OCCUPIED	BIT(1)
#define XETILE_BO_MIGRATE	BIT(2)	/* moves on access, see xetile_managed.c */
/* In system memory no CPU has it in a cache; not for a BO that moves on access */
#define XETILE_BO_WC		BIT(3)

/* How a BO is shared with other devices now */
#define XETILE_SHARE_IMPORTED	BIT(0)	/* another device's memory */
#define XETILE_SHARE_PEER	BIT(1)	/* used across the bus */
#define XETILE_SHARE_SYSTEM	BIT(2)	/* used in system memory */
#define XETILE_SHARE_PINNED	BIT(3)	/* another device keeps it from being moved */

/** enum xetile_advice - where a part of a BO that moves on access is to lie for jobs */
enum xetile_advice {
	/** @XETILE_ADVICE_NONE: nothing was ever said */
	XETILE_ADVICE_NONE,
	/** @XETILE_ADVICE_COLOR: as the color says */
	XETILE_ADVICE_COLOR,
	/** @XETILE_ADVICE_TILE: on a tile that the user has chosen */
	XETILE_ADVICE_TILE,
	/** @XETILE_ADVICE_SYSTEM: in system memory */
	XETILE_ADVICE_SYSTEM,
	/** @XETILE_ADVICE_READ: as the color says, and copies elsewhere: jobs only read it */
	XETILE_ADVICE_READ,
};

/**
 * struct xetile_bo_group - BOs that are private to a VM and share its reservation
 *
 * A job does once for the group the steps that it takes for each other BO: lock, wait, publish
 * the job's fence, have the BO evicted last.
 */
struct xetile_bo_group {
	/** @base: carries the reservation; references are GEM references */
	struct drm_gem_object base;
	/** @bulk: the BOs' place in TTM's lists */
	struct ttm_lru_bulk_move bulk;
	/** @num_bulk: number of BOs in @bulk; under the reservation */
	unsigned int num_bulk;
	/** @used: when a job last wanted the BOs: as &xetile_bo.used */
	u64 used;
	/** @lock: protects @unfilled */
	spinlock_t lock;
	/** @unfilled: BOs whose &xetile_bo.filled is not known to have ended well */
	struct list_head unfilled;
};

/** struct xetile_bo_args - what a user asks for */
struct xetile_bo_args {
	/** @size: bytes, already rounded to xetile_bo_granule() of @placement */
	u64 size;
	/** @placement: mask of XETILE_PLACE_* */
	u32 placement;
	/** @flags: mask of XETILE_BO_* */
	u32 flags;
	/** @color: checked; its runs are copied */
	struct xetile_coloring color;
	/** @replicas: tiles that have a copy each, one behind the other in @size; 0: no copies */
	u32 replicas;
	/**
	 * @owner: base of the group of the VM the BO is private to, which the BO takes a
	 *	reference of; NULL: the BO is not private
	 */
	struct drm_gem_object *owner;
	/** @owner_id: userspace's id of that VM, or 0 */
	u32 owner_id;
	/** @moves: of the file that makes it, of which the BO takes a reference; or NULL */
	struct xetile_moves *moves;
	/** @quota: of that file, of which the BO takes a reference; or NULL */
	struct xetile_quota *quota;
};

/**
 * struct xetile_bo_mover - how buffers are cleared and copied
 *
 * Owned by xetile_bo_move.c, provided by a higher level (the copy engine). The returned fence
 * signals when the bytes are in place. @clear and @copy are called with the BO's reservation
 * held, may sleep, and return an ERR_PTR on failure: then no clear or copy goes on. With
 * @killable that is -ERESTARTSYS when the task is killed.
 */
struct xetile_bo_mover {
	/** @check: 0, or the error for which no HBM is given out any more; takes no lock */
	int (*check)(struct xetile_device *xt);
	/** @clear: zero HBM */
	struct dma_fence *(*clear)(struct xetile_device *xt, const struct xetile_layout *dst,
				   bool killable);
	/** @copy: copy between layouts of one size, of which one is in HBM */
	struct dma_fence *(*copy)(struct xetile_device *xt, const struct xetile_layout *dst,
				  const struct xetile_layout *src, bool killable);
};

/** struct xetile_import - what a BO is whose memory is another device's; see xetile_import.c */
struct xetile_import {
	/** @buf: the exporter's dma-buf, with a reference; constant */
	struct dma_buf *buf;
	/** @payer: user who has made the import; constant */
	struct xetile_account *payer;
	/** @attach: of the card; NULL when the card is gone */
	struct dma_buf_attachment *attach;
	/** @sgt: where the card reaches it, or NULL: not mapped; under the reservation */
	struct sg_table *sgt;
	/** @stale: the exporter has moved it, and jobs still use @sgt; as above */
	bool stale;
	/** @peer: @sgt names memory of the exporter's device; as above */
	bool peer;
	/** @link: in &xetile_device.share.imports */
	struct list_head link;
	/** @bo: the BO; constant */
	struct xetile_bo *bo;
	/** @end_work: frees the import and the BO, see xetile_import_end() */
	struct work_struct end_work;
	/** @free: frees the BO in the end; set when @end_work is queued */
	void (*free)(struct xetile_bo *bo);
};

/** struct xetile_bo - a user's buffer; references are GEM references */
struct xetile_bo {
	/** @ttm: base */
	struct ttm_buffer_object ttm;
	/** @memcg: the control group that pays for its system memory, or NULL; constant */
	struct mem_cgroup *memcg;
	/**
	 * @args: arguments of its creation; constant but for the color, which is protected by the
	 *	reservation; the BO owns the runs of the color
	 */
	struct xetile_bo_args args;
	/**
	 * @color: which tile each of its pages is to lie on: the color in @args, or that of its
	 *	advice; under the reservation
	 */
	const struct xetile_coloring *color;
	/** @advice: what the user said of it since; as @color */
	enum xetile_advice advice;
	/** @places: where it may lie, in order of preference; see xetile_bo_place() */
	struct ttm_place places[5];
	/** @shares: color pages its color gives each tile; under the reservation */
	u64 shares[XETILE_MAX_TILES];
	/** @closed: private and without a handle; under the reservation */
	bool closed;
	/**
	 * @lack: while TTM places the BO: where the manager notes tiles that lack room; else NULL
	 */
	struct xetile_place_lack *lack;
	/**
	 * @recolor: while TTM places the BO for a recolor: what is to move; else NULL
	 */
	struct xetile_recolor *recolor;
	/** @needed_by: id of the last call that wanted it placed; under the reservation */
	u64 needed_by;
	/** @held_by: id of the call that keeps it from new jobs, or 0; set under the reservation */
	u64 held_by;
	/** @held_link: in @held of that call */
	struct list_head held_link;
	/** @kept_until: time before which it stays for the CPU, in 64-bit jiffies, or 0 */
	u64 kept_until;
	/** @spared_until: time before which it is not held back again, in 64-bit jiffies */
	u64 spared_until;
	/**
	 * @used: when it came to HBM, or when a job last wanted it if it is not private, in the
	 *	time of xetile_hbm_now(); written under the reservation
	 */
	u64 used;
	/**
	 * @moves: how often it was moved since it was made, or has to be mapped anew for another
	 *	reason; under the reservation
	 */
	u64 moves;
	/**
	 * @binds: how often changes of bind queues hold it where it is, see xetile_vm_hold.c;
	 * written under the reservation
	 */
	u64 binds;
	/** @placement: @places as TTM wants them; the places are under the reservation */
	struct ttm_placement placement;
	/**
	 * @filled: fence of the last clear or copy the copy engine made of it, until the fence
	 *	is known to have ended well; under the reservation
	 */
	struct dma_fence *filled;
	/** @unfilled: in &xetile_bo_group.unfilled */
	struct list_head unfilled;
	/** @detour_after: time before which no move by system memory is tried, in 64-bit jiffies */
	u64 detour_after;
	/** @hbm_bytes: bytes on each tile now; written under the reservation */
	u64 hbm_bytes[XETILE_MAX_TILES];
	/** @import: another device's memory, which it has in place of its own, or NULL; constant */
	struct xetile_import *import;
	/** @exported: its dma-buf, without a reference, or NULL; under the reservation */
	struct dma_buf *exported;
	/** @export_link: in &xetile_device.share.exports */
	struct list_head export_link;
	/** @lent: mappings of it in system memory that other devices have; as @exported */
	unsigned int lent;
	/** @peers: mappings of it in HBM that other devices have; as @exported */
	unsigned int peers;
	/** @payer: account of the user who has it pinned, or NULL; as @exported */
	struct xetile_account *payer;
	/**
	 * @parts: the BOs that make it up if it moves on access, array for kvfree(); else NULL;
	 *	constant
	 */
	struct xetile_bo **parts;
	/** @num_parts: elements of @parts; constant */
	unsigned int num_parts;
	/** @whole: the BO it is a part of, or NULL; under the reservation */
	struct xetile_bo *whole;
	/** @part: its number among the parts; constant */
	unsigned int part;
	/** @touched: it moves because the CPU touches it; under the reservation */
	bool touched;
	/** @leaves: it moves because of advice; as @touched */
	bool leaves;
	/**
	 * @copies: what copies a part has, see xetile_managed_copies.c; if not NULL, jobs cannot
	 *	write the part; under the reservation
	 */
	struct xetile_copies *copies;
	/** @copy_of: the part that it is a copy of, or NULL; as @copies */
	struct xetile_bo *copy_of;
	/** @copy_bytes: bytes on each tile that the copies of its parts have; as @hbm_bytes */
	u64 copy_bytes[XETILE_MAX_TILES];
	/** @pin: keeps it in HBM, see xetile_pin.c; or NULL; written under the reservation */
	struct xetile_pin *pin;
	/** @purgeable: its content may be dropped, see xetile_purge.c; written as @pin */
	bool purgeable;
	/** @purged: its content was dropped; written as @pin */
	bool purged;
};

static inline struct xetile_bo *ttm_to_xetile_bo(struct ttm_buffer_object *ttm)
{
	return container_of(ttm, struct xetile_bo, ttm);
}

static inline struct xetile_bo *gem_to_xetile_bo(struct drm_gem_object *gem)
{
	return container_of(gem, struct xetile_bo, ttm.base);
}

static inline struct drm_gem_object *xetile_bo_gem(struct xetile_bo *bo)
{
	return &bo->ttm.base;
}

/**
 * xetile_bo_granule() - in what pieces a BO has memory, and may be mapped
 * @placement: mask of XETILE_PLACE_*
 *
 * Context: any.
 * Return: bytes, a power of two: a color page if the BO may ever be in HBM, else a page of 4 KiB.
 */
static inline u32 xetile_bo_granule(u32 placement)
{
	return placement & XETILE_PLACE_HBM ? XETILE_COLOR_PAGE : PAGE_SIZE;
}

/* The bytes that a user sees of a BO: those of one copy */
static inline u64 xetile_bo_copy_size(const struct xetile_bo *bo)
{
	if (!bo->args.replicas)
		return bo->args.size;
	return div_u64(bo->args.size, hweight32(bo->args.replicas));
}

/* Where in a BO the bytes are that a tile sees. A tile without a copy sees the first one. */
static inline u64 xetile_bo_copy_offset(const struct xetile_bo *bo, unsigned int tile)
{
	if (!(bo->args.replicas & BIT(tile)))
		return 0;
	return hweight32(bo->args.replicas & (BIT(tile) - 1)) * xetile_bo_copy_size(bo);
}

/* Has a BO no bytes yet, or no more? Then its first memory must be zero. */
static inline bool xetile_bo_is_fresh(const struct xetile_bo *bo)
{
	const struct ttm_resource *res = bo->ttm.resource;

	return bo->purged || !res || (res->mem_type == TTM_PL_SYSTEM && !bo->ttm.ttm);
}

#endif
