/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SOLO_H__
#define __XETILE_SOLO_H__

struct xetile_engine;
struct xetile_lrc;

int xetile_solo_begin(struct xetile_engine *engine);
const char *xetile_solo_run(struct xetile_engine *engine, struct xetile_lrc *lrc);
int xetile_solo_end(struct xetile_engine *engine);

#endif
