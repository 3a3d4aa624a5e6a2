// SPDX-License-Identifier: MIT
/*
 * Every allocation, and every copy from or to the user, fails once, in each call and in probe. The
 * call must return ENOMEM or EFAULT and leave nothing behind, and the same call must work right
 * after. The test needs a kernel with fault injection: fail-nth makes the n-th failing place fail
 * that a task reaches.
 *
 * suite: fail-nth
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_fail.h"
#include "xetile_igt.h"
#include "xetile_user_memory.h"
#include "xetile_xe.h"
#include "xetile_xe_ring.h"

IGT_TEST_DESCRIPTION("Allocations and user copies fail, one at a time");

#define BUF_ADDR	SZ_1G
#define BO_ADDR		(2 * SZ_1G)

/* The objects that the calls use, for the time of a subtest */
struct scene {
	int fd;
	uint32_t vm;
	uint32_t queue;
	uint32_t bo;
	uint32_t num_tiles;
	uint32_t id;		/* of the object that the call makes or destroys */
	int file;		/* likewise */
	void *map;
	void *user;		/* memory of this process */
	struct xetile_buf buf;
	struct xetile_batch batch;
	struct drm_xetile_sync sync;
};

/* A call under test. before() and the functions after the call run without failures. */
struct act {
	const char *name;
	void (*before)(struct scene *s);
	int (*call)(struct scene *s);
	/* Undoes a call that succeeded. */
	void (*undo)(struct scene *s);
	/* Undoes before() when the call failed. */
	void (*after_failure)(struct scene *s);
	/* The call needs a scene without a compute queue. */
	bool no_queue;
	/* The call makes an object in HBM, and copies the object's id to the user at its end. */
	bool copies_id;
	/* The call needs DRM_XETILE_CAP_USER. */
	bool user;
};

/* --- nothing stays behind ------------------------------------------------- */

static void check_used(int fd, unsigned long long before, const char *what, unsigned int nth)
{
	igt_assert_f(xetile_hbm_comes_back(fd, before),
		     "%s, failure %u: %lld bytes of HBM stay in use\n", what, nth,
		     (long long)(xetile_hbm_used(fd) - before));
}

/* --- the calls ------------------------------------------------------------ */

static int call_query_engines(struct scene *s)
{
	struct drm_xetile_query_engine engines[64];
	struct drm_xetile_array answer = DRM_XETILE_ARRAY(engines, ARRAY_SIZE(engines));

	return __xetile_query(s->fd, DRM_XETILE_QUERY_ENGINES, &answer);
}

static int create_bo(struct scene *s, struct drm_xetile_bo_create args)
{
	int ret = __xetile_bo_create(s->fd, &args);

	s->id = args.handle;
	return ret;
}

static int call_bo_create_even(struct scene *s)
{
	return create_bo(s, (struct drm_xetile_bo_create) {
		.size = 4 * SZ_2M, .placement = DRM_XETILE_PLACE_HBM });
}

static int call_bo_create_chunk(struct scene *s)
{
	return create_bo(s, (struct drm_xetile_bo_create) {
		.size = SZ_2M, .placement = DRM_XETILE_PLACE_HBM, .granule = SZ_64K,
		.color = DRM_XETILE_COLOR_CHUNK, .flags = DRM_XETILE_BO_STRICT });
}

static int call_bo_create_map(struct scene *s)
{
	static const struct drm_xetile_color_run runs[] = {
		{ .tile = 0, .pages = 3 }, { .tile = 0, .pages = 5 },
	};

	return create_bo(s, (struct drm_xetile_bo_create) {
		.size = 8 * SZ_64K, .placement = DRM_XETILE_PLACE_HBM,
		.color = DRM_XETILE_COLOR_MAP, .runs = DRM_XETILE_ARRAY(runs, 2) });
}

static int call_bo_create_system(struct scene *s)
{
	return create_bo(s, (struct drm_xetile_bo_create) {
		.size = SZ_64K, .placement = DRM_XETILE_PLACE_SYSTEM });
}

static int call_bo_create_private(struct scene *s)
{
	return create_bo(s, (struct drm_xetile_bo_create) {
		.size = SZ_2M, .placement = DRM_XETILE_PLACE_HBM, .vm_id = s->vm });
}

static int call_bo_create_managed(struct scene *s)
{
	return create_bo(s, (struct drm_xetile_bo_create) {
		.size = 3 * SZ_2M, .placement = DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM,
		.flags = DRM_XETILE_BO_MIGRATE, .vm_id = s->vm });
}

