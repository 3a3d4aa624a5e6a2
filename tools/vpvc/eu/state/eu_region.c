// SPDX-License-Identifier: MIT
/*
 * Operands of the general path: any type, any region, modifiers, saturation, conversions
 * and flags. This path is complete but slow; eu/fast has handlers for common forms. A
 * worker calls this for its own threads, without locks.
 */
#include "eu/state/eu_region.h"

#include <fenv.h>
#include <math.h>

static unsigned int file_bytes(const struct eu_operand *o)
{
	return o->file == EU_GRF ? EU_GRF_BYTES :
	       eu_is_arf(o, EU_ACC) ? 16 * EU_REG_BYTES :
	       eu_is_arf(o, EU_FC) && !(o->reg & 15) ? 2 * EU_REG_BYTES : EU_REG_BYTES;
}

/* Place of a direct operand: its file at *@base of eu_thread.regs, and *@off in the file */
static const char *place(const struct eu_operand *o, unsigned int *base,
			 unsigned int *off)
{
	unsigned int arf = o->reg >> 4, n = o->reg & 15;

	if (o->file == EU_GRF) {
		*base = 0;
		*off = o->reg * EU_REG_BYTES + o->sub;
		return NULL;
	}
	switch (arf) {
	case EU_ACC:
		*base = EU_ACC_OFF;
		*off = n * EU_REG_BYTES + o->sub;
		return NULL;
	case EU_FLAG:
		if (n > 3)
			return "no such flag register";
		*base = EU_ARF_SLOT(EU_FLAG);
		*off = n * 4 + o->sub;
		return NULL;
	case EU_FC:
		if (n > 1)
			return "no flow control register but fc0 and fc1 is known";
		/* fc0 takes two slots; fc1 is the mask in ce. */
		*base = n ? EU_ARF_SLOT(EU_CE) : EU_ARF_SLOT(EU_FC);
		*off = o->sub / 2 * 4;	/* the encoding counts its dwords */
		return NULL;
	case EU_NULL: case EU_A0: case EU_CE: case EU_SR: case EU_CR:
	case EU_N0: case EU_TM: case EU_IP: case EU_TDR: case EU_DBG:
		if (n)
			return "no such architecture register";
		*base = EU_ARF_SLOT(arf);
		*off = o->sub;
		return NULL;
	default:
		return "architecture register not implemented";
	}
}

static const char *prepare_source(struct eu_op *op, int i)
{
	const struct eu_operand *o = &op->in.src[i];
	unsigned int size = eu_typeinfo[o->type].size, base, off;
	const char *why;

	if (o->file == EU_IMM || o->indirect)
		return NULL;
	why = place(o, &base, &off);
	if (why)
		return why;
	for (int l = 0; l < op->n; l++) {
		unsigned int row = l / o->w, col = l % o->w;
		unsigned int at = off + (row * o->vs + col * o->hs) * size;

		if (eu_is_null(o))
			at = 0;
		if (at + size > file_bytes(o))
			return "operand runs past its register file";
		op->elem[i][l] = base + at;
	}
	return NULL;
}

static const char *prepare_dst(struct eu_op *op)
{
	const struct eu_operand *d = &op->in.dst;
	unsigned int size = eu_typeinfo[d->type].size, base, off;
	const char *why;

	op->dst_stride = d->hs * size;
	if (d->indirect)
		return NULL;
	why = place(d, &base, &off);
	if (why)
		return why;
	if (eu_is_null(d))
		return NULL;
	if (eu_is_arf(d, EU_SR) || eu_is_arf(d, EU_CE) || eu_is_arf(d, EU_TM) ||
	    eu_is_arf(d, EU_IP) || eu_is_arf(d, EU_TDR) || eu_is_arf(d, EU_FC))
		return "destination cannot be written";
	if (off + (op->n - 1) * op->dst_stride + size > file_bytes(d))
		return "operand runs past its register file";
	op->dst_off = base + off;
	return NULL;
}

