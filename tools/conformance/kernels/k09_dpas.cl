// SPDX-License-Identifier: MIT
// Systolic (DPAS) tiles, one sub-group of 16 per tile. A is row-major M x K, B row-major K x N (N = 16).
#include "conformance.h"
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
