// SPDX-License-Identifier: MIT
#include "conformance.h"
#pragma OPENCL EXTENSION cl_intel_subgroup_2d_block_io : enable
KERNEL16 void b2d(__global ushort *src, __global ushort *dst, int w, int h, int pitch, int2 c)
{
	ushort t[8];
	intel_sub_group_2d_block_read_16b_8r16x1c(src, w, h, pitch, c, t);
	for (int i = 0; i < 8; i++) t[i] += 3;
	intel_sub_group_2d_block_write_16b_8r16x1c(dst, w, h, pitch, c, t);
	intel_sub_group_2d_block_prefetch_16b_8r16x1c(src, w, h, pitch, c + 8);
}
KERNEL16 void b2d_32(__global uint *src, __global uint *dst, int w, int h, int pitch, int2 c)
{
	uint t[8];
	intel_sub_group_2d_block_read_32b_8r16x1c(src, w, h, pitch, c, t);
	intel_sub_group_2d_block_write_32b_8r16x1c(dst, w, h, pitch, c, t);
}
KERNEL16 void b2d_vnni(__global ushort *src, __global uint *dst, int w, int h, int pitch, int2 c)
{
	uint t[8]; int l = get_sub_group_local_id();
	intel_sub_group_2d_block_read_transform_16b_16r16x1c(src, w, h, pitch, c, t);
	for (int i = 0; i < 8; i++) dst[i * 16 + l] = t[i];
}
KERNEL16 void b2d_tr(__global uint *src, __global uint *dst, int w, int h, int pitch, int2 c)
{
	uint t[8]; int l = get_sub_group_local_id();
	intel_sub_group_2d_block_read_transpose_32b_16r8x1c(src, w, h, pitch, c, t);
	for (int i = 0; i < 8; i++) dst[i * 16 + l] = t[i];
}
