// SPDX-License-Identifier: MIT
/*
 * CCS mode: 1, 2 or 4 compute engines share out a tile's cslices.
 * Statements: S60, S61, S64-S68, S85, S86, W5, W6.
 *
 * suite: igt soak-alone 1-tile 2nd-card 4-tiles
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"

IGT_TEST_DESCRIPTION("Compute engines per tile by sysfs");

static struct xetile_card card = { .fd = -1 };

static void set_mode(uint32_t tile, unsigned int mode)
{
	char text[16];

	snprintf(text, sizeof(text), "%u\n", mode);
	igt_assert_eq(xetile_sysfs_write(card.fd, tile, "ccs_mode", text), 0);
}

static uint32_t engines(uint32_t tile, struct drm_xetile_query_engine *out)
{
	struct drm_xetile_query_engine all[64];
	uint32_t n = 0, num;

	num = xetile_query(card.fd, DRM_XETILE_QUERY_ENGINES, XETILE_ARRAY(all, ARRAY_SIZE(all)));
	igt_assert_lte(num, ARRAY_SIZE(all));
	for (uint32_t i = 0; i < num; i++)
		if (all[i].tile == tile && all[i].engine_class == DRM_XETILE_ENGINE_COMPUTE)
			out[n++] = all[i];
	return n;
}

static void test_modes(uint32_t tile)
{
	uint32_t eus = 0;

	for (uint32_t mode = 1; mode <= DRM_XETILE_MAX_CSLICES; mode++) {
		struct drm_xetile_query_engine e[DRM_XETILE_MAX_CSLICES];
		uint32_t slices = 0;

		if (!(card.tiles[tile].ccs_modes & (1u << mode)))
			continue;
		set_mode(tile, mode);
		igt_assert_eq(xetile_sysfs_uint(card.fd, tile, "ccs_mode"), mode);
		igt_assert_eq_u32(engines(tile, e), mode);
		for (uint32_t i = 0; i < mode; i++) {
			/* The shares are equal; no slice is shared or left over (S66, S67). */
			igt_assert_eq(__builtin_popcount(e[i].cslice_mask),
				      card.tiles[tile].num_cslices / mode);
			igt_assert_eq(slices & e[i].cslice_mask, 0);
			slices |= e[i].cslice_mask;
		}
		igt_assert_eq_u32(slices, card.tiles[tile].cslice_mask);
		if (mode == 1)
			eus = e[0].num_eus;
		else
			igt_assert_lt(e[0].num_eus, eus);
	}
	set_mode(tile, 1);
}

static void test_bad(uint32_t tile)
{
	static const char * const garbage[] = {
		"", "x", "-1", "0", "3x", "1.5", "99999999999999999999", "5", "64", "4294967297",
		"0x1", "+1", " 1", "1 1", "0b1",
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(garbage); i++) {
		int ret;

		if (!*garbage[i])	/* a write() of 0 bytes does not reach the driver */
			continue;
		ret = xetile_sysfs_write(card.fd, tile, "ccs_mode", garbage[i]);
		igt_assert_f(ret == -EINVAL, "'%s': %d\n", garbage[i], ret);
		igt_assert_eq(xetile_sysfs_uint(card.fd, tile, "ccs_mode"), 1);
	}
	for (uint32_t mode = 2; mode <= DRM_XETILE_MAX_CSLICES; mode++) {
		char text[16];

		if (card.tiles[tile].ccs_modes & (1u << mode))
			continue;
		snprintf(text, sizeof(text), "%u", mode);
		igt_assert_eq(xetile_sysfs_write(card.fd, tile, "ccs_mode", text), -EINVAL);
	}
	igt_assert_eq(xetile_sysfs_write(card.fd, tile, "num_cslices", "1"), -EACCES);
}

static void read_holders(uint32_t tile, char *holders, size_t size)
{
	igt_assert_eq(xetile_sysfs_read(card.fd, tile, "ccs_mode_holders", holders, size), 0);
}

/* Asserts that the list has the line of this process, with @queues, and no other. */
static void check_holders(uint32_t tile, unsigned int queues)
{
	char holders[4096], line[64] = "";

	if (queues)
		snprintf(line, sizeof(line), "%d %u xetile_ccs_mode\n", getpid(), queues);
	read_holders(tile, holders, sizeof(holders));
	igt_assert_f(!strcmp(holders, line), "holders: '%s', not '%s'\n", holders, line);
}

