// SPDX-License-Identifier: MIT
/*
 * The xe driver's calls on buffers and address spaces, which runtimes make: bad input in every
 * field; what jobs see of each kind of bind; and the numbers that binds write (M6), also when the
 * bind has to wait, and when its process has ended meanwhile. Gaps G2, G3, M6 and M8.
 *
 * suite: igt
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_binds.h"
#include "xetile_xe.h"

IGT_TEST_DESCRIPTION("The xe driver's calls on buffers and address spaces");

/* A call that headers may be too old for */
#define VM_GET_PROPERTY		0xf
struct vm_get_property {
	uint64_t extensions;
	uint32_t vm_id, property, size, pad;
	uint64_t data, reserved[3];
};

/* Regions: system memory, and the HBM of tile 0 */
#define SYSTEM	1u
#define HBM0	2u

#define SIGNALLED	0x1234567890abcdefull

/* --- bad input ------------------------------------------------------------ */

static void test_create_args(const struct xetile_card *card)
{
	const struct drm_xe_gem_create good = {
		.size = SZ_64K, .placement = HBM0, .cpu_caching = DRM_XE_GEM_CPU_CACHING_WC,
	};
	const uint32_t all = (2u << card->device.num_tiles) - 1;
	struct {
		const char *what;
		int err;
		struct drm_xe_gem_create args;
	} bad[] = {
		{ "no size", -EINVAL, good }, { "part of a page", -EINVAL, good },
		{ "part of 64 KiB of HBM", -EINVAL, good }, { "part of 4 KiB", -EINVAL, good },
		{ "no placement", -EINVAL, good }, { "unknown region", -EINVAL, good },
		{ "unknown flag", -EINVAL, good }, { "a handle", -EINVAL, good },
		{ "no caching", -EINVAL, good }, { "unknown caching", -EINVAL, good },
		{ "cached HBM", -EINVAL, good }, { "cached both", -EINVAL, good },
		{ "visible system memory", -EINVAL, good }, { "cached scanout", -EINVAL, good },
		{ "extension", -EINVAL, good }, { "pad", -EINVAL, good },
		{ "last pad", -EINVAL, good }, { "reserved", -EINVAL, good },
		{ "last reserved", -EINVAL, good }, { "no such VM", -ENOENT, good },
		{ "huge", -ENOSPC, good }, { "huge system memory", -ENOSPC, good },
	};
	struct drm_xe_gem_create args = good;
	unsigned int i = 0;

	bad[i++].args.size = 0;
	bad[i++].args.size = SZ_64K + 1;
	bad[i++].args.size = SZ_64K + SZ_4K;
	bad[i].args.placement = SYSTEM;
	bad[i++].args.size = 2048;
	bad[i++].args.placement = 0;
	bad[i++].args.placement = all + 1;
	bad[i++].args.flags = 1u << 31;
	bad[i++].args.handle = 1;
	bad[i++].args.cpu_caching = 0;
	bad[i++].args.cpu_caching = DRM_XE_GEM_CPU_CACHING_WC + 1;
	bad[i++].args.cpu_caching = DRM_XE_GEM_CPU_CACHING_WB;
	bad[i].args.placement = HBM0 | SYSTEM;
	bad[i++].args.cpu_caching = DRM_XE_GEM_CPU_CACHING_WB;
	bad[i].args.placement = SYSTEM;
	bad[i++].args.flags = DRM_XE_GEM_CREATE_FLAG_NEEDS_VISIBLE_VRAM;
	bad[i].args.placement = SYSTEM;
	bad[i].args.cpu_caching = DRM_XE_GEM_CPU_CACHING_WB;
	bad[i++].args.flags = DRM_XE_GEM_CREATE_FLAG_SCANOUT;
	bad[i++].args.extensions = BAD_POINTER;
	bad[i++].args.pad[0] = 1;
	bad[i++].args.pad[2] = 1;
	bad[i++].args.reserved[0] = 1;
	bad[i++].args.reserved[1] = 1;
	bad[i++].args.vm_id = BAD_ID;
	bad[i++].args.size = -1ull << 32;
	bad[i].args.placement = SYSTEM;
	bad[i++].args.size = -1ull << 32;
	igt_assert_eq(i, ARRAY_SIZE(bad));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		igt_assert_f(__xe_bo(card->fd, &bad[i].args) == bad[i].err, "%s\n", bad[i].what);

	/* Each placement that there is, with all flags that have a meaning */
	for (uint32_t placement = 1; placement <= all; placement++) {
		args = good;
		args.placement = placement;
		args.flags = DRM_XE_GEM_CREATE_FLAG_DEFER_BACKING;
		if (placement != SYSTEM)
			args.flags |= DRM_XE_GEM_CREATE_FLAG_NEEDS_VISIBLE_VRAM;
		igt_assert_eq(__xe_bo(card->fd, &args), 0);
		xetile_bo_close(card->fd, args.handle);
	}
}

static void test_offset_args(int fd)
{
	uint32_t bo = xe_bo(fd, SZ_64K, HBM0);
	struct drm_xe_gem_mmap_offset args = { .handle = bo }, bad[6] = { };
	const int errs[6] = { -EINVAL, -EINVAL, -EINVAL, -EINVAL, -ENOENT, -EINVAL };

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = args;
	bad[0].flags = 1u << 31;
	bad[1].extensions = BAD_POINTER;
	bad[2].reserved[0] = 1;
	bad[3].reserved[1] = 1;
	bad[4].handle = BAD_ID;
	/* The page for barriers belongs to no buffer. */
	bad[5].flags = 1;
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++)
		igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_GEM_MMAP_OFFSET, &bad[i]), errs[i]);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_GEM_MMAP_OFFSET, &args), 0);
	xetile_bo_close(fd, bo);
}

