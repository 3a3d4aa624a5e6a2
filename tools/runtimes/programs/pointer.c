// SPDX-License-Identifier: MIT
/*
 * usage: pointer fork|child|unmap|in-use [ROUNDS]
 *
 * Copies by Level Zero from one piece of the process's own memory to another, by way of the card.
 * The command list is made once, so that the memory stays bound while it is closed, and the ring
 * runs on. Meanwhile:
 *
 *   fork    a child lives through the round. Its pages are the parent's of before, and stay so:
 *           what the parent and the card write from then on goes to other pages
 *   child   a child unmaps that memory, closes all files and exits
 *   unmap   the process unmaps other memory that is bound, which no list uses any more
 *   in-use  the process unmaps memory that a list is reading. The work ends, well or badly
 */
#include <level_zero/ze_api.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "check.h"

#define WORDS	(1u << 16)
#define SIZE	(WORDS * 4ul)
/* Copies of a list that is still at work when its memory goes */
#define MANY	2000

struct run {
	ze_context_handle_t context;
	ze_device_handle_t device;
	ze_command_queue_handle_t queue;
	ze_command_list_handle_t list;
	uint32_t *from, *to, *card;
};

static uint32_t *own_memory(void)
{
	void *mem = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	TRY(mem == MAP_FAILED);
	memset(mem, 0x5a, SIZE);
	return mem;
}

static ze_command_list_handle_t list_create(struct run *run)
{
	const ze_command_list_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC };
	ze_command_list_handle_t list;

	TRY(zeCommandListCreate(run->context, run->device, &desc, &list));
	return list;
}

static void copy(ze_command_list_handle_t list, void *to, const void *from)
{
	TRY(zeCommandListAppendMemoryCopy(list, to, from, SIZE, NULL, 0, NULL));
	TRY(zeCommandListAppendBarrier(list, NULL, 0, NULL));
}

static ze_result_t execute(struct run *run, ze_command_list_handle_t list)
{
	ze_result_t err = zeCommandQueueExecuteCommandLists(run->queue, 1, &list, NULL);

	return err ? err : zeCommandQueueSynchronize(run->queue, UINT64_MAX);
}

static void setup(struct run *run)
{
	const ze_context_desc_t context = { .stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC };
	const ze_command_queue_desc_t queue = {
		.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
		.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
	};
	const ze_device_mem_alloc_desc_t mem = { .stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC };
	uint32_t num_drivers = 1, num_devices = 1;
	ze_driver_handle_t driver;

	TRY(zeInit(ZE_INIT_FLAG_GPU_ONLY));
	TRY(zeDriverGet(&num_drivers, &driver));
	TRY(zeContextCreate(driver, &context, &run->context));
	TRY(zeDeviceGet(driver, &num_devices, &run->device));
	TRY(zeCommandQueueCreate(run->context, run->device, &queue, &run->queue));
	TRY(zeMemAllocDevice(run->context, &mem, SIZE, 64, run->device, (void **)&run->card));
	run->from = own_memory();
	run->to = own_memory();
	run->list = list_create(run);
	copy(run->list, run->card, run->from);
	copy(run->list, run->to, run->card);
	TRY(zeCommandListClose(run->list));
}

static void fill(uint32_t *mem, uint32_t round)
{
	for (uint32_t i = 0; i < WORDS; i++)
		mem[i] = word(7, round, i);
}

static bool holds(const char *what, const uint32_t *mem, uint32_t round)
{
	for (uint32_t i = 0; i < WORDS; i++)
		if (differs(what, round, i, mem[i], word(7, round, i)))
			return false;
	return true;
}

/* Writes, copies and compares. */
static bool round_right(struct run *run, uint32_t round)
{
	fill(run->from, round);
	TRY(execute(run, run->list));
	return holds("parent", run->to, round);
}

static bool ended_well(pid_t child)
{
	int status;

	TRY(waitpid(child, &status, 0) != child);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* The child's words of arrays are made of its parent's number, so that it compares copies. */
static void live_through(const struct run *run, int begun, int end)
{
	uint32_t *from = malloc(SIZE), *to = malloc(SIZE);
	char c;

	memcpy(from, run->from, SIZE);
	memcpy(to, run->to, SIZE);
	TRY(write(begun, "", 1) != 1);
	TRY(read(end, &c, 1) != 1);
	_exit(memcmp(from, run->from, SIZE) || memcmp(to, run->to, SIZE));
}

static bool with_child(struct run *run, uint32_t round)
{
	int begun[2], end[2];
	bool right;
	pid_t pid;
	char c;

	TRY(pipe(begun) || pipe(end));
	pid = fork();
	if (!pid)
		live_through(run, begun[1], end[0]);
	TRY(read(begun[0], &c, 1) != 1);
	right = round_right(run, round);
	TRY(write(end[1], "", 1) != 1);
	if (!ended_well(pid)) {
		fprintf(stderr, "round %u: the child's memory has changed\n", round);
		right = false;
	}
	for (int i = 0; i < 2; i++) {
		close(begun[i]);
		close(end[i]);
	}
	return right;
}

static bool child_unmaps(struct run *run, uint32_t round)
{
	pid_t pid;
	bool right;

	fill(run->from, round);
	pid = fork();
	if (!pid) {
		TRY(munmap(run->from, SIZE) || munmap(run->to, SIZE));
		for (int fd = 0; fd < 1024; fd++)
			close(fd);
		_exit(0);
	}
	TRY(execute(run, run->list));
	right = holds("parent", run->to, round);
	return ended_well(pid) && right;
}

/* The list that has used the other memory is closed and done, and keeps it bound. */
static bool other_unmapped(struct run *run, uint32_t round)
{
	ze_command_list_handle_t other = list_create(run);
	uint32_t *mem = own_memory();
	bool right;

	fill(mem, round);
	copy(other, run->card, mem);
	TRY(zeCommandListClose(other));
	TRY(execute(run, other));
	TRY(munmap(mem, SIZE));
	right = round_right(run, round + 1) && round_right(run, round + 2);
	TRY(zeCommandListDestroy(other));
	return right;
}

/* Prints how the work ended; the process has itself to blame if badly. */
static bool unmapped_in_use(struct run *run)
{
	ze_command_list_handle_t other = list_create(run);
	uint32_t *mem = own_memory();
	ze_result_t err;

	for (int i = 0; i < MANY; i++)
		copy(other, run->card, mem);
	TRY(zeCommandListClose(other));
	TRY(zeCommandQueueExecuteCommandLists(run->queue, 1, &other, NULL));
	usleep(20000);
	TRY(zeCommandQueueSynchronize(run->queue, 0) != ZE_RESULT_NOT_READY);
	TRY(munmap(mem, SIZE));
	err = zeCommandQueueSynchronize(run->queue, UINT64_MAX);
	printf("pointer: after munmap the work ended %s (%#x)\n", err ? "badly" : "well", err);
	fflush(stdout);
	_exit(0);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	uint32_t rounds = argc > 2 ? atoi(argv[2]) : 5, good = 0;
	struct run run;

	setup(&run);
	good = round_right(&run, 0);
	for (uint32_t round = 1; round <= rounds; round++) {
		if (!strcmp(mode, "fork"))
			good += with_child(&run, round);
		else if (!strcmp(mode, "child"))
			good += child_unmaps(&run, round);
		else if (!strcmp(mode, "unmap"))
			good += other_unmapped(&run, round);
		else if (!strcmp(mode, "in-use"))
			good += unmapped_in_use(&run);
	}
	printf("pointer %s: %u of %u rounds right\n", mode, good, rounds + 1);
	return good == rounds + 1 ? 0 : 1;
}
