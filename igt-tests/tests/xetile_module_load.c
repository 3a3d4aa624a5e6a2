// SPDX-License-Identifier: MIT
/*
 * The module is loaded and unloaded: after use, with files held open, and after an unbind.
 * XETILE_MODULE is the path of the module, as for insmod.
 *
 * suite: igt 2nd-card
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/sync_file.h>
#include <xf86drm.h>

#include "xetile_lab.h"
#include "xetile_module.h"
#include "xetile_vgem.h"

IGT_TEST_DESCRIPTION("Load, unload, bind and unbind");

static int unload(void)
{
	return syscall(SYS_delete_module, "xetile", O_NONBLOCK) ? -errno : 0;
}

/* Returns whether no reference to the module is left. A worker drops those of a closed file. */
static bool is_unused(void)
{
	FILE *f = fopen("/sys/module/xetile/refcnt", "re");
	int n = -1;

	igt_assert(f);
	igt_assert_eq(fscanf(f, "%d", &n), 1);
	fclose(f);
	return !n;
}

/* Waits @seconds for a fence that is never put into its syncobj. */
static int wait_for_nobody(int fd, unsigned int seconds)
{
	uint32_t handle;
	struct timespec now;

	if (drmSyncobjCreate(fd, 0, &handle))
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return drmSyncobjWait(fd, &handle, 1, (now.tv_sec + seconds) * 1000000000ll,
			      DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, NULL) == -ETIME ? 0 : 1;
}

static void use_card(int fd)
{
	uint32_t vm = xetile_vm(fd), q;
	struct xetile_buf buf;
	struct xetile_batch b;

	xetile_buf_init(&buf, fd, vm, SZ_1G, SZ_64K, DRM_XETILE_PLACE_HBM);
	q = xetile_queue(fd, vm, DRM_XETILE_ENGINE_COMPUTE, DRM_XETILE_TARGET_ROOT, 0, 0);
	batch_begin(&b, &buf, 4096);
	batch_store(&b, buf.addr, 77, false);
	batch_end(&b);
	xetile_run(fd, q, batch_addr(&b));
	igt_assert_eq_u32(buf.map[0], 77);
	/* The mapping would keep the file open. close() frees everything else. */
	munmap(buf.map, buf.size);
}

/* Writes the address of a PCI device without a driver, which is no bridge, to @address. */
static bool free_device(char *address, size_t size)
{
	char path[PATH_MAX], class[16] = "";
	bool found = false;
	struct dirent *e;
	DIR *dir;
	int fd;

	dir = opendir("/sys/bus/pci/devices");
	igt_assert(dir);
	while (!found && (e = readdir(dir))) {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver", e->d_name);
		if (e->d_name[0] == '.' || !access(path, F_OK))
			continue;
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/class", e->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		igt_assert_lte(0, fd);
		found = read(fd, class, sizeof(class) - 1) > 0 && strncmp(class, "0x06", 4);
		close(fd);
		if (found)
			igt_assert_lt(snprintf(address, size, "%s", e->d_name), (int)size);
	}
	closedir(dir);
	return found;
}

/* driver_override lets root bind any device to the driver, which must refuse other devices. */
static void test_override(void)
{
	char path[PATH_MAX], address[64];
	int log = lab_log_open();

	igt_require_f(free_device(address, sizeof(address)), "every PCI device has a driver\n");
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver_override", address);
	igt_assert_eq(xetile_write_file(path, "xetile"), 0);
	igt_assert_eq(xetile_write_driver("bind", address), -ENODEV);
	igt_assert_eq(xetile_write_file(path, "\n"), 0);
	lab_log_close(log, "not a card this driver knows");
}

/*
 * A bind waits for a fence of another driver that does not signal. Neither the unbinding of the
 * card nor the unloading of the module may wait for that fence; the bind is cancelled.
 */
static void test_foreign(void)
{
	struct drm_xetile_bind bind = { .op = DRM_XETILE_BIND_UNMAP, .addr = SZ_1G, .range = SZ_64K };
	struct drm_xetile_sync syncs[2] = { { 0 }, { .flags = DRM_XETILE_SYNC_SIGNAL } };
	int fd = xetile_open(), file;
	struct sync_file_info info = { 0 };
	struct vgem vgem;
	char address[64];

	vgem_init(&vgem);
	use_card(fd);
	syncs[0].handle = xetile_syncobj(fd);
	syncs[1].handle = xetile_syncobj(fd);
	vgem_fence(&vgem, fd, syncs[0].handle);
	igt_assert_eq(__xetile_vm_bind(fd, xetile_vm(fd), &bind, 1, syncs, 2), 0);
	igt_assert_eq(drmSyncobjExportSyncFile(fd, syncs[1].handle, &file), 0);
	xetile_bound_card(address, sizeof(address));
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	igt_assert_eq(xetile_ioctl(file, SYNC_IOC_FILE_INFO, &info), 0);
	igt_assert_eq(info.status, -ENODEV);
	close(file);
	close(fd);
	xetile_assert_soon(is_unused());
	igt_assert_eq(unload(), 0);
	/* The fence has neither signalled nor expired. */
	igt_assert_eq(vgem_signal(&vgem), 0);
	vgem_fini(&vgem);
	igt_assert_eq(xetile_module_load(""), 0);
	fd = xetile_open();
	use_card(fd);
	close(fd);
}

