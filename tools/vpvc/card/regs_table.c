// SPDX-License-Identifier: MIT
/*
 * The registers as data: offset, name, access rule, reset value, hooks.
 * Offsets and fields are those of the driver's regs/ headers, which name the sources.
 * core/regs.c calls the hooks: on the host thread, or on an engine's thread for an access
 * of its command stream.
 */
#include "card/regs_table.h"

#include "card.h"
#include "card/power.h"
#include "card/resets.h"
#include "core/clock.h"
#include "core/freq.h"
#include "core/inject.h"
#include "core/irq.h"
#include "core/ras.h"
#include "core/regs.h"
#include "core/steer.h"
#include "core/strict.h"
#include "core/wake.h"
#include "cs/execlist.h"
#include "log.h"
#include "mem/tlb.h"
#include "pvc_engine_regs.h"
#include "pvc_gfx_commands.h"
#include "pvc_gt_regs.h"
#include "pvc_irq_regs.h"
#include "pvc_soc_regs.h"

#define GIB	(1ull << 30)
#define MIB	(1ull << 20)

/*
 * Top of a tile's HBM, upwards: usable | GGTT | stolen | WOPCM.  The GGTT's 8 MiB are the lower
 * half of the 16 MiB that logs of sold cards show; a larger carve-out lies below it.
 */
#define DSM_FROM_TOP	(8 * MIB)
#define WOPCM_CODE	2u	/* 4 MiB */

/* ---- compute slices ---- */

static bool is_active_ccs(const struct engine *e)
{
	return e->present && e->class == PVC_CLASS_CCS &&
	       reg_read(e->tile, PVC_EXECLIST_STATUS(e->base)) & PVC_EXECLIST_STATUS_ACTIVE;
}

/*
 * No public source says what becomes of a context whose engine loses slices or gets others: public
 * drivers write the register only when no context is there.  The worse reading is that no walker
 * ends any more.
 */
static void write_ccs_mode(struct tile *t, uint32_t off, uint32_t val)
{
	unsigned int n;

	for (n = 0; n < TILE_MAX_ENGINES && val != reg_read(t, off); n++) {
		if (!is_active_ccs(&t->engines[n]) || !card_punishes(t->card, STRICT_CCS_MODE))
			continue;
		vlog("guest error: tile%u: CCS_MODE becomes %#x while %s has a context", t->id,
		     val, t->engines[n].name);
		atomic_store(&t->slices_torn, true);
	}
	reg_write(t, off, val);
}

/* No thread survives the walker that started it. */
static uint32_t read_row_instdone(struct tile *t, uint32_t off)
{
	unsigned int cslice = steer_dss(t) / PVC_DSS_PER_CSLICE;

	return atomic_load(&t->busy_cslices) >> cslice & 1 ?
	       reg_read(t, off) & ~PVC_ROW_INSTDONE_IC_DONE : reg_read(t, off);
}

/* ---- translation caches: each request invalidates all of the tile ---- */

static void write_tlb_inv(struct tile *t, uint32_t off, uint32_t val)
{
	(void)val;
	tlb_invalidate_tile(t);
	reg_write(t, off, 0);
}

/* Any write drops what engines keep of the GGTT. */
static void write_flush(struct tile *t, uint32_t off, uint32_t val)
{
	/* What the other bits do is not public: the worse reading is that they drop nothing. */
	if (val & PVC_GFX_FLSH_CNTL_EN)
		tlb_invalidate_ggtt(t);
	reg_write(t, off, val);
}

static void write_tlb_desc0(struct tile *t, uint32_t off, uint32_t val)
{
	if (val & PVC_TLB_INV_DESC0_VALID)
		tlb_invalidate_tile(t);
	reg_write(t, off, val & ~PVC_TLB_INV_DESC0_VALID);
}

/* ---- engine registers that belong to no context ---- */

static uint32_t read_timestamp(struct tile *t, uint32_t off)
{
	(void)t;
	return (uint32_t)(card_timestamp() >> (off & 4 ? 32 : 0));
}

