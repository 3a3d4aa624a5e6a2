// SPDX-License-Identifier: MIT
/*
 * The machine is told to sleep and cannot, because of the card or of another device: everything
 * must go on. Or the machine sleeps, and afterwards the card does not answer, is another card, or
 * is gone.
 *
 * suite: hotplug
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_machine.h"
#include "xetile_vgem.h"

IGT_TEST_DESCRIPTION("A sleep of the machine that fails");

#define MIB		(1ull << 20)
#define NS		1000000000ull
/* A limit of engine time, in milliseconds, that no job of these tests reaches */
#define LONG_MS		3600000

static struct xetile_card card;

static void set_huge_pages(uint64_t pages)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, pages);
	igt_assert_eq(xetile_write_file("/proc/sys/vm/nr_hugepages", text), 0);
}

/* Returns the MiB of system memory that the driver leaves to others: a sixteenth. */
static uint64_t margin(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	uint64_t kib = 0;

	igt_assert(f);
	igt_assert_eq(fscanf(f, "MemTotal: %" SCNu64, &kib), 1);
	fclose(f);
	return (kib >> 10) / 16;
}

/* Without system memory for the contents of HBM the machine must stay awake. */
static void test_no_memory(void)
{
	int log = lab_log_open();
	struct big bo;
	struct job j;

	igt_require(!access("/proc/sys/vm/nr_hugepages", W_OK));
	job_init_at(&j, card.fd, JOB_COMPUTE_TILE, LONG_MS);
	big_init(&card, &bo, &j, 0, 512 * MIB);
	/* The job brings the pages back that the CPU has moved to system memory. */
	igt_assert_eq(job_run(&j), 1);
	igt_assert_eq(job_start_held(&j), 0);
	set_huge_pages((machine_available() - 256) / 2);
	igt_assert_lte_u64(machine_available(), 511);
	igt_assert_eq(machine_sleep(0), -ENOMEM);
	set_huge_pages(0);
	lab_log_close(log, "the machine cannot sleep: no system memory");
	igt_assert_eq(xetile_fence_status(j.fd, j.syncobj), 0);
	*(volatile uint32_t *)&j.data.map[64] = 1;
	igt_assert_eq(job_end(&j), 1);
	igt_assert(big_in_hbm(&card, &bo));
	igt_assert_eq(machine_sleep(0), 0);
	big_check(&card, &bo, 0);
	job_fini(&j);
}

/* --- sleeps that are given up ---------------------------------------------------- */

/* Jobs, binds and buffers that exist when the machine tries to sleep */
struct pending {
	uint64_t used;
	struct job j[JOB_KINDS];
	uint32_t behind[JOB_KINDS], foreign;
	struct big bo;
	struct vgem vgem;
	struct binder binder;
};

static void pending_init(struct pending *p)
{
	vgem_init(&p->vgem);
	xetile_wait_hbm_free(card.fd);
	p->used = xetile_hbm_used(card.fd);
	for (unsigned int i = 0; i < JOB_KINDS; i++)
		job_init_at(&p->j[i], card.fd, i, LONG_MS);
	big_init(&card, &p->bo, &p->j[0], 0, 64 * MIB);
	/* The job brings the pages back that the CPU has moved to system memory. */
	igt_assert_eq(job_run(&p->j[0]), 1);
	for (unsigned int i = 0; i < JOB_KINDS; i++) {
		igt_assert_eq(job_start_held(&p->j[i]), 0);
		p->behind[i] = start_behind(&p->j[i], 0);
	}
	p->foreign = xetile_syncobj(card.fd);
	vgem_fence(&p->vgem, card.fd, p->foreign);
	binder_init(&p->binder, card.fd, p->foreign);
}

/*
 * Asserts that everything has survived and ends well, frees it, and that the machine can sleep
 * then.
 */
