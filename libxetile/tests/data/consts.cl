// SPDX-License-Identifier: MIT
/* Module-scope data: constants, an initialised and a zero global, by relocation. */
__constant uint table[16] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 };
__global uint calls = 41;
__global uint seen[64];

__kernel void consts(__global uint *out)
{
	size_t i = get_global_id(0);

	atomic_inc(&seen[i % 64]);
	if (i == 0)
		atomic_inc(&calls);
	out[i] = table[i % 16] + seen[(i + 1) % 64] + calls;
}

struct pair {
	uint a;
	uchar b;
};

/* A second kernel, with arguments of odd sizes. */
__kernel void odd_args(__global ulong *out, struct pair p, uchar c, uint3 v)
{
	out[get_global_id(0)] = p.a + p.b + c + v.x + v.y + v.z;
}
