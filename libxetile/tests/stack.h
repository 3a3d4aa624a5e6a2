/* SPDX-License-Identifier: MIT */
/*
 * A kernel and a queue for it, with all that they need, on the driver in this process (fake.h). A
 * test adds what it is about: memory, a graph.
 */
#ifndef _XETILE_TESTS_STACK_H_
#define _XETILE_TESTS_STACK_H_

#include "fake.h"
#include "test.h"
#include "xetile.h"

struct stack {
	struct xetile_platform *platform;
	struct xetile_device *device;
	struct xetile_context *context;
	struct xetile_module *module;
	struct xetile_kernel *kernel;	/* fills memory at an address that is none of its */
	struct xetile_queue *queue;
	/* NULL unless the test makes them */
	struct xetile_mem *mem;
	struct xetile_graph *graph;
};

static inline bool stack_open(struct stack *s, unsigned int tiles, uint32_t flags)
{
	const struct xetile_queue_desc desc = { .flags = flags };
	const uint32_t pattern = 1;
	char path[512];

	memset(s, 0, sizeof(*s));
	fake_start(tiles, 1);
	fake.caps |= DRM_XETILE_CAP_REPLAY;
	snprintf(path, sizeof(path), "%s/kernels/kernels.bin", test_top());
	CHECK(!fake_platform(1, NULL, &s->platform));
	CHECK(!xetile_platform_select(s->platform, "0", &s->device));
	CHECK(!xetile_context_create(s->device, &s->context));
	CHECK(!xetile_module_load_file(s->context, path, &s->module));
	CHECK(!xetile_kernel_create(s->module, "fill", &s->kernel));
	CHECK(!xetile_kernel_set_address(s->kernel, 0, 0x10000));
	CHECK(!xetile_kernel_set_value(s->kernel, 1, &pattern, 4));
	CHECK(!xetile_queue_create(s->context, s->device, &desc, &s->queue), "%s",
	      xetile_last_error());
	return true;
}

static inline bool stack_close(struct stack *s)
{
	xetile_graph_destroy(s->graph);
	xetile_queue_destroy(s->queue);
	xetile_mem_free(s->mem);
	xetile_kernel_destroy(s->kernel);
	xetile_module_unload(s->module);
	xetile_context_destroy(s->context);
	xetile_platform_close(s->platform);
	CHECK(!fake_leaks(), "%u left behind", fake_leaks());
	return true;
}

#endif
