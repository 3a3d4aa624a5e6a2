/* SPDX-License-Identifier: MIT */
#ifndef HOST_LINUX_KERNEL_H
#define HOST_LINUX_KERNEL_H

#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/types.h>

#define PAGE_SIZE		4096
#define U32_MAX			UINT32_MAX
#define U64_MAX			UINT64_MAX
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define lower_32_bits(n)	((u32)(n))
#define upper_32_bits(n)	((u32)((u64)(n) >> 32))

#endif
