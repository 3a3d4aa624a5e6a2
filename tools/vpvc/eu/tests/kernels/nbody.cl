// SPDX-License-Identifier: MIT
#include "sg.h"
/* Accelerations: every body against all others, x y z and the mass in w */
KERNEL nbody(__global float4 *out, __global const float4 *body, uint n)
{
	float4 me = body[get_global_id(0)];
	float3 sum = 0;

	for (uint j = 0; j < n; j++) {
		float4 other = body[j];
		float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
		float r2 = fma(dx, dx, fma(dy, dy, fma(dz, dz, 0.25f)));
		float r = native_rsqrt(r2);
		float s = other.w * r * r * r;

		sum.x = fma(dx, s, sum.x);
		sum.y = fma(dy, s, sum.y);
		sum.z = fma(dz, s, sum.z);
	}
	out[get_global_id(0)] = (float4)(sum, 0);
}
