// SPDX-License-Identifier: MIT
/*
 * The module's parameters that take a part of the driver out of the way: each acts, as the card's
 * counters show, and the card still works. A part that is in its place is seen as well, so that
 * each test fails if its parameter is ignored.
 *
 * suite: long
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_module.h"
#include "xetile_place.h"

IGT_TEST_DESCRIPTION("Parts of the driver that are taken out of the way");

#define JOBS		20
/* Bits of the parameter engines */
#define COPY_SHIFT	4

static void reload(const char *parameters)
{
	xetile_module_unload();
	igt_assert_eq(xetile_module_load(parameters), 0);
}

/* --- tlb=always ---------------------------------------------------------------------------- */

/* Returns how often the engine was told to drop translations by JOBS jobs that change nothing. */
static uint64_t invalidations(enum job_kind kind)
{
	int fd = xetile_open();
	uint64_t before, n;
	struct job j;

	job_init(&j, fd, kind, 0);
	before = lab_counter(j.engine, "invalidations");
	for (unsigned int i = 0; i < JOBS; i++)
		igt_assert_eq(job_run(&j), 1);
	n = lab_counter(j.engine, "invalidations") - before;
	job_fini(&j);
	close(fd);
	return n;
}

static void test_tlb(enum job_kind kind)
{
	reload("");
	igt_assert_eq_u64(invalidations(kind), 0);
	reload("tlb=always");
	igt_assert_eq_u64(invalidations(kind), JOBS);
}

/* --- preempt=off --------------------------------------------------------------------------- */

static uint64_t switches(const struct job *j)
{
	return lab_counter(j->engine, "preemptions") + lab_counter(j->engine, "lite_restores");
}

/* A job that waits for the test has the engine, and another process has a job for it. */
static void test_preempt(enum job_kind kind, bool off)
{
	struct job a, b;
	uint64_t before;
	int fd;

	reload(off ? "preempt=off" : "preempt=on");
	fd = xetile_open();
	/* Copy engines are many, and a gang of one tile is a queue. */
	job_init(&a, fd, kind, 60000);
	job_init(&b, fd, kind, 60000);
	before = switches(&a);
	igt_assert_eq(job_start_held(&a), 0);
	igt_assert_eq(job_start(&b), 0);
	if (off) {
		/* As many turns as the job would have had */
		igt_assert_eq(__xetile_wait(b.fd, b.syncobj, 500), -ETIME);
		igt_assert_eq_u64(switches(&a), before);
	} else {
		igt_assert_eq(__xetile_wait(b.fd, b.syncobj, 60000), 0);
		igt_assert_lte_u64(before + 1, switches(&a));
	}
	a.data.map[64] = 1;
	igt_assert_eq(job_end(&a), 1);
	igt_assert_eq(job_end(&b), 1);
	if (off)
		igt_assert_eq_u64(switches(&a), before);
	job_fini(&b);
	job_fini(&a);
	close(fd);
}

/* Two busy queues share an engine, and all of their jobs end, without a switch in a job's midst. */
static void test_busy(void)
{
	struct drm_xetile_sync done[2] = { 0 };
	struct job j[2];
	uint64_t before;
	int fd;

	reload("preempt=off");
	fd = xetile_open();
	for (unsigned int i = 0; i < 2; i++)
		job_init(&j[i], fd, JOB_COMPUTE_TILE, 0);
	before = switches(&j[0]);
	/* A first job that waits for the test has the engine while jobs come for both queues. */
	igt_assert_eq(job_start_held(&j[0]), 0);
	for (unsigned int n = 0; n < 2 * JOBS; n++) {
		for (unsigned int i = 0; i < 2; i++) {
			bool last = n == 2 * JOBS - 1;

			done[i] = (struct drm_xetile_sync) { .flags = DRM_XETILE_SYNC_SIGNAL };
			if (last)
				done[i].handle = xetile_syncobj(j[i].fd);
			igt_assert_eq(__xetile_exec(j[i].fd, j[i].queue, j[i].batch.addr, &done[i],
						    last), 0);
		}
	}
	j[0].data.map[64] = 1;
	igt_assert_eq(job_end(&j[0]), 1);
	for (unsigned int i = 0; i < 2; i++)
		xetile_wait_done(j[i].fd, done[i].handle);
	igt_assert_eq_u64(switches(&j[0]), before);
	for (unsigned int i = 0; i < 2; i++) {
		job_check_unharmed(&j[i]);
		job_fini(&j[i]);
	}
	close(fd);
}

