// SPDX-License-Identifier: MIT
/*
 * The card is pulled out and put back, unbound, or reset: with nothing open, under open files and
 * mappings, and under load. Calls on open files return ENODEV, all fences signal, and the card that
 * comes back works like a new one.
 * Statements: S108.
 *
 * suite: hotplug
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_withheld.h"
#include "xetile_xe.h"

IGT_TEST_DESCRIPTION("Removal, re-plug and reset of the card");

#define BATCH_ADDR	0x10000000ull
#define DATA_ADDR	0x4000000000ull

struct user {
	int fd;
	uint32_t vm, queue, count;
	struct xetile_buf batch, data;
};

static void user_init(struct user *u, uint32_t class, uint32_t target)
{
	memset(u, 0, sizeof(*u));
	u->fd = xetile_open();
	u->vm = xetile_vm(u->fd);
	xetile_buf_init(&u->batch, u->fd, u->vm, BATCH_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	xetile_buf_init(&u->data, u->fd, u->vm, DATA_ADDR, SZ_2M, DRM_XETILE_PLACE_HBM);
	u->queue = xetile_queue(u->fd, u->vm, class, target, 0, 0);
}

/*
 * Submits a batch that stores; with @hold the batch first waits for a word that is never written.
 */
static int user_exec(struct user *u, uint32_t syncobj, bool hold)
{
	struct drm_xetile_sync sync = { .handle = syncobj, .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;

	batch_begin(&b, &u->batch, hold ? 4096 : 0);
	if (hold)
		batch_wait(&b, u->batch.addr + 8192, 1);
	batch_store(&b, u->data.addr, ++u->count, false);
	batch_end(&b);
	return __xetile_exec(u->fd, u->queue, batch_addr(&b), &sync, 1);
}

static void use_new_card(void)
{
	static const uint32_t kinds[][2] = { { COMPUTE, ROOT }, { COMPUTE, TILE }, { COPY, TILE } };

	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct user u;
		uint32_t sync;

		user_init(&u, kinds[i][0], kinds[i][1]);
		sync = xetile_syncobj(u.fd);
		igt_assert_eq(user_exec(&u, sync, false), 0);
		igt_assert_eq(__xetile_wait(u.fd, sync, 60000), 0);
		igt_assert_eq(xetile_fence_status(u.fd, sync), 1);
		igt_assert_eq_u32(u.data.map[0], 1);
		munmap(u.batch.map, u.batch.size);
		munmap(u.data.map, u.data.size);
		close(u.fd);
	}
}

static void pull_out(bool surprise)
{
	char path[64];

	/* The card leaves the bus at once; the slot tells the kernel later. */
	if (surprise)
		lab_inject("unplug");
	lab_plug(false);
	igt_assert_eq(xetile_open_path(path, sizeof(path)), -ENODEV);
}

static void put_back(void)
{
	char path[64];

	lab_plug(true);
	/* The slot's interrupt, the bus scan and the probe take less than a minute. */
	for (int i = 0; i < 600 && xetile_open_path(path, sizeof(path)); i++)
		usleep(100000);
	use_new_card();
}

/* A subtest that failed may have left the card out. */
static void ensure_card(void)
{
	char path[64];

	if (xetile_open_path(path, sizeof(path)))
		put_back();
}

static sigjmp_buf no_memory;

static void on_sigbus(int sig)
{
	siglongjmp(no_memory, 1);
}

/* Writes to a mapping. When the card is gone, SIGBUS is allowed, and nothing else may happen. */
static void touch(struct user *u)
{
	struct sigaction sa = { .sa_handler = on_sigbus, .sa_flags = SA_NODEFER }, old;

	igt_assert_eq(sigaction(SIGBUS, &sa, &old), 0);
	if (!sigsetjmp(no_memory, 1)) {
		volatile uint32_t *p = u->data.map;

		for (unsigned int i = 0; i < u->data.size / 4; i += 1024)
			p[i] = p[i] + 1;
	}
	igt_assert_eq(sigaction(SIGBUS, &old, NULL), 0);
}