/* The page that a write makes a barrier on the bus: mapped whole, for writing, shared */
static void test_barrier(int fd)
{
	struct drm_xe_gem_mmap_offset args = { .flags = XE_MMAP_BARRIER };
	const struct {
		size_t size;
		int prot, flags;
	} bad[] = {
		{ 2 * SZ_4K, PROT_WRITE, MAP_SHARED },
		{ SZ_4K, PROT_READ | PROT_WRITE, MAP_SHARED },
		{ SZ_4K, PROT_READ, MAP_SHARED },
		{ SZ_4K, PROT_WRITE | PROT_EXEC, MAP_SHARED },
		{ SZ_4K, PROT_WRITE, MAP_PRIVATE },
	};
	volatile uint32_t *page;
	pid_t child;
	int status;

	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_GEM_MMAP_OFFSET, &args), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++)
		igt_assert(mmap(NULL, bad[i].size, bad[i].prot, bad[i].flags, fd, args.offset) ==
			   MAP_FAILED);
	page = xe_map_barrier(fd);
	igt_assert_eq(mprotect((void *)page, SZ_4K, PROT_READ | PROT_WRITE), -1);
	for (unsigned int i = 0; i < SZ_4K / sizeof(*page); i++)
		page[i] = i;
	/* A child has it, too; nobody's writes are kept. */
	child = fork();
	igt_assert(child >= 0);
	if (!child) {
		page[1] = 1;
		munmap((void *)page, SZ_4K);
		_exit(0);
	}
	igt_assert_eq(waitpid(child, &status, 0), child);
	igt_assert_eq(status, 0);
	igt_assert_eq_u32(page[1], XE_BARRIER_READS);
	munmap((void *)page, SZ_4K);
}

static void test_vm_args(int fd)
{
	struct drm_xe_vm_destroy destroy = { .vm_id = BAD_ID };
	struct drm_xe_vm_create create[] = {
		{ .extensions = BAD_POINTER }, { .flags = 1u << 31 },
		{ .flags = DRM_XE_VM_CREATE_FLAG_FAULT_MODE },
		{ .flags = DRM_XE_VM_CREATE_FLAG_FAULT_MODE | DRM_XE_VM_CREATE_FLAG_LR_MODE },
		{ .reserved = { 1, 0 } }, { .reserved = { 0, 1 } },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(create); i++)
		igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_VM_CREATE, &create[i]), -EINVAL);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_VM_DESTROY, &destroy), -ENOENT);
	destroy.vm_id = xe_vm(fd, 0);
	destroy.pad = 1;
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_VM_DESTROY, &destroy), -EINVAL);
	destroy.pad = 0;
	for (int i = 0; i < 2; i++) {
		destroy.reserved[i] = 1;
		igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_VM_DESTROY, &destroy), -EINVAL);
		destroy.reserved[i] = 0;
	}
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_VM_DESTROY, &destroy), 0);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_VM_DESTROY, &destroy), -ENOENT);
}

static void check_op(struct binds *s, struct drm_xe_vm_bind_op op, int err, const char *what)
{
	struct drm_xe_vm_bind_op pair[2] = { op, op };
	struct drm_xe_vm_bind array = {
		.vm_id = s->vm, .num_binds = 2, .vector_of_binds = to_user(pair),
	};

	/* Alone, and behind a bind that is right */
	igt_assert_f(__xe_bind(s->fd, s->vm, &op, NULL) == err, "%s\n", what);
	pair[0] = (struct drm_xe_vm_bind_op) {
		.op = DRM_XE_VM_BIND_OP_UNMAP, .addr = DATA_ADDR + SZ_1G, .range = SZ_64K,
	};
	igt_assert_f(xetile_ioctl(s->fd, DRM_IOCTL_XE_VM_BIND, &array) == err, "array: %s\n", what);
}

