// SPDX-License-Identifier: MIT
/*
 * What is expected of a card that nobody drives, as one table. check.c walks it for each card.
 *
 * A row says what is read, for which parts of the card, and by which rule (check_rules.c) it is
 * judged. Offsets come from the driver's regs/, where each is stated once with its source. UNKNOWN
 * is the answer where no public source says what silicon answers: such rows record the value.
 */
#include <stdio.h>

#include "regs/pvc_engine_regs.h"
#include "regs/pvc_gt_regs.h"
#include "regs/pvc_irq_regs.h"
#include "regs/pvc_pci_regs.h"
#include "regs/pvc_soc_regs.h"

#include "check.h"
#include "check_rules.h"

#define ROWS	(sizeof(rows) / sizeof(rows[0]))
#define ONES	CHECK_ALL_ONES

/* What firmware finds that keeps a driver from using the card (the driver's xetile_health.c) */
#define UNHEALTHY (PVC_BOOT_HBM_REPLACE | PVC_BOOT_HBM_TRAINING_FAILED | \
		   PVC_BOOT_HBM_WIPE_FAILED | PVC_BOOT_HBM_IO_FAILED | PVC_BOOT_PUNIT_FAILED | \
		   PVC_BOOT_GT_FAILED | PVC_BOOT_MDFI_NO_MARGIN)

