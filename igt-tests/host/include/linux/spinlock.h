/* SPDX-License-Identifier: MIT */
#ifndef HOST_LINUX_SPINLOCK_H
#define HOST_LINUX_SPINLOCK_H

typedef struct { int unused; } spinlock_t;

#endif
