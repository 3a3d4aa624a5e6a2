// SPDX-License-Identifier: MIT
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#include "sg.h"
KERNEL doubles(__global double *out, __global const double *x, __global const double *y)
{
	size_t i = get_global_id(0);
	double a = x[i], b = y[i];
	__global double *o = out + i * 6;

	o[0] = a + b;
	o[1] = fma(a, b, 0.5);
	o[2] = a / b;
	o[3] = sqrt(fabs(a));
	o[4] = (float)a;
	o[5] = (double)convert_long_rtz(a);
}
