// SPDX-License-Identifier: MIT
// Sub-groups, matrices and blocks. tools/conformance/run splits this at the lines that name a file.
#include "conformance.h"

// file: k09_dpas.cl
// Systolic (DPAS) tiles, one sub-group of 16 per tile. A is row-major M x K, B row-major K x N (N = 16).
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
KERNEL16 void dpas_f16(__global const ushort *a, __global const ushort *b, __global float *c)
{
	int l = get_sub_group_local_id();
	short8 av; int8 bv; float8 acc;
	for (int r = 0; r < 8; r++) av[r] = as_short(a[r * 16 + l]);
	for (int k = 0; k < 8; k++) bv[k] = (int)b[2 * k * 16 + l] | ((int)b[(2 * k + 1) * 16 + l] << 16);
	for (int r = 0; r < 8; r++) acc[r] = c[r * 16 + l];
	acc = intel_sub_group_f16_f16_matrix_mad_k16(av, bv, acc);
	for (int r = 0; r < 8; r++) c[r * 16 + l] = acc[r];
}
KERNEL16 void dpas_bf16(__global const ushort *a, __global const ushort *b, __global float *c)
{
	int l = get_sub_group_local_id();
	short8 av; int8 bv; float8 acc;
	for (int r = 0; r < 8; r++) av[r] = as_short(a[r * 16 + l]);
	for (int k = 0; k < 8; k++) bv[k] = (int)b[2 * k * 16 + l] | ((int)b[(2 * k + 1) * 16 + l] << 16);
	for (int r = 0; r < 8; r++) acc[r] = c[r * 16 + l];
	acc = intel_sub_group_bf16_bf16_matrix_mad_k16(av, bv, acc);
	for (int r = 0; r < 8; r++) c[r * 16 + l] = acc[r];
}
KERNEL16 void dpas_s8(__global const char *a, __global const char *b, __global int *c)
{
	int l = get_sub_group_local_id();
	short8 av; int8 bv; int8 acc;
	for (int r = 0; r < 8; r++) av[r] = as_short((uchar2)((uchar)a[r * 32 + 2 * l], (uchar)a[r * 32 + 2 * l + 1]));
	for (int k = 0; k < 8; k++) bv[k] = as_int((char4)(b[(4 * k) * 16 + l], b[(4 * k + 1) * 16 + l], b[(4 * k + 2) * 16 + l], b[(4 * k + 3) * 16 + l]));
	for (int r = 0; r < 8; r++) acc[r] = c[r * 16 + l];
	acc = intel_sub_group_i8_i8_matrix_mad_k32(av, bv, acc);
	for (int r = 0; r < 8; r++) c[r * 16 + l] = acc[r];
}
KERNEL16 void dpas_u8s8(__global const uchar *a, __global const char *b, __global int *c)
{
	int l = get_sub_group_local_id();
	short4 av; int8 bv; int4 acc;
	for (int r = 0; r < 4; r++) av[r] = as_short((uchar2)(a[r * 32 + 2 * l], a[r * 32 + 2 * l + 1]));
	for (int k = 0; k < 8; k++) bv[k] = as_int((char4)(b[(4 * k) * 16 + l], b[(4 * k + 1) * 16 + l], b[(4 * k + 2) * 16 + l], b[(4 * k + 3) * 16 + l]));
	for (int r = 0; r < 4; r++) acc[r] = c[r * 16 + l];
	acc = intel_sub_group_u8_i8_matrix_mad_k32(as_ushort4(av), bv, acc);
	for (int r = 0; r < 4; r++) c[r * 16 + l] = acc[r];
}
KERNEL16 void dpas_tf32(__global const float *a, __global const float *b, __global float *c)
{
	int l = get_sub_group_local_id();
	float4 av; float8 bv, acc;
	for (int r = 0; r < 4; r++) av[r] = a[r * 16 + l];
	for (int k = 0; k < 8; k++) bv[k] = b[k * 16 + l];
	for (int r = 0; r < 8; r++) acc[r] = c[r * 16 + l];
	acc = intel_sub_group_tf32_tf32_matrix_mad_k8(av, bv, acc);
	for (int r = 0; r < 8; r++) c[r * 16 + l] = acc[r];
}

