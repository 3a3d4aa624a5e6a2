// SPDX-License-Identifier: MIT
#include "conformance.h"
#pragma OPENCL EXTENSION cl_khr_integer_dot_product : enable
KERNEL void dot_i8(__global const char4 *a, __global const char4 *b, __global const uchar4 *c, __global int *o)
{ size_t i = get_global_id(0); o[i] = dot_acc_sat(a[i], b[i], 100) + dot(a[i], b[i]) + (int)dot(c[i], c[i]) + dot(a[i], c[i]); }
KERNEL void dot_packed(__global const uint *a, __global const uint *b, __global int *o)
{ size_t i = get_global_id(0); o[i] = dot_4x8packed_ss_int(a[i], b[i]) + (int)dot_4x8packed_uu_uint(a[i], b[i]); }
