// SPDX-License-Identifier: MIT
/* The kernels of the examples and the tests; kernels.bin has their code. */

__kernel void copy(__global uint *dst, __global const uint *src)
{
	size_t i = get_global_id(0);

	dst[i] = src[i];
}

/* Every work-item counts once: the sum over all tiles must be exact. */
__kernel void count(__global uint *total)
{
	atomic_inc(total);
}

/* Every element differs, so that a test sees a misplaced page. */
__kernel void fill(__global uint *out, uint pattern)
{
	size_t i = get_global_id(0);

	out[i] = pattern + (uint)i;
}

/* Sum of a work-group through shared local memory and barriers. */
__kernel void group_sum(__global uint *sums, __global const uint *in,
			__local uint *scratch)
{
	uint lid = get_local_id(0);

	scratch[lid] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
		if (lid < step)
			scratch[lid] += scratch[lid + step];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lid == 0)
		sums[get_group_id(0)] = scratch[0];
}

/* The kernel runs until flag[0] is not zero: it stands for a batch that hangs or waits. */
__kernel void spin(__global volatile uint *flag, __global uint *started)
{
	if (get_local_id(0) == 0)
		atomic_inc(started);
	while (flag[0] == 0)
		;
}

/* STREAM triad: one element per work-item. */
__kernel void triad(__global float *a, __global const float *b,
		    __global const float *c, float s)
{
	size_t i = get_global_id(0);

	a[i] = b[i] + s * c[i];
}

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
