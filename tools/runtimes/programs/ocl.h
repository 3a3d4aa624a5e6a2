/* SPDX-License-Identifier: MIT */
/*
 * What the programs of OpenCL have in common: a device with a queue, a kernel and three buffers.
 */
#ifndef OCL_H
#define OCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <time.h>

#include "check.h"

/* c = a + b, by words; programs that have the same source find it compiled in the cache. */
#define VADD_SOURCE								\
	"kernel void vadd(global const uint *a, global const uint *b, global uint *c)\n"	\
	"{\n"									\
	"	size_t i = get_global_id(0);\n"					\
	"	c[i] = a[i] + b[i];\n"						\
	"}\n"

struct run {
	cl_context context;
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem a, b, c;
	uint32_t words, *host;
};

static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/* Finds the GPUs of the platform, at most @max. */
static inline cl_uint find_devices(cl_device_id *devices, cl_uint max)
{
	cl_platform_id platform;
	cl_uint num;

	TRY(clGetPlatformIDs(1, &platform, NULL));
	TRY(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, max, devices, &num));
	return num < max ? num : max;
}

static inline cl_kernel build(cl_context context, cl_device_id device, const char *source,
			      const char *name)
{
	double begin = now();
	cl_program program;
	cl_kernel kernel;
	cl_int err;

	program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	TRY(err);
	TRY(clBuildProgram(program, 1, &device, "", NULL, NULL));
	kernel = clCreateKernel(program, name, &err);
	TRY(err);
	printf("compiled in %.2f s\n", now() - begin);
	TRY(clReleaseProgram(program));
	return kernel;
}

static inline cl_mem buffer(const struct run *run, cl_mem_flags flags)
{
	cl_int err;
	cl_mem mem = clCreateBuffer(run->context, flags, run->words * 4ul, NULL, &err);

	TRY(err);
	return mem;
}

/* Makes all of @run for buffers of @words; the kernel takes the three buffers. */
static inline void setup(struct run *run, cl_device_id device, uint32_t words)
{
	cl_int err;

	run->words = words;
	run->host = malloc(words * 4ul);
	run->context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	TRY(err);
	run->queue = clCreateCommandQueue(run->context, device, 0, &err);
	TRY(err);
	run->kernel = build(run->context, device, VADD_SOURCE, "vadd");
	run->a = buffer(run, CL_MEM_READ_ONLY);
	run->b = buffer(run, CL_MEM_READ_ONLY);
	run->c = buffer(run, CL_MEM_WRITE_ONLY);
	TRY(clSetKernelArg(run->kernel, 0, sizeof(run->a), &run->a));
	TRY(clSetKernelArg(run->kernel, 1, sizeof(run->b), &run->b));
	TRY(clSetKernelArg(run->kernel, 2, sizeof(run->c), &run->c));
}

static inline void cleanup(struct run *run)
{
	TRY(clReleaseMemObject(run->a));
	TRY(clReleaseMemObject(run->b));
	TRY(clReleaseMemObject(run->c));
	TRY(clReleaseKernel(run->kernel));
	TRY(clReleaseCommandQueue(run->queue));
	TRY(clReleaseContext(run->context));
	free(run->host);
}

/* Fills a buffer with the words of array @which in @round. */
static inline void send(struct run *run, cl_mem to, uint32_t which, uint32_t round)
{
	for (uint32_t i = 0; i < run->words; i++)
		run->host[i] = word(which, round, i);
	TRY(clEnqueueWriteBuffer(run->queue, to, CL_TRUE, 0, run->words * 4ul, run->host, 0, NULL,
				 NULL));
}

/* Adds one after the other, and returns the event of the last kernel if @event. */
static inline void add(struct run *run, cl_event *event)
{
	const size_t size = run->words;

	TRY(clEnqueueNDRangeKernel(run->queue, run->kernel, 1, NULL, &size, NULL, 0, NULL, event));
}

/* Reads the sums back. Returns whether all words are those of @round. */
static inline bool sums_right(struct run *run, uint32_t round)
{
	for (uint32_t i = 0; i < run->words; i++)
		run->host[i] = 0xa5a5a5a5;
	TRY(clEnqueueReadBuffer(run->queue, run->c, CL_TRUE, 0, run->words * 4ul, run->host, 0,
				NULL, NULL));
	for (uint32_t i = 0; i < run->words; i++)
		if (differs("vadd", round, i, run->host[i],
			    word(1, round, i) + word(2, round, i)))
			return false;
	return true;
}

#endif
