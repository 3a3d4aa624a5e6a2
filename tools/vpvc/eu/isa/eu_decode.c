// SPDX-License-Identifier: MIT
/*
 * Decodes an instruction into struct eu_insn. A compacted instruction is first expanded
 * to its native form, so that there is one decoder. "tools/conformance/run" compares the
 * result with Intel's iga64. eu_program.c and eu_disasm.c call this, on any thread.
 */
#include "eu/isa/eu_decode.h"

#include <errno.h>
#include <string.h>

#include "eu/isa/eu_compaction.h"

/* A native instruction: bit n is bit n % 64 of word n / 64. */
struct native {
	uint64_t word[2];
};

static unsigned int get(const struct native *n, unsigned int hi, unsigned int lo)
{
	uint64_t v = n->word[lo / 64] >> (lo % 64);
	unsigned int width = hi - lo + 1;

	return width >= 32 ? (uint32_t)v : v & ((1u << width) - 1);
}

static void put(struct native *n, unsigned int hi, unsigned int lo, uint64_t v)
{
	unsigned int width = hi - lo + 1;
	uint64_t mask = (width < 64 ? (1ull << width) : 0) - 1;

	n->word[lo / 64] &= ~(mask << (lo % 64));
	n->word[lo / 64] |= (v & mask) << (lo % 64);
}

static unsigned int compact_get(uint64_t c, unsigned int hi, unsigned int lo)
{
	return (c >> lo) & ((1u << (hi - lo + 1)) - 1);
}

static void apply(struct native *n, const struct eu_compaction *table,
		  unsigned int index)
{
	uint64_t v = table->entries[index];
	const struct eu_bits *b;

	for (b = table->bits; b->hi; b++) {
		put(n, b->hi, b->lo, v);
		v >>= b->hi - b->lo + 1;
	}
}

static int expand_immediate(struct native *n, unsigned int type, uint32_t imm12)
{
	uint32_t v;

	switch (type) {
	case EU_UB: case EU_UD: case EU_B: case EU_BF8:
		v = imm12;
		break;
	case EU_UW:
		v = imm12 | imm12 << 16;
		break;
	case EU_W:
		v = (uint16_t)(int16_t)((int32_t)(imm12 << 20) >> 20);
		v |= v << 16;
		break;
	case EU_D:
		v = (uint32_t)((int32_t)(imm12 << 20) >> 20);
		break;
	case EU_HF:
		v = (imm12 << 4 & 0xffff) * 0x10001u;
		break;
	case EU_F:
		v = imm12 << 20;
		break;
	default:
		return -EILSEQ;
	}
	put(n, 127, 96, v);
	return 0;
}

static int expand_two(uint64_t c, bool two_sources, struct native *n)
{
	bool imm;

	apply(n, &eu_compact_control, compact_get(c, 22, 18));
	apply(n, &eu_compact_datatype,
	      compact_get(c, 28, 26) | compact_get(c, 31, 30) << 3);
	apply(n, &eu_compact_subreg, compact_get(c, 51, 48));
	apply(n, &eu_compact_src0, compact_get(c, 25, 23));
	put(n, 63, 56, compact_get(c, 39, 32));
	imm = get(n, two_sources ? 47 : 46, two_sources ? 47 : 46);
	if (two_sources || !imm)
		put(n, 79, 72, compact_get(c, 47, 40));
	if (imm)
		return expand_immediate(n, two_sources ? get(n, 91, 88) :
					get(n, 43, 40), compact_get(c, 63, 52));
	if (two_sources) {
		apply(n, &eu_compact_src1, compact_get(c, 55, 52));
		put(n, 111, 104, compact_get(c, 63, 56));
	}
	return 0;
}

static void expand_three(uint64_t c, bool dpas, struct native *n)
{
	apply(n, dpas ? &eu_compact_dpas_control : &eu_compact_ternary_control,
	      compact_get(c, 21, 18));
	apply(n, dpas ? &eu_compact_dpas_source : &eu_compact_ternary_source,
	      compact_get(c, 25, 22));
	apply(n, &eu_compact_ternary_subreg,
	      compact_get(c, 28, 26) | compact_get(c, 31, 30) << 3);
	put(n, 63, 56, compact_get(c, 39, 32));
	put(n, 79, 72, compact_get(c, 47, 40));
	put(n, 111, 104, compact_get(c, 63, 56));
	put(n, 127, 120, compact_get(c, 55, 48));
}

