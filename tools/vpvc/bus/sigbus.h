/* SPDX-License-Identifier: MIT */
/* Files of others that end too early. */
#ifndef VPVC_SIGBUS_H
#define VPVC_SIGBUS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * From now on a file behind [base, base + size) that ends too early makes *lost
 * true instead of killing the process.  False: no room for another one.
 */
extern atomic_uint sigbus_hits;		/* how often that has happened */
bool sigbus_watch(void *base, size_t size, atomic_bool *lost);
void sigbus_forget(void *base);

#endif
