/* SPDX-License-Identifier: MIT */
/* Post-sync operations. */
#ifndef VPVC_POST_SYNC_H
#define VPVC_POST_SYNC_H

#include "cs/cs_state.h"

/*
 * Write the result of a command to memory.  @op: PVC_POST_SYNC_*, @qword: the immediate
 * has 8 bytes.
 */
enum cs_result cs_post_sync(struct cs *cs, unsigned int op, bool ggtt, uint64_t va,
			    uint64_t imm, bool qword);

#endif
