// SPDX-License-Identifier: MIT
/*
 * What wakes the card and its tiles: power wells, and firmware with its mailbox.  All of it is
 * called on the host thread.
 */
#include "card/power.h"

#include "core/clock.h"
#include "core/freq.h"
#include "core/inject.h"
#include "core/regs.h"
#include "log.h"
#include "pvc_gt_regs.h"
#include "pvc_soc_regs.h"

/* ---- forcewake ---- */

void power_write_forcewake(struct tile *t, uint32_t off, uint32_t val)
{
	unsigned int well;
	uint32_t ack;

	reg_store(t, off, val);
	switch (off) {
	case PVC_FORCEWAKE_GT:
		well = INJECT_WELL_GT;
		ack = PVC_FORCEWAKE_ACK_GT;
		break;
	case PVC_FORCEWAKE_RENDER:
		well = INJECT_WELL_RENDER;
		ack = PVC_FORCEWAKE_ACK_RENDER;
		break;
	default:
		well = INJECT_WELL_MEDIA;
		ack = PVC_FORCEWAKE_ACK_MEDIA_VDBOX((off - PVC_FORCEWAKE_MEDIA_VDBOX(0)) / 4);
		break;
	}
	if (!inject_well_silent(t, well) && !inject_well_lost(t, well))
		reg_write(t, ack, reg_read(t, off));
}

/* ---- firmware: first it does not answer, then with errors, then it says "not yet" ---- */

enum firmware { FIRMWARE_SILENT, FIRMWARE_FAILS, FIRMWARE_WORKS, FIRMWARE_READY };

void power_start_firmware(struct card *c)
{
	uint64_t now = card_timestamp();

	atomic_store(&c->starts, now);
	atomic_store(&c->ready, now + card_ticks(1000ull * c->opt.ready));
}

static enum firmware firmware_of(struct card *c)
{
	uint64_t now = card_timestamp(), starts = atomic_load(&c->starts);
	uint64_t ready = atomic_load(&c->ready);

	if (now >= ready)
		return FIRMWARE_READY;
	return (enum firmware)((now - starts) * FIRMWARE_READY / (ready - starts));
}

/* HBM is trained last of all. */
uint32_t power_read_gu_cntl(struct tile *t, uint32_t off)
{
	uint32_t val = reg_read(t, off);

	return firmware_of(t->card) == FIRMWARE_READY ? val : val & ~PVC_GU_CNTL_LMEM_INIT;
}

/* ---- pcode: a transaction is complete when the write of the mailbox returns ---- */

static uint32_t pcode_status(struct tile *t)
{
	if (reg_read(t, PVC_PCODE_DATA0) != PVC_PCODE_STATUS_GET)
		return PVC_PCODE_ILLEGAL_DATA;
	reg_write(t, PVC_PCODE_DATA0, firmware_of(t->card) == FIRMWARE_READY ?
		  PVC_PCODE_STATUS_COMPLETE : 0);
	return PVC_PCODE_SUCCESS;
}

/* The critical limit can be read, and cannot be set. */
static uint32_t pcode_power_setup(struct tile *t, uint32_t sub)
{
	if (sub != PVC_PCODE_POWER_READ_I1)
		return PVC_PCODE_ILLEGAL_SUBCOMMAND;
	reg_write(t, PVC_PCODE_DATA0, PVC_PCODE_I1_WATTS | FREQ_WATTS_CRIT << PVC_PCODE_I1_SHIFT);
	return PVC_PCODE_SUCCESS;
}

static uint32_t pcode_execute(struct tile *t, uint32_t val)
{
	if (firmware_of(t->card) == FIRMWARE_FAILS)
		return PVC_PCODE_TIMEOUT;
	switch (val & PVC_PCODE_COMMAND_MASK) {
	case PVC_PCODE_CMD_STATUS:
		return pcode_status(t);
	case PVC_PCODE_CMD_POWER_SETUP:
		return pcode_power_setup(t, (val & PVC_PCODE_PARAM1_MASK) >>
					    PVC_PCODE_PARAM1_SHIFT);
	default:
		vlog("unimplemented: pcode command 0x%02x on tile%u",
		     val & PVC_PCODE_COMMAND_MASK, t->id);
		return PVC_PCODE_ILLEGAL_CMD;
	}
}

uint32_t power_read_pcode(struct tile *t, uint32_t off)
{
	uint32_t val = reg_read(t, off);

	return firmware_of(t->card) == FIRMWARE_SILENT ? val | PVC_PCODE_READY : val;
}

void power_write_pcode(struct tile *t, uint32_t off, uint32_t val)
{
	uint32_t status;

	/* Nobody takes the request. */
	if (firmware_of(t->card) == FIRMWARE_SILENT)
		return;
	if (!(val & PVC_PCODE_READY)) {
		reg_write(t, off, val);
		return;
	}
	switch (inject_pcode(t, val & PVC_PCODE_COMMAND_MASK, &status)) {
	case INJECT_PCODE_BUSY:
		reg_write(t, off, val);
		return;
	case INJECT_PCODE_ERROR:
		break;
	case INJECT_PCODE_NONE:
		status = pcode_execute(t, val);
		break;
	}
	reg_write(t, off, (val & ~(PVC_PCODE_READY | PVC_PCODE_ERROR_MASK)) | status);
}
