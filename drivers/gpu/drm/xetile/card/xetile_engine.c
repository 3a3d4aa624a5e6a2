// SPDX-License-Identifier: GPL-2.0-only
#include "card/xetile_engine.h"

#include <linux/delay.h>
#include <linux/device.h>
#include <linux/limits.h>
#include <linux/pci.h>

#include <drm/drm_print.h>

#include "regs/pvc_engine_regs.h"
#include "regs/pvc_gt_regs.h"
#include "regs/pvc_lrc_regs.h"

#include "xetile_device.h"

/**
 * DOC: engines
 *
 * An engine is a command streamer of a tile: a compute engine (CCS) or a copy engine (BCS), with
 * its registers and a status page. The start of the card lists a tile's engines by its fuses; the
 * start and each reset (xetile_reset_tile.c) set the engines up, so that they take contexts.
 * xetile_execlist.c decides which context runs on an engine. No lock is taken: after the start of
 * the card only registers change, and the slices of an engine's mode (xetile_ccs.c), and only
 * the owner of an engine's port starts or stops the engine.
 */

#define STOP_TIMEOUT_US		2000
#define WELL_TIMEOUT_US		5000

/* Stop the engine, because a running engine could still write its status page. */
static void engine_release(void *arg)
{
	xetile_engine_halt(arg);
	xetile_engine_wait_halted(arg, STOP_TIMEOUT_US);
}

static void engine_add(struct xetile_tile *tile, enum xetile_engine_class class,
		       unsigned int instance, u32 base, u32 reset_domain)
{
	struct xetile_engine *engine = &tile->engines[tile->num_engines++];

	engine->tile = tile;
	engine->class = class;
	engine->instance = instance;
	engine->base = base;
	engine->reset_domain = reset_domain;
	snprintf(engine->name, sizeof(engine->name), "tile%u.%s%u", tile->id,
		 class == XETILE_ENGINE_COMPUTE ? "ccs" : "bcs", instance);
}

/**
 * xetile_engines_find() - list the engines a tile has
 * @tile: the tile; its fuses are known
 *
 * Context: process.
 */
void xetile_engines_find(struct xetile_tile *tile)
{
	unsigned int i;

	for (i = 0; i < PVC_NUM_CCS; i++)
		if (tile->fuse.cslice_mask & BIT(i))
			engine_add(tile, XETILE_ENGINE_COMPUTE, i, PVC_CCS_BASE(i),
				   PVC_GDRST_RENDER);
	for (i = 0; i < PVC_NUM_BCS; i++)
		if (tile->fuse.bcs_mask & BIT(i))
			engine_add(tile, XETILE_ENGINE_COPY, i, PVC_BCS_BASE(i),
				   i ? PVC_GDRST_BCS(i) : PVC_GDRST_BCS0);
}

/**
 * xetile_engine_init() - give an engine its status page and start it
 * @engine: the engine
 * @hwsp: the page as the CPU sees it; it lives until the device is unbound
 * @hwsp_ggtt: address of the page in the tile's GGTT, in bytes
 *
 * The engine is stopped when the device unbinds.
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int xetile_engine_init(struct xetile_engine *engine, const struct iosys_map *hwsp, u64 hwsp_ggtt)
{
	engine->hwsp = *hwsp;
	engine->hwsp_ggtt = hwsp_ggtt;
	xetile_engine_start(engine);
	return devm_add_action_or_reset(engine->tile->xt->drm.dev, engine_release, engine);
}

/**
 * xetile_engine_find() - the engine of a class and instance
 * @tile: the tile
 * @class: hardware class
 * @instance: physical instance
 *
 * Context: any.
 * Return: the engine, or NULL if the tile does not have it.
 */
struct xetile_engine *xetile_engine_find(struct xetile_tile *tile,
					 enum xetile_engine_class class, unsigned int instance)
{
	struct xetile_engine *engine;

	for (engine = tile->engines; engine < tile->engines + tile->num_engines; engine++)
		if (engine->class == class && engine->instance == instance)
			return engine;
	return NULL;
}

/**
 * xetile_engine_read() - read a register of an engine
 * @engine: the engine
 * @reg: offset in the tile's window, as the macros of regs/ give it for @engine's base
 *
 * Context: any.
 * Return: its value.
 */
