// SPDX-License-Identifier: GPL-2.0-only
#include "xetile_probe.h"

#include <linux/delay.h>
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/pci.h>

#include <drm/drm_print.h>

#include "regs/pvc_engine_regs.h"
#include "regs/pvc_gtt.h"
#include "regs/pvc_pci_regs.h"
#include "regs/pvc_soc_regs.h"

#include "card/xetile_engine.h"
#include "card/xetile_freq.h"
#include "card/xetile_mmio.h"
#include "card/xetile_settings.h"
#include "card/xetile_tile.h"
#include "exec/xetile_reset_tile.h"
#include "exec/xetile_sched_engine.h"
#include "xetile_device.h"

/**
 * DOC: a start in stages
 *
 * On a card that nobody has started with this driver yet, the start may fail anywhere, and take the
 * machine with it. The module's parameter probe_stage ends it early: after the stage of that number
 * the driver looks at what the card answers, prints it, undoes all that it did, and lets the card
 * go, with -ECANCELED. Documentation/gpu/xetile/bring-up.rst has the logs to compare with.
 *
 * Without the parameter nothing is printed and nothing is tried. Before a stage ends it may try
 * the card in ways that an ordinary start does not, but it leaves the card as it found it. Only the
 * start of the card comes here, with the device's lock.
 */

static unsigned int probe_stage = XETILE_PROBE_ALL;
module_param_unsafe(probe_stage, uint, 0444);
MODULE_PARM_DESC(probe_stage,
		 "Stage after which the start of a card ends: 0 reads only, 7 (default) is all");

/* GGTT entries that are written and read back, and bytes at each end of a tile's HBM */
#define TRIED_ENTRIES	64
#define TRIED_BYTES	64
/* Longer than the power controller takes for a request */
#define TAKE_FREQUENCY_MS	20

/* Not behind a power well, and reading them changes nothing */
static const struct xetile_named_reg mapped_regs[] = {
	XETILE_NAMED_REG(PVC_MTCFG),
	XETILE_NAMED_REG(PVC_GU_CNTL),
	XETILE_NAMED_REG(PVC_GU_CNTL_PROTECTED),
	XETILE_NAMED_REG(PVC_PCODE_MAILBOX),
	XETILE_NAMED_REG(PVC_VF_CAP),
	XETILE_NAMED_REG(PVC_DEV_ERR_STAT_FATAL),
	XETILE_NAMED_REG(PVC_DEV_ERR_STAT_NONFATAL),
	XETILE_NAMED_REG(PVC_DEV_ERR_STAT_CORRECTABLE),
	XETILE_NAMED_REG(PVC_SG_TILE_ADDR_RANGE(0)),
	XETILE_NAMED_REG(PVC_SG_TILE_ADDR_RANGE(1)),
	XETILE_NAMED_REG(PVC_GSMBASE),
	XETILE_NAMED_REG(PVC_GSMBASE_UDW),
};

static int look_mapped(struct xetile_device *xt)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(mapped_regs); i++)
		drm_info(&xt->drm, "%-28s %#010x\n", mapped_regs[i].name,
			 xetile_mmio_read(&xt->mmio, mapped_regs[i].offset));
	return 0;
}

static int look_awake(struct xetile_device *xt)
{
	struct xetile_tile *tile;

	xetile_for_each_tile(tile, xt)
		drm_info(&xt->drm,
			 "tile%u: HBM %#llx + %#llx, usable %#llx, DSS %#llx, BCS %#x, L3 banks %u\n",
			 tile->id, tile->range.base, tile->range.size, tile->range.usable,
			 tile->fuse.dss_mask, tile->fuse.bcs_mask, tile->fuse.l3_banks);
	return 0;
}

/* The engines of a tile that are reset together with its engine @first */
static u64 domain_of(struct xetile_tile *tile, unsigned int first)
{
	u64 engines = 0;
	unsigned int i;

	for (i = 0; i < tile->num_engines; i++)
		if (tile->engines[i].reset_domain == tile->engines[first].reset_domain)
			engines |= xetile_sched_engine_bit(&tile->engines[i]);
	return engines;
}

/* Each domain alone, after all of them together */
static int look_reset(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	unsigned int i;
	int err = 0;

	xetile_for_each_tile(tile, xt) {
		for (i = 0; i < tile->num_engines; i++) {
			struct xetile_engine *engine = &tile->engines[i];
			ktime_t begin = ktime_get();
			int ret;

			if (i && engine->reset_domain == engine[-1].reset_domain)
				continue;
			ret = xetile_reset_tile_engines(tile, domain_of(tile, i), false);
			drm_info(&xt->drm, "%s: domain %#010x, reset %d, %lld us, MI_MODE %#x, RESET_CTL %#x\n",
				 engine->name, engine->reset_domain, ret,
				 ktime_us_delta(ktime_get(), begin),
				 xetile_engine_read(engine, PVC_RING_MI_MODE(engine->base)),
				 xetile_engine_read(engine, PVC_RING_RESET_CTL(engine->base)));
			err = err ?: ret;
		}
	}
	return err;
}

