// SPDX-License-Identifier: MIT
// Integers of all sizes. tools/conformance/run splits this at the lines that name a file.
#include "conformance.h"

// file: k13_intdiv32.cl
KERNEL void idiv32(__global const int *a, __global const int *b, __global int *q, __global int *r)
{ size_t i = get_global_id(0); q[i] = a[i] / b[i]; r[i] = a[i] % b[i]; }
KERNEL void udiv32(__global const uint *a, __global const uint *b, __global uint *q, __global uint *r)
{ size_t i = get_global_id(0); q[i] = a[i] / b[i]; r[i] = a[i] % b[i]; }
KERNEL void divconst(__global const int *a, __global const uint *u, __global int *o)
{
	size_t i = get_global_id(0);
	o[4 * i] = a[i] / 7; o[4 * i + 1] = a[i] % 10; o[4 * i + 2] = u[i] / 1000003u; o[4 * i + 3] = a[i] / 8;
}
KERNEL void divuniform(__global const uint *u, __global uint *o, uint d)
{ size_t i = get_global_id(0); o[i] = u[i] / d + (u[i] % d) * 3u; }
KERNEL void div16(__global const short *a, __global const short *b, __global short *q, __global const uchar *c, __global uchar *e)
{ size_t i = get_global_id(0); q[i] = a[i] / b[i]; e[i] = c[i] % (uchar)(i + 1); }

// file: k14_intdiv64.cl
KERNEL void idiv64(__global const long *a, __global const long *b, __global long *q, __global long *r)
{ size_t i = get_global_id(0); q[i] = a[i] / b[i]; r[i] = a[i] % b[i]; }
KERNEL void udiv64(__global const ulong *a, __global const ulong *b, __global ulong *q, __global ulong *r)
{ size_t i = get_global_id(0); q[i] = a[i] / b[i]; r[i] = a[i] % b[i]; }

// file: k18_charshort.cl
KERNEL void c_sat(__global const char *a, __global const char *b, __global char *o, __global uchar *u)
{ size_t i = get_global_id(0); o[i] = add_sat(a[i], b[i]); u[i] = sub_sat(as_uchar(a[i]), as_uchar(b[i])); }
KERNEL void c_mix(__global const uchar4 *a, __global const uchar4 *b, __global uchar4 *o, uchar w)
{ size_t i = get_global_id(0); ushort4 x = convert_ushort4(a[i]) * w + convert_ushort4(b[i]) * (ushort)(255 - w); o[i] = convert_uchar4_sat((x + (ushort)128) >> (ushort)8); }
KERNEL void s_mul(__global const short *a, __global const short *b, __global int *o, __global short *h)
{ size_t i = get_global_id(0); o[i] = (int)a[i] * b[i]; h[i] = mul_hi(a[i], b[i]) + hadd(a[i], b[i]) - rhadd(a[i], b[i]) + mad_sat(a[i], b[i], (short)7); }
KERNEL void c_abs(__global const char *a, __global const short *b, __global uchar *o, __global ushort *p)
{ size_t i = get_global_id(0); o[i] = abs(a[i]) + abs_diff(a[i], (char)9); p[i] = abs_diff(b[i], (short)a[i]); }

// file: k19_int64.cl
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

// file: k37_bitops.cl
#pragma OPENCL EXTENSION cl_khr_extended_bit_ops : enable
KERNEL void bits(__global const uint *a, __global const uint *b, __global uint8 *o)
{
	size_t i = get_global_id(0); uint x = a[i], y = b[i];
	o[i] = (uint8)(popcount(x), clz(x), ctz(x), rotate(x, y), bitselect(x, y, 0x0ff0f00fu), bit_reverse(x),
		bitfield_insert(x, y, 5, 9), bitfield_extract_unsigned(x, y & 15, 7) + (uint)bitfield_extract_signed(x, 3, 12));
}
KERNEL void bool3(__global const uint *a, __global const uint *b, __global const uint *c, __global uint *o)
{ size_t i = get_global_id(0); uint x = a[i], y = b[i], z = c[i]; o[i] = ((x & y) | (~x & z)) + (x ^ y ^ z) + ((x & y) | (x & z) | (y & z)) + (x + y + z); }
KERNEL void carry(__global const uint4 *a, __global const uint4 *b, __global uint4 *o)
{
	size_t i = get_global_id(0); uint4 x = a[i], y = b[i], r; uint c = 0;
	r.x = x.x + y.x; c = r.x < x.x; r.y = x.y + y.y + c; c = (r.y < x.y) | (c & (r.y == x.y)); r.z = x.z + y.z + c; c = (r.z < x.z) | (c & (r.z == x.z)); r.w = x.w + y.w + c;
	o[i] = r;
}

// file: k45_dp4a.cl
#pragma OPENCL EXTENSION cl_khr_integer_dot_product : enable
KERNEL void dot_i8(__global const char4 *a, __global const char4 *b, __global const uchar4 *c, __global int *o)
{ size_t i = get_global_id(0); o[i] = dot_acc_sat(a[i], b[i], 100) + dot(a[i], b[i]) + (int)dot(c[i], c[i]) + dot(a[i], c[i]); }
KERNEL void dot_packed(__global const uint *a, __global const uint *b, __global int *o)
{ size_t i = get_global_id(0); o[i] = dot_4x8packed_ss_int(a[i], b[i]) + (int)dot_4x8packed_uu_uint(a[i], b[i]); }