static void before_advise(struct scene *s)
{
	igt_assert_eq(call_bo_create_managed(s), 0);
}

static int call_bo_advise(struct scene *s)
{
	const struct drm_xetile_bo_advice ranges[] = {
		{ .size = SZ_2M, .advice = DRM_XETILE_ADVICE_SYSTEM },
		{ .size = SZ_2M, .advice = DRM_XETILE_ADVICE_TILE, .offset = 2 * SZ_2M },
	};
	struct drm_xetile_bo_advise args = {
		.handle = s->id, .ranges = DRM_XETILE_ARRAY(ranges, ARRAY_SIZE(ranges)),
	};

	return xetile_ioctl(s->fd, DRM_IOCTL_XETILE_BO_ADVISE, &args);
}

static void undo_bo(struct scene *s)
{
	xetile_bo_close(s->fd, s->id);
}

static void before_bo(struct scene *s)
{
	s->id = xetile_bo(s->fd, SZ_2M, DRM_XETILE_PLACE_HBM);
}

static int call_bo_close(struct scene *s)
{
	return drmCloseBufferHandle(s->fd, s->id) ? -errno : 0;
}

static int call_bo_info(struct scene *s)
{
	struct drm_xetile_color_run runs[8];
	struct drm_xetile_bo_info info = {
		.handle = s->bo, .runs = DRM_XETILE_ARRAY(runs, ARRAY_SIZE(runs)),
	};

	return xetile_ioctl(s->fd, DRM_IOCTL_XETILE_BO_INFO, &info);
}

/* Half of the pages go to the last tile, in several ranges, and the rest stays. */
static int call_bo_recolor(struct scene *s)
{
	static const struct drm_xetile_color_run runs[] = { { 0, 2 }, { 0, 1 } };
	struct drm_xetile_bo_range ranges[] = {
		{ .offset = 3 * SZ_64K, .size = 5 * SZ_64K, .color = DRM_XETILE_COLOR_TILE },
		{ .size = 3 * SZ_64K, .color = DRM_XETILE_COLOR_MAP,
		  .runs = DRM_XETILE_ARRAY(runs, 2) },
		{ .offset = 16 * SZ_64K, .size = 9 * SZ_64K, .color = DRM_XETILE_COLOR_CHUNK },
	};
	struct drm_xetile_bo_recolor args = {
		.handle = s->bo, .ranges = DRM_XETILE_ARRAY(ranges, ARRAY_SIZE(ranges)),
		.syncs = DRM_XETILE_ARRAY(&s->sync, 1),
	};

	ranges[0].tile_mask = 1u << (s->num_tiles - 1);
	return xetile_ioctl(s->fd, DRM_IOCTL_XETILE_BO_RECOLOR, &args);
}

static void before_recolor(struct scene *s)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];

	s->num_tiles = xetile_query_tiles(s->fd, tiles);
	s->sync = (struct drm_xetile_sync) {
		.handle = xetile_syncobj(s->fd), .flags = DRM_XETILE_SYNC_SIGNAL,
	};
}

static void undo_recolor(struct scene *s)
{
	struct drm_xetile_bo_range all = { .size = SZ_2M };
	struct drm_xetile_bo_recolor args = {
		.handle = s->bo, .ranges = DRM_XETILE_ARRAY(&all, 1),
		.syncs = DRM_XETILE_ARRAY(&s->sync, 1),
	};

	igt_assert_eq(xetile_ioctl(s->fd, DRM_IOCTL_XETILE_BO_RECOLOR, &args), 0);
	xetile_wait_done(s->fd, s->sync.handle);
	xetile_syncobj_destroy(s->fd, s->sync.handle);
}

static int call_bo_mmap(struct scene *s)
{
	struct drm_xetile_bo_mmap args = { .handle = s->bo };

	return xetile_ioctl(s->fd, DRM_IOCTL_XETILE_BO_MMAP, &args);
}

static int call_mmap(struct scene *s)
{
	struct drm_xetile_bo_mmap args = { .handle = s->bo };
	int ret = xetile_ioctl(s->fd, DRM_IOCTL_XETILE_BO_MMAP, &args);

	if (ret)
		return ret;
	s->map = mmap(NULL, SZ_2M, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, args.offset);
	return s->map == MAP_FAILED ? -errno : 0;
}

