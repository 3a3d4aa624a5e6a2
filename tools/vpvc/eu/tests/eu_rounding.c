// SPDX-License-Identifier: MIT
/* Tests that a conversion from any type to bf rounds only once. */
#include <string.h>

#include "eu/tests/machine.h"
#include "eu/tests/reference.h"
#include "tests/test.h"

TEST(eu_bf_is_rounded_once)
{
	static const struct {
		double from;
		uint16_t to;
		bool is_int;
	} cases[] = {
		{ 0x01010001, 0x4b81, true }, { 0x01010000, 0x4b80, true },
		{ 0x01030000, 0x4b82, true }, { 0x0102ffff, 0x4b81, true },
		{ -0x01010001, 0xcb81, true }, { 0, 0, true }, { 1, 0x3f80, true },
		{ 0x1.0100000000001p0, 0x3f81, false }, { 0x1.01p0, 0x3f80, false },
		{ 0x1.02ffffffffffp0, 0x3f81, false }, { -0x1.0100000000001p0, 0xbf81, false },
		/* denormals, and both ends of bf's range */
		{ 0x1.8p-133, 0x0002, false }, { 0x1.0000000001p-134, 0x0001, false },
		{ 0x1p-134, 0, false }, { -0x1p-300, 0x8000, false },
		{ 0x1.fefffffffffp127, 0x7f7f, false }, { 0x1.ffp127, 0x7f80, false },
		{ -0x1p300, 0xff80, false },
	};
	struct bench b;

	REQUIRE(bench_init(&b));
	b.a->worker = b.w;
	b.a->limit = UINT64_MAX;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ref_insn in = {
			.opcode = 0x61, .exec_size = 1, .sources = 1,
			.dst = { .kind = REF_GRF, .type = REF_BF, .reg = 20, .hs = 1 },
			.src[0] = { .kind = REF_GRF, .type = REF_DF, .reg = 10, .w = 1 },
		};
		int32_t n = (int32_t)cases[i].from;
		struct eu_op *op;
		uint64_t w[2];

		memcpy(b.a->regs + 10 * EU_REG_BYTES, &cases[i].from, 8);
		if (cases[i].is_int) {
			in.src[0].type = REF_D;
			memcpy(b.a->regs + 10 * EU_REG_BYTES, &n, 4);
		}
		ref_encode(&in, w);
		op = bench_decode(&b, w);
		REQUIRE(op);
		CHECK(bench_execute(&b, op, UINT32_MAX));
		if ((uint16_t)eu_get32(b.a, 20 * EU_REG_BYTES) != cases[i].to)
			test_fail(__FILE__, __LINE__, "%a gives %#x, not %#x", cases[i].from,
				  eu_get32(b.a, 20 * EU_REG_BYTES) & 0xffff, cases[i].to);
	}
	bench_fini(&b);
}
