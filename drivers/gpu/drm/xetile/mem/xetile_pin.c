// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_pin.h"

#include <linux/atomic.h>
#include <linux/dma-resv.h>
#include <linux/eventfd.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <drm/ttm/ttm_bo.h>

#include "mem/xetile_account.h"
#include "mem/xetile_bo_fill.h"
#include "mem/xetile_bo_types.h"
#include "mem/xetile_bo_validate.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_room.h"
#include "xetile_device.h"

/**
 * DOC: buffers that stay in HBM
 *
 * A pin is a promise of the driver to itself: nothing that looks for buffers to evict takes one
 * that has a pin, and nothing moves it to a better place. TTM's own pin is not used, because a
 * pinned buffer may yet have to move, for its own user: then the pin ends, see bo_move() of
 * xetile_bo_move.c, and the user is told by an eventfd. An event of the DRM file would take room
 * that a file has for few of them.
 *
 * Only private buffers are pinned. They have one handle, so that there is one user whom the pin
 * counts for, and the pin ends with the handle.
 *
 * The buffer's reservation protects its pin. The list of all pins, for the end of the card, has a
 * spinlock of its own, which also protects their eventfds.
 */

/** struct xetile_pin - why a buffer stays in HBM */
struct xetile_pin {
	/** @link: in &xetile_device.pins.list */
	struct list_head link;
	/** @event: to signal when the buffer must go, with a reference, or NULL */
	struct eventfd_ctx *event;
	/** @account: of the file that has made the pin, with a reference */
	struct xetile_account *account;
	/** @bytes: bytes of the buffer by tile, for which the account was charged */
	u64 bytes[XETILE_MAX_TILES];
};

/**
 * xetile_pins_init() - nothing is pinned yet
 * @xt: card
 */
void xetile_pins_init(struct xetile_device *xt)
{
	spin_lock_init(&xt->pins.lock);
	INIT_LIST_HEAD(&xt->pins.list);
}

static void tell(struct xetile_pin *pin)
{
	if (pin->event)
		eventfd_signal(pin->event);
}

/**
 * xetile_pins_lost() - the card is gone: tell all users whose buffers were pinned
 * @xt: card
 *
 * Context: any; takes &xetile_device.pins.lock.
 */
void xetile_pins_lost(struct xetile_device *xt)
{
	struct xetile_pin *pin;

	spin_lock(&xt->pins.lock);
	list_for_each_entry(pin, &xt->pins.list, link)
		tell(pin);
	spin_unlock(&xt->pins.lock);
}

/* Half of a bank is always left for buffers that are not pinned. Returns 0 or -ENOSPC. */
static int take_of_tile(struct xetile_device *xt, unsigned int tile, u64 bytes)
{
	u64 max = xetile_hbm_capacity(&xt->tiles[tile]) / 2;

	if (atomic64_add_return(bytes, &xt->pins.bytes[tile]) <= max)
		return 0;
	atomic64_sub(bytes, &xt->pins.bytes[tile]);
	return -ENOSPC;
}

static void uncharge(struct xetile_device *xt, struct xetile_pin *pin)
{
	unsigned int t;

	for (t = 0; t < xt->num_tiles; t++) {
		atomic64_sub(pin->bytes[t], &xt->pins.bytes[t]);
		xetile_account_unpin_bo(pin->account, t, pin->bytes[t]);
	}
}

/* Charge what the buffer has of each tile. On failure nothing is charged. */
static int charge(struct xetile_device *xt, struct xetile_pin *pin, const struct xetile_bo *bo)
{
	unsigned int t;
	int err;

	dma_resv_assert_held(bo->ttm.base.resv);
	for (t = 0; t < xt->num_tiles; t++) {
		u64 bytes = bo->hbm_bytes[t];

		err = take_of_tile(xt, t, bytes);
		if (err)
			goto err_uncharge;
		err = xetile_account_pin_bo(pin->account, t, bytes);
		if (err) {
			atomic64_sub(bytes, &xt->pins.bytes[t]);
			goto err_uncharge;
		}
		pin->bytes[t] = bytes;
	}
	return 0;

err_uncharge:
	uncharge(xt, pin);
	return err;
}

/* @event: the pin takes the reference. */
static void set_event(struct xetile_device *xt, struct xetile_pin *pin, struct eventfd_ctx *event)
{
	spin_lock(&xt->pins.lock);
	swap(pin->event, event);
	spin_unlock(&xt->pins.lock);
	if (event)
		eventfd_ctx_put(event);
}

static int add_pin(struct xetile_device *xt, struct xetile_bo *bo, struct xetile_account *account)
{
	struct xetile_pin *pin;
	int err;

	dma_resv_assert_held(bo->ttm.base.resv);
	pin = kzalloc_obj(*pin, GFP_KERNEL_ACCOUNT);
	if (!pin)
		return -ENOMEM;
	pin->account = xetile_account_get(account);
	err = charge(xt, pin, bo);
	if (err) {
		xetile_account_put(account);
		kfree(pin);
		return err;
	}
	spin_lock(&xt->pins.lock);
	list_add(&pin->link, &xt->pins.list);
	spin_unlock(&xt->pins.lock);
	bo->pin = pin;
	return 0;
}