static int expand(uint64_t c, const struct eu_opinfo *info, struct native *n)
{
	if (!(info->has & EU_HAS_COMPACT))
		return -EILSEQ;
	memset(n, 0, sizeof(*n));
	put(n, 6, 0, compact_get(c, 6, 0));
	put(n, 17, 8, compact_get(c, 17, 8));
	switch (info->format) {
	case EU_FMT_THREE:
	case EU_FMT_DPAS:
		expand_three(c, info->format == EU_FMT_DPAS, n);
		return 0;
	case EU_FMT_TWO:
		return expand_two(c, true, n);
	default:
		return expand_two(c, false, n);
	}
}

static int32_t sign_extend(uint32_t v, unsigned int bits)
{
	return (int32_t)(v << (32 - bits)) >> (32 - bits);
}

static int stride(unsigned int code)
{
	return code ? 1 << (code - 1) : 0;
}

/* The type of an immediate shares the code of the register type. */
static uint8_t immediate_type(unsigned int code)
{
	switch (code) {
	case EU_UB: return EU_UV;
	case EU_B: return EU_V;
	case EU_BF8: return EU_VF;
	default: return code;
	}
}

static void decode_dst(const struct native *n, struct eu_operand *o)
{
	o->file = get(n, 50, 50) ? EU_GRF : EU_ARF;
	o->type = get(n, 39, 36);
	o->hs = stride(get(n, 49, 48));
	o->indirect = get(n, 35, 35);
	if (o->indirect) {
		o->file = EU_GRF;
		o->a0 = get(n, 63, 60);
		o->a0_offset = sign_extend(get(n, 59, 50) << 1 | get(n, 33, 33), 11);
	} else {
		o->reg = get(n, 63, 56);
		o->sub = get(n, 55, 51) << 1 | get(n, 33, 33);
	}
}

static int decode_region(struct eu_operand *o, unsigned int vs, unsigned int w)
{
	if (w > 4)
		return -EILSEQ;
	o->w = 1 << w;
	o->vs = vs == 7 ? EU_VXH : stride(vs);
	return vs == 7 && !o->indirect ? -EILSEQ : 0;
}

static int decode_src0(const struct native *n, struct eu_operand *o)
{
	o->type = get(n, 43, 40);
	if (get(n, 46, 46)) {
		o->file = EU_IMM;
		o->type = immediate_type(o->type);
		o->imm = get(n, 127, 96);
		if (eu_typeinfo[o->type].size == 8)
			o->imm |= (uint64_t)get(n, 95, 64) << 32;
		/* Encoders repeat 16-bit values in the high half. */
		if (eu_typeinfo[o->type].size == 2)
			o->imm &= 0xffff;
		o->hs = 0;
		o->w = 1;
		return 0;
	}
	o->file = get(n, 66, 66) ? EU_GRF : EU_ARF;
	o->abs = get(n, 44, 44);
	o->neg = get(n, 45, 45);
	o->hs = stride(get(n, 65, 64));
	o->indirect = get(n, 80, 80);
	if (o->indirect) {
		o->file = EU_GRF;
		o->a0 = get(n, 79, 76);
		o->a0_offset = sign_extend(get(n, 75, 66) << 1 | get(n, 87, 87), 11);
	} else {
		o->reg = get(n, 79, 72);
		o->sub = get(n, 71, 67) << 1 | get(n, 87, 87);
	}
	return decode_region(o, get(n, 86, 84), get(n, 83, 81));
}

static int decode_src1(const struct native *n, struct eu_operand *o)
{
	o->type = get(n, 91, 88);
	if (get(n, 47, 47)) {
		o->file = EU_IMM;
		o->type = immediate_type(o->type);
		o->imm = get(n, 127, 96);
		if (eu_typeinfo[o->type].size == 2)
			o->imm &= 0xffff;
		o->w = 1;
		return eu_typeinfo[o->type].size == 8 ? -EILSEQ : 0;
	}
	o->file = get(n, 98, 98) ? EU_GRF : EU_ARF;
	o->abs = get(n, 120, 120);
	o->neg = get(n, 121, 121);
	o->hs = stride(get(n, 97, 96));
	o->indirect = get(n, 112, 112);
	if (o->indirect) {
		o->file = EU_GRF;
		o->a0 = get(n, 111, 108);
		o->a0_offset = sign_extend(get(n, 107, 98) << 1, 11);
	} else {
		o->reg = get(n, 111, 104);
		o->sub = get(n, 103, 99) << 1;
	}
	return decode_region(o, get(n, 118, 116), get(n, 115, 113));
}

