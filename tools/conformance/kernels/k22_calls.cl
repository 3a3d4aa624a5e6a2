// SPDX-License-Identifier: MIT
#include "conformance.h"
__attribute__((noinline)) int helper(int a, int b) { int s = 0; for (int i = 0; i < (b & 7); i++) s += a * i - b; return s; }
__attribute__((noinline)) float poly(float x, float a, float b, float c) { return (a * x + b) * x + c; }
__attribute__((noinline)) int outer(int a) { return a > 4 ? helper(a, 3) + helper(a, a) : helper(-a, 2); }
KERNEL void calls(__global const int *in, __global int *out, __global float *f)
{
	size_t i = get_global_id(0); int v = in[i];
	int r = outer(v);
	if (v & 1) r += helper(v, r);
	out[i] = r; f[i] = poly((float)v, 0.5f, 2.0f, -1.0f) + poly(f[i], 1.0f, 0.0f, (float)r);
}