/* Asserts what each call returns on a file of a card that is gone. */
static void check_gone(struct user *u)
{
	struct drm_xetile_vm_create vm = { 0 };
	struct drm_xetile_bo_create bo = { .size = SZ_64K, .placement = DRM_XETILE_PLACE_HBM };
	struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_UNMAP, .addr = DATA_ADDR, .range = SZ_2M,
	};
	struct drm_xetile_queue_create queue = {
		.vm_id = u->vm, .engine_class = COMPUTE, .target = TILE,
	};
	struct drm_xetile_queue_info info = { .queue_id = u->queue };

	igt_assert_eq(xetile_ioctl(u->fd, DRM_IOCTL_XETILE_VM_CREATE, &vm), -ENODEV);
	igt_assert_eq(__xetile_bo_create(u->fd, &bo), -ENODEV);
	igt_assert_eq(__xetile_vm_bind(u->fd, u->vm, &bind, 1, NULL, 0), -ENODEV);
	igt_assert_eq(__xetile_queue_create(u->fd, &queue), -ENODEV);
	igt_assert_eq(xetile_ioctl(u->fd, DRM_IOCTL_XETILE_QUEUE_INFO, &info), -ENODEV);
	igt_assert_eq(__xetile_exec(u->fd, u->queue, BATCH_ADDR, NULL, 0), -ENODEV);
	touch(u);
}

static void user_fini(struct user *u)
{
	munmap(u->batch.map, u->batch.size);
	munmap(u->data.map, u->data.size);
	close(u->fd);
}

static void test_open(bool surprise)
{
	static const uint32_t kinds[][2] = { { COMPUTE, ROOT }, { COMPUTE, TILE }, { COPY, TILE } };
	struct user u[3];
	uint32_t sync[3];

	/* On each queue a batch that does not end by itself, and another one behind it */
	for (unsigned int i = 0; i < ARRAY_SIZE(u); i++) {
		user_init(&u[i], kinds[i][0], kinds[i][1]);
		sync[i] = xetile_syncobj(u[i].fd);
		igt_assert_eq(user_exec(&u[i], sync[i], true), 0);
		igt_assert_eq(user_exec(&u[i], sync[i], false), 0);
		touch(&u[i]);
	}
	pull_out(surprise);
	for (unsigned int i = 0; i < ARRAY_SIZE(u); i++)
		check_gone(&u[i]);
	put_back();
	/* The old files return the same errors beside the new card. */
	for (unsigned int i = 0; i < ARRAY_SIZE(u); i++) {
		check_gone(&u[i]);
		user_fini(&u[i]);
	}
	use_new_card();
}

/* Memory that moves on access: in both memories, and touched while a batch uses it */
static void test_managed(bool surprise)
{
	struct drm_xetile_bo_create args = {
		.size = 4 * SZ_2M, .flags = DRM_XETILE_BO_MIGRATE,
		.placement = DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM,
	};
	struct user u;
	int status;
	pid_t pid;

	user_init(&u, COPY, TILE);
	args.vm_id = u.vm;
	igt_assert_eq(__xetile_bo_create(u.fd, &args), 0);
	munmap(u.data.map, u.data.size);
	u.data.size = args.size;
	u.data.map = xetile_bo_map(u.fd, args.handle, args.size);
	xetile_vm_map(u.fd, u.vm, args.handle, 0, u.data.addr, args.size);
	igt_assert_eq(user_exec(&u, xetile_syncobj(u.fd), true), 0);
	pid = fork();
	igt_assert(pid >= 0);
	if (!pid) {
		touch(&u);
		_exit(0);
	}
	xetile_assert_soon(xetile_sleeps_in(pid, "xetile_room_fetch"));
	pull_out(surprise);
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFEXITED(status) && !WEXITSTATUS(status));
	check_gone(&u);
	put_back();
	check_gone(&u);
	user_fini(&u);
	use_new_card();
}

/* Processes that work until the card is gone */
#define WORKERS	6