static const uint8_t three_int[8] = {
	EU_UB, EU_UW, EU_UD, EU_UQ, EU_B, EU_W, EU_D, EU_Q
};

static const uint8_t three_float[8] = {
	EU_TYPE12, EU_HF, EU_F, EU_DF, EU_BF8, EU_BF, EU_TF32, EU_TYPE12
};

static uint8_t three_type(const struct native *n, unsigned int code)
{
	return get(n, 39, 39) ? three_float[code] : three_int[code];
}

/* The region <V;H> of a three-source instruction has rows of V/H elements. */
static void three_region(struct eu_operand *o, unsigned int vs, unsigned int hs)
{
	static const uint8_t strides[4] = {0, 1, 4, 8};

	o->vs = strides[vs];
	o->hs = stride(hs);
	o->w = o->hs && o->vs > o->hs ? o->vs / o->hs : 1;
}

static void three_immediate(struct eu_operand *o, uint32_t v)
{
	o->file = EU_IMM;
	o->w = 1;
	o->neg = false;
	o->abs = false;
	o->imm = v;
	if (o->type == EU_D || o->type == EU_W)
		o->imm = (uint64_t)(int64_t)(int16_t)v;
	if (o->type == EU_W)
		o->imm &= 0xffff;
}

static void three_register(const struct native *n, struct eu_operand *o,
			   unsigned int file, unsigned int sub, unsigned int reg)
{
	o->file = get(n, file, file) ? EU_GRF : EU_ARF;
	o->sub = get(n, sub + 4, sub) << 1;
	o->reg = get(n, reg + 7, reg);
}

static void decode_three(const struct native *n, struct eu_insn *in)
{
	struct eu_operand *s = in->src;

	in->sources = 3;
	in->dst.type = three_type(n, get(n, 38, 36));
	in->dst.hs = get(n, 48, 48) ? 2 : 1;
	three_register(n, &in->dst, 50, 51, 56);
	s[0].type = three_type(n, get(n, 42, 40));
	s[1].type = three_type(n, get(n, 90, 88));
	s[2].type = three_type(n, get(n, 82, 80));

	three_region(&s[0], get(n, 43, 43) << 1 | get(n, 35, 35), get(n, 65, 64));
	three_region(&s[1], get(n, 91, 91) << 1 | get(n, 83, 83), get(n, 97, 96));
	s[2].hs = stride(get(n, 113, 112));
	s[2].vs = s[2].hs;
	s[2].w = 1;

	three_register(n, &s[0], 66, 67, 72);
	three_register(n, &s[1], 98, 99, 104);
	three_register(n, &s[2], 114, 115, 120);
	if (in->opcode == EU_OP_BFN) {
		in->function = get(n, 95, 92) << 4 | get(n, 87, 84);
		in->cond = (const uint8_t[]){0, EU_EQ, EU_GT, EU_LT}[get(n, 45, 44)];
	} else {
		in->cond = get(n, 95, 92);
		s[0].abs = get(n, 44, 44);
		s[0].neg = get(n, 45, 45);
		s[1].abs = get(n, 86, 86);
		s[1].neg = get(n, 87, 87);
		s[2].abs = get(n, 84, 84);
		s[2].neg = get(n, 85, 85);
	}
	if (in->opcode == EU_OP_MADM) {
		in->cond = 0;
		in->dst.mme = get(n, 54, 51);
		s[0].mme = get(n, 70, 67);
		s[1].mme = get(n, 102, 99);
		s[2].mme = get(n, 118, 115);
		in->dst.sub = s[0].sub = s[1].sub = s[2].sub = 0;
		in->dst.hs = 1;
		for (int i = 0; i < 3; i++)
			s[i].vs = s[i].w = s[i].hs = 1;
		return;
	}
	if (get(n, 46, 46))
		three_immediate(&s[0], get(n, 79, 64));
	if (get(n, 47, 47))
		three_immediate(&s[2], get(n, 127, 112));
}

