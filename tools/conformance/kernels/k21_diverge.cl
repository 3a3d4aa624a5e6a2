// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void collatz(__global const uint *in, __global uint *out)
{
	uint n = in[get_global_id(0)], c = 0;
	while (n != 1) { n = (n & 1) ? 3 * n + 1 : n >> 1; if (++c > 1000) break; }
	out[get_global_id(0)] = c;
}
KERNEL void nested(__global const int *a, __global int *out, int n)
{
	int g = get_global_id(0), s = 0;
	for (int i = 0; i < n; i++) {
		if ((a[i] ^ g) & 1) continue;
		for (int j = i; j < n; j++) {
			if (a[j] > g) { s += 10; if (s > 500) goto done; break; }
			if (a[j] == -1) { s += j; continue; }
			int k = j;
			do { s += k & 3; k -= 2; if (k == g) break; } while (k > 0);
		}
		if (s > 300) break;
	}
done:
	out[g] = s;
}
KERNEL void gcd(__global const uint *a, __global const uint *b, __global uint *o)
{
	size_t i = get_global_id(0); uint x = a[i], y = b[i];
	while (y) { uint t = x % y; x = y; y = t; }
	o[i] = x;
}
KERNEL void early_ret(__global const float *in, __global float *out, float lim)
{
	size_t i = get_global_id(0); float v = in[i];
	if (v < 0) { out[i] = -1; return; }
	for (int k = 0; k < 8; k++) { v = v * 1.5f + 0.25f; if (v > lim) { out[i] = v; return; } }
	if (v > 2) { if (v > 4) out[i] = 4; else out[i] = 2; } else out[i] = v;
}
