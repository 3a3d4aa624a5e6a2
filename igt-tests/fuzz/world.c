// SPDX-License-Identifier: MIT
/* The world of the calls: the card, its files, and the objects that exist when an input begins */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <drm/xetile_drm.h>

#include "calls.h"

char card_path[64];
char *files[256];
unsigned int num_files;
/* The text of each file before the first input; NULL: the file is no setting */
static char *settings[256];

/* --- accesses to memory that may not be mapped ----------------------------------------- */

static __thread sigjmp_buf *volatile touching;

static void on_fault(int sig)
{
	if (!touching) {
		signal(sig, SIG_DFL);
		return;
	}
	siglongjmp(*touching, 1);
}

bool touch(volatile uint8_t *p, bool write)
{
	sigjmp_buf back;
	bool there = false;

	if (!sigsetjmp(back, 1)) {
		touching = &back;
		if (write)
			*p = 0x5a;
		else
			(void)*p;
		there = true;
	}
	touching = NULL;
	return there;
}

/* --- a world ------------------------------------------------------------------------ */

void world_begin(struct world *w)
{
	struct drm_xetile_vm_create vm = { 0 };
	struct drm_xetile_bo_create bo = {
		.size = BATCHES_SIZE, .placement = DRM_XETILE_PLACE_SYSTEM,
	};
	struct drm_xetile_bo_mmap map;
	struct drm_xetile_bind bind = { .addr = BATCHES, .range = BATCHES_SIZE };
	struct drm_xetile_vm_bind change = { .binds = DRM_XETILE_ARRAY(&bind, 1) };
	struct drm_xetile_queue_create queue = { .timeout_ms = 200 };
	struct drm_syncobj_create sync = { 0 };
	uint8_t *arena = w->arena;

	memset(w, 0, sizeof(*w));
	for (unsigned int i = 0; i < NUM_SLOTS; i++)
		w->file[i] = -1;
	w->fd = open(card_path, O_RDWR | O_CLOEXEC);
	w->other = open(card_path, O_RDWR | O_CLOEXEC);
	w->arena = mmap(arena, NUM_SLOTS * SLOT_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS |
			MAP_NORESERVE | (arena ? MAP_FIXED : 0), -1, 0);
	if (w->arena == MAP_FAILED) {
		perror("arena");
		exit(2);
	}
	if (w->fd < 0)
		return;
	if (!call(w->fd, DRM_IOCTL_XETILE_VM_CREATE, &vm))
		w->vm[0] = vm.vm_id;
	if (!call(w->fd, DRM_IOCTL_XETILE_BO_CREATE, &bo))
		w->bo[0] = bo.handle;
	map = (struct drm_xetile_bo_mmap) { .handle = bo.handle };
	if (!call(w->fd, DRM_IOCTL_XETILE_BO_MMAP, &map)) {
		void *p = mmap(w->arena, BATCHES_SIZE, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_FIXED, w->fd, map.offset);

		w->map_offset[0] = map.offset;
		if (p != MAP_FAILED) {
			w->batches = p;
			for (unsigned int at = 0; at < 0x1000; at += 0x100)
				w->batches[at / 4] = MI_BATCH_BUFFER_END;
		}
	}
	bind.handle = bo.handle;
	change.vm_id = vm.vm_id;
	call(w->fd, DRM_IOCTL_XETILE_VM_BIND, &change);
	queue.vm_id = vm.vm_id;
	for (unsigned int i = 0; i < 2; i++) {
		queue.target = i ? DRM_XETILE_TARGET_CSLICE : DRM_XETILE_TARGET_ROOT;
		if (!call(w->fd, DRM_IOCTL_XETILE_QUEUE_CREATE, &queue))
			w->queue[i] = queue.queue_id;
		if (!call(w->fd, DRM_IOCTL_SYNCOBJ_CREATE, &sync))
			w->sync[i] = sync.handle;
	}
}

