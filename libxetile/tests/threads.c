// SPDX-License-Identifier: MIT
/*
 * Several threads at once: each uses its own objects of one context, and all wait for one event.
 * The driver in this process serves one call at a time. The thread sanitizer finds data races of
 * the library.
 */
#include <errno.h>
#include <pthread.h>

#include "fake.h"
#include "ioctl.h"
#include "test.h"
#include "xetile.h"

#define THREADS	4
#define ROUNDS	100

static struct {
	struct xt_door fake;
	pthread_mutex_t lock;
	struct xetile_device *device;
	struct xetile_context *context;
	struct xetile_event *event;
	struct xetile_pool *pool;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int ioctl_in_turn(int fd, unsigned long request, void *arg)
{
	int ret;

	pthread_mutex_lock(&all.lock);
	ret = all.fake.ioctl(fd, request, arg);
	pthread_mutex_unlock(&all.lock);
	return ret;
}

static int open_in_turn(const char *node)
{
	int ret;

	pthread_mutex_lock(&all.lock);
	ret = all.fake.open(node);
	pthread_mutex_unlock(&all.lock);
	return ret;
}

/* Small and large memory of each kind, some of which other threads take at once */
static bool usm_round(void)
{
	static const uint64_t sizes[] = { 100, 3 * XETILE_COLOR_PAGE, 2 << 20 };
	struct xetile_usm_desc desc = { 0 };
	struct xetile_usm_info info;
	uint8_t *ptr[9];
	unsigned int i;

	for (i = 0; i < 9; i++) {
		desc.kind = i / 3;
		desc.mem.size = sizes[i % 3];
		CHECK(!xetile_usm_alloc(all.context, all.device, &desc, (void **)&ptr[i]), "%s",
		      xetile_last_error());
		if (desc.kind != XETILE_USM_DEVICE)
			ptr[i][0] = ptr[i][sizes[i % 3] - 1] = i;
	}
	for (i = 0; i < 9; i++) {
		CHECK(!xetile_usm_get_info(all.context, ptr[i], &info) && info.base == ptr[i]);
		if (info.kind != XETILE_USM_DEVICE)
			CHECK(ptr[i][0] == i && ptr[i][sizes[i % 3] - 1] == i);
		CHECK(!xetile_usm_free(all.context, ptr[i]));
	}
	return true;
}

static bool one_round(struct xetile_queue *queue)
{
	const struct xetile_mem_desc desc = { .size = 3 * XETILE_COLOR_PAGE };
	const struct xetile_mem_range copies = { .desc.color = XETILE_COLOR_REPLICATE };
	const struct xetile_mem_range even = { .desc.color = XETILE_COLOR_EVEN };
	const struct xetile_mem_desc bad = { .size = 0 };
	struct xetile_device_info info;
	struct xetile_event *event;
	struct xetile_mem *mem, *none, *object;
	void *map;

	CHECK(!xetile_mem_alloc(all.context, all.device, &desc, &mem));
	CHECK(!xetile_fill(queue, mem, 0, desc.size, 7, 1, &all.event, &event));
	CHECK(!xetile_event_wait(event, -1));
	CHECK(!xetile_event_wait(all.event, -1));
	CHECK(!xetile_pool_alloc(all.pool, all.device, &desc, &object));
	CHECK(!xetile_mem_map(object, &map));
	memset(map, 1, desc.size);
	CHECK(!xetile_copy(queue, object, 0, mem, 0, desc.size, 0, NULL, NULL));
	xetile_mem_free(object);
	/* This waits for the work of all threads, whose queues come and go. */
	CHECK(!xetile_mem_recolor(mem, all.device, &copies, 1), "%s", xetile_last_error());
	CHECK(!xetile_mem_recolor(mem, all.device, &even, 1), "%s", xetile_last_error());
	CHECK(!xetile_device_get_info(all.device, &info));
	if (!usm_round())
		return false;
	/* Each thread has an error text of its own. */
	CHECK(xetile_mem_alloc(all.context, all.device, &bad, &none) == -EINVAL);
	CHECK(*xetile_last_error());
	xetile_event_destroy(event);
	xetile_mem_free(mem);
	return true;
}

static void *thread(void *arg)
{
	const struct xetile_queue_desc copy = { .engine_class = XETILE_COPY_NEAREST };
	struct xetile_queue *queue;
	bool *ok = arg;

	*ok = !xetile_queue_create(all.context, all.device, &copy, &queue);
	for (unsigned int i = 0; *ok && i < ROUNDS; i++)
		*ok = one_round(queue);
	if (*ok)
		xetile_queue_destroy(queue);
	return NULL;
}

static bool check_threads(void)
{
	const struct xetile_queue_desc copy = { .engine_class = XETILE_COPY };
	const struct xetile_mem_desc desc = { .size = XETILE_COLOR_PAGE };
	const struct xetile_mem_desc pool = { .size = 3 * THREADS * XETILE_COLOR_PAGE };
	struct xetile_platform *platform;
	struct xetile_queue *queue;
	struct xetile_mem *mem;
	pthread_t threads[THREADS];
	bool ok[THREADS];

	fake_start(2, 1);
	CHECK(!fake_platform(1, NULL, &platform));
	all.fake = xt_door;
	xt_door = (struct xt_door){ .ioctl = ioctl_in_turn, .open = open_in_turn };
	CHECK(!xetile_platform_select(platform, "0", &all.device));
	CHECK(!xetile_context_create(all.device, &all.context));
	CHECK(!xetile_queue_create(all.context, all.device, &copy, &queue));
	CHECK(!xetile_mem_alloc(all.context, all.device, &desc, &mem));
	CHECK(!xetile_pool_create(all.context, all.device, &pool, &all.pool));
	CHECK(!xetile_fill(queue, mem, 0, desc.size, 7, 0, NULL, &all.event));

	for (unsigned int i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, thread, &ok[i]));
	for (unsigned int i = 0; i < THREADS; i++)
		CHECK(!pthread_join(threads[i], NULL));
	for (unsigned int i = 0; i < THREADS; i++)
		CHECK(ok[i], "thread %u", i);