/* A job that does not end has its time limit, and the other process gets the engine then. */
static void test_endless(void)
{
	struct job a, b;
	int fd;

	reload("preempt=off");
	fd = xetile_open();
	job_init(&a, fd, JOB_COMPUTE_TILE, 1000);
	job_init(&b, fd, JOB_COMPUTE_TILE, 0);
	igt_assert_eq(job_start_endless(&a), 0);
	igt_assert_eq(job_start(&b), 0);
	igt_assert_eq(job_end(&a), -ETIME);
	igt_assert_eq(job_end(&b), 1);
	job_check_banned(&a);
	job_check_unharmed(&b);
	job_fini(&b);
	job_fini(&a);
	close(fd);
}

/* --- engines= ------------------------------------------------------------------------------ */

static void test_engines(void)
{
	struct xetile_card all, some;
	char parameter[32], engine[32];
	unsigned int first = ~0u;
	uint64_t loads;

	reload("");
	xetile_open_card(&all);
	xetile_kernel_engine(all.fd, engine, sizeof(engine));
	for (unsigned int t = 0; t < all.device.num_tiles; t++)
		first &= all.tiles[t].cslice_mask;
	igt_assert(first);
	first &= -first;
	close(all.fd);
	/* One compute engine, and one copy engine, which the kernel shares */
	snprintf(parameter, sizeof(parameter), "engines=%#x", first | 1u << COPY_SHIFT);
	xetile_module_unload();
	loads = lab_counter(engine, "elsq_loads");
	reload(parameter);
	xetile_open_card(&some);
	for (unsigned int t = 0; t < all.device.num_tiles; t++) {
		igt_assert_lt(1, all.tiles[t].num_copy_engines);
		igt_assert_eq_u32(some.tiles[t].num_copy_engines, 1);
		igt_assert_eq_u32(some.tiles[t].cslice_mask, first);
		igt_assert_eq_u32(some.tiles[t].num_cslices, 1);
	}
	job_check_usable(some.fd);
	igt_assert_eq_u64(lab_counter(engine, "elsq_loads"), loads);
	close(some.fd);
}

/* A card of which nothing would be left is not bound, and a line says why. */
static void test_no_engines(void)
{
	static const char * const parameters[] = { "engines=0xf", "engines=0x1ff0", "engines=0" };

	for (unsigned int i = 0; i < ARRAY_SIZE(parameters); i++) {
		int log = lab_log_open();

		reload(parameters[i]);
		lab_log_close(log, "leaves no compute engine or no copy engine");
		igt_assert(!xetile_module_has_card());
	}
}

/* --- copy=cpu ------------------------------------------------------------------------------ */

/*
 * No file is open while a requirement is checked, because a subtest that is skipped does not close
 * it, and no later one could unload the module.
 */
static void require_card(struct xetile_card *card, bool beyond)
{
	xetile_open_card(card);
	close(card->fd);
	require_room_elsewhere(card);
	igt_require_f(!beyond || card->tiles[0].hbm_visible < part_of_tile(card, 60),
		      "the CPU reaches most or all of the HBM\n");
	card->fd = xetile_open();
}

/*
 * Fills tile 0 three times: buffers are evicted, new ones are made of memory that had data, and a
 * job brings an evicted one back. Returns how many passes the copy engines have made.
 */
static uint64_t passes_of_eviction(void)
{
	struct xetile_card card;
	uint64_t size, passes;
	uint32_t bo[3], *map;
	struct place p;

	require_card(&card, false);
	size = part_of_tile(&card, 40);
	place_init(&p, card.fd);
	for (unsigned int i = 0; i < ARRAY_SIZE(bo); i++) {
		bo[i] = strict_on(p.fd, size, 0);
		map = xetile_bo_map(p.fd, bo[i], size);
		for (uint64_t at = 0; at < size; at += SZ_4K)
			igt_assert_eq_u32(map[at / 4], 0);
		munmap(map, size);
		paint(p.fd, bo[i], size, i << 24);
	}
	igt_assert_eq_u64(pages_on(p.fd, bo[0], DRM_XETILE_MEM_SYSTEM), size / PAGE);
	xetile_vm_map(p.fd, p.vm, bo[0], 0, DATA_ADDR, size);
	place_store(&p, DATA_ADDR, 7);
	igt_assert_eq_u64(pages_on(p.fd, bo[0], 0), size / PAGE);
	for (unsigned int i = 0; i < ARRAY_SIZE(bo); i++)
		check_paint(p.fd, bo[i], size, i << 24);
	for (unsigned int i = 0; i < ARRAY_SIZE(bo); i++)
		xetile_bo_close(p.fd, bo[i]);
	passes = xetile_copy_passes(p.fd);
	place_fini(&p);
	close(card.fd);
	return passes;
}

