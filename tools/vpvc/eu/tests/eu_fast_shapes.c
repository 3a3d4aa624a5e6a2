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
#define HIGH(t, r)	{ .kind = REF_GRF, .type = REF_##t, .reg = r, .sub = 2, .vs = 2, \
			  .w = 1 }
#define ONE(t, r)	AT(t, r, 0)		/* one element for all lanes */
#define NEG(t, r, v)	{ .kind = REF_GRF, .type = REF_##t, .reg = r, .vs = v, .w = 1, \
			  .neg = true }
#define IMM(t, v)	{ .kind = REF_IMM, .type = REF_##t, .imm = v }
/* A third source has its stride in hs, the first two of three in vs and hs. */
#define THREE(t, r, v)	{ .kind = REF_GRF, .type = REF_##t, .reg = r, .vs = v, .w = 1, \
			  .hs = v }

#define TO(t)		{ .kind = REF_GRF, .type = REF_##t, .reg = 4, .hs = 1 }
#define APART(t)	{ .kind = REF_GRF, .type = REF_##t, .reg = 4, .hs = 2 }
#define PART(t, r, s, h) { .kind = REF_GRF, .type = REF_##t, .reg = r, .sub = s, .hs = h }
#define ACC(t)		{ .kind = REF_ACC, .type = REF_##t, .hs = 1 }
#define FLAGS(t)	{ .kind = REF_NULL, .type = REF_##t, .hs = 1 }

#define EQ 1
#define NE 2
#define GT 3
#define GE 4
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

/* Two instructions that one handler runs, if all lanes execute the first one, or both */
static const struct pair {
	struct ref_insn in[2];
	enum { ALWAYS, FIRST_UNMASKED, BOTH_UNMASKED } when;
} pairs[] = {
	{ { TWO("mul", 0x41, 16, 0, ACC(D), SIDE(D, 6), LOW(UW, 8)),
	    TWO("macl", 0x53, 16, 0, TO(D), SIDE(D, 6), SIDE(D, 8)) }, FIRST_UNMASKED },
	{ { TWO("mul", 0x41, 16, 0, ACC(UD), SIDE(UD, 6), LOW(UW, 8)),
	    TWO("mach", 0x49, 16, 0, TO(UD), SIDE(UD, 6), SIDE(UD, 8)) }, FIRST_UNMASKED },
	{ { TWO("mul", 0x41, 16, 0, ACC(UD), SIDE(UD, 6), IMM(UW, 0xcccdcccd)),
	    TWO("mach", 0x49, 16, 0, TO(UD), SIDE(UD, 6), IMM(UD, 0xcccccccd)) }, FIRST_UNMASKED },
	/* the result goes where a source is, and the second one reads other registers */
	{ { TWO("mul", 0x41, 16, 0, ACC(D), SIDE(D, 4), SIDE(D, 8)),
	    TWO("mach", 0x49, 16, 0, TO(D), SIDE(D, 12), SIDE(D, 4)) }, FIRST_UNMASKED },
	/* the payload of a barrier, the second one also from the result of the first */
	{ { MOV("mov", 1, PART(F, 74, 8, 1), IMM(F, 0x3f800000)),
	    MOV("mov", 2, PART(UB, 74, 10, 1), ONE(UB, 60)) }, BOTH_UNMASKED },
	{ { MOV("mov", 1, PART(D, 74, 8, 1), ONE(UD, 60)),
	    MOV("mov", 2, PART(W, 74, 8, 1), ONE(D, 74)) }, BOTH_UNMASKED },
	/* halves of 32 quadwords; the second ones also read results of the first */
	{ { MOV("mov", 16, APART(UD), SIDE(UD, 6)),
	    MOV("mov", 16, PART(UD, 6, 0, 2), SIDE(UD, 4)) }, ALWAYS },
	{ { TWO("shl", 0x69, 16, 0, TO(Q), LOW(UD, 6), IMM(UW, 0x20002)),
	    TWO("shl", 0x69, 16, 0, PART(Q, 8, 0, 1), LOW(UD, 4), IMM(UW, 0x30003)) }, ALWAYS },
	{ { TWO("add", 0x40, 16, 0, TO(Q), SIDE(Q, 6), ONE(Q, 60)),
	    TWO("add", 0x40, 16, 0, PART(Q, 8, 0, 1), SIDE(Q, 4), ONE(Q, 4)) }, ALWAYS },
};

