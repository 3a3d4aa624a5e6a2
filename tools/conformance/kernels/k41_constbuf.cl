// SPDX-License-Identifier: MIT
#include "conformance.h"
__constant float coef[9] = { 1, 2, 1, 2, 4, 2, 1, 2, 1 };
__constant uchar lut[256] = { [1] = 3, [7] = 9, [128] = 55, [255] = 1 };
__global int gcounter = 7;
KERNEL void conv3(__global const float *in, __global float *out, int w, __constant float *scale, int2 off)
{
	int x = get_global_id(0) + off.x, y = get_global_id(1) + off.y; float s = 0;
	for (int j = 0; j < 3; j++) for (int i = 0; i < 3; i++) s += coef[j * 3 + i] * in[(y + j) * w + x + i];
	out[(y + 1) * w + x + 1] = s * scale[(x & 1)];
}
KERNEL void lookup(__global const uchar *in, __global uchar *out)
{ size_t g = get_global_id(0); out[g] = lut[in[g]] + (uchar)atomic_add(&gcounter, 0); }
