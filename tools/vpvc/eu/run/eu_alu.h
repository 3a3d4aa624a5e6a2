/* SPDX-License-Identifier: MIT */
/* Arithmetic, logic and moves. */
#ifndef EU_ALU_H
#define EU_ALU_H

#include "eu/state/eu_state.h"

/* Returns the handler of the general path, or NULL if the EU lacks the instruction. */
eu_exec *eu_alu_select(struct eu_op *op);

#endif