u32 xetile_engine_read(struct xetile_engine *engine, u32 reg)
{
	return xetile_mmio_read(&engine->tile->mmio, reg);
}

/**
 * xetile_engine_write() - write a register of an engine
 * @engine: the engine
 * @reg: offset in the tile's window, as the macros of regs/ give it for @engine's base
 * @val: what to write
 *
 * Context: any.
 */
void xetile_engine_write(struct xetile_engine *engine, u32 reg, u32 val)
{
	xetile_mmio_write(&engine->tile->mmio, reg, val);
}

/*
 * Which registers batches may access, apart from those that they may by default. An unused slot
 * names a register that does nothing.
 */
static void program_nonpriv(struct xetile_engine *engine)
{
	u32 base = engine->base;
	u32 slots[PVC_NONPRIV_SLOTS];
	unsigned int i, n = 0;

	/* User mode measures its run time with this register. */
	slots[n++] = PVC_CTX_TIMESTAMP(base) | PVC_NONPRIV_ACCESS_RD;
	/* Wa_16014440446: two blocks of registers that batches could reach otherwise */
	slots[n++] = PVC_WA_16014440446_BLOCK(0) | PVC_NONPRIV_DENY | PVC_NONPRIV_RANGE_64;
	slots[n++] = PVC_WA_16014440446_BLOCK(1) | PVC_NONPRIV_DENY | PVC_NONPRIV_RANGE_64;
	/* Wa_16017236439: users must not change the access size of copies */
	if (engine->class == XETILE_ENGINE_COPY)
		slots[n++] = PVC_BCS_SWCTRL(base) | PVC_NONPRIV_DENY;
	while (n < ARRAY_SIZE(slots))
		slots[n++] = PVC_RING_NOPID(base);

	for (i = 0; i < ARRAY_SIZE(slots); i++)
		xetile_engine_write(engine, PVC_FORCE_TO_NONPRIV(base, i), slots[i]);
}

/* Caching of the command streamer's own reads and writes */
static void program_cctl(struct xetile_engine *engine)
{
	u32 read = engine->class == XETILE_ENGINE_COMPUTE ? PVC_MOCS_WB : PVC_MOCS_UC;

	xetile_mmio_write_masked(&engine->tile->mmio, PVC_RING_CMD_CCTL(engine->base),
				 PVC_CMD_CCTL_WRITE_MOCS_MASK | PVC_CMD_CCTL_READ_MOCS_MASK,
				 PVC_MOCS_UC << PVC_CMD_CCTL_WRITE_MOCS_SHIFT |
				 read << PVC_CMD_CCTL_READ_MOCS_SHIFT);
}

/*
 * Wa_16018031267, Wa_16018063123, Wa_16010961369: the sub-blitters take turns, so that the dummy
 * blits of xetile_dummy_blit.h reach all of them. (The size of requests is set at each restore of
 * a context, before its blit.)
 */
static void program_blitter(struct xetile_engine *engine)
{
	if (engine->class != XETILE_ENGINE_COPY)
		return;
	xetile_mmio_write_masked(&engine->tile->mmio, PVC_RING_ECOSKPD(engine->base),
				 PVC_ECOSKPD_SCHEDULING_MASK, PVC_ECOSKPD_ROUND_ROBIN);
}

/*
 * Both sides start at the last entry, so the first event lands in entry 0. The status page is
 * system memory: the write of the register waits for the writes to the page.
 */
static void reset_csb(struct xetile_engine *engine)
{
	struct iosys_map *map = &engine->hwsp;

	iosys_map_memset(map, PVC_HWSP_CSB, 0xff, PVC_CSB_ENTRIES * sizeof(u64));
	iosys_map_wr(map, PVC_HWSP_CSB_WRITE_PTR, u32, PVC_CSB_ENTRIES - 1);
	xetile_engine_write(engine, PVC_CONTEXT_STATUS_PTR(engine->base), PVC_CSB_PTR_RESET);
}

/**
 * xetile_engine_swctrl() - by how many bytes a copy engine requests system memory
 * @engine: the copy engine
 *
 * Wa_16017236439: the PCIe credits of engines with even numbers are for requests of 64 bytes.
 *
 * Context: any.
 * Return: what to write to PVC_BCS_SWCTRL.
 */
