// SPDX-License-Identifier: MIT
/*
 * xetilectl run: loads a compiled file, sets the arguments of a kernel, launches the kernel once
 * and shows the contents of its buffers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arg.h"
#include "ctl.h"
#include "options.h"

struct run {
	const char *selector;
	const char *kernel_name;
	const char *file;
	struct xetile_mem_desc color;
	struct xetile_launch_desc launch;
	int timeout_ms;
	bool json, info;
	unsigned int num_args;
	struct ctl_arg *args;
	struct xetile_platform *platform;
	struct xetile_device *device;
	struct xetile_context *context;
	struct xetile_module *module;
	struct xetile_kernel *kernel;
	struct xetile_queue *queue;
	struct xetile_event *event;
	struct xetile_mem *print;	/* memory for the kernel's output */
	double seconds;
};

static void usage(FILE *out)
{
	fputs("usage: xetilectl run [options] FILE.bin [ARG...] [options]\n\n"
	      "  --kernel NAME      kernel of the file (needed when the file has several)\n"
	      "  --groups X[,Y[,Z]] work-groups (default 1)\n"
	      "  --local X[,Y[,Z]]  work-items of a group (default 32)\n"
	      "  --offset X[,Y[,Z]] global offset\n"
	      "  --device SELECTOR  card[.tile[.cslice]] (default: the first one)\n"
	      "  --color COLOR      color of buffers that name no color: even, tile:N,\n"
	      "                     chunk:SIZE, follow, weighted:W,..., map:TILE*PAGES,...,\n"
	      "                     map:FILE, replicate\n"
	      "  --rule RULE        partition: default or published\n"
	      "  --timeout SECONDS  stop the kernel after this time (default: the driver's\n"
	      "                     longest, an hour)\n"
	      "  --info             show the file's kernels and their arguments, run no kernel\n"
	      "  --json             print one line of JSON\n\n"
	      "There is one ARG for each argument of the kernel, in order:\n"
	      "  buf:SIZE[:in=FILE|:fill=TYPE,VALUE|:fill=TYPE,iota][:out=FILE]\n"
	      "          [:dump=TYPE,COUNT][:color=COLOR]     memory; color comes last\n"
	      "  TYPE:VALUE      a value: u8 i8 u16 i16 u32 i32 u64 i64 f32 f64\n"
	      "  hex:BYTES       a struct or vector: its bytes in memory order, two digits each\n"
	      "  slm:SIZE        shared local memory\n"
	      "  null            a null pointer\n"
	      "SIZE may end in k, m or g.\n", out);
}

/* --- command line ------------------------------------------------------------------ */

static int parse_xyz(const char *name, const char *text, uint32_t v[3])
{
	char copy[64], *p = copy, *comma;
	uint64_t value;
	int i;

	if (strlen(text) >= sizeof(copy))
		return ctl_usage("--%s '%s' is too long", name, text);
	strcpy(copy, text);
	for (i = 0; i < 3 && p; i++, p = comma) {
		comma = strchr(p, ',');
		if (comma)
			*comma++ = 0;
		if (xetile_size_parse(p, &value) || value > UINT32_MAX)
			return ctl_usage("--%s '%s' is not X[,Y[,Z]]", name, text);
		v[i] = value;
	}
	return p ? ctl_usage("--%s '%s' has more than three numbers", name, text) : 0;
}

static int read_xyz(const struct option_line *line, const char *text)
{
	return parse_xyz(line->name, text, line->value);
}

static int read_color(const struct option_line *line, const char *text)
{
	struct xetile_mem_desc *color = line->value;

	xetile_color_free(color);
	return xetile_color_parse(text, color) ? ctl_usage("%s", xetile_last_error()) : CTL_OK;
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

	if (xetile_size_parse(text, &seconds) || seconds > 1000000)
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
		{ "device", 'd', OPTION_TEXT, &run->selector },
		{ "color", 'c', OPTION_READ, &run->color, read_color },
		{ "rule", 0, OPTION_READ, &run->launch, read_rule },
		{ "timeout", 't', OPTION_READ, &run->timeout_ms, read_timeout },
		{ "info", 0, OPTION_FLAG, &run->info },
		{ "json", 'j', OPTION_FLAG, &run->json },
		{ NULL },
	};
	const struct option_table table = { "run", lines, OPTIONS_ANY, usage };

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

/* --- showing kernels ------------------------------------------------------------------- */

static const char *arg_text(enum xetile_arg_kind kind)
{
	switch (kind) {
	case XETILE_ARG_VALUE:
		return "value";
	case XETILE_ARG_POINTER:
		return "pointer";
	case XETILE_ARG_LOCAL:
		return "local";
	default:
		return "unused";
	}
}

