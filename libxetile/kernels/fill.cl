// SPDX-License-Identifier: MIT
/* Every element differs, so that a test sees a misplaced page. */
__kernel void fill(__global uint *out, uint pattern)
{
	size_t i = get_global_id(0);

	out[i] = pattern + (uint)i;
}
