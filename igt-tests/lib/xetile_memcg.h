/* SPDX-License-Identifier: MIT */
/*
 * A control group that counts the memory that the kernel takes on behalf of its processes.
 */
#ifndef XETILE_MEMCG_H
#define XETILE_MEMCG_H

#include <stdint.h>

/* Creates the group, without processes. Skips the test unless groups count memory. */
void memcg_init(void);
/* Moves the calling process into the group. */
void memcg_enter(void);
/*
 * Returns the number of bytes behind @key in the group's file memory.<@file>; with an empty @key
 * the number that the file consists of.
 */
uint64_t memcg_bytes(const char *file, const char *key);
/* Removes the group; asserts that its processes end within a minute. */
void memcg_fini(void);

#endif
