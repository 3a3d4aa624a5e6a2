// SPDX-License-Identifier: MIT
/*
 * Address spaces of the xe driver's calls in which nothing faults: what nothing is mapped to reads
 * zero before a bind and after its end, whatever a TLB knows. There jobs also show which mappings
 * are left when all of a buffer end, in the order of an array. Last, ranges and sizes that overflow.
 * Gaps G3 and M8.
 *
 * suite: igt 1-tile 4-tiles
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_binds.h"
#include "xetile_xe.h"

IGT_TEST_DESCRIPTION("Address spaces in which nothing faults, and ends of all mappings");

/* Regions: system memory, and the HBM of tile 0 */
#define SYSTEM		1u
#define HBM0		2u

#define VA_END		((1ull << 57) - (1ull << 48))
#define MANY		1500u
#define ARRAY		500u

/* A VM without faults, with a queue of a copy engine; @s has no bind queues */
static void init(struct binds *s, int fd)
{
	struct drm_xetile_queue_create queue = {
		.engine_class = DRM_XETILE_ENGINE_COPY, .target = DRM_XETILE_TARGET_TILE,
	};

	*s = (struct binds) {
		.fd = fd, .vm = xe_vm(fd, DRM_XE_VM_CREATE_FLAG_SCRATCH_PAGE),
	};
	queue.vm_id = s->vm;
	igt_assert_eq(__xetile_queue_create(fd, &queue), 0);
	s->queue = queue.queue_id;
	xetile_buf_init(&s->ctl, fd, s->vm, BATCH_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
}

static void fini(struct binds *s)
{
	xetile_buf_fini(&s->ctl);
	xetile_queue_destroy(s->fd, s->queue);
	xetile_vm_destroy(s->fd, s->vm);
}

/* What a job reads at @addr */
static uint32_t seen(struct binds *s, uint64_t addr)
{
	struct drm_xetile_sync sync = {
		.handle = xetile_syncobj(s->fd), .flags = DRM_XETILE_SYNC_SIGNAL,
	};
	struct xetile_batch b;

	s->ctl.map[SZ_4K / 4] = ~0u;
	batch_begin(&b, &s->ctl, 2 * SZ_4K);
	batch_mem_copy(&b, s->ctl.addr + SZ_4K, addr, 4);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(s->fd, s->queue, batch_addr(&b), &sync, 1), 0);
	igt_assert_eq(binds_ended(s, sync.handle), 1);
	return s->ctl.map[SZ_4K / 4];
}

static void check(struct binds *s, uint64_t addr, uint32_t value)
{
	uint32_t is = seen(s, addr);

	igt_assert_f(is == value, "%#llx: %#x, not %#x\n", (unsigned long long)addr, is, value);
}

/* A BO whose 64 KiB pieces, or 4 KiB if it is smaller, begin with @value and the numbers after it */
static uint32_t new_bo(int fd, uint64_t size, uint32_t placement, uint32_t value)
{
	uint32_t bo = xe_bo(fd, size, placement), *map = xetile_bo_map(fd, bo, size);

	for (uint64_t at = 0; at < size; at += SZ_64K)
		map[at / 4] = value + at / SZ_64K;
	munmap(map, size);
	return bo;
}

static int bind(struct binds *s, const struct drm_xe_vm_bind_op *ops, uint32_t num)
{
	struct drm_xe_vm_bind args = {
		.vm_id = s->vm, .num_binds = num, .vector_of_binds = to_user(ops),
	};

	if (num == 1)
		args.bind = *ops;
	return xetile_ioctl(s->fd, DRM_IOCTL_XE_VM_BIND, &args);
}

static struct drm_xe_vm_bind_op part_op(uint32_t bo, uint64_t addr, uint64_t offset, uint64_t size)
{
	struct drm_xe_vm_bind_op op = xe_map_op(bo, addr, size);

	op.obj_offset = offset;
	return op;
}

static struct drm_xe_vm_bind_op unmap_all_op(uint32_t bo)
{
	return (struct drm_xe_vm_bind_op) {
		.op = DRM_XE_VM_BIND_OP_UNMAP_ALL, .obj = bo, .pat_index = XE_PAT_WB,
	};
}

/* Entries of each level translate these: the first and the last addresses of users among them. */
static void test_zero(int fd)
{
	static const uint64_t addrs[] = {
		0, DATA_ADDR, DATA_ADDR + SZ_2M, DATA_ADDR + 3ull * SZ_1G, 1ull << 39, 1ull << 48,
		VA_END - SZ_4K,
	};
	struct binds s;

	init(&s, fd);
	for (unsigned int i = 0; i < ARRAY_SIZE(addrs); i++) {
		check(&s, addrs[i], 0);
		igt_assert_eq(binds_store(&s, addrs[i], 0x55), 1);
		check(&s, addrs[i], 0);
	}
	fini(&s);
}

