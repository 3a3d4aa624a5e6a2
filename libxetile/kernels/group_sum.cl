// SPDX-License-Identifier: MIT
/* Sum of a work-group through shared local memory and barriers. */
__kernel void group_sum(__global uint *sums, __global const uint *in,
			__local uint *scratch)
{
	uint lid = get_local_id(0);

	scratch[lid] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
		if (lid < step)
			scratch[lid] += scratch[lid + step];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lid == 0)
		sums[get_group_id(0)] = scratch[0];
}
