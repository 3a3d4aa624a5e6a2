// SPDX-License-Identifier: MIT
/*
 * Calls of xe_drm.h on files of a card that is gone: a queue still tells that it is banned, and
 * objects are given up (T4 of the map of runtimes). All other calls return ENODEV.
 *
 * suite: hotplug
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_lab.h"
#include "xetile_xe.h"
#include "xetile_xe_exec.h"

IGT_TEST_DESCRIPTION("Calls of the xe driver when the card is gone");

/* A file with two queues, on one of which a batch runs that never ends */
struct user {
	struct ctx c;
	uint32_t busy, idle, bo;
	uint64_t never;
	struct xe_held held;
	volatile uint32_t *barrier, *later;
};

static void user_init(struct user *u)
{
	memset(u, 0, sizeof(*u));
	ctx_init(&u->c, xetile_open());
	u->busy = xe_queue(u->c.fd, u->c.vm, 0, DRM_XE_ENGINE_CLASS_COMPUTE, 1);
	u->idle = xe_queue(u->c.fd, u->c.vm, 0, DRM_XE_ENGINE_CLASS_COPY, 2);
	u->bo = xetile_bo(u->c.fd, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	u->barrier = xe_map_barrier(u->c.fd);
	u->later = xe_map_barrier(u->c.fd);
	u->barrier[0] = 1;
	igt_assert_eq(__xe_queue_is_banned(u->c.fd, u->busy), 0);
	xe_held_start(&u->held, &u->c, u->busy, 0);
	xetile_assert_soon(xe_held_runs(&u->held));
}

static int gem_close_padded(int fd, uint32_t handle, uint32_t pad)
{
	struct drm_gem_close args = { .handle = handle, .pad = pad };

	return xetile_ioctl(fd, DRM_IOCTL_GEM_CLOSE, &args);
}

static void check_gone(struct user *u)
{
	struct drm_xe_exec_queue_get_property bad = { .exec_queue_id = u->idle, .property = 1 };
	struct drm_xe_wait_user_fence wait = {
		.addr = to_user(&u->never), .value = 1, .mask = ~0ull, .timeout = -1,
		.op = DRM_XE_UFENCE_WAIT_OP_EQ,
	};
	struct drm_xe_vm_destroy vm = { .vm_id = u->c.vm };
	int fd = u->c.fd;
	uint32_t q;

	xetile_assert_soon(__xe_queue_is_banned(fd, u->busy) == 1);
	/* Writes go on, to a page of each mapping's own. */
	u->barrier[0] = 2;
	u->later[0] = 3;
	igt_assert_eq_u32(u->barrier[0], 2);
	igt_assert_eq_u32(u->later[0], 3);
	igt_assert_eq(__xe_queue_is_banned(fd, u->idle), 1);
	igt_assert_eq(__xe_queue_is_banned(fd, BAD_ID), -ENOENT);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_EXEC_QUEUE_GET_PROPERTY, &bad), -EINVAL);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_EXEC_QUEUE_GET_PROPERTY, (void *)BAD_POINTER),
		      -EFAULT);
	igt_assert_eq(__xe_exec_batch(fd, u->idle, u->c.batch.addr, 0), -ENODEV);
	igt_assert_eq(__xe_queue(fd, u->c.vm, 0, DRM_XE_ENGINE_CLASS_COPY, 1, NULL, &q), -ENODEV);

	/* A wait for a number that is there ends well, as before. */
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_WAIT_USER_FENCE, &wait), -EIO);
	wait.exec_queue_id = u->idle;
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_WAIT_USER_FENCE, &wait), -EIO);
	wait.value = 0;
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_WAIT_USER_FENCE, &wait), 0);

	igt_assert_eq(__xe_queue_destroy(fd, u->idle), 0);
	igt_assert_eq(__xe_queue_destroy(fd, u->busy), 0);
	igt_assert_eq(__xe_queue_destroy(fd, u->busy), -ENOENT);
	igt_assert_eq(__xe_queue_is_banned(fd, u->busy), -ENOENT);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_VM_DESTROY, &vm), 0);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_VM_DESTROY, &vm), -ENOENT);
	igt_assert_eq(gem_close_padded(fd, u->bo, 1), -EINVAL);
	igt_assert_eq(gem_close_padded(fd, u->bo, 0), 0);
	igt_assert_eq(gem_close_padded(fd, u->bo, 0), -EINVAL);
}

static void user_fini(struct user *u)
{
	munmap((void *)u->barrier, SZ_4K);
	munmap((void *)u->later, SZ_4K);
	munmap(u->c.batch.map, u->c.batch.size);
	munmap(u->c.gate.map, u->c.gate.size);
	close(u->c.fd);
}

static void test_plug(bool surprise)
{
	struct user u;

	user_init(&u);
	if (surprise)
		lab_inject("unplug");
	lab_plug(false);
	check_gone(&u);
	lab_plug(true);
	user_fini(&u);
	for (int i = 0; i < 600; i++) {
		char path[64];

		if (!xetile_open_path(path, sizeof(path)))
			return;
		usleep(100000);
	}
	igt_assert_f(false, "the card does not come back\n");
}

/* The calls answer beside another card that has taken the place. */
static void test_unbind(void)
{
	char address[32];
	struct user u;

	xetile_bound_card(address, sizeof(address));
	user_init(&u);
	xetile_rebind(address);
	check_gone(&u);
	user_fini(&u);
}

igt_main {
	igt_fixture {
		lab_require_card();
	}
	igt_subtest("unbind")
		test_unbind();
	igt_subtest("ordered")
		test_plug(false);
	igt_subtest("surprise")
		test_plug(true);
}
