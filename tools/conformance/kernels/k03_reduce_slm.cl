// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void reduce_i(__global const int *in, __global int *out, __local int *t, uint n)
{
	uint l = get_local_id(0), g = get_global_id(0), s = get_local_size(0);
	t[l] = g < n ? in[g] : 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (s >>= 1; s; s >>= 1) {
		if (l < s) t[l] += t[l + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (!l) out[get_group_id(0)] = t[0];
}
KERNEL void reduce_minmax_f(__global const float *in, __global float2 *out)
{
	__local float mn[128], mx[128];
	uint l = get_local_id(0);
	float v = in[get_global_id(0)];
	mn[l] = v; mx[l] = v;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 64; s; s >>= 1) {
		if (l < s) { mn[l] = fmin(mn[l], mn[l + s]); mx[l] = fmax(mx[l], mx[l + s]); }
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (l == 0) out[get_group_id(0)] = (float2)(mn[0], mx[0]);
}
