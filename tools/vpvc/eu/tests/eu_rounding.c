// SPDX-License-Identifier: MIT
/* Tests that a result of type bf, tf32 or bf8 is rounded only once, to nearest even. */
#include <fenv.h>
#include <string.h>

#include "eu/tests/machine.h"
#include "eu/tests/reference.h"
#include "tests/test.h"

#define FROM	10u		/* registers */
#define ALSO	12u
#define RESULT	20u

static const struct rounding {
	double from;
	enum ref_type type;
	uint32_t to;
} doubles[] = {
	{ 0x1.0100000000001p0, REF_BF, 0x3f81 }, { 0x1.01p0, REF_BF, 0x3f80 },
	{ 0x1.02ffffffffffp0, REF_BF, 0x3f81 }, { -0x1.0100000000001p0, REF_BF, 0xbf81 },
	{ 0x1.0020000000001p0, REF_TF32, 0x3f802000 }, { 0x1.002p0, REF_TF32, 0x3f800000 },
	{ 0x1.005ffffffffffp0, REF_TF32, 0x3f802000 }, { 0x1.006p0, REF_TF32, 0x3f804000 },
	{ -0x1.0020000000001p0, REF_TF32, 0xbf802000 },
	{ 0x1.2000000000001p0, REF_BF8, 0x3d }, { 0x1.2p0, REF_BF8, 0x3c },
	{ 0x1.5ffffffffffffp0, REF_BF8, 0x3d }, { 0x1.6p0, REF_BF8, 0x3e },
	{ -0x1.2000000000001p0, REF_BF8, 0xbd },
	/* denormals, and both ends of the range */
	{ 0x1.8p-133, REF_BF, 0x0002 }, { 0x1.0000000001p-134, REF_BF, 0x0001 },
	{ 0x1p-134, REF_BF, 0 }, { -0x1p-300, REF_BF, 0x8000 },
	{ 0x1.fefffffffffffp127, REF_BF, 0x7f7f }, { 0x1.ffp127, REF_BF, 0x7f80 },
	{ -0x1p300, REF_BF, 0xff80 },
	{ 0x1.8p-136, REF_TF32, 0x4000 }, { 0x1.0000000001p-137, REF_TF32, 0x2000 },
	{ 0x1p-137, REF_TF32, 0 }, { -0x1p-300, REF_TF32, 0x80000000 },
	{ 0x1.ffdffffffffffp127, REF_TF32, 0x7f7fe000 }, { 0x1.ffep127, REF_TF32, 0x7f800000 },
	{ -0x1p300, REF_TF32, 0xff800000 },
	{ 0x1.8p-16, REF_BF8, 0x02 }, { 0x1.0000000000001p-17, REF_BF8, 0x01 },
	{ 0x1p-17, REF_BF8, 0 }, { 0x1.cp-15, REF_BF8, 0x04 }, { 0x1p-14, REF_BF8, 0x04 },
	{ -0x1p-300, REF_BF8, 0x80 }, { 0x1.dffffffffffffp15, REF_BF8, 0x7b },
	{ 0x1.ep15, REF_BF8, 0x7c }, { -0x1p300, REF_BF8, 0xfc },
}, integers[] = {
	{ 0x01010001, REF_BF, 0x4b81 }, { 0x01010000, REF_BF, 0x4b80 },
	{ 0x01030000, REF_BF, 0x4b82 }, { 0x0102ffff, REF_BF, 0x4b81 },
	{ -0x01010001, REF_BF, 0xcb81 }, { 0, REF_BF, 0 }, { 1, REF_BF, 0x3f80 },
	{ 0x01002001, REF_TF32, 0x4b802000 }, { 0x01002000, REF_TF32, 0x4b800000 },
	{ -0x01002001, REF_TF32, 0xcb802000 }, { 0, REF_TF32, 0 },
	{ 5, REF_BF8, 0x45 }, { 9, REF_BF8, 0x48 }, { -11, REF_BF8, 0xca },
	{ 70000, REF_BF8, 0x7c },
};

/* Executes the instruction in each rounding mode of cr0, which these types ignore. */
static void execute(struct bench *b, const struct ref_insn *in, const struct rounding *r)
{
	struct eu_op *op;
	uint64_t w[2];

	ref_encode(in, w);
	op = bench_decode(b, w);
	REQUIRE(op);
	for (uint32_t mode = 0; mode < 4; mode++) {
		eu_put32(b->a, EU_ARF_SLOT(EU_CR), mode << 4 | EU_CR0_KEEP_DF |
			 EU_CR0_KEEP_F | EU_CR0_KEEP_HF);
		b->a->worker = b->w;
		eu_thread_cr0_changed(b->a);
		eu_put32(b->a, RESULT * EU_REG_BYTES, 0);
		CHECK(bench_execute(b, op, UINT32_MAX));
		if (eu_get32(b->a, RESULT * EU_REG_BYTES) != r->to)
			test_fail(__FILE__, __LINE__, "%a to type %u in mode %u: %#x, not %#x",
				  r->from, r->type, mode,
				  eu_get32(b->a, RESULT * EU_REG_BYTES), r->to);
	}
}

static void convert(struct bench *b, const struct rounding *r, enum ref_type from)
{
	const struct ref_insn in = {
		.opcode = 0x61, .exec_size = 1, .sources = 1,
		.dst = { .kind = REF_GRF, .type = r->type, .reg = RESULT, .hs = 1 },
		.src[0] = { .kind = REF_GRF, .type = from, .reg = FROM, .w = 1 },
	};
	int32_t n = (int32_t)r->from;

	if (from == REF_DF)
		memcpy(b->a->regs + FROM * EU_REG_BYTES, &r->from, 8);
	else
		memcpy(b->a->regs + FROM * EU_REG_BYTES, &n, 4);
	execute(b, &in, r);
}

TEST(eu_conversions_round_once)
{
	struct bench b;

	REQUIRE(bench_init(&b));
	for (size_t i = 0; i < sizeof(doubles) / sizeof(doubles[0]); i++)
		convert(&b, &doubles[i], REF_DF);
	for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++)
		convert(&b, &integers[i], REF_D);
	fesetround(FE_TONEAREST);
	bench_fini(&b);
}

/* A sum of floats that a double does not hold is next to a tie of bf. */
TEST(eu_sums_of_floats_round_once)
{
	const struct ref_insn in = {
		.opcode = 0x40, .exec_size = 1, .sources = 2,
		.dst = { .kind = REF_GRF, .type = REF_BF, .reg = RESULT, .hs = 1 },
		.src = { { .kind = REF_GRF, .type = REF_F, .reg = FROM, .w = 1 },
			 { .kind = REF_GRF, .type = REF_F, .reg = ALSO, .w = 1 } },
	};
	static const struct rounding above = { 0x1.01p0, REF_BF, 0x3f81 };
	static const struct rounding below = { 0x1.03p0, REF_BF, 0x3f81 };
	float a = 0x1.01p0f, c = 0x1.03p0f, little = 0x1p-60f, less = -little;
	struct bench b;

	REQUIRE(bench_init(&b));
	memcpy(b.a->regs + FROM * EU_REG_BYTES, &a, 4);
	memcpy(b.a->regs + ALSO * EU_REG_BYTES, &little, 4);
	execute(&b, &in, &above);
	memcpy(b.a->regs + FROM * EU_REG_BYTES, &c, 4);
	memcpy(b.a->regs + ALSO * EU_REG_BYTES, &less, 4);
	execute(&b, &in, &below);
	fesetround(FE_TONEAREST);
	bench_fini(&b);
}
