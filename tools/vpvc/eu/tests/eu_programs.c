// SPDX-License-Identifier: MIT
/*
 * Runs programs that were written by hand in iga64's language. They have instructions that
 * compilers do not emit: structured branches, partial returns, movi, and surfaces other than
 * scratch.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "eu/msg/eu_memory.h"
#include "eu/run/eu_thread.h"
#include "eu/state/eu_barrier.h"
#include "eu/tests/kernels.h"
#include "eu/tests/machine.h"
#include "tests/test.h"

#define R(n)	((n) * EU_REG_BYTES)
#define LANES	32

/* Run the program on thread a until it ends. */
static bool run(struct bench *b, const uint8_t *code, size_t size, uint32_t em)
{
	memcpy(b->m.memory + MACHINE_CODE, code, size);
	memset(b->a->regs + EU_ARF_OFF, 0, EU_STATE_BYTES - EU_ARF_OFF);
	atomic_store(&b->run.stopped, false);
	b->a->em = em;
	b->a->num_waits = 0;
	b->a->broken = 0;
	b->a->worker = b->w;
	b->a->status = EU_T_READY;
	b->a->instructions = 0;
	b->a->op = bench_decode(b, code);
	eu_thread_run(b->a);
	if (b->a->status != EU_T_ENDED)
		test_fail(__FILE__, __LINE__, "status %d: %s", b->a->status, b->run.stop.text);
	return b->a->status == EU_T_ENDED;
}

static int branches_in_c(int n)
{
	int sum = 0;

	if (n > 10) {
		sum += 1;
		if (n > 20)
			sum += 10;
		sum += 100;
	} else {
		sum += 1000;
		if (!(n < 5))
			sum += 10000;
		else
			sum += 100000;
	}
	return sum + 1000000;
}

static int loops_in_c(int n)
{
	int sum = 0;

	for (int turn = 1;; turn++) {
		int k = 0;

		if (turn == n) {
			sum += 100000;
			break;
		}
		if (turn & 1)
			continue;
		sum += 1000;
		do {
			k++;
			sum++;
			if (k > 3)
				break;
		} while (k < n);
		if (turn >= 8)
			break;
	}
	return sum + 1000000;
}

static int halts_in_c(int n)
{
	int sum = 0;

	if (n > 10) {
		sum += 1;
		if (n <= 20)
			sum += 10;
	}
	if (n <= 20)
		sum += 100;
	sum += 1000;
	if (n >= 15) {
		sum += 10000;
		if (n != 17)
			sum += 100000;
	}
	if (n < 9)
		sum += 10000000;
	return sum + 1000000;
}

static int called_in_c(int n)
{
	return n > 16 ? 10 : n < 5 ? 1010 : 101010;
}

static int calls_in_c(int n)
{
	return called_in_c(n) + 1 + (n > 12 ? called_in_c(n) : 0);
}

/* Runs a program with random enabled lanes. The lanes' numbers are random or all the same. */
static void check_flow(const char *name, const uint8_t *code, size_t size,
		       int (*in_c)(int))
{
	uint64_t seed = 31;
	struct bench b;

	REQUIRE(bench_init(&b));
	for (int round = 0; round < 400; round++) {
		uint32_t em = (uint32_t)test_random(&seed), all = round % 3;
		int n[LANES], got[LANES];

		if (round % 5 == 0)
			em &= (uint32_t)test_random(&seed) & (uint32_t)test_random(&seed);
		if (round % 7 == 0)
			em = UINT32_MAX;
		if (!em)
			em = 1u << round % 32;
		for (int l = 0; l < LANES; l++) {
			n[l] = all ? (int)(test_random(&seed) % 25) : round % 25;
			got[l] = -1;
		}
		memcpy(b.a->regs + R(2), n, sizeof(n));
		memcpy(b.a->regs + R(10), got, sizeof(got));
		if (!run(&b, code, size, em))
			break;
		memcpy(got, b.a->regs + R(10), sizeof(got));
		for (int l = 0; l < LANES; l++) {
			int want = em >> l & 1 ? in_c(n[l]) : -1;

			if (got[l] != want) {
				test_fail(__FILE__, __LINE__,
					  "%s, lane %d of 0x%08x: %d gives %d, not %d",
					  name, l, em, n[l], got[l], want);
				round = 400;
				break;
			}
		}
		CHECK_EQ(b.a->em, em);
		CHECK_EQ(b.a->num_waits, 0);
		CHECK_EQ(b.a->broken, 0);
	}
	bench_fini(&b);
}