static void show_kernel(struct run *run, const char *name)
{
	struct xetile_kernel_info info;
	struct xetile_kernel *kernel;
	unsigned int i;
	size_t size;

	if (xetile_kernel_create(run->module, name, &kernel)) {
		if (run->json) {
			printf("{\"name\":");
			ctl_json_string(name);
			printf(",\"refused\":");
			ctl_json_string(xetile_last_error());
			printf("}");
		} else {
			printf("%s: %s\n", name, xetile_last_error());
		}
		return;
	}
	xetile_kernel_get_info(kernel, &info);
	if (run->json) {
		printf("{\"name\":");
		ctl_json_string(name);
		printf(",\"simd\":%u,\"grf_count\":%u,\"slm_size\":%u,\"barriers\":%u,\"text_size\":%llu,"
		       "\"args\":[", info.simd, info.grf_count, info.slm_size, info.barriers,
		       (unsigned long long)info.text_size);
	} else {
		printf("%s: SIMD%u, %u registers, %u bytes of local memory, %u barriers, %llu bytes of code\n",
		       name, info.simd, info.grf_count, info.slm_size, info.barriers,
		       (unsigned long long)info.text_size);
		if (info.required_local[0])
			printf("  work-groups of %u,%u,%u\n", info.required_local[0],
			       info.required_local[1], info.required_local[2]);
	}
	for (i = 0; i < info.num_args; i++) {
		int kind = xetile_kernel_arg(kernel, i, &size);

		if (run->json)
			printf("%s{\"kind\":\"%s\",\"size\":%zu}", i ? "," : "", arg_text(kind), size);
		else
			printf("  argument %u: %s, %zu bytes\n", i, arg_text(kind), size);
	}
	if (run->json)
		printf("]}");
	xetile_kernel_destroy(kernel);
}

static void show_module(struct run *run)
{
	unsigned int i, num = xetile_module_num_kernels(run->module);

	if (run->json)
		printf("{\"kernels\":[");
	for (i = 0; i < num; i++) {
		if (run->json && i)
			putchar(',');
		show_kernel(run, xetile_module_kernel_name(run->module, i));
	}
	if (run->json)
		printf("]}\n");
}

/* --- running ---------------------------------------------------------------------------- */

