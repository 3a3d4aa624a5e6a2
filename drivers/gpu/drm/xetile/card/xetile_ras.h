/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_RAS_H__
#define __XETILE_RAS_H__

#include <linux/types.h>

struct xetile_device;
struct xetile_tile;

/** enum xetile_ras_kind - where an error was found */
enum xetile_ras_kind {
	/** @XETILE_RAS_SUBSLICE: execution units and their caches */
	XETILE_RAS_SUBSLICE,
	/** @XETILE_RAS_L3BANK: banks of the L3 cache */
	XETILE_RAS_L3BANK,
	/** @XETILE_RAS_TLB: translation caches */
	XETILE_RAS_TLB,
	/** @XETILE_RAS_L3_FABRIC: what joins the banks of the L3 cache */
	XETILE_RAS_L3_FABRIC,
	/** @XETILE_RAS_GT: the rest of the GT */
	XETILE_RAS_GT,
	/** @XETILE_RAS_HBM: memory */
	XETILE_RAS_HBM,
	/** @XETILE_RAS_MDFI: links between dies */
	XETILE_RAS_MDFI,
	/** @XETILE_RAS_SOC: the rest of what the tile's error handlers know */
	XETILE_RAS_SOC,
	/** @XETILE_RAS_GSC: the security controller */
	XETILE_RAS_GSC,
	/** @XETILE_RAS_OTHER: other units of the device */
	XETILE_RAS_OTHER,
	/** @XETILE_NUM_RAS_KINDS: number of kinds */
	XETILE_NUM_RAS_KINDS
};

/* Correctable, non-fatal, fatal: as PVC_ERR_* */
#define XETILE_NUM_RAS_SEVERITIES	3

int xetile_ras_init(struct xetile_device *xt);
void xetile_ras_forget(struct xetile_device *xt);
bool xetile_ras_handle(struct xetile_tile *tile, u32 master);
u32 xetile_ras_count(const struct xetile_tile *tile, unsigned int severity,
		     enum xetile_ras_kind kind);

#endif
