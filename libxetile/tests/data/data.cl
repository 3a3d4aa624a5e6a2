// SPDX-License-Identifier: MIT
/*
 * Kernels that the loader is tested with, beside those in ../../kernels. data_VERSION.bin and,
 * with -DGROUPS, groups_VERSION.bin are made of this file by ocloc 22.43 (Debian 12) and 26.27
 * (a later Debian); triad_26_27.bin and group_sum_26_27.bin of the kernels of these names in
 * ../../kernels/kernels.cl.
 *
 *	ocloc compile -file data.cl -device pvc --format zebin -output data_VERSION \
 *		-output_no_suffix -options OPTIONS
 *
 * OPTIONS are "-cl-std=CL2.0 -cl-intel-greater-than-4GB-buffer-required" with 22.43,
 * -cl-std=CL3.0 with 26.27, and -I../../groups for the groups.
 */
#ifdef GROUPS
#include "xetile_groups.h"

__kernel void lead(__global uint *out)
{
	xetile_opportunistic_group g = xetile_get_opportunistic_group();

	out[get_global_id(0)] = xetile_leader(g);
}
#else
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

/* An array that is too large for registers lies in scratch memory. */
__kernel void shuffle_own(__global const float *in, __global float *out, int n)
{
	float own[300], sum = 0;
	int id = get_global_id(0), i;

	for (i = 0; i < 300; i++)
		own[i] = in[i] * id;
	for (i = 0; i < n; i++)
		own[(i * 7 + id) % 300] += own[i * 13 % 300];
	for (i = 0; i < 300; i++)
		sum += own[i];
	out[id] = sum;
}
#endif
