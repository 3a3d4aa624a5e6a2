// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_room.h"

#include <linux/bits.h>
#include <linux/cgroup_dmem.h>
#include <linux/dma-resv.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

#include <asm/barrier.h>

#include <drm/drm_gem.h>
#include <drm/drm_gpuvm.h>
#include <drm/drm_managed.h>
#include <drm/ttm/ttm_bo.h>

#include "mem/xetile_bo_types.h"
#include "mem/xetile_hbm_residents.h"
#include "mem/xetile_hbm_resource.h"
#include "mem/xetile_hbm_walk.h"
#include "mem/xetile_sysmem.h"
#include "mem/xetile_turn.h"
#include "xetile_device.h"

/**
 * DOC: room for a call when HBM is full of buffers that are busy
 *
 * TTM evicts idle buffers. When that is not enough, an attempt to place a buffer fails with
 * -EBUSY, its caller drops all reservations and calls xetile_room_again(), which waits and
 * evicts, and the caller makes its attempt anew. The call holds no reservation while it waits:
 * the owners of busy buffers go on.
 *
 * On each tile one call at a time has the *turn*, see xetile_turn.c. It walks over the buffers in
 * the tile's HBM, first the one that was used longest ago, see xetile_hbm_walk.c. It keeps a buffer
 * from new jobs (the buffer is *held back*), waits until the jobs that use it are done, and moves
 * it to system memory. Otherwise a client that always has a job in flight would keep its buffers
 * for ever. A job whose buffer is held back waits for the turn to end. The time of a turn is
 * limited, so that a call that waits for a long batch does not stop calls that need to wait only
 * for short ones. In its next turn the call goes on with its walk.
 *
 * The buffers that long batches use are among the first of a walk, and there may be many. So the
 * time for which a buffer is waited for becomes shorter with each one that was waited for in vain.
 * These stay held back, and are idle when the next walk comes to them. Calls that lack room on
 * different tiles have their turns at the same time. A buffer that lies on the tiles of both is
 * held back by one of them, and either may evict it.
 *
 * A call that is for one buffer which jobs use, a recolor, holds that buffer back without a turn,
 * for as long as a turn at most. Such a call does not wait for a turn before it lets go of the
 * buffer, and whoever has a turn gives it up before it waits for a buffer that others hold back.
 * So does the CPU's touch of memory that moves on access; and what it has waited for then stays
 * where it is for a moment: otherwise the next job could take it back before the CPU has used it.
 */

/* How long one buffer is waited for before the next is looked at; and the last ones of a walk */
#define PATIENCE_MS	1000u
#define LEAST_PATIENCE_MS	10u

/* How long a buffer stays for the CPU that has waited for it */
#define KEPT_MS		100u

/*
 * How often an attempt is repeated because memory was freed, though there is nothing left to evict.
 * A limit, because others may free and take memory for ever.
 */
#define MAX_LATE	16

/**
 * xetile_room_init() - nobody waits for room yet
 * @xt: card
 *
 * Return: 0 or -ENOMEM.
 */
int xetile_room_init(struct xetile_device *xt)
{
	init_waitqueue_head(&xt->room.changed);
	xt->room.turns = drmm_kzalloc(&xt->drm, sizeof(*xt->room.turns), GFP_KERNEL);
	if (!xt->room.turns)
		return -ENOMEM;
	xetile_turns_init(xt->room.turns);
	return 0;
}

/**
 * xetile_room_begin() - a call is going to place buffers
 * @room: state of the call, on its stack
 * @xt: card
 * @vm: the object with the reservation of the VM that the call is for, or NULL; BOs that the VM
 *	maps are not evicted for this call
 */
void xetile_room_begin(struct xetile_room *room, struct xetile_device *xt,
		       struct drm_gem_object *vm)
{
	*room = (struct xetile_room) {
		.xt = xt,
		.vm = vm,
		.id = atomic64_inc_return(&xt->room.ids),
		.freed = atomic_read(&xt->room.freed),
	};
	INIT_LIST_HEAD(&room->held);
}

