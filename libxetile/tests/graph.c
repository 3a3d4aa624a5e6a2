// SPDX-License-Identifier: MIT
/*
 * Graphs, on a driver that runs in this process (fake.c). The test is the card: it executes the
 * commands of all tiles, one command of a tile at a time, in any order.
 */
#include <drm/xetile_drm.h>
#include <errno.h>
#include <stdlib.h>

#include <pvc_bits.h>
#include <pvc_gfx_commands.h>
#include <pvc_mi_commands.h>

#include "batch.h"
#include "fake.h"
#include "memory.h"
#include "queue.h"
#include "slot.h"
#include "stack.h"
#include "test.h"
#include "util.h"
#include "xetile.h"

#define LAUNCHES	40		/* more than a segment takes */

static bool graph_open(struct stack *s, unsigned int tiles, uint32_t flags)
{
	if (!stack_open(s, tiles, flags))
		return false;
	CHECK(!xetile_graph_create(s->queue, &s->graph));
	return true;
}

/* The launch of a number has as many groups, and the number's square as its argument. */
static int add(struct stack *s, uint32_t number)
{
	const struct xetile_launch_desc launch = { .groups = { number }, .local = { 32 } };
	const uint32_t square = number * number;
	int err = xetile_kernel_set_value(s->kernel, 1, &square, sizeof(square));

	return err ? err : xetile_graph_add_launch(s->graph, s->kernel, &launch);
}

/* --- the card ------------------------------------------------------------------------------ */

struct tile {
	uint64_t at, back;		/* the next command; where the first level goes on, or 0 */
	uint64_t base;			/* general state */
	unsigned int ended;		/* launches */
	bool running;
	bool unfenced;			/* not all that it wrote is visible to others */
};

static unsigned int command_length(uint32_t dw)
{
	switch (PVC_FIELD_GET(PVC_CMD_TYPE, dw)) {
	case PVC_CMD_TYPE_MI:
		return (dw >> 23 & 0x3f) < 0x10 ? 1 : (dw & 0x3f) + 2;
	default:
		return (dw >> 27 & 3) == 1 ? 1 : (dw & 0xff) + 2;
	}
}

static uint64_t qword(const uint32_t *dw)
{
	return (uint64_t)dw[1] << 32 | dw[0];
}

/* A launch begins here: on no tile before all have ended the one before. */
static bool walk(struct tile *tiles, unsigned int num, struct tile *t, const uint32_t *dw)
{
	const uint8_t *data = fake_at(t->base + dw[3]);
	uint32_t number = dw[PVC_COMPUTE_WALKER_GROUPS_DW(0)], argument;
	unsigned int i;

	CHECK(number == t->ended + 1, "launch %u after %u", number, t->ended);
	for (i = 0; i < num; i++)
		CHECK(tiles[i].ended >= t->ended, "launch %u, but tile %u has ended %u", number, i,
		      tiles[i].ended);
	memcpy(&argument, data + 40, sizeof(argument));
	CHECK(argument == number * number, "%u in launch %u", argument, number);
	t->ended++;
	t->unfenced = true;
	return true;
}

