/* SPDX-License-Identifier: MIT */
/* The shape of an instruction's operands, by which a fast handler is chosen. */
#ifndef EU_FAST_SHAPE_H
#define EU_FAST_SHAPE_H

#include "eu/fast/eu_fast_table.h"

enum eu_src_mode eu_fast_mode_of(enum eu_type type, unsigned int n, unsigned int step,
				 unsigned int bytes);
enum eu_fast_shape eu_fast_shape_of(const struct eu_op *op, enum eu_fast_op fop, bool ints,
				    unsigned int bytes);

#endif
