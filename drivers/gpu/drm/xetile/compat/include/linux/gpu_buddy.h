/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_COMPAT_GPU_BUDDY_H__
#define __XETILE_COMPAT_GPU_BUDDY_H__

/*
 * The buddy allocator of kernels where it was still DRM's. This folder is searched
 * only when the kernel has no header of this name.
 */
#include <drm/drm_buddy.h>

#define GPU_BUDDY_RANGE_ALLOCATION DRM_BUDDY_RANGE_ALLOCATION
#define GPU_BUDDY_CLEAR_ALLOCATION DRM_BUDDY_CLEAR_ALLOCATION
#define GPU_BUDDY_CLEARED DRM_BUDDY_CLEARED
#define gpu_buddy drm_buddy
#define gpu_buddy_block drm_buddy_block
#define gpu_buddy_init drm_buddy_init
#define gpu_buddy_fini drm_buddy_fini
#define gpu_buddy_alloc_blocks drm_buddy_alloc_blocks
#define gpu_buddy_free_list drm_buddy_free_list
#define gpu_buddy_block_offset drm_buddy_block_offset
#define gpu_buddy_block_size drm_buddy_block_size
#define gpu_buddy_block_is_clear drm_buddy_block_is_clear
#define gpu_buddy_block_trim drm_buddy_block_trim

#endif
