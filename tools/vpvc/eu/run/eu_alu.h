/* SPDX-License-Identifier: MIT */
/* Arithmetic, logic and moves. */
#ifndef EU_ALU_H
#define EU_ALU_H

#include "eu/state/eu_state.h"

/* The handler of the general path, or NULL for what the EU does not have */
eu_exec *eu_alu_select(struct eu_op *op);

#endif