static void undo_mmap(struct scene *s)
{
	munmap(s->map, SZ_2M);
}

/* The first export makes an object that a second export would find. */
static void before_export(struct scene *s)
{
	s->id = xetile_bo(s->fd, SZ_64K, DRM_XETILE_PLACE_HBM);
	/* The lowest free descriptor, which the export will return */
	s->file = dup(STDIN_FILENO);
	igt_assert_lte(0, s->file);
	close(s->file);
}

static int call_export(struct scene *s)
{
	int file;

	if (drmPrimeHandleToFD(s->fd, s->id, DRM_CLOEXEC, &file))
		return -errno;
	igt_assert_eq(file, s->file);
	return 0;
}

static void undo_export(struct scene *s)
{
	/*
	 * The export made the file even when DRM could not return its descriptor; otherwise close()
	 * fails harmlessly.
	 */
	close(s->file);
	undo_bo(s);
}

static void undo_file(struct scene *s)
{
	close(s->file);
}

static int call_vm_create(struct scene *s)
{
	struct drm_xetile_vm_create args = { 0 };
	int ret = xetile_ioctl(s->fd, DRM_IOCTL_XETILE_VM_CREATE, &args);

	s->id = args.vm_id;
	return ret;
}

static void undo_vm(struct scene *s)
{
	xetile_vm_destroy(s->fd, s->id);
}

static void before_vm(struct scene *s)
{
	s->id = xetile_vm(s->fd);
}

static int call_vm_destroy(struct scene *s)
{
	return __xetile_vm_destroy(s->fd, s->id);
}

static int bind(struct scene *s, uint32_t op, uint64_t addr, uint64_t range)
{
	struct drm_xetile_bind b = {
		.op = op, .handle = op == DRM_XETILE_BIND_MAP ? s->bo : 0, .addr = addr,
		.range = range,
	};

	return __xetile_vm_bind(s->fd, s->vm, &b, 1, NULL, 0);
}

static int call_bind(struct scene *s)
{
	return bind(s, DRM_XETILE_BIND_MAP, BO_ADDR, SZ_2M);
}

/* Half of the range is over a buffer, and the other half over nothing. */
static int call_bind_null(struct scene *s)
{
	return bind(s, DRM_XETILE_BIND_MAP_NULL, BO_ADDR + SZ_64K, SZ_2M);
}

static void undo_bind_null(struct scene *s)
{
	xetile_vm_unmap(s->fd, s->vm, BO_ADDR, 2 * SZ_2M);
}

static void undo_bind(struct scene *s)
{
	xetile_vm_unmap(s->fd, s->vm, BO_ADDR, SZ_2M);
}

static void before_bound(struct scene *s)
{
	xetile_vm_map(s->fd, s->vm, s->bo, 0, BO_ADDR, SZ_2M);
}

static int call_unbind(struct scene *s)
{
	return bind(s, DRM_XETILE_BIND_UNMAP, BO_ADDR, SZ_2M);
}

/* Unmaps the middle, which splits the mapping in two. */
static int call_unbind_middle(struct scene *s)
{
	return bind(s, DRM_XETILE_BIND_UNMAP, BO_ADDR + SZ_64K, SZ_64K);
}

static int call_bind_user(struct scene *s)
{
	struct drm_xetile_bind b = {
		.op = DRM_XETILE_BIND_MAP_USER, .addr = BO_ADDR, .range = SZ_2M,
		.offset = to_user(s->user),
	};

	return __xetile_vm_bind(s->fd, s->vm, &b, 1, NULL, 0);
}

static int queue_create(struct scene *s, uint32_t target)
{
	struct drm_xetile_queue_create args = { .vm_id = s->vm, .target = target };
	int ret = __xetile_queue_create(s->fd, &args);

	s->id = args.queue_id;
	return ret;
}

static int call_queue_root(struct scene *s)
{
	return queue_create(s, DRM_XETILE_TARGET_ROOT);
}

static int call_queue_cslice(struct scene *s)
{
	return queue_create(s, DRM_XETILE_TARGET_CSLICE);
}

static void undo_queue(struct scene *s)
{
	xetile_queue_destroy(s->fd, s->id);
}

static void before_queue(struct scene *s)
{
	s->id = xetile_queue(s->fd, s->vm, DRM_XETILE_ENGINE_COMPUTE, DRM_XETILE_TARGET_ROOT, 0,
			     0);
}

