// SPDX-License-Identifier: MIT
/* A driver in this process: answers of the ioctls, buffers, and submissions */
#include <drm/xetile_drm.h>
#include <errno.h>
#include <linux/sync_file.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include <pvc_bits.h>
#include <pvc_blt_commands.h>

#include "card.h"
#include "fake.h"
#include "ioctl.h"
#include "platform.h"
#include "test.h"
#include "util.h"
#include "xetile.h"

#define MEMORY		(4ull << 30)	/* a page takes memory after its first access only */

struct fake fake;
unsigned int test_passed, test_failed;

/* The output of a test must not be lost when a sanitizer ends the test. */
static void __attribute__((constructor)) unbuffered(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
}

const char *test_top(void)
{
	const char *top = getenv("XETILE_TEST_TOP");

	return top ? top : ".";
}

void *test_read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r");
	char *data = malloc(1 << 20);

	if (!file || !data) {
		printf("cannot read %s\n", path);
		exit(1);
	}
	*size = fread(data, 1, 1 << 20, file);
	fclose(file);
	return data;
}

/* --- answers ------------------------------------------------------------------- */

static int put_answer(struct drm_xetile_query *q, const void *data, uint32_t num, uint32_t elem)
{
	uint32_t room = q->answer.count < num ? q->answer.count : num;

	if (room && q->answer.stride != elem)
		return -EINVAL;
	if (room)
		memcpy((void *)(uintptr_t)q->answer.data, data, room * elem);
	q->answer.count = num;
	q->elem_size = elem;
	return 0;
}

static int do_query(struct drm_xetile_query *q)
{
	struct drm_xetile_query_device device = {
		.caps = fake.caps, .va_size = fake.va_size, .timestamp_hz = 19200000,
		.device_id = 0x0bd5, .revision = 0x2f, .num_tiles = fake.tiles,
		.color_page = 65536, .bind_align = 65536, .eus_per_dss = 8,
		.threads_per_eu = 8, .max_slm = 128 << 10, .bind_align_system = 4096,
	};
	struct drm_xetile_query_tile tiles[8] = { 0 };
	struct drm_xetile_query_engine engines[8 * 5] = { 0 };
	struct drm_xetile_query_distance distances[8 * 9] = { 0 };
	unsigned int t, i, n = 0, d = 0;

	for (t = 0; t < fake.tiles; t++) {
		tiles[t] = (struct drm_xetile_query_tile){
			.hbm_total = 1ull << 30, .hbm_used = 1 << 20, .hbm_visible = 1ull << 29,
			.dss_mask = 0xff, .tile = t, .num_dss = 64, .cslice_mask = 0xf,
			.num_cslices = 4, .ccs_mode = fake.ccs_mode, .ccs_modes = fake.ccs_modes,
			.num_copy_engines = 1, .l3_banks = 32,
		};
		for (i = 0; i < fake.ccs_mode; i++)
			engines[n++] = (struct drm_xetile_query_engine){
				.tile = t, .instance = i, .cslice_mask = 1u << i,
				.num_eus = 64 * 8 / fake.ccs_mode,
			};
		engines[n++] = (struct drm_xetile_query_engine){
			.tile = t, .engine_class = DRM_XETILE_ENGINE_COPY,
		};
		for (i = 0; i < fake.tiles; i++)
			distances[d++] = (struct drm_xetile_query_distance){
				.tile = t, .memory = i, .distance = i == t ? 10 : 20,
				.hop = i == t ? 0 : fake.hop,
			};
		distances[d++] = (struct drm_xetile_query_distance){
			.tile = t, .memory = DRM_XETILE_MEM_SYSTEM, .distance = 40,
			.hop = fake.hop ? DRM_XETILE_HOP_BUS : 0,
		};
	}
	switch (q->item) {
	case DRM_XETILE_QUERY_DEVICE:
		return put_answer(q, &device, 1, sizeof(device));
	case DRM_XETILE_QUERY_TILES:
		return put_answer(q, tiles, fake.tiles, sizeof(tiles[0]));
	case DRM_XETILE_QUERY_ENGINES:
		return put_answer(q, engines, n, sizeof(engines[0]));
	case DRM_XETILE_QUERY_DISTANCES:
		return put_answer(q, distances, d, sizeof(distances[0]));
	}
	return -EINVAL;
}

