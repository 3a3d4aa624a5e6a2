// SPDX-License-Identifier: MIT
#include "conformance.h"
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_non_uniform_arithmetic : enable
KERNEL void sg_red(__global const int *in, __global int4 *o, __global const float *f, __global float4 *p)
{
	size_t i = get_global_id(0); int v = in[i]; float x = f[i];
	o[i] = (int4)(sub_group_reduce_add(v), sub_group_reduce_min(v), sub_group_reduce_max(v), sub_group_scan_inclusive_add(v));
	p[i] = (float4)(sub_group_reduce_add(x), sub_group_reduce_max(x), sub_group_scan_exclusive_add(x), sub_group_scan_inclusive_max(x));
}
KERNEL void sg_red64(__global const long *in, __global long2 *o, __global const double *f, __global double2 *p)
{
	size_t i = get_global_id(0);
	o[i] = (long2)(sub_group_reduce_add(in[i]), sub_group_scan_exclusive_max(in[i]));
	p[i] = (double2)(sub_group_reduce_add(f[i]), sub_group_scan_inclusive_min(f[i]));
}
KERNEL void sg_nu(__global const int *in, __global int4 *o)
{
	size_t i = get_global_id(0); int v = in[i]; int4 r = (int4)(0);
	if (v & 1) r = (int4)(sub_group_non_uniform_reduce_add(v), sub_group_non_uniform_scan_inclusive_mul(v), sub_group_non_uniform_reduce_xor(v), sub_group_non_uniform_scan_exclusive_or(v));
	o[i] = r;
}
