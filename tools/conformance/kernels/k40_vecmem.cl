// SPDX-License-Identifier: MIT
#include "conformance.h"
struct S { char a; short b; int c; float d; long e; };
KERNEL void vmem(__global const uchar *in, __global uchar *out, __global const short *s, __global short *t)
{
	size_t g = get_global_id(0);
	uchar16 v = vload16(g, in + 1); vstore16(v + (uchar)1, g, out + 3);
	short3 w = vload3(g, s); vstore3(w * (short)2, g, t);
}
KERNEL void structs(__global const struct S *in, __global struct S *out, struct S k)
{ size_t g = get_global_id(0); struct S x = in[g]; x.a += k.a; x.b -= k.b; x.c *= k.c; x.d += k.d; x.e ^= k.e; out[g] = x; }
KERNEL void aos16(__global const double2 *in, __global double2 *out) { size_t g = get_global_id(0); out[g] = in[g].yx * 2.0; }
KERNEL void f16copy(__global const float16 *in, __global float16 *out) { size_t g = get_global_id(0); out[g] = in[g] + 1.0f; }
KERNEL void unaligned(__global const uchar *in, __global uint *out)
{ size_t g = get_global_id(0); struct __attribute__((packed)) U { uchar p; uint v; } ; out[g] = ((__global const struct U *)in)[g].v; }