static void test_op_args(int fd)
{
	struct drm_xe_vm_bind_op map, op;
	uint32_t bo = xe_bo(fd, SZ_2M, HBM0), system = xe_bo(fd, SZ_64K, SYSTEM), vm = xe_vm(fd, 0);
	uint32_t hidden;
	struct drm_xe_gem_create private = {
		.size = SZ_64K, .placement = HBM0, .cpu_caching = DRM_XE_GEM_CPU_CACHING_WC,
		.vm_id = vm,
	};
	struct binds s;

	binds_init(&s, fd, DRM_XETILE_ENGINE_COPY);
	igt_assert_eq(__xe_bo(fd, &private), 0);
	hidden = private.handle;
	map = xe_map_op(bo, DATA_ADDR, SZ_64K);
#define CHECK(field, value, err) do { \
		op = map; \
		op.field = (value); \
		check_op(&s, op, err, #field " = " #value); \
	} while (0)
	CHECK(extensions, BAD_POINTER, -EINVAL);
	CHECK(pad, 1, -EINVAL);
	CHECK(pad2, 1, -EINVAL);
	CHECK(reserved[0], 1, -EINVAL);
	CHECK(reserved[2], 1, -EINVAL);
	CHECK(op, 5, -EINVAL);
	CHECK(op, -1u, -EINVAL);
	CHECK(flags, 1u << 30, -EINVAL);
	CHECK(flags, 1u << 5, -EINVAL);
	CHECK(flags, DRM_XE_VM_BIND_FLAG_NULL, -EINVAL);
	CHECK(pat_index, 8, -EINVAL);
	CHECK(pat_index, 0xffff, -EINVAL);
	CHECK(prefetch_mem_region_instance, 1, -EINVAL);
	CHECK(obj, 0, -EINVAL);
	CHECK(obj, BAD_ID, -ENOENT);
	CHECK(obj, hidden, -EINVAL);
	CHECK(addr, DATA_ADDR + 1, -EINVAL);
	CHECK(addr, DATA_ADDR + SZ_4K, -EINVAL);
	CHECK(addr, -SZ_64K, -EINVAL);
	CHECK(addr, 1ull << 57, -EINVAL);
	CHECK(range, 0, -EINVAL);
	CHECK(range, 1, -EINVAL);
	CHECK(range, SZ_4K, -EINVAL);
	CHECK(range, -SZ_64K, -EINVAL);
	CHECK(range, SZ_2M + SZ_64K, -EINVAL);
	CHECK(obj_offset, 1, -EINVAL);
	CHECK(obj_offset, SZ_4K, -EINVAL);
	CHECK(obj_offset, SZ_2M, -EINVAL);
	CHECK(obj_offset, -SZ_64K, -EINVAL);
	/* What a way of access that sees no cache would show of cached memory is not the caller's. */
	map.obj = system;
	CHECK(pat_index, 0, -EINVAL);
	CHECK(pat_index, 2, -EINVAL);
	/* No memory */
	map.obj = 0;
	map.flags = DRM_XE_VM_BIND_FLAG_NULL;
	CHECK(obj, bo, -EINVAL);
	CHECK(obj_offset, SZ_64K, -EINVAL);
	CHECK(op, DRM_XE_VM_BIND_OP_UNMAP, -EINVAL);
	CHECK(op, DRM_XE_VM_BIND_OP_MAP_USERPTR, -EINVAL);
	map.flags = 0;
	map.op = DRM_XE_VM_BIND_OP_UNMAP;
	CHECK(obj, bo, -EINVAL);
	map.op = DRM_XE_VM_BIND_OP_MAP_USERPTR;
	map.userptr = BAD_POINTER & ~(SZ_4K - 1);
	CHECK(obj, bo, -EINVAL);
	CHECK(userptr, 1, -EINVAL);
	CHECK(userptr, SZ_4K, -EFAULT);
	map.op = DRM_XE_VM_BIND_OP_PREFETCH;
	map.userptr = 0;
	CHECK(obj, bo, -EINVAL);
	CHECK(prefetch_mem_region_instance, 31, -EINVAL);
	CHECK(prefetch_mem_region_instance, -1u, -EINVAL);
	map.op = DRM_XE_VM_BIND_OP_UNMAP_ALL;
	map.obj = bo;
	map.addr = map.range = 0;
	CHECK(obj, 0, -EINVAL);
	CHECK(obj, BAD_ID, -ENOENT);
	CHECK(addr, DATA_ADDR, -EINVAL);
	CHECK(range, SZ_64K, -EINVAL);
#undef CHECK
	xetile_bo_close(fd, bo);
	xetile_bo_close(fd, system);
	xetile_bo_close(fd, hidden);
	xetile_vm_destroy(fd, vm);
	binds_fini(&s);
}

static void test_call_args(int fd)
{
	uint32_t bo = xe_bo(fd, SZ_64K, HBM0), other = xe_vm(fd, 0);
	uint32_t foreign = xetile_bind_queue(fd, other);
	struct drm_xe_vm_bind good, bad[12];
	const int errs[12] = {
		-EINVAL, -EINVAL, -EINVAL, -EINVAL, -EINVAL, -EINVAL, -ENOENT, -EINVAL, -EINVAL,
		-ENOBUFS, -EFAULT, -EINVAL,
	};
	struct binds s;

	binds_init(&s, fd, DRM_XETILE_ENGINE_COPY);
	good = (struct drm_xe_vm_bind) {
		.vm_id = s.vm, .num_binds = 1, .bind = xe_map_op(bo, DATA_ADDR, SZ_64K),
	};
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = good;
	bad[0].extensions = BAD_POINTER;
	bad[1].pad = 1;
	bad[2].pad2 = 1;
	bad[3].reserved[0] = 1;
	bad[4].reserved[1] = 1;
	bad[5].vm_id = BAD_ID;
	bad[6].exec_queue_id = BAD_ID;
	bad[7].exec_queue_id = s.queue;
	bad[8].exec_queue_id = foreign;
	bad[9].num_binds = 513;
	bad[10].num_binds = 2;
	bad[10].vector_of_binds = BAD_POINTER;
	bad[11].num_syncs = 1025;
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++)
		igt_assert_f(xetile_ioctl(fd, DRM_IOCTL_XE_VM_BIND, &bad[i]) == errs[i],
			     "%u\n", i);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_VM_BIND, &good), 0);
	good.exec_queue_id = s.bind[0];
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_VM_BIND, &good), 0);
	/* No bind: the array is not looked at. */
	good.num_binds = 0;
	good.vector_of_binds = BAD_POINTER;
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_VM_BIND, &good), 0);
	xetile_queue_destroy(fd, foreign);
	xetile_vm_destroy(fd, other);
	xetile_bo_close(fd, bo);
	binds_fini(&s);
}

