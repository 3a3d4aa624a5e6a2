// SPDX-License-Identifier: MIT
#include "conformance.h"
#define R16(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15)
KERNEL void pressure(__global const float8 *in, __global float8 *out, int n)
{
	int g = get_global_id(0), s = get_global_size(0);
#define D(i) float8 v##i = in[g + s * i];
	R16(D)
	for (int k = 0; k < n; k++) {
		float8 t = v0;
		v0 = v0 * v15 + v7; v1 = v1 * v14 + v6; v2 = v2 * v13 + v5; v3 = v3 * v12 + v4;
		v4 = v4 * v11 + v3; v5 = v5 * v10 + v2; v6 = v6 * v9 + v1; v7 = v7 * v8 + t;
		v8 = v8 + v0.s10325476; v9 = v9 + v1; v10 = v10 - v2; v11 = v11 + v3; v12 = v12 - v4; v13 = v13 + v5; v14 = v14 - v6; v15 = v15 * 0.5f;
	}
#define S(i) out[g + s * i] = v##i;
	R16(S)
}
