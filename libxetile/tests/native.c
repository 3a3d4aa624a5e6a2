// SPDX-License-Identifier: MIT
/*
 * Handles of the driver out of the library's objects, and objects made of handles, on a driver that
 * runs in this process (fake.c). What the program has made outlives the objects. Files of cards are
 * some of the machine's, because a file belongs to a card by its number; the fake does not look at
 * them.
 */
#include <drm/xetile_drm.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <xf86drm.h>

#include "fake.h"
#include "ioctl.h"
#include "test.h"
#include "xetile.h"

#define PAGE	XETILE_COLOR_PAGE
/* The range of addresses that the program leaves to the library */
#define START	(1ull << 40)
#define SIZE	(64ull << 20)

struct stack {
	struct xetile_platform *platform;
	struct xetile_device *device;
	struct xetile_context *context;
	int fd;
};

/* Two cards, with the files zero and null as nodes */
static int open_platform(const char *affinity, struct xetile_platform **out)
{
	const struct xt_node nodes[] = {
		{ "0000:01:00.0", "/dev/zero", "", "/nowhere" },
		{ "0000:02:00.0", "/dev/full", "/dev/null", "/nowhere" },
	};
	const struct xt_env env = { .affinity = affinity };

	fake_start(2, 1);
	fake.caps |= DRM_XETILE_CAP_PURGE | DRM_XETILE_CAP_XE;
	return xt_platform_build(nodes, 2, &env, out);
}

static uint32_t create_vm(int fd)
{
	struct drm_xetile_vm_create vm = { 0 };

	return xt_ioctl(fd, DRM_IOCTL_XETILE_VM_CREATE, &vm) ? 0 : vm.vm_id;
}

static uint32_t create_bo(int fd)
{
	struct drm_xetile_bo_create bo = {
		.size = 4 * PAGE, .placement = DRM_XETILE_PLACE_HBM,
		.color = DRM_XETILE_COLOR_EVEN, .tile_mask = 3,
	};

	return xt_ioctl(fd, DRM_IOCTL_XETILE_BO_CREATE, &bo) ? 0 : bo.handle;
}

static bool has_bo(uint32_t handle)
{
	return fake.bos[handle].used;
}

/* A context on a file and a VM of the program's; the file is closed after that. */
static bool stack_open(struct stack *s)
{
	struct xetile_vm_desc vm = { .start = START, .size = SIZE };

	CHECK(!open_platform(NULL, &s->platform));
	s->fd = open("/dev/zero", O_RDWR);
	CHECK(s->fd >= 0 && !xetile_device_from_fd(s->platform, s->fd, &s->device));
	vm.vm_id = create_vm(s->fd);
	CHECK(vm.vm_id);
	CHECK(!xetile_context_from_fd(s->device, s->fd, &vm, &s->context), "%s",
	      xetile_last_error());
	CHECK(xetile_context_vm(s->context) == vm.vm_id && fake.vms == 1);
	CHECK(xetile_context_fd(s->context) != s->fd);
	CHECK(fcntl(xetile_context_fd(s->context), F_GETFD) & FD_CLOEXEC);
	/* Buffers are pages of the fake's file. */
	CHECK(dup2(fake.memfd, xetile_context_fd(s->context)) >= 0);
	return true;
}

/* The VM is left, and nothing else. */
static bool stack_close(struct stack *s)
{
	struct drm_xetile_vm_destroy vm = { .vm_id = xetile_context_vm(s->context) };

	xetile_context_destroy(s->context);
	CHECK(fake.vms == 1, "%u VMs", fake.vms);
	CHECK(fcntl(s->fd, F_GETFD) >= 0);
	CHECK(!xt_ioctl(s->fd, DRM_IOCTL_XETILE_VM_DESTROY, &vm));
	close(s->fd);
	xetile_platform_close(s->platform);
	CHECK(!fake_leaks(), "%u left behind", fake_leaks());
	return true;
}