static const struct row rows[] = {
	{ "config.revision", CARD, .reg = ONES, .rule = rule_config_revision },
	{ "config.class", CARD, .reg = ONES, .rule = rule_config_class },
	{ "config.bar0", CARD, .reg = ONES, .rule = rule_config_bar0 },
	{ "config.bar2", CARD, .reg = ONES, .rule = rule_config_bar2 },
	{ "config.ggtt", CARD, .reg = ONES, .rule = rule_config_ggtt },
	{ "config.link", CARD, .reg = ONES, .rule = rule_config_link },
	{ "config.sriov", CARD, .reg = ONES, .rule = rule_config_sriov },
	{ "config.aer", CARD, .reg = ONES, .rule = rule_config_aer },

	{ "alive.tiles", CARD, .reg = PVC_MTCFG, .rule = rule_alive_tiles },
	{ "alive.id", TILE, .reg = PVC_MTCFG, .rule = rule_alive_id },

	{ "firmware.hbm-trained", CARD, .reg = PVC_GU_CNTL, .mask = PVC_GU_CNTL_LMEM_INIT,
	  .value = PVC_GU_CNTL_LMEM_INIT, .note = "after a reset wait for 15 s" },
	{ "firmware.flr-pending", CARD, .reg = PVC_GU_CNTL, .mask = PVC_GU_CNTL_DRIVERFLR,
	  .note = "a reset by a driver has not ended" },
	{ "firmware.mailbox-idle", CARD, .reg = PVC_PCODE_MAILBOX, .mask = PVC_PCODE_READY,
	  .note = "the power controller is busy" },
	{ "firmware.pcode-complete", CARD, .reg = PVC_PCODE_MAILBOX, .rule = rule_pcode_complete },
	{ "firmware.protected", CARD, .reg = PVC_GU_CNTL_PROTECTED, .rule = rule_record,
	  .note = "recorded: bit 31 forbids drivers to reset the function" },
	{ "firmware.heci-status", CARD, .reg = PVC_HECI_FWSTS2, .rule = rule_record },
	{ "firmware.health", CARD, .reg = PVC_BOOT_HEALTH, .mask = UNHEALTHY,
	  .note = "firmware has found the card broken" },
	{ "firmware.not-virtual", CARD, .reg = PVC_VF_CAP, .mask = 1,
	  .note = "a virtual function: the driver has no right to most registers" },

	{ "errors.fatal", TILE, .reg = PVC_DEV_ERR_STAT_FATAL, .mask = ONES },
	{ "errors.nonfatal", TILE, .reg = PVC_DEV_ERR_STAT_NONFATAL, .mask = ONES,
	  .note = "after power on, errors of the link between dies are known" },
	{ "errors.correctable", TILE, .reg = PVC_DEV_ERR_STAT_CORRECTABLE, .mask = ONES },

	{ "errors.gt", TILE, .reg = PVC_ERR_STAT_GT(0), .value = PVC_NUM_ERR, .rule = rule_zeroes },
	{ "errors.gt-fatal", TILE, .reg = PVC_ERR_VECTOR_GT_FATAL(0),
	  .value = PVC_NUM_ERR_VECTORS_FATAL, .rule = rule_zeroes },
	{ "errors.gt-correctable", TILE, .reg = PVC_ERR_VECTOR_GT_CORRECTABLE(0),
	  .value = PVC_NUM_ERR_VECTORS_CORRECTABLE, .rule = rule_zeroes },
	{ "errors.soc", TILE, .reg = PVC_IEH_FIRST, .rule = rule_error_handler,
	  .note = "after power on, errors of the link between dies are known" },
	{ "errors.soc-second", TILE, .reg = PVC_IEH_SECOND, .rule = rule_error_handler,
	  .note = "after power on, errors of the link between dies are known" },
	{ "errors.soc-events", TILE, .reg = PVC_IEH_EVENTS(PVC_IEH_FIRST), .rule = rule_record },
	{ "errors.soc-second-events", TILE, .reg = PVC_IEH_EVENTS(PVC_IEH_SECOND),
	  .rule = rule_record },
	{ "errors.gsc", CARD, .reg = PVC_GSC_ERR_UNCORRECTABLE, .mask = ONES },
	{ "errors.gsc-correctable", CARD, .reg = PVC_GSC_ERR_CORRECTABLE, .mask = ONES,
	  .note = "bit 1: of HBM, and the next line tells the cause" },
	{ "errors.gsc-cause", CARD, .reg = PVC_GSC_ERR_FW_CAUSE, .rule = rule_record },
	{ "errors.pcie", CARD, .reg = PVC_DEV_PCIEERR_STATUS, .mask = ONES },

	{ "memory.range", TILE, .reg = PVC_SG_TILE_ADDR_RANGE(0), .rule = rule_hbm_range },
	{ "memory.ranges-agree", TILE, .wake = true, .reg = PVC_TILE_ADDR_RANGE(0),
	  .rule = rule_hbm_ranges_agree },
	{ "memory.end", TILE, .reg = PVC_GSMBASE, .rule = rule_hbm_carve_out },
	{ "memory.stolen", TILE, .reg = PVC_DSMBASE, .rule = rule_hbm_carve_out },
	{ "memory.reserved", TILE, .reg = PVC_STOLEN_RESERVED, .rule = rule_record },

	{ "interrupts.root", CARD, .reg = PVC_MSTR_TILE_INTR, .mask = PVC_MSTR_TILE(0) |
	  PVC_MSTR_TILE(1) | PVC_MSTR_TILE(2) | PVC_MSTR_TILE(3), .note = "pending" },
	{ "interrupts.tile", TILE, .reg = PVC_GFX_MSTR_IRQ, .mask = ~PVC_MSTR_IRQ_ENABLE,
	  .note = "pending" },
	{ "interrupts.bank0", TILE, .reg = PVC_GT_INTR_DW(0), .mask = ONES, .note = "pending" },
	{ "interrupts.bank1", TILE, .reg = PVC_GT_INTR_DW(1), .mask = ONES, .note = "pending" },
	{ "interrupts.engines-off", TILE, .reg = PVC_RENDER_COPY_INTR_ENABLE, .mask = ONES,
	  .note = "a predecessor left them enabled" },
	{ "interrupts.compute-off", TILE, .reg = PVC_CCS_RSVD_INTR_ENABLE, .mask = ONES,
	  .note = "a predecessor left them enabled" },
	{ "interrupts.pcu", TILE, .reg = PVC_IRQ_BLOCK_IIR(PVC_PCU_IRQ_BASE), .mask = ONES,
	  .note = "pending" },
	{ "interrupts.pcu-off", TILE, .reg = PVC_IRQ_BLOCK_IER(PVC_PCU_IRQ_BASE), .mask = ONES,
	  .note = "firmware or a predecessor left them enabled" },
	{ "interrupts.gu-misc", TILE, .reg = PVC_IRQ_BLOCK_IIR(PVC_GU_MISC_IRQ_BASE),
	  .mask = ONES, .note = "pending" },
	{ "interrupts.gu-misc-off", TILE, .reg = PVC_IRQ_BLOCK_IER(PVC_GU_MISC_IRQ_BASE),
	  .mask = ONES, .note = "firmware or a predecessor left them enabled" },

	{ "clocks.power-limit", CARD, .reg = PVC_PACKAGE_RAPL_LIMIT, .rule = rule_record },
	{ "clocks.power-unit", CARD, .reg = PVC_PACKAGE_POWER_SKU_UNIT, .rule = rule_record },
	{ "clocks.power-sku", CARD, .reg = PVC_PACKAGE_POWER_SKU, .rule = rule_rapl,
	  .note = "recorded" },
	{ "clocks.frequencies", TILE, .reg = PVC_RP_STATE_CAP, .rule = rule_frequencies },
	{ "clocks.frequency", TILE, .reg = PVC_RPSTAT1, .rule = rule_frequency },
	{ "clocks.limits", TILE, .reg = PVC_LIMIT_REASONS, .mask = PVC_LIMIT_ANY,
	  .note = "the power controller slows the tile down now" },
	{ "clocks.crystal", TILE, .wake = true, .reg = PVC_RPM_CONFIG0, .rule = rule_crystal },
	{ "clocks.source", TILE, .wake = true, .reg = PVC_CTC_MODE, .rule = rule_record },

	{ "guc.in-reset", TILE, .wake = true, .reg = PVC_GUC_STATUS,
	  .mask = PVC_GUC_STATUS_IN_RESET, .value = PVC_GUC_STATUS_IN_RESET,
	  .note = "a GuC runs: reset the card before a driver comes" },
	{ "guc.size-unlocked", TILE, .wake = true, .reg = PVC_GUC_WOPCM_SIZE,
	  .mask = PVC_GUC_WOPCM_SIZE_LOCKED, .note = "a GuC was loaded: reset the card" },
	{ "guc.offset-invalid", TILE, .wake = true, .reg = PVC_GUC_WOPCM_OFFSET,
	  .mask = PVC_GUC_WOPCM_OFFSET_VALID, .note = "a GuC was loaded: reset the card" },

	{ "wells.gt", TILE, .wake = true, .reg = PVC_FORCEWAKE_ACK_GT, .rule = rule_well },
	{ "wells.render", TILE, .wake = true, .reg = PVC_FORCEWAKE_ACK_RENDER, .rule = rule_well },
	{ "wells.gt-requests", TILE, .wake = true, .reg = PVC_FORCEWAKE_GT,
	  .rule = rule_well_requests },
	{ "wells.render-requests", TILE, .wake = true, .reg = PVC_FORCEWAKE_RENDER,
	  .rule = rule_well_requests },
	{ "wells.gt-others", TILE, .reg = PVC_FORCEWAKE_ACK_GT,
	  .mask = 0xffff & ~PVC_FORCEWAKE_KERNEL, .note = "others hold the well awake" },
	{ "wells.render-others", TILE, .reg = PVC_FORCEWAKE_ACK_RENDER,
	  .mask = 0xffff & ~PVC_FORCEWAKE_KERNEL, .note = "others hold the well awake" },
	{ "wells.sleep", TILE, .wake = true, .reg = PVC_RC_CONTROL, .mask = ONES,
	  .note = "a predecessor lets the tile sleep" },
	{ "wells.gating", TILE, .wake = true, .reg = PVC_PG_ENABLE, .mask = ONES,
	  .note = "a predecessor lets parts of the tile sleep" },

	{ "fuses.dss", TILE, .wake = true, .reg = PVC_COMPUTE_DSS_ENABLE, .rule = rule_fuse_dss },
	{ "fuses.meml3", TILE, .wake = true, .reg = PVC_MIRROR_FUSE3, .rule = rule_fuse_meml3 },
	{ "fuses.eu", TILE, .wake = true, .reg = PVC_EU_ENABLE, .mask = PVC_EU_ENABLE_MASK,
	  .value = PVC_EU_ENABLE_MASK, .note = "sold with 8 EUs in each subslice" },
	{ "fuses.production", TILE, .wake = true, .reg = PVC_FUSE2,
	  .mask = PVC_FUSE2_PRODUCTION_HW, .value = PVC_FUSE2_PRODUCTION_HW,
	  .note = "not production hardware" },
	{ "fuses.no-media", TILE, .wake = true, .reg = PVC_VEBOX_VDBOX_ENABLE, .rule = rule_record },

	{ "reset.pending", TILE, .wake = true, .reg = PVC_GDRST, .mask = ONES,
	  .note = "a reset has not ended" },
	{ "faults.pending", TILE, .wake = true, .reg = PVC_RING_FAULT,
	  .mask = PVC_RING_FAULT_VALID, .note = "a predecessor left a page fault" },

	{ "caches.pat0", TILE, .wake = true, .reg = PVC_PAT_INDEX(0), .rule = rule_record },
	{ "caches.pat1", TILE, .wake = true, .reg = PVC_PAT_INDEX(1), .rule = rule_record },
	{ "caches.pat2", TILE, .wake = true, .reg = PVC_PAT_INDEX(2), .rule = rule_record },
	{ "caches.pat3", TILE, .wake = true, .reg = PVC_PAT_INDEX(3), .rule = rule_record },
	{ "caches.lncf", TILE, .wake = true, .reg = PVC_LNCFMISCCFGREG0, .rule = rule_record },
	{ "caches.mocs0", TILE, .wake = true, .reg = PVC_LNCFCMOCS(0), .rule = rule_record },
	{ "caches.mocs2", TILE, .wake = true, .reg = PVC_LNCFCMOCS(1), .rule = rule_record },
	{ "caches.clock-gating", TILE, .wake = true, .reg = PVC_MISCCPCTL, .rule = rule_record },
	{ "caches.rcu-mode", TILE, .wake = true, .reg = PVC_RCU_MODE, .rule = rule_record },
	{ "caches.ccs-mode", TILE, .wake = true, .reg = PVC_CCS_MODE, .rule = rule_record },
	{ "caches.render-tlb", TILE, .wake = true, .reg = PVC_RENDER_MOD_CTRL, .rule = rule_record },
	{ "caches.compute-tlb", TILE, .wake = true, .reg = PVC_COMP_MOD_CTRL, .rule = rule_record },
	{ "caches.copy-tlb", TILE, .wake = true, .reg = PVC_BLT_MOD_CTRL, .rule = rule_record },
	{ "caches.stlb", TILE, .wake = true, .reg = PVC_GAMSTLB_CTRL, .rule = rule_record },

	{ "mcr.lsc-chicken", TILE, .wake = true, .reg = PVC_LSC_CHICKEN_BIT_0,
	  .rule = rule_replicated },
	{ "mcr.row-chicken4", TILE, .wake = true, .reg = PVC_ROW_CHICKEN4, .rule = rule_replicated },
	{ "mcr.cache-mode", TILE, .wake = true, .reg = PVC_CACHE_MODE_SS, .rule = rule_replicated },
	{ "mcr.row-chicken", TILE, .wake = true, .reg = PVC_ROW_CHICKEN, .rule = rule_replicated },

	{ "idle", ENGINE, .wake = true, .reg = PVC_RING_MI_MODE(0), .mask = PVC_MI_MODE_IDLE,
	  .value = PVC_MI_MODE_IDLE, .note = "something runs on it" },
	{ "reset-control", ENGINE, .wake = true, .reg = PVC_RING_RESET_CTL(0),
	  .mask = PVC_RESET_CTL_CAT_ERROR, .note = "it stopped because of an error" },
	{ "submission", ENGINE, .wake = true, .reg = PVC_EXECLIST_STATUS(0),
	  .mask = PVC_EXECLIST_STATUS_ACTIVE, .note = "a context is on it" },
	{ "errors", ENGINE, .wake = true, .reg = PVC_RING_EIR(0), .mask = ONES },
	{ "id", ENGINE, .wake = true, .reg = PVC_RING_ENGINE_ID(0), .rule = rule_engine_id },
	{ "timestamp", ENGINE, .wake = true, .reg = PVC_RING_TIMESTAMP(0), .rule = rule_timestamp },
	{ "mode", ENGINE, .wake = true, .reg = PVC_GFX_MODE(0), .rule = rule_record },
	{ "status-page", ENGINE, .wake = true, .reg = PVC_RING_HWS_PGA(0), .rule = rule_record },
	{ "chicken", CCS, .wake = true, .reg = PVC_CS_CHICKEN1(0), .rule = rule_record,
	  .note = "recorded: bits 2:1 are the granularity of preemption" },
	{ "ecoskpd", BCS, .wake = true, .reg = PVC_RING_ECOSKPD(0), .rule = rule_record },
	{ "access-size", BCS, .wake = true, .reg = PVC_BCS_SWCTRL(0), .rule = rule_record },
};

