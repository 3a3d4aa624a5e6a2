// SPDX-License-Identifier: MIT
/*
 * Address spaces: mappings as the GPU sees them, with every size of leaf; arrays; syncs; and bad
 * input in every field.
 * Statements: S107, S108, S120.
 *
 * suite: igt soak
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/sync_file.h>
#include <xf86drm.h>

#include "xetile_place.h"
#include "xetile_vgem.h"

IGT_TEST_DESCRIPTION("GPU address spaces and VM_BIND");

/* Where the driver has its copy engines write what nobody may see */
#define NOWHERE		DRM_XETILE_VA_NOWHERE

/* The GPU writes at some points of the mapping, and the CPU reads them. */
static void check_mapping(struct place *s, uint64_t addr, const uint32_t *map, uint64_t offset,
			  uint64_t size)
{
	const uint64_t probes[] = { 0, 4096, size / 2 & ~7ull, size - 65536, size - 8 };

	for (unsigned int i = 0; i < ARRAY_SIZE(probes); i++) {
		uint32_t value = 0xc0de0000 + i;

		place_store(s, addr + probes[i], value);
		igt_assert_eq_u32(map[(offset + probes[i]) / 4], value);
	}
}

static void test_leaf(const struct xetile_card *card, uint32_t placement, uint64_t size,
		      uint64_t addr, uint32_t color)
{
	struct drm_xetile_bo_create args = {
		.size = size, .placement = placement, .color = color,
	};
	struct place s;
	uint32_t *map;

	igt_require_f(size <= card->tiles[0].hbm_total / 2 * card->device.num_tiles,
		      "HBM is too small\n");
	place_init(&s, card->fd);
	igt_assert_eq(__xetile_bo_create(s.fd, &args), 0);
	map = xetile_bo_map(s.fd, args.handle, size);
	xetile_vm_map(s.fd, s.vm, args.handle, 0, addr, size);
	check_mapping(&s, addr, map, 0, size);
	munmap(map, size);
	xetile_bo_close(s.fd, args.handle);
	place_fini(&s);
}

