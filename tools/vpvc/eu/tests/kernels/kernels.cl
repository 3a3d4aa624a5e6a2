// SPDX-License-Identifier: MIT
/*
 * The kernels of the tests, in the order of their names. rebuild.sh compiles them for 16 and
 * for 32 lanes (SG) and finds each by the line that begins with KERNEL.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define KERNEL __attribute__((intel_reqd_sub_group_size(SG))) __kernel void

KERNEL atoms(__global int *o, __global const int *in)
{
	int v = in[get_global_id(0)];

	atomic_add(&o[0], v);
	atomic_sub(&o[1], v);
	atomic_min(&o[2], v);
	atomic_max(&o[3], v);
	atomic_min((volatile __global uint *)&o[4], (uint)v);
	atomic_max((volatile __global uint *)&o[5], (uint)v);
	atomic_and(&o[6], v);
	atomic_or(&o[7], v);
	atomic_xor(&o[8], v);
	atomic_inc(&o[9]);
	atomic_dec(&o[10]);
	/* a ticket per item: together they are a permutation */
	o[32 + atomic_add(&o[11], 1)] = get_global_id(0);
	for (;;) {
		int old = o[12];

		if (atomic_cmpxchg(&o[12], old, old + 3) == old)
			break;
	}
}

/* Every item takes its own way: break, continue, early return, nested loops. */
KERNEL diverge(__global uint *out, __global const uint *in)
{
	uint n = in[get_global_id(0)], steps = 0, sum = 0;

	if (n == 0) {
		out[get_global_id(0)] = 12345;
		return;
	}
	__attribute__((opencl_unroll_hint(1)))
	while (n != 1) {
		n = n & 1 ? 3 * n + 1 : n / 2;
		if (++steps > 90)
			break;
		if (n % 5 == 0)
			continue;
		__attribute__((opencl_unroll_hint(1)))
		for (uint k = 0; k < n % 7; k++) {
			if (k == 4)
				break;
			sum += k * steps;
		}
	}
	out[get_global_id(0)] = sum * 100 + steps;
}

KERNEL doubles(__global double *out, __global const double *x, __global const double *y)
{
	size_t i = get_global_id(0);
	double a = x[i], b = y[i];
	__global double *o = out + i * 6;

	o[0] = a + b;
	o[1] = fma(a, b, 0.5);
	o[2] = a / b;
	o[3] = sqrt(fabs(a));
	o[4] = (float)a;
	o[5] = (double)convert_long_rtz(a);
}

KERNEL floats(__global float *out, __global const float *x, __global const float *y)
{
	size_t i = get_global_id(0);
	float a = x[i], b = y[i];
	__global float *o = out + i * 16;

	o[0] = a + b;
	o[1] = a * b;
	o[2] = fma(a, b, 1.5f);
	o[3] = a / b;
	o[4] = sqrt(fabs(a));
	o[5] = floor(a);
	o[6] = ceil(a);
	o[7] = trunc(a);
	o[8] = rint(a);
	o[9] = fmin(a, b);
	o[10] = fmax(a, b);
	o[11] = (float)convert_int_sat_rte(a);
	o[12] = (float)convert_uint_sat_rtz(a);
	o[13] = a < b ? 1.0f : 2.0f;
	o[14] = isnan(a) ? 3.0f : 4.0f;
	o[15] = vload_half(0, (__global const half *)&x[i]);
}

/* Where every item of a three-dimensional launch thinks it is */
KERNEL ids(__global uint *out)
{
	size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
	size_t i = x + get_global_size(0) * (y + get_global_size(1) * z);

	out[i] = get_local_id(0) | get_local_id(1) << 5 | get_local_id(2) << 10 |
		 get_group_id(0) << 15 | get_group_id(1) << 20 | get_group_id(2) << 25;
}

/* 24 results per item; eu_kernels.c computes the same in C. */
KERNEL ints(__global int *out, __global const int *x, __global const int *y)
{
	size_t i = get_global_id(0);
	int a = x[i], b = y[i];
	uint ua = a, ub = b;
	__global int *o = out + i * 24;

	o[0] = a + b;
	o[1] = a - b;
	o[2] = a * b;
	o[3] = mul_hi(a, b);
	o[4] = mul_hi(ua, ub);
	o[5] = a / b;
	o[6] = a % b;
	o[7] = ua / ub;
	o[8] = ua % ub;
	o[9] = a << (ub & 31);
	o[10] = a >> (ub & 31);
	o[11] = ua >> (ub & 31);
	o[12] = rotate(ua, ub);
	o[13] = popcount(ua);
	o[14] = clz(ua);
	o[15] = min(a, b);
	o[16] = max(ua, ub);
	o[17] = (a & b) ^ (~a | b);
	o[18] = add_sat((char)a, (char)b);
	o[19] = (short)a * (short)b;
	o[20] = abs_diff(a, b);
	o[21] = a < b ? 1 : a == b ? 2 : 3;
	o[22] = ua + ub < ua;
	o[23] = hadd(a, b);
}

