/* SPDX-License-Identifier: MIT */
/* Fetch, decode and run. */
#ifndef VPVC_CS_H
#define VPVC_CS_H

#include "cs/cs_state.h"

enum cs_exit {
	EXIT_EMPTY,	/* ring ran empty */
	EXIT_PREEMPTED,
	EXIT_HALTED,
	EXIT_STOPPED,
};

/* Takes a waiting load of the running context; false when there is none. */
typedef bool cs_restore_fn(struct cs *cs);

/* Run the context in the engine until its ring is empty or something stops it. */
enum cs_exit cs_execute(struct cs *cs, cs_restore_fn *lite_restore);

/*
 * Run a privileged batch in the GGTT outside the ring, up to its BATCH_BUFFER_END or for
 * @size bytes (0 = no limit).
 */
enum cs_result cs_run_wa(struct cs *cs, uint32_t addr, uint32_t size);

#endif
