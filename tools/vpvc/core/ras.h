/* SPDX-License-Identifier: MIT */
/* Errors of the hardware: where they are found, and how they reach the interrupt tree. */
#ifndef VPVC_RAS_H
#define VPVC_RAS_H

#include "card.h"

/* Where an error is found; the names are those of "inject error". */
enum ras_source {
	RAS_GT,			/* the summary of the GT, without a vector */
	RAS_SUBSLICE,
	RAS_L3BANK,
	RAS_TLB,		/* this one and the next: only fatal */
	RAS_L3_FABRIC,
	RAS_SOC,		/* first error handler of the tile */
	RAS_SOC_SECOND,		/* second one, which reports to the first */
	RAS_MDFI,		/* link between dies */
	RAS_HBM,		/* a channel that the first handler knows */
	RAS_HBM_SECOND,
	RAS_GSC,		/* security controller, tile 0 */
	RAS_DEVICE,		/* a unit that has no registers of its own */
};

/* The tile's registers have their reset values: report what is pending at power on. */
void ras_reset(struct tile *t);
/* @severity is one of PVC_ERR_*. Returns false if that source has no such error. Any thread. */
bool ras_raise(struct tile *t, unsigned int severity, enum ras_source source);
/*
 * As ras_raise(), but the source cannot be cleared until ras_heal(). With @level acknowledging the
 * tile's interrupt does not help either, as long as DEV_ERR_STAT has a bit.
 */
bool ras_raise_stuck(struct tile *t, unsigned int severity, enum ras_source source, bool level);
void ras_heal(struct tile *t);
/* Hook of the registers of errors. */
void ras_mmio_write(struct tile *t, uint32_t off, uint32_t val);

#endif
