// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void l_arith(__global const long *a, __global const long *b, __global long *o)
{ size_t i = get_global_id(0); o[i] = a[i] * b[i] + (a[i] - b[i]) ^ (a[i] & ~b[i]); }
KERNEL void l_shift(__global const long *a, __global const uint *s, __global long *o)
{ size_t i = get_global_id(0); o[i] = (a[i] << (s[i] & 63)) ^ (a[i] >> (s[i] & 63)) ^ (long)((ulong)a[i] >> 5) ^ (long)rotate((ulong)a[i], (ulong)s[i]); }
KERNEL void l_cmp(__global const long *a, __global const long *b, __global long *o)
{ size_t i = get_global_id(0); o[i] = a[i] < b[i] ? max(a[i], 5L) : min(b[i], -7L); }
KERNEL void l_mulhi(__global const ulong *a, __global const ulong *b, __global ulong *o, __global const int *c, __global int *d)
{ size_t i = get_global_id(0); o[i] = mul_hi(a[i], b[i]) + mad_hi(a[i], b[i], 3UL); d[i] = mul_hi(c[i], 0x12345677) + mad24(c[i], 9, 2); }
KERNEL void l_bits(__global const ulong *a, __global ulong *o)
{ size_t i = get_global_id(0); o[i] = popcount(a[i]) | clz(a[i]) << 8 | ctz(a[i]) << 16 | ((ulong)(float)a[i] << 24); }