u32 xetile_engine_swctrl(const struct xetile_engine *engine)
{
	return PVC_MASKED_FIELD(PVC_BCS_SWCTRL_DISABLE_256B,
				engine->instance % 2 ? 0 : PVC_BCS_SWCTRL_DISABLE_256B);
}

/**
 * xetile_engine_start() - set an engine up, so that it takes contexts
 * @engine: the engine; nothing runs on it
 *
 * Called at probe and after each reset of the engine's domain, after xetile_settings_write().
 *
 * Context: any; the caller owns the engine's submission port.
 */
void xetile_engine_start(struct xetile_engine *engine)
{
	const struct xetile_mmio *mmio = &engine->tile->mmio;
	u32 base = engine->base;
	u32 esr;

	program_cctl(engine);
	program_blitter(engine);
	program_nonpriv(engine);

	/* Interrupts come by message, so none is written to the status page. */
	xetile_mmio_write(mmio, PVC_RING_HWSTAM(base), U32_MAX);
	xetile_mmio_write_masked(mmio, PVC_GFX_MODE(base),
				 PVC_GFX_MODE_DISABLE_LEGACY | PVC_GFX_MODE_PREFETCH_DISABLE,
				 PVC_GFX_MODE_DISABLE_LEGACY);
	xetile_mmio_write_masked(mmio, PVC_RING_MI_MODE(base), PVC_MI_MODE_STOP_RING, 0);

	xetile_mmio_write(mmio, PVC_RING_HWS_PGA(base), engine->hwsp_ggtt);
	xetile_mmio_read(mmio, PVC_RING_HWS_PGA(base));

	/* Clear old errors, then report bad instructions only. */
	xetile_mmio_write(mmio, PVC_RING_EMR(base), U32_MAX);
	xetile_mmio_write(mmio, PVC_RING_EIR(base), U32_MAX);
	esr = xetile_mmio_read(mmio, PVC_RING_ESR(base));
	if (esr)
		drm_err_ratelimited(&engine->tile->xt->drm, "%s: errors stay set: %#x\n",
				    engine->name, esr);
	xetile_mmio_write(mmio, PVC_RING_EMR(base), ~PVC_ERROR_INSTRUCTION);

	/*
	 * The submit queue keeps what was there before. The driver gives an engine one context at a
	 * time, so it never writes the second place again.
	 */
	xetile_mmio_write(mmio, PVC_EXECLIST_SQ_CONTENTS(base, 1), 0);
	xetile_mmio_write(mmio, PVC_EXECLIST_SQ_CONTENTS_UDW(base, 1), 0);

	reset_csb(engine);
}

/**
 * xetile_engine_halt() - ask an engine to take no more commands
 * @engine: the engine
 *
 * The first step of a reset. The engine takes no more commands until it is started again.
 *
 * Context: any.
 */
void xetile_engine_halt(struct xetile_engine *engine)
{
	const struct xetile_mmio *mmio = &engine->tile->mmio;
	u32 base = engine->base;

	xetile_mmio_write_masked(mmio, PVC_RING_MI_MODE(base), PVC_MI_MODE_STOP_RING,
				 PVC_MI_MODE_STOP_RING);
	/* The engine could prefetch memory that is about to be reset (Wa_22011802037). */
	xetile_mmio_write_masked(mmio, PVC_GFX_MODE(base), PVC_GFX_MODE_PREFETCH_DISABLE,
				 PVC_GFX_MODE_PREFETCH_DISABLE);
}

/* Power wells that the engine has asked for and does not have yet */
static u32 pending_wells(struct xetile_engine *engine)
{
	u32 reg, idle, valid;

	if (engine->class == XETILE_ENGINE_COMPUTE)
		reg = PVC_MSG_IDLE_CS;
	else if (engine->instance == 0)
		reg = PVC_MSG_IDLE_BCS;
	else
		return 0;
	idle = xetile_engine_read(engine, reg);
	/* A card that is gone waits for nothing. */
	if (PCI_POSSIBLE_ERROR(idle))
		return 0;
	valid = idle >> 16;
	return (idle & valid & PVC_MSG_IDLE_FW_MASK) >> PVC_MSG_IDLE_FW_SHIFT;
}