static bool check_devices(void)
{
	int zero = open("/dev/zero", O_RDWR), null = open("/dev/null", O_RDWR);
	int random = open("/dev/urandom", O_RDONLY), plain = open("/proc/self/exe", O_RDONLY);
	struct xetile_platform *platform;
	struct xetile_device_info info;
	struct xetile_device *device;

	CHECK(!open_platform(NULL, &platform));
	CHECK(!xetile_device_from_fd(platform, zero, &device), "%s", xetile_last_error());
	CHECK(!xetile_device_get_info(device, &info) && info.card == 0);
	CHECK(info.kind == XETILE_DEVICE_ROOT && !strcmp(info.node, "/dev/zero"));
	/* The owner's node of a card is one of it, too. */
	CHECK(!xetile_device_from_fd(platform, null, &device), "%s", xetile_last_error());
	CHECK(!xetile_device_get_info(device, &info) && info.card == 1);
	CHECK(xetile_device_from_fd(platform, random, &device) == -ENODEV);
	CHECK(xetile_device_from_fd(platform, plain, &device) == -ENODEV);
	CHECK(xetile_device_from_fd(platform, -1, &device) == -EBADF);
	xetile_platform_close(platform);

	CHECK(!open_platform("1", &platform));
	CHECK(!xetile_device_from_fd(platform, null, &device));
	CHECK(xetile_device_from_fd(platform, zero, &device) == -ENODEV);
	CHECK_TEXT("hidden");
	xetile_platform_close(platform);
	close(zero);
	close(null);
	close(random);
	close(plain);
	return true;
}

static bool check_context(void)
{
	static const struct xetile_vm_desc wrong[] = {
		{ 1, 0, 0, 0 }, { 1, 0, START, 0 }, { 1, 0, 0, SIZE }, { 1, 0, START + 4096, SIZE },
		{ 1, 0, START, SIZE + 4096 }, { 1, 0, 1ull << 57, SIZE },
		{ 1, 0, START, ~0ull << 16 }, { 0, 0, START, 0 },
	};
	struct xetile_vm_desc flagged = { 0, 1, START, SIZE }, part = { 0, 0, START, SIZE };
	struct xetile_platform *gone;
	struct xetile_context *context;
	struct xetile_mem_desc desc = { .size = PAGE };
	struct xetile_mem *mem;
	struct xetile_device *other;
	unsigned int i;
	struct stack s;

	if (!stack_open(&s))
		return false;
	/* All of the library's addresses are of its range. */
	CHECK(!xetile_mem_alloc(s.context, s.device, &desc, &mem));
	CHECK(xetile_mem_address(mem) >= START && xetile_mem_address(mem) < START + SIZE);
	for (i = 0; i < FAKE_MAX; i++)
		CHECK(!fake.binds[i].used || (fake.binds[i].addr >= START &&
		      fake.binds[i].vm_id == xetile_context_vm(s.context)));
	xetile_mem_free(mem);
	desc.size = SIZE;
	CHECK(xetile_mem_alloc(s.context, s.device, &desc, &mem) == -ENOSPC);

	CHECK(xetile_context_from_fd(s.device, s.fd, &flagged, &context) == -EINVAL);
	CHECK_TEXT("flags 0x1");
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		CHECK(xetile_context_from_fd(s.device, s.fd, &wrong[i], &context) == -EINVAL,
		      "range %u", i);
		CHECK_TEXT("no range of addresses");
	}
	CHECK(!xetile_platform_select(s.platform, "1", &other));
	CHECK(xetile_context_from_fd(other, s.fd, NULL, &context) == -EINVAL);
	CHECK_TEXT("not one of card 1");
	CHECK(xetile_context_from_fd(other, -1, NULL, &context) == -EBADF);
	/* A card without nodes has gone. */
	CHECK(!fake_platform(1, NULL, &gone) && !xetile_platform_select(gone, "0", &other));
	CHECK(xetile_context_from_fd(other, s.fd, NULL, &context) == -ENODEV);
	xetile_platform_close(gone);

	/* A VM that the library makes ends with its context. */
	CHECK(!xetile_context_from_fd(s.device, s.fd, NULL, &context));
	CHECK(fake.vms == 2 && xetile_context_vm(context) != xetile_context_vm(s.context));
	xetile_context_destroy(context);
	CHECK(fake.vms == 1);
	desc.size = PAGE;
	CHECK(!xetile_context_from_fd(s.device, s.fd, &part, &context));
	CHECK(!xetile_mem_alloc(context, s.device, &desc, &mem));
	CHECK(xetile_mem_address(mem) >= START && xetile_mem_address(mem) < START + SIZE);
	xetile_mem_free(mem);
	xetile_context_destroy(context);
	return stack_close(&s);
}

