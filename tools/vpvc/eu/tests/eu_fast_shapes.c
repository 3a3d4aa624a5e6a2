// SPDX-License-Identifier: MIT
/*
 * The shapes of operands that have handlers of their own, each forced and repeated, because
 * random instructions seldom have them: every set of fast handlers must have one for the
 * shape, and must leave the same registers, flags and products as the general path.
 */
#include <string.h>

#include "eu/fast/eu_fast.h"
#include "eu/isa/eu_disasm.h"
#include "eu/run/eu_program.h"
#include "eu/tests/machine.h"
#include "eu/tests/reference.h"
#include "tests/test.h"

#define AT(t, r, v)	{ .kind = REF_GRF, .type = REF_##t, .reg = r, .vs = v, .w = 1 }
#define SIDE(t, r)	AT(t, r, 1)		/* contiguous elements */
#define LOW(t, r)	AT(t, r, 2)		/* every second element */
#define HIGH(t, r)	{ .kind = REF_GRF, .type = REF_##t, .reg = r, .sub = 2, .vs = 2, .w = 1 }
#define ONE(t, r)	AT(t, r, 0)		/* one element for all lanes */
#define NEG(t, r, v)	{ .kind = REF_GRF, .type = REF_##t, .reg = r, .vs = v, .w = 1, .neg = true }
#define IMM(t, v)	{ .kind = REF_IMM, .type = REF_##t, .imm = v }
/* A third source has its stride in hs, the first two of three in vs and hs. */
#define THREE(t, r, v)	{ .kind = REF_GRF, .type = REF_##t, .reg = r, .vs = v, .w = 1, .hs = v }

#define TO(t)		{ .kind = REF_GRF, .type = REF_##t, .reg = 4, .hs = 1 }
#define APART(t)	{ .kind = REF_GRF, .type = REF_##t, .reg = 4, .hs = 2 }
#define PART(t, r, s, h) { .kind = REF_GRF, .type = REF_##t, .reg = r, .sub = s, .hs = h }
#define ACC(t)		{ .kind = REF_ACC, .type = REF_##t, .hs = 1 }
#define FLAGS(t)	{ .kind = REF_NULL, .type = REF_##t, .hs = 1 }

#define EQ 1
#define NE 2
#define LT 5

#define TWO(n, o, size, c, d, a, b) \
	{ .name = n, .opcode = o, .exec_size = size, .cond = c, .sources = 2, .dst = d, \
	  .src = { a, b } }
#define MOV(n, size, d, a) \
	{ .name = n, .opcode = 0x61, .exec_size = size, .sources = 1, .dst = d, .src = { a } }
#define OF_THREE(n, o, f, size, d, a, b, c) \
	{ .name = n, .opcode = o, .function = f, .exec_size = size, .sources = 3, .dst = d, \
	  .src = { a, b, c } }

