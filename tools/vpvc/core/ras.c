// SPDX-License-Identifier: MIT
/*
 * Errors of the hardware. Each is found at a source: a vector or the summary of the GT, the
 * status of one of two error handlers (IEH), the status of the security controller. Sources
 * report upwards: local to global status, second to first handler, all to DEV_ERR_STAT of the
 * severity, and that to the tile's summary of interrupts.
 *
 * Every register is cleared by writing ones. The public drivers do not say whether a register
 * above stays clear while the one below is not: they clear from the source upwards. The worse
 * reading is that it does not, so here each register is set again as long as the registers below
 * it are not clear (STRICT_RAS). Without it a cleared register stays clear.
 *
 * tile.fault_lock covers the registers; the interrupt's lock is taken within.
 */
#include "core/ras.h"

#include "card.h"
#include "core/irq.h"
#include "core/regs.h"
#include "core/strict.h"
#include "pvc_irq_regs.h"
#include "pvc_soc_regs.h"

#define LOCAL_SERR	0x00000008u	/* some unit's error signal */
#define GT_GRF		0x00008000u	/* register file of an EU */
#define SGUNIT		0x00001000u
#define FIRST_HBM_0	0x00000004u
#define SECOND_HBM_0	0x00000002u
#define MDFI_EAST	0x00000010u

static uint32_t dev_err_stat(unsigned int severity)
{
	return PVC_DEV_ERR_STAT_CORRECTABLE - 4 * severity;
}

static uint32_t local_of(uint32_t base, unsigned int severity)
{
	return severity == PVC_ERR_CORRECTABLE ? PVC_IEH_LOCAL_CORRECTABLE(base) :
						 PVC_IEH_LOCAL_UNCORRECTABLE(base);
}

static bool reports(struct tile *t, uint32_t base, unsigned int severity)
{
	return reg_read(t, PVC_IEH_EVENTS(base)) & 1u << severity;
}

/* The local status of uncorrectable errors is shared: which severities are behind it? */
static bool local_pending(struct tile *t, uint32_t base, unsigned int severity)
{
	unsigned int second = base == PVC_IEH_SECOND;

	if (!reg_read(t, local_of(base, severity))) {
		t->ras.local[second] &= severity == PVC_ERR_CORRECTABLE ?
					~(1u << PVC_ERR_CORRECTABLE) : 1u << PVC_ERR_CORRECTABLE;
		return false;
	}
	return t->ras.local[second] & 1u << severity;
}

static bool soc_pending(struct tile *t, unsigned int severity)
{
	uint32_t first = PVC_IEH_GLOBAL(PVC_IEH_FIRST, severity);
	uint32_t second = PVC_IEH_GLOBAL(PVC_IEH_SECOND, severity);

	if (local_pending(t, PVC_IEH_SECOND, severity))
		reg_set(t, second, PVC_IEH_GLOBAL_LOCAL);
	if (reg_read(t, second) && reports(t, PVC_IEH_SECOND, severity))
		reg_set(t, first, PVC_IEH_GLOBAL_SECOND);
	if (local_pending(t, PVC_IEH_FIRST, severity))
		reg_set(t, first, PVC_IEH_GLOBAL_LOCAL);
	return reg_read(t, first) && reports(t, PVC_IEH_FIRST, severity);
}

static bool gt_pending(struct tile *t, unsigned int severity)
{
	uint32_t any = reg_read(t, PVC_ERR_STAT_GT(severity));

	for (unsigned int i = 0; severity == PVC_ERR_FATAL && i < PVC_NUM_ERR_VECTORS_FATAL; i++)
		any |= reg_read(t, PVC_ERR_VECTOR_GT_FATAL(i));
	for (unsigned int i = 0;
	     severity == PVC_ERR_CORRECTABLE && i < PVC_NUM_ERR_VECTORS_CORRECTABLE; i++)
		any |= reg_read(t, PVC_ERR_VECTOR_GT_CORRECTABLE(i));
	return any;
}

static bool gsc_pending(struct tile *t, unsigned int severity)
{
	if (t->id || severity == PVC_ERR_FATAL)
		return false;
	return reg_read(t, severity == PVC_ERR_CORRECTABLE ? PVC_GSC_ERR_CORRECTABLE :
							     PVC_GSC_ERR_UNCORRECTABLE);
}

/* Report upwards what is pending and was not reported; lock held. */
static void settle(struct tile *t)
{
	for (unsigned int severity = 0; severity < PVC_NUM_ERR; severity++) {
		uint32_t want = soc_pending(t, severity) ? PVC_DEV_ERR_SOC : 0;

		want |= gt_pending(t, severity) ? PVC_DEV_ERR_GT : 0;
		want |= gsc_pending(t, severity) ? PVC_DEV_ERR_GSC : 0;
		want &= ~reg_read(t, dev_err_stat(severity));
		if (!want)
			continue;
		reg_set(t, dev_err_stat(severity), want);
		irq_raise_error(t, PVC_GFX_MSTR_ERR_CORRECTABLE << severity);
	}
}

