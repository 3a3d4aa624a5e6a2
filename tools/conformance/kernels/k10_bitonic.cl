// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void bitonic_step(__global uint *d, uint j, uint k)
{
	uint i = get_global_id(0), p = i ^ j;
	if (p > i) {
		uint a = d[i], b = d[p];
		bool up = (i & k) == 0;
		if ((a > b) == up) { d[i] = b; d[p] = a; }
	}
}
KERNEL void bitonic_local(__global int *d)
{
	__local int s[256];
	uint l = get_local_id(0), n = get_local_size(0), g = get_global_id(0);
	s[l] = d[g];
	for (uint k = 2; k <= n; k <<= 1)
		for (uint j = k >> 1; j; j >>= 1) {
			barrier(CLK_LOCAL_MEM_FENCE);
			uint p = l ^ j;
			if (p > l) {
				int a = s[l], b = s[p];
				if ((l & k) ? a < b : a > b) { s[l] = b; s[p] = a; }
			}
		}
	barrier(CLK_LOCAL_MEM_FENCE);
	d[g] = s[l];
}
