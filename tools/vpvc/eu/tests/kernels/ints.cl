// SPDX-License-Identifier: MIT
#include "sg.h"
/* 24 results per item; eu_kernels.c computes the same in C. */
KERNEL ints(__global int *out, __global const int *x, __global const int *y)
{
	size_t i = get_global_id(0);
	int a = x[i], b = y[i];
	uint ua = a, ub = b;
	__global int *o = out + i * 24;

	o[0] = a + b;
	o[1] = a - b;
	o[2] = a * b;
	o[3] = mul_hi(a, b);
	o[4] = mul_hi(ua, ub);
	o[5] = a / b;
	o[6] = a % b;
	o[7] = ua / ub;
	o[8] = ua % ub;
	o[9] = a << (ub & 31);
	o[10] = a >> (ub & 31);
	o[11] = ua >> (ub & 31);
	o[12] = rotate(ua, ub);
	o[13] = popcount(ua);
	o[14] = clz(ua);
	o[15] = min(a, b);
	o[16] = max(ua, ub);
	o[17] = (a & b) ^ (~a | b);
	o[18] = add_sat((char)a, (char)b);
	o[19] = (short)a * (short)b;
	o[20] = abs_diff(a, b);
	o[21] = a < b ? 1 : a == b ? 2 : 3;
	o[22] = ua + ub < ua;
	o[23] = hadd(a, b);
}
