/* SPDX-License-Identifier: MIT */
/* Faults on request, where they strike: the hooks of those they concern. */
#ifndef VPVC_INJECT_H
#define VPVC_INJECT_H

#include "core/xlat.h"

/* What can be armed on an engine */
#define INJECT_HANG	0x01u
#define INJECT_SLOW	0x02u
#define INJECT_IRQ	0x04u
#define INJECT_CSB_LOST	0x08u	/* and the next two: see csb_bit() */
#define INJECT_CSB_LATE	0x10u
#define INJECT_CSB_WRONG 0x20u
/* ... and on a tile */
#define INJECT_FAULT	0x40u
#define INJECT_POISON	0x80u
#define INJECT_WELL	0x100u
#define INJECT_PCODE	0x200u
#define INJECT_REGISTER	0x400u
#define INJECT_RESET	0x800u

static inline bool inject_armed(atomic_uint *armed, unsigned int what)
{
	return atomic_load_explicit(armed, memory_order_relaxed) & what;
}

/*
 * The hooks: engine threads ask them where a fault may strike.  Each is free
 * as long as nothing is armed, and counts its effect in card->injected.
 */

/* Does the engine stop here, before (or @after) the command it has fetched? */
bool inject_hang(struct engine *e, bool after);
/* Microseconds a command takes in addition. */
unsigned int inject_delay(struct engine *e);
/* Is this write of a status entry and its pointer into memory lost? */
bool inject_csb_lost(struct engine *e);
/* Does this status entry reach memory with the next one only, and its pointer never? */
bool inject_csb_late(struct engine *e);
/* Does this status entry name contexts that are not there? */
bool inject_csb_wrong(struct engine *e);

int inject_init(struct card *c);
void inject_fini(struct card *c);
/* Forget interrupts that are still to come. */
void inject_drop_late(struct card *c);
/* What is left of @vector, and what shall come again. */
uint32_t inject_irq(struct engine *e, uint32_t vector, uint32_t *again);
/* For INJECT_FAULT tiles: may refuse an access, or cut the piece @s. */
enum xlat inject_fault(const struct aspace *as, uint64_t va, bool write, struct span *s);
/* For INJECT_POISON tiles: is @dpa bad? If not, *@len is cut to what is good. */
bool inject_poisoned(struct card *c, uint64_t dpa, uint64_t *len);
#define INJECT_WELL_GT		0x1u
#define INJECT_WELL_RENDER	0x2u
#define INJECT_WELL_MEDIA	0x4u
bool inject_well_silent(struct tile *t, unsigned int well);
enum inject_pcode { INJECT_PCODE_NONE, INJECT_PCODE_ERROR, INJECT_PCODE_BUSY };
enum inject_pcode inject_pcode(struct tile *t, uint32_t command, uint32_t *code);
/* Of the domains written to GDRST those that do not answer. */
uint32_t inject_reset(struct tile *t, uint32_t domains);
/* For INJECT_REGISTER tiles: what the host reads where @val is. */
uint32_t inject_register(struct tile *t, uint32_t off, uint32_t val);

#endif