// file: k27_sg_vote.cl
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_non_uniform_vote : enable
KERNEL void sg_ids(__global uint8 *o)
{ o[get_global_id(0)] = (uint8)(get_sub_group_size(), get_max_sub_group_size(), get_num_sub_groups(), get_sub_group_id(), get_sub_group_local_id(), get_local_id(0), get_group_id(0), get_enqueued_num_sub_groups()); }
KERNEL void sg_ballot(__global const int *in, __global uint4 *o, __global uint4 *p)
{
	size_t i = get_global_id(0); int v = in[i];
	uint4 b = sub_group_ballot(v > 3);
	o[i] = (uint4)(b.x, sub_group_ballot_bit_count(b), sub_group_ballot_find_lsb(b), sub_group_ballot_find_msb(b));
	p[i] = (uint4)(sub_group_inverse_ballot(b), sub_group_ballot_exclusive_scan(b), sub_group_elect(), get_sub_group_lt_mask().x);
}
KERNEL void sg_votes(__global const int *in, __global int4 *o)
{
	size_t i = get_global_id(0); int v = in[i];
	int nz = 0;
	if (v & 1) nz = sub_group_non_uniform_any(v > 8) + 2 * sub_group_non_uniform_all(v > 2) + 4 * sub_group_non_uniform_all_equal(v);
	o[i] = (int4)(sub_group_any(v == 5), sub_group_all(v < 100), nz, sub_group_broadcast(v, 3));
}
KERNEL void sg_bcast_first(__global const int *in, __global int *o)
{
	size_t i = get_global_id(0); int v = in[i];
	if (v > 2) v = sub_group_broadcast_first(v) + sub_group_non_uniform_broadcast(v, 7);
	o[i] = v;
}

// file: k28_sg_reduce.cl
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_non_uniform_arithmetic : enable
KERNEL void sg_red(__global const int *in, __global int4 *o, __global const float *f, __global float4 *p)
{
	size_t i = get_global_id(0); int v = in[i]; float x = f[i];
	o[i] = (int4)(sub_group_reduce_add(v), sub_group_reduce_min(v), sub_group_reduce_max(v), sub_group_scan_inclusive_add(v));
	p[i] = (float4)(sub_group_reduce_add(x), sub_group_reduce_max(x), sub_group_scan_exclusive_add(x), sub_group_scan_inclusive_max(x));
}
KERNEL void sg_red64(__global const long *in, __global long2 *o, __global const double *f, __global double2 *p)
{
	size_t i = get_global_id(0);
	o[i] = (long2)(sub_group_reduce_add(in[i]), sub_group_scan_exclusive_max(in[i]));
	p[i] = (double2)(sub_group_reduce_add(f[i]), sub_group_scan_inclusive_min(f[i]));
}
KERNEL void sg_nu(__global const int *in, __global int4 *o)
{
	size_t i = get_global_id(0); int v = in[i]; int4 r = (int4)(0);
	if (v & 1) r = (int4)(sub_group_non_uniform_reduce_add(v), sub_group_non_uniform_scan_inclusive_mul(v), sub_group_non_uniform_reduce_xor(v), sub_group_non_uniform_scan_exclusive_or(v));
	o[i] = r;
}

// file: k29_sg_shuffle.cl
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle_relative : enable
KERNEL void sg_shuf(__global const int *in, __global const uint *idx, __global int4 *o)
{
	size_t i = get_global_id(0); int v = in[i];
	o[i] = (int4)(sub_group_shuffle(v, idx[i] & (get_sub_group_size() - 1)), sub_group_shuffle_xor(v, 5), sub_group_shuffle_up(v, 3), sub_group_shuffle_down(v, 2));
}
KERNEL void sg_shuf_ty(__global const long *a, __global const double *b, __global const uchar *c, __global const short *d, __global long *o, __global double *p, __global uchar *q, __global short *r)
{
	size_t i = get_global_id(0); uint s = (get_sub_group_local_id() * 7 + 3) % get_sub_group_size();
	o[i] = sub_group_shuffle(a[i], s); p[i] = sub_group_shuffle_xor(b[i], 1); q[i] = sub_group_shuffle(c[i], s); r[i] = sub_group_shuffle_down(d[i], 1);
}

// file: k30_sg_clustered.cl
#pragma OPENCL EXTENSION cl_khr_subgroup_clustered_reduce : enable
KERNEL void sg_clus(__global const int *in, __global int4 *o, __global const float *f, __global float2 *p)
{
	size_t i = get_global_id(0); int v = in[i];
	o[i] = (int4)(sub_group_clustered_reduce_add(v, 4), sub_group_clustered_reduce_max(v, 8), sub_group_clustered_reduce_and(v, 2), sub_group_clustered_reduce_mul(v, 16));
	p[i] = (float2)(sub_group_clustered_reduce_add(f[i], 8), sub_group_clustered_reduce_min(f[i], 4));
}

// file: k31_sg_block.cl
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

// file: k42_block2d.cl
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
