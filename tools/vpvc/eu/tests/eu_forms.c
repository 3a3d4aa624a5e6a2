// SPDX-License-Identifier: MIT
/*
 * Tests every arithmetic opcode with every type, in every form of operand, predicate,
 * condition, modifier and execution size. The table of the reference has the forms of the
 * instruction set. The test encodes random instructions, runs them by the general path and
 * by each set of fast handlers, and compares the results with the reference. The test fails
 * when a form is not implemented, or when no case had the form.
 */
#include <errno.h>
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "eu/fast/eu_fast.h"
#include "eu/isa/eu_disasm.h"
#include "eu/tests/machine.h"
#include "eu/tests/reference.h"
#include "tests/test.h"

/* The opcodes that are not arithmetic, and the tests that run them */
static const struct {
	unsigned int opcode;
	const char *test;
} elsewhere[] = {
	{ 0x00, "eu_illegal_instruction_stops" }, { 0x01, "compiled kernels" },
	{ 0x20, "eu_halt_brc_brd_jmpi" }, { 0x21, "eu_halt_brc_brd_jmpi" },
	{ 0x22, "eu_if_else_endif" }, { 0x23, "eu_halt_brc_brd_jmpi" },
	{ 0x24, "eu_if_else_endif" }, { 0x25, "eu_if_else_endif" },
	{ 0x27, "eu_while_break_cont" }, { 0x28, "eu_while_break_cont" },
	{ 0x29, "eu_while_break_cont" }, { 0x2a, "eu_halt_brc_brd_jmpi" },
	{ 0x2b, "eu_calls_at_an_address" }, { 0x2c, "eu_some_channels_return_early" },
	{ 0x2d, "eu_some_channels_return_early" }, { 0x2e, "compiled kernels" },
	{ 0x2f, "compiled kernels" }, { 0x31, "eu_messages" }, { 0x32, "eu_messages" },
	{ 0x54, "eu_stochastic_rounding" }, { 0x59, "eu_systolic" },
	{ 0x60, "compiled kernels" }, { 0x63, "eu_movi_picks_inside_a_register" },
};

/* The forms of a source operand */
enum operand_form {
	CONTIGUOUS, SCALAR, STRIDED, TWO_DIMENSIONS, ACCUMULATOR, IMMEDIATE, INDIRECT,
	ADDRESS_PER_LANE, OPERAND_FORMS
};

static const char *const operand_names[OPERAND_FORMS] = {
	"contiguous", "scalar", "strided", "two-dimensional", "accumulator", "immediate",
	"indirect", "an address per lane",
};

enum dst_form { DST_GRF, DST_STRIDED, DST_ACC, DST_NULL, DST_INDIRECT, DST_FORMS };

/* How many cases of one form of the table had each property */
struct seen {
	unsigned int operand[3][OPERAND_FORMS], dst[DST_FORMS];
	unsigned int pred[4], inverse, cond[10], saturate, neg[3], abs[3];
	unsigned int exec_size[33], channel[32], nomask, fast;
};

static uint64_t seed;

static unsigned int below(unsigned int n)
{
	return (unsigned int)(test_random(&seed) >> 16) % n;
}

/* ---- types ---- */

static const char *const type_names[] = {
	"ub", "uw", "ud", "uq", "b", "w", "d", "q", "bf8", "hf", "f", "df", "?", "bf", "tf32",
};

/* Returns the mask of the types that a list names. */
static uint32_t type_mask(const char *text, const char *end)
{
	uint32_t mask = 0;

	while (text < end) {
		size_t n = strcspn(text, " ;");
		uint32_t before = mask;

		if (!n) {
			text++;
			continue;
		}
		if (n == 3 && !strncmp(text, "int", 3))
			mask |= 0x77;
		else if (n == 4 && !strncmp(text, "byte", 4))
			mask |= 0x11;
		for (unsigned int t = 0; t < sizeof(type_names) / sizeof(type_names[0]); t++)
			if (strlen(type_names[t]) == n && !strncmp(text, type_names[t], n))
				mask |= 1u << t;
		if (mask == before)
			test_fail(__FILE__, __LINE__, "unknown type \"%.8s\"", text);
		text += n;
	}
	return mask;
}

/* ---- operands ---- */

