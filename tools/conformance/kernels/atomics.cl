// SPDX-License-Identifier: MIT
// Atomics, and what work-items share by them. tools/conformance/run splits this at the lines that name a file.
#include "conformance.h"

// file: k11_histogram.cl
KERNEL void hist_global(__global const uchar *in, __global uint *h)
{ atomic_inc(&h[in[get_global_id(0)]]); }
KERNEL void hist_local(__global const uchar *in, __global uint *h, uint n)
{
	__local uint s[256];
	for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) s[i] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = get_global_id(0); i < n; i += get_global_size(0)) atomic_add(&s[in[i]], 1u);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) if (s[i]) atomic_add(&h[i], s[i]);
}

// file: k12_atomics_float.cl
#pragma OPENCL EXTENSION cl_ext_float_atomics : enable
KERNEL void fadd_global(__global atomic_float *p, __global const float *v)
{ atomic_fetch_add_explicit(p, v[get_global_id(0)], memory_order_relaxed, memory_scope_device); }
KERNEL void fminmax_global(__global atomic_float *p, __global const float *v)
{
	float x = v[get_global_id(0)];
	atomic_fetch_min_explicit(&p[0], x, memory_order_relaxed, memory_scope_device);
	atomic_fetch_max_explicit(&p[1], x, memory_order_relaxed, memory_scope_device);
}
KERNEL void fadd_casloop(__global uint *p, __global const float *v)
{
	float x = v[get_global_id(0)];
	uint o = *p, n;
	do { n = o; o = atomic_cmpxchg(p, n, as_uint(as_float(n) + x)); } while (o != n);
}
#ifdef cl_khr_fp64
KERNEL void dadd_global(__global atomic_double *p, __global const double *v)
{ atomic_fetch_add_explicit(p, v[get_global_id(0)], memory_order_relaxed, memory_scope_device); }
#endif
KERNEL void fadd_local(__global float *o, __global const float *v)
{
	__local atomic_float s;
	if (!get_local_id(0)) atomic_init(&s, 0.0f);
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_fetch_add_explicit(&s, v[get_global_id(0)], memory_order_relaxed, memory_scope_work_group);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (!get_local_id(0)) o[get_group_id(0)] = atomic_load_explicit(&s, memory_order_relaxed, memory_scope_work_group);
}

// file: k36_atomics_int.cl
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
KERNEL void at32(__global int *p, __global int *o)
{
	size_t i = get_global_id(0); int v = (int)i;
	int r = atomic_add(&p[0], v); r += atomic_sub(&p[1], v); r += atomic_min(&p[2], -v); r += atomic_max(&p[3], v);
	r += atomic_and(&p[4], ~(1 << (v & 31))); r += atomic_or(&p[5], 1 << (v & 31)); r += atomic_xor(&p[6], v);
	r += atomic_inc(&p[7]); r += atomic_dec(&p[8]); r += atomic_xchg(&p[9], v); r += atomic_cmpxchg(&p[10], v, v + 1);
	r += (int)atomic_min((__global uint *)&p[11], (uint)v); r += (int)atomic_max((__global uint *)&p[12], (uint)v);
	o[i] = r;
}
KERNEL void at64(__global long *p, __global long *o)
{
	size_t i = get_global_id(0); long v = (long)i << 30;
	o[i] = atom_add(&p[0], v) ^ atom_max(&p[1], v) ^ atom_cmpxchg(&p[2], 0L, v) ^ atom_xor(&p[3], v) ^ atom_xchg(&p[4], v);
}
KERNEL void at_slm(__global int *o)
{
	__local int s[8]; uint l = get_local_id(0);
	if (l < 8) s[l] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(&s[0], (int)l); atomic_max(&s[1], (int)l); atomic_or(&s[2], 1 << (l & 31)); atomic_inc(&s[3]); int r = atomic_xchg(&s[4], (int)l); atomic_cmpxchg(&s[5], 0, 77);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l < 8) o[get_group_id(0) * 8 + l] = s[l];
	(void)r;
}

// file: k46_worklist.cl
KERNEL void worklist(__global volatile uint *head, __global const uint *items, __global uint *out, uint n)
{
	for (;;) {
		uint i = atomic_inc(head);
		if (i >= n) break;
		uint v = items[i], s = 0;
		while (v) { s += v & 0xf; v >>= 4; }
		out[i] = s;
	}
}
KERNEL void persistent(__global const float *in, __global float *out, uint n)
{
	__local uint base;
	for (uint it = 0; it < n; it += get_global_size(0)) {
		if (!get_local_id(0)) base = it + get_group_id(0) * get_local_size(0);
		barrier(CLK_LOCAL_MEM_FENCE);
		uint i = base + get_local_id(0);
		if (i < n) out[i] = in[i] * in[n - 1 - i];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
