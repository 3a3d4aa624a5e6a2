/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_MANAGED_ADVICE_H__
#define __XETILE_MANAGED_ADVICE_H__

#include <linux/types.h>

#include "mem/xetile_bo_types.h"

/** struct xetile_managed_advice - advice about parts of a buffer that moves on access */
struct xetile_managed_advice {
	/** @first: number of the first part */
	unsigned int first;
	/** @num: number of parts */
	unsigned int num;
	/** @advice: where they are to lie */
	enum xetile_advice advice;
	/** @tile: tile number; for XETILE_ADVICE_TILE */
	unsigned int tile;
};

int xetile_managed_advise(struct xetile_bo *whole, const struct xetile_managed_advice *list,
			  unsigned int num);

#endif
