// SPDX-License-Identifier: MIT
/*
 * The systolic array and two-dimensional blocks, which the compiler the test
 * kernels were built with does not emit: single instructions as iga64 encodes
 * them, against loops in C.
 */
#include <math.h>
#include <string.h>

#include "eu/isa/eu_convert.h"
#include "eu/isa/eu_disasm.h"
#include "eu/tests/machine.h"
#include "tests/test.h"

#define R(n)	((n) * EU_REG_BYTES)

/* Prepare and run one instruction; false when the thread stopped. */
static bool execute(struct bench *b, uint64_t low, uint64_t high, const char *text)
{
	uint64_t code[2] = {low, high};
	char got[128];
	struct eu_op *op = bench_decode(b, code);

	eu_print(&op->in, got, sizeof(got));
	if (strcmp(got, text))
		test_fail(__FILE__, __LINE__, "\"%s\", not \"%s\"", got, text);
	if (bench_execute(b, op, UINT32_MAX))
		return true;
	test_fail(__FILE__, __LINE__, "stopped: %s", b->run.stop.text);
	return false;
}

static uint32_t dword(const struct bench *b, unsigned int off)
{
	return eu_get32(b->a, off);
}

static float as_float(uint32_t v)
{
	float f;

	memcpy(&f, &v, sizeof(f));
	return f;
}

static void fill(struct bench *b, unsigned int from, unsigned int regs, uint32_t mask,
		 uint32_t set, uint64_t *seed)
{
	for (unsigned int i = R(from); i < R(from + regs); i += 4)
		eu_put32(b->a, i, ((uint32_t)test_random(seed) & mask) | set);
}

TEST(eu_systolic_bytes)
{
	int32_t c[4][16];
	uint64_t seed = 21;
	struct bench b;

	REQUIRE(bench_init(&b));
	fill(&b, 20, 4, UINT32_MAX, 0, &seed);
	fill(&b, 30, 8, UINT32_MAX, 0, &seed);
	fill(&b, 50, 4, UINT32_MAX, 0, &seed);
	memcpy(c, b.a->regs + R(20), sizeof(c));
	if (execute(&b, 0x0a071e6000100059, 0x32041e0404001404,
		    "dpas.8x4 (16|M0) r10:d r20:d r30:b r50.0:ub"))
		for (unsigned int m = 0; m < 4; m++)
			for (unsigned int n = 0; n < 16; n++) {
				uint32_t sum = c[m][n];

				for (unsigned int k = 0; k < 32; k++) {
					uint8_t a = b.a->regs[R(50) + m * 32 + k];
					int8_t x = b.a->regs[R(30 + k / 4) + n * 4 + k % 4];

					sum += (uint32_t)(a * x);
				}
				CHECK_EQ(dword(&b, R(10 + m) + n * 4), sum);
			}
	bench_fini(&b);
}

/* Small multiples of 1/8 keep every sum exact, whatever the order. */
TEST(eu_systolic_halves_accumulate_in_place)
{
	float c[8][16];
	uint64_t seed = 22;
	struct bench b;

	REQUIRE(bench_init(&b));
	for (unsigned int i = 0; i < 8 * 16; i++) {
		float f = (float)(i % 19) - 9;

		memcpy(b.a->regs + R(10) + 4 * i, &f, sizeof(f));
	}
	/* exponents 15..18, three bits of fraction, any sign */
	fill(&b, 30, 8, 0x8f808f80, 0x3c003c00, &seed);
	fill(&b, 50, 4, 0x8f808f80, 0x3c003c00, &seed);
	memcpy(c, b.a->regs + R(10), sizeof(c));
	if (execute(&b, 0x0a073aa000100059, 0x32041e0401010a04,
		    "dpas.8x8 (16|M0) r10:f r10:f r30:hf r50.0:hf"))
		for (unsigned int m = 0; m < 8; m++)
			for (unsigned int n = 0; n < 16; n++) {
				double sum = c[m][n];

				for (unsigned int k = 0; k < 16; k++) {
					uint16_t x, y;

					memcpy(&x, b.a->regs + R(50) + m * 32 + k * 2, 2);
					memcpy(&y, b.a->regs + R(30 + k / 2) + n * 4 +
					       k % 2 * 2, 2);
					sum += eu_half_to_double(x) * eu_half_to_double(y);
				}
				CHECK(as_float(dword(&b, R(10 + m) + n * 4)) == (float)sum);
			}
	bench_fini(&b);
}

