// SPDX-License-Identifier: MIT
/* Calls that operations are made of, the same for every driver. */
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm/drm.h>
#include <pvc_mi_commands.h>

#include "calls.h"
#include "card.h"

/* The card's node, which may be another after an unbind and a bind; empty: unknown */
static char node[64];

/* Called at the next open, not after a bind: a search would be part of the bind's sample. */
static void find_node(const struct state *s)
{
	char pattern[128];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/drm/renderD*", s->pci);
	if (glob(pattern, 0, NULL, &found))
		fail("no node of %s", s->pci);
	snprintf(node, sizeof(node), "/dev/dri/%s", strrchr(found.gl_pathv[0], '/') + 1);
	globfree(&found);
}

void open_node(struct state *s)
{
	if (!*node)
		find_node(s);
	s->fd = open(node, O_RDWR | O_CLOEXEC);
	if (s->fd < 0)
		fail("cannot open %s", node);
}

void close_node(struct state *s)
{
	close(s->fd);
}

void gem_close(int fd, uint32_t handle)
{
	struct drm_gem_close arg = { .handle = handle };

	do_ioctl(fd, DRM_IOCTL_GEM_CLOSE, &arg, "GEM_CLOSE");
}

uint32_t syncobj_create(int fd)
{
	struct drm_syncobj_create arg = { 0 };

	do_ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, &arg, "SYNCOBJ_CREATE");
	return arg.handle;
}

void syncobj_destroy(int fd, uint32_t handle)
{
	struct drm_syncobj_destroy arg = { .handle = handle };

	do_ioctl(fd, DRM_IOCTL_SYNCOBJ_DESTROY, &arg, "SYNCOBJ_DESTROY");
}

void syncobj_wait(int fd, const uint32_t *handles, unsigned int num)
{
	struct drm_syncobj_wait arg = {
		.handles = (uintptr_t)handles, .count_handles = num,
		.timeout_nsec = INT64_MAX, .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL,
	};

	do_ioctl(fd, DRM_IOCTL_SYNCOBJ_WAIT, &arg, "SYNCOBJ_WAIT");
}

/* Returns a dma-buf of a BO. */
int prime_export(int fd, uint32_t handle)
{
	struct drm_prime_handle arg = { .handle = handle, .flags = DRM_CLOEXEC | DRM_RDWR };

	do_ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &arg, "PRIME_HANDLE_TO_FD");
	return arg.fd;
}

uint32_t prime_import(int fd, int buffer)
{
	struct drm_prime_handle arg = { .fd = buffer };

	do_ioctl(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &arg, "PRIME_FD_TO_HANDLE");
	return arg.handle;
}

void *map_bo(struct state *s, uint32_t bo, uint64_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd,
		       (off_t)s->ops->bo_mmap_offset(s->fd, bo));

	if (p == MAP_FAILED)
		fail("cannot map a buffer");
	return p;
}

void setup_batch(struct state *s)
{
	volatile uint32_t *p;

	open_node(s);
	s->vm = s->ops->vm_create(s->fd);
	s->batch = s->ops->bo_create(s->fd, 64 * KIB);
	p = map_bo(s, s->batch, 64 * KIB);
	*p = PVC_MI_BATCH_BUFFER_END;
	munmap((void *)p, 64 * KIB);
	s->syncobjs[0] = syncobj_create(s->fd);
	s->ops->bind(s->fd, s->vm, s->batch, BATCH_ADDR, 64 * KIB, s->syncobjs[0]);
	syncobj_wait(s->fd, s->syncobjs, 1);
	syncobj_destroy(s->fd, s->syncobjs[0]);
	s->num_queues = 0;
}

/*
 * The card takes 10 ms for each command, so that the caller is always asleep before the job
 * is done, and interrupts come one by one.
 */
void slow_card(struct state *s)
{
	(void)s;
	card_say("inject slow us=10000");
}

void normal_card(struct state *s)
{
	(void)s;
	card_say("inject clear");
}

/*
 * The driver's folder in sysfs, as the first caller found it: a card without a driver does not tell
 * which it had. Not by the name of the calls, because xetile answers those of xe, too.
 */
static const char *driver_path(const struct state *s)
{
	static char path[PATH_MAX];
	char link[128];

	if (!*path) {
		snprintf(link, sizeof(link), "%s/driver", s->pci);
		if (!realpath(link, path))
			fail("%s has no driver", s->pci);
	}
	return path;
}

void tell_driver(const struct state *s, const char *file)
{
	const char *name = strrchr(s->pci, '/') + 1;
	char path[PATH_MAX + 16];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", driver_path(s), file);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, name, strlen(name)) != (ssize_t)strlen(name))
		fail("cannot %s %s", file, name);
	close(fd);
	*node = '\0';
}