	xetile_event_destroy(all.event);
	xetile_pool_destroy(all.pool);
	xetile_mem_free(mem);
	xetile_queue_destroy(queue);
	xetile_context_destroy(all.context);
	xetile_platform_close(platform);
	CHECK(!fake_leaks());
	return true;
}

#define LAUNCHES	300
#define IN_FLIGHT	100		/* the fake driver has fences for no more */

/* Events of one thread's launches, for which another one waits */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct xetile_event *events[LAUNCHES];
	unsigned int num, taken;
	bool ok;
} line = { .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER };

static bool take_events(void)
{
	struct xetile_event *event;
	struct xetile_times times;
	unsigned int i;

	for (i = 0; i < LAUNCHES; i++) {
		pthread_mutex_lock(&line.lock);
		while (line.num <= i)
			pthread_cond_wait(&line.more, &line.lock);
		event = line.events[i];
		line.taken++;
		pthread_cond_signal(&line.more);
		pthread_mutex_unlock(&line.lock);
		if (i % 3)
			CHECK(!xetile_event_wait(event, -1), "%s", xetile_last_error());
		if (i % 3 == 2)
			CHECK(!xetile_event_get_times(event, &times), "%s", xetile_last_error());
		xetile_event_destroy(event);
	}
	return true;
}

static void *taker(void *unused)
{
	line.ok = take_events();
	return unused;
}

static bool check_events(void)
{
	const struct xetile_launch_desc launch = { .groups = { 1 }, .local = { 32 } };
	const struct xetile_queue_desc timed = { .flags = XETILE_QUEUE_TIMES };
	struct xetile_platform *platform;
	struct xetile_kernel *kernel;
	struct xetile_module *module;
	struct xetile_queue *queue;
	const uint32_t one = 1;
	pthread_t thread;
	char path[512];
	unsigned int i;

	fake_start(2, 1);
	snprintf(path, sizeof(path), "%s/kernels/kernels.bin", test_top());
	CHECK(!fake_platform(1, NULL, &platform));
	all.fake = xt_door;
	xt_door = (struct xt_door){ .ioctl = ioctl_in_turn, .open = open_in_turn };
	CHECK(!xetile_platform_select(platform, "0", &all.device));
	CHECK(!xetile_context_create(all.device, &all.context));
	CHECK(!xetile_module_load_file(all.context, path, &module));
	CHECK(!xetile_kernel_create(module, "fill", &kernel));
	CHECK(!xetile_kernel_set_address(kernel, 0, 0x10000));
	CHECK(!xetile_kernel_set_value(kernel, 1, &one, 4));
	CHECK(!xetile_queue_create(all.context, all.device, &timed, &queue));
	CHECK(!pthread_create(&thread, NULL, taker, NULL));
	for (i = 0; i < LAUNCHES; i++) {
		struct xetile_event *event;

		CHECK(!xetile_launch(queue, kernel, &launch, 0, NULL, &event), "%s",
		      xetile_last_error());
		pthread_mutex_lock(&line.lock);
		line.events[line.num++] = event;
		pthread_cond_signal(&line.more);
		while (line.num - line.taken > IN_FLIGHT)
			pthread_cond_wait(&line.more, &line.lock);
		pthread_mutex_unlock(&line.lock);
	}
	/* Events outlive their queue. */
	xetile_queue_destroy(queue);
	CHECK(!pthread_join(thread, NULL));
	CHECK(line.ok);
	xetile_kernel_destroy(kernel);
	xetile_module_unload(module);
	xetile_context_destroy(all.context);
	xetile_platform_close(platform);
	CHECK(!fake_leaks());
	return true;
}

int main(void)
{
	test_run("objects of one context in several threads", check_threads());
	test_run("one thread launches, another one waits for the events", check_events());
	return test_end();
}