static const struct ref_insn shapes[] = {
	/* words, which handlers widen, and the low halves of wider elements */
	TWO("add", 0x40, 32, 0, TO(D), ONE(D, 60), SIDE(UW, 6)),
	TWO("add", 0x40, 16, 0, TO(D), SIDE(W, 6), SIDE(D, 5)),
	TWO("shl", 0x69, 32, 0, TO(D), SIDE(UW, 5), IMM(UW, 0x20002)),
	TWO("and", 0x65, 32, 0, TO(D), LOW(UW, 5), SIDE(D, 20)),
	TWO("and", 0x65, 32, 0, TO(D), HIGH(UW, 5), SIDE(D, 20)),
	TWO("mul", 0x41, 16, 0, ACC(UD), SIDE(UD, 6), HIGH(UW, 8)),
	TWO("shl", 0x69, 16, 0, TO(Q), LOW(UD, 5), IMM(UW, 0x20002)),
	TWO("add", 0x40, 16, 0, TO(Q), LOW(UD, 4), ONE(Q, 60)),
	TWO("cmp", 0x70, 32, LT, FLAGS(UW), SIDE(UW, 6), IMM(UW, 0x800080)),
	TWO("cmp", 0x70, 32, EQ, FLAGS(W), SIDE(W, 6), SIDE(W, 12)),
	TWO("cmp", 0x70, 16, LT, TO(D), SIDE(W, 6), SIDE(D, 12)),
	TWO("sel", 0x62, 32, 0, TO(D), SIDE(W, 6), SIDE(D, 12)),
	OF_THREE("add3", 0x52, 0, 32, TO(D), THREE(D, 60, 0), THREE(UW, 6, 1),
		 IMM(W, 0x1000100)),
	OF_THREE("mad", 0x5b, 0, 16, TO(D), THREE(W, 6, 1), THREE(D, 60, 0), THREE(W, 62, 1)),
	/* two sources with one element each */
	TWO("add", 0x40, 16, 0, TO(D), ONE(D, 60), ONE(D, 61)),
	TWO("sel", 0x62, 32, 0, TO(D), ONE(D, 60), ONE(D, 61)),
	TWO("cmp", 0x70, 32, LT, TO(D), ONE(D, 60), ONE(D, 61)),
	/* every function of three bits, see below */
	OF_THREE("bfn", 0x6b, 0xca, 32, TO(UD), THREE(UD, 6, 1), THREE(UD, 8, 1),
		 THREE(UD, 10, 1)),
	OF_THREE("bfn", 0x6b, 0xca, 16, TO(UD), THREE(UD, 60, 0), THREE(UD, 8, 1),
		 THREE(UD, 61, 0)),
	/* exact products */
	TWO("mul", 0x41, 16, 0, ACC(D), SIDE(D, 6), SIDE(D, 8)),
	TWO("mul", 0x41, 16, 0, ACC(UD), SIDE(UD, 6), SIDE(UD, 8)),
	TWO("mul", 0x41, 16, 0, ACC(D), SIDE(D, 6), LOW(UW, 8)),
	TWO("mul", 0x41, 16, 0, ACC(UD), SIDE(UD, 6), LOW(UW, 8)),
	TWO("mul", 0x41, 16, 0, ACC(D), SIDE(D, 6), SIDE(UD, 8)),
	TWO("mach", 0x49, 16, 0, TO(D), SIDE(D, 4), SIDE(D, 8)),
	TWO("mach", 0x49, 16, 0, TO(UD), SIDE(UD, 6), SIDE(UD, 4)),
	TWO("mach", 0x49, 16, 0, TO(D), SIDE(D, 6), SIDE(UD, 8)),
	TWO("macl", 0x53, 16, 0, TO(D), SIDE(D, 6), SIDE(D, 8)),
	TWO("macl", 0x53, 16, 0, TO(UD), SIDE(UD, 6), SIDE(UD, 8)),
	/* destinations that are not contiguous */
	MOV("mov", 16, APART(UD), SIDE(UD, 5)),
	MOV("mov", 16, APART(D), SIDE(D, 4)),
	MOV("mov", 16, PART(UD, 4, 4, 2), SIDE(UD, 5)),
	MOV("mov", 2, PART(UB, 74, 10, 1), ONE(UB, 60)),
	MOV("mov", 4, PART(UB, 74, 4, 1), ONE(UB, 60)),
	MOV("mov", 2, PART(UB, 74, 1, 2), ONE(UW, 60)),
	MOV("mov", 2, PART(W, 74, 8, 1), ONE(D, 60)),
	MOV("mov", 2, PART(B, 74, 2, 1), NEG(W, 60, 0)),
	/* equal to the negative */
	TWO("cmp", 0x70, 32, EQ, FLAGS(D), SIDE(D, 6), NEG(D, 8, 1)),
	TWO("cmp", 0x70, 32, NE, FLAGS(D), NEG(D, 6, 1), ONE(D, 60)),
	TWO("cmp", 0x70, 16, NE, TO(D), SIDE(D, 6), NEG(D, 60, 0)),
	TWO("cmp", 0x70, 16, EQ, TO(D), NEG(W, 6, 1), SIDE(D, 8)),
	TWO("cmp", 0x70, 8, EQ, FLAGS(D), SIDE(D, 6), NEG(D, 8, 1)),
	TWO("cmp", 0x70, 1, NE, FLAGS(D), ONE(D, 6), NEG(D, 8, 0)),
};

