// SPDX-License-Identifier: MIT
/*
 * Compares compiled kernels with the same computation in C, at both SIMD widths, and tests
 * the ways in which a run stops.
 */
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "eu/bench/loops.h"
#include "eu/tests/kernels.h"
#include "eu/tests/machine.h"
#include "tests/test.h"

#define ITEMS 256u

static const struct kernel *const all_kernels[] = {
	&atoms_16, &atoms_32, &diverge_16, &diverge_32, &doubles_16, &doubles_32,
	&floats_16, &floats_32, &ids_16, &ids_32, &ints_16, &ints_32,
	&longs_16, &longs_32, &private_array_16, &private_array_32,
	&relay_16, &relay_32, &scan_16, &scan_32, &spin_16, &spin_32,
	&triad_16, &triad_32,
};

/*
 * Returns the text that iga64 prints for the kernel: a line for each instruction, then an empty
 * line. Returns NULL when kernels.iga has no such kernel.
 */
static const char *text_of(const struct kernel *kernel)
{
	char heading[32];
	int length = snprintf(heading, sizeof(heading), "%s_%u:\n", kernel->name, kernel->simd);
	const char *at = kernels_text;

	while (strncmp(at, heading, (size_t)length)) {
		at = strstr(at, "\n\n");
		if (!at)
			return NULL;
		at += 2;
	}
	return at + length;
}

TEST(eu_text_is_that_of_iga64)
{
	for (size_t k = 0; k < sizeof(all_kernels) / sizeof(all_kernels[0]); k++) {
		const struct kernel *kernel = all_kernels[k];
		const char *want = text_of(kernel);
		size_t at = 0, length;

		REQUIRE(want && *want);
		for (; *want && *want != '\n'; want += length + 1) {
			char text[256];
			size_t n = eu_disassemble(kernel->code + at,
						  kernel->code_size - at, at,
						  text, sizeof(text));

			length = strcspn(want, "\n");
			if (!n || strlen(text) != length || memcmp(text, want, length)) {
				test_fail(__FILE__, __LINE__, "%s+%zu: \"%s\", not \"%.*s\"",
					  kernel->name, at, text, (int)length, want);
				break;
			}
			at += n;
		}
	}
}

/* Runs the kernel, and reports the reason when the run fails. */
static bool run(struct machine *m, const struct kernel *kernel, unsigned int groups,
		unsigned int local, const uint64_t *args)
{
	const unsigned int g[3] = {groups, 1, 1}, l[3] = {local, 1, 1};
	int ret = machine_run(m, kernel, g, l, args);

	if (ret)
		test_fail(__FILE__, __LINE__, "%s SIMD%u: %s at 0x%x: %s", kernel->name,
			  kernel->simd, eu_reason_text(m->stop.reason), m->stop.ip,
			  m->stop.text);
	return !ret;
}

/* Two inputs of ITEMS elements, and an output with several results per item */
struct buffers {
	uint64_t args[3];
	void *out, *x, *y;
};

static void allocate(struct machine *m, struct buffers *b, size_t element,
		     unsigned int results)
{
	b->args[0] = machine_alloc(m, ITEMS * results * element);
	b->args[1] = machine_alloc(m, ITEMS * element);
	b->args[2] = machine_alloc(m, ITEMS * element);
	b->out = machine_at(m, b->args[0]);
	b->x = machine_at(m, b->args[1]);
	b->y = machine_at(m, b->args[2]);
}

static const int32_t corners[] = {
	0, 1, -1, 2, -2, 7, 31, 32, 33, 127, 128, -128, 255, 32767, -32768, 65535,
	65536, 0x12345678, INT32_MAX, INT32_MIN, INT32_MIN + 1, -0x12345678,
};

static uint64_t pick(uint64_t *state)
{
	uint64_t r = test_random(state);

	if (r & 1)
		return (uint64_t)(int64_t)corners[(r >> 8) % (sizeof(corners) / 4)];
	return test_random(state);
}

static int32_t saturate8(int32_t v)
{
	return v > 127 ? 127 : v < -128 ? -128 : v;
}

