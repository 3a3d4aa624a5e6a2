/* SPDX-License-Identifier: MIT */
/* What the driver's pure files need of the kernel's types, for the host. */
#ifndef HOST_LINUX_TYPES_H
#define HOST_LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef u64 dma_addr_t;

#define __iomem

#endif