static int call_queue_bind(struct scene *s)
{
	struct drm_xetile_queue_create args = {
		.vm_id = s->vm, .engine_class = DRM_XETILE_ENGINE_BIND,
	};
	int ret = __xetile_queue_create(s->fd, &args);

	s->id = args.queue_id;
	return ret;
}

static void before_bind_queue(struct scene *s)
{
	before_bound(s);
	igt_assert_eq(call_queue_bind(s), 0);
}

/* Maps over a mapped buffer, by a bind that jobs do not wait for */
static int call_bind_queue(struct scene *s)
{
	struct drm_xetile_bind b = {
		.handle = s->bo, .addr = BO_ADDR + SZ_64K, .range = SZ_64K,
	};
	struct drm_xetile_vm_bind args = {
		.binds = DRM_XETILE_ARRAY(&b, 1), .vm_id = s->vm, .queue_id = s->id,
	};

	return xetile_ioctl(s->fd, DRM_IOCTL_XETILE_VM_BIND, &args);
}

static void undo_bind_queue(struct scene *s)
{
	undo_queue(s);
	undo_bind(s);
}

static int call_queue_destroy(struct scene *s)
{
	return __xetile_queue_destroy(s->fd, s->id);
}

static int call_queue_info(struct scene *s)
{
	struct drm_xetile_queue_info info = { .queue_id = s->queue };

	return xetile_ioctl(s->fd, DRM_IOCTL_XETILE_QUEUE_INFO, &info);
}

static void before_exec(struct scene *s)
{
	s->buf.map[0] = 0;
	s->sync.handle = xetile_syncobj(s->fd);
	s->sync.flags = DRM_XETILE_SYNC_SIGNAL;
}

static int call_exec(struct scene *s)
{
	return __xetile_exec(s->fd, s->queue, batch_addr(&s->batch), &s->sync, 1);
}

static void undo_exec(struct scene *s)
{
	igt_assert_eq(__xetile_wait(s->fd, s->sync.handle, 60000), 0);
	igt_assert_eq(xetile_fence_status(s->fd, s->sync.handle), 1);
	igt_assert_eq_u32(s->buf.map[0], 77);
	xetile_syncobj_destroy(s->fd, s->sync.handle);
}

static int call_exec_fence(struct scene *s)
{
	struct drm_xetile_exec args = {
		.queue_id = s->queue, .syncs = DRM_XETILE_ARRAY(&s->sync, 1),
	};

	return xetile_ioctl(s->fd, DRM_IOCTL_XETILE_EXEC, &args);
}

static void undo_exec_fence(struct scene *s)
{
	igt_assert_eq(__xetile_wait(s->fd, s->sync.handle, 60000), 0);
	igt_assert_eq(xetile_fence_status(s->fd, s->sync.handle), 1);
	xetile_syncobj_destroy(s->fd, s->sync.handle);
}

/* A call that failed must have put no fence into the syncobj and have run nothing. */
static void exec_failed(struct scene *s)
{
	igt_assert_eq(__xetile_wait(s->fd, s->sync.handle, 0), -EINVAL);
	igt_assert_eq_u32(s->buf.map[0], 0);
	xetile_syncobj_destroy(s->fd, s->sync.handle);
}

/* The batch comes after pages that must be looked up and mapped; half of them are not there yet. */
static void before_exec_user(struct scene *s)
{
	before_exec(s);
	igt_assert_eq(madvise(s->user, SZ_2M / 2, MADV_DONTNEED), 0);
	igt_assert_eq(call_bind_user(s), 0);
}

static void undo_exec_user(struct scene *s)
{
	undo_exec(s);
	undo_bind(s);
}

static void exec_user_failed(struct scene *s)
{
	exec_failed(s);
	undo_bind(s);
}

static int call_open(struct scene *s)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", s->fd);
	s->file = open(path, O_RDWR | O_CLOEXEC);
	return s->file < 0 ? -errno : 0;
}

static void before_mode(struct scene *s)
{
	char path[PATH_MAX];

	igt_assert_eq(xetile_sysfs_path(s->fd, 0, "ccs_mode", path, sizeof(path)), 0);
	s->file = open(path, O_WRONLY | O_CLOEXEC);
	igt_assert_lte(0, s->file);
}

static int call_mode(struct scene *s)
{
	return write(s->file, "2", 1) == 1 ? 0 : -errno;
}

