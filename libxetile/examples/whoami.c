// SPDX-License-Identifier: MIT
/*
 * The program shows the physical compute engine behind a virtual cslice. It starts a kernel that
 * runs until a flag is set, prints the kernel's engine, and sets the flag when a line or the end
 * of stdin comes, or after a time. Several of these programs at once show the way in which the
 * driver spreads processes.
 *
 * Exit status: 0 when the kernel ran and ended well, 1 when a call failed, 2 when the arguments
 * are wrong.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xetile.h>

#define LOCAL		32
/* Time for the kernel to start, behind the work of other processes */
#define START_MS	60000
/* Time for the kernel to end after the flag is set */
#define END_MS		30000

struct options {
	const char *target;
	const char *kernel;
	unsigned int hold_ms;
	bool wait_stdin;
	bool json;
};

struct job {
	struct xetile_platform *platform;
	struct xetile_device *device;
	struct xetile_context *context;
	struct xetile_module *module;
	struct xetile_kernel *kernel;
	struct xetile_queue *queue;
	struct xetile_mem *mem;
	struct xetile_event *event;
	/* the flag that the kernel reads, and on the next page the number of started groups */
	volatile uint32_t *flag, *started;
};

static void usage(FILE *out)
{
	fputs("usage: whoami [options]\n"
	      "  --target CSLICE   card.tile.cslice of a virtual cslice (default 0.0.0)\n"
	      "  --hold-ms N       run for N milliseconds (default 500)\n"
	      "  --stdin           run until a line or the end of stdin\n"
	      "  --kernel FILE     compiled kernel (default kernels/kernels.bin)\n"
	      "  --json            print one line of JSON\n", out);
}

static int failed(const char *what)
{
	fprintf(stderr, "whoami: %s: %s\n", what, xetile_last_error());
	return 1;
}

static void sleep_ms(unsigned int ms)
{
	const struct timespec ts = { ms / 1000, ms % 1000 * 1000000l };

	nanosleep(&ts, NULL);
}

static int prepare(struct job *job, const struct options *o)
{
	const struct xetile_mem_desc desc = { .size = 2 * XETILE_COLOR_PAGE };
	struct xetile_queue_desc queue = { 0 };
	struct xetile_device_info info;
	void *map;

	if (xetile_platform_open(&job->platform))
		return failed("cannot look for cards");
	if (xetile_platform_select(job->platform, o->target, &job->device) ||
	    xetile_device_get_info(job->device, &info))
		return failed("target");
	queue.timeout_ms = o->hold_ms + START_MS + END_MS;
	if (info.max_timeout_ms && queue.timeout_ms > info.max_timeout_ms)
		queue.timeout_ms = info.max_timeout_ms;
	if (xetile_context_create(job->device, &job->context))
		return failed("cannot open the card");
	if (xetile_module_load_file(job->context, o->kernel, &job->module) ||
	    xetile_kernel_create(job->module, "spin", &job->kernel))
		return failed(o->kernel);
	if (xetile_queue_create(job->context, job->device, &queue, &job->queue))
		return failed("cannot create a queue");
	if (xetile_mem_alloc(job->context, job->device, &desc, &job->mem) ||
	    xetile_mem_map(job->mem, &map))
		return failed("cannot allocate");
	job->flag = map;
	job->started = (volatile uint32_t *)((char *)map + XETILE_COLOR_PAGE);
	if (xetile_kernel_set_mem(job->kernel, 0, job->mem, 0) ||
	    xetile_kernel_set_mem(job->kernel, 1, job->mem, XETILE_COLOR_PAGE))
		return failed("cannot set an argument");
	return 0;
}

/* When the kernel has written to its page, the kernel runs and its cslice is bound. */
static int wait_started(struct job *job)
{
	unsigned int ms;

	for (ms = 0; !*job->started; ms += 2) {
		if (ms >= START_MS) {
			fprintf(stderr, "whoami: the kernel has not started within %d ms\n",
				START_MS);
			return 1;
		}
		if (!xetile_event_status(job->event)) {
			fprintf(stderr, "whoami: the kernel ended, but did not run\n");
			return 1;
		}
		sleep_ms(2);
	}
	return 0;
}

static int report(struct job *job, const struct options *o)
{
	struct xetile_queue_info info;
	const struct xetile_queue_member *m = &info.members[0];

	if (xetile_queue_get_info(job->queue, &info))
		return failed("the queue");
	if (info.num_members != 1 || m->instance < 0) {
		fprintf(stderr, "whoami: the queue is bound to no engine while it runs\n");
		return 1;
	}
	if (o->json)
		printf("{\"pid\":%d,\"target\":\"%s\",\"tile\":%u,\"ccs\":%d,\"cslice_mask\":%u}\n",
		       (int)getpid(), o->target, m->tile, m->instance, m->cslice_mask);
	else
		printf("pid %d: virtual cslice %s runs on tile %u, CCS%d (cslices 0x%x)\n",
		       (int)getpid(), o->target, m->tile, m->instance, m->cslice_mask);
	fflush(stdout);
	return 0;
}

static int run(struct job *job, const struct options *o)
{
	const struct xetile_launch_desc launch = {
		.groups = { 1, 1, 1 }, .local = { LOCAL, 1, 1 },
	};
	int ret, c;

	if (xetile_launch(job->queue, job->kernel, &launch, 0, NULL, &job->event))
		return failed("cannot launch");
	ret = wait_started(job);
	if (!ret)
		ret = report(job, o);
	if (!ret && o->wait_stdin) {
		do {
			c = getchar();
		} while (c != '\n' && c != EOF);
	} else if (!ret) {
		sleep_ms(o->hold_ms);
	}
	*job->flag = 1;
	__sync_synchronize();
	if (xetile_event_wait(job->event, END_MS))
		return failed("the kernel");
	return ret;
}

static void finish(struct job *job)
{
	xetile_event_destroy(job->event);
	xetile_queue_destroy(job->queue);
	xetile_mem_free(job->mem);
	xetile_kernel_destroy(job->kernel);
	xetile_module_unload(job->module);
	xetile_context_destroy(job->context);
	xetile_platform_close(job->platform);
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "target", required_argument, NULL, 't' },
		{ "hold-ms", required_argument, NULL, 'm' },
		{ "stdin", no_argument, NULL, 's' },
		{ "kernel", required_argument, NULL, 'k' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct options o = {
		.target = "0.0.0", .kernel = "kernels/kernels.bin", .hold_ms = 500,
	};
	struct job job = { 0 };
	uint64_t value;
	int c, ret;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 't':
			o.target = optarg;
			break;
		case 'm':
			if (xetile_size_parse(optarg, &value) || value > 3600000) {
				fprintf(stderr, "whoami: --hold-ms %s is no time up to an hour\n",
					optarg);
				return 2;
			}
			o.hold_ms = value;
			break;
		case 's':
			o.wait_stdin = true;
			break;
		case 'k':
			o.kernel = optarg;
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
	if (optind != argc) {
		usage(stderr);
		return 2;
	}
	ret = prepare(&job, &o);
	if (!ret)
		ret = run(&job, &o);
	finish(&job);
	return ret;
}
