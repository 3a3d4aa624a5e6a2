// SPDX-License-Identifier: MIT
/*
 * The kernel proves that every work-group of a launch ran exactly once: each group takes a
 * ticket, writes its linear id at the ticket's place, and adds one to its element of seen[].
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
