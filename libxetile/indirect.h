/* SPDX-License-Identifier: MIT */
/*
 * The indirect data of a launch: the data that the kernel's threads read. xetile_launch() writes
 * them behind the commands.
 */
#ifndef _XETILE_INDIRECT_H_
#define _XETILE_INDIRECT_H_

#include <stdint.h>

#include "xetile.h"

struct xt_batch_place;
struct xt_dispatch;

/* Write @d->indirect_size bytes. The function cannot fail. */
void xt_indirect_write(uint8_t *to, const struct xetile_kernel *kernel,
		       const struct xt_dispatch *d, const struct xt_batch_place *place);

#endif
