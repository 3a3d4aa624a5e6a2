/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_BO_VALIDATE_H__
#define __XETILE_BO_VALIDATE_H__

#include <linux/errno.h>
#include <linux/types.h>

#include "mem/xetile_room.h"

struct xetile_bo;
struct xetile_coloring;

/**
 * xetile_bo_tell_lack() - tell lack of HBM from lack of system memory
 * @room: the call that looked for memory
 * @err: TTM's error, which is -ENOMEM for both
 *
 * Return: -EBUSY if HBM ran out, because busy BOs may make room; -EDQUOT if the file that has made
 * the BO may have no more HBM; else @err.
 */
static inline int xetile_bo_tell_lack(struct xetile_room *room, int err)
{
	if (err != -ENOMEM || !room->lack.lacks)
		return err;
	return room->lack.quota ? -EDQUOT : -EBUSY;
}

/* With the reservation held */
bool xetile_bo_is_placed(struct xetile_bo *bo);
bool xetile_bo_is_stray(struct xetile_bo *bo);
void xetile_bo_note_spilled(struct xetile_bo *bo, const struct xetile_coloring *color);
int xetile_bo_return(struct xetile_bo *bo);
int xetile_bo_validate(struct xetile_bo *bo, struct xetile_room *room);

#endif
