// SPDX-License-Identifier: MIT
/*
 * Compares messages of the load/store unit with plain C on a copy of the memory: every
 * operation with every size of data and address, every vector and every kind of surface. The
 * test encodes the messages, and fails when a form of the instruction set is not implemented.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eu/isa/eu_convert.h"
#include "eu/isa/eu_disasm.h"
#include "eu/tests/machine.h"
#include "tests/test.h"

#define R(n)	((n) * EU_REG_BYTES)
#define WINDOW	4096u		/* bytes that are read and written */
#define SLM	4096u
#define DATA	40u		/* registers of the operands */
#define ADDRESS	8u
#define RESULT	120u

enum where { FLAT, BTI, ARGUMENTS, BINDLESS, OFFSET, SCRATCH, LOCAL, PLACES };

static uint64_t seed;

/* One message, and the data that it uses */
struct shot {
	unsigned int op, size, vector_code, address_code, lanes;
	bool transposed;
	uint32_t pitch;		/* between the lanes of a strided message */
	enum where where;
	uint32_t em;
	unsigned int result;	/* its register, which may be a source's */
	/* from the tables of the instruction set */
	unsigned int bytes, reg_bytes, vector, mask;
	uint64_t at[32];	/* offsets of the lanes in the window */
};

static uint32_t below(uint32_t n)
{
	return (uint32_t)(test_random(&seed) >> 16) % n;
}

static void put(uint64_t w[2], unsigned int hi, unsigned int lo, uint64_t v)
{
	uint64_t field = (1ull << (hi - lo + 1)) - 1;

	w[lo / 64] |= (v & field) << lo % 64;
}

static bool is_atomic(unsigned int op)
{
	return op >= 8 && op <= 26;
}

static bool is_store(unsigned int op)
{
	return op == 4 || op == 5 || op == 6 || op == 28;
}

static bool is_strided(unsigned int op)
{
	return op == 1 || op == 5;
}

static bool is_quad(unsigned int op)
{
	return op == 2 || op == 6;
}

static unsigned int operands_of(unsigned int op)
{
	if (!is_atomic(op))
		return is_store(op);
	return op == 8 || op == 9 || op == 10 ? 0 : op == 18 || op == 23 ? 2 : 1;
}

static void encode(const struct shot *s, uint64_t w[2])
{
	static const unsigned int surfaces[PLACES] = { 0, 3, 3, 1, 2, 2, 0 };
	bool store = is_store(s->op), data = operands_of(s->op) != 0;
	uint32_t desc = s->op | s->address_code << 7 | s->size << 9 | s->vector_code << 12 |
			(uint32_t)s->transposed << 15 | surfaces[s->where] << 29;
	bool reg = s->where == BINDLESS || s->where == OFFSET || s->where == SCRATCH;
	uint32_t exdesc = s->where == BTI ? 5u << 24 : s->where == ARGUMENTS ? 255u << 24 : 0;

	if (is_quad(s->op))
		desc |= s->mask << 12;
	w[0] = w[1] = 0;
	put(w, 6, 0, below(2) ? 0x31 : 0x32);
	put(w, 20, 18, (unsigned int)__builtin_ctz(s->lanes));
	put(w, 95, 92, s->where == LOCAL ? 14 : below(2) ? 15 : 1);
	put(w, 66, 66, 1);
	put(w, 79, 72, ADDRESS);
	if (data) {
		put(w, 98, 98, 1);
		put(w, 111, 104, DATA);
		put(w, 103, 99, 4);
	}
	if (!store) {
		put(w, 50, 50, 1);
		put(w, 63, 56, s->result);
	}
	put(w, 123, 122, desc >> 30);
	put(w, 71, 67, desc >> 25);
	put(w, 55, 51, desc >> 20);
	put(w, 121, 113, desc >> 11);
	put(w, 91, 81, desc);
	put(w, 49, 49, reg);
	if (reg) {
		put(w, 42, 40, 2);	/* a0.2 */
		put(w, 39, 39, 1);
	} else {
		put(w, 127, 124, exdesc >> 28);
		put(w, 97, 96, exdesc >> 26);
		put(w, 65, 64, exdesc >> 24);
	}
}

static unsigned int stride_of(const struct shot *s)
{
	return (s->lanes * s->reg_bytes + 63) & ~63u;
}

