// SPDX-License-Identifier: MIT
/*
 * Queues of class BIND, whose binds do not delay jobs: their order, the number that may wait, and
 * bad input in every field.
 *
 * suite: igt
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/sync_file.h>
#include <xf86drm.h>

#include "xetile_binds.h"

IGT_TEST_DESCRIPTION("Bind queues");

#define MAX_WAITING	4096u
#define MAX_FENCES	65536u
#define TIMELINES	255u
#define MAX_QUEUES	1024u

/*
 * While a bind waits, jobs and other binds go on: near its addresses, far from them, and on other
 * queues.
 */
static void test_overlap_work(int fd)
{
	const uint64_t others[] = {
		DATA_ADDR + SZ_2M, DATA_ADDR + 3ull * SZ_1G, 5ull << 39, 3ull << 48,
	};
	struct data waits = data_new(fd), other = data_new(fd);
	uint32_t out = xetile_syncobj(fd), out2 = xetile_syncobj(fd), late;
	struct gate gate;
	struct binds s;

	gate_init(&gate, fd);
	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	binds_map(&s, s.bind[0], DATA_ADDR, waits.bo, gate.fence, out);
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++) {
		uint32_t queue = i & 1 ? s.bind[1] : 0;

		binds_map(&s, queue, others[i], other.bo, 0, out2);
		xetile_wait_done(fd, out2);
		igt_assert_eq(binds_store(&s, others[i], 1 + i), 1);
		igt_assert_eq_u32(*other.map, 1 + i);
		binds_unmap(&s, queue, others[i], SZ_64K, 0, out2);
		xetile_wait_done(fd, out2);
	}
	/* The job that waits for the bind's fence is delayed, and later jobs are not. */
	late = binds_store_after(&s, DATA_ADDR, 7, out);
	igt_assert(!xetile_is_done(fd, out) && !xetile_is_done(fd, late) &&
		   !xetile_is_done(fd, gate.fence));
	gate_open(&gate);
	xetile_wait_done(fd, out);
	igt_assert_eq(binds_ended(&s, late), 1);
	igt_assert_eq_u32(*waits.map, 7);

	xetile_syncobj_destroy(fd, out);
	xetile_syncobj_destroy(fd, out2);
	data_fini(fd, &waits);
	data_fini(fd, &other);
	binds_fini(&s);
	gate_fini(&gate);
}

/* Binds, and fences without a bind, of one queue are completed in order. */
static void test_order(int fd)
{
	struct data d = data_new(fd);
	uint32_t out[3];
	struct gate gate;
	struct binds s;

	gate_init(&gate, fd);
	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	for (int i = 0; i < 3; i++)
		out[i] = xetile_syncobj(fd);
	binds_map(&s, s.bind[0], DATA_ADDR, d.bo, gate.fence, out[0]);
	binds_map(&s, s.bind[0], DATA_ADDR + 8ull * SZ_1G, d.bo, 0, out[1]);
	igt_assert_eq(binds_try(&s, s.bind[0], NULL, 0, out[2]), 0);
	for (int i = 0; i < 3; i++)
		igt_assert(!xetile_is_done(fd, out[i]));
	gate_open(&gate);
	xetile_wait_done(fd, out[2]);
	for (int i = 0; i < 2; i++)
		igt_assert(xetile_is_done(fd, out[i]));
	igt_assert_eq(binds_store(&s, DATA_ADDR + 8ull * SZ_1G, 3), 1);
	igt_assert_eq_u32(*d.map, 3);

	/* With nothing before them these fences signal at once. */
	igt_assert_eq(binds_try(&s, s.bind[0], NULL, 0, out[0]), 0);
	igt_assert(xetile_is_done(fd, out[0]));
	igt_assert_eq(binds_try(&s, 0, NULL, 0, out[0]), 0);
	igt_assert(xetile_is_done(fd, out[0]));
	for (int i = 0; i < 3; i++)
		xetile_syncobj_destroy(fd, out[i]);
	data_fini(fd, &d);
	binds_fini(&s);
	gate_fini(&gate);
}

/*
 * The binds of two queues that change the same place are made in the order of the calls: at the
 * same addresses, and at addresses whose table the first bind creates.
 */