static void test_copy(void)
{
	reload("");
	igt_assert_lte_u64(1, passes_of_eviction());
	reload("copy=cpu");
	igt_assert_eq_u64(passes_of_eviction(), 0);
}

/* Buffers of nine tenths of a tile's HBM, of which the CPU reaches less */
#define BEYOND		6

static void use_beyond(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 90 / BEYOND);
	uint32_t bo[BEYOND], *map;
	struct place p;

	place_init(&p, card->fd);
	for (uint32_t i = 0; i < BEYOND; i++) {
		bo[i] = strict_on(p.fd, size, 0);
		xetile_vm_map(p.fd, p.vm, bo[i], 0, DATA_ADDR + i * SZ_1G, size);
		place_store(&p, DATA_ADDR + i * SZ_1G, 0);
	}
	for (uint32_t i = 0; i < BEYOND; i++) {
		map = xetile_bo_map(p.fd, bo[i], size);
		for (uint64_t at = 0; at < size; at += SZ_4K)
			igt_assert_eq_u32(map[at / 4], 0);
		munmap(map, size);
		paint(p.fd, bo[i], size, i << 24);
	}
	for (uint32_t i = 0; i < BEYOND; i++)
		place_store(&p, DATA_ADDR + i * SZ_1G, 7);
	for (uint32_t i = 0; i < BEYOND; i++) {
		check_paint(p.fd, bo[i], size, i << 24);
		xetile_bo_close(p.fd, bo[i]);
	}
	place_fini(&p);
}

/*
 * HBM that the CPU does not reach is left to the engines: it is clear when it had another buffer's
 * data, too, and its words come with it to where the CPU reads them, and back.
 */
static void test_copy_window(void)
{
	struct xetile_card card;

	reload("copy=cpu");
	require_card(&card, true);
	use_beyond(&card);
	use_beyond(&card);
	igt_assert_lte_u64(1, xetile_copy_passes(card.fd));
	close(card.fd);
}

/* --- ras=off ------------------------------------------------------------------------------- */

static void test_ras(void)
{
	uint64_t before;
	int fd, log;

	reload("ras=off");
	fd = xetile_open();
	job_check_usable(fd);
	xetile_wait_engines_free(fd);
	log = lab_log_open();
	/* The handlers of errors have masks. The card sends messages before it answers. */
	before = lab_messages();
	for (unsigned int i = 0; i < JOBS; i++) {
		lab_inject("error source=hbm severity=nonfatal tile=0");
		lab_inject("error source=soc severity=correctable tile=0");
		lab_inject("error source=mdfi severity=fatal tile=0");
	}
	igt_assert_eq_u64(lab_messages(), before);
	/* The GT has none: each status interrupts once, and then shows its error for good. */
	for (unsigned int i = 0; i < JOBS; i++) {
		lab_inject("error source=gt severity=fatal tile=0");
		lab_inject("error source=l3bank severity=correctable tile=0");
	}
	igt_assert_lte_u64(lab_messages(), before + 2);
	job_check_usable(fd);
	igt_assert_eq_u32(xetile_sysfs_uint(fd, 0, "../errors/nonfatal_hbm"), 0);
	igt_assert_eq_u32(xetile_sysfs_uint(fd, 0, "../errors/correctable_soc"), 0);
	igt_assert_eq_u32(xetile_sysfs_uint(fd, 0, "../errors/fatal_mdfi"), 0);
	igt_assert_eq_u32(xetile_sysfs_uint(fd, 0, "../errors/fatal_gt"), 0);
	igt_assert_eq_u32(xetile_sysfs_uint(fd, 0, "../errors/correctable_l3bank"), 0);
	lab_log_no_error(log);
	close(fd);

	/* The next binding begins without errors, and counts those that come. */
	reload("ras=on");
	fd = xetile_open();
	igt_assert_eq_u32(xetile_sysfs_uint(fd, 0, "../errors/fatal_gt"), 0);
	lab_inject("error source=hbm severity=nonfatal tile=0");
	xetile_assert_soon(xetile_sysfs_uint(fd, 0, "../errors/nonfatal_hbm") == 1);
	close(fd);
}

