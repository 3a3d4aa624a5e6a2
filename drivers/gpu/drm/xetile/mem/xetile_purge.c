// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_purge.h"

#include <linux/dma-resv.h>

#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_tt.h>

#include "mem/xetile_bo_fill.h"
#include "mem/xetile_bo_group.h"
#include "mem/xetile_bo_types.h"
#include "mem/xetile_bo_validate.h"
#include "mem/xetile_room.h"
#include "mem/xetile_sysmem.h"
#include "xetile_device.h"

/**
 * DOC: buffers whose content may be dropped
 *
 * A program that keeps buffers to use them again may say that it does not need their content. Such
 * a buffer is *purgeable*: when others want its HBM, it goes before all buffers that are not, and
 * nothing is copied. It has a lower priority than they have in TTM's lists, and when TTM asks where
 * to, the answer is TTM's place without pages, where bo_move() of xetile_bo_move.c then drops what
 * the buffer had. From then on it is as a buffer that was made a moment ago and has no memory yet.
 * It is lost (xetile_bo_is_lost()) until the program wants it again: then it is placed as a new
 * one, and reads zero.
 *
 * Only private buffers are purgeable. They have one handle, so nobody else relies on the content.
 * The buffer's reservation protects what is said here of it.
 */

static void leave_group(struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	if (!bo->ttm.bulk_move)
		return;
	ttm_bo_set_bulk_move(&bo->ttm, NULL);
	xetile_bo_group_of(bo)->num_bulk--;
}

static void join_group(struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	ttm_bo_set_bulk_move(&bo->ttm, &xetile_bo_group_of(bo)->bulk);
	xetile_bo_group_of(bo)->num_bulk++;
}

/**
 * xetile_purge_allow() - the content of a BO may be dropped from now on
 * @bo: private BO
 * @retained: out: it was not dropped so far
 *
 * Context: process; takes the BO's reservation.
 * Return: 0; -EINVAL: it is pinned; -ENOENT: it has no handle any more; -ERESTARTSYS.
 */
int xetile_purge_allow(struct xetile_bo *bo, bool *retained)
{
	int err;

	err = ttm_bo_reserve(&bo->ttm, true, false, NULL);
	if (err)
		return err;
	if (bo->closed) {
		err = -ENOENT;
	} else if (bo->pin) {
		err = -EINVAL;
	} else if (!bo->purgeable) {
		/* The group has one place in TTM's lists, by the time of its last job. */
		leave_group(bo);
		bo->ttm.priority = XETILE_PRIORITY_PURGEABLE;
		WRITE_ONCE(bo->purgeable, true);
	}
	*retained = !bo->purged;
	/* This moves the BO to the list of its priority. */
	ttm_bo_unreserve(&bo->ttm);
	return err;
}

/* Give a BO memory anew. -EBUSY: ask xetile_room_again(). */
static int refill(struct xetile_bo *bo, struct xetile_room *room)
{
	struct ttm_operation_ctx ctx = {
		.interruptible = true,
		.gfp_retry_mayfail = true,
		/* Other BOs of the group are evicted to make room, as anybody's are. */
		.resv = bo->ttm.base.resv,
		.allow_res_evict = true,
	};
	int err;

	dma_resv_assert_held(bo->ttm.base.resv);
	bo->needed_by = room->id;
	bo->lack = &room->lack;
	err = ttm_bo_validate(&bo->ttm, &bo->placement, &ctx);
	bo->lack = NULL;
	/* A place that got no pages leaves the object of a BO that nobody has evicted. */
	if (err && bo->ttm.ttm && !ttm_tt_is_populated(bo->ttm.ttm))
		xetile_sysmem_tt_forget(&bo->ttm);
	return xetile_bo_tell_lack(room, err);
}

/* @retained: becomes false if the content was dropped */
static int try_forbid(struct xetile_bo *bo, struct xetile_room *room, bool *retained)
{
	int err;

	err = ttm_bo_reserve(&bo->ttm, true, false, NULL);
	if (err)
		return err;
	if (bo->purged)
		*retained = false;
	if (bo->closed)
		err = -ENOENT;
	else if (bo->purged)
		err = refill(bo, room);
	if (!err && bo->purgeable) {
		WRITE_ONCE(bo->purged, false);
		WRITE_ONCE(bo->purgeable, false);
		bo->ttm.priority = XETILE_PRIORITY_NORMAL;
		ttm_bo_move_to_lru_tail_unlocked(&bo->ttm);
		join_group(bo);
	}
	ttm_bo_unreserve(&bo->ttm);
	return err;
}

/**
 * xetile_purge_forbid() - the content of a BO is needed
 * @bo: private BO
 * @retained: out: it was not dropped; else the BO has memory again, which is zero once the BO is
 *	filled
 *
 * Several threads may say so at once, and one of them gives the BO memory. All whose calls began
 * before that are told that the content was dropped.
 *
 * May sleep for evictions and, with no reservation held, for the jobs of others.
 *
 * Context: process, within xetile_device_enter(); takes the BO's reservation.
 * Return: 0; -ENOENT: it has no handle any more; or the error of a new BO: then it is still
 * purgeable.
 */
int xetile_purge_forbid(struct xetile_bo *bo, bool *retained)
{
	struct xetile_room room;
	int err;

	/* Another call may give it memory while this one waits for the reservation or for room. */
	*retained = !READ_ONCE(bo->purged);
	xetile_room_begin(&room, ttm_to_xetile_device(bo->ttm.bdev), NULL);
	do {
		err = try_forbid(bo, &room, retained);
	} while (xetile_room_again(&room, &err));
	xetile_room_end(&room);
	return err;
}