/* Queues of several modes may not be on a tile; restore() ends that. */
static void fix_modes(uint32_t tile)
{
	igt_assert_eq(xetile_sysfs_write(card.fd, tile, "ccs_mode_policy", "fixed"), 0);
}

static void test_busy(uint32_t tile)
{
	uint32_t vm = xetile_vm(card.fd), q, root;
	int holders, mode;

	igt_require_f(card.tiles[tile].ccs_modes & (1u << 2), "the tile has no mode 2\n");
	fix_modes(tile);
	q = xetile_queue(card.fd, vm, DRM_XETILE_ENGINE_COMPUTE, DRM_XETILE_TARGET_TILE, tile, 0);
	igt_assert_eq(xetile_sysfs_write(card.fd, tile, "ccs_mode", "2"), -EBUSY);
	igt_assert_eq(xetile_sysfs_write(card.fd, tile, "ccs_mode", "1"), 0);

	/* The file ccs_mode_holders names the process that holds the mode (W6). */
	check_holders(tile, 1);

	/* A compute queue does not hold the mode of another tile. */
	if (card.device.num_tiles > 1) {
		check_holders(!tile, 0);
		set_mode(!tile, 2);
		set_mode(!tile, 1);
	}

	/* A queue of all tiles holds each of them. */
	root = xetile_queue(card.fd, vm, COMPUTE, ROOT, 0, 0);
	for (uint32_t t = 0; t < card.device.num_tiles; t++)
		check_holders(t, t == tile ? 2 : 1);
	xetile_queue_destroy(card.fd, root);
	check_holders(tile, 1);

	/* poll() on either file reports that the last holder has gone, and no earlier. */
	holders = xetile_sysfs_polled(card.fd, tile, "ccs_mode_holders");
	mode = xetile_sysfs_polled(card.fd, tile, "ccs_mode");
	root = xetile_queue(card.fd, vm, COMPUTE, TILE, tile, 0);
	xetile_queue_destroy(card.fd, root);
	igt_assert(!xetile_is_notified(holders, 50));
	igt_assert(!xetile_is_notified(mode, 0));
	xetile_queue_destroy(card.fd, q);
	igt_assert(xetile_is_notified(holders, 5000));
	igt_assert(xetile_is_notified(mode, 5000));
	close(holders);
	close(mode);
	check_holders(tile, 0);

	/* A copy queue does not hold the mode. */
	q = xetile_queue(card.fd, vm, DRM_XETILE_ENGINE_COPY, DRM_XETILE_TARGET_TILE, tile, 0);
	check_holders(tile, 0);
	set_mode(tile, 2);
	set_mode(tile, 1);
	xetile_queue_destroy(card.fd, q);
	xetile_vm_destroy(card.fd, vm);
}

/* --- events ----------------------------------------------------------------- */

/* Returns the next event of a mode, as its strings with spaces between them; "" if there is none. */
static const char *next_event(int events)
{
	static char buf[4096];
	ssize_t n;

	while ((n = recv(events, buf, sizeof(buf) - 1, 0)) > 0) {
		buf[n] = 0;
		for (char *c = buf; c < buf + n - 1; c++)
			*c = *c ? *c : ' ';
		if (strstr(buf, " XETILE_CCS_MODE="))
			return buf;
	}
	return "";
}

static void check_event(int events, uint32_t tile, unsigned int mode)
{
	const char *event = next_event(events);
	char wanted[64];

	snprintf(wanted, sizeof(wanted), " XETILE_TILE=%u XETILE_CCS_MODE=%u", tile, mode);
	igt_assert_f(!strncmp(event, "change@", 7) && strstr(event, wanted) &&
		     strstr(event, " SUBSYSTEM=pci") && strstr(event, " DRIVER=xetile") &&
		     strstr(event, " PCI_SLOT_NAME="), "event '%s', not '%s'\n", event, wanted);
}