static int look_set(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	unsigned int wrong = 0;

	xetile_for_each_tile(tile, xt)
		wrong += xetile_settings_verify(tile);
	return wrong ? -EIO : 0;
}

/* Entries that nobody uses yet, below the end of those that firmware may have */
static unsigned int try_ggtt(struct xetile_tile *tile)
{
	u32 first = PVC_GGTT_GUC_TOP / SZ_4K - TRIED_ENTRIES;
	unsigned int i, bad = 0;

	for (i = 0; i < TRIED_ENTRIES; i++) {
		void __iomem *at = tile->gsm + (u64)(first + i) * sizeof(u64);
		u64 before = readq(at), tried = before ^ BIT_ULL(12 + i % 30);

		writeq(tried, at);
		bad += readq(at) != tried;
		writeq(before, at);
		bad += readq(at) != before;
	}
	return bad;
}

/* Bytes of HBM that may have an owner, who does not look at them now */
static unsigned int try_hbm(struct xetile_tile *tile, u64 offset)
{
	void __iomem *at = tile->xt->bar2.map + tile->range.base + offset;
	unsigned int i, bad = 0;

	for (i = 0; i < TRIED_BYTES; i += sizeof(u32)) {
		u32 before = readl(at + i);

		writel(~before ^ i, at + i);
		bad += readl(at + i) != (~before ^ i);
		writel(before, at + i);
		bad += readl(at + i) != before;
	}
	return bad;
}

/*
 * Ask for the lowest frequency, then for the highest one, which the start has asked for. A tile may
 * run at less than what it is asked for, and the limits say why; but it has to be asked.
 */
static int try_frequency(struct xetile_tile *tile)
{
	unsigned int asked[2] = { tile->freq.rpn, tile->freq.rp0 };
	int told[2], runs[2], i;
	u32 limits = 0;

	if (!tile->freq.rp0)
		return 0;
	for (i = 0; i < 2; i++) {
		xetile_freq_set_bound(tile, XETILE_FREQ_MAX, asked[i]);
		msleep(TAKE_FREQUENCY_MS);
		told[i] = xetile_freq_requested(tile);
		runs[i] = xetile_freq_actual(tile);
	}
	xetile_freq_limits(tile, &limits);
	drm_info(&tile->xt->drm,
		 "tile%u: asked for %u MHz: request %d, runs at %d; for %u MHz: request %d, runs at %d; limits %#x\n",
		 tile->id, asked[0], told[0], runs[0], asked[1], told[1], runs[1], limits);
	return told[0] == asked[0] && told[1] == asked[1] ? 0 : -EIO;
}

static int look_memory(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	int err = 0;

	xetile_for_each_tile(tile, xt) {
		unsigned int ggtt = try_ggtt(tile), low = try_hbm(tile, 0);
		unsigned int high = try_hbm(tile, tile->range.visible - TRIED_BYTES);

		drm_info(&xt->drm,
			 "tile%u: %u GGTT entries, %u wrong; HBM through BAR2, %u wrong below, %u above\n",
			 tile->id, TRIED_ENTRIES, ggtt, low, high);
		if (ggtt || low || high)
			err = -EIO;
		err = try_frequency(tile) ?: err;
	}
	return err;
}

static const struct {
	const char *name;
	int (*look)(struct xetile_device *xt);
} stages[] = {
	[XETILE_PROBE_MAPPED] = { "registers can be read", look_mapped },
	[XETILE_PROBE_AWAKE] = { "the card is awake", look_awake },
	[XETILE_PROBE_RESET] = { "engines are reset", look_reset },
	[XETILE_PROBE_SET] = { "settings are written", look_set },
	[XETILE_PROBE_MEMORY] = { "memory is in use", look_memory },
	[XETILE_PROBE_CONTEXT] = { "engines run contexts", xetile_probe_contexts },
	[XETILE_PROBE_COPY] = { "the kernel's copies work", xetile_probe_copies },
};

/**
 * xetile_probe_reached() - the start of a card has come so far
 * @xt: the card
 * @stage: what it has done
 *
 * Does nothing unless the administrator wants the start to end early.
 *
 * Context: process, with the device's lock; only when the card is bound.
 * Return: 0; -ECANCELED to end the start; another error if the card fails the stage's trial. One
 * line in the log tells it.
 */
int xetile_probe_reached(struct xetile_device *xt, enum xetile_probe_stage stage)
{
	ktime_t begin = ktime_get();
	int err;

	if (probe_stage >= XETILE_PROBE_ALL)
		return 0;
	drm_info(&xt->drm, "stage %u: %s\n", stage, stages[stage].name);
	/* Only the last stage is looked at, so that a log shows one thing that may fail. */
	if (stage < probe_stage)
		return 0;
	err = stages[stage].look(xt);
	if (err) {
		drm_err(&xt->drm, "stage %u failed: %pe\n", stage, ERR_PTR(err));
		return err;
	}
	drm_info(&xt->drm, "stage %u done in %lld us: the start ends here, and is undone\n", stage,
		 ktime_us_delta(ktime_get(), begin));
	return -ECANCELED;
}
