// SPDX-License-Identifier: MIT
// Local memory and barriers. tools/conformance/run splits this at the lines that name a file.
#include "conformance.h"

// file: k03_reduce_slm.cl
KERNEL void reduce_i(__global const int *in, __global int *out, __local int *t, uint n)
{
	uint l = get_local_id(0), g = get_global_id(0), s = get_local_size(0);
	t[l] = g < n ? in[g] : 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (s >>= 1; s; s >>= 1) {
		if (l < s) t[l] += t[l + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (!l) out[get_group_id(0)] = t[0];
}
KERNEL void reduce_minmax_f(__global const float *in, __global float2 *out)
{
	__local float mn[128], mx[128];
	uint l = get_local_id(0);
	float v = in[get_global_id(0)];
	mn[l] = v; mx[l] = v;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 64; s; s >>= 1) {
		if (l < s) { mn[l] = fmin(mn[l], mn[l + s]); mx[l] = fmax(mx[l], mx[l + s]); }
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (l == 0) out[get_group_id(0)] = (float2)(mn[0], mx[0]);
}

// file: k04_scan_slm.cl
KERNEL void scan_hs(__global const uint *in, __global uint *out, __global uint *sums)
{
	__local uint a[256];
	uint l = get_local_id(0), n = get_local_size(0), v;
	a[l] = v = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint d = 1; d < n; d <<= 1) {
		uint t = l >= d ? a[l - d] : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		a[l] += t;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = a[l] - v;
	if (l == n - 1) sums[get_group_id(0)] = a[l];
}
KERNEL void scan_blelloch(__global uint *io)
{
	__local uint t[256];
	uint l = get_local_id(0), n = 2 * get_local_size(0), base = get_group_id(0) * n, off = 1;
	t[2 * l] = io[base + 2 * l];
	t[2 * l + 1] = io[base + 2 * l + 1];
	for (uint d = n >> 1; d; d >>= 1) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l < d) t[off * (2 * l + 2) - 1] += t[off * (2 * l + 1) - 1];
		off <<= 1;
	}
	if (!l) t[n - 1] = 0;
	for (uint d = 1; d < n; d <<= 1) {
		off >>= 1;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l < d) {
			uint x = off * (2 * l + 1) - 1, y = off * (2 * l + 2) - 1, s = t[x];
			t[x] = t[y]; t[y] += s;
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	io[base + 2 * l] = t[2 * l];
	io[base + 2 * l + 1] = t[2 * l + 1];
}

// file: k07_matmul_naive.cl
KERNEL void mm_naive(__global const float *a, __global const float *b, __global float *c, int m, int n, int k)
{
	int col = get_global_id(0), row = get_global_id(1);
	float s = 0;
	if (row >= m || col >= n) return;
	for (int i = 0; i < k; i++) s += a[row * k + i] * b[i * n + col];
	c[row * n + col] = s;
}
KERNEL void mm_i32(__global const int *a, __global const int *b, __global int *c, int n)
{
	int col = get_global_id(0), row = get_global_id(1), s = 0;
	for (int i = 0; i < n; i++) s += a[row * n + i] * b[i * n + col];
	c[row * n + col] = s;
}

// file: k08_matmul_tiled.cl
#define T 16
KERNEL __attribute__((reqd_work_group_size(T, T, 1)))
void mm_tiled(__global const float *a, __global const float *b, __global float *c, int n)
{
	__local float ta[T][T], tb[T][T + 1];
	int lx = get_local_id(0), ly = get_local_id(1);
	int col = get_group_id(0) * T + lx, row = get_group_id(1) * T + ly;
	float s = 0;
	for (int t = 0; t < n; t += T) {
		ta[ly][lx] = a[row * n + t + lx];
		tb[ly][lx] = b[(t + ly) * n + col];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int i = 0; i < T; i++) s = mad(ta[ly][i], tb[i][lx], s);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[row * n + col] = s;
}
KERNEL __attribute__((reqd_work_group_size(8, 8, 1)))
void mm_tiled_d(__global const double *a, __global const double *b, __global double *c, int n)
{
	__local double ta[8][8], tb[8][8];
	int lx = get_local_id(0), ly = get_local_id(1);
	int col = get_group_id(0) * 8 + lx, row = get_group_id(1) * 8 + ly;
	double s = 0;
	for (int t = 0; t < n; t += 8) {
		ta[ly][lx] = a[row * n + t + lx];
		tb[ly][lx] = b[(t + ly) * n + col];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int i = 0; i < 8; i++) s += ta[ly][i] * tb[i][lx];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[row * n + col] = s;
}

// file: k10_bitonic.cl
KERNEL void bitonic_step(__global uint *d, uint j, uint k)
{
	uint i = get_global_id(0), p = i ^ j;
	if (p > i) {
		uint a = d[i], b = d[p];
		bool up = (i & k) == 0;
		if ((a > b) == up) { d[i] = b; d[p] = a; }
	}
}
KERNEL void bitonic_local(__global int *d)
{
	__local int s[256];
	uint l = get_local_id(0), n = get_local_size(0), g = get_global_id(0);
	s[l] = d[g];
	for (uint k = 2; k <= n; k <<= 1)
		for (uint j = k >> 1; j; j >>= 1) {
			barrier(CLK_LOCAL_MEM_FENCE);
			uint p = l ^ j;
			if (p > l) {
				int a = s[l], b = s[p];
				if ((l & k) ? a < b : a > b) { s[l] = b; s[p] = a; }
			}
		}
	barrier(CLK_LOCAL_MEM_FENCE);
	d[g] = s[l];
}

// file: k32_blk_slm.cl
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroup_local_block_io : enable
KERNEL void blk_slm(__global const uint *in, __global uint *out)
{
	__local uint t[1024];
	uint l = get_local_id(0), b = get_sub_group_id() * get_sub_group_size() * 2;
	t[l] = in[get_global_id(0)]; t[l + get_local_size(0)] = l;
	barrier(CLK_LOCAL_MEM_FENCE);
	uint2 v = intel_sub_group_block_read2(t + b);
	out[get_global_id(0)] = v.x * 3 + v.y;
}

// file: k33_wg_coll.cl
KERNEL void wg(__global const int *in, __global int4 *o, __global const float *f, __global float2 *p)
{
	size_t i = get_global_id(0); int v = in[i];
	o[i] = (int4)(work_group_reduce_add(v), work_group_scan_exclusive_add(v), work_group_any(v == 3), work_group_broadcast(v, 5));
	p[i] = (float2)(work_group_reduce_max(f[i]), work_group_scan_inclusive_add(f[i]));
}

// file: k34_barriers.cl
#pragma OPENCL EXTENSION cl_intel_split_work_group_barrier : enable
KERNEL void split_bar(__global const int *in, __global int *out)
{
	__local int t[256]; uint l = get_local_id(0), n = get_local_size(0);
	t[l] = in[get_global_id(0)];
	intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE);
	int x = l * 3;
	intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = t[(l + 1) % n] + x;
}
KERNEL void fences(__global int *a, __global int *flag)
{
	size_t i = get_global_id(0);
	a[i] = (int)i;
	mem_fence(CLK_GLOBAL_MEM_FENCE);
	atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
	atomic_store_explicit((__global atomic_int *)flag, 1, memory_order_release, memory_scope_all_svm_devices);
	barrier(CLK_GLOBAL_MEM_FENCE);
	sub_group_barrier(CLK_LOCAL_MEM_FENCE);
	a[i] += atomic_load_explicit((__global atomic_int *)flag, memory_order_acquire, memory_scope_device);
}

