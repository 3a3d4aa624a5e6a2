/* SPDX-License-Identifier: MIT */
/* Messages to the load/store unit. */
#ifndef EU_LSC_H
#define EU_LSC_H

#include "eu/state/eu_state.h"

eu_exec *eu_lsc_select(const struct eu_op *op);
/* A fence of shared local memory, whose threads run on one thread of the host */
bool eu_lsc_is_local_fence(const struct eu_insn *in);
eu_exec eu_exec_lsc;

#endif