TEST(eu_if_else_endif)
{
	check_flow("branches", branches_code, sizeof(branches_code), branches_in_c);
}

TEST(eu_while_break_cont)
{
	check_flow("loops", loops_code, sizeof(loops_code), loops_in_c);
}

TEST(eu_halt_brc_brd_jmpi)
{
	check_flow("halts", halts_code, sizeof(halts_code), halts_in_c);
}

TEST(eu_some_channels_return_early)
{
	check_flow("calls", calls_code, sizeof(calls_code), calls_in_c);
}

TEST(eu_movi_picks_inside_a_register)
{
	uint64_t seed = 32;
	struct bench b;

	REQUIRE(bench_init(&b));
	for (int round = 0; round < 20; round++) {
		uint32_t at[16], want[16], got[16];

		for (int l = 0; l < 16; l++) {
			eu_put32(b.a, R(20) + 4 * l, (uint32_t)test_random(&seed));
			at[l] = R(20) + 4 * (test_random(&seed) % 16);
		}
		for (int l = 0; l < 16; l++)
			want[l] = eu_get32(b.a, at[l]);
		memcpy(b.a->regs + R(2), at, sizeof(at));
		if (!run(&b, indexed_code, sizeof(indexed_code), 0xffff))
			break;
		memcpy(got, b.a->regs + R(10), sizeof(got));
		for (int l = 0; l < 16; l++)
			CHECK_EQ(got[l], want[l]);
	}
	bench_fini(&b);
}

#define STATES		MACHINE_STATE
#define BUFFER_BYTES	100u	/* size of the buffers; a larger offset is outside */
#define WIDTH		20u
#define HEIGHT		6u
#define PITCH		32u

static void put_state(struct bench *b, unsigned int at, unsigned int type,
		      unsigned int format, uint64_t base)
{
	uint32_t state[16] = {};

	state[0] = type << 29 | format << 18;
	if (type == 1) {
		state[2] = (WIDTH / 4 - 1) | (HEIGHT - 1) << 16;
		state[3] = PITCH - 1;
	} else {
		state[2] = ((BUFFER_BYTES - 1) & 0x7f) | (BUFFER_BYTES - 1) >> 7 << 16;
	}
	state[8] = (uint32_t)base;
	state[9] = base >> 32;
	memcpy(b->m.memory + at, state, sizeof(state));
}

static uint32_t dword_or_0(const uint8_t *buffer, uint32_t offset)
{
	uint32_t v = 0;

	if (offset + 4 <= BUFFER_BYTES)
		memcpy(&v, buffer + offset, sizeof(v));
	return v;
}

/* The blocks reach over the right and the lower edge of the surface. */
static const uint32_t read_block[3] = {14, 3, 7 | 3 << 16};
static const uint32_t write_block[3] = {16, 1, 6 | 5 << 16};