/**
 * xetile_pin_end() - end the pin of a buffer, if it has one
 * @bo: BO with its reservation held
 *
 * Context: process, with the BO's reservation; takes &xetile_device.pins.lock.
 */
void xetile_pin_end(struct xetile_bo *bo)
{
	struct xetile_device *xt = to_xetile_device(bo->ttm.base.dev);
	struct xetile_pin *pin = bo->pin;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (!pin)
		return;
	bo->pin = NULL;
	spin_lock(&xt->pins.lock);
	list_del(&pin->link);
	spin_unlock(&xt->pins.lock);
	set_event(xt, pin, NULL);
	uncharge(xt, pin);
	xetile_account_put(pin->account);
	kfree(pin);
	/* Those who wait for room may evict it now. */
	wake_up_all(&xt->room.changed);
}

/**
 * xetile_pin_break() - a buffer has moved all the same: end its pin, if it has one, and tell
 * @bo: BO with its reservation held
 *
 * Context: process, with the BO's reservation; takes &xetile_device.pins.lock.
 */
void xetile_pin_break(struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	if (!bo->pin)
		return;
	tell(bo->pin);
	xetile_pin_end(bo);
}

/* Have a BO in HBM, and nowhere else. -EBUSY: ask xetile_room_again(). */
static int bring(struct xetile_bo *bo, struct xetile_room *room)
{
	struct ttm_operation_ctx ctx = {
		.interruptible = true,
		.gfp_retry_mayfail = true,
		/* Other BOs of the group are evicted to make room, as anybody's are. */
		.resv = bo->ttm.base.resv,
		.allow_res_evict = true,
	};
	/* The places in HBM come first, see xetile_bo_place(). */
	struct ttm_placement hbm = {
		.placement = bo->places,
		.num_placement = bo->placement.num_placement -
				 !!(bo->args.placement & XETILE_PLACE_SYSTEM),
	};
	int err;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (bo->ttm.resource->mem_type == XETILE_PL_HBM)
		return 0;
	bo->needed_by = room->id;
	if ((bo->held_by && bo->held_by != room->id) || !xetile_room_is_idle(bo)) {
		xetile_room_note_wanted(room, bo);
		return -EBUSY;
	}
	bo->lack = &room->lack;
	err = ttm_bo_validate(&bo->ttm, &hbm, &ctx);
	bo->lack = NULL;
	return xetile_bo_tell_lack(room, err);
}

/* @event: the pin takes the reference on success. */
static int try_pin(struct xetile_bo *bo, struct xetile_account *account, struct eventfd_ctx *event,
		   struct xetile_room *room)
{
	int err;

	err = ttm_bo_reserve(&bo->ttm, true, false, NULL);
	if (err)
		return err;
	if (bo->closed)
		err = -ENOENT;
	else if (xetile_bo_is_lost(bo))
		err = -ENODATA;
	else if (bo->purgeable)
		err = -EINVAL;
	else if (!bo->pin)
		err = bring(bo, room) ?: add_pin(room->xt, bo, account);
	if (!err)
		set_event(room->xt, bo->pin, event);
	ttm_bo_unreserve(&bo->ttm);
	return err;
}

/**
 * xetile_pin() - have a buffer stay in HBM
 * @bo: private BO that may lie in HBM, and that HBM can hold
 * @account: of the file
 * @event: to signal when the BO must go, or NULL; the pin takes the reference on success
 *
 * May sleep for evictions and, with no reservation held, for the jobs that use the BO.
 *
 * Context: process, within xetile_device_enter(); takes the BO's reservation.
 * Return: 0; -ENOSPC; -EDQUOT; -EINVAL: it is purgeable; -ENOENT: it has no handle any more;
 * -ENODATA: it is lost; -ENOMEM; -ERESTARTSYS; the error of a wedged card.
 */
int xetile_pin(struct xetile_bo *bo, struct xetile_account *account, struct eventfd_ctx *event)
{
	struct xetile_room room;
	int err;

	xetile_room_begin(&room, ttm_to_xetile_device(bo->ttm.bdev), NULL);
	do {
		err = try_pin(bo, account, event, &room);
	} while (xetile_room_again(&room, &err));
	xetile_room_end(&room);
	return err;
}

/**
 * xetile_unpin() - let a buffer be evicted again
 * @bo: private BO; nothing happens if it is not pinned
 *
 * Context: process; takes the BO's reservation.
 * Return: 0 or -EINTR.
 */
int xetile_unpin(struct xetile_bo *bo)
{
	int err;

	err = dma_resv_lock_interruptible(bo->ttm.base.resv, NULL);
	if (err)
		return err;
	xetile_pin_end(bo);
	dma_resv_unlock(bo->ttm.base.resv);
	return 0;
}
