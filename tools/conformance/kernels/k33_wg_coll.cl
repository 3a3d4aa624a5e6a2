// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void wg(__global const int *in, __global int4 *o, __global const float *f, __global float2 *p)
{
	size_t i = get_global_id(0); int v = in[i];
	o[i] = (int4)(work_group_reduce_add(v), work_group_scan_exclusive_add(v), work_group_any(v == 3), work_group_broadcast(v, 5));
	p[i] = (float2)(work_group_reduce_max(f[i]), work_group_scan_inclusive_add(f[i]));
}
