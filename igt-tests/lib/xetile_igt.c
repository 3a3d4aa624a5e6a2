// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "xetile_igt.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <xf86drm.h>

/* --- the card ------------------------------------------------------------- */

unsigned int xetile_card_number(void)
{
	const char *number = getenv("XETILE_CARD");

	return number ? strtoul(number, NULL, 10) : 0;
}

#define MAX_CARDS	16

struct found_card {
	char address[64], path[32];
};

static int compare_cards(const void *a, const void *b)
{
	return strcmp(((const struct found_card *)a)->address,
		      ((const struct found_card *)b)->address);
}

/* The PCI address of a DRM device; false: it is gone, or no PCI device. */
static bool find_address(const char *path, char *address, size_t size)
{
	char link[64], device[PATH_MAX];

	snprintf(link, sizeof(link), "/sys/class/drm/%s/device", strrchr(path, '/') + 1);
	if (!realpath(link, device))
		return false;
	snprintf(address, size, "%s", strrchr(device, '/') + 1);
	return true;
}

/* Is it the driver's? A device that is called xe is, if it has the driver's own calls. */
static bool is_ours(int fd)
{
	drmVersionPtr version = drmGetVersion(fd);
	struct drm_xetile_query query = { .item = DRM_XETILE_QUERY_DEVICE };
	bool ours = false;

	if (version && !strcmp(version->name, "xe"))
		ours = !xetile_ioctl(fd, DRM_IOCTL_XETILE_QUERY, &query);
	else if (version)
		ours = !strcmp(version->name, "xetile");
	drmFreeVersion(version);
	return ours;
}

/* By address, because a card may have another minor number when it was bound anew. */
int xetile_open_path(char *path, size_t size)
{
	unsigned int number = xetile_card_number(), num = 0;
	struct found_card cards[MAX_CARDS];

	for (int minor = 0; minor < 64 && num < MAX_CARDS; minor++) {
		struct found_card *card = &cards[num];
		int fd;

		snprintf(card->path, sizeof(card->path), "/dev/dri/card%d", minor);
		fd = open(card->path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		num += is_ours(fd) &&
		       find_address(card->path, card->address, sizeof(card->address));
		close(fd);
	}
	if (number >= num)
		return -ENODEV;
	qsort(cards, num, sizeof(cards[0]), compare_cards);
	snprintf(path, size, "%s", cards[number].path);
	return 0;
}

int xetile_open(void)
{
	char path[64];
	int fd;

	igt_require_f(!xetile_open_path(path, sizeof(path)), "no xetile card\n");
	fd = open(path, O_RDWR | O_CLOEXEC);
	igt_assert_lte(0, fd);
	return fd;
}

int xetile_open_number(unsigned int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	setenv("XETILE_CARD", text, 1);
	return xetile_open();
}

int xetile_reopen(int fd)
{
	char path[PATH_MAX];
	int other;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	other = open(path, O_RDWR | O_CLOEXEC);
	igt_assert_lte(0, other);
	return other;
}

FILE *xetile_debugfs_open(int fd, const char *file)
{
	char path[PATH_MAX];
	struct stat st;
	FILE *f;

	igt_assert_eq(fstat(fd, &st), 0);
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%u/%s", minor(st.st_rdev), file);
	f = fopen(path, "r");
	igt_assert_f(f, "%s: %m\n", path);
	return f;
}

uint64_t xetile_debugfs_sum(int fd, const char *file, const char *key)
{
	FILE *f = xetile_debugfs_open(fd, file);
	size_t len = strlen(key);
	uint64_t sum = 0;
	char line[128];

	while (fgets(line, sizeof(line), f)) {
		char *at = line + strspn(line, " ");

		if (!strncmp(at, key, len) && at[len] == ' ')
			sum += strtoull(at + len, NULL, 0);
	}
	fclose(f);
	return sum;
}

/* Returns the bytes of a tile that are free and clear, or will be soon. */
static uint64_t clear_on(int fd, unsigned int tile)
{
	FILE *f = xetile_debugfs_open(fd, "hbm");
	unsigned long long clear = 0, bytes;
	unsigned int at = 0;
	char line[128];

	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "tile%u", &at) != 1 && at == tile &&
		    sscanf(line, " clear %llx", &bytes) == 1)
			clear = bytes;
	fclose(f);
	return clear;
}

