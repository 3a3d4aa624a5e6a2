// SPDX-License-Identifier: MIT
#include "conformance.h"
#define T 16
KERNEL __attribute__((reqd_work_group_size(T, T, 1)))
void mm_tiled(__global const float *a, __global const float *b, __global float *c, int n)
{
	__local float ta[T][T], tb[T][T + 1];
	int lx = get_local_id(0), ly = get_local_id(1);
	int col = get_group_id(0) * T + lx, row = get_group_id(1) * T + ly;
	float s = 0;
	for (int t = 0; t < n; t += T) {
		ta[ly][lx] = a[row * n + t + lx];
		tb[ly][lx] = b[(t + ly) * n + col];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int i = 0; i < T; i++) s = mad(ta[ly][i], tb[i][lx], s);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[row * n + col] = s;
}
KERNEL __attribute__((reqd_work_group_size(8, 8, 1)))
void mm_tiled_d(__global const double *a, __global const double *b, __global double *c, int n)
{
	__local double ta[8][8], tb[8][8];
	int lx = get_local_id(0), ly = get_local_id(1);
	int col = get_group_id(0) * 8 + lx, row = get_group_id(1) * 8 + ly;
	double s = 0;
	for (int t = 0; t < n; t += 8) {
		ta[ly][lx] = a[row * n + t + lx];
		tb[ly][lx] = b[(t + ly) * n + col];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int i = 0; i < 8; i++) s += ta[ly][i] * tb[i][lx];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[row * n + col] = s;
}