static void ints_in_c(int32_t a, int32_t b, int32_t *o)
{
	uint32_t ua = a, ub = b, n = ub & 31;

	o[0] = (int32_t)(ua + ub);
	o[1] = (int32_t)(ua - ub);
	o[2] = (int32_t)(ua * ub);
	o[3] = (int64_t)a * b >> 32;
	o[4] = (uint64_t)ua * ub >> 32;
	o[5] = a / b;
	o[6] = a % b;
	o[7] = ua / ub;
	o[8] = ua % ub;
	o[9] = (int32_t)(ua << n);
	o[10] = a >> n;
	o[11] = ua >> n;
	o[12] = ua << n | ua >> (-n & 31);
	o[13] = __builtin_popcount(ua);
	o[14] = ua ? __builtin_clz(ua) : 32;
	o[15] = a < b ? a : b;
	o[16] = ua > ub ? ua : ub;
	o[17] = (a & b) ^ (~a | b);
	o[18] = saturate8((int8_t)a + (int8_t)b);
	o[19] = (int16_t)a * (int16_t)b;
	o[20] = a > b ? ua - ub : ub - ua;
	o[21] = a < b ? 1 : a == b ? 2 : 3;
	o[22] = ua + ub < ua;
	o[23] = ((int64_t)a + b) >> 1;
}

static void check_ints(const struct kernel *kernel)
{
	uint64_t seed = 1;
	struct machine m;
	struct buffers b;

	machine_init(&m);
	allocate(&m, &b, 4, 24);
	for (unsigned int i = 0; i < ITEMS; i++) {
		int32_t x = pick(&seed), y = pick(&seed);

		/* These two divisions are undefined in C. */
		if (!y || (x == INT32_MIN && y == -1))
			y = 3;
		((int32_t *)b.x)[i] = x;
		((int32_t *)b.y)[i] = y;
	}
	if (run(&m, kernel, ITEMS / 64, 64, b.args)) {
		for (unsigned int i = 0; i < ITEMS; i++) {
			int32_t want[24], *got = (int32_t *)b.out + i * 24;

			ints_in_c(((int32_t *)b.x)[i], ((int32_t *)b.y)[i], want);
			for (int k = 0; k < 24; k++)
				if (got[k] != want[k])
					test_fail(__FILE__, __LINE__,
						  "SIMD%u o[%d] of %d, %d is %d, not %d",
						  kernel->simd, k, ((int32_t *)b.x)[i],
						  ((int32_t *)b.y)[i], got[k], want[k]);
		}
	}
	machine_fini(&m);
}

TEST(eu_integer_arithmetic)
{
	check_ints(&ints_16);
	check_ints(&ints_32);
}

static void longs_in_c(int64_t a, int64_t b, int64_t *o)
{
	uint64_t ua = a, ub = b, n = ub & 63;

	o[0] = (int64_t)(ua + ub);
	o[1] = (int64_t)(ua - ub);
	o[2] = (int64_t)(ua * ub);
	o[3] = a / b;
	o[4] = ua % ub;
	o[5] = (int64_t)(ua << n);
	o[6] = a >> n;
	o[7] = ua >> n;
	o[8] = a < b;
	o[9] = ua < ub;
	o[10] = __builtin_popcountll(ua);
	o[11] = (unsigned __int128)ua * ub >> 64;
}

static void check_longs(const struct kernel *kernel)
{
	uint64_t seed = 2;
	struct machine m;
	struct buffers b;

	machine_init(&m);
	allocate(&m, &b, 8, 12);
	for (unsigned int i = 0; i < ITEMS; i++) {
		int64_t x = pick(&seed), y = pick(&seed);

		if (!y || (x == INT64_MIN && y == -1))
			y = 3;
		((int64_t *)b.x)[i] = x;
		((int64_t *)b.y)[i] = y;
	}
	if (run(&m, kernel, ITEMS / 64, 64, b.args)) {
		for (unsigned int i = 0; i < ITEMS; i++) {
			int64_t want[12], *got = (int64_t *)b.out + i * 12;

			longs_in_c(((int64_t *)b.x)[i], ((int64_t *)b.y)[i], want);
			for (int k = 0; k < 12; k++)
				if (got[k] != want[k])
					test_fail(__FILE__, __LINE__,
						  "SIMD%u o[%d] of item %u is 0x%llx, not 0x%llx",
						  kernel->simd, k, i,
						  (unsigned long long)got[k],
						  (unsigned long long)want[k]);
		}
	}
	machine_fini(&m);
}