TEST(eu_surfaces_bind_clip_and_block)
{
	uint32_t table[5] = {0, 0, 0, 0x40, 0x80}, offsets[16], stored[16];
	uint64_t buffer[3], image, seed = 33;
	uint8_t *pixels, before[PITCH * HEIGHT], expected[256];
	struct bench b;

	REQUIRE(bench_init(&b));
	for (int i = 0; i < 3; i++) {
		buffer[i] = machine_alloc(&b.m, 256);
		for (int k = 0; k < 256; k++)
			((uint8_t *)machine_at(&b.m, buffer[i]))[k] = (uint8_t)test_random(&seed);
	}
	memcpy(expected, machine_at(&b.m, buffer[0]), sizeof(expected));
	image = machine_alloc(&b.m, sizeof(before));
	pixels = machine_at(&b.m, image);
	for (unsigned int i = 0; i < sizeof(before); i++)
		pixels[i] = before[i] = (uint8_t)test_random(&seed);
	b.m.walker.ssba = MACHINE_BASE + STATES;
	b.m.walker.bindless = MACHINE_BASE + STATES + 0x100;
	b.m.walker.binding_table = 0x200;
	memcpy(b.m.memory + STATES + 0x200, table, sizeof(table));
	put_state(&b, STATES + 0x40, 4, 0x1ff, buffer[0]);
	put_state(&b, STATES + 0x80, 1, 0x140, image);
	put_state(&b, STATES + 0x100 + 0xc0, 4, 0x1ff, buffer[1]);
	put_state(&b, STATES + 0xc0, 4, 0x1ff, buffer[2]);
	for (int l = 0; l < 16; l++) {
		offsets[l] = (uint32_t)l * 8 + l % 3;	/* lanes 13 to 15 are beyond the end */
		stored[l] = 128 - 4 * (uint32_t)l;	/* lanes 0 to 7 are beyond the end */
	}
	memcpy(b.a->regs + R(2), offsets, sizeof(offsets));
	memcpy(b.a->regs + R(3), stored, sizeof(stored));
	eu_put32(b.a, R(5), 0xc0);
	eu_put32(b.a, R(5) + 4, 0xc0);
	eu_put32(b.a, R(5) + 8, 0x62100500);
	memcpy(b.a->regs + R(6), read_block, sizeof(read_block));
	memcpy(b.a->regs + R(7), write_block, sizeof(write_block));
	for (unsigned int i = 0; i < 64; i++)
		b.a->regs[R(8) + i] = (uint8_t)test_random(&seed);

	if (run(&b, surfaces_code, sizeof(surfaces_code), 0xffff)) {
		uint8_t *first = machine_at(&b.m, buffer[0]);

		for (int l = 0; l < 16; l++) {
			CHECK_EQ(eu_get32(b.a, R(11) + 4 * l),
				 dword_or_0(machine_at(&b.m, buffer[1]), offsets[l]));
			CHECK_EQ(eu_get32(b.a, R(12) + 4 * l),
				 dword_or_0(machine_at(&b.m, buffer[2]), offsets[l]));
			/* r13 was read after the store. */
			CHECK_EQ(eu_get32(b.a, R(13) + 4 * l), dword_or_0(first, offsets[l]));
			if (stored[l] + 4 <= BUFFER_BYTES)
				memcpy(expected + stored[l], b.a->regs + R(10) + 4 * l, 4);
			CHECK_EQ(eu_get32(b.a, R(10) + 4 * l) != 0, offsets[l] + 4 <= BUFFER_BYTES);
		}
		CHECK(!memcmp(first, expected, sizeof(expected)));
		for (unsigned int y = 0; y < 4; y++)
			for (unsigned int x = 0; x < 8; x++)
				CHECK_EQ(b.a->regs[R(14) + 8 * y + x],
					 14 + x < WIDTH && 3 + y < HEIGHT ?
					 before[(3 + y) * PITCH + 14 + x] : 0);
		for (unsigned int y = 0; y < HEIGHT; y++)
			for (unsigned int x = 0; x < PITCH; x++) {
				bool in = x >= 16 && x < WIDTH && y >= 1;

				CHECK_EQ(pixels[y * PITCH + x], in ?
					 b.a->regs[R(8) + 8 * (y - 1) + x - 16] :
					 before[y * PITCH + x]);
			}
	}
	bench_fini(&b);
}

/* A walker whose groups each write a byte to their part of an image */
TEST(eu_groups_fill_an_image)
{
	struct kernel kernel = {
		.name = "fill", .code = fill_code, .code_size = sizeof(fill_code),
		.simd = 16, .grf = 128, .inline_data = 0x4c,
	};
	const unsigned int groups[3] = {2, 5, 1}, local[3] = {16, 1, 1};
	uint32_t state[16] = {}, table = 0x100;
	struct machine m;
	uint8_t *image;
	uint64_t va;

	machine_init(&m);
	va = machine_alloc(&m, 64 * 8);
	image = machine_at(&m, va);
	memset(image, 0x88, 64 * 8);
	state[0] = 1u << 29 | 0x140u << 18;
	state[2] = 15 | 7 << 16;	/* in dwords */
	state[3] = 63;
	state[8] = (uint32_t)va;
	state[9] = va >> 32;
	memcpy(m.memory + MACHINE_STATE, &table, sizeof(table));
	memcpy(m.memory + MACHINE_STATE + 0x100, state, sizeof(state));
	m.surfaces = MACHINE_STATE;
	m.host_threads = 2;
	CHECK_EQ(machine_run(&m, &kernel, groups, local, NULL), 0);
	for (unsigned int y = 0; y < 8; y++)
		for (unsigned int x = 0; x < 64; x++)
			CHECK_EQ(image[64 * y + x], x < 32 && y < 5 ? 0x4c : 0x88);
	machine_fini(&m);
}

