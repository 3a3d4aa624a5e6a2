// SPDX-License-Identifier: MIT
/*
 * usage: hang
 *
 * Runs a kernel by OpenCL that does not end, and waits for it. Succeeds if the runtime says that
 * the work is lost.
 */
#include "ocl.h"

static const char *source =
	"kernel void hang(global volatile uint *flag)\n"
	"{\n"
	"	while (flag[0] == 0)\n"
	"		;\n"
	"}\n";

int main(void)
{
	const uint32_t zero = 0;
	const size_t size = 32;
	struct run run = { .words = 1 << 14 };
	cl_device_id device;
	cl_int err;

	if (!find_devices(&device, 1))
		return 2;
	run.context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	TRY(err);
	run.queue = clCreateCommandQueue(run.context, device, 0, &err);
	TRY(err);
	run.kernel = build(run.context, device, source, "hang");
	run.a = buffer(&run, CL_MEM_READ_WRITE);
	TRY(clEnqueueWriteBuffer(run.queue, run.a, CL_TRUE, 0, sizeof(zero), &zero, 0, NULL, NULL));
	TRY(clSetKernelArg(run.kernel, 0, sizeof(run.a), &run.a));
	TRY(clEnqueueNDRangeKernel(run.queue, run.kernel, 1, NULL, &size, &size, 0, NULL, NULL));
	err = clFinish(run.queue);
	printf("hang: %s (%d)\n", err ? "the work is lost" : "a kernel without an end has ended",
	       err);
	fflush(stdout);
	/* What a runtime whose device is lost does at the end of a process is its own matter. */
	_exit(err ? 0 : 1);
}
