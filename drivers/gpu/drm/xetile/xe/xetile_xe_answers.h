/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_XE_ANSWERS_H__
#define __XETILE_XE_ANSWERS_H__

/*
 * Pure: no lock, no allocation, no device. Compiles on the host too, where igt-tests/host tests the
 * answers over all fuses and modes.
 */
#include <linux/types.h>

#define XETILE_XE_TILES		4
/* CCS0-3 and BCS0-8 */
#define XETILE_XE_ENGINES	13
/* The longest answer is that of the engines. */
#define XETILE_XE_ANSWER	2048

/** struct xetile_xe_tile - what the answers say of a tile */
struct xetile_xe_tile {
	/** @dss_mask: compute dual subslices */
	u64 dss_mask;
	/** @l3_mask: L3 banks */
	u64 l3_mask;
	/** @hbm_total: bytes that BOs of users can have */
	u64 hbm_total;
	/** @hbm_used: bytes of @hbm_total in use */
	u64 hbm_used;
	/** @hbm_visible: bytes of @hbm_total that the CPU reaches */
	u64 hbm_visible;
	/** @num_ccs: compute engines in the tile's mode */
	unsigned int num_ccs;
	/** @bcs_mask: copy engines that queues can use */
	u16 bcs_mask;
	/** @eu_mask: vector engines of a DSS */
	u8 eu_mask;
};

/** struct xetile_xe_facts - what the answers to a caller say of the card */
struct xetile_xe_facts {
	/** @system_total: bytes of system memory that BOs can have */
	u64 system_total;
	/** @system_used: bytes that they have */
	u64 system_used;
	/** @timestamp_hz: frequency of the GPU timestamp */
	u32 timestamp_hz;
	/** @device_id: PCI device id */
	u16 device_id;
	/** @revision: PCI revision */
	u8 revision;
	/** @ip_release: minor number of the graphics IP */
	u8 ip_release;
	/** @max_priority: highest priority that the caller may give a queue */
	u8 max_priority;
	/** @sees_used: the caller may know what others use */
	bool sees_used;
	/** @threads_per_eu: hardware threads of a vector engine */
	unsigned int threads_per_eu;
	/** @max_slm: shared local memory of a DSS, bytes */
	u32 max_slm;
	/** @num_tiles: how many of @tiles are valid */
	unsigned int num_tiles;
	/** @tiles: the tiles */
	struct xetile_xe_tile tiles[XETILE_XE_TILES];
};

/* Each fills in the answer to a query, and returns its bytes. */
size_t xetile_xe_engines(const struct xetile_xe_facts *facts, void *answer);
size_t xetile_xe_mem_regions(const struct xetile_xe_facts *facts, void *answer);
size_t xetile_xe_config(const struct xetile_xe_facts *facts, void *answer);
size_t xetile_xe_gt_list(const struct xetile_xe_facts *facts, void *answer);
size_t xetile_xe_hwconfig(const struct xetile_xe_facts *facts, void *answer);
size_t xetile_xe_topology(const struct xetile_xe_facts *facts, void *answer);
size_t xetile_xe_oa_units(const struct xetile_xe_facts *facts, void *answer);

#endif