static void test_sync_args(int fd)
{
	static uint64_t number;
	uint32_t syncobj = xetile_syncobj(fd), vm = xe_vm(fd, 0);
	const struct drm_xe_sync signal = {
		.type = DRM_XE_SYNC_TYPE_SYNCOBJ, .flags = DRM_XE_SYNC_FLAG_SIGNAL,
		.handle = syncobj,
	}, user = {
		.type = DRM_XE_SYNC_TYPE_USER_FENCE, .flags = DRM_XE_SYNC_FLAG_SIGNAL,
		.addr = to_user(&number), .timeline_value = 1,
	};
	struct drm_xe_sync sync, pair[2] = { user, user };
	struct drm_xe_vm_bind_op op = {
		.op = DRM_XE_VM_BIND_OP_UNMAP, .addr = DATA_ADDR, .range = SZ_64K,
	};
	struct drm_xe_vm_bind args = {
		.vm_id = vm, .num_binds = 1, .bind = op, .num_syncs = 2, .syncs = to_user(pair),
	};
	void *readonly = mmap(NULL, SZ_4K, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

#define CHECK(base, field, value, err) do { \
		sync = base; \
		sync.field = (value); \
		igt_assert_f(__xe_bind(fd, vm, &op, &sync) == (err), #field " = " #value "\n"); \
	} while (0)
	CHECK(signal, extensions, BAD_POINTER, -EINVAL);
	CHECK(signal, type, 3, -EINVAL);
	CHECK(signal, flags, 1u << 1 | DRM_XE_SYNC_FLAG_SIGNAL, -EINVAL);
	CHECK(signal, reserved[0], 1, -EINVAL);
	CHECK(signal, reserved[1], 1, -EINVAL);
	CHECK(signal, handle, BAD_ID, -ENOENT);
	CHECK(signal, addr, 1ull << 32 | syncobj, -EINVAL);
	/* Nothing was submitted there yet. */
	CHECK(signal, flags, 0, -EINVAL);
	CHECK(signal, type, DRM_XE_SYNC_TYPE_TIMELINE_SYNCOBJ, -EINVAL);
	CHECK(user, flags, 0, -EOPNOTSUPP);
	CHECK(user, addr, to_user(&number) + 4, -EINVAL);
	CHECK(user, addr, BAD_POINTER, -EFAULT);
	CHECK(user, addr, -8ull, -EFAULT);
	CHECK(user, addr, to_user(readonly), -EFAULT);
#undef CHECK
	/* One number at most, and none without a bind */
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_VM_BIND, &args), -EINVAL);
	args.num_syncs = 1;
	args.num_binds = 0;
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_VM_BIND, &args), -EOPNOTSUPP);
	args.num_binds = 1;
	args.syncs = BAD_POINTER;
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_VM_BIND, &args), -EFAULT);
	igt_assert_eq(number, 0);
	igt_assert_eq(__xe_bind(fd, vm, &op, &user), 0);
	igt_assert_eq(number, 1);
	munmap(readonly, SZ_4K);
	xetile_syncobj_destroy(fd, syncobj);
	xetile_vm_destroy(fd, vm);
}

/* Calls of newer interfaces: refused, never answered wrongly */
static void test_unsupported(int fd)
{
	uint8_t args[128] = { };

	for (unsigned int nr = 0xc; nr < VM_GET_PROPERTY; nr++) {
		int err = xetile_ioctl(fd, DRM_IOWR(DRM_COMMAND_BASE + nr, args), args);

		igt_assert_f(err == -EOPNOTSUPP || err == -EINVAL, "call %#x: %d\n", nr, err);
	}
}

static int get_property(int fd, struct vm_get_property args)
{
	return xetile_ioctl(fd, DRM_IOWR(DRM_COMMAND_BASE + VM_GET_PROPERTY, args), &args);
}

/* There is no list of faults; what is wrong with a call is told all the same. */
static void test_property(int fd)
{
	uint32_t vm = xetile_vm(fd);
	const struct vm_get_property wrong[] = {
		{ .vm_id = vm, .extensions = BAD_POINTER }, { .vm_id = vm, .pad = 1 },
		{ .vm_id = vm, .reserved = { 1 } }, { .vm_id = vm, .reserved = { 0, 1 } },
		{ .vm_id = vm, .reserved = { 0, 0, 1 } }, { .vm_id = vm, .property = 1 },
		{ .vm_id = vm, .property = ~0u }, { .vm_id = vm, .size = 47 },
		{ .vm_id = vm, .size = 49 }, { .vm_id = vm, .size = ~0u },
	};
	int err = get_property(fd, (struct vm_get_property) { .vm_id = vm });

	/* A kernel whose xe_drm.h is older has no such call. */
	igt_assert(err == -EOPNOTSUPP || err == -EINVAL);
	for (unsigned int i = 0; i < ARRAY_SIZE(wrong); i++)
		igt_assert_eq(get_property(fd, wrong[i]), -EINVAL);
	if (err == -EOPNOTSUPP) {
		igt_assert_eq(get_property(fd, (struct vm_get_property) { .vm_id = vm + 1 }),
			      -ENOENT);
		igt_assert_eq(get_property(fd, (struct vm_get_property) { .vm_id = vm,
								  .size = 48 }), err);
	}
	xetile_vm_destroy(fd, vm);
}

/* --- what jobs see -------------------------------------------------------- */

static void check_seen(struct binds *s, uint64_t addr, volatile uint32_t *word, uint32_t value)
{
	igt_assert_eq(binds_store(s, addr, value), 1);
	igt_assert_eq_u32(*word, value);
}

static void test_kinds(const struct xetile_card *card)
{
	const uint32_t all = (2u << card->device.num_tiles) - 1;
	int fd = card->fd;
	struct binds s;

	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	for (uint32_t placement = 1; placement <= all; placement++) {
		uint64_t size = placement == SYSTEM ? SZ_4K : 4 * SZ_64K;
		uint32_t bo = xe_bo(fd, size, placement);
		uint32_t *map = xetile_bo_map(fd, bo, size);

		igt_assert_eq_u32(map[size / 4 - 1], 0);
		xe_map(fd, s.vm, bo, DATA_ADDR, size);
		check_seen(&s, DATA_ADDR, map, 0x10 + placement);
		check_seen(&s, DATA_ADDR + size - 4, &map[size / 4 - 1], 0x20 + placement);
		xe_unmap(fd, s.vm, DATA_ADDR, size);
		munmap(map, size);
		xetile_bo_close(fd, bo);
	}
	binds_fini(&s);
}