/* --- buffers ------------------------------------------------------------------------ */

static struct fake_bo *get_bo(uint32_t handle)
{
	return handle && handle < FAKE_MAX && fake.bos[handle].used ? &fake.bos[handle] : NULL;
}

static int bo_create(struct drm_xetile_bo_create *create)
{
	uint32_t handle = 1, copies = 1;

	if (!create->size || !create->placement)
		return -EINVAL;
	if (create->flags & DRM_XETILE_BO_MIGRATE &&
	    (!create->vm_id || !(fake.caps & DRM_XETILE_CAP_MIGRATE) ||
	     create->placement != (DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM)))
		return -EINVAL;
	if (create->size > MEMORY)
		return -ENOSPC;
	while (handle < FAKE_MAX && fake.bos[handle].used)
		handle++;
	if (handle == FAKE_MAX)
		return -ENOMEM;
	create->size = xt_align(create->size, 65536);
	/* The last tile has the most free HBM. */
	if (create->flags & DRM_XETILE_BO_LEAST_OCCUPIED &&
	    (create->color == DRM_XETILE_COLOR_TILE || create->size == 65536))
		create->tile_mask = 1u << (31 - __builtin_clz(create->tile_mask));
	if (create->color == DRM_XETILE_COLOR_REPLICATE)
		copies = __builtin_popcount(create->tile_mask);
	if (fake.next_offset + copies * create->size > MEMORY)
		return -ENOSPC;
	create->handle = handle;
	fake.bos[handle] = (struct fake_bo) { .used = true };
	fake.bos[handle].create = *create;
	fake.bos[handle].offset = fake.next_offset;
	if (create->runs.count)
		memcpy(fake.bos[handle].runs, (void *)(uintptr_t)create->runs.data,
		       (create->runs.count > 16 ? 16 : create->runs.count) * 8);
	fake.next_offset += copies * create->size;
	return 0;
}

static int bo_info(struct drm_xetile_bo_info *info)
{
	struct fake_bo *bo = get_bo(info->handle);
	struct xetile_run runs[64];
	int i, num;

	if (!bo)
		return -ENOENT;
	if (bo->create.placement & DRM_XETILE_PLACE_HBM) {
		num = xetile_plan_color(bo->create.color == DRM_XETILE_COLOR_CHUNK ?
					XETILE_COLOR_CHUNK : XETILE_COLOR_EVEN, bo->create.size,
					bo->create.tile_mask, bo->create.granule, runs, 64);
	} else {
		runs[0] = (struct xetile_run) {
			XETILE_TILE_SYSTEM, bo->create.size / XETILE_COLOR_PAGE,
		};
		num = 1;
	}
	for (i = 0; i < num && i < (int)info->runs.count; i++)
		((struct drm_xetile_color_run *)(uintptr_t)info->runs.data)[i] =
			(struct drm_xetile_color_run){ runs[i].tile, runs[i].pages };
	info->runs.count = num;
	info->size = bo->create.size;
	info->placement = bo->create.placement;
	info->flags = bo->create.flags;
	info->color = bo->create.color;
	info->tile_mask = bo->create.tile_mask;
	info->vm_id = bo->create.vm_id;
	info->pinned = bo->pinned;
	return 0;
}

static int bo_recolor(const struct drm_xetile_bo_recolor *arg)
{
	const struct drm_xetile_bo_range *r = (void *)(uintptr_t)arg->ranges.data;

	if (!get_bo(arg->handle))
		return -ENOENT;
	if (get_bo(arg->handle)->create.flags & DRM_XETILE_BO_MIGRATE ||
	    get_bo(arg->handle)->create.color == DRM_XETILE_COLOR_REPLICATE ||
	    r->color == DRM_XETILE_COLOR_REPLICATE)
		return -EOPNOTSUPP;
	if (!arg->ranges.count || arg->ranges.stride != sizeof(*r) || arg->flags)
		return -EINVAL;
	fake.last_recolor = *arg;
	memcpy(fake.last_ranges, r, (arg->ranges.count > 4 ? 4 : arg->ranges.count) * sizeof(*r));
	if (r->runs.count)
		memcpy(fake.last_runs, (void *)(uintptr_t)r->runs.data,
		       (r->runs.count > 4 ? 4 : r->runs.count) * 8);
	return 0;
}

