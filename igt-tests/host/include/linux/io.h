/* SPDX-License-Identifier: MIT */
/* Memory behind a BAR is memory; order of writes is that of the program. */
#ifndef HOST_LINUX_IO_H
#define HOST_LINUX_IO_H

#include <linux/types.h>
#include <string.h>

#define wmb()			__asm__ volatile("" ::: "memory")
#define memset_io(p, v, n)	memset(p, v, n)

static inline u32 readl(const void *at)
{
	return *(const volatile u32 *)at;
}

static inline void writel(u32 value, void *at)
{
	*(volatile u32 *)at = value;
}

static inline void writeq(u64 value, u64 *at)
{
	*(volatile u64 *)at = value;
}

#endif
