// SPDX-License-Identifier: MIT
/*
 * Batches: stores, copies, kernels on one tile and on all tiles, files that are closed with work in
 * flight, and bad input in every field.
 * Statements: S12, S13, S28, S29, S33, S38, S39, S48, S108, S120, S126, S131.
 *
 * suite: igt soak 1-tile 2nd-card 4-tiles
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_igt.h"
#include "xetile_walker.h"

IGT_TEST_DESCRIPTION("Batches on one tile, on copy engines, and on all tiles");

#define ISA_ADDR	0x30000000ull

static void test_store(const struct xetile_card *card, uint32_t class, uint32_t target,
		       uint32_t tile, uint32_t placement)
{
	struct xetile_buf data;
	struct xetile_batch b;
	struct ctx c;
	uint32_t q;

	ctx_init(&c, card->fd);
	xetile_buf_init(&data, c.fd, c.vm, DATA_ADDR, SZ_64K, placement);
	q = xetile_queue(c.fd, c.vm, class, target, tile, 0);
	for (uint32_t i = 0; i < 64; i++) {
		batch_begin(&b, &c.batch, 0);
		batch_store(&b, DATA_ADDR + 4 * i, 0xbeef0000 + i, false);
		batch_end(&b);
		xetile_run(c.fd, q, batch_addr(&b));
		igt_assert_eq_u32(data.map[i], 0xbeef0000 + i);
		igt_assert_eq_u32(data.map[i + 1], 0);
	}
	xetile_queue_destroy(c.fd, q);
	xetile_buf_fini(&data);
	ctx_fini(&c);
}

static void test_in_flight(const struct xetile_card *card, unsigned int count)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;
	struct ctx c;
	uint32_t q;

	/* More batches than a ring holds, in order, with one fence at the end */
	ctx_init(&c, card->fd);
	q = xetile_queue(c.fd, c.vm, COMPUTE, TILE, 0, 0);
	batch_begin(&b, &c.batch, 0);
	batch_atomic_inc(&b, c.gate.addr);
	batch_end(&b);
	sync.handle = xetile_syncobj(c.fd);
	for (unsigned int i = 0; i < count; i++)
		igt_assert_eq(__xetile_exec(c.fd, q, batch_addr(&b), &sync, i == count - 1), 0);
	igt_assert_eq(__xetile_wait(c.fd, sync.handle, 120000), 0);
	igt_assert_eq_u32(c.gate.map[0], count);
	xetile_syncobj_destroy(c.fd, sync.handle);
	xetile_queue_destroy(c.fd, q);
	ctx_fini(&c);
}

static void test_copy(const struct xetile_card *card, uint32_t tile, uint32_t from, uint32_t to)
{
	uint64_t size = 3 * SZ_64K;
	uint32_t src, dst, *s, *d, q;
	struct xetile_batch b;
	struct ctx c;

	ctx_init(&c, card->fd);
	src = xetile_bo_color(c.fd, size, DRM_XETILE_COLOR_TILE, 1u << from, 0);
	dst = xetile_bo_color(c.fd, size, DRM_XETILE_COLOR_TILE, 1u << to, 0);
	s = xetile_bo_map(c.fd, src, size);
	d = xetile_bo_map(c.fd, dst, size);
	for (uint32_t i = 0; i < size / 4; i++)
		s[i] = i * 2654435761u;
	xetile_vm_map(c.fd, c.vm, src, 0, DATA_ADDR, size);
	xetile_vm_map(c.fd, c.vm, dst, 0, DATA_ADDR + SZ_2M, size);

	q = xetile_queue(c.fd, c.vm, COPY, TILE, tile, 0);
	batch_begin(&b, &c.batch, 0);
	batch_mem_copy(&b, DATA_ADDR + SZ_2M, DATA_ADDR, size);
	batch_end(&b);
	xetile_run(c.fd, q, batch_addr(&b));
	igt_assert_eq(memcmp(s, d, size), 0);

	munmap(s, size);
	munmap(d, size);
	xetile_queue_destroy(c.fd, q);
	xetile_bo_close(c.fd, src);
	xetile_bo_close(c.fd, dst);
	ctx_fini(&c);
}

