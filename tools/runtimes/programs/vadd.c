// SPDX-License-Identifier: MIT
/*
 * usage: vadd [ROUNDS [WORDS]]
 *
 * Adds vectors by OpenCL on the first GPU of each device of the platform, from and to buffers of
 * the card, and compares each word with the CPU's.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <string.h>
#include <time.h>

#include "check.h"

static const char *source =
	"kernel void vadd(global const uint *a, global const uint *b, global uint *c)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	c[i] = a[i] + b[i];\n"
	"}\n";

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

struct run {
	cl_context context;
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem a, b, c;
	uint32_t words, *host;
};

static cl_kernel build(cl_context context, cl_device_id device)
{
	double begin = now();
	cl_program program;
	cl_kernel kernel;
	cl_int err;

	program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	TRY(err);
	TRY(clBuildProgram(program, 1, &device, "", NULL, NULL));
	kernel = clCreateKernel(program, "vadd", &err);
	TRY(err);
	printf("compiled in %.2f s\n", now() - begin);
	TRY(clReleaseProgram(program));
	return kernel;
}

static cl_mem buffer(const struct run *run, cl_mem_flags flags)
{
	cl_int err;
	cl_mem mem = clCreateBuffer(run->context, flags, run->words * 4ul, NULL, &err);

	TRY(err);
	return mem;
}

static void setup(struct run *run, cl_device_id device, uint32_t words)
{
	cl_int err;

	run->words = words;
	run->host = malloc(words * 4ul);
	run->context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	TRY(err);
	run->queue = clCreateCommandQueue(run->context, device, 0, &err);
	TRY(err);
	run->kernel = build(run->context, device);
	run->a = buffer(run, CL_MEM_READ_ONLY);
	run->b = buffer(run, CL_MEM_READ_ONLY);
	run->c = buffer(run, CL_MEM_WRITE_ONLY);
	TRY(clSetKernelArg(run->kernel, 0, sizeof(run->a), &run->a));
	TRY(clSetKernelArg(run->kernel, 1, sizeof(run->b), &run->b));
	TRY(clSetKernelArg(run->kernel, 2, sizeof(run->c), &run->c));
}

static void send(struct run *run, cl_mem to, uint32_t which, uint32_t round)
{
	for (uint32_t i = 0; i < run->words; i++)
		run->host[i] = word(which, round, i);
	TRY(clEnqueueWriteBuffer(run->queue, to, CL_TRUE, 0, run->words * 4ul, run->host, 0, NULL,
				 NULL));
}

/* Returns whether all words are right. */
static bool add(struct run *run, uint32_t round)
{
	const size_t size = run->words;

	send(run, run->a, 1, round);
	send(run, run->b, 2, round);
	TRY(clEnqueueNDRangeKernel(run->queue, run->kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
	memset(run->host, 0xa5, size * 4);
	TRY(clEnqueueReadBuffer(run->queue, run->c, CL_TRUE, 0, size * 4, run->host, 0, NULL,
				NULL));
	for (uint32_t i = 0; i < run->words; i++)
		if (differs("vadd", round, i, run->host[i],
			    word(1, round, i) + word(2, round, i)))
			return false;
	return true;
}

static void cleanup(struct run *run)
{
	TRY(clReleaseMemObject(run->a));
	TRY(clReleaseMemObject(run->b));
	TRY(clReleaseMemObject(run->c));
	TRY(clReleaseKernel(run->kernel));
	TRY(clReleaseCommandQueue(run->queue));
	TRY(clReleaseContext(run->context));
	free(run->host);
}

int main(int argc, char **argv)
{
	uint32_t rounds = argc > 1 ? atoi(argv[1]) : 3;
	uint32_t words = argc > 2 ? atoi(argv[2]) : 1 << 16;
	cl_device_id devices[8];
	cl_platform_id platform;
	unsigned int good = 0;
	char name[128];
	cl_uint num;

	TRY(clGetPlatformIDs(1, &platform, NULL));
	TRY(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 8, devices, &num));
	for (cl_uint d = 0; d < num; d++) {
		struct run run;

		TRY(clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof(name), name, NULL));
		setup(&run, devices[d], words);
		for (uint32_t round = 0; round < rounds; round++)
			good += add(&run, round);
		cleanup(&run);
		printf("device %u: %s\n", d, name);
	}
	printf("vadd: %u of %u rounds right\n", good, num * rounds);
	return good == num * rounds && good ? 0 : 1;
}
