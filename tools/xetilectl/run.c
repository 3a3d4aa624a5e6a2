// SPDX-License-Identifier: MIT
/*
 * xetilectl run: loads a compiled file, sets the arguments of a kernel, launches the kernel, shows
 * how long it took and the contents of its buffers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl.h"
#include "options.h"
#include "run.h"
#include "xyz.h"

static void usage(FILE *out)
{
	fputs("usage: xetilectl run [options] FILE [ARG...]\n\n"
	      "FILE is compiled by \"ocloc compile -device pvc\", or a .cl, for which run calls ocloc.\n\n"
	      "  --kernel NAME      kernel of the file (needed when the file has several)\n"
	      "  --groups X[,Y[,Z]] work-groups (default 1)\n"
	      "  --local X[,Y[,Z]]  work-items of a group (default 32)\n"
	      "  --offset X[,Y[,Z]] global offset\n"
	      "  --device SELECTOR  card[.tile[.cslice]] (default: the first one)\n"
	      "  --color COLOR      color of buffers that name no color: even, tile:N,\n"
	      "                     chunk:SIZE, follow, weighted:W,..., map:TILE*PAGES,...,\n"
	      "                     map:FILE, replicate\n"
	      "  --strict           refuse a buffer that cannot lie as its color says\n"
	      "  --rule RULE        partition: default or published\n"
	      "  --repeat N         launch the kernel N times, one after the other (default 1)\n"
	      "  --timeout SECONDS  stop the kernel after this time (default: the driver's\n"
	      "                     longest, an hour); exit status 3\n"
	      "  --options TEXT     options of the compiler, like \"-DN=4\"\n"
	      "  --info             show the file's kernels and their arguments, run no kernel\n"
	      "  --json             print one line of JSON\n\n"
	      "There is one ARG for each argument of the kernel, in order or as NAME=ARG:\n"
	      "  buf:SIZE[:in=FILE|:fill=TYPE,VALUE|:fill=TYPE,iota][:out=FILE]\n"
	      "          [:dump=TYPE,COUNT][:color=COLOR]     memory; color comes last\n"
	      "  TYPE:VALUE      a value: u8 i8 u16 i16 u32 i32 u64 i64 f32 f64\n"
	      "  hex:BYTES       a struct or vector: its bytes in memory order, two digits each\n"
	      "  slm:SIZE        shared local memory\n"
	      "  null            a null pointer\n"
	      "  NAME=NUMBER,... a value of the type that the kernel has\n"
	      "SIZE may end in k, m or g.\n", out);
}

/* --- command line ------------------------------------------------------------------ */

static int read_xyz(const struct option_line *line, const char *text)
{
	char name[16];

	snprintf(name, sizeof(name), "--%s", line->name);
	return xyz_parse_u32(name, text, line->value);
}

static int read_color(const struct option_line *line, const char *text)
{
	struct run *run = line->value;

	run->color_text = text;
	xetile_color_free(&run->color);
	return xetile_color_parse(text, &run->color) ? ctl_usage("%s", xetile_last_error()) : CTL_OK;
}

static int read_rule(const struct option_line *line, const char *text)
{
	struct xetile_launch_desc *launch = line->value;

	if (strcmp(text, "default") && strcmp(text, "published"))
		return ctl_usage("--rule '%s' is not default or published", text);
	launch->rule = *text == 'p' ? XETILE_PLAN_PUBLISHED : XETILE_PLAN_DEFAULT;
	return CTL_OK;
}

static int read_timeout(const struct option_line *line, const char *text)
{
	uint64_t seconds;

	if (xetile_size_parse(text, &seconds) || !seconds || seconds > 1000000)
		return ctl_usage("--timeout '%s' is no number of seconds", text);
	*(int *)line->value = seconds * 1000;
	return CTL_OK;
}

/* Returns whether the command goes on; else *@ret is its exit code. */
static bool parse(struct run *run, int argc, char **argv, int *ret)
{
	const struct option_line lines[] = {
		{ "kernel", 'k', OPTION_TEXT, &run->kernel_name },
		{ "groups", 'g', OPTION_READ, run->launch.groups, read_xyz },
		{ "local", 'l', OPTION_READ, run->launch.local, read_xyz },
		{ "offset", 0, OPTION_READ, run->launch.offset, read_xyz },
		{ "device", 'd', OPTION_DEVICE, &run->selector },
		{ "color", 'c', OPTION_READ, run, read_color, OPTIONS_COLORS },
		{ "strict", 0, OPTION_FLAG, &run->strict },
		{ "rule", 0, OPTION_READ, &run->launch, read_rule, OPTIONS_RULES },
		{ "repeat", 'n', OPTION_COUNT, &run->repeat },
		{ "timeout", 't', OPTION_READ, &run->timeout_ms, read_timeout },
		{ "options", 0, OPTION_TEXT, &run->options },
		{ "info", 0, OPTION_FLAG, &run->info },
		{ "json", 'j', OPTION_FLAG, &run->json },
		{ NULL },
	};
	const struct option_table table = { "run", lines, OPTIONS_ANY, usage, OPTION_FILE };

	if (!options_read(&table, argc, argv, ret))
		return false;
	if (optind == argc) {
		*ret = ctl_usage("run needs a file");
		return false;
	}
	run->file = argv[optind++];
	run->args = calloc(argc - optind + 1, sizeof(*run->args));
	if (!run->args) {
		fputs("xetilectl: out of memory\n", stderr);
		*ret = CTL_FAILED;
	}
	for (; optind < argc && !*ret; optind++)
		*ret = ctl_arg_parse(argv[optind], &run->args[run->num_args++]);
	return !*ret;
}