static void undo_mode(struct scene *s)
{
	close(s->file);
	igt_assert_eq(xetile_sysfs_write(s->fd, 0, "ccs_mode", "1"), 0);
}

/* --- the xe driver's calls -------------------------------------------------- */

static int call_xe_bo(struct scene *s)
{
	struct drm_xe_gem_create args = {
		.size = SZ_2M, .placement = 2, .cpu_caching = DRM_XE_GEM_CPU_CACHING_WC,
	};
	int ret = __xe_bo(s->fd, &args);

	s->id = args.handle;
	return ret;
}

/* Memory of which the CPUs' caches have to be told */
static int call_xe_bo_combined(struct scene *s)
{
	struct drm_xe_gem_create args = {
		.size = SZ_64K, .placement = 1, .cpu_caching = DRM_XE_GEM_CPU_CACHING_WC,
	};
	int ret = __xe_bo(s->fd, &args);

	s->id = args.handle;
	return ret;
}

static int call_xe_vm(struct scene *s)
{
	struct drm_xe_vm_create args = { .flags = DRM_XE_VM_CREATE_FLAG_SCRATCH_PAGE };
	int ret = xetile_ioctl(s->fd, DRM_IOCTL_XE_VM_CREATE, &args);

	s->id = args.vm_id;
	return ret;
}

/* An array, so that it is copied, with a number to write */
static int call_xe_bind(struct scene *s)
{
	static uint64_t number;
	struct drm_xe_sync sync = {
		.type = DRM_XE_SYNC_TYPE_USER_FENCE, .flags = DRM_XE_SYNC_FLAG_SIGNAL,
		.addr = to_user(&number), .timeline_value = 1,
	};
	struct drm_xe_vm_bind_op ops[2] = {
		xe_map_op(s->bo, BO_ADDR, SZ_64K), xe_map_op(s->bo, BO_ADDR, SZ_2M),
	};
	struct drm_xe_vm_bind args = {
		.vm_id = s->vm, .num_binds = 2, .vector_of_binds = to_user(ops),
		.num_syncs = 1, .syncs = to_user(&sync),
	};
	int ret;

	number = 0;
	ret = xetile_ioctl(s->fd, DRM_IOCTL_XE_VM_BIND, &args);
	igt_assert_eq_u64(number, !ret);
	return ret;
}

/* The end of all mappings, and then one again */
static int call_xe_unbind(struct scene *s)
{
	struct drm_xe_vm_bind_op ops[2] = {
		{ .op = DRM_XE_VM_BIND_OP_UNMAP_ALL, .obj = s->bo },
		xe_map_op(s->bo, BO_ADDR, SZ_64K),
	};
	struct drm_xe_vm_bind args = {
		.vm_id = s->vm, .num_binds = 2, .vector_of_binds = to_user(ops),
	};

	return xetile_ioctl(s->fd, DRM_IOCTL_XE_VM_BIND, &args);
}

