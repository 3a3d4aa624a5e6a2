// SPDX-License-Identifier: MIT
#include "sg.h"
/* A sum per group, as a tree in local memory */
#define N 256
__attribute__((reqd_work_group_size(N, 1, 1)))
KERNEL reduce(__global uint *out, __global const uint *in)
{
	__local uint part[N];
	uint l = get_local_id(0), g = get_group_id(0) * 4 * N + l;

	part[l] = in[g] + in[g + N] + in[g + 2 * N] + in[g + 3 * N];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = N / 2; s; s /= 2) {
		if (l < s)
			part[l] += part[l + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (!l)
		out[get_group_id(0)] = part[0];
}
