// SPDX-License-Identifier: MIT
// Non-uniform groups: reductions and scans, every operator, every type.
#include "conformance.h"
#include "xetile_groups.h"
#define ARITHMETIC(T) \
	size_t i = get_global_id(0); T v = in[i]; \
	xetile_sub_group sg = xetile_this_sub_group(); \
	xetile_ballot_group g = xetile_get_ballot_group(sg, p[i] & 1); \
	xetile_fixed_size_group f = xetile_get_fixed_size_group(4, sg); \
	__global T *t = o + i * 16; \
	t[0] = xetile_reduce_over_group(g, v, plus); t[1] = xetile_reduce_over_group(g, v, multiplies); \
	t[2] = xetile_reduce_over_group(g, v, minimum); t[3] = xetile_reduce_over_group(f, v, maximum); \
	t[4] = xetile_reduce_over_group(f, v, logical_and); t[5] = xetile_reduce_over_group(f, v, logical_or); \
	t[6] = xetile_exclusive_scan_over_group(g, v, plus); t[7] = xetile_inclusive_scan_over_group(g, v, plus); \
	t[8] = xetile_exclusive_scan_over_group(g, v, maximum); \
	t[9] = xetile_exclusive_scan_over_group_init(f, v, (T)3, multiplies); \
	t[10] = xetile_inclusive_scan_over_group_init(g, v, minimum, (T)2); \
	t[11] = xetile_reduce_over_group_init(g, v, (T)5, plus)
#define INTEGER(T) KERNEL void g_##T(__global const T *in, __global const int *p, __global T *o) { ARITHMETIC(T); \
	t[12] = xetile_reduce_over_group(g, v, bit_and); t[13] = xetile_reduce_over_group(g, v, bit_or); \
	t[14] = xetile_inclusive_scan_over_group(g, v, bit_xor); t[15] = xetile_exclusive_scan_over_group(f, v, bit_and); }
#define REAL(T) KERNEL void g_##T(__global const T *in, __global const int *p, __global T *o) { ARITHMETIC(T); \
	t[12] = t[13] = t[14] = t[15] = 0; }
INTEGER(char) INTEGER(uchar) INTEGER(short) INTEGER(ushort) INTEGER(int) INTEGER(uint) INTEGER(long) INTEGER(ulong)
REAL(float) REAL(double)
#ifdef cl_khr_fp16
REAL(half)
#endif
