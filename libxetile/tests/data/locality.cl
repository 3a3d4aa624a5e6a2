// SPDX-License-Identifier: MIT
/*
 * Kernels whose accesses xetile_plan_explain() knows: one for each pattern, and for each edge of a
 * stencil. locality.bin has their code, by ocloc 26.27 (a later Debian than 12):
 *
 *	ocloc compile -file locality.cl -device pvc --format zebin -output locality \
 *		-output_no_suffix -options -cl-std=CL3.0
 */

/* The element of a work-item, all work-items one behind the other */
static size_t own(void)
{
	return get_global_id(0) + get_global_size(0) *
	       (get_global_id(1) + get_global_size(1) * get_global_id(2));
}

__kernel void stream(__global uint *out, __global const uint *in)
{
	out[own()] = in[own()];
}

/* Neighbors that are not there are left out. */
__kernel void stencil_skip(__global uint *out, __global const uint *in, int reach)
{
	int w = get_global_size(0), h = get_global_size(1);
	int x = get_global_id(0), y = get_global_id(1), d;
	uint sum = in[y * w + x];

	for (d = 1; d <= reach; d++) {
		if (x >= d)
			sum += in[y * w + x - d];
		if (x + d < w)
			sum += in[y * w + x + d];
		if (y >= d)
			sum += in[(y - d) * w + x];
		if (y + d < h)
			sum += in[(y + d) * w + x];
	}
	out[y * w + x] = sum;
}

/* Those at the edge stand for them. */
__kernel void stencil_clamp(__global uint *out, __global const uint *in, int reach)
{
	int w = get_global_size(0), h = get_global_size(1);
	int x = get_global_id(0), y = get_global_id(1), d;
	uint sum = in[y * w + x];

	for (d = 1; d <= reach; d++)
		sum += in[y * w + max(x - d, 0)] + in[y * w + min(x + d, w - 1)] +
		       in[max(y - d, 0) * w + x] + in[min(y + d, h - 1) * w + x];
	out[y * w + x] = sum;
}

/* Work-items that lack one do nothing. */
__kernel void stencil_inside(__global uint *out, __global const uint *in, int reach)
{
	int w = get_global_size(0), h = get_global_size(1);
	int x = get_global_id(0), y = get_global_id(1), d;
	uint sum;

	if (x < reach || y < reach || x + reach >= w || y + reach >= h)
		return;
	sum = in[y * w + x];
	for (d = 1; d <= reach; d++)
		sum += in[y * w + x - d] + in[y * w + x + d] + in[(y - d) * w + x] +
		       in[(y + d) * w + x];
	out[y * w + x] = sum;
}

/* A work-item has a row of a matrix. */
__kernel void rows(__global uint *out, __global const uint *in, uint width, uint pitch)
{
	uint sum = 0, i;

	for (i = 0; i < width; i++)
		sum += in[get_global_id(0) * pitch + i];
	out[get_global_id(0)] = sum;
}

/* A work-item has an element of a matrix, whose rows are longer than the launch. */
__kernel void block(__global uint *out, __global const uint *in, uint pitch)
{
	out[own()] = in[get_global_id(1) * pitch + get_global_id(0)];
}

__kernel void gather(__global uint *out, __global const uint *in, __global const uint *index)
{
	out[own()] = in[index[own()]];
}