/* Returns the place of a lane's component in the registers. */
static unsigned int reg_at(const struct shot *s, unsigned int reg, unsigned int n,
			   unsigned int lane)
{
	if (s->transposed)
		return R(reg) + lane * ((s->bytes * s->vector + 63) & ~63u) + n * s->bytes;
	return R(reg) + n * stride_of(s) + lane * s->reg_bytes;
}

static double number(uint64_t bits, unsigned int bytes)
{
	uint32_t b32 = (uint32_t)bits;
	double d;
	float f;

	memcpy(&d, &bits, sizeof(d));
	memcpy(&f, &b32, sizeof(f));
	return bytes == 8 ? d : bytes == 4 ? f : eu_half_to_double((uint16_t)bits);
}

static uint64_t bits_of(double v, unsigned int bytes)
{
	uint64_t bits = 0;
	float f = (float)v;

	if (bytes == 2)
		return eu_double_to_half(v);
	if (bytes == 4)
		memcpy(&bits, &f, sizeof(f));
	else
		memcpy(&bits, &v, sizeof(v));
	return bits;
}

static int64_t as_signed(uint64_t v, unsigned int bytes)
{
	return (int64_t)(v << (64 - 8 * bytes)) >> (64 - 8 * bytes);
}

static uint64_t atomic_in_c(const struct shot *s, uint64_t old, uint64_t a, uint64_t b)
{
	double x = number(old, s->bytes), y = number(a, s->bytes);
	int64_t i = as_signed(old, s->bytes), j = as_signed(a, s->bytes);

	switch (s->op) {
	case 8:  return old + 1;
	case 9:  return old - 1;
	case 11: return a;
	case 12: return old + a;
	case 13: return old - a;
	case 14: return i < j ? old : a;
	case 15: return i > j ? old : a;
	case 16: return old < a ? old : a;
	case 17: return old > a ? old : a;
	case 18: return old == a ? b : old;
	case 19: return bits_of(x + y, s->bytes);
	case 20: return bits_of(x - y, s->bytes);
	/* The result is the number when the other operand is NaN. */
	case 21: return isnan(x) || y < x ? a : old;
	case 22: return isnan(x) || y > x ? a : old;
	case 23: return x == y ? b : old;
	case 24: return old & a;
	case 25: return old | a;
	case 26: return old ^ a;
	default: return old;
	}
}

/* The reference: executes the message lane by lane on copies of the registers and the memory. */
static void in_c(const struct shot *s, uint8_t *regs, uint8_t *memory)
{
	static uint8_t before[EU_GRF_BYTES];
	unsigned int shift = s->size == 6 ? 2 : 0;

	memcpy(before, regs, sizeof(before));

	if (s->op == 27) {
		/* All memory of the window is mapped. */
		uint32_t live = s->lanes == 32 ? s->em : s->em & ((1u << s->lanes) - 1);

		if (live)
			memcpy(regs + R(s->result), &live, sizeof(live));
		return;
	}
	for (unsigned int lane = 0; lane < s->lanes; lane++) {
		unsigned int packed = 0;

		if (!(s->em >> lane & 1))
			continue;
		for (unsigned int c = 0; c < s->vector; c++) {
			uint8_t *p = memory + s->at[lane] + c * s->bytes;
			uint64_t v = 0, old = 0, a = 0, b = 0;
			unsigned int n = c;

			if (is_quad(s->op)) {
				if (!(s->mask >> c & 1))
					continue;
				n = packed++;
			}
			memcpy(&old, p, s->bytes);
			if (is_atomic(s->op)) {
				memcpy(&a, before + reg_at(s, DATA, 0, lane), s->bytes);
				memcpy(&b, before + reg_at(s, DATA, 1, lane), s->bytes);
				v = atomic_in_c(s, old, a, b);
				memcpy(p, &v, s->bytes);
				memcpy(regs + reg_at(s, s->result, 0, lane), &old, s->reg_bytes);
			} else if (is_store(s->op)) {
				memcpy(p, before + reg_at(s, DATA, n, lane) + shift, s->bytes);
			} else {
				v = old << 8 * shift;
				memcpy(regs + reg_at(s, s->result, n, lane), &v, s->reg_bytes);
			}
		}
	}
}