/* A job before has had the engine keep that nothing is there, and at which level it saw that. */
static void test_over(int fd, uint32_t placement, uint64_t size)
{
	uint32_t bo = new_bo(fd, size, placement, 7);
	struct binds s;

	init(&s, fd);
	for (unsigned int i = 0; i < 3; i++) {
		uint64_t addr = DATA_ADDR + (1ull << 39) * i;

		/* The second time tables are there, made for a neighbour. */
		for (unsigned int again = 0; again < 2; again++) {
			check(&s, addr, 0);
			check(&s, addr + size, 0);
			xe_map(fd, s.vm, bo, addr, size);
			check(&s, addr, 7);
			check(&s, addr + size, 0);
			check(&s, addr - SZ_4K, 0);
			xe_unmap(fd, s.vm, addr, size);
			check(&s, addr, 0);
			xe_map(fd, s.vm, bo, addr + 2 * size, size);
		}
		xe_unmap(fd, s.vm, addr + 2 * size, size);
	}
	fini(&s);
	xetile_bo_close(fd, bo);
}

/* Cut out of the middle of a mapping of system memory, and of what the card maps as one piece */
static void test_hole(int fd)
{
	uint32_t bo = new_bo(fd, 4 * SZ_2M, SYSTEM, 0x100);
	struct binds s;

	init(&s, fd);
	xe_map(fd, s.vm, bo, DATA_ADDR, 4 * SZ_2M);
	check(&s, DATA_ADDR + SZ_2M, 0x120);
	xe_unmap(fd, s.vm, DATA_ADDR + SZ_2M, SZ_4K);
	check(&s, DATA_ADDR + SZ_2M, 0);
	check(&s, DATA_ADDR + SZ_2M + SZ_64K, 0x121);
	xe_unmap(fd, s.vm, DATA_ADDR, 4 * SZ_2M);
	check(&s, DATA_ADDR + SZ_2M + SZ_64K, 0);
	fini(&s);
	xetile_bo_close(fd, bo);
}

static void test_order(int fd)
{
	const uint64_t at = DATA_ADDR, one = at + SZ_1G, two = at + 2ull * SZ_1G;
	uint32_t a = new_bo(fd, 3 * SZ_64K, HBM0, 0x10), b = new_bo(fd, SZ_64K, HBM0, 0x20);
	struct drm_xe_vm_bind_op ops[5] = {
		part_op(b, at + SZ_64K, 0, SZ_64K), part_op(a, one, 0, SZ_64K), unmap_all_op(a),
		part_op(a, two, 2 * SZ_64K, SZ_64K),
		{ .op = DRM_XE_VM_BIND_OP_PREFETCH, .addr = two, .range = SZ_64K },
	};
	struct binds s;

	init(&s, fd);
	xe_map(fd, s.vm, a, at, 3 * SZ_64K);
	check(&s, at + 2 * SZ_64K, 0x12);
	igt_assert_eq(bind(&s, ops, 5), 0);
	check(&s, at, 0);
	check(&s, at + SZ_64K, 0x20);
	check(&s, at + 2 * SZ_64K, 0);
	check(&s, one, 0);
	check(&s, two, 0x12);

	/* Twice in a call, with a mapping between: nothing of the buffer is left. */
	ops[0] = unmap_all_op(a);
	ops[1] = part_op(a, one, 0, 3 * SZ_64K);
	ops[2] = part_op(b, one + SZ_64K, 0, SZ_64K);
	ops[3] = unmap_all_op(a);
	igt_assert_eq(bind(&s, ops, 4), 0);
	check(&s, two, 0);
	check(&s, one, 0);
	check(&s, one + SZ_64K, 0x20);
	check(&s, one + 2 * SZ_64K, 0);

	/* A later bind of the call cannot be made: all stays as it was. */
	ops[0] = unmap_all_op(b);
	ops[1] = part_op(a, two, 0, SZ_64K);
	ops[2] = (struct drm_xe_vm_bind_op) {
		.op = DRM_XE_VM_BIND_OP_UNMAP, .addr = two, .range = SZ_4K,
	};
	igt_assert_eq(bind(&s, ops, 3), -EINVAL);
	check(&s, at + SZ_64K, 0x20);
	check(&s, one + SZ_64K, 0x20);
	check(&s, two, 0);
	igt_assert_eq(bind(&s, ops, 2), 0);
	check(&s, at + SZ_64K, 0);
	check(&s, one + SZ_64K, 0);
	check(&s, two, 0x10);
	fini(&s);
	xetile_bo_close(fd, a);
	xetile_bo_close(fd, b);
}

