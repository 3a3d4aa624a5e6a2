// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void triad(__global float *a, __global const float *b, __global const float *c, float s)
{ size_t i = get_global_id(0); a[i] = b[i] + s * c[i]; }
KERNEL void saxpy_stride(__global float *y, __global const float *x, float a, uint n)
{ for (uint i = get_global_id(0); i < n; i += get_global_size(0)) y[i] = fma(a, x[i], y[i]); }
KERNEL void daxpy(__global double *y, __global const double *x, double a, ulong n)
{ for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) y[i] = a * x[i] + y[i]; }