static void test_compute(const struct xetile_card *card, uint32_t target, uint32_t tile)
{
	uint32_t tiles = target == ROOT ? card->device.num_tiles : 1;
	uint32_t groups = 1023, items = groups * FILL_LOCAL, q;
	uint64_t size = (uint64_t)(items * 4 + SZ_64K) / SZ_64K * SZ_64K;
	struct xetile_buf isa, data;
	struct ctx c;

	ctx_init(&c, card->fd);
	xetile_buf_init(&isa, c.fd, c.vm, ISA_ADDR, SZ_64K, DRM_XETILE_PLACE_HBM);
	xetile_buf_init(&data, c.fd, c.vm, DATA_ADDR, size, DRM_XETILE_PLACE_HBM);
	q = xetile_queue(c.fd, c.vm, COMPUTE, target, tile, 0);
	xetile_run(c.fd, q, fill_batch(&c.batch, &isa, data.addr, 0x5eed, groups, tiles));
	for (uint32_t i = 0; i < items; i++)
		igt_assert_eq_u32(data.map[i], 0x5eed + i);
	igt_assert_eq_u32(data.map[items], 0);
	xetile_queue_destroy(c.fd, q);
	xetile_buf_fini(&data);
	xetile_buf_fini(&isa);
	ctx_fini(&c);
}

/* Enough for all of a walker's places to have some */
#define NEW_CODE_GROUPS	2048

/*
 * A job runs a kernel that adds 1, the next one has it add 2, and a third one runs it again. They
 * are one queue's, and its context stays on the engine: each job has to invalidate instructions.
 */
static void test_new_code(const struct xetile_card *card)
{
	struct drm_xetile_sync done = { .flags = DRM_XETILE_SYNC_SIGNAL };
	const uint32_t mov[] = { 0x80001961, 0x04054160, 0, 0x00010001 };
	struct xetile_buf isa, data, again;
	struct xetile_batch b;
	uint64_t jobs[4];
	uint32_t q, at;
	struct ctx c;

	ctx_init(&c, card->fd);
	xetile_buf_init(&isa, c.fd, c.vm, ISA_ADDR, SZ_64K, DRM_XETILE_PLACE_HBM);
	xetile_buf_init(&data, c.fd, c.vm, DATA_ADDR, SZ_64K, DRM_XETILE_PLACE_HBM);
	xetile_buf_init(&again, c.fd, c.vm, DATA_ADDR + SZ_2M, SZ_64K, DRM_XETILE_PLACE_HBM);
	jobs[1] = count_batch(&again, &isa, data.addr, NEW_CODE_GROUPS, 1, 1, COUNT_AS_DRIVER);
	jobs[3] = jobs[1];
	for (at = FILL_START / 4; memcmp(&isa.map[at], mov, sizeof(mov)); at += 4)
		igt_assert_lt(at, SZ_4K);
	batch_begin(&b, &c.batch, 0);
	batch_wait(&b, GATE_ADDR, 1);
	batch_end(&b);
	jobs[0] = batch_addr(&b);
	batch_begin(&b, &c.batch, SZ_4K);
	batch_store(&b, isa.addr + (at + 3) * 4, 0x00020002, false);
	batch_end(&b);
	jobs[2] = batch_addr(&b);
	q = xetile_queue(c.fd, c.vm, COMPUTE, TILE, 0, 0);
	done.handle = xetile_syncobj(c.fd);
	/* The first one waits until all of them are in the ring. */
	for (unsigned int i = 0; i < ARRAY_SIZE(jobs); i++)
		igt_assert_eq(__xetile_exec(c.fd, q, jobs[i], &done, i == ARRAY_SIZE(jobs) - 1), 0);
	*(volatile uint32_t *)c.gate.map = 1;
	xetile_wait_done(c.fd, done.handle);
	for (unsigned int i = 0; i < NEW_CODE_GROUPS; i++)
		igt_assert_eq_u32(data.map[i], 1 + 2);
	xetile_syncobj_destroy(c.fd, done.handle);
	xetile_queue_destroy(c.fd, q);
	xetile_buf_fini(&again);
	xetile_buf_fini(&data);
	xetile_buf_fini(&isa);
	ctx_fini(&c);
}