static uint64_t random_bits(void)
{
	static const uint32_t special[] = {
		0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00001, 0x3f800000, 0x00000001,
		0x80000001, 0x7fffffff, 0xffffffff, 0x4f000000, 0x3c003c00, 0x7c00fc00,
		0x00ff0080, 0x3ff00000, 0x7ff00000, 0x3f000000, 0x40200000, 0x4b000001,
	};
	uint64_t r = test_random(&seed);

	switch (r & 7) {
	case 0:
		return special[(r >> 8) % (sizeof(special) / 4)];
	case 1:		/* a small integer */
		return (uint32_t)((int32_t)(r >> 8 & 0xff) - 128);
	case 2:		/* floats of any size near 1 */
		return 0x3f000000 | (r >> 8 & 0x81ffffff);
	case 3:
		return (0x3c003c00u ^ (uint32_t)(r >> 20 & 0x83ff83ff));
	default:
		return (uint32_t)(r >> 16);
	}
}

static void random_immediate(struct ref_operand *o, bool short_form)
{
	uint64_t v = random_bits();

	o->kind = REF_IMM;
	o->neg = o->abs = false;
	if (short_form) {		/* 16 bits of a three-source instruction */
		v &= 0xffff;
		o->imm = v;
		if (o->type == REF_D)
			o->imm = (uint32_t)(int32_t)(int16_t)v;
	} else if (ref_size(o->type) == 2) {
		o->imm = (v & 0xffff) * 0x10001u;
	} else if (ref_size(o->type) == 8) {
		o->imm = v << 32 | random_bits();
	} else {
		o->imm = v;
	}
}

/* Number of bytes from the first element to the end of the last one */
static unsigned int footprint(const struct ref_operand *o, unsigned int lanes)
{
	unsigned int last = 0;

	for (unsigned int l = 0; l < lanes; l++) {
		unsigned int at = l / o->w * o->vs + l % o->w * o->hs;

		if (at > last)
			last = at;
	}
	return (last + 1) * ref_size(o->type);
}

static void region(struct ref_operand *o, unsigned int vs, unsigned int w, unsigned int hs)
{
	o->vs = vs;
	o->w = w;
	o->hs = hs;
}

/* Chooses a random place in the registers that has room for the operand. */
static void random_place(struct ref_operand *o, unsigned int lanes, bool even)
{
	unsigned int size = ref_size(o->type), bytes = footprint(o, lanes);
	unsigned int room = o->kind == REF_ACC ? 8 * 64 : 128 * 64, at;

	at = below((room - bytes) / size + 1) * size;
	if (even)
		at &= ~1u;
	if (below(2))
		at &= ~63u;
	o->reg = at / 64;
	o->sub = at % 64;
}

static void random_region(struct ref_operand *o, enum operand_form form, bool three)
{
	static const uint8_t strides[] = { 0, 1, 2, 4, 8, 16, 32 };

	switch (form) {
	case SCALAR:
		region(o, 0, 1, 0);
		break;
	case STRIDED:
		region(o, three ? 4 : 2u << below(3), 1, 0);
		break;
	case TWO_DIMENSIONS:
		if (three) {
			/* <V;H>: rows of V/H */
			o->vs = 4u << below(2);
			o->hs = 1u << below(3);
			o->w = o->vs / o->hs;
			if (o->w < 1)
				o->w = 1;
		} else {
			region(o, strides[below(7)], 1u << below(5), strides[below(4)]);
		}
		break;
	default:
		region(o, 1, 1, 0);
	}
}

static enum operand_form random_source(const struct ref_insn *in, unsigned int i,
				       struct ref_operand *o)
{
	bool three = in->sources == 3, can_imm = three ? i != 1 : i == in->sources - 1;
	enum operand_form form = below(OPERAND_FORMS);
	unsigned int hs;

