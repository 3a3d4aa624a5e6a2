// SPDX-License-Identifier: MIT
/* The meaning of an input's bytes: each record is a call. */
#define _GNU_SOURCE
#include "calls.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <drm/xetile_drm.h>

/*
 * The arrays of a call, as long as the driver allows. Elements behind the valid ones, which a wrong
 * count makes the driver read, are zero and not left over from another call.
 */
#define FEW	4

static __thread struct drm_xetile_color_run runs[DRM_XETILE_MAX_ARRAY + 1];
static __thread struct drm_xetile_bo_range ranges[DRM_XETILE_MAX_ARRAY + 1];
static __thread struct drm_xetile_bind binds[DRM_XETILE_MAX_ARRAY + 1];
static __thread struct drm_xetile_sync syncs[DRM_XETILE_MAX_ARRAY + 1];

/* --- the calls of the uAPI ---------------------------------------------------- */

/* Mostly the size of our element; sometimes shorter, longer or impossible */
static uint32_t pick_stride(struct bytes *b, uint32_t elem)
{
	uint8_t v = take(b);

	switch (v) {
	case 255: return 0xffffffff;
	case 254: return DRM_XETILE_MAX_STRIDE + 1;
	case 253: return 0;
	case 244 ... 252: return v - 244;
	case 232 ... 243: return elem + 8 * (v - 231);
	case 228 ... 231: return elem - 4 * (v - 227);
	default: return elem;
	}
}

static int do_query(struct world *w, struct bytes *b)
{
	static const uint32_t elems[] = { 64, 88, 16, 8 };
	uint64_t data[64];
	struct drm_xetile_query args = { .item = pick_of(b, ARRAY_SIZE(elems)) };
	uint32_t elem = args.item < ARRAY_SIZE(elems) ? elems[args.item] : 8;
	uint8_t v = take(b);

	args.answer.data = pick_pointer(b, data);
	args.answer.stride = pick_stride(b, elem);
	args.answer.count = v < 60 ? 0 : v < 200 ? sizeof(data) / elem : v & 3;
	spoil(b, &args, sizeof(args));
	/* A longer answer would overwrite other memory of the fuzzer. */
	if ((uint64_t)args.answer.count * args.answer.stride > sizeof(data) &&
	    args.answer.stride <= DRM_XETILE_MAX_STRIDE)
		args.answer.count = sizeof(data) / args.answer.stride;
	return call(w->fd, DRM_IOCTL_XETILE_QUERY, &args);
}

static int do_bo_create(struct world *w, struct bytes *b)
{
	struct drm_xetile_bo_create args = { 0 };
	uint8_t v = take(b), slot = v % NUM_SLOTS;
	unsigned int n;
	int ret;

	/*
	 * Some BOs are private to a VM. An existing byte decides this, so that older inputs keep
	 * their meaning.
	 */
	if (v & 0x80)
		args.vm_id = w->vm[v >> 3 & (NUM_SLOTS - 1)];
	args.size = pick_size(b);
	args.color = pick_of(b, 7);
	args.placement = 1 + pick_of(b, 3);
	args.flags = pick_of(b, 4);
	args.tile_mask = pick_of(b, 4);
	/*
	 * The guest's memory must not run out, because the kernel would then end a process by
	 * chance.
	 */
	if (args.placement & DRM_XETILE_PLACE_SYSTEM && args.size > 64 << 20 && args.size < 1ull << 40)
		args.size = 64 << 20;
	if (args.color == DRM_XETILE_COLOR_CHUNK)
		args.granule = pick_size(b);
	if (args.color == DRM_XETILE_COLOR_MAP || args.color == DRM_XETILE_COLOR_WEIGHTED) {
		n = 1 + take(b) % FEW;
		memset(runs, 0, FEW * sizeof(*runs));
		for (unsigned int i = 0; i < n; i++) {
			runs[i].tile = pick_of(b, 2);
			runs[i].pages = pick_of(b, 33);
		}
		args.runs.count = pick_count(b, n);
		args.runs.data = pick_pointer(b, runs);
		args.runs.stride = pick_stride(b, sizeof(*runs));
	}
	args.vm_id = take(b) < 192 ? 0 : pick_id(b, w->vm);
	if (args.vm_id && v & 0x40)
		args.flags |= DRM_XETILE_BO_MIGRATE;
	spoil(b, &args, sizeof(args));
	ret = call(w->fd, DRM_IOCTL_XETILE_BO_CREATE, &args);
	if (!ret)
		w->bo[slot] = args.handle;
	return ret;
}