TEST(eu_long_arithmetic)
{
	check_longs(&longs_16);
	check_longs(&longs_32);
}

static const float float_corners[] = {
	0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 1.5f, 2.5f, -2.5f, 3e9f, -3e9f, 5e9f, 1e-40f,
	-1e-45f, 1e38f, -1e38f, INFINITY, -INFINITY, NAN, 16777217.0f, 0.1f,
};

static float pick_float(uint64_t *state)
{
	uint64_t r = test_random(state);
	int32_t v = (int32_t)(r >> 32);

	if (r & 1)
		return float_corners[(r >> 8) % (sizeof(float_corners) / 4)];
	return ldexpf((float)v, (int)(r >> 8 & 31) - 40);
}

static double half_in_c(uint16_t h)
{
	int exponent = h >> 10 & 31, fraction = h & 1023;
	double v;

	if (exponent == 31)
		v = fraction ? NAN : INFINITY;
	else
		v = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
	return h >> 15 ? -v : v;
}

static double clamp(double v, double lo, double hi)
{
	return isnan(v) ? 0 : v < lo ? lo : v > hi ? hi : v;
}

static void floats_in_c(float a, float b, float *o)
{
	uint16_t half;

	memcpy(&half, &a, sizeof(half));
	o[0] = a + b;
	o[1] = a * b;
	o[2] = fmaf(a, b, 1.5f);
	o[3] = a / b;
	o[4] = sqrtf(fabsf(a));
	o[5] = floorf(a);
	o[6] = ceilf(a);
	o[7] = truncf(a);
	o[8] = rintf(a);
	o[9] = isnan(a) ? b : isnan(b) ? a : a < b ? a : b;
	o[10] = isnan(a) ? b : isnan(b) ? a : a > b ? a : b;
	o[11] = (float)(int32_t)clamp(rint(a), INT32_MIN, INT32_MAX);
	o[12] = (float)(uint32_t)clamp(trunc(a), 0, UINT32_MAX);
	o[13] = a < b ? 1.0f : 2.0f;
	o[14] = isnan(a) ? 3.0f : 4.0f;
	o[15] = (float)half_in_c(half);
}

static bool same(double a, double b)
{
	return (isnan(a) && isnan(b)) || a == b;
}

static void check_floats(const struct kernel *kernel)
{
	uint64_t seed = 3;
	struct machine m;
	struct buffers b;

	machine_init(&m);
	allocate(&m, &b, 4, 16);
	for (unsigned int i = 0; i < ITEMS; i++) {
		((float *)b.x)[i] = pick_float(&seed);
		((float *)b.y)[i] = pick_float(&seed);
	}
	if (run(&m, kernel, ITEMS / 64, 64, b.args)) {
		for (unsigned int i = 0; i < ITEMS; i++) {
			float x = ((float *)b.x)[i], y = ((float *)b.y)[i];
			float want[16], *got = (float *)b.out + i * 16;

			floats_in_c(x, y, want);
			for (int k = 0; k < 16; k++)
				if (!same(got[k], want[k]))
					test_fail(__FILE__, __LINE__,
						  "SIMD%u o[%d] of %a, %a is %a, not %a",
						  kernel->simd, k, x, y, got[k], want[k]);
		}
	}
	machine_fini(&m);
}

TEST(eu_float_arithmetic)
{
	check_floats(&floats_16);
	check_floats(&floats_32);
	CHECK(fegetround() == FE_TONEAREST);
}

