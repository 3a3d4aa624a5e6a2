// SPDX-License-Identifier: MIT
/*
 * Kernels with known answers. Each runs on all devices at once, so that the driver gives the
 * virtual slices of a tile engines of their own, and all of them are tested.
 */
#include <stdlib.h>

#include "ctl.h"
#include "selftest.h"
#include "selftest_answer.h"

/* The driver stops a kernel that runs so long; each of them takes a fraction of a second. */
#define LIMIT_MS	20000

extern const char selftest_binary[], selftest_binary_end[];

/* What runs on a device */
struct place {
	struct xetile_device *device;
	struct xetile_queue *queue;
	struct xetile_mem *mem[ANSWER_BUFFERS];
	uint32_t *maps[ANSWER_BUFFERS];
	struct xetile_event *event;	/* NULL: nothing runs */
	unsigned int unit;		/* its number: the list may move */
};

static struct selftest_unit *unit_of(struct selftest *test, const struct place *place)
{
	return &test->units[place->unit];
}

/* --- queues and buffers ------------------------------------------------------------------ */

static void open_place(struct selftest *test, struct xetile_context *context,
		       struct place *place)
{
	const struct xetile_mem_desc mem = { .size = ANSWER_ITEMS * sizeof(uint32_t) };
	struct selftest_unit *unit = unit_of(test, place);
	unsigned int b;
	void *map;

	for (b = 0; b < ANSWER_BUFFERS; b++) {
		if (xetile_mem_alloc(context, place->device, &mem, &place->mem[b]) ||
		    xetile_mem_map(place->mem[b], &map)) {
			selftest_not_run(unit, "cannot allocate: %s", xetile_last_error());
			return;
		}
		place->maps[b] = map;
	}
	if (selftest_queue(context, place->device, XETILE_COMPUTE, LIMIT_MS, &place->queue))
		selftest_not_run(unit, "cannot create a queue: %s", xetile_last_error());
}

static void close_place(struct place *place)
{
	unsigned int b;

	xetile_event_destroy(place->event);
	xetile_queue_destroy(place->queue);
	for (b = 0; b < ANSWER_BUFFERS; b++)
		xetile_mem_free(place->mem[b]);
}

/* --- a kernel ------------------------------------------------------------------------------ */

static int set_args(struct xetile_kernel *kernel, enum answer_kernel which,
		    const struct place *place)
{
	const uint32_t base = ANSWER_FILL_BASE;
	const float scale = ANSWER_TRIAD_SCALE;
	unsigned int b;
	int err = 0;

	for (b = 0; b < answer_buffers(which) && !err; b++)
		err = xetile_kernel_set_mem(kernel, b, place->mem[b], 0);
	if (!err && which == ANSWER_FILL)
		err = xetile_kernel_set_value(kernel, 1, &base, sizeof(base));
	if (!err && which == ANSWER_TRIAD)
		err = xetile_kernel_set_value(kernel, 3, &scale, sizeof(scale));
	if (!err && which == ANSWER_GROUP_SUM)
		err = xetile_kernel_set_local(kernel, 2, ANSWER_LOCAL * sizeof(uint32_t));
	return err;
}

static void launch(struct selftest_unit *unit, struct xetile_kernel *kernel,
		   enum answer_kernel which, struct place *place)
{
	const struct xetile_launch_desc desc = {
		.groups = { ANSWER_GROUPS }, .local = { ANSWER_LOCAL },
	};

	if (unit->verdict != SELFTEST_PASS)
		return;
	answer_prepare(which, place->maps);
	if (set_args(kernel, which, place))
		selftest_fail(unit, "kernel %s: %s", answer_name(which), xetile_last_error());
	else if (xetile_launch(place->queue, kernel, &desc, 0, NULL, &place->event))
		selftest_stopped(unit, answer_name(which), place->queue);
}

