/* SPDX-License-Identifier: MIT */
/* A logical ring context between its image and the engine's registers. */
#ifndef VPVC_CONTEXT_H
#define VPVC_CONTEXT_H

#include "cs/cs_state.h"

/* Runs a batch on the side of the ring: cs_run_wa(). */
typedef enum cs_result context_run_fn(struct cs *cs, uint32_t addr, uint32_t size);

/* Load the context of @desc; @run does its restore batches. CS_OK, CS_HALT, CS_STOP. */
enum cs_result context_load(struct cs *cs, uint64_t desc, context_run_fn *run);
/* Write the context back, so that a later load continues where it stands. */
enum cs_result context_save(struct cs *cs);
/* Take the ring tail from the image: lite restore. */
enum cs_result context_update_tail(struct cs *cs);

#endif
