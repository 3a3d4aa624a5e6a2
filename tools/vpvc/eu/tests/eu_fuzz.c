// SPDX-License-Identifier: MIT
/*
 * Random instructions: the decoder and the execution must neither crash nor hang, and the
 * fast handlers must have the same results as the general path, on any operand.
 */
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eu/fast/eu_fast.h"
#include "eu/isa/eu_disasm.h"
#include "eu/tests/machine.h"
#include "tests/test.h"

#define EOT_SIZE 16
static const uint8_t eot[EOT_SIZE] = {
	0x31, 0, 0x03, 0x80, 0x04, 0, 0, 0, 0x0c, 0x7f, 0x20, 0x30, 0, 0, 0, 0
};

TEST(eu_eot_of_the_fuzzer_is_one)
{
	char text[128];

	CHECK_EQ(eu_disassemble(eot, sizeof(eot), 0, text, sizeof(text)), 16);
	CHECK(strstr(text, "send.gtwy") && strstr(text, "EOT"));
	CHECK(strstr(text, "0x02000010") != NULL);
}

TEST(eu_decode_survives_random_bits)
{
	uint64_t seed = 7, word[2];
	unsigned int decoded = 0;
	char text[256];

	for (int i = 0; i < 1000000; i++) {
		size_t n;

		word[0] = test_random(&seed);
		word[1] = test_random(&seed);
		n = eu_disassemble(word, sizeof(word), i * 8, text, sizeof(text));
		if (n != 8 && n != 16)
			test_fail(__FILE__, __LINE__, "size %zu of %016llx", n,
				  (unsigned long long)word[0]);
		decoded += strncmp(text, "opcode", 6) != 0;
	}
	CHECK(decoded > 100000);
}

TEST(eu_decode_never_reads_beyond_the_end)
{
	uint64_t native = 0x61, compacted = 0x20000061;
	char text[64];

	CHECK_EQ(eu_disassemble(&native, 8, 0, text, sizeof(text)), 0);
	CHECK_EQ(eu_disassemble(&compacted, 7, 0, text, sizeof(text)), 0);
	CHECK_EQ(eu_disassemble(&compacted, 8, 0, text, sizeof(text)), 8);
	CHECK_EQ(eu_disassemble(&compacted, 8, 0, text, 1), 8);
	CHECK_EQ(text[0], 0);
}

/* Returns an opcode that exists, so that the decoder accepts most words. */
static unsigned int random_opcode(uint64_t *seed, bool branches)
{
	unsigned int opcode;

	do {
		opcode = test_random(seed) % EU_OPCODES;
	} while (eu_opinfo[opcode].format == EU_FMT_NONE || opcode == EU_OP_ILLEGAL ||
		 (!branches && opcode >= EU_OP_JMPI && opcode <= EU_OP_JOIN));
	return opcode;
}

static void random_code(uint8_t *code, unsigned int instructions, uint64_t *seed)
{
	for (unsigned int i = 0; i < instructions; i++) {
		uint64_t w[2] = {test_random(seed), test_random(seed)};

		w[0] = (w[0] & ~0x2000007full) | random_opcode(seed, false);
		/* Without a channel offset more instructions are valid. */
		if (w[1] & 1)
			w[0] &= ~(3ull << 24);
		memcpy(code + i * 16, w, 16);
	}
	memcpy(code + instructions * 16, eot, sizeof(eot));
}

TEST(eu_run_survives_random_instructions)
{
	const unsigned int one[3] = {1, 1, 1}, local[3] = {16, 1, 1};
	uint64_t seed = 11;
	unsigned int ended = 0;
	struct machine m;
	uint8_t code[64];

	machine_init(&m);
	for (int i = 0; i < 30000; i++) {
		struct kernel k = {
			.name = "random", .code = code, .code_size = sizeof(code),
			.simd = 16, .grf = 128, .slm = 1024,
		};
		int ret;

		random_code(code, 1, &seed);
		ret = machine_run(&m, &k, one, local, NULL);
		ended += !ret;
		if (ret && ret != -EILSEQ && ret != -EFAULT && ret != -EDEADLK)
			test_fail(__FILE__, __LINE__, "the run returns %d: %s", ret,
				  m.stop.text);
	}
	CHECK(ended > 1000);
	machine_fini(&m);
}

