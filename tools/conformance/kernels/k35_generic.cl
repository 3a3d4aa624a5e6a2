// SPDX-License-Identifier: MIT
#include "conformance.h"
int sum3(const int *p) { return p[0] + p[1] + p[2]; }
__attribute__((noinline)) int sum3n(const int *p) { return p[0] - p[1] + p[2]; }
KERNEL void generic_ptr(__global const int *in, __global int *out, int sel)
{
	__local int t[64]; int pr[4]; uint l = get_local_id(0), g = get_global_id(0);
	t[l & 63] = in[g] * 2; for (int i = 0; i < 4; i++) pr[i] = in[g + i] + sel;
	barrier(CLK_LOCAL_MEM_FENCE);
	const int *p = (g + sel) % 3 == 0 ? (const int *)in + g : (g + sel) % 3 == 1 ? (const int *)t + (l & 31) : (const int *)pr;
	out[g] = sum3(p) + sum3n(p) + (to_local(p) != 0) * 1000;
}