static int bo_pin(const struct drm_xetile_bo_pin *arg)
{
	struct fake_bo *bo = get_bo(arg->handle);

	if (!bo)
		return -ENOENT;
	if (!bo->create.vm_id || bo->create.flags & DRM_XETILE_BO_MIGRATE)
		return -EOPNOTSUPP;
	if (bo->purgeable || arg->pad)
		return -EINVAL;
	bo->pinned = !(arg->flags & DRM_XETILE_PIN_END);
	bo->event_fd = arg->event_fd;
	return 0;
}

/* A test purges a buffer itself. */
static int bo_purge(struct drm_xetile_bo_purge *arg)
{
	struct fake_bo *bo = get_bo(arg->handle);

	if (!bo)
		return -ENOENT;
	if (!bo->create.vm_id || bo->create.flags & DRM_XETILE_BO_MIGRATE)
		return -EOPNOTSUPP;
	if (bo->pinned || arg->pad || arg->retained)
		return -EINVAL;
	arg->retained = !bo->purged;
	bo->purgeable = arg->flags & DRM_XETILE_PURGE_ALLOW;
	bo->purged &= bo->purgeable;
	return 0;
}

static int unmap(const struct drm_xetile_bind *b, uint32_t vm_id)
{
	unsigned int i;

	if (b->handle || b->offset || b->flags)
		return -EINVAL;
	for (i = 0; i < FAKE_MAX; i++) {
		if (fake.binds[i].used && fake.binds[i].vm_id == vm_id &&
		    fake.binds[i].addr >= b->addr &&
		    fake.binds[i].addr + fake.binds[i].range <= b->addr + b->range)
			fake.binds[i].used = false;
	}
	return 0;
}

static int map(const struct drm_xetile_bind *b, uint32_t vm_id)
{
	bool user = b->op == DRM_XETILE_BIND_MAP_USER;
	uint64_t align = user ? 4096 : 65536;
	unsigned int i, room = FAKE_MAX;

	if (user ? b->handle || !(fake.caps & DRM_XETILE_CAP_USER) : b->op != DRM_XETILE_BIND_MAP)
		return -EINVAL;
	if (!user && !get_bo(b->handle))
		return -ENOENT;
	if (!user && get_bo(b->handle)->purged)
		return -ENODATA;
	if (b->addr % align || b->range % align || b->offset % align ||
	    (!user && b->range > get_bo(b->handle)->create.size))
		return -EINVAL;
	/* The library replaces whole mappings only; the driver would do more. */
	for (i = 0; i < FAKE_MAX; i++) {
		const struct fake_bind *old = &fake.binds[i];

		if (old->used && old->vm_id == vm_id && b->addr == old->addr &&
		    b->range == old->range) {
			room = i;
			break;
		}
		if (!old->used)
			room = room == FAKE_MAX ? i : room;
		else if (old->vm_id == vm_id && b->addr < old->addr + old->range && old->addr < b->addr + b->range)
			return -EADDRINUSE;
	}
	if (room == FAKE_MAX)
		return -ENOSPC;
	fake.binds[room] = (struct fake_bind) {
		true, b->addr, b->range, b->handle, b->offset, b->flags, vm_id
	};
	if (fake.num_binds <= room)
		fake.num_binds = room + 1;
	return 0;
}

static int vm_bind(const struct drm_xetile_vm_bind *arg)
{
	const struct drm_xetile_bind *b = (void *)(uintptr_t)arg->binds.data;
	uint32_t i;
	int err = 0;

	if (!arg->binds.count || arg->binds.stride != sizeof(*b))
		return -EINVAL;
	for (i = 0; i < arg->binds.count && !err; i++, b++) {
		if (b->addr % 4096 || !b->range || b->range % 4096 ||
		    b->addr + b->range > fake.va_size)
			return -EINVAL;
		err = b->op == DRM_XETILE_BIND_UNMAP ? unmap(b, arg->vm_id) : map(b, arg->vm_id);
	}
	return err;
}