/* Fills the registers of both threads with the same random values, some of them floats. */
static void fill_registers(struct bench *b, uint64_t *seed)
{
	static const uint32_t special[] = {
		0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00001, 0xffc12345,
		0x3f800000, 0x00000001, 0x80000001, 0x7fffffff, 0xffffffff, 0x4f000000,
	};

	for (unsigned int i = 0; i < EU_ARF_OFF; i += 4) {
		uint64_t r = test_random(seed);

		eu_put32(b->a, i, r & 3 ? (uint32_t)(r >> 32) :
			 special[(r >> 8) % (sizeof(special) / 4)]);
	}
	for (unsigned int i = 0; i < 32; i++)
		b->a->wide[i] = (int64_t)test_random(seed) >> 14;
	b->a->wide_valid = true;
	memset(b->a->regs + EU_ARF_OFF, 0, EU_STATE_BYTES - EU_ARF_OFF);
	for (unsigned int f = 0; f < 4; f++)
		eu_put32(b->a, EU_ARF_SLOT(EU_FLAG) + 4 * f, (uint32_t)test_random(seed));
	eu_put32(b->a, EU_ARF_SLOT(EU_CR), EU_CR0_KEEP_DF | EU_CR0_KEEP_F | EU_CR0_KEEP_HF);
	b->a->em = (uint32_t)test_random(seed);
	b->a->worker = b->w;
	b->a->limit = UINT64_MAX;
	memcpy(b->b, b->a, sizeof(*b->a));
}

static bool is_nan(const uint8_t *p, enum eu_type type)
{
	float f;
	double d;

	memcpy(&f, p, sizeof(f));
	memcpy(&d, p, sizeof(d));
	return type == EU_F ? isnan(f) : type == EU_DF && isnan(d);
}

/*
 * Returns whether the registers are equal. Two NaN count as equal, because the result of two
 * NaN may be either of them.
 */
static bool equal(const struct eu_thread *a, const struct eu_thread *b,
		  const struct eu_op *op)
{
	enum eu_type type = op->in.dst.type;
	unsigned int step = eu_typeinfo[type].size == 8 ? 8 : 4;
	unsigned int first = op->dst_off % step;

	if (memcmp(a->regs, b->regs, first))
		return false;
	if (memcmp(a->wide, b->wide, sizeof(a->wide)) || a->wide_valid != b->wide_valid)
		return false;
	for (unsigned int i = first; i < EU_ARF_SLOT(16); i += step) {
		if (!memcmp(a->regs + i, b->regs + i, step))
			continue;
		if (!is_nan(a->regs + i, type) || !is_nan(b->regs + i, type))
			return false;
	}
	return true;
}

static void set(uint64_t w[2], unsigned int lo, unsigned int bits, uint64_t v)
{
	uint64_t mask = ((1ull << bits) - 1) << lo % 64;

	w[lo / 64] = (w[lo / 64] & ~mask) | (v << lo % 64 & mask);
}

static void random_types(uint64_t w[2], bool three, uint64_t *seed)
{
	static const uint8_t two_pool[] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 10, 11, 9};
	static const uint8_t at_two[] = {36, 40, 88}, at_three[] = {36, 40, 88, 80};
	uint64_t r = test_random(seed);
	uint8_t type = two_pool[(r >> 8) % sizeof(two_pool)];

	/* Most instructions have one type, or integers of several widths. */
	if (three)
		set(w, 39, 1, r >> 4);
	for (int i = 0; i < (three ? 4 : 3); i++) {
		if (three && (r >> 4 & 1))
			type = (r & 3) ? 2 : 3;
		else if (three)
			type = (r & 3) ? 2 + 4 * (r >> 5 & 1) : test_random(seed) % 8;
		else if (!(r & 3))
			type = test_random(seed) % 8;
		set(w, three ? at_three[i] : at_two[i], three ? 3 : 4, type);
	}
}

