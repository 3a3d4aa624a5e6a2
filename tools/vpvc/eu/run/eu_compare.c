// SPDX-License-Identifier: MIT
/* Comparisons, and selections by a flag or by a comparison: slow functions of the opcodes. */
#include <math.h>

#include "eu/run/eu_slow.h"
#include "eu/state/eu_region.h"

static bool is_minmax(const struct eu_op *op)
{
	return op->in.opcode == EU_OP_SEL && op->in.cond;
}

/* The predicate of sel chooses the source and masks nothing. */
static uint32_t choose(struct eu_thread *t, struct eu_op *op)
{
	return op->pred ? eu_predicate(t, op) : op->lanes;
}

static struct eu_op *exec_sel_int(struct eu_thread *t, struct eu_op *op)
{
	eu_wide a[EU_MAX_LANES], b[EU_MAX_LANES], r[EU_MAX_LANES];
	uint32_t first = choose(t, op);

	eu_load_int(t, op, 0, a);
	eu_load_int(t, op, 1, b);
	for (int l = 0; l < op->n; l++) {
		bool take = is_minmax(op) ? eu_compare_int(op->in.cond, a[l], b[l]) :
					    first >> l & 1;

		r[l] = take ? a[l] : b[l];
	}
	eu_store_int(t, op, eu_enabled(t, op), r);
	return eu_next(t, op);
}

/* A number is preferred to NaN; of two NaN the second source is taken. */
static double minmax(enum eu_cond cond, double a, double b)
{
	if (isnan(a))
		return b;
	if (isnan(b))
		return a;
	return eu_compare_float(cond, a, b) ? a : b;
}

static struct eu_op *exec_sel_float(struct eu_thread *t, struct eu_op *op)
{
	double a[EU_MAX_LANES], b[EU_MAX_LANES], r[EU_MAX_LANES];
	uint32_t first = choose(t, op);

	eu_load_float(t, op, 0, a);
	eu_load_float(t, op, 1, b);
	for (int l = 0; l < op->n; l++)
		r[l] = is_minmax(op) ? minmax(op->in.cond, a[l], b[l]) :
		       first >> l & 1 ? a[l] : b[l];
	eu_store_float(t, op, eu_enabled(t, op), r);
	return eu_next(t, op);
}

static struct eu_op *exec_sel_copy(struct eu_thread *t, struct eu_op *op)
{
	uint64_t a[EU_MAX_LANES], b[EU_MAX_LANES];
	uint32_t first = choose(t, op);

	eu_load_raw(t, op, 0, a);
	eu_load_raw(t, op, 1, b);
	for (int l = 0; l < op->n; l++)
		if (!(first >> l & 1))
			a[l] = b[l];
	eu_store_raw(t, op, eu_enabled(t, op), a);
	return eu_next(t, op);
}

struct eu_op *eu_exec_csel(struct eu_thread *t, struct eu_op *op)
{
	double s[3][EU_MAX_LANES];
	eu_wide v[3][EU_MAX_LANES];
	uint32_t mask = eu_live(t, op);

	if (eu_has_float_source(op)) {
		for (int i = 0; i < 3; i++)
			eu_load_float(t, op, i, s[i]);
		for (int l = 0; l < op->n; l++)
			if (!eu_compare_float(op->in.cond, s[2][l], 0.0))
				s[0][l] = s[1][l];
		eu_store_float(t, op, mask, s[0]);
	} else {
		for (int i = 0; i < 3; i++)
			eu_load_int(t, op, i, v[i]);
		for (int l = 0; l < op->n; l++)
			if (!eu_compare_int(op->in.cond, v[2][l], 0))
				v[0][l] = v[1][l];
		eu_store_int(t, op, mask, v[0]);
	}
	return eu_next(t, op);
}

struct eu_op *eu_exec_cmp(struct eu_thread *t, struct eu_op *op)
{
	uint64_t result[EU_MAX_LANES];
	uint32_t mask = eu_live(t, op), bits = 0;

	if (eu_has_float_source(op)) {
		double a[EU_MAX_LANES], b[EU_MAX_LANES];

		eu_load_float(t, op, 0, a);
		eu_load_float(t, op, 1, b);
		for (int l = 0; l < op->n; l++)
			bits |= (uint32_t)eu_compare_float(op->in.cond, a[l], b[l]) << l;
	} else {
		eu_wide a[EU_MAX_LANES], b[EU_MAX_LANES];

		eu_load_int(t, op, 0, a);
		eu_load_int(t, op, 1, b);
		for (int l = 0; l < op->n; l++)
			bits |= (uint32_t)eu_compare_int(op->in.cond, a[l], b[l]) << l;
	}
	for (int l = 0; l < op->n; l++)
		result[l] = bits >> l & 1 ? UINT64_MAX : 0;
	eu_store_raw(t, op, mask, result);
	eu_write_flags(t, op, mask, bits);
	return eu_next(t, op);
}

eu_exec *eu_select_sel(struct eu_op *op)
{
	if (eu_is_copy(op, 2))
		return exec_sel_copy;
	return eu_has_float_source(op) ? exec_sel_float : exec_sel_int;
}
