/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PATIENCE_H__
#define __XETILE_PATIENCE_H__

#include <linux/types.h>

struct xetile_device;

/** struct xetile_patience - a wait of seconds or minutes */
struct xetile_patience {
	/** @xt: the card */
	struct xetile_device *xt;
	/** @start: when the wait began, in jiffies */
	unsigned long start;
	/** @end: when it ends without success */
	unsigned long end;
	/** @tell: when the log tells next that it goes on */
	unsigned long tell;
	/** @killable: whether it ends when the process that waits is killed */
	bool killable;
};

void xetile_patience_begin(struct xetile_patience *wait, struct xetile_device *xt,
			   unsigned int timeout_ms, bool killable);
int xetile_patience_go_on(struct xetile_patience *wait, const char *why);
void xetile_patience_tell_end(const struct xetile_patience *wait, const char *why, int err);

#endif
