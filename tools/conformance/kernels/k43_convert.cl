// SPDX-License-Identifier: MIT
#include "conformance.h"
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