/* dpas has the width of its integers in a field beside the type. */
static void dpas_source(struct eu_operand *o, unsigned int precision)
{
	o->precision = precision;
	o->hs = o->w = o->vs = 1;
}

static int decode_dpas(const struct native *n, struct eu_insn *in)
{
	struct eu_operand *s = in->src;

	in->sources = 3;
	in->dst.type = three_type(n, get(n, 38, 36));
	in->dst.hs = 1;
	three_register(n, &in->dst, 50, 51, 56);
	s[0].type = three_type(n, get(n, 42, 40));
	s[1].type = three_type(n, get(n, 90, 88));
	s[2].type = three_type(n, get(n, 82, 80));
	three_register(n, &s[0], 66, 67, 72);
	three_register(n, &s[1], 98, 99, 104);
	three_register(n, &s[2], 114, 115, 120);
	dpas_source(&s[0], 0);
	dpas_source(&s[1], get(n, 87, 86));
	dpas_source(&s[2], get(n, 85, 84));
	in->depth = get(n, 49, 48) ? 1 << get(n, 49, 48) : 0;
	in->repeat = get(n, 45, 43) + 1;
	in->pred = 0;
	return 0;
}

static void decode_branch(const struct native *n, struct eu_insn *in,
			  bool with_uip)
{
	in->branch_ctrl = get(n, 33, 33);
	in->dst.file = EU_NO_OPERAND;
	if (in->opcode == EU_OP_CALL || in->opcode == EU_OP_CALLA) {
		in->dst.file = get(n, 50, 50) ? EU_GRF : EU_ARF;
		in->dst.reg = get(n, 63, 56);
		in->dst.sub = get(n, 55, 51) << 1;
		in->dst.type = EU_UD;
	}
	in->jip_reg = in->opcode == EU_OP_RET || !get(n, 46, 46);
	if (in->jip_reg) {
		in->src[0].file = get(n, 66, 66) ? EU_GRF : EU_ARF;
		in->src[0].reg = get(n, 79, 72);
		in->src[0].sub = get(n, 71, 67) << 1;
		in->src[0].type = EU_UD;
		in->sources = 1;
		return;
	}
	in->has_jip = true;
	in->jip = get(n, 127, 96);
	if (with_uip) {
		in->has_uip = true;
		in->uip = get(n, 95, 64);
	}
}

static void decode_send(const struct native *n, struct eu_insn *in)
{
	in->eot = get(n, 34, 34);
	in->saturate = false;
	in->function = get(n, 95, 92);
	in->desc_reg = get(n, 48, 48);
	in->exdesc_reg = get(n, 49, 49);
	in->dst.file = get(n, 50, 50) ? EU_GRF : EU_ARF;
	in->dst.reg = get(n, 63, 56);
	in->src[0].file = get(n, 66, 66) ? EU_GRF : EU_ARF;
	in->src[0].reg = get(n, 79, 72);
	in->src[1].file = get(n, 98, 98) ? EU_GRF : EU_ARF;
	in->src[1].reg = get(n, 111, 104);
	in->sources = 2;
	in->dst.type = in->src[0].type = in->src[1].type = EU_UD;
	if (!in->desc_reg)
		in->desc = get(n, 123, 122) << 30 | get(n, 71, 67) << 25 |
			   get(n, 55, 51) << 20 | get(n, 121, 113) << 11 |
			   get(n, 91, 81);
	in->src1_len = get(n, 103, 99);
	if (!in->exdesc_reg) {
		in->exdesc = get(n, 127, 124) << 28 | get(n, 97, 96) << 26 |
			     get(n, 65, 64) << 24 | get(n, 47, 35) << 11;
		return;
	}
	in->exdesc_a0 = get(n, 42, 40);
	in->exbso = get(n, 39, 39);
	in->cps = in->exbso && get(n, 43, 43);
	if (!in->exbso)
		in->src1_len = 0xff;
}

static bool exists(uint8_t type)
{
	return eu_typeinfo[type].size != 0;
}

static int check_types(const struct eu_insn *in)
{
	if (in->dst.file != EU_NO_OPERAND && !exists(in->dst.type))
		return -EILSEQ;
	for (int i = 0; i < in->sources; i++)
		if (!exists(in->src[i].type))
			return -EILSEQ;
	return 0;
}

