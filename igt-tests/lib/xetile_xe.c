// SPDX-License-Identifier: MIT
#include "xetile_xe.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

int __xe_bo(int fd, struct drm_xe_gem_create *args)
{
	return xetile_ioctl(fd, DRM_IOCTL_XE_GEM_CREATE, args);
}

uint32_t xe_bo(int fd, uint64_t size, uint32_t placement)
{
	struct drm_xe_gem_create args = {
		.size = size, .placement = placement,
		.cpu_caching = placement == 1 ? DRM_XE_GEM_CPU_CACHING_WB :
						DRM_XE_GEM_CPU_CACHING_WC,
	};

	igt_assert_eq(__xe_bo(fd, &args), 0);
	return args.handle;
}

uint32_t xe_vm(int fd, uint32_t flags)
{
	struct drm_xe_vm_create args = { .flags = flags };

	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_VM_CREATE, &args), 0);
	return args.vm_id;
}

int __xe_bind(int fd, uint32_t vm, const struct drm_xe_vm_bind_op *op,
	      const struct drm_xe_sync *sync)
{
	struct drm_xe_vm_bind args = {
		.vm_id = vm, .num_binds = 1, .bind = *op,
		.num_syncs = !!sync, .syncs = to_user(sync),
	};

	return xetile_ioctl(fd, DRM_IOCTL_XE_VM_BIND, &args);
}

struct drm_xe_vm_bind_op xe_map_op(uint32_t bo, uint64_t addr, uint64_t size)
{
	return (struct drm_xe_vm_bind_op) {
		.op = DRM_XE_VM_BIND_OP_MAP, .obj = bo, .addr = addr, .range = size,
		.pat_index = XE_PAT_WB,
	};
}

void xe_map(int fd, uint32_t vm, uint32_t bo, uint64_t addr, uint64_t size)
{
	struct drm_xe_vm_bind_op op = xe_map_op(bo, addr, size);

	igt_assert_eq(__xe_bind(fd, vm, &op, NULL), 0);
}

void xe_unmap(int fd, uint32_t vm, uint64_t addr, uint64_t size)
{
	struct drm_xe_vm_bind_op op = {
		.op = DRM_XE_VM_BIND_OP_UNMAP, .addr = addr, .range = size,
		.pat_index = XE_PAT_WB,
	};

	igt_assert_eq(__xe_bind(fd, vm, &op, NULL), 0);
}

volatile uint32_t *xe_map_barrier(int fd)
{
	struct drm_xe_gem_mmap_offset args = { .flags = XE_MMAP_BARRIER };
	volatile uint32_t *page;

	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_GEM_MMAP_OFFSET, &args), 0);
	page = mmap(NULL, SZ_4K, PROT_WRITE, MAP_SHARED, fd, args.offset);
	igt_assert(page != MAP_FAILED);
	return page;
}

int __xe_wait(int fd, struct drm_xe_wait_user_fence *args)
{
	return ioctl(fd, DRM_IOCTL_XE_WAIT_USER_FENCE, args) ? -errno : 0;
}