static void test_pats(int fd)
{
	struct drm_xe_gem_create args = {
		.size = SZ_64K, .placement = SYSTEM, .cpu_caching = DRM_XE_GEM_CPU_CACHING_WC,
	};
	uint32_t bos[2] = { xe_bo(fd, SZ_64K, HBM0) };
	struct binds s;

	igt_assert_eq(__xe_bo(fd, &args), 0);
	bos[1] = args.handle;
	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	for (unsigned int i = 0; i < 2; i++) {
		uint32_t *map = xetile_bo_map(fd, bos[i], SZ_64K);

		for (unsigned int pat = 0; pat < 8; pat++) {
			struct drm_xe_vm_bind_op op = xe_map_op(bos[i], DATA_ADDR, SZ_64K);

			op.pat_index = pat;
			igt_assert_eq(__xe_bind(fd, s.vm, &op, NULL), 0);
			check_seen(&s, DATA_ADDR, map, 0x100 * i + pat + 1);
		}
		xe_unmap(fd, s.vm, DATA_ADDR, SZ_64K);
		munmap(map, SZ_64K);
		xetile_bo_close(fd, bos[i]);
	}
	binds_fini(&s);
}

static void test_null(int fd)
{
	struct drm_xe_vm_bind_op op = {
		.op = DRM_XE_VM_BIND_OP_MAP, .flags = DRM_XE_VM_BIND_FLAG_NULL,
		.addr = DATA_ADDR, .range = SZ_64K, .pat_index = 0,
	};
	uint32_t bo = xe_bo(fd, SZ_64K, HBM0), *map = xetile_bo_map(fd, bo, SZ_64K);
	struct binds s;

	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	xe_map(fd, s.vm, bo, DATA_ADDR, SZ_64K);
	check_seen(&s, DATA_ADDR, map, 5);
	igt_assert_eq(__xe_bind(fd, s.vm, &op, NULL), 0);
	igt_assert_eq(binds_store(&s, DATA_ADDR, 6), 1);
	igt_assert_eq_u32(*map, 5);
	munmap(map, SZ_64K);
	xetile_bo_close(fd, bo);
	binds_fini(&s);
}

static void test_userptr(int fd)
{
	uint32_t *memory = mmap(NULL, 2 * SZ_4K, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct drm_xe_vm_bind_op op = {
		.op = DRM_XE_VM_BIND_OP_MAP_USERPTR, .userptr = to_user(memory),
		.addr = DATA_ADDR, .range = 2 * SZ_4K, .pat_index = XE_PAT_WB,
	};
	uint32_t lr = xe_vm(fd, DRM_XE_VM_CREATE_FLAG_LR_MODE);
	struct binds s;

	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	op.pat_index = 0;
	igt_assert_eq(__xe_bind(fd, s.vm, &op, NULL), -EINVAL);
	op.pat_index = XE_PAT_WB;
	igt_assert_eq(__xe_bind(fd, s.vm, &op, NULL), 0);
	check_seen(&s, DATA_ADDR, memory, 7);
	check_seen(&s, DATA_ADDR + SZ_4K, memory + SZ_4K / 4, 8);
	xe_unmap(fd, s.vm, DATA_ADDR, 2 * SZ_4K);
	/* A page that the caller cannot write is no memory for a bind that writes. */
	igt_assert_eq(mprotect(memory, SZ_4K, PROT_READ), 0);
	igt_assert_eq(__xe_bind(fd, s.vm, &op, NULL), -EFAULT);
	op.flags = DRM_XE_VM_BIND_FLAG_READONLY;
	igt_assert_eq(__xe_bind(fd, s.vm, &op, NULL), 0);
	xe_unmap(fd, s.vm, DATA_ADDR, 2 * SZ_4K);
	munmap(memory, 2 * SZ_4K);
	igt_assert_eq(__xe_bind(fd, s.vm, &op, NULL), -EFAULT);
	igt_assert_eq(__xe_bind(fd, lr, &op, NULL), -EFAULT);
	xetile_vm_destroy(fd, lr);
	binds_fini(&s);
}

#define MANY	256u

static void nothing(int sig)
{
}

/* Signals that come all the time, as profilers send them, hold up a bind of much memory by little. */
static void test_userptr_signals(int fd)
{
	static struct drm_xe_vm_bind_op ops[MANY];
	const struct itimerval often = { .it_interval.tv_usec = 5000, .it_value.tv_usec = 5000 };
	const struct sigaction act = { .sa_handler = nothing, .sa_flags = SA_RESTART };
	char *memory = mmap(NULL, MANY * SZ_2M / 4, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	struct drm_xe_vm_bind args = {
		.vm_id = xe_vm(fd, 0), .num_binds = MANY, .vector_of_binds = to_user(ops),
	};
	int status = -1;
	pid_t child;

	igt_assert(memory != MAP_FAILED);
	for (unsigned int i = 0; i < MANY; i++)
		ops[i] = (struct drm_xe_vm_bind_op) {
			.op = DRM_XE_VM_BIND_OP_MAP_USERPTR, .pat_index = XE_PAT_WB,
			.userptr = to_user(memory + i * SZ_2M / 4), .range = SZ_2M / 4,
			.addr = DATA_ADDR + i * SZ_2M,
		};
	child = fork();
	igt_assert_lte(0, child);
	if (!child) {
		igt_assert_eq(sigaction(SIGALRM, &act, NULL), 0);
		igt_assert_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
		_exit(xetile_ioctl(fd, DRM_IOCTL_XE_VM_BIND, &args) ? 1 : 0);
	}
	for (unsigned int i = 0; i < 900 && waitpid(child, &status, WNOHANG) != child; i++)
		usleep(100000);
	kill(child, SIGKILL);
	igt_assert_eq(status, 0);
	munmap(memory, MANY * SZ_2M / 4);
	xetile_vm_destroy(fd, args.vm_id);
}

/* @memory: of the first PAGES pages, which leave once in each round */
#define PAGES	16
struct leaver {
	void *memory;
	unsigned int delay_us;
};

static void *leave(void *data)
{
	struct leaver *l = data;

	usleep(l->delay_us);
	madvise(l->memory, PAGES * SZ_4K, MADV_DONTNEED);
	return NULL;
}

/* The pages of the first bind of a call have been there for long when it is made. */
static void test_userptr_leaves(int fd)
{
	struct drm_xe_vm_bind_op ops[64];
	struct drm_xe_vm_bind args = {
		.num_binds = ARRAY_SIZE(ops), .vector_of_binds = to_user(ops),
	};
	struct leaver l = {
		.memory = mmap(NULL, ARRAY_SIZE(ops) * PAGES * SZ_4K,
			       PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	};
	pthread_t thread;
	struct binds s;

	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	args.vm_id = s.vm;
	for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++)
		ops[i] = (struct drm_xe_vm_bind_op) {
			.op = DRM_XE_VM_BIND_OP_MAP_USERPTR, .userptr = to_user(l.memory) + i * PAGES * SZ_4K,
			.addr = DATA_ADDR + i * SZ_2M, .range = PAGES * SZ_4K,
			.pat_index = XE_PAT_WB,
		};
	for (unsigned int i = 0; i < 60; i++) {
		l.delay_us = i * 200;
		igt_assert_eq(pthread_create(&thread, NULL, leave, &l), 0);
		igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_VM_BIND, &args), 0);
		igt_assert_eq(binds_store(&s, DATA_ADDR + i % PAGES * SZ_4K, i), 1);
		pthread_join(thread, NULL);
		xe_unmap(fd, s.vm, DATA_ADDR, ARRAY_SIZE(ops) * SZ_2M);
	}
	munmap(l.memory, ARRAY_SIZE(ops) * PAGES * SZ_4K);
	binds_fini(&s);
}

