// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void trig(__global const float *x, __global float4 *o)
{ size_t i = get_global_id(0); float v = x[i]; o[i] = (float4)(sin(v), cos(v), tan(v), atan2(v, 2.5f)); }
KERNEL void explog(__global const float *x, __global float4 *o)
{ size_t i = get_global_id(0); float v = fabs(x[i]) + 0.25f; o[i] = (float4)(exp(v), log(v), pow(v, 1.7f), exp2(v) + log2(v)); }
KERNEL void natives(__global const float *x, __global float8 *o)
{
	size_t i = get_global_id(0); float v = fabs(x[i]) + 0.25f;
	o[i] = (float8)(native_sin(v), native_cos(v), native_exp(v), native_log2(v), native_sqrt(v), native_rsqrt(v), native_recip(v), native_powr(v, 1.3f));
}
KERNEL void ieee_divsqrt(__global const float *x, __global const float *y, __global float4 *o)
{ size_t i = get_global_id(0); o[i] = (float4)(x[i] / y[i], sqrt(fabs(x[i])), rsqrt(fabs(y[i])), 1.0f / x[i]); }
KERNEL void hyper(__global const float *x, __global float4 *o)
{ size_t i = get_global_id(0); float v = x[i]; o[i] = (float4)(tanh(v), asin(v * 0.1f), cbrt(v), erf(v)); }