static void put_state(struct bench *b, unsigned int at, unsigned int type, uint64_t base)
{
	/* one less than the bytes of a buffer, or than the threads of scratch memory */
	uint32_t entries = type == 4 ? WINDOW - 1 : 63, state[16] = {};

	state[0] = type << 29;
	state[2] = (entries & 0x7f) | (entries >> 7 & 0x3fff) << 16;
	state[3] = type == 4 ? 0 : WINDOW - 1;
	state[8] = (uint32_t)base;
	state[9] = base >> 32;
	memcpy(b->m.memory + MACHINE_STATE + at, state, sizeof(state));
}

/*
 * Chooses an address for each lane. Two lanes must not store to one element, because the order
 * of the two stores is not defined.
 */
static void choose_addresses(struct shot *s)
{
	unsigned int element = s->bytes * s->vector, slots = WINDOW / element;
	uint8_t used[WINDOW] = { 0 };
	bool dense = below(3) == 0, same = is_atomic(s->op) && below(3) == 0;

	/* All addresses lie in the window, also those of 16 bits. */
	for (unsigned int l = 0; l < 32; l++) {
		unsigned int slot = dense ? l % slots : below(slots);

		while (is_store(s->op) && used[slot] && l < slots)
			slot = (slot + 1) % slots;
		if (same)
			slot = below(3);
		used[slot] = 1;
		s->at[l] = (uint64_t)slot * element;
	}
}

/* Chooses one address and a pitch: lanes at the same place, side by side or with gaps. */
static void choose_stride(struct shot *s)
{
	unsigned int element = s->bytes * s->vector, room = WINDOW / s->lanes / s->bytes;
	unsigned int least = is_store(s->op) ? s->vector : 0;
	uint32_t last, first;

	s->pitch = (least + (room > least ? below(room - least) : 0)) * s->bytes;
	if (below(3) == 0)
		s->pitch = element;
	last = s->pitch * (s->lanes - 1) + element;
	first = last < WINDOW ? below((WINDOW - last) / s->bytes + 1) * s->bytes : 0;
	for (unsigned int l = 0; l < 32; l++)
		s->at[l] = first + (uint64_t)l * s->pitch;
}

static void fire(struct bench *b, struct shot *s, uint64_t window)
{
	static uint8_t regs[EU_GRF_BYTES], memory[WINDOW];
	uint8_t *place = s->where == LOCAL ? b->a->group->slm : machine_at(&b->m, window);
	static const unsigned int address_bytes[4] = { 0, 2, 4, 8 };
	unsigned int bytes = address_bytes[s->address_code];
	uint64_t w[2], base = s->where == FLAT ? window :
			      s->where == ARGUMENTS ? window - b->m.walker.gsba :
			      /* bit 28 marks some pointers; the hardware ignores it */
			      s->where == LOCAL && bytes > 2 ? 0x10000000 : 0;
	struct eu_op *op;
	char text[256];

	if (is_strided(s->op))
		choose_stride(s);
	else
		choose_addresses(s);
	for (unsigned int i = 0; i < WINDOW; i += 8) {
		uint64_t v = test_random(&seed);

		/* The exponents are near each other, so that a sum of floats differs from both. */
		if (i % 16)
			v = (v & 0x83ff83ff83ff83ff) | 0x3c003c003c003c00;
		memcpy(place + i, &v, sizeof(v));
	}
	for (unsigned int i = 0; i < EU_GRF_BYTES; i += 8) {
		uint64_t v = test_random(&seed);

		if (i % 16)
			v = (v & 0x83ff83ff83ff83ff) | 0x3c003c003c003c00;
		memcpy(b->a->regs + i, &v, sizeof(v));
	}
	if (is_strided(s->op))
		eu_put32(b->a, R(ADDRESS) + 8, s->pitch);
	for (unsigned int l = 0; l < (is_strided(s->op) ? 1 : s->lanes); l++) {
		uint64_t v = base + s->at[l];

		memcpy(b->a->regs + R(ADDRESS) + l * bytes, &v, bytes);
	}
	eu_put32(b->a, EU_ARF_SLOT(EU_A0) + 8,
		 s->where == BINDLESS ? 0x40 : s->where == OFFSET ? 0x100 : 0x140);
	if (is_atomic(s->op) && (s->op == 18 || s->op == 23) && below(2)) {
		/* Half of these messages compare with the value in memory. */
		for (unsigned int l = 0; l < s->lanes; l++)
			memcpy(b->a->regs + reg_at(s, DATA, 0, l), place + s->at[l], s->bytes);
	}
	memcpy(regs, b->a->regs, sizeof(regs));
	memcpy(memory, place, WINDOW);
	encode(s, w);
	op = bench_decode(b, w);
	bench_execute(b, op, s->em);
	in_c(s, regs, memory);
	if (b->a->status == EU_T_READY && !memcmp(regs, b->a->regs, sizeof(regs)) &&
	    !memcmp(memory, place, WINDOW))
		return;
	eu_print(&op->in, text, sizeof(text));
	test_fail(__FILE__, __LINE__, "op %u size %u vector %u where %u: %s: %s", s->op, s->size,
		  s->vector, s->where, text,
		  b->a->status == EU_T_STOPPED ? b->run.stop.text : "differs");
}