static bool check_memory(void)
{
	struct drm_gem_close end;
	struct xetile_mem *mem, *again;
	uint64_t addr, offset = 7;
	uint32_t bo;
	struct stack s;
	void *map;

	if (!stack_open(&s))
		return false;
	bo = create_bo(s.fd);
	CHECK(xetile_mem_from_handle(s.context, 0, 0, &mem) == -EINVAL);
	CHECK(xetile_mem_from_handle(s.context, 99, 0, &mem) == -ENOENT);

	/* The library maps it, and unmaps it. */
	CHECK(!xetile_mem_from_handle(s.context, bo, 0, &mem), "%s", xetile_last_error());
	CHECK(xetile_mem_handle(mem, &offset) == bo && !offset && xetile_mem_size(mem) == 4 * PAGE);
	addr = xetile_mem_address(mem);
	CHECK(fake_bind_at(addr) && fake_bind_at(addr)->handle == bo);
	CHECK(xetile_mem_from_handle(s.context, bo, 0, &again) == -EEXIST);
	CHECK(!xetile_mem_map(mem, &map));
	CHECK(xetile_mem_allow_purge(mem) == -EINVAL);
	xetile_mem_free(mem);
	CHECK(has_bo(bo) && !fake_bind_at(addr));

	/* The program has mapped it: the library does neither. */
	CHECK(xetile_mem_from_handle(s.context, bo, START + SIZE - PAGE, &mem) == -EINVAL);
	CHECK(xetile_mem_from_handle(s.context, bo, START - PAGE, &mem) == -EINVAL);
	CHECK(xetile_mem_from_handle(s.context, bo, ~0ull - PAGE, &mem) == -EINVAL);
	CHECK(xetile_mem_from_handle(s.context, bo, START - 4 * PAGE + 8, &mem) == -EINVAL);
	CHECK_TEXT("not a multiple");
	CHECK(has_bo(bo));
	CHECK(!xetile_mem_from_handle(s.context, bo, START - 4 * PAGE, &mem));
	CHECK(xetile_mem_address(mem) == START - 4 * PAGE);
	CHECK(!fake_bind_at(START - 4 * PAGE));
	fake.fail_request = DRM_IOCTL_XETILE_VM_BIND;
	fake.fail_errno = -EIO;
	fake.fail_nth = 1;
	xetile_mem_free(mem);
	CHECK(fake.fail_nth == 1 && has_bo(bo));
	fake.fail_request = 0;
	CHECK(!xetile_mem_from_handle(s.context, bo, START + SIZE, &mem));
	xetile_mem_free(mem);

	/* Copies have two mappings. */
	fake.bos[bo].create.color = DRM_XETILE_COLOR_REPLICATE;
	CHECK(xetile_mem_from_handle(s.context, bo, START + SIZE, &mem) == -EOPNOTSUPP);
	CHECK(has_bo(bo));
	end = (struct drm_gem_close) { .handle = bo };
	CHECK(!xt_ioctl(s.fd, DRM_IOCTL_GEM_CLOSE, &end));
	return stack_close(&s);
}