/* @ready: pipe that gets a byte after two rounds */
static void work(int child, int ready)
{
	struct user u;
	uint32_t sync;
	int err = 0;

	user_init(&u, child % 3 == 2 ? COPY : COMPUTE, child % 3 ? TILE : ROOT);
	sync = xetile_syncobj(u.fd);
	for (int n = 0; !err; n++) {
		uint32_t bo = 0;
		struct drm_xetile_bo_create args = {
			.size = SZ_2M, .placement = DRM_XETILE_PLACE_HBM,
		};

		err = user_exec(&u, sync, false);
		if (!err)
			err = __xetile_bo_create(u.fd, &args);
		if (!err) {
			bo = args.handle;
			err = __xetile_wait(u.fd, sync, 60000);
		}
		/* Every fence must signal, whatever became of its job. */
		igt_assert_neq(err, -ETIME);
		if (bo && !err)
			err = drmCloseBufferHandle(u.fd, bo) ? -errno : 0;
		if (n == 1)
			igt_assert_eq(write(ready, "", 1), 1);
	}
	igt_assert_f(err == -ENODEV || err == -EIO, "%s\n", strerror(-err));
	touch(&u);
	user_fini(&u);
}

/* Starts the workers; returns when all of them are at work. */
static void start_workers(void)
{
	int ready[2];
	char byte;

	igt_assert_eq(pipe(ready), 0);
	igt_fork(child, WORKERS)
		work(child, ready[1]);
	close(ready[1]);
	for (int i = 0; i < WORKERS; i++)
		igt_assert_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
}

enum way { UNBIND, ORDERLY, SURPRISE };

/*
 * Powers the slot off by sysfs, which is an orderly removal. lab_plug() would ask QEMU's monitor
 * first, while batches go on.
 */
static void power_off_slot(const char *card)
{
	char path[PATH_MAX], address[64];
	struct dirent *e;
	bool found = false;
	DIR *dir;
	int fd;

	dir = opendir("/sys/bus/pci/slots");
	igt_assert(dir);
	while (!found && (e = readdir(dir))) {
		FILE *file;

		snprintf(path, sizeof(path), "/sys/bus/pci/slots/%s/address", e->d_name);
		file = fopen(path, "re");
		if (!file)
			continue;
		/* The address is without a function's number. */
		found = fscanf(file, "%63s", address) == 1 &&
			!strncmp(card, address, strlen(address));
		fclose(file);
	}
	igt_assert_f(found, "found no slot of %s\n", card);
	snprintf(path, sizeof(path), "/sys/bus/pci/slots/%s/power", e->d_name);
	closedir(dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	igt_assert_f(fd >= 0, "%s: %m\n", path);
	igt_assert_eq(write(fd, "0", 1), 1);
	close(fd);
	igt_assert_eq(xetile_open_path(path, sizeof(path)), -ENODEV);
}

static uint64_t commands(void)
{
	char *answer = lab_ask("counters");
	uint64_t n = 0;

	for (const char *at = answer; (at = strstr(at, "\"commands\":")); at++)
		n += lab_number(at, "commands");
	free(answer);
	return n;
}

/*
 * Returns the commands that the card executes in a second while a batch loops: a measure of engine
 * time.
 */
static uint64_t commands_per_second(void)
{
	struct timespec begin, now;
	uint64_t first = commands(), last;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		last = commands();
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - begin.tv_sec + (now.tv_nsec - begin.tv_nsec) / 1e9 < 1);
	return last - first;
}

/*
 * The card goes while a call waits for room behind a batch that may take an hour. The removal must
 * take less than a second of engine time, all fences must signal, and the waiting call must return
 * ENODEV.
 */
static void test_crowd(enum way way)
{
	uint64_t second, before, took;
	struct crowd crowd;
	char address[64];
	int fd = xetile_open(), status;

	xetile_bound_card(address, sizeof(address));
	crowd_init(&crowd, fd, JOB_COMPUTE_TILE);
	close(fd);
	second = commands_per_second();
	before = commands();
	if (way == UNBIND)
		igt_assert_eq(xetile_write_driver("unbind", address), 0);
	else if (way == ORDERLY)
		power_off_slot(address);
	else
		pull_out(true);
	took = commands() - before;
	igt_assert_eq(crowd_end(&crowd, &status), ENODEV);
	igt_assert_eq(status, -ECANCELED);
	igt_assert_eq(lab_engines("active"), 0);
	/* A card that was pulled out just stops. */
	if (way != SURPRISE) {
		igt_info("note: %llu commands until the card was gone, %llu in a second\n",
			 (unsigned long long)took, (unsigned long long)second);
		igt_assert_lte_u64(took, second);
	}
	if (way == UNBIND) {
		igt_assert_eq(xetile_write_driver("bind", address), 0);
		use_new_card();
	} else {
		put_back();
	}
}