TEST(eu_calls_at_an_address)
{
	const uint32_t function = MACHINE_CODE + 64;
	uint8_t code[sizeof(absolute_code)];
	uint32_t n[LANES];
	struct bench b;

	REQUIRE(bench_init(&b));
	/* Change the second instruction from call with a distance to calla with an address. */
	memcpy(code, absolute_code, sizeof(code));
	CHECK_EQ(code[16], EU_OP_CALL);
	code[16] = EU_OP_CALLA;
	memcpy(code + 16 + 12, &function, sizeof(function));
	for (uint32_t l = 0; l < LANES; l++)
		n[l] = l;
	memcpy(b.a->regs + R(2), n, sizeof(n));
	if (run(&b, code, sizeof(code), 0x0ff0ff0f))
		for (uint32_t l = 0; l < LANES; l++)
			if (0x0ff0ff0f >> l & 1)
				CHECK_EQ(eu_get32(b.a, R(10) + 4 * l), l + 1100);
	bench_fini(&b);
}

/* Rounds up when the lost fraction plus the random fraction is at least one, else down. */
static uint16_t half_at_random(float f, uint32_t random)
{
	float magnitude = fabsf(f);
	int exponent = 0;
	double units;

	if (isnan(f))
		return 0x7e00;
	frexpf(magnitude, &exponent);
	exponent = exponent - 1 < -14 ? -14 : exponent - 1;
	units = floor(ldexp(magnitude, 10 - exponent) + (random & 0x1fff) / 8192.0);
	if (isinf(f) || ldexp(units, exponent - 10) >= 65536)
		return signbit(f) ? 0xfc00 : 0x7c00;
	/* The sum carries into the exponent. */
	if (exponent > -14 || units >= 1024)
		units += (exponent + 14) * 1024.0;
	return (uint16_t)units | (signbit(f) ? 0x8000 : 0);
}

static uint8_t byte_at_random(uint16_t half, uint32_t random)
{
	uint32_t m = half & 0x7fff;

	if (m < 0x7c00)
		m += random & 0xff;
	return m >> 8 | (half >> 8 & 0x80);
}

TEST(eu_stochastic_rounding)
{
	uint64_t seed = 34;
	struct bench b;

	REQUIRE(bench_init(&b));
	for (int round = 0; round < 500; round++) {
		float f[LANES];
		uint32_t random[LANES];

		for (int l = 0; l < LANES; l++) {
			uint64_t r = test_random(&seed);

			f[l] = ldexpf((float)(int32_t)r, (int)(r >> 32 & 63) - 70);
			random[l] = (uint32_t)(r >> 40);
			if (!(r >> 33 & 63))
				f[l] = r & 1 ? INFINITY : -INFINITY;
		}
		memcpy(b.a->regs + R(2), f, sizeof(f));
		memcpy(b.a->regs + R(4), random, sizeof(random));
		if (!run(&b, stochastic_code, sizeof(stochastic_code), UINT32_MAX))
			break;
		for (int l = 0; l < LANES; l++) {
			uint16_t half, bits;

			memcpy(&half, b.a->regs + R(10) + 2 * l, sizeof(half));
			memcpy(&bits, b.a->regs + R(4) + 2 * l, sizeof(bits));
			CHECK_EQ(half, half_at_random(f[l], random[l]));
			CHECK_EQ(b.a->regs[R(12) + l], byte_at_random(half, bits));
		}
	}
	bench_fini(&b);
}

/*
 * Runs a program of 16 lanes as a row of groups of @local items. The inline data has the address
 * to which the program stores.
 */
static int walk(struct machine *m, const uint8_t *code, size_t size, unsigned int groups,
		unsigned int local)
{
	struct kernel kernel = {
		.name = "program", .code = code, .code_size = size, .simd = 16, .grf = 128,
		.inline_data = MACHINE_HEAP,
	};

	return machine_run(m, &kernel, (unsigned int [3]){groups, 1, 1},
			   (unsigned int [3]){local, 1, 1}, NULL);
}

TEST(eu_deadlock_tells_the_threads)
{
	struct machine m;

	machine_init(&m);
	/* Two of three threads arrive at the barrier, and the first thread ends. */
	CHECK_EQ(walk(&m, deadlock_code, sizeof(deadlock_code), 1, 48), -EDEADLK);
	CHECK_EQ(m.stop.reason, EU_DEADLOCK);
	CHECK(strstr(m.stop.text, "group (0,0,0), 1 ended, 2 wait:"));
	CHECK(strstr(m.stop.text, "thread 1 at 0x10060 for 0x1; thread 2 at 0x10060 for 0x1;"));
	CHECK_EQ(m.stop.ip, 0x10060);
	machine_fini(&m);
}

