// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void hist_global(__global const uchar *in, __global uint *h)
{ atomic_inc(&h[in[get_global_id(0)]]); }
KERNEL void hist_local(__global const uchar *in, __global uint *h, uint n)
{
	__local uint s[256];
	for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) s[i] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = get_global_id(0); i < n; i += get_global_size(0)) atomic_add(&s[in[i]], 1u);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) if (s[i]) atomic_add(&h[i], s[i]);
}
