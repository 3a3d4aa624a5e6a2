// SPDX-License-Identifier: MIT
/*
 * The program computes a[i] = b[i] + s * c[i] on the card and compares every element with the
 * CPU's result. See usage() for the arguments.
 *
 * Exit status: 0 when every element is right, 1 when an element is wrong or a call failed, 2
 * when the arguments are wrong.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xetile.h>

#define LOCAL	256
#define SCALE	3.0f

struct options {
	uint64_t elements;
	const char *color;
	const char *target;
	const char *kernel;
	bool follow, json;
};

struct job {
	struct xetile_platform *platform;
	struct xetile_device *device;
	struct xetile_context *context;
	struct xetile_module *module;
	struct xetile_kernel *kernel;
	struct xetile_queue *queue;
	struct xetile_mem *mem[3];
	float *cpu[3];
	struct xetile_event *event;
};

static void usage(FILE *out)
{
	fprintf(out,
		"usage: triad [options]\n"
		"  --elements N      elements of each array, a multiple of %d (default 16m)\n"
		"  --color COLOR     even (default), tile:N, chunk:SIZE, follow, weighted:W,...,\n"
		"                    map:TILE*PAGES,... or map:FILE with such a list\n"
		"  --target TARGET   card (default 0), card.tile or card.tile.cslice; also\n"
		"                    root, tile:N or cslice:T.V of card 0\n"
		"  --kernel FILE     compiled kernel (default kernels/kernels.bin)\n"
		"  --follow          each group runs where its elements lie, whatever the color\n"
		"  --json            print one line of JSON\n", LOCAL);
}

/* --- arguments ------------------------------------------------------------------ */

/* Translate a target into a selector. */
static void parse_target(const char *text, char *selector, size_t size)
{
	if (!strcmp(text, "root"))
		snprintf(selector, size, "0");
	else if (!strncmp(text, "tile:", 5))
		snprintf(selector, size, "0.%s", text + 5);
	else if (!strncmp(text, "cslice:", 7))
		snprintf(selector, size, "0.%s", text + 7);
	else
		snprintf(selector, size, "%s", text);
}

/* --- the job ----------------------------------------------------------------------- */

static int failed(const char *what)
{
	fprintf(stderr, "triad: %s: %s\n", what, xetile_last_error());
	return 1;
}

/* The values are exact in float, and neighbours differ. */
static void fill_inputs(float *a, float *b, float *c, uint64_t n)
{
	uint64_t i;

	for (i = 0; i < n; i++) {
		a[i] = -1.0f;
		b[i] = (float)(i % 1000003);
		c[i] = (float)(i % 4093) * 0.25f;
	}
}

static uint64_t count_wrong(const float *a, const float *b, const float *c, uint64_t n,
			    uint64_t *first)
{
	uint64_t i, wrong = 0;

	for (i = 0; i < n; i++) {
		/* The sum is below 2^24 quarters and exact, so a fused multiply-add agrees. */
		if (a[i] == b[i] + SCALE * c[i])
			continue;
		if (!wrong++)
			*first = i;
	}
	return wrong;
}

static int prepare(struct job *job, const struct options *o, const char *selector,
		   struct xetile_mem_desc *desc)
{
	const struct xetile_queue_desc timed = { .flags = XETILE_QUEUE_TIMES };
	const float scale = SCALE;
	unsigned int i;
	void *map;