/* One command. Returns false when a check failed. */
static bool step(struct tile *tiles, unsigned int num, struct tile *t)
{
	const uint32_t *dw = fake_at(t->at);
	uint32_t op = *dw & 0xff800000, value, *word;
	bool second;

	CHECK(dw, "no command at %#lx", (unsigned long)t->at);
	CHECK(fake_at(t->at + XT_BATCH_PREFETCH), "nothing to read ahead");
	t->at += 4 * command_length(*dw);
	if (*dw >> 16 == PVC_COMPUTE_WALKER >> 16)
		return walk(tiles, num, t, dw);
	if (*dw == PVC_STATE_BASE_ADDRESS) {
		t->base = qword(dw + 1) & ~0xfffull;
	} else if (op == (PVC_MI_STORE_DATA_IMM & 0xff800000)) {
		word = fake_at(qword(dw + 1));
		CHECK(word);
		/* A word other than 0 tells others what this tile did before. */
		CHECK(!dw[3] || !t->unfenced, "%u is told too early", dw[3]);
		t->unfenced |= !dw[3];
		*word = dw[3];
	} else if (*dw == (PVC_MI_MEM_FENCE | PVC_MI_MEM_FENCE_RELEASE)) {
		t->unfenced = false;
	} else if (*dw >> 16 == PVC_PIPE_CONTROL >> 16) {
		t->unfenced |= !!PVC_FIELD_GET(PVC_PIPE_CONTROL1_POST_SYNC, dw[1]);
	} else if (op == (PVC_MI_SEMAPHORE_WAIT & 0xff800000)) {
		word = fake_at(qword(dw + 2));
		CHECK(word && *dw & PVC_MI_SEMAPHORE_POLL);
		value = *word;
		switch (PVC_FIELD_GET(PVC_MI_SEMAPHORE_COMPARE, *dw)) {
		case PVC_MI_COMPARE_GE:
			t->at -= value >= dw[1] ? 0 : 4 * command_length(*dw);
			break;
		case PVC_MI_COMPARE_EQ:
			t->at -= value == dw[1] ? 0 : 4 * command_length(*dw);
			break;
		default:
			CHECK(false, "%#x", *dw);
		}
	} else if (op == (PVC_MI_BATCH_BUFFER_START & 0xff800000)) {
		second = *dw & PVC_MI_BATCH_BUFFER_START_2ND_LEVEL;
		CHECK(second && *dw & PVC_MI_BATCH_BUFFER_START_PPGTT);
		if (!t->back)
			t->back = t->at;
		t->at = qword(dw + 1);
	} else if (op == PVC_MI_BATCH_BUFFER_END) {
		CHECK(t->back || !t->unfenced, "the end is told too early");
		t->running = t->back;
		t->at = t->back;
		t->back = 0;
	}
	return true;
}

/*
 * Run the last submission, by turns that @seed chooses. @most: commands after which the card is
 * stopped, 0: none. Returns the launches that have ended on all tiles, or -1.
 */
static int run(unsigned int num, unsigned int seed, unsigned int most)
{
	struct tile tiles[XETILE_MAX_TILES] = { 0 };
	unsigned int i, now = 0, turn = 1, steps, running = num;

	for (i = 0; i < num; i++)
		tiles[i] = (struct tile){ .at = fake.last.batches[i], .running = true };
	for (steps = 0; running && (!most || steps < most); steps++) {
		/* Some turns are long, so that a tile gets far ahead if nothing stops it. */
		if (!steps || rand_r(&seed) % turn == 0) {
			now = rand_r(&seed) % num;
			turn = 1 << rand_r(&seed) % 9;
		}
		if (steps > 1000000 || (tiles[now].running && !step(tiles, num, &tiles[now])))
			return -1;
		for (running = 0, i = 0; i < num; i++)
			running += tiles[i].running;
	}
	for (i = 1; i < num; i++)
		tiles[0].ended = tiles[i].ended < tiles[0].ended ? tiles[i].ended : tiles[0].ended;
	return tiles[0].ended;
}

/* --- tests --------------------------------------------------------------------------------- */

/* All launches run in their order, with the arguments that they were added with; and again. */
static bool check_runs(unsigned int num, unsigned int tiles)
{
	unsigned int i, ioctls;
	struct xetile_event *event;
	struct stack s;

	if (!graph_open(&s, tiles, XETILE_QUEUE_TIMES))
		return false;
	for (i = 1; i <= num; i++)
		CHECK(!add(&s, i), "%s", xetile_last_error());
	xetile_kernel_destroy(s.kernel);
	s.kernel = NULL;
	for (i = 0; i < 50; i++) {
		ioctls = fake.ioctls;
		CHECK(!xetile_graph_submit(s.graph, 0, NULL, i % 2 ? &event : NULL), "%s",
		      xetile_last_error());
		CHECK(fake.last.exec.num_batches == tiles);
		CHECK(run(tiles, i, 0) == (int)num, "%u tiles, submission %u", tiles, i);
		if (i % 2) {
			CHECK(!xetile_event_wait(event, 0));
			xetile_event_destroy(event);
		} else if (i > 2) {
			/* The event of the last one told that its slot is free. */
			CHECK(fake.ioctls == ioctls + 1, "%u ioctls", fake.ioctls - ioctls);
		}
	}
	return stack_close(&s);
}

/* What a submission left that was stopped in its midst does not mislead the next one. */
static bool check_stopped(unsigned int tiles)
{
	unsigned int i;
	struct stack s;

	if (!graph_open(&s, tiles, 0))
		return false;
	for (i = 1; i <= 5; i++)
		CHECK(!add(&s, i), "%s", xetile_last_error());
	for (i = 0; i < 400; i++) {
		CHECK(!xetile_graph_submit(s.graph, 0, NULL, NULL));
		CHECK(run(tiles, i, 1 + i * 7 % 300) >= 0, "stopped in round %u", i);
		CHECK(!xetile_graph_submit(s.graph, 0, NULL, NULL));
		CHECK(run(tiles, i, 0) == 5, "round %u", i);
	}
	return stack_close(&s);
}

