// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL __attribute__((reqd_work_group_size(16, 16, 1)))
void transpose(__global const float *in, __global float *out, int w, int h)
{
	__local float t[16][17]; int lx = get_local_id(0), ly = get_local_id(1);
	int x = get_group_id(0) * 16 + lx, y = get_group_id(1) * 16 + ly;
	t[ly][lx] = in[y * w + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	x = get_group_id(1) * 16 + lx; y = get_group_id(0) * 16 + ly;
	out[y * h + x] = t[lx][ly];
}
KERNEL void ids(__global uint *o)
{
	size_t g = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
	o[g * 8 + 0] = get_local_id(0); o[g * 8 + 1] = get_local_id(1); o[g * 8 + 2] = get_local_id(2);
	o[g * 8 + 3] = get_group_id(0) | get_group_id(1) << 8 | get_group_id(2) << 16;
	o[g * 8 + 4] = get_local_size(0) | get_local_size(1) << 8 | get_local_size(2) << 16;
	o[g * 8 + 5] = get_num_groups(0) + get_num_groups(1) * 256 + get_num_groups(2) * 65536;
	o[g * 8 + 6] = get_global_offset(0) + get_enqueued_local_size(0) * 256; o[g * 8 + 7] = get_work_dim();
}