/* Check and place all operands once; returns NULL or the reason that @op cannot run. */
const char *eu_prepare_operands(struct eu_op *op)
{
	const struct eu_opinfo *info = &eu_opinfo[op->in.opcode];
	const char *why = NULL;

	switch (info->format) {
	case EU_FMT_MATH: case EU_FMT_ONE: case EU_FMT_TWO: case EU_FMT_THREE:
		break;
	default:
		return NULL;
	}
	if (op->channel + op->n > EU_MAX_LANES)
		return "channels beyond 31";
	why = prepare_dst(op);
	for (int i = 0; i < op->in.sources && !why; i++)
		why = prepare_source(op, i);
	return why;
}

/* fc0: the address where each channel is or waits; 0 for channels not dispatched */
static void channel_addresses(struct eu_thread *t, uint32_t ip)
{
	for (unsigned int l = 0; l < EU_MAX_LANES; l++) {
		uint32_t at = t->em >> l & 1 ? ip : 0;

		for (unsigned int i = 0; i < t->num_waits; i++)
			if (t->waits[i].channels >> l & 1)
				at = t->waits[i].ip;
		eu_put32(t, EU_ARF_SLOT(EU_FC) + 4 * l, at);
	}
}

/*
 * Compute registers that have no storage. tdr stays 0, because no walker here makes
 * threads depend on each other.
 */
static void refresh(struct eu_thread *t, const struct eu_op *op, const struct eu_operand *o)
{
	if (eu_is_arf(o, EU_IP)) {
		eu_put32(t, EU_ARF_SLOT(EU_IP), op->in.ip);
	} else if (eu_is_arf(o, EU_FC) && !(o->reg & 15)) {
		channel_addresses(t, op->in.ip);
	} else if (eu_is_arf(o, EU_CE) || eu_is_arf(o, EU_FC)) {
		eu_put32(t, EU_ARF_SLOT(EU_CE), t->em);
	} else if (eu_is_arf(o, EU_N0)) {
		/* Compilers poll bit 0 for every barrier. */
		eu_put32(t, EU_ARF_SLOT(EU_N0), t->notified | (t->notified != 0));
	} else if (eu_is_arf(o, EU_TM)) {
		uint64_t now = t->instructions;

		memcpy(t->regs + EU_ARF_SLOT(EU_TM), &now, sizeof(now));
	}
}

static unsigned int a0_word(const struct eu_thread *t, unsigned int n)
{
	uint16_t v;

	memcpy(&v, t->regs + EU_ARF_SLOT(EU_A0) + (n & 15) * 2, sizeof(v));
	return v;
}

/* Addresses in a0 wrap inside the register file. */
static unsigned int indirect(unsigned int address)
{
	return address & (EU_GRF_BYTES - 1);
}

static unsigned int element(const struct eu_thread *t, const struct eu_op *op,
			    int i, int lane)
{
	const struct eu_operand *o = &op->in.src[i];
	unsigned int size = eu_typeinfo[o->type].size;
	unsigned int row = lane / o->w, col = lane % o->w;

	if (!o->indirect)
		return op->elem[i][lane];
	if (o->vs == EU_VXH)
		return indirect(a0_word(t, o->a0 + row) + o->a0_offset +
				col * o->hs * size);
	return indirect(a0_word(t, o->a0) + o->a0_offset +
			(row * o->vs + col * o->hs) * size);
}

static uint64_t immediate_bits(const struct eu_operand *o, int lane)
{
	switch (o->type) {
	case EU_V:
		return (uint64_t)((int64_t)(o->imm << (60 - lane % 8 * 4)) >> 60);
	case EU_UV:
		return o->imm >> (lane % 8 * 4) & 15;
	case EU_VF:
		return o->imm >> (lane % 4 * 8) & 255;
	default:
		return o->imm;
	}
}

