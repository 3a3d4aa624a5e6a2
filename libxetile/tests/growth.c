// SPDX-License-Identifier: MIT
/*
 * Structs that calls fill, in programs with an older or a newer header: a call writes as many bytes
 * as the program's struct has, and zeros behind what the library knows. On a driver in this
 * process.
 */
#include "fake.h"
#include "stack.h"
#include "test.h"
#include "xetile.h"

#define MOST	8192	/* bytes of the largest struct, and more */
#define NEWER	24	/* bytes that a newer header has behind it */

static struct stack s;
static struct xetile_event *event;
static void *usm;

static const struct xetile_launch_desc launch = { .groups = { 4 }, .local = { 32 } };

static int device_info(void *to, size_t size)
{
	return (xetile_device_get_info)(s.device, to, size);
}

static int engine_info(void *to, size_t size)
{
	return (xetile_device_get_engines)(s.device, to, 1, size) < 1;
}

static int distance(void *to, size_t size)
{
	return (xetile_device_get_distance)(s.device, 0, 1, to, size);
}

static int kernel_info(void *to, size_t size)
{
	(xetile_kernel_get_info)(s.kernel, to, size);
	return 0;
}

static int queue_info(void *to, size_t size)
{
	return (xetile_queue_get_info)(s.queue, to, size);
}

static int times(void *to, size_t size)
{
	return (xetile_event_get_times)(event, to, size);
}

static int usm_info(void *to, size_t size)
{
	return (xetile_usm_get_info)(s.context, usm, to, size);
}

static int forecast(void *to, size_t size)
{
	static const struct xetile_mem_desc mem = { .size = 1 << 20 };
	static const struct xetile_access access = { .bytes = 4 };
	const struct xetile_explain_desc desc = {
		.launch = &launch, .tile_mask = 3, .mem = &mem, .accesses = &access,
		.num_accesses = 1,
	};

	return (xetile_plan_explain)(&desc, to, size);
}

static const struct {
	const char *name;
	int (*fill)(void *to, size_t size);
	size_t size;
} answers[] = {
	{ "a device", device_info, sizeof(struct xetile_device_info) },
	{ "an engine", engine_info, sizeof(struct xetile_engine_info) },
	{ "a distance", distance, sizeof(struct xetile_distance) },
	{ "a kernel", kernel_info, sizeof(struct xetile_kernel_info) },
	{ "a queue", queue_info, sizeof(struct xetile_queue_info) },
	{ "times", times, sizeof(struct xetile_times) },
	{ "an allocation", usm_info, sizeof(struct xetile_usm_info) },
	{ "a forecast", forecast, sizeof(struct xetile_forecast) },
};

static bool check_answer(int (*fill)(void *to, size_t size), size_t known)
{
	static unsigned char whole[MOST], part[MOST + NEWER];
	size_t size, i;

	CHECK(known < MOST);
	CHECK(!fill(whole, known), "%s", xetile_last_error());
	for (size = 0; size <= known + NEWER; size++) {
		memset(part, 0xa5, sizeof(part));
		CHECK(!fill(part, size), "%s", xetile_last_error());
		CHECK(!memcmp(part, whole, size < known ? size : known), "%zu bytes", size);
		for (i = known; i < size; i++)
			CHECK(!part[i], "%zu bytes, byte %zu", size, i);
		for (i = size; i < known + NEWER; i++)
			CHECK(part[i] == 0xa5, "%zu bytes, byte %zu", size, i);
	}
	return true;
}

/* Each engine of a list is as far from the one before as the program's header says. */
static bool check_list(void)
{
	struct newer {
		struct xetile_engine_info known;
		uint64_t more;
	} list[4];
	struct xetile_engine_info same[4];
	int i, num = xetile_device_get_engines(s.device, same, 4);

	CHECK(num == 4, "%d", num);
	memset(list, 0xa5, sizeof(list));
	CHECK((xetile_device_get_engines)(s.device, &list[0].known, 4, sizeof(list[0])) == num);
	for (i = 0; i < num; i++)
		CHECK(!memcmp(&list[i].known, &same[i], sizeof(same[i])) && !list[i].more, "%d", i);
	return true;
}

static bool open_all(void)
{
	const struct xetile_usm_desc desc = { .mem.size = 100 };

	if (!stack_open(&s, 2, XETILE_QUEUE_TIMES))
		return false;
	CHECK(!xetile_usm_alloc(s.context, s.device, &desc, &usm));
	CHECK(!xetile_launch(s.queue, s.kernel, &launch, 0, NULL, &event));
	CHECK(!xetile_event_wait(event, -1));
	return true;
}

static bool close_all(void)
{
	xetile_event_destroy(event);
	CHECK(!xetile_usm_free(s.context, usm));
	return stack_close(&s);
}

int main(void)
{
	char name[64];
	unsigned int i;

	test_run("objects to ask for", open_all());
	for (i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		snprintf(name, sizeof(name), "the description of %s can grow", answers[i].name);
		test_run(name, check_answer(answers[i].fill, answers[i].size));
	}
	test_run("the engines of a list can grow", check_list());
	test_run("nothing is left", close_all());
	return test_end();
}
