/* SPDX-License-Identifier: MIT */
/*
 * A kernel of a module with the values of its arguments. xetile_launch() reads both.
 */
#ifndef _XETILE_KERNEL_H_
#define _XETILE_KERNEL_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xetile.h"

struct xt_kernel_desc;

/* The value that the user set for an argument */
struct xt_arg {
	enum xetile_arg_kind kind;
	size_t size;			/* VALUE: bytes that the kernel takes at least */
	size_t size_max;		/* VALUE: bytes that a value may have */
	size_t extent;			/* VALUE: bytes that its slots take; the rest is zero */
	bool set;
	uint64_t address;		/* POINTER */
	uint64_t buffer_size;		/* POINTER: bytes behind the address, 0: unknown */
	uint32_t local_size;		/* LOCAL */
	uint32_t slm_align;		/* LOCAL */
	uint8_t *value;			/* VALUE */
};

struct xetile_kernel {
	struct xetile_module *module;
	const struct xt_kernel_desc *desc;
	struct xt_arg *args;
	struct xetile_mem *printf;	/* NULL: not set */
};

#endif
