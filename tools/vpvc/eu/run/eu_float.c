/* SPDX-License-Identifier: MIT */
/* The math function unit. */
#include "eu/run/eu_float.h"

#include <math.h>

#include "eu/state/eu_region.h"

/*
 * Double precision, then one rounding: correctly rounded but for rare ties.
 * The precision of silicon is not published; see the manual of the card.
 */
static double math_function(unsigned int function, double a, double b)
{
	switch (function) {
	case EU_INV:	return 1.0 / a;
	case EU_LOG:	return log2(a);
	case EU_EXP:	return exp2(a);
	case EU_SQT:	return sqrt(a);
	case EU_RSQT:	return 1.0 / sqrt(a);
	case EU_SIN:	return sin(a);
	case EU_COS:	return cos(a);
	case EU_INVM:	return a / b;
	case EU_RSQTM:	return sqrt(a);
	default:	return NAN;
	}
}

/*
 * invm and rsqtm give the final, correctly rounded result at once and say so in
 * the flag (the "eo" modifier), so that no refining madm has a live lane.
 */
struct eu_op *eu_exec_math(struct eu_thread *t, struct eu_op *op)
{
	double a[EU_MAX_LANES], b[EU_MAX_LANES] = {}, r[EU_MAX_LANES];
	uint32_t mask = eu_live(t, op);
	unsigned int function = op->in.function;

	eu_load_float(t, op, 0, a);
	if (op->in.sources > 1)
		eu_load_float(t, op, 1, b);
	for (int i = 0; i < op->n; i++) {
		if (!(mask >> i & 1))
			continue;
		if (op->in.dst.type == EU_F && function == EU_INVM)
			r[i] = (float)a[i] / (float)b[i];
		else if (op->in.dst.type == EU_F && function == EU_RSQTM)
			r[i] = sqrtf(a[i]);
		else
			r[i] = math_function(function, a[i], b[i]);
	}
	eu_store_float(t, op, mask, r);
	if (function >= EU_INVM)
		eu_write_flags(t, op, mask, mask);
	return eu_next(t, op);
}