/* Comparisons that one handler runs together with the goto behind them */
static const struct ref_insn comparisons[] = {
	TWO("cmp", 0x70, 32, LT, FLAGS(UW), SIDE(UW, 6), IMM(UW, 0x800080)),
	TWO("cmp", 0x70, 16, EQ, FLAGS(W), SIDE(W, 6), IMM(W, 0)),
	TWO("cmp", 0x70, 32, EQ, FLAGS(D), SIDE(D, 6), SIDE(D, 8)),
	TWO("cmp", 0x70, 16, NE, TO(D), SIDE(D, 4), SIDE(D, 8)),
	TWO("cmp", 0x70, 32, GT, FLAGS(UD), SIDE(UD, 6), SIDE(UD, 8)),
	TWO("cmp", 0x70, 32, GE, FLAGS(D), SIDE(D, 6), SIDE(D, 8)),
	TWO("cmp", 0x70, 16, LT, FLAGS(UD), SIDE(UD, 6), IMM(UD, 5)),
	TWO("cmp", 0x70, 32, EQ, FLAGS(D), SIDE(D, 6), NEG(D, 8, 1)),
	TWO("cmp", 0x70, 32, NE, FLAGS(D), NEG(D, 6, 1), SIDE(D, 8)),
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

/* ---- two instructions with one handler ---- */

/* Places of the program: a goto waits at and jumps to the join or the last place. */
#define SECOND	16
#define BEHIND	32
#define JOIN	64
#define JOINED	80
#define LAST	112
#define PLACES	(LAST / 16 + 1)

static struct eu_op *place(struct bench *b, uint32_t offset)
{
	uint32_t cost;

	return eu_fetch(b->w, MACHINE_CODE + offset, &cost);
}

/* An edge that a thread has taken */
static struct eu_edge edge_to(struct bench *b, uint32_t offset)
{
	struct eu_op *op = place(b, offset);

	return (struct eu_edge){ op, 1, op->in.opcode == EU_OP_JOIN };
}

static void put_code(struct bench *b, uint32_t offset, const uint64_t w[2])
{
	memcpy(b->m.memory + MACHINE_CODE + offset, w, 16);
}

/* Makes a goto of any form for the lanes and the flags of a comparison. */
static void encode_goto(const struct ref_insn *cmp, uint64_t w[2])
{
	uint32_t jip = (below(2) ? JOIN : LAST) - SECOND, uip = (below(3) ? JOIN : LAST) - SECOND;

	w[0] = 0x2e | (uint64_t)__builtin_ctz(cmp->exec_size) << 18 | cmp->flag << 22 |
	       cmp->channel / 8 << 24 | (below(4) ? 1 : below(4)) << 26 | below(2) << 28 |
	       (uint64_t)!below(4) << 31 | (uint64_t)below(2) << 33 | 1ull << 46;
	w[1] = (uint64_t)jip << 32 | uip;
}

/* Returns the first instruction of a program; its edges are known. */
static struct eu_op *lay_out(struct bench *b, const uint64_t first[2], const uint64_t second[2])
{
	static const struct ref_insn plain = MOV("mov", 1, TO(D), ONE(D, 5));
	const uint64_t join[2] = { 0x2f | 5 << 18 | 1ull << 46, (uint64_t)(JOINED - JOIN) << 32 };
	struct eu_op *op, *goes;
	uint64_t w[2];

	ref_encode(&plain, w);
	for (uint32_t at = BEHIND; at <= LAST; at += 16)
		put_code(b, at, at == JOIN ? join : w);
	put_code(b, SECOND, second);
	op = bench_decode(b, first);
	for (uint32_t at = 0; at < LAST; at += 16)
		place(b, at)->next = edge_to(b, at + 16);
	goes = place(b, SECOND);
	if (goes->in.opcode == EU_OP_GOTO) {
		goes->jump.jip = edge_to(b, SECOND + goes->in.jip);
		goes->jump.uip = edge_to(b, SECOND + goes->in.uip);
	}
	goes = place(b, JOIN);
	goes->jump.jip = edge_to(b, JOINED);
	return op;
}

/*
 * Runs the two instructions, and the join if it follows; returns where the thread is then. A
 * thread that loses its turn goes on.
 */
static struct eu_op *drive(struct bench *b, struct eu_thread *t, bool fast, uint64_t *executed)
{
	struct eu_op *op = place(b, 0);

	for (int i = 0; i < PLACES; i++)
		place(b, 16 * i)->executed = 0;
	while (op && (op->in.ip - MACHINE_CODE <= SECOND || op->in.ip - MACHINE_CODE == JOIN)) {
		op->executed++;
		op = fast ? op->exec[0](t, op) : op->general(t, op);
		if (!op) {
			t->limit = UINT64_MAX;
			op = t->op;
		}
	}
	for (int i = 0; i < PLACES; i++)
		executed[i] = place(b, 16 * i)->executed;
	return op;
}

/* Some channels wait already, at the join or elsewhere, and some threads lose their turn. */
static void random_channels(struct bench *b)
{
	struct eu_thread *t = b->a;
	uint32_t waiting = below(2) ? (uint32_t)test_random(&seed) & ~t->em : 0;

	if (below(3))
		t->em &= (uint32_t)test_random(&seed) | 1;
	t->num_waits = 0;
	if (waiting & ~t->em) {
		t->waits[0] = (struct eu_wait){ MACHINE_CODE + (below(2) ? JOIN : LAST),
						waiting & ~t->em };
		t->num_waits = 1;
	}
	t->instructions = 0;
	t->limit = below(8) ? 100 : 1;
	t->op = NULL;
	memcpy(b->b, t, sizeof(*t));
}

static bool same_way(const struct eu_thread *a, const struct eu_thread *b)
{
	if (a->num_waits != b->num_waits ||
	    a->instructions != b->instructions || a->limit != b->limit)
		return false;
	for (unsigned int i = 0; i < a->num_waits; i++)
		if (a->waits[i].ip != b->waits[i].ip ||
		    a->waits[i].channels != b->waits[i].channels)
			return false;
	return same(a, b);
}

/* Runs a pair by its one handler, and by the general path. */
static void compare_pair(struct bench *b, const char *level)
{
	uint64_t fast[PLACES], general[PLACES];
	struct eu_op *to;

	for (int k = 0; k < 12; k++) {
		random_registers(b);
		random_channels(b);
		to = drive(b, b->a, true, fast);
		if (to == drive(b, b->b, false, general) && same_way(b->a, b->b) &&
		    !memcmp(fast, general, sizeof(fast)))
			continue;
		test_fail(__FILE__, __LINE__, "%s differs", level);
		return;
	}
}

/* Joins two instructions at each level, and compares the pair if @expected. */
static void join(struct bench *b, const uint64_t w[2][2], bool expected)
{
	struct eu_op *first = lay_out(b, w[0], w[1]), *second = place(b, SECOND);
	eu_exec *alone;

	REQUIRE(first && !first->why && !second->why);
	for (unsigned int i = 0; i < eu_fast_levels; i++) {
		const struct eu_fast_level *level = &eu_fast_level[i];

		if (!level->supported())
			continue;
		alone = eu_fast_select_from(level->table, b->w, first);
		first->exec[0] = first->exec[1] = alone;
		second->exec[0] = second->exec[1] =
			eu_fast_select_from(level->table, b->w, second);
		eu_fast_join_from(level->table, first);
		REQUIRE((first->exec[0] != alone) == expected);
		REQUIRE(first->exec[0] == first->exec[1]);
		if (expected)
			compare_pair(b, level->name);
	}
}

static bool unmasked(const struct ref_insn *in)
{
	return in->nomask && !in->pred;
}

static void join_pair(struct bench *b, const struct pair *pair)
{
	struct ref_insn in[2] = { pair->in[0], pair->in[1] };
	uint64_t w[2][2];

	for (int i = 0; i < 2; i++) {
		vary(&in[i]);
		ref_encode(&in[i], w[i]);
	}
	join(b, w, pair->when == ALWAYS ||
	     (unmasked(&in[0]) && (pair->when == FIRST_UNMASKED || unmasked(&in[1]))));
}

TEST(eu_pairs_with_one_handler_equal_the_general_path)
{
	struct bench b;

	REQUIRE(bench_init(&b));
	seed = 29;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		for (int k = 0; k < 60; k++)
			join_pair(&b, &pairs[i]);
	bench_fini(&b);
}

TEST(eu_comparisons_with_a_goto_equal_the_general_path)
{
	struct bench b;

	REQUIRE(bench_init(&b));
	seed = 31;
	for (size_t i = 0; i < sizeof(comparisons) / sizeof(comparisons[0]); i++)
		for (int k = 0; k < 400; k++) {
			struct ref_insn in = comparisons[i];
			uint64_t w[2][2];

			vary(&in);
			in.pred = !below(3);
			ref_encode(&in, w[0]);
			encode_goto(&in, w[1]);
			join(&b, w, true);
		}
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