static const struct act acts[] = {
	{ "open", .call = call_open, .undo = undo_file },
	{ "query", .call = call_query_engines },
	{ "bo-create-even", .call = call_bo_create_even, .undo = undo_bo, .copies_id = true },
	{ "bo-create-chunk", .call = call_bo_create_chunk, .undo = undo_bo, .copies_id = true },
	{ "bo-create-map", .call = call_bo_create_map, .undo = undo_bo, .copies_id = true },
	{ "bo-create-system", .call = call_bo_create_system, .undo = undo_bo },
	{ "bo-create-private", .call = call_bo_create_private, .undo = undo_bo, .copies_id = true },
	{ "bo-create-managed", .call = call_bo_create_managed, .undo = undo_bo, .copies_id = true },
	{ "bo-close", .before = before_bo, .call = call_bo_close, .after_failure = undo_bo },
	{ "bo-info", .call = call_bo_info },
	{ "bo-recolor", .before = before_recolor, .call = call_bo_recolor, .undo = undo_recolor,
	  .after_failure = undo_recolor },
	{ "bo-advise", .before = before_advise, .call = call_bo_advise, .undo = undo_bo,
	  .after_failure = undo_bo },
	{ "bo-mmap", .call = call_bo_mmap },
	{ "mmap", .call = call_mmap, .undo = undo_mmap },
	{ "export", .before = before_export, .call = call_export, .undo = undo_export,
	  .after_failure = undo_export },
	{ "vm-create", .call = call_vm_create, .undo = undo_vm, .copies_id = true },
	{ "vm-destroy", .before = before_vm, .call = call_vm_destroy, .after_failure = undo_vm },
	{ "bind", .call = call_bind, .undo = undo_bind },
	{ "unbind", .before = before_bound, .call = call_unbind, .after_failure = undo_bind },
	{ "unbind-middle", .before = before_bound, .call = call_unbind_middle,
	  .undo = undo_bind, .after_failure = undo_bind },
	{ "bind-null", .before = before_bound, .call = call_bind_null, .undo = undo_bind_null,
	  .after_failure = undo_bind },
	{ "bind-user", .call = call_bind_user, .undo = undo_bind, .user = true },
	{ "queue-create-root", .call = call_queue_root, .undo = undo_queue, .copies_id = true },
	{ "queue-create-cslice", .call = call_queue_cslice, .undo = undo_queue, .copies_id = true },
	{ "queue-create-bind", .call = call_queue_bind, .undo = undo_queue },
	{ "bind-queue", .before = before_bind_queue, .call = call_bind_queue,
	  .undo = undo_bind_queue, .after_failure = undo_bind_queue },
	{ "queue-destroy", .before = before_queue, .call = call_queue_destroy,
	  .after_failure = undo_queue },
	{ "queue-info", .call = call_queue_info },
	{ "exec", .before = before_exec, .call = call_exec, .undo = undo_exec,
	  .after_failure = exec_failed },
	{ "exec-fence", .before = before_exec, .call = call_exec_fence, .undo = undo_exec_fence,
	  .after_failure = exec_failed },
	{ "exec-user", .before = before_exec_user, .call = call_exec, .undo = undo_exec_user,
	  .after_failure = exec_user_failed, .user = true },
	{ "xe-bo-create", .call = call_xe_bo, .undo = undo_bo, .copies_id = true },
	{ "xe-vm-create", .call = call_xe_vm, .undo = undo_vm, .copies_id = true },
	{ "xe-bo-create-combined", .call = call_xe_bo_combined, .undo = undo_bo },
	{ "xe-bind", .call = call_xe_bind, .undo = undo_bind },
	{ "xe-unbind", .before = before_bound, .call = call_xe_unbind, .undo = undo_bind,
	  .after_failure = undo_bind },
	{ "mode", .before = before_mode, .call = call_mode, .undo = undo_mode,
	  .after_failure = undo_mode, .no_queue = true },
};

static void scene_begin(const struct act *act, struct scene *s)
{
	memset(s, 0, sizeof(*s));
	s->fd = xetile_open();
	s->vm = xetile_vm(s->fd);
	xetile_buf_init(&s->buf, s->fd, s->vm, BUF_ADDR, SZ_64K, DRM_XETILE_PLACE_HBM);
	batch_begin(&s->batch, &s->buf, 4096);
	batch_store(&s->batch, s->buf.addr, 77, false);
	batch_end(&s->batch);
	s->bo = xetile_bo(s->fd, SZ_2M, DRM_XETILE_PLACE_HBM);
	s->user = mmap(NULL, SZ_2M, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS |
		       MAP_POPULATE, -1, 0);
	igt_assert(s->user != MAP_FAILED);
	if (act && act->no_queue)
		return;
	s->queue = xetile_queue(s->fd, s->vm, DRM_XETILE_ENGINE_COMPUTE, DRM_XETILE_TARGET_ROOT,
				0, 0);
	/* Objects that are made at the first use must not count as a leak later. */
	xetile_run(s->fd, s->queue, batch_addr(&s->batch));
	xetile_vm_map(s->fd, s->vm, s->bo, 0, BO_ADDR, SZ_2M);
	xetile_vm_unmap(s->fd, s->vm, BO_ADDR, SZ_2M);
}

static void scene_end(struct scene *s)
{
	munmap(s->user, SZ_2M);
	munmap(s->buf.map, s->buf.size);
	close(s->fd);
}

static int perform(const struct act *act, struct scene *s, unsigned int nth, bool *injected)
{
	int ret;

	if (act->before)
		act->before(s);
	fail_nth(nth);
	ret = act->call(s);
	*injected = failed();
	if (ret) {
		if (act->after_failure)
			act->after_failure(s);
	} else if (act->undo) {
		act->undo(s);
	}
	return ret;
}

/*
 * The last failing place of a call that makes an object is the copy of the object's id to the user.
 * An object without a known id lives until the file is closed, and no longer.
 */
