// SPDX-License-Identifier: MIT
// Non-uniform groups: barrier, broadcast, votes and exchange, by all groups of a
// partition together and each in its own branch.
#include "conformance.h"
#include "xetile_groups.h"
#define WORK(g, v, to) do { \
	__global int *t = (to); \
	uint n = xetile_get_local_linear_range(g), l = xetile_get_local_linear_id(g); \
	t[0] = xetile_group_broadcast(g, v); t[1] = xetile_group_broadcast_from(g, v, n - 1); \
	t[2] = xetile_select_from_group(g, v, (l * 7 + 3) % n); \
	t[3] = xetile_shift_group_left(g, v, 1); t[4] = xetile_shift_group_right(g, v, 2); \
	t[5] = xetile_permute_group_by_xor(g, v, 1); \
	t[6] = xetile_any_of_group(g, v > 90); t[7] = xetile_all_of_group(g, v > 10); \
	t[8] = xetile_none_of_group(g, v == 42); t[9] = xetile_permute_group_by_xor(g, v, 5); \
} while (0)
KERNEL void g_together(__global const int *in, __global const int *p, __global int *o)
{
	size_t i = get_global_id(0);
	xetile_ballot_group g = xetile_get_ballot_group(xetile_this_sub_group(), p[i] > 50);
	WORK(g, in[i], o + i * 10);
}
KERNEL void g_branches(__global const int *in, __global const int *p, __global int *o)
{
	size_t i = get_global_id(0);
	bool yes = p[i] > 50;
	xetile_ballot_group g = xetile_get_ballot_group(xetile_this_sub_group(), yes);
	if (yes) { WORK(g, in[i], o + i * 10); } else { WORK(g, in[i] + 1, o + i * 10); }
}
KERNEL void g_parts(__global const int *in, __global const int *p, __global int *o)
{
	size_t i = get_global_id(0);
	xetile_fixed_size_group g = xetile_get_fixed_size_group(8, xetile_this_sub_group());
	WORK(g, in[i], o + i * 10);
}
KERNEL void g_tangles(__global const int *in, __global const int *p, __global int *o)
{
	size_t i = get_global_id(0);
	if (p[i] & 1) {
		if (p[i] & 2) { xetile_tangle_group g = xetile_get_tangle_group(xetile_this_sub_group()); WORK(g, in[i], o + i * 10); }
		else { xetile_tangle_group g = xetile_get_tangle_group(xetile_this_sub_group()); WORK(g, -in[i], o + i * 10); }
	} else {
		xetile_tangle_group g = xetile_get_tangle_group(xetile_this_sub_group()); WORK(g, in[i] * 2, o + i * 10);
	}
}
// What members wrote before a barrier of the group, others read behind it: neighbours,
// and those that took a branch.
#define ROUNDS(g) do { \
	uint n = xetile_get_local_linear_range(g), k = xetile_get_local_linear_id(g); \
	uint next = xetile_select_from_group(g, l, (k + 1) % n); \
	for (int round = 0; round < 3; round++) { \
		s[l] = in[i] + round; t[i] = in[i] * round; \
		xetile_group_barrier(g); \
		o[i] += s[next] + t[i - l + next]; \
		xetile_group_barrier(g); \
	} \
} while (0)
KERNEL void g_barrier(__global const int *in, __global int *o, __global int *t)
{
	__local int s[64];
	size_t i = get_global_id(0);
	uint l = get_local_id(0);
	bool yes = in[i] & 1;
	xetile_sub_group sg = xetile_this_sub_group();
	xetile_ballot_group g = xetile_get_ballot_group(sg, yes);
	xetile_fixed_size_group f = xetile_get_fixed_size_group(4, sg);
	ROUNDS(f);
	if (yes) ROUNDS(g);
}