static bool check_pool(void)
{
	const struct xetile_mem_desc desc = { .size = 4 * PAGE }, one = { .size = PAGE };
	struct xetile_mem *first, *second;
	struct xetile_pool *pool;
	uint64_t offset = 0;
	struct stack s;

	if (!stack_open(&s))
		return false;
	CHECK(!xetile_pool_create(s.context, s.device, &desc, &pool));
	CHECK(!xetile_pool_alloc(pool, s.device, &one, &first));
	CHECK(!xetile_pool_alloc(pool, s.device, &one, &second));
	CHECK(has_bo(xetile_pool_handle(pool)));
	CHECK(xetile_mem_handle(second, &offset) == xetile_pool_handle(pool) && offset == PAGE);
	CHECK(xetile_mem_handle(first, NULL) == xetile_pool_handle(pool));
	xetile_mem_free(first);
	xetile_mem_free(second);
	xetile_pool_destroy(pool);
	return stack_close(&s);
}

static uint32_t create_queue(const struct stack *s, uint32_t tile)
{
	struct drm_xetile_queue_create create = {
		.vm_id = xetile_context_vm(s->context), .engine_class = DRM_XETILE_ENGINE_COPY,
		.target = DRM_XETILE_TARGET_TILE, .tile = tile,
	};

	return xt_ioctl(s->fd, DRM_IOCTL_XETILE_QUEUE_CREATE, &create) ? 0 : create.queue_id;
}

static bool check_queue(void)
{
	struct xetile_queue_desc split = { .engine_class = XETILE_COPY_SPLIT };
	struct drm_xetile_queue_destroy end = { 0 };
	const struct xetile_mem_desc desc = { .size = PAGE };
	struct xetile_queue *queue;
	struct xetile_mem *mem;
	uint32_t id, ids[4] = { 0 };
	struct stack s;

	if (!stack_open(&s))
		return false;
	id = create_queue(&s, 1);
	CHECK(xetile_queue_from_id(s.context, s.device, XETILE_COPY, id, &queue) == -EINVAL);
	CHECK_TEXT("tiles 0x2, not 0x1");
	CHECK(xetile_queue_from_id(s.context, xetile_device_sub_device(s.device, 1),
				   XETILE_COPY_SPLIT, id, &queue) == -EINVAL);
	CHECK(!xetile_queue_from_id(s.context, xetile_device_sub_device(s.device, 1), XETILE_COPY,
				    id, &queue), "%s", xetile_last_error());
	CHECK(xetile_queue_ids(queue, ids, 4) == 1 && ids[0] == id);
	/* Work of the library goes to it. */
	CHECK(!xetile_mem_alloc(s.context, s.device, &desc, &mem));
	CHECK(!xetile_fill(queue, mem, 0, PAGE, 5, 0, NULL, NULL), "%s", xetile_last_error());
	CHECK(fake.last.exec.queue_id == id);
	xetile_mem_free(mem);
	xetile_queue_destroy(queue);
	CHECK(fake.queues == 1);
	end.queue_id = id;
	CHECK(!xt_ioctl(s.fd, DRM_IOCTL_XETILE_QUEUE_DESTROY, &end));

	CHECK(!xetile_queue_create(s.context, s.device, &split, &queue));
	CHECK(xetile_queue_ids(queue, ids, 1) == 2 && xetile_queue_ids(queue, NULL, 0) == 2);
	CHECK(xetile_queue_ids(queue, ids, 4) == 2 && ids[0] != ids[1]);
	xetile_queue_destroy(queue);
	return stack_close(&s);
}

