/* SPDX-License-Identifier: MIT */
/* A logical ring context between its image and the engine's registers. */
#ifndef VPVC_CONTEXT_H
#define VPVC_CONTEXT_H

#include "cs.h"

/* Load the context of @desc; runs its restore batches. CS_OK, CS_HALT, CS_STOP. */
enum cs_result context_load(struct cs *cs, uint64_t desc);
/* Write the context back, so that a later load continues where it stands. */
enum cs_result context_save(struct cs *cs);
/* Take the ring tail from the image: lite restore. */
enum cs_result context_update_tail(struct cs *cs);

#endif
