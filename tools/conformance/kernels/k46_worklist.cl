// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void worklist(__global volatile uint *head, __global const uint *items, __global uint *out, uint n)
{
	for (;;) {
		uint i = atomic_inc(head);
		if (i >= n) break;
		uint v = items[i], s = 0;
		while (v) { s += v & 0xf; v >>= 4; }
		out[i] = s;
	}
}
KERNEL void persistent(__global const float *in, __global float *out, uint n)
{
	__local uint base;
	for (uint it = 0; it < n; it += get_global_size(0)) {
		if (!get_local_id(0)) base = it + get_group_id(0) * get_local_size(0);
		barrier(CLK_LOCAL_MEM_FENCE);
		uint i = base + get_local_id(0);
		if (i < n) out[i] = in[i] * in[n - 1 - i];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