static void check_doubles(const struct kernel *kernel)
{
	uint64_t seed = 4;
	struct machine m;
	struct buffers b;

	machine_init(&m);
	allocate(&m, &b, 8, 6);
	for (unsigned int i = 0; i < ITEMS; i++) {
		((double *)b.x)[i] = pick_float(&seed) * 1.0000001;
		((double *)b.y)[i] = pick_float(&seed) * 0.9999999;
		/* A conversion beyond the range is undefined in C. */
		if (!(fabs(((double *)b.x)[i]) < 1e18))
			((double *)b.x)[i] = i;
	}
	if (run(&m, kernel, ITEMS / 64, 64, b.args)) {
		for (unsigned int i = 0; i < ITEMS; i++) {
			double x = ((double *)b.x)[i], y = ((double *)b.y)[i];
			double *got = (double *)b.out + i * 6;
			double want[6] = {
				x + y, fma(x, y, 0.5), x / y, sqrt(fabs(x)),
				(double)(float)x, (double)(int64_t)x
			};

			for (int k = 0; k < 6; k++)
				if (!same(got[k], want[k]))
					test_fail(__FILE__, __LINE__,
						  "SIMD%u o[%d] of %a, %a is %a, not %a",
						  kernel->simd, k, x, y, got[k], want[k]);
		}
	}
	machine_fini(&m);
}

TEST(eu_double_arithmetic)
{
	check_doubles(&doubles_16);
	check_doubles(&doubles_32);
}

static void check_diverge(const struct kernel *kernel)
{
	struct machine m;
	struct buffers b;

	machine_init(&m);
	allocate(&m, &b, 4, 1);
	for (unsigned int i = 0; i < ITEMS; i++)
		((uint32_t *)b.x)[i] = i % 11 ? i * 7 : i % 2;
	/* A group has 40 items, so that its last thread runs with some lanes off. */
	if (run(&m, kernel, 6, 40, b.args)) {
		uint32_t want[240];

		loop_diverge(want, b.x, 240);
		CHECK(!memcmp(b.out, want, sizeof(want)));
		for (unsigned int i = 240; i < ITEMS; i++)
			CHECK_EQ(((uint32_t *)b.out)[i], 0);
	}
	machine_fini(&m);
}

TEST(eu_divergent_control_flow)
{
	check_diverge(&diverge_16);
	check_diverge(&diverge_32);
}

static void check_scan(const struct kernel *kernel, unsigned int host_threads)
{
	const unsigned int groups = 24, n = groups * 256;
	uint32_t *in, *out, sum = 0;
	struct machine m;
	uint64_t args[2];

	machine_init(&m);
	m.host_threads = host_threads;
	args[0] = machine_alloc(&m, n * 4);
	args[1] = machine_alloc(&m, n * 4);
	out = machine_at(&m, args[0]);
	in = machine_at(&m, args[1]);
	for (unsigned int i = 0; i < n; i++)
		in[i] = i * 2654435761u >> 20;
	if (run(&m, kernel, groups, 256, args)) {
		for (unsigned int i = 0; i < n; i++) {
			sum = i % 256 ? sum + in[i] : in[i];
			CHECK_EQ(out[i], sum);
		}
		CHECK_EQ(m.counters.groups, groups);
		CHECK_EQ(m.counters.threads, groups * 256 / kernel->simd);
	}
	machine_fini(&m);
}

TEST(eu_local_memory_and_barriers)
{
	check_scan(&scan_16, 1);
	check_scan(&scan_32, 1);
	check_scan(&scan_32, 3);
}

/* The run reports a deadlock and does not hang when no thread signals the barrier. */
TEST(eu_barrier_deadlock_is_reported)
{
	const unsigned int groups[3] = {1, 1, 1}, local[3] = {256, 1, 1};
	struct machine m;
	uint64_t args[2];
	uint8_t code[8192];
	struct kernel broken = scan_32;

	machine_init(&m);
	args[0] = machine_alloc(&m, 1024);
	args[1] = machine_alloc(&m, 1024);
	/* Replace the signals by nops: the threads wait and have not signalled. */
	memcpy(code, scan_32.code, scan_32.code_size);
	for (size_t at = 0, n; at < scan_32.code_size; at += n) {
		char text[256];

		n = eu_disassemble(code + at, scan_32.code_size - at, at, text,
				   sizeof(text));
		if (!n)
			break;
		if (strstr(text, "send.gtwy") && !strstr(text, "EOT")) {
			memset(code + at, 0, n);
			code[at] = 0x60;
		}
	}
	broken.code = code;
	CHECK_EQ(machine_run(&m, &broken, groups, local, args), -EDEADLK);
	CHECK_EQ(m.stop.reason, EU_DEADLOCK);
	machine_fini(&m);
}