// file: k39_nbody.cl
KERNEL void nbody(__global const float4 *p, __global float4 *acc, int n, float eps)
{
	__local float4 t[64]; int l = get_local_id(0), g = get_global_id(0); float4 me = p[g]; float3 a = 0;
	for (int b = 0; b < n; b += 64) {
		if (l < 64) t[l] = p[b + l];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int j = 0; j < 64; j++) { float3 d = t[j].xyz - me.xyz; float r = rsqrt(dot(d, d) + eps); a += d * (t[j].w * r * r * r); }
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	acc[g] = (float4)(a, 0);
}

// file: k44_transpose.cl
KERNEL __attribute__((reqd_work_group_size(16, 16, 1)))
void transpose(__global const float *in, __global float *out, int w, int h)
{
	__local float t[16][17]; int lx = get_local_id(0), ly = get_local_id(1);
	int x = get_group_id(0) * 16 + lx, y = get_group_id(1) * 16 + ly;
	t[ly][lx] = in[y * w + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	x = get_group_id(1) * 16 + lx; y = get_group_id(0) * 16 + ly;
	out[y * h + x] = t[lx][ly];
}
KERNEL void ids(__global uint *o)
{
	size_t g = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
	o[g * 8 + 0] = get_local_id(0); o[g * 8 + 1] = get_local_id(1); o[g * 8 + 2] = get_local_id(2);
	o[g * 8 + 3] = get_group_id(0) | get_group_id(1) << 8 | get_group_id(2) << 16;
	o[g * 8 + 4] = get_local_size(0) | get_local_size(1) << 8 | get_local_size(2) << 16;
	o[g * 8 + 5] = get_num_groups(0) + get_num_groups(1) * 256 + get_num_groups(2) * 65536;
	o[g * 8 + 6] = get_global_offset(0) + get_enqueued_local_size(0) * 256; o[g * 8 + 7] = get_work_dim();
}
