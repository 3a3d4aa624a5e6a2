// SPDX-License-Identifier: MIT
#include "sg.h"
/* An array too large for registers and indexed by data lies in scratch. */
KERNEL private_array(__global uint *out, __global const uint *in, uint n)
{
	uint a[100];
	uint x = in[get_global_id(0)];

	__attribute__((opencl_unroll_hint(1)))
	for (uint k = 0; k < 100; k++)
		a[k] = x * k;
	__attribute__((opencl_unroll_hint(1)))
	for (uint k = 0; k < n; k++)
		a[(x + k * 7) % 100] += a[(x * 3 + k) % 100];
	out[get_global_id(0)] = a[x % 100] ^ a[(x + 50) % 100];
}
