// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void idiv64(__global const long *a, __global const long *b, __global long *q, __global long *r)
{ size_t i = get_global_id(0); q[i] = a[i] / b[i]; r[i] = a[i] % b[i]; }
KERNEL void udiv64(__global const ulong *a, __global const ulong *b, __global ulong *q, __global ulong *r)
{ size_t i = get_global_id(0); q[i] = a[i] / b[i]; r[i] = a[i] % b[i]; }
