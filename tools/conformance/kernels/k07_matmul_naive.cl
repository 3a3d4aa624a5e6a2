// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void mm_naive(__global const float *a, __global const float *b, __global float *c, int m, int n, int k)
{
	int col = get_global_id(0), row = get_global_id(1);
	float s = 0;
	if (row >= m || col >= n) return;
	for (int i = 0; i < k; i++) s += a[row * k + i] * b[i * n + col];
	c[row * n + col] = s;
}
KERNEL void mm_i32(__global const int *a, __global const int *b, __global int *c, int n)
{
	int col = get_global_id(0), row = get_global_id(1), s = 0;
	for (int i = 0; i < n; i++) s += a[row * n + i] * b[i * n + col];
	c[row * n + col] = s;
}
