// SPDX-License-Identifier: MIT
/*
 * What the library costs: the instructions, ioctls and allocations of a launch, on a driver that
 * runs in this process (fake.c), whose own instructions are not counted. The program traces itself
 * step by step, so the counts are exact; they are those of the code as it is installed.
 */
#include <drm/xetile_drm.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake.h"
#include "ioctl.h"
#include "test.h"
#include "xetile.h"

/* What the process that is traced tells the one that counts */
static volatile struct {
	enum { NOTHING, LIBRARY, DRIVER } runs;
	unsigned long instructions;
	unsigned int steps;		/* the tracer is there */
} *shared;

static unsigned int allocations;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t num, size_t size);
void *__wrap_calloc(size_t num, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
	allocations++;
	return __real_malloc(size);
}

void *__wrap_calloc(size_t num, size_t size)
{
	allocations++;
	return __real_calloc(num, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	allocations++;
	return __real_realloc(old, size);
}

static int (*driver)(int fd, unsigned long request, void *arg);

static int through_door(int fd, unsigned long request, void *arg)
{
	unsigned int had = shared->runs;
	int err;

	shared->runs = had == LIBRARY ? DRIVER : had;
	err = driver(fd, request, arg);
	shared->runs = had;
	return err;
}

/* --- counting ------------------------------------------------------------------------------ */

struct cost {
	unsigned long instructions;
	unsigned int ioctls, allocations;
};

static void begin(struct cost *cost)
{
	cost->ioctls = fake.ioctls;
	cost->allocations = allocations;
	cost->instructions = shared->instructions;
	raise(SIGTRAP);
	shared->runs = LIBRARY;
}

static void end(struct cost *cost)
{
	shared->runs = NOTHING;
	cost->ioctls = fake.ioctls - cost->ioctls;
	cost->allocations = allocations - cost->allocations;
	cost->instructions = shared->instructions - cost->instructions;
}

/* The tracer: steps from a SIGTRAP on until nothing is to be counted any more. */
static int trace(pid_t pid)
{
	int status, step = 0;

	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		if (step && shared->runs == LIBRARY)
			shared->instructions++;
		/* The flag is set some instructions behind the signal. */
		if (!step)
			step = WSTOPSIG(status) == SIGTRAP ? 100 : 0;
		else if (shared->runs == NOTHING)
			step--;
		if (ptrace(step ? PTRACE_SINGLESTEP : PTRACE_CONT, pid, NULL,
			   WSTOPSIG(status) == SIGTRAP || WSTOPSIG(status) == SIGSTOP ? 0 :
			   WSTOPSIG(status)))
			return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* --- launches ------------------------------------------------------------------------------ */

struct stack {
	struct xetile_platform *platform;
	struct xetile_device *device;
	struct xetile_context *context;
	struct xetile_module *module;
	struct xetile_kernel *kernel;
	struct xetile_queue *queue;
	struct xetile_graph *graph;
	struct xetile_mem *mem;
	struct xetile_launch_desc launch;
};

#define PAGES	16

static bool stack_open(struct stack *s, unsigned int tiles, uint32_t flags)
{
	const struct xetile_queue_desc desc = { .flags = flags };
	struct xetile_mem_desc chunks = { .size = PAGES << 16, .color = XETILE_COLOR_CHUNK };
	const float scale = 2;
	unsigned int i;
	char path[512];

	*s = (struct stack) { .launch = { .groups = { PAGES }, .local = { 256 } } };
	fake_start(tiles, 1);
	snprintf(path, sizeof(path), "%s/kernels/kernels.bin", test_top());
	CHECK(!fake_platform(1, NULL, &s->platform));
	if (xt_door.ioctl != through_door)
		driver = xt_door.ioctl;
	xt_door.ioctl = through_door;
	CHECK(!xetile_platform_select(s->platform, "0", &s->device));
	CHECK(!xetile_context_create(s->device, &s->context));
	CHECK(!xetile_module_load_file(s->context, path, &s->module));
	CHECK(!xetile_kernel_create(s->module, "triad", &s->kernel));
	CHECK(!xetile_mem_alloc(s->context, s->device, &chunks, &s->mem), "%s",
	      xetile_last_error());
	for (i = 0; i < 3; i++)
		CHECK(!xetile_kernel_set_mem(s->kernel, i, s->mem, 0));
	CHECK(!xetile_kernel_set_value(s->kernel, 3, &scale, sizeof(scale)));
	CHECK(!xetile_queue_create(s->context, s->device, &desc, &s->queue));
	CHECK(!xetile_graph_create(s->queue, &s->graph));
	return true;
}

static bool stack_close(struct stack *s)
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

static int submit(struct stack *s, bool graph, struct xetile_event **event)
{
	return graph ? xetile_graph_submit(s->graph, 0, NULL, event) :
	       xetile_launch(s->queue, s->kernel, &s->launch, 0, NULL, event);
}

/* The costs of the second submission, and those of the third are the same. */
static bool check(struct stack *s, const char *name, bool graph)
{
	struct xetile_event *event;
	struct cost cost[3];
	unsigned int i;
	int err;

	for (i = 0; i < 3; i++) {
		begin(&cost[i]);
		err = submit(s, graph, &event);
		end(&cost[i]);
		CHECK(!err, "%s", xetile_last_error());
		CHECK(!xetile_event_wait(event, 0));
		xetile_event_destroy(event);
	}
	printf("cost: %s: %lu instructions, %u ioctl, %u allocations\n", name,
	       cost[1].instructions, cost[1].ioctls, cost[1].allocations);
	CHECK(shared->instructions || !shared->steps, "nothing was counted");
	CHECK(cost[0].allocations && cost[0].ioctls > 1, "the first one makes a slot and an event");
	for (i = 1; i < 3; i++) {
		CHECK(cost[i].ioctls == 1, "%u ioctls", cost[i].ioctls);
		CHECK(!cost[i].allocations, "%u allocations", cost[i].allocations);
		CHECK(cost[i].instructions == cost[1].instructions, "%lu and %lu instructions",
		      cost[1].instructions, cost[i].instructions);
	}
	return true;
}

static bool check_launch(const char *name, unsigned int tiles, uint32_t flags, bool follow)
{
	struct stack s;

	if (!stack_open(&s, tiles, flags))
		return false;
	if (follow)
		s.launch.follow = (struct xetile_follow){ .mem = s.mem, .bytes = 1 << 16 };
	return check(&s, name, false) && stack_close(&s);
}

static bool check_graph(const char *name, unsigned int tiles, unsigned int num)
{
	struct stack s;

	if (!stack_open(&s, tiles, 0))
		return false;
	while (num--)
		CHECK(!xetile_graph_add_launch(s.graph, s.kernel, &s.launch));
	return check(&s, name, true) && stack_close(&s);
}

/* Nobody waits for anything: the queue asks seldom, and allocates nothing once it has its slots. */
static bool check_flight(void)
{
	unsigned int i, ioctls, had;
	struct stack s;

	if (!stack_open(&s, 2, 0))
		return false;
	fake.hold = true;
	for (i = 0; i < 64; i++)
		CHECK(!submit(&s, false, NULL));
	ioctls = fake.ioctls;
	had = allocations;
	for (i = 0; i < 640; i++)
		CHECK(!submit(&s, false, NULL));
	printf("cost: a launch with 64 in flight: %.3f ioctls\n", (fake.ioctls - ioctls) / 640.0);
	CHECK(fake.ioctls - ioctls == 640 + 2 * 20, "%u ioctls", fake.ioctls - ioctls);
	CHECK(allocations == had);
	return stack_close(&s);
}

static int run(void)
{
	test_run("a launch makes one ioctl and allocates nothing",
		 check_launch("a launch on one tile", 1, 0, false) &&
		 check_launch("a launch on two tiles", 2, 0, false));
	test_run("nor does one with times, or one that follows a color",
		 check_launch("a launch on two tiles, with times", 2, XETILE_QUEUE_TIMES, false) &&
		 check_launch("a launch on two tiles that follows 16 chunks", 2, 0, true));
	test_run("nor does a graph, whatever it has",
		 check_graph("a graph of 1 launch on one tile", 1, 1) &&
		 check_graph("a graph of 100 launches on one tile", 1, 100) &&
		 check_graph("a graph of 100 launches on two tiles", 2, 100));
	test_run("launches that nobody waits for cost little more", check_flight());
	return test_end();
}

int main(void)
{
	pid_t pid;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	pid = fork();
	if (pid < 0)
		return 1;
	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL)) {
			printf("cost: instructions are not counted: %s\n", strerror(errno));
			signal(SIGTRAP, SIG_IGN);
		} else {
			shared->steps = 1;
		}
		return run();
	}
	return trace(pid);
}