static bool check_event(void)
{
	struct xetile_event *event, *copy;
	struct xetile_queue *queue;
	const struct xetile_mem_desc desc = { .size = PAGE };
	struct xetile_queue_desc one = { .engine_class = XETILE_COPY };
	struct xetile_mem *mem;
	uint32_t handle, got[4] = { 0 };
	struct stack s;

	if (!stack_open(&s))
		return false;
	CHECK(xetile_event_from_syncobj(s.context, 0, &event) == -EINVAL);
	CHECK(!xt_syncobj_create(s.fd, &handle));
	CHECK(!xetile_event_from_syncobj(s.context, handle, &event));
	CHECK(xetile_event_syncobjs(event, got, 4) == 1 && got[0] == handle);
	CHECK(xetile_event_status(event) == -EINPROGRESS);
	fake.sync_status[handle] = -ETIME;
	CHECK(xetile_event_wait(event, 0) == -ETIME);

	/* Work waits for it, and tells its own. */
	CHECK(!xetile_mem_alloc(s.context, s.device, &desc, &mem));
	CHECK(!xetile_queue_create(s.context, s.device, &one, &queue));
	CHECK(!xetile_fill(queue, mem, 0, PAGE, 5, 1, &event, &copy), "%s", xetile_last_error());
	CHECK(fake.last_waits == 1);
	CHECK(xetile_event_syncobjs(copy, got, 4) == 1 && fake.syncobjs[got[0]]);
	CHECK(xetile_event_syncobjs(copy, NULL, 0) == 1);
	xetile_event_destroy(copy);
	CHECK(!fake.syncobjs[got[0]]);
	xetile_event_destroy(event);
	CHECK(fake.syncobjs[handle]);
	xt_syncobj_destroy(s.fd, handle);
	xetile_queue_destroy(queue);
	xetile_mem_free(mem);
	return stack_close(&s);
}

/* What is left of a card that is gone can be destroyed, and nothing else be done with it. */
static bool check_gone(void)
{
	const struct xetile_mem_desc desc = { .size = PAGE };
	struct xetile_queue_desc one = { .engine_class = XETILE_COPY };
	struct xetile_platform *platform, *none;
	struct xetile_device_info info;
	struct xetile_queue_info qinfo;
	struct xetile_context *context;
	struct xetile_device *device, *other_card;
	struct xetile_mem *mem, *other;
	struct xetile_queue *queue, *more;
	struct xetile_event *event;
	struct xetile_run run;

	CHECK(!open_platform(NULL, &platform));
	CHECK(!xetile_platform_select(platform, "0", &device));
	CHECK(!xetile_context_create(device, &context));
	CHECK(!xetile_mem_alloc(context, device, &desc, &mem));
	CHECK(!xetile_queue_create(context, device, &one, &queue));
	fake.hold = true;
	CHECK(!xetile_fill(queue, mem, 0, PAGE, 5, 0, NULL, &event));
	fake.gone = true;
	CHECK(!fake_platform(0, NULL, &none));
	CHECK(xetile_device_from_fd(none, xetile_context_fd(context), &other_card) == -ENODEV);
	xetile_platform_close(none);
	CHECK(xetile_device_get_info(device, &info) == -ENODEV);
	CHECK_TEXT("gone");
	CHECK(xetile_mem_alloc(context, device, &desc, &other) == -ENODEV);
	CHECK(xetile_mem_color(mem, &run, 1) == -ENODEV);
	CHECK(xetile_queue_create(context, device, &one, &more) == -ENODEV);
	CHECK(xetile_queue_get_info(queue, &qinfo) == -ENODEV);
	CHECK(xetile_fill(queue, mem, 0, PAGE, 5, 0, NULL, NULL) == -ENODEV);
	CHECK(xetile_event_wait(event, -1) == -ENODEV && xetile_event_status(event) == -ENODEV);
	/* The sanitizer sees what is not freed. */
	xetile_event_destroy(event);
	xetile_queue_destroy(queue);
	xetile_mem_free(mem);
	xetile_context_destroy(context);
	xetile_platform_close(platform);
	return true;
}

/* Whether a call with @desc is refused, and nothing asked of the driver */
static bool refuses(struct xetile_device *device, const struct xetile_process_desc *desc)
{
	unsigned int ioctls = fake.ioctls;
	int fd = -7;

	return xetile_process_set(device, desc, &fd) == -EINVAL && fd == -7 &&
	       fake.ioctls == ioctls;
}

static bool process_is(uint32_t flags, uint32_t color, uint64_t granule, uint64_t min_size,
		       uint32_t cslice)
{
	const struct drm_xetile_process *p = &fake.process;

	return p->flags == flags && p->color == color && p->granule == granule &&
	       p->min_size == min_size && p->cslice == cslice && !p->tile_mask;
}

