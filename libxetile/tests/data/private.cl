// SPDX-License-Identifier: MIT
__kernel void shuffle_own(__global const float *in, __global float *out, int n)
{
	float own[300], sum = 0;
	int id = get_global_id(0), i;

	for (i = 0; i < 300; i++)
		own[i] = in[i] * id;
	for (i = 0; i < n; i++)
		own[(i * 7 + id) % 300] += own[i * 13 % 300];
	for (i = 0; i < 300; i++)
		sum += own[i];
	out[id] = sum;
}
