// SPDX-License-Identifier: MIT
/* Encodes the reference's instructions as machine code, as the instruction set says. */
#include "eu/tests/reference.h"

static void put(uint64_t w[2], unsigned int hi, unsigned int lo, uint64_t v)
{
	uint64_t mask = (hi - lo == 63 ? 0 : 1ull << (hi - lo + 1)) - 1;

	w[lo / 64] |= (v & mask) << lo % 64;
}

static unsigned int log2_code(unsigned int v)
{
	return v ? (unsigned int)__builtin_ctz(v) + 1 : 0;
}

/* Register files are one bit; accumulators are architecture register 2, null 0. */
static unsigned int file_bit(const struct ref_operand *o)
{
	return o->kind == REF_GRF;
}

static unsigned int register_number(const struct ref_operand *o)
{
	return o->kind == REF_ACC ? 0x20 + o->reg : o->kind == REF_NULL ? 0 : o->reg;
}

static void encode_common(const struct ref_insn *in, uint64_t w[2])
{
	put(w, 6, 0, in->opcode);
	put(w, 20, 18, (unsigned int)__builtin_ctz(in->exec_size));
	put(w, 21, 21, in->flag_sub);
	put(w, 23, 22, in->flag);
	put(w, 25, 24, in->channel / 8);
	put(w, 27, 26, in->pred);
	put(w, 28, 28, in->pred_inv);
	put(w, 31, 31, in->nomask);
	put(w, 34, 34, in->saturate);
}

static void encode_two(const struct ref_insn *in, uint64_t w[2])
{
	const struct ref_operand *d = &in->dst, *a = &in->src[0], *b = &in->src[1];
	bool one_imm64 = a->kind == REF_IMM && ref_size(a->type) == 8;
	unsigned int n;

	put(w, 35, 35, d->kind == REF_INDIRECT);
	put(w, 39, 36, d->type);
	put(w, 49, 48, log2_code(d->hs));
	if (d->kind == REF_INDIRECT) {
		put(w, 63, 60, d->a0);
		put(w, 59, 50, (uint64_t)d->offset >> 1);
		put(w, 33, 33, d->offset & 1);
	} else {
		put(w, 50, 50, file_bit(d));
		put(w, 55, 51, ref_is_mme(in) ? 8 : d->sub >> 1);
		put(w, 33, 33, ref_is_mme(in) ? 0 : d->sub & 1);
		put(w, 63, 56, register_number(d));
	}
	put(w, 43, 40, a->type);
	put(w, 44, 44, a->abs);
	put(w, 45, 45, a->neg);
	put(w, 46, 46, a->kind == REF_IMM);
	if (!one_imm64)
		put(w, 95, 92, in->opcode == 0x38 ? in->function : in->cond);
	if (a->kind == REF_IMM) {
		put(w, 127, 96, a->imm);
		if (one_imm64)
			put(w, 95, 64, a->imm >> 32);
	} else {
		put(w, 65, 64, log2_code(a->hs));
		n = (unsigned int)__builtin_ctz(a->w);
		put(w, 83, 81, n);
		put(w, 86, 84, a->kind == REF_VXH ? 7 : log2_code(a->vs));
		put(w, 80, 80, a->kind == REF_INDIRECT || a->kind == REF_VXH);
		if (a->kind == REF_INDIRECT || a->kind == REF_VXH) {
			put(w, 79, 76, a->a0);
			put(w, 75, 66, (uint64_t)a->offset >> 1);
			put(w, 87, 87, a->offset & 1);
		} else {
			put(w, 66, 66, file_bit(a));
			put(w, 71, 67, ref_is_mme(in) ? 8 : a->sub >> 1);
			put(w, 87, 87, ref_is_mme(in) ? 0 : a->sub & 1);
			put(w, 79, 72, register_number(a));
		}
	}
	if (in->sources < 2)
		return;
	put(w, 91, 88, b->type);
	put(w, 47, 47, b->kind == REF_IMM);
	if (b->kind == REF_IMM) {
		put(w, 127, 96, b->imm);
		return;
	}
	put(w, 97, 96, log2_code(b->hs));
	put(w, 115, 113, (unsigned int)__builtin_ctz(b->w));
	put(w, 118, 116, b->kind == REF_VXH ? 7 : log2_code(b->vs));
	put(w, 120, 120, b->abs);
	put(w, 121, 121, b->neg);
	put(w, 112, 112, b->kind == REF_INDIRECT || b->kind == REF_VXH);
	if (b->kind == REF_INDIRECT || b->kind == REF_VXH) {
		put(w, 111, 108, b->a0);
		put(w, 107, 98, (uint64_t)b->offset >> 1);
	} else {
		put(w, 98, 98, file_bit(b));
		put(w, 103, 99, ref_is_mme(in) ? 8 : b->sub >> 1);
		put(w, 111, 104, register_number(b));
	}
}