static int do_bo_info(struct world *w, struct bytes *b)
{
	struct drm_xetile_bo_info args = { .handle = pick_id(b, w->bo) };

	args.runs.count = take(b) % 17;
	args.runs.data = pick_pointer(b, runs);
	args.runs.stride = pick_stride(b, sizeof(*runs));
	spoil(b, &args, sizeof(args));
	/* A longer answer would overwrite other memory of the fuzzer. */
	if ((uint64_t)args.runs.count * args.runs.stride > sizeof(runs) &&
	    args.runs.stride <= DRM_XETILE_MAX_STRIDE)
		args.runs.count = sizeof(runs) / args.runs.stride;
	return call(w->fd, DRM_IOCTL_XETILE_BO_INFO, &args);
}

/* A range of a BO, mostly small and near its beginning, where most BOs have pages */
static void pick_range(struct bytes *b, struct drm_xetile_bo_range *range)
{
	uint8_t v = take(b);

	range->offset = (uint64_t)(v & 15) << 16;
	range->size = v & 16 ? pick_size(b) : (1ull + (v >> 5)) << 16;
	range->color = pick_of(b, 7);
	range->tile_mask = pick_of(b, 4);
	if (range->color == DRM_XETILE_COLOR_CHUNK)
		range->granule = pick_size(b);
	if (range->color == DRM_XETILE_COLOR_MAP || range->color == DRM_XETILE_COLOR_WEIGHTED) {
		range->runs.count = pick_count(b, 2);
		range->runs.data = pick_pointer(b, runs);
		range->runs.stride = sizeof(*runs);
	}
}

static void pick_syncs(struct world *w, struct bytes *b, struct drm_xetile_array *array);

static int do_bo_recolor(struct world *w, struct bytes *b)
{
	struct drm_xetile_bo_recolor args = { .handle = pick_id(b, w->bo) };
	unsigned int n = 1 + take(b) % (FEW - 1);

	memset(ranges, 0, FEW * sizeof(*ranges));
	memset(runs, 0, FEW * sizeof(*runs));
	for (unsigned int i = 0; i < 2; i++) {
		runs[i].tile = i;
		runs[i].pages = 1 + pick_of(b, 3);
	}
	for (unsigned int i = 0; i < n; i++)
		pick_range(b, &ranges[i]);
	args.ranges.count = pick_count(b, n);
	args.ranges.data = pick_pointer(b, ranges);
	args.ranges.stride = pick_stride(b, sizeof(*ranges));
	pick_syncs(w, b, &args.syncs);
	args.flags = pick_zero(b);
	spoil(b, n & 1 ? (void *)&args : (void *)ranges, n & 1 ? sizeof(args) : sizeof(ranges[0]));
	return call(w->fd, DRM_IOCTL_XETILE_BO_RECOLOR, &args);
}

static int do_bo_advise(struct world *w, struct bytes *b)
{
	static struct drm_xetile_bo_advice advice[FEW];
	struct drm_xetile_bo_advise args = { .handle = pick_id(b, w->bo) };
	unsigned int n = 1 + take(b) % (FEW - 1);

	memset(advice, 0, sizeof(advice));
	for (unsigned int i = 0; i < n; i++) {
		uint8_t v = take(b);

		advice[i].offset = (uint64_t)(v & 7) * DRM_XETILE_MIGRATE_RANGE;
		advice[i].size = v & 8 ? pick_size(b) :
				 (1ull + (v >> 4)) * DRM_XETILE_MIGRATE_RANGE;
		advice[i].advice = pick_of(b, 4);
		if (advice[i].advice == DRM_XETILE_ADVICE_TILE)
			advice[i].tile = pick_of(b, 2);
	}
	args.ranges.count = pick_count(b, n);
	args.ranges.data = pick_pointer(b, advice);
	args.ranges.stride = pick_stride(b, sizeof(*advice));
	args.flags = pick_zero(b);
	spoil(b, n & 1 ? (void *)&args : (void *)advice, n & 1 ? sizeof(args) : sizeof(*advice));
	return call(w->fd, DRM_IOCTL_XETILE_BO_ADVISE, &args);
}

