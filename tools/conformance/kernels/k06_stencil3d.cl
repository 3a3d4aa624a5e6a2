// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void stencil7(__global const float *in, __global float *out, int nx, int ny, int nz)
{
	int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
	size_t p = (size_t)nx * ny, i = z * p + (size_t)y * nx + x;
	float c = in[i];
	float l = x ? in[i - 1] : c, r = x < nx - 1 ? in[i + 1] : c;
	float u = y ? in[i - nx] : c, d = y < ny - 1 ? in[i + nx] : c;
	float f = z ? in[i - p] : c, b = z < nz - 1 ? in[i + p] : c;
	out[i] = (l + r + u + d + f + b - 6.0f * c) * 0.125f + c;
}