/* A write that changes the mode makes one event, which is there when the write returns. */
static void test_event(uint32_t tile)
{
	uint32_t vm = xetile_vm(card.fd), q;
	int events, mode;

	igt_require_f(card.tiles[tile].ccs_modes & (1u << 2), "the tile has no mode 2\n");
	fix_modes(tile);
	events = lab_events_open();
	mode = xetile_sysfs_polled(card.fd, tile, "ccs_mode");
	set_mode(tile, 1);
	igt_assert_eq(xetile_sysfs_write(card.fd, tile, "ccs_mode", "3"), -EINVAL);
	igt_assert_f(!*next_event(events), "an event of no change\n");
	igt_assert(!xetile_is_notified(mode, 0));
	set_mode(tile, 2);
	check_event(events, tile, 2);
	igt_assert(xetile_is_notified(mode, 5000));
	close(mode);
	set_mode(tile, 2);
	q = xetile_queue(card.fd, vm, COMPUTE, TILE, tile, 0);
	igt_assert_eq(xetile_sysfs_write(card.fd, tile, "ccs_mode", "1"), -EBUSY);
	xetile_queue_destroy(card.fd, q);
	igt_assert_f(!*next_event(events), "an event of no change\n");
	set_mode(tile, 1);
	check_event(events, tile, 1);
	igt_assert_f(!*next_event(events), "two events of a change\n");
	close(events);
	xetile_vm_destroy(card.fd, vm);
}

/* --- rights ----------------------------------------------------------------- */

#define GROUP	65533
#define NOBODY	65534

/* The rights that the file has when the module is loaded */
static void usual_rights(uint32_t tile)
{
	char path[PATH_MAX];

	if (!xetile_sysfs_path(card.fd, tile, "ccs_mode", path, sizeof(path)) &&
	    !chown(path, 0, 0))
		chmod(path, 0644);
}

/*
 * A user of a group to which the administrator gives the file changes the mode, and waits until
 * that is possible, without any other right. Another user does not.
 */
static void test_delegate(uint32_t tile)
{
	uint32_t vm = xetile_vm(card.fd), q;
	char path[PATH_MAX], list[PATH_MAX];
	int mode;

	igt_require_f(card.tiles[tile].ccs_modes & (1u << 2), "the tile has no mode 2\n");
	fix_modes(tile);
	igt_assert_eq(xetile_sysfs_path(card.fd, tile, "ccs_mode", path, sizeof(path)), 0);
	igt_assert_eq(xetile_sysfs_path(card.fd, tile, "ccs_mode_holders", list, sizeof(list)), 0);
	igt_assert_eq(chown(path, -1, GROUP), 0);
	igt_assert_eq(chmod(path, 0664), 0);

	igt_assert_eq(seteuid(NOBODY), 0);
	igt_assert_eq(xetile_write_file(path, "2"), -EACCES);
	igt_assert_eq(seteuid(0), 0);

	igt_assert_eq(setegid(GROUP), 0);
	igt_assert_eq(seteuid(NOBODY), 0);
	igt_assert_eq(open(list, O_RDONLY | O_CLOEXEC), -1);
	igt_assert_eq(errno, EACCES);
	igt_assert_eq(xetile_write_file(path, "2"), 0);
	igt_assert_eq(xetile_sysfs_uint(card.fd, tile, "ccs_mode"), 2);
	q = xetile_queue(card.fd, vm, COMPUTE, TILE, tile, 0);
	mode = xetile_sysfs_polled(card.fd, tile, "ccs_mode");
	igt_assert_eq(xetile_write_file(path, "1"), -EBUSY);
	xetile_queue_destroy(card.fd, q);
	igt_assert(xetile_is_notified(mode, 5000));
	igt_assert_eq(xetile_write_file(path, "1"), 0);
	close(mode);
	igt_assert_eq(seteuid(0), 0);
	igt_assert_eq(setegid(0), 0);
	usual_rights(tile);
	xetile_vm_destroy(card.fd, vm);
}

/*
 * Reads the list in a new pid namespace: the list does not show processes outside of the
 * namespace, and shows a process of the namespace with its pid in the namespace.
 */
static void look_from_inside(uint32_t tile)
{
	int fd = xetile_reopen(card.fd);
	char holders[4096];
	uint32_t vm;

	read_holders(tile, holders, sizeof(holders));
	igt_assert_f(!*holders, "holders: '%s'\n", holders);
	vm = xetile_vm(fd);
	xetile_queue(fd, vm, COMPUTE, TILE, tile, 0);
	read_holders(tile, holders, sizeof(holders));
	igt_assert_f(!strncmp(holders, "1 1 xetile_ccs_mode", 19) && strchr(holders, '\n') ==
		     strrchr(holders, '\n'), "holders: '%s'\n", holders);
	close(fd);
}

