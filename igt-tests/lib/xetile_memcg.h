/* SPDX-License-Identifier: MIT */
/*
 * A control group, which tells what memory the kernel takes for whom.
 */
#ifndef XETILE_MEMCG_H
#define XETILE_MEMCG_H

#include <stdint.h>

/* Makes it, with nobody in it. Skips where memory is not counted by group. */
void memcg_init(void);
/* The caller is in it from now on. */
void memcg_enter(void);
/* Bytes of memory.<file> that @key stands before; of the whole file without one */
uint64_t memcg_bytes(const char *file, const char *key);
/* When all who were in it have ended. */
void memcg_fini(void);

#endif
