/* SPDX-License-Identifier: MIT */
/* Fast handlers of arithmetic. */
#ifndef EU_FAST_ALU_H
#define EU_FAST_ALU_H

#include "eu/fast/eu_fast_table.h"

eu_exec *eu_fast_select_alu(const struct eu_fast_table *table, struct eu_worker *w,
			    struct eu_op *op);

#endif