struct run {
	const struct check_card *card;
	void (*found)(void *arg, const struct check_finding *finding);
	void *arg;
};

static void line(const struct run *run, const struct row *row, const char *part,
		 unsigned int tile, uint32_t reg)
{
	struct check_finding f = { .offset = reg };

	snprintf(f.name, sizeof(f.name), "%s.%s", part, row->name);
	if (row->wake && !(run->card->writes & CHECK_WAKE))
		check_judge(&f, CHECK_UNKNOWN, "not read: needs --wake");
	else if (row->wake && !run->card->awake[tile] && row->rule != rule_well)
		check_judge(&f, CHECK_UNKNOWN, "not read: a power well does not wake");
	else
		(row->rule ? row->rule : rule_equal)(run->card, row, tile, reg, &f);
	run->found(run->arg, &f);
}

/* An engine exists if its fuses say so; asleep, nobody can tell. */
static bool has_engine(const struct run *run, unsigned int tile, bool compute, unsigned int n)
{
	if (!run->card->awake[tile])
		return false;
	if (compute)
		return check_dss_mask(run->card, tile) >> (n * PVC_DSS_PER_CSLICE) & 0xffff;
	return !n || check_read(run->card, tile, PVC_MIRROR_FUSE3) &
		     PVC_FUSE3_MEML3_EN_MASK & 1u << (n - 1) / 2;
}