TEST(eu_systolic_without_an_addend)
{
	uint64_t seed = 23;
	struct bench b;

	REQUIRE(bench_init(&b));
	fill(&b, 10, 8, UINT32_MAX, 0, &seed);
	/* bf16: exponents 127..130, two bits of fraction */
	fill(&b, 30, 8, 0x81e081e0, 0x3f803f80, &seed);
	fill(&b, 50, 4, 0x81e081e0, 0x3f803f80, &seed);
	if (execute(&b, 0x0a073aa000100059, 0x32041e0405050000,
		    "dpas.8x8 (16|M0) r10:f null:f r30:bf r50.0:bf"))
		for (unsigned int m = 0; m < 8; m++)
			for (unsigned int n = 0; n < 16; n++) {
				double sum = 0;

				for (unsigned int k = 0; k < 16; k++) {
					uint32_t x = dword(&b, R(50) + m * 32 + k / 2 * 4);
					uint32_t y = dword(&b, R(30 + k / 2) + n * 4);

					x = k % 2 ? x & 0xffff0000 : x << 16;
					y = k % 2 ? y & 0xffff0000 : y << 16;
					sum += (double)as_float(x) * as_float(y);
				}
				CHECK(as_float(dword(&b, R(10 + m) + n * 4)) == (float)sum);
			}
	bench_fini(&b);
}

#define ROWS	20
#define PITCH	128

/* A surface of 16-bit elements, each different, and the header of a block */
static uint64_t surface(struct bench *b, unsigned int width, int x, int y,
			unsigned int block_width, unsigned int block_height)
{
	uint64_t va = machine_alloc(&b->m, ROWS * PITCH);
	uint16_t *p = machine_at(&b->m, va);
	uint32_t header[8] = {
		(uint32_t)va, va >> 32, width - 1, ROWS - 1, PITCH - 1,
		(uint32_t)x, (uint32_t)y, (block_width - 1) | (block_height - 1) << 8,
	};

	for (unsigned int i = 0; i < ROWS * PITCH / 2; i++)
		p[i] = i * 7 + 1;
	memcpy(b->a->regs + R(50), header, sizeof(header));
	return va;
}

static uint16_t word_at(const struct bench *b, unsigned int off)
{
	uint16_t v;

	memcpy(&v, b->a->regs + off, sizeof(v));
	return v;
}

/* What the surface holds, 0 outside of it */
static uint32_t expect(struct bench *b, uint64_t va, unsigned int width, int x, int y,
		       unsigned int bytes)
{
	uint32_t v = 0;

	if (x < 0 || y < 0 || y >= ROWS || (x + 1) * bytes > width)
		return 0;
	memcpy(&v, (uint8_t *)machine_at(&b->m, va) + y * PITCH + x * bytes, bytes);
	return v;
}

TEST(eu_block_loads_clip_at_the_border)
{
	struct bench b;
	uint64_t va;

	REQUIRE(bench_init(&b));
	va = surface(&b, 100, 42, 15, 16, 8);
	if (execute(&b, 0x0a24000080000031, 0x00000000f406320c,
		    "(W) send.ugm (1|M0) r10 r50 null:0 0x0 0x02400203"))
		for (int row = 0; row < 8; row++)
			for (int col = 0; col < 16; col++)
				CHECK_EQ(word_at(&b, R(10) + (row * 16 + col) * 2),
					 expect(&b, va, 100, 42 + col, 15 + row, 2));

	va = surface(&b, 128, -3, -2, 16, 8);
	if (execute(&b, 0x0a24000080000031, 0x00000000f506320c,
		    "(W) send.ugm (1|M0) r10 r50 null:0 0x0 0x02400283"))
		for (int row = 0; row < 8; row++)
			for (int col = 0; col < 16; col++)
				CHECK_EQ(word_at(&b, R(10) + ((row / 2 * 16 + col) * 2 +
							      row % 2) * 2),
					 expect(&b, va, 128, col - 3, row - 2, 2));

	va = surface(&b, 128, 4, 1, 8, 16);
	if (execute(&b, 0x0a44000080000031, 0x00200000f806320c,
		    "(W) send.ugm (1|M0) r10 r50 null:0 0x0 0x02808403"))
		for (int row = 0; row < 16; row++)
			for (int col = 0; col < 8; col++)
				CHECK_EQ(dword(&b, R(10) + (col * 16 + row) * 4),
					 expect(&b, va, 128, 4 + col, 1 + row, 4));
	bench_fini(&b);
}

TEST(eu_block_store_stays_inside)
{
	uint8_t before[ROWS * PITCH];
	uint64_t seed = 24, va;
	struct bench b;

	REQUIRE(bench_init(&b));
	va = surface(&b, 100, 44, 16, 16, 8);
	memcpy(before, machine_at(&b.m, va), sizeof(before));
	fill(&b, 10, 4, UINT32_MAX, 0, &seed);
	if (execute(&b, 0x0000000080000031, 0x00000a24f40e320c,
		    "(W) send.ugm (1|M0) null r50 r10:4 0x0 0x02000207"))
		for (int y = 0; y < ROWS; y++)
			for (int x = 0; x < PITCH / 2; x++) {
				uint16_t want, got;

				memcpy(&want, before + y * PITCH + x * 2, 2);
				memcpy(&got, (uint8_t *)machine_at(&b.m, va) +
				       y * PITCH + x * 2, 2);
				if (y >= 16 && x >= 44 && x < 50)
					want = word_at(&b, R(10) + ((y - 16) * 16 + x - 44) * 2);
				CHECK_EQ(got, want);
			}
	bench_fini(&b);
}