/* Compares each register with the value that follows from the program and its lanes. */
TEST(eu_flow_debug_and_notification_registers)
{
	const uint32_t reading = MACHINE_CODE + 32, join = MACHINE_CODE + 224;
	uint64_t seed = 36;
	struct bench b;

	REQUIRE(bench_init(&b));
	for (int round = 0; round < 50; round++) {
		uint32_t em = (uint32_t)test_random(&seed) | 1, inside = 0;

		for (int l = 0; l < LANES; l++) {
			/* Lane 0 always stays inside the branch. */
			uint32_t n = l && test_random(&seed) & 1 ? 0 : 1;

			inside |= (em >> l & n) << l;
			eu_put32(b.a, R(2) + 4 * l, n);
		}
		memset(b.a->regs + R(10), 0xff, 4 * EU_REG_BYTES);
		b.a->notified = 0x24;
		if (!run(&b, registers_code, sizeof(registers_code), em))
			break;
		for (int l = 0; l < LANES - 1; l++)
			CHECK_EQ(eu_get32(b.a, R(10) + 4 * l),
				 inside >> l & 1 ? reading : em >> l & 1 ? join : 0);
		/* Another instruction wrote the value of lane 17 to the place of the last lane. */
		CHECK_EQ(eu_get32(b.a, R(10) + 4 * 31),
			 inside >> 17 & 1 ? reading + 16 : em >> 17 & 1 ? join : 0);
		CHECK_EQ(eu_get32(b.a, R(12)), inside);
		CHECK_EQ(eu_get32(b.a, R(12) + 4), inside);
		CHECK_EQ(eu_get32(b.a, R(12) + 12), 0x5a5a1234);
		CHECK_EQ(eu_get32(b.a, R(12) + 16), 1);
		/* Bit 0 says that any barrier is notified; the write to n0.1 left n0.0. */
		CHECK_EQ(eu_get32(b.a, R(12) + 20), 0x25);
		CHECK_EQ(b.a->notified, 0x24);
		for (int i = 0; i < 4; i++)
			CHECK_EQ(eu_get32(b.a, R(13) + 4 * i), 0);
	}
	bench_fini(&b);
}

TEST(eu_architecture_registers_print_as_iga64_does)
{
	static const char *const want[] = {
		"cmp (32|M0) (eq)f0.0 null<1>:ud r2.0<1;1,0>:ud 0x0:ud",
		"(f0.0) goto (32|M0) 208 208",
		"(W) mov (32|M0) r10.0<1>:ud fc0.0<1;1,0>:ud",
		"(W) mov (1|M0) r11.15<1>:ud fc0.17<0;1,0>:ud",
		"(W) mov (1|M0) r12.0<1>:ud fc1.0<0;1,0>:ud",
		"(W) mov (1|M0) r12.1<1>:ud ce<0;1,0>:ud",
		"(W) mov (8|M0) r13.0<1>:uw tdr0.0<1;1,0>:uw",
		"(W) mov (1|M0) r12.2<1>:ud dbg0.1<0;1,0>:ud",
		"(W) mov (1|M0) dbg0.0<1>:ud 0x5A5A1234:ud",
	};
	char text[256];

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		eu_disassemble(registers_code + 16 * i, 16, 16 * (uint32_t)i, text, sizeof(text));
		if (strcmp(text, want[i]))
			test_fail(__FILE__, __LINE__, "\"%s\", not \"%s\"", text, want[i]);
	}
}

TEST(eu_debug_register_tells_the_start)
{
	struct machine m;
	uint32_t start;

	machine_init(&m);
	CHECK_EQ(walk(&m, start_code, sizeof(start_code), 1, 16), 0);
	memcpy(&start, m.memory + MACHINE_HEAP, sizeof(start));
	CHECK_EQ(start, MACHINE_CODE);
	machine_fini(&m);
}

/* A thread finds nothing of an earlier one in the registers that instructions write. */
TEST(eu_threads_start_with_clear_registers)
{
	static const uint8_t written[] = { EU_A0, EU_FLAG, EU_CR, EU_N0, EU_DBG };
	struct eu_group group = {};
	struct bench b;

	REQUIRE(bench_init(&b));
	eu_tlb_begin(b.w);
	b.m.walker.simd = 16;
	b.m.walker.threads_per_group = 1;
	b.m.walker.kernel = MACHINE_CODE;
	b.a->worker = b.w;
	for (unsigned int i = 0; i < sizeof(written); i++)
		memset(b.a->regs + EU_ARF_SLOT(written[i]), 0xff, EU_REG_BYTES);
	eu_thread_start(b.a, &group, 0);
	for (unsigned int i = 0; i < sizeof(written); i++)
		for (unsigned int k = 0; k < EU_REG_BYTES / 4; k++)
			CHECK_EQ(eu_get32(b.a, EU_ARF_SLOT(written[i]) + 4 * k),
				 written[i] == EU_DBG && k == 1 ? MACHINE_CODE : 0);
	bench_fini(&b);
}

