/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_BISECT_H__
#define __XETILE_BISECT_H__

#include <linux/types.h>

/* Where the copy engines begin in &xetile_bisect.engines; the compute engines begin at bit 0. */
#define XETILE_BISECT_COPY	4

/** struct xetile_bisect - what the administrator takes out of the way; never changes */
struct xetile_bisect {
	/** @tlb_always: each job invalidates translations, whatever its VM says */
	bool tlb_always;
	/** @preempt_off: nothing is loaded on an engine that runs a context */
	bool preempt_off;
	/** @copy_cpu: the CPU clears and copies buffers */
	bool copy_cpu;
	/** @ras_off: errors of the hardware are not looked at */
	bool ras_off;
	/** @engines: instances of each tile that are used */
	u32 engines;
};

extern struct xetile_bisect xetile_bisect;

#endif
