// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "xetile_side.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_lab.h"

#define MAX_COPY	(SZ_64K * 2)
#define COPY_ADDR	0x30000000ull
#define GO		256u		/* dword of the gate that lets a batch go on */

void side_init(struct side *s, unsigned int number)
{
	int fd = xetile_open_number(number);

	s->number = number;
	ctx_init(&s->c, fd);
	s->queue = xetile_copy_queue(fd, s->c.vm);
	xetile_buf_init(&s->copy, fd, s->c.vm, COPY_ADDR, SHARE_BYTES, DRM_XETILE_PLACE_SYSTEM);
}

void side_fini(struct side *s)
{
	int fd = s->c.fd;

	xetile_queue_destroy(fd, s->queue);
	xetile_buf_fini(&s->copy);
	ctx_fini(&s->c);
	close(fd);
}

void side_drop(struct side *s)
{
	munmap(s->copy.map, s->copy.size);
	munmap(s->c.batch.map, s->c.batch.size);
	munmap(s->c.gate.map, s->c.gate.size);
	close(s->c.fd);
}

void side_emit_copy(struct side *s, struct xetile_batch *b, uint64_t dst, uint64_t src)
{
	for (uint64_t done = 0; done < SHARE_BYTES; done += MAX_COPY)
		batch_mem_copy(b, dst + done, src + done, MAX_COPY);
	batch_end(b);
}

void side_copy(struct side *s, uint64_t dst, uint64_t src)
{
	struct xetile_batch b;

	batch_begin(&b, &s->c.batch, 0);
	side_emit_copy(s, &b, dst, src);
	xetile_run(s->c.fd, s->queue, batch_addr(&b));
}

void share_paint(volatile uint32_t *map, uint32_t seed)
{
	for (unsigned int p = 0; p < SHARE_PAGES; p++)
		map[p * (SZ_4K / 4)] = seed + p;
}

void share_check(volatile uint32_t *map, uint32_t seed)
{
	for (unsigned int p = 0; p < SHARE_PAGES; p++)
		igt_assert_eq_u32(map[p * (SZ_4K / 4)], seed + p);
}

void side_check(struct side *s, uint64_t addr, uint32_t seed)
{
	memset(s->copy.map, 0, SHARE_BYTES);
	side_copy(s, s->copy.addr, addr);
	share_check(s->copy.map, seed);
}

void side_paint(struct side *s, uint64_t addr, uint32_t seed)
{
	share_paint(s->copy.map, seed);
	side_copy(s, addr, s->copy.addr);
}

static struct drm_xetile_bo_info info_of(int fd, uint32_t bo)
{
	struct drm_xetile_bo_info info = { .handle = bo };

	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_INFO, &info), 0);
	return info;
}

uint64_t share_of(int fd, uint32_t bo)
{
	return info_of(fd, bo).share;
}

int share_export(int fd, uint32_t bo)
{
	int file;

	igt_assert_eq(drmPrimeHandleToFD(fd, bo, DRM_CLOEXEC | DRM_RDWR, &file), 0);
	return file;
}

uint32_t side_import(struct side *s, int file)
{
	uint32_t bo;

	igt_assert_f(!drmPrimeFDToHandle(s->c.fd, file, &bo), "import: %m\n");
	igt_assert_eq_u64(info_of(s->c.fd, bo).size, SHARE_BYTES);
	igt_assert_eq_u64(share_of(s->c.fd, bo), DRM_XETILE_SHARE_IMPORTED);
	xetile_vm_map(s->c.fd, s->c.vm, bo, 0, DATA_ADDR, SHARE_BYTES);
	return bo;
}

void side_forget(struct side *s, uint32_t bo)
{
	xetile_vm_unmap(s->c.fd, s->c.vm, DATA_ADDR, SHARE_BYTES);
	xetile_bo_close(s->c.fd, bo);
}