const struct fake_bind *fake_bind_at(uint64_t addr)
{
	unsigned int i;

	/* Copies look here twice for each row. */
	for (i = 0; i < fake.num_binds; i++) {
		const struct fake_bind *b = &fake.binds[i];

		if (b->used && addr >= b->addr && addr < b->addr + b->range)
			return b;
	}
	return NULL;
}

/* Where a tile has its copy of a buffer; without one it uses the first */
static uint64_t copy_offset(const struct drm_xetile_bo_create *create, uint32_t tile)
{
	if (create->color != DRM_XETILE_COLOR_REPLICATE || !(create->tile_mask & (1u << tile)))
		return 0;
	return __builtin_popcount(create->tile_mask & ((1u << tile) - 1)) * create->size;
}

void *fake_at(uint64_t addr)
{
	return fake_on_tile(addr, 0);
}

void *fake_on_tile(uint64_t addr, uint32_t tile)
{
	const struct fake_bind *b = fake_bind_at(addr);
	static uint8_t *all;

	if (!all)
		all = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED, fake.memfd, 0);
	if (!b)
		return NULL;
	if (!b->handle)
		return (void *)(uintptr_t)(b->offset + (addr - b->addr));
	return all + fake.bos[b->handle].offset + (addr - b->addr) +
	       copy_offset(&fake.bos[b->handle].create, tile);
}

/* --- work --------------------------------------------------------------------------------- */

uint64_t fake_run(const struct fake_exec *exec)
{
	const uint32_t *c = fake_on_tile(exec->batches[0], exec->tile);
	uint64_t width, rows, all = 0, y, dst, src;

	for (; PVC_FIELD_GET(PVC_CMD_TYPE, *c) == PVC_CMD_TYPE_BLT; c += (*c & 0xff) + 2) {
		bool copy = (*c & PVC_BLT_OPCODE_MASK) == (PVC_MEM_COPY & PVC_BLT_OPCODE_MASK);
		bool matrix = PVC_FIELD_GET(PVC_MEM_TYPE, *c) == PVC_MEM_TYPE_MATRIX;
		const uint32_t *to = c + (copy ? 7 : 4);

		width = (c[1] & PVC_MEM_DIM) + 1;
		rows = matrix ? (c[2] & PVC_MEM_DIM) + 1 : 1;
		dst = (uint64_t)to[1] << 32 | to[0];
		src = (uint64_t)c[6] << 32 | c[5];
		if (dst == DRM_XETILE_VA_NOWHERE)
			continue;
		for (y = 0; y < rows; y++) {
			if (copy)
				memcpy(fake_on_tile(dst, exec->tile),
				       fake_on_tile(src, exec->tile), width);
			else
				memset(fake_on_tile(dst, exec->tile), c[6] >> 24, width);
			dst += (c[copy ? 4 : 3] & PVC_MEM_DIM) + 1;
			src += (c[3] & PVC_MEM_DIM) + 1;
			all += width;
		}
	}
	return all;
}

/* Work has no time of its own here: a fence signals when the test says so. */
static void signal_syncs(const struct drm_xetile_sync *syncs, uint32_t num)
{
	uint32_t i;

	for (i = 0; i < num; i++) {
		if (syncs[i].flags & DRM_XETILE_SYNC_SIGNAL)
			fake.sync_status[syncs[i].handle] = fake.hold ? 0 :
				fake.fence_error ? fake.fence_error : 1;
	}
}

static int exec(const struct drm_xetile_exec *arg)
{
	const struct drm_xetile_sync *syncs = (void *)(uintptr_t)arg->syncs.data;
	unsigned int i;

	if (arg->syncs.count > FAKE_SYNCS || !arg->num_batches != !arg->batch ||
	    arg->num_batches > XETILE_MAX_TILES)
		return -EINVAL;
	for (i = 0; i < arg->syncs.count; i++) {
		if (syncs[i].handle >= FAKE_MAX || !fake.syncobjs[syncs[i].handle])
			return -ENOENT;
	}
	if (!arg->num_batches) {
		signal_syncs(syncs, arg->syncs.count);
		fake.fences++;
		return 0;
	}
	if (fake.fail_exec && fake.execs + 1 == fake.fail_exec)
		return -ENOMEM;
	fake.last.exec = *arg;
	fake.last.tile = fake.queue_tiles[arg->queue_id % FAKE_MAX];
	memcpy(fake.last.syncs, syncs, arg->syncs.count * sizeof(*syncs));
	if (arg->num_batches == 1)
		fake.last.batches[0] = arg->batch;
	else
		memcpy(fake.last.batches, (void *)(uintptr_t)arg->batch,
		       arg->num_batches * sizeof(uint64_t));
	fake.last_waits = 0;
	for (i = 0; i < arg->syncs.count; i++)
		fake.last_waits += !(syncs[i].flags & DRM_XETILE_SYNC_SIGNAL);
	if (fake.executes)
		fake_run(&fake.last);
	signal_syncs(syncs, arg->syncs.count);
	fake.log[fake.execs % FAKE_LOG] = fake.last;
	fake.execs++;
	return 0;
}

