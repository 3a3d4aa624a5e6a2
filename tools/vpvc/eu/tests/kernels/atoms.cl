// SPDX-License-Identifier: MIT
#include "sg.h"
KERNEL atoms(__global int *o, __global const int *in)
{
	int v = in[get_global_id(0)];

	atomic_add(&o[0], v);
	atomic_sub(&o[1], v);
	atomic_min(&o[2], v);
	atomic_max(&o[3], v);
	atomic_min((volatile __global uint *)&o[4], (uint)v);
	atomic_max((volatile __global uint *)&o[5], (uint)v);
	atomic_and(&o[6], v);
	atomic_or(&o[7], v);
	atomic_xor(&o[8], v);
	atomic_inc(&o[9]);
	atomic_dec(&o[10]);
	/* a ticket per item: together they are a permutation */
	o[32 + atomic_add(&o[11], 1)] = get_global_id(0);
	for (;;) {
		int old = o[12];

		if (atomic_cmpxchg(&o[12], old, old + 3) == old)
			break;
	}
}
