// SPDX-License-Identifier: MIT
/*
 * Instructions that use acc0: exact products, the sums of mac, mach and macl, and carries.
 * Slow functions of the list of opcodes, on a worker's host thread.
 */
#include "eu/run/eu_acc.h"

#include "eu/run/eu_float.h"
#include "eu/run/eu_slow.h"
#include "eu/state/eu_region.h"

/* A product written to acc0 keeps all its bits for a following mach or macl. */
struct eu_op *eu_exec_mul_acc(struct eu_thread *t, struct eu_op *op)
{
	eu_wide a[EU_MAX_LANES], b[EU_MAX_LANES], r[EU_MAX_LANES];
	uint32_t mask = eu_live(t, op);

	eu_load_int(t, op, 0, a);
	eu_load_int(t, op, 1, b);
	for (int l = 0; l < op->n; l++)
		r[l] = a[l] * b[l];
	eu_store_int(t, op, mask, r);
	for (int l = 0; l < op->n; l++)
		if (mask >> l & 1)
			t->wide[l] = (int64_t)r[l];
	t->wide_valid = true;
	return eu_next(t, op);
}

static int64_t accumulator(const struct eu_thread *t, const struct eu_op *op, int lane)
{
	uint32_t v;

	if (t->wide_valid)
		return t->wide[lane];
	v = eu_get32(t, EU_ACC_OFF + 4 * lane);
	return eu_typeinfo[op->in.dst.type].is_signed ? (int64_t)(int32_t)v : (int64_t)v;
}

/* The second half of a 32 x 32 multiplication: high (mach) or low (macl) dword */
struct eu_op *eu_exec_mach(struct eu_thread *t, struct eu_op *op)
{
	eu_wide a[EU_MAX_LANES], b[EU_MAX_LANES], r[EU_MAX_LANES];
	bool high = op->in.opcode == EU_OP_MACH;
	uint32_t mask = eu_live(t, op);

	eu_load_int(t, op, 0, a);
	eu_load_int(t, op, 1, b);
	for (int l = 0; l < op->n; l++) {
		/* The shift is arithmetic for :d; values of :ud are never negative. */
		eu_wide sum = accumulator(t, op, l) + a[l] * (b[l] >> 16) * 65536;

		r[l] = high ? (eu_wide)(int32_t)(sum >> 32) : (eu_wide)(int32_t)sum;
	}
	eu_store_int(t, op, mask, r);
	return eu_next(t, op);
}

/* addc, subb: the carry or borrow goes to acc0 */
struct eu_op *eu_exec_carry(struct eu_thread *t, struct eu_op *op)
{
	eu_wide a[EU_MAX_LANES], b[EU_MAX_LANES], r[EU_MAX_LANES];
	bool subtract = op->in.opcode == EU_OP_SUBB;
	uint32_t mask = eu_live(t, op);

	eu_load_int(t, op, 0, a);
	eu_load_int(t, op, 1, b);
	for (int l = 0; l < op->n; l++) {
		r[l] = subtract ? a[l] - b[l] : a[l] + b[l];
		if (mask >> l & 1)
			eu_put32(t, EU_ACC_OFF + 4 * l, subtract ? a[l] < b[l] :
				 r[l] > UINT32_MAX);
	}
	t->wide_valid = false;
	eu_store_int(t, op, mask, r);
	return eu_next(t, op);
}

/* dst = src0 * src1 + acc0 */
struct eu_op *eu_exec_mac(struct eu_thread *t, struct eu_op *op)
{
	double a[EU_MAX_LANES], b[EU_MAX_LANES], r[EU_MAX_LANES];
	eu_wide x[EU_MAX_LANES], y[EU_MAX_LANES], z[EU_MAX_LANES];
	uint32_t mask = eu_live(t, op);

	if (!eu_has_float_source(op)) {
		eu_load_int(t, op, 0, x);
		eu_load_int(t, op, 1, y);
		for (int l = 0; l < op->n; l++)
			z[l] = x[l] * y[l] + accumulator(t, op, l);
		eu_store_int(t, op, mask, z);
		return eu_next(t, op);
	}
	eu_load_float(t, op, 0, a);
	eu_load_float(t, op, 1, b);
	for (int l = 0; l < op->n; l++)
		r[l] = eu_fused(op, eu_acc_float(t, op->in.dst.type, l), a[l], b[l]);
	eu_store_float(t, op, mask, r);
	eu_unordered(t, op, mask, a, b, NULL);
	return eu_next(t, op);
}
