// SPDX-License-Identifier: MIT
// Non-uniform groups: who is in them, and what they tell of themselves.
#include "conformance.h"
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
	xetile_sub_group sg = xetile_this_sub_group();
	xetile_ballot_group g = xetile_get_ballot_group(sg, in[i] & 1);
	TELL(g, o + i * 10);
	// The sub-group was there before: nobody made it.
	o[i * 10 + 9] += 16 * (xetile_is_group(sg) && xetile_is_fixed_topology_group(sg) &&
			       !xetile_is_user_constructed_group(sg));
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
// Who is there at once is not told, so only what holds whoever it is. The others never
// come by.
KERNEL void g_opportunistic(__global const int *in, __global uint *o, __global uint *sum)
{
	__local uint s[64];
	size_t i = get_global_id(0);
	uint l = get_local_id(0);
	switch (in[i] & 3) {
	case 0: case 2: {
		xetile_opportunistic_group g = xetile_get_opportunistic_group();
		uint n = xetile_get_local_linear_range(g), k = xetile_get_local_linear_id(g);
		uint next = xetile_select_from_group(g, l, (k + 1) % n);
		bool right = k < n && xetile_get_local_range(g) == n && xetile_get_local_id(g) == k &&
			     xetile_leader(g) == !k && !xetile_get_group_id(g) &&
			     !xetile_get_group_linear_id(g) && xetile_get_group_range(g) == 1 &&
			     xetile_get_group_linear_range(g) == 1 && xetile_is_group(g) &&
			     xetile_is_user_constructed_group(g) && !xetile_is_fixed_topology_group(g) &&
			     xetile_fence_scope(g) == memory_scope_sub_group;
		s[l] = i;
		xetile_group_barrier(g);
		right &= s[next] == i - l + next;
		right &= xetile_group_broadcast(g, k) == 0;
		right &= xetile_group_broadcast_from(g, k, n - 1) == n - 1;
		right &= xetile_shift_group_left(g, k, 1) == (k + 1 < n ? k + 1 : k);
		right &= xetile_shift_group_right(g, k, 1) == (k ? k - 1 : k);
		right &= xetile_permute_group_by_xor(g, k, 1) == ((k ^ 1) < n ? k ^ 1 : k);
		right &= xetile_any_of_group(g, !k) & xetile_all_of_group(g, k < n);
		right &= xetile_none_of_group(g, k >= n);
		right &= xetile_reduce_over_group(g, 1u, plus) == n;
		right &= xetile_exclusive_scan_over_group(g, 1u, plus) == k;
		right &= xetile_inclusive_scan_over_group(g, 1u, plus) == k + 1;
		o[i] = right;
		if (xetile_leader(g)) atomic_add(sum, n);
		break;
	}
	case 1: o[i] = 5; break;
	default: o[i] = 7;
	}
}