/* Only root can read the list of holders, and the list shows only pids that the reader can see. */
static void test_private(uint32_t tile)
{
	uint32_t vm = xetile_vm(card.fd), q;
	char holders[4096], path[PATH_MAX];
	int status;
	pid_t pid;

	igt_require_f(!access("/proc/self/ns/pid", F_OK), "the kernel has no pid namespaces\n");
	q = xetile_queue(card.fd, vm, COMPUTE, TILE, tile, 0);
	igt_assert_eq(xetile_sysfs_path(card.fd, tile, "ccs_mode_holders", path, sizeof(path)), 0);
	igt_assert_eq(seteuid(65534), 0);
	igt_assert_eq(open(path, O_RDONLY | O_CLOEXEC), -1);
	igt_assert_eq(errno, EACCES);
	igt_assert_eq(seteuid(0), 0);
	read_holders(tile, holders, sizeof(holders));
	igt_assert_f(*holders, "no process holds the mode\n");

	pid = fork();
	igt_assert_lte(0, pid);
	if (!pid) {
		/* The children of the child are in the new namespace. */
		if (unshare(CLONE_NEWPID))
			_exit(1);
		pid = fork();
		if (!pid) {
			look_from_inside(tile);
			_exit(0);
		}
		_exit(waitpid(pid, &status, 0) != pid || status);
	}
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert_eq(status, 0);
	xetile_queue_destroy(card.fd, q);
	xetile_vm_destroy(card.fd, vm);
}

/* --- fdinfo ------------------------------------------------------------------- */

static uint64_t fdinfo(int fd, const char *key)
{
	char path[64], line[256];
	uint64_t value = 0;
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	igt_assert(f);
	while (!found && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)) && line[strlen(key)] == ':')
			found = sscanf(line + strlen(key) + 1, "%" SCNu64, &value) == 1;
	fclose(f);
	igt_assert_f(found, "fdinfo has no key %s\n", key);
	return value;
}

/*
 * fdinfo has the number of engines of a class and the time for which the queues of a file used
 * them; monitoring tools compute the load from both. The time grows while a batch of the file
 * runs, and only for the class of the batch.
 */
static void test_fdinfo(unsigned int mode)
{
	uint64_t used;
	struct job j;
	int idle;

	for (uint32_t t = 0; t < card.device.num_tiles; t++) {
		igt_require_f(card.tiles[t].ccs_modes & (1u << mode), "no mode %u\n", mode);
		set_mode(t, mode);
	}
	idle = xetile_reopen(card.fd);
	job_init(&j, card.fd, JOB_COMPUTE_ROOT, 0);
	/* A tile's engines are parts of it, in every mode. */
	igt_assert_eq_u64(fdinfo(j.fd, "drm-engine-capacity-compute"), card.device.num_tiles);
	igt_assert_lte_u64(1, fdinfo(j.fd, "drm-engine-capacity-copy"));
	/* job_init() has run a batch. */
	xetile_wait_engines_free(card.fd);
	used = fdinfo(j.fd, "drm-engine-compute");
	igt_assert_lte_u64(1, used);
	igt_assert_eq_u64(fdinfo(j.fd, "drm-engine-compute"), used);

	igt_assert_eq(job_start_held(&j), 0);
	xetile_assert_soon(fdinfo(j.fd, "drm-engine-compute") > used + 10000000);
	used = fdinfo(j.fd, "drm-engine-compute");
	xetile_assert_soon(fdinfo(j.fd, "drm-engine-compute") > used + 10000000);
	*(volatile uint32_t *)&j.data.map[64] = 1;
	igt_assert_eq(job_end(&j), 1);
	xetile_wait_engines_free(card.fd);
	igt_assert_lte_u64(used, fdinfo(j.fd, "drm-engine-compute"));
	igt_assert_eq_u64(fdinfo(j.fd, "drm-engine-copy"), 0);
	igt_assert_eq_u64(fdinfo(idle, "drm-engine-compute"), 0);
	job_fini(&j);
	close(idle);
	for (uint32_t t = 0; t < card.device.num_tiles; t++)
		set_mode(t, 1);
}

/* --- times of engines -------------------------------------------------------- */

static const char * const classes[] = { "ccs", "bcs" };

