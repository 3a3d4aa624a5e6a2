// SPDX-License-Identifier: MIT
/*
 * Proves that every work-group of a launch ran exactly once: each group takes a
 * ticket and writes its linear id there, and counts itself in seen[].
 */
__kernel void whoami(__global uint *tickets, __global uint *order,
		     __global uint *seen)
{
	uint group = get_group_id(0) +
		     get_num_groups(0) * (get_group_id(1) +
		     get_num_groups(1) * get_group_id(2));

	if (get_local_id(0) == 0 && get_local_id(1) == 0 &&
	    get_local_id(2) == 0) {
		uint ticket = atomic_inc(tickets);

		order[ticket] = group;
		atomic_inc(&seen[group]);
	}
}
