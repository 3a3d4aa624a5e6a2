// SPDX-License-Identifier: MIT
/*
 * Perf counts how long each engine is busy: as fdinfo of the clients tells, for the whole machine,
 * and on when the card goes and comes back.
 * Statements: W10.
 *
 * suite: once
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/syscall.h>

#include <linux/perf_event.h>

#include "xetile_job.h"

IGT_TEST_DESCRIPTION("The PMU of the card");

#define DEVICES		"/sys/bus/event_source/devices"
#define RUN_MS		400

static struct xetile_card card = { .fd = -1 };
static char address[64], folder[128];

static void read_file(const char *name, char *text, size_t size)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	igt_assert_eq(xetile_read_file(path, text, size), 0);
}

/* An event as perf finds it: the PMU's type and CPU, and the number of the engine */
static struct perf_event_attr event_of(const char *engine, int *cpu)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	char name[64], text[64];
	unsigned int number;

	read_file("type", text, sizeof(text));
	attr.type = strtoul(text, NULL, 10);
	read_file("cpumask", text, sizeof(text));
	*cpu = strtoul(text, NULL, 10);
	read_file("format/engine", text, sizeof(text));
	igt_assert(!strcmp(text, "config:0-7\n"));
	snprintf(name, sizeof(name), "events/%s-busy.unit", engine);
	read_file(name, text, sizeof(text));
	igt_assert(!strcmp(text, "ns\n"));
	snprintf(name, sizeof(name), "events/%s-busy", engine);
	read_file(name, text, sizeof(text));
	igt_assert_eq(sscanf(text, "engine=%x", &number), 1);
	attr.config = number;
	return attr;
}

static int try_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int open_engine(const char *engine)
{
	struct perf_event_attr attr;
	int cpu, fd;

	attr = event_of(engine, &cpu);
	fd = try_open(&attr, -1, cpu);
	igt_assert_lte(0, fd);
	return fd;
}

static uint64_t count(int fd)
{
	uint64_t n;

	igt_assert_eq(read(fd, &n, sizeof(n)), sizeof(n));
	return n;
}

/* Two clients take turns on an engine: it is busy as long as both use it together. */
static void test_busy(void)
{
	int busy = open_engine("tile0-ccs0"), idle = open_engine("tile0-ccs1"), copy;
	uint64_t told = 0, counted, before;
	struct job j[2];

	for (unsigned int i = 0; i < 2; i++)
		job_init(&j[i], card.fd, JOB_COMPUTE_TILE, card.device.max_timeout_ms);
	copy = open_engine("tile0-bcs0");
	for (unsigned int i = 0; i < 2; i++)
		told += xetile_fdinfo_bytes(j[i].fd, "drm-engine-compute");
	before = count(busy);
	for (unsigned int i = 0; i < 2; i++)
		igt_assert_eq(job_start_held(&j[i]), 0);
	usleep(RUN_MS * 1000);
	/* The turn that goes on counts. */
	igt_assert_lte_u64(before + 1000000, count(busy));
	for (unsigned int i = 0; i < 2; i++) {
		*(volatile uint32_t *)&j[i].data.map[64] = 1;
		igt_assert_eq(job_end(&j[i]), 1);
	}
	xetile_wait_engines_free(card.fd);
	counted = count(busy) - before;
	told = -told;
	for (unsigned int i = 0; i < 2; i++)
		told += xetile_fdinfo_bytes(j[i].fd, "drm-engine-compute");
	igt_info("perf %" PRIu64 " ns, fdinfo %" PRIu64 " ns\n", counted, told);
	igt_assert_lte_u64(told - told / 100, counted);
	igt_assert_lte_u64(counted, told + told / 100);
	igt_assert_eq_u64(count(idle), 0);
	igt_assert_eq_u64(count(copy), 0);
	for (unsigned int i = 0; i < 2; i++)
		job_fini(&j[i]);
	close(busy);
	close(idle);
	close(copy);
}

/* There is nothing to sample, and no process of its own to count. */
static void test_refuses(void)
{
	struct perf_event_attr attr, wrong;
	int cpu;

	attr = wrong = event_of("tile0-ccs0", &cpu);
	wrong.sample_period = 1000;
	igt_assert_eq(try_open(&wrong, -1, cpu), -EOPNOTSUPP);
	igt_assert_eq(try_open(&attr, 0, -1), -EINVAL);
	igt_assert_eq(try_open(&attr, 0, cpu), -EINVAL);
	wrong = attr;
	wrong.config = 255;
	igt_assert_eq(try_open(&wrong, -1, cpu), -EINVAL);
	wrong.config = 1ull << 32;
	igt_assert_eq(try_open(&wrong, -1, cpu), -EINVAL);
	wrong = attr;
	wrong.config1 = 1;
	igt_assert_eq(try_open(&wrong, -1, cpu), -EINVAL);
}

/* An event that is open when the card goes counts on when it is back. */
static void test_rebind(void)
{
	int busy = open_engine("tile0-ccs0");
	uint64_t before;

	job_check_usable(card.fd);
	xetile_wait_engines_free(card.fd);
	igt_assert_lte_u64(1, count(busy));
	close(card.fd);
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	before = count(busy);
	usleep(10000);
	igt_assert_eq_u64(count(busy), before);
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	xetile_open_card(&card);
	job_check_usable(card.fd);
	xetile_wait_engines_free(card.fd);
	igt_assert_lte_u64(before + 1, count(busy));
	close(busy);
}

igt_main
{
	igt_fixture {
		xetile_open_card(&card);
		xetile_bound_card(address, sizeof(address));
		snprintf(folder, sizeof(folder), DEVICES "/xetile_%s", address);
		for (char *at = folder + strlen(DEVICES); *at; at++)
			if (*at == ':')
				*at = '_';
	}

	igt_describe("An engine's time must be that of all its clients");
	igt_subtest("busy")
		test_busy();
	igt_describe("Events that cannot be counted must be refused");
	igt_subtest("refuses")
		test_refuses();
	igt_describe("A count must go on when the card is bound anew");
	igt_subtest("rebind")
		test_rebind();

	igt_fixture
		close(card.fd);
}
