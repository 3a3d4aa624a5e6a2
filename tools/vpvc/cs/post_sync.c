// SPDX-License-Identifier: MIT
/* Post-sync writes of MI_FLUSH_DW, PIPE_CONTROL and COMPUTE_WALKER; engine's thread. */
#include "cs/post_sync.h"

#include "core/clock.h"
#include "cs/cs_mem.h"
#include "cs/cs_state.h"

enum cs_result cs_post_sync(struct cs *cs, unsigned int op, bool ggtt, uint64_t va,
			    uint64_t imm, bool qword)
{
	switch (op) {
	case PVC_POST_SYNC_NONE:
		return CS_OK;
	case PVC_POST_SYNC_IMM:
		if (qword)
			return cs_store64(cs, ggtt, va, imm);
		return cs_store32(cs, ggtt, va, PVC_LOWER_32(imm));
	case PVC_POST_SYNC_TIMESTAMP:
		return cs_store64(cs, ggtt, va, card_timestamp());
	default:
		return cs_error(cs, "unimplemented: post-sync operation %u", op);
	}
}