static void engine_lines(const struct run *run, const struct row *row, unsigned int tile)
{
	char part[32];
	unsigned int n;

	for (n = 0; row->part != BCS && n < PVC_NUM_CCS; n++) {
		snprintf(part, sizeof(part), "tile%u.ccs%u", tile, n);
		if (has_engine(run, tile, true, n))
			line(run, row, part, tile, row->reg + PVC_CCS_BASE(n));
	}
	for (n = 0; row->part != CCS && n < PVC_NUM_BCS; n++) {
		snprintf(part, sizeof(part), "tile%u.bcs%u", tile, n);
		if (has_engine(run, tile, false, n))
			line(run, row, part, tile, row->reg + PVC_BCS_BASE(n));
	}
}

void check_table_run(const struct check_card *card,
		     void (*found)(void *arg, const struct check_finding *finding), void *arg)
{
	const struct run run = { card, found, arg };
	const struct row *row;
	unsigned int t;
	char part[32];

	for (row = rows; row < rows + ROWS; row++) {
		if (row->part == CARD) {
			line(&run, row, "card", 0, row->reg);
			continue;
		}
		for (t = 0; t < card->tiles; t++) {
			snprintf(part, sizeof(part), "tile%u", t);
			if (row->part != TILE)
				engine_lines(&run, row, t);
			else if (row->rule == rule_hbm_range)
				line(&run, row, part, t, PVC_SG_TILE_ADDR_RANGE(t));
			else
				line(&run, row, part, t, row->reg);
		}
	}
}
