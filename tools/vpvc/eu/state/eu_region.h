/* SPDX-License-Identifier: MIT */
/* Loads and stores of operands of the general path. */
#ifndef EU_REGION_H
#define EU_REGION_H

#include "eu/isa/eu_convert.h"
#include "eu/state/eu_state.h"

void eu_load_int(struct eu_thread *t, const struct eu_op *op, int i, eu_wide *v);
void eu_load_raw(struct eu_thread *t, const struct eu_op *op, int i, uint64_t *v);
double eu_acc_float(const struct eu_thread *t, enum eu_type type, int lane);
void eu_load_indexed(struct eu_thread *t, const struct eu_op *op, uint64_t *v);
void eu_load_float(struct eu_thread *t, const struct eu_op *op, int i, double *v);
void eu_store_int(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
		  const eu_wide *v);
void eu_store_raw(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
		  const uint64_t *v);
void eu_store_float(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
		    const double *v);
void eu_write_flags(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
		    uint32_t bits);
void eu_acc_written(struct eu_thread *t, const struct eu_op *op);
const char *eu_prepare_operands(struct eu_op *op);

#endif
