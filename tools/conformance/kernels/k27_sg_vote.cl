// SPDX-License-Identifier: MIT
#include "conformance.h"
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_non_uniform_vote : enable
KERNEL void sg_ids(__global uint8 *o)
{ o[get_global_id(0)] = (uint8)(get_sub_group_size(), get_max_sub_group_size(), get_num_sub_groups(), get_sub_group_id(), get_sub_group_local_id(), get_local_id(0), get_group_id(0), get_enqueued_num_sub_groups()); }
KERNEL void sg_ballot(__global const int *in, __global uint4 *o, __global uint4 *p)
{
	size_t i = get_global_id(0); int v = in[i];
	uint4 b = sub_group_ballot(v > 3);
	o[i] = (uint4)(b.x, sub_group_ballot_bit_count(b), sub_group_ballot_find_lsb(b), sub_group_ballot_find_msb(b));
	p[i] = (uint4)(sub_group_inverse_ballot(b), sub_group_ballot_exclusive_scan(b), sub_group_elect(), get_sub_group_lt_mask().x);
}
KERNEL void sg_votes(__global const int *in, __global int4 *o)
{
	size_t i = get_global_id(0); int v = in[i];
	int nz = 0;
	if (v & 1) nz = sub_group_non_uniform_any(v > 8) + 2 * sub_group_non_uniform_all(v > 2) + 4 * sub_group_non_uniform_all_equal(v);
	o[i] = (int4)(sub_group_any(v == 5), sub_group_all(v < 100), nz, sub_group_broadcast(v, 3));
}
KERNEL void sg_bcast_first(__global const int *in, __global int *o)
{
	size_t i = get_global_id(0); int v = in[i];
	if (v > 2) v = sub_group_broadcast_first(v) + sub_group_non_uniform_broadcast(v, 7);
	o[i] = v;
}
