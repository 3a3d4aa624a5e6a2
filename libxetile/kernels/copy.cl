// SPDX-License-Identifier: MIT
__kernel void copy(__global uint *dst, __global const uint *src)
{
	size_t i = get_global_id(0);

	dst[i] = src[i];
}
