// SPDX-License-Identifier: MIT
#include "sg.h"
/* Inclusive prefix sum of a work-group of 256: local memory and many barriers */
KERNEL scan(__global uint *out, __global const uint *in)
{
	__local uint s[2][256];
	uint l = get_local_id(0), from = 0;

	s[0][l] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	__attribute__((opencl_unroll_hint(1)))
	for (uint d = 1; d < 256; d *= 2) {
		s[1 - from][l] = s[from][l] + (l >= d ? s[from][l - d] : 0);
		from = 1 - from;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = s[from][l];
}
