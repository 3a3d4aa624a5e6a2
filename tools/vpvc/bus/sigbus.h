/* SPDX-License-Identifier: MIT */
/* Mapped files that another process may truncate. */
#ifndef VPVC_SIGBUS_H
#define VPVC_SIGBUS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * From now on an access to [base, base + size) beyond the end of its file sets *@lost
 * instead of killing the process.  False: no room for another file.
 */
extern atomic_uint sigbus_hits;		/* number of such accesses */
bool sigbus_watch(void *base, size_t size, atomic_bool *lost);
void sigbus_forget(void *base);

#endif
