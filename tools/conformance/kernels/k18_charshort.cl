// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void c_sat(__global const char *a, __global const char *b, __global char *o, __global uchar *u)
{ size_t i = get_global_id(0); o[i] = add_sat(a[i], b[i]); u[i] = sub_sat(as_uchar(a[i]), as_uchar(b[i])); }
KERNEL void c_mix(__global const uchar4 *a, __global const uchar4 *b, __global uchar4 *o, uchar w)
{ size_t i = get_global_id(0); ushort4 x = convert_ushort4(a[i]) * w + convert_ushort4(b[i]) * (ushort)(255 - w); o[i] = convert_uchar4_sat((x + (ushort)128) >> (ushort)8); }
KERNEL void s_mul(__global const short *a, __global const short *b, __global int *o, __global short *h)
{ size_t i = get_global_id(0); o[i] = (int)a[i] * b[i]; h[i] = mul_hi(a[i], b[i]) + hadd(a[i], b[i]) - rhadd(a[i], b[i]) + mad_sat(a[i], b[i], (short)7); }
KERNEL void c_abs(__global const char *a, __global const short *b, __global uchar *o, __global ushort *p)
{ size_t i = get_global_id(0); o[i] = abs(a[i]) + abs_diff(a[i], (char)9); p[i] = abs_diff(b[i], (short)a[i]); }
