// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void vadd_f(__global float *o, __global const float *a, __global const float *b)
{ size_t i = get_global_id(0); o[i] = a[i] + b[i]; }
KERNEL void vadd_i(__global int *o, __global const int *a, __global const int *b, int n)
{ int i = (int)get_global_id(0); if (i < n) o[i] = a[i] + b[i]; }
KERNEL void vadd_f4(__global float4 *o, __global const float4 *a, __global const float4 *b)
{ size_t i = get_global_id(0); o[i] = a[i] + b[i]; }
KERNEL void fill_iota(__global uint *o, uint base, uint step)
{ size_t i = get_global_id(0); o[i] = base + step * (uint)i; }