static const struct {
	const char *value, *min, *max;
	/* value and bounds after the module is loaded, and the limits of the bounds */
	unsigned int set, least, most, lowest, highest;
} times[] = {
	{ "job_timeout_ms", "job_timeout_min", "job_timeout_max", 10000, 1, 10000, 1, 3600000 },
	{ "preempt_timeout_us", "preempt_timeout_min", "preempt_timeout_max",
	  640000, 1000, 10000000, 1000, 10000000 },
	{ "timeslice_duration_us", "timeslice_duration_min", "timeslice_duration_max",
	  5000, 500, 50000, 500, 10000000 },
};

static const char *time_path(const char *class, const char *file)
{
	static char path[128];

	snprintf(path, sizeof(path), "engines/%s/%s", class, file);
	return path;
}

static unsigned int read_time(uint32_t tile, const char *class, const char *file)
{
	return xetile_sysfs_uint(card.fd, tile, time_path(class, file));
}

static int write_time(uint32_t tile, const char *class, const char *file, unsigned int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u\n", value);
	return xetile_sysfs_write(card.fd, tile, time_path(class, file), text);
}

/*
 * Restores the times that a class has when the module is loaded. The bounds are widened first,
 * because a value or a bound outside of the other bounds is refused. Returns 0 or the last error.
 */
static int try_restore_times(uint32_t tile, const char *class)
{
	int ret = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(times); i++) {
		const struct {
			const char *file;
			unsigned int value;
		} writes[] = {
			{ times[i].min, times[i].lowest }, { times[i].max, times[i].highest },
			{ times[i].value, times[i].set },
			{ times[i].min, times[i].least }, { times[i].max, times[i].most },
		};

		for (unsigned int k = 0; k < ARRAY_SIZE(writes); k++) {
			int err = write_time(tile, class, writes[k].file, writes[k].value);

			ret = err ? err : ret;
		}
	}
	return ret;
}

static void restore_times(uint32_t tile, const char *class)
{
	igt_assert_eq(try_restore_times(tile, class), 0);
}

/* Restores all settings that a subtest may have left when it failed or skipped */
static void restore(int sig)
{
	(void)sig;
	if (card.fd < 0)
		return;
	if (seteuid(0) || setegid(0))
		return;
	for (uint32_t t = 0; t < card.device.num_tiles; t++)
		xetile_sysfs_write(card.fd, t, "ccs_mode_policy", "epochs");
	xetile_usual_ccs_modes(&card);
	for (uint32_t t = 0; t < card.device.num_tiles; t++) {
		usual_rights(t);
		for (unsigned int i = 0; i < ARRAY_SIZE(classes); i++)
			try_restore_times(t, classes[i]);
	}
}

static void check_defaults(uint32_t tile, const char *class)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(times); i++) {
		const char * const files[] = { times[i].value, times[i].min, times[i].max };
		const unsigned int values[] = { times[i].set, times[i].least, times[i].most };

		for (unsigned int k = 0; k < ARRAY_SIZE(files); k++) {
			char name[64];

			snprintf(name, sizeof(name), ".defaults/%s", files[k]);
			igt_assert_eq_u32(read_time(tile, class, files[k]), values[k]);
			igt_assert_eq_u32(read_time(tile, class, name), values[k]);
			igt_assert_eq(write_time(tile, class, name, values[k]), -EACCES);
		}
	}
}

static void check_refused(uint32_t tile, const char *class, const char *file, const char *text)
{
	unsigned int before = read_time(tile, class, file);
	int ret = xetile_sysfs_write(card.fd, tile, time_path(class, file), text);

	igt_assert_f(ret == -EINVAL, "%s '%s': %d\n", file, text, ret);
	igt_assert_eq_u32(read_time(tile, class, file), before);
}

static void check_number_refused(uint32_t tile, const char *class, const char *file,
				 unsigned int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	check_refused(tile, class, file, text);
}