/*
 * The table.  Registers that only store the written value have a row for their name, and
 * because the log reports registers without a row.
 */
#define REG_ROW(reg, acc, ...) { .off = reg, .name = #reg, .access = REG_##acc, ##__VA_ARGS__ }

/* Registers of errors, and those of an error handler */
#define REG_ERRORS(reg, n) \
	REG_ROW(reg, W1C, .count = (n), .flags = REG_HOST, .write = ras_mmio_write)
#define REG_HANDLER(base) \
	REG_ERRORS(PVC_IEH_GLOBAL(base, PVC_ERR_CORRECTABLE), 1), \
	REG_ERRORS(PVC_IEH_GLOBAL(base, PVC_ERR_NONFATAL), 1), \
	REG_ERRORS(PVC_IEH_GLOBAL(base, PVC_ERR_FATAL), 1), \
	REG_ERRORS(PVC_IEH_LOCAL_UNCORRECTABLE(base), 1), \
	REG_ERRORS(PVC_IEH_LOCAL_CORRECTABLE(base), 1), \
	REG_ROW(PVC_IEH_EVENTS(base), RW, .flags = REG_HOST, .reset = PVC_IEH_EVENTS_ALL, \
		.write = ras_mmio_write)

static const struct reg_rule tile_rows[] = {
	/* clock, identity */
	REG_ROW(PVC_RPM_CONFIG0, RO,
		.reset = PVC_RPM_CRYSTAL_19_2_MHZ | 3 << PVC_RPM_CTC_SHIFT_SHIFT),
	REG_ROW(PVC_CTC_MODE, RO),
	REG_ROW(PVC_TIMESTAMP_OVERRIDE, RO),
	REG_ROW(PVC_GMD_ID, RO),

	/* power wells */
	REG_ROW(PVC_FORCEWAKE_GT, MASKED, .flags = REG_HOST, .write = power_write_forcewake),
	REG_ROW(PVC_FORCEWAKE_ACK_GT, RO),
	REG_ROW(PVC_FORCEWAKE_RENDER, MASKED, .flags = REG_HOST, .write = power_write_forcewake),
	REG_ROW(PVC_FORCEWAKE_ACK_RENDER, RO),
	REG_ROW(PVC_FORCEWAKE_MEDIA_VDBOX(0), MASKED, .count = 3, .flags = REG_HOST,
		.write = power_write_forcewake),
	REG_ROW(PVC_FORCEWAKE_ACK_MEDIA_VDBOX(0), RO, .count = 3),
	/* nothing sleeps, whatever they say */
	REG_ROW(PVC_RC_CONTROL, RW, .flags = REG_HOST),
	REG_ROW(PVC_RC_STATE, RW, .flags = REG_HOST),
	REG_ROW(PVC_PG_ENABLE, RW, .flags = REG_HOST),

	/* wells that engines ask for by themselves */
	REG_ROW(PVC_MSG_IDLE_CS, RO, .read = wake_read_msg_idle),
	REG_ROW(PVC_MSG_IDLE_BCS, RO, .read = wake_read_msg_idle),
	REG_ROW(PVC_PWRGT_DOMAIN_STATUS, RO, .read = wake_read_status),

	/* steering, see core/steer.c */
	REG_ROW(PVC_MCR_SELECTOR, RW, .reset = PVC_MCR_MULTICAST),

	/* shape of the tile, see reset_shape() */
	REG_ROW(PVC_TILE_ADDR_RANGE(0), RO, .count = PVC_MAX_TILES, .flags = REG_SHAPE),
	REG_ROW(PVC_SG_TILE_ADDR_RANGE(0), RO, .count = PVC_MAX_TILES, .flags = REG_SHAPE),
	REG_ROW(PVC_MTCFG, RO, .flags = REG_SHAPE),
	REG_ROW(PVC_MTCFG_UDW, RO),
	REG_ROW(PVC_GSMBASE, RO, .flags = REG_SHAPE),
	REG_ROW(PVC_GSMBASE_UDW, RO, .flags = REG_SHAPE),
	REG_ROW(PVC_DSMBASE, RO, .flags = REG_SHAPE),
	REG_ROW(PVC_DSMBASE_UDW, RO, .flags = REG_SHAPE),
	REG_ROW(PVC_STOLEN_RESERVED, RO, .reset = WOPCM_CODE << PVC_STOLEN_WOPCM_SHIFT),
	REG_ROW(PVC_STOLEN_RESERVED_UDW, RO),
	REG_ROW(PVC_COMPUTE_DSS_ENABLE, RO, .flags = REG_SHAPE),
	REG_ROW(PVC_COMPUTE_DSS_ENABLE_EXT, RO, .flags = REG_SHAPE),
	REG_ROW(PVC_GEOMETRY_DSS_ENABLE, RO),
	REG_ROW(PVC_MIRROR_FUSE3, RO, .reset = PVC_FUSE3_MEML3_EN_MASK | PVC_FUSE3_L3_MODE_MASK),
	REG_ROW(PVC_EU_ENABLE, RO, .reset = PVC_EU_ENABLE_MASK),
	REG_ROW(PVC_VEBOX_VDBOX_ENABLE, RO),
	REG_ROW(PVC_FUSE2, RO, .reset = PVC_FUSE2_PRODUCTION_HW),
	REG_ROW(PVC_FUSE4, RO),

	/* caches and attributes */
	REG_ROW(PVC_PAT_INDEX(0), RW, .count = PVC_PAT_ENTRIES),
	REG_ROW(PVC_LNCFMISCCFGREG0, MASKED),
	REG_ROW(PVC_LNCFCMOCS(0), RW, .count = 32),
	REG_ROW(PVC_MISCCPCTL, RW),
	REG_ROW(PVC_CACHE_MODE_SS, MASKED),
	REG_ROW(PVC_ROW_CHICKEN4, MASKED),
	REG_ROW(PVC_ROW_CHICKEN, MASKED),
	/* No public source tells its default: any bit shows whether a driver keeps the others'. */
	REG_ROW(PVC_LSC_CHICKEN_BIT_0, RW, .reset = 0x00040000),
	REG_ROW(PVC_ROW_INSTDONE, RO, .reset = PVC_ROW_INSTDONE_IC_DONE,
		.read = read_row_instdone),

	/* compute slices */
	REG_ROW(PVC_RCU_MODE, MASKED),
	REG_ROW(PVC_CCS_MODE, RW, .write = write_ccs_mode),
	REG_ROW(PVC_RCU_ASYNC_FLUSH, RO),
	REG_ROW(PVC_RCU_DEBUG_1, RO),

	/* firmware: none runs, unless one is injected */
	REG_ROW(PVC_GUC_STATUS, RO, .reset = PVC_GUC_STATUS_IN_RESET),
	REG_ROW(PVC_GUC_WOPCM_SIZE, RW, .write = resets_write_wopcm),
	REG_ROW(PVC_GUC_WOPCM_OFFSET, RW, .write = resets_write_wopcm),

	/* resets */
	REG_ROW(PVC_GDRST, RW, .flags = REG_HOST, .read = resets_read_gdrst,
		.write = resets_write_gdrst),
	REG_ROW(PVC_GU_CNTL_PROTECTED, RO, .flags = REG_ROOT),
	REG_ROW(PVC_GU_CNTL, RO, .reset = PVC_GU_CNTL_LMEM_INIT, .flags = REG_ROOT | REG_HOST,
		.read = power_read_gu_cntl, .write = resets_write_gu_cntl),
	REG_ROW(PVC_GU_DEBUG, W1C, .flags = REG_ROOT | REG_HOST),

	/* translation faults and caches */
	REG_ROW(PVC_FAULT_TLB_DATA0, RO), REG_ROW(PVC_FAULT_TLB_DATA1, RO),
	REG_ROW(PVC_RING_FAULT, RW, .flags = REG_HOST),
	REG_ROW(PVC_GFX_TLB_INV, RW, .count = 5, .write = write_tlb_inv),
	REG_ROW(PVC_COMPCTX_TLB_INV, RW, .write = write_tlb_inv),
	REG_ROW(PVC_TLB_INV_DESC0, RW, .write = write_tlb_desc0),
	REG_ROW(PVC_TLB_INV_DESC1, RW),
	REG_ROW(PVC_RENDER_MOD_CTRL, RW, .count = 5),
	REG_ROW(PVC_GAMSTLB_CTRL, RW),
	REG_ROW(PVC_GFX_FLSH_CNTL, RW, .flags = REG_HOST, .write = write_flush),

	/* pcode, power */
	REG_ROW(PVC_PCODE_MAILBOX, RW, .flags = REG_HOST, .read = power_read_pcode,
		.write = power_write_pcode),
	REG_ROW(PVC_PCODE_DATA0, RW, .flags = REG_HOST),
	REG_ROW(PVC_PCODE_DATA1, RW, .flags = REG_HOST),
	REG_ROW(PVC_PACKAGE_ENERGY_STATUS, RO, .read = freq_read_energy),
	REG_ROW(PVC_PLATFORM_ENERGY_STATUS, RO, .flags = REG_ROOT, .read = freq_read_energy),
	/* a lower limit has no effect */
	REG_ROW(PVC_PACKAGE_RAPL_LIMIT, RW, .flags = REG_HOST,
		.reset = PVC_RAPL_LIMIT_ENABLE | FREQ_WATTS_TDP << FREQ_POWER_UNIT |
			 FREQ_TIME_X << PVC_RAPL_LIMIT_TIME_X_SHIFT |
			 FREQ_TIME_Y << PVC_RAPL_LIMIT_TIME_Y_SHIFT),
	REG_ROW(PVC_PACKAGE_POWER_SKU_UNIT, RO,
		.reset = FREQ_POWER_UNIT | FREQ_ENERGY_UNIT << PVC_SKU_UNIT_ENERGY_SHIFT |
			 FREQ_TIME_UNIT << PVC_SKU_UNIT_TIME_SHIFT),
	REG_ROW(PVC_PACKAGE_POWER_SKU, RO, .reset = FREQ_WATTS_TDP << FREQ_POWER_UNIT),
	REG_ROW(PVC_PACKAGE_POWER_SKU_UDW, RO, .reset = FREQ_WATTS_TDP << FREQ_POWER_UNIT),
	/* frequency: core/freq.c */
	REG_ROW(PVC_RPNSWREQ, RW, .flags = REG_HOST, .write = freq_write_request),
	REG_ROW(PVC_RP_CONTROL, RW, .flags = REG_HOST, .write = freq_write_control),
	REG_ROW(PVC_RPSTAT1, RO, .flags = REG_SHAPE),
	REG_ROW(PVC_LIMIT_REASONS, RO, .flags = REG_SHAPE),
	REG_ROW(PVC_RP_STATE_CAP, RO,
		.reset = FREQ_RP0 / 3 | FREQ_RP1 / 3 << PVC_RP1_CAP_SHIFT |
			 FREQ_RPN / 3 << PVC_RPN_CAP_SHIFT),
	REG_ROW(PVC_HECI_FWSTS2, RO, .reset = PVC_HECI_FWSTS2_NVM_ACCESS_MODE),

	/* errors: those of ras_reset(), and injected ones */
	REG_ERRORS(PVC_DEV_ERR_STAT_FATAL, 3),
	REG_ROW(PVC_DEV_PCIEERR_STATUS, W1C, .flags = REG_ROOT | REG_HOST),
	REG_ERRORS(PVC_ERR_STAT_GT(0), PVC_NUM_ERR),
	REG_ERRORS(PVC_ERR_VECTOR_GT_FATAL(0), PVC_NUM_ERR_VECTORS_FATAL),
	REG_ERRORS(PVC_ERR_VECTOR_GT_CORRECTABLE(0), PVC_NUM_ERR_VECTORS_CORRECTABLE),
	REG_HANDLER(PVC_IEH_FIRST), REG_HANDLER(PVC_IEH_SECOND),
	REG_ROW(PVC_IEH_FIRST_HEADER, RO),
	REG_ERRORS(PVC_GSC_ERR_UNCORRECTABLE, 1), REG_ERRORS(PVC_GSC_ERR_CORRECTABLE, 1),
	REG_ROW(PVC_GSC_ERR_FW_CAUSE, RO),
	REG_ROW(PVC_BOOT_HEALTH, RO, .reset = PVC_BOOT_STAGE2_DONE, .flags = REG_ROOT),

	/* drivers write it to flush the writes posted before */
	REG_ROW(PVC_VF_CAP, RO),

	/* interrupts: irq.c has the state of the first five rows */
	REG_ROW(PVC_MSTR_TILE_INTR, RW, .flags = REG_ROOT | REG_HOST,
		.read = irq_mmio_read, .write = irq_mmio_write),
	REG_ROW(PVC_GFX_MSTR_IRQ, RW, .flags = REG_HOST, .read = irq_mmio_read,
		.write = irq_mmio_write),
	REG_ROW(PVC_GT_INTR_DW(0), RW, .count = 2, .flags = REG_HOST, .read = irq_mmio_read,
		.write = irq_mmio_write),
	REG_ROW(PVC_INTR_IDENTITY(0), RW, .count = 2, .flags = REG_HOST, .read = irq_mmio_read,
		.write = irq_mmio_write),
	REG_ROW(PVC_IIR_SELECTOR(0), RW, .count = 2, .flags = REG_HOST, .read = irq_mmio_read,
		.write = irq_mmio_write),
	REG_ROW(PVC_RENDER_COPY_INTR_ENABLE, RW, .count = 7, .flags = REG_HOST),
	REG_ROW(PVC_RCS0_RSVD_INTR_MASK, RW, .count = 36, .flags = REG_HOST, .reset = ~0u),
	REG_ROW(PVC_IRQ_BLOCK_ISR(PVC_PCU_IRQ_BASE), RO),
	REG_ROW(PVC_IRQ_BLOCK_IMR(PVC_PCU_IRQ_BASE), RW, .flags = REG_HOST),
	REG_ROW(PVC_IRQ_BLOCK_IIR(PVC_PCU_IRQ_BASE), W1C, .flags = REG_HOST,
		.write = irq_block_write),
	REG_ROW(PVC_IRQ_BLOCK_IER(PVC_PCU_IRQ_BASE), RW, .flags = REG_HOST,
		.write = irq_block_write),
	REG_ROW(PVC_IRQ_BLOCK_ISR(PVC_GU_MISC_IRQ_BASE), RO),
	REG_ROW(PVC_IRQ_BLOCK_IMR(PVC_GU_MISC_IRQ_BASE), RW, .flags = REG_HOST),
	REG_ROW(PVC_IRQ_BLOCK_IIR(PVC_GU_MISC_IRQ_BASE), W1C, .flags = REG_HOST,
		.write = irq_block_write),
	REG_ROW(PVC_IRQ_BLOCK_IER(PVC_GU_MISC_IRQ_BASE), RW, .flags = REG_HOST,
		.write = irq_block_write),

	/* the render engine is absent, but drivers write this register of it */
	REG_ROW(PVC_RING_HWSTAM(PVC_RCS_BASE), RW),
};

