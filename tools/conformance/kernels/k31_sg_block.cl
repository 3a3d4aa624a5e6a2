// SPDX-License-Identifier: MIT
#include "conformance.h"
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_short : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_char : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_long : enable
KERNEL void blk(__global const uint *in, __global uint *out)
{
	uint base = get_group_id(0) * get_local_size(0) * 8 + get_sub_group_id() * get_sub_group_size() * 8;
	uint8 v = intel_sub_group_block_read8(in + base);
	intel_sub_group_block_write8(out + base, v.s76543210);
}
KERNEL void blk_ty(__global const ushort *a, __global const uchar *b, __global const ulong *c, __global ushort *o, __global uchar *p, __global ulong *q)
{
	uint base = get_global_id(0) - get_sub_group_local_id();
	intel_sub_group_block_write_us(o + base, intel_sub_group_block_read_us(a + base) + 1);
	intel_sub_group_block_write_uc(p + base, intel_sub_group_block_read_uc(b + base) ^ 0x55);
	intel_sub_group_block_write_ul(q + base, intel_sub_group_block_read_ul(c + base) * 3);
}
KERNEL void isg_shuf(__global const uint *in, __global uint4 *o)
{
	size_t i = get_global_id(0); uint v = in[i], w = v * 2;
	o[i] = (uint4)(intel_sub_group_shuffle(v, get_sub_group_local_id() ^ 3), intel_sub_group_shuffle_down(v, w, 3), intel_sub_group_shuffle_up(v, w, 2), intel_sub_group_shuffle_xor(v, 4));
}