static int open_module(struct run *run)
{
	int ret = ctl_open(run->selector, &run->platform, &run->device);

	if (ret)
		return ret;
	if (xetile_context_create(run->device, &run->context))
		return ctl_failed("cannot open the card");
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
	struct xetile_queue_desc desc = { 0 };
	struct xetile_device_info info;

	if (xetile_device_get_info(run->device, &info))
		return ctl_failed("cannot describe the card");
	desc.timeout_ms = info.max_timeout_ms;
	if (run->timeout_ms > 0 && (uint64_t)run->timeout_ms < info.max_timeout_ms)
		desc.timeout_ms = run->timeout_ms;
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

static int set_buffer(struct run *run, unsigned int index, struct ctl_arg *arg)
{
	struct xetile_mem_desc desc = arg->color.color ? arg->color : run->color;

	desc.size = arg->size;
	if (xetile_mem_alloc(run->context, run->device, &desc, &arg->mem) ||
	    xetile_mem_map(arg->mem, &arg->map) ||
	    xetile_kernel_set_mem(run->kernel, index, arg->mem, 0))
		return ctl_failed("buffer");
	return ctl_arg_fill(arg);
}

static int set_args(struct run *run)
{
	const struct xetile_mem_desc print = { .size = XETILE_PRINTF_SIZE };
	struct xetile_kernel_info info;
	unsigned int i;
	int ret = CTL_OK, err = 0;

	xetile_kernel_get_info(run->kernel, &info);
	if (run->num_args < info.num_args)
		return ctl_usage("kernel %s has %u arguments, not %u", info.name, info.num_args,
				 run->num_args);
	for (i = 0; i < run->num_args && !ret && !err; i++) {
		struct ctl_arg *arg = &run->args[i];

		/* The file does not tell of unused parameters at the end: ignore their ARGs. */
		if (i >= info.num_args)
			continue;
		switch (arg->kind) {
		case CTL_ARG_BUFFER:
			ret = set_buffer(run, i, arg);
			break;
		case CTL_ARG_VALUE:
			err = xetile_kernel_set_value(run->kernel, i, arg->value, arg->value_size);
			break;
		case CTL_ARG_SLM:
			err = xetile_kernel_set_local(run->kernel, i, arg->size);
			break;
		case CTL_ARG_NULL:
			err = xetile_kernel_set_mem(run->kernel, i, NULL, 0);
			break;
		}
	}
	if (!err && !ret && info.prints)
		err = xetile_mem_alloc(run->context, run->device, &print, &run->print) ||
		      xetile_kernel_set_printf(run->kernel, run->print);
	return err ? ctl_failed("argument") : ret;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

/* Print the reason of a ban: the driver knows more than the error of a fence tells. */
static void print_ban(struct run *run)
{
	static const char * const reasons[] = {
		[XETILE_BAN_TIMEOUT] = "the batch did not end in time",
		[XETILE_BAN_PREEMPT] = "the batch did not leave its engine in time",
		[XETILE_BAN_ERROR] = "the engine reported an error",
		[XETILE_BAN_FAULT] = "the batch used an address that is not mapped for this access",
	};
	struct xetile_queue_info info;
	const struct xetile_queue_ban *ban = &info.ban;

	if (xetile_queue_get_info(run->queue, &info) || !info.banned ||
	    ban->reason >= sizeof(reasons) / sizeof(reasons[0]) || !reasons[ban->reason])
		return;
	fprintf(stderr, "xetilectl: tile %u %s%u: %s", ban->tile,
		ban->engine_class == XETILE_COPY ? "BCS" : "CCS", ban->instance,
		reasons[ban->reason]);
	if (ban->reason == XETILE_BAN_FAULT)
		fprintf(stderr, ": 0x%" PRIx64 ", %s", ban->fault_addr,
			ban->fault_write ? "write" : "read");
	fputc('\n', stderr);
}

static int launch(struct run *run)
{
	double start = now();

	if (xetile_launch(run->queue, run->kernel, &run->launch, 0, NULL, &run->event))
		return ctl_failed("cannot launch");
	if (xetile_event_wait(run->event, run->timeout_ms)) {
		int ret = ctl_failed(run->kernel_name);

		print_ban(run);
		return ret;
	}
	run->seconds = now() - start;
	/* Standard output has nothing but JSON then. */
	if (run->print && xetile_kernel_print(run->kernel, run->json ? stderr : stdout))
		return ctl_failed(run->kernel_name);
	return CTL_OK;
}

static void print_queue(const struct xetile_queue_info *info, bool json)
{
	unsigned int i;

	for (i = 0; i < info->num_members; i++)
		printf(json ? "%s{\"tile\":%u,\"instance\":%d,\"cslice_mask\":%u}" :
		       "%stile %u CCS%d (cslices 0x%x)", i ? json ? "," : ", " : "",
		       info->members[i].tile, info->members[i].instance,
		       info->members[i].cslice_mask);
}

static int report(struct run *run)
{
	struct xetile_queue_info info;
	unsigned int i;
	char selector[32];
	bool first = true;
	int ret = CTL_OK;

	xetile_device_selector(run->device, selector, sizeof(selector));
	if (xetile_queue_get_info(run->queue, &info))
		return ctl_failed("queue");
	if (run->json) {
		printf("{\"kernel\":");
		ctl_json_string(run->kernel_name);
		printf(",\"device\":");
		ctl_json_string(selector);
		printf(",\"seconds\":%.6f,\"members\":[", run->seconds);
	} else {
		printf("%s on %s: ", run->kernel_name, selector);
	}
	print_queue(&info, run->json);
	printf(run->json ? "],\"dumps\":[" : "; ended well\n");
	for (i = 0; i < run->num_args; i++) {
		struct ctl_arg *arg = &run->args[i];

		if (!arg->mem)
			continue;
		if (ctl_arg_save(arg))
			ret = CTL_FAILED;
		if (!arg->dump)
			continue;
		if (run->json && !first)
			putchar(',');
		ctl_arg_print(arg, i, run->json);
		first = false;
	}
	if (run->json)
		printf("]}\n");
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
	}
	xetile_mem_free(run->print);
	xetile_kernel_destroy(run->kernel);
	xetile_module_unload(run->module);
	xetile_context_destroy(run->context);
	xetile_platform_close(run->platform);
	xetile_color_free(&run->color);
	free(run->args);
}

static int run_kernel(struct run *run)
{
	int ret = open_kernel(run);

	if (!ret)
		ret = set_args(run);
	if (!ret)
		ret = launch(run);
	return ret ? ret : report(run);
}

int ctl_run(int argc, char **argv)
{
	struct run run = {
		.timeout_ms = -1,
		.launch = { .groups = { 1, 1, 1 }, .local = { 32, 1, 1 } },
	};
	int ret;

	if (parse(&run, argc, argv, &ret)) {
		ret = open_module(&run);
		if (!ret && run.info)
			show_module(&run);
		else if (!ret)
			ret = run_kernel(&run);
	}
	finish(&run);
	return ret;
}