/* Sets the sizes by the instruction set's table of descriptors. Returns whether the form exists. */
static bool complete(struct shot *s)
{
	static const uint8_t bytes[] = { 1, 2, 4, 8, 1, 2, 2 };
	static const uint8_t reg_bytes[] = { 1, 2, 4, 8, 4, 4, 4 };
	static const uint8_t vectors[] = { 1, 2, 3, 4, 8, 16, 32, 64 };

	s->bytes = bytes[s->size];
	s->reg_bytes = reg_bytes[s->size];
	s->vector = is_quad(s->op) ? 4 : vectors[s->vector_code];
	s->mask = 1 + below(15);
	s->transposed = false;
	s->lanes = 1u << below(6);
	if (is_strided(s->op)) {
		/* The registers from DATA on have room for 16 lanes. */
		s->transposed = (s->vector > 4 || below(2)) && (s->size == 2 || s->size == 3);
		if (s->transposed && s->vector * s->bytes > 64)
			s->lanes = 1u << below(4);
		if (s->vector > 4 && !s->transposed)
			return false;
		if (WINDOW / s->lanes < s->bytes * s->vector)
			s->lanes = 1;
	} else if (s->vector > 4) {
		s->transposed = true;
		s->lanes = 1;
		if (s->size != 2 && s->size != 3)
			return false;
	} else if (s->lanes == 1 && !is_quad(s->op) && !is_atomic(s->op) &&
		   (s->size == 2 || s->size == 3)) {
		s->transposed = below(2);
	}
	if (is_quad(s->op))
		s->vector_code = 0;
	if (s->op == 27 && (s->transposed || s->where == LOCAL))
		return false;
	if (is_atomic(s->op) && (s->vector_code || s->bytes == 1 || s->size == 6))
		return false;
	if (s->where == LOCAL && s->address_code == 3)
		return false;
	if (s->where != LOCAL && s->where != FLAT && s->address_code == 3)
		return false;
	if (s->where == ARGUMENTS && s->address_code != 2)
		return false;
	if (s->where == FLAT && s->address_code != 3)
		return false;
	s->result = below(3) ? RESULT : below(2) ? ADDRESS - 2 + below(8) : DATA - 2 + below(8);
	s->em = below(2) ? UINT32_MAX : (uint32_t)test_random(&seed);
	return true;
}

TEST(eu_messages)
{
	static const uint8_t ops[] = {
		0, 1, 2, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
		24, 25, 26, 27, 28,
	};
	uint32_t table[6] = { 0, 0, 0, 0, 0, 0x80 };
	struct eu_group group = { 0 };
	uint64_t window;
	struct bench b;
	struct shot s;

	REQUIRE(bench_init(&b));
	seed = 55;
	window = machine_alloc(&b.m, WINDOW);
	b.m.walker.ssba = MACHINE_BASE + MACHINE_STATE;
	b.m.walker.bindless = MACHINE_BASE + MACHINE_STATE + 0x200;
	b.m.walker.binding_table = 0x400;
	b.m.walker.gsba = MACHINE_BASE + 0x2000;
	b.m.walker.slm_size = SLM;
	memcpy(b.m.memory + MACHINE_STATE + 0x400, table, sizeof(table));
	put_state(&b, 0x80, 4, window);
	put_state(&b, 0x240, 4, window);
	put_state(&b, 0x100, 4, window);
	put_state(&b, 0x140, 6, window);
	group.slm = calloc(1, SLM + 64);
	b.a->group = &group;
	b.a->worker = b.w;
	b.a->slot = 0;
	for (size_t o = 0; o < sizeof(ops); o++)
		for (s.size = 0; s.size < 7; s.size++)
			for (s.where = 0; s.where < PLACES; s.where++)
				for (s.address_code = 1; s.address_code < 4; s.address_code++)
					for (int round = 0; round < 24; round++) {
						s.op = ops[o];
						s.vector_code = (unsigned int)round % 8;
						if (complete(&s))
							fire(&b, &s, window);
					}
	free(group.slm);
	bench_fini(&b);
}

