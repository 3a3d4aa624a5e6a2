/* SPDX-License-Identifier: MIT */
/* Load and save of a logical ring context; engine's thread. */
#ifndef VPVC_CONTEXT_H
#define VPVC_CONTEXT_H

#include "cs/cs_state.h"

/* Runs a batch outside the ring: cs_run_wa(). */
typedef enum cs_result context_run_fn(struct cs *cs, uint32_t addr, uint32_t size);

/* Load the context of @desc; @run runs its restore batches. CS_OK, CS_HALT or CS_STOP. */
enum cs_result context_load(struct cs *cs, uint64_t desc, context_run_fn *run);
/* Write the context back, so that a later load continues where it stopped. */
enum cs_result context_save(struct cs *cs);
/* Read the ring tail from the image again, for a lite restore. */
enum cs_result context_update_tail(struct cs *cs);

#endif
