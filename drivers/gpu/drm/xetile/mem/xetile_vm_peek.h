/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_PEEK_H__
#define __XETILE_VM_PEEK_H__

#include <linux/types.h>

struct xetile_vm;

const char *xetile_vm_peek(struct xetile_vm *vm, unsigned int tile, u64 at, u64 *start, u64 *end,
			   void *buf);

#endif