void world_end(struct world *w)
{
	for (unsigned int i = 0; i < NUM_SLOTS; i++)
		if (w->file[i] >= 0)
			close(w->file[i]);
	mmap(w->arena, NUM_SLOTS * SLOT_SIZE, PROT_NONE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
	close(w->other);
	close(w->fd);
}

uint64_t calls_hbm_used(void)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES] = { 0 };
	struct drm_xetile_query args = {
		.item = DRM_XETILE_QUERY_TILES,
		.answer = DRM_XETILE_ARRAY(tiles, DRM_XETILE_MAX_TILES),
	};
	int fd = open(card_path, O_RDWR | O_CLOEXEC);
	uint64_t sum = 0;

	if (fd < 0 || call(fd, DRM_IOCTL_XETILE_QUERY, &args)) {
		perror("cannot read how much HBM is used");
		exit(2);
	}
	for (unsigned int i = 0; i < DRM_XETILE_MAX_TILES; i++)
		sum += tiles[i].hbm_used;
	close(fd);
	return sum;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char * const *)a, *(char * const *)b);
}

/* The plain files of a folder, two levels deep at most. */
static void find_files(const char *folder, unsigned int depth)
{
	struct dirent *e;
	struct stat st;
	char *path;
	DIR *dir;

	dir = opendir(folder);
	while (dir && (e = readdir(dir))) {
		if (e->d_name[0] == '.' || asprintf(&path, "%s/%s", folder, e->d_name) < 0)
			continue;
		if (!lstat(path, &st) && S_ISREG(st.st_mode) && num_files < ARRAY_SIZE(files)) {
			files[num_files++] = path;
			continue;
		}
		if (depth && S_ISDIR(st.st_mode))
			find_files(path, depth - 1);
		free(path);
	}
	if (dir)
		closedir(dir);
}

static bool read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return false;
	text[n] = 0;
	return true;
}

/*
 * A file of sysfs keeps a setting. A write to a file of debugfs starts an action, so that no
 * value can be restored.
 */
static void note_settings(void)
{
	char text[4096];
	struct stat st;

	for (unsigned int i = 0; i < num_files; i++) {
		if (strncmp(files[i], "/sys/dev/", strlen("/sys/dev/")) ||
		    stat(files[i], &st) || !(st.st_mode & 0222))
			continue;
		if (!read_text(files[i], text, sizeof(text))) {
			perror(files[i]);
			exit(2);
		}
		settings[i] = strdup(text);
	}
}

const char *calls_restore_settings(void)
{
	const char *differs = NULL;

	for (unsigned int i = 0; i < num_files; i++) {
		char text[4096] = "";
		int fd;

		if (!settings[i])
			continue;
		if (read_text(files[i], text, sizeof(text)) && !strcmp(text, settings[i]))
			continue;
		differs = files[i];
		fd = open(files[i], O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (write(fd, settings[i], strlen(settings[i])) < 0 && errno != EBUSY)
			perror(files[i]);
		close(fd);
	}
	return differs;
}

void calls_init(const char *card)
{
	struct sigaction act = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };
	char folder[128];
	struct stat st;

	snprintf(card_path, sizeof(card_path), "%s", card);
	if (stat(card, &st)) {
		perror(card);
		exit(2);
	}
	for (unsigned int tile = 0; tile < DRM_XETILE_MAX_TILES; tile++) {
		snprintf(folder, sizeof(folder), "/sys/dev/char/%u:%u/device/tile%u",
			 major(st.st_rdev), minor(st.st_rdev), tile);
		find_files(folder, 2);
	}
	snprintf(folder, sizeof(folder), "/sys/kernel/debug/dri/%u", minor(st.st_rdev));
	find_files(folder, 1);
	/* The files are sorted, because the order in a folder differs from boot to boot. */
	qsort(files, num_files, sizeof(files[0]), by_name);
	note_settings();
	sigaction(SIGSEGV, &act, NULL);
	sigaction(SIGBUS, &act, NULL);
}