static void test_times(uint32_t tile, const char *class)
{
	static const char * const garbage[] = {
		"x", "-1", "5000x", "0x1388", "+5000", " 5000", "5000 5000", "5e3", "4294967296",
		"99999999999999999999",
	};

	check_defaults(tile, class);
	for (unsigned int i = 0; i < ARRAY_SIZE(times); i++) {
		for (unsigned int k = 0; k < ARRAY_SIZE(garbage); k++) {
			check_refused(tile, class, times[i].value, garbage[k]);
			check_refused(tile, class, times[i].min, garbage[k]);
			check_refused(tile, class, times[i].max, garbage[k]);
		}
		/* The bounds limit the value and each other; fixed limits bound the bounds. */
		check_number_refused(tile, class, times[i].value, times[i].most + 1);
		check_number_refused(tile, class, times[i].value, times[i].least - 1);
		check_number_refused(tile, class, times[i].min, times[i].most + 1);
		check_number_refused(tile, class, times[i].min, times[i].lowest - 1);
		check_number_refused(tile, class, times[i].max, times[i].highest + 1);
		igt_assert_eq(write_time(tile, class, times[i].min, 2000), 0);
		check_number_refused(tile, class, times[i].max, 1999);
		check_number_refused(tile, class, times[i].value, 1999);
		igt_assert_eq(write_time(tile, class, times[i].value, 2000), 0);
		igt_assert_eq(write_time(tile, class, times[i].max, times[i].highest), 0);
		igt_assert_eq(write_time(tile, class, times[i].value, times[i].highest), 0);
		igt_assert_eq_u32(read_time(tile, class, times[i].value), times[i].highest);
		restore_times(tile, class);
	}
	check_defaults(tile, class);
}

/* A user without privileges can ask for a timeout within the administrator's bounds only. */
static void test_time_bounds(void)
{
	struct drm_xetile_queue_create args = {
		.vm_id = xetile_vm(card.fd), .engine_class = COMPUTE, .target = TILE,
	};

	igt_assert_eq(write_time(0, "ccs", "job_timeout_max", 20000), 0);
	igt_assert_eq(write_time(0, "ccs", "job_timeout_min", 100), 0);
	igt_assert_eq(seteuid(65534), 0);
	args.timeout_ms = 20001;
	igt_assert_eq(__xetile_queue_create(card.fd, &args), -EACCES);
	args.timeout_ms = 99;
	igt_assert_eq(__xetile_queue_create(card.fd, &args), -EACCES);
	args.timeout_ms = 20000;
	igt_assert_eq(__xetile_queue_create(card.fd, &args), 0);
	xetile_queue_destroy(card.fd, args.queue_id);
	args.timeout_ms = 100;
	igt_assert_eq(__xetile_queue_create(card.fd, &args), 0);
	xetile_queue_destroy(card.fd, args.queue_id);
	igt_assert_eq(seteuid(0), 0);
	restore_times(0, "ccs");
	xetile_vm_destroy(card.fd, args.vm_id);
}

/* When QUEUE_CREATE names no timeout, a batch has the time that the file says. */
static void test_job_timeout(void)
{
	struct timespec begin, end;
	struct job j;

	job_init(&j, card.fd, JOB_COMPUTE_TILE, 0);
	igt_assert_eq(write_time(0, "ccs", "job_timeout_ms", 200), 0);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	igt_assert_eq(job_start_endless(&j), 0);
	igt_assert_eq(job_end(&j), -ETIME);
	clock_gettime(CLOCK_MONOTONIC, &end);
	restore_times(0, "ccs");
	/* The former timeout was ten seconds: the batch ended earlier. */
	igt_assert_lt(end.tv_sec - begin.tv_sec, 9);
	job_fini(&j);
}

/* Inode numbers in sysfs go up: the files were made before the nodes of the card. */
static void test_first(uint32_t tile)
{
	struct stat file, node;
	char path[PATH_MAX], name[64];

	igt_assert_eq(fstat(card.fd, &node), 0);
	snprintf(name, sizeof(name), "/sys/dev/char/%u:%u", major(node.st_rdev),
		 minor(node.st_rdev));
	igt_assert_eq(stat(name, &node), 0);
	igt_assert_eq(xetile_sysfs_path(card.fd, tile, "engines/bcs/.defaults/job_timeout_ms",
					path, sizeof(path)), 0);
	igt_assert_eq(stat(path, &file), 0);
	igt_assert_f(file.st_ino < node.st_ino, "file %llu, node %llu\n",
		     (unsigned long long)file.st_ino, (unsigned long long)node.st_ino);
}

