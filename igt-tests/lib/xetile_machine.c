// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "xetile_machine.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NS		1000000000ull

bool machine_has_word(const char *path, const char *word)
{
	char text[256] = "";
	FILE *f = fopen(path, "re");

	bool has;

	igt_assert_f(f, "%s: %m\n", path);
	has = fgets(text, sizeof(text), f) && strstr(text, word);
	fclose(f);
	return has;
}

#define WATCHDOG	"/proc/sys/kernel/soft_watchdog"

int machine_sleep_to(const char *state, const char *step, unsigned int seconds)
{
	bool watched = seconds && !access(WATCHDOG, W_OK);
	cpu_set_t cpus, first;
	char text[16];
	int err;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	snprintf(text, sizeof(text), "%u", seconds);
	igt_assert_eq(xetile_write_file("/sys/module/suspend/parameters/pm_test_delay", text), 0);
	igt_assert_eq(xetile_write_file("/sys/power/pm_test", step), 0);
	if (watched)
		igt_assert_eq(xetile_write_file(WATCHDOG, "0"), 0);
	igt_assert_eq(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	if (seconds)
		igt_assert_eq(sched_setaffinity(0, sizeof(first), &first), 0);
	err = xetile_write_file("/sys/power/state", state);
	igt_assert_eq(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
	if (watched)
		igt_assert_eq(xetile_write_file(WATCHDOG, "1"), 0);
	igt_assert_eq(xetile_write_file("/sys/power/pm_test", "none"), 0);
	return err;
}

/* Where the machine's bridge has the address of its power management, and whether it answers */
#define BRIDGE		"/sys/bus/pci/devices/0000:00:1f.0/config"
#define BRIDGE_PM	0x40

/*
 * Sleep in earnest. The firmware of QEMU's machine (SeaBIOS 1.17) does not write these registers of
 * the bridge again when the machine wakes up. Without them the machine could not sleep once more,
 * nor power itself off.
 */
static int really_sleep(const char *how)
{
	int bridge = open(BRIDGE, O_RDWR | O_CLOEXEC), err;
	const char *mode = strchr(how, ':');
	char state[16];
	uint64_t pm;

	snprintf(state, sizeof(state), "%.*s", (int)strcspn(how, ":"), how);
	if (mode)
		igt_assert_eq(xetile_write_file("/sys/power/disk", mode + 1), 0);

	igt_assert_f(bridge >= 0, BRIDGE ": %m\n");
	igt_assert_eq(pread(bridge, &pm, sizeof(pm), BRIDGE_PM), sizeof(pm));
	err = xetile_write_file("/sys/power/state", state);
	igt_assert_eq(pwrite(bridge, &pm, sizeof(pm), BRIDGE_PM), sizeof(pm));
	close(bridge);
	return err;
}

int machine_sleep(unsigned int seconds)
{
	const char *how = getenv("XETILE_SLEEP");

	return how ? really_sleep(how) : machine_sleep_to("freeze", "platform", seconds);
}

static uint64_t freezer_ns(unsigned int seconds)
{
	uint64_t begin = xetile_now_ns();

	igt_assert_eq(machine_sleep_to("freeze", "freezer", seconds), 0);
	return xetile_now_ns() - begin;
}

unsigned int machine_asked_seconds(unsigned int seconds)
{
	uint64_t none = freezer_ns(0), three = freezer_ns(3);
	uint64_t ns = three > none ? three - none : 0;

	igt_assert_f(ns > NS / 10, "three seconds are %" PRIu64 " ns\n", ns);
	return 3 * seconds * NS / ns + 1;
}

uint64_t machine_available(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	uint64_t kib = 0;
	char line[128];

	igt_assert(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
			break;
	fclose(f);
	return kib >> 10;
}

#define LISTS	"/proc/sys/vm/percpu_pagelist_high_fraction"

void machine_keep_few_pages(bool few)
{
	igt_assert_eq(xetile_write_file(LISTS, few ? "1000000" : "0"), 0);
}

/* --- memory, jobs and binds that must survive a sleep --------------------------- */

static uint32_t word(unsigned int bo, uint64_t at)
{
	return (uint32_t)(at * 2654435761u + 77 * bo + 1);
}

void big_init(const struct xetile_card *card, struct big *b, struct job *j, unsigned int n,
	      uint64_t size)
{
	const uint32_t colors[] = {
		DRM_XETILE_COLOR_EVEN, DRM_XETILE_COLOR_CHUNK, DRM_XETILE_COLOR_TILE,
	};
	uint32_t tiles = (1u << card->device.num_tiles) - 1;

	n %= ARRAY_SIZE(colors);
	b->size = size;
	b->handle = xetile_bo_color(j->fd, size, colors[n], n == 2 ? 1 : tiles,
				    n == 1 ? SZ_64K : 0);
	b->map = xetile_bo_map(j->fd, b->handle, size);
	for (uint64_t at = 0; at < size / 4; at += 1024)
		b->map[at] = word(n, at);
	xetile_vm_map(j->fd, j->vm, b->handle, 0, BIG_ADDR + n * SZ_1G, size);
}

void big_check(const struct xetile_card *card, struct big *b, unsigned int n)
{
	for (uint64_t at = 0; at < b->size / 4; at += 1024)
		igt_assert_eq_u32(b->map[at], word(n, at));
	munmap(b->map, b->size);
	xetile_bo_close(card->fd, b->handle);
}

bool big_in_hbm(const struct xetile_card *card, const struct big *b)
{
	struct drm_xetile_color_run run;

	xetile_bo_runs(card->fd, b->handle, &run, 1);
	return run.tile < card->device.num_tiles;
}

/*
 * Submits a batch that waits for the syncobj @after, unless that is 0, and stores 77 to @addr.
 * Returns the syncobj of its fence.
 */
static uint32_t start_store(struct job *j, uint64_t addr, uint32_t after)
{
	struct drm_xetile_sync syncs[2] = {
		{ .handle = xetile_syncobj(j->fd), .flags = DRM_XETILE_SYNC_SIGNAL },
		{ .handle = after },
	};
	struct xetile_batch b;

	batch_begin(&b, &j->batch, 8192);
	batch_store(&b, addr, 77, false);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(j->fd, j->queue, batch_addr(&b), syncs, after ? 2 : 1), 0);
	return syncs[0].handle;
}

uint32_t start_behind(struct job *j, uint32_t after)
{
	return start_store(j, j->data.addr + 128, after);
}

void binder_init(struct binder *b, int fd, uint32_t after)
{
	struct drm_xetile_sync syncs[2] = {
		{ .handle = after },
		{ .flags = DRM_XETILE_SYNC_SIGNAL },
	};
	struct drm_xetile_bind bind = { .addr = BIG_ADDR, .range = SZ_64K };

	job_init_at(&b->j, fd, JOB_COPY_TILE, 0);
	b->bo = bind.handle = xetile_bo(fd, SZ_64K, DRM_XETILE_PLACE_HBM);
	b->map = xetile_bo_map(fd, b->bo, SZ_64K);
	b->bound = syncs[1].handle = xetile_syncobj(fd);
	igt_assert_eq(__xetile_vm_bind(fd, b->j.vm, &bind, 1, syncs, 2), 0);
	b->stored = start_store(&b->j, BIG_ADDR + 64, 0);
}

void binder_end(struct binder *b)
{
	igt_assert_eq(__xetile_wait(b->j.fd, b->bound, 60000), 0);
	igt_assert_eq(xetile_fence_status(b->j.fd, b->bound), 1);
	igt_assert_eq(__xetile_wait(b->j.fd, b->stored, 60000), 0);
	igt_assert_eq(xetile_fence_status(b->j.fd, b->stored), 1);
	igt_assert_eq_u32(b->map[16], 77);
	xetile_syncobj_destroy(b->j.fd, b->bound);
	xetile_syncobj_destroy(b->j.fd, b->stored);
	munmap((void *)b->map, SZ_64K);
	xetile_bo_close(b->j.fd, b->bo);
	job_fini(&b->j);
}
