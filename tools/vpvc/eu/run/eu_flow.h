/* SPDX-License-Identifier: MIT */
/* Control flow. */
#ifndef EU_FLOW_H
#define EU_FLOW_H

#include "eu/state/eu_state.h"

/* Returns NULL if @op is no control flow, or cannot run (op->why). */
eu_exec *eu_flow_select(struct eu_op *op);
struct eu_op *eu_flow_take(struct eu_thread *t, const struct eu_edge *edge);

#endif
