/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_MOVER_H__
#define __XETILE_MOVER_H__

#include "mem/xetile_bo_types.h"

/* How the copy engines clear and copy, for buffers and for the machine's sleep */
extern const struct xetile_bo_mover xetile_mover;

#endif