/**
 * xetile_room_note_busy() - an attempt fails because of one buffer
 * @room: the call
 * @bo: BO that is held back by another call, or that is to be moved but in use; it may be another
 *	card's, of which the VM maps an import
 *
 * Context: process, with the BO's reservation.
 */
void xetile_room_note_busy(struct xetile_room *room, struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	if (room->busy)
		return;
	drm_gem_object_get(xetile_bo_gem(bo));
	room->busy = bo;
}

/**
 * xetile_room_note_wanted() - an attempt fails because the one buffer that it is for is busy
 * @room: the call
 * @bo: BO that is held back by another call, or that is to be moved but in use
 *
 * The first time the BO is only waited for. After that it is held back from new jobs: otherwise
 * jobs that follow each other would keep it in use for ever.
 *
 * Context: process, with the BO's reservation.
 */
void xetile_room_note_wanted(struct xetile_room *room, struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	if (!bo->held_by || bo->held_by == room->id)
		room->wanted++;
	xetile_room_note_busy(room, bo);
}

/**
 * xetile_room_is_idle() - may a BO be moved: no job uses it, and no bind that waits
 * @bo: BO with its reservation held
 *
 * Context: process, with the BO's reservation.
 * Return: true if so.
 */
bool xetile_room_is_idle(struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	return !bo->binds &&
	       dma_resv_test_signaled(bo->ttm.base.resv, DMA_RESV_USAGE_BOOKKEEP);
}

/*
 * Wait, interruptibly and for @timeout jiffies at most, until a BO may be moved. The caller has a
 * reference of the BO. Returns the jiffies that are left, at least 1; 0: the BO is still in use; or
 * -ERESTARTSYS.
 */
static long bo_wait_idle(struct xetile_bo *bo, long timeout)
{
	struct xetile_device *xt = to_xetile_device(bo->ttm.base.dev);

	timeout = dma_resv_wait_timeout(bo->ttm.base.resv, DMA_RESV_USAGE_BOOKKEEP, true, timeout);
	if (timeout <= 0)
		return timeout;
	return wait_event_interruptible_timeout(xt->room.changed, !READ_ONCE(bo->binds), timeout);
}

/* Wait a while until nothing uses a BO. Returns 0, also if it is still in use, or -ERESTARTSYS. */
static int wait_idle(struct xetile_bo *bo)
{
	long ret = bo_wait_idle(bo, msecs_to_jiffies(PATIENCE_MS));

	return ret < 0 ? ret : 0;
}

/*
 * Hold a BO back, unless another call does: no job that is submitted from now on gets it until
 * end_turn(), which needs no reservation.
 */
static void hold_back(struct xetile_room *room, struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	/* Pairs with let_go(), after which @held_link is free. */
	if (smp_load_acquire(&bo->held_by))
		return;
	drm_gem_object_get(xetile_bo_gem(bo));
	list_add(&bo->held_link, &room->held);
	WRITE_ONCE(bo->held_by, room->id);
	drm_gpuvm_bo_gem_evict(xetile_bo_gem(bo->copy_of ?: bo), true);
}

static void let_go(struct xetile_bo *bo, bool spare)
{
	list_del(&bo->held_link);
	if (spare)
		WRITE_ONCE(bo->spared_until, get_jiffies_64() + msecs_to_jiffies(XETILE_TURN_MS));
	/* Nobody else writes it as long as this call holds the BO back. Pairs with hold_back(). */
	smp_store_release(&bo->held_by, 0);
	drm_gem_object_put(xetile_bo_gem(bo));
}

/*
 * End the turns that this call has, and hold no BO back any more.
 * @spare: BOs that were held back in vain are left alone for as long as a turn.
 */
static void end_turn(struct xetile_room *room, bool spare)
{
	struct xetile_bo *bo, *next;

	if (!room->turns && list_empty(&room->held))
		return;
	list_for_each_entry_safe(bo, next, &room->held, held_link)
		let_go(bo, spare);
	if (room->turns)
		xetile_turns_give(room->xt->room.turns, room->turns);
	room->turns = 0;
	wake_up_all(&room->xt->room.changed);
}

static bool is_spared(struct xetile_bo *bo)
{
	return time_before64(get_jiffies_64(), READ_ONCE(bo->spared_until));
}

