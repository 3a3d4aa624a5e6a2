// SPDX-License-Identifier: MIT
/* Runs until flag[0] is not zero: a batch that hangs, or that waits for us. */
__kernel void spin(__global volatile uint *flag, __global uint *started)
{
	if (get_local_id(0) == 0)
		atomic_inc(started);
	while (flag[0] == 0)
		;
}