static void test_partial(const struct xetile_card *card)
{
	uint64_t size = 4 * SZ_2M;
	uint32_t bo, *map, other;
	struct place s;

	place_init(&s, card->fd);
	bo = xetile_bo_color(s.fd, size, DRM_XETILE_COLOR_EVEN, 0, 0);
	other = xetile_bo(s.fd, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	map = xetile_bo_map(s.fd, bo, size);
	xetile_vm_map(s.fd, s.vm, bo, 0, DATA_ADDR, size);

	/* Replace the middle: both ends must still lead to their old bytes. */
	xetile_vm_map(s.fd, s.vm, other, 0, DATA_ADDR + SZ_2M + SZ_64K, SZ_64K);
	check_mapping(&s, DATA_ADDR, map, 0, SZ_2M + SZ_64K);
	check_mapping(&s, DATA_ADDR + SZ_2M + 2 * SZ_64K, map, SZ_2M + 2 * SZ_64K,
		      size - SZ_2M - 2 * SZ_64K);

	/* Unmap a part, and map it again to another part of the object. */
	xetile_vm_unmap(s.fd, s.vm, DATA_ADDR + 2 * SZ_2M, SZ_2M);
	xetile_vm_map(s.fd, s.vm, bo, 0, DATA_ADDR + 2 * SZ_2M, SZ_2M);
	check_mapping(&s, DATA_ADDR + 2 * SZ_2M, map, 0, SZ_2M);
	check_mapping(&s, DATA_ADDR + 3 * SZ_2M, map, 3 * SZ_2M, SZ_2M);

	/* Unmapping a range with holes is no error. */
	xetile_vm_unmap(s.fd, s.vm, DATA_ADDR - SZ_2M, 16 * SZ_2M);
	xetile_vm_unmap(s.fd, s.vm, DATA_ADDR - SZ_2M, 16 * SZ_2M);
	munmap(map, size);
	xetile_bo_close(s.fd, bo);
	xetile_bo_close(s.fd, other);
	place_fini(&s);
}

static void test_array(const struct xetile_card *card)
{
	struct drm_xetile_bind binds[64] = { 0 };
	uint32_t bo, *map;
	struct place s;

	place_init(&s, card->fd);
	bo = xetile_bo(s.fd, ARRAY_SIZE(binds) * SZ_64K, DRM_XETILE_PLACE_HBM);
	map = xetile_bo_map(s.fd, bo, ARRAY_SIZE(binds) * SZ_64K);

	/* In reverse order, so that every page needs a mapping of its own */
	for (unsigned int i = 0; i < ARRAY_SIZE(binds); i++)
		binds[i] = (struct drm_xetile_bind) {
			.op = DRM_XETILE_BIND_MAP, .handle = bo,
			.offset = (ARRAY_SIZE(binds) - 1 - i) * SZ_64K,
			.addr = DATA_ADDR + i * SZ_64K, .range = SZ_64K,
		};
	igt_assert_eq(__xetile_vm_bind(s.fd, s.vm, binds, ARRAY_SIZE(binds), NULL, 0), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(binds); i += 9) {
		place_store(&s, DATA_ADDR + i * SZ_64K, 0x100 + i);
		igt_assert_eq_u32(map[(ARRAY_SIZE(binds) - 1 - i) * SZ_64K / 4], 0x100 + i);
	}

	/* All or none: the last bind is bad, therefore the first one must not be made. */
	binds[0] = (struct drm_xetile_bind) {
		.op = DRM_XETILE_BIND_UNMAP, .addr = DATA_ADDR, .range = SZ_64K,
	};
	binds[63].handle = BAD_ID;
	igt_assert_eq(__xetile_vm_bind(s.fd, s.vm, binds, ARRAY_SIZE(binds), NULL, 0), -ENOENT);
	place_store(&s, DATA_ADDR, 0x777);
	igt_assert_eq_u32(map[63 * SZ_64K / 4], 0x777);
	munmap(map, ARRAY_SIZE(binds) * SZ_64K);
	xetile_bo_close(s.fd, bo);
	place_fini(&s);
}

#define CUTS		32u	/* holes in a mapping, each of which is one page of three */

/* Each bind of a call takes a page out of the midst of one mapping, from its start to its end. */
static void test_array_cuts(const struct xetile_card *card, bool ascending)
{
	const uint64_t size = 3 * CUTS * SZ_64K;
	struct drm_xetile_bind binds[CUTS] = { 0 };
	uint64_t mappings, none;
	uint32_t bo, *map;
	struct place s;

	/* The mappings of VMs of before are gone. */
	xetile_wait_hbm_free(card->fd);
	place_init(&s, card->fd);
	none = xetile_debugfs_sum(s.fd, "vms", "mappings");
	bo = xetile_bo(s.fd, size, DRM_XETILE_PLACE_HBM);
	map = xetile_bo_map(s.fd, bo, size);
	xetile_vm_map(s.fd, s.vm, bo, 0, DATA_ADDR, size);
	mappings = xetile_debugfs_sum(s.fd, "vms", "mappings") - none;
	igt_assert_eq_u64(mappings, card->device.num_tiles);
	for (unsigned int i = 0; i < CUTS; i++)
		binds[ascending ? i : CUTS - 1 - i] = (struct drm_xetile_bind) {
			.op = i % 2 ? DRM_XETILE_BIND_UNMAP : DRM_XETILE_BIND_MAP_NULL,
			.addr = DATA_ADDR + (3 * i + 1) * SZ_64K, .range = SZ_64K,
		};
	igt_assert_eq(__xetile_vm_bind(s.fd, s.vm, binds, CUTS, NULL, 0), 0);
	mappings = xetile_debugfs_sum(s.fd, "vms", "mappings") - none;
	/* What stays of the buffer is in one piece more than there are holes. */
	igt_assert_eq_u64(mappings, (CUTS + 1 + CUTS / 2) * card->device.num_tiles);
	for (unsigned int i = 0; i < 3 * CUTS; i += i % 3 ? 1 : 2) {
		place_store(&s, DATA_ADDR + i * SZ_64K, 0x200 + i);
		igt_assert_eq_u32(map[i * SZ_64K / 4], 0x200 + i);
	}
	munmap(map, size);
	xetile_bo_close(s.fd, bo);
	place_fini(&s);
}

/* Asserts the names that a syncobj's fence reports, and that it has not signalled. */
static void check_fence(int fd, uint32_t handle, const char *timeline)
{
	struct sync_fence_info fence = { 0 };
	struct sync_file_info info = { .num_fences = 1, .sync_fence_info = to_user(&fence) };
	int file;

	igt_assert_eq(drmSyncobjExportSyncFile(fd, handle, &file), 0);
	igt_assert_eq(ioctl(file, SYNC_IOC_FILE_INFO, &info), 0);
	igt_assert_eq(strcmp(fence.driver_name, "xetile"), 0);
	igt_assert_eq(strcmp(fence.obj_name, timeline), 0);
	igt_assert_eq(fence.status, 0);
	close(file);
}

static void test_syncs(const struct xetile_card *card)
{
	struct drm_xetile_sync syncs[2] = { { 0 }, { .flags = DRM_XETILE_SYNC_SIGNAL } };
	struct drm_xetile_bind bind = { .addr = DATA_ADDR, .range = SZ_64K };
	struct xetile_buf gate;
	struct xetile_batch b;
	uint32_t queue, *map;
	struct place s;

	place_init(&s, card->fd);
	xetile_buf_init(&gate, s.fd, s.vm, BATCH_ADDR + SZ_2M, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	queue = xetile_queue(s.fd, s.vm, DRM_XETILE_ENGINE_COPY, DRM_XETILE_TARGET_TILE, 0, 0);
	bind.handle = xetile_bo(s.fd, SZ_64K, DRM_XETILE_PLACE_HBM);
	map = xetile_bo_map(s.fd, bind.handle, SZ_64K);
	syncs[0].handle = xetile_syncobj(s.fd);
	syncs[1].handle = xetile_syncobj(s.fd);

	/* This batch, which waits for the test, signals the first syncobj. */
	batch_begin(&b, &gate, 4096);
	batch_wait(&b, gate.addr, 1);
	batch_end(&b);
	syncs[0].flags = DRM_XETILE_SYNC_SIGNAL;
	igt_assert_eq(__xetile_exec(s.fd, queue, batch_addr(&b), syncs, 1), 0);

	/* The bind waits for that syncobj, and the job waits for the bind. */
	syncs[0].flags = 0;
	igt_assert_eq(__xetile_vm_bind(s.fd, s.vm, &bind, 1, syncs, 2), 0);
	igt_assert_eq(__xetile_wait(s.fd, syncs[1].handle, 50), -ETIME);
	check_fence(s.fd, syncs[1].handle, "bind");
	gate.map[0] = 1;
	igt_assert_eq(__xetile_wait(s.fd, syncs[1].handle, 10000), 0);
	place_store(&s, DATA_ADDR, 42);
	igt_assert_eq_u32(map[0], 42);

	xetile_syncobj_destroy(s.fd, syncs[0].handle);
	xetile_syncobj_destroy(s.fd, syncs[1].handle);
	munmap(map, SZ_64K);
	xetile_bo_close(s.fd, bind.handle);
	xetile_queue_destroy(s.fd, queue);
	xetile_buf_fini(&gate);
	place_fini(&s);
}

static void test_two_vms(const struct xetile_card *card)
{
	struct place s[2];
	uint32_t bo[2], *map[2];

	/* The same address leads to another buffer in another VM (S107). */
	for (int i = 0; i < 2; i++) {
		place_init(&s[i], card->fd);
		bo[i] = xetile_bo(card->fd, SZ_64K, DRM_XETILE_PLACE_HBM);
		map[i] = xetile_bo_map(card->fd, bo[i], SZ_64K);
		xetile_vm_map(card->fd, s[i].vm, bo[i], 0, DATA_ADDR, SZ_64K);
	}
	for (int i = 0; i < 2; i++)
		place_store(&s[i], DATA_ADDR, 100 + i);
	for (int i = 0; i < 2; i++) {
		igt_assert_eq_u32(map[i][0], 100 + i);
		munmap(map[i], SZ_64K);
		xetile_bo_close(card->fd, bo[i]);
		place_fini(&s[i]);
	}
}

static void test_bad_bind(const struct xetile_card *card)
{
	uint64_t va_size = card->device.va_size;
	uint32_t missing = 1u << card->device.num_tiles;
	struct drm_xetile_bind good = { .addr = DATA_ADDR, .range = SZ_64K };
	struct drm_xetile_vm_bind args;
	uint32_t vm = xetile_vm(card->fd);
	int ret;

	good.handle = xetile_bo(card->fd, 2 * SZ_64K, DRM_XETILE_PLACE_HBM);

	struct {
		const char *what;
		int err;
		struct drm_xetile_bind bind;
	} cases[] = {
#define CASE(text, error, ...) \
	{ text, error, { .addr = good.addr, .range = good.range, .handle = good.handle, __VA_ARGS__ } }
		CASE("unknown op", EINVAL, .op = 4),
		CASE("no memory, with a handle", EINVAL, .op = DRM_XETILE_BIND_MAP_NULL),
		CASE("no memory, with a flag", EINVAL, .op = DRM_XETILE_BIND_MAP_NULL, .handle = 0,
		     .flags = DRM_XETILE_BIND_READONLY),
		CASE("user pages, with a handle", EINVAL, .op = DRM_XETILE_BIND_MAP_USER),
		CASE("unknown flag", EINVAL, .flags = 1u << 31),
		CASE("missing tile", EINVAL, .tile_mask = missing),
		CASE("range 0", EINVAL, .range = 0),
		CASE("range misaligned", EINVAL, .range = SZ_4K),
		CASE("address misaligned", EINVAL, .addr = DATA_ADDR + SZ_4K),
		CASE("offset misaligned", EINVAL, .offset = SZ_4K),
		CASE("address at the end", EINVAL, .addr = va_size),
		CASE("range beyond the end", EINVAL, .addr = va_size - SZ_64K, .range = 2 * SZ_64K),
		CASE("the driver's addresses", EINVAL, .addr = NOWHERE),
		CASE("no memory at the driver's addresses", EINVAL, .op = DRM_XETILE_BIND_MAP_NULL,
		     .handle = 0, .addr = NOWHERE),
		CASE("unmap the driver's addresses", EINVAL, .op = DRM_XETILE_BIND_UNMAP,
		     .handle = 0, .addr = NOWHERE),
		CASE("all addresses", EINVAL, .op = DRM_XETILE_BIND_UNMAP, .handle = 0,
		     .addr = 0, .range = 1ull << 57),
		CASE("address wraps", EINVAL, .addr = ~0ull << 16, .range = 2 * SZ_64K),
		CASE("range wraps", EINVAL, .range = ~0ull << 16),
		CASE("offset wraps", EINVAL, .offset = ~0ull << 16),
		CASE("beyond the object", EINVAL, .range = 3 * SZ_64K),
		CASE("offset beyond the object", EINVAL, .offset = 2 * SZ_64K),
		CASE("no such object", ENOENT, .handle = BAD_ID),
		CASE("no object", ENOENT, .handle = 0),
		CASE("unmap with a handle", EINVAL, .op = DRM_XETILE_BIND_UNMAP),
		CASE("unmap with an offset", EINVAL, .op = DRM_XETILE_BIND_UNMAP, .handle = 0,
		     .offset = SZ_64K),
		CASE("unmap with a flag", EINVAL, .op = DRM_XETILE_BIND_UNMAP, .handle = 0,
		     .flags = DRM_XETILE_BIND_READONLY),
#undef CASE
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		ret = __xetile_vm_bind(card->fd, vm, &cases[i].bind, 1, NULL, 0);
		igt_assert_f(ret == -cases[i].err, "%s: %s, expected %s\n", cases[i].what,
			     strerror(-ret), strerror(cases[i].err));
	}

	args = (struct drm_xetile_vm_bind) { .vm_id = vm, .binds = DRM_XETILE_ARRAY(&good, 0) };
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_VM_BIND, &args), 0);
	args.binds.count = DRM_XETILE_MAX_ARRAY + 1;
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_VM_BIND, &args), -EINVAL);
	args.binds.count = ~0u;
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_VM_BIND, &args), -EINVAL);
	args.binds.count = 1;
	args.binds.data = BAD_POINTER;
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_VM_BIND, &args), -EFAULT);
	args.binds.data = to_user(&good);
	args.flags = 1;
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_VM_BIND, &args), -EINVAL);
	args.flags = 0;
	args.pad = 1;
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_VM_BIND, &args), -EINVAL);
	args.pad = 0;
	args.queue_id = BAD_ID;
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_VM_BIND, &args), -ENOENT);
	args.queue_id = 0;
	args.syncs = (struct drm_xetile_array) { BAD_POINTER, 1, sizeof(struct drm_xetile_sync) };
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_VM_BIND, &args), -EFAULT);
	args.syncs.count = DRM_XETILE_MAX_ARRAY + 1;
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_VM_BIND, &args), -EINVAL);
	args.syncs.count = 0;
	args.vm_id = BAD_ID;
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_VM_BIND, &args), -ENOENT);

	/* The next valid call works. */
	igt_assert_eq(__xetile_vm_bind(card->fd, vm, &good, 1, NULL, 0), 0);
	xetile_bo_close(card->fd, good.handle);
	xetile_vm_destroy(card->fd, vm);
}