/* While submissions are in flight nothing that they use is freed; the limit is that of slots. */
static bool check_flight(void)
{
	struct xetile_event *first;
	unsigned int i;
	struct stack s;

	if (!graph_open(&s, 2, 0))
		return false;
	CHECK(!add(&s, 1) && !add(&s, 2));
	fake.hold = true;
	CHECK(!xetile_graph_submit(s.graph, 0, NULL, &first));
	for (i = 1; i < 64; i++)
		CHECK(!xetile_graph_submit(s.graph, 0, NULL, NULL));
	CHECK(xetile_event_status(first) == -EINPROGRESS);
	fake.fail_request = DRM_IOCTL_SYNCOBJ_WAIT;
	fake.fail_errno = -ENODEV;
	CHECK(xetile_graph_submit(s.graph, 0, NULL, NULL) == -ENODEV);
	fake.fail_request = 0;
	CHECK(!xetile_graph_submit(s.graph, 0, NULL, NULL));
	xetile_event_destroy(first);
	fake.fail_request = DRM_IOCTL_SYNCOBJ_WAIT;
	xetile_graph_destroy(s.graph);
	s.graph = NULL;
	fake.fail_request = 0;
	/* The graph's memory is mapped, because the card may still use it. */
	CHECK(fake_at(fake.last.batches[0]));
	CHECK(run(2, 1, 0) == 2);
	fake.hold = false;
	xetile_queue_destroy(s.queue);
	s.queue = NULL;
	memset(fake.binds, 0, sizeof(fake.binds));
	xetile_kernel_destroy(s.kernel);
	xetile_module_unload(s.module);
	xetile_context_destroy(s.context);
	xetile_platform_close(s.platform);
	return true;
}

/* What was submitted behind a graph may need what the program does when the graph is gone. */
static bool check_behind(void)
{
	struct xetile_event *event;
	struct xetile_graph *graph;
	struct stack s;

	if (!graph_open(&s, 2, 0))
		return false;
	CHECK(!add(&s, 1));
	fake.hold = true;
	CHECK(!xetile_graph_submit(s.graph, 0, NULL, &event));
	CHECK(!xetile_event_wait(event, -1));
	xetile_event_destroy(event);
	graph = s.graph;
	CHECK(!xetile_graph_create(s.queue, &s.graph));
	CHECK(!add(&s, 1));
	CHECK(!xetile_graph_submit(s.graph, 0, NULL, NULL));
	xetile_graph_destroy(graph);
	CHECK(s.queue->last->busy);
	return stack_close(&s);
}

/* Threads' memory that a graph has the address of stays when a launch needs more. */
static bool check_thread_mem(void)
{
	const struct xt_thread_mem *mem;
	uint64_t first;
	struct stack s;

	if (!graph_open(&s, 2, 0))
		return false;
	CHECK(!xt_queue_thread_mem(s.queue, XT_THREAD_SCRATCH0, 1, &mem));
	first = mem->mem->addr;
	CHECK(!xt_queue_thread_mem(s.queue, XT_THREAD_SCRATCH0, 5 << 16, &mem));
	CHECK(mem->mem->addr != first && mem->part_size == 8 << 16 && fake_at(first));
	/* When there is no more, what there is serves on, and nothing is put aside for it. */
	first = mem->mem->addr;
	fake.fail_request = DRM_IOCTL_XETILE_BO_CREATE;
	fake.fail_errno = -ENOSPC;
	CHECK(xt_queue_thread_mem(s.queue, XT_THREAD_SCRATCH0, 20 << 16, &mem) == -ENOSPC);
	fake.fail_request = 0;
	CHECK(!xt_queue_thread_mem(s.queue, XT_THREAD_SCRATCH0, 8 << 16, &mem));
	CHECK(mem->mem && mem->mem->addr == first && !s.queue->retired->next);
	xetile_graph_destroy(s.graph);
	s.graph = NULL;
	first = mem->mem->addr;
	CHECK(!xt_queue_thread_mem(s.queue, XT_THREAD_SCRATCH0, 9 << 16, &mem));
	CHECK(mem->part_size == 9 << 16);
	return stack_close(&s);
}