static void check_atoms(const struct kernel *kernel, unsigned int host_threads)
{
	const unsigned int n = 4096;
	int32_t *in, *o, sum = 0, lo = INT32_MAX, hi = INT32_MIN;
	uint32_t ulo = UINT32_MAX, uhi = 0, ands = UINT32_MAX, ors = 0, xors = 0;
	uint64_t args[2], seed = 5;
	struct machine m;
	uint8_t *seen;

	machine_init(&m);
	m.host_threads = host_threads;
	args[0] = machine_alloc(&m, (32 + n) * 4);
	args[1] = machine_alloc(&m, n * 4);
	o = machine_at(&m, args[0]);
	in = machine_at(&m, args[1]);
	for (unsigned int i = 0; i < n; i++) {
		in[i] = (int32_t)test_random(&seed);
		sum = (int32_t)((uint32_t)sum + (uint32_t)in[i]);
		lo = in[i] < lo ? in[i] : lo;
		hi = in[i] > hi ? in[i] : hi;
		ulo = (uint32_t)in[i] < ulo ? (uint32_t)in[i] : ulo;
		uhi = (uint32_t)in[i] > uhi ? (uint32_t)in[i] : uhi;
		ands &= in[i];
		ors |= in[i];
		xors ^= in[i];
	}
	o[2] = INT32_MAX;
	o[3] = INT32_MIN;
	o[4] = -1;
	o[6] = -1;
	if (run(&m, kernel, n / 64, 64, args)) {
		seen = calloc(1, n);
		CHECK_EQ(o[0], sum);
		CHECK_EQ((uint32_t)o[1], -(uint32_t)sum);
		CHECK_EQ(o[2], lo);
		CHECK_EQ(o[3], hi);
		CHECK_EQ((uint32_t)o[4], ulo);
		CHECK_EQ((uint32_t)o[5], uhi);
		CHECK_EQ((uint32_t)o[6], ands);
		CHECK_EQ((uint32_t)o[7], ors);
		CHECK_EQ((uint32_t)o[8], xors);
		CHECK_EQ(o[9], n);
		CHECK_EQ(o[10], -(int)n);
		CHECK_EQ(o[11], n);
		CHECK_EQ(o[12], 3 * n);
		for (unsigned int i = 0; seen && i < n; i++)
			if ((uint32_t)o[32 + i] >= n || seen[o[32 + i]]++)
				test_fail(__FILE__, __LINE__, "ticket %u twice", i);
		free(seen);
	}
	machine_fini(&m);
}

TEST(eu_atomics)
{
	check_atoms(&atoms_16, 1);
	check_atoms(&atoms_32, 1);
	check_atoms(&atoms_16, 4);
	check_atoms(&atoms_32, 4);
}

static uint32_t private_in_c(uint32_t x, uint32_t n)
{
	uint32_t a[100];

	for (uint32_t k = 0; k < 100; k++)
		a[k] = x * k;
	for (uint32_t k = 0; k < n; k++)
		a[(x + k * 7) % 100] += a[(x * 3 + k) % 100];
	return a[x % 100] ^ a[(x + 50) % 100];
}

static void check_private(const struct kernel *kernel, unsigned int host_threads)
{
	struct machine m;
	struct buffers b;

	machine_init(&m);
	m.host_threads = host_threads;
	allocate(&m, &b, 4, 1);
	b.args[2] = 200;
	for (unsigned int i = 0; i < ITEMS; i++)
		((uint32_t *)b.x)[i] = i * 2654435761u;
	if (run(&m, kernel, ITEMS / 64, 64, b.args))
		for (unsigned int i = 0; i < ITEMS; i++)
			CHECK_EQ(((uint32_t *)b.out)[i],
				 private_in_c(((uint32_t *)b.x)[i], 200));
	machine_fini(&m);
}

