// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void scan_hs(__global const uint *in, __global uint *out, __global uint *sums)
{
	__local uint a[256];
	uint l = get_local_id(0), n = get_local_size(0), v;
	a[l] = v = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint d = 1; d < n; d <<= 1) {
		uint t = l >= d ? a[l - d] : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		a[l] += t;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = a[l] - v;
	if (l == n - 1) sums[get_group_id(0)] = a[l];
}
KERNEL void scan_blelloch(__global uint *io)
{
	__local uint t[256];
	uint l = get_local_id(0), n = 2 * get_local_size(0), base = get_group_id(0) * n, off = 1;
	t[2 * l] = io[base + 2 * l];
	t[2 * l + 1] = io[base + 2 * l + 1];
	for (uint d = n >> 1; d; d >>= 1) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l < d) t[off * (2 * l + 2) - 1] += t[off * (2 * l + 1) - 1];
		off <<= 1;
	}
	if (!l) t[n - 1] = 0;
	for (uint d = 1; d < n; d <<= 1) {
		off >>= 1;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l < d) {
			uint x = off * (2 * l + 1) - 1, y = off * (2 * l + 2) - 1, s = t[x];
			t[x] = t[y]; t[y] += s;
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	io[base + 2 * l] = t[2 * l];
	io[base + 2 * l + 1] = t[2 * l + 1];
}
