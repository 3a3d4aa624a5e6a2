/* SPDX-License-Identifier: MIT */
/*
 * vfio-user on the wire, by the protocol description of libvfio-user and by
 * <linux/vfio.h>, in the form that QEMU 11.1 uses.  All fields are little endian.
 */
#ifndef VPVC_VFU_PROTO_H
#define VPVC_VFU_PROTO_H

#include <stdint.h>

enum vfu_command {
	VFU_VERSION = 1,
	VFU_DMA_MAP = 2,
	VFU_DMA_UNMAP = 3,
	VFU_GET_INFO = 4,
	VFU_GET_REGION_INFO = 5,
	VFU_GET_REGION_IO_FDS = 6,
	VFU_GET_IRQ_INFO = 7,
	VFU_SET_IRQS = 8,
	VFU_REGION_READ = 9,
	VFU_REGION_WRITE = 10,
	VFU_DMA_READ = 11,
	VFU_DMA_WRITE = 12,
	VFU_DEVICE_RESET = 13,
};

#define VFU_TYPE_MASK	0xf
#define VFU_TYPE_COMMAND 0x0
#define VFU_TYPE_REPLY	0x1
#define VFU_NO_REPLY	0x10
#define VFU_ERROR	0x20

struct vfu_header {
	uint16_t id;
	uint16_t command;
	uint32_t size;			/* this header included */
	uint32_t flags;
	uint32_t error;
};

struct vfu_version {
	uint16_t major, minor;
	char json[];
};

#define VFU_DMA_READABLE	1
#define VFU_DMA_WRITABLE	2

struct vfu_dma_map {
	uint32_t argsz, flags;
	uint64_t offset, addr, size;
};

#define VFU_UNMAP_DIRTY		1
#define VFU_UNMAP_ALL		2

struct vfu_dma_unmap {
	uint32_t argsz, flags;
	uint64_t addr, size;
};

struct vfu_device_info {
	uint32_t argsz, flags, num_regions, num_irqs;
};

struct vfu_region_info {
	uint32_t argsz, flags, index, cap_offset;
	uint64_t size, offset;
};

struct vfu_sparse_area {
	uint64_t offset, size;
};

struct vfu_sparse_cap {
	uint16_t id, version;
	uint32_t next;
	uint32_t num_areas, reserved;
	struct vfu_sparse_area area[];
};

struct vfu_irq_info {
	uint32_t argsz, flags, index, count;
};

struct vfu_irq_set {
	uint32_t argsz, flags, index, start, count;
};

struct vfu_region_access {
	uint64_t offset;
	uint32_t region, count;
};

#define VFU_MAX_DATA	(1024u * 1024)		/* of one region access */
#define VFU_MAX_FDS	8

#endif
