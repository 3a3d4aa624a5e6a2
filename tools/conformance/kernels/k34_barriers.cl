// SPDX-License-Identifier: MIT
#include "conformance.h"
#pragma OPENCL EXTENSION cl_intel_split_work_group_barrier : enable
KERNEL void split_bar(__global const int *in, __global int *out)
{
	__local int t[256]; uint l = get_local_id(0), n = get_local_size(0);
	t[l] = in[get_global_id(0)];
	intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE);
	int x = l * 3;
	intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = t[(l + 1) % n] + x;
}
KERNEL void fences(__global int *a, __global int *flag)
{
	size_t i = get_global_id(0);
	a[i] = (int)i;
	mem_fence(CLK_GLOBAL_MEM_FENCE);
	atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
	atomic_store_explicit((__global atomic_int *)flag, 1, memory_order_release, memory_scope_all_svm_devices);
	barrier(CLK_GLOBAL_MEM_FENCE);
	sub_group_barrier(CLK_LOCAL_MEM_FENCE);
	a[i] += atomic_load_explicit((__global atomic_int *)flag, memory_order_acquire, memory_scope_device);
}