static void test_bad_vm(const struct xetile_card *card)
{
	struct drm_xetile_vm_create create = { .flags = 1 };
	struct drm_xetile_vm_destroy destroy = { .vm_id = BAD_ID };
	uint32_t vm;

	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_VM_CREATE, &create), -EINVAL);
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_VM_DESTROY, &destroy), -ENOENT);
	destroy.vm_id = 0;
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_VM_DESTROY, &destroy), -ENOENT);
	vm = xetile_vm(card->fd);
	destroy = (struct drm_xetile_vm_destroy) { .vm_id = vm, .pad = 1 };
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_VM_DESTROY, &destroy), -EINVAL);
	xetile_vm_destroy(card->fd, vm);
	igt_assert_eq(__xetile_vm_destroy(card->fd, vm), -ENOENT);
}

static uint32_t private_bo(int fd, uint32_t vm, uint64_t size)
{
	struct drm_xetile_bo_create args = {
		.size = size, .placement = DRM_XETILE_PLACE_HBM, .vm_id = vm,
	};

	igt_assert_eq(__xetile_bo_create(fd, &args), 0);
	return args.handle;
}

static uint32_t owner_of(int fd, uint32_t bo)
{
	struct drm_xetile_bo_info info = { .handle = bo };

	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_INFO, &info), 0);
	return info.vm_id;
}