	/* Half of the cases have the forms that compilers emit most. */
	if (below(2))
		form = below(3) ? CONTIGUOUS : SCALAR;
	if (form == IMMEDIATE && can_imm && in->opcode != 0x38 && o->type != REF_TF32 &&
	    (!three || ref_size(o->type) == 2 || o->type == REF_UD || o->type == REF_D) &&
	    (in->sources == 1 || ref_size(o->type) != 8)) {
		/* Vector immediates have no abs or neg; as an immediate, bf8 means vf. */
		if (!three || !(ref_size(o->type) == 1)) {
			random_immediate(o, three);
			return IMMEDIATE;
		}
	}
	if (form == IMMEDIATE ||
	    ((three || in->opcode == 0x38) && (form == INDIRECT || form == ADDRESS_PER_LANE)))
		form = CONTIGUOUS;
	if (three && i == 2 && form == TWO_DIMENSIONS)
		form = STRIDED;		/* src2 has a stride only */
	o->kind = form == ACCUMULATOR ? REF_ACC : REF_GRF;
	random_region(o, form, three);
	if (three && i == 2) {
		static const uint8_t strides[] = { 2, 4 };

		hs = form == SCALAR ? 0 : form == STRIDED ? strides[below(2)] : 1;
		region(o, hs, 1, hs);
	}
	if (form == INDIRECT || form == ADDRESS_PER_LANE) {
		o->kind = form == INDIRECT ? REF_INDIRECT : REF_VXH;
		o->a0 = below(16);
		o->offset = (int)(below(128) - 64) * 8;
		if (form == INDIRECT) {
			random_region(o, below(3), false);
			return form;
		}
		/* Each row has one address, and there are 16 addresses. */
		o->w = 1u << below(3);
		while (in->exec_size / o->w > 16)
			o->w *= 2;
		o->hs = o->w > 1 ? below(2) : 0;
		o->vs = 0;
		o->a0 = in->exec_size >= o->w ? below(17 - in->exec_size / o->w) : 0;
		return form;
	}
	random_place(o, in->exec_size, i == 1 || three);
	return form;
}

static enum dst_form random_dst(const struct ref_insn *in, struct ref_operand *d)
{
	enum dst_form form = below(2) ? DST_GRF : below(DST_FORMS);
	bool three = in->sources == 3;
	bool acc_used = in->opcode == 0x48 || in->opcode == 0x49 || in->opcode == 0x53 ||
			in->opcode == 0x4e || in->opcode == 0x4f;

	if (form == DST_INDIRECT && (three || in->opcode == 0x38))
		form = DST_GRF;
	if (form == DST_ACC && acc_used)
		form = DST_NULL;
	d->hs = form == DST_STRIDED ? (three ? 2 : 2u << below(2)) : 1;
	d->kind = REF_GRF;
	switch (form) {
	case DST_NULL:
		d->kind = REF_NULL;
		d->reg = d->sub = 0;
		return form;
	case DST_ACC:
		d->kind = REF_ACC;
		d->reg = 2 * below(3);
		d->sub = 0;
		return form;
	case DST_INDIRECT:
		d->kind = REF_INDIRECT;
		d->a0 = below(16);
		d->offset = (int)(below(128) - 64) * 8;
		return form;
	default:
		/* A destination has no vs and w: footprint() needs them. */
		d->vs = d->hs;
		d->w = 1;
		random_place(d, in->exec_size, three);
		return form;
	}
}

static void random_condition(struct ref_insn *in, const struct ref_form *form)
{
	static const uint8_t codes[] = { 1, 2, 3, 4, 5, 6, 8, 9 };
	bool imm64 = in->sources == 1 && in->src[0].kind == REF_IMM &&
		     ref_size(in->src[0].type) == 8;

	in->cond = 0;
	if (!(form->has & REF_HAS_COND) || imm64)
		return;
	if (in->opcode == 0x6b) {
		in->cond = (const uint8_t[]){ 0, 1, 3, 5 }[below(4)];
		return;
	}
	if (in->opcode == 0x72 || in->opcode == 0x70 || in->opcode == 0x71)
		in->cond = codes[below(6)];
	else if (in->opcode == 0x62)
		in->cond = below(2) ? codes[below(6)] : 0;
	else if (!below(3))
		in->cond = codes[below(8)];
	if ((in->opcode == 0x70 || in->opcode == 0x71) && ref_is_float(in->src[0].type) &&
	    !below(8))
		in->cond = 9;
}

