// SPDX-License-Identifier: MIT
/*
 * Kernels that call functions by pointers. OpenCL C has none, but clang does with an extension, and
 * ocloc compiles its SPIR-V. pointers_22_43.bin is made of this file with clang and llvm-spirv 14 and
 * ocloc 22.43, all of Debian 12:
 *
 *	clang-14 -cc1 -triple spir64-unknown-unknown -x cl -cl-std=CL2.0 -finclude-default-header \
 *		-cl-ext=+__cl_clang_function_pointers -O1 -emit-llvm-bc -o pointers.bc pointers.cl
 *	llvm-spirv-14 --spirv-ext=+all -o pointers.spv pointers.bc
 *	ocloc compile -file pointers.spv -spirv_input -device pvc --format zebin -output_no_suffix \
 *		-options -cl-intel-greater-than-4GB-buffer-required -output pointers_22_43.bin
 */
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable

typedef uint (*operation)(uint a, uint b);

__attribute__((noinline)) uint op_add(uint a, uint b)
{
	return a + b;
}

__attribute__((noinline)) uint op_multiply(uint a, uint b)
{
	return a * b;
}

/* A function that needs memory of its own, and calls another one */
__attribute__((noinline)) uint op_sum(uint a, uint b)
{
	uint own[40], sum = 0, i;

	for (i = 0; i < 40; i++)
		own[(i * 7 + a) % 40] = op_multiply(i, b);
	for (i = 0; i < 40; i++)
		sum += own[i] * (i + 1);
	return sum;
}

/* The program that launches the kernel has the pointer. */
__kernel void apply(__global uint *out, ulong function)
{
	uint i = get_global_id(0);

	out[i] = ((operation)function)(i, 3);
}

/* The kernel has it. */
__kernel void choose(__global uint *out, uint which)
{
	operation op = which == 2 ? op_sum : which ? op_multiply : op_add;
	uint i = get_global_id(0);

	out[i] = op(i, 3);
}

/* Work-items of a thread call different functions. */
__kernel void each(__global uint *out, __global const ulong *functions, uint num)
{
	uint i = get_global_id(0);

	out[i] = ((operation)functions[i % num])(i, 3);
}