/*
 * A buffer that is private to a VM can be mapped like any other, and lives as long as its mapping.
 */
static void test_private(const struct xetile_card *card)
{
	uint32_t *map, bo, vm;
	struct place s;

	place_init(&s, card->fd);
	bo = private_bo(s.fd, s.vm, SZ_2M);
	map = xetile_bo_map(s.fd, bo, SZ_2M);
	igt_assert_eq_u32(map[0], 0);
	xetile_vm_map(s.fd, s.vm, bo, 0, DATA_ADDR, SZ_2M);
	check_mapping(&s, DATA_ADDR, map, 0, SZ_2M);

	/* The buffer stays mapped without its handle, and exists without its VM. */
	xetile_bo_close(s.fd, bo);
	check_mapping(&s, DATA_ADDR, map, 0, SZ_2M);
	munmap(map, SZ_2M);
	bo = private_bo(s.fd, s.vm, SZ_2M);
	map = xetile_bo_map(s.fd, bo, SZ_2M);
	igt_assert_eq_u32(owner_of(card->fd, bo), s.vm);
	vm = s.vm;
	place_fini(&s);
	map[1] = 3;
	igt_assert_eq_u32(map[1], 3);

	/* Its owner is gone, and is not another VM that has the same id. */
	igt_assert_eq_u32(owner_of(card->fd, bo), 0);
	place_init(&s, card->fd);
	igt_assert_eq_u32(s.vm, vm);
	igt_assert_eq_u32(owner_of(card->fd, bo), 0);
	place_fini(&s);
	munmap(map, SZ_2M);
	xetile_bo_close(card->fd, bo);
}