static void start_withheld(struct withheld *calls, int fd)
{
	for (enum withheld_kind k = 0; k < WITHHELD_KINDS; k++)
		withheld_start(&calls[k], fd, k);
}

static void end_withheld(struct withheld *calls, int *errors)
{
	for (enum withheld_kind k = 0; k < WITHHELD_KINDS; k++)
		errors[k] = withheld_end(&calls[k]);
}

/*
 * Asserts what the calls returned. Calls that had their answer already, or need nothing of the
 * card, succeed. All others return @gone.
 */
static void check_withheld(const int *errors, int gone)
{
	for (enum withheld_kind k = 0; k < WITHHELD_KINDS; k++) {
		bool served = k == WITHHELD_ANSWER || k == WITHHELD_RUNS || k == WITHHELD_SYNCOBJS;

		igt_assert_eq(errors[k], served ? 0 : gone);
	}
}

static void go_away(enum way way, const char *address)
{
	if (way == UNBIND)
		igt_assert_eq(xetile_write_driver("unbind", address), 0);
	else
		pull_out(way == SURPRISE);
	_exit(0);
}

/*
 * The card goes while calls wait for withheld memory. The removal must not wait for these calls,
 * and the calls must find that the card is gone.
 */
static void test_withheld(enum way way)
{
	struct withheld calls[WITHHELD_KINDS];
	int fd = xetile_open(), status, left = 60000, errors[WITHHELD_KINDS];
	bool is_gone = false;
	char address[64];
	pid_t pid;

	xetile_bound_card(address, sizeof(address));
	start_withheld(calls, fd);
	end_withheld(calls, errors);
	check_withheld(errors, 0);
	start_withheld(calls, fd);
	close(fd);
	pid = fork();
	igt_assert_lte(0, pid);
	if (!pid)
		go_away(way, address);
	for (; !is_gone && left; left--) {
		usleep(1000);
		is_gone = waitpid(pid, &status, WNOHANG) == pid;
	}
	end_withheld(calls, errors);
	igt_assert_f(is_gone, "the card's removal waited for memory of its clients\n");
	igt_assert_eq(status, 0);
	check_withheld(errors, -ENODEV);
	if (way == UNBIND) {
		igt_assert_eq(xetile_write_driver("bind", address), 0);
		use_new_card();
	} else {
		put_back();
	}
}

/*
 * Nobody tells the kernel that the card is gone. The running batch and the call that waits for room
 * must end all the same, long before the batch's hour is over.
 */
static void test_silent(void)
{
	struct crowd crowd;
	int fd = xetile_open(), status;

	crowd_init(&crowd, fd, JOB_COMPUTE_TILE);
	close(fd);
	lab_inject("unplug");
	igt_assert_eq(crowd_end(&crowd, &status), ENODEV);
	igt_assert_eq(status, -ECANCELED);
	lab_plug(false);
	put_back();
}

/* --- resets that the driver did not ask for ------------------------------------------- */

/* Binds the card anew, as a service does that waits for this event. */
static void bind_anew(const char *address, int events)
{
	xetile_assert_soon(lab_event_says(events, "WEDGED=rebind,bus-reset"));
	close(events);
	xetile_rebind(address);
	use_new_card();
}

/*
 * Another program resets the function under running batches: the batches must end, their clients be
 * told, and the card work when it is bound anew.
 */