bool share_told(int from, uint32_t exported, int to, uint32_t imported)
{
	const uint64_t how = DRM_XETILE_SHARE_PEER | DRM_XETILE_SHARE_SYSTEM;
	uint64_t told = share_of(to, imported);
	bool peer = told & DRM_XETILE_SHARE_PEER;
	struct drm_xetile_color_run run;

	igt_assert(told & DRM_XETILE_SHARE_IMPORTED);
	igt_assert_eq_u64(told & how, peer ? DRM_XETILE_SHARE_PEER : DRM_XETILE_SHARE_SYSTEM);
	igt_assert_eq_u64(share_of(from, exported) & how, told & how);
	if (!peer) {
		igt_assert_eq_u32(xetile_bo_runs(from, exported, &run, 1), 1);
		igt_assert_eq_u32(run.tile, DRM_XETILE_MEM_SYSTEM);
	}
	return peer;
}

struct drm_xetile_sync share_signal(uint32_t syncobj)
{
	return (struct drm_xetile_sync) { .handle = syncobj, .flags = DRM_XETILE_SYNC_SIGNAL };
}

uint32_t side_start_held(struct side *s, uint64_t dst, uint64_t src)
{
	struct drm_xetile_sync done = share_signal(xetile_syncobj(s->c.fd));
	struct xetile_batch b;

	s->c.gate.map[GO] = 0;
	batch_begin(&b, &s->c.batch, SZ_4K);
	batch_wait(&b, s->c.gate.addr + GO * 4, 1);
	side_emit_copy(s, &b, dst, src);
	igt_assert_eq(__xetile_exec(s->c.fd, s->queue, batch_addr(&b), &done, 1), 0);
	return done.handle;
}

void side_open_gate(struct side *s)
{
	s->c.gate.map[GO] = 1;
}

void side_let_go(struct side *s, uint32_t fence)
{
	side_open_gate(s);
	xetile_wait_done(s->c.fd, fence);
	xetile_syncobj_destroy(s->c.fd, fence);
}

void side_address(unsigned int number, char *address, size_t size)
{
	close(xetile_open_number(number));
	xetile_bound_card(address, size);
}

/* The folder of the bridge above the port that a card is in, as sysfs has it */
static void bridge_of(int fd, char *path)
{
	char link[64];
	struct stat st;

	igt_assert_eq(fstat(fd, &st), 0);
	snprintf(link, sizeof(link), "/sys/dev/char/%u:%u/device", major(st.st_rdev),
		 minor(st.st_rdev));
	igt_assert_f(realpath(link, path), "%s: %m\n", link);
	*strrchr(path, '/') = '\0';
	*strrchr(path, '/') = '\0';
}

bool side_switched(int fd, int other)
{
	char path[PATH_MAX], there[PATH_MAX];

	bridge_of(fd, path);
	bridge_of(other, there);
	/* Ports of the root complex are in the folder of the host bridge, "pci0000:00". */
	return !strcmp(path, there) && strncmp(strrchr(path, '/'), "/pci", 4);
}

unsigned int side_far(void)
{
	int fd = xetile_open_number(0), other = xetile_open_number(1);
	bool near = side_switched(fd, other);

	close(other);
	close(fd);
	if (!near)
		return 1;
	close(xetile_open_number(2));
	return 2;
}

uint64_t side_place(const struct side *s, uint64_t addr, bool *hbm)
{
	struct drm_xetile_queue_info info;
	char number[16], *answer;
	uint64_t at;

	xetile_queue_info(s->c.fd, s->queue, &info);
	snprintf(number, sizeof(number), "%u", s->number);
	setenv("XETILE_CARD", number, 1);
	answer = lab_ask("translate tile%u.bcs%u %#llx", info.members[0].tile,
			 info.members[0].instance, (unsigned long long)addr);
	at = lab_number(answer, "address");
	*hbm = strstr(answer, "\"hbm\"");
	free(answer);
	return at;
}