/*
 * The CPU can use a private buffer while a bind of its VM waits for a fence that may never signal.
 */
static void test_private_foreign(const struct xetile_card *card)
{
	struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_UNMAP, .addr = DATA_ADDR, .range = SZ_64K,
	};
	struct drm_xetile_sync in = { 0 };
	struct vgem vgem;
	uint32_t *map, bo;
	struct place s;

	vgem_init(&vgem);
	place_init(&s, card->fd);
	in.handle = xetile_syncobj(s.fd);
	vgem_fence(&vgem, s.fd, in.handle);
	igt_assert_eq(__xetile_vm_bind(s.fd, s.vm, &bind, 1, &in, 1), 0);
	bo = private_bo(s.fd, s.vm, SZ_64K);
	map = xetile_bo_map(s.fd, bo, SZ_64K);
	igt_assert_eq_u32(map[0], 0);
	/* The fence had neither signalled nor expired. */
	igt_assert_eq(vgem_signal(&vgem), 0);
	xetile_vm_map(s.fd, s.vm, bo, 0, DATA_ADDR, SZ_64K);
	place_store(&s, DATA_ADDR, 5);
	igt_assert_eq_u32(map[0], 5);
	munmap(map, SZ_64K);
	xetile_bo_close(s.fd, bo);
	xetile_syncobj_destroy(s.fd, in.handle);
	place_fini(&s);
	vgem_fini(&vgem);
}

