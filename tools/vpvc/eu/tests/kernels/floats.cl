// SPDX-License-Identifier: MIT
#include "sg.h"
KERNEL floats(__global float *out, __global const float *x, __global const float *y)
{
	size_t i = get_global_id(0);
	float a = x[i], b = y[i];
	__global float *o = out + i * 16;

	o[0] = a + b;
	o[1] = a * b;
	o[2] = fma(a, b, 1.5f);
	o[3] = a / b;
	o[4] = sqrt(fabs(a));
	o[5] = floor(a);
	o[6] = ceil(a);
	o[7] = trunc(a);
	o[8] = rint(a);
	o[9] = fmin(a, b);
	o[10] = fmax(a, b);
	o[11] = (float)convert_int_sat_rte(a);
	o[12] = (float)convert_uint_sat_rtz(a);
	o[13] = a < b ? 1.0f : 2.0f;
	o[14] = isnan(a) ? 3.0f : 4.0f;
	o[15] = vload_half(0, (__global const half *)&x[i]);
}