static void test_partial(int fd)
{
	uint32_t bo = xe_bo(fd, 3 * SZ_64K, HBM0), *map = xetile_bo_map(fd, bo, 3 * SZ_64K);
	struct drm_xe_vm_bind_op op = {
		.op = DRM_XE_VM_BIND_OP_UNMAP_ALL, .obj = bo, .pat_index = XE_PAT_WB,
	};
	struct binds s;

	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	xe_map(fd, s.vm, bo, DATA_ADDR, 3 * SZ_64K);
	xe_map(fd, s.vm, bo, DATA_ADDR + SZ_1G, 3 * SZ_64K);
	xe_unmap(fd, s.vm, DATA_ADDR + SZ_64K, SZ_64K);
	check_seen(&s, DATA_ADDR, map, 1);
	check_seen(&s, DATA_ADDR + 2 * SZ_64K, map + 2 * SZ_64K / 4, 2);
	check_seen(&s, DATA_ADDR + SZ_1G + SZ_64K, map + SZ_64K / 4, 3);
	igt_assert_eq(__xe_bind(fd, s.vm, &op, NULL), 0);
	/* Of a BO that is mapped nowhere there is nothing to unmap. */
	igt_assert_eq(__xe_bind(fd, s.vm, &op, NULL), 0);
	igt_assert_neq(binds_store(&s, DATA_ADDR + SZ_1G, 4), 1);
	igt_assert_eq_u32(*map, 1);
	munmap(map, 3 * SZ_64K);
	xetile_bo_close(fd, bo);
	binds_fini(&s);
}

static void test_prefetch(int fd)
{
	uint32_t bo = xe_bo(fd, SZ_64K, HBM0), *map = xetile_bo_map(fd, bo, SZ_64K);
	struct drm_xe_vm_bind_op op = {
		.op = DRM_XE_VM_BIND_OP_PREFETCH, .addr = DATA_ADDR, .range = SZ_64K,
		.prefetch_mem_region_instance = 1,
	};
	uint64_t number = 0;
	struct drm_xe_sync sync = {
		.type = DRM_XE_SYNC_TYPE_USER_FENCE, .flags = DRM_XE_SYNC_FLAG_SIGNAL,
		.addr = to_user(&number), .timeline_value = SIGNALLED,
	};
	struct binds s;

	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	xe_map(fd, s.vm, bo, DATA_ADDR, SZ_64K);
	igt_assert_eq(__xe_bind(fd, s.vm, &op, &sync), 0);
	igt_assert_eq_u64(number, SIGNALLED);
	check_seen(&s, DATA_ADDR, map, 9);
	munmap(map, SZ_64K);
	xetile_bo_close(fd, bo);
	binds_fini(&s);
}

/* All binds of an array or none, in their order */
static void test_array(int fd)
{
	uint32_t bo = xe_bo(fd, 2 * SZ_64K, HBM0), *map = xetile_bo_map(fd, bo, 2 * SZ_64K);
	struct drm_xe_vm_bind_op ops[3] = {
		xe_map_op(bo, DATA_ADDR, 2 * SZ_64K), xe_map_op(bo, DATA_ADDR, SZ_64K),
		xe_map_op(bo, DATA_ADDR + SZ_1G, SZ_64K),
	};
	struct drm_xe_vm_bind args = { .num_binds = 3, .vector_of_binds = to_user(ops) };
	struct binds s;

	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	args.vm_id = s.vm;
	ops[1].obj_offset = SZ_64K;
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_VM_BIND, &args), 0);
	check_seen(&s, DATA_ADDR, map + SZ_64K / 4, 1);
	check_seen(&s, DATA_ADDR + SZ_1G, map, 2);
	ops[0] = (struct drm_xe_vm_bind_op) {
		.op = DRM_XE_VM_BIND_OP_UNMAP, .addr = DATA_ADDR, .range = 2 * SZ_64K,
	};
	ops[2].obj = BAD_ID;
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_VM_BIND, &args), -ENOENT);
	check_seen(&s, DATA_ADDR, map + SZ_64K / 4, 3);
	munmap(map, 2 * SZ_64K);
	xetile_bo_close(fd, bo);
	binds_fini(&s);
}

