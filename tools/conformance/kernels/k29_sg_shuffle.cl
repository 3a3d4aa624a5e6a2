// SPDX-License-Identifier: MIT
#include "conformance.h"
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle_relative : enable
KERNEL void sg_shuf(__global const int *in, __global const uint *idx, __global int4 *o)
{
	size_t i = get_global_id(0); int v = in[i];
	o[i] = (int4)(sub_group_shuffle(v, idx[i] & (get_sub_group_size() - 1)), sub_group_shuffle_xor(v, 5), sub_group_shuffle_up(v, 3), sub_group_shuffle_down(v, 2));
}
KERNEL void sg_shuf_ty(__global const long *a, __global const double *b, __global const uchar *c, __global const short *d, __global long *o, __global double *p, __global uchar *q, __global short *r)
{
	size_t i = get_global_id(0); uint s = (get_sub_group_local_id() * 7 + 3) % get_sub_group_size();
	o[i] = sub_group_shuffle(a[i], s); p[i] = sub_group_shuffle_xor(b[i], 1); q[i] = sub_group_shuffle(c[i], s); r[i] = sub_group_shuffle_down(d[i], 1);
}
