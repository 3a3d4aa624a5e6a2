// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void nbody(__global const float4 *p, __global float4 *acc, int n, float eps)
{
	__local float4 t[64]; int l = get_local_id(0), g = get_global_id(0); float4 me = p[g]; float3 a = 0;
	for (int b = 0; b < n; b += 64) {
		if (l < 64) t[l] = p[b + l];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int j = 0; j < 64; j++) { float3 d = t[j].xyz - me.xyz; float r = rsqrt(dot(d, d) + eps); a += d * (t[j].w * r * r * r); }
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	acc[g] = (float4)(a, 0);
}