static void test_readonly(const struct xetile_card *card)
{
	struct drm_xetile_bind bind = {
		.addr = DATA_ADDR, .range = SZ_64K, .flags = DRM_XETILE_BIND_READONLY,
	};
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;
	struct place s;
	uint32_t *map;

	place_init(&s, card->fd);
	bind.handle = xetile_bo(s.fd, SZ_64K, DRM_XETILE_PLACE_HBM);
	map = xetile_bo_map(s.fd, bind.handle, SZ_64K);
	igt_assert_eq(__xetile_vm_bind(s.fd, s.vm, &bind, 1, NULL, 0), 0);

	batch_begin(&b, &s.ctl, 0);
	batch_store(&b, DATA_ADDR, 1, false);
	batch_end(&b);
	sync.handle = xetile_syncobj(s.fd);
	igt_assert_eq(__xetile_exec(s.fd, s.queue, batch_addr(&b), &sync, 1), 0);
	igt_assert_eq(__xetile_wait(s.fd, sync.handle, 30000), 0);
	igt_assert_lt(xetile_fence_status(s.fd, sync.handle), 0);
	igt_assert_eq_u32(map[0], 0);
	xetile_syncobj_destroy(s.fd, sync.handle);
	munmap(map, SZ_64K);
	xetile_bo_close(s.fd, bind.handle);
	place_fini(&s);
}

/* A thread that signals a fence, on a processor of its own, in each round of the test */
struct signaller {
	struct vgem vgem;
	unsigned int cpu;
	/* Rounds that the test has begun, and rounds that this thread has completed */
	const atomic_uint *begun;
	atomic_uint done;
	unsigned int last;
	/* Turns of a delay loop; a different number in each round varies the moment */
	unsigned int late;
	int failed;
	pthread_t thread;
};

static void stay_on(unsigned int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

static void *signaller_run(void *arg)
{
	struct signaller *s = arg;

	stay_on(s->cpu);
	for (unsigned int round = 1; round <= s->last; round++) {
		while (atomic_load(s->begun) < round)
			sched_yield();
		for (volatile unsigned int i = 0; i < s->late; i++)
			;
		s->failed |= vgem_signal(&s->vgem);
		atomic_store(&s->done, round);
	}
	return NULL;
}

/*
 * Binds of a destroyed VM wait for fences that signal on two processors at once. While the worker
 * makes the changes of the first fence it is told of the second, and may find that one by itself
 * before. The VM must not be freed before the worker has seen that nothing is left.
 */
static void test_two_signallers(const struct xetile_card *card, unsigned int rounds)
{
	struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_UNMAP, .addr = DATA_ADDR, .range = SZ_64K,
	};
	uint32_t syncobj = xetile_syncobj(card->fd);
	struct drm_xetile_sync in = { .handle = syncobj };
	struct signaller s[2] = { 0 };
	atomic_uint begun = 0;

	for (unsigned int i = 0; i < 2; i++) {
		vgem_init(&s[i].vgem);
		s[i].cpu = i;
		s[i].begun = &begun;
		s[i].last = rounds;
		igt_assert_eq(pthread_create(&s[i].thread, NULL, signaller_run, &s[i]), 0);
	}
	for (unsigned int round = 1; round <= rounds; round++) {
		uint32_t vm = xetile_vm(card->fd);

		for (unsigned int i = 0; i < 2; i++) {
			vgem_fence(&s[i].vgem, card->fd, syncobj);
			for (unsigned int n = i ? 1 : 8; n; n--)
				igt_assert_eq(__xetile_vm_bind(card->fd, vm, &bind, 1, &in, 1), 0);
		}
		xetile_vm_destroy(card->fd, vm);
		s[1].late = round % 64 * 64;
		atomic_store(&begun, round);
		for (unsigned int i = 0; i < 2; i++)
			while (atomic_load(&s[i].done) < round)
				sched_yield();
	}
	for (unsigned int i = 0; i < 2; i++) {
		pthread_join(s[i].thread, NULL);
		igt_assert_eq(s[i].failed, 0);
		vgem_fini(&s[i].vgem);
	}
	xetile_syncobj_destroy(card->fd, syncobj);
}

