/* SPDX-License-Identifier: MIT */
#ifndef HOST_LINUX_ERR_H
#define HOST_LINUX_ERR_H

#include <errno.h>
#include <stdbool.h>

static inline void *ERR_PTR(long err)
{
	return (void *)err;
}

static inline long PTR_ERR(const void *ptr)
{
	return (long)ptr;
}

static inline bool IS_ERR(const void *ptr)
{
	return (unsigned long)ptr >= -4095ul;
}

#endif
