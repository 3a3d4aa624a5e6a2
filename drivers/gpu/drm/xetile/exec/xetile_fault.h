/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_FAULT_H__
#define __XETILE_FAULT_H__

#include <linux/types.h>

struct xetile_engine;
struct xetile_tile;

void xetile_fault_report(struct xetile_engine *engine, bool tell);
void xetile_fault_drop(struct xetile_tile *tile, u64 engines);

#endif