/* --- numbers -------------------------------------------------------------- */

/* Starts a bind that waits for the gate, and is to write *@number. */
static void bind_late(struct gate *gate, struct binds *s, uint32_t bo, uint64_t *number)
{
	struct drm_xe_sync syncs[2] = {
		{ .type = DRM_XE_SYNC_TYPE_SYNCOBJ, .handle = gate->fence },
		{
			.type = DRM_XE_SYNC_TYPE_USER_FENCE, .flags = DRM_XE_SYNC_FLAG_SIGNAL,
			.addr = to_user(number), .timeline_value = SIGNALLED,
		},
	};
	struct drm_xe_vm_bind args = {
		.vm_id = s->vm, .num_binds = 1, .bind = xe_map_op(bo, DATA_ADDR, SZ_64K),
		.exec_queue_id = s->bind[0], .num_syncs = 2, .syncs = to_user(syncs),
	};

	igt_assert_eq(xetile_ioctl(s->fd, DRM_IOCTL_XE_VM_BIND, &args), 0);
}

/* Of a bind that waits for nothing the number is there on return, wherever it is. */
static void test_number(int fd)
{
	uint32_t bo = xe_bo(fd, SZ_64K, HBM0);
	uint64_t here = 0, *there = xetile_bo_map(fd, bo, SZ_64K);
	struct drm_xe_vm_bind_op op = xe_map_op(bo, DATA_ADDR, SZ_64K);
	struct drm_xe_sync sync = {
		.type = DRM_XE_SYNC_TYPE_USER_FENCE, .flags = DRM_XE_SYNC_FLAG_SIGNAL,
		.addr = to_user(&here), .timeline_value = SIGNALLED,
	};
	uint32_t vm = xe_vm(fd, 0);

	igt_assert_eq(__xe_bind(fd, vm, &op, &sync), 0);
	igt_assert_eq_u64(here, SIGNALLED);
	/* Also in the BO that is bound: the call must have let go of it. */
	sync.addr = to_user(there + 1);
	igt_assert_eq(__xe_bind(fd, vm, &op, &sync), 0);
	igt_assert_eq_u64(there[1], SIGNALLED);
	/* A call that fails writes none. */
	here = 0;
	sync.addr = to_user(&here);
	op.obj = BAD_ID;
	igt_assert_eq(__xe_bind(fd, vm, &op, &sync), -ENOENT);
	igt_assert_eq_u64(here, 0);
	munmap(there, SZ_64K);
	xetile_bo_close(fd, bo);
	xetile_vm_destroy(fd, vm);
}

static void test_number_late(int fd)
{
	uint32_t bo = xe_bo(fd, SZ_64K, HBM0);
	volatile uint64_t *map = xetile_bo_map(fd, bo, SZ_64K);
	uint64_t *gone = mmap(NULL, SZ_4K, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			      -1, 0);
	volatile uint64_t number = 0;
	struct gate gate;
	struct binds s;

	gate_init(&gate, fd);
	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	bind_late(&gate, &s, bo, (uint64_t *)&number);
	bind_late(&gate, &s, bo, (uint64_t *)&map[1]);
	/* A page that is gone by then holds up nobody. */
	bind_late(&gate, &s, bo, gone);
	munmap(gone, SZ_4K);
	usleep(100000);
	igt_assert_eq_u64(number, 0);
	igt_assert_eq_u64(map[1], 0);
	gate_open(&gate);
	xetile_assert_soon(number == SIGNALLED && map[1] == SIGNALLED);
	binds_fini(&s);
	munmap((void *)map, SZ_64K);
	xetile_bo_close(fd, bo);
	gate_fini(&gate);
}

