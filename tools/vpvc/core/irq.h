/* SPDX-License-Identifier: MIT */
/* The interrupt tree. */
#ifndef VPVC_IRQ_H
#define VPVC_IRQ_H

#include "card.h"

/* Returns the bits of @vector to deliver; *@again: those to deliver twice. inject_irq(). */
typedef uint32_t irq_filter_fn(struct engine *e, uint32_t vector, uint32_t *again);

int irq_init(struct card *c, irq_filter_fn *filter);
void irq_fini(struct card *c);
void irq_reset(struct card *c);
uint32_t irq_mmio_read(struct tile *t, uint32_t off);
void irq_mmio_write(struct tile *t, uint32_t off, uint32_t val);

/*
 * Raise vector bits without masks or injected faults.  @again: bits that are pending
 * again after they were acknowledged.  Any thread.
 */
void irq_deliver(struct tile *t, unsigned int class, unsigned int instance,
		 uint32_t vector, uint32_t again);
/* Registers of the blocks GU_MISC and PCU, whose events come from firmware. */
void irq_block_write(struct tile *t, uint32_t off, uint32_t val);
/* The tile's registers have their reset values: firmware has left events in the blocks. */
void irq_block_reset(struct tile *t);
/* Raise an error of the tile itself; @bits are bits of GFX_MSTR_IRQ. */
void irq_raise_error(struct tile *t, uint32_t bits);
/* These bits of the tile's summary stay set whenever they are acknowledged, until the next call. */
void irq_hold_errors(struct tile *t, uint32_t bits);

/*
 * Raise an engine's vector bits (PVC_VEC_*), which accumulate until they are acknowledged.
 * The guest sees all earlier memory writes of the caller before the interrupt.  Any thread.
 */
void irq_raise(struct tile *t, unsigned int class, unsigned int instance,
	       uint32_t vector);

#endif
