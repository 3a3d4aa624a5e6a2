// SPDX-License-Identifier: MIT
/*
 * Bits nobody wrote: the decoder and the execution of random instructions must
 * neither crash nor hang, and the fast handlers must do what the general path
 * does, on any operand.
 */
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eu/eu_core.h"
#include "machine.h"
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

/* Opcodes that exist, so that most words get past the decoder */
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
		/* small register numbers and sizes make more of them valid */
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
			test_fail(__FILE__, __LINE__, "run gives %d: %s", ret,
				  m.stop.text);
	}
	CHECK(ended > 1000);
	machine_fini(&m);
}

/* Everything eu_program.c needs to prepare an instruction outside of a run */
struct bench {
	struct machine m;
	struct eu_run_state run;
	struct eu_worker *w;
	struct eu_thread *a, *b;
};

static bool bench_init(struct bench *b)
{
	machine_init(&b->m);
	memset(&b->run, 0, sizeof(b->run));
	b->m.walker.iba = MACHINE_BASE;
	b->run.walker = &b->m.walker;
	b->run.memory = &b->m.view;
	b->w = aligned_alloc(64, (sizeof(*b->w) + 63) & ~63ul);
	b->a = aligned_alloc(64, (sizeof(*b->a) + 63) & ~63ul);
	b->b = aligned_alloc(64, (sizeof(*b->b) + 63) & ~63ul);
	if (!b->w || !b->a || !b->b)
		return false;
	memset(b->w, 0, sizeof(*b->w));
	memset(b->a, 0, sizeof(*b->a));
	memset(b->b, 0, sizeof(*b->b));
	b->w->run = &b->run;
	return true;
}

static void bench_fini(struct bench *b)
{
	eu_worker_free_program(b->w);
	free(b->w);
	free(b->a);
	free(b->b);
	machine_fini(&b->m);
}

static void bench_forget(struct bench *b)
{
	eu_worker_free_program(b->w);
	memset(b->w->code, 0, sizeof(b->w->code));
	memset(b->w->tlb, 0, sizeof(b->w->tlb));
}

/* The same random registers in both threads, floats among them */
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
 * Registers equal, but for the payloads of NaN: which of two NaN survives an
 * operation is nobody's promise.
 */
static bool equal(const struct eu_thread *a, const struct eu_thread *b,
		  enum eu_type type)
{
	unsigned int step = eu_typeinfo[type].size == 8 ? 8 : 4;

	if (memcmp(a->wide, b->wide, sizeof(a->wide)) || a->wide_valid != b->wide_valid)
		return false;
	for (unsigned int i = 0; i < EU_ARF_SLOT(16); i += step) {
		if (!memcmp(a->regs + i, b->regs + i, step))
			continue;
		if (!is_nan(a->regs + i, type) || !is_nan(b->regs + i, type))
			return false;
	}
	return true;
}

/* A word that is likely to have a fast handler */
static void likely_fast(uint64_t w[2], uint64_t *seed)
{
	static const uint8_t opcodes[] = {
		EU_OP_MOV, EU_OP_NOT, EU_OP_ADD, EU_OP_MUL, EU_OP_AND, EU_OP_OR,
		EU_OP_XOR, EU_OP_SHL, EU_OP_SHR, EU_OP_ASR, EU_OP_ROL, EU_OP_ADD3,
		EU_OP_MAD, EU_OP_BFN, EU_OP_SEL, EU_OP_MACH, EU_OP_MACL, EU_OP_CMP,
	};
	uint64_t r = test_random(seed);

	w[0] = test_random(seed);
	w[1] = test_random(seed);
	/* no compaction, no saturation, direct, general registers in reach */
	w[0] &= ~(0x20ull << 24 | 0x7f | 1ull << 34 | 1ull << 35 | 3ull << 24);
	w[0] |= opcodes[r % sizeof(opcodes)] | 1ull << 50;
	w[0] &= ~(0xf8ull << 56);
	w[1] &= ~(1ull << 16 | 1ull << 48 | 0xf0ull << 8 | 0xf0ull << 40 | 0xf0ull << 56);
	w[1] |= 1ull << 2 | 1ull << 34 | 1ull << 50;
	if (r >> 8 & 1)		/* <1;1,0> for both sources */
		w[1] = (w[1] & ~0x7e0003ull & ~(0x7e0003ull << 32)) | 1ull << 20 | 1ull << 52;
	if (r >> 9 & 1)		/* one type for all operands */
		w[0] = (w[0] & ~(0xffull << 36)) | (r >> 16 & 15) * 0x11ull << 36;
	if (r >> 9 & 1)
		w[1] = (w[1] & ~(0xfull << 24)) | (r >> 16 & 15) << 24;
	if (r >> 10 & 1)	/* no modifiers */
		w[0] &= ~(3ull << 44);
	if (r >> 11 & 1)
		w[0] &= ~(3ull << 46);
}

TEST(eu_fast_handlers_equal_the_general_path)
{
	unsigned int compared[EU_OPCODES] = {}, total = 0;
	uint64_t seed = 13;
	struct bench b;

	REQUIRE(bench_init(&b));
	for (int i = 0; i < 300000; i++) {
		uint64_t w[2];
		struct eu_op *op;
		uint32_t cost;
		char text[256];

		likely_fast(w, &seed);
		memcpy(b.m.memory + MACHINE_CODE, w, sizeof(w));
		memcpy(b.m.memory + MACHINE_CODE + 16, eot, sizeof(eot));
		bench_forget(&b);
		op = eu_fetch(b.w, MACHINE_CODE, &cost);
		if (cost || op->exec[0] == op->exec[1])
			continue;
		fill_registers(&b, &seed);
		op->exec[0](b.a, op);
		op->exec[1](b.b, op);
		compared[op->in.opcode]++;
		total++;
		if (!equal(b.a, b.b, op->in.dst.type)) {
			eu_print(&op->in, text, sizeof(text));
			test_fail(__FILE__, __LINE__, "differs: %s", text);
			break;
		}
	}
	CHECK(total > 20000);
	CHECK(compared[EU_OP_ADD] && compared[EU_OP_MAD] && compared[EU_OP_CMP] &&
	      compared[EU_OP_SEL] && compared[EU_OP_MACH] && compared[EU_OP_BFN]);
	bench_fini(&b);
}
