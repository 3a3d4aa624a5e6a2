/* SPDX-License-Identifier: MIT */
/* Functions that handlers of floats share. */
#ifndef EU_FLOAT_H
#define EU_FLOAT_H

#include "eu/state/eu_state.h"

double eu_sum(const struct eu_op *op, double a, double b);
double eu_fused(const struct eu_op *op, double a, double b, double c);
void eu_unordered(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
		  const double *a, const double *b, const double *c);

#endif