static int do_bo_pin(struct world *w, struct bytes *b)
{
	uint8_t how = take(b);
	struct drm_xetile_bo_pin args = {
		.handle = pick_id(b, w->bo), .flags = how & 3 ? 0 : DRM_XETILE_PIN_END,
		.event_fd = how < 224 ? -1 : take(b),
	};

	spoil(b, &args, sizeof(args));
	return call(w->fd, DRM_IOCTL_XETILE_BO_PIN, &args);
}

static int do_bo_purge(struct world *w, struct bytes *b)
{
	struct drm_xetile_bo_purge args = {
		.handle = pick_id(b, w->bo), .flags = take(b) & 3 ? DRM_XETILE_PURGE_ALLOW : 0,
	};

	spoil(b, &args, sizeof(args));
	return call(w->fd, DRM_IOCTL_XETILE_BO_PURGE, &args);
}

static int do_process(struct world *w, struct bytes *b)
{
	struct drm_xetile_process args = {
		.flags = take(b) & 3, .color = take(b) & 7, .cslice = take(b) & 3,
	};

	if (args.color == DRM_XETILE_COLOR_CHUNK)
		args.granule = take(b) * DRM_XETILE_COLOR_PAGE;
	spoil(b, &args, sizeof(args));
	return call(w->fd, DRM_IOCTL_XETILE_PROCESS, &args);
}

static int do_bo_mmap(struct world *w, struct bytes *b)
{
	uint8_t slot = take(b) % NUM_SLOTS;
	struct drm_xetile_bo_mmap args = { .handle = pick_id(b, w->bo), .flags = pick_zero(b) };
	int ret;

	spoil(b, &args, sizeof(args));
	ret = call(w->fd, DRM_IOCTL_XETILE_BO_MMAP, &args);
	if (!ret)
		w->map_offset[slot] = args.offset;
	return ret;
}

static int do_vm_create(struct world *w, struct bytes *b)
{
	uint8_t slot = take(b) % NUM_SLOTS;
	struct drm_xetile_vm_create args = { .flags = pick_zero(b) };
	int ret;

	spoil(b, &args, sizeof(args));
	ret = call(w->fd, DRM_IOCTL_XETILE_VM_CREATE, &args);
	if (!ret)
		w->vm[slot] = args.vm_id;
	return ret;
}

static int do_vm_destroy(struct world *w, struct bytes *b)
{
	struct drm_xetile_vm_destroy args = { .vm_id = pick_id(b, w->vm), .pad = pick_zero(b) };

	return call(w->fd, DRM_IOCTL_XETILE_VM_DESTROY, &args);
}

static unsigned int fill_syncs(struct world *w, struct bytes *b)
{
	unsigned int n = take(b) % FEW;

	memset(syncs, 0, FEW * sizeof(*syncs));
	for (unsigned int i = 0; i < n; i++) {
		syncs[i].handle = pick_id(b, w->sync);
		syncs[i].flags = pick_of(b, 4);
		syncs[i].point = syncs[i].flags & DRM_XETILE_SYNC_TIMELINE ? take(b) : 0;
	}
	return n;
}

static void pick_syncs(struct world *w, struct bytes *b, struct drm_xetile_array *array)
{
	array->count = fill_syncs(w, b);
	if (!array->count)
		return;
	array->data = pick_pointer(b, syncs);
	array->stride = pick_stride(b, sizeof(*syncs));
}

