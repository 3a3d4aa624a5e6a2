// SPDX-License-Identifier: MIT
// Non-uniform groups: joint algorithms over arrays that members share out.
#include "conformance.h"
#include "xetile_groups.h"
#define N 37
#define LARGE(x) ((x) > 900)
bool positive(int x) { return x > 0; }
KERNEL void g_joint(__global const int *in, __global const int *p, __global int *ex, __global int *inc, __global int *o)
{
	size_t i = get_global_id(0);
	bool yes = p[i] & 1;
	xetile_ballot_group g = xetile_get_ballot_group(xetile_this_sub_group(), yes);
	size_t area = ((i / get_sub_group_size()) * 2 + xetile_get_group_id(g)) * N;
	__global const int *first = in + area, *last = first + N;
	__global int *t = o + i * 10;
	t[0] = xetile_joint_reduce(g, first, last, plus);
	t[1] = xetile_joint_reduce_init(g, first, last, 7, maximum);
	t[2] = xetile_joint_any_of(g, first, last, LARGE);
	t[3] = xetile_joint_all_of(g, first, last, positive);
	t[4] = xetile_joint_none_of(g, first, last, LARGE);
	t[5] = xetile_joint_reduce(g, first, first, bit_or);
	if (yes) {
		t[6] = xetile_joint_exclusive_scan(g, first, last, ex + area, plus) - ex;
		t[7] = xetile_joint_inclusive_scan_init(g, first, last, inc + area, bit_xor, 99) - inc;
	} else {
		t[6] = xetile_joint_exclusive_scan_init(g, first, last, ex + area, 1000, minimum) - ex;
		t[7] = xetile_joint_inclusive_scan(g, first, last, inc + area, maximum) - inc;
	}
}
// The same of an array in local memory.
KERNEL void g_joint_local(__global const int *in, __global int *o)
{
	__local int s[64];
	size_t i = get_global_id(0);
	uint l = get_local_id(0);
	s[l] = in[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	xetile_fixed_size_group g = xetile_get_fixed_size_group(4, xetile_this_sub_group());
	o[i] = xetile_joint_reduce(g, s, s + 61, plus) + xetile_joint_all_of(g, s, s + 64, positive);
}