/* More BOs of 64 KiB than the driver keeps clear on a tile at any time */
#define MOST_CLEAR	2048

void xetile_use_up_clear(int fd)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];
	int own = xetile_reopen(fd);
	uint64_t used = xetile_hbm_used(fd);

	for (unsigned int t = 0; t < xetile_query_tiles(fd, tiles); t++)
		for (unsigned int n = 0; clear_on(fd, t) >= SZ_64K; n++) {
			struct drm_xetile_bo_create args = {
				.size = SZ_64K, .placement = DRM_XETILE_PLACE_HBM,
				.flags = DRM_XETILE_BO_STRICT, .color = DRM_XETILE_COLOR_TILE,
				.tile_mask = 1u << t,
			};

			igt_assert_lt(n, MOST_CLEAR);
			igt_assert_eq(__xetile_bo_create(own, &args), 0);
		}
	close(own);
	xetile_assert_soon(xetile_hbm_used(fd) <= used);
}

void xetile_wait_engines_owned(int fd, unsigned int most)
{
	for (int i = 0; i < 5000; i++) {
		if (xetile_debugfs_sum(fd, "owners", "owned") <= most)
			return;
		usleep(1000);
	}
	igt_assert_f(false, "queues still own more than %u engines after 5000 tries\n", most);
}

void xetile_wait_engines_free(int fd)
{
	xetile_wait_engines_owned(fd, 0);
}

uint64_t xetile_hbm_of_clients(int fd)
{
	return xetile_debugfs_sum(fd, "hbm", "clients");
}

void xetile_wait_hbm_of_clients(int fd, uint64_t bytes)
{
	/* A kernel that checks itself needs minutes to free many thousand tables. */
	for (int i = 0; i < 300000; i++) {
		if (xetile_hbm_of_clients(fd) <= bytes)
			return;
		usleep(1000);
	}
	igt_assert_f(false, "the clients still have HBM after 300000 tries\n");
}

void xetile_wait_hbm_free(int fd)
{
	xetile_wait_hbm_of_clients(fd, 0);
}

void xetile_kernel_engine(int fd, char *name, size_t size)
{
	FILE *f = xetile_debugfs_open(fd, "owners");
	char line[128], own[32];

	*name = 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%31s (kernel's own)", own) == 1 && strchr(line, '(') &&
		    !strncmp(own, "tile0.", 6))
			snprintf(name, size, "%s", own);
	fclose(f);
	igt_assert(*name);
}

int xetile_ioctl(int fd, unsigned long request, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, request, arg);
	} while (ret == -1 && (errno == EINTR || errno == EAGAIN));
	return ret == -1 ? -errno : 0;
}

int __xetile_query(int fd, uint32_t item, struct drm_xetile_array *answer)
{
	struct drm_xetile_query q = { .item = item, .answer = *answer };
	int ret = xetile_ioctl(fd, DRM_IOCTL_XETILE_QUERY, &q);

	*answer = q.answer;
	return ret;
}

uint32_t xetile_query(int fd, uint32_t item, struct drm_xetile_array answer)
{
	igt_assert_eq(__xetile_query(fd, item, &answer), 0);
	return answer.count;
}

uint32_t xetile_query_tiles(int fd, struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES])
{
	return xetile_query(fd, DRM_XETILE_QUERY_TILES,
			    XETILE_ARRAY(tiles, DRM_XETILE_MAX_TILES));
}