static void test_many(int fd)
{
	uint32_t bo = new_bo(fd, SZ_4K, SYSTEM, 3);
	struct drm_xe_vm_bind_op ops[ARRAY];
	struct binds s;
	unsigned int i, n;

	init(&s, fd);
	for (i = 0; i < MANY; i += ARRAY) {
		for (n = 0; n < ARRAY; n++)
			ops[n] = part_op(bo, DATA_ADDR + (i + n) * 3ull * SZ_4K, 0, SZ_4K);
		igt_assert_eq(bind(&s, ops, ARRAY), 0);
	}
	check(&s, DATA_ADDR + (MANY - 1) * 3ull * SZ_4K, 3);
	/* Each of these looks at all before it. */
	for (n = 0; n < ARRAY; n++)
		ops[n] = unmap_all_op(bo);
	igt_assert_eq(bind(&s, ops, ARRAY), 0);
	for (i = 0; i < MANY; i += 97)
		check(&s, DATA_ADDR + i * 3ull * SZ_4K, 0);
	check(&s, DATA_ADDR + (MANY - 1) * 3ull * SZ_4K, 0);
	fini(&s);
	xetile_bo_close(fd, bo);
}

/* A BO of one page, and what the driver's own calls say and do with it */
static void test_small(const struct xetile_card *card)
{
	struct drm_xe_gem_create create = {
		.size = SZ_4K, .placement = SYSTEM, .cpu_caching = DRM_XE_GEM_CPU_CACHING_WC,
	};
	int fd = card->fd, other = xetile_reopen(fd), prime;
	struct drm_xetile_color_run run;
	struct drm_xetile_bo_info info = {
		.runs = DRM_XETILE_ARRAY(&run, 1),
	};
	struct drm_xetile_bo_recolor recolor = { };
	struct drm_xetile_bo_pin pin = { .event_fd = -1 };
	struct drm_xetile_bo_mmap offset = { };
	uint32_t again, *map;
	struct binds s;

	igt_assert_eq(__xe_bo(fd, &create), 0);
	info.handle = recolor.handle = pin.handle = offset.handle = create.handle;
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_INFO, &info), 0);
	igt_assert_eq_u64(info.size, SZ_4K);
	igt_assert_eq_u32(info.flags, 0);
	igt_assert_eq_u32(info.placement, DRM_XETILE_PLACE_SYSTEM);
	igt_assert_eq_u32(info.runs.count, 1);
	igt_assert_eq_u32(run.tile, DRM_XETILE_MEM_SYSTEM);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_RECOLOR, &recolor), -EINVAL);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_PIN, &pin), -EOPNOTSUPP);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_MMAP, &offset), 0);
	map = mmap(NULL, 2 * SZ_4K, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset.offset);
	igt_assert(map == MAP_FAILED);
	map = xetile_bo_map(fd, create.handle, SZ_4K);

	igt_assert_eq(drmPrimeHandleToFD(fd, create.handle, DRM_CLOEXEC | DRM_RDWR, &prime), 0);
	igt_assert_eq(drmPrimeFDToHandle(other, prime, &again), 0);
	init(&s, other);
	xe_map(other, s.vm, again, DATA_ADDR + SZ_4K, SZ_4K);
	igt_assert_eq(binds_store(&s, DATA_ADDR + 2 * SZ_4K - 4, 0x99), 1);
	igt_assert_eq_u32(map[SZ_4K / 4 - 1], 0x99);
	map[1] = 0x98;
	check(&s, DATA_ADDR + SZ_4K + 4, 0x98);
	check(&s, DATA_ADDR, 0);
	check(&s, DATA_ADDR + 2 * SZ_4K, 0);
	fini(&s);
	munmap(map, SZ_4K);
	close(prime);
	xetile_bo_close(fd, create.handle);
	close(other);
}