/* The host never notifies, so that a thread that waits for the host is a reported deadlock. */
TEST(eu_host_never_notifies)
{
	struct machine m;

	machine_init(&m);
	CHECK_EQ(walk(&m, host_code, sizeof(host_code), 1, 32), -EDEADLK);
	CHECK(strstr(m.stop.text, "0 ended, 2 wait: thread 0 at 0x10000 for the host;"));
	machine_fini(&m);
}

/* Runs the instruction that reads n0.0, and checks n0.0 and the flag for @notified. */
static bool notification_reads(struct bench *b, uint32_t notified)
{
	uint32_t want = notified ? notified | 1 : 0;

	b->a->notified = notified;
	/* The instruction at 48 is the "and" of the polling loop. */
	CHECK(bench_execute(b, bench_decode(b, poll_code + 48), 1));
	CHECK_EQ(eu_get32(b->a, EU_ARF_SLOT(EU_N0)), want);
	CHECK_EQ(eu_flag(b->a, 0) & 1, !notified);
	return eu_get32(b->a, EU_ARF_SLOT(EU_N0)) == want;
}

TEST(eu_any_barrier_shows_in_bit_0)
{
	struct machine m;
	struct bench b;
	bool reads;

	REQUIRE(bench_init(&b));
	reads = notification_reads(&b, 0);
	for (int id = 0; id < EU_BARRIERS; id++) {
		reads &= notification_reads(&b, 1u << id);
		reads &= notification_reads(&b, 1u << id | 2);
	}
	bench_fini(&b);
	/* Without this bit the threads would poll forever. */
	REQUIRE(reads);
	machine_init(&m);
	CHECK_EQ(walk(&m, poll_code, sizeof(poll_code), 2, 48), 0);
	machine_fini(&m);
}

/* A signal to barrier 5, which completes with two producers and one consumer */
#define SIGNAL(kind)	(5 | (kind) << 14 | 2 << 16 | 1 << 24)

TEST(eu_barriers_count_producers_and_consumers)
{
	struct eu_group g = { 0 };
	struct bench b;

	REQUIRE(bench_init(&b));
	g.threads[0] = b.a;
	g.threads[1] = b.b;
	b.a->group = b.b->group = &g;
	b.b->number = 1;
	for (int round = 0; round < 2; round++) {
		b.a->notified = b.b->notified = 0;
		CHECK(eu_barrier_signal(b.a, SIGNAL(1)));
		CHECK(eu_barrier_signal(b.b, SIGNAL(2)));
		CHECK_EQ(b.a->notified | b.b->notified, 0);
		CHECK(eu_barrier_signal(b.a, SIGNAL(1)));
		/* Producers are not notified. */
		CHECK_EQ(b.a->notified, 0);
		CHECK_EQ(b.b->notified, 1u << 5);
		b.b->notified = 0;
		CHECK(eu_barrier_signal(b.a, SIGNAL(1)));
		CHECK(eu_barrier_signal(b.b, SIGNAL(0)));
		CHECK_EQ(b.a->notified, 0);
		CHECK_EQ(b.b->notified, 1u << 5);
	}
	CHECK(!eu_barrier_signal(b.a, SIGNAL(3)));
	CHECK(!eu_barrier_signal(b.a, SIGNAL(0) | EU_BARRIERS));
	bench_fini(&b);
}

TEST(eu_large_threads_are_half_as_many)
{
	struct kernel kernel = {
		.name = "fill", .code = deadlock_code + 0x70, .code_size = 16, .simd = 16,
		.grf = 256,
	};
	const unsigned int groups[3] = {1, 1, 1}, most[3] = {512, 1, 1}, more[3] = {528, 1, 1};
	struct machine m;

	machine_init(&m);
	CHECK_EQ(machine_run(&m, &kernel, groups, most, NULL), 0);
	CHECK_EQ(machine_run(&m, &kernel, groups, more, NULL), -EINVAL);
	kernel.grf = 128;
	CHECK_EQ(machine_run(&m, &kernel, groups, more, NULL), 0);
	machine_fini(&m);
}
