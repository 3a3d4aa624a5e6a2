// SPDX-License-Identifier: MIT
#include "conformance.h"
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
KERNEL void at32(__global int *p, __global int *o)
{
	size_t i = get_global_id(0); int v = (int)i;
	int r = atomic_add(&p[0], v); r += atomic_sub(&p[1], v); r += atomic_min(&p[2], -v); r += atomic_max(&p[3], v);
	r += atomic_and(&p[4], ~(1 << (v & 31))); r += atomic_or(&p[5], 1 << (v & 31)); r += atomic_xor(&p[6], v);
	r += atomic_inc(&p[7]); r += atomic_dec(&p[8]); r += atomic_xchg(&p[9], v); r += atomic_cmpxchg(&p[10], v, v + 1);
	r += (int)atomic_min((__global uint *)&p[11], (uint)v); r += (int)atomic_max((__global uint *)&p[12], (uint)v);
	o[i] = r;
}
KERNEL void at64(__global long *p, __global long *o)
{
	size_t i = get_global_id(0); long v = (long)i << 30;
	o[i] = atom_add(&p[0], v) ^ atom_max(&p[1], v) ^ atom_cmpxchg(&p[2], 0L, v) ^ atom_xor(&p[3], v) ^ atom_xchg(&p[4], v);
}
KERNEL void at_slm(__global int *o)
{
	__local int s[8]; uint l = get_local_id(0);
	if (l < 8) s[l] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(&s[0], (int)l); atomic_max(&s[1], (int)l); atomic_or(&s[2], 1 << (l & 31)); atomic_inc(&s[3]); int r = atomic_xchg(&s[4], (int)l); atomic_cmpxchg(&s[5], 0, 77);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l < 8) o[get_group_id(0) * 8 + l] = s[l];
	(void)r;
}