static int do_vm_bind(struct world *w, struct bytes *b)
{
	struct drm_xetile_vm_bind args = { .vm_id = pick_id(b, w->vm) };
	uint8_t v = take(b);
	unsigned int n = 1 + v % (FEW - 1);

	memset(binds, 0, FEW * sizeof(*binds));
	for (unsigned int i = 0; i < n; i++) {
		binds[i].op = pick_of(b, 4);
		binds[i].addr = pick_addr(b);
		binds[i].range = pick_size(b);
		if (binds[i].op != DRM_XETILE_BIND_UNMAP)
			binds[i].flags = pick_of(b, 2);
		if (binds[i].op == DRM_XETILE_BIND_MAP) {
			binds[i].handle = pick_id(b, w->bo);
			binds[i].offset = take(b) < 200 ? 0 : pick_size(b);
		} else if (binds[i].op == DRM_XETILE_BIND_MAP_USER) {
			binds[i].offset = (uintptr_t)w->arena + take(b) % NUM_SLOTS * SLOT_SIZE;
		}
		binds[i].tile_mask = pick_zero(b) & 7;
	}
	args.binds.count = pick_count(b, n);
	args.binds.data = pick_pointer(b, binds);
	pick_syncs(w, b, &args.syncs);
	args.binds.stride = pick_stride(b, sizeof(*binds));
	if (v >= 192)
		args.queue_id = pick_id(b, w->queue);
	spoil(b, n & 1 ? (void *)&args : (void *)binds, n & 1 ? sizeof(args) : sizeof(binds[0]));
	return call(w->fd, DRM_IOCTL_XETILE_VM_BIND, &args);
}

static int do_queue_create(struct world *w, struct bytes *b)
{
	static const int32_t priorities[] = {
		DRM_XETILE_PRIORITY_NORMAL, DRM_XETILE_PRIORITY_LOW, DRM_XETILE_PRIORITY_HIGH,
	};
	uint8_t v = take(b), slot = v % NUM_SLOTS, ms;
	struct drm_xetile_queue_create args = { .vm_id = pick_id(b, w->vm) };
	int ret;

	args.engine_class = pick_of(b, 2);
	args.target = pick_of(b, 3);
	args.tile = args.target ? pick_of(b, 2) : pick_zero(b);
	args.cslice = args.target == DRM_XETILE_TARGET_CSLICE ? pick_of(b, 4) : pick_zero(b);
	args.priority = priorities[take(b) % ARRAY_SIZE(priorities)];
	args.weight = pick_zero(b);
	args.flags = pick_zero(b);
	/* From bits that nothing else uses, so that stored inputs mean what they meant */
	if (args.engine_class == DRM_XETILE_ENGINE_COMPUTE && v & 32)
		args.ccs_mode = 1u << (v >> 3) % 3;
	if (args.engine_class == DRM_XETILE_ENGINE_COMPUTE && v & 64 &&
	    args.priority == DRM_XETILE_PRIORITY_NORMAL)
		args.flags |= DRM_XETILE_QUEUE_BORROW;
	/* A batch that does not end costs only a moment. */
	ms = take(b);
	args.timeout_ms = 50 + ms;
	if (ms & 1)
		args.flags |= DRM_XETILE_QUEUE_REPLAY;
	if (v >= 192)
		args = (struct drm_xetile_queue_create) {
			.vm_id = args.vm_id, .engine_class = DRM_XETILE_ENGINE_BIND,
		};
	spoil(b, &args, sizeof(args));
	ret = call(w->fd, DRM_IOCTL_XETILE_QUEUE_CREATE, &args);
	if (!ret)
		w->queue[slot] = args.queue_id;
	return ret;
}

static int do_queue_destroy(struct world *w, struct bytes *b)
{
	struct drm_xetile_queue_destroy args = {
		.queue_id = pick_id(b, w->queue), .pad = pick_zero(b),
	};

	return call(w->fd, DRM_IOCTL_XETILE_QUEUE_DESTROY, &args);
}

static int do_queue_info(struct world *w, struct bytes *b)
{
	struct drm_xetile_queue_info args = { .queue_id = pick_id(b, w->queue) };

	spoil(b, &args, sizeof(args));
	return call(w->fd, DRM_IOCTL_XETILE_QUEUE_INFO, &args);
}

static int do_exec(struct world *w, struct bytes *b)
{
	uint64_t batches[4];
	struct drm_xetile_exec args = { .queue_id = pick_id(b, w->queue) };
	uint8_t v = take(b);

	args.num_batches = v < 216 ? 1 : v < 220 ? 0 : 2;
	args.batch = BATCHES + (take(b) & 15) * 0x100;
	if (!args.num_batches) {
		args.batch = 0;
	} else if (args.num_batches > 1) {
		for (unsigned int i = 0; i < ARRAY_SIZE(batches); i++)
			batches[i] = args.batch;
		args.num_batches = pick_count(b, 2);
		args.batch = pick_pointer(b, batches);
	} else if (v >= 200) {
		args.batch = pick_addr(b);
	}
	pick_syncs(w, b, &args.syncs);
	if (args.syncs.count)
		args.syncs.count = pick_count(b, args.syncs.count);
	args.flags = pick_zero(b);
	spoil(b, &args, sizeof(args));
	return call(w->fd, DRM_IOCTL_XETILE_EXEC, &args);
}