static void test_reset(void)
{
	struct job j[JOB_KINDS];
	char address[64];
	int fd = xetile_open(), log = lab_log_open(), events = lab_events_open();

	xetile_bound_card(address, sizeof(address));
	for (unsigned int i = 0; i < JOB_KINDS; i++)
		job_init(&j[i], fd, i, 0);
	for (unsigned int i = 0; i < JOB_KINDS; i++)
		igt_assert_eq(job_start_held(&j[i]), 0);
	xetile_reset_function(address);
	for (unsigned int i = 0; i < JOB_KINDS; i++) {
		igt_assert_eq(job_end(&j[i]), -EIO);
		igt_assert_eq(job_start(&j[i]), -EIO);
	}
	igt_assert_eq(lab_engines("active"), 0);
	lab_log_close(log, "the function is reset: the card is wedged");
	for (unsigned int i = 0; i < JOB_KINDS; i++)
		job_fini(&j[i]);
	close(fd);
	bind_anew(address, events);
}

/* A process that reads @word until the pipe is closed, and ends well if it was @value each time. */
static pid_t start_reader(volatile uint32_t *word, uint32_t value, const int *pipe)
{
	pid_t child = fork();
	char byte;

	igt_assert_lte(0, child);
	if (child)
		return child;
	close(pipe[1]);
	while (read(pipe[0], &byte, 1) < 0)
		if (*word != value)
			_exit(1);
	_exit(*word != value);
}

/*
 * A process that reads HBM by its mapping, or the page of the barrier, must wait until the function
 * answers again. Otherwise the process would read all ones, or on some machines be killed.
 */
static void test_reset_mapped(void)
{
	int events = lab_events_open(), end[2], status;
	volatile uint32_t *barrier;
	pid_t readers[2];
	char address[64];
	struct user u;

	xetile_bound_card(address, sizeof(address));
	user_init(&u, COMPUTE, TILE);
	u.data.map[0] = 1;
	barrier = xe_map_barrier(u.fd);
	igt_assert_eq(pipe2(end, O_NONBLOCK), 0);
	readers[0] = start_reader(u.data.map, 1, end);
	readers[1] = start_reader(barrier, XE_BARRIER_READS, end);
	for (int i = 0; i < 5; i++)
		xetile_reset_function(address);
	close(end[1]);
	for (unsigned int i = 0; i < ARRAY_SIZE(readers); i++) {
		igt_assert_eq(waitpid(readers[i], &status, 0), readers[i]);
		igt_assert_eq(status, 0);
	}
	close(end[0]);
	munmap((void *)barrier, SZ_4K);
	user_fini(&u);
	bind_anew(address, events);
}

static void test_reset_load(void)
{
	int events = lab_events_open();
	char address[64];

	xetile_bound_card(address, sizeof(address));
	start_workers();
	xetile_reset_function(address);
	igt_waitchildren();
	bind_anew(address, events);
}

/* Skips the test unless the kernel handles error reports of the port above. */
static void require_aer(void)
{
	char address[64], path[256];

	xetile_bound_card(address, sizeof(address));
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/../aer_rootport_total_err_fatal",
		 address);
	igt_require_f(!access(path, F_OK), "the kernel has no PCI error reporting\n");
}

/*
 * The port above reports that the link failed, and is reset with all devices behind it: the running
 * batch must end, and the card work when it is bound anew.
 */
static void test_link_fatal(void)
{
	char address[64];
	struct job j;
	int fd = xetile_open(), log = lab_log_open(), events = lab_events_open();

	xetile_bound_card(address, sizeof(address));
	job_init(&j, fd, JOB_COMPUTE_TILE, 0);
	igt_assert_eq(job_start_held(&j), 0);
	lab_link_error(true);
	igt_assert_eq(job_end(&j), -EIO);
	igt_assert_eq(job_start(&j), -EIO);
	lab_log_close(log, "the link failed: the card is wedged");
	job_fini(&j);
	close(fd);
	bind_anew(address, events);
}

/*
 * The port reports a harmless error, but the card behind it does not answer any more: the same must
 * hold.
 */
