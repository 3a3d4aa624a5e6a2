// SPDX-License-Identifier: MIT
#include "conformance.h"
#pragma OPENCL EXTENSION cl_khr_subgroup_clustered_reduce : enable
KERNEL void sg_clus(__global const int *in, __global int4 *o, __global const float *f, __global float2 *p)
{
	size_t i = get_global_id(0); int v = in[i];
	o[i] = (int4)(sub_group_clustered_reduce_add(v, 4), sub_group_clustered_reduce_max(v, 8), sub_group_clustered_reduce_and(v, 2), sub_group_clustered_reduce_mul(v, 16));
	p[i] = (float2)(sub_group_clustered_reduce_add(f[i], 8), sub_group_clustered_reduce_min(f[i], 4));
}