/* Makes an instruction that probably has a fast handler. */
static void likely_fast(uint64_t w[2], uint64_t *seed)
{
	static const uint8_t opcodes[] = {
		EU_OP_MOV, EU_OP_NOT, EU_OP_ADD, EU_OP_MUL, EU_OP_AND, EU_OP_OR,
		EU_OP_XOR, EU_OP_SHL, EU_OP_SHR, EU_OP_ASR, EU_OP_ROL, EU_OP_ADD3,
		EU_OP_MAD, EU_OP_BFN, EU_OP_SEL, EU_OP_MACH, EU_OP_MACL, EU_OP_CMP,
	};
	uint64_t r = test_random(seed);
	unsigned int opcode = opcodes[r % sizeof(opcodes)];
	bool three = eu_opinfo[opcode].format == EU_FMT_THREE;

	w[0] = test_random(seed);
	w[1] = test_random(seed);
	set(w, 0, 7, opcode);
	set(w, 18, 3, (r >> 8) % 6);
	set(w, 24, 2, 0);			/* channels from 0 on */
	set(w, 29, 1, 0);			/* native */
	set(w, 34, 1, 0);			/* no saturation */
	set(w, 61, 3, 0);			/* low registers */
	set(w, 77, 3, 0);
	set(w, 109, 3, 0);
	set(w, 50, 1, (r >> 12 & 7) != 0);	/* files: mostly general ones */
	set(w, 66, 1, 1);
	set(w, 98, 1, 1);
	random_types(w, three, seed);
	if (r >> 16 & 1)
		set(w, 92, 4, opcode == EU_OP_CMP || opcode == EU_OP_SEL ?
		    1 + (r >> 20) % 6 : 0);
	if (three) {
		set(w, 114, 1, 1);
		set(w, 125, 3, 0);
		if (r >> 17 & 3)
			set(w, 46, 2, 0);
		return;
	}
	set(w, 35, 1, 0);			/* direct */
	set(w, 80, 1, 0);
	set(w, 112, 1, 0);
	if (r >> 17 & 1) {			/* <1;1,0> */
		set(w, 64, 2, 0);
		set(w, 81, 6, 1 << 3);
		set(w, 96, 2, 0);
		set(w, 113, 6, 1 << 3);
		set(w, 48, 2, 1);
	}
	if (r >> 18 & 3) {			/* registers, no modifiers */
		set(w, 44, 4, 0);
		set(w, 120, 2, 0);
	}
}

static void compare_handlers(const struct eu_fast_table *table)
{
	unsigned int compared[EU_OPCODES] = {}, total = 0;
	uint64_t seed = 13;
	struct bench b;

	REQUIRE(bench_init(&b));
	for (int i = 0; i < 200000; i++) {
		uint64_t w[2];
		struct eu_op *op;
		eu_exec *fast;
		char text[256];

		likely_fast(w, &seed);
		op = bench_decode(&b, w);
		if (!op || op->exec[0] == op->general)
			continue;
		fast = eu_fast_select_from(table, b.w, op);
		REQUIRE(fast);
		fill_registers(&b, &seed);
		fast(b.a, op);
		op->general(b.b, op);
		compared[op->in.opcode]++;
		total++;
		if (!equal(b.a, b.b, op)) {
			eu_print(&op->in, text, sizeof(text));
			test_fail(__FILE__, __LINE__, "differs: %s", text);
			break;
		}
	}
	if (total <= 20000)
		test_fail(__FILE__, __LINE__, "only %u instructions compared", total);
	CHECK(compared[EU_OP_ADD] && compared[EU_OP_MAD] && compared[EU_OP_CMP] &&
	      compared[EU_OP_SEL] && compared[EU_OP_MACH] && compared[EU_OP_BFN]);
	bench_fini(&b);
}

TEST(eu_fast_handlers_equal_the_general_path)
{
	for (unsigned int i = 0; i < eu_fast_levels; i++) {
		if (eu_fast_level[i].supported())
			compare_handlers(eu_fast_level[i].table);
		else
			printf("     this CPU has no %s: its handlers are not compared\n",
			       eu_fast_level[i].name);
	}
}

/* Returns how many of 1000 random instructions get a fast handler from the decoder. */
static unsigned int taken(struct bench *b)
{
	unsigned int n = 0;
	uint64_t seed = 17;

	for (int i = 0; i < 1000; i++) {
		struct eu_op *op;
		uint64_t w[2];

		likely_fast(w, &seed);
		op = bench_decode(b, w);
		n += op && op->exec[0] != op->general;
	}
	return n;
}

TEST(eu_handlers_are_chosen_by_name)
{
	unsigned int usual;
	struct bench b;

	REQUIRE(bench_init(&b));
	usual = taken(&b);
	CHECK(usual > 50);
	CHECK_EQ(eu_use_handlers("best"), -EINVAL);
	CHECK_EQ(eu_use_handlers(""), -EINVAL);
	CHECK_EQ(taken(&b), usual);
	CHECK_EQ(eu_use_handlers("general"), 0);
	CHECK_EQ(taken(&b), 0);
	/* The later tests need the usual handlers. */
	for (unsigned int i = 0; i < eu_fast_levels; i++)
		CHECK_EQ(eu_use_handlers(eu_fast_level[i].name),
			 eu_fast_level[i].supported() ? 0 : -ENOTSUP);
	CHECK_EQ(taken(&b), usual);
	bench_fini(&b);
}