static void pending_end(struct pending *p)
{
	for (unsigned int i = 0; i < JOB_KINDS; i++) {
		igt_assert_eq(xetile_fence_status(p->j[i].fd, p->j[i].syncobj), 0);
		igt_assert_eq(xetile_fence_status(p->j[i].fd, p->behind[i]), 0);
	}
	/* The fence may have expired; both are right. */
	vgem_signal(&p->vgem);
	binder_end(&p->binder);
	for (unsigned int i = 0; i < JOB_KINDS; i++) {
		*(volatile uint32_t *)&p->j[i].data.map[64] = 1;
		igt_assert_eq(job_end(&p->j[i]), 1);
		igt_assert_eq(__xetile_wait(p->j[i].fd, p->behind[i], 60000), 0);
		igt_assert_eq(xetile_fence_status(p->j[i].fd, p->behind[i]), 1);
	}
	for (unsigned int i = 0; i < JOB_KINDS; i++)
		igt_assert_eq(job_run(&p->j[i]), 1);
	big_check(&card, &p->bo, 0);
	for (unsigned int i = 0; i < JOB_KINDS; i++)
		job_fini(&p->j[i]);
	xetile_syncobj_destroy(card.fd, p->foreign);
	vgem_fini(&p->vgem);
	xetile_assert_soon(xetile_hbm_used(card.fd) == p->used);
	igt_assert_eq(machine_sleep(0), 0);
	job_check_usable(card.fd);
}

/*
 * The sleep in @state ends after each of @steps: after the processes are frozen, after devices are
 * suspended, after firmware is told, after all processors but one are stopped, or after the core of
 * the machine is suspended. In all but the first, the card has been asleep.
 */
static void test_given_up(const char *state, const char *const steps[])
{
	struct pending p;

	pending_init(&p);
	for (; *steps; steps++)
		igt_assert_eq(machine_sleep_to(state, *steps, 0), 0);
	pending_end(&p);
}

/* The kernel resets virtio devices in a hibernation, and its 9p does not go on after that. */
#define NINE_P	"/sys/bus/virtio/drivers/9pnet_virtio/virtio0"

static void test_hibernation(const char *const steps[])
{
	igt_require_f(machine_has_word("/sys/power/state", "disk"), "the kernel has no hibernation\n");
	igt_require_f(!strcmp(steps[0], "freezer") || access(NINE_P, F_OK),
		      "the kernel's 9p does not survive a hibernation\n");
	test_given_up("disk", steps);
}

/* Without memory for the contents of HBM and their copies in the image, the machine goes on. */
static void test_no_memory_image(void)
{
	int log = lab_log_open();
	struct pending p;

	igt_require_f(machine_has_word("/sys/power/state", "disk"), "the kernel has no hibernation\n");
	igt_require(!access("/proc/sys/vm/nr_hugepages", W_OK));
	pending_init(&p);
	/* There is memory for the contents alone. */
	set_huge_pages((machine_available() - margin() - 3 * p.bo.size / MIB / 2) / 2);
	igt_assert_eq(machine_sleep_to("disk", "freezer", 0), -ENOMEM);
	set_huge_pages(0);
	lab_log_close(log, "the machine cannot hibernate: no system memory for twice");
	pending_end(&p);
}

#define INJECT	"/sys/kernel/debug/notifier-error-inject/pm/actions/PM_SUSPEND_PREPARE/error"

/* A notifier that is asked after the card refuses the sleep. */
static void test_asked(void)
{
	uint64_t before;
	struct pending p;

	/* The lower priority makes the kernel ask the card first. */
	igt_require_f(!system("modprobe pm-notifier-error-inject priority=-10") &&
		      !access(INJECT, W_OK), "the kernel cannot inject the refusal of a sleep\n");
	pending_init(&p);
	before = machine_available();
	igt_assert_eq(xetile_write_file(INJECT, "-28"), 0);
	igt_assert_eq(machine_sleep(0), -ENOSPC);
	igt_assert_eq(xetile_write_file(INJECT, "0"), 0);
	/* The card must give back the memory that it has taken for its contents by then. */
	igt_assert_lte_u64(before, machine_available() + 40);
	pending_end(&p);
	igt_assert_eq(system("modprobe -r pm-notifier-error-inject"), 0);
}

/*
 * Another device, the alarm timers, refuses when a timer will ring within two seconds. One of these
 * timers always will.
 */