static int queue_info(struct drm_xetile_queue_info *info)
{
	unsigned int t;

	info->num_members = fake.last_queue.target == DRM_XETILE_TARGET_ROOT ? fake.tiles : 1;
	info->cslices_total = 4 * fake.tiles;
	info->cslices_used = info->num_members * 4 / fake.ccs_mode;
	for (t = 0; t < info->num_members; t++)
		info->members[t] = (struct drm_xetile_queue_member){
			.tile = fake.last_queue.tile + t,
			.instance = fake.execs ? 0 : 0xffff, .cslice_mask = 0xf,
		};
	return 0;
}

static int syncobj_create(struct drm_syncobj_create *arg)
{
	uint32_t h = 1;

	while (h < FAKE_MAX && fake.syncobjs[h])
		h++;
	if (h == FAKE_MAX)
		return -ENOMEM;
	fake.syncobjs[h] = true;
	fake.sync_status[h] = 0;
	arg->handle = h;
	return 0;
}

static bool must_fail(unsigned long request)
{
	bool once = fake.fail_nth;

	if (!fake.fail_request || request != fake.fail_request)
		return false;
	if (once && --fake.fail_nth)
		return false;
	if (once)
		fake.fail_request = 0;
	return true;
}

static int fake_ioctl(int fd, unsigned long request, void *arg)
{
	fake.ioctls++;
	if (must_fail(request))
		return fake.fail_errno;
	if (fake.gone)
		return -ENODEV;
	switch (request) {
	case DRM_IOCTL_VERSION: {
		struct drm_version *v = arg;

		v->version_major = fake.major;
		v->version_minor = fake.minor;
		strncpy(v->name, fake.name, v->name_len);
		v->name_len = strlen(fake.name);
		return 0;
	}
	case DRM_IOCTL_XETILE_QUERY:
		return do_query(arg);
	case DRM_IOCTL_XETILE_BO_CREATE:
		return bo_create(arg);
	case DRM_IOCTL_XETILE_BO_INFO:
		return bo_info(arg);
	case DRM_IOCTL_XETILE_BO_RECOLOR:
		return bo_recolor(arg);
	case DRM_IOCTL_XETILE_BO_PIN:
		return bo_pin(arg);
	case DRM_IOCTL_XETILE_BO_PURGE:
		return bo_purge(arg);
	case DRM_IOCTL_XETILE_BO_MMAP: {
		struct drm_xetile_bo_mmap *m = arg;

		if (!get_bo(m->handle) || m->flags)
			return -EINVAL;
		m->offset = get_bo(m->handle)->offset;
		return 0;
	}
	case DRM_IOCTL_GEM_CLOSE: {
		struct drm_gem_close *c = arg;

		if (!get_bo(c->handle))
			return -EINVAL;
		get_bo(c->handle)->used = false;
		return 0;
	}
	case DRM_IOCTL_XETILE_VM_CREATE:
		((struct drm_xetile_vm_create *)arg)->vm_id = ++fake.last_vm;
		fake.vms++;
		return 0;
	case DRM_IOCTL_XETILE_VM_DESTROY:
		fake.vms--;
		return 0;
	case DRM_IOCTL_XETILE_VM_BIND:
		return vm_bind(arg);
	case DRM_IOCTL_XETILE_QUEUE_CREATE:
		fake.last_queue = *(struct drm_xetile_queue_create *)arg;
		((struct drm_xetile_queue_create *)arg)->queue_id = 7 + fake.queues;
		fake.queue_tiles[(7 + fake.queues) % FAKE_MAX] = fake.last_queue.tile;
		fake.queues++;
		return 0;
	case DRM_IOCTL_XETILE_QUEUE_DESTROY:
		fake.queues--;
		return 0;
	case DRM_IOCTL_XETILE_QUEUE_INFO:
		return queue_info(arg);
	case DRM_IOCTL_XETILE_EXEC:
		return exec(arg);
	case DRM_IOCTL_XETILE_PROCESS:
		fake.process = *(struct drm_xetile_process *)arg;
		return 0;
	case DRM_IOCTL_SYNCOBJ_CREATE:
		return syncobj_create(arg);
	case DRM_IOCTL_SYNCOBJ_DESTROY:
		fake.syncobjs[((struct drm_syncobj_destroy *)arg)->handle] = false;
		return 0;
	case DRM_IOCTL_SYNCOBJ_WAIT: {
		const struct drm_syncobj_wait *w = arg;
		const uint32_t *handles = (void *)(uintptr_t)w->handles;
		uint32_t i, left = 0;

		if (w->count_handles != 1 && !(w->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL))
			return -EINVAL;
		/* Held work ends when a wait without a limit gives it the time. */
		for (i = 0; i < w->count_handles; i++) {
			if (!fake.sync_status[handles[i]] && w->timeout_nsec == INT64_MAX)
				fake.sync_status[handles[i]] = 1;
			left += !fake.sync_status[handles[i]];
		}
		return left ? -ETIME : 0;
	}
	case DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD: {
		struct drm_syncobj_handle *h = arg;

		h->fd = dup(fake.memfd);
		if (h->fd < 0 || h->fd >= FAKE_MAX)
			return -EMFILE;
		fake.fd_status[h->fd] = fake.sync_status[h->handle];
		return 0;
	}
	case SYNC_IOC_FILE_INFO:
		((struct sync_file_info *)arg)->status = fake.fd_status[fd];
		return 0;
	}
	printf("  fake: unexpected ioctl 0x%lx\n", request);
	return -ENOTTY;
}

