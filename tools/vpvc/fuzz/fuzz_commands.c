// SPDX-License-Identifier: MIT
/*
 * A fuzz target for command streams: a user's batch of any dwords, and data and code that
 * its commands reach at USER_VA.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "fuzz/stream.h"
#include "mem/memory.h"
#include "mem/tlb.h"

uint32_t fuzz_word(uint64_t random)
{
	switch (random & 7) {
	case 0:
		return PVC_LOWER_32(USER_VA) + (random >> 8 & 0x1ffffc);
	case 1:
		return PVC_UPPER_32(USER_VA);
	case 2:
		return PVC_UPPER_32(BATCH_VA);
	case 3:
		return PVC_CS_USER_GPR(random >> 8 & 15) + PVC_CS_REMAP_BASE;
	default:
		return command_word(random >> 3);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	unsigned int how = take8(&in), dwords = take8(&in);
	struct bench b;
	struct ctx x;
	uint8_t *batch;

	take16(&in);			/* keeps the dwords of the input aligned */
	bench_init(&b, 1 + (how >> 7));
	PROMISE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, how & 1 ? PVC_CLASS_CCS : PVC_CLASS_BCS,
				      how >> 1 & 3), 1);
	if (how & 0x20)			/* the engine keeps translations */
		PROMISE(!tlb_init(x.e));
	/* a NULL page, a read-only one, one of the other tile, and guest memory */
	map_4k(&x, USER_VA + DATA_BYTES, x.data, false);
	ppgtt_map(&b, 0, x.root, USER_VA + DATA_BYTES + 0x1000,
		  PVC_PTE_PRESENT | PVC_PTE_WRITE | PVC_PTE_NULL, 0);
	ppgtt_map(&b, 0, x.root, USER_VA + DATA_BYTES + 0x2000,
		  0x1000 | PVC_PTE_PRESENT | PVC_PTE_WRITE, 0);
	batch = card_dpa(b.c, x.batch, DATA_BYTES);
	take(&in, batch, 4 * dwords);
	memcpy(batch + 4 * dwords, &(uint32_t){ PVC_MI_BATCH_BUFFER_END }, 4);
	take(&in, card_dpa(b.c, x.data, DATA_BYTES), in.left);
	ring_batch(&x, 0);
	if (how & 0x40)			/* run again with the data of the first run */
		ring_batch(&x, 0);
	RING(&x, PVC_MI_USER_INTERRUPT);
	submit(&x);
	finish_job(x.e);
	bench_fini(&b);
	return 0;
}
