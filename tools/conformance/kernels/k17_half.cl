// SPDX-License-Identifier: MIT
#include "conformance.h"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
KERNEL void h_axpy(__global half *y, __global const half *x, float a)
{ size_t i = get_global_id(0); y[i] = fma((half)a, x[i], y[i]); }
KERNEL void h_mix(__global const half *x, __global half *o, __global float *f, __global short *s)
{
	size_t i = get_global_id(0); half v = x[i];
	o[i] = fmax(v, (half)0.5h) * fabs(v) - sqrt(fabs(v)) / (v + (half)3.0h);
	f[i] = (float)v * 2.0f; s[i] = convert_short_sat_rte(v * (half)100.0h);
}
KERNEL void h_store(__global const float *x, __global half *o)
{ size_t i = get_global_id(0); vstore_half_rtz(x[i], 2 * i, o); vstore_half_rte(x[i] * 0.333f, 2 * i + 1, o); }