/* Two instructions that one handler runs, if all lanes execute the first one */
static const struct ref_insn pairs[][2] = {
	{ TWO("mul", 0x41, 16, 0, ACC(D), SIDE(D, 6), LOW(UW, 8)),
	  TWO("macl", 0x53, 16, 0, TO(D), SIDE(D, 6), SIDE(D, 8)) },
	{ TWO("mul", 0x41, 16, 0, ACC(UD), SIDE(UD, 6), LOW(UW, 8)),
	  TWO("mach", 0x49, 16, 0, TO(UD), SIDE(UD, 6), SIDE(UD, 8)) },
	{ TWO("mul", 0x41, 16, 0, ACC(UD), SIDE(UD, 6), IMM(UW, 0xcccdcccd)),
	  TWO("mach", 0x49, 16, 0, TO(UD), SIDE(UD, 6), IMM(UD, 0xcccccccd)) },
	/* the result goes where a source is, and the second one reads other registers */
	{ TWO("mul", 0x41, 16, 0, ACC(D), SIDE(D, 4), SIDE(D, 8)),
	  TWO("mach", 0x49, 16, 0, TO(D), SIDE(D, 12), SIDE(D, 4)) },
};

static uint64_t seed;

static unsigned int below(unsigned int n)
{
	return (unsigned int)(test_random(&seed) >> 16) % n;
}

/* Few values, so that lanes are often equal, and those at which arithmetic goes wrong */
static uint32_t value(void)
{
	static const uint32_t values[] = {
		0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 5, 0xfffffffb, 0x10000, 0xffff,
		0x8000, 0xffff8000, 0x80008000, 0x12345678,
	};
	unsigned int n = sizeof(values) / sizeof(values[0]);
	unsigned int i = below(n + 3);

	return i < n ? values[i] : (uint32_t)test_random(&seed);
}

static void random_registers(struct bench *b)
{
	struct eu_thread *t = b->a;

	for (unsigned int i = 0; i < 80 * EU_REG_BYTES; i += 4)
		eu_put32(t, i, value());
	for (unsigned int i = 0; i < 4 * EU_REG_BYTES; i += 4)
		eu_put32(t, EU_ACC_OFF + i, value());
	for (unsigned int f = 0; f < 4; f++)
		eu_put32(t, EU_ARF_SLOT(EU_FLAG) + 4 * f, (uint32_t)test_random(&seed));
	eu_put32(t, EU_ARF_SLOT(EU_CR), EU_CR0_KEEP_DF | EU_CR0_KEEP_F | EU_CR0_KEEP_HF);
	for (unsigned int l = 0; l < EU_MAX_LANES; l++)
		t->wide[l] = (int64_t)test_random(&seed) >> below(40);
	t->wide_valid = below(4);
	t->em = below(2) ? UINT32_MAX : (uint32_t)test_random(&seed);
	t->worker = b->w;
	t->limit = UINT64_MAX;
	memcpy(b->b, t, sizeof(*t));
}

static bool same(const struct eu_thread *a, const struct eu_thread *b)
{
	return !memcmp(a->regs, b->regs, sizeof(a->regs)) && a->em == b->em &&
	       !memcmp(a->wide, b->wide, sizeof(a->wide)) && a->wide_valid == b->wide_valid;
}

