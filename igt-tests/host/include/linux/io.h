/* SPDX-License-Identifier: MIT */
/*
 * Memory behind a BAR is write-combining: the card sees what is written, and when, as the
 * test has it.  Registers are memory; order of writes is that of the program.
 */
#ifndef HOST_LINUX_IO_H
#define HOST_LINUX_IO_H

#include <linux/types.h>
#include <string.h>

/* Of the test: a write by the CPU that runs, and its barrier */
void host_write_wc(void *at, const void *from, size_t size);
void host_wmb(void);

#define wmb()			host_wmb()
#define rmb()			__asm__ volatile("" ::: "memory")

static inline void memset_io(void *at, u8 value, size_t size)
{
	u8 bytes[64];

	memset(bytes, value, sizeof(bytes));
	while (size) {
		size_t n = size < sizeof(bytes) ? size : sizeof(bytes);

		host_write_wc(at, bytes, n);
		at = (u8 *)at + n;
		size -= n;
	}
}

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
	host_write_wc(at, &value, sizeof(value));
}

#endif
