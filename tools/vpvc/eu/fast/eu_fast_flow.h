/* SPDX-License-Identifier: MIT */
/* Fast handlers for control flow, the same ones for all vector levels. */
#ifndef EU_FAST_FLOW_H
#define EU_FAST_FLOW_H

#include "eu/state/eu_state.h"

/* goto of either form; pairs of a comparison and a goto end with it, too. */
eu_exec eu_fast_goto;
/* A signal to a barrier, the wait for barriers, and the one behind the other */
eu_exec eu_fast_signal, eu_fast_wait, eu_fast_signal_wait;

/* Returns a fast handler for @op, or NULL if it has none here. */
eu_exec *eu_fast_select_flow(struct eu_op *op);

#endif