/* A process that opens the card, uses it and exits. The process shares nothing with any batch. */
static void use_and_exit(int fd)
{
	struct ctx c;

	ctx_init(&c, xetile_reopen(fd));
	xetile_queue(c.fd, c.vm, COPY, TILE, 0, 0);
	_exit(0);
}

/*
 * A batch still uses a buffer that was unmapped and closed, therefore the buffer cannot be freed
 * before the batch ends. Another process that closes a file meanwhile must not wait for that.
 */
static void test_close_others(const struct xetile_card *card)
{
	struct drm_xetile_queue_create args = {
		.engine_class = COMPUTE, .target = TILE, .timeout_ms = 3600000,
	};
	struct drm_xetile_sync held = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;
	uint32_t bo;
	int status;
	pid_t pid;
	struct ctx c;

	ctx_init(&c, card->fd);
	args.vm_id = c.vm;
	igt_assert_eq(__xetile_queue_create(c.fd, &args), 0);
	bo = xetile_bo(c.fd, SZ_64K, DRM_XETILE_PLACE_HBM);
	xetile_vm_map(c.fd, c.vm, bo, 0, 8 * SZ_1G, SZ_64K);
	held.handle = xetile_syncobj(c.fd);
	batch_begin(&b, &c.batch, 0);
	batch_wait(&b, c.gate.addr, 1);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(c.fd, args.queue_id, batch_addr(&b), &held, 1), 0);
	xetile_vm_unmap(c.fd, c.vm, 8 * SZ_1G, SZ_64K);
	xetile_bo_close(c.fd, bo);

	pid = fork();
	igt_assert_lte(0, pid);
	if (!pid)
		use_and_exit(card->fd);
	xetile_assert_soon(waitpid(pid, &status, WNOHANG) == pid);
	igt_assert_eq(status, 0);
	igt_assert_eq(xetile_fence_status(c.fd, held.handle), 0);

	c.gate.map[0] = 1;
	igt_assert_eq(__xetile_wait(c.fd, held.handle, 20000), 0);
	igt_assert_eq(xetile_fence_status(c.fd, held.handle), 1);
	xetile_syncobj_destroy(c.fd, held.handle);
	xetile_queue_destroy(c.fd, args.queue_id);
	ctx_fini(&c);
}

/*
 * Closes a file while its batches run and wait: the batches are cancelled, and the card stays
 * usable.
 */
static void test_close(const struct xetile_card *card, uint32_t class, uint32_t target, bool loop)
{
	for (int i = 0; i < 3; i++) {
		int fd = xetile_reopen(card->fd);
		struct xetile_batch b;
		struct ctx c;
		uint32_t q;

		ctx_init(&c, fd);
		q = xetile_queue(fd, c.vm, class, target, 0, 0);
		batch_begin(&b, &c.batch, 0);
		batch_store(&b, c.gate.addr + 64, 1, false);
		if (loop)
			batch_hang(&b);
		else
			batch_wait(&b, c.gate.addr, 1);
		batch_end(&b);
		for (int n = 0; n < 8; n++)
			igt_assert_eq(__xetile_exec(fd, q, batch_addr(&b), NULL, 0), 0);
		xetile_assert_soon(*(volatile uint32_t *)&c.gate.map[16]);
		munmap(c.batch.map, c.batch.size);
		munmap(c.gate.map, c.gate.size);
		close(fd);
	}
	test_store(card, class, target, 0, DRM_XETILE_PLACE_HBM);
}