static void random_modifiers(struct ref_insn *in, const struct ref_form *form, struct seen *seen)
{
	if (!(form->has & REF_HAS_MODS))
		return;
	for (unsigned int i = 0; i < in->sources; i++) {
		struct ref_operand *o = &in->src[i];

		if (o->kind == REF_IMM || below(3))
			continue;
		/* The logic opcodes complement a source, and then abs has no meaning. */
		o->abs = below(2) && !(in->opcode >= 0x64 && in->opcode <= 0x67);
		o->neg = below(2);
		seen->abs[i] += o->abs;
		seen->neg[i] += o->neg;
	}
}

static void random_insn(struct ref_insn *in, const struct ref_form *form, enum ref_type dst,
			const enum ref_type *src, struct seen *seen)
{
	memset(in, 0, sizeof(*in));
	in->name = form->name;
	in->opcode = form->opcode & 0x7f;
	in->function = form->opcode >> 8;
	in->sources = form->sources;
	if (in->opcode == 0x6b)
		in->function = below(256);
	in->exec_size = 1u << below(6);
	if (below(2))
		in->exec_size = 16u << below(2);
	in->channel = 8 * below((32 - in->exec_size) / 8 + 1);
	in->nomask = below(2);
	in->flag = below(4);
	in->flag_sub = in->exec_size + in->channel > 16 ? 0 : below(2);
	if (form->has & REF_HAS_PRED && !below(3)) {
		in->pred = 1 + (below(3) ? 0 : below(3));
		in->pred_inv = below(2);
	}
	in->dst.type = dst;
	for (unsigned int i = 0; i < in->sources; i++) {
		in->src[i].type = src[i];
		if (ref_is_mme(in)) {
			in->src[i].kind = REF_GRF;
			region(&in->src[i], 1, 1, 0);
			in->src[i].reg = 4 + below(100);
			seen->operand[i][CONTIGUOUS]++;
		} else {
			seen->operand[i][random_source(in, i, &in->src[i])]++;
		}
	}
	if (ref_is_mme(in)) {
		in->dst.kind = REF_GRF;
		in->dst.reg = 4 + below(100);
		in->dst.hs = 1;
		seen->dst[DST_GRF]++;
	} else {
		seen->dst[random_dst(in, &in->dst)]++;
	}
	random_condition(in, form);
	/* sel has either a predicate or a condition. */
	if (in->opcode == 0x62 && in->cond)
		in->pred = 0;
	else if (in->opcode == 0x62 && !in->pred)
		in->pred = 1;
	in->saturate = form->has & REF_HAS_SAT && !below(3);
	random_modifiers(in, form, seen);
	seen->pred[in->pred]++;
	seen->inverse += in->pred && in->pred_inv;
	seen->cond[in->cond]++;
	seen->saturate += in->saturate;
	seen->nomask += in->nomask;
	seen->exec_size[in->exec_size]++;
	seen->channel[in->channel]++;
}

/* ---- state ---- */

static void random_state(struct ref_state *s)
{
	static const uint16_t rounding[] = { 0, 0, 0, 0x10, 0x20, 0x30 };

	for (unsigned int i = 0; i < sizeof(s->grf); i += 4) {
		uint32_t v = (uint32_t)random_bits();

		memcpy(s->grf + i, &v, sizeof(v));
	}
	for (unsigned int i = 0; i < sizeof(s->acc); i += 4) {
		uint32_t v = (uint32_t)random_bits();

		memcpy(s->acc + i, &v, sizeof(v));
	}
	for (int i = 0; i < 16; i++)
		s->a0[i] = (uint16_t)(1024 + below(1400) * 8);
	for (int i = 0; i < 4; i++)
		s->f[i] = below(4) ? (uint32_t)test_random(&seed) : below(2) ? UINT32_MAX : 0;
	s->cr0 = 0x4c0 | rounding[below(6)] | (below(4) ? 0 : 0x1000);
	if (!below(6))
		s->cr0 &= ~0x4c0u;
	s->em = below(3) ? UINT32_MAX : (uint32_t)test_random(&seed);
	for (int l = 0; l < REF_LANES; l++)
		s->wide[l] = (int64_t)test_random(&seed) >> 15;
	s->wide_valid = below(2);
}