/* Where the kernel ran, for the user */
static void note_engine(struct selftest_unit *unit, struct xetile_queue *queue)
{
	struct xetile_queue_info info;

	if (unit->kind != SELFTEST_COMPUTE || xetile_queue_get_info(queue, &info) ||
	    info.num_members != 1 || info.members[0].instance < 0)
		return;
	snprintf(unit->engine, sizeof(unit->engine), "CCS%d", info.members[0].instance);
	unit->cslices = info.members[0].cslice_mask;
}

static void end(struct selftest_unit *unit, enum answer_kernel which, struct place *place)
{
	const uint64_t addresses[ANSWER_BUFFERS] = {
		xetile_mem_address(place->mem[0]), xetile_mem_address(place->mem[1]),
		xetile_mem_address(place->mem[2]),
	};
	struct selftest_wrong wrong = { 0 };
	char what[32];

	if (!place->event)
		return;
	snprintf(what, sizeof(what), "kernel %s", answer_name(which));
	if (xetile_event_wait(place->event, -1)) {
		selftest_stopped(unit, what, place->queue);
	} else {
		answer_judge(which, (const uint32_t *const *)place->maps, addresses, &wrong);
		selftest_judge(unit, what, &wrong);
		unit->tests++;
	}
	xetile_event_destroy(place->event);
	place->event = NULL;
	note_engine(unit, place->queue);
}

static int run_kernel(struct selftest *test, struct xetile_module *module,
		      enum answer_kernel which, struct place *places, unsigned int num)
{
	struct xetile_kernel *kernel;
	unsigned int i;

	if (xetile_kernel_create(module, answer_name(which), &kernel))
		return ctl_failed(answer_name(which));
	for (i = 0; i < num; i++)
		launch(unit_of(test, &places[i]), kernel, which, &places[i]);
	for (i = 0; i < num; i++)
		end(unit_of(test, &places[i]), which, &places[i]);
	xetile_kernel_destroy(kernel);
	return CTL_OK;
}

/* --- all of them ------------------------------------------------------------------------------ */

/* Two slices on one engine leave another engine untested. */
static void check_engines(struct selftest *test, const struct place *places, unsigned int num)
{
	uint32_t seen = 0;
	unsigned int i;

	for (i = 0; i < num; i++) {
		struct selftest_unit *unit = unit_of(test, &places[i]);

		if (unit->cslices & seen)
			selftest_not_run(unit, "it had the engine of another slice: others use the tile");
		seen |= unit->cslices;
	}
}

static int run_all(struct selftest *test, struct xetile_context *context, struct place *places,
		   unsigned int num)
{
	struct xetile_module *module;
	unsigned int i;
	int ret = CTL_OK;

	if (xetile_module_load(context, selftest_binary, selftest_binary_end - selftest_binary,
			       &module)) {
		for (i = 0; i < num; i++)
			selftest_not_run(unit_of(test, &places[i]), "cannot load the kernels: %s",
					 xetile_last_error());
		return CTL_OK;
	}
	for (i = 0; i < num; i++)
		open_place(test, context, &places[i]);
	for (i = 0; i < ANSWER_KERNELS && !ret; i++) {
		selftest_progress(test, unit_of(test, places)->device, answer_name(i), -1);
		ret = run_kernel(test, module, i, places, num);
	}
	check_engines(test, places, num);
	for (i = 0; i < num; i++)
		close_place(&places[i]);
	xetile_module_unload(module);
	return ret;
}

int selftest_kernels(struct selftest *test, struct xetile_context *context,
		     enum selftest_kind kind, struct xetile_device *const *devices,
		     unsigned int num)
{
	struct place places[XETILE_MAX_CSLICES] = { 0 };
	unsigned int i;

	for (i = 0; i < num && i < XETILE_MAX_CSLICES; i++) {
		places[i].device = devices[i];
		places[i].unit = test->num;
		if (!selftest_add(test, kind, devices[i]))
			return CTL_FAILED;
	}
	return run_all(test, context, places, i);
}