static void test_bad_queue(const struct xetile_card *card)
{
	uint32_t vm = xetile_vm(card->fd), tiles = card->device.num_tiles;
	uint32_t mode = card->tiles[0].ccs_mode;
	struct drm_xetile_queue_info info = { .queue_id = BAD_ID };
	struct drm_xetile_queue_destroy destroy = { .queue_id = BAD_ID };
	const struct {
		const char *what;
		int err;
		struct drm_xetile_queue_create args;
	} cases[] = {
		{ "no such VM", ENOENT, { .vm_id = BAD_ID } },
		{ "VM 0", ENOENT, { .vm_id = 0 } },
		{ "unknown class", EINVAL, { .vm_id = vm, .engine_class = 3 } },
		{ "weight of a queue for binds", EINVAL,
		  { .vm_id = vm, .engine_class = DRM_XETILE_ENGINE_BIND, .weight = 100 } },
		{ "unknown target", EINVAL, { .vm_id = vm, .target = 3 } },
		{ "missing tile", EINVAL, { .vm_id = vm, .target = TILE, .tile = tiles } },
		{ "tile out of range", EINVAL, { .vm_id = vm, .target = TILE, .tile = ~0u } },
		{ "tile with ROOT", EINVAL, { .vm_id = vm, .tile = 1 } },
		{ "cslice with TILE", EINVAL, { .vm_id = vm, .target = TILE, .cslice = 1 } },
		{ "cslice beyond the mode", EINVAL,
		  { .vm_id = vm, .target = DRM_XETILE_TARGET_CSLICE, .cslice = mode } },
		{ "cslice out of range", EINVAL,
		  { .vm_id = vm, .target = DRM_XETILE_TARGET_CSLICE, .cslice = ~0u } },
		{ "cslice of a copy engine", EINVAL,
		  { .vm_id = vm, .target = DRM_XETILE_TARGET_CSLICE, .engine_class = COPY } },
		{ "priority between names", EINVAL, { .vm_id = vm, .priority = 1 } },
		{ "priority above all", EINVAL, { .vm_id = vm, .priority = 513 } },
		{ "priority below all", EINVAL, { .vm_id = vm, .priority = -513 } },
		{ "weight too large", EINVAL, { .vm_id = vm, .weight = 1001 } },
		{ "unknown flag", EINVAL, { .vm_id = vm, .flags = 1u << 31 } },
		{ "flag of another call", EINVAL,
		  { .vm_id = vm, .flags = DRM_XETILE_QUEUE_BANNED } },
		{ "timeout too long", EINVAL,
		  { .vm_id = vm, .timeout_ms = card->device.max_timeout_ms + 1 } },
	};
	uint32_t q;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drm_xetile_queue_create args = cases[i].args;
		int ret = __xetile_queue_create(card->fd, &args);

		igt_assert_f(ret == -cases[i].err, "%s: %s, expected %s\n", cases[i].what,
			     strerror(-ret), strerror(cases[i].err));
		igt_assert_eq(args.queue_id, 0);
	}
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_QUEUE_INFO, &info), -ENOENT);
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_QUEUE_DESTROY, &destroy), -ENOENT);
	q = xetile_queue(card->fd, vm, COMPUTE, TILE, 0, 0);
	destroy = (struct drm_xetile_queue_destroy) { .queue_id = q, .pad = 1 };
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_QUEUE_DESTROY, &destroy), -EINVAL);
	xetile_queue_destroy(card->fd, q);
	igt_assert_eq(__xetile_queue_destroy(card->fd, q), -ENOENT);
	xetile_vm_destroy(card->fd, vm);
}