/* Offsets are from an engine's base; hooks get the tile and the full offset. */
static const struct reg_rule engine_rows[] = {
	/* ring and context: loaded with a context, saved with it */
	REG_ROW(PVC_RING_TAIL(0), RW), REG_ROW(PVC_RING_HEAD(0), RW),
	REG_ROW(PVC_RING_START(0), RW), REG_ROW(PVC_RING_CTL(0), RW),
	REG_ROW(PVC_RING_START_UDW(0), RW),
	REG_ROW(PVC_RING_BBSTATE(0), RW),
	REG_ROW(PVC_RING_SBBADDR(0), RW), REG_ROW(PVC_RING_SBBADDR_UDW(0), RW),
	REG_ROW(PVC_RING_BBADDR(0), RW), REG_ROW(PVC_RING_BBADDR_UDW(0), RW),
	REG_ROW(PVC_RING_BB_OFFSET(0), RW),
	REG_ROW(PVC_RING_CCID(0), RW),
	REG_ROW(PVC_RING_BB_PER_CTX_PTR(0), RW),
	REG_ROW(PVC_RING_INDIRECT_CTX(0), RW), REG_ROW(PVC_RING_INDIRECT_CTX_OFFSET(0), RW),
	REG_ROW(PVC_CONTEXT_CONTROL(0), MASKED),
	/* PDP0..3: the family uses one; the others hold ASID, PASID and counters */
	REG_ROW(PVC_RING_PDP(0, 0), RW, .count = 8),
	REG_ROW(PVC_RING_SEMAPHORE_TOKEN(0), RW),
	REG_ROW(PVC_CTX_TIMESTAMP(0), RW, .count = 2, .read = execlist_read_context_time,
		.write = execlist_write_context_time),

	/* power, idling, clocks */
	REG_ROW(PVC_RING_PSMI_CTL(0), MASKED),
	REG_ROW(PVC_RING_PWRCTX_MAXCNT(0), RW),
	REG_ROW(PVC_RING_R_PWR_CLK_STATE(0), RW),
	REG_ROW(PVC_RING_IDLEDLY(0), RW),
	REG_ROW(PVC_RING_TIMESTAMP(0), RO, .count = 2, .read = read_timestamp),

	/* position of the engine */
	REG_ROW(PVC_RING_IPEIR(0), RO), REG_ROW(PVC_RING_IPEHR(0), RO),
	REG_ROW(PVC_RING_INSTDONE(0), RO, .reset = ~0u),
	REG_ROW(PVC_RING_INSTPS(0), RO),
	REG_ROW(PVC_RING_ACTHD(0), RO), REG_ROW(PVC_RING_ACTHD_UDW(0), RO),
	REG_ROW(PVC_RING_DMA_FADD(0), RO), REG_ROW(PVC_RING_DMA_FADD_UDW(0), RO),
	REG_ROW(PVC_RING_ENGINE_ID(0), RO, .read = reg_read),
	REG_ROW(PVC_RING_NOPID(0), RW),

	/* status page, modes, errors */
	REG_ROW(PVC_RING_HWS_PGA(0), RW),
	REG_ROW(PVC_RING_HWSTAM(0), RW),
	REG_ROW(PVC_RING_MI_MODE(0), MASKED, .reset = PVC_MI_MODE_IDLE | PVC_MI_MODE_NESTED_BB,
		.read = execlist_read_mi_mode, .write = execlist_write_mi_mode),
	REG_ROW(PVC_RING_IMR(0), RW),
	REG_ROW(PVC_RING_EIR(0), W1C),
	REG_ROW(PVC_RING_EMR(0), RW, .reset = ~0u),
	REG_ROW(PVC_RING_ESR(0), RO),
	REG_ROW(PVC_RING_INSTPM(0), MASKED),
	REG_ROW(PVC_RING_CMD_CCTL(0), MASKED),
	REG_ROW(PVC_RING_RESET_CTL(0), MASKED, .write = execlist_write_reset_ctl),
	REG_ROW(PVC_RING_CSFE_CHICKEN1(0), MASKED),
	REG_ROW(PVC_RING_ECOSKPD(0), MASKED),
	REG_ROW(PVC_GFX_MODE(0), MASKED),
	REG_ROW(PVC_CS_CHICKEN1(0), MASKED),
	REG_ROW(PVC_FORCE_TO_NONPRIV(0, 0), RW, .count = PVC_NONPRIV_SLOTS),

	/* submission */
	REG_ROW(PVC_EXECLIST_STATUS(0), RO), REG_ROW(PVC_EXECLIST_STATUS_UDW(0), RO),
	REG_ROW(PVC_CURRENT_LRCA(0), RO),
	REG_ROW(PVC_RING_CSB_LO(0, 0), RO, .count = 12),
	REG_ROW(PVC_CONTEXT_STATUS_PTR(0), MASKED, .reset = PVC_CSB_PTR_RESET & 0xffff),
	REG_ROW(PVC_RING_CSB_LO(0, 6), RO, .count = 12),
	REG_ROW(PVC_EXECLIST_SQ_CONTENTS(0, 0), RW, .count = 16),
	REG_ROW(PVC_EXECLIST_CONTROL(0), RW, .write = execlist_write_control),

	/* registers that users' batches work with */
	REG_ROW(PVC_CS_WPARID, RW), REG_ROW(PVC_CS_WPARID_MASK, RW),
	REG_ROW(PVC_CS_PARTITION_STRIDE, RW),
	REG_ROW(PVC_BCS_SWCTRL(0), MASKED), REG_ROW(PVC_BLIT_CCTL(0), RW),
	REG_ROW(PVC_CS_SEMAPHORE_POLL, RW),
	REG_ROW(PVC_CS_RING_PREDICATE_RESULT, RW), REG_ROW(PVC_CS_PREDICATE_RESULT_2, RW),
	REG_ROW(PVC_CS_PREDICATE_SRC0, RW, .count = 2),
	REG_ROW(PVC_CS_PREDICATE_SRC1, RW, .count = 2),
	REG_ROW(PVC_CS_PREDICATE_DATA, RW, .count = 2),
	REG_ROW(PVC_CS_PREDICATE_RESULT, RW), REG_ROW(PVC_CS_PREDICATE_RESULT_1, RW),
	REG_ROW(PVC_CS_DISPATCH_DIM(0), RW, .count = 3),
	REG_ROW(PVC_CS_USER_GPR(0), RW, .count = 32),
};

