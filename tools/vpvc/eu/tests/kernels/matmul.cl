// SPDX-License-Identifier: MIT
#include "sg.h"
/* c = a b, n by n, through tiles in local memory */
#define T 16
__attribute__((reqd_work_group_size(T, T, 1)))
KERNEL matmul(__global float *c, __global const float *a, __global const float *b, uint n)
{
	__local float ta[T][T], tb[T][T];
	uint lx = get_local_id(0), ly = get_local_id(1);
	uint col = get_group_id(0) * T + lx, row = get_group_id(1) * T + ly;
	float sum = 0;

	for (uint k = 0; k < n; k += T) {
		ta[ly][lx] = a[row * n + k + lx];
		tb[ly][lx] = b[(k + ly) * n + col];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint i = 0; i < T; i++)
			sum = fma(ta[ly][i], tb[i][lx], sum);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[row * n + col] = sum;
}