/* A number in the driver's range with meaningless arguments of any size */
static int do_raw(struct world *w, struct bytes *b)
{
	uint64_t args[32];
	uint8_t nr = take(b), size = take(b), dir = take(b);

	for (unsigned int i = 0; i < ARRAY_SIZE(args); i++)
		args[i] = known_number(nr + i);
	for (unsigned int i = 0; i < 5; i++)
		((uint32_t *)args)[take(b) % 16] = take32(b);
	return call(w->fd, _IOC(dir & 3, DRM_IOCTL_BASE, DRM_COMMAND_BASE + nr % 24 +
			 (dir & 8 ? 0 : DRM_XETILE_QUERY), size),
		    dir & 4 ? NULL : args);
}

/* --- calls of the DRM core on our objects --------------------------------------- */

static int do_gem_close(struct world *w, struct bytes *b)
{
	struct drm_gem_close args = { .handle = pick_id(b, w->bo) };

	return call(w->fd, DRM_IOCTL_GEM_CLOSE, &args);
}

static void keep_file(struct world *w, unsigned int slot, int fd)
{
	int old = __atomic_exchange_n(&w->file[slot], fd, __ATOMIC_ACQ_REL);

	if (old >= 0)
		close(old);
}

static int do_export(struct world *w, struct bytes *b)
{
	uint8_t slot = take(b) % NUM_SLOTS;
	struct drm_prime_handle args = {
		.handle = pick_id(b, w->bo), .flags = DRM_CLOEXEC | (take(b) & 1 ? DRM_RDWR : 0),
	};
	int ret = call(w->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);

	if (!ret)
		keep_file(w, slot, args.fd);
	return ret;
}

static int do_import(struct world *w, struct bytes *b)
{
	struct drm_prime_handle args = { .fd = w->file[take(b) % NUM_SLOTS] };
	uint8_t slot = take(b) % NUM_SLOTS;
	bool elsewhere = take(b) & 1;
	int ret = call(elsewhere ? w->other : w->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);

	if (!ret && !elsewhere)
		w->bo[slot] = args.handle;
	return ret;
}

static int do_file_close(struct world *w, struct bytes *b)
{
	keep_file(w, take(b) % NUM_SLOTS, -1);
	return 0;
}

static int do_sync_create(struct world *w, struct bytes *b)
{
	uint8_t slot = take(b) % NUM_SLOTS;
	struct drm_syncobj_create args = { .flags = take(b) & 1 };
	int ret = call(w->fd, DRM_IOCTL_SYNCOBJ_CREATE, &args);

	if (!ret)
		w->sync[slot] = args.handle;
	return ret;
}

static int do_sync_destroy(struct world *w, struct bytes *b)
{
	struct drm_syncobj_destroy args = { .handle = pick_id(b, w->sync) };

	return call(w->fd, DRM_IOCTL_SYNCOBJ_DESTROY, &args);
}

static int do_sync_wait(struct world *w, struct bytes *b)
{
	uint32_t handle = pick_id(b, w->sync);
	struct drm_syncobj_wait args = {
		.handles = (uintptr_t)&handle, .count_handles = 1, .flags = take(b) & 3,
	};
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	args.timeout_nsec = now.tv_sec * 1000000000ll + now.tv_nsec + take(b) * 200000ll;
	return call(w->fd, DRM_IOCTL_SYNCOBJ_WAIT, &args);
}

static int do_sync_signal(struct world *w, struct bytes *b)
{
	uint32_t handle = pick_id(b, w->sync);
	struct drm_syncobj_array args = { .handles = (uintptr_t)&handle, .count_handles = 1 };

	return call(w->fd, take(b) & 1 ? DRM_IOCTL_SYNCOBJ_RESET : DRM_IOCTL_SYNCOBJ_SIGNAL,
		    &args);
}

/* --- mappings ------------------------------------------------------------------- */