static int fake_open(const char *node)
{
	if (strstr(node, "gone"))
		return -ENODEV;
	if (strstr(node, "barred"))
		return -EPERM;
	return dup(fake.memfd);
}

void fake_start(unsigned int tiles, unsigned int ccs_mode)
{
	int memfd = fake.memfd ? fake.memfd : memfd_create("hbm", 0);

	if (memfd < 0 || ftruncate(memfd, MEMORY))
		exit(1);
	memset(&fake, 0, sizeof(fake));
	fake.memfd = memfd;
	fake.tiles = tiles;
	fake.ccs_mode = ccs_mode;
	fake.ccs_modes = 0x16;
	fake.caps = DRM_XETILE_CAP_GANG | DRM_XETILE_CAP_RECOLOR | DRM_XETILE_CAP_USER;
	fake.va_size = 1ull << 57;
	fake.name = "xetile";
	fake.major = DRM_XETILE_VERSION_MAJOR;
	fake.minor = DRM_XETILE_VERSION_MINOR;
	fake.hop = DRM_XETILE_HOP_TILE;
	xt_door.ioctl = fake_ioctl;
	xt_door.open = fake_open;
}

unsigned int fake_leaks(void)
{
	unsigned int i, leaks = fake.vms + fake.queues;

	for (i = 0; i < FAKE_MAX; i++)
		leaks += fake.bos[i].used + fake.binds[i].used + fake.syncobjs[i];
	return leaks;
}

int fake_platform(unsigned int cards, const struct xt_env *env, struct xetile_platform **out)
{
	static const struct xt_env empty;
	struct xt_node nodes[8] = { 0 };
	unsigned int i;

	for (i = 0; i < cards; i++) {
		snprintf(nodes[i].pci, sizeof(nodes[i].pci), "0000:%02x:00.0", (i + 1) & 0xff);
		snprintf(nodes[i].node, sizeof(nodes[i].node), "/fake/%u", i);
		snprintf(nodes[i].sysfs, sizeof(nodes[i].sysfs), "/nowhere/%u", i);
	}
	return xt_platform_build(nodes, cards, env ? env : &empty, out);
}