	if (xetile_platform_open(&job->platform))
		return failed("cannot look for cards");
	if (xetile_platform_select(job->platform, selector, &job->device))
		return failed("target");
	if (xetile_context_create(job->device, &job->context))
		return failed("cannot open the card");
	if (xetile_module_load_file(job->context, o->kernel, &job->module) ||
	    xetile_kernel_create(job->module, "triad", &job->kernel))
		return failed(o->kernel);
	if (xetile_queue_create(job->context, job->device, &timed, &job->queue))
		return failed("cannot create a queue");
	for (i = 0; i < 3; i++) {
		if (xetile_mem_alloc(job->context, job->device, desc, &job->mem[i]) ||
		    xetile_mem_map(job->mem[i], &map))
			return failed("cannot allocate");
		job->cpu[i] = map;
		if (xetile_kernel_set_mem(job->kernel, i, job->mem[i], 0))
			return failed("cannot set an argument");
	}
	if (xetile_kernel_set_value(job->kernel, 3, &scale, sizeof(scale)))
		return failed("cannot set an argument");
	return 0;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

static void print_color(struct xetile_mem *mem, bool json)
{
	struct xetile_run runs[6];
	int i, num = xetile_mem_color(mem, runs, 6);

	for (i = 0; i < num && i < 6; i++)
		printf(json ? "%s{\"tile\":%u,\"pages\":%u}" : "%s%u*%u", i ? "," : "",
		       runs[i].tile, runs[i].pages);
	if (num > 6 && !json)
		printf(",... (%d runs)", num);
}

static int run(struct job *job, const struct options *o)
{
	struct xetile_launch_desc launch = {
		.groups = { o->elements / LOCAL, 1, 1 }, .local = { LOCAL, 1, 1 },
	};
	struct xetile_queue_info queue;
	struct xetile_times times;
	uint64_t wrong, first = 0;
	double start;

	if (o->follow)
		launch.follow = (struct xetile_follow){
			.mem = job->mem[0], .bytes = LOCAL * sizeof(float),
		};
	fill_inputs(job->cpu[0], job->cpu[1], job->cpu[2], o->elements);
	start = now();
	if (xetile_launch(job->queue, job->kernel, &launch, 0, NULL, &job->event))
		return failed("cannot launch");
	if (xetile_event_wait(job->event, -1))
		return failed("the launch");
	start = now() - start;
	if (xetile_event_get_times(job->event, &times))
		return failed("the times");
	if (xetile_queue_get_info(job->queue, &queue))
		return failed("the queue");
	wrong = count_wrong(job->cpu[0], job->cpu[1], job->cpu[2], o->elements, &first);

	if (o->json) {
		printf("{\"elements\":%llu,\"color\":\"%s\",\"target\":\"%s\",\"tiles\":%u,"
		       "\"cslices_used\":%u,\"cslices_total\":%u,\"wrong\":%llu,\"ns\":%llu,"
		       "\"runs\":[",
		       (unsigned long long)o->elements, o->color, o->target, queue.num_members,
		       queue.cslices_used, queue.cslices_total, (unsigned long long)wrong,
		       (unsigned long long)times.duration);
		print_color(job->mem[0], true);
		printf("]}\n");
	} else {
		printf("triad: %llu elements, color %s (", (unsigned long long)o->elements, o->color);
		print_color(job->mem[0], false);
		printf("), target %s on %u tile%s, %u of %u cslices\n", o->target,
		       queue.num_members, queue.num_members == 1 ? "" : "s",
		       queue.cslices_used, queue.cslices_total);
		printf("triad: one launch, one fence: %.3f s, %.3f s of them on the card; "
		       "%llu of %llu elements equal the CPU's\n", start, times.duration * 1e-9,
		       (unsigned long long)(o->elements - wrong),
		       (unsigned long long)o->elements);
	}
	if (wrong)
		fprintf(stderr, "triad: a[%llu] is %g, not %g\n", (unsigned long long)first,
			job->cpu[0][first], job->cpu[1][first] + SCALE * job->cpu[2][first]);
	return wrong != 0;
}

static void finish(struct job *job)
{
	unsigned int i;

	xetile_event_destroy(job->event);
	xetile_queue_destroy(job->queue);
	for (i = 0; i < 3; i++)
		xetile_mem_free(job->mem[i]);
	xetile_kernel_destroy(job->kernel);
	xetile_module_unload(job->module);
	xetile_context_destroy(job->context);
	xetile_platform_close(job->platform);
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "elements", required_argument, NULL, 'n' },
		{ "color", required_argument, NULL, 'c' },
		{ "target", required_argument, NULL, 't' },
		{ "kernel", required_argument, NULL, 'k' },
		{ "follow", no_argument, NULL, 'f' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct options o = {
		.elements = 16 << 20, .color = "even", .target = "0",
		.kernel = "kernels/kernels.bin",
	};
	struct xetile_mem_desc desc = { 0 };
	struct job job = { 0 };
	char selector[64];
	int c, ret;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 'n':
			if (xetile_size_parse(optarg, &o.elements) || !o.elements ||
			    o.elements % LOCAL || o.elements > UINT32_MAX) {
				fprintf(stderr, "triad: --elements %s is no multiple of %d below 2^32\n",
					optarg, LOCAL);
				return 2;
			}
			break;
		case 'c':
			o.color = optarg;
			break;
		case 't':
			o.target = optarg;
			break;
		case 'k':
			o.kernel = optarg;
			break;
		case 'f':
			o.follow = true;
			break;
		case 'j':
			o.json = true;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	desc.size = o.elements * sizeof(float);
	if (optind != argc || xetile_color_parse(o.color, &desc)) {
		fprintf(stderr, "triad: %s\n", optind != argc ? "too many arguments" :
			xetile_last_error());
		usage(stderr);
		return 2;
	}
	parse_target(o.target, selector, sizeof(selector));
	ret = prepare(&job, &o, selector, &desc);
	if (!ret)
		ret = run(&job, &o);
	finish(&job);
	xetile_color_free(&desc);
	return ret;
}
