// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void d_arith(__global const double *x, __global const double *y, __global double *o)
{ size_t i = get_global_id(0); double a = x[i], b = y[i]; o[i] = fma(a, b, -a) + fmax(a, b) * 0.5 - fabs(b); }
KERNEL void d_divsqrt(__global const double *x, __global const double *y, __global double2 *o)
{ size_t i = get_global_id(0); o[i] = (double2)(x[i] / y[i], sqrt(fabs(x[i]))); }
KERNEL void d_conv(__global const double *x, __global float *f, __global int *n, __global long *l, __global double *o)
{
	size_t i = get_global_id(0); double a = x[i];
	f[i] = (float)a; n[i] = (int)a; l[i] = (long)a; o[i] = (double)n[i] + (double)l[i] + (double)f[i] + floor(a) + rint(a);
}
KERNEL void d_math(__global const double *x, __global double4 *o)
{ size_t i = get_global_id(0); double a = x[i]; o[i] = (double4)(sin(a), exp(a * 0.1), log(fabs(a) + 1.0), pow(fabs(a), 0.3)); }
KERNEL void d_cmp(__global const double *x, __global const double *y, __global int *o)
{ size_t i = get_global_id(0); o[i] = (x[i] < y[i]) + 2 * (x[i] == y[i]) + 4 * isnan(x[i]) + 8 * isinf(y[i]); }
