// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void stencil5(__global const float *in, __global float *out, int w, int h, float c0, float c1)
{
	int x = get_global_id(0), y = get_global_id(1);
	if (x <= 0 || y <= 0 || x >= w - 1 || y >= h - 1) return;
	int i = y * w + x;
	out[i] = c0 * in[i] + c1 * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
}
KERNEL void life(__global const uchar *in, __global uchar *out, int w, int h)
{
	int x = get_global_id(0), y = get_global_id(1), n = 0;
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++)
			if (dx | dy) n += in[((y + dy + h) % h) * w + (x + dx + w) % w];
	out[y * w + x] = (n == 3) || (n == 2 && in[y * w + x]);
}
