/* SPDX-License-Identifier: MIT */
/* All messages. */
#ifndef EU_SEND_H
#define EU_SEND_H

#include "eu/state/eu_state.h"

/* NULL when the instruction is no message, or none the EU has (op->why) */
eu_exec *eu_send_select(struct eu_op *op);

#endif
