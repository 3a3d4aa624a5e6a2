/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_ENGINE_H__
#define __XETILE_ENGINE_H__

#include <linux/iosys-map.h>
#include <linux/types.h>

struct drm_printer;
struct xetile_device;
struct xetile_execlist;
struct xetile_tile;

#define XETILE_HWSP_SIZE	4096

/** enum xetile_engine_class - hardware class numbers, as in interrupt identities */
enum xetile_engine_class {
	XETILE_ENGINE_COPY = 3,
	XETILE_ENGINE_COMPUTE = 5,
};

/** struct xetile_engine - one command streamer of a tile */
struct xetile_engine {
	/** @tile: the tile it belongs to */
	struct xetile_tile *tile;
	/** @class: hardware class */
	enum xetile_engine_class class;
	/** @instance: physical instance number */
	unsigned int instance;
	/** @base: offset of its registers in the tile's MMIO */
	u32 base;
	/** @reset_domain: its bit of GDRST; the CCS of a tile share one */
	u32 reset_domain;
	/** @name: name in messages: "tile0.ccs1" */
	char name[16];
	/**
	 * @mode_cslices: slices that a CCS has in the mode that its tile is in; protected by the
	 *	execution lock
	 */
	u32 mode_cslices;
	/** @kernel_only: kept for the kernel's own work, no queue may use it */
	bool kernel_only;
	/** @hwsp: hardware status page, XETILE_HWSP_SIZE of system memory */
	struct iosys_map hwsp;
	/** @hwsp_ggtt: its place in the tile's GGTT */
	u64 hwsp_ggtt;
	/** @execlist: submission port; see xetile_execlist.c */
	struct xetile_execlist *execlist;
};

#define XETILE_ENGINE_REGS	22
#define XETILE_ENGINE_EVENTS	12

/** struct xetile_engine_regs - values of an engine's registers */
struct xetile_engine_regs {
	/** @values: of the registers that xetile_engine_print_regs() names */
	u32 values[XETILE_ENGINE_REGS];
	/** @events: its last reports, from its own ring of them (CSB) */
	u64 events[XETILE_ENGINE_EVENTS];
	/** @event: place of the last one, as the status page has it */
	u32 event;
};

/** struct xetile_engine_eus - state of the execution units that an engine owns */
struct xetile_engine_eus {
	/** @dss: dual subslices that it owns */
	u64 dss;
	/** @idle: those whose execution units are idle */
	u64 idle;
};

void xetile_engines_find(struct xetile_tile *tile);
int xetile_engine_init(struct xetile_engine *engine, const struct iosys_map *hwsp, u64 hwsp_ggtt);
struct xetile_engine *xetile_engine_find(struct xetile_tile *tile,
					 enum xetile_engine_class class, unsigned int instance);
u32 xetile_engine_read(struct xetile_engine *engine, u32 reg);
void xetile_engine_write(struct xetile_engine *engine, u32 reg, u32 val);
u32 xetile_engine_swctrl(const struct xetile_engine *engine);
void xetile_engine_start(struct xetile_engine *engine);
void xetile_engine_halt(struct xetile_engine *engine);
int xetile_engine_wait_halted(struct xetile_engine *engine, unsigned int timeout_us);
bool xetile_engine_failed(struct xetile_engine *engine);
unsigned int xetile_engine_cslices(struct xetile_engine *engine);
void xetile_engine_read_eus(struct xetile_engine *engine, struct xetile_engine_eus *eus);
u64 xetile_engine_read_event(struct xetile_engine *engine, unsigned int place);
void xetile_engine_read_regs(struct xetile_engine *engine, struct xetile_engine_regs *regs);
void xetile_engine_print_regs(const struct xetile_engine_regs *regs, struct drm_printer *p);

#endif
