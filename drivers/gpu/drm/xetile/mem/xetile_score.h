/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SCORE_H__
#define __XETILE_SCORE_H__

#include <linux/types.h>

struct xetile_score;

struct xetile_score *xetile_score_create(struct xetile_score *user);
struct xetile_score *xetile_score_get(struct xetile_score *score);
void xetile_score_put(struct xetile_score *score);
void xetile_score_blame(struct xetile_score *score);
bool xetile_score_may_tell(struct xetile_score *score);
bool xetile_score_is_clean(struct xetile_score *score);
bool xetile_score_is_bad(struct xetile_score *score);

#endif