static int do_mmap(struct world *w, struct bytes *b)
{
	uint8_t slot = 1 + take(b) % (NUM_SLOTS - 1), how = take(b);
	uint64_t offset = w->map_offset[take(b) % NUM_SLOTS];
	uint64_t size = pick_size(b) & ~0xfffull;

	if (!size || size > SLOT_SIZE)
		size = 0x10000;
	if (how >= 240)
		offset += take(b) << 12;
	return mmap(w->arena + slot * SLOT_SIZE, size, how & 3 ? PROT_READ | PROT_WRITE : PROT_READ,
		    MAP_FIXED | (how & 4 && how >= 128 ? MAP_PRIVATE : MAP_SHARED), w->fd,
		    offset) == MAP_FAILED ? -errno : 0;
}

static int do_munmap(struct world *w, struct bytes *b)
{
	uint8_t slot = 1 + take(b) % (NUM_SLOTS - 1);
	uint8_t how = take(b);
	uint64_t at = how & 1 ? 0x10000 : 0;

	/* With memory in its place at times, which the GPU can have by MAP_USER */
	return mmap(w->arena + slot * SLOT_SIZE + at, SLOT_SIZE - at,
		    how & 2 ? PROT_READ | PROT_WRITE : PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == MAP_FAILED ?
		-errno : 0;
}

static int do_touch(struct world *w, struct bytes *b)
{
	uint8_t slot = take(b) % NUM_SLOTS, how = take(b);
	uint64_t at = (uint64_t)take(b) << 12;

	return touch(w->arena + slot * SLOT_SIZE + (how & 2 ? at << 4 & (SLOT_SIZE - 1) : at),
		     how & 1) ? 0 : -EFAULT;
}

/* A child process has the mappings and the files for a moment. */
static int do_fork(struct world *w, struct bytes *b)
{
	uint8_t slot = take(b) % NUM_SLOTS, rare = take(b);
	pid_t pid;

	if (rare < 192)
		return 0;
	pid = fork();
	if (!pid) {
		touch(w->arena + slot * SLOT_SIZE, true);
		_exit(0);
	}
	return pid < 0 ? -errno : waitpid(pid, NULL, 0) == pid ? 0 : -errno;
}

/* --- batches ---------------------------------------------------------------------- */

#define MI_STORE_DATA_IMM		(0x20u << 23 | 2)
#define MI_ATOMIC_INC_DW		(0x2fu << 23 | 0x05u << 8 | 1)
#define MI_SEMAPHORE_WAIT_POLL_EQ	(0x1cu << 23 | 1u << 15 | 4u << 12 | 3)
#define MI_BATCH_BUFFER_START		(0x31u << 23 | 1u << 8 | 1)

static int do_batch(struct world *w, struct bytes *b)
{
	uint64_t at = (take(b) & 15) * 0x100, to = BATCHES + 0x8000 + take(b) * 8;
	volatile uint32_t *p = w->batches;
	uint8_t kind = take(b);

	if (!p)
		return -ENOENT;
	p += at / 4;
	switch (kind) {
	case 0 ... 99: /* ends at once */
		break;
	case 100 ... 159:
		*p++ = MI_STORE_DATA_IMM;
		*p++ = to;
		*p++ = to >> 32;
		*p++ = take(b);
		break;
	case 160 ... 199:
		*p++ = MI_ATOMIC_INC_DW;
		*p++ = to;
		*p++ = to >> 32;
		break;
	case 200 ... 219: /* waits until a thread stores that value there */
		*p++ = MI_SEMAPHORE_WAIT_POLL_EQ;
		*p++ = take(b) & 3;
		*p++ = to;
		*p++ = to >> 32;
		*p++ = 0;
		break;
	case 220 ... 229: /* reads or writes an address that may not be mapped */
		*p++ = MI_STORE_DATA_IMM;
		to = pick_addr(b) & ~7ull;
		*p++ = to;
		*p++ = to >> 32;
		*p++ = 1;
		break;
	case 230 ... 239: /* never ends */
		*p++ = MI_BATCH_BUFFER_START;
		*p++ = BATCHES + at;
		*p++ = (BATCHES + at) >> 32;
		break;
	default: /* holds no commands */
		for (unsigned int i = 0; i < 4; i++)
			*p++ = take32(b);
	}
	*p++ = MI_BATCH_BUFFER_END;
	__sync_synchronize();
	return 0;
}

/* --- files beside the node ---------------------------------------------------------- */

static int do_file_read(struct world *w, struct bytes *b)
{
	char text[4096];
	int fd, ret = 0;

	if (!num_files)
		return -ENOENT;
	fd = open(files[take(b) % num_files], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (pread(fd, text, 1 + take(b) * 16, take(b) & 1 ? take(b) : 0) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static int do_file_write(struct world *w, struct bytes *b)
{
	static const char * const texts[] = {
		"1", "2", "4", "1\n", "2\n", "4\n", "3", "0", "", "\n", "-1", "99999999999999999999",
		"two", " 1", "1 2", "0x2", "+1", "1000", "100000", "4294967297",
	};
	const char *text = texts[take(b) % ARRAY_SIZE(texts)];
	int fd, ret = 0;

	if (!num_files)
		return -ENOENT;
	fd = open(files[take(b) % num_files], O_WRONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static int do_fdinfo(struct world *w, struct bytes *b)
{
	char path[64], text[4096];
	int fd, ret = 0;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", take(b) & 1 ? w->fd : w->other);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (read(fd, text, sizeof(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static int do_open(struct world *w, struct bytes *b)
{
	int fd = open(card_path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* A kind that stands here several times is that much more likely. */
static const struct kind {
	const char *name;
	int (*run)(struct world *w, struct bytes *b);
} kinds[] = {
	{ "query", do_query }, { "bo-create", do_bo_create }, { "bo-create", do_bo_create },
	{ "bo-info", do_bo_info }, { "bo-mmap", do_bo_mmap }, { "vm-create", do_vm_create },
	{ "vm-destroy", do_vm_destroy }, { "vm-bind", do_vm_bind }, { "vm-bind", do_vm_bind },
	{ "vm-bind", do_vm_bind }, { "queue-create", do_queue_create },
	{ "queue-create", do_queue_create }, { "queue-destroy", do_queue_destroy },
	{ "queue-info", do_queue_info }, { "exec", do_exec }, { "exec", do_exec },
	{ "exec", do_exec }, { "raw", do_raw }, { "gem-close", do_gem_close },
	{ "export", do_export }, { "import", do_import }, { "file-close", do_file_close },
	{ "sync-create", do_sync_create }, { "sync-destroy", do_sync_destroy },
	{ "sync-wait", do_sync_wait }, { "sync-signal", do_sync_signal }, { "mmap", do_mmap },
	{ "munmap", do_munmap }, { "touch", do_touch }, { "touch", do_touch },
	{ "fork", do_fork }, { "batch", do_batch }, { "batch", do_batch },
	{ "file-read", do_file_read }, { "file-write", do_file_write }, { "fdinfo", do_fdinfo },
	{ "open", do_open },
};

/*
 * The first bytes of a record that mean a newer call, so that older inputs keep their meaning: the
 * same call as before, but for the last few bytes of the range.
 */
#define NEWER	240

static const struct kind newer[256 - NEWER] = {
	[0 ... 5] = { "bo-recolor", do_bo_recolor },
	[6 ... 9] = { "xe", do_xe },
	[10 ... 11] = { "bo-purge", do_bo_purge },
	[12] = { "bo-advise", do_bo_advise },
	[13] = { "process", do_process },
	[14 ... 15] = { "bo-pin", do_bo_pin },
};

unsigned int calls_kinds(void)
{
	return ARRAY_SIZE(kinds);
}

unsigned int calls_run(struct world *w, const struct input *in, bool tell)
{
	unsigned int n = 0;

	for (uint32_t at = 0; at + RECORD <= in->size; at += RECORD, n++) {
		struct bytes b = { in->bytes + at + 1, RECORD - 1 };
		const struct kind *kind = in->bytes[at] < NEWER ?
					  &kinds[in->bytes[at] % ARRAY_SIZE(kinds)] :
					  &newer[in->bytes[at] - NEWER];
		int ret = kind->run(w, &b);

		if (tell) {
			printf("  %-14s %s\n", kind->name, ret ? strerrorname_np(-ret) : "0");
			fflush(stdout);
		}
	}
	return n;
}