/* --- all of them --------------------------------------------------------------------------- */

/* Each taints the kernel, is read-only, and takes its own words alone. */
static void test_unsafe(void)
{
	static const struct {
		const char *name, *set, *text;
	} all[] = {
		{ "tlb", "tlb=always", "always\n" }, { "preempt", "preempt=off", "off\n" },
		{ "copy", "copy=cpu", "cpu\n" },
		{ "ras", "ras=off", "off\n" }, { "engines", "engines=0x1f", "31\n" },
	};
	static const char * const wrong[] = {
		"tlb=never", "tlb=1", "preempt=", "ras=offf", "engines=ccs0",
	};
	char path[128], text[32];
	unsigned long taints;
	struct stat st;
	FILE *f;

	for (unsigned int i = 0; i < ARRAY_SIZE(wrong); i++) {
		xetile_module_unload();
		igt_assert_eq(xetile_module_load(wrong[i]), -EINVAL);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(all); i++) {
		reload(all[i].set);
		snprintf(path, sizeof(path), "/sys/module/xetile/parameters/%s", all[i].name);
		igt_assert_eq(stat(path, &st), 0);
		igt_assert_eq_u32(st.st_mode & 0777, 0444);
		f = fopen(path, "re");
		igt_assert(f && fgets(text, sizeof(text), f));
		fclose(f);
		igt_assert_f(!strcmp(text, all[i].text), "%s is %s\n", all[i].name, text);
	}
	f = fopen("/proc/sys/kernel/tainted", "re");
	igt_assert(f);
	igt_assert_eq(fscanf(f, "%lu", &taints), 1);
	fclose(f);
	/* TAINT_USER */
	igt_assert(taints & 1u << 6);
}

igt_main
{
	igt_fixture {
		int fd = lab_open();

		close(fd);
	}

	igt_describe("tlb=always: each job must invalidate translations");
	igt_subtest("tlb-compute")
		test_tlb(JOB_COMPUTE_TILE);
	igt_subtest("tlb-copy")
		test_tlb(JOB_COPY_TILE);

	igt_describe("preempt=off: an engine must keep a context until it is dry");
	igt_subtest("preempt")
		test_preempt(JOB_COMPUTE_TILE, true);
	igt_subtest("preempt-root")
		test_preempt(JOB_COMPUTE_ROOT, true);
	igt_describe("Without preempt=off the other queue must get the engine");
	igt_subtest("preempt-on")
		test_preempt(JOB_COMPUTE_TILE, false);
	igt_describe("preempt=off: busy queues must both end");
	igt_subtest("preempt-busy")
		test_busy();
	igt_describe("preempt=off: a job that does not end must be stopped at its limit");
	igt_subtest("preempt-endless")
		test_endless();

	igt_describe("engines=: other engines must be as if fused off");
	igt_subtest("engines")
		test_engines();
	igt_describe("engines=: a card with no engine of a class must be refused");
	igt_subtest("no-engines")
		test_no_engines();

	igt_describe("copy=cpu: buffers must be cleared and copied, and not by an engine");
	igt_subtest("copy")
		test_copy();
	igt_describe("copy=cpu: HBM beyond BAR2 must be left to the engines");
	igt_subtest("copy-window")
		test_copy_window();

	igt_describe("ras=off: errors must not be counted, and those with a mask not interrupt");
	igt_subtest("ras")
		test_ras();

	igt_describe("Parameters must taint the kernel, be read-only, and refuse other words");
	igt_subtest("unsafe")
		test_unsafe();

	igt_fixture {
		int fd;

		lab_heal();
		reload("");
		fd = xetile_open();
		job_check_usable(fd);
		close(fd);
	}
}