static void load_state(struct bench *b, const struct ref_state *s)
{
	struct eu_thread *t = b->a;

	memcpy(t->regs, s->grf, sizeof(s->grf));
	memcpy(t->regs + EU_ACC_OFF, s->acc, sizeof(s->acc));
	memcpy(t->regs + EU_ARF_SLOT(EU_A0), s->a0, sizeof(s->a0));
	memcpy(t->regs + EU_ARF_SLOT(EU_FLAG), s->f, sizeof(s->f));
	eu_put32(t, EU_ARF_SLOT(EU_CR), s->cr0);
	memcpy(t->wide, s->wide, sizeof(t->wide));
	t->wide_valid = s->wide_valid;
	t->em = s->em;
	t->limit = UINT64_MAX;
	t->worker = b->w;
	t->status = EU_T_READY;
	eu_thread_cr0_changed(t);
}

static bool is_nan_bits(uint64_t bits, enum ref_type type)
{
	static const struct {
		uint64_t infinity, magnitude;
	} formats[] = {
		[REF_BF8] = { 0x7c, 0x7f }, [REF_HF] = { 0x7c00, 0x7fff },
		[REF_F] = { 0x7f800000, 0x7fffffff },
		[REF_DF] = { 0x7ffull << 52, INT64_MAX }, [REF_BF] = { 0x7f80, 0x7fff },
		[REF_TF32] = { 0x7f800000, 0x7fffffff },
	};

	return (bits & formats[type].magnitude) > formats[type].infinity;
}

/* Copies the reference's result into @got where a result may differ from the reference. */
static void forgive(const struct ref_insn *in, const struct ref_result *r,
		    const struct ref_state *want, struct ref_state *got)
{
	const uint8_t *base = r->where;

	if (!base)
		return;
	for (unsigned int l = 0; l < in->exec_size; l++) {
		bool in_acc = in->dst.kind == REF_ACC;
		uint8_t *g = (in_acc ? got->acc : got->grf) + r->at[l];
		const uint8_t *w = (in_acc ? want->acc : want->grf) + r->at[l];
		uint64_t a = 0, b = 0;

		if (!(r->mask >> l & 1) || r->exact[l] == REF_BITS ||
		    !ref_is_float(in->dst.type))
			continue;
		memcpy(&a, g, r->size);
		memcpy(&b, w, r->size);
		if ((is_nan_bits(a, in->dst.type) && is_nan_bits(b, in->dst.type)) ||
		    (r->exact[l] == REF_ONE_ULP && a - b + 1 <= 2))
			memcpy(g, w, r->size);
	}
}

static void store_state(const struct bench *b, struct ref_state *s)
{
	const struct eu_thread *t = b->a;

	memcpy(s->grf, t->regs, sizeof(s->grf));
	memcpy(s->acc, t->regs + EU_ACC_OFF, sizeof(s->acc));
	memcpy(s->a0, t->regs + EU_ARF_SLOT(EU_A0), sizeof(s->a0));
	memcpy(s->f, t->regs + EU_ARF_SLOT(EU_FLAG), sizeof(s->f));
	s->cr0 = eu_get32(t, EU_ARF_SLOT(EU_CR));
	s->em = t->em;
	s->wide_valid = t->wide_valid;
	/* The wide products are compared only while they are valid. */
	if (t->wide_valid)
		memcpy(s->wide, t->wide, sizeof(s->wide));
}

static struct ref_state before, want, got;
static unsigned int reported;

static void report(const struct ref_insn *in, const struct ref_result *r, const struct eu_op *op,
		   const char *path)
{
	char text[256];

	if (reported++ > 3)
		return;
	eu_print(&op->in, text, sizeof(text));
	for (unsigned int l = 0; l < in->exec_size && r->where; l++) {
		bool in_acc = in->dst.kind == REF_ACC;
		uint64_t a = 0, b = 0;

		memcpy(&a, (in_acc ? got.acc : got.grf) + r->at[l], r->size);
		memcpy(&b, (in_acc ? want.acc : want.grf) + r->at[l], r->size);
		if (a != b) {
			test_fail(__FILE__, __LINE__,
				  "%s: %s: lane %u is 0x%llx, not 0x%llx (cr0 0x%x)", path, text, l,
				  (unsigned long long)a, (unsigned long long)b, before.cr0);
			return;
		}
	}
	for (int f = 0; f < 4; f++)
		if (got.f[f] != want.f[f])
			test_fail(__FILE__, __LINE__,
				  "%s: %s: f%d is 0x%08x, not 0x%08x (cr0 0x%x)", path,
				  text, f, got.f[f], want.f[f], before.cr0);
	test_fail(__FILE__, __LINE__, "%s: %s: state differs (acc %d, wide %d %d)", path, text,
		  memcmp(got.acc, want.acc, sizeof(got.acc)) != 0, got.wide_valid,
		  want.wide_valid);
}