/* Translates with NULL pages: the pages of the heap that have an odd number. */
static int translate_holes(void *ctx, uint64_t va, bool write, struct eu_span *span)
{
	struct bench *b = ctx;
	uint64_t at = (va - MACHINE_BASE) & ~4095ull;

	if (va < MACHINE_BASE || at >= MACHINE_SIZE)
		return -EFAULT;
	span->host = at >= MACHINE_HEAP && at / 4096 & 1 ? NULL : b->m.memory + at;
	span->va = MACHINE_BASE + at;
	span->size = 4096;
	span->writable = write;
	return 0;
}

/* The status has the bit of a lane when no element of the lane is on a NULL page. */
TEST(eu_status_tells_null_pages)
{
	struct shot s = { .op = 27, .where = FLAT, .address_code = 3, .lanes = 32,
			  .result = RESULT };
	uint64_t w[2];
	struct bench b;

	REQUIRE(bench_init(&b));
	seed = 56;
	b.m.view.ctx = &b;
	b.m.view.translate = translate_holes;
	b.a->worker = b.w;
	b.a->limit = UINT64_MAX;
	for (int round = 0; round < 200; round++) {
		uint32_t want = 0;

		s.size = 2 + (unsigned int)round % 2;
		s.vector_code = (unsigned int)round % 4;
		s.bytes = s.size == 2 ? 4 : 8;
		s.vector = s.vector_code + 1;
		b.a->em = (uint32_t)test_random(&seed);
		for (uint32_t l = 0; l < 32; l++) {
			uint64_t page = MACHINE_HEAP + 4096 * below(6);
			uint64_t at = page + (below(2) ? 4096 - below(40) : below(4096));
			uint64_t va = MACHINE_BASE + at, last = at + s.bytes * s.vector - 1;

			memcpy(b.a->regs + R(ADDRESS) + 8 * l, &va, sizeof(va));
			if (!(at / 4096 & 1) && !(last / 4096 & 1))
				want |= (b.a->em >> l & 1) << l;
		}
		if (round == 199) {
			uint64_t va = MACHINE_BASE + MACHINE_SIZE - 2;

			/* An address that is not mapped is a page fault, as it is for a load. */
			b.a->em = 1;
			memcpy(b.a->regs + R(ADDRESS), &va, sizeof(va));
		}
		encode(&s, w);
		eu_put32(b.a, R(RESULT), 0x55555555);
		bench_execute(&b, bench_decode(&b, w), b.a->em);
		if (round < 199)
			CHECK_EQ(eu_get32(b.a, R(RESULT)), b.a->em ? want : 0x55555555);
	}
	CHECK_EQ(b.a->status, EU_T_STOPPED);
	CHECK_EQ(b.run.stop.reason, EU_FAULT);
	CHECK_EQ(b.run.stop.va, MACHINE_BASE + MACHINE_SIZE);
	bench_fini(&b);
}

/*
 * The systolic array and two-dimensional blocks: the compiler of the test kernels does not emit
 * these instructions. The tests run single instructions as iga64 encodes them, and compare the
 * results with loops in C.
 */

#define R(n)	((n) * EU_REG_BYTES)

/* Decodes and runs one instruction. Returns false when the thread stopped. */
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

/* The inputs are small multiples of 1/8, so that a sum is exact in any order. */
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

/* Makes a surface of different 16-bit elements, and the header of a block. */
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

/* Returns an element of the surface, or 0 for a place outside of the surface. */
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