static int decode_native(const struct native *n, struct eu_insn *in,
			 const struct eu_opinfo *info, const char **why)
{
	static const uint8_t sizes[8] = {1, 2, 4, 8, 16, 32, 0, 0};
	int ret = 0;

	in->swsb = get(n, 17, 8);
	in->exec_size = sizes[get(n, 20, 18)];
	in->flag_sub = get(n, 21, 21);
	in->flag = get(n, 23, 22);
	in->channel = get(n, 25, 24) * 8;
	in->pred = get(n, 27, 26);
	in->pred_inv = get(n, 28, 28);
	in->nomask = get(n, 31, 31);
	in->saturate = get(n, 34, 34);

	switch (info->format) {
	case EU_FMT_PLAIN:
		if (in->opcode == EU_OP_ILLEGAL) {
			*why = "illegal instruction";
			return -EILSEQ;
		}
		in->exec_size = 1;
		return 0;
	case EU_FMT_SYNC:
		in->function = get(n, 95, 92);
		in->saturate = false;
		ret = decode_src0(n, &in->src[0]);
		in->sources = 1;
		if (in->src[0].file != EU_IMM)
			in->src[0].type = EU_UD;
		in->exec_size = 1;
		break;
	case EU_FMT_BRANCH_JIP:
	case EU_FMT_RET:
		in->saturate = false;
		decode_branch(n, in, false);
		break;
	case EU_FMT_BRANCH_JIP_UIP:
		in->saturate = false;
		decode_branch(n, in, true);
		break;
	case EU_FMT_SEND:
		decode_send(n, in);
		break;
	case EU_FMT_MATH:
	case EU_FMT_TWO:
		decode_dst(n, &in->dst);
		ret = decode_src0(n, &in->src[0]);
		in->sources = 2;
		if (!ret)
			ret = decode_src1(n, &in->src[1]);
		if (info->format == EU_FMT_TWO) {
			in->cond = get(n, 95, 92);
			break;
		}
		in->function = get(n, 95, 92);
		if (in->function >= EU_INVM) {
			in->dst.mme = get(n, 54, 51);
			in->src[0].mme = get(n, 70, 67);
			in->src[1].mme = get(n, 102, 99);
			in->dst.sub = in->src[0].sub = in->src[1].sub = 0;
		}
		if (in->function != EU_INVM)
			in->sources = 1;
		break;
	case EU_FMT_ONE:
		decode_dst(n, &in->dst);
		ret = decode_src0(n, &in->src[0]);
		in->sources = 1;
		if (!(in->src[0].file == EU_IMM &&
		      eu_typeinfo[in->src[0].type].size == 8))
			in->cond = get(n, 95, 92);
		break;
	case EU_FMT_THREE:
		decode_three(n, in);
		break;
	case EU_FMT_DPAS:
		ret = decode_dpas(n, in);
		break;
	case EU_FMT_NONE:
		break;
	}
	if (!in->exec_size)
		*why = "invalid execution size";
	else if (ret)
		*why = "invalid region";
	else if (check_types(in))
		*why = "invalid type";
	else if (in->cond >= EU_CONDS || in->cond == EU_COND7)
		*why = "invalid condition";
	else
		return 0;
	return -EILSEQ;
}

int eu_decode(const void *code, size_t size, uint32_t ip, struct eu_insn *in,
	      const char **why)
{
	const struct eu_opinfo *info;
	struct native n = {};

	memset(in, 0, sizeof(*in));
	in->ip = ip;
	if (size < 8)
		return -ENODATA;
	memcpy(&n, code, 8);
	in->opcode = n.word[0] & 0x7f;
	info = &eu_opinfo[in->opcode];
	in->size = n.word[0] >> 29 & 1 ? 8 : 16;
	if (size < in->size)
		return -ENODATA;
	if (info->format == EU_FMT_NONE) {
		*why = "unknown opcode";
		return -EILSEQ;
	}
	if (in->size == 8) {
		if (expand(n.word[0], info, &n)) {
			*why = "no such compacted form";
			return -EILSEQ;
		}
	} else {
		memcpy(&n, code, 16);
	}
	return decode_native(&n, in, info, why);
}