static void test_conflict(int fd)
{
	struct data first = data_new(fd), second = data_new(fd), beside = data_new(fd);
	uint32_t out[3];
	struct gate gate;
	struct binds s;

	gate_init(&gate, fd);
	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	for (int i = 0; i < 3; i++)
		out[i] = xetile_syncobj(fd);
	binds_map(&s, s.bind[0], DATA_ADDR, first.bo, gate.fence, out[0]);
	binds_map(&s, s.bind[1], DATA_ADDR, second.bo, 0, out[1]);
	binds_map(&s, 0, DATA_ADDR + SZ_64K, beside.bo, 0, out[2]);
	for (int i = 0; i < 3; i++)
		igt_assert(!xetile_is_done(fd, out[i]));
	gate_open(&gate);
	for (int i = 0; i < 3; i++)
		xetile_wait_done(fd, out[i]);
	igt_assert_eq(binds_store(&s, DATA_ADDR, 1), 1);
	igt_assert_eq(binds_store(&s, DATA_ADDR + SZ_64K, 2), 1);
	igt_assert_eq_u32(*first.map, 0);
	igt_assert_eq_u32(*second.map, 1);
	igt_assert_eq_u32(*beside.map, 2);

	for (int i = 0; i < 3; i++)
		xetile_syncobj_destroy(fd, out[i]);
	data_fini(fd, &first);
	data_fini(fd, &second);
	data_fini(fd, &beside);
	binds_fini(&s);
	gate_fini(&gate);
}

/* Returns the status of a fence whose syncobj may belong to a closed file. */
static int file_status(int file)
{
	struct sync_file_info info = { 0 };

	igt_assert_eq(ioctl(file, SYNC_IOC_FILE_INFO, &info), 0);
	return info.status;
}

/* A queue, a VM or a file is given up while binds wait. */
static void test_close(int fd)
{
	struct data d = data_new(fd);
	uint32_t out = xetile_syncobj(fd), in, own_out;
	int own = xetile_open(), file;
	struct binds s, other;
	struct gate gate;

	gate_init(&gate, fd);
	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	/* The bind is made although its queue is gone. */
	binds_map(&s, s.bind[0], DATA_ADDR, d.bo, gate.fence, out);
	xetile_queue_destroy(fd, s.bind[0]);
	igt_assert(!xetile_is_done(fd, out));
	igt_assert_eq(binds_try(&s, s.bind[0], NULL, 0, 0), -ENOENT);
	gate_open(&gate);
	xetile_wait_done(fd, out);
	igt_assert_eq(binds_store(&s, DATA_ADDR, 9), 1);
	igt_assert_eq_u32(*d.map, 9);
	s.bind[0] = xetile_bind_queue(fd, s.vm);
	gate_fini(&gate);

	/* The bind is cancelled when its VM is gone, because then no job can see the change. */
	gate_init(&gate, fd);
	binds_unmap(&s, s.bind[0], DATA_ADDR, SZ_64K, gate.fence, out);
	igt_assert(!xetile_is_done(fd, out));
	xetile_buf_fini(&s.ctl);
	xetile_queue_destroy(fd, s.queue);
	xetile_vm_destroy(fd, s.vm);
	igt_assert_eq(__xetile_wait(fd, out, 20000), 0);
	igt_assert_eq(xetile_fence_status(fd, out), -ECANCELED);
	igt_assert_eq(binds_try(&s, s.bind[1], NULL, 0, 0), -ENOENT);
	for (int i = 0; i < 2; i++)
		xetile_queue_destroy(fd, s.bind[i]);
	gate_open(&gate);
	gate_fini(&gate);

	/* The bind is cancelled when its file is gone, whatever fence the bind waits for. */
	gate_init(&gate, fd);
	binds_init(&other, own, DRM_XETILE_ENGINE_COMPUTE);
	igt_assert_eq(drmSyncobjExportSyncFile(fd, gate.fence, &file), 0);
	in = xetile_syncobj(own);
	igt_assert_eq(drmSyncobjImportSyncFile(own, in, file), 0);
	close(file);
	own_out = xetile_syncobj(own);
	binds_unmap(&other, other.bind[1], DATA_ADDR, SZ_64K, in, own_out);
	igt_assert_eq(drmSyncobjExportSyncFile(own, own_out, &file), 0);
	igt_assert_eq(file_status(file), 0);
	/* The mapping would keep the file open. */
	munmap(other.ctl.map, SZ_64K);
	close(own);
	xetile_assert_soon(file_status(file) == -ECANCELED);
	igt_assert(!xetile_is_done(fd, gate.fence));
	close(file);
	gate_open(&gate);
	gate_fini(&gate);
	xetile_syncobj_destroy(fd, out);
	data_fini(fd, &d);
}