static bool vm_maps(struct drm_gem_object *vm, struct drm_gem_object *gem)
{
	struct drm_gpuvm_bo *vm_bo;

	dma_resv_assert_held(gem->resv);
	drm_gem_for_each_gpuvm_bo(vm_bo, gem)
		if (vm_bo->vm->r_obj == vm)
			return true;
	return false;
}

/* The tiles where this call has busy BOs evicted now */
static u32 reach(const struct xetile_room *room)
{
	return room->lack.tiles & room->turns;
}

/* Would it help to evict a BO, and may it be? Its reservation is held. */
static bool is_candidate(struct xetile_room *room, struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	if (bo->pin || bo->needed_by == room->id || vm_maps(room->vm, xetile_bo_gem(bo)) ||
	    !xetile_hbm_on_tiles(bo->ttm.resource, reach(room)) ||
	    !xetile_hbm_may_evict(to_xetile_hbm_resource(bo->ttm.resource), true))
		return false;
	if (bo->purgeable || xetile_sysmem_has_room(room->xt, bo->args.size))
		return true;
	room->cramped = true;
	return false;
}

/* Called with the BO's reservation held, which is dropped on failure: -EAGAIN, -ERESTARTSYS */
static int wait_held_back(struct xetile_room *room, struct xetile_bo *bo)
{
	bool spared = is_spared(bo);
	long left;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (!spared)
		hold_back(room, bo);
	ttm_bo_unreserve(&bo->ttm);
	if (spared)
		return -EAGAIN;
	left = bo_wait_idle(bo, room->patience);
	if (left < 0)
		return left;
	if (!left)
		room->patience = max(room->patience / 2,
				     (long)msecs_to_jiffies(LEAST_PATIENCE_MS));
	return ttm_bo_reserve(&bo->ttm, true, false, NULL);
}

/*
 * Returns 0: evicted, by this call or by another; -EAGAIN: look at the next BO; -ERESTARTSYS, or
 * the error of the move.
 */
static int try_evict(struct xetile_room *room, struct xetile_bo *bo)
{
	int err;

	lockdep_assert_held(room->xt->room.turns);
	err = ttm_bo_reserve(&bo->ttm, true, false, NULL);
	if (err)
		return err;
	if (!is_candidate(room, bo)) {
		ttm_bo_unreserve(&bo->ttm);
		return -EAGAIN;
	}
	room->hope = true;
	if (!xetile_room_is_idle(bo)) {
		err = wait_held_back(room, bo);
		if (err)
			return err;
	}
	err = xetile_hbm_on_tiles(bo->ttm.resource, reach(room)) ? -EAGAIN : 0;
	if (xetile_room_is_idle(bo) && is_candidate(room, bo)) {
		hold_back(room, bo);
		err = bo->purgeable ? xetile_sysmem_drop(&bo->ttm) : xetile_sysmem_take(&bo->ttm);
	}
	ttm_bo_unreserve(&bo->ttm);
	return err == -EBUSY ? -EAGAIN : err;
}

/* Look first at the BO that was used longest ago */
static void begin_walk(struct xetile_room *room)
{
	xetile_hbm_walk_begin(&room->walk, room->turns);
	room->patience = msecs_to_jiffies(PATIENCE_MS);
}

/* Wait for the turns of tiles, with none: of all of them, or of any */
static int take_turns(struct xetile_room *room, u32 tiles, bool any)
{
	int err = 0;

	if (tiles)
		err = xetile_turns_take(room->xt->room.turns, tiles, any, &room->turns);
	room->until = jiffies + msecs_to_jiffies(XETILE_TURN_MS);
	/*
	 * A walk that found something goes on: otherwise the call could spend all its turns on BOs
	 * that are in use for long. To begin anew costs no time if nothing was found.
	 */
	if (!room->hope || room->walk.tiles != room->turns)
		begin_walk(room);
	/* If other calls had the turns before, there may be room now. */
	return err;
}

/* Is the turn of one of the tiles where the call lacks room enough? */
static bool one_is_enough(const struct xetile_room *room)
{
	return room->lack.any && !room->every;
}

