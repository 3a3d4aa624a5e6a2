/* SPDX-License-Identifier: MIT */
/* The interrupt tree. */
#ifndef VPVC_IRQ_H
#define VPVC_IRQ_H

#include "card.h"

/* What of @vector gets through, and what shall come @again: inject_irq(). */
typedef uint32_t irq_filter_fn(struct engine *e, uint32_t vector, uint32_t *again);

int irq_init(struct card *c, irq_filter_fn *filter);
void irq_fini(struct card *c);
void irq_reset(struct card *c);
uint32_t irq_mmio_read(struct tile *t, uint32_t off);
void irq_mmio_write(struct tile *t, uint32_t off, uint32_t val);

/* Past the masks, and past injected faults.  @again: to come back once acknowledged. */
void irq_deliver(struct tile *t, unsigned int class, unsigned int instance,
		 uint32_t vector, uint32_t again);
/* An error of the tile itself: its bits of GFX_MSTR_IRQ. */
void irq_raise_error(struct tile *t, uint32_t bits);

/*
 * Any thread.  All memory writes the caller made before are visible to the
 * guest before the interrupt is.  Vector bits (PVC_VEC_*) accumulate until acknowledged.
 */
void irq_raise(struct tile *t, unsigned int class, unsigned int instance,
	       uint32_t vector);

#endif