/* A limited number of binds may wait in a VM, whatever waits in other VMs. */
static void test_limit(int fd)
{
	struct gate gate;
	struct binds s, other;

	gate_init(&gate, fd);
	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	binds_init(&other, fd, DRM_XETILE_ENGINE_COMPUTE);
	for (unsigned int i = 0; i < MAX_WAITING; i++)
		binds_unmap(&s, s.bind[i & 1], DATA_ADDR + i * SZ_2M, SZ_64K, gate.fence, 0);
	igt_assert_eq(binds_try(&s, s.bind[0], NULL, 0, 0), -EDQUOT);
	igt_assert_eq(binds_try(&s, 0, NULL, gate.fence, 0), -EDQUOT);
	/* A bind that need not wait does not count. */
	igt_assert_eq(binds_try(&s, 0, NULL, 0, 0), 0);
	igt_assert_eq(binds_store(&s, s.ctl.addr + SZ_4K, 1), 1);
	igt_assert_eq(binds_try(&other, other.bind[0], NULL, gate.fence, 0), 0);
	gate_open(&gate);
	xetile_assert_soon(!binds_try(&s, s.bind[0], NULL, 0, 0));
	binds_fini(&other);
	binds_fini(&s);
	gate_fini(&gate);
}

/* Creates bind queues whose fences signal when the gate opens: one timeline for each queue. */
static void timelines_init(struct gate *g, uint32_t *queues, struct drm_xetile_sync *syncs)
{
	for (unsigned int i = 0; i < TIMELINES; i++) {
		queues[i] = xetile_bind_queue(g->s.fd, g->s.vm);
		syncs[i].handle = xetile_syncobj(g->s.fd);
		igt_assert_eq(binds_try(&g->s, queues[i], NULL, g->fence, syncs[i].handle), 0);
	}
}

/*
 * Submits binds that wait for a fence of each timeline until the limit. Returns the number of
 * calls.
 */
static unsigned int wait_for_timelines(const struct binds *s, struct drm_xetile_sync *syncs)
{
	struct drm_xetile_vm_bind args = {
		.vm_id = s->vm, .queue_id = s->bind[0], .syncs = DRM_XETILE_ARRAY(syncs, TIMELINES),
	};
	unsigned int n;
	int ret = 0;

	for (n = 0; !ret && n <= MAX_FENCES / TIMELINES; n++)
		ret = xetile_ioctl(s->fd, DRM_IOCTL_XETILE_VM_BIND, &args);
	igt_assert_eq(ret, -EDQUOT);
	return n;
}

/* Has a VM in another file wait for the same fence. Returns 0 or -errno. */
static int try_elsewhere(int fd, uint32_t fence)
{
	int other = xetile_reopen(fd), file, ret;
	struct drm_xetile_sync in = { 0 };

	igt_assert_eq(drmSyncobjHandleToFD(fd, fence, &file), 0);
	igt_assert_eq(drmSyncobjFDToHandle(other, file, &in.handle), 0);
	close(file);
	ret = __xetile_vm_bind(other, xetile_vm(other), NULL, 0, &in, 1);
	close(other);
	return ret;
}

/*
 * The waiting binds of a VM, and those of a file, may wait for a limited number of fences. A fence
 * that a call names twice counts once.
 */
