// SPDX-License-Identifier: MIT
// The examples of Documentation/gpu/xetile/groups.rst.
#include "conformance.h"
#include "xetile_groups.h"
// Those that take a branch, known before it.
KERNEL void g_ex_ballot(__global const float *x, __global float *o)
{
	size_t i = get_global_id(0);
	xetile_sub_group sg = xetile_this_sub_group();
	bool will_branch = get_sub_group_local_id() % 2 == 0;
	xetile_ballot_group inner = xetile_get_ballot_group(sg, will_branch);
	if (will_branch) {
		xetile_group_barrier(inner);
		o[i] = xetile_reduce_over_group(inner, x[i], plus);
	}
}
// Neighbours by eight.
KERNEL void g_ex_fixed(__global const float *buf, __global float *out)
{
	xetile_fixed_size_group part = xetile_get_fixed_size_group(8, xetile_this_sub_group());
	float result = xetile_reduce_over_group(part, buf[get_global_id(0)], plus);
	if (xetile_leader(part))
		out[get_global_id(0) / get_sub_group_size() * xetile_get_group_range(part) + xetile_get_group_id(part)] = result;
}
// Those that took a branch, known in it.
KERNEL void g_ex_tangle(__global const float *x, __global float *o)
{
	size_t i = get_global_id(0);
	xetile_sub_group sg = xetile_this_sub_group();
	if (get_sub_group_local_id() % 2 == 0) {
		xetile_tangle_group inner = xetile_get_tangle_group(sg);
		xetile_group_barrier(inner);
		o[i] = xetile_reduce_over_group(inner, x[i], plus);
	}
}
// One atomic for all that come by at once.
uint aggregate_inc(volatile __global uint *counter)
{
	xetile_opportunistic_group active = xetile_get_opportunistic_group();
	uint old = 0;
	if (xetile_leader(active))
		old = atomic_add(counter, xetile_get_local_linear_range(active));
	return xetile_group_broadcast(active, old) + xetile_get_local_linear_id(active);
}
KERNEL void g_ex_opportunistic(__global const int *in, __global uint *counter, __global uint *seen)
{
	size_t i = get_global_id(0);
	for (int k = 0; k < (in[i] & 3); k++)
		atomic_inc(&seen[aggregate_inc(counter)]);
}