static void check_failure(const struct act *act, struct scene *s, unsigned int nth, int ret,
			  int watch, unsigned long long used, unsigned long long empty)
{
	bool injected;

	if (act->copies_id && ret == -EFAULT && !xetile_hbm_comes_back(watch, used)) {
		scene_end(s);
		check_used(watch, empty, act->name, nth);
		scene_begin(act, s);
		return;
	}
	check_used(watch, used, act->name, nth);
	igt_assert_eq(perform(act, s, 0, &injected), 0);
	check_used(watch, used, act->name, nth);
}

static void fail_all_of(const struct act *act)
{
	unsigned int nth, refused = 0;
	int watch = xetile_open();
	unsigned long long empty = xetile_hbm_used(watch);
	struct scene s;
	bool injected;
	int ret;

	scene_begin(act, &s);
	igt_require_f(!act->user || call_bind_user(&s) != -EOPNOTSUPP,
		      "the kernel is built without CONFIG_HMM_MIRROR\n");
	xetile_vm_unmap(s.fd, s.vm, BO_ADDR, SZ_2M);
	for (nth = 1; ; nth++) {
		unsigned long long used = xetile_hbm_used(watch);

		ret = perform(act, &s, nth, &injected);
		if (!injected)
			break;
		igt_assert_f(!ret || ret == -ENOMEM || ret == -EFAULT,
			     "%s, failure %u: %s\n", act->name, nth, strerror(-ret));
		refused += !!ret;
		check_failure(act, &s, nth, ret, watch, used, empty);
	}
	igt_assert_eq(ret, 0);
	igt_info("note: %s: %u places failed, %u of them the call\n", act->name, nth - 1, refused);
	scene_end(&s);
	check_used(watch, empty, act->name, nth);
	close(watch);
}

/* --- probe ---------------------------------------------------------------- */

/* open() and close() are outside, so that only the write reaches failing places. */
static int bind_failing(const char *address, unsigned int nth, bool *injected)
{
	int f = open("/sys/bus/pci/drivers/xetile/bind", O_WRONLY | O_CLOEXEC);
	int ret;

	igt_assert_lte(0, f);
	fail_nth(nth);
	ret = write(f, address, strlen(address)) < 0 ? -errno : 0;
	*injected = failed();
	close(f);
	return ret;
}

/* Finds the address of a kernel function, and of the next symbol behind it. */
static void find_function(const char *function, unsigned long *start, unsigned long *end)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long address;
	char name[128];

	igt_assert_f(f, "/proc/kallsyms: %m\n");
	*start = 0;
	while (fscanf(f, "%lx %*c %127s%*[^\n]", &address, name) == 2) {
		if (!strcmp(name, function))
			*start = address;
	}
	igt_assert_f(*start, "the kernel has no function %s\n", function);
	*end = ULONG_MAX;
	rewind(f);
	while (fscanf(f, "%lx %*c %127s%*[^\n]", &address, name) == 2) {
		if (address > *start && address < *end)
			*end = address;
	}
	fclose(f);
}

static void set_failslab(const char *file, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/kernel/debug/failslab/%s", file);
	igt_assert_eq(xetile_write_file(path, text), 0);
}

/*
 * Has the next @times allocations of small memory within the driver's @function fail, -1: all, in
 * whatever task; NULL: as it was
 */
static void fail_in(const char *function, const char *times)
{
	unsigned long start = 0, end = ULONG_MAX;
	char text[32];

	set_failslab("probability", "0");
	if (function)
		find_function(function, &start, &end);
	snprintf(text, sizeof(text), "0x%lx", start);
	set_failslab("require-start", text);
	snprintf(text, sizeof(text), "0x%lx", end);
	set_failslab("require-end", text);
	set_failslab("cache-filter", function ? "N" : "Y");
	set_failslab("times", times);
	set_failslab("probability", function ? "100" : "0");
}