static void test_limit_fences(int fd)
{
	struct drm_xetile_sync *same = calloc(DRM_XETILE_MAX_ARRAY, sizeof(*same));
	struct drm_xetile_sync syncs[TIMELINES] = { 0 };
	struct drm_xetile_vm_bind args;
	uint32_t queues[TIMELINES];
	struct binds s, other, third;
	struct gate gate;
	unsigned int n;

	igt_assert(same);
	gate_init(&gate, fd);
	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	binds_init(&other, fd, DRM_XETILE_ENGINE_COMPUTE);
	binds_init(&third, fd, DRM_XETILE_ENGINE_COMPUTE);
	timelines_init(&gate, queues, syncs);
	/* Each bind also waits for the bind before it. */
	igt_assert_eq(wait_for_timelines(&s, syncs), MAX_FENCES / (TIMELINES + 1) + 1);

	for (unsigned int i = 0; i < DRM_XETILE_MAX_ARRAY; i++)
		same[i].handle = gate.fence;
	args = (struct drm_xetile_vm_bind) {
		.vm_id = other.vm, .queue_id = other.bind[0],
		.syncs = DRM_XETILE_ARRAY(same, DRM_XETILE_MAX_ARRAY),
	};
	for (n = 0; n <= MAX_FENCES / DRM_XETILE_MAX_ARRAY; n++)
		igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_BIND, &args), 0);
	igt_assert_eq(binds_try(&s, s.bind[1], NULL, gate.fence, 0), 0);

	/* The limit of a file is reached by two VMs. */
	igt_assert_lt(1, wait_for_timelines(&other, syncs));
	igt_assert_eq(wait_for_timelines(&third, syncs), 1);
	igt_assert_eq(try_elsewhere(fd, gate.fence), 0);

	gate_open(&gate);
	args.vm_id = s.vm;
	args.queue_id = s.bind[0];
	xetile_assert_soon(!xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_BIND, &args));
	for (unsigned int i = 0; i < TIMELINES; i++) {
		xetile_wait_done(fd, syncs[i].handle);
		xetile_syncobj_destroy(fd, syncs[i].handle);
		xetile_queue_destroy(fd, queues[i]);
	}
	binds_fini(&third);
	binds_fini(&other);
	binds_fini(&s);
	gate_fini(&gate);
	free(same);
}

static void test_bad_create(int fd)
{
	const struct drm_xetile_queue_create good = {
		.vm_id = xetile_vm(fd), .engine_class = DRM_XETILE_ENGINE_BIND,
	};
	struct drm_xetile_queue_create cases[] = {
#define CASE(...) { .vm_id = good.vm_id, .engine_class = good.engine_class, __VA_ARGS__ }
		CASE(.target = DRM_XETILE_TARGET_TILE), CASE(.target = 7), CASE(.tile = 1),
		CASE(.cslice = 1), CASE(.priority = DRM_XETILE_PRIORITY_LOW), CASE(.weight = 100),
		CASE(.flags = 1), CASE(.timeout_ms = 1000),
#undef CASE
	};
	struct drm_xetile_queue_create args;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++)
		igt_assert_eq(__xetile_queue_create(fd, &cases[i]), -EINVAL);
	args = good;
	args.vm_id = BAD_ID;
	igt_assert_eq(__xetile_queue_create(fd, &args), -ENOENT);
	xetile_vm_destroy(fd, good.vm_id);
	args = good;
	igt_assert_eq(__xetile_queue_create(fd, &args), -ENOENT);
}

/* Bind queues count as queues, and the id of a destroyed queue is used again. */
static void test_bad_number(void)
{
	int fd = xetile_open();
	struct drm_xetile_queue_create args = {
		.vm_id = xetile_vm(fd), .engine_class = DRM_XETILE_ENGINE_BIND,
	};
	uint32_t last = 0;

	for (unsigned int i = 0; i < MAX_QUEUES; i++)
		last = xetile_bind_queue(fd, args.vm_id);
	igt_assert_eq(__xetile_queue_create(fd, &args), -EDQUOT);
	args.engine_class = DRM_XETILE_ENGINE_COPY;
	igt_assert_eq(__xetile_queue_create(fd, &args), -EDQUOT);
	xetile_queue_destroy(fd, last);
	igt_assert_eq(__xetile_queue_destroy(fd, last), -ENOENT);
	igt_assert_eq(__xetile_queue_create(fd, &args), 0);
	close(fd);
}

#define MAX_HOLDS	32768u

/*
 * Jobs wait for a bind that would have to keep more mappings than the limit, because otherwise a
 * client could make the kernel keep any number of them.
 */