KERNEL longs(__global long *out, __global const long *x, __global const long *y)
{
	size_t i = get_global_id(0);
	long a = x[i], b = y[i];
	ulong ua = a, ub = b;
	__global long *o = out + i * 12;

	o[0] = a + b;
	o[1] = a - b;
	o[2] = a * b;
	o[3] = a / b;
	o[4] = ua % ub;
	o[5] = a << (ub & 63);
	o[6] = a >> (ub & 63);
	o[7] = ua >> (ub & 63);
	o[8] = a < b;
	o[9] = ua < ub;
	o[10] = popcount(ua);
	o[11] = mul_hi(ua, ub);
}

/* c = a b, n by n, through tiles in local memory */
#define T 16
__attribute__((reqd_work_group_size(T, T, 1)))
KERNEL matmul(__global float *c, __global const float *a, __global const float *b, uint n)
{
	__local float ta[T][T], tb[T][T];
	uint lx = get_local_id(0), ly = get_local_id(1);
	uint col = get_group_id(0) * T + lx, row = get_group_id(1) * T + ly;
	float sum = 0;

	for (uint k = 0; k < n; k += T) {
		ta[ly][lx] = a[row * n + k + lx];
		tb[ly][lx] = b[(k + ly) * n + col];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint i = 0; i < T; i++)
			sum = fma(ta[ly][i], tb[i][lx], sum);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[row * n + col] = sum;
}

/* Accelerations: every body against all others, x y z and the mass in w */
KERNEL nbody(__global float4 *out, __global const float4 *body, uint n)
{
	float4 me = body[get_global_id(0)];
	float3 sum = 0;

	for (uint j = 0; j < n; j++) {
		float4 other = body[j];
		float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
		float r2 = fma(dx, dx, fma(dy, dy, fma(dz, dz, 0.25f)));
		float r = native_rsqrt(r2);
		float s = other.w * r * r * r;

		sum.x = fma(dx, s, sum.x);
		sum.y = fma(dy, s, sum.y);
		sum.z = fma(dz, s, sum.z);
	}
	out[get_global_id(0)] = (float4)(sum, 0);
}

/* An array too large for registers and indexed by data lies in scratch. */
KERNEL private_array(__global uint *out, __global const uint *in, uint n)
{
	uint a[100];
	uint x = in[get_global_id(0)];

	__attribute__((opencl_unroll_hint(1)))
	for (uint k = 0; k < 100; k++)
		a[k] = x * k;
	__attribute__((opencl_unroll_hint(1)))
	for (uint k = 0; k < n; k++)
		a[(x + k * 7) % 100] += a[(x * 3 + k) % 100];
	out[get_global_id(0)] = a[x % 100] ^ a[(x + 50) % 100];
}

/* A sum per group, as a tree in local memory */
#define N 256
__attribute__((reqd_work_group_size(N, 1, 1)))
KERNEL reduce(__global uint *out, __global const uint *in)
{
	__local uint part[N];
	uint l = get_local_id(0), g = get_group_id(0) * 4 * N + l;

	part[l] = in[g] + in[g + N] + in[g + 2 * N] + in[g + 3 * N];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = N / 2; s; s /= 2) {
		if (l < s)
			part[l] += part[l + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (!l)
		out[get_group_id(0)] = part[0];
}

/* Each group waits for the group after it: all of them must be resident. */
KERNEL relay(__global volatile uint *done)
{
	uint g = get_group_id(0);

	if (get_local_id(0) == 0) {
		if (g + 1 < get_num_groups(0))
			while (atomic_add(&done[g + 1], 0) == 0)
				;
		atomic_inc(&done[g]);
	}
}

/* Inclusive prefix sum of a work-group of 256: local memory and many barriers */
KERNEL scan(__global uint *out, __global const uint *in)
{
	__local uint s[2][256];
	uint l = get_local_id(0), from = 0;

	s[0][l] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	__attribute__((opencl_unroll_hint(1)))
	for (uint d = 1; d < 256; d *= 2) {
		s[1 - from][l] = s[from][l] + (l >= d ? s[from][l - d] : 0);
		from = 1 - from;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = s[from][l];
}

/* Ends only when the flag is set. */
KERNEL spin(__global volatile uint *flag)
{
	while (flag[0] == 0)
		;
}

KERNEL triad(__global float *a, __global const float *b, __global const float *c, float s)
{
	size_t i = get_global_id(0);

	a[i] = b[i] + s * c[i];
}