/* Load the bits of each lane, zero-extended, without modifiers. */
void eu_load_raw(struct eu_thread *t, const struct eu_op *op, int i, uint64_t *v)
{
	const struct eu_operand *o = &op->in.src[i];
	unsigned int size = eu_typeinfo[o->type].size;

	if (o->file == EU_IMM) {
		for (int l = 0; l < op->n; l++)
			v[l] = immediate_bits(o, l);
		return;
	}
	if (o->file == EU_ARF)
		refresh(t, op, o);
	for (int l = 0; l < op->n; l++) {
		v[l] = 0;
		memcpy(&v[l], t->regs + element(t, op, i, l), size);
	}
}

/*
 * movi: the first address gives the register for all lanes, and each lane's own address
 * gives the byte in the register.
 */
void eu_load_indexed(struct eu_thread *t, const struct eu_op *op, uint64_t *v)
{
	const struct eu_operand *o = &op->in.src[0];
	unsigned int size = eu_typeinfo[o->type].size;
	unsigned int reg = indirect(a0_word(t, o->a0) + o->a0_offset) & ~(EU_REG_BYTES - 1u);

	for (int l = 0; l < op->n; l++) {
		unsigned int sub = (a0_word(t, o->a0 + l) + o->a0_offset) &
				   (EU_REG_BYTES - 1) & ~(size - 1);

		v[l] = 0;
		memcpy(&v[l], t->regs + reg + sub, size);
	}
}

static eu_wide extend(uint64_t bits, enum eu_type type)
{
	switch (type) {
	case EU_UB: return (uint8_t)bits;
	case EU_B:  return (int8_t)bits;
	case EU_UW: return (uint16_t)bits;
	case EU_W:  return (int16_t)bits;
	case EU_UD: return (uint32_t)bits;
	case EU_D:  return (int32_t)bits;
	case EU_Q: case EU_V: return (int64_t)bits;
	default:    return bits;
	}
}

void eu_load_int(struct eu_thread *t, const struct eu_op *op, int i, eu_wide *v)
{
	const struct eu_operand *o = &op->in.src[i];
	bool complement = o->neg && eu_opinfo[op->in.opcode].has & EU_NEG_IS_NOT;
	uint64_t raw[EU_MAX_LANES];

	eu_load_raw(t, op, i, raw);
	for (int l = 0; l < op->n; l++) {
		eu_wide x = extend(raw[l], o->type);

		if (o->abs && x < 0)
			x = -x;
		if (complement)
			x = ~x;
		else if (o->neg)
			x = -x;
		v[l] = x;
	}
}

static double flush(double v, double smallest)
{
	return fabs(v) < smallest ? copysign(0.0, v) : v;
}

/* Denormals become zero unless cr0 keeps those of the type. */
static double flush_denormal(const struct eu_thread *t, enum eu_type type, double v)
{
	uint32_t cr0 = eu_get32(t, EU_ARF_SLOT(EU_CR));

	if (type == EU_F && !(cr0 & EU_CR0_KEEP_F))
		return flush(v, 0x1p-126);
	if (type == EU_DF && !(cr0 & EU_CR0_KEEP_DF))
		return flush(v, 0x1p-1022);
	if (type == EU_HF && !(cr0 & EU_CR0_KEEP_HF))
		return flush(v, 0x1p-14);
	return v;
}

static double to_double(uint64_t bits, enum eu_type type)
{
	uint32_t b32 = bits;
	double d;
	float f;

	switch (type) {
	case EU_F: case EU_TF32:
		memcpy(&f, &b32, sizeof(f));
		return f;
	case EU_DF:
		memcpy(&d, &bits, sizeof(d));
		return d;
	case EU_HF:
		return eu_half_to_double(bits);
	case EU_BF:
		return eu_bf_to_float(bits);
	case EU_VF:
		return eu_vf_to_double(bits);
	case EU_BF8:
		return eu_half_to_double((bits & 0xff) << 8);
	case EU_UQ:
		return (double)bits;
	default:
		return (double)(int64_t)extend(bits, type);
	}
}

