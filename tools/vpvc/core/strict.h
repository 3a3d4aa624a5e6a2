/* SPDX-License-Identifier: MIT */
/*
 * What silicon punishes although a model could forgive it.
 *
 * A driver that relies on a kindness of the card works here and fails on silicon.  Each row
 * is one such kindness, which the card does not show unless its option takes it back.  Where
 * the public sources do not say what silicon does, the card takes the worse reading.
 */
#ifndef VPVC_STRICT_H
#define VPVC_STRICT_H

#include "card.h"

/* Name of the bit, name of the option, what the card does */
#define STRICTNESS(X) \
	X(STALE_STATE, "stale-state", \
	  "a context that is not restored begins with the registers of the one before it") \
	X(STALE_QUEUE, "stale-queue", \
	  "the submit queue's second place holds anything at power on and after a reset") \
	X(GGTT_TLB, "ggtt-tlb", \
	  "engines keep translations of the GGTT until they are invalidated") \
	X(BCS_LATE, "bcs-late", \
	  "a copy's last bytes land after its flush, unless a dummy blit is between them") \
	X(BCS_CREDITS, "bcs-credits", \
	  "copy engines hang on requests to system memory of a size without credits") \
	X(PREEMPT, "preempt", \
	  "walkers are preempted, by the granularity that their driver has chosen") \
	X(CLOCK, "clock", \
	  "engines run at the frequency that was asked for") \
	X(RAS, "ras", \
	  "errors are pending at power on, and come again until their source is cleared") \
	X(IRQ_BLOCKS, "irq-blocks", \
	  "interrupts of blocks that nobody uses are pending after a reset until they are masked") \
	X(RESET_DROP, "reset-drop", \
	  "the first of two requests to reset a domain may be ignored") \
	X(PENDING_MI, "pending-mi", \
	  "a reset of an engine that waits for its power well hangs the card") \
	X(STEERING, "steering", \
	  "each instance of a replicated register has a value of its own") \
	X(COMMANDS, "commands", \
	  "commands hang the engine, or lack their effect, where public drivers avoid them") \
	X(STALE_CODE, "stale-code", \
	  "a context's kernels run as they were until instructions are invalidated") \
	X(CCS_MODE, "ccs-mode", \
	  "walkers hang after CCS_MODE changed while a compute engine had a context") \
	X(PPGTT_ROOT, "ppgtt-root", \
	  "a context that translates by page tables without a root stops its engine")

#define STRICT_NUMBER(bit, name, text)	STRICT_NR_##bit,
enum { STRICTNESS(STRICT_NUMBER) NUM_STRICT };

#define STRICT_BIT(bit, name, text)	STRICT_##bit = 1u << STRICT_NR_##bit,
enum { STRICTNESS(STRICT_BIT) STRICT_ALL = (1u << NUM_STRICT) - 1 };

/* Does the card punish this (one STRICT_*)? */
static inline bool card_punishes(const struct card *c, unsigned int what)
{
	return !(c->opt.lenient & what);
}

#endif