/* Nor is it unmapped with the queue, when nobody knows whether the work has ended. */
static bool check_retired(void)
{
	const struct xt_thread_mem *mem;
	uint64_t addrs[2];
	struct stack s;

	if (!graph_open(&s, 2, 0))
		return false;
	CHECK(!xt_queue_thread_mem(s.queue, XT_THREAD_SCRATCH0, 1, &mem));
	addrs[0] = mem->mem->addr;
	CHECK(!xt_queue_thread_mem(s.queue, XT_THREAD_SCRATCH0, 2 << 16, &mem));
	addrs[1] = mem->mem->addr;
	CHECK(!add(&s, 1));
	fake.hold = true;
	CHECK(!xetile_graph_submit(s.graph, 0, NULL, NULL));
	fake.fail_request = DRM_IOCTL_SYNCOBJ_WAIT;
	fake.fail_errno = -ENODEV;
	xetile_graph_destroy(s.graph);
	xetile_queue_destroy(s.queue);
	fake.fail_request = 0;
	CHECK(fake_at(addrs[0]) && fake_at(addrs[1]));
	memset(fake.binds, 0, sizeof(fake.binds));
	xetile_kernel_destroy(s.kernel);
	xetile_module_unload(s.module);
	xetile_context_destroy(s.context);
	xetile_platform_close(s.platform);
	return true;
}

static bool check_refused(void)
{
	const struct xetile_queue_desc copy = { .engine_class = XETILE_COPY };
	struct xetile_queue *queue;
	struct xetile_graph *graph;
	struct stack s;

	if (!graph_open(&s, 2, XETILE_QUEUE_REPLAY))
		return false;
	CHECK(xetile_graph_submit(s.graph, 0, NULL, NULL) == -EINVAL);
	CHECK_TEXT("no launches");
	CHECK(!add(&s, 1));
	CHECK(add(&s, 2) == -EOPNOTSUPP);
	CHECK_TEXT("REPLAY");
	CHECK(!xetile_graph_submit(s.graph, 0, NULL, NULL));
	CHECK(run(2, 0, 0) == 1);
	CHECK(add(&s, 2) == -EINVAL);
	CHECK_TEXT("was submitted");
	CHECK(!xetile_queue_create(s.context, s.device, &copy, &queue));
	CHECK(xetile_graph_create(queue, &graph) == -EINVAL);
	CHECK_TEXT("compute");
	xetile_queue_destroy(queue);
	return stack_close(&s);
}

/* The times of a submission are those of the whole call. */
static bool check_times(void)
{
	struct xetile_times times;
	struct xetile_event *event;
	const uint32_t *dw;
	unsigned int i, num = 0;
	struct stack s;

	if (!graph_open(&s, 2, XETILE_QUEUE_TIMES))
		return false;
	CHECK(!add(&s, 1) && !add(&s, 2));
	CHECK(!xetile_graph_submit(s.graph, 0, NULL, &event));
	for (dw = fake_at(fake.last.batches[1]), i = 0; dw[i] != PVC_MI_BATCH_BUFFER_END;
	     i += command_length(dw[i])) {
		if (dw[i] >> 16 != PVC_PIPE_CONTROL >> 16)
			continue;
		CHECK(PVC_FIELD_GET(PVC_PIPE_CONTROL1_POST_SYNC, dw[i + 1]) ==
		      PVC_POST_SYNC_TIMESTAMP);
		*(uint64_t *)fake_at(qword(dw + i + 2)) = num++ * 192;
	}
	CHECK(num == 2);
	CHECK(!xetile_event_get_times(event, &times), "%s", xetile_last_error());
	CHECK(times.num_tiles == 2 && times.tiles[1].end == 10000);
	xetile_event_destroy(event);
	return stack_close(&s);
}

int main(void)
{
	test_run("a graph of one tile runs in its order, again and again",
		 check_runs(1, 1) && check_runs(LAUNCHES, 1));
	test_run("on several tiles each launch begins when all have ended the one before",
		 check_runs(1, 2) && check_runs(2, 2) && check_runs(LAUNCHES, 2) &&
		 check_runs(LAUNCHES, 4));
	test_run("... also after a submission that was stopped in its midst",
		 check_stopped(2) && check_stopped(4));
	test_run("what submissions in flight use is not freed", check_flight());
	test_run("a graph's end waits for no work behind it", check_behind());
	test_run("memory of threads that a graph uses is not replaced",
		 check_thread_mem() && check_retired());
	test_run("graphs that cannot run are refused", check_refused());
	test_run("a submission has times", check_times());
	return test_end();
}
