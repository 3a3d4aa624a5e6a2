/* SPDX-License-Identifier: MIT */
/* Functions that the targets with engines share. */
#ifndef VPVC_FUZZ_STREAM_H
#define VPVC_FUZZ_STREAM_H

#include "card.h"
#include "core/regs.h"
#include "cs/blt.h"
#include "cs/command.h"
#include "cs/compute.h"
#include "cs/mi.h"
#include "tests/cs_test.h"

/* Milliseconds an engine may run before it is reset, as drivers do. */
#define JOB_MS		20

/* The header of a command in the tables, mostly with a valid length. */
static inline uint32_t command_word(uint64_t random)
{
	static const struct cs_command * const tables[] = {
		mi_commands, mi_commands, blt_commands, compute_commands,
	};
	const struct cs_command *row = tables[random & 3];
	unsigned int n = 0;
	uint32_t word;

	while (row[n].name)
		n++;
	row += (random >> 2) % n;
	word = row->value | ((uint32_t)(random >> 32) & ~row->mask);
	if (row->len_mask && random >> 20 & 15) {
		unsigned int len = row->min + (random >> 24 & 3);

		if (len > row->max)
			len = row->max;
		word = (word & ~row->len_mask) |
		       ((len - 2) << __builtin_ctz(row->len_mask) & row->len_mask);
	}
	return word;
}

/*
 * Wait for the engine for a moment, then reset it. The reset must end in every state of
 * the engine; the alarm of run.c ends a target whose reset hangs.
 */
static inline void finish_job(struct engine *e)
{
	for (unsigned int i = 0; i < 10 * JOB_MS; i++) {
		if (!(mmio_read(e->tile, PVC_EXECLIST_STATUS(e->base)) &
		      PVC_EXECLIST_STATUS_ACTIVE))
			break;
		/* A fault or an error has stopped the engine. */
		if ((mmio_read(e->tile, PVC_RING_RESET_CTL(e->base)) & PVC_RESET_CTL_CAT_ERROR) ||
		    mmio_read(e->tile, PVC_RING_EIR(e->base)))
			break;
		usleep(100);
	}
	/* Twice, because the strict card may ignore the first one. */
	mmio_write(e->tile, PVC_GDRST, PVC_GDRST_FULL);
	mmio_write(e->tile, PVC_GDRST, PVC_GDRST_FULL);
}

#endif
