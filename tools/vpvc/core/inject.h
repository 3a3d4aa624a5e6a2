/* SPDX-License-Identifier: MIT */
/* Injected faults: the hooks that other blocks call where a fault may happen. */
#ifndef VPVC_INJECT_H
#define VPVC_INJECT_H

#include "core/xlat.h"

/* Faults that can be armed on an engine */
#define INJECT_HANG	0x01u
#define INJECT_SLOW	0x02u
#define INJECT_IRQ	0x04u
#define INJECT_CSB_LOST	0x08u	/* and the next two: see csb_bit() */
#define INJECT_CSB_LATE	0x10u
#define INJECT_CSB_WRONG 0x20u
#define INJECT_COPY_LOST 0x2000u
#define INJECT_LOAD_LATE 0x4000u
/* ... and on a tile */
#define INJECT_FAULT	0x40u
#define INJECT_POISON	0x80u
#define INJECT_WELL	0x100u
#define INJECT_PCODE	0x200u
#define INJECT_REGISTER	0x400u
#define INJECT_RESET	0x800u
#define INJECT_WELL_LOST 0x1000u

static inline bool inject_armed(atomic_uint *armed, unsigned int what)
{
	return atomic_load_explicit(armed, memory_order_relaxed) & what;
}

/*
 * The hooks.  Each costs one load while nothing is armed, and counts in card->injected
 * each time it has an effect.
 */

/* Does the engine stop here, before (or @after) the command it has fetched? */
bool inject_hang(struct engine *e, bool after);
/* Microseconds a command takes in addition. */
unsigned int inject_delay(struct engine *e);
/* Microseconds until an engine that runs nothing takes the load that waits. */
unsigned int inject_load_delay(struct engine *e);
/* Is this write of a status entry and its pointer into memory lost? */
bool inject_csb_lost(struct engine *e);
/* Is this status entry to reach memory before the next entry, and its pointer never? */
bool inject_csb_late(struct engine *e);
/* Does this status entry name wrong contexts? */
bool inject_csb_wrong(struct engine *e);

/* Are these @bytes of a blit, which are written at once, lost? */
bool inject_copy_lost(struct engine *e, uint64_t bytes);

int inject_init(struct card *c);
void inject_fini(struct card *c);
/* Forget the late interrupts that were not delivered yet. */
void inject_drop_late(struct card *c);
/* Returns the bits of @vector to deliver now; *@again: those to deliver once more. */
uint32_t inject_irq(struct engine *e, uint32_t vector, uint32_t *again);
/* For tiles with INJECT_FAULT: may refuse an access, or cut the piece @s. */
enum xlat inject_fault(const struct aspace *as, uint64_t va, bool write, struct span *s);
/* For tiles with INJECT_POISON: is @dpa bad? If not, *@len is cut to the good bytes. */
bool inject_poisoned(struct card *c, uint64_t dpa, uint64_t *len);
#define INJECT_WELL_GT		0x1u
#define INJECT_WELL_RENDER	0x2u
#define INJECT_WELL_MEDIA	0x4u
bool inject_well_silent(struct tile *t, unsigned int well);
/* Is this request, but not the next one, without an ack? */
bool inject_well_lost(struct tile *t, unsigned int well);
enum inject_pcode { INJECT_PCODE_NONE, INJECT_PCODE_ERROR, INJECT_PCODE_BUSY };
enum inject_pcode inject_pcode(struct tile *t, uint32_t command, uint32_t *code);
/* Returns those of the @domains written to GDRST that are not reset. */
uint32_t inject_reset(struct tile *t, uint32_t domains);
/* Has a reset of the function no effect? */
bool inject_flr_dead(struct card *c);
/* For tiles with INJECT_REGISTER: the value the host reads instead of @val. */
uint32_t inject_register(struct tile *t, uint32_t off, uint32_t val);

#endif
