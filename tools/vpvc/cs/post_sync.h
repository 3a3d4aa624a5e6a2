/* SPDX-License-Identifier: MIT */
/* Post-sync operations. */
#ifndef VPVC_POST_SYNC_H
#define VPVC_POST_SYNC_H

#include "cs/cs_state.h"

/*
 * Post-sync of FLUSH_DW and PIPE_CONTROL into memory.
 * @op: PVC_POST_SYNC_*, @qword: immediate is 8 bytes
 */
enum cs_result cs_post_sync(struct cs *cs, unsigned int op, bool ggtt, uint64_t va,
			    uint64_t imm, bool qword);

#endif