static void run_path(struct bench *b, struct eu_op *op, eu_exec *exec, const struct ref_insn *in,
		     const struct ref_result *r, const char *path)
{
	load_state(b, &before);
	got = before;
	exec(b->a, op);
	fesetround(FE_TONEAREST);
	b->w->rounding = FE_TONEAREST;
	store_state(b, &got);
	forgive(in, r, &want, &got);
	if (!want.wide_valid)
		memcpy(want.wide, got.wide, sizeof(want.wide));
	if (b->a->status == EU_T_STOPPED || memcmp(&want, &got, sizeof(want)))
		report(in, r, op, path);
}

static void run_case(struct bench *b, const struct ref_insn *in, struct seen *seen)
{
	struct ref_result r;
	uint64_t w[2];
	struct eu_op *op;
	char text[256];

	ref_encode(in, w);
	op = bench_decode(b, w);
	if (!op)	/* the decoder drops an instruction without an effect */
		return;
	if (op->why) {
		eu_disassemble(w, sizeof(w), 0, text, sizeof(text));
		if (reported++ < 3)
			test_fail(__FILE__, __LINE__, "%s: %s: %s", in->name, text, op->why);
		return;
	}
	want = before;
	ref_execute(in, &want, &r);
	run_path(b, op, op->general, in, &r, "general");
	if (op->exec[0] == op->general || !(~before.cr0 & 0x4c0)) {
		for (unsigned int i = 0; i < eu_fast_levels; i++) {
			eu_exec *fast = eu_fast_select_from(eu_fast_level[i].table, b->w, op);

			if (!fast || !eu_fast_level[i].supported())
				continue;
			seen->fast++;
			run_path(b, op, fast, in, &r, eu_fast_level[i].name);
		}
	}
}

/* ---- the walk over the table ---- */

static void run_types(struct bench *b, const struct ref_form *form, enum ref_type dst,
		      const enum ref_type *src, struct seen *seen)
{
	unsigned int cases = form->sources == 3 ? 16 : form->sources == 2 ? 24 : 80;
	struct ref_insn in;

	/* An opcode of few types has as many forms as others, and gets more cases. */
	if (strlen(form->types) < 24)
		cases *= 6;
	for (unsigned int i = 0; i < cases; i++) {
		if (i % 8 == 0)
			random_state(&before);
		random_insn(&in, form, dst, src, seen);
		run_case(b, &in, seen);
	}
}

static void run_sources(struct bench *b, const struct ref_form *form, enum ref_type dst,
			uint32_t mask, struct seen *seen)
{
	enum ref_type src[3];

	for (src[0] = 0; src[0] < 15; src[0]++)
		for (src[1] = 0; src[1] < 15; src[1]++)
			for (src[2] = 0; src[2] < 15; src[2]++) {
				bool used = true;

				for (unsigned int i = 0; i < 3; i++)
					used &= i < form->sources ? mask >> src[i] & 1 : !src[i];
				if (used)
					run_types(b, form, dst, src, seen);
			}
}

static void missing(const struct ref_form *form, const char *what, const char *which)
{
	test_fail(__FILE__, __LINE__, "%s: no case with %s %s", form->name, what, which);
}

