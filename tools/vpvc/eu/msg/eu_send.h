/* SPDX-License-Identifier: MIT */
/* Messages. */
#ifndef EU_SEND_H
#define EU_SEND_H

#include "eu/state/eu_state.h"

/* Returns NULL if @op is no message, or if the EU lacks the message (op->why). */
eu_exec *eu_send_select(struct eu_op *op);
/* A signal to a barrier */
eu_exec eu_exec_barrier_signal;

#endif