void eu_load_float(struct eu_thread *t, const struct eu_op *op, int i, double *v)
{
	const struct eu_operand *o = &op->in.src[i];
	uint64_t raw[EU_MAX_LANES];

	eu_load_raw(t, op, i, raw);
	for (int l = 0; l < op->n; l++) {
		double x = to_double(raw[l], o->type);

		if (t->slow)
			x = flush_denormal(t, o->type, x);
		if (o->abs)
			x = fabs(x);
		v[l] = o->neg ? -x : x;
	}
}

/* An element of acc0, read as type @type */
double eu_acc_float(const struct eu_thread *t, enum eu_type type, int lane)
{
	unsigned int size = eu_typeinfo[type].size;
	uint64_t bits = 0;
	double v;

	memcpy(&bits, t->regs + EU_ACC_OFF + lane * size, size);
	v = to_double(bits, type);
	return t->slow ? flush_denormal(t, type, v) : v;
}

/* A write to acc0 or acc1 makes the wide products behind them invalid. */
void eu_acc_written(struct eu_thread *t, const struct eu_op *op)
{
	const struct eu_operand *d = &op->in.dst;

	if (eu_is_arf(d, EU_ACC) && (d->reg & 15) < 2)
		t->wide_valid = false;
}

static void after_write(struct eu_thread *t, const struct eu_op *op)
{
	const struct eu_operand *d = &op->in.dst;

	if (d->file != EU_ARF || d->indirect)
		return;
	if (eu_is_arf(d, EU_CR))
		eu_thread_cr0_changed(t);
	else if (eu_is_arf(d, EU_N0))
		t->notified = eu_get32(t, EU_ARF_SLOT(EU_N0));
	else
		eu_acc_written(t, op);
}

void eu_store_raw(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
		  const uint64_t *v)
{
	const struct eu_operand *d = &op->in.dst;
	unsigned int size = eu_typeinfo[d->type].size, off = op->dst_off;

	if (eu_is_null(d) && !d->indirect)
		return;
	if (d->indirect)
		off = a0_word(t, d->a0) + d->a0_offset;
	else if (eu_is_arf(d, EU_N0))
		eu_put32(t, EU_ARF_SLOT(EU_N0), t->notified);
	for (int l = 0; l < op->n; l++, off += op->dst_stride) {
		if (d->indirect)
			off = indirect(off);
		if (mask >> l & 1)
			memcpy(t->regs + off, &v[l], size);
	}
	after_write(t, op);
}

/* Change the flag bits of the lanes in @mask. */
void eu_write_flags(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
		    uint32_t bits)
{
	unsigned int off = EU_ARF_SLOT(EU_FLAG) + 4 * op->flag;
	uint32_t f = eu_get32(t, off);

	f &= ~(mask << op->flag_shift);
	f |= (bits & mask) << op->flag_shift;
	eu_put32(t, off, f);
}

static void limits(enum eu_type type, eu_wide *lo, eu_wide *hi)
{
	unsigned int bits = eu_typeinfo[type].size * 8;

	if (eu_typeinfo[type].is_signed) {
		*lo = -((eu_wide)1 << (bits - 1));
		*hi = ((eu_wide)1 << (bits - 1)) - 1;
	} else {
		*lo = 0;
		*hi = ((eu_wide)1 << bits) - 1;
	}
}

/* Convert an integer of a magnitude below 2^64 to a float type. */
static uint64_t int_to_float_bits(eu_wide v, enum eu_type type)
{
	uint64_t bits = 0, magnitude = (uint64_t)(v < 0 ? -v : v);
	/* A long double holds all 64 bits, so the conversion below rounds with the sign. */
	long double exact = v < 0 ? -(long double)magnitude : (long double)magnitude;
	float f = (float)exact;
	double d = (double)exact;

	switch (type) {
	case EU_F:
		memcpy(&bits, &f, sizeof(f));
		break;
	case EU_DF:
		memcpy(&bits, &d, sizeof(d));
		break;
	case EU_HF:
		bits = eu_double_to_half(d);
		break;
	default:
		bits = eu_to_short_float(exact, type);
	}
	return bits;
}

