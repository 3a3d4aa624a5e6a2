// SPDX-License-Identifier: MIT
#include "conformance.h"
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
