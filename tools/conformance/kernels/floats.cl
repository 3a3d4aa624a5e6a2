// SPDX-License-Identifier: MIT
// Floats of all sizes, and conversions. tools/conformance/run splits this at the lines that name a file.
#include "conformance.h"

// file: k15_transcend.cl
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

// file: k16_fp64.cl
KERNEL void d_arith(__global const double *x, __global const double *y, __global double *o)
{ size_t i = get_global_id(0); double a = x[i], b = y[i]; o[i] = fma(a, b, -a) + fmax(a, b) * 0.5 - fabs(b); }
KERNEL void d_divsqrt(__global const double *x, __global const double *y, __global double2 *o)
{ size_t i = get_global_id(0); o[i] = (double2)(x[i] / y[i], sqrt(fabs(x[i]))); }
KERNEL void d_conv(__global const double *x, __global float *f, __global int *n, __global long *l, __global double *o)
{
	size_t i = get_global_id(0); double a = x[i];
	f[i] = (float)a; n[i] = (int)a; l[i] = (long)a; o[i] = (double)n[i] + (double)l[i] + (double)f[i] + floor(a) + rint(a);
}
KERNEL void d_math(__global const double *x, __global double4 *o)
{ size_t i = get_global_id(0); double a = x[i]; o[i] = (double4)(sin(a), exp(a * 0.1), log(fabs(a) + 1.0), pow(fabs(a), 0.3)); }
KERNEL void d_cmp(__global const double *x, __global const double *y, __global int *o)
{ size_t i = get_global_id(0); o[i] = (x[i] < y[i]) + 2 * (x[i] == y[i]) + 4 * isnan(x[i]) + 8 * isinf(y[i]); }

// file: k17_half.cl
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

// file: k43_convert.cl
KERNEL void cvt_f(__global const float *x, __global int8 *o)
{ size_t i = get_global_id(0); float v = x[i]; o[i] = (int8)(convert_int_rte(v), convert_int_rtp(v), convert_int_rtn(v), convert_int_rtz(v), convert_int_sat(v * 1e9f), convert_char_sat(v), convert_ushort_sat_rte(v), (int)convert_uint_sat(v)); }
KERNEL void cvt_i(__global const int *x, __global float4 *o)
{ size_t i = get_global_id(0); int v = x[i]; o[i] = (float4)(convert_float_rtz(v), convert_float_rtp((uint)v), (float)(long)v, convert_float_rtn(v) + convert_char_sat(v)); }
KERNEL void rounding(__global const float *x, __global float8 *o)
{ size_t i = get_global_id(0); float v = x[i], ip; int e; float fr = fract(v, &ip); float m = frexp(v, &e); o[i] = (float8)(floor(v), ceil(v), rint(v), trunc(v), round(v), fr + ip, ldexp(m, e + 1), fmod(v, 1.7f)); }
KERNEL void cvt_l(__global const float *x, __global long *o, __global ulong *u, __global float *f)
{ size_t i = get_global_id(0); o[i] = (long)(x[i] * 1e10f); u[i] = convert_ulong_sat(x[i]); f[i] = (float)o[i] + (float)u[i]; }
KERNEL void classify(__global const float *x, __global const float *y, __global int4 *o)
{ size_t i = get_global_id(0); float a = x[i], b = y[i]; o[i] = (int4)(isnan(a) | isinf(b) << 1 | isfinite(a) << 2 | isnormal(b) << 3 | signbit(a) << 4, isless(a, b), as_int(fmin(a, b)), as_int(copysign(a, b)) + as_int(clamp(a, -1.0f, 1.0f))); }
