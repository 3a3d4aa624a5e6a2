// SPDX-License-Identifier: MIT
/*
 * usage: l0 [ROUNDS [WORDS]]
 *
 * Fills and copies memory by Level Zero on each device: host to device, device to device in the
 * order of events, a pattern over a part of it, and back; by a regular command list and by an
 * immediate one. Compares each word with the CPU's. No kernel: Level Zero takes no source.
 */
#include <level_zero/ze_api.h>
#include <string.h>

#include "check.h"

struct run {
	ze_context_handle_t context;
	ze_device_handle_t device;
	ze_command_queue_handle_t queue;
	ze_command_list_handle_t list, immediate;
	ze_event_pool_handle_t pool;
	ze_event_handle_t events[2];
	uint32_t words, *host, *first, *second;
};

static uint32_t *allocate(struct run *run, bool on_card)
{
	const ze_device_mem_alloc_desc_t device = { .stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC };
	const ze_host_mem_alloc_desc_t host = { .stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC };
	void *mem;

	if (on_card)
		TRY(zeMemAllocDevice(run->context, &device, run->words * 4ul, 64, run->device,
				     &mem));
	else
		TRY(zeMemAllocHost(run->context, &host, run->words * 4ul, 64, &mem));
	return mem;
}

static void setup(struct run *run, ze_context_handle_t context, ze_device_handle_t device,
		  uint32_t words)
{
	const ze_command_queue_desc_t queue = {
		.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
	};
	const ze_command_list_desc_t list = { .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC };
	const ze_event_pool_desc_t pool = {
		.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
		.count = 2,
	};

	*run = (struct run) { .context = context, .device = device, .words = words };
	TRY(zeCommandQueueCreate(context, device, &queue, &run->queue));
	TRY(zeCommandListCreate(context, device, &list, &run->list));
	TRY(zeCommandListCreateImmediate(context, device, &queue, &run->immediate));
	TRY(zeEventPoolCreate(context, &pool, 1, &device, &run->pool));
	for (uint32_t i = 0; i < 2; i++) {
		const ze_event_desc_t event = {
			.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i,
			.signal = ZE_EVENT_SCOPE_FLAG_HOST, .wait = ZE_EVENT_SCOPE_FLAG_DEVICE,
		};

		TRY(zeEventCreate(run->pool, &event, &run->events[i]));
	}
	run->host = allocate(run, false);
	run->first = allocate(run, true);
	run->second = allocate(run, true);
}

/* Host to first, first to second, a pattern over the second's upper half, and back */
static void append(struct run *run, ze_command_list_handle_t list, uint32_t pattern)
{
	const size_t size = run->words * 4ul, half = size / 2;

	TRY(zeCommandListAppendMemoryCopy(list, run->first, run->host, size, run->events[0], 0,
					  NULL));
	TRY(zeCommandListAppendMemoryCopy(list, run->second, run->first, size, run->events[1], 1,
					  &run->events[0]));
	TRY(zeCommandListAppendMemoryFill(list, run->second + run->words / 2, &pattern,
					  sizeof(pattern), size - half, NULL, 1,
					  &run->events[1]));
	TRY(zeCommandListAppendBarrier(list, NULL, 0, NULL));
	TRY(zeCommandListAppendMemoryCopy(list, run->host, run->second, size, NULL, 0, NULL));
}

static void fill(struct run *run, uint32_t round)
{
	for (uint32_t i = 0; i < run->words; i++)
		run->host[i] = word(3, round, i);
}

static bool check(const struct run *run, const char *what, uint32_t round, uint32_t pattern)
{
	for (uint32_t i = 0; i < run->words; i++)
		if (differs(what, round, i, run->host[i],
			    i < run->words / 2 ? word(3, round, i) : pattern))
			return false;
	return true;
}

static void reset_events(struct run *run)
{
	TRY(zeEventHostReset(run->events[0]));
	TRY(zeEventHostReset(run->events[1]));
}

static bool regular(struct run *run, uint32_t round)
{
	uint32_t pattern = word(4, round, 0);

	fill(run, round);
	reset_events(run);
	TRY(zeCommandListReset(run->list));
	append(run, run->list, pattern);
	TRY(zeCommandListClose(run->list));
	TRY(zeCommandQueueExecuteCommandLists(run->queue, 1, &run->list, NULL));
	TRY(zeCommandQueueSynchronize(run->queue, UINT64_MAX));
	return check(run, "regular list", round, pattern);
}

static bool immediate(struct run *run, uint32_t round)
{
	uint32_t pattern = word(5, round, 0);

	fill(run, round);
	reset_events(run);
	append(run, run->immediate, pattern);
	TRY(zeCommandListHostSynchronize(run->immediate, UINT64_MAX));
	return check(run, "immediate list", round, pattern);
}

static void cleanup(struct run *run)
{
	TRY(zeMemFree(run->context, run->host));
	TRY(zeMemFree(run->context, run->first));
	TRY(zeMemFree(run->context, run->second));
	TRY(zeEventDestroy(run->events[0]));
	TRY(zeEventDestroy(run->events[1]));
	TRY(zeEventPoolDestroy(run->pool));
	TRY(zeCommandListDestroy(run->list));
	TRY(zeCommandListDestroy(run->immediate));
	TRY(zeCommandQueueDestroy(run->queue));
}

int main(int argc, char **argv)
{
	const ze_context_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC };
	uint32_t rounds = argc > 1 ? atoi(argv[1]) : 3;
	uint32_t words = argc > 2 ? atoi(argv[2]) : 1 << 16;
	uint32_t num_drivers = 1, num = 8;
	ze_device_handle_t devices[8];
	ze_context_handle_t context;
	ze_driver_handle_t driver;
	unsigned int good = 0;

	TRY(zeInit(ZE_INIT_FLAG_GPU_ONLY));
	TRY(zeDriverGet(&num_drivers, &driver));
	TRY(zeContextCreate(driver, &desc, &context));
	TRY(zeDeviceGet(driver, &num, devices));
	for (uint32_t d = 0; d < num; d++) {
		struct run run;

		setup(&run, context, devices[d], words);
		for (uint32_t round = 0; round < rounds; round++)
			good += regular(&run, round) + immediate(&run, round);
		cleanup(&run);
	}
	TRY(zeContextDestroy(context));
	printf("l0: %u of %u rounds right, %u devices\n", good, 2 * num * rounds, num);
	return good == 2 * num * rounds && good ? 0 : 1;
}