/* Is it this call's turn to make the room that it lacks? */
static bool has_turns(const struct xetile_room *room)
{
	return one_is_enough(room) ? reach(room) : reach(room) == room->lack.tiles;
}

/*
 * This call needs more turns than it has, all at one time, because it has room on some tiles
 * already and lacks it on others. Who has the turns need not wait for what this call holds back.
 */
static int wait_for_turns(struct xetile_room *room)
{
	u32 tiles = room->lack.tiles | room->turns;

	end_turn(room, false);
	return take_turns(room, tiles, one_is_enough(room));
}

/*
 * Wait a while until memory is freed, unless the walk has waited already. Returns 0: no memory was
 * freed; -ERESTARTSYS; or a positive number.
 */
static long wait_for_change(struct xetile_room *room)
{
	long most = msecs_to_jiffies(PATIENCE_MS);

	/* BOs that the walk has waited for in vain may be idle now. */
	if (room->patience < most)
		return 1;
	return wait_event_interruptible_timeout(room->xt->room.changed,
						room->freed != atomic_read(&room->xt->room.freed),
						most);
}

/* All BOs were looked at: begin a new walk, when something changes */
static int start_over(struct xetile_room *room)
{
	long ret;

	if (!room->hope && !room->cramped) {
		/* There may be BOs to evict on tiles whose turns others had. */
		if (reach(room) != room->lack.tiles) {
			room->every = true;
			return wait_for_turns(room);
		}
		/* The memory that the attempt lacked may have been freed since. */
		if (room->freed == atomic_read(&room->xt->room.freed) || room->late++ == MAX_LATE)
			return -ENOSPC;
		begin_walk(room);
		return 0;
	}
	ret = wait_for_change(room);
	if (ret < 0)
		return ret;
	/* Only system memory is in the way, and copies out of it had time to end: it is full. */
	if (!ret && !room->hope)
		return -ENOSPC;
	room->hope = false;
	room->cramped = false;
	begin_walk(room);
	return 0;
}

/* Evict one BO that is in the way, or wait until something changes */
static int make_room(struct xetile_room *room)
{
	unsigned long shared = jiffies;
	struct xetile_bo *bo;
	int err;

	if (!has_turns(room))
		return wait_for_turns(room);
	if (!room->lack.tiles)
		return start_over(room);
	while (!time_after(jiffies, room->until)) {
		/* There may be very many buffers of which none can go, and none is waited for. */
		if (signal_pending(current))
			return -ERESTARTSYS;
		/* Once a tick, because very many calls may stand in the line. */
		if (one_is_enough(room) && time_after(jiffies, shared)) {
			shared = jiffies;
			room->turns = xetile_turns_share(room->xt->room.turns, room->turns);
		}
		bo = xetile_hbm_walk_next(room->xt, &room->walk, reach(room), &room->hope);
		if (!bo)
			return start_over(room);
		err = try_evict(room, bo);
		drm_gem_object_put(xetile_bo_gem(bo));
		if (err != -EAGAIN)
			return err;
	}
	/* BOs that are idle by now are held back until the next attempt, which can take them. */
	return 0;
}

/* Move a BO to system memory if it is idle; else return -EAGAIN */
static int move_idle(struct xetile_room *room, struct xetile_bo *bo)
{
	int err, idx;

	dma_resv_assert_held(bo->ttm.base.resv);
	/* Its content was dropped while the call waited, so there is nothing to move. */
	if (bo->purged)
		return 0;
	if (!xetile_room_is_idle(bo))
		return -EAGAIN;
	if (!xetile_device_enter(room->xt, &idx))
		return -ENODEV;
	err = xetile_sysmem_take(&bo->ttm);
	xetile_device_exit(room->xt, idx);
	return err == -EBUSY ? -EAGAIN : err;
}

/* Move a BO to system memory, or wait a while and return -EAGAIN. @hold: it is held back. */
static int vacate(struct xetile_room *room, struct xetile_bo *bo, bool hold)
{
	int err;

	err = ttm_bo_reserve(&bo->ttm, true, false, NULL);
	if (err)
		return err;
	if (hold)
		hold_back(room, bo);
	err = move_idle(room, bo);
	ttm_bo_unreserve(&bo->ttm);
	return err == -EAGAIN ? wait_idle(bo) ?: -EAGAIN : err;
}

