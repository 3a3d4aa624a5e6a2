// SPDX-License-Identifier: MIT
#include "conformance.h"
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroup_local_block_io : enable
KERNEL void blk_slm(__global const uint *in, __global uint *out)
{
	__local uint t[1024];
	uint l = get_local_id(0), b = get_sub_group_id() * get_sub_group_size() * 2;
	t[l] = in[get_global_id(0)]; t[l + get_local_size(0)] = l;
	barrier(CLK_LOCAL_MEM_FENCE);
	uint2 v = intel_sub_group_block_read2(t + b);
	out[get_global_id(0)] = v.x * 3 + v.y;
}