static void bind_null(struct place *s, uint64_t addr, uint64_t range)
{
	struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_MAP_NULL, .addr = addr, .range = range,
	};

	igt_assert_eq(__xetile_vm_bind(s->fd, s->vm, &bind, 1, NULL, 0), 0);
}

/* Returns the dword that the GPU reads at @addr. */
static uint32_t gpu_load(struct place *s, uint32_t copy_queue, uint64_t addr)
{
	struct xetile_batch b;
	volatile uint32_t *got = &s->ctl.map[SZ_4K * 8 / 4];

	*got = 0xdeadbeef;
	batch_begin(&b, &s->ctl, 0);
	batch_mem_copy(&b, s->ctl.addr + SZ_4K * 8, addr, 64);
	batch_end(&b);
	xetile_run(s->fd, copy_queue, batch_addr(&b));
	return *got;
}

/*
 * Addresses without memory read as zero, drop writes and cost no HBM. Buffers can be mapped into
 * the middle of them and unmapped.
 */
static void test_null(const struct xetile_card *card)
{
	const uint64_t all = 3 * SZ_2M + 3 * SZ_64K;
	const uint64_t at[] = { 0, SZ_4K, SZ_2M, SZ_2M + 5 * SZ_64K, all - SZ_4K };
	const uint64_t hole = SZ_2M + 4 * SZ_64K;
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;
	struct place s;
	uint32_t bo, *map, copy;

	place_init(&s, card->fd);
	copy = xetile_copy_queue(s.fd, s.vm);
	bo = xetile_bo(s.fd, SZ_64K, DRM_XETILE_PLACE_HBM);
	map = xetile_bo_map(s.fd, bo, SZ_64K);
	bind_null(&s, DATA_ADDR, all);
	for (unsigned int i = 0; i < ARRAY_SIZE(at); i++) {
		place_store(&s, DATA_ADDR + at[i], 0x5a5a0000 + i);
		igt_assert_eq_u32(gpu_load(&s, copy, DATA_ADDR + at[i]), 0);
	}

	xetile_vm_map(s.fd, s.vm, bo, 0, DATA_ADDR + hole, SZ_64K);
	place_store(&s, DATA_ADDR + hole, 7);
	igt_assert_eq_u32(*map, 7);
	igt_assert_eq_u32(gpu_load(&s, copy, DATA_ADDR + hole), 7);
	for (unsigned int i = 0; i < ARRAY_SIZE(at); i++)
		igt_assert_eq_u32(gpu_load(&s, copy, DATA_ADDR + at[i]), 0);
	bind_null(&s, DATA_ADDR + hole, SZ_64K);
	place_store(&s, DATA_ADDR + hole, 8);
	igt_assert_eq_u32(gpu_load(&s, copy, DATA_ADDR + hole), 0);
	igt_assert_eq_u32(*map, 7);

	/* The unmapped part faults again, and the parts beside it do not. */
	xetile_vm_unmap(s.fd, s.vm, DATA_ADDR + hole, SZ_64K);
	igt_assert_eq_u32(gpu_load(&s, copy, DATA_ADDR + hole - SZ_4K), 0);
	igt_assert_eq_u32(gpu_load(&s, copy, DATA_ADDR + hole + SZ_64K), 0);
	sync.handle = xetile_syncobj(s.fd);
	batch_begin(&b, &s.ctl, 0);
	batch_store(&b, DATA_ADDR + hole, 9, false);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(s.fd, s.queue, batch_addr(&b), &sync, 1), 0);
	igt_assert_eq(__xetile_wait(s.fd, sync.handle, 20000), 0);
	igt_assert_eq(xetile_fence_status(s.fd, sync.handle), -EIO);

	xetile_syncobj_destroy(s.fd, sync.handle);
	munmap(map, SZ_64K);
	xetile_bo_close(s.fd, bo);
	xetile_queue_destroy(s.fd, copy);
	place_fini(&s);
}