static void check_seen(const struct ref_form *form, const struct seen *seen)
{
	static const char *const conds[] = {
		"none", "eq", "ne", "gt", "ge", "lt", "le", "?", "ov", "un",
	};
	bool math = (form->opcode & 0x7f) == 0x38, three = form->sources == 3;
	bool mme = form->opcode == 0x5d || (math && form->opcode >> 8 >= 14);
	unsigned int opcode = form->opcode & 0x7f;

	for (unsigned int i = 0; i < form->sources && !mme; i++)
		for (unsigned int k = 0; k < OPERAND_FORMS; k++) {
			bool can = true;

			if (k == IMMEDIATE)
				can = !math && (three ? i != 1 && strcspn(form->types, "wdh") <
						strlen(form->types) : i == form->sources - 1);
			else if (k == INDIRECT || k == ADDRESS_PER_LANE)
				can = !math && !three;
			else if (k == TWO_DIMENSIONS)
				can = !(three && i == 2);
			if (can && !seen->operand[i][k])
				missing(form, "an operand that is", operand_names[k]);
		}
	for (unsigned int i = 0; i < form->sources && form->has & REF_HAS_MODS; i++)
		if (!seen->neg[i] || (!seen->abs[i] && (opcode < 0x64 || opcode > 0x67)))
			missing(form, "a source modifier", "");
	for (unsigned int p = form->has & REF_HAS_PRED ? 0 : 4; p < 4; p++)
		if (!seen->pred[p] && opcode != 0x62)
			missing(form, "a predicate", p == 2 ? "any" : p == 3 ? "all" : "");
	for (unsigned int c = 1; c < 10 && form->has & REF_HAS_COND; c++) {
		bool can = c != 7;

		if (opcode == 0x6b)
			can = c == 1 || c == 3 || c == 5;
		else if (opcode == 0x62 || opcode == 0x70 || opcode == 0x71 || opcode == 0x72)
			can = c < 7;
		if (can && !seen->cond[c])
			missing(form, "condition", conds[c]);
	}
	if (form->has & REF_HAS_SAT && !seen->saturate)
		missing(form, "saturation", "");
	for (unsigned int n = 1; n <= 32; n *= 2)
		if (!seen->exec_size[n])
			missing(form, "an execution size", "");
	for (unsigned int c = 0; c < 32; c += 8)
		if (!seen->channel[c])
			missing(form, "a channel offset", "");
}

TEST(eu_forms_equal_the_reference)
{
	struct bench b;

	REQUIRE(bench_init(&b));
	seed = 77;
	reported = 0;
	b.w->rounding = FE_TONEAREST;
	for (const struct ref_form *form = ref_forms; form->name; form++) {
		const char *text = form->types;
		struct seen seen = { 0 };

		reported = 0;

		while (*text) {
			const char *arrow = strstr(text, "<-"), *end = text + strcspn(text, ";");
			uint32_t to = type_mask(text, arrow), from = type_mask(arrow + 2, end);

			for (enum ref_type dst = 0; dst < 15; dst++)
				if (to >> dst & 1)
					run_sources(&b, form, dst, from, &seen);
			text = *end ? end + 1 : end;
		}
		check_seen(form, &seen);
	}
	bench_fini(&b);
}

TEST(eu_no_opcode_is_left_out)
{
	bool known[EU_OPCODES] = { false };

	for (const struct ref_form *form = ref_forms; form->name; form++)
		known[form->opcode & 0x7f] = true;
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		known[elsewhere[i].opcode] = true;
	for (unsigned int o = 0; o < EU_OPCODES; o++)
		if (known[o] != (eu_opcode_name(o) != NULL))
			test_fail(__FILE__, __LINE__, "opcode 0x%02x (%s): %s", o,
				  eu_opcode_name(o) ? : "?", known[o] ? "does not exist" :
				  "no test runs it");
}

TEST(eu_list_of_opcodes_has_the_references_modifiers)
{
	static const unsigned int columns[][2] = {
		{ REF_HAS_PRED, EU_HAS_PRED }, { REF_HAS_COND, EU_HAS_COND },
		{ REF_HAS_SAT, EU_HAS_SAT }, { REF_HAS_MODS, EU_HAS_MODS },
	};
	unsigned int has[EU_OPCODES] = { 0 };

	for (const struct ref_form *form = ref_forms; form->name; form++)
		has[form->opcode & 0x7f] |= form->has;
	for (const struct ref_form *form = ref_forms; form->name; form++) {
		unsigned int o = form->opcode & 0x7f;

		for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
			if (!(has[o] & columns[i][0]) != !(eu_opinfo[o].has & columns[i][1]))
				test_fail(__FILE__, __LINE__, "%s: modifiers 0x%x, not 0x%x",
					  form->name, eu_opinfo[o].has, has[o]);
	}
}