static void reset_shape(struct tile *t)
{
	struct card *c = t->card;
	uint64_t top = t->dpa_base + t->dpa_size;
	uint64_t gsm = c->opt.usable ? t->dpa_base + c->opt.usable : top - card_carve(c);

	reg_write(t, PVC_MTCFG, (c->num_tiles - 1) << PVC_MTCFG_TILE_COUNT_SHIFT | t->id);
	for (unsigned int n = 0; n < c->num_tiles; n++) {
		uint32_t size = (uint32_t)(c->opt.hbm / GIB);
		uint32_t base = c->opt.quirk_hbm_overlap ? 0 : n * size;

		reg_write(t, PVC_TILE_ADDR_RANGE(n),
			  size << PVC_TILE_SIZE_SHIFT | base << PVC_TILE_BASE_SHIFT);
		reg_write(t, PVC_SG_TILE_ADDR_RANGE(n),
			  size << PVC_SG_TILE_SIZE_SHIFT | base << PVC_SG_TILE_BASE_SHIFT);
	}
	reg_write(t, PVC_GSMBASE, PVC_LOWER_32(gsm));
	reg_write(t, PVC_GSMBASE_UDW, PVC_UPPER_32(gsm));
	reg_write(t, PVC_DSMBASE, (uint32_t)(top - DSM_FROM_TOP));
	reg_write(t, PVC_DSMBASE_UDW, (uint32_t)((top - DSM_FROM_TOP) >> 32));
	reg_write(t, PVC_COMPUTE_DSS_ENABLE, (uint32_t)t->dss_mask);
	reg_write(t, PVC_COMPUTE_DSS_ENABLE_EXT, (uint32_t)(t->dss_mask >> 32));
	atomic_store(&t->slices_torn, false);
	freq_power_on(t);
}

/* What firmware leaves behind: errors and events that it found while it set the card up */
static void reset_left(struct tile *t)
{
	irq_block_reset(t);
	ras_reset(t);
}

static void reset_tile(struct tile *t)
{
	reset_shape(t);
	reset_left(t);
}

const struct reg_table reg_table = {
	.tile = { tile_rows, sizeof(tile_rows) / sizeof(tile_rows[0]) },
	.engine = { engine_rows, sizeof(engine_rows) / sizeof(engine_rows[0]) },
	.reset_shape = reset_tile,
};