TEST(eu_private_memory_in_scratch)
{
	check_private(&private_array_16, 1);
	check_private(&private_array_32, 1);
	check_private(&private_array_16, 2);
}

static void check_ids(const struct kernel *kernel, unsigned int order)
{
	const unsigned int groups[3] = {3, 2, 4}, local[3] = {8, 4, 2};
	struct machine m;
	uint64_t args[1];
	uint32_t *out;

	machine_init(&m);
	m.walk_order = order;
	args[0] = machine_alloc(&m, 24 * 8 * 8 * 4);
	out = machine_at(&m, args[0]);
	CHECK_EQ(machine_run(&m, kernel, groups, local, args), 0);
	for (unsigned int z = 0; z < 8; z++)
		for (unsigned int y = 0; y < 8; y++)
			for (unsigned int x = 0; x < 24; x++)
				CHECK_EQ(out[x + 24 * (y + 8 * z)],
					 x % 8 | y % 4 << 5 | z % 2 << 10 |
					 x / 8 << 15 | y / 4 << 20 | z / 2 << 25);
	machine_fini(&m);
}

TEST(eu_ids_in_three_dimensions)
{
	for (unsigned int order = 0; order < 6; order++) {
		check_ids(&ids_16, order);
		check_ids(&ids_32, order);
	}
}

static void check_triad(const struct kernel *kernel, unsigned int host_threads)
{
	const unsigned int n = 256 * 1024;
	union { float f; uint64_t u; } s = {.u = 0};
	float *a, *b, *c;
	uint64_t args[4], read = 0, written = 0;
	struct machine m;

	machine_init(&m);
	m.host_threads = host_threads;
	for (int i = 0; i < 3; i++)
		args[i] = machine_alloc(&m, n * 4);
	s.f = 1.7f;
	args[3] = s.u;
	a = machine_at(&m, args[0]);
	b = machine_at(&m, args[1]);
	c = machine_at(&m, args[2]);
	for (unsigned int i = 0; i < n; i++) {
		b[i] = i * 0.5f;
		c[i] = 3.0f - i;
	}
	if (run(&m, kernel, n / 256, 256, args)) {
		for (unsigned int i = 0; i < n; i++) {
			float want = fmaf(s.f, c[i], b[i]);

			if (a[i] != want) {
				test_fail(__FILE__, __LINE__, "a[%u] is %a, not %a", i,
					  a[i], want);
				break;
			}
		}
		for (int p = 0; p < EU_PLACES; p++) {
			read += m.counters.read[p];
			written += m.counters.written[p];
		}
		CHECK_EQ(written, n * 4);
		/* The kernel reads b and c; each thread's 96 argument bytes count apart. */
		CHECK_EQ(read, n * 8);
		CHECK_EQ(m.counters.arguments, m.counters.threads * 96);
	}
	machine_fini(&m);
}

TEST(eu_triad_and_traffic)
{
	check_triad(&triad_16, 1);
	check_triad(&triad_32, 1);
	check_triad(&triad_32, 2);
}

