// SPDX-License-Identifier: MIT
/* The kernel runs until flag[0] is not zero: it stands for a batch that hangs or waits. */
__kernel void spin(__global volatile uint *flag, __global uint *started)
{
	if (get_local_id(0) == 0)
		atomic_inc(started);
	while (flag[0] == 0)
		;
}