/**
 * xetile_engine_wait_halted() - wait until an engine may be reset
 * @engine: the engine, after xetile_engine_halt()
 * @timeout_us: how long it may take to become idle, microseconds; more than 0
 *
 * An engine that waits for a power well while it is reset can hang the card (Wa_22011802037;
 * prelim i915: gt/intel_engine_cs.c). So the wells that it has asked for are waited for, but only
 * after the engine is idle or its time is over, because until then it may ask for more.
 *
 * Context: process.
 * Return: 0; -ETIMEDOUT when the engine does not become idle, or does not get a well; -ENODEV
 * when the card is gone.
 */
int xetile_engine_wait_halted(struct xetile_engine *engine, unsigned int timeout_us)
{
	const struct xetile_mmio *mmio = &engine->tile->mmio;
	u32 wells;
	int err, not_idle;

	not_idle = xetile_mmio_wait(mmio, PVC_RING_MI_MODE(engine->base), PVC_MI_MODE_IDLE,
				    PVC_MI_MODE_IDLE, timeout_us);
	wells = pending_wells(engine);
	if (!wells)
		return not_idle;
	/* The wells' control hears of the request a moment after the engine is idle ... */
	udelay(1);
	err = xetile_mmio_wait(mmio, PVC_PWRGT_DOMAIN_STATUS, wells, wells, WELL_TIMEOUT_US);
	/* ... and the engine of the answer a moment after it is given. */
	udelay(1);
	return not_idle ?: err;
}

/**
 * xetile_engine_failed() - whether an engine stopped because of an error
 * @engine: the engine
 *
 * The engine also raises an interrupt then. Until it is reset its registers record the error: a
 * bad command in EIR, a failed access in RESET_CTL.
 *
 * Context: any.
 * Return: true if it did; false also when the card is gone.
 */
bool xetile_engine_failed(struct xetile_engine *engine)
{
	u32 errors = xetile_engine_read(engine, PVC_RING_EIR(engine->base));
	u32 ctl = xetile_engine_read(engine, PVC_RING_RESET_CTL(engine->base));

	if (PCI_POSSIBLE_ERROR(errors) || PCI_POSSIBLE_ERROR(ctl))
		return false;
	return (errors & PVC_ERROR_INSTRUCTION) || (ctl & PVC_RESET_CTL_CAT_ERROR);
}

/**
 * xetile_engine_cslices() - the compute slices an engine owns now
 * @engine: the engine
 *
 * Context: any.
 * Return: mask of cslices, from the hardware; 0 for a copy engine.
 */
unsigned int xetile_engine_cslices(struct xetile_engine *engine)
{
	struct xetile_tile *tile = engine->tile;
	unsigned int i, mask = 0;
	u32 mode;

	if (engine->class != XETILE_ENGINE_COMPUTE)
		return 0;

	mode = xetile_mmio_read(&tile->mmio, PVC_CCS_MODE);
	for (i = 0; i < XETILE_MAX_CSLICES; i++)
		if ((tile->fuse.cslice_mask & BIT(i)) &&
		    (mode >> PVC_CCS_MODE_CSLICE_SHIFT(i) & PVC_CCS_MODE_CSLICE_MASK) ==
		    engine->instance)
			mask |= BIT(i);
	return mask;
}

/**
 * xetile_engine_read_eus() - read which of an engine's execution units are idle
 * @engine: the engine
 * @eus: filled in; none for a copy engine, or if the card is gone
 *
 * Context: any, but some 100 microseconds long.
 */
void xetile_engine_read_eus(struct xetile_engine *engine, struct xetile_engine_eus *eus)
{
	struct xetile_tile *tile = engine->tile;
	unsigned int cslices = xetile_engine_cslices(engine), dss;
	u64 left;

	*eus = (struct xetile_engine_eus) { };
	for (left = tile->fuse.dss_mask; left; left &= left - 1) {
		u32 done;

		dss = __ffs64(left);
		if (!(cslices & BIT(dss / PVC_DSS_PER_CSLICE)))
			continue;
		done = xetile_mcr_read(tile, PVC_ROW_INSTDONE, dss / PVC_DSS_PER_MCR_GROUP,
				       dss % PVC_DSS_PER_MCR_GROUP);
		if (PCI_POSSIBLE_ERROR(done)) {
			*eus = (struct xetile_engine_eus) { };
			return;
		}
		eus->dss |= BIT_ULL(dss);
		if (done & PVC_ROW_INSTDONE_IC_DONE)
			eus->idle |= BIT_ULL(dss);
	}
}