/* --- running ---------------------------------------------------------------------------- */

static int open_module(struct run *run)
{
	int ret = ctl_open(run->selector, &run->platform, &run->device);

	if (ret)
		return ret;
	if (xetile_context_create(run->device, &run->context))
		return ctl_failed("cannot open the card");
	if (run_is_source(run->file))
		return run_compile(run);
	if (xetile_module_load_file(run->context, run->file, &run->module))
		return ctl_failed(run->file);
	return CTL_OK;
}

/*
 * The driver's default time for a batch is short for a kernel that is being tried out: ask for
 * the time that the user is ready to wait.
 */
static int open_queue(struct run *run)
{
	struct xetile_queue_desc desc = { .flags = XETILE_QUEUE_TIMES };
	struct xetile_device_info info;

	if (xetile_device_get_info(run->device, &info))
		return ctl_failed("cannot describe the card");
	desc.timeout_ms = info.max_timeout_ms;
	if (run->timeout_ms > 0 && (uint64_t)run->timeout_ms < info.max_timeout_ms)
		desc.timeout_ms = run->timeout_ms;
	run->limit_ms = desc.timeout_ms;
	if (xetile_queue_create(run->context, run->device, &desc, &run->queue))
		return ctl_failed("cannot create a queue");
	return CTL_OK;
}

static int open_kernel(struct run *run)
{
	if (!run->kernel_name && xetile_module_num_kernels(run->module) != 1)
		return ctl_usage("%s has %u kernels: choose one with --kernel", run->file,
				 xetile_module_num_kernels(run->module));
	if (!run->kernel_name)
		run->kernel_name = xetile_module_kernel_name(run->module, 0);
	if (xetile_kernel_create(run->module, run->kernel_name, &run->kernel))
		return ctl_failed(run->file);
	return open_queue(run);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

static int launch(struct run *run, struct xetile_times *times)
{
	if (xetile_launch(run->queue, run->kernel, &run->launch, 0, NULL, &run->event))
		return ctl_failed("cannot launch");
	/*
	 * The driver knows when the kernel has had its time. A wait with a limit of its own would
	 * end before, now and then, and leave unsaid what happened.
	 */
	if (xetile_event_wait(run->event, -1))
		return run_report_failure(run);
	if (xetile_event_get_times(run->event, times))
		return ctl_failed(run->kernel_name);
	xetile_event_destroy(run->event);
	run->event = NULL;
	/* Standard output has nothing but JSON then. */
	if (run->print && xetile_kernel_print(run->kernel, run->json ? stderr : stdout))
		return ctl_failed(run->kernel_name);
	return CTL_OK;
}

static int launch_all(struct run *run)
{
	double start = now();
	unsigned int i;
	int ret = CTL_OK;

	run->times = calloc(run->repeat, sizeof(*run->times));
	if (!run->times) {
		fputs("xetilectl: out of memory\n", stderr);
		return CTL_FAILED;
	}
	for (i = 0; i < run->repeat && !ret; i++)
		ret = launch(run, &run->times[i]);
	run->seconds = now() - start;
	return ret;
}

static void finish(struct run *run)
{
	unsigned int i;

	xetile_event_destroy(run->event);
	xetile_queue_destroy(run->queue);
	for (i = 0; i < run->num_args; i++) {
		xetile_mem_free(run->args[i].mem);
		xetile_color_free(&run->args[i].color);
		if (run->args[i].out_fd >= 0)
			close(run->args[i].out_fd);
	}
	xetile_mem_free(run->print);
	xetile_kernel_destroy(run->kernel);
	xetile_module_unload(run->module);
	xetile_context_destroy(run->context);
	xetile_platform_close(run->platform);
	xetile_color_free(&run->color);
	free(run->args);
	free(run->times);
}

static int run_kernel(struct run *run)
{
	int ret = open_kernel(run);

	if (!ret)
		ret = run_set_args(run);
	if (!ret)
		ret = launch_all(run);
	return ret ? ret : run_report(run);
}

int ctl_run(int argc, char **argv)
{
	struct run run = {
		.timeout_ms = -1,
		.repeat = 1,
		.launch = { .groups = { 1, 1, 1 }, .local = { 32, 1, 1 } },
	};
	int ret;

	if (parse(&run, argc, argv, &ret)) {
		ret = open_module(&run);
		if (!ret && run.info)
			ret = run_show_kernels(&run);
		else if (!ret)
			ret = run_kernel(&run);
	}
	finish(&run);
	return ret;
}