/* A worker that begins a run of endless jobs has no memory: it tries again, but not for ever. */
static void test_run(void)
{
	bool goes_on, ends = false;
	struct xetile_card card;
	uint32_t *memory;
	struct ring r;

	xetile_open_card(&card);
	require_user(&card);
	memory = anon(SZ_64K);
	ring_init(&r, card.fd, DRM_XE_ENGINE_CLASS_COPY, DRM_XETILE_PLACE_SYSTEM);
	igt_assert_eq(try_user(card.fd, r.vm, DATA_AT, memory, SZ_64K, 0), 0);
	ring_store(&r, DATA_AT, 1);
	ring_check(&r);
	fail_in("xetile_fence_alloc_run", "5");
	madvise(memory, SZ_64K, MADV_DONTNEED);
	goes_on = ring_runs(&r, 60000);
	fail_in("xetile_fence_alloc_run", "-1");
	madvise(memory, SZ_64K, MADV_DONTNEED);
	for (unsigned int i = 0; goes_on && !ends && i < 600; i++) {
		ends = __xe_queue_is_banned(card.fd, r.queue);
		usleep(100000);
	}
	fail_in(NULL, "1");
	igt_assert(goes_on);
	igt_assert(ends);
	ring_fini(&r);
	close(card.fd);
	munmap(memory, SZ_64K);
}

/* Allocations within a function of the kernel, never of the driver, neither fail nor count. */
static void spare(const char *attribute, const char *function, const char *why)
{
	char path[128], text[32];
	unsigned long start, end;

	igt_require_f(!access("/sys/kernel/debug/failslab/reject-start", F_OK),
		      "the kernel cannot spare %s(): %s\n", function, why);
	find_function(function, &start, &end);
	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/reject-start", attribute);
	snprintf(text, sizeof(text), "0x%lx", start);
	igt_assert_eq(xetile_write_file(path, text), 0);
	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/reject-end", attribute);
	snprintf(text, sizeof(text), "0x%lx", end);
	igt_assert_eq(xetile_write_file(path, text), 0);
	igt_info("note: %s() is spared by %s: %s\n", function, attribute, why);
}

/*
 * The errors of a probe without memory: the kernel calls the addresses of a BAR busy, calls a BAR
 * that it cannot map invalid, and reports no device or no space when it cannot create the
 * interrupts.
 */
static bool is_refusal_of_probe(int err)
{
	return err == -ENOMEM || err == -EFAULT || err == -EBUSY || err == -EINVAL ||
	       err == -ENODEV || err == -ENOSPC;
}

/*
 * Each probe gets one place further than the probe before. Leftovers of a refused probe would be in
 * the way of the next one. A whole probe takes long, and is done only now and then.
 */
static void fail_all_of_probe(void)
{
	unsigned int nth, refused = 0, other = 0;
	char address[64];
	struct scene s;
	bool injected;
	int ret;

	xetile_bound_card(address, sizeof(address));
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	for (nth = 1; ; nth++) {
		ret = bind_failing(address, nth, &injected);
		if (!injected)
			break;
		/* A run takes too long to stop at the first wrong error. */
		if (ret && !is_refusal_of_probe(ret)) {
			igt_info("note: probe, failure %u: %s\n", nth, strerror(-ret));
			other++;
		}
		if (nth % 100 == 0) {
			igt_info("note: probe: %u places so far\n", nth);
			fflush(stdout);
		}
		if (ret) {
			refused++;
			if (nth % 32)
				continue;
			igt_assert_eq(xetile_write_driver("bind", address), 0);
			scene_begin(NULL, &s);
			scene_end(&s);
		}
		igt_assert_eq(xetile_write_driver("unbind", address), 0);
	}
	igt_assert_eq(ret, 0);
	igt_info("note: probe: %u places failed, %u of them the probe\n", nth - 1, refused);
	igt_assert_eq(other, 0);
	scene_begin(NULL, &s);
	scene_end(&s);
}

igt_main
{
	igt_fixture {
		igt_assert(!geteuid());
		faults_on();
	}

	for (unsigned int i = 0; i < ARRAY_SIZE(acts); i++) {
		igt_describe("The call must survive the failure of each of its places and then "
			     "work");
		igt_subtest_f("%s", acts[i].name)
			fail_all_of(&acts[i]);
	}

	igt_describe("A run of endless jobs must survive that memory is short for a moment");
	igt_subtest("run")
		test_run();

	igt_describe("Probe must survive the failure of each of its places and then work");
	igt_subtest("probe") {
		/*
		 * Probe retries a page allocation that fails; that attribute is free to spare
		 * another function.
		 */
		spare("failslab", "drm_sysfs_minor_alloc",
		      "drm_minor_alloc() of 6.12 keeps the error pointer it answers with, and "
		      "drm_minor_alloc_release() puts that; the kernel dies");
		spare("fail_page_alloc", "kasan_populate_vmalloc",
		      "the kernel's own checks take thousands of pages for what is mapped");
		fail_all_of_probe();
	}
}
