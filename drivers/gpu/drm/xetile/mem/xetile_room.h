/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_ROOM_H__
#define __XETILE_ROOM_H__

#include <linux/list.h>
#include <linux/types.h>

#include "mem/xetile_hbm_walk.h"
#include "mem/xetile_place.h"

struct drm_gem_object;
struct xetile_bo;
struct xetile_device;

/** struct xetile_room - state of a call that needs room in HBM; on its stack */
struct xetile_room {
	/** @xt: card */
	struct xetile_device *xt;
	/** @vm: the object with the reservation of a VM whose BOs must stay, or NULL */
	struct drm_gem_object *vm;
	/** @id: tells calls apart, never 0 */
	u64 id;
	/** @lack: why the last attempt failed; written by HBM's manager */
	struct xetile_place_lack lack;
	/** @busy: the BO that made the last attempt fail, with a reference, or NULL */
	struct xetile_bo *busy;
	/** @wanted: how often that was the BO that the call is for: it is held back from then on */
	unsigned int wanted;

	/* private: the rest belongs to xetile_room.c */
	/** @freed: how often memory had been freed before the attempt */
	int freed;
	/** @turns: mask of the tiles whose turns this call has */
	u32 turns;
	/** @every: this call needs the turns of all tiles that it lacks room on */
	bool every;
	/** @until: when these turns end, and the time for which BOs are held back, in jiffies */
	unsigned long until;
	/** @walk: over the residents, which goes on in the next turn */
	struct xetile_hbm_walk walk;
	/** @patience: how long the next BO of the walk is waited for, in jiffies */
	long patience;
	/** @hope: since the walk began, a BO was found that can make room, or is about to */
	bool hope;
	/** @cramped: since the walk began, a BO stayed because system memory is full */
	bool cramped;
	/** @late: how often an attempt was repeated though nothing was left to evict */
	unsigned int late;
	/** @held: BOs that this call keeps from new jobs, with a reference each */
	struct list_head held;
};

int xetile_room_init(struct xetile_device *xt);
void xetile_room_begin(struct xetile_room *room, struct xetile_device *xt,
		       struct drm_gem_object *vm);
bool xetile_room_is_idle(struct xetile_bo *bo);
void xetile_room_note_busy(struct xetile_room *room, struct xetile_bo *bo);
void xetile_room_note_wanted(struct xetile_room *room, struct xetile_bo *bo);
bool xetile_room_again(struct xetile_room *room, int *err);
int xetile_room_vacate(struct xetile_bo *bo);
int xetile_room_fetch(struct xetile_bo *bo);
bool xetile_room_is_kept(struct xetile_bo *bo);
void xetile_room_unkeep(struct xetile_bo *bo);
void xetile_room_end(struct xetile_room *room);

#endif
