// SPDX-License-Identifier: MIT
/*
 * The oracle: runs the kernels with "pocl" in their manifest line by a CPU OpenCL and
 * writes the contents of their buffers. tools/conformance/run starts this program.
 *
 * usage: conformance-oracle MANIFEST OUT SIMD [FILE...]
 *
 * SIMD is the number of work-items in a sub-group, where the source does not fix it. With
 * FILEs only the kernels of these files run.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data.h"
#include "results.h"

struct oracle {
	const char *folder;
	unsigned int simd;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	char file[96];			/* the source of @program */
	cl_program program;		/* NULL: it could not be built */
	char why[256];
};

static void fail(struct cts_result *r, const char *what, cl_int err)
{
	snprintf(r->status, sizeof(r->status), "failed");
	snprintf(r->text, sizeof(r->text), "%s: error %d", what, err);
}

static char *read_source(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (f && getdelim(&text, &size, 0, f) < 0) {
		free(text);
		text = NULL;
	}
	if (f)
		fclose(f);
	return text;
}

/* Keep the first line of the build log with an error, else its first line. */
static void keep_log(struct oracle *o)
{
	static char log[1 << 16];
	const char *line;

	if (clGetProgramBuildInfo(o->program, o->device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1,
				  log, NULL))
		return;
	line = strstr(log, "error");
	while (line && line > log && line[-1] != '\n')
		line--;
	if (!line)
		line = log;
	snprintf(o->why, sizeof(o->why), "%.*s", (int)strcspn(line, "\n"), line);
}

static void build(struct oracle *o, const char *file)
{
	char path[512], dir[512], options[1200];
	const char *text;
	char *source;
	cl_int err;

	if (o->program)
		clReleaseProgram(o->program);
	o->program = NULL;
	snprintf(o->file, sizeof(o->file), "%s", file);
	snprintf(path, sizeof(path), "%s/%s", o->folder, file);
	snprintf(dir, sizeof(dir), "%s", path);
	source = read_source(path);
	if (!source) {
		snprintf(o->why, sizeof(o->why), "cannot read the source");
		return;
	}
	text = source;
	o->program = clCreateProgramWithSource(o->context, 1, &text, NULL, &err);
	free(source);
	if (!o->program) {
		snprintf(o->why, sizeof(o->why), "clCreateProgramWithSource: error %d", err);
		return;
	}
	snprintf(options, sizeof(options), "-cl-std=CL3.0 -DSG=%u -I%s -I%s/include", o->simd,
		 dirname(dir), o->folder);
	err = clBuildProgram(o->program, 1, &o->device, options, NULL, NULL);
	if (err) {
		snprintf(o->why, sizeof(o->why), "clBuildProgram: error %d", err);
		keep_log(o);
		clReleaseProgram(o->program);
		o->program = NULL;
	}
}

/* Kernels print to standard output, which main() has redirected to @printed. */
static void keep_print(FILE *printed, struct cts_result *r)
{
	long size;

	fflush(stdout);
	fseek(printed, 0, SEEK_END);
	size = ftell(printed);
	if (size <= 0)
		return;
	r->data = realloc(r->data, r->bytes + size);
	if (!r->data)
		abort();
	rewind(printed);
	r->bytes += fread(r->data + r->bytes, 1, size, printed);
	if (ftruncate(fileno(printed), 0))
		abort();
	rewind(printed);
}

static cl_int set_arg(struct oracle *o, cl_kernel kernel, const struct cts_kernel *k,
		      unsigned int i, cl_mem *mem)
{
	const struct cts_arg *a = &k->args[i];
	size_t size = cts_arg_bytes(a) + CTS_ROOM;
	uint8_t *data;
	cl_int err;

	switch (a->kind) {
	case CTS_LOCAL:
		return clSetKernelArg(kernel, i, a->count, NULL);
	case CTS_VALUE:
		return clSetKernelArg(kernel, i, a->value_size, a->value);
	default:
		data = calloc(1, size);
		if (!data)
			return CL_OUT_OF_HOST_MEMORY;
		cts_data_fill(k, i, data);
		*mem = clCreateBuffer(o->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
				      size, data, &err);
		free(data);
		return err ? err : clSetKernelArg(kernel, i, sizeof(*mem), mem);
	}
}

