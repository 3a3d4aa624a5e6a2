// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void mandel(__global uint *o, int w, int h, int maxit, float x0, float y0, float dx)
{
	int x = get_global_id(0), y = get_global_id(1), n = 0; float cr = x0 + dx * x, ci = y0 + dx * y, a = 0, b = 0;
	while (n < maxit && a * a + b * b < 4.0f) { float t = a * a - b * b + cr; b = 2 * a * b + ci; a = t; n++; }
	o[y * w + x] = n;
}