static void test_bad_exec(const struct xetile_card *card)
{
	struct ctx c;
	struct xetile_batch b;
	uint32_t q, sync, root;
	uint64_t batch;

	ctx_init(&c, card->fd);
	q = xetile_queue(c.fd, c.vm, COMPUTE, TILE, 0, 0);
	root = xetile_queue(c.fd, c.vm, COMPUTE, ROOT, 0, 0);
	sync = xetile_syncobj(c.fd);
	batch_begin(&b, &c.batch, 0);
	batch_atomic_inc(&b, c.gate.addr);
	batch_end(&b);
	batch = batch_addr(&b);

	const struct drm_xetile_sync unknown_flag = { .handle = sync, .flags = 4 };
	const struct drm_xetile_sync no_handle = { .handle = BAD_ID, .flags = 1 };
	const struct drm_xetile_sync point = { .handle = sync, .flags = 1, .point = 1 };
	const struct drm_xetile_sync point_0 = { .handle = sync, .flags = 3 };
	const struct drm_xetile_sync no_fence = { .handle = sync };
	const struct {
		const char *what;
		int err;
		struct drm_xetile_exec args;
	} cases[] = {
		{ "no such queue", ENOENT, { .queue_id = BAD_ID, .batch = batch, .num_batches = 1 } },
		{ "an address and no batch", EINVAL, { .queue_id = q, .batch = batch } },
		{ "two batches for one tile", EINVAL,
		  { .queue_id = q, .batch = to_user(&batch), .num_batches = 2 } },
		{ "more batches than tiles", EINVAL,
		  { .queue_id = root, .batch = to_user(&batch),
		    .num_batches = card->device.num_tiles + 1 } },
		{ "batch array faults", card->device.num_tiles > 1 ? EFAULT : EINVAL,
		  { .queue_id = root, .batch = card->device.num_tiles > 1 ? BAD_POINTER : BAD_POINTER + 1,
		    .num_batches = card->device.num_tiles } },
		{ "misaligned batch", EINVAL,
		  { .queue_id = q, .batch = batch + 4, .num_batches = 1 } },
		{ "batch beyond the address space", EINVAL,
		  { .queue_id = q, .batch = card->device.va_size, .num_batches = 1 } },
		{ "unknown flag", EINVAL,
		  { .queue_id = q, .batch = batch, .num_batches = 1, .flags = 1 } },
		{ "too many syncs", EINVAL,
		  { .queue_id = q, .batch = batch, .num_batches = 1,
		    .syncs = DRM_XETILE_ARRAY(&no_fence, DRM_XETILE_MAX_ARRAY + 1) } },
		{ "pad", EINVAL, { .queue_id = q, .batch = batch, .num_batches = 1, .pad = 1 } },
		{ "syncs fault", EFAULT,
		  { .queue_id = q, .batch = batch, .num_batches = 1,
		    .syncs = { BAD_POINTER, 1, 16 } } },
		/* The memory of the caller is read before the queue is looked up. */
		{ "syncs fault, and no such queue", EFAULT,
		  { .queue_id = BAD_ID, .batch = batch, .num_batches = 1,
		    .syncs = { BAD_POINTER, 1, 16 } } },
		{ "batch array faults, and no such queue", EFAULT,
		  { .queue_id = BAD_ID, .batch = BAD_POINTER, .num_batches = 2 } },
		{ "sync with an unknown flag", EINVAL,
		  { .queue_id = q, .batch = batch, .num_batches = 1,
		    .syncs = DRM_XETILE_ARRAY(&unknown_flag, 1) } },
		{ "sync without a syncobj", ENOENT,
		  { .queue_id = q, .batch = batch, .num_batches = 1,
		    .syncs = DRM_XETILE_ARRAY(&no_handle, 1) } },
		{ "point on a binary sync", EINVAL,
		  { .queue_id = q, .batch = batch, .num_batches = 1,
		    .syncs = DRM_XETILE_ARRAY(&point, 1) } },
		{ "signal of timeline point 0", EINVAL,
		  { .queue_id = q, .batch = batch, .num_batches = 1,
		    .syncs = DRM_XETILE_ARRAY(&point_0, 1) } },
		{ "wait for a syncobj without a fence", EINVAL,
		  { .queue_id = q, .batch = batch, .num_batches = 1,
		    .syncs = DRM_XETILE_ARRAY(&no_fence, 1) } },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drm_xetile_exec args = cases[i].args;
		int ret = xetile_ioctl(c.fd, DRM_IOCTL_XETILE_EXEC, &args);

		igt_assert_f(ret == -cases[i].err, "%s: %s, expected %s\n", cases[i].what,
			     strerror(-ret), strerror(cases[i].err));
	}
	/* None of these batches ran, and the next call works. */
	igt_assert_eq_u32(c.gate.map[0], 0);
	xetile_run(c.fd, q, batch);
	igt_assert_eq_u32(c.gate.map[0], 1);

	xetile_syncobj_destroy(c.fd, sync);
	xetile_queue_destroy(c.fd, q);
	xetile_queue_destroy(c.fd, root);
	ctx_fini(&c);
}