/* Registers that show an engine's work, by offset from its base; reading them changes nothing. */
static const struct {
	const char *name;
	u32 offset;
} engine_regs[] = {
	{ "RING_HEAD", PVC_RING_HEAD(0) },
	{ "RING_TAIL", PVC_RING_TAIL(0) },
	{ "RING_START", PVC_RING_START(0) },
	{ "RING_CTL", PVC_RING_CTL(0) },
	{ "RING_ACTHD_UDW", PVC_RING_ACTHD_UDW(0) },
	{ "RING_ACTHD", PVC_RING_ACTHD(0) },
	{ "RING_BBADDR_UDW", PVC_RING_BBADDR_UDW(0) },
	{ "RING_BBADDR", PVC_RING_BBADDR(0) },
	{ "RING_BBSTATE", PVC_RING_BBSTATE(0) },
	{ "RING_IPEHR", PVC_RING_IPEHR(0) },
	{ "RING_INSTDONE", PVC_RING_INSTDONE(0) },
	{ "RING_HWS_PGA", PVC_RING_HWS_PGA(0) },
	{ "RING_MI_MODE", PVC_RING_MI_MODE(0) },
	{ "RING_EIR", PVC_RING_EIR(0) },
	{ "RING_EMR", PVC_RING_EMR(0) },
	{ "RING_ESR", PVC_RING_ESR(0) },
	{ "RING_RESET_CTL", PVC_RING_RESET_CTL(0) },
	{ "GFX_MODE", PVC_GFX_MODE(0) },
	{ "EXECLIST_STATUS", PVC_EXECLIST_STATUS(0) },
	{ "EXECLIST_STATUS_UDW", PVC_EXECLIST_STATUS_UDW(0) },
	{ "CURRENT_LRCA", PVC_CURRENT_LRCA(0) },
	{ "CONTEXT_STATUS_PTR", PVC_CONTEXT_STATUS_PTR(0) },
};

static_assert(ARRAY_SIZE(engine_regs) == XETILE_ENGINE_REGS);
static_assert(PVC_CSB_ENTRIES == XETILE_ENGINE_EVENTS);

/**
 * xetile_engine_read_event() - read an event that an engine has reported
 * @engine: the engine
 * @place: of the event, less than XETILE_ENGINE_EVENTS
 *
 * From the engine's own ring, because the events in the status page are marked when they were
 * handled. They hold numbers of contexts, and nothing of users.
 *
 * Context: any.
 * Return: the event, as the status page had it.
 */
u64 xetile_engine_read_event(struct xetile_engine *engine, unsigned int place)
{
	return (u64)xetile_engine_read(engine, PVC_RING_CSB_HI(engine->base, place)) << 32 |
	       xetile_engine_read(engine, PVC_RING_CSB_LO(engine->base, place));
}

/**
 * xetile_engine_read_regs() - read the registers that show an engine's work
 * @engine: the engine; it has its status page
 * @regs: filled in; all ones if the card is gone
 *
 * Context: any, but some 50 microseconds long.
 */
void xetile_engine_read_regs(struct xetile_engine *engine, struct xetile_engine_regs *regs)
{
	unsigned int i;

	for (i = 0; i < XETILE_ENGINE_REGS; i++)
		regs->values[i] = xetile_engine_read(engine, engine->base + engine_regs[i].offset);
	for (i = 0; i < XETILE_ENGINE_EVENTS; i++)
		regs->events[i] = xetile_engine_read_event(engine, i);
	regs->event = iosys_map_rd(&engine->hwsp, PVC_HWSP_CSB_WRITE_PTR, u32);
}

/**
 * xetile_engine_print_regs() - print the registers that show an engine's work
 * @regs: of xetile_engine_read_regs()
 * @p: where to
 *
 * Context: any.
 */
void xetile_engine_print_regs(const struct xetile_engine_regs *regs, struct drm_printer *p)
{
	unsigned int i;

	for (i = 0; i < XETILE_ENGINE_REGS; i++)
		drm_printf(p, "  %-20s %#010x\n", engine_regs[i].name, regs->values[i]);
	drm_printf(p, "  last event in place %u\n", regs->event);
	for (i = 0; i < XETILE_ENGINE_EVENTS; i++)
		drm_printf(p, "  event %-2u %#018llx\n", i, regs->events[i]);
}
