// SPDX-License-Identifier: MIT
#include "conformance.h"
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