static void test_link_dead(void)
{
	char address[64];
	struct job j;
	int fd = xetile_open(), log = lab_log_open(), events = lab_events_open();

	xetile_bound_card(address, sizeof(address));
	job_init(&j, fd, JOB_COMPUTE_TILE, 0);
	igt_assert_eq(job_start_held(&j), 0);
	/*
	 * The register by which the driver asks whether the card answers. The driver would ask by
	 * itself in time; the line in the log says that the error report made it ask.
	 */
	lab_inject("register count=0 address=0x101800 value=0xffffffff");
	lab_link_error(false);
	igt_assert_eq(job_end(&j), -EIO);
	igt_assert_eq(job_start(&j), -EIO);
	lab_log_close(log, "no answer after an error of the link: the card is wedged");
	lab_heal();
	job_fini(&j);
	close(fd);
	bind_anew(address, events);
}

/* The port reports an error that the link has survived. Running batches must survive, too. */
static void test_link_nonfatal(void)
{
	int fd = xetile_open(), log = lab_log_open();
	struct job j;

	job_init(&j, fd, JOB_COMPUTE_TILE, 0);
	igt_assert_eq(job_start_held(&j), 0);
	lab_link_error(false);
	xetile_assert_soon(lab_log_says(log, "device recovery successful"));
	close(log);
	igt_assert_eq(xetile_fence_status(j.fd, j.syncobj), 0);
	*(volatile uint32_t *)&j.data.map[64] = 1;
	igt_assert_eq(job_end(&j), 1);
	job_fini(&j);
	close(fd);
}

static void test_load(bool surprise)
{
	start_workers();
	pull_out(surprise);
	igt_waitchildren();
	put_back();
}

igt_main
{
	static const struct {
		const char *name;
		enum way way;
	} ways[] = { { "unbind", UNBIND }, { "orderly", ORDERLY }, { "surprise", SURPRISE } };

	igt_fixture {
		igt_assert(!geteuid());
		lab_require_card();
		lab_heal();
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(ways); i++) {
		igt_describe("Removal must take less than a second of engine time while a call "
			     "waits for room");
		igt_subtest_f("crowd-%s", ways[i].name) {
			ensure_card();
			test_crowd(ways[i].way);
		}
		igt_describe("Removal must not wait for calls whose memory is withheld");
		igt_subtest_f("withheld-%s", ways[i].name) {
			ensure_card();
			test_withheld(ways[i].way);
		}
	}
	igt_describe("A function reset by another program must end batches, and leave the card "
		     "usable once bound anew");
	igt_subtest("reset") {
		ensure_card();
		test_reset();
	}
	igt_subtest("reset-mapped") {
		ensure_card();
		test_reset_mapped();
	}
	igt_subtest("reset-load") {
		ensure_card();
		test_reset_load();
	}
	igt_describe("Batches must survive a nonfatal link error; after a fatal one the card "
		     "must work once bound anew");
	igt_subtest("link-nonfatal") {
		ensure_card();
		require_aer();
		test_link_nonfatal();
	}
	igt_subtest("link-fatal") {
		ensure_card();
		require_aer();
		test_link_fatal();
	}
	igt_subtest("link-dead") {
		ensure_card();
		require_aer();
		test_link_dead();
	}
	igt_describe("The driver must find out by itself that the card is gone");
	igt_subtest("silent") {
		ensure_card();
		test_silent();
	}
	for (int surprise = 0; surprise < 2; surprise++) {
		const char *how = surprise ? "surprise" : "orderly";

		igt_describe("Pulled out with nothing open, the card must work when it is back, "
			     "three times");
		igt_subtest_f("%s-unused", how) {
			ensure_card();
			for (int i = 0; i < 3; i++) {
				pull_out(surprise);
				put_back();
			}
		}
		igt_describe("Open files must answer ENODEV once the card is gone, and all "
			     "fences signal");
		igt_subtest_f("%s-open", how) {
			ensure_card();
			test_open(surprise);
		}
		igt_describe("A touch of memory that moves on access must end, and its mapping be "
			     "harmless (S117)");
		igt_subtest_f("%s-managed", how) {
			ensure_card();
			test_managed(surprise);
		}
		igt_describe("Processes at work must get errors, and the card must work when it "
			     "is back");
		igt_subtest_f("%s-load", how) {
			ensure_card();
			test_load(surprise);
		}
	}
}
