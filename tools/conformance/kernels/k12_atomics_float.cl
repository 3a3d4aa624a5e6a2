// SPDX-License-Identifier: MIT
#include "conformance.h"
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