static bool check_process(void)
{
	const struct xetile_mem_desc chunk = { .color = XETILE_COLOR_CHUNK, .granule = 2 * PAGE };
	const struct xetile_mem_desc even = { .color = XETILE_COLOR_EVEN };
	const struct xetile_mem_desc follow = { .color = XETILE_COLOR_FOLLOW };
	const struct xetile_mem_desc tile = { .color = XETILE_COLOR_TILE };
	const struct xetile_mem_desc copies = { .color = XETILE_COLOR_REPLICATE };
	const struct xetile_mem_desc system = { .flags = XETILE_MEM_SYSTEM };
	const struct {
		struct xetile_process_desc desc;
		uint32_t flags, color;
	} good[] = {
		{ { .color = &chunk, .min_size = 5 }, DRM_XETILE_PROCESS_COLOR,
		  DRM_XETILE_COLOR_CHUNK },
		{ { .color = &even }, DRM_XETILE_PROCESS_COLOR, DRM_XETILE_COLOR_EVEN },
		{ { .color = &follow, .flags = XETILE_PROCESS_CSLICE, .cslice = 3 },
		  DRM_XETILE_PROCESS_COLOR | DRM_XETILE_PROCESS_CSLICE, DRM_XETILE_COLOR_FOLLOW },
		{ { .flags = XETILE_PROCESS_SPILL, .min_size = 9 }, DRM_XETILE_PROCESS_COLOR,
		  DRM_XETILE_COLOR_TILE },
		{ { .flags = XETILE_PROCESS_CSLICE }, DRM_XETILE_PROCESS_CSLICE, 0 },
		{ { .flags = 0 }, 0, 0 },
	};
	const struct xetile_process_desc bad[] = {
		{ .color = &tile }, { .color = &copies }, { .color = &system },
		{ .color = &even, .flags = XETILE_PROCESS_SPILL }, { .min_size = 1 },
		{ .cslice = 1 }, { .flags = 4 },
		{ .flags = XETILE_PROCESS_CSLICE, .cslice = XETILE_MAX_CSLICES },
	};
	struct xetile_platform *platform;
	struct xetile_device *device;
	unsigned int i;
	int fd;

	CHECK(!open_platform(NULL, &platform));
	CHECK(!xetile_platform_select(platform, "0", &device));
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		const struct xetile_process_desc *desc = &good[i].desc;

		/* The fake's device is called xetile. */
		CHECK(xetile_process_set(device, desc, &fd) == 1, "%s", xetile_last_error());
		CHECK(!(fcntl(fd, F_GETFD) & FD_CLOEXEC));
		CHECK(process_is(good[i].flags, good[i].color,
				 desc->color ? desc->color->granule : 0, desc->min_size,
				 desc->cslice), "row %u", i);
		close(fd);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(refuses(device, &bad[i]), "row %u", i);
	fake.fail_request = DRM_IOCTL_XETILE_PROCESS;
	fake.fail_errno = -ENOMEM;
	CHECK(xetile_process_set(device, &good[0].desc, &fd) == -ENOMEM);
	CHECK_TEXT("does not color programs");
	xetile_platform_close(platform);

	fake.caps &= ~DRM_XETILE_CAP_XE;
	CHECK(!fake_platform(1, NULL, &platform));
	CHECK(xetile_process_set(xetile_platform_device(platform, 0), &good[0].desc, &fd) ==
	      -EOPNOTSUPP);
	xetile_platform_close(platform);
	return true;
}

int main(void)
{
	test_run("a file names its card", check_devices());
	test_run("a context on a file and a VM of the program", check_context());
	test_run("memory of a handle, which outlives it", check_memory());
	test_run("objects of a pool have its handle", check_pool());
	test_run("a queue of a number, and numbers of a queue", check_queue());
	test_run("an event of a syncobj, and syncobjs of an event", check_event());
	test_run("colors and slices of a program that knows of none", check_process());
	test_run("a card that is gone: -ENODEV", check_gone());
	return test_end();
}