TEST(eu_page_fault_stops)
{
	const unsigned int one[3] = {1, 1, 1}, local[3] = {64, 1, 1};
	struct machine m;
	uint64_t args[4] = {0x1000, MACHINE_BASE + MACHINE_HEAP, MACHINE_BASE + MACHINE_HEAP};

	machine_init(&m);
	CHECK_EQ(machine_run(&m, &triad_32, one, local, args), -EFAULT);
	CHECK_EQ(m.stop.reason, EU_FAULT);
	CHECK_EQ(m.stop.va, 0x1000);
	CHECK(m.stop.write);
	CHECK(strstr(m.stop.text, "send.ugm") != NULL);
	/* The other thread of the group has not started. */
	CHECK_EQ(m.counters.threads, 1);

	args[0] = MACHINE_BASE + MACHINE_HEAP;
	args[1] = MACHINE_BASE + MACHINE_SIZE - 64;	/* memory ends within the buffer */
	CHECK_EQ(machine_run(&m, &triad_32, one, local, args), -EFAULT);
	CHECK_EQ(m.stop.va, MACHINE_BASE + MACHINE_SIZE);
	CHECK(!m.stop.write);

	args[1] = args[0];
	m.read_only = true;
	CHECK_EQ(machine_run(&m, &triad_32, one, local, args), -EFAULT);
	CHECK_EQ(m.stop.va, args[0]);
	CHECK(m.stop.write);
	machine_fini(&m);
}

TEST(eu_illegal_instruction_stops)
{
	static const uint8_t zeros[64];
	const struct kernel empty = {
		.name = "zeros", .code = zeros, .code_size = sizeof(zeros), .simd = 32,
		.grf = 128,
	};
	const unsigned int one[3] = {1, 1, 1};
	struct machine m;

	machine_init(&m);
	CHECK_EQ(machine_run(&m, &empty, one, one, NULL), -EILSEQ);
	CHECK_EQ(m.stop.reason, EU_ILLEGAL);
	CHECK_EQ(m.stop.ip, MACHINE_CODE);
	CHECK(strlen(m.stop.text) > 0);
	machine_fini(&m);
}

/* Cancels after the process had some CPU time, because a busy machine may start it late. */
static void *cancel_soon(void *flag)
{
	clock_t start = clock();

	while (clock() - start < CLOCKS_PER_SEC / 20)
		usleep(1000);
	atomic_store((atomic_bool *)flag, true);
	return NULL;
}

TEST(eu_endless_loop_is_cancelled)
{
	const unsigned int groups[3] = {64, 1, 1}, local[3] = {64, 1, 1};
	atomic_bool cancel = false;
	pthread_t thread;
	struct machine m;
	uint64_t args[1];

	machine_init(&m);
	m.cancel = &cancel;
	m.host_threads = 2;
	args[0] = machine_alloc(&m, 64);
	pthread_create(&thread, NULL, cancel_soon, &cancel);
	CHECK_EQ(machine_run(&m, &spin_32, groups, local, args), -ECANCELED);
	CHECK_EQ(m.stop.reason, EU_CANCELLED);
	CHECK(m.counters.instructions > 0);
	pthread_join(thread, NULL);
	machine_fini(&m);
}

/* Each group waits for later groups, therefore the resident groups must take turns. */
TEST(eu_resident_groups_take_turns)
{
	const unsigned int groups = 20;
	struct machine m;
	uint64_t args[1];
	uint32_t *done;

	machine_init(&m);
	args[0] = machine_alloc(&m, groups * 4);
	done = machine_at(&m, args[0]);
	/* The 64 threads of one sub-slice have room for 20 groups of 64 items. */
	if (run(&m, &relay_32, groups, 64, args))
		for (unsigned int i = 0; i < groups; i++)
			CHECK_EQ(done[i], 1);
	machine_fini(&m);
}

TEST(eu_impossible_walkers_are_refused)
{
	const unsigned int one[3] = {1, 1, 1}, none[3] = {0, 1, 1};
	const unsigned int many[3] = {4096, 1, 1};
	struct kernel odd = triad_32;
	uint64_t args[4] = {};
	struct machine m;

	machine_init(&m);
	odd.simd = 8;
	CHECK_EQ(machine_run(&m, &odd, one, one, args), -EINVAL);
	CHECK_EQ(machine_run(&m, &triad_32, one, none, args), -EINVAL);
	CHECK_EQ(machine_run(&m, &triad_32, one, many, args), -EINVAL);
	CHECK_EQ(m.stop.reason, EU_BAD_WALKER);
	/* A walker without a group is no error. */
	CHECK_EQ(machine_run(&m, &triad_32, none, one, args), 0);
	CHECK_EQ(m.counters.groups, 0);
	machine_fini(&m);
}
