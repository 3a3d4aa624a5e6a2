// SPDX-License-Identifier: MIT
// Non-uniform groups: who is in them, and what they tell of themselves.
#include "corpus.h"
#include "xetile_groups.h"
#define TELL(g, to) do { \
	__global uint *tell = (to); \
	tell[0] = xetile_get_group_id(g); tell[1] = xetile_get_local_id(g); \
	tell[2] = xetile_get_group_range(g); tell[3] = xetile_get_local_range(g); \
	tell[4] = xetile_get_group_linear_id(g); tell[5] = xetile_get_local_linear_id(g); \
	tell[6] = xetile_get_group_linear_range(g); tell[7] = xetile_get_local_linear_range(g); \
	tell[8] = xetile_leader(g); \
	tell[9] = xetile_is_group(g) + 2 * xetile_is_user_constructed_group(g) + \
	       4 * xetile_is_fixed_topology_group(g) + \
	       8 * (xetile_fence_scope(g) == memory_scope_sub_group); \
} while (0)
KERNEL void g_ballot(__global const int *in, __global uint *o)
{
	size_t i = get_global_id(0);
	xetile_ballot_group g = xetile_get_ballot_group(xetile_this_sub_group(), in[i] & 1);
	TELL(g, o + i * 10);
}
KERNEL void g_ballot_branch(__global const int *in, __global uint *o)
{
	size_t i = get_global_id(0);
	bool taken = in[i] % 3 == 0;
	xetile_ballot_group g = xetile_get_ballot_group(xetile_this_sub_group(), taken);
	if (taken) { TELL(g, o + i * 10); o[i * 10 + 9] += 100; } else TELL(g, o + i * 10);
}
KERNEL void g_fixed(__global const int *in, __global uint *o)
{
	size_t i = get_global_id(0);
	xetile_sub_group sg = xetile_this_sub_group();
	__global uint *t = o + i * 50;
	TELL(xetile_get_fixed_size_group(1, sg), t);
	TELL(xetile_get_fixed_size_group(2, sg), t + 10);
	TELL(xetile_get_fixed_size_group(4, sg), t + 20);
	TELL(xetile_get_fixed_size_group(8, sg), t + 30);
	TELL(xetile_get_fixed_size_group(16, sg), t + 40);
}
KERNEL void g_tangle(__global const int *in, __global uint *o)
{
	size_t i = get_global_id(0);
	int v = in[i];
	if (v & 1) {
		xetile_tangle_group g = xetile_get_tangle_group(xetile_this_sub_group());
		TELL(g, o + i * 10);
	} else if (v & 2) {
		xetile_tangle_group g = xetile_get_tangle_group(xetile_this_sub_group());
		TELL(g, o + i * 10);
		o[i * 10 + 9] += 100;
	} else {
		xetile_tangle_group g = xetile_get_tangle_group(xetile_this_sub_group());
		TELL(g, o + i * 10);
		o[i * 10 + 9] += 200;
	}
}
// Who is there at once is not told, so only what holds whoever it is.
KERNEL void g_opportunistic(__global const int *in, __global uint *o, __global uint *sum)
{
	size_t i = get_global_id(0);
	switch (in[i] & 3) {
	case 0: case 2: {
		xetile_opportunistic_group g = xetile_get_opportunistic_group();
		uint n = xetile_get_local_linear_range(g);
		o[i] = xetile_get_local_linear_id(g) < n && xetile_leader(g) == !xetile_get_local_id(g) &&
		       xetile_get_group_id(g) == 0 && xetile_get_group_range(g) == 1 &&
		       xetile_reduce_over_group(g, 1u, plus) == n;
		if (xetile_leader(g)) atomic_add(sum, n);
		break;
	}
	case 1: o[i] = 5; break;
	default: o[i] = 7;
	}
}