#define LEFT_VMS	16
#define LEFT_PAGES	1024

/* Creates VMs with many page tables, which a worker has to free after close(). */
static void leave_vms(int fd)
{
	static struct drm_xetile_bind binds[LEFT_PAGES];
	uint32_t bo = xetile_bo(fd, SZ_64K, DRM_XETILE_PLACE_HBM);

	for (unsigned int i = 0; i < LEFT_PAGES; i++)
		binds[i] = (struct drm_xetile_bind) {
			.op = DRM_XETILE_BIND_MAP, .handle = bo, .addr = SZ_1G * (i + 1),
			.range = SZ_64K,
		};
	for (unsigned int i = 0; i < LEFT_VMS; i++)
		igt_assert_eq(__xetile_vm_bind(fd, xetile_vm(fd), binds, LEFT_PAGES, NULL, 0), 0);
}

/*
 * The card is unbound, and the module is unloaded at the moment in which its last reference goes.
 * Its exit must wait for the workers that still free the file's objects.
 */
static void test_at_once(void)
{
	int fd = xetile_open(), ret;
	char address[64];

	use_card(fd);
	leave_vms(fd);
	xetile_bound_card(address, sizeof(address));
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	close(fd);
	do
		ret = unload();
	while (ret == -EAGAIN);
	igt_assert_eq(ret, 0);
	igt_assert_eq(xetile_module_load(""), 0);
	fd = xetile_open();
	use_card(fd);
	close(fd);
}

igt_main
{
	igt_fixture
		igt_assert(!geteuid());

	igt_describe("The module must unload after use, and load again, five times");
	igt_subtest("reload") {
		for (int i = 0; i < 5; i++) {
			int fd = xetile_open();

			use_card(fd);	/* close() frees everything */
			close(fd);
			xetile_assert_soon(is_unused());
			igt_assert_eq(unload(), 0);
			igt_assert_eq(xetile_module_load(""), 0);
		}
	}

	igt_describe("The module's exit must wait for the workers that free the last file's "
		     "objects");
	igt_subtest("unload-at-once")
		for (int i = 0; i < 3; i++)
			test_at_once();

	igt_describe("An open file must keep the module loaded");
	igt_subtest("unload-busy") {
		int fd = xetile_open();

		igt_assert_eq(unload(), -EAGAIN);
		use_card(fd);
		close(fd);
	}

	igt_describe("Neither unbind nor unload may wait for a bind that waits for another "
		     "driver's fence");
	igt_subtest("foreign-fence")
		test_foreign();

	igt_describe("The card must work after unbind and bind, three times");
	igt_subtest("rebind") {
		char address[64];

		for (int i = 0; i < 3; i++) {
			int fd = xetile_open();

			use_card(fd);
			close(fd);
			xetile_bound_card(address, sizeof(address));
			xetile_rebind(address);
		}
		close(xetile_open());
	}

	igt_describe("After an unbind under an open file, calls must return ENODEV and nothing "
		     "may hang");
	igt_subtest("unbind-open") {
		struct drm_xetile_vm_create vm = { 0 };
		int fd = xetile_open();
		char address[64];

		use_card(fd);
		xetile_bound_card(address, sizeof(address));
		igt_assert_eq(xetile_write_driver("unbind", address), 0);
		igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_CREATE, &vm), -ENODEV);
		close(fd);
		igt_assert_eq(xetile_write_driver("bind", address), 0);
		fd = xetile_open();
		use_card(fd);
		close(fd);
	}

	igt_describe("Unbind must not wait for a process that waits for a fence of no job");
	igt_subtest("unbind-waiting") {
		int fd = xetile_open(), status;
		char address[64];
		pid_t pid;

		use_card(fd);
		xetile_bound_card(address, sizeof(address));
		pid = fork();
		igt_assert_lte(0, pid);
		if (!pid)
			_exit(wait_for_nobody(fd, 60));
		usleep(500000);
		igt_assert_eq(waitpid(pid, &status, WNOHANG), 0);
		igt_assert_eq(xetile_write_driver("unbind", address), 0);
		/* The process still waits; it would have ended if unbind had waited for it. */
		igt_assert_eq(waitpid(pid, &status, WNOHANG), 0);
		kill(pid, SIGKILL);
		igt_assert_eq(waitpid(pid, &status, 0), pid);
		close(fd);
		igt_assert_eq(xetile_write_driver("bind", address), 0);
		fd = xetile_open();
		use_card(fd);
		close(fd);
	}

	igt_describe("Another device must be refused, even when driver_override names the driver");
	igt_subtest("override")
		test_override();
}
