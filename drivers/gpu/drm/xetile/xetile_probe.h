/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PROBE_H__
#define __XETILE_PROBE_H__

struct xetile_device;

/** enum xetile_probe_stage - what the start of a card has done, in its order */
enum xetile_probe_stage {
	/** @XETILE_PROBE_MAPPED: registers can be read; nothing was written */
	XETILE_PROBE_MAPPED,
	/** @XETILE_PROBE_AWAKE: firmware is ready, wells are awake, fuses are known */
	XETILE_PROBE_AWAKE,
	/** @XETILE_PROBE_RESET: all engines have been reset */
	XETILE_PROBE_RESET,
	/** @XETILE_PROBE_SET: the tiles' settings are written */
	XETILE_PROBE_SET,
	/** @XETILE_PROBE_MEMORY: HBM and GGTT are in use, engines have status pages */
	XETILE_PROBE_MEMORY,
	/** @XETILE_PROBE_CONTEXT: engines can take contexts, but nobody submits any yet */
	XETILE_PROBE_CONTEXT,
	/** @XETILE_PROBE_COPY: the kernel's copies work */
	XETILE_PROBE_COPY,
	/** @XETILE_PROBE_ALL: the card is registered */
	XETILE_PROBE_ALL,
};

int xetile_probe_reached(struct xetile_device *xt, enum xetile_probe_stage stage);

int xetile_probe_contexts(struct xetile_device *xt);
int xetile_probe_copies(struct xetile_device *xt);

#endif