/* Where an error of this source and severity is found; false: there is none. */
static bool find_source(struct tile *t, unsigned int severity, enum ras_source source,
			uint32_t *off, uint32_t *bits)
{
	bool corrected = severity == PVC_ERR_CORRECTABLE, fatal = severity == PVC_ERR_FATAL;
	unsigned int vector;

	*bits = 1;
	switch (source) {
	case RAS_GT:
		*off = PVC_ERR_STAT_GT(severity);
		*bits = GT_GRF;
		return true;
	case RAS_SUBSLICE:
		vector = PVC_ERR_VECTOR_SUBSLICE;
		break;
	case RAS_L3BANK:
		vector = PVC_ERR_VECTOR_L3BANK;
		break;
	case RAS_TLB:
		vector = PVC_ERR_VECTOR_TLB;
		break;
	case RAS_L3_FABRIC:
		vector = PVC_ERR_VECTOR_L3_FABRIC;
		break;
	case RAS_SOC:
		*off = local_of(PVC_IEH_FIRST, severity);
		*bits = LOCAL_SERR;
		return true;
	case RAS_SOC_SECOND:
		*off = local_of(PVC_IEH_SECOND, severity);
		*bits = LOCAL_SERR;
		return true;
	case RAS_MDFI:
		*off = local_of(PVC_IEH_FIRST, severity);
		*bits = MDFI_EAST;
		return !corrected;
	case RAS_HBM:
		*off = PVC_IEH_GLOBAL(PVC_IEH_FIRST, severity);
		*bits = FIRST_HBM_0;
		return true;
	case RAS_HBM_SECOND:
		*off = PVC_IEH_GLOBAL(PVC_IEH_SECOND, severity);
		*bits = SECOND_HBM_0;
		return true;
	case RAS_GSC:
		*off = corrected ? PVC_GSC_ERR_CORRECTABLE : PVC_GSC_ERR_UNCORRECTABLE;
		return !t->id && !fatal;
	case RAS_DEVICE:
		*off = dev_err_stat(severity);
		*bits = SGUNIT;
		return true;
	default:
		return false;
	}
	*off = fatal ? PVC_ERR_VECTOR_GT_FATAL(vector) : PVC_ERR_VECTOR_GT_CORRECTABLE(vector);
	return fatal || (corrected && vector < PVC_NUM_ERR_VECTORS_CORRECTABLE);
}

/* Set the source; lock held. */
static bool set_source(struct tile *t, unsigned int severity, enum ras_source source, bool stuck)
{
	uint32_t off, bits;

	if (!find_source(t, severity, source, &off, &bits))
		return false;
	if (stuck) {
		t->ras.stuck = true;
		t->ras.stuck_off = off;
		t->ras.stuck_bits = bits;
		t->ras.stuck_severity = severity;
		t->ras.stuck_source = source;
	}
	if (off == local_of(PVC_IEH_FIRST, severity))
		t->ras.local[0] |= 1u << severity;
	if (off == local_of(PVC_IEH_SECOND, severity))
		t->ras.local[1] |= 1u << severity;
	if (source == RAS_MDFI)
		reg_write(t, PVC_IEH_FIRST_HEADER, severity == PVC_ERR_FATAL ?
			  PVC_IEH_HEADER_FATAL : PVC_IEH_HEADER_NONFATAL);
	/* The summary of the GT names the kind of a subslice's error. */
	if (source == RAS_SUBSLICE)
		reg_set(t, PVC_ERR_STAT_GT(severity), GT_GRF);
	reg_set(t, off, bits);
	if (source == RAS_DEVICE)
		irq_raise_error(t, PVC_GFX_MSTR_ERR_CORRECTABLE << severity);
	settle(t);
	return true;
}

bool ras_raise(struct tile *t, unsigned int severity, enum ras_source source)
{
	bool done;

	pthread_mutex_lock(&t->fault_lock);
	done = set_source(t, severity, source, false);
	pthread_mutex_unlock(&t->fault_lock);
	return done;
}

/* The summary of interrupts follows DEV_ERR_STAT, if it has to; lock held. */
static void hold(struct tile *t)
{
	uint32_t bits = 0;

	for (unsigned int severity = 0; t->ras.level && severity < PVC_NUM_ERR; severity++)
		if (reg_read(t, dev_err_stat(severity)))
			bits |= PVC_GFX_MSTR_ERR_CORRECTABLE << severity;
	irq_hold_errors(t, bits);
}

bool ras_raise_stuck(struct tile *t, unsigned int severity, enum ras_source source, bool level)
{
	bool done;

	pthread_mutex_lock(&t->fault_lock);
	done = set_source(t, severity, source, true);
	t->ras.level = done && level;
	hold(t);
	pthread_mutex_unlock(&t->fault_lock);
	return done;
}

void ras_heal(struct tile *t)
{
	pthread_mutex_lock(&t->fault_lock);
	t->ras.stuck = false;
	t->ras.level = false;
	hold(t);
	pthread_mutex_unlock(&t->fault_lock);
}

void ras_mmio_write(struct tile *t, uint32_t off, uint32_t val)
{
	pthread_mutex_lock(&t->fault_lock);
	reg_store(t, off, val);
	if (t->ras.stuck && off == t->ras.stuck_off) {
		reg_set(t, off, t->ras.stuck_bits);
		if (t->ras.stuck_source == RAS_DEVICE)
			irq_raise_error(t, PVC_GFX_MSTR_ERR_CORRECTABLE << t->ras.stuck_severity);
	}
	if (card_punishes(t->card, STRICT_RAS))
		settle(t);
	if (t->ras.level)
		hold(t);
	pthread_mutex_unlock(&t->fault_lock);
}

void ras_reset(struct tile *t)
{
	pthread_mutex_lock(&t->fault_lock);
	t->ras.local[0] = 0;
	t->ras.local[1] = 0;
	/* Sold cards come up with errors of the links between dies (prelim's release notes). */
	if (card_punishes(t->card, STRICT_RAS))
		set_source(t, PVC_ERR_NONFATAL, RAS_MDFI, false);
	if (t->ras.stuck)
		set_source(t, t->ras.stuck_severity, t->ras.stuck_source, true);
	pthread_mutex_unlock(&t->fault_lock);
}
