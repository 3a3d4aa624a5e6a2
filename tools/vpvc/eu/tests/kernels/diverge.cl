// SPDX-License-Identifier: MIT
#include "sg.h"
/* Every item takes its own way: break, continue, early return, nested loops. */
KERNEL diverge(__global uint *out, __global const uint *in)
{
	uint n = in[get_global_id(0)], steps = 0, sum = 0;

	if (n == 0) {
		out[get_global_id(0)] = 12345;
		return;
	}
	__attribute__((opencl_unroll_hint(1)))
	while (n != 1) {
		n = n & 1 ? 3 * n + 1 : n / 2;
		if (++steps > 90)
			break;
		if (n % 5 == 0)
			continue;
		__attribute__((opencl_unroll_hint(1)))
		for (uint k = 0; k < n % 7; k++) {
			if (k == 4)
				break;
			sum += k * steps;
		}
	}
	out[get_global_id(0)] = sum * 100 + steps;
}