/* Sums that overflow, the ends of the address space, and buffers that are not the VM's */
static void test_hostile(int fd)
{
	static const uint64_t sizes[] = {
		1ull << 44, 1ull << 57, 1ull << 63, ~0xfffull, ~0xffffull, 1ull << 56 | SZ_64K,
	};
	struct drm_xe_gem_create create = { .cpu_caching = DRM_XE_GEM_CPU_CACHING_WC };
	uint32_t bo = new_bo(fd, 2 * SZ_64K, HBM0, 1), other = xe_vm(fd, 0);
	static struct drm_xe_vm_bind_op many[4096];
	struct drm_xe_vm_bind_op ops[] = {
		part_op(bo, VA_END, 0, SZ_64K), part_op(bo, VA_END - SZ_64K, 0, 2 * SZ_64K),
		part_op(bo, 1ull << 57, 0, SZ_64K), part_op(bo, ~0xffffull, 0, SZ_64K),
		part_op(bo, 0, 0, 1ull << 57), part_op(bo, 0, 0, ~0xffffull),
		part_op(bo, 0, ~0xffffull, SZ_64K), part_op(bo, 0, ~0xffffull, 2 * SZ_64K),
		part_op(bo, 0, SZ_64K, 2 * SZ_64K), part_op(bo, 0, 1ull << 63, 1ull << 63),
		{ .op = DRM_XE_VM_BIND_OP_UNMAP, .addr = SZ_64K, .range = VA_END },
		{ .op = DRM_XE_VM_BIND_OP_UNMAP, .addr = ~0xffffull, .range = 2 * SZ_64K },
		{ .op = DRM_XE_VM_BIND_OP_PREFETCH, .addr = ~0xfffull, .range = 2 * SZ_4K },
		{ .op = DRM_XE_VM_BIND_OP_UNMAP_ALL, .obj = bo, .addr = SZ_64K },
		{ .op = DRM_XE_VM_BIND_OP_UNMAP_ALL, .obj = bo, .range = SZ_64K },
	};
	struct binds s;

	init(&s, fd);
	for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++)
		igt_assert_f(bind(&s, &ops[i], 1) == -EINVAL, "bind %u\n", i);
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
		for (create.placement = 1; create.placement <= 3; create.placement++) {
			create.size = sizes[i];
			igt_assert_f(__xe_bo(fd, &create) < 0, "%#llx bytes\n",
				     (unsigned long long)sizes[i]);
		}

	/* A buffer of another VM is neither mapped nor unmapped. */
	create = (struct drm_xe_gem_create) {
		.size = SZ_64K, .placement = HBM0, .vm_id = other,
		.cpu_caching = DRM_XE_GEM_CPU_CACHING_WC,
	};
	igt_assert_eq(__xe_bo(fd, &create), 0);
	many[0] = part_op(create.handle, DATA_ADDR, 0, SZ_64K);
	igt_assert_eq(bind(&s, many, 1), -EINVAL);
	many[0] = unmap_all_op(create.handle);
	igt_assert_eq(bind(&s, many, 1), -EINVAL);
	xetile_bo_close(fd, create.handle);

	for (unsigned int i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = i % 2 ? unmap_all_op(bo) : part_op(bo, DATA_ADDR, 0, SZ_64K);
	igt_assert_lt(bind(&s, many, ARRAY_SIZE(many)), 0);
	check(&s, DATA_ADDR, 0);
	igt_assert_eq(bind(&s, many, ARRAY - 1), 0);
	check(&s, DATA_ADDR, 1);

	/* All that a user may have, in one call; the batches go, too. */
	ops[0] = (struct drm_xe_vm_bind_op) {
		.op = DRM_XE_VM_BIND_OP_UNMAP, .range = VA_END,
	};
	igt_assert_eq(bind(&s, ops, 1), 0);
	xetile_queue_destroy(fd, s.queue);
	xetile_vm_destroy(fd, s.vm);
	munmap(s.ctl.map, s.ctl.size);
	xetile_bo_close(fd, s.ctl.handle);
	xetile_vm_destroy(fd, other);
	xetile_bo_close(fd, bo);
}

igt_main
{
	struct xetile_card card;

	igt_fixture
		xetile_open_card(&card);

	igt_describe("What nothing is mapped to reads zero, and writes are dropped (G3)");
	igt_subtest("zero")
		test_zero(card.fd);
	igt_describe("A bind over it is seen, also by an engine that knows it (G3)");
	igt_subtest("over-page")
		test_over(card.fd, SYSTEM, SZ_4K);
	igt_describe("As over-page, of 64 KiB of HBM");
	igt_subtest("over-hbm")
		test_over(card.fd, HBM0, SZ_64K);
	igt_describe("As over-page, of one entry of a directory");
	igt_subtest("over-large")
		test_over(card.fd, HBM0, SZ_2M);
	igt_describe("What is cut out of a mapping reads zero (G1, G3)");
	igt_subtest("hole")
		test_hole(card.fd);
	igt_describe("All mappings of a buffer end, those of the same call too, or none (M8)");
	igt_subtest("unmap-all-order")
		test_order(card.fd);
	igt_describe("A thousand mappings end at once, and again (M8)");
	igt_subtest("unmap-all-many")
		test_many(card.fd);
	igt_describe("A buffer of one page by the calls of both interfaces (G2)");
	igt_subtest("small")
		test_small(&card);
	igt_describe("Ranges and sizes that overflow, and buffers of others, are refused");
	igt_subtest("hostile")
		test_hostile(card.fd);

	igt_fixture
		close(card.fd);
}