static void test_fraction(uint32_t mode)
{
	struct drm_xetile_queue_info info;
	uint32_t vm = xetile_vm(card.fd), q, total = 0;

	for (uint32_t t = 0; t < card.device.num_tiles; t++) {
		igt_require_f(card.tiles[t].ccs_modes & (1u << mode), "no mode %u\n", mode);
		set_mode(t, mode);
		total += card.tiles[t].num_cslices;
	}
	/* A ROOT queue uses virtual cslice 0 of every tile, and QUEUE_INFO tells the share (C9). */
	q = xetile_queue(card.fd, vm, DRM_XETILE_ENGINE_COMPUTE, DRM_XETILE_TARGET_ROOT, 0, 0);
	xetile_queue_info(card.fd, q, &info);
	igt_assert_eq_u32(info.cslices_total, total);
	igt_assert_eq_u32(info.cslices_used, total / mode);
	xetile_queue_destroy(card.fd, q);
	for (uint32_t t = 0; t < card.device.num_tiles; t++)
		set_mode(t, 1);
	xetile_vm_destroy(card.fd, vm);
}

igt_main
{
	igt_fixture {
		xetile_open_card(&card);
		igt_install_exit_handler(restore);
	}

	igt_describe("The default is mode 1: each tile has one engine (S61)");
	igt_subtest("default")
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			igt_assert_eq(xetile_sysfs_uint(card.fd, t, "ccs_mode"), 1);

	igt_describe("The files tell the same as QUERY");
	igt_subtest("files") {
		for (uint32_t t = 0; t < card.device.num_tiles; t++) {
			char text[64];
			uint32_t modes = 0;

			igt_assert_eq(xetile_sysfs_uint(card.fd, t, "num_cslices"),
				      card.tiles[t].num_cslices);
			igt_assert_eq(xetile_sysfs_read(card.fd, t, "available_ccs_modes", text,
							sizeof(text)), 0);
			for (char *p = strtok(text, " \n"); p; p = strtok(NULL, " \n"))
				modes |= 1u << atoi(p);
			igt_assert_eq_u32(modes, card.tiles[t].ccs_modes);
		}
	}

	igt_describe("Mode N has N engines with equal shares of the slices (S64-S68, S85)");
	igt_subtest("modes")
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			test_modes(t);
	igt_fixture
		restore(0);

	igt_describe("Garbage, impossible modes and writes to read-only files are refused");
	igt_subtest("bad-input")
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			test_bad(t);
	igt_fixture
		restore(0);

	igt_describe("A compute queue refuses a change with EBUSY; a file lists the holders (W6)");
	igt_subtest("busy")
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			test_busy(t);
	igt_fixture
		restore(0);

	igt_describe("A change makes one uevent with the tile and the mode; nothing else makes one");
	igt_subtest("event")
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			test_event(t);
	igt_fixture
		restore(0);

	igt_describe("A group that has the file changes the mode, and waits, without being root (W5)");
	igt_subtest("delegate") {
		igt_require(!geteuid());
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			test_delegate(t);
	}
	igt_fixture
		restore(0);

	for (uint32_t mode = 1; mode <= DRM_XETILE_MAX_CSLICES; mode *= 2) {
		igt_describe("fdinfo tells the engine time and the number of engines of the mode");
		igt_subtest_f("fdinfo-%u", mode)
			test_fdinfo(mode);
		igt_fixture
			restore(0);
	}

	igt_describe("Only root reads the list of holders, and only pids of the own namespace");
	igt_subtest("holders-private") {
		igt_require(!geteuid());
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			test_private(t);
	}
	igt_fixture
		restore(0);

	igt_describe("The times of engines have defaults and bounds, and bad input is refused");
	igt_subtest("times")
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			for (unsigned int i = 0; i < ARRAY_SIZE(classes); i++)
				test_times(t, classes[i]);
	igt_fixture
		restore(0);

	igt_describe("The files bound the timeout that a user without privileges may ask for");
	igt_subtest("job-timeout-bounds") {
		igt_require(!geteuid());
		test_time_bounds();
	}
	igt_fixture
		restore(0);

	igt_describe("The driver stops a batch after the time that the file says");
	igt_subtest("job-timeout")
		test_job_timeout();
	igt_fixture
		restore(0);

	igt_describe("The files exist before the card's nodes are announced");
	igt_subtest("first")
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			test_first(t);

	for (uint32_t mode = 1; mode <= DRM_XETILE_MAX_CSLICES; mode *= 2) {
		igt_describe("A ROOT queue reaches 1/mode of the card; QUEUE_INFO says so (C9)");
		igt_subtest_f("root-fraction-%u", mode)
			test_fraction(mode);
		igt_fixture
			restore(0);
	}

	igt_fixture {
		close(card.fd);
		/* The exit handler must not use the closed file. */
		card.fd = -1;
	}
}
