// SPDX-License-Identifier: MIT
/*
 * usage: native STOP KERNELS [WORDS]
 *
 * Keeps tile 0's compute engine busy by libxetile until the file STOP exists, as busy does by the
 * runtime: the next launches are always there when one has ended. Says "busy" when the first one
 * has. Compares each word of the result with the CPU's. KERNELS is the file of the library's own
 * kernels.
 */
#include <xetile.h>

#include "check.h"

#define AHEAD	4
#define LOCAL	256

/* Ends the program unless a call of the library has returned 0. */
#define TRY_XT(call) do {							\
	if (call) {								\
		fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,	\
			xetile_last_error());					\
		exit(1);							\
	}									\
} while (0)

struct native {
	struct xetile_platform *platform;
	struct xetile_device *device;
	struct xetile_context *context;
	struct xetile_module *module;
	struct xetile_kernel *kernel;
	struct xetile_queue *queue;
	struct xetile_mem *to, *from;
	uint32_t words, *in, *out;
};

static void setup(struct native *n, const char *kernels, uint32_t words)
{
	struct xetile_mem_desc desc = { .size = words * 4ul };
	const struct xetile_queue_desc queue = { 0 };

	*n = (struct native) { .words = words };
	TRY_XT(xetile_platform_open(&n->platform));
	TRY_XT(xetile_platform_select(n->platform, "0.0", &n->device));
	TRY_XT(xetile_context_create(n->device, &n->context));
	TRY_XT(xetile_module_load_file(n->context, kernels, &n->module));
	TRY_XT(xetile_kernel_create(n->module, "copy", &n->kernel));
	TRY_XT(xetile_queue_create(n->context, n->device, &queue, &n->queue));
	TRY_XT(xetile_mem_alloc(n->context, n->device, &desc, &n->to));
	TRY_XT(xetile_mem_alloc(n->context, n->device, &desc, &n->from));
	TRY_XT(xetile_mem_map(n->to, (void **)&n->out));
	TRY_XT(xetile_mem_map(n->from, (void **)&n->in));
	TRY_XT(xetile_kernel_set_mem(n->kernel, 0, n->to, 0));
	TRY_XT(xetile_kernel_set_mem(n->kernel, 1, n->from, 0));
	for (uint32_t i = 0; i < words; i++)
		n->in[i] = word(6, 0, i);
}

static void finish(struct xetile_event *event)
{
	TRY_XT(xetile_event_wait(event, -1));
	xetile_event_destroy(event);
}

static unsigned long launch_until(struct native *n, const char *stop)
{
	const struct xetile_launch_desc launch = {
		.groups = { n->words / LOCAL, 1, 1 }, .local = { LOCAL, 1, 1 },
	};
	struct xetile_event *events[AHEAD];
	unsigned long num = 0;

	for (; access(stop, F_OK); num++) {
		if (num >= AHEAD) {
			finish(events[num % AHEAD]);
			say_busy(num == AHEAD);
		}
		TRY_XT(xetile_launch(n->queue, n->kernel, &launch, 0, NULL, &events[num % AHEAD]));
	}
	for (unsigned long i = num < AHEAD ? 0 : num - AHEAD; i < num; i++)
		finish(events[i % AHEAD]);
	return num;
}

static bool right(const struct native *n)
{
	for (uint32_t i = 0; i < n->words; i++)
		if (differs("native", 0, i, n->out[i], word(6, 0, i)))
			return false;
	return true;
}

static void cleanup(struct native *n)
{
	xetile_queue_destroy(n->queue);
	xetile_mem_free(n->to);
	xetile_mem_free(n->from);
	xetile_kernel_destroy(n->kernel);
	xetile_module_unload(n->module);
	xetile_context_destroy(n->context);
	xetile_platform_close(n->platform);
}

int main(int argc, char **argv)
{
	uint32_t words = argc > 3 ? atoi(argv[3]) : 1 << 20;
	unsigned long launches;
	struct native n;
	bool good;

	if (argc < 3)
		return 2;
	setup(&n, argv[2], words);
	launches = launch_until(&n, argv[1]);
	good = right(&n);
	cleanup(&n);
	printf("native: %lu launches, the last one %s\n", launches, good ? "right" : "wrong");
	return good && launches > AHEAD ? 0 : 1;
}