void xetile_open_card(struct xetile_card *card)
{
	memset(card, 0, sizeof(*card));
	card->fd = xetile_open();
	xetile_query(card->fd, DRM_XETILE_QUERY_DEVICE, XETILE_ARRAY(&card->device, 1));
	xetile_query_tiles(card->fd, card->tiles);
}

uint64_t xetile_hbm_used(int fd)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES] = { 0 };
	uint64_t used = 0;

	xetile_query_tiles(fd, tiles);
	for (int t = 0; t < DRM_XETILE_MAX_TILES; t++)
		used += tiles[t].hbm_used;
	return used;
}

bool xetile_hbm_comes_back(int fd, uint64_t used)
{
	for (int i = 0; i < 200; i++) {
		if (xetile_hbm_used(fd) == used)
			return true;
		usleep(10000);
	}
	return false;
}

int xetile_sysfs_path(int fd, unsigned int tile, const char *name, char *path, size_t size)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	snprintf(path, size, "/sys/dev/char/%u:%u/device/tile%u/gt0/%s", major(st.st_rdev),
		 minor(st.st_rdev), tile, name);
	return 0;
}

int xetile_sysfs_read(int fd, unsigned int tile, const char *name, char *buf, size_t size)
{
	char path[PATH_MAX];

	igt_assert_eq(xetile_sysfs_path(fd, tile, name, path, sizeof(path)), 0);
	return xetile_read_file(path, buf, size);
}

int xetile_sysfs_write(int fd, unsigned int tile, const char *name, const char *text)
{
	char path[PATH_MAX];

	igt_assert_eq(xetile_sysfs_path(fd, tile, name, path, sizeof(path)), 0);
	return xetile_write_file(path, text);
}

int xetile_sysfs_polled(int fd, unsigned int tile, const char *name)
{
	char path[PATH_MAX], text[4096];
	int file;

	igt_assert_eq(xetile_sysfs_path(fd, tile, name, path, sizeof(path)), 0);
	file = open(path, O_RDONLY | O_CLOEXEC);
	igt_assert_lte(0, file);
	igt_assert_lte(0, (int)read(file, text, sizeof(text)));
	return file;
}

bool xetile_is_notified(int file, int timeout_ms)
{
	struct pollfd p = { .fd = file, .events = POLLPRI };

	return poll(&p, 1, timeout_ms) == 1;
}

unsigned int xetile_sysfs_uint(int fd, unsigned int tile, const char *name)
{
	char buf[64];

	igt_assert_eq(xetile_sysfs_read(fd, tile, name, buf, sizeof(buf)), 0);
	return strtoul(buf, NULL, 10);
}

void xetile_write_time(int fd, const char *file, const char *value)
{
	char name[64];

	snprintf(name, sizeof(name), "engines/ccs/%s", file);
	igt_assert_eq(xetile_sysfs_write(fd, 0, name, value), 0);
}

/* Otherwise a subtest that fails would leave its times to the subtests after it. */
void xetile_usual_times(int fd)
{
	xetile_write_time(fd, "preempt_timeout_us", "640000");
	/* Duration before maximum, because a turn is never longer than the maximum. */
	xetile_write_time(fd, "timeslice_duration_us", "5000");
	xetile_write_time(fd, "timeslice_duration_max", "50000");
}

static void destroy_all_queues(void)
{
	for (int fd = 3; fd < 256; fd++) {
		for (uint32_t queue = 1; queue < 256; queue++) {
			int err = __xetile_queue_destroy(fd, queue);

			if (err == -EBADF || err == -ENOTTY)
				break;
		}
	}
}

static void usual_ccs_mode(const char *path)
{
	int err = xetile_write_file(path, "1");

	if (err == -EBUSY)
		destroy_all_queues();
	/* A batch that does not end keeps its queue until its time is up, ten seconds. */
	for (int i = 0; i < 200 && err == -EBUSY; i++) {
		usleep(100000);
		err = xetile_write_file(path, "1");
	}
}

/* The file of the mode that a test has set */
static char set_path[PATH_MAX];