static unsigned int three_type(enum ref_type type)
{
	static const uint8_t floats[] = {
		[REF_HF] = 1, [REF_F] = 2, [REF_DF] = 3, [REF_BF] = 5,
	};

	return ref_is_float(type) ? floats[type] : type;
}

static unsigned int three_stride(unsigned int vs)
{
	return vs == 8 ? 3 : vs == 4 ? 2 : vs;
}

static void encode_three(const struct ref_insn *in, uint64_t w[2])
{
	const struct ref_operand *d = &in->dst, *s = in->src;
	unsigned int sub[3];

	for (int i = 0; i < 3; i++)
		sub[i] = ref_is_mme(in) ? 8 : s[i].sub >> 1;
	put(w, 39, 39, ref_is_float(d->type));
	put(w, 38, 36, three_type(d->type));
	put(w, 42, 40, three_type(s[0].type));
	put(w, 90, 88, three_type(s[1].type));
	put(w, 82, 80, three_type(s[2].type));
	put(w, 48, 48, d->hs == 2);
	put(w, 50, 50, file_bit(d));
	put(w, 55, 51, ref_is_mme(in) ? 8 : d->sub >> 1);
	put(w, 63, 56, register_number(d));
	put(w, 46, 46, s[0].kind == REF_IMM);
	put(w, 47, 47, s[2].kind == REF_IMM);
	if (s[0].kind == REF_IMM) {
		put(w, 79, 64, s[0].imm);
	} else {
		put(w, 35, 35, three_stride(s[0].vs) & 1);
		put(w, 43, 43, three_stride(s[0].vs) >> 1);
		put(w, 65, 64, log2_code(s[0].hs));
		put(w, 66, 66, file_bit(&s[0]));
		put(w, 71, 67, sub[0]);
		put(w, 79, 72, register_number(&s[0]));
	}
	put(w, 83, 83, three_stride(s[1].vs) & 1);
	put(w, 91, 91, three_stride(s[1].vs) >> 1);
	put(w, 97, 96, log2_code(s[1].hs));
	put(w, 98, 98, file_bit(&s[1]));
	put(w, 103, 99, sub[1]);
	put(w, 111, 104, register_number(&s[1]));
	if (s[2].kind == REF_IMM) {
		put(w, 127, 112, s[2].imm);
	} else {
		put(w, 113, 112, log2_code(s[2].hs));
		put(w, 114, 114, file_bit(&s[2]));
		put(w, 119, 115, sub[2]);
		put(w, 127, 120, register_number(&s[2]));
	}
	if (in->opcode == 0x6b) {
		put(w, 95, 92, in->function >> 4);
		put(w, 87, 84, in->function);
		put(w, 45, 44, in->cond == 1 ? 1 : in->cond == 3 ? 2 : in->cond == 5 ? 3 : 0);
		return;
	}
	put(w, 95, 92, in->cond);
	put(w, 44, 44, s[0].abs);
	put(w, 45, 45, s[0].neg);
	put(w, 86, 86, s[1].abs);
	put(w, 87, 87, s[1].neg);
	put(w, 84, 84, s[2].abs);
	put(w, 85, 85, s[2].neg);
}

void ref_encode(const struct ref_insn *in, uint64_t w[2])
{
	w[0] = w[1] = 0;
	encode_common(in, w);
	if (in->sources == 3)
		encode_three(in, w);
	else
		encode_two(in, w);
}