igt_main
{
	static const struct {
		const char *name;
		uint32_t class, target;
	} targets[] = {
		{ "compute-tile", COMPUTE, TILE },
		{ "compute-root", COMPUTE, ROOT },
		{ "copy-tile", COPY, TILE },
		{ "copy-root", COPY, ROOT },
	};
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	for (unsigned int i = 0; i < ARRAY_SIZE(targets); i++) {
		igt_describe("64 batches must store a word each, one after the other (S38, S39, "
			     "S126)");
		igt_subtest_f("store-%s", targets[i].name) {
			uint32_t last = targets[i].target == TILE ? card.device.num_tiles - 1 : 0;

			for (uint32_t t = 0; t <= last; t++) {
				test_store(&card, targets[i].class, targets[i].target, t,
					   DRM_XETILE_PLACE_HBM);
				test_store(&card, targets[i].class, targets[i].target, t,
					   DRM_XETILE_PLACE_SYSTEM);
			}
		}
	}

	igt_describe("More batches in flight than a ring holds must run in order");
	igt_subtest("in-flight")
		test_in_flight(&card, 1000);

	igt_describe("Copy engines of every tile must copy locally and across tiles (S33, S48, "
		     "S120)");
	igt_subtest("copy") {
		uint32_t n = card.device.num_tiles;

		for (uint32_t i = 0; i < n * n * n; i++)
			test_copy(&card, i % n, i / n % n, i / n / n);
	}

	igt_describe("A compiled kernel must give the right result on one tile");
	igt_subtest("compute") {
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			test_compute(&card, TILE, t);
	}
	igt_describe("A compiled kernel must run partitioned over all tiles (S12, S13, S28, S29, "
		     "S131)");
	igt_subtest("compute-gang")
		test_compute(&card, ROOT, 0);

	igt_describe("A kernel that a job has changed must run as it is for the next job");
	igt_subtest("new-code")
		test_new_code(&card);

	for (unsigned int i = 0; i < ARRAY_SIZE(targets) - 1; i++) {
		igt_describe("close() with work in flight must cancel the work and leave the "
			     "card usable");
		igt_subtest_f("close-%s", targets[i].name) {
			test_close(&card, targets[i].class, targets[i].target, false);
			test_close(&card, targets[i].class, targets[i].target, true);
		}
	}

	igt_describe("A process that closes a file must not wait for batches of other files");
	igt_subtest("close-others") {
		igt_require(!geteuid());
		test_close_others(&card);
	}

	igt_describe("QUEUE_CREATE, QUEUE_INFO and QUEUE_DESTROY must refuse every wrong value "
		     "of every field");
	igt_subtest("bad-queue")
		test_bad_queue(&card);
	igt_describe("EXEC must refuse every wrong value of every field");
	igt_subtest("bad-exec")
		test_bad_exec(&card);

	igt_fixture
		close(card.fd);
}