static void test_refused(void)
{
	int timers[240];
	struct pending p;

	igt_require_f(!access("/sys/class/rtc/rtc0", F_OK),
		      "without a clock, alarm timers do not refuse a sleep\n");
	pending_init(&p);
	for (unsigned int i = 0; i < ARRAY_SIZE(timers); i++) {
		struct itimerspec at = { .it_value = { .tv_sec = 1 + i / 2 } };

		at.it_value.tv_nsec = i % 2 * 500000000;
		timers[i] = timerfd_create(CLOCK_BOOTTIME_ALARM, TFD_CLOEXEC);
		igt_assert_f(timers[i] >= 0, "no alarm timer: %m\n");
		igt_assert_eq(timerfd_settime(timers[i], 0, &at, NULL), 0);
	}
	igt_assert_eq(machine_sleep(0), -EBUSY);
	for (unsigned int i = 0; i < ARRAY_SIZE(timers); i++)
		close(timers[i]);
	pending_end(&p);
}

/* The card refuses, because its copy engine cannot copy. */
static void test_no_copy(void)
{
	int log = lab_log_open();
	struct pending p;
	char engine[32];

	pending_init(&p);
	xetile_kernel_engine(card.fd, engine, sizeof(engine));
	lab_inject("fault address=0 size=0x1000000000000 engine=%s access=write count=1", engine);
	igt_assert_eq(machine_sleep(0), -ENODATA);
	lab_heal();
	lab_log_close(log, "the card cannot sleep: HBM cannot be copied");
	pending_end(&p);
}

/* The bytes of a tile's HBM in a compute context */
#define CONTEXT_BYTES	(128ull << 10)
#define OWN_MIB		120

/*
 * There is memory for the users' HBM. After freezing there is none for the driver's own HBM, most
 * of which are contexts here.
 */
static void test_no_memory_own(void)
{
	uint32_t queues[OWN_MIB * MIB / CONTEXT_BYTES], num;
	unsigned int was, pinned;
	int log = lab_log_open();
	struct pending p;
	uint32_t vm;

	igt_require(!access("/proc/sys/vm/nr_hugepages", W_OK));
	pending_init(&p);
	was = xetile_set_parameter("user_contexts", UINT_MAX);
	pinned = xetile_set_parameter("user_pinned", UINT_MAX);
	vm = xetile_vm(card.fd);
	num = ARRAY_SIZE(queues) / card.device.num_tiles;
	for (unsigned int i = 0; i < num; i++)
		queues[i] = xetile_queue(card.fd, vm, COMPUTE, ROOT, 0, 0);
	/*
	 * Half of the memory for the contexts is there, a difference that a few MiB do not change.
	 */
	set_huge_pages((machine_available() - margin() - p.bo.size / MIB - OWN_MIB / 2) / 2);
	igt_assert_eq(machine_sleep(0), -ENOMEM);
	set_huge_pages(0);
	lab_log_close(log, "that are the driver's own");
	for (unsigned int i = 0; i < num; i++)
		xetile_queue_destroy(card.fd, queues[i]);
	xetile_vm_destroy(card.fd, vm);
	xetile_set_parameter("user_contexts", was);
	xetile_set_parameter("user_pinned", pinned);
	pending_end(&p);
}

/* --- cards that do not come back ------------------------------------------------- */

/*
 * The card does not wake up, or another card does. All clients must be told, and nothing may hang.
 */
static void test_wakes_not(const char *fault, bool gone, const char *says)
{
	int fd = xetile_reopen(card.fd), log = lab_log_open(), told = lab_log_open();
	int events = lab_events_open();
	char address[64];
	struct job j;

	xetile_bound_card(address, sizeof(address));
	job_init(&j, fd, JOB_COMPUTE_TILE, 0);
	igt_assert_eq(job_start_held(&j), 0);
	lab_inject("%s", fault);
	igt_assert_eq(machine_sleep(0), 0);
	igt_assert_eq(job_end(&j), gone ? -ECANCELED : -EIO);
	igt_assert_eq(job_start(&j), gone ? -ENODEV : -EIO);
	lab_log_close(log, "the card does not wake up");
	lab_log_close(told, says);
	/* Nor does the reset of a card that still answers help. */
	xetile_assert_soon(lab_event_says(events, "WEDGED=rebind,bus-reset"));
	close(events);
	lab_heal();
	/* During the next sleep there is nothing to save. */
	igt_assert_eq(machine_sleep(0), 0);
	job_fini(&j);
	close(fd);
	close(card.fd);
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	xetile_open_card(&card);
	job_check_usable(card.fd);
}