/* The tiles that a BO lies on, as far as that can be told without its reservation */
static u32 tiles_of(const struct xetile_bo *bo)
{
	u32 tiles = 0;
	int t;

	for (t = 0; t < XETILE_MAX_TILES; t++)
		if (READ_ONCE(bo->hbm_bytes[t]))
			tiles |= BIT(t);
	return tiles;
}

static int vacate_in_turn(struct xetile_room *room, struct xetile_bo *bo)
{
	int err;

	err = take_turns(room, tiles_of(bo), false);
	if (err)
		return err;
	do {
		err = vacate(room, bo, true);
	} while (err == -EAGAIN && !time_after(jiffies, room->until));
	end_turn(room, err == -EAGAIN);
	return err;
}

/**
 * xetile_room_vacate() - move a BO that jobs may use to system memory
 * @bo: BO with a reference; its reservation is not held
 *
 * For the CPU, which does not reach the BO in HBM, and for other cards. Waits for the jobs,
 * interruptibly, for as long as a turn at most. Outside of xetile_device_enter() of the BO's card.
 *
 * Return: 0, also when the BO is still where it was; -ERESTARTSYS; -ENODEV; or the error of the
 * move.
 */
int xetile_room_vacate(struct xetile_bo *bo)
{
	struct xetile_room room;
	int err;

	xetile_room_begin(&room, ttm_to_xetile_device(bo->ttm.bdev), NULL);
	/* Those who use a BO that was held back in vain a moment ago have their time now. */
	err = is_spared(bo) ? vacate(&room, bo, false) : vacate_in_turn(&room, bo);
	return err == -EAGAIN ? 0 : err;
}

/* As vacate(). What has moved for the CPU stays for a moment. */
static int fetch(struct xetile_room *room, struct xetile_bo *bo, bool hold)
{
	int err;

	err = ttm_bo_reserve(&bo->ttm, true, false, NULL);
	if (err)
		return err;
	if (hold)
		hold_back(room, bo);
	bo->touched = true;
	/* Jobs may use it there, too. */
	err = bo->ttm.resource->mem_type == XETILE_PL_SYSTEM ? 0 : move_idle(room, bo);
	bo->touched = false;
	if (!err)
		WRITE_ONCE(bo->kept_until, get_jiffies_64() + msecs_to_jiffies(KEPT_MS));
	ttm_bo_unreserve(&bo->ttm);
	return err == -EAGAIN ? wait_idle(bo) ?: -EAGAIN : err;
}

/**
 * xetile_room_fetch() - move a BO that jobs may use to system memory, because the CPU touches it
 * @bo: private BO with a reference; its reservation is not held
 *
 * As xetile_room_vacate(), but without the turn, because only the jobs of the BO's own address
 * space wait. Then the BO stays until xetile_room_unkeep(), or until a moment has passed.
 *
 * Context: process, with no lock, and not inside xetile_device_enter() of the BO's card.
 * Return: as xetile_room_vacate().
 */
int xetile_room_fetch(struct xetile_bo *bo)
{
	struct xetile_room room;
	bool hold = !is_spared(bo);
	int err;

	xetile_room_begin(&room, ttm_to_xetile_device(bo->ttm.bdev), NULL);
	room.until = jiffies + msecs_to_jiffies(XETILE_TURN_MS);
	do {
		err = fetch(&room, bo, hold);
	} while (err == -EAGAIN && !time_after(jiffies, room.until));
	end_turn(&room, err == -EAGAIN);
	return err == -EAGAIN ? 0 : err;
}

/**
 * xetile_room_is_kept() - must a BO stay in system memory for the CPU
 * @bo: BO
 *
 * Context: any.
 * Return: true if so.
 */
bool xetile_room_is_kept(struct xetile_bo *bo)
{
	u64 until = READ_ONCE(bo->kept_until);

	return until && time_before64(get_jiffies_64(), until);
}

/**
 * xetile_room_unkeep() - the CPU has got what it waited for
 * @bo: BO with its reservation held
 *
 * Context: process, with the BO's reservation.
 */