static void restore_mode(int sig)
{
	(void)sig;
	usual_ccs_mode(set_path);
}

void xetile_set_ccs_mode(int fd, const char *mode)
{
	int err = -EBUSY;

	if (!set_path[0])
		igt_install_exit_handler(restore_mode);
	igt_assert_eq(xetile_sysfs_path(fd, 0, "ccs_mode", set_path, sizeof(set_path)), 0);
	for (int i = 0; i < 20000 && err == -EBUSY; i++) {
		err = xetile_write_file(set_path, mode);
		usleep(1000);
	}
	igt_require_f(err != -EINVAL, "the tile has no mode %s\n", mode);
	igt_assert_eq(err, 0);
}

void xetile_usual_ccs_modes(const struct xetile_card *card)
{
	char path[PATH_MAX];

	for (uint32_t t = 0; t < card->device.num_tiles; t++)
		if (!xetile_sysfs_path(card->fd, t, "ccs_mode", path, sizeof(path)))
			usual_ccs_mode(path);
}

uint64_t xetile_fdinfo_bytes(int fd, const char *key)
{
	char path[64], line[256], unit[8] = "";
	unsigned long long n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	igt_assert(f);
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, strlen(key)) || line[strlen(key)] != ':')
			continue;
		igt_assert_lte(1, sscanf(line + strlen(key) + 1, "%llu %7s", &n, unit));
		fclose(f);
		return n << (!strcmp(unit, "KiB") ? 10 : !strcmp(unit, "MiB") ? 20 : 0);
	}
	fclose(f);
	igt_assert_f(false, "fdinfo has no key %s\n", key);
}

uint64_t xetile_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

uint64_t xetile_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

void xetile_bound_card(char *address, size_t size)
{
	char path[64], link[PATH_MAX], device[PATH_MAX];

	igt_assert_eq(xetile_open_path(path, sizeof(path)), 0);
	snprintf(link, sizeof(link), "/sys/class/drm/%s/device", strrchr(path, '/') + 1);
	igt_assert_f(realpath(link, device), "%s: %m\n", link);
	snprintf(address, size, "%s", strrchr(device, '/') + 1);
}

int xetile_read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	if (n < 0)
		err = -errno;
	else
		buf[n] = '\0';
	close(fd);
	return err;
}

int xetile_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	if (n != (ssize_t)strlen(text))
		err = n < 0 ? -errno : -EIO;
	close(fd);
	return err;
}

int xetile_write_driver(const char *file, const char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/xetile/%s", file);
	return xetile_write_file(path, text);
}

void xetile_rebind(const char *address)
{
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	igt_assert_eq(xetile_write_driver("bind", address), 0);
}

void xetile_reset_function(const char *address)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset", address);
	igt_assert_eq(xetile_write_file(path, "1"), 0);
}

/* --- buffers and address spaces ------------------------------------------- */

int __xetile_bo_create(int fd, struct drm_xetile_bo_create *args)
{
	return xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_CREATE, args);
}

uint32_t xetile_bo(int fd, uint64_t size, uint32_t placement)
{
	struct drm_xetile_bo_create args = { .size = size, .placement = placement };

	igt_assert_eq(__xetile_bo_create(fd, &args), 0);
	return args.handle;
}

uint32_t xetile_bo_color(int fd, uint64_t size, uint32_t color, uint32_t tile_mask,
			 uint64_t granule)
{
	struct drm_xetile_bo_create args = {
		.size = size, .placement = DRM_XETILE_PLACE_HBM, .flags = DRM_XETILE_BO_STRICT,
		.color = color, .tile_mask = tile_mask, .granule = granule,
	};

	igt_assert_eq(__xetile_bo_create(fd, &args), 0);
	return args.handle;
}

void *__xetile_bo_map(int fd, uint32_t handle, uint64_t size)
{
	struct drm_xetile_bo_mmap args = { .handle = handle };

	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_MMAP, &args), 0);
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, args.offset);
}