/* Opens a card that works in @card; returns whether there is one. */
static bool open_working_card(void)
{
	struct drm_xetile_bo_create bo = { .size = SZ_64K, .placement = DRM_XETILE_PLACE_HBM };
	char path[64];
	int fd;

	if (xetile_open_path(path, sizeof(path)))
		return false;
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || __xetile_bo_create(fd, &bo)) {
		close(fd);
		return false;
	}
	close(fd);
	xetile_open_card(&card);
	return true;
}

/*
 * Firmware is not ready when the machine wakes up. Nobody can kill that wait, and a watchdog of the
 * kernel's may panic after two minutes: so it ends before. The card comes back by itself when its
 * firmware is ready.
 */
static void test_wakes_late(void)
{
	int fd = xetile_reopen(card.fd), log = lab_log_open(), told = lab_log_open();
	struct job j;

	job_init(&j, fd, JOB_COMPUTE_TILE, 0);
	igt_assert_eq(job_start_held(&j), 0);
	lab_inject("pcode-error count=0");
	igt_assert_eq(machine_sleep(0), 0);
	lab_heal();
	igt_assert_eq(job_end(&j), -EIO);
	lab_log_close(told, "pcode answers error 0x2: given up after 60 s");
	lab_log_close(log, "the card does not wake up");
	munmap(j.batch.map, j.batch.size);
	munmap(j.data.map, j.data.size);
	close(j.fd);
	close(fd);
	close(card.fd);
	xetile_assert_soon(open_working_card());
	job_check_usable(card.fd);
}

/*
 * If the removal ended before the slot woke up, the slot has power again and ignores a new card. In
 * this case power the slot off, which removes the card once more.
 */
static void put_back(void)
{
	int slot = lab_log_open();
	bool stuck = false;
	char path[64];

	lab_plug(true);
	xetile_assert_soon(!xetile_open_path(path, sizeof(path)) ||
			   (stuck = lab_log_says(slot, "Already enabled")));
	close(slot);
	if (!stuck)
		return;
	snprintf(path, sizeof(path), "/sys/bus/pci/slots/%u/power", xetile_card_number() + 1);
	igt_assert_eq(xetile_write_file(path, "0"), 0);
	lab_plug(true);
	xetile_assert_soon(!xetile_open_path(path, sizeof(path)));
}

/*
 * The card is removed while the machine sleeps. Neither may wait for the other. The slot's button
 * removes the card five seconds later, when the machine is asleep.
 */
