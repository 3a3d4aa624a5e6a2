/* SPDX-License-Identifier: MIT */
/*
 * A file of a compiler: a zebin, or an archive of several of which one is for this card.
 */
#ifndef _XETILE_BINARY_H_
#define _XETILE_BINARY_H_

#include <stddef.h>

struct xt_zebin;

/* As xt_zebin_parse(); a file that is no zebin is named, with what makes one of it. */
int xt_binary_parse(const void *data, size_t size, struct xt_zebin *zebin);

#endif