/* What is not mapped reads zero, and writes there are dropped. */
static void test_scratch(int fd)
{
	struct drm_xe_vm_create args = { .flags = DRM_XE_VM_CREATE_FLAG_SCRATCH_PAGE };
	struct drm_xetile_queue_create queue = {
		.engine_class = DRM_XETILE_ENGINE_COPY, .target = DRM_XETILE_TARGET_TILE,
	};
	int err = xetile_ioctl(fd, DRM_IOCTL_XE_VM_CREATE, &args);
	struct xetile_batch b;
	struct xetile_buf ctl;

	igt_require_f(err != -EOPNOTSUPP, "no scratch pages\n");
	igt_assert_eq(err, 0);
	queue.vm_id = args.vm_id;
	igt_assert_eq(__xetile_queue_create(fd, &queue), 0);
	xetile_buf_init(&ctl, fd, args.vm_id, BATCH_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	batch_begin(&b, &ctl, 0);
	batch_store(&b, DATA_ADDR, 1, false);
	batch_store(&b, 0, 2, false);
	batch_store(&b, ctl.addr + SZ_4K, 3, false);
	batch_end(&b);
	xetile_run(fd, queue.queue_id, batch_addr(&b));
	igt_assert_eq_u32(ctl.map[SZ_4K / 4], 3);
	xetile_buf_fini(&ctl);
	xetile_queue_destroy(fd, queue.queue_id);
	xetile_vm_destroy(fd, args.vm_id);
}

/* Where jobs never end a bind tells no syncobj of its end, and may wait for one. */
static void test_lr(int fd)
{
	uint32_t vm = xe_vm(fd, DRM_XE_VM_CREATE_FLAG_LR_MODE), bo = xe_bo(fd, SZ_64K, HBM0);
	struct drm_xe_vm_bind_op op = xe_map_op(bo, DATA_ADDR, SZ_64K);
	uint64_t number = 0;
	struct drm_xe_sync sync = {
		.type = DRM_XE_SYNC_TYPE_SYNCOBJ, .flags = DRM_XE_SYNC_FLAG_SIGNAL,
		.handle = xetile_syncobj(fd),
	}, user = {
		.type = DRM_XE_SYNC_TYPE_USER_FENCE, .flags = DRM_XE_SYNC_FLAG_SIGNAL,
		.addr = to_user(&number), .timeline_value = SIGNALLED,
	};
	uint32_t other = xe_vm(fd, 0);

	igt_assert_eq(__xe_bind(fd, vm, &op, &sync), -EOPNOTSUPP);
	igt_assert_eq(__xe_bind(fd, vm, &op, &user), 0);
	igt_assert_eq_u64(number, SIGNALLED);
	igt_assert_eq(__xe_bind(fd, other, &op, &sync), 0);
	sync.flags = 0;
	op.addr += SZ_1G;
	igt_assert_eq(__xe_bind(fd, vm, &op, &sync), 0);
	xetile_syncobj_destroy(fd, sync.handle);
	xetile_bo_close(fd, bo);
	xetile_vm_destroy(fd, vm);
	xetile_vm_destroy(fd, other);
}

/* The process has ended when its bind is made: nobody gets the number, and nothing is left. */
static void test_number_of_dead(int fd)
{
	uint64_t *number = mmap(NULL, SZ_4K, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				-1, 0);
	uint32_t bo = xe_bo(fd, SZ_64K, HBM0), out = xetile_syncobj(fd);
	struct gate gate;
	struct binds s;
	pid_t child;
	int status;

	gate_init(&gate, fd);
	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	child = fork();
	igt_assert_lte(0, child);
	if (!child) {
		bind_late(&gate, &s, bo, number);
		_exit(0);
	}
	igt_assert_eq(waitpid(child, &status, 0), child);
	igt_assert_eq(status, 0);
	gate_open(&gate);
	/* Fences of the queue signal in order. */
	igt_assert_eq(binds_try(&s, s.bind[0], NULL, 0, out), 0);
	xetile_wait_done(fd, out);
	usleep(100000);
	igt_assert_eq_u64(*number, 0);
	xetile_syncobj_destroy(fd, out);
	binds_fini(&s);
	munmap(number, SZ_4K);
	xetile_bo_close(fd, bo);
	gate_fini(&gate);
}

igt_main
{
	struct xetile_card card;

	igt_fixture
		xetile_open_card(&card);

	igt_describe("GEM_CREATE: bad input, and every placement (G2)");
	igt_subtest("gem-create-args")
		test_create_args(&card);
	igt_describe("GEM_MMAP_OFFSET: bad input");
	igt_subtest("gem-mmap-offset-args")
		test_offset_args(card.fd);
	igt_describe("GEM_MMAP_OFFSET: the page of a barrier on the bus");
	igt_subtest("barrier")
		test_barrier(card.fd);
	igt_describe("VM_CREATE and VM_DESTROY: bad input; no faults");
	igt_subtest("vm-args")
		test_vm_args(card.fd);
	igt_describe("VM_BIND: bad input in each field of a bind, alone and in an array");
	igt_subtest("bind-op-args")
		test_op_args(card.fd);
	igt_describe("VM_BIND: bad input in each field of the call, and bind queues (M8)");
	igt_subtest("bind-args")
		test_call_args(card.fd);
	igt_describe("VM_BIND: bad input in each field of a sync (M17)");
	igt_subtest("sync-args")
		test_sync_args(card.fd);
	igt_describe("Wrong questions about an address space must be told apart (M12)");
	igt_subtest("property")
		test_property(card.fd);

	igt_describe("Calls that are about page faults are refused");
	igt_subtest("unsupported")
		test_unsupported(card.fd);
	igt_describe("Jobs see the memory of every placement, also 4 KiB (G1, G2)");
	igt_subtest("kinds")
		test_kinds(&card);
	igt_describe("Every entry of the PAT leads to the memory (G3)");
	igt_subtest("pats")
		test_pats(card.fd);
	igt_describe("Sparse: writes are dropped (G3)");
	igt_subtest("null")
		test_null(card.fd);
	igt_describe("Memory of the process, checked when it is bound (M15)");
	igt_subtest("userptr")
		test_userptr(card.fd);
	igt_describe("Memory of the process under signals (M15)");
	igt_subtest("userptr-signals")
		test_userptr_signals(card.fd);
	igt_describe("Pages leave between the bind that brought them and the job (M15)");
	igt_subtest("userptr-leaves")
		test_userptr_leaves(card.fd);
	igt_describe("Parts of a mapping are unmapped, and all mappings of a buffer (M8)");
	igt_subtest("partial-unmap-all")
		test_partial(card.fd);
	igt_describe("A prefetch changes nothing (M8)");
	igt_subtest("prefetch")
		test_prefetch(card.fd);
	igt_describe("An array is made in order, or not at all");
	igt_subtest("array")
		test_array(card.fd);
	igt_describe("The number of a bind is there on return (M6)");
	igt_subtest("number")
		test_number(card.fd);
	igt_describe("The number of a bind that waits comes with the bind (M6)");
	igt_subtest("number-late")
		test_number_late(card.fd);
	igt_describe("Scratch pages (G3)");
	igt_subtest("scratch")
		test_scratch(card.fd);
	igt_describe("Binds where jobs never end (M1, M6)");
	igt_subtest("long-running")
		test_lr(card.fd);
	igt_describe("The process of a bind that waits has ended (M6)");
	igt_subtest("number-of-dead")
		test_number_of_dead(card.fd);

	igt_fixture
		close(card.fd);
}
