/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_BO_VALIDATE_H__
#define __XETILE_BO_VALIDATE_H__

#include <linux/errno.h>
#include <linux/types.h>

#include "mem/xetile_room.h"

struct xetile_bo;

/**
 * xetile_bo_tell_lack() - tell lack of HBM from lack of system memory
 * @room: the call that looked for memory
 * @err: TTM's error, which is -ENOMEM for both
 *
 * Return: -EBUSY if HBM ran out, because busy BOs may make room; else @err.
 */
static inline int xetile_bo_tell_lack(struct xetile_room *room, int err)
{
	return err == -ENOMEM && room->lack.lacks ? -EBUSY : err;
}

/* With the reservation held */
bool xetile_bo_is_placed(struct xetile_bo *bo);
bool xetile_bo_is_stray(struct xetile_bo *bo);
int xetile_bo_return(struct xetile_bo *bo);
int xetile_bo_validate(struct xetile_bo *bo, struct xetile_room *room);

#endif