static void run(struct oracle *o, const struct cts_kernel *k, struct cts_result *r)
{
	size_t global[3] = { k->global[0], k->global[1], k->global[2] };
	size_t local[3] = { k->local[0], k->local[1], k->local[2] };
	cl_mem mem[CTS_MAX_ARGS] = { NULL };
	size_t at = 0, bytes;
	cl_kernel kernel;
	unsigned int i;
	cl_int err;

	kernel = clCreateKernel(o->program, k->name, &err);
	if (!kernel)
		return fail(r, "clCreateKernel", err);
	for (i = 0; i < k->num_args && !err; i++)
		err = set_arg(o, kernel, k, i, &mem[i]);
	if (err) {
		fail(r, "arguments", err);
	} else {
		err = clEnqueueNDRangeKernel(o->queue, kernel, k->dims, NULL, global, local, 0,
					     NULL, NULL);
		if (!err)
			err = clFinish(o->queue);
		if (err)
			fail(r, "clEnqueueNDRangeKernel", err);
	}
	for (i = 0; i < k->num_args && !err; i++) {
		bytes = cts_arg_bytes(&k->args[i]);
		if (!bytes)
			continue;
		err = clEnqueueReadBuffer(o->queue, mem[i], CL_TRUE, 0, bytes, r->data + at, 0,
					  NULL, NULL);
		if (err)
			fail(r, "clEnqueueReadBuffer", err);
		at += bytes;
	}
	if (!err) {
		strcpy(r->status, "ok");
		r->bytes = at;
	}
	for (i = 0; i < k->num_args; i++) {
		if (mem[i])
			clReleaseMemObject(mem[i]);
	}
	clReleaseKernel(kernel);
}

static int open_device(struct oracle *o)
{
	cl_platform_id platform;
	cl_int err;

	err = clGetPlatformIDs(1, &platform, NULL);
	if (!err)
		err = clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &o->device, NULL);
	if (!err)
		o->context = clCreateContext(NULL, 1, &o->device, NULL, NULL, &err);
	if (!err)
		o->queue = clCreateCommandQueueWithProperties(o->context, o->device, NULL, &err);
	if (err)
		fprintf(stderr, "no CPU OpenCL: error %d\n", err);
	return err;
}

static int wanted(const char *file, int num, char **files)
{
	int i;

	for (i = 0; i < num && strcmp(files[i], file); i++)
		;
	return !num || i < num;
}

int main(int argc, char **argv)
{
	struct oracle o = { 0 };
	struct cts_manifest m;
	unsigned int i;
	char why[256], *folder;
	FILE *out, *printed;

	if (argc < 4) {
		fprintf(stderr, "usage: conformance-oracle MANIFEST OUT SIMD [FILE...]\n");
		return 2;
	}
	if (cts_manifest_read(argv[1], &m, why, sizeof(why))) {
		fprintf(stderr, "%s: %s\n", argv[1], why);
		return 2;
	}
	folder = strdup(argv[1]);
	o.folder = folder ? dirname(folder) : ".";
	o.simd = atoi(argv[3]);
	if (open_device(&o))
		return 2;
	out = fopen(argv[2], "w");
	printed = tmpfile();
	if (!out || !printed || dup2(fileno(printed), STDOUT_FILENO) < 0) {
		perror(argv[2]);
		return 2;
	}
	for (i = 0; i < m.num; i++) {
		const struct cts_kernel *k = &m.kernels[i];
		struct cts_result r = { .config = "pocl", .status = "failed", .simd = o.simd };

		if (k->oracle != CTS_POCL || !wanted(k->file, argc - 4, argv + 4))
			continue;
		strcpy(r.file, k->file);
		strcpy(r.kernel, k->name);
		if (strcmp(o.file, k->file))
			build(&o, k->file);
		r.data = malloc(cts_kernel_bytes(k) + 1);
		if (!r.data)
			return 2;
		if (o.program) {
			run(&o, k, &r);
			keep_print(printed, &r);
		} else {
			snprintf(r.text, sizeof(r.text), "%s", o.why);
		}
		cts_result_write(out, &r);
		free(r.data);
	}
	if (fclose(out)) {
		perror(argv[2]);
		return 2;
	}
	cts_manifest_free(&m);
	free(folder);
	return 0;
}
