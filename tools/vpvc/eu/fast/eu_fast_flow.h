/* SPDX-License-Identifier: MIT */
/* Fast handlers for control flow, the same ones for all vector levels. */
#ifndef EU_FAST_FLOW_H
#define EU_FAST_FLOW_H

#include "eu/state/eu_state.h"

/* goto of either form */
eu_exec eu_fast_goto;
/* goto of those of @lanes that are enabled, for a caller that has the flags at hand */
struct eu_op *eu_fast_goto_for(struct eu_thread *t, struct eu_op *op, uint32_t lanes);
/* A signal to a barrier, the wait for barriers, and the one behind the other */
eu_exec eu_fast_signal, eu_fast_wait, eu_fast_signal_wait;

/* Returns a fast handler for @op, or NULL if it has none here. */
eu_exec *eu_fast_select_flow(struct eu_op *op);

#endif
