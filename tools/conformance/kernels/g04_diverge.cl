// SPDX-License-Identifier: MIT
// Non-uniform groups in divergent code: loops with different trip counts, nested
// branches, switch, early return.
#include "conformance.h"
#include "xetile_groups.h"
// In round k are those whose trip count is larger.
KERNEL void g_loop(__global const int *in, __global int *o)
{
	size_t i = get_global_id(0);
	int n = in[i] & 15, s = 0;
	for (int k = 0; k < n; k++) {
		xetile_tangle_group g = xetile_get_tangle_group(xetile_this_sub_group());
		s += xetile_reduce_over_group(g, in[i] + k, plus) * (k + 1) + (int)xetile_get_local_id(g);
	}
	o[i] = s;
}
// Collatz: those that are odd in a step and those that are even are two tangles.
KERNEL void g_collatz(__global const uint *in, __global uint *o)
{
	size_t i = get_global_id(0);
	uint n = in[i], s = 0, steps = 0;
	while (n != 1 && steps < 40) {
		if (n & 1) {
			xetile_tangle_group g = xetile_get_tangle_group(xetile_this_sub_group());
			s = s * 3 + xetile_get_local_linear_range(g);
			n = 3 * n + 1;
		} else {
			xetile_tangle_group g = xetile_get_tangle_group(xetile_this_sub_group());
			s += xetile_group_broadcast(g, n) + xetile_get_local_linear_id(g);
			n >>= 1;
		}
		steps++;
		if (steps == 17 && (s & 1)) break;
	}
	o[i] = s;
}
KERNEL void g_switch(__global const int *in, __global int *o)
{
	__local int s[64];
	size_t i = get_global_id(0);
	uint l = get_local_id(0);
	xetile_sub_group sg = xetile_this_sub_group();
	int v = in[i], r = 0;
	switch (v % 5) {
	case 0: { xetile_tangle_group g = xetile_get_tangle_group(sg); r = xetile_reduce_over_group(g, v, maximum); break; }
	case 1: { xetile_tangle_group g = xetile_get_tangle_group(sg); r = xetile_inclusive_scan_over_group(g, v, plus); break; }
	case 2: { xetile_tangle_group g = xetile_get_tangle_group(sg); r = xetile_get_local_range(g); if (v > 50) { xetile_tangle_group h = xetile_get_tangle_group(sg); r = r * 100 + xetile_get_local_range(h); } break; }
	case 3: { xetile_tangle_group g = xetile_get_tangle_group(sg); r = xetile_group_broadcast(g, v); break; }
	default: {
		// What the next one wrote before the barrier.
		xetile_tangle_group g = xetile_get_tangle_group(sg);
		uint next = (xetile_get_local_linear_id(g) + 1) % xetile_get_local_linear_range(g);
		next = xetile_select_from_group(g, l, next);
		s[l] = v;
		xetile_group_barrier(g);
		r = -s[next];
	}
	}
	o[i] = r;
}
// Groups of a group's own kind in nested branches: made before, used where they fit.
KERNEL void g_nested(__global const int *in, __global int *o)
{
	size_t i = get_global_id(0);
	xetile_sub_group sg = xetile_this_sub_group();
	int v = in[i], r = 0;
	bool a = v & 1, b = v & 2;
	xetile_ballot_group ga = xetile_get_ballot_group(sg, a), gab = xetile_get_ballot_group(sg, a && b);
	if (a) {
		r = xetile_reduce_over_group(ga, v, plus);
		if (b) r += 1000 * xetile_exclusive_scan_over_group(gab, 1, plus);
		r += xetile_any_of_group(ga, v > 95);
	} else {
		if (v > 60) { o[i] = -1; return; }
		xetile_tangle_group t = xetile_get_tangle_group(sg);
		r = xetile_reduce_over_group(t, v, minimum);
	}
	o[i] = r;
}
