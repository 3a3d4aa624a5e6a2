/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_TILE_H__
#define __XETILE_TILE_H__

#include <linux/atomic.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "card/xetile_engine.h"
#include "card/xetile_freq.h"
#include "card/xetile_mmio.h"
#include "card/xetile_times.h"

struct xetile_device;
struct xetile_ggtt;
struct xetile_hbm;
struct xetile_migrate;
struct xetile_pt;
struct xetile_pt_scratch;
struct xetile_ras;
struct xetile_sysfs;

#define XETILE_MAX_TILES	4
#define XETILE_MAX_CSLICES	4
/* CCS0-3 and BCS0-8 */
#define XETILE_MAX_ENGINES	13

/** enum xetile_move - why bytes move between HBM and system memory */
enum xetile_move {
	/** @XETILE_MOVED_ACCESS: out, because the CPU touched memory that moves on access */
	XETILE_MOVED_ACCESS,
	/** @XETILE_MOVED_EVICT: out for any other reason, mostly because others want the HBM */
	XETILE_MOVED_EVICT,
	/** @XETILE_MOVED_RETURN: in */
	XETILE_MOVED_RETURN,
	/** @XETILE_NUM_MOVES: how many there are */
	XETILE_NUM_MOVES
};

/** struct xetile_tile - an HBM bank, a GT with its engines, a GGTT */
struct xetile_tile {
	/** @xt: the card */
	struct xetile_device *xt;
	/** @id: number of the tile; never changes */
	unsigned int id;
	/** @mmio: this tile's 16 MiB of BAR0 */
	struct xetile_mmio mmio;
	/** @gsm: this tile's GGTT entries in BAR0 */
	void __iomem *gsm;
	/** @mcr_lock: protects the steering of reads of replicated registers */
	spinlock_t mcr_lock;

	/** @range: where the bank lies among device physical addresses */
	struct {
		/** @range.base: device physical address of the first byte */
		u64 base;
		/** @range.size: bytes of the bank */
		u64 size;
		/** @range.usable: bytes from @range.base below the carve-outs */
		u64 usable;
		/** @range.visible: bytes of @range.usable that the CPU reaches by BAR2 */
		u64 visible;
		/** @range.capacity: bytes of @range.usable that BOs may have; see xetile_hbm.c */
		u64 capacity;
	} range;

	/** @fuse: what is present */
	struct {
		/** @fuse.dss_mask: compute dual subslices */
		u64 dss_mask;
		/** @fuse.cslice_mask: cslices = CCS instances */
		u8 cslice_mask;
		/** @fuse.bcs_mask: copy engine instances */
		u16 bcs_mask;
		/** @fuse.eus_per_dss: vector engines of a DSS */
		u8 eus_per_dss;
		/** @fuse.eu_mask: which ones these are */
		u8 eu_mask;
		/** @fuse.l3_banks: L3 banks */
		u8 l3_banks;
		/** @fuse.l3_mask: which ones these are */
		u64 l3_mask;
	} fuse;

	/** @engines: the engines present, CCS first, then BCS, by instance */
	struct xetile_engine engines[XETILE_MAX_ENGINES];
	/** @num_engines: how many of @engines are valid */
	unsigned int num_engines;
	/**
	 * @faults_before: mask of engines of which an access had failed before the tile's page
	 *	fault was cleared last; see xetile_fault.c
	 */
	u64 faults_before;
	/**
	 * @times: times that the administrator sets for batches of each class; see xetile_sysfs.c
	 */
	struct {
		/** @times.compute: on compute engines */
		struct xetile_times compute;
		/** @times.copy: on copy engines */
		struct xetile_times copy;
	} times;
	/**
	 * @ccs_idle: called, able to sleep, when the last holder of the compute engines is
	 *	gone, or there is no use in waiting for that; set before registration
	 */
	void (*ccs_idle)(struct xetile_tile *tile);
	/** @freq: its frequencies; see xetile_freq.c */
	struct xetile_freq freq;
	/** @ras: its hardware errors; see xetile_ras.c */
	struct xetile_ras *ras;
	/** @sysfs: its folders; see xetile_sysfs.c */
	struct xetile_sysfs *sysfs;

	/**
	 * @defaults: register state that new contexts of each class begin with, in system memory;
	 *	NULL until it is recorded, then it never changes; see xetile_lrc_record.c
	 */
	struct {
		/** @defaults.compute: of compute engines */
		const void *compute;
		/** @defaults.copy: of copy engines */
		const void *copy;
	} defaults;

	/** @hbm: allocator of the bank; see xetile_hbm.c */
	struct xetile_hbm *hbm;
	/** @ggtt: global address space; see xetile_ggtt.c */
	struct xetile_ggtt *ggtt;
	/** @top: page tables that all address spaces share; see xetile_pt_top.c */
	struct xetile_pt *top;
	/** @scratch: page tables that map nothing; see xetile_pt_scratch.c */
	const struct xetile_pt_scratch *scratch;
	/** @moved: bytes that left its HBM for system memory, or came from there, by cause */
	atomic64_t moved[XETILE_NUM_MOVES];
	/** @migrate: the kernel's own copy queue; see xetile_migrate.c */
	struct xetile_migrate *migrate;
};

/**
 * xetile_tile_times() - the times of a class of engines
 * @tile: the tile
 * @class: the class
 *
 * Return: the times, which live as long as the tile.
 */
static inline struct xetile_times *xetile_tile_times(struct xetile_tile *tile,
						     enum xetile_engine_class class)
{
	return class == XETILE_ENGINE_COMPUTE ? &tile->times.compute : &tile->times.copy;
}

/**
 * xetile_tile_default() - what new contexts of a class begin with
 * @tile: the tile
 * @class: the class
 *
 * Return: the register state, or NULL as long as it is not recorded.
 */
static inline const void *xetile_tile_default(const struct xetile_tile *tile,
					      enum xetile_engine_class class)
{
	return class == XETILE_ENGINE_COMPUTE ? tile->defaults.compute : tile->defaults.copy;
}

int xetile_tile_init(struct xetile_device *xt, unsigned int id);
int xetile_tile_wake(struct xetile_tile *tile);

#endif
