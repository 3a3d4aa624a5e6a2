// SPDX-License-Identifier: MIT
#include "sg.h"
KERNEL longs(__global long *out, __global const long *x, __global const long *y)
{
	size_t i = get_global_id(0);
	long a = x[i], b = y[i];
	ulong ua = a, ub = b;
	__global long *o = out + i * 12;

	o[0] = a + b;
	o[1] = a - b;
	o[2] = a * b;
	o[3] = a / b;
	o[4] = ua % ub;
	o[5] = a << (ub & 63);
	o[6] = a >> (ub & 63);
	o[7] = ua >> (ub & 63);
	o[8] = a < b;
	o[9] = ua < ub;
	o[10] = popcount(ua);
	o[11] = mul_hi(ua, ub);
}