void xetile_room_unkeep(struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	if (!bo->kept_until)
		return;
	WRITE_ONCE(bo->kept_until, 0);
	wake_up_all(&ttm_to_xetile_device(bo->ttm.bdev)->room.changed);
}

/* Returns 0, also if it is still kept, or -ERESTARTSYS. */
static int wait_unkept(struct xetile_room *room, struct xetile_bo *bo)
{
	long ret;

	end_turn(room, false);
	ret = wait_event_interruptible_timeout(room->xt->room.changed, !xetile_room_is_kept(bo),
					       msecs_to_jiffies(KEPT_MS));
	return ret < 0 ? ret : 0;
}

/*
 * A BO of another card that lies in HBM, in use there, while this card reaches it in system memory
 * only. That card moves it. Others who wait for the turns of this card need not wait for those of
 * that one.
 */
static int vacate_source(struct xetile_room *room, struct xetile_bo *bo)
{
	end_turn(room, false);
	if (xetile_device_is_unplugged(room->xt))
		return -ENODEV;
	return xetile_room_vacate(bo);
}

static bool is_held_by_another(struct xetile_room *room, struct xetile_bo *bo)
{
	u64 id = READ_ONCE(bo->held_by);

	return id && id != room->id;
}

/* Others may have the turn until then. */
static int wait_let_go(struct xetile_room *room, struct xetile_bo *bo)
{
	end_turn(room, false);
	return wait_event_interruptible(room->xt->room.changed, !READ_ONCE(bo->held_by));
}

static int wait_for_busy(struct xetile_room *room)
{
	struct xetile_bo *bo = room->busy;
	int err;

	room->busy = NULL;
	if (bo->ttm.base.dev != &room->xt->drm)
		err = vacate_source(room, bo);
	else if (is_held_by_another(room, bo))
		err = wait_let_go(room, bo);
	else if (xetile_room_is_kept(bo))
		err = wait_unkept(room, bo);
	else
		err = wait_idle(bo);
	drm_gem_object_put(xetile_bo_gem(bo));
	return err;
}

/* Hold the one BO that a call is for back, and wait for its jobs for a while */
static int wait_for_wanted(struct xetile_room *room)
{
	struct xetile_bo *bo = room->busy;
	int err;

	if (is_spared(bo))
		return wait_for_busy(room);
	err = ttm_bo_reserve(&bo->ttm, true, false, NULL);
	if (err)
		return err;
	if (!room->turns && list_empty(&room->held))
		room->until = jiffies + msecs_to_jiffies(XETILE_TURN_MS);
	hold_back(room, bo);
	ttm_bo_unreserve(&bo->ttm);
	return wait_for_busy(room);
}

static int wait_busy(struct xetile_room *room)
{
	return room->wanted > 1 ? wait_for_wanted(room) : wait_for_busy(room);
}

/**
 * xetile_room_again() - shall a call make its attempt again
 * @room: the call; it holds no reservation
 * @err: in: what the attempt returned; out: what the call is to return
 *
 * Waits, interruptibly, when the attempt failed with -EBUSY, which is never returned.
 *
 * Return: true to try again; then *@err means nothing.
 */
bool xetile_room_again(struct xetile_room *room, int *err)
{
	if (*err != -EBUSY)
		return false;
	/* End the turn in time, whatever attempts fail of: others have waited long enough. */
	if ((room->turns || !list_empty(&room->held)) && time_after(jiffies, room->until))
		end_turn(room, true);
	*err = room->busy ? wait_busy(room) : make_room(room);
	/* The removal waits for this call, which may wait for jobs of another card. */
	if (!*err && xetile_device_is_unplugged(room->xt))
		*err = -ENODEV;
	room->freed = atomic_read(&room->xt->room.freed);
	room->lack.lacks = false;
	return !*err;
}

/**
 * xetile_room_end() - a call has placed its buffers, or failed
 * @room: the call; it may hold reservations
 */
void xetile_room_end(struct xetile_room *room)
{
	end_turn(room, false);
	dmem_cgroup_pool_state_put(room->lack.group);
	xetile_hbm_walk_end(&room->walk);
	if (room->busy)
		drm_gem_object_put(xetile_bo_gem(room->busy));
}
