/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_MOVER_CPU_H__
#define __XETILE_MOVER_CPU_H__

#include "mem/xetile_bo_types.h"

/* How the CPU clears and copies, when the administrator takes the copy engines out of the way */
extern const struct xetile_bo_mover xetile_mover_cpu;

#endif
