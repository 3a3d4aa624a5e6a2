/* SPDX-License-Identifier: MIT */
/*
 * One run of a kernel, between the files that do its parts.
 */
#ifndef _XETILECTL_RUN_H_
#define _XETILECTL_RUN_H_

#include <stdbool.h>
#include <xetile.h>

#include "arg.h"

struct run {
	/* The command line */
	const char *selector, *kernel_name, *file, *options;
	struct xetile_mem_desc color;
	const char *color_text;		/* NULL: the default */
	struct xetile_launch_desc launch;
	unsigned int repeat;
	int timeout_ms;
	bool json, info, strict;
	unsigned int num_args;
	struct ctl_arg *args;		/* set_args() puts them into the order of the parameters */
	/* What it has open */
	struct xetile_platform *platform;
	struct xetile_device *device;
	struct xetile_context *context;
	struct xetile_module *module;
	struct xetile_kernel *kernel;
	struct xetile_queue *queue;
	struct xetile_event *event;
	struct xetile_mem *print;	/* memory for the kernel's output */
	uint64_t limit_ms;		/* the driver stops the kernel then */
	double seconds;			/* of all launches, waits included */
	struct xetile_times *times;	/* one for each launch */
};

/* run_args.c: give the kernel its arguments. Returns CTL_OK, or another exit code after a message. */
int run_set_args(struct run *run);

/* run_kernels.c: show the kernels of the file, or the one that is asked for. Returns the exit code. */
int run_show_kernels(struct run *run);
/* The parameters of a kernel, as a list on standard error */
void run_list_args(const struct xetile_kernel *kernel);

/* run_report.c: say what the kernel has done. Returns the exit code, as the next. */
int run_report(struct run *run);
/* Say why the kernel did not end well. */
int run_report_failure(struct run *run);

/* run_times.c: how long the kernel took, as text or as members of a JSON object */
void run_print_times(const struct run *run);

/* run_compile.c: whether a file is source code, by its name */
bool run_is_source(const char *path);
/*
 * Compile a file of source code, and load it. Returns CTL_OK, or CTL_FAILED after a message.
 */
int run_compile(struct run *run);

#endif