/* What a client writes at the driver's addresses is lost: no other client finds it, or the first. */
static void test_driver_addresses(const struct xetile_card *card)
{
	const uint64_t at[] = { NOWHERE, NOWHERE + SZ_4K, (1ull << 57) - 64 };
	struct place s[2];
	uint32_t copy[2];

	for (int i = 0; i < 2; i++) {
		place_init(&s[i], i ? xetile_reopen(card->fd) : card->fd);
		copy[i] = xetile_copy_queue(s[i].fd, s[i].vm);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(at); i++) {
		place_store(&s[0], at[i], 0x5a5a0000 + i);
		for (int c = 0; c < 2; c++)
			igt_assert_eq_u32(gpu_load(&s[c], copy[c], at[i]), 0);
	}
	for (int i = 0; i < 2; i++) {
		xetile_queue_destroy(s[i].fd, copy[i]);
		place_fini(&s[i]);
	}
	close(s[1].fd);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	igt_describe("HBM must be reachable by 64 KiB leaves");
	igt_subtest("hbm-64k")
		test_leaf(&card, DRM_XETILE_PLACE_HBM, 5 * SZ_64K, DATA_ADDR + SZ_64K,
			  DRM_XETILE_COLOR_EVEN);
	igt_describe("HBM must be reachable by 2 MiB leaves, and by 64 KiB leaves at other "
		     "addresses");
	igt_subtest("hbm-2m") {
		test_leaf(&card, DRM_XETILE_PLACE_HBM, 8 * SZ_2M, DATA_ADDR, DRM_XETILE_COLOR_EVEN);
		test_leaf(&card, DRM_XETILE_PLACE_HBM, 8 * SZ_2M, DATA_ADDR + SZ_64K,
			  DRM_XETILE_COLOR_EVEN);
	}
	igt_describe("HBM must be reachable by 64 KiB leaves that alternate between tiles");
	igt_subtest("hbm-chunk")
		test_leaf(&card, DRM_XETILE_PLACE_HBM, 4 * SZ_2M, DATA_ADDR, DRM_XETILE_COLOR_CHUNK);
	igt_describe("A 1 GiB buffer must be reachable");
	igt_subtest("hbm-1g")
		test_leaf(&card, DRM_XETILE_PLACE_HBM, SZ_1G, DATA_ADDR, DRM_XETILE_COLOR_EVEN);
	igt_describe("System memory must be reachable");
	igt_subtest("system")
		test_leaf(&card, DRM_XETILE_PLACE_SYSTEM, 4 * SZ_2M, DATA_ADDR, DRM_XETILE_COLOR_EVEN);
	igt_describe("The last bytes of the address space must be reachable");
	igt_subtest("high-address")
		test_leaf(&card, DRM_XETILE_PLACE_HBM, SZ_2M, card.device.va_size - SZ_2M,
			  DRM_XETILE_COLOR_EVEN);

	igt_describe("A mapping must replace another one, and parts and holes be unmapped");
	igt_subtest("partial")
		test_partial(&card);
	igt_describe("Addresses without memory must read as zero and drop writes");
	igt_subtest("null")
		test_null(&card);
	igt_describe("The addresses that the driver keeps must be no way from client to client");
	igt_subtest("driver-addresses")
		test_driver_addresses(&card);
	igt_describe("The binds of an array must take effect in order, all or none");
	igt_subtest("array")
		test_array(&card);
	igt_describe("Binds of a call must cut one mapping as often as they want");
	igt_subtest("array-cuts") {
		test_array_cuts(&card, true);
		test_array_cuts(&card, false);
	}
	igt_describe("Binds must wait for fences and signal them");
	igt_subtest("syncs")
		test_syncs(&card);
	igt_describe("A destroyed VM must survive until two fences that signal at once are "
		     "handled");
	igt_subtest("two-signallers")
		test_two_signallers(&card, 200);
	igt_describe("Two VMs must not see each other's mappings (S107)");
	igt_subtest("two-vms")
		test_two_vms(&card);
	igt_describe("A buffer private to a VM must live as long as it is mapped or has a handle");
	igt_subtest("private")
		test_private(&card);
	igt_describe("The CPU must not wait for the binds of a private buffer's VM");
	igt_subtest("private-foreign")
		test_private_foreign(&card);
	igt_describe("A write through a read-only mapping must fail and change nothing");
	igt_subtest("readonly")
		test_readonly(&card);

	igt_describe("VM_BIND must refuse every wrong value of every field");
	igt_subtest("bad-bind")
		test_bad_bind(&card);
	igt_describe("VM_CREATE and VM_DESTROY must refuse every wrong value of every field");
	igt_subtest("bad-vm")
		test_bad_vm(&card);

	igt_fixture
		close(card.fd);
}