/* Does the operation compare its result with 0 to set flags? */
static bool sets_flags(const struct eu_op *op)
{
	return op->in.cond && !(eu_opinfo[op->in.opcode].has & EU_OWN_COND);
}

void eu_store_int(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
		  const eu_wide *v)
{
	enum eu_type type = op->in.dst.type;
	uint64_t raw[EU_MAX_LANES];
	uint32_t bits = 0;
	eu_wide lo, hi;

	if (eu_typeinfo[type].is_float) {
		for (int l = 0; l < op->n; l++) {
			if (!(mask >> l & 1))
				continue;
			raw[l] = int_to_float_bits(op->in.saturate ? v[l] > 0 : v[l], type);
			bits |= (uint32_t)(op->in.cond == EU_OV ?
				isinf(to_double(int_to_float_bits(v[l], type), type)) != 0 :
				eu_compare_int(op->in.cond, v[l], 0)) << l;
		}
	} else {
		limits(type, &lo, &hi);
		for (int l = 0; l < op->n; l++) {
			eu_wide x = v[l];

			if (!(mask >> l & 1))
				continue;
			if (op->in.cond == EU_OV)
				bits |= (uint32_t)(x < lo || x > hi) << l;
			else
				bits |= (uint32_t)eu_compare_int(op->in.cond,
					extend((uint64_t)x, type), 0) << l;
			if (op->in.saturate)
				x = x < lo ? lo : x > hi ? hi : x;
			raw[l] = (uint64_t)x;
		}
	}
	eu_store_raw(t, op, mask, raw);
	if (sets_flags(op))
		eu_write_flags(t, op, mask, bits);
}

static uint64_t float_to_int_bits(const struct eu_thread *t, double v,
				  enum eu_type type, bool *clamped)
{
	bool follow = eu_get32(t, EU_ARF_SLOT(EU_CR)) & EU_CR0_FTOI_ROUND;
	eu_wide lo, hi;

	*clamped = false;
	if (isnan(v))
		return 0;
	v = eu_float_to_int(v, follow);
	limits(type, &lo, &hi);
	/* 2^63 and 2^64 are exact as doubles, the largest integers are not. */
	*clamped = v >= (double)(hi / 2 + 1) * 2.0 || v < (double)lo;
	if (*clamped)
		return (uint64_t)(v < 0 ? lo : hi);
	return v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
}

static uint64_t float_bits(double v, enum eu_type type)
{
	uint64_t bits = 0;
	float f;

	switch (type) {
	case EU_F:
		f = (float)v;
		memcpy(&bits, &f, sizeof(f));
		break;
	case EU_DF:
		memcpy(&bits, &v, sizeof(v));
		break;
	case EU_HF:
		bits = eu_double_to_half(v);
		break;
	default:
		bits = eu_to_short_float(v, type);
	}
	return bits;
}

void eu_store_float(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
		    const double *v)
{
	enum eu_type type = op->in.dst.type;
	bool to_float = eu_typeinfo[type].is_float;
	uint64_t raw[EU_MAX_LANES];
	uint32_t bits = 0;

	for (int l = 0; l < op->n; l++) {
		double x = v[l], rounded;
		bool clamped;

		if (!(mask >> l & 1))
			continue;
		if (!to_float) {
			raw[l] = float_to_int_bits(t, x, type, &clamped);
			bits |= (uint32_t)(op->in.cond == EU_OV ? clamped :
				eu_compare_int(op->in.cond, extend(raw[l], type), 0)) << l;
			continue;
		}
		if (t->slow)
			x = flush_denormal(t, type, x);
		raw[l] = float_bits(x, type);
		rounded = to_double(raw[l], type);
		bits |= (uint32_t)eu_compare_float(op->in.cond, rounded, 0.0) << l;
		if (op->in.saturate)
			raw[l] = float_bits(!(rounded > 0.0) ? 0.0 :
					    rounded > 1.0 ? 1.0 : rounded, type);
	}
	eu_store_raw(t, op, mask, raw);
	if (sets_flags(op))
		eu_write_flags(t, op, mask, bits);
}