void *xetile_bo_map(int fd, uint32_t handle, uint64_t size)
{
	void *p = __xetile_bo_map(fd, handle, size);

	igt_assert_f(p != MAP_FAILED, "mmap: %m\n");
	return p;
}

void xetile_bo_close(int fd, uint32_t handle)
{
	igt_assert_eq(drmCloseBufferHandle(fd, handle), 0);
}

uint32_t xetile_bo_runs(int fd, uint32_t handle, struct drm_xetile_color_run *runs, uint32_t max)
{
	struct drm_xetile_bo_info info = {
		.handle = handle, .runs = DRM_XETILE_ARRAY(runs, max),
	};

	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_INFO, &info), 0);
	return info.runs.count;
}

static uint32_t fill_tile(int fd, unsigned int tile, uint64_t size)
{
	struct drm_xetile_bo_create args = {
		.size = size / SZ_64K * SZ_64K, .placement = DRM_XETILE_PLACE_HBM,
		.flags = DRM_XETILE_BO_STRICT, .color = DRM_XETILE_COLOR_TILE,
		.tile_mask = 1u << tile,
	};

	igt_assert_eq(__xetile_bo_create(fd, &args), 0);
	return args.handle;
}

void xetile_evict_all(int fd)
{
	struct xetile_card card;
	uint32_t bos[9];

	xetile_open_card(&card);
	for (unsigned int t = 0; t < card.device.num_tiles; t++) {
		uint64_t total = card.tiles[t].hbm_total;

		bos[0] = fill_tile(fd, t, total / 100 * 98);
		for (unsigned int i = 1; i < ARRAY_SIZE(bos); i++)
			bos[i] = fill_tile(fd, t, total / 200);
		for (unsigned int i = 0; i < ARRAY_SIZE(bos); i++)
			xetile_bo_close(fd, bos[i]);
	}
	close(card.fd);
}

void xetile_check_sigbus(const volatile uint32_t *map)
{
	int status;
	pid_t pid = fork();

	igt_assert_lte(0, pid);
	if (!pid) {
		signal(SIGBUS, SIG_DFL);
		_exit(*map == 0xdead);
	}
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFSIGNALED(status));
	igt_assert_eq(WTERMSIG(status), SIGBUS);
}

uint32_t xetile_vm(int fd)
{
	struct drm_xetile_vm_create args = { 0 };

	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_CREATE, &args), 0);
	igt_assert_neq(args.vm_id, 0);
	return args.vm_id;
}

int __xetile_vm_destroy(int fd, uint32_t vm)
{
	struct drm_xetile_vm_destroy args = { .vm_id = vm };

	return xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_DESTROY, &args);
}

void xetile_vm_destroy(int fd, uint32_t vm)
{
	igt_assert_eq(__xetile_vm_destroy(fd, vm), 0);
}

int __xetile_vm_bind(int fd, uint32_t vm, const struct drm_xetile_bind *binds, uint32_t n,
		     const struct drm_xetile_sync *syncs, uint32_t num_syncs)
{
	struct drm_xetile_vm_bind args = {
		.vm_id = vm, .binds = DRM_XETILE_ARRAY(binds, n),
		.syncs = DRM_XETILE_ARRAY(syncs, num_syncs),
	};

	return xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_BIND, &args);
}

void xetile_vm_map(int fd, uint32_t vm, uint32_t handle, uint64_t offset, uint64_t addr,
		   uint64_t range)
{
	struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_MAP, .handle = handle, .offset = offset, .addr = addr,
		.range = range,
	};

	igt_assert_eq(__xetile_vm_bind(fd, vm, &bind, 1, NULL, 0), 0);
}

void xetile_vm_unmap(int fd, uint32_t vm, uint64_t addr, uint64_t range)
{
	struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_UNMAP, .addr = addr, .range = range,
	};

	igt_assert_eq(__xetile_vm_bind(fd, vm, &bind, 1, NULL, 0), 0);
}