/* Makes a variant of a shape: masks, and any function of three bits. */
static void vary(struct ref_insn *in)
{
	if (in->opcode == 0x6b)
		in->function = below(256);
	in->nomask = below(2);
	in->flag = below(4);
	if (in->opcode == 0x62 || (!in->cond && !below(3)))
		in->pred = 1;
	in->pred_inv = in->pred && below(2);
	if (in->exec_size == 16)
		in->channel = 16 * below(2);
}

static void compare(struct bench *b, const struct ref_insn *shape)
{
	struct ref_insn in = *shape;
	struct eu_op *op;
	char text[256];
	uint64_t w[2];

	vary(&in);
	ref_encode(&in, w);
	op = bench_decode(b, w);
	REQUIRE(op && !op->why);
	eu_print(&op->in, text, sizeof(text));
	for (unsigned int i = 0; i < eu_fast_levels; i++) {
		const struct eu_fast_level *level = &eu_fast_level[i];
		eu_exec *fast;

		if (!level->supported())
			continue;
		fast = eu_fast_select_from(level->table, b->w, op);
		if (!fast) {
			test_fail(__FILE__, __LINE__, "%s has no handler: %s", level->name, text);
			return;
		}
		for (int k = 0; k < 12; k++) {
			random_registers(b);
			fast(b->a, op);
			op->general(b->b, op);
			if (same(b->a, b->b))
				continue;
			test_fail(__FILE__, __LINE__, "%s differs: %s", level->name, text);
			return;
		}
	}
}

/* Runs a pair by its one handler, and by the general path. */
static void compare_pair(struct bench *b, const struct eu_fast_level *level, struct eu_op *first,
			 struct eu_op *second)
{
	for (int k = 0; k < 12; k++) {
		uint64_t executed = second->executed;

		random_registers(b);
		b->a->instructions = b->b->instructions = 0;
		first->exec[0](b->a, first);
		REQUIRE(second->executed == executed + 1);
		first->general(b->b, first);
		second->general(b->b, second);
		if (same(b->a, b->b) && b->a->instructions == b->b->instructions)
			continue;
		test_fail(__FILE__, __LINE__, "%s differs", level->name);
		return;
	}
}

static void join(struct bench *b, const struct ref_insn pair[2])
{
	struct ref_insn in[2] = { pair[0], pair[1] };
	struct eu_op *first, *second;
	uint64_t w[2];
	uint32_t cost;
	eu_exec *alone;

	vary(&in[0]);
	vary(&in[1]);
	ref_encode(&in[1], w);
	memcpy(b->m.memory + MACHINE_CODE + 16, w, 16);
	ref_encode(&in[0], w);
	first = bench_decode(b, w);
	second = eu_fetch(b->w, MACHINE_CODE + 16, &cost);
	REQUIRE(first && !first->why && !second->why);
	first->next = (struct eu_edge){ second, 1 };
	for (unsigned int i = 0; i < eu_fast_levels; i++) {
		const struct eu_fast_level *level = &eu_fast_level[i];

		if (!level->supported())
			continue;
		alone = eu_fast_select_from(level->table, b->w, first);
		first->exec[0] = first->exec[1] = alone;
		second->exec[0] = second->exec[1] =
			eu_fast_select_from(level->table, b->w, second);
		eu_fast_join_from(level->table, first);
		REQUIRE((first->exec[0] != alone) == (in[0].nomask && !in[0].pred));
		REQUIRE(first->exec[0] == first->exec[1]);
		if (first->exec[0] != alone)
			compare_pair(b, level, first, second);
	}
}

TEST(eu_pairs_with_one_handler_equal_the_general_path)
{
	struct bench b;

	REQUIRE(bench_init(&b));
	seed = 29;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		for (int k = 0; k < 60; k++)
			join(&b, pairs[i]);
	bench_fini(&b);
}

TEST(eu_shapes_with_their_own_handlers_equal_the_general_path)
{
	struct bench b;

	REQUIRE(bench_init(&b));
	seed = 23;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (int k = 0; k < 40; k++)
			compare(&b, &shapes[i]);
	bench_fini(&b);
}