static void test_pulled(void)
{
	unsigned int seconds = machine_asked_seconds(10);
	int slot = lab_log_open(), log = lab_log_open();
	char address[64], line[128];
	uint64_t pressed, took;
	struct drm_xetile_bo_create bo = { .size = SZ_64K, .placement = DRM_XETILE_PLACE_HBM };
	int fd, runs[JOB_KINDS], waits[JOB_KINDS], bound, stored, status;
	struct job j[JOB_KINDS];
	uint32_t foreign;
	struct binder binder;
	struct vgem vgem;

	vgem_init(&vgem);
	xetile_bound_card(address, sizeof(address));
	for (unsigned int i = 0; i < JOB_KINDS; i++)
		job_init(&j[i], card.fd, i, LONG_MS);
	fd = xetile_reopen(card.fd);
	foreign = xetile_syncobj(fd);
	vgem_fence(&vgem, fd, foreign);
	binder_init(&binder, fd, foreign);
	bound = xetile_fence_file(fd, binder.bound);
	stored = xetile_fence_file(fd, binder.stored);
	for (unsigned int i = 0; i < JOB_KINDS; i++) {
		igt_assert_eq(job_start_held(&j[i]), 0);
		runs[i] = xetile_fence_file(j[i].fd, j[i].syncobj);
		waits[i] = xetile_fence_file(j[i].fd, start_behind(&j[i], 0));
	}
	/* The kernel then logs each device that it suspends, with the driver's name. */
	igt_assert_eq(xetile_write_file("/sys/power/pm_print_times", "1"), 0);
	igt_fork(child, 1)
		lab_plug_press();
	xetile_assert_soon(lab_log_says(slot, "will power off in"));
	pressed = xetile_now_ns();
	close(slot);
	igt_assert_eq(machine_sleep(seconds), 0);
	took = xetile_now_ns() - pressed;
	igt_assert_eq(xetile_write_file("/sys/power/pm_print_times", "0"), 0);
	/* The card was still bound when the machine fell asleep. */
	snprintf(line, sizeof(line), "xetile %s: PM: calling pci_pm_suspend", address);
	lab_log_close(log, line);
	igt_waitchildren();
	/* The slot is empty: the driver has let go of the card. */
	for (unsigned int i = 0; i < JOB_KINDS; i++) {
		igt_assert_eq(xetile_file_end(runs[i]), -ECANCELED);
		igt_assert_eq(xetile_file_end(waits[i]), -ECANCELED);
		igt_assert_eq(__xetile_exec(j[i].fd, j[i].queue, JOB_BATCH_ADDR, NULL, 0), -ENODEV);
		close(j[i].fd);
	}
	/* The fence of vgem expires at about the same time. */
	status = xetile_file_end(bound);
	igt_assert(status == 1 || status == -ENODEV);
	igt_assert_eq(xetile_file_end(stored), -ECANCELED);
	igt_assert_eq(__xetile_bo_create(fd, &bo), -ENODEV);
	close(fd);
	close(card.fd);
	vgem_fini(&vgem);

	put_back();
	xetile_open_card(&card);
	job_check_usable(card.fd);
	igt_assert_eq(machine_sleep(0), 0);
	job_check_usable(card.fd);
	igt_require_f(took > 6 * NS, "the machine was awake before the card was pulled\n");
}

igt_main
{
	igt_fixture {
		igt_assert(!geteuid());
		igt_require(!access("/sys/power/pm_test", W_OK));
		lab_require_card();
		lab_heal();
		machine_keep_few_pages(true);
		xetile_open_card(&card);
	}
	igt_describe("The machine must stay awake without memory for the contents of HBM");
	igt_subtest("no-memory")
		test_no_memory();
	igt_describe("The machine must not hibernate without memory for the image");
	igt_subtest("no-memory-image")
		test_no_memory_image();
	igt_describe("Clients must be told when the card does not answer after a sleep, or is "
		     "another card");
	igt_subtest("gone")
		test_wakes_not("register count=0 address=0x138124 value=0xffffffff", true,
			       "pcode reads all ones");
	igt_subtest("changed")
		test_wakes_not("register count=0 address=0x9144 value=0xff mask=0xffff", false,
			       "not the tile it was");
	igt_describe("Firmware that never gets ready must hold up the waking machine for a minute "
		     "at most");
	igt_subtest("slow")
		test_wakes_late();
	igt_describe("Everything must go on when a sleep ends after a step");
	igt_subtest("freezer")
		test_given_up("freeze", (const char *const []){ "freezer", NULL });
	igt_subtest("devices")
		test_given_up("freeze", (const char *const []){ "devices", NULL });
	igt_subtest("deep")
		test_given_up("mem", (const char *const []){ "freezer", "devices", "platform",
							     "processors", "core", NULL });
	igt_describe("Everything must go on when a hibernation ends after a step");
	igt_subtest("hibernation-freezer")
		test_hibernation((const char *const []){ "freezer", NULL });
	igt_subtest("hibernation")
		test_hibernation((const char *const []){ "devices", "platform", "processors",
							 "core", NULL });
	igt_describe("Everything must go on when a notifier or another device refuses the sleep");
	igt_subtest("asked")
		test_asked();
	igt_subtest("refused")
		test_refused();
	igt_describe("The machine must stay awake if HBM cannot be copied, or the driver's own "
		     "part has no room");
	igt_subtest("no-copy")
		test_no_copy();
	igt_subtest("no-memory-own")
		test_no_memory_own();
	igt_describe("A card that is pulled out during a sleep must be let go, and work once it "
		     "is back");
	igt_subtest("pulled")
		test_pulled();
	igt_fixture {
		machine_keep_few_pages(false);
		close(card.fd);
	}
}