static void test_too_many(int fd)
{
	struct drm_xetile_bind *binds;
	struct drm_xetile_vm_bind args;
	struct data d = data_new(fd);
	uint64_t addr = DATA_ADDR;
	uint32_t out = xetile_syncobj(fd), job;
	struct gate gate;
	struct binds s;

	gate_init(&gate, fd);
	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	binds = calloc(DRM_XETILE_MAX_ARRAY, sizeof(*binds));
	igt_assert(binds);
	args = (struct drm_xetile_vm_bind) {
		.binds = DRM_XETILE_ARRAY(binds, DRM_XETILE_MAX_ARRAY), .vm_id = s.vm,
	};
	while (addr <= DATA_ADDR + (uint64_t)MAX_HOLDS * SZ_64K) {
		for (unsigned int i = 0; i < DRM_XETILE_MAX_ARRAY; i++, addr += SZ_64K)
			binds[i] = (struct drm_xetile_bind) {
				.addr = addr, .range = SZ_64K, .handle = d.bo,
			};
		igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_BIND, &args), 0);
	}
	free(binds);

	binds_unmap(&s, s.bind[0], DATA_ADDR, SZ_2M, gate.fence, out);
	igt_assert_eq(binds_store(&s, BATCH_ADDR + 2 * SZ_4K, 1), 1);
	igt_assert(!xetile_is_done(fd, out));
	binds_unmap(&s, s.bind[1], DATA_ADDR + SZ_2M, addr - DATA_ADDR - SZ_2M, gate.fence, out);
	job = binds_store_after(&s, BATCH_ADDR + 2 * SZ_4K, 2, 0);
	/* A job that does not wait ends much sooner. */
	igt_assert_eq(__xetile_wait(fd, job, 500), -ETIME);
	gate_open(&gate);
	xetile_wait_done(fd, out);
	igt_assert_eq(binds_ended(&s, job), 1);
	igt_assert_eq(binds_store(&s, DATA_ADDR + SZ_2M, 3), -EIO);

	xetile_syncobj_destroy(fd, out);
	data_fini(fd, &d);
	binds_fini(&s);
	gate_fini(&gate);
}

static void test_bad_args(int fd)
{
	struct drm_xetile_queue_info info, none;
	struct binds s, other;

	test_bad_create(fd);
	test_bad_number();
	binds_init(&s, fd, DRM_XETILE_ENGINE_COMPUTE);
	binds_init(&other, fd, DRM_XETILE_ENGINE_COMPUTE);
	igt_assert_eq(__xetile_exec(fd, s.bind[0], s.ctl.addr, NULL, 0), -EINVAL);
	igt_assert_eq(binds_try(&s, other.bind[0], NULL, 0, 0), -EINVAL);
	igt_assert_eq(binds_try(&s, s.queue, NULL, 0, 0), -EINVAL);
	igt_assert_eq(binds_try(&s, BAD_ID, NULL, 0, 0), -ENOENT);

	memset(&none, 0, sizeof(none));
	none.queue_id = s.bind[0];
	xetile_queue_info(fd, s.bind[0], &info);
	igt_assert_eq(memcmp(&info, &none, sizeof(info)), 0);
	binds_fini(&other);
	binds_fini(&s);
}

igt_main
{
	int fd = -1;

	igt_fixture
		fd = xetile_open();

	igt_describe("Jobs and other binds must go on while a bind waits");
	igt_subtest("overlap-work")
		test_overlap_work(fd);
	igt_describe("Binds of one queue, and fences among them, must be completed in order");
	igt_subtest("order")
		test_order(fd);
	igt_describe("Binds of two queues at one place must be made in the order of the calls");
	igt_subtest("conflict")
		test_conflict(fd);
	igt_describe("Binds that wait must survive their queue, and be cancelled with their VM "
		     "or file");
	igt_subtest("close")
		test_close(fd);
	igt_describe("The number of binds that wait in a VM must be limited: EDQUOT");
	igt_subtest("limit")
		test_limit(fd);
	igt_describe("The number of fences that the binds of a VM, and of a file, wait for must "
		     "be limited: EDQUOT");
	igt_subtest("limit-fences")
		test_limit_fences(fd);
	igt_describe("Jobs must wait for a bind of more mappings than a bind may keep");
	igt_subtest("too-many")
		test_too_many(fd);
	igt_describe("Every wrong value of every field must be refused");
	igt_subtest("bad-args")
		test_bad_args(fd);

	igt_fixture
		close(fd);
}
